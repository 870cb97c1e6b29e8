"""Dependences as sentences for a C programmer."""

import re

from ..ir.nodes import Access, Counter, nested_symbols
from ..ir.reasons import ReasonCode
from .origins import origin, origins
from .outcome import Dependence


def sentence(d: Dependence, shown: bool) -> str:
    """One sentence: which line does what to which element, how many iterations lie between, and for which size only."""
    condition = d.only_if or d.where
    return f"if {condition}, {_meeting(d, shown)}" if condition else _meeting(d, shown)


def _meeting(d: Dependence, shown: bool) -> str:
    a, b = d.source, d.sink
    x, y = f"`{a.access.text}`", f"`{b.access.text}`"
    unsized = next((o for o in (a, b) if not shown and not o.access.size), None)
    if unsized is not None:
        return f"the type of `{unsized.access.text}` (line {unsized.line}) is not declared here: its size is not known"
    both = f"{x} (line {a.line})" if (x, a.line) == (y, b.line) else f"{x} (line {a.line}) and {y} (line {b.line})"
    if d.why:
        return f"{both} may be the same memory in different iterations: {d.why}"
    if d.code == ReasonCode.MAY_ALIAS and (x, a.line) == (y, b.line):
        return f"{both} may be the same memory in different iterations: {origin(a.access)}"
    if d.code == ReasonCode.MAY_ALIAS:
        return f"{both} may be the same memory: {origins(a.access, b.access)}"
    if not shown and x == y and d.distance == "1" and _stays(a.access):
        return _one_place(d, x)
    if not shown:
        return f"{both} may be the same element in different iterations"

    def apart(direction: str) -> str:
        return iterations(d.distance, direction)

    named = _base(a.access) == _base(b.access) or d.distance.isdigit()  # else that is so for some sizes alone
    match d.kind:
        case "flow" if not named:
            other = f"{x} that line {a.line} writes {apart('earlier')}"
            return f"line {b.line} reads {y}, which may be the same memory as {other}"
        case "anti" if not named:
            other = f"{y} that line {b.line} writes {apart('later')}"
            return f"line {a.line} reads {x}, which may be the same memory as {other}"
        case "flow":
            return f"line {b.line} reads {y}, which line {a.line} writes as {x} {apart('earlier')}"
        case "anti":
            return f"line {a.line} reads {x}, which line {b.line} overwrites as {y} {apart('later')}"
        case "output":
            return (
                f"line {a.line} writes {x}, which line {b.line} writes again as {y} {apart('later')}: "
                "the order decides which value stays"
            )


def _base(access: Access) -> str:
    """The first name in an access: `alpha` of `*(alpha + i)`."""
    return next(iter(re.findall(r"\w+", access.text)), "")


def _stays(access: Access) -> bool:
    """Whether the access is to one place, whatever the loops around it do."""
    symbols = nested_symbols(s for i in access.subscripts for s in i.index.symbols)
    return not any(isinstance(s.origin, Counter) for s in symbols)


def _one_place(d: Dependence, x: str) -> str:
    """What every iteration of a loop may use in turn, if there is more than one: `state[0]`, a structure."""
    a, b = d.source, d.sink
    match d.kind:
        case "flow":
            return f"line {b.line} may read the {x} that an earlier iteration wrote on line {a.line}"
        case "anti":
            return f"line {b.line} may overwrite the {x} that an earlier iteration reads on line {a.line}"
        case "output":
            lines = f"line {a.line}" if a.line == b.line else f"lines {a.line} and {b.line}"
            return f"several iterations may write {x} on {lines}: the order decides which value stays"


def iterations(distance: str, direction: str) -> str:
    """`one iteration later`, `3 iterations earlier`, `` `n` iterations later``, `in a later iteration`."""
    if distance == "*":
        return f"in {'an' if direction[0] in 'aeiou' else 'a'} {direction} iteration"
    if distance == "1":
        return f"one iteration {direction}"
    return f"{distance if distance.isdigit() else f'`{distance}`'} iterations {direction}"
