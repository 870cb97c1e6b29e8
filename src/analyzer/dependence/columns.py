"""Two accesses to a linearised array, compared by their delinearised subscripts.

*Decides*: whether they touch different elements in different iterations when all columns are in their rows
(`access.delinearize`), and what that assumes. What is asked for each pair that an access is in is worked out once per
loop.
*Errs toward* that they may meet.

    a[i*n + j] = a[i*n + k]      ->  apart in the loop over i, under in-bounds(a)
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from models.expr.nodes import remembered

from ..access.accesses import Occurrence
from ..access.delinearize import (
    Digit,
    Walk,
    digits,
    honest,
    is_moved,
    is_of_data,
    radices,
    skewed,
    suggests_rows,
    surely_inside,
    surely_outside,
)
from ..access.domains import domain, of_sizes
from ..access.planes import Radix, is_counted, is_of_planes
from ..access.subscripts import bounds_of, fit_together, layout, same_shape, stays
from ..facts.loop import Assumption
from ..ir.members import element_part
from ..ir.nodes import Entry, nested_symbols
from ..ir.polynomials import ZERO, Monomial, Poly, Symbol, symbol
from ..ir.symbols import program
from ..polyhedra.loop_bounds import counts, extremes
from ..polyhedra.parts import about
from ..polyhedra.system import Feasibility, System, at_least, equal, proves, system
from .ordering import never_zero
from .scope import Scope


@remembered("_linear")
def linear(o: Occurrence) -> Poly | None:
    """The subscript that may name rows and columns: the only one, that of an array in one structure (`m->d[i*n + j]`),
    or the first of those of which all others provably stay in their lengths (`z[i*n + j][1]`)."""
    parts = element_part(o.access)
    if parts and all(s.index == ZERO for s in parts[:-1]):
        return parts[-1].index
    return parts[0].index if parts and all(stays(o, s) for s in parts[1:]) else None


def unnamed(scope: Scope, o: Occurrence, found: tuple[Digit, ...]) -> tuple[Digit, ...]:
    """The digits of an access for whose length there is no other evidence than a stride: the step of a loop, as in `for
    (i = 0; i < n; i += s)` around `a[i + k]`, or of `p += s` around `p[k]`; and that of `a[i*s + k]` where nothing else
    says that rows have s elements (`named_rows`). Where data select a column, it is said to be one; two strides in one
    subscript say that there are rows, in planes."""
    index = linear(o)
    if index is None:
        return ()
    long = [(d, nested_symbols(d.extent.symbols)) for d in found if d.extent is not None]
    alone = not any(d.extent is not None and is_of_planes(d.extent) for d in found)
    return tuple(
        d for d, sizes in long if any(_is_step(s, index, o) for s in sizes) or (alone and _is_stride(scope, d, o))
    )


def _is_stride(scope: Scope, digit: Digit, o: Occurrence) -> bool:
    """Whether counters alone move along a row of which the function shows no length."""
    moving = [s for s in digit.value.symbols if scope.varies(s) or is_moved(symbol(s), o.loops)]
    counted = bool(moving) and all(map(counts, moving))
    row, ends = digit.extent, extremes(digit.value, o.loops, 1)
    if not counted or row is None or len(row.terms) != 1 or row in scope.named_rows:
        return False
    last = row - 1 - digit.value
    spare = [(row - 1 - end.value, end.given) for end in ends]
    fits = any(all(c >= 0 for _, c in x.terms) or proves(System(given), at_least(x)) for x, given in spare)  # by sizes
    return not fits and not proves(domain(o), at_least(last), scope.work)


def _is_step(size: Symbol, index: Poly, o: Occurrence) -> bool:
    along = [loop for loop in o.loops if size in index.coefficient(loop.counter).symbols]
    steps = any(size in i.step.symbols for loop in along for i in loop.inductions)
    return steps and not re.search(rf"\b{re.escape(size.name)}\b", o.access.text)


def in_wide_rows(found: tuple[Digit, ...]) -> bool:
    """Whether some row is as long as a sum or a product of sizes: nobody named it, so that nothing is assumed of it."""
    long = (d.extent for d in found if d.extent is not None and d.extent.constant is None)
    return any(extent not in map(symbol, extent.symbols) for extent in long)


def _is_selected(digit: Digit) -> bool:
    """Whether one value that data select is the column, counted from the beginning of its row: whoever selects both a
    row and that, as in `a[k[i] + l[i] * (n - 1)]`, says that rows have n - 1 elements."""
    lone = next(iter(digit.value.symbols), None)
    return lone is not None and is_of_data(lone) and digit.value - digit.value.constant_term == symbol(lone)


def _is_one_column(digit: Digit) -> bool:
    """Whether the accesses are to one column of all rows, whose length only a question about it shows: `a[s*i]`."""
    return digit.extent is not None and digit.value.constant is not None


class Row(Struct, frozen=True):
    """The length of a row, and how long it has to be for a column to stay in it: as each of these says."""

    extent: Poly
    wanted: tuple[Poly, ...]


def _named_strides(index: Poly, named: Mapping[Monomial, Symbol]) -> Poly:
    """With one symbol for each product of sizes that is a stride by itself."""
    terms: dict[Monomial, int] = {}
    for m, c in index.terms:
        moving = tuple(s for s in m if is_counted(s))
        sizes = tuple(s for s in m if s not in moving)
        stride = (named[sizes],) if moving and sizes in named else sizes
        merged = tuple(sorted((*moving, *stride), key=lambda s: s.key))
        terms[merged] = terms.get(merged, 0) + c
    return Poly.of(terms)


def _named_sums(index: Poly, named: Sequence[tuple[Poly, Symbol]]) -> Poly:
    """With the symbol of a variable for each sum of sizes that multiplies a counter, or a multiple of it."""
    for s in sorted(filter(is_counted, index.symbols), key=lambda s: s.key):
        stride = index.coefficient(s) if index.is_linear_in((s,)) else ZERO
        for value, name in named:
            monomial, factor = value.terms[0]
            times = dict(stride.terms).get(monomial, 0) // factor
            if times and stride == value * times:
                index = index + (symbol(name) - value) * times * symbol(s)
                break
    return index


def _says_more(a: Row, b: Row) -> bool:
    """Whether a row that is long enough for one column is so for the other one."""
    return a.extent == b.extent and ((a.wanted[0] - b.wanted[0]).constant or 0) > 0


class Columns(Struct, frozen=True):
    """The access of an earlier iteration, and that of a later one."""

    scope: Scope
    source: Occurrence
    sink: Occurrence
    said: System = System()
    """What else is known of the two."""
    from_front: bool = False
    """Whether columns are counted from where the loop is furthest in front, too, wherever that is in a row."""

    def never_meet(self, same_row: System) -> frozenset[Assumption] | None:
        """What taking all columns to be in their rows assumes, where the two never meet in different iterations then;
        None when they may. `same_row`: that what is followed on the way to the arrays is the same."""
        for ends, moved in self._apart(same_row):
            open_ = [(o, found) for o, found in ends if not self._surely_inside(o, found)]
            if moved and open_:
                continue
            if not any(self._without_evidence(o, found) for o, found in open_):
                return frozenset(bounds_of(o) for o, _ in open_)
        return None

    def unevidenced(self, sums: bool = False) -> Iterator[tuple[Row, ...]]:
        """The rows for whose length nothing but the step of a loop is evidence, for columns to stay in them, and the
        two to stay apart; all rows, where columns are not counted from their beginning. `sums`: those whose lengths are
        sums of sizes, too, as far as a counter is multiplied by one."""
        index = linear(self.source)
        skew = set() if index is None else set(skewed(index))
        for ends, moved in self._apart(System()):
            needed: dict[Row, None] = {}
            for o, found in ends:
                wide = sums and in_wide_rows(found) and tuple(d.extent for d in found[:-1]) not in skew
                every = moved or wide
                open_ = () if self._surely_inside(o, found) else found if every else self._unnamed(o, found)
                rows = ((d.extent, tuple(e.value + 1 for e in extremes(d.value, o.loops, 1))) for d in open_)
                needed |= dict.fromkeys(Row(extent, wanted) for extent, wanted in rows if extent and wanted)
                needed |= dict.fromkeys(self._from_below(o, open_) if sums else ())
            yield tuple(r for r in needed if not any(r != other and _says_more(other, r) for other in needed))

    def _from_below(self, o: Occurrence, found: Sequence[Digit]) -> Iterator[Row]:
        """What has to be as long as how far counters run down from it, for a column not to lie before its row."""
        for lowest in (e.value for d in found if d.extent is not None for e in extremes(d.value, o.loops, -1)):
            above, below = lowest.sides
            if below != ZERO and below.constant is None and not proves(domain(o), at_least(lowest), self.scope.work):
                yield Row(above, (below,))

    def _apart(self, same_row: System) -> Iterator[tuple[tuple[tuple[Occurrence, tuple[Digit, ...]], ...], bool]]:
        """Both accesses with their digits, for each radix with which they never meet as long as all columns are in
        their rows, and may be; and whether columns are counted from another place than the beginning of a row."""
        base = self.scope.both(self.source, self.sink) + self.said
        for radix, first, second, moved in self.readings():
            walks, ends = self._walks(radix), ((self.source, first), (self.sink, second))
            if not all(self._honest(radix, o, d, walks, moved) and self._in_short_rows(o, d) for o, d in ends):
                continue
            if any(o.guards and self._surely_outside(o, d) for o, d in ends):
                continue
            differences = [self.scope.difference(x.value, y.value) for x, y in zip(first, second, strict=True)]
            apart = any(never_zero(d, self.scope.distance) for d in differences)
            if apart or self._never(base + same_row, differences):
                yield ends, moved

    def _never(self, known: System, differences: list[Poly]) -> bool:
        """Whether the differences are never all 0."""
        found = self.scope.feasible(known + System(tuple(map(equal, differences))))
        if found is Feasibility.TOO_COMPLEX:
            finer = [part for d in differences for part in self._in_units(known, d)]
            if len(finer) > len(differences):
                found = self.scope.feasible(known + System(tuple(map(equal, finer))))
        return found is Feasibility.EMPTY

    def _in_units(self, known: System, difference: Poly) -> Iterator[Poly]:
        """What is 0 exactly where a difference is: `k - k'` and `q - q'` for `3*k + q - (3*k' + q')`, with q and q'
        below 3."""
        for unit in sorted({abs(c) for _, c in difference.terms if abs(c) > 1}):
            rest = Poly(tuple((m, c) for m, c in difference.terms if c % unit))
            near = about(known, system(at_least(rest)))
            if rest.terms and all(proves(near, at_least(side + (unit - 1)), self.scope.work) for side in (rest, -rest)):
                whole = (difference - rest).divided_by(unit)
                assert whole is not None
                yield from self._in_units(known, whole)
                difference = rest
                break
        yield difference

    def readings(self) -> Iterator[tuple[Radix, tuple[Digit, ...], tuple[Digit, ...], bool]]:
        """The digits of both subscripts, for all lengths of rows that one of them suggests, and whether they are
        counted from another place than the beginning of a row."""
        shapes = [element_part(o.access) for o in (self.source, self.sink)]
        a, b = linear(self.source), linear(self.sink)
        if a is None or b is None or not same_shape(*shapes) or not (suggests_rows(a) or suggests_rows(b)):
            return
        fit = layout(self.source).fits and layout(self.sink).fits
        if not fit and not fit_together(self.source.access, self.sink.access):
            return  # apart by their first bytes, they may still overlap
        askew = {*skewed(a), *skewed(b)}
        for radix, first, second in self._digits(a, b):
            yield radix, first, second, False
            runs_down = radix not in askew  # along a diagonal, the column falls as the row rises
            moved = self._moved(first, second, runs_down) if self.from_front else (first, second)
            if moved != (first, second) or (self.from_front and any(map(_is_one_column, first))):
                yield radix, *moved, True
        front = self._from_front(a, b) if self.from_front else (a, b)
        if front != (a, b):
            yield from ((*each, True) for each in self._digits(*front))

    def _digits(self, a: Poly, b: Poly) -> Iterator[tuple[Radix, tuple[Digit, ...], tuple[Digit, ...]]]:
        suggesting = [x for x in (a, b) if suggests_rows(x)]
        for radix in dict.fromkeys(r for x in suggesting for r in (*radices(x), *skewed(x))):
            if any(self.scope.varies(s) for row in radix for s in row.symbols):
                continue  # rows of another length in each iteration
            first, second = digits(a, radix), digits(b, radix)
            if first is not None and second is not None:
                yield radix, first, second

    def _from_front(self, a: Poly, b: Poly) -> tuple[Poly, Poly]:
        """Both without what they have in common, with the names of variables for strides that are products or sums:
        `dz` for `step * width * height`, `w` for `to - from`, as the loop has it."""
        common = self._common(a, b)
        strides = [(p.terms[0][0], v) for p, v in self.scope.loop.held if len(p.terms) == 1 and p.terms[0][1] == 1]
        named = {m: program(v.key, v.name, Entry(v)) for m, v in strides if len(m) > 1}
        sums = [(p, program(v.key, v.name, Entry(v))) for p, v in self.scope.loop.held if len(p.terms) > 1]
        first, second = (_named_sums(x - common, sums) for x in (a, b))
        return _named_strides(first, named), _named_strides(second, named)

    def _moved(
        self, first: tuple[Digit, ...], second: tuple[Digit, ...], runs_down: bool
    ) -> tuple[tuple[Digit, ...], tuple[Digit, ...]]:
        """The digits of both without what they have in common in all iterations, or from the lowest that both get to,
        where a counter `runs_down` (`n - 1 - i`): as far apart as before."""
        both = [(x.value, y.value) for x, y in zip(first, second, strict=True)]
        lowest = [self._lowest(*pair) if runs_down else None for pair in both]
        common = [self._common(*pair) if low is None else low for pair, low in zip(both, lowest, strict=True)]
        moved = [
            tuple(replace(d, value=d.value - c) for d, c in zip(each, common, strict=True)) for each in (first, second)
        ]
        return moved[0], moved[1]

    def _lowest(self, a: Poly, b: Poly) -> Poly | None:
        """The one value, the same in all iterations, that no part of the two is below; None where no counter runs
        down."""
        if not any(c < 0 and any(map(counts, m)) for m, c in a.terms):
            return None
        ends = {end.value for x, o in ((a, self.source), (b, self.sink)) for end in extremes(x, o.loops, -1)}
        only = next(iter(ends)) if len(ends) == 1 else None
        return None if only is None or any(map(self.scope.varies, only.symbols)) else only

    def _common(self, a: Poly, b: Poly) -> Poly:
        its = dict(b.terms)
        alike = {m: c for m, c in a.terms if m and its.get(m) == c and not any(map(self.scope.varies, m))}
        return Poly.of(alike) + min(a.constant_term, b.constant_term)

    def _honest(
        self, radix: Radix, o: Occurrence, found: tuple[Digit, ...], walks: tuple[Walk, ...], moved: bool
    ) -> bool:
        """Whether some sizes keep an access in its rows."""
        key = (o.access.object, radix, found, id(o.where), self.said, moved)
        if key not in self.scope.honest:
            walk = Walk(found, o.loops, of_sizes(o) + self.said)
            self.scope.honest[key] = honest(walk, walks, self.scope.loop, moved)
        return self.scope.honest[key]

    def _in_short_rows(self, o: Occurrence, found: tuple[Digit, ...]) -> bool:
        """Whether an access provably stays in the rows whose length is a number: nothing is assumed of those, but where
        data select a place in one."""
        numbered = (d for d in found if d.extent is not None and d.extent.constant is not None)
        short = tuple(d for d in numbered if not any(map(is_of_data, d.value.symbols)))
        return not short or self._surely_inside(o, short)

    def _surely_inside(self, o: Occurrence, found: tuple[Digit, ...]) -> bool:
        """Whether an access provably stays in its rows."""
        key = (found, id(o.where), self.said)
        if key not in self.scope.in_rows:
            self.scope.in_rows[key] = surely_inside(found, domain(o) + self.said, self.scope.work)
        return self.scope.in_rows[key]

    def _without_evidence(self, o: Occurrence, found: tuple[Digit, ...]) -> bool:
        """Whether some digit would have to be assumed to stay in a row that nobody named."""
        wide = tuple(d for d in self._open(o, found) if not _is_selected(d))
        return bool(self._unnamed(o, found)) or in_wide_rows(wide)

    def _unnamed(self, o: Occurrence, found: tuple[Digit, ...]) -> tuple[Digit, ...]:
        """Those of the `unnamed` digits that do not stay in their rows anyway."""
        open_ = self._open(o, found)
        return tuple(d for d in unnamed(self.scope, o, found) if d in open_)

    def _open(self, o: Occurrence, found: tuple[Digit, ...]) -> tuple[Digit, ...]:
        """The digits of an access that are not known to stay in their rows."""
        return tuple(d for d in found if d.extent is not None and not self._surely_inside(o, (d,)))

    def _surely_outside(self, o: Occurrence, found: tuple[Digit, ...]) -> bool:
        """Whether an access has left its rows wherever it happens at all."""
        key = (found, id(o.where))
        if key not in self.scope.outside_rows:
            self.scope.outside_rows[key] = surely_outside(found, domain(o), self.scope.work)
        return self.scope.outside_rows[key]

    def _walks(self, radix: Radix) -> tuple[Walk, ...]:
        """The accesses of the loop to this array as digits over these radices."""
        key = (self.source.access.object, radix)
        if key not in self.scope.walks:
            shape = element_part(self.source.access)
            beside = [o for o in self.scope.occurrences if o.access.object == key[0]]
            alike = [o for o in beside if same_shape(element_part(o.access), shape)]
            taken = [(digits(index, radix), o) for o in alike if (index := linear(o)) is not None]
            self.scope.walks[key] = tuple(Walk(d, o.loops, of_sizes(o)) for d, o in taken if d is not None)
        return self.scope.walks[key]
