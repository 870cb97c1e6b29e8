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
from .inlining import DEEPEST_INLINING, is_understood, visible

LARGEST_ERROR_PATH = 120
"""Syntax nodes of a branch: more than a report is not an error path."""

_REPORTS = frozenset(("perror", "warn", "warnx", "err", "errx"))


def is_pure(ctx: Context, name: str, node: c_ast.FuncCall) -> bool:
    """Whether a call is supposed to do nothing but give a value."""
    if not ctx.supposing or not isinstance(node.name, c_ast.ID) or ctx.lookup(name) is not None:
        return False
    return visible(ctx, name) is None and _may_be_pure(ctx.unit, name)


def _may_be_pure(unit: Unit, name: str) -> bool:
    """Whether the declaration of a function that is not seen lets it be pure."""
    if is_understood(unit, name) or library.effect(name) is not None:
        return False
    if name in unit.elsewhere and unit.elsewhere[name].changes:
        return False
    match unit.prototypes.get(name):
        case Function(result=result, parameters=parameters, variadic=False):
            return isinstance(result, Integer | Floating | Complex) and not any(map(_may_be_written, parameters))
        case _:
            return False


def _may_be_written(parameter: CType) -> bool:
    return isinstance(parameter, Pointer) and not getattr(parameter.target, "const", False)


def is_error_path(ctx: Context, branch: c_ast.Node) -> bool:
    """Whether a branch is supposed not to be taken."""
    return ctx.supposing and bool(ctx.loops) and _is_error_path(ctx.unit, branch)


def _is_error_path(unit: Unit, branch: c_ast.Node) -> bool:
    if node_count(branch) > LARGEST_ERROR_PATH:
        return False
    return any(isinstance(call.name, c_ast.ID) and _reports(unit, call) for call in nodes(branch, c_ast.FuncCall))


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


# --- whether it is worth a second look


def is_open_to(unit: Unit, loop: c_ast.Node) -> bool:
    """Whether suppositions may settle a loop: outside of its error paths, every call that cannot be seen may be pure,
    in the loop and in what it calls. A quick look at syntax, which spares most loops the second lowering."""
    return _is_open(unit, loop, ())


def _is_open(unit: Unit, root: c_ast.Node, above: tuple[str, ...]) -> bool:
    match root:
        case c_ast.If(cond=test, iftrue=then, iffalse=other) if then is not None and _is_error_path(unit, then):
            return all(n is None or _is_open(unit, n, above) for n in (test, other))
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            if not _may_be_called(unit, name, above):
                return False
        case c_ast.FuncCall():
            return False
        case _:
            pass
    return all(_is_open(unit, child, above) for child in root)


def _may_be_called(unit: Unit, name: str, above: tuple[str, ...]) -> bool:
    definition = unit.definitions.get(name)
    if definition is None or definition.node is None:
        return is_understood(unit, name) or library.effect(name) is not None or _may_be_pure(unit, name)
    if name in above or len(above) >= DEEPEST_INLINING:
        return False
    known: dict[str, bool] = unit.__dict__.setdefault("_open_to_suppositions", {})
    if name not in known:
        known[name] = _is_open(unit, definition.node.body, (*above, name))
    return known[name]
