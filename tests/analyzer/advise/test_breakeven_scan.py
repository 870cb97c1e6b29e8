"""Break-even sizes of random loops and devices equal a scan over all sizes.

BOATHULL_PAIRS=1000 pytest tests/analyzer/advise/test_breakeven_scan.py checks a thousand pairs; a few are part of every
run. The scan evaluates the formulas with numpy and shares nothing with the solver but the times themselves.
"""

import os
import random
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from analyzer.advise.breakeven import break_even
from models import boathull, extended
from models.catalogue import device_ids, find_device
from models.classes import Operand, Pattern
from models.expr import Expr, evaluate, floordiv, maximum, mul, num, sym
from models.pmac.loops import predict_loop
from models.prediction import Prediction
from models.quantity import between, exactly
from models.roofline.predicting import predict_host, predict_target, work_of
from models.values import as_quantity
from models.workload import ArrayUse, Workload

PAIRS = int(os.environ.get("BOATHULL_PAIRS", "60"))
SCANNED = 30_000
DEVICES = [find_device(name) for name in device_ids()]
CPUS = [device for device in DEVICES if device.kind == "cpu"]
TARGETS = [device for device in DEVICES if device.kind != "fpga"]
N = sym("n")


def length(r: random.Random) -> Expr:
    """How many elements an array or a loop has."""
    k = r.randint(1, 9)
    shapes: list[Expr] = [
        N, N * k, maximum(0, N - k), floordiv(N + k, r.choice((2, 3, 4))), mul(N, N), N * (N - 1) / 2, mul(N, k * 100),
        maximum(0, N - 2) * maximum(0, N - 2),
    ]  # fmt: skip
    return r.choice(shapes)


def array(r: random.Random, name: str, elements: Expr) -> ArrayUse:
    width = r.choice((4, 8))
    touched = elements * width
    coalescing = r.choice(("unit", "unit", "unit", "broadcast", f"strided({r.randint(2, 40)})", "irregular"))
    reads = r.random() < 0.7
    operand = Operand((elements,), Pattern.NEIGHBOURHOOD, (num(5),)) if reads and r.random() < 0.3 else None
    again = elements * r.choice((1, 1, 3)) if operand is None else elements * 5
    none: Expr = num(0)
    inside, outside = (touched, none) if reads else (none, touched)
    access: Any = "r" if reads else "w"
    return ArrayUse(name, width, access, coalescing, inside, outside, inside, outside, True, again, operand)


def workload(r: random.Random) -> Workload:
    elements = length(r)
    arrays = tuple(array(r, f"a{k}", elements) for k in range(r.randint(1, 4)))
    work = elements * r.choice((1, 2, 10, 300))
    doubtful = between(0, work / 2, work) if r.random() < 0.3 else exactly(work)
    total_in, total_out = (sum((getattr(a, f"transfer_{d}") for a in arrays), start=num(0)) for d in ("in", "out"))
    return Workload(
        algorithm=None,
        element_type=r.choice(("fp32", "int32")),
        iterations=exactly(elements),
        parallel_iterations=elements,
        flops_fp32=doubtful,
        int_ops=exactly(elements),
        multiply_adds=exactly(0),
        loads=exactly(elements * len(arrays)),
        arrays=arrays,
        transfer_in=total_in,
        transfer_out=total_out,
    )


def pair(seed: int) -> tuple[Prediction, Prediction]:
    r = random.Random(seed)
    while True:
        work, host, device = workload(r), r.choice(CPUS), r.choice(TARGETS)
        chosen = r.random()
        if chosen < 0.2:
            here: Any = boathull.predict_host(work, host, vectorised=r.random() < 0.7)
            there: Any = boathull.predict_target(work, device)
        elif chosen < 0.3:
            here = predict_host(
                work_of(work), host, threads="one", vectorised=r.random() < 0.7, candidate="host", sizes={}
            )
            there = predict_target(work_of(work), device, sizes={})
        elif chosen < 0.4:
            named = replace(work, idioms=("stream", "gather", "scatter"))
            here, there = predict_loop(named, host, threads="one"), predict_loop(named, device)
        else:
            here = extended.predict_host(work, host, vectorised=r.random() < 0.7)
            there = extended.predict_target(work, device, resident=r.random() < 0.3)
        if isinstance(here, Prediction) and isinstance(there, Prediction):
            return here, there


def scanned(before: Expr, after: Expr, shortest_s: float) -> int:
    """The largest size up to SCANNED that does not win; 0 where all do."""
    sizes = {"n": np.arange(1, SCANNED + 1, dtype=float)}
    with np.errstate(divide="ignore", invalid="ignore"):
        here, there = (np.asarray(evaluate(e, sizes)) + np.zeros(SCANNED) for e in (before, after))
        losses = np.flatnonzero(~((here > there) & (here >= shortest_s)))
    return int(losses[-1]) + 1 if losses.size else 0


def is_tie(n: int, before: Expr, after: Expr, shortest_s: float) -> bool:
    """Whether the times at n are equal, or the host's is the shortest worth moving, but for the order of roundings: the
    solver evaluates the time as the model made it, the scan its normal form."""
    here, there = (float(evaluate(e, {"n": n})) for e in (before, after))
    return any(abs(here - other) <= 1e-12 * here for other in (there, shortest_s))


def check(found: int | None, before: Expr, after: Expr, shortest_s: float) -> None:
    loss = scanned(before, after, shortest_s)
    if found is not None and found <= SCANNED:
        between_them = range(min(found, loss + 1), max(found, loss + 1))
        assert all(is_tie(n, before, after, shortest_s) for n in between_them), (found, loss + 1)
        return
    at: list[int] = [2**40] if found is None else [found - 1]
    for n in at:
        here, there = (float(evaluate(e, {"n": n})) for e in (before, after))
        assert here <= there or here < shortest_s
    if found is not None:
        assert float(evaluate(before, {"n": found})) > float(evaluate(after, {"n": found}))


@pytest.mark.parametrize("seed", range(PAIRS))
def test_break_even_equals_a_scan(seed: int) -> None:
    here, there = pair(seed)
    shortest_s = random.Random(seed).choice((0.0, 3e-6))
    point = break_even(here.total, there.total, {}, shortest_s)
    assert point is not None
    host, device = as_quantity(here.total), as_quantity(there.total)
    check(point.likely, host.likely, device.likely, shortest_s)
    check(point.safe, host.low, device.high, shortest_s)
