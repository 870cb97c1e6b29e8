"""Where a loop could run, and how long it takes there: the calls of the models.

host           as the code does it today: one thread, vectorised where no floats are reordered; with a parallel
               pragma all threads
host-threads   all threads of the host
target         each target, transfers included
"""

from collections.abc import Iterator
from functools import partial
from typing import Literal, TypeAlias

from msgspec import Struct

from models import boathull
from models.expr import Expr, evaluate, free_symbols
from models.parameters import on_cpu
from models.prediction import Prediction, Refusal
from models.quantity import Sizes
from models.variables import IncompleteWorkloadError, gpu_variables
from models.workload import Workload

from ..facts import LoopFacts, Verdict
from .context import Context
from .workloads import serial, units_of

Answer: TypeAlias = Prediction | Refusal
Today: TypeAlias = Literal["serial", "threads", "device"]


class Candidates(Struct, frozen=True):
    """`host` is None where nothing can be said of the loop at all; `threads` also where the loop is not parallel or
    uses all threads already. `units`: work-units that could run at once, None where that depends on a size."""

    host: Answer | None
    threads: Answer | None = None
    targets: tuple[Answer, ...] = ()
    units: float | None = None

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        answers = (self.host, self.threads, *self.targets)
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
    try:
        if loop.parallelism.verdict is not Verdict.YES:
            return Candidates(boathull.predict_host(serial(workload), context.host, vectorised=False, sizes=sizes))
        gpu = gpu_variables(workload)
        cpu = on_cpu(gpu)
        host_run = partial(
            boathull.predict_host, workload, context.host, vectorised=is_vectorised(nest), variables=cpu
        )
        host = host_run(threads="all" if now == "threads" else "one", sizes=sizes)
        threads = None if now == "threads" else host_run(threads="all", sizes=sizes)
        targets = tuple(
            boathull.predict_target(workload, device, sizes=sizes, variables=cpu if device.kind == "cpu" else gpu)
            for device in context.targets
        )
    except IncompleteWorkloadError:
        return Candidates(None)
    return Candidates(host, threads, targets, _number(units_of(workload), sizes))


def _number(expr: Expr | None, sizes: Sizes) -> float | None:
    known = expr is not None and free_symbols(expr) <= set(sizes)
    return float(evaluate(expr, sizes)) if known and expr is not None else None


def is_vectorised(nest: tuple[LoopFacts, ...]) -> bool:
    """Whether vectors are legal without reordering floats: for every innermost loop of the nest, in it or in a loop
    around it (up to the first of `nest`), iterations are independent and sum up no floats.

    Legal is taken literally, as the host baseline is defined: that is the faster host, so no gain is overstated."""
    by_id = {loop.id: loop for loop in nest}
    parents = {loop.parent for loop in nest}
    return all(any(map(_may_use_vectors, _chain(loop, by_id))) for loop in nest if loop.id not in parents)


def _chain(loop: LoopFacts, by_id: dict[str, LoopFacts]) -> Iterator[LoopFacts]:
    yield loop
    while loop.parent is not None and loop.parent in by_id:
        loop = by_id[loop.parent]
        yield loop


def _may_use_vectors(loop: LoopFacts) -> bool:
    answer = loop.parallelism
    scattered = any(a.coalescing == "irregular" and "w" in a.access for a in loop.arrays)
    ordered = any(r.reorders_fp or r.array for r in answer.reductions)
    return answer.verdict is Verdict.YES and not ordered and not scattered
