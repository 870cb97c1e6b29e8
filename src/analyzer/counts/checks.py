"""Tests of the conditions of an answer: C that is true, where the loop begins, only if a condition holds.

*Decides*: for `distinct(a,b)` an expression over pointers and sizes: the sections that the loop touches do not overlap;
for `injective(idx)`, `monotone(ptr)` and `at-most(len<=64)` one that walks over the part of the array that the loop
reads (a statement expression, as GCC and Clang take it); for `at-most(m<=64)` of a size, and for `at-least(m>=1)`, a
comparison; for `no-exit(line)` what `stop_tests` says. None where C cannot name where a section or a part begins and
ends (`pointers_in_c`), and for other conditions on control and calls (`cold`, `pure`, `independent`): nothing tests
them before the loop runs.

    y[idx[i]] = x[i], i < n   ->  ({ long k_, ...; for (k_ = 0; k_ <= n - 1; k_++) ... idx[k_] ...; ok_; })
"""

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from ..dependence import condition_groups
from ..dependence.index_text import array_text, index_text
from ..facts.loop import Assumption, Tested
from ..ir.members import element_part, row_part, selecting
from ..ir.nodes import (
    Access,
    Anything,
    Assign,
    Loaded,
    Loop,
    Object,
    Ratio,
    Rows,
    Use,
    Variable,
    all_loops,
    evaluated,
    nested_symbols,
    statements,
)
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.reasons import AssumptionKind
from ..ir.symbols import Kind, derived
from ..memory.access_text import all_of_table, object_text, pointer_text, scalar_text
from ..polyhedra.loop_bounds import extremes
from ..source.ctypes import Array, Record
from .gathered_pointers import apart_from_records
from .guards import guard
from .moved_pointers import begin_before
from .nest import Nest, Touch
from .pointers_in_c import begin, is_in_view
from .readable import around_element, inside_structure, is_conditional, is_read_in_any_case, is_readable
from .sections import Section, of_touches
from .stop_tests import not_stopped
from .values_in_c import MEMBER, in_long, value_in_c, wide

NO_DUPLICATES = (
    "({{ long k_, least_ = 0, most_ = -1; int ok_ = 1; "
    "for (k_ = {first}; k_ <= {last}; k_++) {{ "
    "if (most_ < least_ || {value} < least_) {{ if (most_ < least_) most_ = {value}; least_ = {value}; }} "
    "if ({value} > most_) most_ = {value}; }} "
    "char *seen_ = __builtin_calloc(most_ - least_ + 2, 1); "
    "for (k_ = {first}; ok_ && k_ <= {last}; k_++) ok_ = seen_ && !seen_[{value} - least_]++; "
    "__builtin_free(seen_); ok_; }})"
)
NO_DUPLICATES_WHERE = NO_DUPLICATES.replace("k_++) {{ if", "k_++) if ({guard}) {{ if").replace(
    "k_++) ok_ = seen_", "k_++) if ({guard}) ok_ = seen_"
)
"""Among the iterations that use the values (`guards`)."""
NO_PAIR_TWICE = (
    "({{ long j_, low_ = 0, high_ = -1; for (j_ = {first}; j_ <= {last}; j_++) {{ "
    "if (high_ < low_ || {other} < low_) {{ if (high_ < low_) high_ = {other}; low_ = {other}; }} "
    "if ({other} > high_) high_ = {other}; }} {no_duplicates}; }})"
)
"""Of two arrays: a value for each pair occurs once."""
ALL_AT_MOST = (
    "({{ long k_; int ok_ = 1; for (k_ = {first}; k_ <= {last}; k_++) ok_ &= (long){value} <= {most}; ok_; }})"
)
NEVER_FALLS = "({{ long k_; int ok_ = 1; for (k_ = {first}; k_ < {last}; k_++) ok_ &= {value} <= {next}; ok_; }})"
RISES = NEVER_FALLS.replace("<= {next}", "< {next}")
ENDS_BEFORE_NEXT = (
    "({{ long k_; int ok_ = 1; for (k_ = {first}; k_ < {last}; k_++) "
    "ok_ &= (long)({value}) <= (long)({next}){ends}; ok_; }})"
)

