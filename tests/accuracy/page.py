"""The page of measured and predicted times."""

from collections.abc import Iterable, Iterator

from models.catalogue import Device

from .join import Compared, statistics

PARTS = {
    "judge": "own kernels, judged",
    "tune": "own kernels, tuned on",
    "PolyBench": "PolyBench/C 4.2.1, large data set",
}
WORST = 10
HEAD = """# Times: measured and predicted

Made by `python -m tests.accuracy` from `validation/accuracy/`: the machine as `boathull calibrate` measured it
(`host.toml`), and what calls of the kernels took there (`measured.json`): gcc -O3 -march=native, one thread, the time
that it ran. Kernels of validation/kernels are called over and over, with data of half of each cache and of four times
the last one. Predicted is what `analyze --host host.toml --size ...` says of their loops together. The part to judge on
was not looked at, but for its figures, while a model was changed; nothing is tuned to PolyBench.

Not measured: all threads, GPUs. What others published of GPUs is in [published.md](published.md).
"""


def page(found: Iterable[Compared], host: Device) -> str:
    """Markdown: statistics of each part, the worst ten of those that are judged, all kernels."""
    c = list(found)
    return "\n".join((HEAD, *_statistics(c), "", *_worst(c), "", *_all(c), "", _machine(host), ""))


def _statistics(found: list[Compared]) -> Iterator[str]:
    yield "| part | measured | with a time | median error factor | 90 % within | within 1.6 | inside the range | tau |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for part, name in PARTS.items():
        own = [c for c in found if c.part == part]
        if own:
            s = statistics(own)
            yield (
                f"| {name} | {s.number} | {s.timed} | **{s.factor:.2f}** | {s.ninety:.2f} | {s.within:.0%} | "
                f"{s.inside:.0%} | {s.tau:.2f} |"
            )
    yield "| wanted | | | 1.25 | 1.6 | 90 % | 80 % | 0.9 |"


def _worst(found: list[Compared]) -> Iterator[str]:
    judged = [c for c in found if c.part != "tune" and c.predicted is not None]
    yield f"## The worst {WORST} that were not tuned on"
    yield ""
    yield from _table(sorted(judged, key=lambda c: -c.factor)[:WORST])


def _all(found: list[Compared]) -> Iterator[str]:
    yield "## All"
    yield ""
    yield from _table(found)


def _table(found: Iterable[Compared]) -> Iterator[str]:
    yield "| kernel | sizes | measured | likely | low to high | measured / likely | waits for |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for c in found:
        sizes = ", ".join(f"{name} = {value}" for name, value in c.sizes.items())
        if c.predicted is None:
            yield f"| `{c.kernel}` | {sizes} | {as_time(c.measured)} | no time | | | |"
            continue
        p = c.predicted
        ends = f"{as_time(p.low)} to {as_time(p.high)}"
        yield (
            f"| `{c.kernel}` | {sizes} | {as_time(c.measured)} | {as_time(p.likely)} | {ends} | {c.ratio:.2f} | "
            f"{c.waits_for} |"
        )


def as_time(seconds: float) -> str:
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.2g} s"


def _machine(host: Device) -> str:
    clock, cores = host.figure("clock.one_core").value / 1e9, host.figure("cores").value
    return f"Machine: {host.name}, {cores:g} cores that the process may use, {clock:.2f} GHz."
