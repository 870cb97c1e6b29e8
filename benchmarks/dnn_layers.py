"""Measures the layers of the DNN roofline's simple network on this machine, for `boathull dnn --file`.

Writes a file as `src/models/data/dnn.toml` has them: STREAM-like memory bandwidth, times of the matrix products alone,
activations alone, and the whole network, layer by layer, at every batch (the [results] to compare
with). One thread, single precision; each time is the least of many, as other processes can only make it longer.

    OPENBLAS_NUM_THREADS=1 python benchmarks/dnn_layers.py "processor" > validation/dnn_layers.toml
"""

import os
import sys
from collections.abc import Callable
from time import perf_counter

import numpy

BATCHES = (32, 64, 128)
DENSE = ((784, 50), (50, 10))
REPEATS = 2000


def least(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds."""
    found = float("inf")
    for _ in range(repeats):
        start = perf_counter()
        work()
        found = min(found, perf_counter() - start)
    return found


def values(*shape: int) -> numpy.ndarray:
    """Small enough for sigmoids of sums not to overflow."""
    return numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32) / 30


def relu(x: numpy.ndarray, out: numpy.ndarray) -> None:
    numpy.maximum(x, 0, out=out)


def sigmoid(x: numpy.ndarray, out: numpy.ndarray) -> None:
    numpy.negative(x, out=out)
    numpy.exp(out, out=out)
    numpy.add(out, 1, out=out)
    numpy.reciprocal(out, out=out)


def bandwidth() -> float:
    """MB/s of the best of copy and add on arrays of 64 MB each."""
    a, b, c = (values(16 * 2**20) for _ in range(3))
    copy = 2 * a.nbytes / least(lambda: numpy.copyto(b, a), 20)
    add = 3 * a.nbytes / least(lambda: numpy.add(a, b, out=c), 20)
    return max(copy, add) / 1e6


def product(m: int, k: int, n: int) -> float:
    a, b, c = values(m, k), values(k, n), values(m, n)
    return least(lambda: numpy.dot(a, b, out=c))


def activation(work: Callable[[numpy.ndarray, numpy.ndarray], None], batch: int, width: int) -> float:
    x, y = values(batch, width), values(batch, width)
    return least(lambda: work(x, y))


def whole(batch: int) -> dict[str, float]:
    """The network from its input to its output, each layer timed in its place; a dense layer adds its bias."""
    x, (w1, w2), (b1, b2) = values(batch, 784), [values(*d) for d in DENSE], [values(d[1]) for d in DENSE]
    h, r, o, s = values(batch, 50), values(batch, 50), values(batch, 10), values(batch, 10)

    def dense(a: numpy.ndarray, w: numpy.ndarray, b: numpy.ndarray, out: numpy.ndarray) -> None:
        numpy.dot(a, w, out=out)
        numpy.add(out, b, out=out)

    layers = {
        "fc1": lambda: dense(x, w1, b1, h),
        "relu": lambda: relu(h, r),
        "fc2": lambda: dense(r, w2, b2, o),
        "sigmoid": lambda: sigmoid(o, s),
    }
    found = dict.fromkeys(layers, float("inf"))
    for _ in range(REPEATS):
        for name, layer in layers.items():
            start = perf_counter()
            layer()
            found[name] = min(found[name], perf_counter() - start)
    return found


def table(name: str, source: str, units: str, rows: list[str], note: str = "") -> str:
    head = f'[{name}]\nsource = "{source}"\nkind = "measured"\n' + (f'note = "{note}"\n' if note else "")
    return head + f"units = {{ {units} }}\nrows = [\n" + "".join(f"    {{ {row} }},\n" for row in rows) + "]\n"


def main(processor: str) -> None:
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        sys.exit("set OPENBLAS_NUM_THREADS=1: one thread is measured")
    source = f"benchmarks/dnn_layers.py on {processor}, numpy {numpy.__version__}"
    products = [
        f'system = "here", m = {m}, k = {k}, n = {n}, time = {product(m, k, n) * 1e6:.3f}'
        for m in BATCHES
        for k, n in DENSE
    ]
    activations = [
        f'system = "here", activation = "{work.__name__}", elements = {batch * width}, '
        f"time = {activation(work, batch, width) * 1e6:.3f}"
        for work, width in ((relu, 50), (sigmoid, 10))
        for batch in BATCHES
    ]
    results = [
        f'system = "here", batch = {batch}, name = "{name}", measured = {time * 1e6:.3f}'
        for batch in BATCHES
        for name, time in whole(batch).items()
    ]
    memory = f'id = "here", name = "{processor}", memory = {bandwidth():.1f}'
    print(table("systems", source, 'memory = "MB/s"', [memory], "one thread; the best of copy and add"))
    print(table("gemm", source, 'm = "1", k = "1", n = "1", time = "us"', products))
    print(table("activations", source, 'elements = "1", time = "us"', activations))
    print(table("results", source, 'batch = "1", measured = "us"', results, "the whole network, layer by layer"))


if __name__ == "__main__":
    main(*sys.argv[1:])