Ends: TypeAlias = tuple[str | None, str | None, str | None]
"""A pointer in C, and the ends of a section in bytes behind that; None for what C cannot say."""


def tested(nest: Nest, conditions: Iterable[Assumption]) -> tuple[Tested, ...]:
    """The conditions with their tests. Example: `distinct(a,b)` of `a[i] = b[i]` has the test
    `(char *)(a) + (8L*n) <= (char *)(b) + (0L) || (char *)(b) + (8L*n) <= (char *)(a) + (0L)`. Conditions that belong
    together have one test."""
    return tuple(
        Tested(group[0].kind, condition_groups.text(group), min(c.line for c in group), _test_of_all(nest, group))
        for group in condition_groups.groups(conditions)
    )


def _test_of_all(nest: Nest, group: list[Assumption]) -> str | None:
    tests = [_test(nest, condition) for condition in group]
    if len(tests) == 1:
        return tests[0]
    return None if None in tests else " && ".join(f"({test})" for test in tests)


def _test(nest: Nest, condition: Assumption) -> str | None:
    match condition.kind:
        case AssumptionKind.DISTINCT:
            return _of_sections(nest, condition.text)
        case AssumptionKind.INJECTIVE | AssumptionKind.SLICES if _is_set(nest, condition.text):
            return None
        case AssumptionKind.INJECTIVE:
            return _of_values(nest, condition.text, NO_DUPLICATES)
        case AssumptionKind.MONOTONE:
            return _of_values(nest, condition.text, NEVER_FALLS)
        case AssumptionKind.RISING:
            return _of_values(nest, condition.text, RISES)
        case AssumptionKind.SLICES:
            return _of_slices(nest, condition.text)
        case AssumptionKind.AT_MOST:
            return _of_bound(nest, *condition.text.split("<="))
        case AssumptionKind.AT_LEAST:
            value, least = condition.text.split(">=")
            named = _is_named(nest, value) and _is_named(nest, least)
            return _where_defined(value, ">=", least) if named else None
        case AssumptionKind.NO_EXIT:
            return not_stopped(nest, condition.line)
        case _:
            return None


def _where_defined(value: str, relation: str, end: str) -> str:
    """A test that is false where it would divide by 0."""
    divisors = dict.fromkeys(re.findall(r"/([A-Za-z_][\w.>\[\]-]*|\([^()]*\))", f"{value} {end}"))
    return " && ".join((*(f"{divisor} != 0" for divisor in divisors), f"{wide(value)} {relation} {wide(end)}"))


def _is_set(nest: Nest, name: str) -> bool:
    """Whether it is a variable that the loop moves on: nobody knows its values before."""
    made = (s.target for s in statements(nest.loop.body) if isinstance(s, Assign))
    return any(isinstance(target, Variable) and target.name == name for target in made)


# --- sections


def _of_sections(nest: Nest, listed: str) -> str | None:
    groups: dict[tuple[Object, tuple[Poly, ...]], list[Touch]] = {}
    wanted = set(condition_groups.names(listed))
    for touch in nest.touches:
        groups.setdefault((touch.access.object, _entry(nest, touch.access, wanted)), []).append(touch)
    if any(isinstance(x, Anything) and x.key > nest.loop.key for x, _ in groups):
        return None  # an iteration chose where that is: it may be in one of the two
    named = [touches for touches in groups.values() if not wanted.isdisjoint(_names(nest, touches))]
    ends = [*(_ends(nest, touches) for touches in named), *_ends_of_scalars(nest, wanted)]
    if len(ends) != 2:
        return None
    if any(None in each for each in ends):
        return apart_from_records(nest, named[0], named[1], _counted(nest)) if len(named) == 2 else None
    (a, low_a, high_a), (b, low_b, high_b) = ends
    nowhere = (_where_null(nest, touches) for touches in named)
    apart = f"{a} + {high_a} <= {b} + {low_b} || {b} + {high_b} <= {a} + {low_a}"
    apart = " || ".join((apart, *(test for test in nowhere if test is not None)))
    offsets = _offsets(nest, named)
    return f"{' && '.join(offsets)} && ({apart})" if offsets else apart


