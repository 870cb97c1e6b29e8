"""Variables whose values come back, or are shifted on (`ir.Recurrence`), as formulas in the number of the iteration.

    s = -s                   ->  (i % 2 ? -s : s)
    bits >>= 8               ->  (8*(long long)i < 32 ? bits >> 8*(long long)i : 0)
    k = (k + 1) % n          ->  (i > 0 ? ((long long)k + (i)) % n : k), from 0 on: (long long)(i) % n
"""

from ..facts.loop import ClosedForm
from ..ir import nodes as ir
from ..ir.arithmetic import modulo
from ..source.ctypes import Integer
from .texts import WIDE, product, sum_of
from .written import Writer

NARROW = 4
"""Bytes of `int`: what is smaller is worked with as one."""


def recurring(
    writer: Writer, found: ir.Recurrence, iteration: str, trip: str | None, live: bool, type_: str | None
) -> ClosedForm:
    """The value as the body begins, and after the loop where somebody reads it (`live`). `trip`: how many iterations
    there are. Example: see the module."""
    name = found.variable.name
    known = None if found.start is None else found.start.constant
    start = name if known is None else f"{known}{'u' * (known >= 1 << 63)}"
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
        known = None if found.start is None else found.start.constant
        other = f"-{start}" if known is None else _number(-known, found)
        return f"({_plain(count)} % 2 ? {other} : {start})"
    if by is None:
        return None
    if found.kind in ("from", "flip"):
        return f"({_plain(count)} % 2 ? {_other(found, start, by)} : {start})"
    if found.kind == "growing":
        more = None if found.more is None else writer.text(found.more)
        return None if more is None else _grown(start, by, more, _plain(count))
    steps = f"{WIDE}{_plain(count)}" if by == "1" else f"{_plain(by)}*{WIDE}{_plain(count)}"
    if found.kind in ("left", "right", "part"):
        return _shifted(found, _plain(start), steps)
    divisor = None if found.divisor is None else writer.text(found.divisor)
    if divisor is None:
        return None
    size = found.divisor.constant if found.divisor is not None else None
    reduced = f"& {size - 1}" if found.kind == "mask" and size is not None else f"% {_plain(divisor)}"
    if start == "0":
        return f"(({steps}) {reduced})"
    return f"({_plain(count)} > 0 ? ({WIDE}{_plain(start)} + {steps}) {reduced} : {start})"


def _grown(start: str, by: str, more: str, count: str) -> str:
    """After steps of by, by + more, by + 2*more, ..."""
    rows = f"({WIDE}{count}*({count} - 1)/2)"
    return sum_of(sum_of(start, product(by, count)), product(more, rows))


def _shifted(found: ir.Recurrence, start: str, bits: str) -> str:
    """A value after a shift by so many bits, which may be more than it has."""
    type_ = found.variable.type
    assert isinstance(type_, Integer)
    width = 8 * type_.size
    match found.kind:
        case "left":
            return f"({bits} < {width} ? (unsigned long long){start} << {bits} : 0)"
        case "right" if type_.signed:
            return f"{start} >> ({bits} < {width} ? {bits} : {width - 1})"
        case "right":
            return f"({bits} < {width} ? {start} >> {bits} : 0)"
        case _:
            return f"({bits} < {width} ? {start} / (1LL << {bits}) : 0)"


def _other(found: ir.Recurrence, start: str, by: str) -> str:
    """The second of two values."""
    first, second = found.start, found.by
    if first is not None and second is not None and first.constant is not None and second.constant is not None:
        a, b = first.constant, second.constant
        return _number(b - a if found.kind == "from" else a ^ b, found)
    return f"{by} - {_plain(start)}" if found.kind == "from" else f"{_plain(start)} ^ {_plain(by)}"


def _number(value: int, found: ir.Recurrence) -> str:
    """A value of the variable: what is left of it in a narrow type, since compilers remark on what that cuts."""
    type_ = found.variable.type
    return str(modulo(value, type_) if isinstance(type_, Integer) and type_.size < NARROW else value)


def _plain(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"
