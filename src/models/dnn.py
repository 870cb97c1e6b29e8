"""The parameterised roofline of deep neural networks: each layer at the measured rate of a product of its size.

Cardwell, "Performance Models for Distributed-Memory HPC Systems and Deep Neural Networks", 2019, chapter 3:

    P = min(f(k, m, n), OI · M_peak)         OI = F / M                                              (3.1, 3.2)

    dense        m x k by k x n: F = m k n multiply-adds, M = 4 (m k + k n + m n) bytes, f = F / measured time
    activation   F = operations per element, 1 for ReLU and 30 for sigmoid; OI = 0.25: 4 bytes per operation

The bias costs nothing. The sigmoid's 30 operations are not printed: the published errors leave nothing else, and with 4
bytes for each operation they are rather a measure of its cost. The paper's worked example (section 3.9) has two slips
that cancel: 5 017 600 multiply-adds in 207 us are 24.24 G/s, not 242.3, and its OI of 34.3 is per element, 8.59 per
byte, so that the roof is 111.2, not 444.7 G/s.

Ours, not the paper's: `activations` gives activations their own measured times, as f does for dense layers, in place
of the roof, which falls far short of what was measured; `plain` has a peak in place of f, the unparameterised roofline.
Not modelled: convolutions, caches between layers, threads, backward passes; f is known where it was measured only.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from .elementwise import Values, greatest, positive
from .errors import InputError
from .published import Table

FLOAT = 4
"""Bytes of an element: single precision."""

Kind: TypeAlias = Literal["dense", "relu", "sigmoid"]
Limit: TypeAlias = Literal["gemm", "memory", "activation"]
ACTIVATIONS: tuple[Kind, ...] = ("relu", "sigmoid")
Gemm: TypeAlias = Callable[[int, int, int], float]
"""f: multiply-adds per second of an m x k by k x n product, from m, k and n."""


Activation: TypeAlias = Callable[[int], float]
"""Seconds of an activation from its number of elements."""


class Layer(Struct, frozen=True):
    """One row of a network; an activation has as many outputs as inputs."""

    name: str
    kind: Kind
    inputs: int
    outputs: int


class System(Struct, frozen=True):
    """Memory bandwidth in bytes/s, f, operations per element of activations, and their measured times where known."""

    id: str
    name: str
    memory: float
    gemm: Gemm
    operations: Mapping[str, float]
    source: str
    activations: Mapping[str, Activation] = {}


class Row(Struct, frozen=True):
    """The prediction of one layer: seconds, operations (multiply-adds of a dense layer), operations per byte."""

    name: str
    kind: Kind
    batch: int
    operations: float
    intensity: float
    time: float
    limit: Limit


# --- the equations


def dense_time(m: Values, k: Values, n: Values, rate: Values, memory: Values) -> Values:
    """Seconds of an m x k by k x n product at `rate` multiply-adds/s and `memory` bytes/s: F / min(f, OI · M_peak).

    Example: 128 x 784 by 784 x 50 at 24.24e9/s and 12937.6e6 B/s takes 207e-6 s, fc1 on Carbonate."""
    products = positive("m", m) * positive("k", k) * positive("n", n)
    return greatest(products / positive("the rate", rate), dense_bytes(m, k, n) / positive("the bandwidth", memory))


def dense_bytes(m: Values, k: Values, n: Values) -> Values:
    return FLOAT * (m * k + k * n + m * n)


def activation_time(elements: Values, operations: float, memory: float) -> Values:
    """Seconds of an activation at the memory roof: operations · elements · 4 bytes / M_peak.

    Example: ReLU of 128 x 50 elements at 12937.6e6 B/s: 1.98e-6 s."""
    return positive("the elements", elements) * operations * FLOAT / positive("the bandwidth", memory)


def predict(network: Sequence[Layer], batch: int, system: System) -> tuple[Row, ...]:
    """A row for each layer of the network, for `batch` inputs at once.

    InputError where a size was not measured, and for a batch that is not above 0.
    Example: `predict(network(), 128, systems()["carbonate"])` are the predictions of Table 3.6."""
    if batch < 1:
        raise InputError(f"the batch is {batch}, which is not above 0")
    return tuple(_row(layer, batch, system) for layer in network)


def _row(layer: Layer, batch: int, system: System) -> Row:
    if layer.kind == "dense":
        size = batch, layer.inputs, layer.outputs
        products, traffic, rate = batch * layer.inputs * layer.outputs, dense_bytes(*size), system.gemm(*size)
        limit: Limit = "gemm" if products / rate >= traffic / system.memory else "memory"
        time = float(dense_time(*size, rate, system.memory))
        return Row(layer.name, layer.kind, batch, products, products / traffic, time, limit)
    elements, operations = batch * layer.outputs, system.operations[layer.kind]
    if layer.kind in system.activations:
        time, limit = system.activations[layer.kind](elements), "activation"
    else:
        time, limit = float(activation_time(elements, operations, system.memory)), "memory"
    return Row(layer.name, layer.kind, batch, elements * operations, 1 / FLOAT, time, limit)


# --- networks


def layers(words: Sequence[str]) -> tuple[Layer, ...]:
    """A network from words such as `784x50 relu 50x10 sigmoid`: dense layers as inputs x outputs, activations of what
    is before them. InputError where two layers do not fit together."""
    found: list[Layer] = []
    for word in words:
        name = word.lower()
        if name in ACTIVATIONS:
            if not found:
                raise InputError(f"{name} stands first: an activation follows a dense layer")
            kind: Kind = "relu" if name == "relu" else "sigmoid"
            found.append(Layer(name, kind, found[-1].outputs, found[-1].outputs))
            continue
        inputs, outputs = _lengths(word)
        if found and found[-1].outputs != inputs:
            raise InputError(f"{word} does not follow {found[-1].outputs} outputs of {found[-1].name}")
        number = 1 + sum(layer.kind == "dense" for layer in found)
        found.append(Layer(f"fc{number}", "dense", inputs, outputs))
    return tuple(found)


def _lengths(word: str) -> tuple[int, int]:
    inputs, times, outputs = word.partition("x")
    if not (times and inputs.isdecimal() and outputs.isdecimal() and int(inputs) and int(outputs)):
        raise InputError(f"{word!r} is no layer: write INPUTSxOUTPUTS, {' or '.join(ACTIVATIONS)}")
    return int(inputs), int(outputs)


# --- systems


def measured_gemm(rows: Sequence[tuple[int, int, int, float]], source: str) -> Gemm:
    """f from measured (m, k, n, seconds); it refuses sizes that are not among them."""
    seconds = {(m, k, n): positive(f"the time of {m}x{k}x{n}", time) for m, k, n, time in rows}

    def f(m: int, k: int, n: int) -> float:
        if (m, k, n) not in seconds:
            known = ", ".join(f"{m}x{k}x{n}" for m, k, n in sorted(seconds))
            raise InputError(f"no measured product of m x k x n = {m}x{k}x{n} in {source}; there are {known}")
        return float(m * k * n / seconds[m, k, n])

    return f


def plain(system: System, peak: float) -> System:
    """The same system with the peak rate, in multiply-adds per second, at every size: the plain roofline."""
    rate = float(positive("the peak", peak))
    return replace(system, gemm=lambda m, k, n: rate)


def operations() -> dict[str, float]:
    """Operations per element of the activations."""
    from .published import tables

    data = tables("dnn")
    return {name: data[name].rows[0]["operations"] for name in ACTIVATIONS}


def systems(data: Mapping[str, Table] | None = None) -> dict[str, System]:
    """The systems of the paper by id, or those of another file's tables (as `data/dnn.toml`, [systems] and [gemm])."""
    from .published import tables

    found = tables("dnn") if data is None else data
    for name in ("systems", "gemm"):
        if name not in found:
            raise InputError(f"the table [{name}] is missing")
    products = found["gemm"]
    return {
        row["id"]: System(
            row["id"],
            row["name"],
            positive(f"the memory bandwidth of {row['id']}", row["memory"]),
            measured_gemm(
                [(r["m"], r["k"], r["n"], r["time"]) for r in products.rows if r["system"] == row["id"]],
                f"{products.source}, {row['id']}",
            ),
            operations(),
            products.source,
            _activations(found.get("activations"), row["id"]),
        )
        for row in found["systems"].rows
    }