def _where_null(nest: Nest, touches: list[Touch]) -> str | None:
    """That what is only touched under conditions is not there: `if (s->extra) s->extra[i] += x;`."""
    base = begin(nest, (t.access for t in touches)) if all(map(is_conditional, touches)) else None
    return None if base is None or base.startswith("&") else f"!({base})"


def _entry(nest: Nest, access: Access, wanted: set[str]) -> tuple[Poly, ...]:
    """The entry of a table that an access is behind, where it has a name in the condition: `stack[top]` of
    `stack[top][i]`. What is behind one entry is a section of its own."""
    named = isinstance(access.object, Rows) and _pointer(nest, access) in wanted
    return tuple(s.index for s in row_part(access)) if named else ()


def _offsets(nest: Nest, groups: list[list[Touch]]) -> list[str]:
    """That what the sections take for sizes is not negative: all but bounds of loops, which do not run then."""
    bounds = {s for loop in all_loops(nest.loop) for r in loop.trip or () for s in r.numerator.symbols}
    sections = (of_touches(nest, touches) for touches in groups)
    ends = (end for section in sections if isinstance(section, Section) for end in (section.low, section.high))
    used = dict.fromkeys(s for end in ends for s in end.symbols if s not in bounds and (s.low is None or s.low < 0))
    return [f"{value} >= 0" for s in used if (value := value_in_c(nest, symbol(s))) is not None]


def _ends_of_scalars(nest: Nest, wanted: set[str]) -> Iterator[Ends]:
    """Of the variables that the loop uses, and that a store to memory might change."""
    every = (e for s in statements(nest.loop.body) for e in evaluated(s))
    for variable in dict.fromkeys(e.variable for e in every if isinstance(e, Use)):
        if not isinstance(variable.type, Array | Record) and scalar_text(variable) in wanted:
            named = is_in_view(nest, variable)
            yield f"(char *)(&{variable.name})" if named else None, "(0L)", f"((long)sizeof({variable.name}))"


def _names(nest: Nest, touches: list[Touch]) -> list[str]:
    found = [name for t in touches if (name := _pointer(nest, t.access)) is not None]
    return [*found, *(all_of_table(name) for name in found), object_text(nest.loop, touches[0].access.object)]


def _pointer(nest: Nest, access: Access) -> str | None:
    """What a condition calls the pointer of an access: each of the conditions asks for all of them."""
    return nest.once(("pointer of", id(access)), lambda: pointer_text(access, nest.loop))


def _ends(nest: Nest, touches: list[Touch]) -> Ends:
    """Where the section of an object starts as C, and its ends in bytes behind that."""
    accesses = [t.access for t in touches]
    base = begin(nest, accesses) or begin_before(nest, accesses)
    section = of_touches(nest, touches)
    if base is None or not isinstance(section, Section):
        return None, None, None
    low, high = (value_in_c(nest, end) for end in (section.low, section.high))
    return f"(char *)({base})", low and in_long(low), high and in_long(high)


# --- values of index arrays


class _Walk(Struct, frozen=True):
    """The part of an index array that the loop reads: its first and last element, and what stands around a subscript.
    `by_iteration`: each iteration reads one."""

    first: str
    last: str
    before: str
    behind: str
    reads: tuple[Access, ...]
    by_iteration: bool

    def value(self, place: str) -> str:
        return f"{self.before}[{place}]{self.behind}"


def _of_values(nest: Nest, name: str, form: str) -> str | None:
    if pair := condition_groups.of_pair(name):
        return _of_pairs(nest, pair)
    if not any(array_text(access, nest.loop) == name for access in _read(nest)):
        return _of_expression(nest, name, form)
    walk = _walk(nest, name)
    if walk is None:
        return None
    chosen = frozenset(s for s in _selecting(nest) if isinstance(s.origin, Loaded) and s.origin.access in walk.reads)
    form, where = _where_used(nest, form, chosen) if walk.by_iteration else (form, "")
    value, after = walk.value("k_"), walk.value("k_ + 1")
    return form.format(first=walk.first, last=walk.last, value=value, next=after, guard=where)


