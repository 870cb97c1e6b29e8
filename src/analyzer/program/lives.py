"""The lives of arrays: where a function that has one, with all that it calls, uses it, line by line.

*Decides*: for each array of the program that one variable names in the function below which all its uses are, what
every line of that function does with it: in which loops, those of callees included, and whether it is read or written.
*Method*: every call is followed; pointers that may lead to the same memory are joined (`memory`). A call that is not
followed, and a pointer of which nobody knows where it leads, use everything.
*Errs toward* uses that are none, and arrays without a life: those that several variables may be, with more than one
allocation behind a pointer, or in a program some of whose code runs at times that its text does not tell.

    int main(void) {
        double *a = malloc(N * sizeof *a);    ends (what `a` was before)
        fill(a, N);                           writes, in the loop of fill()
        step(a, N);                           reads and writes, in the loop of step()
        printf("%g", a[0]);                   reads, in no loop
    }
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from . import externals
from .linking import DEFAULT_ENTRY, EntryError, Program, entries, link
from .memory import Key, Memory, is_member
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
    calls,
)

MOST_CALLS = 2000
"""Calls that are followed; in a larger program no array has a life."""

Kind: TypeAlias = Literal["reads", "writes", "ends", "leaves"]
"""`ends`: the memory is given back, its variable leads elsewhere from here on, or code runs that is not followed.
`leaves`: the function may end."""
Shape: TypeAlias = Literal["array", "pointer", "block"]


class Used(Struct, frozen=True):
    """What one line of the function does. `within`: the lines of the loops and branches of the function around it;
    `loops`: ids of the loops around the use, from outside, those of callees included, those of callers not."""

    line: int
    within: tuple[int, ...]
    kind: Kind
    loops: tuple[str, ...]


class Life(Struct, frozen=True):
    """`name`: the variable. `shape`: it is an `array`, or a `pointer` to one, that is all behind it where it is to a
    `block`, `double (*p)[8][9]`. `is_empty`: it holds nothing at first; `outlasts`: somebody may read it after the
    function. `given_by`: the function, not followed, that returned it."""

    path: str
    function: str
    line: int
    name: str
    shape: Shape
    is_empty: bool
    outlasts: bool
    given_by: str | None
    uses: tuple[Used, ...]


def lives(outlines: Iterable[Outline], entry: str | None = None) -> tuple[Life, ...]:
    """Of the arrays of the program that starts from `entry`, else from main or all functions that no other one calls.
    Example: see the module."""
    program = link(outlines)
    if any(calls(o.body) & externals.LATER for o in program.by_key.values()):
        return ()
    walk = _Walk(program)
    try:
        for start in entries(program, entry):
            walk.enter(start)
    except (EntryError, _TooManyError):
        return ()
    return tuple(_merged(_Lives(walk).all(), walk))


_STREAMS = frozenset(("pointed", name) for name in ("stdin", "stdout", "stderr"))


_ANYTHING: tuple[Kind, ...] = ("reads", "writes", "ends")
"""What a function may do that is not followed; it may also call others of the program."""


class _TooManyError(Exception):
    """There are more calls than are followed."""


class _Place(Struct, frozen=True):
    """Where a step stands in its function, and the loops around it, those of callers included."""

    line: int
    within: tuple[int, ...]
    loops: tuple[str, ...]


class _Frame(Struct, frozen=True):
    """One call: its number, the one that calls, and where."""

    number: int
    outline: Outline
    caller: "_Frame | None"
    at: _Place


class _Event(Struct, frozen=True):
    """`key`: the memory; None: all. `variable`: the pointer that is set, where it is one."""

    frame: _Frame
    at: _Place
    kind: Kind
    key: Key | None
    variable: Key | None = None


class _Walk:
    """Follows all calls, and keeps what each step does to memory."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.memory = Memory()
        self.frames: list[_Frame] = []
        self.events: list[_Event] = []
        self.given: dict[Key, str] = {}
        self.regions: dict[Key, Region] = {}
        """Memory that is made, or global."""

    def enter(self, outline: Outline, caller: _Frame | None = None, at: _Place | None = None) -> _Frame:
        if len(self.frames) == MOST_CALLS:
            raise _TooManyError
        at = at or _Place(0, (), ())
        frame = _Frame(len(self.frames) + 1, outline, caller, at)
        self.frames.append(frame)
        self.regions |= {self.key(frame, r.pointer): r for r in outline.regions}
        self.steps(frame, outline.body, _Place(0, (), at.loops))
        return frame

    def key(self, frame: _Frame, pointer: Pointer) -> Key:
        return self.memory.key(frame.number, frame.outline.path, pointer)

    def steps(self, frame: _Frame, steps: tuple[Step, ...], around: _Place) -> None:
        for step in steps:
            match step:
                case Touch(pointer=pointer, writes=writes, line=line):
                    self.event(frame, replace(around, line=line), "writes" if writes else "reads", pointer)
                case Same(left=left, right=right, line=line):
                    self.memory.join(self.key(frame, left), self.key(frame, right))
                    if line and not is_member(left):
                        self.event(frame, replace(around, line=line), "ends", left, variable=left)
                case Result(pointer=pointer):
                    self.memory.join(self.key(frame, OWN_RESULT), self.key(frame, pointer))
                case Leave(line=line):
                    self.events.append(_Event(frame, replace(around, line=line), "leaves", None))
                case Nest(id=identity, body=body, line=line):
                    loops = around.loops if identity is None else (*around.loops, identity)
                    self.steps(frame, body, _Place(line, (*around.within, line), loops))
                case Fork(line=line, then=then, otherwise=otherwise):
                    inside = _Place(line, (*around.within, line), around.loops)
                    self.steps(frame, then, inside)
                    self.steps(frame, otherwise, inside)
                case Invoke(line=line):
                    self.invoked(frame, step, replace(around, line=line))
                case Put():
                    pass

    def event(
        self, frame: _Frame, at: _Place, kind: Kind, pointer: Pointer, *, variable: Pointer | None = None
    ) -> None:
        name = None if variable is None else self.key(frame, variable)
        self.events.append(_Event(frame, at, kind, self.key(frame, pointer), name))

    def invoked(self, frame: _Frame, step: Invoke, at: _Place) -> None:
        callee = None if step.indirect else self.program.find(step.name, frame.outline.path)
        if callee is None or (callee.path, callee.name) in self.program.recursive:
            self.external(frame, step, at)
            return
        inner = self.enter(callee, frame, at)
        for position, argument in enumerate(step.arguments):
            if argument.pointer is not None:
                self.memory.join(self.key(inner, ("parameter", position)), self.key(frame, argument.pointer))
        if step.result is not None:
            self.memory.join(self.key(frame, step.result), self.key(inner, OWN_RESULT))

    def external(self, frame: _Frame, step: Invoke, at: _Place) -> None:
        """What a function does that is not followed."""
        given = [a.pointer for a in step.arguments if a.pointer is not None and a.pointer not in _STREAMS]
        if step.name == "free":
            kinds: tuple[Kind, ...] = ("ends",)
        elif step.name in externals.NOTHING:
            return
        elif step.name in externals.READ:
            kinds = ("reads",)
        elif step.name in externals.WRITTEN and step.name != "qsort":  # which calls back
            kinds = ("reads", "writes")
        else:
            self.events += [_Event(frame, at, kind, None) for kind in _ANYTHING]
            if step.result is not None:
                self.given[self.key(frame, step.result)] = step.name
            return
        for pointer in given:
            for kind in kinds:
                self.event(frame, at, kind, pointer)


