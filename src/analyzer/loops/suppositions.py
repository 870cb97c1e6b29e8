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
from ..source.unit import Definition, Unit
from .context import Context
from .inlining import DEEPEST_INLINING, is_understood, visible

LARGEST_ERROR_PATH = 120
"""Syntax nodes of a branch beside the reports in it: more than that is not an error path."""

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


def error_path(ctx: Context, node: c_ast.If) -> c_ast.Node | None:
    """The branch that is supposed not to be taken."""
    if not ctx.supposing or not ctx.loops:
        return None
    return next((arm for arm in (node.iftrue, node.iffalse) if arm is not None and _is_error_path(ctx.unit, arm)), None)


def _is_error_path(unit: Unit, branch: c_ast.Node) -> bool:
    calls = (call for call in nodes(branch, c_ast.FuncCall) if isinstance(call.name, c_ast.ID))
    reports = [call for call in calls if _reports(unit, call)]
    return bool(reports) and node_count(branch) - sum(map(node_count, reports)) <= LARGEST_ERROR_PATH


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
        return name in _REPORTS or _is_report(unit, definition)
    texts = any(isinstance(a, c_ast.Constant) and a.type == "string" for a in arguments)
    prototype = unit.prototypes.get(name)
    return texts and isinstance(prototype, Function) and isinstance(prototype.result, Void)


def _is_report(unit: Unit, definition: Definition | None) -> bool:
    """Whether a function that is seen ends the program at its end, or does nothing but report."""
    assert definition is not None
    known: dict[str, bool] = unit.__dict__.setdefault("_reports", {})
    if definition.name not in known:
        known[definition.name] = False  # of itself, nothing more
        body = definition.node.body if definition.node is not None else None
        known[definition.name] = body is not None and (_ends_with_report(unit, body) or _does_nothing_else(unit, body))
    return known[definition.name]


def _ends_with_report(unit: Unit, body: c_ast.Compound) -> bool:
    """Whether its last statement is a call that ends the program."""
    match body.block_items[-1] if body.block_items else None:
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return name not in unit.definitions and library.effect(name) is library.Effect.NO_RETURN
        case _:
            return False


def _does_nothing_else(unit: Unit, body: c_ast.Compound) -> bool:
    """Whether all that is called in it are reports, and nothing is assigned."""
    calls = list(nodes(body, c_ast.FuncCall))
    reports = [isinstance(call.name, c_ast.ID) and _reports(unit, call) for call in calls]
    changes = any(nodes(body, c_ast.Assignment)) or any(
        each.op in ("++", "--", "p++", "p--") for each in nodes(body, c_ast.UnaryOp)
    )
    return any(reports) and not changes and all(
        is_report or _is_understood_call(unit, call) for is_report, call in zip(reports, calls, strict=True)
    )


def _is_understood_call(unit: Unit, call: c_ast.FuncCall) -> bool:
    return isinstance(call.name, c_ast.ID) and is_understood(unit, call.name.name)


# --- whether it is worth a second look


def is_open_to(unit: Unit, loop: c_ast.Node) -> bool:
    """Whether suppositions may settle a loop: outside of its error paths, every call that cannot be seen may be pure,
    in the loop and in what it calls. A quick look at syntax, which spares most loops the second lowering."""
    return _is_open(unit, loop, ())


def _is_open(unit: Unit, root: c_ast.Node, above: tuple[str, ...]) -> bool:
    match root:
        case c_ast.If(cond=test, iftrue=then, iffalse=other) if then is not None and _is_error_path(unit, then):
            return all(n is None or _is_open(unit, n, above) for n in (test, other))
        case c_ast.If(cond=test, iftrue=then, iffalse=other) if other is not None and _is_error_path(unit, other):
            return all(n is None or _is_open(unit, n, above) for n in (test, then))
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
