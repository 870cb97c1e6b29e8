"""Loop nests by hand, and their truth by running every iteration: nothing here is shared with the analysis
but the IR."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from analyzer.base.places import Place
from analyzer.ir import nodes as ir
from analyzer.ir.nodes import (
    Access,
    Assign,
    Branch,
    Compare,
    Counter,
    Declared,
    Entry,
    Evaluate,
    Function,
    Literal,
    Load,
    Loop,
    Operation,
    Pointee,
    Ratio,
    Statement,
    Subscript,
    Variable,
)
from analyzer.ir.polynomials import Poly, Symbol, as_poly, number, symbol
from analyzer.ir.symbols import program
from analyzer.source.ctypes import Array, Floating, Integer, Pointer

INT = Integer("int", 4, True)
DOUBLE = Floating("double", 8)
_lines = count(1)


def place() -> Place:
    return Place("t.c", next(_lines), 1)


def size(key: int, name: str) -> Symbol:
    return program(
        key, name, Entry(Variable(name, key, INT, "parameter", Place("t.c", 1))), -(2**31), 2**31 - 1
    )


N, M = size(1000, "n"), size(1001, "m")
n, m = symbol(N), symbol(M)


def counter(key: int) -> Symbol:
    return program(key, f"k{key}", Counter(key), 0)


def loop(key: int, trip: Poly | int | tuple[Ratio, ...], *body: Statement, **more: object) -> Loop:
    """`for (i = 0; i < trip; i++)` with the counter of this key; its variable is called i, j, k ... by
    key."""
    ratios = trip if isinstance(trip, tuple) else (Ratio(as_poly(trip)),)
    k = counter(key)
    last = ratios[0].numerator - 1
    name = "ijklpq"[key % 6]
    fields: dict[str, object] = {"variable": name, "first": number(0), "last": last, "step": number(1)}
    fields |= more
    return Loop(key, k, "for", place(), 99, ratios, True, body=tuple(body), **fields)  # type: ignore[arg-type]


def pointer(name: str, key: int) -> Pointee:
    return Pointee(Variable(name, key, Pointer(DOUBLE, 8), "parameter", Place("t.c", 1)))


def array(name: str, key: int, scope: str = "global", **more: object) -> Declared:
    variable = Variable(name, key, Array(DOUBLE, 1000), scope, Place("t.c", 1), **more)  # type: ignore[arg-type]
    return Declared(variable)


A_POINTER = pointer("A", 2000)


def access(object_: ir.Object, *indices: Poly | int, row: int = 1000) -> Access:
    """An element of doubles; several subscripts are those of rows of 1000."""
    strides = [8 * row ** (len(indices) - 1 - i) for i in range(len(indices))]
    subscripts = tuple(
        Subscript(as_poly(index), number(row) if i else None, number(stride))
        for i, (index, stride) in enumerate(zip(indices, strides, strict=True))
    )
    text = f"{object_}" + "".join(f"[{as_poly(i)}]" for i in indices)
    return Access(object_, subscripts, "", 0, DOUBLE, 8, text, place())


def store(target: Access, *reads: Access, operator: str = "+") -> Assign:
    """`target = read + read + ...`; without reads a constant."""
    value: ir.Expression = Load(reads[0]) if reads else Literal(0.0, DOUBLE)
    for read in reads[1:]:
        value = Operation(operator, DOUBLE, (value, Load(read)), place())
    return Assign(target, value, place(), target.text)


def when(
    value: Poly, then: tuple[Statement, ...], otherwise: tuple[Statement, ...] = (), relation: str = ">="
) -> Branch:
    predicate = Compare(value, relation)  # type: ignore[arg-type]
    return Branch(Literal(1, INT), predicate, then, otherwise, place(), "if")


def function(*body: Statement) -> Function:
    return Function("f", Place("t.c", 1), tuple(body), (), True)


# --- truth


@dataclass
class Truth:
    """What happens in one execution: counts, and bytes per object. `exposed`: read before the nest has
    written them."""

    iterations: int = 0
    loads: int = 0
    stores: int = 0
    flops: int = 0
    read: dict[ir.Object, set[int]] = field(default_factory=lambda: defaultdict(set))
    written: dict[ir.Object, set[int]] = field(default_factory=lambda: defaultdict(set))
    exposed: dict[ir.Object, set[int]] = field(default_factory=lambda: defaultdict(set))


def run(nest: Loop, values: dict[Symbol, int]) -> Truth:
    truth = Truth()
    _loop(nest, dict(values), truth)
    return truth


def trip(nest: Loop, values: dict[Symbol, int]) -> int:
    assert nest.trip is not None
    return max(nest.at_least, 0, min(-(-r.numerator.evaluate(values) // r.denominator) for r in nest.trip))


def _loop(nest: Loop, values: dict[Symbol, int], truth: Truth) -> None:
    innermost = not any(isinstance(s, Loop) for s in ir.statements(nest.body))
    for k in range(trip(nest, values)):
        truth.iterations += innermost
        _block(nest.body, values | {nest.counter: k}, truth)


def _block(body: tuple[Statement, ...], values: dict[Symbol, int], truth: Truth) -> None:
    for s in body:
        match s:
            case Assign(target=Access() as target, value=value):
                _expression(value, values, truth)
                truth.stores += 1
                truth.written[target.object].update(_bytes(target, values))
            case Assign(value=value) | Evaluate(value=value):
                _expression(value, values, truth)
            case Branch(predicate=predicate, then=then, otherwise=otherwise):
                _block(then if _holds(predicate, values) else otherwise, values, truth)
            case Loop():
                _loop(s, values, truth)
            case _:
                raise AssertionError(s)


def _expression(expression: ir.Expression, values: dict[Symbol, int], truth: Truth) -> None:
    for e in ir.walk(expression):
        match e:
            case Load(access=found):
                truth.loads += 1
                touched = _bytes(found, values)
                truth.read[found.object].update(touched)
                truth.exposed[found.object].update(touched - truth.written[found.object])
            case Operation():
                truth.flops += 1
            case _:
                pass


def _bytes(found: Access, values: dict[Symbol, int]) -> set[int]:
    start = found.offset
    for s in found.subscripts:
        assert s.stride is not None
        start += s.index.evaluate(values) * s.stride.evaluate(values)
    return set(range(start, start + found.size))


def _holds(predicate: ir.Predicate, values: dict[Symbol, int]) -> bool:
    match predicate:
        case Compare(value=value, relation=relation):
            x = value.evaluate(values)
            return {">=": x >= 0, "==": x == 0, "!=": x != 0}[relation]
        case ir.All(parts=parts):
            return all(_holds(p, values) for p in parts)
        case ir.Any(parts=parts):
            return any(_holds(p, values) for p in parts)
        case ir.Data():
            raise AssertionError("truth needs affine conditions")


def section(touched: set[int]) -> int:
    return max(touched) - min(touched) + 1 if touched else 0


def nests(root: Loop, around: tuple[Loop, ...] = ()) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
    """The loop and those inside it, each with the loops around it."""
    yield root, around
    for s in root.body:
        if isinstance(s, Loop):
            yield from nests(s, (*around, root))
