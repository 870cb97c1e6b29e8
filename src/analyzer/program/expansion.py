"""From outlines to the program that `models.placement` places: every call followed, with its sizes and its memory.

*Decides*: a loop that is parallel, and that a model gives a time for elsewhere, is one task with all that is in it;
so is a loop with nothing inside that could move. Any other loop repeats what is in it. Calls are followed into their
functions, each call being a copy of its own with the values of its arguments; a call of a function that is not seen,
that calls itself, or that is called through a pointer, is a barrier: all memory must be on the host, and may change.
*Assumes*, and says so: a condition on data inside a loop holds every second time; one outside of all loops takes the
arm that does anything, or the one with loops, where only one of them is such. Statements outside of loops take no time.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from models.expr import free_symbols, known_value

from ..advise.likely import expr_of
from ..facts.loop import LoopFacts
from ..ir.formula_names import line_of_trip, mean_trip
from . import externals
from .items import Choice, HostStep, Item, LoopTask, Rounds
from .linking import Program
from .memory import Key, Memory
from .outline import (
    OWN_RESULT,
    Fork,
    Invoke,
    Leave,
    Nest,
    Outline,
    Pointer,
    Put,
    Region,
    Result,
    Same,
    Step,
    Touch,
    every,
)
from .times import Timed, Times, value

MOST_TASKS = 20_000
"""Loops and host steps of a program, calls followed; a larger one is not placed."""

MOST_CALLS = 20_000
"""Calls that are followed, each with a copy of the function; not those of functions that only compute."""


class TooLargeError(Exception):
    """There are more calls than can be followed, or more loops in them than can be placed."""


class Expanded:
    """What was found on the way. `unknown`: sizes that keep a time from being known, by function. `uncounted`: what has
    no time at all. `barriers`: names of calls that are not followed, with the reason. `assumptions`: in words.
    `regions`, `sizes`, `labels`: of memory by key; `outside`: memory that the entry was given, `returned`: that a
    call gave which is not followed, with its name."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.unknown: dict[str, set[str]] = {}
        self.uncounted: list[str] = []
        self.barriers: dict[str, str] = {}
        self.assumptions: dict[str, None] = {}
        self.regions: dict[Key, Region] = {}
        self.sizes: dict[Key, float | None] = {}
        self.labels: dict[Key, str] = {}
        self.outside: set[Key] = set()
        self.returned: dict[Key, str] = {}


class _Frame(Struct, frozen=True):
    """One call: its number, the function, values of its sizes, the functions around, whether a loop is around, whether
    it is given another part of an array in each iteration of one, whether what it touches itself was counted, and the
    iterations of the innermost loop around."""

    number: int
    outline: Outline
    sizes: Mapping[str, int]
    calls: tuple[str, ...]
    in_loop: bool = False
    sliced: bool = False
    is_counted: bool = False
    trips: float = 0.0

    @property
    def where(self) -> str:
        return f"{self.outline.path}:{self.outline.name}"


def _works(items: tuple[Item, ...]) -> bool:
    """Whether there is a loop among them."""
    return any(_works((*i.then, *i.otherwise)) if isinstance(i, Choice) else not isinstance(i, HostStep) for i in items)


