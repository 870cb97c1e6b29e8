"""The pointers of a nest in C, where its loop begins.

*Decides*: an expression for where an object begins, from which the byte offsets of all accesses to it count, or what
stands around the subscript of an index array; None where C cannot say that before the loop: the loop sets what the
expression names (a parameter of an inlined function among that), it would call a function, or the pointer was moved
on, so that `u[i]` is not element i of what u was made of.
*Method*: the subscripts as the program writes them have to be those that the access has.
"""

import ast
from collections.abc import Iterable

from models.expr.nodes import remembered

from ..base.regex import regex
from ..ir.nodes import (
    Access,
    Assign,
    Declared,
    Function,
    Pointee,
    Rows,
    Statement,
    Use,
    Variable,
    all_loops,
    stands_in,
    statements,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import ZERO, Poly, number, symbol
from ..memory.access_text import holder, shows_place, written
from ..memory.alias import c_text
from ..source.ctypes import Record
from .nest import Nest

_NO_VALUE = regex(r"\w\s*\(|\+\+|--|=|,|\?|[^ -~]")
"""What calls, assigns, or is not spelled out."""

_VARIABLE = regex(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
"""Not the name of a member."""


def begin(nest: Nest, accesses: Iterable[Access]) -> str | None:
    """Where the object of the accesses begins, as a pointer: `&g` of `g.v[i]`, `s->a` of `s->a[i].x`."""
    found = (_begin(nest, access) for access in accesses)
    return next((text for text in found if text is not None), None)


def _begin(nest: Nest, access: Access) -> str | None:
    if isinstance(access.object, Declared):
        variable = access.object.variable
        return f"&{variable.name}" if stays(nest, variable.name) and is_in_view(nest, variable) else None
    if isinstance(access.object, Pointee) and is_one_value(nest, access.object.variable):
        return access.object.variable.name
    member = _member_of_structure(nest, access)
    if member is not None:
        return member
    held_by = holder(nest.loop, access.object)
    if held_by is not None and is_in_view(nest, held_by):
        return held_by.name
    parts = around_subscript(nest, access)
    return None if parts is None else parts[0]


def _member_of_structure(nest: Nest, access: Access) -> str | None:
    """The pointer itself that a structure holds, or one that a parameter leads to, where the loop reads it there and
    leaves it alone: `im.data`, whatever the subscript is, and by which name a function that gets `im` reads it."""
    match access.object:
        case Rows(base=Declared(variable=variable) as base, field=field) if field:
            known = isinstance(variable.type, Record) and is_in_view(nest, variable)
        case Rows(base=Pointee(variable=variable) as base, field=field) if field:
            known = is_one_value(nest, variable)
        case _:
            return None
    found = written(access, nest.loop)
    reads = found is not None and found.pointer.endswith((field, f"->{field[1:]}"))
    first = all(s.index == ZERO for s in access.subscripts if s.row_pointer)
    if not (known and reads and first) or any(t.writes and t.access.object == base for t in nest.touches):
        return None
    pointer = c_text(access.object)
    return pointer if stays(nest, pointer) else None


def is_one_value(nest: Nest, variable: Variable) -> bool:
    """Whether a variable means the same before the loop as anywhere in the function."""
    return is_in_view(nest, variable) and not is_set(nest, variable.name)


def around_subscript(nest: Nest, access: Access) -> tuple[str, str] | None:
    """The text before the subscripts of an access and the member behind them: `s->a` and `.x`."""
    found = written(access, nest.loop)
    places = [s.index for s in access.subscripts if not s.row_pointer]
    if found is None or not stays(nest, found.pointer) or not is_named_here(nest, access):
        return None
    if not _is_in_words_of_loop(nest, access, found.pointer):
        return None
    pairs = zip(found.subscripts, places, strict=True)
    if any(value_of_subscript(nest, text, index) != index for text, index in pairs):
        return None
    return found.pointer, found.member


def is_named_here(nest: Nest, access: Access, text: str = "") -> bool:
    """Whether the variable that an access begins at means the same before the loop, or the one that its `text` begins
    with, a pointer that leads there."""
    pointer = next((v for v in nest.loop.pointers if _begins_with(text, v.name)), None)
    if pointer is not None and stands_in(nest.loop, access):
        return is_in_view(nest, pointer)
    match root(access.object):
        case Declared(variable=variable) | Pointee(variable=variable):
            return is_in_view(nest, variable) and shows_place(access, {loop.counter for loop in all_loops(nest.loop)})
        case _:
            return True


def _is_in_words_of_loop(nest: Nest, access: Access, pointer: str) -> bool:
    """Whether a pointer begins with a name of the function around the loop: not `m.data` of a function that gets the
    structure `im` as its `m`."""
    match root(access.object):
        case Declared(variable=variable) | Pointee(variable=variable):
            names = {variable.name}
        case _:
            names = set()
    names |= {v.name for v in nest.loop.pointers}
    return stands_in(nest.loop, access) or any(_begins_with(pointer, name) for name in names)


def _begins_with(text: str, name: str) -> bool:
    first = _VARIABLE.search(text)
    return first is not None and first[0] == name


def is_in_view(nest: Nest, variable: Variable) -> bool:
    """Whether a variable is declared before the loop, not in another function that was inlined, nor hidden by another
    one of its name."""
    here, loop = nest.function.place, nest.loop.place
    place = variable.place
    first, at, last = ((p.line, p.column) for p in (here, place, loop))
    if variable.scope == "global":
        return not variable.hidden
    return not variable.inlined and place.path == loop.path and first <= at <= last


def stays(nest: Nest, text: str) -> bool:
    """Whether a text has the value, where the loop begins, that it has in the loop."""
    if _NO_VALUE.search(text):
        return False
    return set(_VARIABLE.findall(text)).isdisjoint(_set_in(nest))


def _set_in(nest: Nest) -> frozenset[str]:
    """The names of the variables that the loop sets."""
    counted = (loop.variable for loop in all_loops(nest.loop) if loop.variable is not None)
    return nest.once("names that are set", lambda: _set(nest.loop.body) | frozenset(counted))


def is_set(nest: Nest, name: str) -> bool:
    """Whether the function sets a variable of this name anywhere."""
    return name in _set_by(nest.function)


@remembered("_set_by")
def _set_by(function: Function) -> frozenset[str]:
    return _set(function.body)


def _set(body: tuple[Statement, ...]) -> frozenset[str]:
    """Variables of the function around the loop: of others that have their names, none stands in a test."""
    assignments = (s for s in statements(body) if isinstance(s, Assign) and not _passes_on(s))
    targets = (s.target for s in assignments if isinstance(s.target, Variable))
    return frozenset(variable.name for variable in targets if not variable.inlined)


def _passes_on(s: Assign) -> bool:
    """Whether a parameter of an inlined function gets the value of its namesake: the name means one value."""
    match s:
        case Assign(target=Variable(name=name, key=key), value=Use(variable=given)):
            return given.name == name and given.key != key
        case _:
            return False


def value_of_subscript(nest: Nest, text: str, index: Poly) -> Poly | None:
    """What a subscript says, in the symbols of its index; None where it is no sum or product of variables of loops, of
    variables that the loop leaves alone, and of numbers."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return _of_tree(nest, tree, index)


def _of_tree(nest: Nest, tree: ast.expr, index: Poly) -> Poly | None:
    match tree:
        case ast.Constant(value=int(value)):
            return number(value)
        case ast.Name(id=name):
            return _of_name(nest, name, index)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            negated = _of_tree(nest, operand, index)
            return None if negated is None else -negated
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            a, b = _of_tree(nest, left, index), _of_tree(nest, right, index)
            if a is None or b is None:
                return None
            return a + b if isinstance(op, ast.Add) else a - b if isinstance(op, ast.Sub) else a * b
        case _:
            return None


def _of_name(nest: Nest, name: str, index: Poly) -> Poly | None:
    loops = [
        loop
        for loop in (*nest.around, *all_loops(nest.loop))
        if loop.variable == name and loop.counter in index.symbols
    ]
    if loops:
        (loop, *others) = loops
        if others or loop.first is None or loop.step is None:
            return None
        return loop.first + loop.step * symbol(loop.counter)
    held = next((poly for poly, v in nest.loop.held if v.name == name and is_in_view(nest, v)), None)
    if held is not None and stays(nest, name):
        return held
    if is_set(nest, name):
        return None
    return next((symbol(s) for s in sorted(index.symbols, key=lambda s: s.key) if s.name == name), None)
