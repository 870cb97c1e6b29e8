"""Figures as one HTML page: values under the pointer, surfaces to turn; no network, no library.

The page carries its own content security policy, which allows its one script and its one style sheet by their hashes
and nothing else. Data stands in blocks of JSON. Without JavaScript the charts remain, and surfaces are not drawn.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TypeAlias

from . import chart, surface
from .chart import Chart
from .picture import INKS, Picture, dark_style, svg
from .surface import Surface

Figure: TypeAlias = Chart | Surface
_FOLDER = Path(__file__).parent


def picture(figure: Figure) -> Picture:
    """The still picture of a figure."""
    return chart.picture(figure) if isinstance(figure, Chart) else surface.picture(figure)


def page(title: str, figures: Sequence[Figure]) -> str:
    """The HTML document."""
    script = (_FOLDER / "page.js").read_text(encoding="utf-8")
    style = (_FOLDER / "page.css").read_text(encoding="utf-8") + dark_style()
    policy = f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'"
    return "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style></head><body><main><h1>{escape(title)}</h1>",
            *map(_figure, figures),
            "</main>",
            _data("inks", INKS),
            f"<script>{script}</script></body></html>\n",
        )
    )


def _figure(figure: Figure) -> str:
    told = chart.readout(figure) if isinstance(figure, Chart) else surface.scene(figure)
    if isinstance(figure, Chart):
        drawn, how = svg(picture(figure), alone=False), "Point at the picture, or use the arrow keys, to read values."
    else:
        still = f"<noscript>{escape(figure.title)} is drawn by JavaScript; .svg and .png are still pictures.</noscript>"
        drawn, how = still, "Drag or use the arrow keys to turn, point to read values."
    return f"<figure>\n{drawn}<figcaption>{how}</figcaption>\n{_data('figure', told)}</figure>"


def _data(kind: str, value: object) -> str:
    content = json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")  # ends no script
    return f'<script type="application/json" class="{kind}">{content}</script>'


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
