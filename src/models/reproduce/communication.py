"""Ridge points and Table 2.4 at the sizes of Table 2.5 (Cardwell 2019, chapter 2).

`PRINTED` is the table as printed, formula by formula; what the model computes from flops and bytes is held against it.
"""

from collections.abc import Callable, Iterator
from math import log2, sqrt
from typing import TypeAlias

from ..communication import ALGORITHMS, paper_cache, systems
from ..published import tables
from .line import Line

PAPER = "communication"
PROCESSES = {"summa": 121}
OTHER = 128
B, M = 8, 2048

# OI and CAI of N (or V, E) and P. Logarithms are to base 2, which is an inference. Sort(E) of MST and the n of
# Dijkstra's OI are not defined: no formula here.
Formula: TypeAlias = Callable[..., float]
PRINTED: dict[str, tuple[Formula | None, Formula]] = {
    "summa": (
        lambda n, p: ((2 * n**3 + 2 * n**2) / p) / ((B * (1 + n**2 / B + n**3 / (B * sqrt(M)))) / p),
        lambda n, p: ((2 * n**3 + 2 * n**2) / p) / (2 * sqrt(p) * (8 * (n / sqrt(p)) ** 2 * log2(sqrt(p)))),
    ),
    "dgemv": (
        lambda n, p: ((2 * n**2 + 2 * n) / p) / ((8 * n**2 + 24 * n) / p),
        lambda n, p: ((2 * n**2 + 2 * n) / p) / (8 * (n / p) * (p - 1)),
    ),
    "ddot": (
        lambda n, p: (2 * (n / p) - 1) / (16 * (n / p) + 8),
        lambda n, p: (2 * (n / p) - 1) / (8 * log2(p)),
    ),
    "fft": (
        lambda n, p: ((5 * n * log2(n)) / p) / ((48 * n) / p),
        lambda n, p: (5 * n * log2(n) / p) / (32 * (n / p) * log2(p)),
    ),
    "stencil": (
        lambda n, p: (4 * ((n - 2) / p) * (n - 2)) / (56 * ((n - 2) / p) * (n - 2)),
        lambda n, p: (4 * ((n - 2) / p) * (n - 2)) / (32 * n),
    ),
    "mst": (None, lambda v, e, p: ((e * log2(v)) / p) / (12 * v * (log2(v) / 2) * log2(p) + 12 * v * log2(v))),
    "dijkstra": (None, lambda v, e, p: ((e + v * log2(v)) / p) / (v * (16 * log2(p)) + 4 * (v / p) * log2(p))),
}
IN_N = tuple(name for name, (oi, _) in PRINTED.items() if oi is not None)
FORMULA = "published: the printed formula, evaluated"
PER_ELEMENT = f"{FORMULA}; it counts elements of 8 bytes, ours bytes"
EDGES = 16  # a vertex; the paper prints no number of edges
OURS = "E is ours"


MULTIPLE = {"big-red-ii": "big_red_ii", "karst": "karst"}


def lines() -> Iterator[Line]:
    for system in systems().values():
        for name, value in (("ridge OI", system.ridge_oi), ("ridge CAI", system.ridge_cai)):
            yield Line(PAPER, "Table 2.3", system.id, name, "flop/B", None, value, "drawn from Figure 2.3 on")
    for name in IN_N:
        sizes = tables("communication")["sizes"].row(algorithm=name)
        for n in (sizes["least"], max(value for key, value in sizes.items() if key not in ("algorithm", "least"))):
            yield from _intensities(name, {"N": n}, f"N = {n}")
    for name in ("mst", "dijkstra"):
        v = tables("communication")["sizes"].row(algorithm=name)["least"]
        yield from _intensities(name, {"V": v, "E": EDGES * v}, f"V = {v}, E = {EDGES} V")
    yield from _several_processes_a_node()
    yield from _said()


def _several_processes_a_node() -> Iterator[Line]:
    """SUMMA on all cores of the nodes, at the largest size of each system."""
    data = tables("communication")
    for row in data["processes"].rows:
        if row["algorithm"] == "summa" and row["processes"] > PROCESSES["summa"]:
            n = data["sizes"].row(algorithm="summa")[MULTIPLE[row["system"]]]
            yield from _intensities("summa", {"N": n}, f"N = {n}", row["processes"])


def _intensities(name: str, sizes: dict[str, int], what: str, several: int | None = None) -> Iterator[Line]:
    processes = several or PROCESSES.get(name, OTHER)
    work = ALGORITHMS[name].work(dict(sizes), processes, paper_cache())
    printed_oi, printed_cai = PRINTED[name]
    row = f"{name}, {what}, P = {processes}"
    note = {"summa": PER_ELEMENT, "mst": f"Sort(E) is not defined; {OURS}", "dijkstra": f"n is not defined; {OURS}"}
    oi = None if printed_oi is None else printed_oi(*sizes.values(), processes)
    yield Line(PAPER, "Table 2.4", row, "OI", "flop/B", oi, float(work.oi), note.get(name, FORMULA))
    cai = printed_cai(*sizes.values(), processes)
    said = FORMULA if name in IN_N else f"{FORMULA}; {OURS}"
    yield Line(PAPER, "Table 2.4", row, "CAI", "flop/B", cai, float(work.cai), said)


def _said() -> Iterator[Line]:
    """What the text says of SUMMA's operational intensity."""
    sizes = tables("communication")["sizes"].row(algorithm="summa")
    note = "the text has 'approximately the value 8' at every size"
    for n in (sizes["least"], sizes["karst"]):
        oi = float(ALGORITHMS["summa"].work({"N": n}, PROCESSES["summa"], paper_cache()).oi)
        yield Line(PAPER, "§2.6, SUMMA", f"N = {n}", "OI", "flop/B", 8.0, oi, note)
