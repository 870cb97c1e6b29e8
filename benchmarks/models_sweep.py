"""What a sweep of a million points costs in each model, and what starting the models costs.

Prints the CPU seconds of the best of a few runs; asserts nothing, since machines differ and are busy.
Usage: python benchmarks/models_sweep.py
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from models import roofline
from models.boathull import predict_host, predict_target
from models.catalogue import find_device
from models.communication import ALGORITHMS, attainable, paper_cache, systems
from models.dnn import activation_time, dense_time
from models.expr import evaluate
from models.lslag.architecture import printed, wall_time
from models.perdome import code_partition, data_partition, printed_processor
from models.pmac.curves import printed_curves
from models.prediction import Prediction
from models.workload import from_class

POINTS = 10**6
REPEATS = 3
SIZES = np.linspace(1024, 10**8, POINTS)
CPU, GPU = printed_processor("i7-2600k").likely, printed_processor("gtx750").likely


def boat_hull() -> Callable[[], object]:
    """All three ends of the time on a GPU, over the size."""
    answer = predict_target(from_class("N|neighbourhood(5) → N|element", 9), find_device("h200"), launch=True)
    assert isinstance(answer, Prediction)
    ends = answer.formulas.low, answer.formulas.likely, answer.formulas.high
    return lambda: [evaluate(end, {"N": SIZES}) for end in ends]


def boat_hull_host() -> Callable[[], object]:
    answer = predict_host(from_class("N|element → 1|shared", 2), find_device("xeon6248"), threads="all")
    assert isinstance(answer, Prediction)
    return lambda: evaluate(answer.formulas.likely, {"N": SIZES})


def sweeps() -> Iterator[tuple[str, Callable[[], object]]]:
    karst, cache = systems()["karst"], paper_cache()
    stream = printed_curves()["convey-hc1", "stream"]
    intensities = np.geomspace(0.01, 100, POINTS)
    batches = np.geomspace(1, 4096, POINTS)
    yield "boat hull, GPU: low, likely, high", boat_hull()
    yield "boat hull, CPU: likely", boat_hull_host()
    yield "PerDome, code partitions", lambda: code_partition(CPU, GPU, 1.7, intensities, np.full(POINTS, 2.0))
    yield "PerDome, p-DP", lambda: data_partition(CPU, GPU, intensities)
    yield "PMaC bandwidth", lambda: stream.bandwidth(np.geomspace(2e5, 1e9, POINTS))
    yield "LSLAG wall time", lambda: wall_time(printed("B2"), np.full(POINTS, 64.0), SIZES)
    yield "roofline", lambda: roofline.attainable(22e9, 13.9e9, intensities)
    yield "communication roofline", lambda: attainable(karst, intensities, intensities[::-1])
    yield "SUMMA of Table 2.4", lambda: ALGORITHMS["summa"].work({"N": SIZES}, 121, cache).cai
    yield "Dijkstra of Table 2.4", lambda: ALGORITHMS["dijkstra"].work({"V": SIZES, "E": 16 * SIZES}, 128, cache).oi
    yield "DNN dense layer", lambda: dense_time(batches, 784, 50, 24e9, 1e10)
    yield "DNN activation", lambda: activation_time(SIZES, 30, 1e10)


def least(run: Callable[[], object]) -> float:
    """CPU seconds of the best of a few runs."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def started(code: str) -> float:
    """CPU seconds of a fresh interpreter, user and system."""
    best = float("inf")
    for _ in range(2 * REPEATS):
        before = os.times()
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1] / "src")}
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best, used)
    return best


def main() -> None:
    print(f"a sweep of {POINTS:,} points, CPU seconds")
    for name, run in sweeps():
        print(f"  {name:36} {least(run):.3f}")
    bare = started("pass")
    arguments = ["predict", "1024x1024|element -> 256|shared", "--complexity", "1", "-t", "gtx470"]
    predict = f"from models.cli import main; main({arguments!r})"
    print("a fresh interpreter, CPU seconds")
    for name, code in (("bare", "pass"), ("import models", "import models"), ("boathull predict", predict)):
        used = started(code)
        print(f"  {name:36} {used:.3f}   (bare + {used - bare:.3f})")


if __name__ == "__main__":
    main()
