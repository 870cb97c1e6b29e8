"""All that a function with marks does, in program order: accesses, scalars' among them, and where threads wait."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from ..access.accesses import Collector, Guard, Occurrence, Where, has_jumps
from ..ir.nodes import (
    Access,
    Address,
    Assign,
    Call,
    Declared,
    Expression,
    Function,
    Loop,
    Statement,
    Use,
    Variable,
    walk,
)
from ..reductions.temporaries import Joining
from .constructs import LOOPS, POINTS, Construct
from .marked import ITEM, MARK

_BYTE = "*((const char *) "
"""What begins the text of such a read."""


class Entered(Struct, frozen=True):
    """A construct around something. `arm`: tells apart the times that its function is called; `depth`: how many loops
    are around what it holds; `conditions`: the conditions of the program around it."""

    construct: Construct
    arm: int
    depth: int
    conditions: tuple[Guard, ...]


class Step(Struct, frozen=True, dict=True):
    """An access, or a call of what is not seen. `at`: its place in program order; `inside`: the constructs around it,
    outermost first; `conditions`: those of the program. `clause`: a clause of the last of the constructs does it, to
    the variable outside of that."""

    occurrence: Occurrence
    at: int
    inside: tuple[Entered, ...]
    conditions: tuple[Guard, ...]
    call: Call | None = None
    clause: bool = False

    @property
    def line(self) -> int:
        return self.occurrence.line

    @cached_property
    def arms(self) -> frozenset[int]:
        """Those of the constructs around it."""
        return frozenset(each.arm for each in self.inside)


class Point(Struct, frozen=True):
    """Where threads or tasks wait, or a lock is taken or given back."""

    construct: Construct
    at: int
    inside: tuple[Entered, ...]
    conditions: tuple[Guard, ...]


class Extent(Struct):
    """Of a construct: its first step, what follows its last one, and the constructs around it."""

    entered: Entered
    around: tuple[Entered, ...]
    first: int
    end: int


def two_arms(first: tuple[Guard, ...], second: tuple[Guard, ...]) -> tuple[int, int] | None:
    """The two arms of one condition in which two places are; None where they are not."""
    g, h = next(((g, h) for g, h in zip(first, second, strict=False) if g.arm != h.arm), (None, None))
    if g is None or h is None or g.condition is not h.condition or g.holds == h.holds:
        return None
    return g.arm, h.arm


class Pointing(Struct, frozen=True):
    """That the address of a variable is kept. `by`: the pointer of the function itself in which it is, by its name."""

    variable: Variable
    by: str = ""


class Recorded(Struct, frozen=True):
    """`extents`: where each loop begins and ends, by its key; `branches`: where each arm of a condition does;
    `entered`: that of each construct, by its arm; `counters`: of the loops that it divides. `pointed`: where the
    address of a variable is kept, by its key, and `pointers`: the names of those that lead there. `items`: reads of
    places that directives name, by their marks."""

    steps: tuple[Step, ...]
    points: tuple[Point, ...]
    loops: Mapping[int, Loop]
    extents: Mapping[int, tuple[int, int]]
    branches: Mapping[int, tuple[int, int]]
    entered: Mapping[int, Extent]
    counters: Mapping[int, frozenset[str]]
    pointed: Mapping[int, tuple[int, ...]]
    pointers: Mapping[int, frozenset[str]]
    items: Mapping[str, tuple[Step, ...]]


def recorded(function: Function, constructs: Mapping[str, Construct]) -> Recorded:
    """What a lowered function does, in order. Example: the accesses of `s += 1` under `#pragma omp critical` are
    inside that construct."""
    recorder = _Recorder(Joining(function), has_jumps(function), [], {}, {}, {}, constructs=constructs)
    recorder.body(function.body, Where((), ()))
    steps: list[Step] = []
    points: list[Point] = []
    loops: dict[int, Loop] = {}
    extents: dict[int, tuple[int, int]] = {}
    branches: dict[int, tuple[int, int]] = {}
    entered: dict[int, Extent] = {}
    counters: dict[int, frozenset[str]] = {}
    pointed: dict[int, tuple[int, ...]] = {}
    pointers: dict[int, frozenset[str]] = {}
    items: dict[str, tuple[Step, ...]] = {}
    told: dict[int, tuple[tuple[Entered, ...], tuple[Guard, ...]]] = {}
    for at, event in enumerate(recorder.events):
        if isinstance(event, Pointing):
            key = event.variable.key
            pointed[key] = (*pointed.get(key, ()), at)
            pointers[key] = pointers.get(key, frozenset()) | ({event.by} - {""})
            continue
        around = recorder.around[event.key][0] if isinstance(event, Loop) else event[0].loops
        guards = recorder.around[event.key][1] if isinstance(event, Loop) else event[0].guards
        if id(guards) not in told:  # most events have the same around them as those before
            told[id(guards)] = tuple(_entered(guards, constructs)), tuple(g for g in guards if not _is_ours(g))
        inside, conditions = told[id(guards)]
        for level, each in enumerate(inside):
            entered.setdefault(each.arm, Extent(each, inside[:level], at, at)).end = at + 1
            if each.construct.role in LOOPS:
                divided = around[each.depth : each.depth + (each.construct.associated or 1)]
                names = frozenset(loop.variable for loop in divided if loop.variable is not None)
                counters[each.arm] = counters.get(each.arm, frozenset()) | names
        for g in conditions:
            branches[g.arm] = branches.get(g.arm, (at, at))[0], at + 1
        match event:
            case Loop(key=key):
                start, _ = extents.get(key, (at, at))
                loops[key], extents[key] = event, (start, at)
            case (Occurrence() as o, call):
                name = o.access.text
                mark = constructs.get(name) if name.startswith(MARK) else None
                if mark is not None and mark.role in POINTS and o.write:
                    points.append(Point(mark, at, inside, conditions))
                elif name.startswith(ITEM) and o.write:
                    if _reads_a_byte(steps, at):
                        items[name] = (*items.get(name, ()), _of_place(steps.pop()))
                elif not name.startswith(MARK):
                    steps.append(Step(o, at, inside, conditions, call))
    return Recorded(tuple(steps), tuple(points), loops, extents, branches, entered, counters, pointed, pointers, items)


class _Recorder(Collector):
    """Keeps the order of all, and what inductions do to their variables. A loop is there twice, where it begins and
    where it ends; a variable where its address is kept."""

    events: list[Loop | Pointing | tuple[Occurrence, Call | None]] = field(default_factory=list)
    constructs: Mapping[str, Construct] = field(default_factory=dict)

    def kept(self, body: tuple[Statement, ...], where: Where) -> frozenset[int]:
        """Of those that threads may share: declared outside of the construct around the block."""
        inside = tuple(_entered(where.guards, self.constructs))
        if not inside:
            return frozenset()
        targets = (s.target for s in body if isinstance(s, Assign))
        return frozenset(v.key for v in targets if isinstance(v, Variable) and not _is_below(inside[-1].construct, v))

    def statement(self, statement: Statement, where: Where) -> None:
        if isinstance(statement, Loop):
            self.events.append(statement)
        super().statement(statement, where)
        if isinstance(statement, Loop):
            self.events.append(statement)

    def assign(self, statement: Assign, where: Where) -> None:
        super().assign(statement, where)
        match statement.value:
            case Address(object=Declared(variable=variable)):
                to = statement.target
                by = to.name if isinstance(to, Variable) and not to.inlined else ""
                self.events.append(Pointing(variable, by))
        if isinstance(statement.target, Variable) and statement.induction:
            self.scalar(statement.target, True, where, statement.value, statement.within)

    def expression(self, expression: Expression, where: Where) -> None:
        before = len(self.calls)
        super().expression(expression, where)
        if len(self.calls) > before and self.calls[-1].call is expression:
            self.events.append((self.calls[-1].at, self.calls[-1].call))

    def scalar(self, *given: object, **more: object) -> None:
        super().scalar(*given, **more)  # type: ignore[arg-type]
        found = self.scalars[-1]
        sized = replace(found.access, size=1)  # whatever it is: two of one name are the same bytes
        self.events.append((replace(found, access=sized, position=-1 - found.position), None))

    def access(self, *given: object, **more: object) -> None:
        super().access(*given, **more)  # type: ignore[arg-type]
        found = self.found[-1]
        self.events.append((replace(found, access=_unit(found.access)) if found.access.bits else found, None))


def _unit(access: Access) -> Access:
    """All that an access to a bit-field stores to: those beside it are one memory location with it (C11 3.14)."""
    return replace(access, bits=None, field=f"bit-fields at {access.offset}")


def _reads_a_byte(steps: list[Step], at: int) -> bool:
    """Whether what comes just before it is the read of a place that a directive names."""
    return bool(steps) and steps[-1].at == at - 1 and steps[-1].occurrence.access.text.startswith(_BYTE)


def _of_place(read: Step) -> Step:
    """The read of a place, with the text of the pointer to it."""
    access = read.occurrence.access
    return replace(read, occurrence=replace(read.occurrence, access=replace(access, text=access.text[len(_BYTE) :])))


def read_at(record: Recorded, key: int, i: int, before: int) -> Step | None:
    """What read the place that a directive names last, before a step."""
    found = [s for s in record.items.get(f"{ITEM}{key}_{i}", ()) if s.at <= before]
    return found[-1] if found else None


def read_of_lock(record: Recorded, point: Point) -> Step | None:
    """What reads the place of the lock that is taken, or given back."""
    return read_at(record, point.construct.key, 0, point.at)


def _is_below(construct: Construct, variable: Variable) -> bool:
    """Whether it is declared in what the construct holds, or in another file, by a function that is called there."""
    return variable.place.path != construct.path or variable.place.line > construct.line


def _entered(guards: tuple[Guard, ...], constructs: Mapping[str, Construct]) -> Iterator[Entered]:
    """The constructs among the conditions around something. A loop over threads belongs to its construct."""
    conditions: list[Guard] = []
    for guard in guards:
        names = _names(guard)
        mark = next((constructs[name] for name in names if name in constructs), None)
        if mark is not None:
            yield Entered(mark, guard.arm, guard.depth + mark.threads, tuple(conditions))
        elif not _is_ours(guard):
            conditions.append(guard)


def _is_ours(guard: Guard) -> bool:
    """Whether it is a mark, or stands in a loop over threads, and says nothing of the program."""
    return guard.text.startswith((f"if (!{MARK}", f"if (({MARK}", f"if ({ITEM}"))


def _names(guard: Guard) -> list[str]:
    return [e.variable.name for e in walk(guard.condition) if isinstance(e, Use)]
