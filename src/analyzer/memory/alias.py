"""Whether two objects can share memory.

*Decides*: SAME, DISTINCT, ASSUMED (distinct under a named assumption) or UNKNOWN, for the objects of two accesses.
*Method*: where the pointers come from (definitions.md, "Memory"), then C's effective types (C11 6.5p6-7).
*Errs toward* UNKNOWN.

Effective types: an object declared as one scalar type is never accessed as another (but for `char`), so a `double`
store cannot change a declared `int`. Memory from malloc takes the type of the last store: a store of another type can
legally reuse what an earlier iteration read. So between two pointers of different types nothing flows from a store
to a load, but order still matters; that is an assumption like any other, made where two pointers of one type from
memory would be UNKNOWN.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from ..ir.members import shares_bytes
from ..ir.nodes import (
    Access,
    Allocated,
    Anything,
    Declared,
    Held,
    Object,
    Pointee,
    Returned,
    Rows,
    Text,
    Variable,
)
from ..ir.pointer_roots import root, rooted
from ..ir.reasons import AssumptionKind
from ..source.ctypes import Array, Complex, CType, Floating, Integer, Pointer, Record, element
from ..source.effective_types import is_byte, target_of
from .escape import Escapes
from .made_of import SOMEWHERE
from .points_to import says_it_allocates
from .tables import table_behind, unversioned


class Overlap(Enum):
    SAME = "same"
    DISTINCT = "distinct"
    ASSUMED = "assumed"
    UNKNOWN = "unknown"


Assumed: TypeAlias = tuple[AssumptionKind, str]


class Relation(Struct, frozen=True):
    """How two objects overlap; `assumption` when that is ASSUMED."""

    overlap: Overlap
    assumption: Assumed | None = None
    further: tuple[Assumed, ...] = ()
    """More assumptions of the kind."""

    @property
    def assumptions(self) -> tuple[Assumed, ...]:
        return (self.assumption, *self.further) if self.assumption is not None else ()


SAME = Relation(Overlap.SAME)
DISTINCT = Relation(Overlap.DISTINCT)
UNKNOWN = Relation(Overlap.UNKNOWN)


def overlap(a: Access, b: Access, known: Escapes) -> Relation:
    """How the objects of two accesses overlap."""
    x, y = a.object, b.object
    if x == y:
        return UNKNOWN if isinstance(root(x), Anything) else SAME
    if unversioned(x) == unversioned(y) or known.by_two_names(x, y):
        return UNKNOWN  # one pointer, at two times or by two names
    relation = UNKNOWN if _before_an_exchange(x, y, known) else _provenance(x, y, known)
    if relation.overlap is Overlap.DISTINCT:
        return relation
    if _holds_no_pointer(a, y, known) or _holds_no_pointer(b, x, known):
        return DISTINCT
    if _is_beside(a, y) or _is_beside(b, x):
        return DISTINCT
    if not differ(a, b, known):
        beside = _elements_beside(a, b, known) or _elements_beside(b, a, known)
        return assumed(x, y) if relation.overlap is Overlap.UNKNOWN and beside else relation
    if _of_scalars(x) or _of_scalars(y) or isinstance(a.type, Pointer) != isinstance(b.type, Pointer):
        return DISTINCT
    if relation.overlap is Overlap.UNKNOWN and not (isinstance(x, Anything) or isinstance(y, Anything)):
        return assumed(x, y)
    return relation


def differ(a: Access, b: Access, known: Escapes) -> bool:
    """Whether C forbids one object to be accessed as both: not where members of unions are."""
    return known.differ_in_type(a.type, b.type) and not shares_bytes(a) and not shares_bytes(b)


def surely_apart(x: Object, y: Object, known: Escapes) -> bool:
    """Whether two objects are different memory by where their pointers come from, whatever is assumed."""
    return x != y and _provenance(x, y, known).overlap is Overlap.DISTINCT


def _before_an_exchange(x: Object, y: Object, known: Escapes) -> bool:
    """Whether entries that change places were read before they do for one of two objects, and later for the other: then
    they may be one."""
    if not known.permuted or not (isinstance(x, Rows) and isinstance(y, Rows)):
        return False
    read = [{rows.version for rows in _way(o) if table_behind(rows) in known.permuted} for o in (x, y)]
    return all(read) and len(read[0] | read[1]) > 1


def _holds_no_pointer(a: Access, other: Object, known: Escapes) -> bool:
    """Whether an access is to a structure without pointers, and the other object a declared pointer, or an array of
    such."""
    of_pointers = isinstance(other, Declared) and isinstance(element(other.variable.type), Pointer)
    return of_pointers and isinstance(a.type, Record) and known.is_of_numbers(a.type)


def _is_beside(member: Access, other: Object) -> bool:
    """Whether an access is to a member of one byte in a structure, and the other object a declared number or pointer:
    by its type alone it might be a byte of that."""
    if not is_byte(member.type) or not is_of_structure(member) or not isinstance(other, Declared):
        return False
    type_ = other.variable.type
    return isinstance(type_, Floating | Pointer) or (isinstance(type_, Integer) and type_.size > 1)


def is_of_structure(access: Access) -> bool:
    """Whether it is to a member of a structure, and of no union."""
    return access.structure is not None and access.field != "" and not shares_bytes(access)


def _elements_beside(elements: Access, structure: Access, known: Escapes) -> bool:
    """Numbers of an array that a member leads to, or pointers to such (`s->data[i]`, `s->items[i].x`,
    `s->boxes[b].data[k][i]`), and the structure itself (`s->n`), or bytes of rows (`rows[y][x]`) and the table of
    pointers to them: that they are not inside of it is what `rows-distinct(s->data)` says. Not so for links, which lead
    to more structures of a kind: what has the member itself (`s->items[i].n`) may be one."""
    x, y = elements.object, structure.object
    if not isinstance(x, Rows) or not _is_no_link(elements.type, known) or not in_an_array(elements):
        return False
    of_table = isinstance(structure.type, Pointer)
    beside = of_table or (bool(structure.field) and elements.field != structure.field)
    leads_there = any(rows.base == y and (of_table or rows.field != "") for rows in _way(x))
    return beside and leads_there and not any(known.meet(rows, y) for rows in _way(x))


def _is_no_link(type_: CType, known: Escapes) -> bool:
    """Whether it is a number, or a pointer to numbers, which leads to no structures."""
    return known.is_of_numbers(type_) or (isinstance(type_, Pointer) and target_of(type_)[:1] == ("number",))


def _way(x: Rows) -> Iterator[Rows]:
    """The tables of pointers that are followed to it, the last one first."""
    yield x
    if isinstance(x.base, Rows):
        yield from _way(x.base)


def behind_members(a: Access, b: Access, known: Escapes) -> Relation | None:
    """Numbers, or pointers to numbers, in two arrays of which one at least is behind a member of a structure, apart by
    an assumption: `s->a[i]` and `s->b[i]`, `p->a[i]` and `q->a[i]`, `s->a[i]` and `w[i]`, `s->items[i].x` and `w[i]`;
    or bytes in one of them and a pointer: `p->rows[y][x]` and `q->rows[y]`. None where that is not what they are:
    members that the function itself fills (what they lead to is in the code), one member at two times, pointers of
    unknown origin, and structures that links may lead to: elements of one member (`s->next[i].n`, `t->next[i].n`), and
    those that no subscript selects (`s->left->n`), unless they are of another type."""
    x, y = a.object, b.object
    if unversioned(x) == unversioned(y) or _before_an_exchange(x, y, known):
        return None
    if (walked := _beside_walk(a, b, known) or _beside_walk(b, a, known)) is not None:
        return walked
    if not all(_is_no_link(each.type, known) for each in (a, b)) and not _bytes_and_pointer(a, b):
        return None
    if not all(map(in_an_array, (a, b))) and not _of_other_structures(a, b):
        return None
    first_table, second_table = _member(x), _member(y)
    if first_table is not None and second_table is not None and _of_one_structure(first_table, second_table, known):
        rows = {c_text(o.base) for o in (x, y) if isinstance(o, Rows) and not o.field}
        if not rows:
            return Relation(Overlap.ASSUMED, (AssumptionKind.MEMBERS_DISTINCT, c_text(first_table.base)))
        if not (known.meet(x, y) or any(o in known.exchanged or known.fills(o) for o in (x, y))):
            further = tuple((AssumptionKind.ROWS_DISTINCT, text) for text in sorted(rows))
            return Relation(Overlap.ASSUMED, (AssumptionKind.MEMBERS_DISTINCT, c_text(first_table.base)), further)
    members = [o.field for o in (x, y) if isinstance(o, Rows) and o.field]
    if not members or (a.field and b.field and len(members) > len(set(members))):
        return None
    unknown = any(isinstance(root(o), Anything) and not _from_allocator(root(o)) for o in (x, y))
    if unknown or any(o in known.exchanged for o in (x, y)) or known.meet(x, y):
        return None
    one_structure = isinstance(x, Rows) and isinstance(y, Rows) and x.base == y.base
    if one_structure or any(known.fills(o) for o in (x, y)):
        return None
    first, second = sorted(_root_name(o) if root(o) == o else c_text(o) for o in (x, y))
    return Relation(Overlap.ASSUMED, (AssumptionKind.PARAMS_DISTINCT, f"{first},{second}"))


def _beside_walk(elements: Access, walked: Access, known: Escapes) -> Relation | None:
    """Numbers of an array, of which no structure is made, and a structure, or an array of numbers behind one, that a
    pointer leads to which follows links from other memory, apart by an assumption: `out[i]` and `p->value` after
    `for (p = list[i]; p; p = p->next)`. None where the function stores pointers to the array, or to nobody knows what,
    and where both are behind members of one name."""
    x, start = elements.object, root(walked.object)
    if not (isinstance(start, Anything) and isinstance(start.pointer, Held)):
        return None
    comes_from = known.walked.get(start.pointer.variable.key)
    if not comes_from or any(unversioned(o) == unversioned(x) or known.meet(o, x) for o in comes_from):
        return None
    if not _is_of_numbers_alone(elements, known) or not (walked.structure or isinstance(walked.object, Rows)):
        return None
    if {rows.field for rows in _tables_followed(x)} & {rows.field for rows in _tables_followed(walked.object)}:
        return None
    if any(_own(root(o)) for o in comes_from) or x in known.exchanged or known.fills(x):
        return None
    stored = known.kept.union(known.given_away, *known.initial.values())
    if not stored.isdisjoint({x, unversioned(x), SOMEWHERE}):
        return None
    if any(isinstance(root(o), Anything) and o != start for o in stored):
        return None
    first, second = sorted((c_text(x), c_text(walked.object)))
    return Relation(Overlap.ASSUMED, (AssumptionKind.PARAMS_DISTINCT, f"{first},{second}"))


def _is_of_numbers_alone(elements: Access, known: Escapes) -> bool:
    """Whether an access is to a number of an array that is declared as one of numbers, or behind a pointer to such: no
    structure is made of them."""
    if elements.structure is not None or not _is_no_link(elements.type, known):
        return False
    match elements.object:
        case Declared(variable=variable):
            return isinstance(element(variable.type), Integer | Floating | Complex)
        case Pointee(variable=Variable(type=Pointer(target=target))):
            return isinstance(target, Integer | Floating | Complex)
        case Rows() as rows:
            return table_behind(rows) in known.of_numbers
        case _:
            return False


def _tables_followed(x: Object) -> Iterator[Rows]:
    return _way(x) if isinstance(x, Rows) else iter(())


def _member(x: Object) -> Rows | None:
    """The memory that a member of a structure leads to, on the way to this: that of `t->a` for `t->a[j][i]`."""
    while isinstance(x, Rows) and not x.field:
        x = x.base
    return x if isinstance(x, Rows) else None


def _bytes_and_pointer(a: Access, b: Access) -> bool:
    """Whether one is a byte of an array, and the other a pointer, which C's types do not keep apart."""
    number, pointer = (b, a) if isinstance(a.type, Pointer) else (a, b)
    return isinstance(number.type, Integer) and not number.field and isinstance(pointer.type, Pointer)


