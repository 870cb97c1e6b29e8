"""Values that select what an iteration touches, in C: an index array, or an expression over index arrays.

    y[p[i].next]                          ->  `p[].next`, the values of an array
    y[p[active[i]].next]                  ->  `p[active[i]].next`, in the variable of the loop
    y[k], k = active ? active[i] : i      ->  `active ? active[i] : i`

*Does not handle*: index arrays of several dimensions, choices by anything but whether the pointer to what would be read
is null, loops whose variable does not move by one.
"""

import re

from ..ir.invariance import is_invariant
from ..ir.members import element_part, row_part, selecting
from ..ir.nodes import (
    Access,
    Allocated,
    Anything,
    Assign,
    Computed,
    Counter,
    Declared,
    Either,
    Entry,
    Load,
    Loaded,
    Loop,
    Pointee,
    Rows,
    Subscript,
    Use,
    Variable,
    statements,
)
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import Kind, derived
from ..loops.formula_text import in_variables
from ..memory.access_text import Written, all_of_table, holder, written
from ..memory.alias import c_text, member_text


def array_text(access: Access, loop: Loop) -> str:
    """The values of an index array: `idx`, `s->at`, `p[].next` of an array of structures, `edge[][1]` of pairs. Of
    memory that has no name of its own, and may hold several arrays, it is the pointer to the one that is read. Of many
    arrays it is all that they hold: `list[][]`, `cell[].atom[]`, or one column of it, `cell[][1]`."""
    elements, place = element_part(access), selecting(access)
    several = row_part(access) + (elements[:1] if access.field and len(elements) > 1 else ())
    if any(not is_invariant(s.index, loop.key) for s in several) and (place is None or row_part(access)):
        return _all_of_many(access, loop)
    if len(elements) > 1 and place is not None:
        first, *columns = ("[]" if s is place else f"[{s.index.constant}]" for s in elements)
        return f"{c_text(access.object)}{first}{access.field}{''.join(columns)}"
    nameless = isinstance(access.object, Anything | Allocated)
    found = written(access, loop) if access.field or nameless else None
    if found is None or not found.member:
        return member_text(access) if found is None or not nameless else found.pointer
    return f"{beginning(access, found)}[]{member_behind(found)}"


def _all_of_many(access: Access, loop: Loop) -> str:
    found = written(access, loop)
    if found is None:
        return member_text(access)
    begun = access.text.startswith(found.pointer)
    text = all_of_table(access.text if begun else f"{found.pointer}{'[]' * len(found.subscripts)}{found.member}")
    match [s.index.constant for s in element_part(access)]:
        case [int() as column] if text.endswith("[]") and not access.field:
            return f"{text[:-2]}[{column}]"
        case _:
            return text


def index_text(s: Symbol, loop: Loop, variable: str) -> str | None:
    """A value that each iteration of the loop reads once, as an expression in the variable of the loop, which is called
    `variable`; None where it is not made of the iteration and of memory alone."""
    match s.origin:
        case Loaded(access=access, loops=inside) if loop.key in inside:
            return _of_element(access, loop, variable)
        case Computed(meaning=Either(values=(then, otherwise), pointer=Load() | Use() as p), loops=inside):
            return _of_choice(p, then, otherwise, loop, variable) if loop.key in inside else None
        case _:
            return None


def _of_element(access: Access, loop: Loop, variable: str) -> str | None:
    found, elements = written(access, loop), element_part(access)
    if found is None or len(elements) != 1 or any(s.index.symbols for s in row_part(access)):
        return None
    if isinstance(access.object, Anything | Allocated):  # a pointer to it need not lead to where it begins
        as_written = _as_written(found, elements[0].index, loop, variable)
        if as_written is not None or holder(loop, access.object) is None:
            return as_written
    index = _of_index(elements[0].index, loop, variable)
    return None if index is None else f"{beginning(access, found)}[{index}]{member_behind(found)}"


