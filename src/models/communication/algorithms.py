"""The seven algorithms of Table 2.4: what each of P processes computes, reads and writes, and sends.

The printed formulas stand above the functions. Sizes are N, or the vertices V and edges E of a graph; B and M are the
elements of a cache line and of the cache. Logarithms are to base 2 (an inference), in stages of trees without a
ceiling as printed or, with stages "text", with one. Three rows count memory traffic in elements, not bytes: the 8 bytes
of SUMMA's doubles are certain, those of the two graph algorithms an assumption (`Cache.element_bytes`).
"""

from collections.abc import Callable

from msgspec import Struct

from ..elementwise import Values, all_true, log2, positive, sqrt
from ..errors import InputError
from .calls import Stages, tree_stages
from .roofs import Work

DOUBLE = 8
"""Bytes of an element of all algorithms of Table 2.4 that say what their elements are."""


class Cache(Struct, frozen=True):
    """B and M of Table 2.4, in elements, and the bytes of an element where the table counts elements."""

    line: float
    size: float
    element_bytes: float = DOUBLE

    def __post_init__(self) -> None:
        positive("the bytes of an element", self.element_bytes)
        if positive("the cache line", self.line) >= positive("the cache", self.size):
            raise InputError(f"a cache of {self.size:g} elements holds no two lines of {self.line:g}")


# OI  (2N³ + 2N²) / (B (1 + N²/B + N³/(B √M)))        per element: 8 bytes are added
# CAI ((2N³ + 2N²)/P) / (2√P · 8 (N/√P)² · log √P)
def summa(n: Values, p: Values, cache: Cache, rule: Stages) -> Work:
    """Dense matrix-matrix product of N x N doubles on √P x √P processes."""
    side = sqrt(p)
    lines = 1 + n**2 / cache.line + n**3 / (cache.line * sqrt(cache.size))
    return Work(
        flops=(2 * n**3 + 2 * n**2) / p,
        memory_bytes=cache.element_bytes * cache.line * lines / p,
        network_bytes=2 * side * (DOUBLE * (n / side) ** 2) * tree_stages(side, rule),
    )


# OI  (2N² + 2N) / (8N² + 24N)                         CAI ((2N² + 2N)/P) / (8 (N/P) (P - 1))
def dgemv(n: Values, p: Values, cache: Cache, rule: Stages) -> Work:
    """Dense matrix-vector product; every process gets the parts of all others."""
    return Work(
        flops=(2 * n**2 + 2 * n) / p,
        memory_bytes=(8 * n**2 + 24 * n) / p,
        network_bytes=DOUBLE * (n / p) * (p - 1),
    )


# OI  (2N/P - 1) / (16N/P + 8)                         CAI (2N/P - 1) / (8 log P)
def ddot(n: Values, p: Values, cache: Cache, rule: Stages) -> Work:
    """Dot product of two vectors of N doubles."""
    return Work(
        flops=2 * (n / p) - 1,
        memory_bytes=16 * (n / p) + 8,
        network_bytes=DOUBLE * tree_stages(p, rule),
    )


# OI  5N log N / (48N)                                 CAI (5N log N / P) / (32 (N/P) log P)
def fft(n: Values, p: Values, cache: Cache, rule: Stages) -> Work:
    """One-dimensional transform of N complex doubles, out of place."""
    return Work(
        flops=5 * n * log2(n) / p,
        memory_bytes=48 * n / p,
        network_bytes=32 * (n / p) * tree_stages(p, rule),
    )


# OI  4 ((N-2)/P)(N-2) / (56 ((N-2)/P)(N-2))           CAI 4 ((N-2)/P)(N-2) / (32N)
def stencil(n: Values, p: Values, cache: Cache, rule: Stages) -> Work:
    """One step of a 5-point stencil on N x N doubles in strips; the rows at both sides are sent and received."""
    points = ((n - 2) / p) * (n - 2)
    return Work(flops=4 * points, memory_bytes=56 * points, network_bytes=32 * n)


