"""What the placement of a program needs to know of one function: a short list of steps, small enough to hand between
processes, in which memory is named as the function names it.

    Outline ::= Step*
    Step    ::= Nest loop Step* | Invoke name Argument* | Fork Step* Step* | Touch pointer | Same pointer pointer
              | Result pointer | Put name | Leave

A `Pointer` is a path: where an address comes from, and the members that are followed from there. Two pointers that
may lead to the same memory at one time or another (`old = now; now = next; next = old;`) are said to be the `Same`:
where order would be needed to tell them apart they are one array. That is coarse and on the safe side.
"""

from collections.abc import Container, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from models.expr import Expr, free_symbols
from models.incore import Body
from models.quantity import Range

from ..advise.averages import averaged
from ..advise.bodies import bodies
from ..advise.likely import expr_of
from ..base.places import Place
from ..facts.loop import FunctionFacts, LoopFacts
from .gains import EXACT

Part: TypeAlias = str | int | Place
Pointer: TypeAlias = tuple[Part, ...]
"""("global", name), ("static", name), ("parameter", position), ("local", name, place), ("heap", place),
("pointer", name, place): what a local variable points to; ("pointed", name): what a global one points to;
("result", place): what a call returned; ("text",); ("unknown", text); followed by members: (..., ".a", ".b").
"""

OWN_RESULT: Pointer = ("result", "")
"""What the function itself returns."""


def declared_at(pointer: Pointer) -> tuple[int, ...]:
    """The position of a parameter, or the line and column of what has a place."""
    match pointer:
        case (_, int(position), *_):
            return (position,)
        case (_, Place() as place, *_) | (_, _, Place() as place, *_):
            return place.line, place.column
        case _:
            return ()


class Nest(Struct, frozen=True):
    """A loop that is listed, or (`id` None) one that a library call stands for."""

    id: str | None
    body: "tuple[Step, ...]"
    line: int = 0


class Argument(Struct, frozen=True):
    """A pointer to memory, an integer as a formula of the caller's symbols, or neither. `moves`: the pointer is to
    another part of its memory in each iteration of the loops around."""

    pointer: Pointer | None = None
    value: Expr | None = None
    moves: bool = False


class Invoke(Struct, frozen=True):
    """A call. `indirect`: through a pointer, so that anything may be called."""

    name: str
    line: int
    arguments: tuple[Argument, ...]
    result: Pointer | None = None
    indirect: bool = False


