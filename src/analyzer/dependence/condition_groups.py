"""Conditions of one kind that are read and tested as one.

*Decides*: which conditions of an answer belong together: error paths, functions, sizes, and pointers that are to be
distinct from each other. What one index array has to hold stays by itself.

    distinct(a,b), distinct(b,c)   ->  distinct(a,b,c): what the loop writes through one, it touches through no other
    distinct(a,b), distinct(c,d)   ->  two conditions
    distinct(a,b), distinct(a->x,c), and two others  ->  distinct(a,a->x,b,c), and two others
    cold(12), cold(40)             ->  cold(12,40)
    pure(f), independent(g), and three others  ->  independent(f,g), and three others
    injective(k[i]), injective(p[k[i]].next)   ->  the second one, which says the first
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product

from msgspec.structs import replace

from ..base.regex import regex
from ..facts.loop import Assumption
from ..ir.reasons import AssumptionKind
from ..memory.access_text import beginning_of_last_group

_BESIDE = regex(r"(?:^|[+-])\d+\Z")
"""A number alone, or the one at the end of a sum."""

_MEMBERS = regex(r"(\.\w+)*\Z")

IN_RISING = (AssumptionKind.INJECTIVE, AssumptionKind.MONOTONE)
"""What holds of an array whose values rise, too."""

MOST_CONDITIONS = 3
"""Conditions of one answer: nobody tests more."""

MOST_PARTS = 16
"""Pointers that overlap no others, lines and functions in them. That nothing fails is one thing, in however many lines
that is asked."""

TOGETHER = (
    *(AssumptionKind.COLD, AssumptionKind.NO_EXIT),
    *(AssumptionKind.PURE, AssumptionKind.INDEPENDENT, AssumptionKind.SCRATCH),
    *(AssumptionKind.AT_LEAST, AssumptionKind.AT_MOST),
)


def groups(conditions: Iterable[Assumption]) -> list[list[Assumption]]:
    """The conditions that belong together, in order. Example: see the module."""
    listed = list(conditions)
    found = _joined(listed, _belongs)
    if len(found) > MOST_CONDITIONS:
        found = _as_one_of_functions(_joined(listed, _belongs_by_members))
    return sorted((sorted(_tightest(group)) for group in found), key=lambda group: group[0])


def _joined(
    conditions: Iterable[Assumption], belongs: Callable[[Assumption, Assumption], bool]
) -> list[list[Assumption]]:
    found: list[list[Assumption]] = []
    for condition in conditions:
        near = [group for group in found if any(belongs(condition, other) for other in group)]
        joined = [other for group in near for other in group]
        found = [group for group in found if group not in near] + [[*joined, condition]]
    return found


def _as_one_of_functions(found: list[list[Assumption]]) -> list[list[Assumption]]:
    """With functions that only give a value among those that are independent: that says less, and is enough."""
    of_functions = (AssumptionKind.PURE, AssumptionKind.INDEPENDENT)
    called = [c for group in found for c in group if c.kind in of_functions]
    rest = [group for group in found if group[0].kind not in of_functions]
    return [*rest, [replace(c, kind=AssumptionKind.INDEPENDENT) for c in called]] if called else rest


def without_implied(conditions: Iterable[Assumption]) -> tuple[Assumption, ...]:
    """The conditions that no other one says already: where what is read at an index differs between any two iterations,
    so does the index; pairs with a value that never comes twice do not, either, nor three values with such a pair;
    values that rise neither fall nor come twice; and what is at least 3 is at least 1."""
    listed = tuple(conditions)
    rising = {c.text for c in listed if c.kind in (AssumptionKind.RISING, AssumptionKind.COLOURS)}
    every = [c for c in listed if c.kind not in IN_RISING or c.text not in rising]
    once = [c.text for c in every if c.kind is AssumptionKind.INJECTIVE]
    said = {inner for text in once for inner in _indices(text)}
    said |= {text for text in once if any(_among(other) < _among(text) for other in once)}
    tightest = _tightest_bounds(every)
    return tuple(
        c
        for c in every
        if (c.kind is not AssumptionKind.INJECTIVE or c.text not in said)
        and (c.kind not in _SIGNS or c.text in tightest)
    )


def _among(text: str) -> frozenset[str]:
    return frozenset(of_pair(text)) or frozenset((text,))


def of_pair(text: str) -> list[str]:
    """The arrays of which no values together come twice: those of `(row,column)`; none of another text."""
    return names(text[1:-1]) if text.startswith("(") and text.endswith(")") else []


_SIGNS = {AssumptionKind.AT_LEAST: (">=", 1), AssumptionKind.AT_MOST: ("<=", -1)}


def _tightest_bounds(conditions: Iterable[Assumption]) -> frozenset[str]:
    """Of what each stride is to be at least, the largest: `3*w` of `3*w`, `3*w-1` and `3*w-2`; of what values are to be
    at most, the smallest."""
    most: dict[tuple[str, str], tuple[int, str]] = {}
    for condition in conditions:
        if condition.kind in _SIGNS:
            relation, sign = _SIGNS[condition.kind]
            bounded, bound = condition.text.split(relation)
            beside = _BESIDE.search(bound)
            what = (f"{bounded}{relation}", bound[: beside.start()] if beside else bound)
            asked = (int(beside[0]) * sign if beside else 0, condition.text)
            most[what] = max(asked, most.get(what, asked))
    return frozenset(text for _, text in most.values())


def _indices(read: str) -> Iterator[str]:
    """What selects an element, and what selects the element that this is read from: `k[i]` and `i` of `p[k[i]].next`;
    nothing of a choice."""
    bare = _MEMBERS.sub("", read)
    start = beginning_of_last_group(bare)
    if start is not None and "?" not in bare[:start]:
        yield bare[start + 1 : -1]
        yield from _indices(bare[start + 1 : -1])


def are_too_many(conditions: Iterable[Assumption]) -> bool:
    """Whether nobody would test so much."""
    found = groups(conditions)
    return len(found) > MOST_CONDITIONS or sum(map(_parts, found)) > MOST_PARTS


def _parts(group: list[Assumption]) -> int:
    """How much there is to think about: a result that overlaps none of twenty arrays is one thing, not twenty pairs."""
    match group[0].kind:
        case AssumptionKind.COLD:
            return 1
        case AssumptionKind.DISTINCT:
            return _apart_from_others([frozenset(names(c.text)) for c in group])
        case _:
            return len(group)


def _apart_from_others(pairs: list[frozenset[str]]) -> int:
    """How many pointers there are that overlap none of others, taken the one first that is in most of the pairs."""
    number = 0
    while pairs:
        often = Counter(name for pair in pairs for name in pair)
        most = max(sorted(often), key=often.__getitem__)
        pairs = [pair for pair in pairs if most not in pair]
        number += 1
    return number


def text(group: Iterable[Assumption]) -> str:
    """The names of a group: `a,b,c`, `12,40`."""
    every = {name for condition in group for name in names(condition.text)}
    return ",".join(sorted(every, key=lambda name: (name.isdigit() and int(name), name)))


def _tightest(group: list[Assumption]) -> list[Assumption]:
    """Without the conditions that others say already: of `m<=100` and `m<=99` the second one."""
    least: dict[str, int] = {}
    bounds = [(c, *c.text.partition("<=")[::2]) for c in group]
    for _, value, most in bounds:
        if most.isdigit():
            least[value] = min(int(most), least.get(value, int(most)))
    return [c for c, value, most in bounds if not most.isdigit() or int(most) == least[value]]


def names(listed: str) -> list[str]:
    """The names in the text of a condition: `get(0,1)` is one."""
    found, depth = [""], 0
    for letter in listed:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return found


def _belongs(a: Assumption, b: Assumption) -> bool:
    if a.kind is AssumptionKind.DISTINCT:
        return b.kind is a.kind and not set(names(a.text)).isdisjoint(names(b.text))
    return a.kind is b.kind and a.kind in TOGETHER


def _belongs_by_members(a: Assumption, b: Assumption) -> bool:
    """The same, with structures and what their members lead to as one thing."""
    pairs = product(names(a.text), names(b.text)) if a.kind is b.kind is AssumptionKind.DISTINCT else ()
    return _belongs(a, b) or any(_is_behind(x, y) or _is_behind(y, x) for x, y in pairs)


def _is_behind(x: str, y: str) -> bool:
    """Whether a pointer is read through another one: `s->a` and `s`, not `sum` and `s`."""
    return x.startswith((f"{y}->", f"{y}[", f"{y}."))
