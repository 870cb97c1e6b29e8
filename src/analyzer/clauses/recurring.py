"""Variables whose values come back (`ir.Recurrence`) as formulas in the number of the iteration.

    s = -s                   ->  (i % 2 ? -s : s)
    k = (k + 1) % n          ->  (i > 0 ? ((long long)k + (i)) % n : k), from 0 on: (long long)(i) % n
"""

from ..facts.loop import ClosedForm
from ..ir import nodes as ir
from .texts import WIDE
from .written import Writer


def recurring(
    writer: Writer, found: ir.Recurrence, iteration: str, trip: str | None, live: bool, type_: str | None
) -> ClosedForm:
    """The value as the body begins, and after the loop where somebody reads it (`live`). `trip`: how many iterations
    there are. Example: see the module."""
    name = found.variable.name
    known = None if found.start is None else found.start.constant
    start = name if known is None else str(known)
    if found.numbers is not None:
        start = repr(found.numbers[0])
    value = _at(writer, found, start, iteration)
    after = _at(writer, found, start, trip) if live and trip is not None else None
    return ClosedForm(name, start, None, value, after, type_)


def _at(writer: Writer, found: ir.Recurrence, start: str, count: str) -> str | None:
    """What so many iterations lead to."""
    by = None if found.by is None else writer.text(found.by)
    if found.numbers is not None:
        return f"{start} + {found.numbers[1]!r}*{_plain(count)}"
    if found.kind == "negative":
        return f"({_plain(count)} % 2 ? -{start} : {start})"
    if by is None:
        return None
    if found.kind in ("from", "flip"):
        return f"({_plain(count)} % 2 ? {_other(found, start, by)} : {start})"
    divisor = None if found.divisor is None else writer.text(found.divisor)
    if divisor is None:
        return None
    steps = f"{WIDE}{_plain(count)}" if by == "1" else f"{by}*{WIDE}{_plain(count)}"
    size = found.divisor.constant if found.divisor is not None else None
    reduced = f"& {size - 1}" if found.kind == "mask" and size is not None else f"% {_plain(divisor)}"
    if start == "0":
        return f"(({steps}) {reduced})"
    return f"({_plain(count)} > 0 ? ({WIDE}{_plain(start)} + {steps}) {reduced} : {start})"


def _other(found: ir.Recurrence, start: str, by: str) -> str:
    """The second of two values."""
    first, second = found.start, found.by
    if first is not None and second is not None and first.constant is not None and second.constant is not None:
        a, b = first.constant, second.constant
        return str(b - a if found.kind == "from" else a ^ b)
    return f"{by} - {_plain(start)}" if found.kind == "from" else f"{_plain(start)} ^ {_plain(by)}"


def _plain(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"
