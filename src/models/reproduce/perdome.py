"""Tables 1 and 2 of PerDome, and the bounds behind Figures 2 and 3."""

from collections.abc import Iterator
from typing import Any

from ..perdome import code_partition, data_partition, printed_processor, single
from ..perdome.partition import Times
from ..published import Row, tables
from .line import Line

PAPER = "perdome"
SYSTEMS = (("i7-2600k", "gtx750"), ("i7-2600k", "gtxtitan"), ("i3-2100t", "gtx750"), ("i3-2100t", "gtxtitan"))


def lines() -> Iterator[Line]:
    data = tables("perdome")
    for row in data["processors"].rows:
        computed = 1e12 / (row["cores"] * row["clock"])
        note = "1/(cores · clock), printed with one digit; clocks of GPUs are MHz" if row["kind"] == "gpu" else ""
        yield _line("Table 1", row["id"], "time per flop", "ps", row["flop_time"] * 1e12, computed, note)
    yield from _intensities(data["kernel_pieces"].rows)
    yield from _bounds()
    yield from _text()


def _intensities(pieces: tuple[Row, ...]) -> Iterator[Line]:
    partition = tables("perdome")["partitions"].row(kernel="SA", partition="CP")
    flops, moved = (sum(piece[key] for piece in pieces) for key in ("flops", "bytes"))
    note = "PowAdd's bytes once per inner iteration, 64; 8 are printed"
    by_name = {piece["piece"]: piece["flops"] / piece["bytes"] for piece in pieces}
    yield _line("Table 2", "SA", "I", "flop/B", partition["intensity"], flops / moved, note)
    yield _line("Table 2", "SA, CP", "I_C (VecAdd)", "flop/B", partition["cpu_intensity"], by_name["VecAdd"], "rounded")
    yield _line("Table 2", "SA, CP", "I_G (PowAdd)", "flop/B", partition["gpu_intensity"], by_name["PowAdd"], note)


def _bounds() -> Iterator[Line]:
    data = tables("perdome")
    numbers = {(r["kernel"], r["cpu"], r["gpu"], r["partition"]): r["performance"] for r in data["printed_bounds"].rows}
    for row in sorted(data["partitions"].rows, key=lambda row: row["kernel"], reverse=True):
        table = "Figure 2, bounds" if row["kernel"] == "SA" else "Figure 3, bounds"
        for cpu, gpu in SYSTEMS:
            published = numbers.get((row["kernel"], cpu, gpu, row["partition"]))
            note = "" if published else "drawn"
            name = f"{row['kernel']} {row['partition']}, {cpu} + {gpu}"
            computed = performance(row, cpu, gpu) / 1e9
            yield _line(table, name, "bound", "GFLOP/s", published and published / 1e9, computed, note)
    yield from _unrounded()


def _unrounded() -> Iterator[Line]:
    """CP of SA with I_C = 1/12 in place of 0.1, then with exact I as well."""
    pieces = tables("perdome")["kernel_pieces"].rows
    exact = sum(piece["flops"] for piece in pieces) / sum(piece["bytes"] for piece in pieces)
    for cpu, gpu in SYSTEMS:
        name = f"SA CP, {cpu} + {gpu}"
        for intensity, what in ((1.7, "I_C = 1/12"), (exact, "I = 129/76, I_C = 1/12")):
            computed = code_partition(_times(cpu), _times(gpu), intensity, 1 / 12, 2.0) / 1e9
            yield _line("Figure 2, unrounded", name, what, "GFLOP/s", None, computed, "Table 2 rounds")


def _text() -> Iterator[Line]:
    data = tables("perdome")
    table, contradiction = "Model Validation", data["text"].note
    for row in data["text"].rows:
        if row["quantity"] == "bound":
            base, other = (_partition(row["kernel"], part) for part in ("p-DP", row["partition"]))
            change = 100 * (performance(other, row["cpu"], row["gpu"]) / performance(base, row["cpu"], row["gpu"]) - 1)
            name = f"{row['kernel']} {row['partition']} over p-DP, {row['cpu']} + {row['gpu']}"
            wrong = row["kernel"] == "SA" and row["change"] > 0
            note = contradiction if wrong else "printed without decimals"
            yield _line(table, name, "change of the bound", "%", row["change"], change, note)
    for row in data["of_bound"].rows:
        bound = performance(_partition(row["kernel"], row["partition"]), row["cpu"], row["gpu"]) / 1e9
        name = f"{row['kernel']} {row['partition']}, {row['cpu']} + {row['gpu']}"
        share = row["measured"]
        yield _line(table, name, "measured, implied", "GFLOP/s", None, bound * share / 100, f"{share} % of the bound")
    yield _line(table, "DA", "other systems with p-DP > CP1 > CP2", "1", 3, _in_order(), "not i7 + GTX 750")


def _in_order() -> int:
    def ordered(cpu: str, gpu: str) -> bool:
        bounds = [performance(_partition("DA", part), cpu, gpu) for part in ("p-DP", "CP1", "CP2")]
        return bounds == sorted(bounds, reverse=True)

    return sum(ordered(cpu, gpu) for cpu, gpu in SYSTEMS[1:])


def performance(row: Row, cpu: str, gpu: str) -> float:
    """The bound of a row of Table 2 on two processors of Table 1, flops per second."""
    intensity = row["intensity"]
    on_cpu, on_gpu = _times(cpu), _times(gpu)
    match row["partition"]:
        case "CPU-only":
            return float(single(on_cpu, intensity))
        case "GPU-only":
            return float(single(on_gpu, intensity))
        case "p-DP":
            return float(data_partition(on_cpu, on_gpu, intensity))
        case _:
            return float(code_partition(on_cpu, on_gpu, intensity, row["cpu_intensity"], row["gpu_intensity"]))


def _partition(kernel: str, partition: str) -> Row:
    return tables("perdome")["partitions"].row(kernel=kernel, partition=partition)


def _times(name: str) -> Times:
    return printed_processor(name).likely


def _line(table: str, row: str, quantity: str, unit: str, published: Any, computed: float, note: str = "") -> Line:
    return Line(PAPER, table, row, quantity, unit, published, float(computed), note)
