"""Which of the calls that are followed here stay calls in compiled code: they take time, and allow no vectors.

A static function that is called once is put in place of its call whatever its size; others as far as they are small,
larger ones where they are declared `inline`; none of another file.

*Source*: gcc 12 -O3, with functions of growing length called once, twice and four times. *Not known here*: attributes
(`noinline`), link-time optimisation.
"""

from collections import Counter

from pycparser import c_ast

from ..ir.nodes import StaysCall
from ..source.nodes import nodes, of_tree
from ..source.unit import Definition, Unit
from . import syntax
from .context import Context

LARGEST = 150
LARGEST_WITH_LOOPS = 35
LARGEST_DECLARED_INLINE = 400
"""Operations of a function up to which its calls are put in place."""
OPERATIONS = (c_ast.BinaryOp, c_ast.UnaryOp, c_ast.TernaryOp, c_ast.ArrayRef, c_ast.StructRef, c_ast.FuncCall)


def note_call(ctx: Context, definition: Definition, node: c_ast.FuncCall) -> None:
    """Remembers a followed call for the innermost loop around it, if it stays one."""
    if ctx.loops and stays_call(ctx.unit, definition):
        place = ctx.place(node)
        ctx.compiled_calls.setdefault(ctx.loops[-1], {})[place, *ctx.calls] = StaysCall(definition.name, place)


def stays_call(unit: Unit, definition: Definition) -> bool:
    """Whether calls of a function remain.

    Example: `static double get(const double *a, long i) { return a[i]; }`: no, nor does any other that is called
    once."""
    if definition.borrowed:
        return True
    function = definition.node
    assert function is not None
    size = len(nodes(function.body, *OPERATIONS))
    if "inline" in (function.decl.funcspec or ()):
        return size > LARGEST_DECLARED_INLINE
    if size <= (LARGEST_WITH_LOOPS if syntax.holds_loops(function.body) else LARGEST):
        return False
    return "static" not in (function.decl.storage or ()) or _calls(unit)[definition.name] > 1


def _calls(unit: Unit) -> Counter[str]:
    """How often each function of the unit is called, as far as functions are parsed: others count once."""
    known: Counter[str] | None = unit.__dict__.get("_written_calls")
    if known is None:
        known = Counter[str]()
        for definition in unit.definitions.values():
            known.update(_called(definition.node) if definition.node is not None else definition.calls)
        unit.__dict__["_written_calls"] = known
    return known


@of_tree
def _called(function: c_ast.FuncDef) -> tuple[str, ...]:
    return tuple(c.name.name for c in nodes(function.body, c_ast.FuncCall) if isinstance(c.name, c_ast.ID))
