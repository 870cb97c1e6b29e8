"""How regular a loop is, read from the generated tree: what share of the parallel loops is found is told per shape.

affine       subscripts, bounds and conditions are sums of loop variables and invariants with constant factors
linearised   products of those with an invariant occur, as in `a[i * m + j]`
quasi        so do quotients and remainders by constants
derived      subscripts use variables or pointers that the loop itself moves on, or stand in a called function
conditional  all that, under conditions on data
other        the rest: indirections, exits, bounds that change, narrow counters, pointers loaded from memory
"""

from . import nest as n
from .updates import selection

SHAPES = ("affine", "linearised", "quasi", "derived", "conditional", "other")
CONSTANT, INVARIANT, VARIABLE = range(3)


def shape(nest: n.Nest, loop: n.Loop) -> str:
    """The least regular thing about a loop and the loops inside of it."""
    return SHAPES[Reading(nest, loop).worst]


class Reading:
    """One walk over a loop; `worst` is a position in SHAPES."""

    def __init__(self, nest: n.Nest, loop: n.Loop) -> None:
        self.worst = 0
        self.counters = {x.var.name for x in n.loops(nest.body)}
        self.moving = set(n.assigned((loop,)))
        self.inner = {x.var.name for x in n.loops((loop,))}
        self.helpers = {h.name: h for h in nest.helpers}
        self.loaded = {s.name for s in nest.storage if s.role in ("rows", "vector", "table")}
        self._statement(loop)

    def _mark(self, name: str) -> None:
        self.worst = max(self.worst, SHAPES.index(name))

    def _statement(self, s: n.Stmt) -> None:
        match s:
            case n.Loop():
                self._loop(s)
            case n.If(test=test, then=then, otherwise=otherwise):
                self._values(test)
                if selection(s) is None and not self._regular(test):
                    self._mark("conditional")
                for inner in (*then, *otherwise):
                    self._statement(inner)
            case n.Break() | n.Continue() | n.Return():
                self._mark("other")
            case _:
                self._values(s)

    def _loop(self, s: n.Loop) -> None:
        if isinstance(s.var.type, n.Ptr):
            self._mark("derived")
        elif s.var.type.size < 4:  # type: ignore[union-attr]
            self._mark("other")
        bounds = {v.name for e in (s.init, s.test) for v in n.walk(e) if isinstance(v, n.Var)} - {s.var.name}
        if bounds & (self.moving - self.inner) or s.var.name in n.assigned(s.body):
            self._mark("other")
        if any(isinstance(x, n.Load) for e in (s.init, s.test) for x in n.walk(e)):
            self._mark("other")
        for inner in s.body:
            self._statement(inner)

    def _regular(self, test: n.Expr) -> bool:
        """Whether a condition is one on loop variables and invariants."""
        return not any(isinstance(x, n.Load | n.Call) or self._moved(x) for x in n.walk(test))

    def _moved(self, x: object) -> bool:
        return isinstance(x, n.Var) and x.name in self.moving and x.name not in self.inner

    def _values(self, s: object) -> None:
        for x in n.walk(s):
            match x:
                case n.Spot():
                    self._spot(x)
                case n.Assign(target=n.Var(type=n.Ptr())):
                    self._mark("derived")
                case n.Call(name=name, args=args) if name in self.helpers:
                    if any(isinstance(n.type_of(a), n.Ptr) for a in args):
                        self._mark("derived")
                case _:
                    pass

    def _spot(self, spot: n.Spot) -> None:
        if spot.post or (spot.base.name in self.moving and isinstance(spot.base.type, n.Ptr)):
            self._mark("derived")
        if spot.base.name in self.loaded:
            self._mark("other")
        for step in spot.steps:
            if isinstance(step, n.Index):
                self._degree(step.at)

    def _degree(self, e: n.Expr) -> int:
        """CONSTANT, INVARIANT or VARIABLE; marks what is not a sum of those times constants."""
        match e:
            case n.Const():
                return CONSTANT
            case n.Var(name=name):
                if self._moved(e):
                    self._mark("derived")
                return VARIABLE if name in self.counters or name in self.moving else INVARIANT
            case n.Bin(op="+" | "-", a=a, b=b):
                return max(self._degree(a), self._degree(b))
            case n.Bin(op="*", a=a, b=b):
                one, two = sorted((self._degree(a), self._degree(b)))
                if one == VARIABLE:
                    self._mark("other")
                elif one == INVARIANT:
                    self._mark("linearised")
                return two
            case n.Bin(op="/" | "%" | ">>" | "&", a=a, b=n.Const()):
                degree = self._degree(a)
                if degree == VARIABLE:
                    self._mark("quasi")
                return degree
            case n.Cast(type=t, a=a) if t.size >= 4 and not t.floating:
                return self._degree(a)
            case _:
                self._mark("other")
                return VARIABLE