def measured_activation(rows: Sequence[tuple[float, float]]) -> Activation:
    """The time of an activation from measured (elements, seconds): linear between two of them, and at the rate of the
    nearest beyond them. Example: `measured_activation([(1600, 33e-6)])(3200)` is 66e-6."""
    known = sorted((positive("the elements", elements), positive("the time", time)) for elements, time in rows)

    def seconds(elements: int) -> float:
        for (before, early), (after, late) in pairwise(known):
            if before <= elements <= after:
                return float(early + (late - early) * (elements - before) / (after - before))
        size, time = known[0] if elements < known[0][0] else known[-1]
        return float(time * elements / size)

    return seconds


def _activations(table: Table | None, system: str) -> dict[str, Activation]:
    rows = [row for row in table.rows if row["system"] == system] if table is not None else []
    return {
        name: measured_activation([(row["elements"], row["time"]) for row in rows if row["activation"] == name])
        for name in {row["activation"] for row in rows}
    }


def network() -> tuple[Layer, ...]:
    """The simple network of Table 3.1."""
    from .published import tables

    rows = tables("dnn")["network"].rows
    return tuple(Layer(row["name"], row["layer"], row["inputs"], row["outputs"]) for row in rows)


def with_activations(system: System, batch: int) -> System:
    """A system of the paper whose activations have the rate measured at one batch size (Tables 3.6, 3.7); predictions
    of other batch sizes then use nothing of what they are compared with."""
    from .published import tables

    times: dict[str, Activation] = {}
    for layer in network():
        if layer.kind != "dense":
            row = tables("dnn")["results"].row(system=system.id, batch=batch, name=layer.name)
            times[layer.kind] = measured_activation([(batch * layer.outputs, row["measured"])])
    return replace(system, activations=times)
