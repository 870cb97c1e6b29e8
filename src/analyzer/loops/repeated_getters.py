"""Pointers that a function which cannot be seen gives in every iteration anew, and that are one pointer.

*Decides*: the calls in a loop that are supposed to give the pointer that they would give before it (`pure(f)`,
definitions.md): the type of the function says that it only reads what it gets, a pointer among it, its name not that it
changes or makes something, and it gets constants, and variables that the loop leaves as they are.
*Errs toward* none: calls in functions that the loop calls, arguments from memory.

    for (p = 0; p < planes; p++) { float *x = data(t) + p * size; ... }     ->  data(t)
    for (k = 0; k < n; k++) { double *x = column(m, k); ... }               ->  none
"""

from pycparser import c_ast

from ..ir import c_library as library
from ..ir import nodes as ir
from ..source.ctypes import Function, Pointer
from ..source.features import is_of_c_library
from ..source.nodes import nodes
from ..source.unit import Unit
from . import allocations, syntax
from .c_text import c_text
from .context import Context
from .inlining import visible
from .suppositions import may_be_supposed, only_reads


def noted(ctx: Context, loop: c_ast.Node) -> None:
    """Names the pointers for all iterations of a loop that is about to be lowered; the outermost loop names them."""
    if not ctx.supposing or ctx.calls:
        return
    changed = syntax.assigned_names(loop) | {d.name for d in nodes(loop, c_ast.Decl) if d.name is not None}
    named: dict[str, ir.Anything] = {}
    for call in nodes(loop, c_ast.FuncCall):
        type_ = _type(ctx, call)
        if type_ is None or id(call) in ctx.getters or not _is_steady(ctx, call, changed):
            continue
        text = c_text(call)
        if text not in named:
            returned = ir.Returned(call.name.name, ctx.place(loop), in_all_iterations=True)
            named[text] = ir.Anything(text, ctx.key(), returned)
        ctx.getters[id(call)] = ctx.start_of(named[text], (), type_.target)


def _type(ctx: Context, call: c_ast.FuncCall) -> Pointer | None:
    """The type of the pointer that the function gives which is called; None where it may do something else."""
    name = call.name.name if isinstance(call.name, c_ast.ID) else ""
    if not name or ctx.lookup(name) is not None or visible(ctx, name) is not None or is_of_c_library(name):
        return None
    if not may_be_supposed(ctx.unit, name) or _allocates(ctx.unit, name):
        return None
    match ctx.unit.prototypes.get(name):
        case Function(result=Pointer() as pointer, parameters=parameters) as type_ if only_reads(ctx.unit, name, type_):
            return pointer if any(isinstance(p, Pointer) for p in parameters) else None
        case _:
            return None


def _allocates(unit: Unit, name: str) -> bool:
    return library.says_it_allocates(name) or allocations.is_named_allocator(unit, name)


def _is_steady(ctx: Context, given: c_ast.Node, changed: frozenset[str]) -> bool:
    """Whether it has one value in all iterations."""
    match given:
        case c_ast.Constant():
            return True
        case c_ast.ID(name=name):
            variable = ctx.lookup(name)
            own = variable is not None and variable.scope in ("local", "parameter") and not variable.addressed
            return own and name not in changed
        case c_ast.FuncCall(args=arguments) if _type(ctx, given) is not None:
            parts = arguments.exprs if arguments is not None else []
            return bool(parts) and all(_is_steady(ctx, part, changed) for part in parts)
        case _:
            return False
