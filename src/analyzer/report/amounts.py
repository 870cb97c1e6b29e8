"""Counts and ranges of a document for people: formulas where there is no number, `~` where one is not exact."""

from ..base import amounts
from .document import CountEntry, RangeEntry
from .formula import Formula
from .plainly import plain

LONGEST_FORMULA = 28
TOO_LONG = "…"  # in place of a count whose formula cannot be read in a line
NARROW = 1.25  # a range whose ends differ less is written as one number


def count(entry: CountEntry | None, unit: str) -> str | None:
    """`1.05 M loads`, `n*m loads`; None where nothing is known or there are none."""
    if entry is None or entry.expr is None or entry.value == 0:
        return None
    if entry.value is None and entry.abridged is not None:
        return TOO_LONG
    number = formula(entry.expr) if entry.value is None else amounts.amount(entry.value)
    return TOO_LONG if number.endswith("…") else f"{_sign(entry)}{number} {unit}"


def data(entry: CountEntry | None, what: str) -> str | None:
    """`4.19 MB in`, `8*n B in`"""
    if entry is None or entry.expr is None:
        return None
    if entry.value is None and entry.abridged is not None:
        return TOO_LONG
    number = f"{formula(entry.expr)} B" if entry.value is None else amounts.size(entry.value)
    return TOO_LONG if "…" in number else f"{_sign(entry)}{number} {what}"


def _sign(entry: CountEntry) -> str:
    return "" if entry.exact else "~"


def formula(found: Formula, longest: int = LONGEST_FORMULA) -> str:
    """A formula to read in a line: for loops that run at all, and cut where it is too long. JSON holds the exact one.

    Example: `formula(Formula("2*max(0, n - 2)"))` is `2*(n - 2)`."""
    text = plain(found)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def times(value: RangeEntry) -> str:
    """`1.5 ms`, or with the range where that is wide: `378 us (44 to 712 us)`."""
    likely = amounts.time(value.likely)
    return likely if value.high <= NARROW * value.low else f"{likely} ({amounts.span(value.low, value.high)})"


def gain(value: RangeEntry) -> str:
    """`1.5x`, or with its range."""
    return amounts.factor(value.likely) + ends_of_gain(value)


def ends_of_gain(value: RangeEntry) -> str:
    """` (1.2x to 2x)`, behind a gain; nothing where its range is narrow."""
    if value.high <= NARROW * value.low:
        return ""
    return f" ({amounts.factor(value.low)} to {amounts.factor(value.high)})"
