"""Takes the picture of the HTML report in the README: one loop of the tutorial's program, with its charts.

    python docs/pictures/report.py        writes report.png beside this file; needs chromium, and Pillow (of matplotlib)

Not a part of `make docs`: fonts differ between machines, so a new picture is a new file even where nothing has changed.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOOP = "solve.c:largest_change:27:5"
WIDTH, HEIGHT = 1040, 6000  # pixels of the window: all of the page is in it
TOP, BOTTOM = 1570, 3390  # what is kept of it: from the name of the loop to the first charts


def report(folder: Path) -> Path:
    """The report of the tutorial's program, as it is found there."""
    from analyzer.command.cli import main

    shutil.copytree(HERE.parent / "tutorial", folder / "plate")
    subprocess.run(["git", "init", "-q", "plate"], cwd=folder, check=True)
    with contextlib.chdir(folder / "plate"):
        assert main([".", "-t", "h200", "-f", "html=report.html"]) == 0
    return folder / "plate" / "report.html"


def screenshot(page: Path, target: Path) -> None:
    """The page with the loop open, cut to the part that shows it."""
    from PIL import Image

    options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}"]
    shot = page.with_suffix(".png")
    subprocess.run(
        ["chromium", *options, "--virtual-time-budget=4000", f"--screenshot={shot}", f"{page.as_uri()}#loop={LOOP}"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    with Image.open(shot) as picture:
        picture.crop((0, TOP, WIDTH, BOTTOM)).convert("P", palette=Image.Palette.ADAPTIVE).save(target, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as scratch:
        screenshot(report(Path(scratch)), HERE / "report.png")
