"""Memory that one thread allocates for all: `part` is a pointer of the function, which a team sets in `single`.

*Decides*: what memory behind such a pointer is, by what the function assigns to it: nothing but what it allocates, and
null. It is different from all other memory; and where one thread of a team allocates it, once, it is one piece of
memory for all of them.
*Errs toward* no: of a pointer whose address is taken, one that is copied, or one that calls set.

    double *part = NULL;
    #pragma omp parallel
    {
    #pragma omp single
        part = calloc(threads, sizeof *part);
        part[omp_get_thread_num()] = 1;        ->  one for each thread, and no element of other memory
    }
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from models.expr.nodes import remembered

from ..base.places import Place
from ..ir.c_library import effect
from ..ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Call,
    Declared,
    Expression,
    Function,
    Held,
    Object,
    Pointee,
    Text,
    Use,
    Variable,
    every_statement,
    expressions,
    is_null,
    unconverted,
    walk,
)
from ..source.ctypes import Pointer
from .constructs import STARTS_THREADS, Role
from .recorded import Recorded, Step
from .sharing import variable_of

_OF_ONE_THREAD = frozenset((Role.SINGLE, Role.MASTER, Role.SECTION))


class Made(Struct, frozen=True):
    """Memory that is allocated once, and at which place in program order."""

    memory: Allocated
    at: int


@remembered("_allocations")
def _allocations(function: Function) -> Mapping[int, frozenset[Place]]:
    """Where the memory of each pointer, by its key, is allocated; only of those that lead nowhere else."""
    found: dict[int, set[Place]] = {}
    others = set[int]()
    for s in every_statement(function):
        if isinstance(s, Assign) and isinstance(s.target, Variable) and isinstance(s.target.type, Pointer):
            made = _made(s.value)
            if made is not None:
                found.setdefault(s.target.key, set()).add(made.place)
            if (made is None and not is_null(s.value)) or s.target.addressed or s.target.scope != "local":
                others.add(s.target.key)
    return {key: frozenset(places) for key, places in found.items() if key not in others}


def are_apart(x: Object, y: Object, function: Function) -> bool:
    """Whether two objects are different memory, one of them behind such a pointer of the function."""
    of_x, of_y = (_places(each, _allocations(function)) for each in (x, y))
    behind_one = any(isinstance(each, Anything) for each in (x, y))
    return behind_one and of_x is not None and of_y is not None and of_x.isdisjoint(of_y)


def with_allocations(record: Recorded, function: Function) -> Recorded:
    """The steps, where those to memory that one thread allocates once for all say so."""
    kept = _kept(function)
    made = {key: places for key, places in _allocations(function).items() if key not in kept}
    once = dict(_allocating(record, made))
    return replace(record, steps=tuple(_behind(s, once) for s in record.steps)) if once else record


def _kept(function: Function) -> frozenset[int]:
    """The pointers, by their keys, whose values are stored in memory, from where another pointer may lead to what they
    lead to, or given to calls that are not seen."""
    values: list[Expression] = []
    for s in every_statement(function):
        if isinstance(s, Assign) and isinstance(s.target, Access):
            values.append(s.value)
        for call in (e for each in expressions(s) for e in walk(each) if isinstance(e, Call)):
            values += () if call.known or effect(call.name) is not None else call.arguments
    return frozenset(key for value in values if (key := _pointer(value)) is not None)


def _pointer(value: Expression) -> int | None:
    """The key of the pointer variable that a value is made of."""
    match unconverted(value):
        case Use(variable=Variable(key=key)) | Address(object=Anything(pointer=Held(variable=Variable(key=key)))):
            return key
        case _:
            return None


def _allocating(record: Recorded, made: Mapping[int, frozenset[Place]]) -> Iterator[tuple[int, Made]]:
    """The memory of a pointer that is allocated once, and after which step."""
    found: dict[int, list[Step]] = {}
    for s in record.steps if made else ():
        variable = variable_of(s)
        if variable is not None and variable.key in made and s.occurrence.write and _allocated(s) is not None:
            found.setdefault(variable.key, []).append(s)
    for key, steps in found.items():
        of = _allocated(steps[0])
        if of is not None and len(steps) == 1 and _is_once_for_all(steps[0]):
            yield key, Made(replace(of, loops=()), steps[0].at)


def _is_once_for_all(step: Step) -> bool:
    """Whether one thread of a team does it, outside of loops but those over the threads."""
    teams = sum(e.construct.threads for e in step.inside if e.construct.role in STARTS_THREADS)
    one = any(e.construct.role in _OF_ONE_THREAD for e in step.inside)
    return one and teams == 1 == len(step.occurrence.loops)


def _behind(step: Step, once: Mapping[int, Made]) -> Step:
    match step.occurrence.access.object:
        case Anything(pointer=Held(variable=Variable(key=key))) if key in once and step.at > once[key].at:
            access = replace(step.occurrence.access, object=once[key].memory)
            return replace(step, occurrence=replace(step.occurrence, access=access))
        case _:
            return step


def _allocated(step: Step) -> Allocated | None:
    return None if step.occurrence.stored is None else _made(step.occurrence.stored)


def _made(value: Expression) -> Allocated | None:
    match unconverted(value):
        case Call(made=Allocated() as made):
            return made
        case _:
            return None


def _places(x: Object, made: Mapping[int, frozenset[Place]]) -> frozenset[Place] | None:
    """Where it is allocated: nowhere, if it is a variable, a text, or memory that a caller gave; None: unknown."""
    match x:
        case Anything(pointer=Held(variable=Variable(key=key))):
            return made.get(key)
        case Allocated(place=place):
            return frozenset({place})
        case Declared() | Pointee() | Text():
            return frozenset()
        case _:
            return None
