"""Where a loop could run, and how long it takes there: the calls of the models.

host           as the code does it today: one thread, vectorised where no floats are reordered; with a parallel
               pragma all threads
host-vector    one thread with vectors, where those need sums of floats in another order
host-threads   all threads of the host, with vectors where those are possible at all
split          a target and all threads of the host at once, each with its part of the iterations (`splitting`)
target         each target, transfers included
"""

from collections.abc import Iterator
from functools import partial
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from models import boathull, extended
from models.catalogue import Device
from models.expr import Expr, evaluate, free_symbols
from models.parameters import on_cpu
from models.prediction import Prediction, Refusal
from models.quantity import Sizes
from models.variables import IncompleteWorkloadError, gpu_variables
from models.workload import Workload

from ..facts import LoopFacts, Verdict
from .context import Context
from .splitting import split
from .workloads import serial, units_of

Answer: TypeAlias = Prediction | Refusal
Today: TypeAlias = Literal["serial", "threads", "device"]


class Candidates(Struct, frozen=True):
    """`host` is None where nothing can be said of the loop at all; `threads` also where the loop is not parallel or
    uses all threads already, `vector` where vectors are used already or cannot be. `units`: work-units that could run
    at once, None where that depends on a size."""

    host: Answer | None
    threads: Answer | None = None
    targets: tuple[Answer, ...] = ()
    units: float | None = None
    vector: Answer | None = None

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        answers = (self.host, self.vector, self.threads, *self.targets)
        return tuple(answer for answer in answers if isinstance(answer, Prediction))


def today(loop: LoopFacts, around: tuple[LoopFacts, ...]) -> Today:
    """How the code runs now, by the pragmas on the loop and on those around it."""
    pragmas = [text for each in (loop, *around) for _, text in each.loop.pragmas]
    words = [set(text.replace("(", " ").split()) for text in pragmas]
    if any("acc" in w or {"omp", "target"} <= w for w in words):
        return "device"
    return "threads" if any({"omp", "for"} <= w for w in words) else "serial"


def candidates(
    loop: LoopFacts, nest: tuple[LoopFacts, ...], workload: Workload | None, now: Today, context: Context, sizes: Sizes
) -> Candidates:
    """The answers of the models for `loop`, whose nest, itself first, is `nest`."""
    if workload is None:
        return Candidates(None)
    predict = _by_boat_hull if context.model == "boat-hull" else _by_extended
    try:
        if loop.parallelism.verdict is not Verdict.YES:
            return predict(serial(workload), None, now, context, sizes)
        found = predict(workload, nest, now, context, sizes)
    except (IncompleteWorkloadError, ZeroDivisionError):  # with a size of 0 there is no application to divide by
        return Candidates(None)
    return replace(found, units=_number(units_of(workload), sizes))


def _by_boat_hull(
    workload: Workload, nest: tuple[LoopFacts, ...] | None, now: Today, context: Context, sizes: Sizes
) -> Candidates:
    """`nest` None: the loop is not parallel, and only the host is asked for."""
    if nest is None:
        return Candidates(boathull.predict_host(workload, context.host, vectorised=False, sizes=sizes))
    gpu = gpu_variables(workload)
    cpu = on_cpu(gpu)
    host_run = partial(
        boathull.predict_host, workload, context.host, vectorised=is_vectorised(nest), variables=cpu, sizes=sizes
    )
    host = host_run(threads="all" if now == "threads" else "one")
    threads = None if now == "threads" else host_run(threads="all")
    targets = tuple(
        _deep_copy(workload, device)
        or boathull.predict_target(workload, device, sizes=sizes, variables=cpu if device.kind == "cpu" else gpu)
        for device in context.targets
    )
    return Candidates(host, threads, targets)


def _by_extended(
    workload: Workload, nest: tuple[LoopFacts, ...] | None, now: Today, context: Context, sizes: Sizes
) -> Candidates:
    prepared = extended.prepare(workload, sizes)
    host_run = partial(extended.predict_host, workload, context.host, sizes=sizes, prepared=prepared)
    if nest is None:
        return Candidates(host_run(vectorised=False))
    as_it_is = is_vectorised(nest)
    reordered = as_it_is or is_vectorised(nest, reorder=True)
    host = host_run(threads="all" if now == "threads" else "one", vectorised=as_it_is, candidate="host")
    vector = host_run(vectorised=True, candidate="host-vector") if reordered and not as_it_is else None
    threads = None if now == "threads" else host_run(threads="all", vectorised=reordered)
    targets = tuple(
        _deep_copy(workload, device) or extended.predict_target(workload, device, sizes=sizes, prepared=prepared)
        for device in context.targets
    )
    together = host if now == "threads" else threads
    beside = (answer for answer, device in zip(targets, context.targets, strict=True) if device.kind != "cpu")
    splits = tuple(found for answer in beside if (found := split(together, answer)) is not None)
    return Candidates(host, threads, (*targets, *splits), vector=vector)


def _deep_copy(workload: Workload, device: Device) -> Refusal | None:
    """What a device of its own memory cannot be given by copying sections: blocks that pointers lead to, one by one."""
    if device.kind == "cpu":
        return None
    name = next((array.name for array in workload.arrays if not array.contiguous), None)
    if name is None:
        return None
    message = f"`{name}` is many blocks that pointers lead to: each must be copied by itself, and every pointer set"
    return Refusal(device.id, "deep-copy", message)


def _number(expr: Expr | None, sizes: Sizes) -> float | None:
    known = expr is not None and free_symbols(expr) <= set(sizes)
    return float(evaluate(expr, sizes)) if known and expr is not None else None


def is_vectorised(nest: tuple[LoopFacts, ...], reorder: bool = False) -> bool:
    """Whether vectors are legal without reordering floats: for every innermost loop of the nest, in it or in a loop
    around it (up to the first of `nest`), iterations are independent and sum up no floats. `reorder`: they may.

    Legal is taken literally, as the host baseline is defined: that is the faster host, so no gain is overstated."""
    by_id = {loop.id: loop for loop in nest}
    parents = {loop.parent for loop in nest}
    innermost = [loop for loop in nest if loop.id not in parents]
    return all(any(_may_use_vectors(outer, reorder) for outer in _chain(loop, by_id)) for loop in innermost)


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
