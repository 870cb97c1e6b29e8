"""A test that what the pointers of a table lead to is nothing that a loop writes elsewhere: `gen_pt[0][i]` leads to a
member of some site, and the loop writes another member of each.

*Decides*: C that walks over the pointers which the loop reads, one in each iteration, and compares the bytes behind
each with those that some iteration writes: the same part of each record of an array, one record after another.
*Method*: a pointer is at bytes behind what the first iteration writes; of that modulo the distance from record to
record, what is touched behind the pointer has to lie in a gap, or else before the first or behind the last record.
*Does not handle*: pointers of which some iteration reads none, or several; records at distances that are no number.

    for (i < n) site[i].sum = *(double *)from[i];   ->  ({ long k_, at_; int ok_ = 1; for (k_ = 0; k_ <= n - 1; k_++) {
        at_ = (char *)(from[k_]) - (char *)(site) - 8; ok_ &= at_ + 8 <= 0 || ... ; } ok_; })
"""

import re
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from ..ir.members import element_part, row_part
from ..ir.nodes import Access, Declared, Loop, Object, Pointee, Rows
from ..ir.pointer_roots import root
from ..ir.polynomials import Poly, number, symbol
from ..memory.access_text import pointer_text
from .nest import Nest, Touch
from .pointers_in_c import begin, is_one_value, stays
from .readable import is_conditional
from .sections import of_touch
from .values_in_c import value_in_c, wide

_TEST = (
    "({{ long k_, at_; int ok_ = 1; for (k_ = {first}; k_ <= {last}; k_++) {{ "
    "at_ = (char *)({pointer}) - (char *)({base}) + {gap}; "
    "ok_ &= at_ + {touched} <= 0 || at_ >= ({last} - {first}) * {step} + {written} || "
    "((at_ % {step} + {step}) % {step} >= {written} && (at_ % {step} + {step}) % {step} + {touched} <= {step}); "
    "}} ok_; }})"
)
MOST_PAIRS = 16
"""Parts behind pointers times parts of records that are compared: each pair is a test of its own."""


class _Part(Struct, frozen=True):
    """The bytes low .. high - 1 behind a pointer in C that an iteration touches, `step` bytes behind those of the one
    before."""

    pointer: str
    low: Poly
    high: Poly
    step: int = 0


def apart_from_records(nest: Nest, one: list[Touch], other: list[Touch], bounds: tuple[str, str] | None) -> str | None:
    """The test, for all that the loop touches in two objects, if one of them is behind pointers of a table. `bounds`:
    the first and the last value of the variable of the loop. Example: see the module."""
    if bounds is None or nest.loop.step != number(1):
        return None
    for gathered, records in ((one, other), (other, one)):
        if not isinstance(gathered[0].access.object, Rows):
            continue
        written = records if any(t.writes for t in gathered) else [t for t in records if t.writes]
        behind, places = _behind(nest, gathered), _places(nest, written)
        if behind and places and len(behind) * len(places) <= MOST_PAIRS:
            tests = [_test(nest, p, r, bounds) for p in behind for r in places]
            return None if None in tests else " && ".join(test for test in tests if test is not None)
    return None


def _test(nest: Nest, part: _Part, record: _Part, bounds: tuple[str, str]) -> str | None:
    gap = value_in_c(nest, part.low - record.low)
    written, touched = (record.high - record.low).constant, (part.high - part.low).constant
    if gap is None or written is None or touched is None:
        return None
    places = {"first": bounds[0], "last": bounds[1], "pointer": part.pointer, "base": record.pointer, "gap": wide(gap)}
    return _TEST.format(**places, touched=touched, step=record.step, written=written)


def _behind(nest: Nest, touches: list[Touch]) -> list[_Part]:
    """What is touched behind each pointer; none where a pointer has no name for all iterations."""
    found: dict[_Part, None] = {}
    for touch in touches:
        pointer = _pointer(nest, touch.access)
        element = replace(touch.access, subscripts=element_part(touch.access))
        part = _part(nest, _made(nest, replace(touch, access=element)))
        if pointer is None or part is None or part.step or is_conditional(touch):
            return []
        found[replace(part, pointer=pointer)] = None
    return _merged(found)


