"""Whether a value that a loop stores to memory may be read after the loop.

*Decides*: memory of others (behind parameters, globals, statics and unknown pointers) is always live. An array or a
structure of the function's own, and memory that it allocates, is live where somebody else may have its address; where
the function reads it, or a pointer that may lead to it, after the loop or anywhere in a loop around it; and where the
order of the statements does not tell what runs next. What each iteration declares anew ends with the iteration, and
nobody reads what `free` gets.
*Method*: one walk over the function numbers its statements. A `goto` of the IR jumps forward in the C text, but the
cases of a `switch` may stand in another order here: for a loop that begins before the last `goto`, every read counts.
In a function with code that the IR cannot hold, or with a call that returns twice, its whole memory is live; but for
automatic arrays and structures, if that is `setjmp`: behind a jump back nobody knows what was changed there since.
*Errs toward* live. *Does not handle*: values that are overwritten before they are read; memory that others release.

    for (...) t[j] = a[j];  b[0] = t[3];                    ->  t is live
    for (...) t[j] = a[j];  MPI_Send(t, ...);               ->  live: the call reads it
    if (c) { for (...) t[j] = a[j]; } else b[0] = t[3];     ->  dead
    for (...) { b[k] += t[k]; for (...) t[j] = a[j]; }      ->  live after the inner loop, dead after the outer one
    p = t; for (...) t[j] = a[j];  b[0] = *p;               ->  live
    keep((uintptr_t)t); for (...) t[j] = a[j];  ext();      ->  live
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import assert_never

from msgspec import Struct, field

from models.expr.nodes import remembered

from ..ir.c_library import ALLOCATORS, IS_JUMPED_TO, RETURNS_TWICE, says_it_releases
from ..ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Declared,
    Evaluate,
    Exit,
    Expression,
    Function,
    Load,
    Loop,
    Object,
    Pointee,
    Refused,
    Rows,
    Statement,
    Text,
    Use,
    Variable,
    evaluated,
    every_statement,
    parts,
    unconverted,
)
from ..ir.pointer_roots import root
from ..ir.reasons import AssumptionKind
from ..memory.escape import Escapes, escapes, is_given_away
from ..memory.made_of import SOMEWHERE, made_of
from ..memory.points_to import says_it_allocates
from ..memory.tables import unversioned
from ..source.ctypes import Array, Pointer, Record


def is_live_after(
    function: Function, loop: Loop, object_: Object, lent: bool = False, above: frozenset[Object] = frozenset()
) -> bool:
    """Whether a value stored to the object in the loop may be read once the loop has ended. `lent`: calls in loops that
    are supposed to be independent get its address, and do not keep it; and functions do with memory what they say by
    their names, allocate and release it. `above`: memory in which a pointer to it stands, of which this is asked."""
    known = escapes(function)
    targets = known.targets(object_)
    if object_ not in targets:
        return any(is_live_after(function, loop, each, lent, above) for each in targets)
    if isinstance(object_, Declared) and loop.key in object_.variable.loops:
        return False
    own = _is_own(object_, lent)
    if own and lent and object_ in _only_lent(function):
        return _reads(function).by_name(loop, object_)
    shared = not own or _is_shared(function, loop, object_, lent, above)
    return shared or _reads(function).beyond(loop, object_, lent)


def is_row_live_after(function: Function, loop: Loop, rows: Rows) -> bool:
    """Whether what the loop stores behind pointers of a table that the function itself fills may be read once the loop
    has ended: by way of any pointer that is not followed, or because somebody else knows the table."""
    known, table = escapes(function), unversioned(rows.base)
    led = known.new_rows(rows)
    if led is None or table in known.passed or not _is_own(table, True) or _is_shared(function, loop, table, True):
        return True
    reads = _reads(function)
    return reads.beyond(loop, table, True, through=True) or any(reads.beyond(loop, x, True) for x in led)


def is_seen_after(function: Function, loop: Loop, object_: Object) -> bool:
    """Whether a value stored to the object in the loop is not only read later if somebody does so whom nobody sees: of
    memory of the function's own, that the function itself reads it."""
    reads = _reads(function)
    return not _is_own(object_, False) or (not reads.may_come_back(object_) and reads.beyond(loop, object_, False))


