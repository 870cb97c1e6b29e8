"""The rules by which the catalogue estimates what nobody measured: stated here once, followed by every file.

A figure of kind `estimated` names its rule; `deviations` recomputes it from the device's other figures. The factors are
the range and the middle of what was measured on the devices of the catalogue (`tests/models/test_rules.py` holds them
against every measured device); where nothing was measured on any device the statement says what the range means.

Not a rule's business: published and measured figures stay as they are, also where a rule would give something else.
"""

from collections.abc import Callable, Iterator, Mapping
from math import isclose, sqrt
from typing import TypeAlias

from msgspec import Struct

from .figures import CatalogueError, Figure, suggestion

Span: TypeAlias = tuple[float, float, float]
"""low, value, high in SI base units"""


class Rule(Struct, frozen=True):
    """`figures`: the keys that the rule estimates. `span` computes one of them from the others of the device; None for
    rules that say where a figure is from and nothing about its size."""

    name: str
    figures: tuple[str, ...]
    statement: str
    span: Callable[[Mapping[str, Figure], str], Span] | None = None


def _scaled(base: str, low: float, value: float, high: float) -> Callable[[Mapping[str, Figure], str], Span]:
    def span(figures: Mapping[str, Figure], _: str) -> Span:
        known = figures[base].value
        return known * low, known * value, known * high

    return span


def _constant(low: float, value: float, high: float) -> Callable[[Mapping[str, Figure], str], Span]:
    return lambda figures, key: (low, value, high)


def _vector_peak(figures: Mapping[str, Figure], key: str) -> Span:
    """cores · clock · operations per cycle; fp32 vectors hold twice as many elements as fp64 vectors."""
    _, precision, cores = key.split(".")
    clock = figures[f"clock.{cores}"]
    together = figures["cores"].value if cores == "all_cores" else 1
    factor = together * figures["per_cycle.fp64"].value * {"fp64": 1, "fp32": 2}[precision]
    return factor * clock.low, factor * clock.value, factor * clock.high


def _integer_vectors(figures: Mapping[str, Figure], key: str) -> Span:
    floating = figures[key.replace("int32", "fp32")]
    return floating.low / 2, floating.value / 2, floating.high / 2


def _one_core(figures: Mapping[str, Figure], _: str) -> Span:
    together, cores = figures["memory.all_cores"].value, figures["cores"].value
    return together / cores, together / sqrt(cores), together


