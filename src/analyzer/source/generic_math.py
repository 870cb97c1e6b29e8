"""Type-generic functions of `<tgmath.h>` (C11 7.25), as the headers of gcc write them.

*Decides*: which of the functions that `__builtin_tgmath` lists is called: the one whose parameters, where these differ,
have the common real type of the arguments there, integers counting as `double`; a complex one if an argument is
complex, or if there are no others (GCC manual, "Other built-in functions").
*Errs toward* none, where the type of an argument is not known, or no function of the list takes it.

    float x;  __builtin_tgmath(sqrtf, sqrt, sqrtl, csqrtf, csqrt, csqrtl, (x))      ->  sqrtf(x)
"""

from collections.abc import Iterable
from itertools import takewhile

from pycparser import c_ast

from .ctypes import Complex, CType, Floating, Function, Integer
from .typing import Scope, expression_type

NAME = "__builtin_tgmath"

_RANKS = ("float", "double", "long double")

Kind = tuple[str, bool]
"""The name of a real type, and whether it is that of the parts of a complex one."""


def called(node: c_ast.FuncCall, scope: Scope) -> c_ast.FuncCall | None:
    """The call that it stands for; None where that cannot be told. Example: see the module."""
    listed = list(node.args.exprs) if node.args is not None else []
    types = [expression_type(e, scope) for e in listed]
    functions = list(takewhile(lambda t: isinstance(t, Function), types))
    arguments, given = listed[len(functions) :], types[len(functions) :]
    taken = [t.parameters for t in functions if isinstance(t, Function) and len(t.parameters) == len(given)]
    if not taken or len(taken) < len(functions):
        return None
    deciding = [k for k, each in enumerate(zip(*taken, strict=True)) if len(set(each)) > 1]
    kinds = [_common(each[k] for k in deciding) for each in taken]
    wanted = _common(given[k] for k in deciding)
    if wanted is not None and all(kind is not None and kind[1] for kind in kinds):
        wanted = (wanted[0], True)
    if wanted is None or kinds.count(wanted) != 1:
        return None
    return c_ast.FuncCall(listed[kinds.index(wanted)], c_ast.ExprList(arguments, node.coord), node.coord)


def _common(types: Iterable[CType | None]) -> Kind | None:
    """The type in which values of these types meet."""
    kinds = [_kind(t) for t in types]
    known = [k for k in kinds if k is not None]
    if not known or len(known) < len(kinds):
        return None
    return max((name for name, _ in known), key=_RANKS.index), any(is_complex for _, is_complex in known)


def _kind(type_: CType | None) -> Kind | None:
    match type_:
        case Integer():
            return "double", False
        case Floating(name=name) | Complex(part=Floating(name=name)) if name in _RANKS:
            return name, isinstance(type_, Complex)
        case _:
            return None