def is_read_behind(function: Function, loop: Loop, object_: Object) -> bool:
    """Whether the function itself reads the object, by the same pointers, once the loop has ended; who says that it
    releases it does not."""
    reads, wanted = _reads(function), unversioned(object_)
    return reads.may_come_back(object_) or any(
        reads.beyond(loop, each, False, releases=False) for each in reads.of if unversioned(each) == wanted
    )


def loops_that_read(
    function: Function, loop: Loop, object_: Object, lent: bool = False
) -> frozenset[tuple[int, ...]] | None:
    """Where else the function reads the object, as the keys of the loops around that, but for those around this loop;
    None where it may be read outside of loops, or by others."""
    known = escapes(function)
    if known.targets(object_) != {object_} or not _is_own(object_, lent):
        return None
    return None if _is_shared(function, loop, object_, lent) else _reads(function).in_loops(loop, object_, lent)


def _is_own(x: Object, lent: bool) -> bool:
    """Whether only this call of the function knows the object, as long as it gives its address to nobody. Scalars are
    read by their names, too, which no load shows."""
    match x:
        case Declared(variable=variable):
            return variable.scope == "local" and isinstance(variable.type, Array | Record)
        case _:
            return _is_new(x, lent)


def _is_new(x: Object, lent: bool) -> bool:
    return isinstance(x, Allocated) or (lent and says_it_allocates(x))


def _is_shared(
    function: Function, loop: Loop, x: Object, lent: bool, above: frozenset[Object] = frozenset()
) -> bool:
    """Whether somebody else, or a pointer in memory that may be read after the loop, may lead to an object of the
    function's own; who gets it for an iteration of a loop aside, if it is `lent`."""
    known = escapes(function)
    others = frozenset().union(*known.initial.values())
    if _is_new(x, lent):
        others |= _evaluated(function, x)
    elif x not in known.objects:
        return False
    whole = isinstance(x, Declared) and not isinstance(x.variable.type, Array)
    whole = whole and not lent
    given = is_given_away(function, x, lent) and _reads(function).by_keepers_beyond(loop, x)
    kept = known.kept_but_new if lent else known.kept
    if whole or given or not others.isdisjoint({x, SOMEWHERE}) or known.is_kept(x, lent):
        return True
    if known.is_led_to_by_pointers(x, lent):
        return True
    if x not in kept:
        return False
    places = {place for (place, _), led in known.held.items() if x in led} - above
    if known.copies or not known.read_as_numbers.isdisjoint(places):
        return True
    return any(is_live_after(function, loop, place, lent, above | {x, place}) for place in places)


def _evaluated(function: Function, x: Object) -> frozenset[Object]:
    """The objects of which some statement evaluates the address by itself; `SOMEWHERE`: and perhaps x."""
    found = _reads(function).evaluated
    if escapes(function).is_found(x):
        return frozenset(found)
    return frozenset(found - {SOMEWHERE}) | _evaluated_from_here(function)


@remembered("_evaluated_from_here")
def _evaluated_from_here(function: Function) -> frozenset[Object]:
    """Those of which the function makes pointers that a statement evaluates, and that are not followed; `SOMEWHERE`
    where that is not known."""
    led = escapes(function).led
    alone = (s.value for s in every_statement(function) if isinstance(s, Evaluate) and not (s.control or s.addressing))
    unknown = [value for value in alone if SOMEWHERE in _addresses(value, led)]
    return made_of(function, unknown)


