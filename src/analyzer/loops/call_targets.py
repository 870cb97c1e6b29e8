"""Which functions a call through a pointer may reach.

*Decides*: for a call through an element or member of a constant table, through a local variable, and through a
parameter of a function that is followed, the functions that the program puts there. *Method*: the names in the
initialiser of the table; the values that are assigned to the variable by name; what the call gives.
*Errs toward* None (any function may be called): a table or a variable that something else may change, a value that is
no function of this file or of the C library.

    static double (*const shapes[])(double) = {square, cube};      shapes[k](x)        ->  square, cube
    double (*f)(double) = mode ? square : cube;                    f(x)                ->  square, cube
"""

from collections.abc import Iterable, Iterator

from pycparser import c_ast

from ..source.ctypes import Array, CType, Function, Pointer, Record
from ..source.nodes import nodes
from ..source.unit import Unit
from . import syntax
from .context import Context
from .inlining import visible

MOST_TARGETS = 12


def targets(ctx: Context, callee: c_ast.Node, arguments: int) -> tuple[str, ...] | None:
    """The functions that a call with so many arguments may reach, in the order of the program; None if they are not
    known. Example: `targets(ctx, shapes[k], 1)` is `("square", "cube")`."""
    names = _named(ctx, bare(callee))
    if names is None:
        return None
    found = [name for name in dict.fromkeys(names) if _takes(ctx, name, arguments)]
    return tuple(found) if 0 < len(found) <= MOST_TARGETS else None


def bare(callee: c_ast.Node) -> c_ast.Node:
    """What is called, without stars, which mean nothing there. Example: `f` for `(**f)(x)`."""
    while isinstance(callee, c_ast.UnaryOp) and callee.op == "*":
        callee = callee.expr
    return callee


def _named(ctx: Context, callee: c_ast.Node) -> Iterable[str] | None:
    root = callee
    while isinstance(root, c_ast.ArrayRef | c_ast.StructRef):
        if isinstance(root, c_ast.StructRef) and root.type == "->":
            return None
        root = root.name
    if not isinstance(root, c_ast.ID):
        return None
    found = ctx.lookup(root.name)
    local = found is not None and found.scope != "global"
    if root is callee:
        return _of_variable(ctx, root.name) if local else None
    return _of_local_table(ctx, root.name) if local else _of_table(ctx, root.name)


def _of_table(ctx: Context, name: str) -> Iterable[str] | None:
    """The names in the initialiser of a constant table outside of all functions."""
    type_ = ctx.unit.globals_.get(name)
    return ctx.unit.initial.get(name) if type_ is not None and _is_constant(type_) else None


def _is_constant(type_: CType) -> bool:
    while isinstance(type_, Array):
        type_ = type_.element
    return isinstance(type_, Pointer | Record) and type_.const and not type_.volatile


def _of_local_table(ctx: Context, name: str) -> Iterable[str] | None:
    body = _body(ctx)
    declared = [d for d in nodes(body, c_ast.Decl) if d.name == name] if body is not None else []
    if len(declared) != 1 or declared[0].init is None or not _is_constant(ctx.unit.type_of(declared[0])):
        return None
    return [n.name for n in nodes(declared[0].init, c_ast.ID)]


def _of_variable(ctx: Context, name: str) -> Iterable[str] | None:
    """The functions that are assigned to a variable of the function that is being lowered."""
    variable, body = ctx.lookup(name), _body(ctx)
    if variable is None or variable.scope != "local" or variable.addressed or body is None:
        return None
    if not isinstance(variable.type, Pointer) or not isinstance(variable.type.target, Function):
        return None
    declared = [d for d in nodes(body, c_ast.Decl) if d.name == name]
    if not declared:
        return _given(ctx, name)
    if len(declared) != 1:
        return None  # of two variables by this name
    given = [] if declared[0].init is None else [declared[0].init]
    made = (a for a in nodes(body, c_ast.Assignment) if isinstance(a.lvalue, c_ast.ID))
    given += [a.rvalue for a in made if a.lvalue.name == name]
    found: list[str] = []
    for value in given:
        names = values(ctx, value)
        if names is None:
            return None
        found += names
    return found


def _given(ctx: Context, name: str) -> list[str] | None:
    """The functions that the call gives to a parameter, where that stays as it is."""
    variable, body = ctx.lookup(name), _body(ctx)
    if variable is None or variable.addressed or body is None or name in syntax.assigned_names(body):
        return None
    return ctx.given_functions.get(variable.key)


def values(ctx: Context, value: c_ast.Node) -> list[str] | None:
    """The functions that an expression may be."""
    match value:
        case c_ast.TernaryOp(iftrue=then, iffalse=otherwise):
            a, b = values(ctx, then), values(ctx, otherwise)
            return None if a is None or b is None else a + b
        case c_ast.UnaryOp(op="&", expr=c_ast.ID(name=name)) | c_ast.ID(name=name) if ctx.lookup(name) is None:
            return [name]
        case c_ast.ID(name=name):
            return _given(ctx, name)
        case c_ast.ArrayRef() | c_ast.StructRef():
            named = _named(ctx, value)
            return None if named is None else list(named)
        case c_ast.Constant(value="0"):
            return []
        case _:
            return None


def _body(ctx: Context) -> c_ast.Node | None:
    """The body of the function whose text is being lowered."""
    definition = visible(ctx, ctx.calls[-1]) if ctx.calls else ctx.definition
    return None if definition is None or definition.node is None else definition.node.body


def _takes(ctx: Context, name: str, arguments: int) -> bool:
    """Whether a name may be that of a function with so many arguments: names in a table may be others."""
    unit: Unit = ctx.unit
    definition = visible(ctx, name)
    if definition is not None:
        assert definition.node is not None
        return len(list(_parameters(definition.node))) == arguments
    match unit.prototypes.get(name):
        case Function(parameters=parameters, variadic=variadic):
            return variadic or len(parameters) == arguments
        case _:
            return name in unit.definitions  # other names are of variables, enumerators, members


def _parameters(function: c_ast.FuncDef) -> Iterator[c_ast.Node]:
    yield from syntax.parameter_declarations(function)
