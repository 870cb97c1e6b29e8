"""PNG: by matplotlib, and a word about it where it is missing."""

import sys
from pathlib import Path

import pytest

from models.errors import InputError
from models.plots.picture import Area, Dot, Line, Picture, Words
from models.plots.png import write_png

PARTS = (
    Area(((10, 10), (90, 10), (90, 90)), "empty"),
    Line(((10, 10), (90, 90)), "blue", dashed=True),
    Dot(50, 50, "red"),
    Dot(20, 80, "red", star=True),
    Words(50, 20, "$5 < x", "middle", halo=True),
)


def test_png_needs_matplotlib_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"PNG needs matplotlib: pip install 'boathull\[plot\]'"):
        write_png(tmp_path / "a.png", Picture("p", 100, 100, PARTS))


def test_png_in_the_size_of_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "a.png"
    write_png(path, Picture("p", 120, 100, PARTS))
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = (int.from_bytes(content[at : at + 4]) for at in (16, 20))
    assert (width, height) == (240, 200)
    with pytest.raises(InputError, match="No such file"):
        write_png(tmp_path / "absent" / "a.png", Picture("p", 10, 10, ()))