def _of_pairs(nest: Nest, arrays: list[str]) -> str | None:
    walks = [walk for name in arrays if (walk := _walk(nest, name)) is not None and walk.by_iteration]
    if len(walks) != 2 or walks[0].first != walks[1].first or walks[0].last != walks[1].last:
        return None
    one, other = walks
    pair = f"((long){one.value('k_')} * (high_ - low_ + 1) + {other.value('k_')})"
    once = NO_DUPLICATES.format(first=one.first, last=one.last, value=pair)
    return NO_PAIR_TWICE.format(first=one.first, last=one.last, other=other.value("j_"), no_duplicates=once)


def _walk(nest: Nest, name: str) -> _Walk | None:
    reads = [access for access in _read(nest) if array_text(access, nest.loop) == name]
    inside = {inside_structure(nest, access) for access in reads}
    parts = inside if None not in inside else {around_element(nest, access) for access in reads}
    if len(parts) != 1 or None in parts or not all(is_read_in_any_case(nest, access) for access in reads):
        return None
    ((before, behind),) = (part for part in parts if part is not None)
    front, back = ("", "") if None not in inside else _columns(reads[0])
    if front and reads[0].text.count("[") < len(element_part(reads[0])):
        return None  # an arrow stands for one of the subscripts, with a member behind it
    member = reads[0].field if back and not behind else behind
    before, behind = before + front, member + back
    places = [place.index for access in reads if (place := selecting(access)) is not None]
    if len(places) != len(reads):
        return None
    lows, highs = ([_end(nest, place, sign) for place in places] for sign in (-1, 1))
    low, high = _outermost(lows, -1), _outermost(highs, 1)
    first, last = (None if end is None else value_in_c(nest, end) for end in (low, high))
    if first is None or last is None:
        return None
    each = all(place == _variable(nest.loop) for place in places)
    return _Walk(wide(first), wide(last), before, behind, tuple(reads), each)


def _columns(access: Access) -> tuple[str, str]:
    """The numbers before and behind the subscript that selects: "" and `[1]` of `edge[i][1]` and `edge[i].end[1]`."""
    elements, place = element_part(access), selecting(access)
    at = next((k for k, s in enumerate(elements) if s is place), 0)
    texts = [f"[{s.index.constant}]" for s in elements]
    return "".join(texts[:at]), "".join(texts[at + 1 :])


def _where_used(nest: Nest, form: str, chosen: frozenset[Symbol]) -> tuple[str, str]:
    """Values that no iteration uses may come twice."""
    where = guard(nest, chosen) if form == NO_DUPLICATES else None
    return (form, "") if where is None else (NO_DUPLICATES_WHERE, where)


def _variable(loop: Loop) -> Poly | None:
    """The value of its variable in an iteration."""
    return None if loop.first is None or loop.step is None else loop.first + loop.step * symbol(loop.counter)


def _of_bound(nest: Nest, value: str, most: str) -> str | None:
    """Of the values of an array, or of an expression over sizes and offsets."""
    if any(array_text(access, nest.loop) == value for access in _read(nest)):
        return _of_values(nest, value, ALL_AT_MOST.replace("{most}", wide(most)))
    return _where_defined(value, "<=", most) if _is_named(nest, value) else None


def _is_named(nest: Nest, value: str) -> bool:
    """Whether the names in an expression stand for what they say where the loop begins."""
    used = [sub.index for t in nest.touches for sub in t.access.subscripts]
    used += [r.numerator for loop in all_loops(nest.loop) for r in loop.trip or ()]
    symbols = {s.name: s for poly in used for s in nested_symbols(poly.symbols)}
    named = [value] if value in symbols else MEMBER.findall(value)
    held = {variable.name for _, variable in nest.loop.held}
    values = {n: symbol(symbols[n]) for n in named if n in symbols}
    return set(named) <= values.keys() | held and all(value_in_c(nest, v) == f"({v})" for v in values.values())


def _of_expression(nest: Nest, name: str, form: str) -> str | None:
    """Of an expression in the variable of the loop: a walk over its values."""
    loop = nest.loop
    symbols = (s for t in nest.touches for sub in t.access.subscripts for s in sub.index.symbols)
    chosen = dict.fromkeys(s for s in symbols if index_text(s, loop, loop.variable or "") == name)
    bounds = _counted(nest) if chosen and all(is_readable(nest, s) for s in chosen) else None
    if bounds is None or loop.step is None:
        return None
    first, last = bounds if loop.step.constant == 1 else reversed(bounds)
    value = index_text(next(iter(chosen)), loop, "k_")
    form, where = _where_used(nest, form, frozenset(chosen))
    return form.format(first=first, last=last, value=f"({value})", next="", guard=where) if value else None


