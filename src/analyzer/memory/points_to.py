"""Points-to sets of pointers that walk: arithmetic on a pointer stays in its object (C11 6.5.6p8).

*Decides*: for local pointers and pointer parameters that nobody else can set, the objects that their assignments in the
function name. That is asked where the value of the pointer is not known, so that its memory has a name of its own.
*Method*: the union over all assignments, until nothing is added; a step (`p++`, `p += k`) and a
null pointer add nothing.
*Errs toward* nothing: a pointer that is set by its address is not followed, nor is one that only started there, nor one
that an iteration may find as another one left it, where that allocates. One that is read from memory leads to what
stands behind that table of pointers, one that a call gives to what that has returned. That a call allocates may be said
by its name alone, outside of loops; so may that a call releases memory, and leaves null in the pointer whose address it
gets.

    p = a; q = b; for (i...) for (j...) *p++ = *q++;        ->  p leads to a, q to b
    p = NULL; if (n > 0) p = my_alloc(n);                   ->  p leads to what my_alloc() returned
"""

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from ..ir import c_library as library
from ..ir.nodes import (
    Address,
    Allocated,
    Anything,
    Assign,
    Call,
    Choice,
    Declared,
    Expression,
    Function,
    Held,
    Leads,
    Literal,
    Load,
    Object,
    Pointee,
    Refused,
    Returned,
    Use,
    Variable,
    every_statement,
    loops,
    statements,
    unconverted,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import Symbol
from ..ir.reasons import AssumptionKind
from ..ir.restored_values import is_restored, is_set_first
from ..source.ctypes import Pointer
from .list_walks import walks


class Leading(Struct, frozen=True):
    """The objects that pointers lead to, by their keys: all of them of some, and of all what is known."""

    all: Mapping[int, frozenset[Object]]
    some: Mapping[int, frozenset[Object]]
    walked: Mapping[int, frozenset[Object]]
    """The memory that all values of a pointer come from, by any number of links (`list_walks`)."""


def leading(function: Function, lent: Iterable[Object] = ()) -> Leading:
    """What the pointers of a function lead to. `lent`: objects whose address is taken somewhere: who has the address of
    a pointer (`get(&p)`) may set it. Where code is not understood, nothing is known."""
    made: dict[int, list[tuple[Expression, Object | None]]] = {}
    unknown = {o.variable.key for o in lent if isinstance(o, Declared) and not o.variable.released}
    pointers = (v for v in function.parameters if isinstance(v.type, Pointer) and v.key not in unknown)
    own = {v.key: Pointee(v, v.type.restrict) for v in pointers if isinstance(v.type, Pointer)}
    given = _returned_once(function)
    within = _Iterations(function)
    for s in every_statement(function):
        match s:
            case Assign(target=Variable(type=Pointer()) as pointer, value=value, leads=leads):
                within.variables[pointer.key] = pointer
                made.setdefault(pointer.key, []).append((value, None if leads is None else leads.object))
                given |= _given(value, leads)
                unread = function.supposing and pointer.addressed  # its address may be taken where errors are handled
                if (unread and not pointer.released) or pointer.scope not in ("local", "parameter"):
                    unknown.add(pointer.key)
            case Refused():
                return Leading({}, {}, {})
            case _:
                pass
    walked = walks(made, own, unknown)
    found: dict[int, set[Object]] = {key: {own[key]} if key in own else set() for key in [*own, *made]}
    while True:
        before = {key: set(objects) for key, objects in found.items()}, len(unknown)
        for key, values in made.items():
            for value, read in values:
                _add(key, value, read, found, own, unknown, given)
            unknown.update({key} if not within.keep(key, found[key]) else ())
        if (found, len(unknown)) == before:
            some = {key: frozenset(objects) for key, objects in found.items() if objects}
            return Leading({key: objects for key, objects in some.items() if key not in unknown}, some, walked)


class _Iterations:
    """Memory that iterations of loops allocate, which has one name in all of them."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.variables: dict[int, Variable] = {}
        self._known: dict[tuple[int, Symbol], bool] = {}

    def keep(self, key: int, objects: Iterable[Object]) -> bool:
        """Whether a pointer leads to memory of this iteration only, where it leads to such memory."""
        counters = {c for x in objects if isinstance(x, Allocated) for c in x.loops}
        return all(self._keeps(self.variables[key], c) for c in counters)

    def _keeps(self, pointer: Variable, counter: Symbol) -> bool:
        at = (pointer.key, counter)
        if at not in self._known:
            loop = next((each for each in loops(self.function.body) if each.counter == counter), None)
            self._known[at] = loop is not None and (
                loop.key in pointer.loops
                or is_set_first(loop, pointer)
                or is_restored(self.function, loop, pointer)
            )
        return self._known[at]


def says_it_allocates(x: Object) -> bool:
    """Whether memory is the result of a call that says by its name that it allocates."""
    match x:
        case Anything(pointer=Returned(function=name)):
            return library.says_it_allocates(name)
        case _:
            return False


def _returned_once(function: Function) -> set[Object]:
    """The memory that such calls outside of loops return: each evaluation of one gives other memory."""
    given = [
        (s, s.leads.object)
        for s in every_statement(function)
        if isinstance(s, Assign) and s.leads is not None and says_it_allocates(s.leads.object)
    ]
    repeated = set[int]()
    for loop in loops(function.body) if given else ():
        if id(loop) not in repeated:  # what is in an inner one is in the outer one, too
            repeated.update(id(s) for s in statements(loop.body))
    return {leads for s, leads in given if id(s) not in repeated}


def _given(value: Expression, leads: Leads | None) -> frozenset[Object]:
    """The memory that a call gives which is supposed to be independent."""
    match unconverted(value), leads:
        case Call(supposed=AssumptionKind.INDEPENDENT), Leads(object=Anything() as object_):
            return frozenset({object_})
        case _:
            return frozenset()


def _add(
    key: int,
    value: Expression,
    read: Object | None,
    found: dict[int, set[Object]],
    own: Mapping[int, Pointee],
    unknown: set[int],
    given: Collection[Object],
) -> None:
    """What one assignment adds to the objects of a pointer, or that it is unknown. `read`: what a pointer that is read
    from memory leads to, or that a call has returned. `given`: what calls gave that are supposed to be independent, or
    that allocate by their names."""
    match unconverted(value):
        case Address(object=Anything(pointer=Held(variable=Variable(key=source)))) | Use(variable=Variable(key=source)):
            if source in unknown or (source not in found and source not in own):
                unknown.add(key)
            found[key] |= found.get(source, {own[source]} if source in own else set())
        case Address(object=Anything() as object_) if object_ not in given:
            unknown.add(key)
        case Address(object=object_) if object_ is not None:
            found[key].add(object_)
        case Call(made=Allocated() as new):
            found[key].add(new)
        case Call(supposed=supposed) if isinstance(read, Anything):
            if supposed is AssumptionKind.INDEPENDENT or read in given or _is_found(read):
                found[key].add(read)
            else:
                unknown.add(key)
        case Literal(value=0):
            pass  # a null pointer leads nowhere
        case Choice(then=then, otherwise=otherwise):
            for arm in (then, otherwise):
                _add(key, arm, None, found, own, unknown, given)
        case Load() if read is not None and _is_named(root(read)):
            found[key].add(read)
        case _:
            unknown.add(key)


def _is_named(x: Object) -> bool:
    """Whether all that it may be has its name: no memory behind a pointer that is not followed, but for what a call
    gives."""
    return not isinstance(x, Anything) or isinstance(x.pointer, Returned)


def _is_found(x: Anything) -> bool:
    """Whether a call gives it that does not say by its name that it makes it: whoever knew it before may lead there."""
    return isinstance(x.pointer, Returned) and not says_it_allocates(x)
