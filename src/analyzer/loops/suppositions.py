"""What is supposed where a function is lowered a second time, for answers under conditions (definitions.md).

*Decides*: which calls of functions that cannot be seen are taken to be pure (`pure(f)`): they give a value, by all that
their declaration says; which branches are error paths that are not taken (`cold(line)`): what is in them reports an
error or ends the program, or may do so.
*Errs toward* nothing: a function of the C library does what it is known to do, one that gets the address of data that
it may write is not pure, one that gives no number is called for what it does, or for new memory.

    if (p[i].type > 5) endrun(1, "bad type of %d", i);     ->  cold, the call being one to a function that is not seen
    a[i] = interpolate(x, i);                              ->  pure(interpolate)
"""

from pycparser import c_ast

from ..ir import c_library as library
from ..source.ctypes import Complex, CType, Floating, Function, Integer, Pointer, Void
from ..source.nodes import node_count, nodes
from ..source.unit import Unit
from .context import Context
from .inlining import is_understood, visible

LARGEST_ERROR_PATH = 120
"""Syntax nodes of a branch: more than a report is not an error path."""

_REPORTS = frozenset(("perror", "warn", "warnx", "err", "errx"))


def is_pure(ctx: Context, name: str, node: c_ast.FuncCall) -> bool:
    """Whether a call is supposed to do nothing but give a value."""
    if not ctx.supposing or not isinstance(node.name, c_ast.ID) or ctx.lookup(name) is not None:
        return False
    if visible(ctx, name) is not None or is_understood(ctx.unit, name) or library.effect(name) is not None:
        return False
    match ctx.unit.prototypes.get(name):
        case Function(result=result, parameters=parameters, variadic=False):
            return isinstance(result, Integer | Floating | Complex) and not any(map(_may_be_written, parameters))
        case _:
            return False


def _may_be_written(parameter: CType) -> bool:
    return isinstance(parameter, Pointer) and not getattr(parameter.target, "const", False)


def is_error_path(ctx: Context, branch: c_ast.Node) -> bool:
    """Whether a branch is supposed not to be taken."""
    if not ctx.supposing or not ctx.loops or node_count(branch) > LARGEST_ERROR_PATH:
        return False
    calls = [n for n in nodes(branch) if isinstance(n, c_ast.FuncCall) and isinstance(n.name, c_ast.ID)]
    return any(_reports(ctx.unit, call) for call in calls)


def _reports(unit: Unit, call: c_ast.FuncCall) -> bool:
    """Whether a call ends the program or reports an error, or may do so: a function without a value that is not seen
    and gets a text."""
    name = call.name.name
    arguments = call.args.exprs if call.args is not None else []
    effect = library.effect(name)
    if effect is not None:
        to_errors = name == "fprintf" and isinstance(arguments[0], c_ast.ID) and arguments[0].name == "stderr"
        return effect is library.Effect.NO_RETURN or to_errors or name in _REPORTS
    definition = unit.definitions.get(name)
    if name in _REPORTS or (definition is not None and definition.node is not None):
        return name in _REPORTS
    texts = any(isinstance(a, c_ast.Constant) and a.type == "string" for a in arguments)
    prototype = unit.prototypes.get(name)
    return texts and isinstance(prototype, Function) and isinstance(prototype.result, Void)
