"""Which pointers are made from which variables before a loop, as the IR knows it: also where a callee makes them.

*Decides*: pairs of a pointer and a variable to which it leads, or from which its value is taken.
*Errs toward* led to: all assignments of the function outside of the loop, whichever of them is the last.
*Does not handle*: pointers that are read from memory.

    static double pool[64], *get(void) { return pool + 8; }
    double *w = get();  for (...) ... w ...        ->  (w, pool)
"""

from collections.abc import Iterator

from models.expr.nodes import remembered

from ..ir import nodes as ir
from ..source.ctypes import Pointer


def pointer_links(function: ir.Function, key: int) -> Iterator[tuple[ir.Variable, ir.Variable]]:
    """Pointers, and what they are made from outside of the loop with this key. Example: see the module."""
    own = {id(s) for loop in ir.loops(function.body) if loop.key == key for s in ir.statements(loop.body)}
    for s, made in _made(function):
        if id(s) not in own:
            yield from ((made, source) for source in _sources(s.value))


@remembered("_made")
def _made(function: ir.Function) -> tuple[tuple[ir.Assign, ir.Variable], ...]:
    """The assignments to pointers: of all loops of the function each asks for them."""
    every = ((s, s.target) for s in ir.every_statement(function) if isinstance(s, ir.Assign))
    return tuple((s, t) for s, t in every if isinstance(t, ir.Variable) and isinstance(t.type, Pointer))


def _sources(value: ir.Expression) -> Iterator[ir.Variable]:
    """The variables in an expression whose value may be a pointer that is made of theirs."""
    match value:
        case ir.Address(object=ir.Declared(variable=variable) | ir.Pointee(variable=variable)):
            yield variable
        case ir.Address(object=ir.Anything(pointer=ir.Held(variable=variable))):
            yield variable
        case ir.Use(variable=ir.Variable(type=Pointer()) as variable):
            yield variable
        case _:
            pass
    for part in _operands(value):
        yield from _sources(part)


def _operands(value: ir.Expression) -> tuple[ir.Expression, ...]:
    match value:
        case ir.Load():
            return ()
        case ir.Choice(then=then, otherwise=otherwise):
            return (then, otherwise)
        case _:
            return ir.parts(value)
