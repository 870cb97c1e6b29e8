"""Escaping addresses of private copies, and of memory on the stack.

*Decides*: whether a loop stores, where somebody may read it later, a pointer to a variable or an array that is private,
reduced, or begins with its old value, or to memory that an iteration has from `alloca`: a thread runs iterations in a
function of its own, and that memory is gone when it returns. Pointers are followed through what the iteration stores
them in: variables, members, entries, initialisers, whole structures.
*Errs toward* kept: of a structure, all but other numbers. *Does not handle*: pointers copied from memory, which nothing
in the loop leads to its copies.

    for (...) { t = a[i]; p[i] = &t; }      ->  not parallel with a private t: p[i] is the address of the one before it
    for (...) { t = a[i]; add(&t); }        ->  what only looks at it within the iteration may have that of a copy
    for (...) { struct s b = {&t}; t = a[i]; p[i] = b; }    ->  not parallel: b carries it there
    for (...) p[i] = alloca(16);            ->  not parallel, where p is read behind the loop
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ..facts.loop import Separated
from ..ir.c_library import ON_STACK
from ..ir.members import shares_bytes
from ..ir.nodes import (
    Access,
    Allocated,
    Assign,
    Choice,
    Convert,
    Declared,
    Expression,
    Load,
    Object,
    Operation,
    Use,
    Variable,
    statements,
)
from ..ir.reasons import ReasonCode
from ..memory.alias import c_text
from ..memory.escape import led_to
from ..memory.made_of import SOMEWHERE
from ..memory.tables import Table, table_of, unversioned
from ..source.ctypes import Complex, Floating, Integer
from .finding import Finding, problem
from .function_facts import Surroundings
from .liveness import is_read_later, live_variables
from .scope import Scope


def handed_out(around: Surroundings, scope: Scope, found: Finding) -> Finding:
    """The first pointer to a copy, or to memory on the stack, that is left behind."""
    copies = [replace(s, target=_unversioned(s.target)) for s in found.separated]
    on_stack = any(calling.call.name in ON_STACK for calling in scope.history.calls)
    for store, own in _stored(scope, copies) if copies or on_stack else ():
        if _is_left(around, scope, store):
            return problem(ReasonCode.MAY_ALIAS, f"`{store.text}` keeps the address of {own}", store.place.line)
    return Finding()


def _unversioned(target: Variable | Object) -> Variable | Object:
    return target if isinstance(target, Variable) else unversioned(target)


def _stored(scope: Scope, copies: list[Separated]) -> Iterator[tuple[Assign, str]]:
    """What stores a pointer to memory that is gone with the thread, or what carries one, and that memory in words."""
    carriers = dict(_initialised(scope, copies))
    stores = [s for s in statements(scope.loop.body) if isinstance(s, Assign)]
    known = -1
    while known < len(carriers):
        known = len(carriers)
        for store in stores:
            own = _led_to(scope, store, copies) or _carried(scope, store, carriers)
            if own:
                carriers.setdefault(_table(store.target), own)
                yield store, own


def _led_to(scope: Scope, store: Assign, copies: list[Separated]) -> str:
    return _first(_own(scope, o, copies) for o in led_to(store, scope.known.led) if o != SOMEWHERE)


def _initialised(scope: Scope, copies: list[Separated]) -> Iterator[tuple[Table, str]]:
    """What the iteration declares with such a pointer in the initialiser."""
    for whole, led in scope.known.initial.items():
        own = _first(_own(scope, o, copies) for o in led if o != SOMEWHERE) if scope.fresh(whole) else ""
        if own:
            yield (whole, ""), own


def _carried(scope: Scope, store: Assign, carriers: dict[Table, str]) -> str:
    """Of what a value carries a pointer, read from what was led there, alone or with the structure around it."""
    for e in _values(store.value) if carriers else ():
        is_number = isinstance(e.type, Integer)
        match e:
            case Load(access=access):
                places = scope.known.targets(access.object) | {unversioned(access.object)}
                part = "" if shares_bytes(access) else access.field
                exact = is_number and part != ""
            case Use(variable=variable):
                places, part, exact = frozenset({Declared(variable)}), "", False
            case _:
                continue
        for (place, member), own in carriers.items():
            if place in places and (member == part or not (exact or (member and part))):
                return own
    return ""


def _values(value: Expression) -> Iterator[Expression]:
    """What a value is made of that may be a pointer, as a number perhaps, or have one in it. (Between two pointers
    there is a distance, and what they are compared for is a truth value.)"""
    pending = [value]
    while pending:
        e = pending.pop()
        if isinstance(e.type, Floating | Complex):
            continue
        yield e
        match e:
            case Convert(argument=argument):
                pending.append(argument)
            case Choice(operator="?:", then=then, otherwise=otherwise):
                pending += (then, otherwise)
            case Operation(arguments=arguments, type=type_):
                of_numbers = isinstance(type_, Integer)
                pending += [x for x in arguments if not of_numbers or isinstance(x.type, Integer)]
            case _:
                pass


def _table(target: Variable | Access) -> Table:
    return (Declared(target), "") if isinstance(target, Variable) else table_of(target)


def _first(texts: Iterable[str]) -> str:
    return min(filter(None, texts), default="")


def _own(scope: Scope, object_: Object, copies: list[Separated]) -> str:
    """What an object is, in words, if it is gone with the thread that runs the iteration."""
    is_fresh = scope.fresh(object_)
    if isinstance(object_, Allocated) and object_.call in ON_STACK and is_fresh:
        return f"memory on the stack (`{object_.call}`), which is gone where a thread has done its iterations"
    if not is_fresh and any(copy.is_of(object_) for copy in copies):
        return f"`{c_text(object_)}`, of which each iteration would have its own"
    return ""


def _is_left(around: Surroundings, scope: Scope, store: Assign) -> bool:
    """Whether somebody may read the pointer after the loop."""
    if isinstance(store.target, Variable):
        return store.target.key in live_variables(around, scope.loop, frozenset({store.target.key}))
    return is_read_later(around, scope, store.target.object)