def _of_other_structures(a: Access, b: Access) -> bool:
    """Whether one is a number of an array behind a member, and the other a member of a structure that neither holds the
    elements of that array nor is held by them: `s->items[i].x` and `t->n`."""
    elements, single = (a, b) if in_an_array(a) else (b, a)
    behind_member = isinstance(elements.object, Rows) and elements.object.field != ""
    if not behind_member or not in_an_array(elements) or in_an_array(single) or single.structure is None:
        return False
    if isinstance(elements.type, Record):
        return False  # what it holds is not known here
    x, y = elements.structure, single.structure
    return not elements.field if x is None else not x.may_be_part(y)


def _of_one_structure(x: Rows, y: Rows, known: Escapes) -> bool:
    """Whether two members of one structure lead to the memory, whoever has filled them: another function, or this one
    with what calls returned."""
    at_one_time = (x.base, x.version) == (y.base, y.version) and "" not in (x.field, y.field) and x.field != y.field
    shown = known.shows(x) or known.shows(y) or known.meet(x, y, surely=True)
    return at_one_time and not shown and x not in known.exchanged and y not in known.exchanged


def in_an_array(access: Access) -> bool:
    """Whether it is a number of an array, or in a structure that a subscript selects."""
    behind = [s.index.constant for s in access.subscripts if not s.row_pointer]
    return not access.field or None in behind or isinstance(access.object, Declared)