def _pointer(nest: Nest, access: Access) -> str | None:
    """The pointer that iteration `k_` reads, as the table is declared, or as the program has it."""
    table = root(access.object)
    variable = table.variable if isinstance(table, Declared | Pointee) else None
    known = variable is not None and is_one_value(nest, variable)
    places = [_in_iteration(nest, s.index) for s in row_part(access)]
    if variable is not None and known and None not in places and _is_of_tables(access.object):
        return variable.name + "".join(f"[{place}]" for place in places)
    text = pointer_text(access, nest.loop)
    found = None if text is None or "[]" in text else _at(nest.loop, text)
    return found if found is not None and stays(nest, found.replace("k_", "0")) else None


def _is_of_tables(x: Object) -> bool:
    """Whether all pointers on the way stand in tables of pointers."""
    return not isinstance(x, Rows) or (not x.field and _is_of_tables(x.base))


def _in_iteration(nest: Nest, place: Poly) -> str | None:
    """The value of a subscript where the variable of the loop is `k_`."""
    loop = nest.loop
    along = place.coefficient(loop.counter).constant
    if along is None or loop.first is None:
        return None
    rest = place - (loop.first + symbol(loop.counter)) * along
    named = value_in_c(nest, rest) if rest.symbols else f"{rest}"
    beside = None if named is None else wide(named)
    parts = (f"{along}*k_" if along > 1 else "k_" if along == 1 else "", beside if rest.terms or not along else "")
    return None if beside is None or along < 0 else " + ".join(part for part in parts if part)


def _places(nest: Nest, touches: list[Touch]) -> list[_Part]:
    """What is touched in each record; none where that is not the same in each."""
    base = begin(nest, (t.access for t in touches))
    found: dict[_Part, None] = {}
    for touch in touches:
        part = _part(nest, touch)
        if base is None or part is None or part.step < 1:
            return []
        found[replace(part, pointer=base)] = None
    return _merged(found)


def _part(nest: Nest, touch: Touch) -> _Part | None:
    """The bytes of an access in the first iteration, and how far they are from those of the next one."""
    counter, access = nest.loop.counter, touch.access
    step = number(0)
    for s in access.subscripts:
        along = s.index.coefficient(counter)
        if s.stride is None or s.row_pointer or counter in (s.index - along * symbol(counter)).symbols:
            return None
        step = step + along * s.stride
    first = tuple(replace(s, index=s.index.substitute({counter: number(0)})) for s in access.subscripts)
    section = of_touch(nest, _made(nest, replace(touch, access=replace(access, subscripts=first))))
    if section is None or step.constant is None or counter in section.low.symbols | section.high.symbols:
        return None
    return _Part("", section.low, section.high, step.constant)


def _made(nest: Nest, touch: Touch) -> Touch:
    """A touch that the nest does not have: answers are found under its identity, so that it has to stay."""
    made: list[Touch] = nest.once("touches of parts", list)
    made.append(touch)
    return touch


def _merged(parts: Iterable[_Part]) -> list[_Part]:
    """Those that follow each other, or overlap, as one."""
    found: list[_Part] = []
    for part in sorted(parts, key=lambda p: (p.pointer, p.step, p.low.constant_term)):
        last = found[-1] if found else None
        gap = None if last is None else (part.low - last.high).constant
        if last is None or gap is None or gap > 0 or (last.pointer, last.step) != (part.pointer, part.step):
            found.append(part)
        else:
            longer = (part.high - last.high).constant or 0
            found[-1] = replace(last, high=part.high if longer > 0 else last.high)
    return found


def _at(loop: Loop, text: str) -> str | None:
    """The pointer that iteration `k_` reads."""
    name = loop.variable or ""
    return re.sub(rf"(?<![\w.>]){re.escape(name)}\b", "k_", text) if name else None
