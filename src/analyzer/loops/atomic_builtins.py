"""Atomic operations of GCC and Clang, as what they do to memory: `__sync_fetch_and_add(&h[k], 1)` is `h[k] += 1`.

*Decides*: which calls are such operations, and what the one thread that runs a loop in its order sees of them. What
they read and store to is marked: to run iterations at once nothing has to be put around it.
*Errs toward* calls of functions that are not seen: arguments with side effects, other numbers of arguments.
*Does not handle*: 16-byte operands by name (`__sync_fetch_and_add_16`), the order that other memory is seen in, C11's
`_Atomic` (`dependence/blockers`).

    __atomic_fetch_add(p, v, order), __sync_fetch_and_add(p, v)    ->  *p += v, with the value before
    __atomic_add_fetch(p, v, order), __sync_add_and_fetch(p, v)    ->  *p += v
    __sync_bool_compare_and_swap(p, a, b)                          ->  *p == a ? (*p = b, 1) : 0
    __atomic_load(p, to, order), __atomic_store(p, from, order)    ->  *to = *p, *p = *from
"""

from collections.abc import Mapping
from functools import partial

from pycparser import c_ast

from ..base.regex import regex
from ..ir import nodes as ir
from ..ir.polynomials import number
from ..source.ctypes import Integer, Void
from ..source.selection import MARK
from . import expressions, invalidation, memory, syntax
from .c_text import c_text
from .context import Context, Typed
from .pure_functions import is_pure
from .values import IntegerValue

_OPERATORS = {"add": "+=", "sub": "-=", "and": "&=", "or": "|=", "xor": "^="}
_BEFORE = regex(r"__(?:sync_fetch_and|atomic_fetch)_(add|sub|and|or|xor)\Z")
_AFTER = regex(r"__(?:sync_(add|sub|and|or|xor)_and_fetch|atomic_(add|sub|and|or|xor)_fetch)\Z")
_ORDERS: Mapping[int | None, ir.MemoryOrder] = {1: "acquire", 2: "acquire", 3: "release", 4: "acq_rel", 5: "seq_cst"}
"""By the values of `__ATOMIC_CONSUME`, which compilers take for the next one, `__ATOMIC_ACQUIRE`, and so on."""
_OF_BYTES = ("__atomic_test_and_set", "__atomic_clear")
"""They get to one byte, whatever the pointer leads to."""
FENCES = frozenset(("__sync_synchronize", "__atomic_thread_fence", "__atomic_signal_fence"))
"""They order what one thread does to memory for others: nothing that the iterations of a loop could tell."""


def is_atomic(function: str) -> bool:
    """Whether the compiler knows a function as one that works on memory at once, whether it is followed or not."""
    return function.startswith(("__sync_", "__atomic_"))