def never_written(x: Object) -> bool:
    """String literals, and what is declared `const` (C11 6.4.5p7, 6.7.3p6)."""
    if isinstance(x, Declared):
        return bool(getattr(element(x.variable.type), "const", False))
    return isinstance(x, Text)


def _of_scalars(x: Object) -> bool:
    """A declared scalar or array of scalars: its effective type is that of its declaration (a union has several)."""
    return isinstance(x, Declared) and isinstance(element(x.variable.type), Integer | Floating | Pointer)


def assumed(x: Object, y: Object) -> Relation:
    """Distinct by assumption: two parameters (or globals), rows that pointers in memory lead to, or both."""
    first, second = sorted((_root_name(x), _root_name(y)))
    tables = sorted({c_text(o) for o in (x, y) if isinstance(o, Rows)})
    rows = tuple((AssumptionKind.ROWS_DISTINCT, text) for text in tables)
    if rows and root(x) != root(y) and _own(root(x)) and _own(root(y)):
        return Relation(Overlap.ASSUMED, rows[0], rows[1:])
    if first != second:
        return Relation(Overlap.ASSUMED, (AssumptionKind.PARAMS_DISTINCT, f"{first},{second}"), rows)
    return Relation(Overlap.ASSUMED, rows[0] if rows else (AssumptionKind.ROWS_DISTINCT, first))


