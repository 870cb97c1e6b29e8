"""Ridge points, Table 2.4 at the sizes of Table 2.5, and what the text says of them (Cardwell 2019, chapter 2)."""

from collections.abc import Iterator
from math import log2

from ..communication import ALGORITHMS, Work, paper_cache, systems
from ..published import tables
from .line import Line

PAPER = "communication"
IN_N = ("summa", "dgemv", "ddot", "fft", "stencil")
PROCESSES = {"summa": 121}
OTHER = 128
LIMITS = {"dgemv": (0.25, "2N²/8N²"), "ddot": (0.125, "2/16"), "stencil": (4 / 56, "4/56 at every size")}
SUMMA = "the text has 'approximately the value 8'; printed per element of 8 bytes, here per byte"


def lines() -> Iterator[Line]:
    for system in systems().values():
        yield Line(PAPER, "Table 2.3", system.id, "ridge OI", "flop/B", None, system.ridge_oi, "drawn in Figure 2.3 on")
        yield Line(
            PAPER, "Table 2.3", system.id, "ridge CAI", "flop/B", None, system.ridge_cai, "drawn in Figure 2.3 on"
        )
    for name in IN_N:
        yield from _algorithm(name)
    yield from _limits()
    yield from _graphs()


def _algorithm(name: str) -> Iterator[Line]:
    """OI and CAI at the smallest and the largest size that was run."""
    sizes = tables("communication")["sizes"].row(algorithm=name)
    smallest = sizes["least"]
    largest = max(sizes[system] for system in ("big_red_ii", "karst", "jetstream"))
    for n in (smallest, largest):
        work = _work(name, n)
        row = f"{name}, N = {n}, P = {_processes(name)}"
        published, note = (8.0, SUMMA) if name == "summa" else (None, "the paper prints the formula")
        yield Line(PAPER, "Table 2.4", row, "OI", "flop/B", published, float(work.oi), note)
        note = "logarithms to base 2, without a ceiling: an inference"
        yield Line(PAPER, "Table 2.4", row, "CAI", "flop/B", None, float(work.cai), note)


def _limits() -> Iterator[Line]:
    """What the intensities of Table 2.4 tend to, at a large size."""
    large = 2**40
    for name, (limit, why) in LIMITS.items():
        computed = float(_work(name, large).oi)
        yield Line(PAPER, "Table 2.4", f"{name}, N = 2^40", "limit of OI", "flop/B", limit, computed, why)
    work = _work("fft", large)
    yield Line(PAPER, "Table 2.4", "fft, N = 2^40", "OI / log N", "flop/B", 5 / 48, float(work.oi) / 40, "5 log N / 48")
    scaled = float(work.cai) / 40 * log2(OTHER)
    yield Line(
        PAPER, "Table 2.4", "fft, N = 2^40", "CAI · log P / log N", "flop/B", 5 / 32, scaled, "5 log N / 32 log P"
    )
    scaled = float(_work("dgemv", large).cai) / (large + 1)
    note = "(N + 1) / (4 (P - 1))"
    yield Line(PAPER, "Table 2.4", "dgemv, N = 2^40", "CAI / (N + 1)", "flop/B", 1 / (4 * (OTHER - 1)), scaled, note)


def _graphs() -> Iterator[Line]:
    """Table 2.4 for graphs with 16 edges a vertex, which is ours: the paper prints no number of edges."""
    vertices = 65536
    for name in ("mst", "dijkstra"):
        work = ALGORITHMS[name].work({"V": vertices, "E": 16 * vertices}, OTHER, paper_cache())
        row = f"{name}, V = {vertices}, E = 16 V, P = {OTHER}"
        note = "the number of edges is ours; the formula uses undefined symbols, read as in the cited bounds"
        yield Line(PAPER, "Table 2.4", row, "OI", "flop/B", None, float(work.oi), note)
        yield Line(PAPER, "Table 2.4", row, "CAI", "flop/B", None, float(work.cai), "the number of edges is ours")


def _work(name: str, n: int) -> Work:
    return ALGORITHMS[name].work({"N": n}, _processes(name), paper_cache())


def _processes(name: str) -> int:
    return PROCESSES.get(name, OTHER)
