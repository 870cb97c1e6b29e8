"""Draws the picture of a terminal in the README: a run of `analyze` on docs/pictures/bodies.c.

python docs/pictures/terminal.py        writes terminal.svg beside this file (`make docs`)
"""

import contextlib
import io
import re
from pathlib import Path

from analyzer.report.codec import from_json
from analyzer.report.text import Style, render

HERE = Path(__file__).resolve().parent
COMMAND = ("docs/pictures/bodies.c", "-t", "h200")
WIDTH = 80

# rich's own template loads fonts from the network; this one takes what the reader's machine has.
TEMPLATE = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img"
 aria-label="analyze in a terminal">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
 font-size: {char_height}px; line-height: {line_height}px }}
{styles}
</style>
<defs>{lines}</defs>
<rect fill="#ffffff" stroke="#d0d7de" x="1" y="1" width="99.8%" height="99.8%" rx="8"/>
<g transform="translate({terminal_x}, 22)"><g class="{unique_id}-matrix">
{matrix}
</g></g>
</svg>
"""


def printed() -> str:
    """The report of the command as a terminal of WIDTH columns shows it, with colours."""
    from analyzer.command.cli import main

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.chdir(HERE.parents[1]), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert main([*COMMAND, "-f", "json"]) == 0
    document = from_json(out.buffer.getvalue().decode(), "bodies")  # type: ignore[attr-defined]
    return render(document, Style(color=True, width=WIDTH))


def picture(text: str) -> str:
    """A terminal with the command and what it printed, as SVG."""
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    light = TerminalTheme(
        (255, 255, 255),
        (31, 35, 40),
        [
            (31, 35, 40),
            (207, 34, 46),
            (17, 99, 41),
            (125, 78, 0),
            (9, 105, 218),
            (130, 80, 223),
            (27, 124, 131),
            (66, 74, 83),
        ],
        [
            (87, 96, 106),
            (164, 14, 38),
            (26, 127, 55),
            (99, 60, 1),
            (33, 139, 255),
            (163, 117, 249),
            (49, 146, 170),
            (140, 149, 159),
        ],
    )
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="standard")
    console.print(Text.from_ansi(f"$ analyze {' '.join(COMMAND)}\n{text}".rstrip("\n")))
    drawn = console.export_svg(theme=light, code_format=TEMPLATE, unique_id="terminal", font_aspect_ratio=0.61)
    return re.sub(r"[ \t]+$", "", drawn, flags=re.MULTILINE)


if __name__ == "__main__":
    (HERE / "terminal.svg").write_text(picture(printed()), encoding="utf-8")
