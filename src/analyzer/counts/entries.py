"""All entries of a loop inside others: what a formula of one entry is on average, at least and at most over them.

    for (i = 0; i < n; i++) for (j = 0; j <= i; j++) ...      the inner loop has i + 1 iterations in one entry:
                                                              on average (n + 1)/2, at least 1, at most n

A mean times the number of entries is the sum, exactly: a sum over the iterations of the loops around that reach the
loop (`scopes`), over their number. Conditions between the loops count with their weights, as in `executions`.
*Does not handle* loops around whose iterations cannot be counted, and what changes in them without being their counter
(`ptr[i]`); there is no mean then.
"""

from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct, field

from models.expr import Expr, Sym, div, free_symbols, maximum, minimum, num
from models.expr.nodes import remembered

from ..ir.formula_names import iteration
from ..ir.nodes import Counter, Loop, all_loops
from ..ir.polynomials import Poly, symbol
from ..polyhedra.effort import TooMuchWorkError
from ..polyhedra.extremes import highest, lowest
from ..polyhedra.powers import Fractional
from ..polyhedra.signs import Region
from ..polyhedra.summation import NotClosedError, Piece, total
from .cases import Cases, NoCasesError, Part
from .nest import Nest
from .scopes import Scope
from .totals import combined
from .trips import Starts, starts_of
from .variance import Variance


def changing(nest: Nest) -> frozenset[str]:
    """The names in the formulas of a nest that the loops around it change: their variables, and what is read or
    computed anew in them. Example: `i` and `ptr[i]` of a loop over `j` from ptr[i]."""
    if not nest.around:
        return frozenset()
    varies = Variance(nest.around[0]).varies
    made = (name for name, s in nest.formulas.names.items() if varies(s))
    own = (name for loop in nest.around for name in (loop.variable, iteration(loop.place.line)) if name is not None)
    return frozenset((*made, *own))


def entries(outermost: Loop, key: int) -> "Entries":
    """Those of the loop with this key inside `outermost`, worked out once."""
    known = _entries(outermost)
    return known.setdefault(key, Entries(outermost, key))


@remembered("_entries")
def _entries(outermost: Loop) -> "dict[int, Entries]":
    return {}


class Entries(Struct):
    """The entries of the loop with this key inside `outermost`, during one run of that."""

    outermost: Loop
    key: int
    means: dict[Expr, Expr | None] = field(default_factory=dict)
    spans: dict[Expr, tuple[Expr, Expr] | None] = field(default_factory=dict)
    values: dict[str, Poly] = field(default_factory=dict)
    """The polynomials of names."""
    unknown: set[str] = field(default_factory=set)
    """The variables of loops around of which the values are not known."""
    cases: dict[Region, Cases] = field(default_factory=dict)

    def mean(self, expr: Expr) -> Expr | None:
        """The mean of `expr` over all entries, 0 where there is none; None where no closed form is known."""
        if expr not in self.means:
            self.means[expr] = self._mean(expr)
        return self.means[expr]

    def span(self, expr: Expr) -> tuple[Expr, Expr] | None:
        """What `expr` is at least and at most in any entry: bounds that need not be reached. None: not known."""
        if expr not in self.spans:
            self.spans[expr] = self._span(expr)
        return self.spans[expr]

    def _mean(self, expr: Expr) -> Expr | None:
        with suppress(NotClosedError, NoCasesError, TooMuchWorkError, ZeroDivisionError):
            starts, scope = self._scope()
            atoms, formulas = starts.nest.scopes.atoms, starts.nest.formulas
            pieces: list[Piece] = []
            for case in scope.cases:
                region = Region(scope.counters, case.constraints)
                for part in self._cases(expr, starts, scope, region):
                    weighed = Fractional(case.weight) * part.value
                    pieces += total(region.also(*part.conditions), weighed, atoms, starts.nest.scopes.facts)
            runs = formulas.pieces(combined(scope.runs))
            return runs if runs == num(0) else div(formulas.pieces(combined(pieces)), runs)
        return None

    def _span(self, expr: Expr) -> tuple[Expr, Expr] | None:
        with suppress(NotClosedError, NoCasesError, TooMuchWorkError):
            starts, scope = self._scope()
            ends = list(self._ends(expr, starts, scope))
            if not ends:
                return num(0), num(0)
            return minimum(*(low for low, _ in ends)), maximum(*(high for _, high in ends))
        return None

    def _ends(self, expr: Expr, starts: Starts, scope: Scope) -> Iterator[tuple[Expr, Expr]]:
        atoms, facts, formulas = starts.nest.scopes.atoms, starts.nest.scopes.facts, starts.nest.formulas
        for case in scope.cases:
            region = Region(scope.counters, case.constraints)
            for part in self._cases(expr, starts, scope, region):
                here, poly = region.also(*part.conditions), part.value.poly
                ends = lowest(poly, here, atoms, facts), highest(poly, here, atoms, facts)
                yield (div(formulas.poly(ends[0].value), part.value.over),
                       div(formulas.poly(ends[1].value), part.value.over))  # fmt: skip

    def _scope(self) -> tuple[Starts, Scope]:
        """Raises TooMuchWorkError where the way to the loop takes too many steps."""
        starts = starts_of(self.outermost)
        scope = starts.scopes.get(self.key)
        if scope is None:
            raise TooMuchWorkError
        return starts, scope

    def _cases(self, expr: Expr, starts: Starts, scope: Scope, region: Region) -> list[Part]:
        """Raises NoCasesError."""
        if not self.values:
            self._name(starts, scope)
        asked = free_symbols(expr)
        for name in sorted(asked & self.unknown):
            raise NoCasesError(f"which values {name} has is not known")
        for name in sorted(asked - self.values.keys()):
            self.values[name] = symbol(starts.size(name))
        if region not in self.cases:
            self.cases[region] = Cases(self.values, region, starts.nest.scopes.atoms)
        return self.cases[region].of(expr)

    def _name(self, starts: Starts, scope: Scope) -> None:
        """Finds the polynomials of variables of the loops around, and of the sizes in their bounds."""
        mine = {s.origin.loop: s for s in scope.counters if isinstance(s.origin, Counter)}
        canonical, named = starts.nest.variance.canonical, starts.nest.formulas.symbol
        counters: dict[str, Poly] = {}
        sizes = {s for case in scope.cases for c in case.constraints for s in c.symbols}
        for loop in all_loops(self.outermost):
            if loop.key not in scope.path or loop.variable is None:
                continue
            course = _course(loop) if loop.key in mine else None
            if course is None or loop.variable in counters:
                self.unknown.add(loop.variable)
            if course is None:
                continue
            first, step = canonical(course[0]), course[1]
            sizes |= first.symbols
            counters[loop.variable] = first + symbol(mine[loop.key]) * step
            counters[iteration(loop.place.line)] = symbol(mine[loop.key])
        written = ((s, named(s)) for s in sorted(sizes, key=lambda s: s.key) if not isinstance(s.origin, Counter))
        self.values |= {**{e.name: symbol(s) for s, e in written if isinstance(e, Sym)}, **counters}


def _course(loop: Loop) -> tuple[Poly, int] | None:
    """The first value of the loop's variable and its step, where that is a number."""
    step = None if loop.step is None else loop.step.constant
    return None if loop.first is None or not step else (loop.first, step)
