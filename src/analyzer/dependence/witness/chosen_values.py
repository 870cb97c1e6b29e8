"""Sizes and contents of memory for small instances of a function.

*Decides*: what arguments, globals and the memory behind pointers hold when the function is called, round by round:
small sizes; small numbers, never negative where they select an element or bound a loop; now and then a constant of the
function itself, which a condition may compare with.
*Errs toward* `StuckError` for what nobody can choose: constants, statics, memory of the function's own.

    void f(int n, const int *idx, double *a) { for (i < n) a[idx[i]] = ...; }     ->  n = 5, idx = {3, 0, 3, ...}
"""

from collections.abc import Callable, Iterable, Iterator
from zlib import crc32

from msgspec import Struct

from models.expr.nodes import remembered

from ...ir.arithmetic import modulo, value_range
from ...ir.nodes import (
    Access,
    Declared,
    Entry,
    Evaluate,
    Function,
    Literal,
    Loaded,
    Object,
    Use,
    Variable,
    evaluated,
    nested_symbols,
    polynomials,
    statements,
)
from ...ir.pointer_roots import root
from ...ir.polynomials import Poly, Symbol
from ...source.ctypes import Array, CType, Floating, Integer, element
from .arithmetic import Number, StuckError, exact
from .machine import Cell, Machine, is_unset

SIZES = (5, 6, 4, 7)

RANGES = ((0, 4), (0, 9), (-1, 2), (-2, 7))
"""Of contents that select nothing, the least and one more than the largest number."""

PERIOD = 8
"""Elements after which an index array repeats, where it does not before."""


class Named(Struct, frozen=True):
    """What a function names. `read_as`: the symbols that stand for what an access reads; `selecting`, `sizes`: objects
    and variables (by key) of which the contents select elements, or bound loops; `constants`: the numbers in it;
    `tables`: what constant tables hold."""

    read_as: dict[Access, list[Symbol]]
    selecting: frozenset[Object]
    sizes: frozenset[int]
    constants: tuple[int, ...]
    tables: dict[Object, tuple[int | float, ...]]

    def tabled(self, cell: Cell, type_: CType) -> Number:
        """What a constant table holds. Raises `StuckError` for anything else."""
        x, rows, byte = cell
        held = element(x.variable.type) if isinstance(x, Declared) else None
        length = x.variable.type.length if isinstance(x, Declared) and isinstance(x.variable.type, Array) else None
        if x not in self.tables or rows or held != type_ or not isinstance(type_, Integer | Floating):
            raise StuckError(str(x))
        at, rest = divmod(byte, type_.size)
        if rest or at < 0 or not isinstance(length, int) or at >= length:
            raise StuckError(f"{x} is left")
        value = self.tables[x][at] if at < len(self.tables[x]) else 0
        return modulo(int(value), type_) if isinstance(type_, Integer) else exact(value)


class ChosenValues(Struct, frozen=True):
    """The values of one round."""

    named: Named
    round: int
    contents: int = 0
    """Which of several contents of memory, for the same arguments."""
    times: int = 1
    """By how much sizes are larger than the smallest that are tried."""

    def parameter(self, variable: Variable) -> Number:
        """The value of a variable when the function is called. Raises `StuckError` where it cannot be chosen."""
        if variable.scope not in ("parameter", "global") or getattr(variable.type, "const", False):
            raise StuckError(variable.name)
        seed = _mixed(f"{variable.name} {self.round}")
        if variable.key in self.named.sizes and isinstance(variable.type, Integer):
            size = SIZES[(seed if self.round % 2 else self.round // 2) % len(SIZES)]
            return modulo(size * self.times, variable.type)
        return self._number(seed, variable.type, (0, 3))

    def sizes(self, variables: Iterable[Variable]) -> str:
        """The sizes among the variables, for people: `n = 5`."""
        told = (v for v in variables if v.key in self.named.sizes and isinstance(v.type, Integer))
        return ", ".join(f"{v.name} = {self.parameter(v)}" for v in told)

    def initial(self, cell: Cell, type_: CType) -> Number:
        """What is in memory when the function is called. Raises as `parameter`."""
        x, rows, byte = cell
        base = root(x)
        if is_unset(x):
            raise StuckError(str(x))
        if isinstance(base, Declared) and not _is_open(base.variable, type_):
            return self.named.tabled(cell, type_)
        seed = _mixed(f"{x} {rows} {byte} {self.round} {self.contents}")
        kind = _mixed(f"{x} {self.round}")
        if isinstance(type_, Integer) and x in self.named.selecting:
            element = byte // type_.size
            return modulo((5 * element + kind) % PERIOD if kind % 2 else seed % 5, type_)
        return self._number(seed, type_, RANGES[kind % len(RANGES)])

    def _number(self, seed: int, type_: CType, values: tuple[int, int]) -> Number:
        if not isinstance(type_, Integer):
            return seed % 9 - 3
        low, high = value_range(type_)
        constants = self.named.constants
        if constants and seed % 4 == 3:
            return max(low, min(high, constants[seed // 4 % len(constants)] + seed // 64 % 3 - 1))
        least, end = values
        return max(low, min(high, least + seed // 4 % (end - least)))


@remembered("_named")
def named_in(function: Function) -> Named:
    """What a function names, once for all rounds."""
    told = nested_symbols(s for p in _selectors(function) for s in p.symbols)
    loaded = nested_symbols(s for p in _values(function) for s in p.symbols) | told
    read_as: dict[Access, list[Symbol]] = {}
    for s in loaded:
        if isinstance(s.origin, Loaded):
            read_as.setdefault(s.origin.access, []).append(s)
    objects = frozenset(s.origin.access.object for s in told if isinstance(s.origin, Loaded))
    sizes = frozenset(s.origin.variable.key for s in told if isinstance(s.origin, Entry))
    tables: dict[Object, tuple[int | float, ...]] = {Declared(variable): values for variable, values in function.tables}
    return Named(read_as, objects, sizes, tuple(sorted(_constants(function))), tables)


def machine(values: ChosenValues, steps: int) -> Machine:
    """A machine that begins the function with these values, and has so many steps."""
    return Machine(values.initial, _once(values.parameter), values.named.read_as, steps)


def _once(parameter: Callable[[Variable], Number]) -> Callable[[Variable], Number]:
    """The same values, each chosen once: a run asks for those of few variables again and again."""
    known: dict[int, Number] = {}

    def value(variable: Variable) -> Number:
        found = known.get(variable.key)
        if found is None:
            found = known[variable.key] = parameter(variable)
        return found

    return value


def _selectors(function: Function) -> Iterator[Poly]:
    for statement in statements(function.body):
        yield from polynomials(statement)
        if isinstance(statement, Evaluate) and statement.control:
            yield from (e.value for e in evaluated(statement) if isinstance(e, Use) and e.value is not None)


def _values(function: Function) -> Iterator[Poly]:
    for statement in statements(function.body):
        for e in evaluated(statement):
            if isinstance(e, Use) and e.value is not None:
                yield e.value


def _constants(function: Function) -> set[int]:
    literals = (e for s in statements(function.body) for e in evaluated(s) if isinstance(e, Literal))
    return {int(e.value) for e in literals if abs(e.value) < 1 << 15}


def _is_open(variable: Variable, type_: CType) -> bool:
    is_const = getattr(variable.type, "const", False) or getattr(type_, "const", False)
    return variable.scope == "global" and not is_const


def _mixed(text: str) -> int:
    """A number that is the same in every process."""
    return crc32(text.encode()) >> 3
