"""Variables in which a function keeps whether all has gone well.

*Decides*: which integers of a function are such: they are called so (`status`, `ierr`, `err_code`), begin with a value,
are asked whether they are zero, and no loop sets them back; one behind a pointer that the function gets is, too. A
store to one in a branch, of what another one says, or through its address by a function that gets it, is supposed to
leave it as it is (`cold(line)`).
*Errs toward* no: what a loop sets anew in every iteration is a value like any other.

    int status = 0;
    for (i = 0; i < n; i++)
        if (status == 0) y[i] = integral(f, x[i], &status);                 ->  status
"""

import re
from collections.abc import Iterator

from pycparser import c_ast

from ..base.regex import regex
from ..ir import nodes as ir
from ..source.ctypes import Integer, Pointer
from ..source.nodes import nodes
from ..source.unit import Unit
from .context import Context
from .syntax import LOOPS, items, without_casts
from .values import Address

_NAMED = regex(r"(?:[a-z]+_?)??(?:stat|status|i?err|i?error|err_?code|err_?flag|fail|failed)", re.IGNORECASE)


def status_variables(unit: Unit, function: c_ast.FuncDef) -> frozenset[str]:
    """Their names: of the integers, and of the pointers to one that the function gets."""
    asked = {name for test in _tests(function) for name in _asked(unit, test)}
    started = {d.name for d in nodes(function.body, c_ast.Decl) if d.init is not None}
    given = {getattr(p, "name", None) for p in getattr(function.decl.type.args, "params", ())}
    named = {name for name in asked & (started | given) if is_named_so(name)}
    return frozenset(named - {name for name in named if _is_set_anew(unit, function, name)}) if named else frozenset()


def is_named_so(name: str) -> bool:
    """Example: yes for `local_status`, `ierr` and `gslstatus`, no for `state` and `errors`."""
    return _NAMED.fullmatch(name) is not None


def _tests(function: c_ast.FuncDef) -> Iterator[c_ast.Node]:
    for node in nodes(function.body, c_ast.If, c_ast.TernaryOp):
        yield from _parts(node.cond)


def _parts(test: c_ast.Node) -> Iterator[c_ast.Node]:
    match test:
        case c_ast.BinaryOp(op="&&" | "||", left=left, right=right):
            yield from (*_parts(left), *_parts(right))
        case _:
            yield test


def _asked(unit: Unit, test: c_ast.Node) -> Iterator[str]:
    """What a test compares with a number: `status`, of `!status`, `*status == 0` and `status != OK`."""
    match test:
        case c_ast.UnaryOp(op="!", expr=tested):
            pass
        case c_ast.BinaryOp(op="==" | "!=", left=tested, right=code) if unit.constant(without_casts(code)) is not None:
            pass
        case _:
            tested = test
    name = _name(tested)
    if name is not None:
        yield name


def _name(place: c_ast.Node) -> str | None:
    """`s` of `s` and `*s`."""
    match place:
        case c_ast.ID(name=str(name)) | c_ast.UnaryOp(op="*", expr=c_ast.ID(name=str(name))):
            return name
        case _:
            return None


def _is_set_anew(unit: Unit, function: c_ast.FuncDef, name: str) -> bool:
    """Whether a loop sets it to zero, or to some number in every iteration, or counts with it."""
    for loop in nodes(function.body, *LOOPS):
        always = {id(s) for s in items(loop.stmt)}
        for step in nodes(loop, c_ast.UnaryOp):
            if step.op in ("++", "--", "p++", "p--") and _name(step.expr) == name:
                return True
        for store in nodes(loop, c_ast.Assignment):
            if _name(store.lvalue) == name:
                number = unit.constant(store.rvalue)
                if store.op not in ("=", "|=") or number == 0 or (number is not None and id(store) in always):
                    return True
    return False


def leaves_status(ctx: Context, node: c_ast.Assignment) -> bool:
    """Whether an assignment is supposed to leave a status as it is."""
    if not ctx.supposes or not ctx.statuses or node.op not in ("=", "|="):
        return False
    match node.lvalue:
        case c_ast.ID(name=name) if not ctx.calls and name in ctx.statuses:
            variable = ctx.lookup(name)
            return variable is not None and _is_kept(ctx, variable) and _says_failure(ctx.unit, node.rvalue)
        case c_ast.UnaryOp(op="*", expr=c_ast.ID(name=name)) if ctx.calls or name in ctx.statuses:
            pointer = ctx.lookup(name)
            value = None if pointer is None else ctx.values.get(pointer.key)
            leads = isinstance(value, Address) and is_status(ctx, value.object)
            return leads and (bool(ctx.calls) or _says_failure(ctx.unit, node.rvalue))
        case _:
            return False


def is_status(ctx: Context, place: ir.Object) -> bool:
    """Whether the address of a status leads there."""
    match place:
        case ir.Declared(variable=variable):
            return variable.name in ctx.statuses and _is_kept(ctx, variable)
        case ir.Pointee(variable=ir.Variable(scope="parameter", type=Pointer(target=Integer())) as variable):
            return variable.name in ctx.statuses
        case _:
            return False


def _is_kept(ctx: Context, variable: ir.Variable) -> bool:
    """Whether it is an integer of the function itself, declared outside of its loops."""
    own = variable.scope in ("local", "parameter") and not variable.inlined
    return own and isinstance(variable.type, Integer) and not variable.loops


def _says_failure(unit: Unit, value: c_ast.Node) -> bool:
    """Whether what is stored is a number, or what another status says: `CODE`, `gslstatus`, `*(p->status)`."""
    match without_casts(value):
        case c_ast.ID(name=name) | c_ast.StructRef(field=c_ast.ID(name=name)):
            return is_named_so(name) or bool(unit.constant(value))
        case c_ast.UnaryOp(op="*", expr=inner):
            return _says_failure(unit, inner)
        case _:
            return bool(unit.constant(value))