def c_text(x: Object) -> str:
    """The object as C writes it: `s->d` for what a member points to, the plain name otherwise."""
    if not isinstance(x, Rows):
        return str(x)
    base = c_text(x.base)
    if not x.field:
        return base
    return f"{base}{x.field}" if _is_one_structure(x.base) else f"{base}->{x.field.removeprefix('.')}"


def _is_one_structure(x: Object) -> bool:
    """Whether a dot names a member of it: of a declared structure or, as reports have it, of any element of an array;
    an array of one is written as the pointer that it stands for."""
    return isinstance(x, Declared) and not (isinstance(x.variable.type, Array) and x.variable.type.length == 1)


def member_text(access: Access) -> str:
    """The array that an access is in: `a`, `s->v`, `s.v`."""
    base = c_text(access.object)
    if not access.field or not access.field.startswith("."):
        return base
    return f"{base}{access.field}" if _is_one_structure(access.object) else f"{base}->{access.field[1:]}"


def _root_name(x: Object) -> str:
    origin = root(x)
    match origin:
        case Anything(pointer=Held(variable=variable)) if _is_handed(origin) or _is_of_program(origin):
            return variable.name
        case _:
            pass
    return f"{str(origin).partition('(')[0]}()" if _from_allocator(origin) else str(origin)


