"""C expressions for a location of a variable that the loop reaches through a pointer of another shape.

*Decides*: the subscripts and members that lead to so many bytes behind the start of a variable.
*Errs toward* the name of the whole variable: unions, bit-fields, parts of numbers.

    int x[4][4], *w = &x[0][0];     w[6]      ->  `x[1][2]`, which the analysis calls `x[6]`
"""

from collections.abc import Sequence

from ..base.regex import regex
from ..ir import nodes as ir
from ..source.ctypes import Array, CType, Pointer, Record
from ..source.unit import Unit

_NUMBER = regex(r"\[(\d+)\]")


def element_name(unit: Unit, accesses: Sequence[ir.Access], text: str) -> str:
    """The text of a place that does not move, as the type of its variable has it. Example: see the module."""
    numbers = [int(k) for k in _NUMBER.findall(text)]
    if not numbers or any(_squeezed(a.text) == _squeezed(text) for a in accesses):
        return text
    for access in accesses:
        match access.object:
            case ir.Declared(variable=variable) if [s.index.constant for s in access.subscripts] == numbers:
                type_ = variable.type
            case ir.Pointee(variable=variable) if [s.index.constant for s in access.subscripts] == numbers:
                type_ = Array(variable.type.target, None) if isinstance(variable.type, Pointer) else variable.type
            case _:
                continue
        at = _distance(access)
        path = None if at is None or access.bits else _path(unit, type_, at, access.size)
        if path is not None:
            return variable.name + path
        return text if len(numbers) == _dimensions(type_) else variable.name
    return text


def _dimensions(type_: CType) -> int:
    return 1 + _dimensions(type_.element) if isinstance(type_, Array) else 0


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _distance(access: ir.Access) -> int | None:
    """Bytes from the start of the variable on."""
    at = access.offset
    for s in access.subscripts:
        step = None if s.stride is None or s.row_pointer else (s.index * s.stride).constant
        if step is None:
            return None
        at += step
    return at


def _path(unit: Unit, type_: CType, at: int, size: int) -> str | None:
    """`[1].re` for what is so far behind the start of a type; None where no part of it is there."""
    match type_:
        case Array(element=inner) if width := bytes_of(unit, inner):
            rest = _path(unit, inner, at % width, size)
            return None if rest is None else f"[{at // width}]{rest}"
        case Record(kind="struct", key=key) if key in unit.layouts:
            for member in unit.layouts[key].members:
                over, length = at - member.offset, bytes_of(unit, member.type) or 0
                if 0 <= over < length and member.bit_width is None:
                    rest = _path(unit, member.type, over, size)
                    return None if rest is None else f".{member.name}{rest}"
            return None
        case _:
            return "" if at == 0 and bytes_of(unit, type_) == size else None


def bytes_of(unit: Unit, type_: CType) -> int | None:
    """The size of a type, if it is known."""
    match type_:
        case Array(element=inner, length=int(length)):
            size = bytes_of(unit, inner)
            return None if size is None else size * length
        case Record(key=key) if key in unit.layouts:
            return unit.layouts[key].size
        case _:
            return getattr(type_, "size", None)