class Period(Struct, frozen=True):
    """Every `divisor`-th iteration, from number `first` on (None: not known); `holds` False: in all the others."""

    divisor: int
    first: int | None
    holds: bool

    def share(self, trips: float) -> float:
        """Of so many iterations."""
        often = 1 / self.divisor
        if self.first is not None and trips >= 1:
            often = max(0.0, (trips - self.first + self.divisor - 1) // self.divisor) / trips
        return often if self.holds else 1 - often


class Fork(Struct, frozen=True):
    """`period`: in which iterations of the loop around `then` runs, where the condition says so by itself (`t % 100 ==
    0`); None: it depends on data."""

    line: int
    period: Period | None
    then: "tuple[Step, ...]"
    otherwise: "tuple[Step, ...]"


class Touch(Struct, frozen=True):
    """A statement outside of all loops that move reads or writes memory; `bytes` None: all that is there."""

    pointer: Pointer
    bytes: int | None
    writes: bool
    line: int


class Same(Struct, frozen=True):
    """`line`: of the assignment; 0: there is none."""

    left: Pointer
    right: Pointer
    line: int = 0


class Result(Struct, frozen=True):
    """What the function returns points there."""

    pointer: Pointer


class Put(Struct, frozen=True):
    """An assignment to an integer of the file that no other file can see. `value`: None where it is no formula."""

    name: str
    value: Expr | None
    line: int


class Leave(Struct, frozen=True):
    """Here the function may be left, or go on elsewhere; or what it does in such a case is left out."""

    line: int


Step: TypeAlias = Nest | Invoke | Fork | Touch | Same | Result | Put | Leave


class Region(Struct, frozen=True):
    """Memory that a function itself makes. `bytes`: None where not known; `empty`: it holds nothing at first;
    `is_array`: it is declared as an array."""

    pointer: Pointer
    label: str
    bytes: Expr | None
    empty: bool
    is_array: bool = False


class Likely(Struct, frozen=True):
    """What a model says of one place for a loop: likely seconds of one entry, inside the loops around, and how many of
    them copies take; None: not known. `ends`: those of its range, as parts of what is likely."""

    candidate: str
    device: str
    time_s: float | None
    transfer_s: float | None
    ends: Range = EXACT


class Judged(Struct, frozen=True):
    """What is known of a loop at given sizes: its places, and whether loops inside it do better than it."""

    places: tuple[Likely, ...]
    children_better: bool = False


class Advised(Struct, frozen=True):
    """The loops of a function by id, as they were judged at `sizes`, those that the user gave."""

    sizes: dict[str, int]
    loops: dict[str, Judged]


class Outline(Struct, frozen=True):
    """One function. `arrays`: by loop id and name of an array in the facts, the memory that is meant; `varying`: the
    arrays of which the loop touches another section in each iteration of the loops around. `facts`: of its loops.
    `labels`: what to call memory that has no name of its own. `advised`: what was found of its loops already. `blocks`:
    what local pointers to whole arrays (`double (*p)[8][9]`) lead to, that are handed on as `*p` alone."""

    name: str
    path: str
    line: int
    parameters: tuple[str, ...]
    body: tuple[Step, ...]
    regions: tuple[Region, ...] = ()
    arrays: dict[str, dict[str, Pointer]] = {}
    varying: dict[str, frozenset[str]] = {}
    labels: dict[Pointer, str] = {}
    facts: FunctionFacts | None = None
    is_static: bool = False
    advised: Advised | None = None
    blocks: frozenset[Pointer] = frozenset()


def without_code(facts: FunctionFacts) -> FunctionFacts:
    """What is known of the loops in their mean entry, without the code that it was found in: an outline is handed on,
    and kept."""
    mean = averaged(facts.loops)
    by_id = {loop.id: loop for loop in mean}
    loops = tuple(_bare(loop, bodies(loop, tuple(by_id[i] for i in loop.nest if i in by_id))) for loop in mean)
    return replace(facts, function=replace(facts.function, body=(), parameters=()), loops=loops, supposed=None)


def _bare(loop: LoopFacts, done: tuple[Body, ...]) -> LoopFacts:
    """One loop without code, its kernels on devices included, which no core runs, and without other forms of it."""
    kernels = tuple(
        tuple(tuple(replace(kernel, facts=_bare(kernel.facts, ())) for kernel in stage) for stage in mapping)
        for mapping in loop.mappings
    )
    empty = replace(loop.loop, trip=None, first=None, last=None, step=None, body=(), inductions=(), wraps=(), held=())
    return replace(
        loop,
        loop=empty,
        bodies=done,
        mappings=kernels,
        alternatives=(),
        outermost=None,
        changing=frozenset(),
        inlined=tuple(_bare(inner, ()) for inner in loop.inlined),
    )


def every(steps: tuple[Step, ...]) -> Iterator[Step]:
    """The steps and all that are in them, in order."""
    for step in steps:
        yield step
        match step:
            case Nest(body=body):
                yield from every(body)
            case Fork(then=then, otherwise=otherwise):
                yield from every((*then, *otherwise))
            case _:
                pass


def calls(steps: tuple[Step, ...]) -> set[str]:
    """Names of the functions that are called in them."""
    return {step.name for step in every(steps) if isinstance(step, Invoke) and not step.indirect}


def open_sizes(facts: FunctionFacts | None, known: Container[str]) -> set[str]:
    """Of the first outermost loop that needs a size which nobody gives: those sizes."""
    for loop in facts.loops if facts is not None else ():
        iterations = expr_of(loop.counts.iterations)
        if loop.parent is None and iterations is not None:
            missing = {name for name in free_symbols(iterations) if name not in known}
            if missing:
                return missing
    return set()