class _Reads(Struct):
    """Where a function reads each object, and where through pointers that may lead to any object whose address it
    takes: ascending positions among its `length` statements."""

    known: Escapes
    of: dict[Object, list[int]] = field(default_factory=dict)
    through_pointers: list[int] = field(default_factory=list)
    by_keepers: list[int] = field(default_factory=list)
    """By who may have been given the address of an object: calls, and reads through pointers that were found."""
    through_new: list[int] = field(default_factory=list)
    """Through pointers that a function gave which says that it allocates."""
    released: dict[Object, list[int]] = field(default_factory=dict)
    """Where a function gets the object that says that it releases it."""
    evaluated: set[Object] = field(default_factory=set)
    """Objects of which some statement evaluates the address by itself, as `return p` does; `SOMEWHERE`: others, too."""
    ranges: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By key of a loop: where the outermost loop around it begins, where it begins itself, and where it ends."""
    arms: list[tuple[int, int, int]] = field(default_factory=list)
    """Of each branch that is in no loop: where it begins, where its first arm ends, and where its second one does."""
    length: int = 0
    last_goto: int = -1
    unordered: bool = False
    """What runs after a statement may stand anywhere, or is not seen."""
    jumped_to: bool = False
    """So it may, but what automatic variables hold then, nobody knows."""

    def beyond(self, loop: Loop, x: Object, lent: bool, through: bool = False, releases: bool = True) -> bool:
        """Whether the function may read the object after the loop, or in a loop around it. `through`: or anything that
        pointers of it lead to; the object itself does not count. `releases`: whether those count that release it."""
        first, start, end = self.ranges[loop.key]
        in_order = first > self.last_goto
        first = first if in_order else 0
        never = [(e, f) for s, e, f in self.arms if s < start < e] if in_order else []
        own = self.places(x, lent or not releases)
        places = (self.through_pointers,) if through else (*own, self.by_pointers(x, lent))
        return self.may_come_back(x) or any(_any_outside(each, first, start, end, never) for each in places)

    def by_name(self, loop: Loop, x: Object) -> bool:
        """The same where no pointer that is not followed can lead to the object."""
        first, start, end = self.ranges[loop.key]
        first = 0 if first <= self.last_goto else first
        return self.may_come_back(x) or any(_any_outside(each, first, start, end) for each in self.places(x, True))

    def by_keepers_beyond(self, loop: Loop, x: Object) -> bool:
        """Whether somebody to whom the address was given may read the object after the loop, or in a loop around it: an
        automatic one until the function returns."""
        first, start, end = self.ranges[loop.key]
        lasts = not isinstance(x, Declared) or self.may_come_back(x) or first <= self.last_goto
        return lasts or _any_outside(self.by_keepers, first, start, end)

    def may_come_back(self, x: Object) -> bool:
        """Whether the program may come back to a place in front of the loop, where it reads what it left."""
        automatic = isinstance(x, Declared) and x.variable.scope == "local"
        return self.unordered or (self.jumped_to and not automatic)

    def places(self, x: Object, lent: bool) -> tuple[list[int], ...]:
        return (self.of.get(x, []), *(() if lent else (self.released.get(x, []),)))

    def by_pointers(self, x: Object, lent: bool) -> list[int]:
        """Where the object may be read by way of pointers that are not followed."""
        if x not in self.known.objects and not _is_new(x, lent):
            return []
        return self.through_pointers if lent else sorted([*self.through_pointers, *self.through_new])

    def in_loops(self, loop: Loop, x: Object, lent: bool) -> frozenset[tuple[int, ...]] | None:
        """The loops apart from this one in which each read beyond it is; None where one is in none."""
        _, start, end = self.ranges[loop.key]
        if self.may_come_back(x) or start <= self.last_goto or _any_outside(self.by_pointers(x, lent), 0, start, end):
            return None
        apart = {key: (s, e) for key, (_, s, e) in self.ranges.items() if e <= start or end <= s}
        found = set()
        for at in chain(*self.places(x, lent)):
            if not start <= at < end:
                near = tuple(key for key, (s, e) in apart.items() if s <= at < e)
                if not near:
                    return None
                found.add(near)
        return frozenset(found)

    def body(self, body: tuple[Statement, ...], outermost: int | None = None) -> None:
        for statement in body:
            at = self.length
            self.length += 1
            self.statement(statement, at)
            match statement:
                case Branch(then=then, otherwise=otherwise):
                    self.body(then, outermost)
                    end = self.length
                    self.body(otherwise, outermost)
                    if outermost is None:
                        self.arms.append((at, end, self.length))
                case Loop(body=inner):
                    first = at if outermost is None else outermost
                    self.body(inner, first)
                    self.ranges[statement.key] = (first, at, self.length)
                case Exit(kind="goto"):
                    self.last_goto = at
                case Refused():
                    self.unordered = True
                case Assign() | Evaluate() | Exit():
                    pass
                case _:
                    assert_never(statement)

    def statement(self, statement: Statement, at: int) -> None:
        for e in evaluated(statement):
            match e:
                case Load(access=access):
                    self.read(access.object, at)
                case Address(object=Rows(base=base)):
                    self.read(base, at)
                case Call():
                    self.call(e, at)
                case _:
                    pass
        match statement:
            case Assign(target=Access(object=Rows(base=base))):
                self.read(base, at)
            case Evaluate(value=value, control=False, addressing=False):
                self.evaluated.update(_addresses(value, self.known.led))
            case _:
                pass

    def call(self, call: Call, at: int) -> None:
        if not call.known and call.name not in ALLOCATORS and call.name != "free":
            self.by_keepers.append(at)
        for pointer in call.pointers if call.name != "free" else ():
            if says_it_releases(call.name):
                for each in self.known.targets(pointer):
                    self.released.setdefault(each, []).append(at)
            else:
                self.read(pointer, at)
        self.unordered = self.unordered or call.name in RETURNS_TWICE - IS_JUMPED_TO
        self.jumped_to = self.jumped_to or call.name in IS_JUMPED_TO

    def read(self, x: Object, at: int) -> None:
        """Also of the pointers that lead there."""
        if not isinstance(x, Declared | Allocated | Text) and not _is_given(x):
            self.by_keepers.append(at)
        for each in self.known.targets(x):
            self.of.setdefault(each, []).append(at)
            if says_it_allocates(each):
                self.through_new.append(at)
            elif isinstance(each, Anything) or (isinstance(each, Rows) and _is_led_to(root(each))):
                self.through_pointers.append(at)
        if isinstance(x, Rows):
            self.read(x.base, at)


def _is_given(x: Object) -> bool:
    """Whether it is behind a parameter, which was there before anything of the function's own."""
    return isinstance(x, Pointee) and x.variable.scope == "parameter"


