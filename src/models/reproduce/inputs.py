"""Printed figures that no model computes: what the papers measured, chose or took over, and what was never explained.

They are shown beside the recomputed ones, so that every printed table is there in full; `not_reproduced` says why.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ..published import tables
from .line import Line

MEASURED = "input: measured by the paper"
CHOSEN = "input: chosen by the paper"
DRAWN = "not computable: what was measured is only drawn"
CURVES = "not computable: the bandwidth curves and footprints behind it are not printed"


class Column(Struct, frozen=True):
    """A column of numbers: what it is, in which unit it is shown, and that unit in SI."""

    quantity: str
    unit: str = "1"
    scale: float = 1.0


class Printed(Struct, frozen=True):
    """A table of a data file: `title` as the paper calls it, `row` names a row by its columns; `only` chooses rows."""

    paper: str
    file: str
    table: str
    title: str
    row: str
    columns: Mapping[str, Column]
    note: str
    only: Mapping[str, object] = {}


_SYSTEMS = {name: Column(f"largest size, {name}") for name in ("big_red_ii", "karst", "jetstream")}
_GAINS = {name: Column(f"improvement, {name}", "%") for name in ("big_red_ii", "karst", "jetstream")}
_DEVICES = {name: Column(f"time on {name}", "s") for name in ("cpu", "fpga", "gpu")}
_BEST = {name: Column(f"time, {name.replace('_', ' + ')}", "s") for name in ("cpu_fpga", "cpu_gpu", "all")}
_ENDS = {"measured": Column("measured", "s"), "predicted": Column("predicted", "s")}

TABLES = (
    Printed(
        "boat-hull", "boat_hull", "case_study_times", "Table 5", "{device}, {part}",
        {"measured": Column("measured", "ms", 1e-3)}, MEASURED,
    ),
    Printed(
        "boat-hull", "boat_hull", "figure_sizes", "Figures 2 and 3, Table 4", "{of}",
        {"elements": Column("elements")}, CHOSEN,
    ),
    Printed("boat-hull", "boat_hull", "said", "Figure 1 and §5", "{of}", {"factor": Column("factor")}, DRAWN),
    Printed(
        "perdome", "perdome", "processors", "Table 1", "{id}",
        {"cores": Column("cores"), "clock": Column("clock", "MHz", 1e6)}, "input: the processors' data sheets",
    ),
    Printed(
        "perdome", "perdome", "processors", "Table 1", "{id}",
        {"byte_time": Column("time per byte", "ps", 1e-12)}, "input: measured by the paper with STREAM and SHOC",
    ),
    Printed("perdome", "perdome", "sizes", "Model Parameters", "{kernel}", {"size": Column("SIZE")}, CHOSEN),
    Printed(
        "perdome", "perdome", "partitions", "Table 2", "{kernel}, {partition}",
        {
            "intensity": Column("I", "flop/B"), "cpu_intensity": Column("I_C", "flop/B"),
            "gpu_intensity": Column("I_G", "flop/B"),
        },
        "input: the code of DA is not printed", {"kernel": "DA"},
    ),
    Printed(
        "perdome", "perdome", "text", "Model Validation", "{kernel} {partition} over p-DP, {cpu} + {gpu}",
        {"change": Column("change as measured", "%")}, DRAWN, {"quantity": "measured"},
    ),
    Printed(
        "perdome", "perdome", "of_bound", "Model Validation", "{kernel} {partition}, {cpu} + {gpu}",
        {"measured": Column("part of the bound, measured", "%")}, DRAWN,
    ),
    Printed(
        "pmac", "pmac", "pir_report", "Table I", "{file}, {function}: {idiom}, {code}",
        {"line": Column("line")}, "input: code of the paper; `analyze` reports the idioms of C code like this",
    ),
    Printed("pmac", "pmac", "hmmer_loops", "Table II", "HMMER, {idiom}, {device}", _ENDS, CURVES),
    Printed("pmac", "pmac", "runs", "Table III", "{application}, {processes} processes", _ENDS, CURVES),
    Printed(
        "pmac", "pmac", "pir_instances", "Table IV and §VII.A.2", "{application}, {idiom}",
        {"instances": Column("instances")}, "not computable: code of applications that is not printed",
    ),
    Printed(
        "pmac", "pmac", "graph500", "§VII.A.2, graph500", "{figures}",
        {"total": Column("time", "s"), "speedup": Column("speedup of make_bfs")}, "input of the projection",
    ),
    Printed(
        "pmac", "pmac", "graph500_part", "§VII.A.2, graph500", "{figures}",
        {"part": Column("time of make_bfs", "s"), "executions": Column("executions of make_bfs")}, MEASURED,
    ),
    Printed(
        "pmac", "pmac", "coverage", "Table V", "{application}, {processes} processes, {idiom}",
        {"coverage": Column("coverage", "%")}, "not computable: idiom times of 8 processes are not printed",
        {"processes": 8},
    ),
    Printed("pmac", "pmac", "idiom_times", "Tables VI and VII", "{application}, {idiom}", _DEVICES, CURVES),
    Printed("pmac", "pmac", "best_times", "Tables VIII and IX", "{application}, {idiom}", _BEST, CURVES),
    Printed(
        "pmac", "pmac_text", "said", "Text", "{of}", {"value": Column("as said", "%")},
        "not computable: from other publications",
    ),
    Printed(
        "pmac", "pmac_text", "transfers", "§IV", "{of}", {"size": Column("data size", "GB", 1e9)}, DRAWN
    ),
    Printed(
        "lslag", "lslag", "parameters", "Table II", "{id}",
        {
            f"{letter}_{part}": Column(f"{letter}_{part}")
            for part in ("g", "1", "c")
            for letter in ("alpha", "beta")
        },
        "input: the samples are not published; equation 1 with lambda 1, alpha and beta >= 0 (lsqlin)",
    ),
    Printed(
        "lslag", "lslag", "fidelity", "Table III", "{id}, {application} on {platform}",
        {"lslag": Column("tau of LSLAG"), "lsla": Column("tau of LSLA")},
        "not computable: the samples are not published",
    ),
    Printed("lslag", "lslag", "protocol", "§VI, protocol", "{of}", {"value": Column("value")}, CHOSEN),
    Printed(
        "communication", "communication", "systems", "Table 2.3", "{id}",
        {
            "memory": Column("memory", "GB/s", 1e9), "network": Column("network", "GB/s", 1e9),
            "peak": Column("peak", "GFLOP/s", 1e9),
        },
        MEASURED,
    ),
    Printed(
        "communication", "communication", "sizes", "Table 2.5", "{algorithm}",
        {"least": Column("smallest size")} | _SYSTEMS, CHOSEN,
    ),
    Printed(
        "communication", "communication", "processes", "§2.6.1", "{algorithm}, {system}",
        {"processes": Column("processes")}, CHOSEN,
    ),
    Printed(
        "communication", "communication", "caches", "§2.5", "cache of the bounds",
        {"line": Column("B", "elements"), "cache": Column("M", "elements")}, CHOSEN,
    ),
    Printed("communication", "communication", "improvements", "Table 2.6", "{algorithm}", _GAINS, DRAWN),
    Printed(
        "dnn", "dnn", "network", "Table 3.1", "{name}",
        {"inputs": Column("inputs"), "outputs": Column("outputs")}, CHOSEN,
    ),
    Printed(
        "dnn", "dnn", "systems", "§3.6", "{id}", {"memory": Column("memory", "MB/s", 1e6)},
        "input: measured by the paper with STREAM",
    ),
    Printed(
        "dnn", "dnn", "gemm", "Tables 3.3 and 3.4", "{system}, {m} x {k} by {k} x {n}",
        {"time": Column("time of the product", "us", 1e-6)}, "input: measured; the headings of N and K are swapped",
    ),
    Printed(
        "dnn", "dnn", "results", "Tables 3.6 and 3.7", "{system}, batch {batch}, {name}",
        {"measured": Column("actual", "us", 1e-6)}, MEASURED,
    ),
)  # fmt: skip


def inputs(paper: str) -> Iterator[Line]:
    """The figures of one paper, in the order of `TABLES`."""
    for printed in TABLES:
        if printed.paper == paper:
            yield from _lines(printed)


def _lines(printed: Printed) -> Iterator[Line]:
    seen: dict[str, int] = {}
    for row in tables(printed.file)[printed.table].rows:
        if any(row[name] != value for name, value in printed.only.items()):
            continue
        name = printed.row.format(**row)
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name += f", run {seen[name]}"
        for key, column in printed.columns.items():
            published = float(f"{row[key] / column.scale:.12g}")  # as printed: 66 us, not 65.99999999999999
            yield Line(printed.paper, printed.title, name, column.quantity, column.unit, published, None, printed.note)
