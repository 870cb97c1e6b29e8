"""Draws the pictures of docs/classes.md: which part of its input and of its output one work-unit uses.

python docs/pictures/classes.py        writes element.svg, neighbourhood.svg, ... beside this file (`make docs`)
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

CELL, GAP, LABEL = 16, 90, 22  # pixels: one element, between the two structures, height of a line of text
STYLE = """text { font: 13px sans-serif; fill: #24292f }
.cell { fill: #f6f8fa; stroke: #8c959f; stroke-width: .7 }
.one { fill: #0969da } .other { fill: #bf8700 } .both { fill: #1a7f37 }
.arrow { stroke: #24292f; fill: none; stroke-width: 1.4 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .arrow { stroke: #e6edf3 }
.cell { fill: #161b22; stroke: #6e7681 }
.one { fill: #4493f8 } .other { fill: #d29922 } .both { fill: #3fb950 }
}"""

Place: TypeAlias = tuple[int, int]
Colour: TypeAlias = Callable[[Place], str]
"""The class of the cell in a row and a column: `one`, `other` (work-unit), `both`, or '' for neither."""


class Grid(NamedTuple):
    """A structure of some rows and columns, and who uses which of its elements."""

    rows: int
    columns: int
    colour: Colour


def rectangle(top: int, left: int, rows: int, columns: int) -> Colour:
    return lambda at: "one" if top <= at[0] < top + rows and left <= at[1] < left + columns else ""


def both(one: Colour, other: Colour) -> Colour:
    """Two work-units in one picture; what both use has a colour of its own."""
    names = {(True, True): "both", (True, False): "one", (False, True): "other", (False, False): ""}
    return lambda at: names[bool(one(at)), bool(other(at))]


PICTURES = {
    "element": (
        Grid(6, 6, both(rectangle(1, 1, 1, 1), rectangle(4, 3, 1, 1))),
        Grid(6, 6, both(rectangle(1, 1, 1, 1), rectangle(4, 3, 1, 1))),
    ),
    "neighbourhood": (
        Grid(6, 6, both(rectangle(0, 0, 3, 3), rectangle(2, 2, 3, 3))),
        Grid(6, 6, both(rectangle(1, 1, 1, 1), rectangle(3, 3, 1, 1))),
    ),
    "tile": (
        Grid(6, 6, both(rectangle(0, 0, 2, 2), rectangle(4, 2, 2, 2))),
        Grid(3, 3, both(rectangle(0, 0, 1, 1), rectangle(2, 1, 1, 1))),
    ),
    "full": (
        Grid(1, 6, both(rectangle(0, 0, 1, 6), rectangle(0, 0, 1, 6))),
        Grid(6, 1, both(rectangle(1, 0, 1, 1), rectangle(4, 0, 1, 1))),
    ),
    "shared": (
        Grid(6, 6, both(rectangle(1, 1, 1, 1), rectangle(4, 3, 1, 1))),
        Grid(1, 4, both(rectangle(0, 1, 1, 1), rectangle(0, 1, 1, 1))),
    ),
    "void": (
        Grid(0, 0, lambda at: ""),
        Grid(6, 6, both(rectangle(1, 1, 1, 1), rectangle(4, 3, 1, 1))),
    ),
}


def drawn(name: str) -> str:
    """One picture as SVG, readable on light and on dark pages."""
    source, result = PICTURES[name]
    left = max(source.columns * CELL, 40)
    width, height = left + GAP + max(result.columns * CELL, 40) + 2, 6 * CELL + 2 * LABEL
    arrow = f"M{left + 16} {3 * CELL} h{GAP - 36} m-7 -5 l7 5 l-7 5"
    words = [
        (left / 2, "reads" if source.rows else "reads nothing"),
        (left + GAP + result.columns * CELL / 2, "writes"),
    ]
    legend = "".join(f'<text x="{x}" y="{6 * CELL + LABEL}" text-anchor="middle">{word}</text>' for x, word in words)
    body = "".join([*_cells(source, 0), *_cells(result, left + GAP)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-30 -2 {width + 60} {height}" width="{width + 60}" '
        f'height="{height}" role="img" aria-label="{name}: what two work-units use">\n<style>{STYLE}</style>\n'
        f'{body}<path class="arrow" d="{arrow}"/>{legend}\n</svg>\n'
    )


def _cells(grid: Grid, left: float) -> Iterator[str]:
    top = (6 - grid.rows) * CELL / 2
    for row in range(grid.rows):
        for column in range(grid.columns):
            used = grid.colour((row, column))
            place = f'x="{left + column * CELL:g}" y="{top + row * CELL:g}" width="{CELL}" height="{CELL}"'
            yield f'<rect class="{f"cell {used}".strip()}" {place}/>\n'


if __name__ == "__main__":
    for picture in PICTURES:
        (Path(__file__).parent / f"{picture}.svg").write_text(drawn(picture), encoding="utf-8")