def _of_one(x: Object, y: Object) -> bool:
    """Whether two objects are one, or behind one pointer."""
    return x == y or (isinstance(x, Pointee) and isinstance(y, Pointee) and x.variable == y.variable)


def _own(x: Object) -> bool:
    """Memory that did not exist, or that nobody else could name, when the function was entered."""
    match x:
        case Declared(variable=variable):
            return variable.scope in ("local", "parameter")
        case Allocated():
            return True
        case _:
            return False


def _provenance(x: Object, y: Object, known: Escapes) -> Relation:
    """The relation of two different objects by where their pointers come from."""
    if (x, y) not in known.between:
        known.between[x, y] = _by_pointers(x, y, known)
    found: Relation = known.between[x, y]
    return found


def _by_pointers(x: Object, y: Object, known: Escapes) -> Relation:
    if root(x) in known.exchanged or root(y) in known.exchanged:
        return _exchanged(x, y, known)
    xs, ys = known.targets(x), known.targets(y)
    if xs != {x} or ys != {y}:
        return UNKNOWN if xs & ys else _of_all(xs, ys, known)
    if known.meet(x, y):
        return UNKNOWN
    if never_written(x) or never_written(y):
        return DISTINCT
    for a, b in ((x, y), (y, x)):
        match a, b:
            case Anything(), _:
                return _behind_anything(a, b, known)
            case Rows(), Declared() | Allocated() if _own(b):
                return _beside_own(a, b, known)
            case (Declared() | Allocated()), (Declared() | Allocated()):
                return DISTINCT
            case (Declared() | Allocated()), Pointee() if _own(a):
                return assumed(a, b) if _may_be_set_to(b, a, known) else DISTINCT
            case _:
                pass
    return _outside(x, y, known)


def _may_be_set_to(x: Pointee, own: Object, known: Escapes) -> bool:
    """Whether somebody who got the address of an object of this function may have stored it in a pointer of the
    program. (A parameter has the value that it was called with.)"""
    escaped = not isinstance(own, Declared) or own in known.objects
    return x.variable.scope != "parameter" and known.leaks and escaped


def _exchanged(x: Object, y: Object, known: Escapes) -> Relation:
    """What holds for all the objects that swapped pointers may lead to; two of one loop never lead to the same."""
    xs, ys = (tuple(rooted(o, at) for at in known.exchanged.get(root(o), (root(o),))) for o in (x, y))
    if xs != ys and set(xs) & set(ys):
        return UNKNOWN
    return _of_all(xs, ys, known)


def _of_all(xs: Iterable[Object], ys: Iterable[Object], known: Escapes) -> Relation:
    """What holds for each object of the first with each other one of the second."""
    return _of_each([_provenance(a, b, known) for a in xs for b in ys if a != b])


def _of_each(found: list[Relation]) -> Relation:
    """What holds where each of these does."""
    kinds = {relation.overlap for relation in found}
    if kinds <= {Overlap.DISTINCT}:
        return DISTINCT
    if not kinds <= {Overlap.DISTINCT, Overlap.ASSUMED}:
        return UNKNOWN
    needed = sorted({a for relation in found for a in relation.assumptions})
    return Relation(Overlap.ASSUMED, needed[0], tuple(needed[1:]))


def _behind_anything(a: Anything, b: Object, known: Escapes) -> Relation:
    if isinstance(b, Declared) and _own(b) and b not in known.objects:
        return DISTINCT
    if isinstance(a.pointer, Returned) and isinstance(b, Allocated) and known.is_unknown_to_calls(b):
        return DISTINCT
    if isinstance(b, Anything):
        new = _new_beside(a, b) or _new_beside(b, a)
    else:
        new = _from_allocator(a) and (not isinstance(b, Rows) or _is_ours(a, known))
    return assumed(a, b) if new else UNKNOWN