_PEAKS = tuple(f"compute.{precision}.{cores}" for precision in ("fp64", "fp32") for cores in ("one_core", "all_cores"))
_INTEGERS = ("compute.int32.one_core", "compute.int32.all_cores")
_DESIGN = (
    "cache.l1", "cache.l2", "cache.l3", "vector", "threads", "threads.resident", "memory.capacity", "memory.peak",
    "per_cycle.fp64",
)  # fmt: skip
_CLOCKS = ("clock.one_core", "clock.all_cores")

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule(
            "sustained-gpu",
            ("memory.coalesced",),
            "0.8 of the peak memory rate, 0.6 to 0.92: what triad, copy and read kernels reach on "
            "measured GPUs, embedded ones less (Mali-T628: 0.28 with plain loads)",
            _scaled("memory.peak", 0.6, 0.8, 0.92),
        ),
        Rule(
            "sustained-cpu",
            ("memory.all_cores",),
            "0.65 of the peak memory rate, 0.43 to 0.95: what triad reaches on measured CPUs, nominal bytes",
            _scaled("memory.peak", 0.43, 0.65, 0.95),
        ),
        Rule(
            "sector",
            ("memory.uncoalesced",),
            "coalesced rate times useful bytes over bytes fetched: 4 of a 32-byte sector; low: 4 of a 128-byte line; "
            "high: 8 of 32. The boat hull paper's two GPUs have 1/16",
            _scaled("memory.coalesced", 1 / 32, 1 / 8, 1 / 4),
        ),
        Rule(
            "word-access",
            ("memory.uncoalesced",),
            "memory that delivers single 8-byte words wastes at most half of them on 4-byte elements; high: nothing",
            _scaled("memory.coalesced", 0.5, 0.5, 1.0),
        ),
        Rule(
            "integer-lanes",
            ("compute.int32",),
            "half of the fp32 rate: one integer operation per lane in place of a multiply-add; low: half of the lanes "
            "do integers; high: integer multiply-adds in all lanes",
            _scaled("compute.fp32", 0.25, 0.5, 1.0),
        ),
        Rule(
            "integer-vectors",
            _INTEGERS,
            "half of the fp32 rate with its range: vectors of the same width, no multiply-adds or pairs of ports",
            _integer_vectors,
        ),
        Rule(
            "sixty-fourth",
            ("compute.fp64",),
            "1/64 of the fp32 rate, as on the GPUs of the same family (RTX 3090, RTX 4090, L4); high: 1/32",
            _scaled("compute.fp32", 1 / 64, 1 / 64, 1 / 32),
        ),
        Rule(
            "vector-peak",
            _PEAKS,
            "cores times clock times operations per cycle, where the operations per cycle are only commonly stated",
            _vector_peak,
        ),
        Rule(
            "one-core",
            ("memory.one_core",),
            "all cores' memory rate over the square root of their number, between an equal share and all of it",
            _one_core,
        ),
        Rule(
            "pcie2-x16",
            ("link.rate",),
            "6 GB/s, of which pageable memory may reach a quarter; high: a tenth more (CUDA FAQ: up to 6.0)",
            _constant(1.5e9, 6e9, 6.6e9),
        ),
        Rule(
            "pcie3-x8",
            ("link.rate",),
            "half of pcie3-x16",
            _constant(1.55e9, 6.2e9, 6.82e9),
        ),
        Rule(
            "pcie3-x16",
            ("link.rate",),
            "12.4 GB/s, of which pageable memory may reach a quarter; high: a tenth more (gpu-benches, reframe)",
            _constant(3.1e9, 12.4e9, 13.64e9),
        ),
        Rule(
            "pcie4-x16",
            ("link.rate",),
            "26 GB/s, of which pageable memory may reach a quarter; high: a tenth more (nvbandwidth)",
            _constant(6.5e9, 26e9, 28.6e9),
        ),
        Rule(
            "pcie5-x16",
            ("link.rate",),
            "52 GB/s, of which pageable memory may reach a quarter; high: a tenth more (nvbandwidth)",
            _constant(13e9, 52e9, 57.2e9),
        ),
        Rule(
            "nvlink-c2c",
            ("link.rate",),
            "378 GB/s, as measured on GH200 (375 and 380.5); low: 297, from the device; high: the 450 it is built for",
            _constant(297e9, 378e9, 450e9),
        ),
        Rule(
            "shared-copy",
            ("link.rate",),
            "a copy within shared memory reads and writes all bytes: half of its rate; low: a quarter; high: all of it",
            _scaled("memory.coalesced", 0.25, 0.5, 1.0),
        ),
        Rule(
            "launch",
            ("launch.latency",),
            "2.5 us as kernels queued back to back on P100, V100, A100, H200, MI210 (1.8 to 2.7); low: in a graph; "
            "high: launched and waited for",
            _constant(1.3e-6, 2.5e-6, 10e-6),
        ),
        Rule(
            "launch-2010",
            ("launch.latency",),
            "7.56 us as measured on a GTX 480; low: half of it; high: twice to three times as long",
            _constant(3.8e-6, 7.56e-6, 20e-6),
        ),
        Rule(
            "commonly-stated",
            (*_DESIGN, *_CLOCKS),
            "a property of the design that is commonly stated; no source for it is at hand, so it is not verified; "
            "what comes in whole steps, as cache sizes, has no range",
        ),
    )
}
LINKS = tuple(name for name in RULES if name.startswith(("pcie", "nvlink")))
_TOLERANCE = 6e-3  # files round to three or more digits


def link_rate(name: str) -> Figure:
    """The transfer rate of a class of link between a host and a device, in B/s; CatalogueError for an unknown one.
    Example: `link_rate("pcie4-x16").value` is 26e9."""
    if name not in LINKS:
        raise CatalogueError(f"unknown link {name!r}{suggestion(name, LINKS)}")
    rule = RULES[name]
    assert rule.span is not None
    low, value, high = rule.span({}, "link.rate")
    return Figure(value, low, high, "B/s", "estimated", rule.statement, f"{value / 1e9:g} GB/s", rule=name)


def deviations(figures: Mapping[str, Figure]) -> Iterator[str]:
    """What is wrong with the estimated figures: an unknown rule, a rule for other figures, or numbers that do not
    follow it."""
    for key, figure in figures.items():
        if not figure.rule:
            continue
        rule = RULES.get(figure.rule)
        if rule is None:
            yield f"{key}.rule: no rule {figure.rule!r}; known: {', '.join(RULES)}"
        elif key not in rule.figures:
            yield f"{key}.rule: {rule.name} is for {', '.join(rule.figures)}"
        elif rule.span is not None:
            yield from _deviation(rule, key, figure, figures)


def _deviation(rule: Rule, key: str, figure: Figure, figures: Mapping[str, Figure]) -> Iterator[str]:
    assert rule.span is not None
    try:
        span = rule.span(figures, key)
    except KeyError as error:
        yield f"{key}.rule: {rule.name} needs the figure {error.args[0]}"
        return
    if not all(isclose(a, b, rel_tol=_TOLERANCE) for a, b in zip(span, _span(figure), strict=True)):
        low, value, high = span
        expected = f"{value:.6g} ({low:.6g} to {high:.6g}) {figure.unit}"
        yield f"{key}: {rule.name} gives {expected}, the file has {figure.written}"


def _span(figure: Figure) -> Span:
    return figure.low, figure.value, figure.high