def _is_led_to(base: Object) -> bool:
    """Whether pointers at this place may be those that the function itself stored there."""
    return isinstance(base, Anything | Allocated) or (isinstance(base, Declared) and base.variable.scope == "local")


def _any_outside(
    places: list[int], first: int, start: int, end: int, never: Iterable[tuple[int, int]] = ()
) -> bool:
    """Whether one of the positions lies in [first, start) or behind `end`. `never`: parts behind it, none of them in
    another one, that are not meant."""
    behind = len(places) - bisect_left(places, end)
    return _between(places, first, start) > 0 or behind > sum(_between(places, s, e) for s, e in never)


def _between(places: list[int], first: int, end: int) -> int:
    """How many of the positions lie in [first, end)."""
    return bisect_left(places, end) - bisect_left(places, first)


@remembered("_only_lent")
def _only_lent(function: Function) -> frozenset[Object]:
    """The arrays and structures of the function of which nothing takes the address but calls that are supposed to be
    independent, and do not keep it, and parameters of functions that are followed, which only lead there: no pointer
    that is not followed does."""
    every = [e for s in every_statement(function) for e in evaluated(s)]
    assigned = [s for s in every_statement(function) if isinstance(s, Assign)]
    supposed = [e for e in every if isinstance(e, Call) and e.supposed is AssumptionKind.INDEPENDENT]
    lending = {id(unconverted(a)) for call in supposed for a in call.arguments}
    followed = {id(part) for e in (*every, *assigned) if isinstance(e, Load | Address | Assign) for part in e.index}
    used = {e.variable.key for e in every if isinstance(e, Use) and id(e) not in lending | followed}
    passing = {id(s.value) for s in assigned if _only_leads(s.target, used)}
    lent = {x for call in supposed for x in call.pointers if isinstance(x, Declared)}
    taken = {e.object for e in every if isinstance(e, Address) and id(e) not in lending | passing}
    given = {x for e in every if isinstance(e, Call) and id(e) not in map(id, supposed) for x in e.pointers}
    return frozenset(lent).difference(taken, given, *escapes(function).initial.values())


def _only_leads(target: Variable | Access, used: Collection[int]) -> bool:
    """Whether a pointer is a parameter of a function that is followed, of which nothing asks but where it leads."""
    return isinstance(target, Variable) and target.inlined and not target.addressed and target.key not in used


@remembered("_reads_of_memory")
def _reads(function: Function) -> _Reads:
    found = _Reads(escapes(function))
    found.body(function.body)
    return found


def _addresses(value: Expression, led: Mapping[int, frozenset[Object]]) -> Iterator[Object]:
    """The objects of which a value holds the address; `SOMEWHERE` where that is not known. What a load reads or a call
    gets is asked elsewhere."""
    match value:
        case Load() | Call():
            pass
        case Address(object=found):
            yield SOMEWHERE if found is None or isinstance(found, Anything) else found
        case Use(variable=variable, type=Pointer()):
            yield from led.get(variable.key, frozenset({SOMEWHERE}))
        case _:
            for part in parts(value):
                yield from _addresses(part, led)
