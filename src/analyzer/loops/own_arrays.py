"""Small arrays of a function that only ever hold what they are declared with: `int dim[3] = {nx, ny, nz};`.

*Decides*: what a read of such an element gives: the value in the list, a number or where a pointer leads; of a list of
pointers that follow each other in a table, also where an element leads that is selected by a variable. No text of the
function stores to the array, or gives it to somebody who does: subscripts read it, and functions with a body that only
read what they get.
*Errs toward* nothing known: arrays of several dimensions, lists that name elements, arrays of callees, two of one name.

    int dim[3] = {nx, ny, nz};  ... a[place(i, j, k, dim)] ...      ->  dim[2] is nz
    float *c[3] = {image->plane[0], image->plane[1], image->plane[2]};  ... c[k][i] ...     ->  c[k] is image->plane[k]
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.polynomials import number
from ..source.ctypes import Array, Integer, Pointer
from ..source.nodes import nodes, of_tree
from ..source.unit import Unit
from . import syntax
from .context import Context, Typed
from .conversions import convert
from .values import Address, IntegerValue, OwnRows, Value, from_the_start

MOST_ELEMENTS = 16
DEEPEST = 4
"""Functions that hand an array on to each other."""


class Use(Struct, frozen=True):
    """One place where a function names a variable: it reads an element (`to` is empty), hands the array on to a
    function as one of its arguments, or does something else with it (`other`)."""

    name: str
    to: str = ""
    argument: int = 0
    other: bool = False


def initialised(ctx: Context, variable: ir.Variable, init: c_ast.InitList, given: Mapping[int, Typed]) -> None:
    """An array starts with the values in a list, by the `id` of their syntax."""
    if not _is_small(variable) or any(isinstance(e, c_ast.NamedInitializer | c_ast.InitList) for e in init.exprs):
        return
    assert isinstance(variable.type, Array)
    if len(ctx.frames) == 1 and _is_only_read(ctx.unit, ctx.definition.node, variable.name, DEEPEST):
        held = [_kept(ctx, convert(ctx, given[id(e)], variable.type.element, e).value) for e in init.exprs]
        ctx.own_elements.update({(variable.key, k): value for k, value in enumerate(held) if value is not None})
        if len(held) == variable.type.length and (rows := _neighbours(held)) is not None:
            ctx.own_rows[variable.key] = rows


def _kept(ctx: Context, value: Value | None) -> IntegerValue | Address | None:
    match value:
        case IntegerValue():
            return value
        case Address(object=ir.Rows() | ir.Pointee() | ir.Allocated() | ir.Declared()):
            return from_the_start(value, ctx.size_of(value.target))
        case _:
            return None


def _neighbours(held: list[IntegerValue | Address | None]) -> OwnRows | None:
    """Where the first element leads, and which of its subscripts the number of the element is added to, where what all
    of them are made of follows each other in a table."""
    match held:
        case [Address(object=ir.Rows()) as first, _, *_]:
            at = len([s for s in first.subscripts if s.row_pointer]) - 1
        case _:
            return None
    rows = OwnRows(first, at)
    return rows if all(isinstance(e, Address) and e == rows.led_to(number(k)) for k, e in enumerate(held)) else None


def value(ctx: Context, access: ir.Access) -> IntegerValue | Address | None:
    """What a read of memory gives, where it is of such an element. Example: see the module."""
    match access:
        case ir.Access(object=ir.Declared(variable=variable), subscripts=(place,), field="", offset=0):
            size = place.stride.constant if place.stride is not None else None
            if size != access.size:
                return None
            at, rows = place.index.constant, ctx.own_rows.get(variable.key)
            if at is None and rows is not None:
                return rows.led_to(place.index)
            return None if at is None else ctx.own_elements.get((variable.key, at))
        case _:
            return None


def _is_small(variable: ir.Variable) -> bool:
    match variable.type:
        case Array(element=Integer(volatile=False) | Pointer(volatile=False, restrict=False), length=int(length)):
            return variable.scope == "local" and length <= MOST_ELEMENTS and not variable.addressed
        case _:
            return False


def _is_only_read(unit: Unit, function: c_ast.FuncDef | None, name: str, depth: int) -> bool:
    """Whether all that a function does with an array, or with what a parameter leads to, is to read it."""
    if function is None or depth == 0 or sum(d.name == name for d in nodes(function, c_ast.Decl)) != 1:
        return False
    uses = (u for u in _uses(function) if u.name == name)
    return all(not u.other and (not u.to or _reads(unit, function, u, depth)) for u in uses)


def _reads(unit: Unit, function: c_ast.FuncDef, use: Use, depth: int) -> bool:
    """Whether a function that an array is handed on to only reads it: not one that a variable of its name hides."""
    hidden = any(d.name == use.to for d in nodes(function, c_ast.Decl) if d is not function.decl)
    definition = None if hidden else unit.definitions.get(use.to)
    node = definition.node if definition is not None else None
    names = [] if node is None else [getattr(p, "name", None) for p in syntax.parameter_declarations(node)]
    name = names[use.argument] if use.argument < len(names) else None
    return name is not None and _is_only_read(unit, node, name, depth - 1)


@of_tree
def _uses(function: c_ast.FuncDef) -> tuple[Use, ...]:
    return tuple(_used_in(function.body))


def _used_in(node: c_ast.Node) -> Iterator[Use]:
    match node:
        case c_ast.ID(name=name):
            yield Use(str(name), other=True)
            return
        case c_ast.UnaryOp(op="sizeof"):
            return
        case c_ast.ArrayRef(name=c_ast.ID(name=name), subscript=subscript):
            yield Use(str(name))
            yield from _used_in(subscript)
            return
        case c_ast.Assignment(lvalue=place):
            yield from _stored(place)
        case c_ast.UnaryOp(op="&" | "++" | "--" | "p++" | "p--", expr=place):
            yield from _stored(place)
        case c_ast.FuncCall(name=c_ast.ID(name=to), args=c_ast.ExprList(exprs=exprs)):
            for k, each in enumerate(exprs):
                if isinstance(each, c_ast.ID):
                    yield Use(str(each.name), to=str(to), argument=k)
                else:
                    yield from _used_in(each)
            return
        case c_ast.StructRef(name=inner):
            yield from _used_in(inner)
            return
        case c_ast.FuncCall(name=c_ast.ID()):
            return
        case _:
            pass
    for child in node:
        yield from _used_in(child)


def _stored(place: c_ast.Node) -> Iterator[Use]:
    """The array that an element is of which is changed, or of which the address is taken."""
    if isinstance(place, c_ast.ArrayRef) and isinstance(place.name, c_ast.ID):
        yield Use(str(place.name.name), other=True)
