"""Scalar expansion: a scalar of each iteration as an element of an array, which a later loop may read.

    for i { t = a[i]; b[i] = t; }        for i t_[i] = a[i];  for i b[i] = t_[i];
"""

from collections.abc import Mapping

from msgspec.structs import replace

from ..ir.nodes import Access, Assign, Counter, Declared, Expression, Load, Loop, Statement, Subscript, Use, Variable
from ..ir.polynomials import Poly, number, symbol
from ..ir.symbols import program
from ..loops.substitute import Substitution
from ..source.ctypes import Floating

LARGEST = 1 << 40
"""Keys of new loops and variables begin here, beyond those of any program."""


class Expansion(Substitution):
    """Scalars, by key, as elements of arrays, at the place `at`."""

    arrays: Mapping[int, Declared] = {}
    at: Poly = number(0)

    def expression(self, e: Expression) -> Expression:
        match e:
            case Use(variable=v) if v.key in self.arrays:
                return Load(self._element(v))
            case _:
                return Substitution.expression(self, e)

    def statement(self, s: Statement) -> Statement:
        match s:
            case Assign(target=Variable() as v) if v.key in self.arrays:
                return replace(s, target=self._element(v), value=self.expression(s.value))
            case _:
                return Substitution.statement(self, s)

    def _element(self, v: Variable) -> Access:
        assert isinstance(v.type, Floating)
        at = Subscript(self.at, None, number(v.type.size))
        return Access(self.arrays[v.key], (at,), "", 0, v.type, v.type.size, f"{v.name}_", v.place)

    def _inside(self, loop: Loop) -> Substitution:
        return self


def array_of(v: Variable, loop: Loop) -> Variable:
    """The array of a scalar that each iteration of the loop has for itself: there is one of it before the loop."""
    around = v.loops[: v.loops.index(loop.key)] if loop.key in v.loops else ()
    return replace(v, name=f"{v.name}_", key=LARGEST + v.key, loops=around)


def copy_of(loop: Loop, key: int) -> Loop:
    """A loop of the same iterations, which counts for itself."""
    counter = program(key, loop.counter.name, Counter(key), loop.counter.low)
    return Substitution({loop.counter: symbol(counter)}).loop(replace(loop, key=key, counter=counter))
