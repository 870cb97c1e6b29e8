"""Tables 1 to 5 of the boat hull paper."""

from collections.abc import Iterator
from typing import Any

from ..boathull import predict_host, predict_target
from ..catalogue import find_device
from ..expr import Expr, evaluate
from ..notation import parse_class
from ..parameters import Parameters, gpu_parameters
from ..prediction import Prediction
from ..published import Table, tables
from ..quantity import Range
from ..table1 import ROWS, printed_parameters
from ..workload import from_class
from .line import Line

PAPER = "boat-hull"
SIZES = {"A": 1024, "B": 1024, "C": 256, "U": 4, "V": 4, "N": 7, "M": 7}
BYTES = 4  # footnote 1: 32-bit elements
ERODE = "the complexity of erode is fitted, 6 with the printed rows and 6.4 by definition"


def lines() -> Iterator[Line]:
    data = tables("boat_hull")
    yield from _variables()
    yield from _devices(data["gpus"], data["cpus"])
    yield from _floors(data["cpu_floors"])
    yield from _primitives(data["case_study"])
    yield from _case_study()


# --- Table 1


def _variables() -> Iterator[Line]:
    """Printed rows against the rules for any class, at one size."""
    for row in ROWS:
        algorithm = parse_class(row.algorithm)
        rule, printed = gpu_parameters(algorithm, 1), printed_parameters(algorithm)
        assert printed is not None
        halo = row.name.startswith("neighbourhood")
        for name in ("w", "m", "o", "d", "c", "u"):
            unprinted = halo and name in ("c", "u")  # alpha and beta
            published, computed = _value(printed, name), _value(rule, name)
            note = row.difference if unprinted or published != computed else ""
            unit = "elements" if name in "dcu" else "1"
            yield _line("Table 1", row.algorithm, name, unit, None if unprinted else published, computed, note)


def _value(parameters: Parameters, name: str) -> float:
    expression: Expr = getattr(parameters, name)
    return float(evaluate(expression, SIZES))


# --- Tables 2 and 3


def _devices(gpus: Table, cpus: Table) -> Iterator[Line]:
    keys = {
        "compute": ("P_compute", "compute.int32", "GFLOP/s", 1e9),
        "coalesced": ("P_coalesced", "memory.coalesced", "GB/s", 1e9),
        "uncoalesced": ("P_uncoalesced", "memory.uncoalesced", "GB/s", 1e9),
        "bus": ("B_bus", "link.rate", "GB/s", 1e9),
    }
    yield from _catalogue("Table 2", gpus, keys)
    keys = {
        "compute": ("P_compute", "compute.int32.all_cores", "GFLOP/s", 1e9),
        "memory": ("P_memory", "memory.all_cores", "GB/s", 1e9),
        "threads": ("N_threads", "threads", "1", 1),
        "vector": ("W_vector", "vector", "bit", 1),
    }
    yield from _catalogue("Table 3", cpus, keys)


def _catalogue(name: str, table: Table, keys: dict[str, tuple[str, str, str, float]]) -> Iterator[Line]:
    for row in table.rows:
        device = find_device(row["device"])
        for column, (quantity, key, unit, scale) in keys.items():
            computed = device.figure(key).value / scale
            yield _line(name, device.id, quantity, unit, row[column] / scale, computed, "input: the device file")


def _floors(table: Table) -> Iterator[Line]:
    """c1 and c3 against c0 and c2: times, so floors multiply."""
    workload = from_class("2048x2048|element → 2048x2048|element", 1000, element_type="int32")
    note = "c1 = c0 · lanes in time; the paper prints performances"
    for row in table.rows:
        device = find_device(row["device"])
        scalar, vector = (
            _compute(predict_host(workload, device, threads="all", vectorised=vectorised)).likely
            for vectorised in (False, True)
        )
        one = _compute(predict_host(workload, device)).likely
        yield _line("§4.4", device.id, "scalar over vector time", "1", row["scalar"], scalar / vector, note)
        yield _line(
            "§4.4", device.id, "one thread over all", "1", row["one_thread"], one / vector, "c2 = c0 · N_threads"
        )


def _compute(answer: Any) -> Range:
    assert isinstance(answer, Prediction)
    assert answer.compute is not None
    return answer.compute


# --- Tables 4 and 5


def _primitives(table: Table) -> Iterator[Line]:
    for device in ("gtx470", "gts250"):
        for row in table.rows:
            time = _time(row, device, "printed_rows")
            name, ends = f"{row['primitive']} on {device}", {"low": time.low, "high": time.high}
            for end in ("low", "high") if time.high > time.low else ("low",):
                quantity = f"kernel, {end}" if time.high > time.low else "kernel"
                note = f"{row['algorithm']}; drawn in Figure 7; printed rows"
                yield _line("Table 4", name, quantity, "ms", None, ends[end] * 1e3, note)


def _case_study() -> Iterator[Line]:
    data = tables("boat_hull")
    moved = sum(row["elements"] * row["element_bytes"] for row in data["case_study_transfers"].rows)
    for device in ("gtx470", "gts250"):
        transfer = moved / find_device(device).figure("link.rate").value
        for variant in ("printed_rows", "definitions"):
            times = [_time(row, device, variant) for row in data["case_study"].rows]
            low, high = sum(t.low for t in times), sum(t.high for t in times)
            parts = {"GPU kernels": (low, high), "total": (low + transfer, high + transfer)}
            if variant == "printed_rows":
                parts["data transfers"] = (transfer, transfer)
            for part, ends in parts.items():
                row = data["case_study_times"].row(device=device, part=part)
                yield from _table5(device, part, row, ends, variant.replace("_", " "))


def _table5(device: str, part: str, row: Any, ends: tuple[float, float], variant: str) -> Iterator[Line]:
    name = f"{device}, {part}"
    note = "Table 2's bus; the printed time implies another" if part == "data transfers" else f"{variant}; {ERODE}"
    for end, computed in zip(("low", "high"), ends, strict=True):
        if part != "data transfers" or end == "low":
            yield _line("Table 5", name, f"predicted, {end}", "ms", row[end] * 1e3, computed * 1e3, note)
    printed = _difference((row["low"], row["high"]), row["measured"])
    if variant == "printed rows":
        yield _line("Table 5", name, "difference, of the printed times", "%", row["difference"], printed)
    ours = _difference(ends, row["measured"])
    yield _line("Table 5", name, "difference, of our times", "%", row["difference"], ours, note)


def _difference(ends: tuple[float, float], measured: float) -> float:
    return 100 * abs(measured - sum(ends) / 2) / measured


def _time(row: Any, device: str, variant: str) -> Range:
    variables = printed_parameters(parse_class(row["algorithm"]), BYTES) if variant == "printed_rows" else None
    workload = from_class(row["algorithm"], row[variant])
    answer = predict_target(workload, find_device(device), transfer="none", fma="none", variables=variables)
    assert isinstance(answer, Prediction)
    assert answer.time is not None
    return answer.time


def _line(
    table: str, row: str, quantity: str, unit: str, published: float | None, computed: float, note: str = ""
) -> Line:
    return Line(PAPER, table, row, quantity, unit, published, computed, note)