def _of_slices(nest: Nest, name: str) -> str | None:
    """Each begins no lower than the one before, which ends before it: where all that is touched from there on has a
    last element that is known when the loop begins."""
    loop = nest.loop
    parts = (element_part(t.access) for t in nest.touches)
    places = {part[0].index for part in parts if len(part) == 1}
    begun = [(s, p) for p in places for s in p.symbols if index_text(s, loop, loop.variable or "") == name]
    texts = {s: [index_text(s, loop, k) for k in ("k_", "(k_ + 1)")] for s, _ in begun}
    ends = sorted({_last_from(nest, s, p) or "" for s, p in begun})
    bounds = _counted(nest)
    if any(s in nested_symbols(p.symbols) - p.symbols for p in places for s, _ in begun):
        return None  # only a part of the iteration begins there
    if not begun or "" in ends or bounds is None or len(set(map(tuple, texts.values()))) != 1:
        return None
    value, after = texts[begun[0][0]]
    if loop.step != number(1) or not all(is_readable(nest, s) for s in texts):
        return None
    beyond = "".join(f" && (long)({value}) + ({end}) < (long)({after})" for end in ends)
    return ENDS_BEFORE_NEXT.format(first=bounds[0], last=bounds[1], value=value, next=after, ends=beyond)


def _last_from(nest: Nest, s: Symbol, place: Poly) -> str | None:
    """The distance of the last element that an iteration touches from where it begins, in C."""
    if not place.is_linear_in((s,)) or s in (place - symbol(s)).symbols:
        return None
    last = _end(nest, place - symbol(s), 1)
    images: dict[Symbol, Poly] = {}
    for t in last.symbols if last is not None else ():
        text = index_text(t, nest.loop, "k_") if is_readable(nest, t) else None
        text = text or value_in_c(nest, symbol(t))
        if text is None or t == nest.loop.counter:
            return None
        images[t] = symbol(derived(Kind.VARIABLE, t, t.origin, text))
    return None if last is None else str(last.substitute(images))


def _counted(nest: Nest) -> tuple[str, str] | None:
    """The first and the last value of the variable of a loop, in the order of its iterations, in C."""
    loop = nest.loop
    match loop:
        case Loop(trip=(Ratio(numerator=trip, denominator=1),), at_least=0, first=Poly() as first, step=Poly() as step):
            ends = [value_in_c(nest, end) for end in (first, first + step * (trip - 1))]
            return (wide(ends[0]), wide(ends[1])) if ends[0] and ends[1] else None
        case _:
            return None


def _read(nest: Nest) -> Iterator[Access]:
    """The accesses that read what decides where the nest goes."""
    loaded = (s.origin.access for s in _selecting(nest) if isinstance(s.origin, Loaded))
    yield from dict.fromkeys(loaded)


def _selecting(nest: Nest) -> Iterator[Symbol]:
    """The symbols of subscripts and bounds."""
    polys = (s.index for t in nest.touches for s in t.access.subscripts)
    trips = (r.numerator for loop in all_loops(nest.loop) for r in loop.trip or ())
    for poly in (*polys, *trips):
        yield from sorted(nested_symbols(poly.symbols), key=lambda s: s.key)


def _end(nest: Nest, index: Poly, sign: int) -> Poly | None:
    loops: tuple[Loop, ...] = tuple(all_loops(nest.loop))
    found = extremes(index, loops, sign)
    if len(found) != 1 or found[0].given or any(s.kind is Kind.DIVISION for s in found[0].value.symbols):
        return None
    return found[0].value


def _outermost(ends: list[Poly | None], sign: int) -> Poly | None:
    """The one that is the lowest, or the highest, where they differ by numbers."""
    known = [end for end in ends if end is not None]
    if len(known) < len(ends) or any((end - known[0]).constant is None for end in known):
        return None
    return max(known, key=lambda end: sign * ((end - known[0]).constant or 0))