class Expansion:
    """Follows the calls of a program from its entries. `given`: sizes from the user, by (path, function)."""

    def __init__(self, program: Program, times: Times, given: Mapping[tuple[str, str], Mapping[str, int]]) -> None:
        self.program, self.times, self.given = program, times, given
        self.found = Expanded()
        self.memory = self.found.memory
        self.frames = self.tasks = 0
        self._idle: dict[tuple[str, str], bool] = {}

    def entry(self, outline: Outline, *, is_main: bool) -> tuple[Item, ...]:
        """The items of a function that is called from outside with arguments of which nothing is known."""
        frame = self.frame(outline, {}, (), in_loop=False)
        if not is_main:
            for step in outline.body:
                if isinstance(step, Same) and step.right[0] == "parameter":
                    key = self.key(frame, step.right)
                    self.found.outside.add(key)
                    text = f"{step.left[1]} of {outline.name}()"
                    self.found.labels[key] = self.found.labels[self.key(frame, step.left)] = text
        return self.items(frame, outline.body)

    # --- frames

    def frame(
        self,
        outline: Outline,
        bound: Mapping[str, int],
        calls: tuple[str, ...],
        *,
        in_loop: bool,
        sliced: bool = False,
    ) -> _Frame:
        self.frames += 1
        if self.frames > MOST_CALLS:
            raise TooLargeError
        sizes = {**self.given.get((outline.path, outline.name), {}), **bound}
        frame = _Frame(self.frames, outline, sizes, (*calls, outline.name), in_loop, sliced)
        for region in outline.regions:
            key = self.key(frame, region.pointer)
            self.found.regions[key] = region
            self.found.sizes[key] = known_value(region.bytes, sizes)
            if region.pointer[0] != "heap":
                self.found.labels.setdefault(key, region.label)
        for pointer, name in outline.labels.items():
            self.found.labels.setdefault(self.key(frame, pointer), name)
        return frame

    def key(self, frame: _Frame, pointer: Pointer) -> Key:
        return self.memory.key(frame.number, frame.outline.path, pointer)

    # --- steps

    def items(self, frame: _Frame, steps: tuple[Step, ...]) -> tuple[Item, ...]:
        found: list[Item] = []
        reads: dict[Key, int | None] = {}
        writes: dict[Key, int | None] = {}
        first = 0

        def flush() -> None:
            nonlocal first
            if reads or writes:
                found.append(self.host_step(frame, f"line {first}", first, dict(reads), dict(writes)))
            reads.clear()
            writes.clear()
            first = 0

        for step in steps:
            match step:
                case Touch(pointer=pointer, bytes=size, writes=is_write, line=line) if not frame.is_counted:
                    first = first or line
                    into = writes if is_write else reads
                    key = self.key(frame, pointer)
                    self.say_unknown(frame, pointer)
                    known = into.get(key, 0)
                    into[key] = None if size is None or known is None else known + size
                case Same(left=left, right=right):
                    self.memory.join(self.key(frame, left), self.key(frame, right))
                case Result(pointer=pointer):
                    self.memory.join(self.key(frame, OWN_RESULT), self.key(frame, pointer))
                case Nest():
                    flush()
                    found += self.nest(frame, step)
                case Fork():
                    flush()
                    found += self.fork(frame, step)
                case Invoke():
                    flush()
                    found += self.invoked(frame, step)
                case Touch() | Put() | Leave():
                    pass
        flush()
        return tuple(found)

    def say_unknown(self, frame: _Frame, pointer: Pointer) -> None:
        """Memory behind a pointer that is not followed."""
        if pointer[0] == "unknown":
            text = f"{pointer[1]} in {frame.outline.name}()"
            self.found.assumptions[f"{text} is an array of its own"] = None
            self.found.labels.setdefault(self.key(frame, pointer), text)

    def host_step(
        self, frame: _Frame, name: str, line: int, reads: dict[Key, int | None], writes: dict[Key, int | None]
    ) -> HostStep:
        self.count()
        text = f"{name} in {frame.outline.name}()"
        return HostStep(f"{text} [{self.tasks}]", text, line, frame.outline.path, reads, writes)

    def count(self) -> None:
        self.tasks += 1
        if self.tasks > MOST_TASKS:
            raise TooLargeError

    def nest(self, frame: _Frame, step: Nest) -> tuple[Item, ...]:
        facts = frame.outline.facts
        loop = next((f for f in facts.loops if f.id == step.id), None) if facts is not None and step.id else None
        if loop is None or facts is None:
            return self.items(frame, _without_sizes(step.body))
        if frame.is_counted:
            return self.items(frame, step.body)
        is_leaf = not loop.parallelism.is_known_parallel and not self.must_be_followed(frame, step.body)
        missing = self.times.needed(loop) - frame.sizes.keys()
        if is_leaf and missing and all(line_of_trip(name) is not None for name in missing):
            self.found.uncounted.append(f"the time of the loop of {loop.place.path}:{loop.place.line}")
        elif missing and (is_leaf or loop.parallelism.is_known_parallel):
            self.found.unknown.setdefault(frame.where, set()).update(missing)
        if self.found.unknown:  # no answer is given: only what else is missing matters
            if not is_leaf and not loop.parallelism.is_known_parallel:
                self.items(frame, step.body)
            return ()
        timed = self.times.of(frame.outline, loop, frame.sizes)
        if timed.is_movable and not timed.children_better:
            return (self.task(frame, timed),)
        if is_leaf or not self.must_be_followed(frame, step.body):
            once = replace(frame, in_loop=True, is_counted=True)
            called = self.items(once, step.body) if has_calls(step.body) else ()
            task = self.task(frame, timed)
            return (task, Rounds(timed.trips or 1.0, called)) if called else (task,)
        trips = self.trips(frame, loop, timed)
        inner = replace(frame, in_loop=True, trips=trips)
        return (Rounds(trips, self.items(inner, step.body)),)

    def trips(self, frame: _Frame, loop: LoopFacts, timed: Timed) -> float:
        """Iterations per entry, the mean where they differ."""
        certain = value(loop.counts.trip_count, frame.sizes)
        if certain is not None:
            return certain
        facts = frame.outline.facts
        assert facts is not None
        for child in facts.loops:
            if child.parent == loop.id and timed.entries:
                inside = value(child.counts.executions, frame.sizes)
                if inside is not None:
                    return inside / timed.entries
        trip = expr_of(loop.counts.trip_count)
        given = frame.sizes.get(trips_name(loop))
        if trip is None and given is not None:
            return float(given)
        symbols = {trips_name(loop)} if trip is None else set(free_symbols(trip)) - set(frame.sizes)
        self.found.unknown.setdefault(frame.where, set()).update(symbols)
        return 1.0

    def must_be_followed(self, frame: _Frame, steps: tuple[Step, ...]) -> bool:
        """Whether there is a parallel loop in these steps, or any loop in what they call."""
        for step in steps:
            match step:
                case Nest(id=identity, body=body):
                    if identity in self.program.parallel or self.must_be_followed(frame, body):
                        return True
                case Fork(then=then, otherwise=otherwise):
                    if self.must_be_followed(frame, (*then, *otherwise)):
                        return True
                case Invoke(name=name, indirect=False):
                    callee = self.program.find(name, frame.outline.path)
                    if callee is not None and (callee.path, callee.name) in self.program.looping:
                        return True
                case _:
                    pass
        return False

    def task(self, frame: _Frame, timed: Timed) -> LoopTask:
        self.count()
        loop = timed.facts
        named = frame.outline.arrays.get(loop.id, {})
        keys = tuple(self.key(frame, named.get(a.name, ("unknown", a.name))) for a in timed.arrays)
        for array in timed.arrays:
            self.say_unknown(frame, named.get(array.name, ("unknown", array.name)))
        if timed.host_s is None and not self.times.needed(loop) - frame.sizes.keys():
            self.found.uncounted.append(f"the time of the loop of {loop.place.path}:{loop.place.line}")
        changing = frame.outline.varying.get(loop.id, frozenset())
        varying = tuple(frame.sliced or (frame.in_loop and a.name in changing) for a in timed.arrays)
        return LoopTask(f"{loop.id} [{self.tasks}]", timed, keys, varying, frame.calls)

    def fork(self, frame: _Frame, step: Fork) -> tuple[Item, ...]:
        then, otherwise = self.items(frame, step.then), self.items(frame, step.otherwise)
        if not then and not otherwise:
            return ()
        if step.period is not None:
            return (Choice(step.period.share(frame.trips), then, otherwise),)
        counted = self.counted_share(frame, step.line)
        if counted is not None:
            return (Choice(counted, then, otherwise),)
        if not frame.in_loop and not (then and otherwise):
            return then or otherwise
        if not frame.in_loop and _works(then) != _works(otherwise):  # such as an error that is reported
            text = f"the condition of {frame.outline.path}:{step.line} {'holds' if _works(then) else 'does not hold'}"
            self.found.assumptions[text] = None
            return then if _works(then) else otherwise
        if not frame.is_counted:
            text = f"the condition of {frame.outline.path}:{step.line} holds every second time"
            self.found.assumptions[text] = None
        return (Choice(0.5, then, otherwise),)

    @staticmethod
    def counted_share(frame: _Frame, line: int) -> float | None:
        """How often a profile saw the condition of a line hold."""
        loops = frame.outline.facts.loops if frame.outline.facts is not None else ()
        conditions = (c for loop in loops for c in loop.conditions)
        return next((c.weight for c in conditions if c.line == line and c.source == "profile"), None)

    # --- calls

    def invoked(self, frame: _Frame, step: Invoke) -> tuple[Item, ...]:
        callee = None if step.indirect else self.program.find(step.name, frame.outline.path)
        if callee is None:
            return self.external(frame, step)
        key = (callee.path, callee.name)
        if key in self.program.recursive:
            return self.barrier(frame, step, "it calls itself")
        if step.result is None and self.is_idle(callee):
            return ()
        bound = {
            name: int(number)
            for name, argument in zip(callee.parameters, step.arguments, strict=False)
            if (number := known_value(argument.value, frame.sizes)) is not None and number >= 0
        }
        sliced = frame.sliced or any(a.moves for a in step.arguments)
        inner = self.frame(callee, bound, frame.calls, in_loop=frame.in_loop, sliced=sliced)
        for position, argument in enumerate(step.arguments):
            if argument.pointer is not None:
                self.memory.join(self.key(inner, ("parameter", position)), self.key(frame, argument.pointer))
        if step.result is not None:
            self.memory.join(self.key(frame, step.result), self.key(inner, OWN_RESULT))
        return self.items(inner, callee.body)

    def is_idle(self, outline: Outline) -> bool:
        """Whether a function only computes: nothing in it, or in what it calls, takes time or touches memory."""
        key = (outline.path, outline.name)
        if key not in self._idle:
            self._idle[key] = False  # of one that calls itself
            self._idle[key] = all(self._is_idle(step, outline) for step in outline.body)
        return self._idle[key]

    def _is_idle(self, step: Step, outline: Outline) -> bool:
        match step:
            case Put() | Leave():
                return True
            case Fork(then=then, otherwise=otherwise):
                return all(self._is_idle(inner, outline) for inner in (*then, *otherwise))
            case Invoke(indirect=False, result=None, name=name):
                callee = self.program.find(name, outline.path)
                return name in externals.NOTHING if callee is None else self.is_idle(callee)
            case _:
                return False

    def external(self, frame: _Frame, step: Invoke) -> tuple[Item, ...]:
        """A function of the C library touches what it is given; any other one everything."""
        if step.name in externals.NOTHING:
            return ()
        given = [self.key(frame, a.pointer) for a in step.arguments if a.pointer not in (None, ("text",)) and a.pointer]
        if step.name in externals.READ or step.name in externals.WRITTEN:
            writes = given if step.name in externals.WRITTEN else []
            if not given:
                return ()
            reads: dict[Key, int | None] = dict.fromkeys(given)
            return (self.host_step(frame, f"{step.name}()", step.line, reads, dict.fromkeys(writes)),)
        return self.barrier(frame, step, "a pointer says which" if step.indirect else "it is not seen")

    def barrier(self, frame: _Frame, step: Invoke, reason: str) -> tuple[Item, ...]:
        self.count()
        self.found.barriers.setdefault(step.name, f"{frame.outline.path}:{step.line}: {reason}")
        if step.result is not None:
            self.found.returned[self.key(frame, step.result)] = step.name
        text = f"{step.name}() in {frame.outline.name}()"
        name = f"{text} [{self.tasks}]"
        return (HostStep(name, text, step.line, frame.outline.path, {}, {}, everything=True),)


def trips_name(loop: LoopFacts) -> str:
    """The size that stands for the iterations of a loop of which they are not known."""
    return mean_trip(loop.place.line)


def has_calls(steps: tuple[Step, ...]) -> bool:
    return any(isinstance(s, Invoke) for s in every(steps))


def _without_sizes(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Accesses in a loop that is not counted: to all that is there."""
    return tuple(
        Touch(step.pointer, None, step.writes, step.line) if isinstance(step, Touch) else step for step in steps
    )
