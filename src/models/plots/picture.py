"""Pictures: lines, areas, dots and words at places in pixels, x to the right and y downwards; and their SVG.

Every chart and surface becomes a `Picture`, which `svg` and `png` write as it is: no format has a layout of its own.
Colours are names in `INKS`, which has one for light and one for dark grounds, or `#rrggbb` where the colour is data.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

INKS = {
    "paper": ("#ffffff", "#16191d"),
    "ink": ("#1b1b1b", "#e6e6e6"),
    "soft": ("#5c5c5c", "#a8adb4"),
    "grid": ("#dedede", "#363b42"),
    "empty": ("#f4f4f4", "#1e2227"),
    "blue": ("#0b5394", "#6cb0f0"),
    "sky": ("#5b9bd5", "#3f78b5"),
    "red": ("#a31515", "#ff8a80"),
    "rose": ("#e0736a", "#b8524b"),
    "green": ("#2f6d1d", "#8bd175"),
    "orange": ("#b45f06", "#f0ad5e"),
    "violet": ("#5b3f97", "#b9a2f2"),
    "teal": ("#0f6b6b", "#5fcaca"),
}
"""Colour on a light ground, colour on a dark ground."""

SERIES = ("blue", "red", "green", "orange", "violet", "teal")
"""Inks of curves that have no order among them."""

Place: TypeAlias = tuple[float, float]


class Line(Struct, frozen=True):
    """A polyline."""

    points: tuple[Place, ...]
    ink: str
    width: float = 2.0
    dashed: bool = False


class Area(Struct, frozen=True):
    """A filled polygon; `tip` is shown under the pointer; `tile`: others adjoin it without a seam."""

    points: tuple[Place, ...]
    ink: str
    tip: str = ""
    tile: bool = False


class Dot(Struct, frozen=True):
    """A disc, or a star for what was measured."""

    x: float
    y: float
    ink: str
    tip: str = ""
    star: bool = False


class Words(Struct, frozen=True):
    """A line of text; `anchor`: which part of it stands at x; `halo`: it stands out from what is behind it."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    size: float = 12
    ink: str = "ink"
    halo: bool = False


Part: TypeAlias = Line | Area | Dot | Words


class Picture(Struct, frozen=True):
    """Parts from back to front on a ground of `width` x `height` pixels."""

    title: str
    width: float
    height: float
    parts: tuple[Part, ...]


def stacked(title: str, pictures: Sequence[Picture]) -> Picture:
    """One picture with all of them one below the other."""
    parts: list[Part] = []
    height = 0.0
    for picture in pictures:
        parts += (shifted(part, 0, height) for part in picture.parts)
        height += picture.height
    return Picture(title, max(picture.width for picture in pictures), height, tuple(parts))


def shifted(part: Part, right: float, down: float) -> Part:
    match part:
        case Line() | Area():
            return replace(part, points=tuple((x + right, y + down) for x, y in part.points))
        case Dot() | Words():
            return replace(part, x=part.x + right, y=part.y + down)
        case _:
            assert_never(part)


# --- labels


def labelled(dots: Iterable[tuple[float, float, str]], bounds: tuple[float, float]) -> list[Words]:
    """A label beside each dot, between `bounds` from left to right, that covers no dot and no label before it; dots
    with an empty label have none."""
    known = list(dots)
    placed = [(x - 5, y + 4, 10.0) for x, y, _ in known]
    words = []
    for x, y, text in known:
        if not text:
            continue
        width = text_width(text)
        right = [(x + 8, y + down) for down in (-6, 16, -20, 30, -34, 44, -48, 58)]
        left = [(x - 8 - width, down) for _, down in right]
        inside = [(at, down) for at, down in (*right, *left) if bounds[0] <= at <= bounds[1] - width]
        free = (place for place in inside if not any(_covers(*place, width, *other) for other in placed))
        at, down = next(free, right[0])
        placed.append((at, down, width))
        words.append(Words(at, down, text, halo=True))
    return words


