"""Where a loop could run, and how long it takes there by the chosen model (`modelling`).

host           as the code does it today: one thread, vectorised where no floats are reordered; with a parallel
               pragma all threads
host-vector    one thread with vectors, where those need a `simd` pragma on the loop: its sums of floats have another
               order then
host-threads   all threads of the host, and the vectors of today and of that pragma
split          a target and all threads of the host at once, each with its part of the iterations (`splitting`)
target         each target, transfers included
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from models.catalogue import Device
from models.expr import known_value
from models.prediction import Prediction, Refusal
from models.quantity import Sizes
from models.variables import IncompleteWorkloadError
from models.workload import Workload

from ..facts.loop import LoopFacts, Verdict
from ..incore.unrolling import is_unrolled
from ..ir import c_library as library
from ..ir.nodes import (
    Access,
    Assign,
    Call,
    Declared,
    Object,
    evaluated,
    is_literal,
    loops,
    statements,
)
from ..source.ctypes import Pointer
from .context import Context
from .modelling import MODELS, Answer, Applied, Model, Subject
from .splitting import split
from .workloads import serial, units_of

Today: TypeAlias = Literal["serial", "threads", "threads-around", "device"]


PER_THREAD = frozenset(("thread-copy", "threadprivate", "static-local", "other"))
"""Rewrites that give each thread something of its own: the lanes of its vectors would share it."""


class Candidates(Struct, frozen=True):
    """`host` is None where nothing can be said of the loop at all; `threads` also where the loop is not parallel or
    uses all threads already, `vector` where vectors are used already or cannot be. `units`: work-units that could run
    at once, None where that depends on a size. `simd`: a pragma on a parallel loop should say so."""

    host: Answer | None
    threads: Answer | None = None
    targets: tuple[Answer, ...] = ()
    units: float | None = None
    vector: Answer | None = None
    simd: bool = False

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        answers = (self.host, self.vector, self.threads, *self.targets)
        return tuple(answer for answer in answers if isinstance(answer, Prediction))


def today(loop: LoopFacts, around: tuple[LoopFacts, ...]) -> Today:
    """How the code runs now, by the pragmas on the loop and on those around it: inside a loop that is divided among
    threads, each entry of this one has a thread of its own."""
    own, outer = _words(loop), [w for each in around for w in _words(each)]
    if any("acc" in w or {"omp", "target"} <= w for w in (*own, *outer)):
        return "device"
    if any({"omp", "for"} <= w for w in outer):
        return "threads-around"
    return "threads" if any({"omp", "for"} <= w for w in own) else "serial"


def _words(loop: LoopFacts) -> list[set[str]]:
    return [set(text.replace("(", " ").split()) for _, text in loop.loop.pragmas]


def candidates(
    loop: LoopFacts, nest: tuple[LoopFacts, ...], workload: Workload | None, now: Today, context: Context, sizes: Sizes,
    chosen_at: Sizes | None = None,
) -> Candidates:  # fmt: skip
    """The answers of the context's model for `loop`, whose nest, itself first, is `nest`. `chosen_at`: of `Subject`."""
    if workload is None:
        return Candidates(None)
    model = MODELS[context.model]
    is_parallel = loop.parallelism.is_parallel
    as_it_is = is_vectorised(nest)
    taken = workload if is_parallel else serial(workload)
    in_lanes = _has_copies_in_lanes(loop)
    reordered = in_lanes and model.reorders and reorders(nest, workload) and not loop.clauses.unlike_gcc
    subject = Subject(taken, nest, context, sizes, chosen_at, as_it_is, reordered)
    try:
        applied = model.apply(subject)
        if not is_parallel:
            return Candidates(applied.host(threads="one", vectorised=as_it_is, candidate="host"))
        found = _everywhere(subject, model, applied, now)
    # too little is known for this model, or with a size of 0 there is no application to divide by: no time, and the
    # verdict says which count is missing
    except (IncompleteWorkloadError, ZeroDivisionError):
        return Candidates(None)
    # of a loop that is divided among threads the compiler makes no vectors across its iterations without the word
    across = in_lanes and any(body.across for body in workload.bodies) and not loop.clauses.unlike_gcc
    simd = subject.reordered_by_all or across
    return replace(found, units=known_value(units_of(workload), sizes), simd=simd)


def _has_copies_in_lanes(loop: LoopFacts) -> bool:
    """Whether every lane of a vector has a copy of what each iteration has for itself. Of what begins with its old
    value, and is set, no clause gives it one: a variable, or an array whose last copy is what remains of all of it; nor
    is there one where a copy is made by hand for each thread."""
    by_hand = any(r.kind in PER_THREAD for r in loop.clauses.rewrites)
    return not (loop.parallelism.first_private or loop.clauses.first_private or by_hand)