def _as_written(found: Written, index: Poly, loop: Loop, variable: str) -> str | None:
    """An element of memory without a name of its own: where a pointer to it begins is only known to the program."""
    steady = all(s == loop.counter or is_invariant(symbol(s), loop.key) for s in index.symbols)
    if len(found.subscripts) != 1 or not steady or loop.step is None or abs(loop.step.constant or 0) != 1:
        return None
    names = set(re.findall(r"[A-Za-z_]\w*", found.subscripts[0]))
    known = {s.name for s in index.symbols if isinstance(s.origin, Entry)}
    own = (s.target for s in statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, Variable))
    again = any(v.name in names and v.inlined for v in own)
    if loop.variable not in names or again or not names <= {loop.variable, *known}:
        return None
    written_in = re.sub(rf"\b{loop.variable}\b", variable, found.subscripts[0])
    return f"{found.pointer}[{written_in}]{member_behind(found)}"


def beginning(access: Access, found: Written) -> str:
    """The pointer to where the object of an access begins, from which its subscripts count: `idx` of `k[i]` for
    `k = idx + 1`."""
    match access.object:
        case Pointee(variable=variable) | Declared(variable=variable):
            return variable.name
        case Rows(field=field) if field and not _ends_with(found.pointer, field):
            return c_text(access.object)
        case _:
            return found.pointer


def _ends_with(pointer: str, field: str) -> bool:
    return pointer.replace("->", ".").endswith(f".{field.rpartition('.')[2]}")


def member_behind(found: Written) -> str:
    """The member behind a subscript; through a pointer to the element it was written with an arrow."""
    return f".{found.member[2:]}" if found.member.startswith("->") else found.member


def _of_choice(p: Load | Use, then: Poly, otherwise: Poly, loop: Loop, variable: str) -> str | None:
    read = behind(p, then)
    found = written(read, loop) if read is not None else None
    arms = [_of_index(arm, loop, variable) for arm in (then, otherwise)]
    if read is None or found is None or None in arms:
        return None
    return f"{beginning(read, found)} ? {arms[0]} : {arms[1]}"


def behind(p: Load | Use, value: Poly) -> Access | None:
    """The access that reads the value, if it does so through this pointer."""
    lone = next((s for s in value.symbols if value == symbol(s)), None)
    if lone is None or not isinstance(lone.origin, Loaded):
        return None
    read = lone.origin.access
    match p, read.object:
        case Use(variable=variable), Pointee(variable=of):
            return read if variable == of else None
        case Load(access=a), Rows(base=base, field=field):
            of_one = (a.object, a.field, _indices(a.subscripts)) == (base, field, _indices(row_part(read)))
            return read if of_one else None
        case _:
            return None


def _indices(subscripts: tuple[Subscript, ...]) -> tuple[Poly, ...]:
    return tuple(s.index for s in subscripts)


def _of_index(index: Poly, loop: Loop, variable: str) -> str | None:
    if loop.variable is None or loop.step is None or abs(loop.step.constant or 0) != 1:
        return None
    images: dict[Symbol, Poly] = {}
    for s in index.symbols:
        text = s.name
        if isinstance(s.origin, Entry) and re.fullmatch(r"[A-Za-z_]\w*", text) and loop.key not in s.origin.loops:
            continue
        if not isinstance(s.origin, Counter):
            read = index_text(s, loop, variable)
            if read is None:
                return None
            text = read if isinstance(s.origin, Loaded) else f"({read})"
            images[s] = symbol(derived(Kind.VARIABLE, s, s.origin, text))
        elif s.origin.loop != loop.key:
            return None
    lone = next((s for s in images if index == symbol(s)), None)
    if lone is not None:
        (name,) = images[lone].symbols
        return name.name.removeprefix("(").removesuffix(")") if isinstance(lone.origin, Computed) else name.name
    value = in_variables(index, (loop,))
    names = {s: symbol(derived(Kind.VARIABLE, s, s.origin, variable)) for s in value.symbols if s.name == loop.variable}
    return str(value.substitute({**images, **names}))