def lowered(ctx: Context, name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Typed | None:
    """The value of a call that is such an operation, with its effects in the IR; None of any other call.

    Example: see the module."""
    if not is_atomic(name):
        return None
    if name in FENCES:
        return Typed(ir.Literal(0, ctx.int_type), ctx.int_type, IntegerValue(number(0)))
    if not arguments or any(syntax.has_effects(a, partial(is_pure, ctx.unit)) for a in arguments):
        return None
    place = _byte_at(arguments[0], node) if name in _OF_BYTES else _at(arguments[0], node)
    written = _in_c(name, place, arguments[1:], node)
    if written is None:
        return None
    gives_before, operation = written
    ctx.atomic[place] = ir.AtomicOperation(ctx.key(), _order(ctx, name, arguments))
    _changed_by_others(ctx, place)
    typed = _done(ctx, place, operation, node, gives_before)
    _changed_by_others(ctx, place)
    return typed


def _order(ctx: Context, name: str, arguments: list[c_ast.Node]) -> ir.MemoryOrder:
    """In which order others see what the thread does before and behind the operation."""
    if name.startswith("__sync_"):
        return "acquire" if name.endswith("test_and_set") else "release" if name.endswith("release") else "seq_cst"
    of_failure = "compare" in name  # the last but one is that of an exchange
    order = ctx.unit.constant(arguments[-2 if of_failure else -1])
    return _ORDERS.get(order, "relaxed")


def _in_c(
    name: str, place: c_ast.Node, values: list[c_ast.Node], node: c_ast.FuncCall
) -> tuple[bool, c_ast.Node] | None:
    """What the operation does to a place, as C; and whether its value is what was there before."""
    before, after = _BEFORE.match(name), _AFTER.match(name)
    match name, values:
        case _, [value, *_] if before is not None:
            return True, c_ast.Assignment(_OPERATORS[before[1]], place, value, node.coord)
        case _, [value, *_] if after is not None:
            return False, c_ast.Assignment(_OPERATORS[after[1] or after[2]], place, value, node.coord)
        case "__sync_lock_test_and_set" | "__atomic_exchange_n", [value, *_]:
            return True, c_ast.Assignment("=", place, value, node.coord)
        case "__atomic_test_and_set", [_]:
            return True, c_ast.Assignment("=", place, _constant(1, node), node.coord)
        case "__atomic_clear", [_]:
            return False, c_ast.Assignment("=", place, _constant(0, node), node.coord)
        case "__sync_lock_release", []:
            return False, c_ast.Assignment("=", place, _constant(0, node), node.coord)
        case "__atomic_store_n", [value, _]:
            return False, c_ast.Assignment("=", place, value, node.coord)
        case "__atomic_load_n", [_]:
            return False, place
        case "__sync_bool_compare_and_swap" | "__sync_val_compare_and_swap", [expected, value]:
            stored = c_ast.Assignment("=", place, value, node.coord)
            done = _if_equal(place, expected, _then(stored, 1, node), _constant(0, node), node)
            return name.startswith("__sync_val"), done
        case "__atomic_store", [value, _]:
            return False, c_ast.Assignment("=", place, _at(value, node), node.coord)
        case "__atomic_load", [to, _]:
            return False, c_ast.ExprList([c_ast.Assignment("=", _at(to, node), place, node.coord)], node.coord)
        case "__atomic_exchange", [value, to, _] if _are_two_variables(value, to):
            told = c_ast.Assignment("=", _at(to, node), place, node.coord)
            stored = c_ast.Assignment("=", place, _at(value, node), node.coord)
            return False, c_ast.ExprList([told, stored], node.coord)
        case "__atomic_compare_exchange_n" | "__atomic_compare_exchange", [expected, value, _, _, _]:
            other = _at(expected, node)
            value = value if name.endswith("_n") else _at(value, node)
            stored, told = (c_ast.Assignment("=", *sides, node.coord) for sides in ((place, value), (other, place)))
            return False, _if_equal(place, other, _then(stored, 1, node), _then(told, 0, node), node)
        case _:
            return None


def _are_two_variables(value: c_ast.Node, to: c_ast.Node) -> bool:
    """Whether what is stored and what was there are surely not one: then both could be told one after the other."""
    places = [p.expr for p in (value, to) if isinstance(p, c_ast.UnaryOp) and p.op == "&"]
    names = {p.name for p in places if isinstance(p, c_ast.ID)}
    return len(places) == len(names) == 2


def _at(pointer: c_ast.Node, node: c_ast.FuncCall) -> c_ast.Node:
    """`*pointer`; `x` of `&x`."""
    if isinstance(pointer, c_ast.UnaryOp) and pointer.op == "&":
        return pointer.expr
    return c_ast.UnaryOp("*", pointer, node.coord)


def _byte_at(pointer: c_ast.Node, node: c_ast.FuncCall) -> c_ast.Node:
    """`*(unsigned char *)pointer`."""
    byte = c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(["unsigned", "char"], node.coord), node.coord)
    pointer_type = c_ast.Typename(None, [], None, c_ast.PtrDecl([], byte, node.coord), node.coord)
    return c_ast.UnaryOp("*", c_ast.Cast(pointer_type, pointer, node.coord), node.coord)


def _if_equal(
    place: c_ast.Node, expected: c_ast.Node, then: c_ast.Node, otherwise: c_ast.Node, node: c_ast.FuncCall
) -> c_ast.Node:
    return c_ast.TernaryOp(c_ast.BinaryOp("==", place, expected, node.coord), then, otherwise, node.coord)


def _then(effect: c_ast.Node, value: int, node: c_ast.FuncCall) -> c_ast.Node:
    return c_ast.ExprList([effect, _constant(value, node)], node.coord)


def _constant(value: int, node: c_ast.FuncCall) -> c_ast.Node:
    return c_ast.Constant("int", str(value), node.coord)


def _done(
    ctx: Context, place: c_ast.Node, operation: c_ast.Node, node: c_ast.FuncCall, gives_before: bool
) -> Typed:
    """The operation, with its value where that is used."""
    if node is ctx.unused:
        expressions.discard(ctx, operation)
        return Typed(ir.Opaque("void", Void()), Void())
    if gives_before:
        before = _kept(ctx, place, node)
        expressions.discard(ctx, operation)
        return before
    if not _is_of_threads(ctx) or isinstance(operation, c_ast.TernaryOp | c_ast.ExprList):
        return expressions.lower(ctx, operation)
    if operation is not place:
        expressions.discard(ctx, operation)
    return _kept(ctx, place, node)


def _kept(ctx: Context, place: c_ast.Node, node: c_ast.FuncCall) -> Typed:
    """What is there, before the operation or behind it."""
    read = expressions.lower(ctx, place)
    kept = ctx.temporary(read.type, ctx.place(node))
    ctx.out.append(ir.Assign(kept, read.expression, ctx.place(node), c_text(node)))
    value = read.value if isinstance(read.type, Integer) else None
    if value is not None and _is_of_threads(ctx):
        value = ctx.initial(kept, kept.place.line, given=True)
    ctx.values[kept.key] = value
    poly = value.poly if isinstance(value, IntegerValue) else None
    return Typed(ir.Use(kept, read.type, poly), read.type, value)


def _changed_by_others(ctx: Context, place: c_ast.Node) -> None:
    """What one thread leaves at a place that it shares is not what it finds there next."""
    if not _is_of_threads(ctx):
        return
    with ctx.collect():
        match expressions.target(ctx, place):
            case ir.Variable() as variable:
                ctx.values[variable.key] = ctx.initial(variable, ctx.place(place).line, given=True)
            case shared:
                invalidation.after_store(ctx, memory.access_of(ctx, shared, place))


def _is_of_threads(ctx: Context) -> bool:
    """Whether the program is one of which the directives are to be checked."""
    return f"{MARK}threads" in ctx.unit.globals_