def _is_ours(x: Anything, known: Escapes) -> bool:
    """Whether the function neither stores pointers in memory nor gives this one to anybody who may: then none that is
    kept in memory leads there, if it leads to new memory."""
    given = (each.pointer for each in known.used_otherwise if isinstance(each, Anything))
    return not known.kept and x.pointer not in given and not any(known.leads_to(e, x) for e in known.used_otherwise)


def _from_allocator(x: Object) -> bool:
    """Whether a pointer is the result of a call that says by its name that it allocates, or a variable that only such
    calls set: that it leads to new memory is not seen, but can be assumed like the distinctness of parameters."""
    match x:
        case Anything(pointer=Held(set_by=set_by)):
            return set_by == "allocators"
        case _:
            return says_it_allocates(x)


def _is_of_program(x: Anything) -> bool:
    """Whether it is what a global pointer leads to after a call or a store that may have set it."""
    return isinstance(x.pointer, Held) and x.pointer.variable.scope in ("global", "static")


def _is_handed(x: Anything) -> bool:
    """Whether nothing but calls, which get its address, sets the pointer variable that leads there."""
    return isinstance(x.pointer, Held) and x.pointer.set_by != ""


def _new_beside(a: Anything, b: Anything) -> bool:
    """Whether the first comes from an allocator, and the second is no copy of it: the result of another one, another
    variable that only calls set, or a pointer of the program."""
    if not _from_allocator(a) or a.pointer == b.pointer:
        return False
    if _is_of_program(b):
        return True
    match a.pointer, b.pointer:
        case Held(variable=one), Held(variable=other):
            return _is_handed(b) and one != other
        case _:
            return _from_allocator(b) or _is_handed(b)


def _beside_own(rows: Rows, own: Object, known: Escapes) -> Relation:
    """Whether the pointers stored in memory that others made can lead to an object of this function: only where their
    memory may be that in which the function has stored a pointer to it."""
    if (isinstance(own, Declared) and own not in known.objects) or known.is_secret(own):
        return DISTINCT
    match root(rows):
        case Pointee() | Declared(variable=Variable(scope="parameter")) if not known.leaks:
            return DISTINCT
        case Pointee(variable=Variable(scope="parameter")) | Declared(variable=Variable(scope="parameter")):
            tables, table = known.kept_in(own), unversioned(rows.base)
            if tables is None or table in tables:
                return UNKNOWN
            return _of_each([_provenance(each, table, known) for each in tables])
        case _:
            return UNKNOWN


def _outside(x: Object, y: Object, known: Escapes) -> Relation:
    """Two objects that both may have existed before the call: pointees, globals, rows."""
    restricted = any(isinstance(o, Pointee | Rows) and o.restrict for o in (x, y))
    if restricted and not (known.leaks and (isinstance(x, Rows) or isinstance(y, Rows))):
        if isinstance(x, Rows) and isinstance(y, Rows) and x.field == y.field and x.base != y.base:
            return _provenance(x.base, y.base, known)  # `r->a` and `s->a` are one pointer if r and s are equal
        return DISTINCT
    members = [o for o in (x, y) if isinstance(o, Rows) and o.field]
    anything = isinstance(root(x), Anything) or isinstance(root(y), Anything)
    if members or anything or _of_one(root(x), root(y)):
        return UNKNOWN
    return assumed(x, y)


def shared_scalars(used: Iterable[Variable], known: Escapes) -> Iterator[Variable]:
    """Those scalar variables that a store through a pointer might change (C11 6.7.3p6: none that is `const`)."""
    for variable in used:
        if getattr(variable.type, "const", False):
            continue
        pointed_to = variable.addressed and variable.scope != "parameter"
        if variable.by_name:
            continue
        if variable.scope == "global" or pointed_to or Declared(variable) in known.objects:
            yield variable