class _Lives:
    """What was met on the way, by array."""

    def __init__(self, walk: _Walk) -> None:
        self.walk, self.memory = walk, walk.memory
        self.memory.settle()
        self.classes = self.memory.classes()
        starts = [f for f in walk.frames if f.caller is None and f.outline.name == DEFAULT_ENTRY]
        given = ((f.number, ("parameter", k)) for f in starts for k, _ in enumerate(f.outline.parameters))
        self.of_main = {self.memory.find(key) for key in given}
        self.anything: list[_Event] = []
        self.by_root: dict[Key, list[_Event]] = {}
        for event in walk.events:
            root = None if event.key is None else self.memory.find(event.key)
            if root is None or self._is_anywhere(root):
                self.anything.append(event)
            else:
                self.by_root.setdefault(root, []).append(event)

    def all(self) -> Iterator[Life]:
        for root, events in self.by_root.items():
            made = [key for key in self.classes[root] if key in self.walk.regions or key in self.walk.given]
            frame = self._around(self.classes[root]) if len(made) == 1 else None
            name = None if frame is None else self._name(frame, self.classes[root], made[0])
            if frame is not None and name is not None and any(e.at.loops for e in events):
                yield self._life(frame, name, root, made[0])

    def _is_anywhere(self, root: Key) -> bool:
        """Whether nobody knows where the pointers to it lead. What main is given is nothing of the program."""
        members = self.classes[root]
        if any(key in self.walk.regions or key in self.walk.given for key in members) or root[1] == ("text",):
            return False
        return not any(self.memory.find(base) in self.of_main for key in members for base in _bases(key))

    def _around(self, members: list[Key]) -> _Frame | None:
        """The innermost call below which all pointers to an array are; of a global one the first one of all."""
        numbers = {number for number, _ in members}
        if 0 in numbers:
            starts = [frame for frame in self.walk.frames if frame.caller is None]
            return starts[0] if len(starts) == 1 else None
        ways = [[f.number for f in self._way(self.walk.frames[n - 1])][::-1] for n in numbers]
        common = [several[0] for several in zip(*ways, strict=False) if len(set(several)) == 1]
        return self.walk.frames[common[-1] - 1] if common else None

    @staticmethod
    def _way(frame: _Frame) -> Iterator[_Frame]:
        here: _Frame | None = frame
        while here is not None:
            yield here
            here = here.caller

    def _name(self, frame: _Frame, members: list[Key], made: Key) -> Key | None:
        """The variable of the function that is the array, or else the only one that leads to it."""
        number, pointer = made
        region = self.walk.regions.get(made)
        if pointer[0] in ("global", "static", "local"):
            here = number == frame.number or (number == 0 and self._sees(frame, pointer))
            return made if here and region is not None and region.is_array else None
        pointers = [key for key in members if key[1][0] == "pointer" and key[0] == frame.number]
        return pointers[0] if len(pointers) == 1 and not is_member(pointers[0][1]) else None

    @staticmethod
    def _sees(frame: _Frame, pointer: Pointer) -> bool:
        """Whether a function has a name for a variable: not for one of another file, or of another function."""
        path, _, name = str(pointer[1]).rpartition(":")
        within = name.rpartition(".")[0]
        return pointer[0] == "global" or (path == frame.outline.path and within in ("", frame.outline.name))

    def _life(self, frame: _Frame, name: Key, root: Key, made: Key) -> Life:
        below = frozenset(f.number for f in self.walk.frames if frame in self._way(f))
        shape: Shape = "array" if name == made else "pointer"
        if shape == "pointer" and name[1] in frame.outline.blocks:
            shape = "block"
        uses = [
            used
            for event in (*self.by_root[root], *self.anything)
            if event.frame.number in below and (used := self._used(event, frame, name)) is not None
        ]
        is_last = frame.caller is None and frame.outline.name == DEFAULT_ENTRY
        outlasts = any(k[0] not in below or (k[1] == OWN_RESULT and k[0] == frame.number) for k in self.classes[root])
        return Life(
            path=frame.outline.path,
            function=frame.outline.name,
            line=frame.outline.line,
            name=str(name[1][1]).rpartition(":")[2].rpartition(".")[2],
            shape=shape,
            is_empty=made in self.walk.regions and self.walk.regions[made].empty,
            outlasts=outlasts and not is_last,
            given_by=self.walk.given.get(made),
            uses=tuple(dict.fromkeys(uses)),
        )

    @staticmethod
    def _used(event: _Event, frame: _Frame, name: Key) -> Used | None:
        """The event as a use by a line of the function; None where it is none of that array."""
        if (event.kind == "leaves" and event.frame != frame) or event.variable not in (None, name):
            return None
        here, at = event.frame, event.at
        while here != frame and here.caller is not None:
            here, at = here.caller, here.at
        return Used(at.line, at.within, event.kind, event.at.loops[len(frame.at.loops) :])


def _bases(key: Key) -> Iterator[Key]:
    """The key, and what holds it, where it is a member: `a.b.c`, `a.b`, `a`."""
    frame, pointer = key
    yield key
    while is_member(pointer):
        pointer = pointer[:-1]
        yield frame, pointer


def _merged(found: Iterable[Life], walk: _Walk) -> Iterator[Life]:
    """One life for all calls of a function; none where not every call has it."""
    by_name: dict[tuple[str, str, str], list[Life]] = {}
    for life in found:
        by_name.setdefault((life.path, life.function, life.name), []).append(life)
    times = Counter((frame.outline.path, frame.outline.name) for frame in walk.frames)
    for (path, function, _), several in by_name.items():
        shapes = {(life.shape, life.given_by) for life in several}
        if len(several) == times[path, function] and len(shapes) == 1:
            yield replace(
                several[0],
                is_empty=all(life.is_empty for life in several),
                outlasts=any(life.outlasts for life in several),
                uses=tuple(dict.fromkeys(use for life in several for use in life.uses)),
            )
