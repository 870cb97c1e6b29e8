"""Integers that are made of floating-point numbers: `(int)(grid->aspect * grid->n)`.

*Decides*: which of them are one value wherever the program makes them: made of the same memory, parameters and numbers,
by operators and by functions of the C library that depend on their arguments alone.
*Errs toward* any value: what is kept in a variable of floating type, and more than a few operands.

    for (i = 0; i < (int)(grid->aspect * grid->n); i++) a[i] = 0;      ->  one value, if the loop changes neither
"""

from collections.abc import Iterator

from pycparser import c_ast

from ..ir import c_library as library
from ..ir import nodes as ir
from ..ir.arithmetic import value_range
from ..ir.invariance import computed_in
from ..ir.polynomials import Poly
from ..source.ctypes import CType, Floating, Integer
from ..source.nodes import nodes
from . import syntax
from .context import Context, Typed
from .values import IntegerValue

MOST_TERMS = 24
_SET_ROUNDING = ("fesetround", "fesetenv", "feupdateenv", "feholdexcept", "fesetmode")

Term = Poly | float | str


class NotFollowedError(Exception):
    """Something else is among what the number is made of."""


def rounded(ctx: Context, typed: Typed, type_: Integer, text: str) -> IntegerValue | None:
    """The integer that a floating-point number becomes; None of one that is not followed. Example: see the module."""
    if not isinstance(typed.type, Floating) or type_.name == "_Bool" or type_.size < ctx.unit.abi.sizes["int"]:
        return None
    try:
        terms = tuple(_terms(ctx, typed.expression))
    except NotFollowedError:
        return None
    operands = [t for t in terms if isinstance(t, Poly)]
    if not operands or len(terms) > MOST_TERMS or _sets_rounding(ctx):
        return None
    loops = tuple(k for k in ctx.loops if any(computed_in(o, k) for o in operands))
    made = ir.Computed("share", ctx.definition.place, loops, ir.Rounded((*terms, str(type_.name))))
    return IntegerValue(ctx.quotient(made, text, value_range(type_)))


def _sets_rounding(ctx: Context) -> bool:
    calls = nodes(ctx.definition.node, c_ast.FuncCall) if ctx.definition.node is not None else ()
    return any(isinstance(c.name, c_ast.ID) and c.name.name in _SET_ROUNDING for c in calls)


def _terms(ctx: Context, e: ir.Expression) -> Iterator[Term]:
    match e:
        case ir.Literal(value=value):
            yield float(value)
        case ir.Use(value=Poly() as known):
            yield known
        case ir.Use(variable=variable) if _is_kept(ctx, variable):
            yield ctx.number(variable)
        case ir.Load(access=access) if not access.volatile and not access.atomic and _is_number(access.type):
            yield ctx.loaded(access).poly
        case ir.Convert(type=type_, argument=argument) if _is_number(type_):
            yield from _terms(ctx, argument)
            yield f"({type_.name})"  # type: ignore[union-attr]
        case ir.Operation(operator=operator, type=type_, arguments=arguments) if _is_number(type_):
            for argument in arguments:
                yield from _terms(ctx, argument)
            yield operator
        case ir.Call(name=name, arguments=arguments) if _depends_on_arguments(e):
            for argument in arguments:
                yield from _terms(ctx, argument)
            yield f"{name}()"
        case _:
            raise NotFollowedError


def _depends_on_arguments(call: ir.Call) -> bool:
    return (call.closed or library.is_known(call.name)) and not call.pointers and _is_number(call.type)


def _is_number(type_: CType) -> bool:
    return isinstance(type_, Integer | Floating)


def _is_kept(ctx: Context, variable: ir.Variable) -> bool:
    """Whether it is a parameter that the function leaves as it was given."""
    own = variable.scope == "parameter" and not variable.inlined and not variable.addressed
    body = ctx.definition.node.body if ctx.definition.node is not None else None
    return own and variable.name not in syntax.assigned_names(body)
