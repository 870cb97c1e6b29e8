"""How much faster a program gets where its loops are placed, with the ranges of what it is made of.

What stays on the host takes as long before as after, at either end of its range. Accelerators and links may be slow
where the host is fast (`low`), and fast where it is slow (`high`): nothing ties their errors to the host's. All of one
kind are at the same end at once, so that the range is wide rather than narrow.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from models.quantity import End, Range

if TYPE_CHECKING:
    from .answer import Copied, Placed

OPPOSITE: Mapping[End, End] = {"low": "high", "likely": "likely", "high": "low"}
EXACT = Range(1.0, 1.0, 1.0)


def ends(low: float, likely: float, high: float) -> Range:
    """The ends of a time as parts of what is likely.

    >>> ends(1.0, 2.0, 6.0)
    Range(low=0.5, likely=1.0, high=3.0)
    """
    return Range(low / likely, 1.0, high / likely) if likely > 0 else EXACT


def gain(loops: "Collection[Placed]", copies: "Collection[Copied]", links: Mapping[str, Range]) -> Range:
    """Time before over time after; loops without a time count nothing. `links`: the ends of a copy's time, by device.

    Example: one loop of 10 s (5 to 20 s), and then 1 s (0.5 to 2 s) on a device: 10 times (2.5 to 40 times)."""
    likely = _at("likely", loops, copies, links)
    low, high = (_at(end, loops, copies, links) for end in ("low", "high"))
    return Range(min(low, likely), likely, max(high, likely))


def _at(end: End, loops: "Collection[Placed]", copies: "Collection[Copied]", links: Mapping[str, Range]) -> float:
    before = sum((p.today_s or 0.0) * _end(p.today_ends, end) for p in loops)
    after = sum((p.time_s or 0.0) * _end(p.ends, OPPOSITE[end] if p.candidate == "target" else end) for p in loops)
    for copy in copies:
        after += copy.time_s * _end(links.get(copy.source, links.get(copy.target, EXACT)), OPPOSITE[end])
    return before / after if before > 0 and after > 0 else 1.0


def _end(of: Range, end: End) -> float:
    found: float = getattr(of, end)
    return found