# OI  E log V / (B Sort(E) log V), Sort(E) = (E/B) log_{M/B}(E/B) is not printed: an inference, per element
# CAI (E log V / P) / (12V (log V / 2) log P + 12V log V)
def mst(v: Values, e: Values, p: Values, cache: Cache, rule: Stages) -> Work:
    """Borůvka's minimum spanning tree of a graph."""
    sort = (e / cache.line) * log2(e / cache.line) / log2(cache.size / cache.line)
    return Work(
        flops=e * log2(v) / p,
        memory_bytes=cache.element_bytes * cache.line * sort * log2(v) / p,
        network_bytes=12 * v * (log2(v) / 2) * tree_stages(p, rule) + 12 * v * log2(v),
    )


# OI  (E + V log V) / (B (n + (M/B) log(n/B))), printed with n and M of the cited bound: n = V, M = E, an inference
# CAI ((E + V log V) / P) / (V · 16 log P + 4 (V/P) log P)
def dijkstra(v: Values, e: Values, p: Values, cache: Cache, rule: Stages) -> Work:
    """Dijkstra's shortest paths from one vertex."""
    stages = tree_stages(p, rule)
    return Work(
        flops=(e + v * log2(v)) / p,
        memory_bytes=cache.element_bytes * cache.line * (v + (e / cache.line) * log2(v / cache.line)) / p,
        network_bytes=v * 16 * stages + 4 * (v / p) * stages,
    )


class Algorithm(Struct, frozen=True):
    """A row of Table 2.4. Below `least` (two cache lines where `in_lines`, P where `per_process`) of each size its
    formulas are no longer positive. `square`: P must be one. `counts_elements`: memory traffic is printed in elements,
    not bytes."""

    id: str
    name: str
    sizes: tuple[str, ...]
    formulas: Callable[..., Work]
    least: float = 1
    in_lines: bool = False
    per_process: bool = False
    square: bool = False
    counts_elements: bool = False

    def work(self, sizes: dict[str, Values], processes: Values, cache: Cache, rule: Stages = "table") -> Work:
        """What one of `processes` does for these sizes; InputError for sizes and numbers of processes for which the
        formulas do not hold."""
        if set(sizes) != set(self.sizes):
            raise InputError(f"{self.id} needs the sizes {' and '.join(self.sizes)}, not {', '.join(sizes) or 'none'}")
        _at_least("the number of processes", processes, 1)
        if not all_true(processes % 1 == 0):
            raise InputError(f"{processes} is no whole number of processes")
        for name, value in sizes.items():
            _at_least(name, value, 2 * cache.line if self.in_lines else self.least)
            if self.per_process:
                _at_least(name, value, processes)
        if self.square and not all_true(sqrt(positive("P", processes)) % 1 == 0):
            raise InputError(f"{self.id} needs a square number of processes, not {processes}")
        return self.formulas(
            *(positive(name, sizes[name]) for name in self.sizes), positive("P", processes), cache, rule
        )


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.id: algorithm
    for algorithm in (
        Algorithm("summa", "dense matrix-matrix product (SUMMA)", ("N",), summa, square=True, counts_elements=True),
        Algorithm("dgemv", "dense matrix-vector product (DGEMV)", ("N",), dgemv),
        Algorithm("ddot", "dot product (DDOT)", ("N",), ddot, per_process=True),
        Algorithm("fft", "one-dimensional fast Fourier transform", ("N",), fft, least=2),
        Algorithm("stencil", "two-dimensional 5-point stencil", ("N",), stencil, least=3),
        Algorithm("mst", "Borůvka's minimum spanning tree", ("V", "E"), mst, in_lines=True, counts_elements=True),
        Algorithm("dijkstra", "Dijkstra's algorithm", ("V", "E"), dijkstra, in_lines=True, counts_elements=True),
    )
}


def _at_least(name: str, value: Values, bound: Values) -> None:
    positive(name, value)
    if not all_true(value >= bound):
        raise InputError(f"{name} = {value} is too small: the formulas hold from {bound:g} on")


def paper_cache() -> Cache:
    """B = 8 and M = 2048 elements of 8 bytes."""
    from ..published import tables

    row = tables("communication")["caches"].rows[0]
    return Cache(row["line"], row["cache"], row["element_bytes"])