def text_width(text: str, size: float = 12) -> float:
    """Pixels, about: without a font nobody knows."""
    return 0.56 * size * len(text)


def _covers(x: float, y: float, width: float, other_x: float, other_y: float, other_width: float) -> bool:
    return abs(y - other_y) < 13 and x < other_x + other_width and other_x < x + width


# --- SVG


def svg(picture: Picture, *, alone: bool = True) -> str:
    """The picture as an SVG document, which follows the viewer's light or dark colours; not `alone`: as a part of a
    page that has `dark_style` and shows tips itself."""
    size = f'viewBox="0 0 {picture.width:g} {picture.height:g}" width="{picture.width:g}" height="{picture.height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" role="img">'
    lines = [head, f"<title>{escape(picture.title)}</title>"]
    if alone:
        lines.append(f"<style>{dark_style()}</style>")
    lines.append(f'<rect width="{picture.width:g}" height="{picture.height:g}"{_inked("fill", "paper")}/>')
    lines += (_element(part, tips=alone) for part in picture.parts)
    return "\n".join((*lines, "</svg>\n"))


def dark_style() -> str:
    """The style sheet that changes the inks where dark colours are preferred."""
    rules = (f".f-{name}{{fill:{dark}}}.s-{name}{{stroke:{dark}}}" for name, (_, dark) in INKS.items())
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"


def light(ink: str) -> str:
    """The colour of an ink on a light ground."""
    return INKS[ink][0] if ink in INKS else ink


def _element(part: Part, *, tips: bool) -> str:
    match part:
        case Line():
            pen = f'{_inked("stroke", part.ink)} stroke-width="{part.width:g}"'
            dashes = ' stroke-dasharray="6 4"' if part.dashed else ""
            return f'<polyline points="{_points(part.points)}" fill="none"{pen}{dashes}/>'
        case Area():
            edges = ' shape-rendering="crispEdges"' if part.tile else ""
            head = f'<polygon points="{_points(part.points)}"{_inked("fill", part.ink)}{edges}'
            return _closed(head, "polygon", part.tip if tips else "")
        case Dot(star=True):
            head = f'<polygon points="{_points(star(part.x, part.y))}"{_inked("fill", part.ink)}'
            return _closed(head, "polygon", part.tip if tips else "")
        case Dot():
            colours = _inked("fill", part.ink, "stroke", "paper")
            head = f'<circle cx="{part.x:.1f}" cy="{part.y:.1f}" r="4"{colours}'
            return _closed(head, "circle", part.tip if tips else "")
        case Words():
            where = f'x="{part.x:.1f}" y="{part.y:.1f}" text-anchor="{part.anchor}" font-size="{part.size:g}"'
            halo = ' stroke-width="3" stroke-linejoin="round" paint-order="stroke"' if part.halo else ""
            colours = _inked("fill", part.ink, *(("stroke", "paper") if part.halo else ()))
            return f"<text {where}{colours}{halo}>{escape(part.text)}</text>"
        case _:
            assert_never(part)


def star(x: float, y: float, radius: float = 7) -> tuple[Place, ...]:
    """The tips of a star, in the order in which one line draws it."""
    tips = ((0, -1), (0.588, 0.809), (-0.951, -0.309), (0.951, -0.309), (-0.588, 0.809))
    return tuple((x + radius * right, y + radius * down) for right, down in tips)


def _closed(head: str, name: str, tip: str) -> str:
    return f"{head}><title>{escape(tip)}</title></{name}>" if tip else f"{head}/>"


def _inked(*pairs: str) -> str:
    """Attributes of colours, `fill` or `stroke` and the ink of each; classes for the inks that have two colours."""
    colours = list(zip(pairs[::2], pairs[1::2], strict=True))
    attributes = "".join(f' {attribute}="{light(ink)}"' for attribute, ink in colours)
    classes = " ".join(f"{attribute[0]}-{ink}" for attribute, ink in colours if ink in INKS)
    return attributes + (f' class="{classes}"' if classes else "")


def _points(points: Iterable[Place]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