def _everywhere(subject: Subject, model: Model, applied: Applied, now: Today) -> Candidates:
    """Of a parallel loop."""
    as_it_is, as_advised = subject.vectorised, subject.vectorised_as_advised
    host = applied.host(threads="all" if now == "threads" else "one", vectorised=as_it_is, candidate="host")
    vector = threads = None
    if subject.reordered:
        vector = applied.host(threads="one", vectorised=True, candidate="host-vector")
    if now not in ("threads", "threads-around"):
        threads = applied.host(threads="all", vectorised=as_advised, candidate="host-threads")
    devices = subject.context.targets
    own = of_host_memory(subject.nest[0], subject.context.resident)
    targets = tuple(
        _on_the_host(own, device) or _deep_copy(subject, device) or applied.target(device) for device in devices
    )
    together = host if now == "threads" else threads
    beside = [a for a, device in zip(targets, devices, strict=True) if device.kind != "cpu"] if model.splits else []
    splits = tuple(found for answer in beside if (found := split(together, answer)) is not None)
    return Candidates(host, threads, (*targets, *splits), vector=vector)


def of_host_memory(loop: LoopFacts, resident: bool) -> str | None:
    """What a loop does with the host's memory that no other memory can do for it: reserve it, release it, or keep where
    something in it is, if the data are not there already (`resident`)."""
    key = loop.loop.key
    for statement in statements(loop.loop.body):
        for e in evaluated(statement):
            if isinstance(e, Call) and (e.made is not None or library.effect(e.name) is library.Effect.RELEASES):
                does = "makes" if e.made is not None else "releases"
                return f"`{e.name}` (line {e.place.line}) {does} blocks of host memory"
    for statement in statements(loop.loop.body) if not resident else ():
        match statement:
            case Assign(target=Access(type=Pointer(), object=where, text=text), value=value, place=place) if (
                not _is_of_iteration(where, key) and not is_literal(value)
            ):
                return f"`{text}` (line {place.line}) is set to an address in host memory"
            case _:
                pass
    return None


def _is_of_iteration(where: Object, loop: int) -> bool:
    return isinstance(where, Declared) and loop in where.variable.loops


def _on_the_host(found: str | None, device: Device) -> Refusal | None:
    """What a device of its own memory cannot do for the host."""
    if device.kind == "cpu" or found is None:
        return None
    return Refusal(device.id, "deep-copy", found)


def _deep_copy(subject: Subject, device: Device) -> Refusal | None:
    """What a device of its own memory cannot be given by copying sections: blocks that pointers lead to, one by one."""
    if device.kind == "cpu" or subject.context.resident:
        return None
    arrays = subject.workload.arrays
    name = next((array.name.removesuffix("[]") for array in arrays if not array.contiguous), None)
    if name is None:
        return None
    message = f"`{name}` is many blocks that pointers lead to: each must be copied by itself, and every pointer set"
    return Refusal(device.id, "deep-copy", message)


def is_vectorised(nest: tuple[LoopFacts, ...], reorder: bool = False) -> bool:
    """Whether vectors are legal without reordering floats: for every innermost loop of the nest, in it or in a loop
    around it (up to the first of `nest`), iterations are independent and sum up no floats. `reorder`: they may.

    Legal is taken literally, as the host baseline is defined: that is the faster host, so no gain is overstated."""
    by_id = {loop.id: loop for loop in nest}
    parents = {loop.parent for loop in nest}
    innermost = [loop for loop in nest if loop.id not in parents]
    return all(any(_may_use_vectors(outer, reorder) for outer in _chain(loop, by_id)) for loop in innermost)


def reorders(nest: tuple[LoopFacts, ...], workload: Workload) -> bool:
    """Whether a `simd` pragma on the first loop of the nest makes vectors where the compiler makes none: floats may be
    added, or the largest be found, in another order then. Not of a loop that holds others, but for those that are
    unrolled: their sums need a pragma of their own.

    Example: of `for (i...) s += a[i];`, not of the loop over rows around it."""
    if workload.bodies:
        return len(workload.bodies) == 1 and workload.bodies[0].vectors == "reordered"
    inner = (*(each.loop for each in nest[1:]), *loops(nest[0].loop.body))
    return all(map(is_unrolled, inner)) and not is_vectorised(nest) and is_vectorised(nest, reorder=True)


def _chain(loop: LoopFacts, by_id: dict[str, LoopFacts]) -> Iterator[LoopFacts]:
    yield loop
    while loop.parent is not None and loop.parent in by_id:
        loop = by_id[loop.parent]
        yield loop


def _may_use_vectors(loop: LoopFacts, reorder: bool) -> bool:
    answer = loop.parallelism
    scattered = any(a.coalescing == "irregular" and "w" in a.access for a in loop.arrays)
    ordered = any((r.reorders_fp and not reorder) or r.array for r in answer.reductions)
    return answer.verdict is Verdict.YES and not ordered and not scattered
