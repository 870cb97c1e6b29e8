"""The page of measured and predicted times."""

from collections.abc import Iterable, Iterator, Mapping

from models.catalogue import Device

from .choices import NOISE, Choice, judged
from .join import Compared, statistics

PARTS = {
    "judge": "own kernels, judged",
    "tune": "own kernels, tuned on",
    "PolyBench": "PolyBench/C 4.2.1, large data set",
}
WORST = 10
HEAD = """# Times: measured and predicted

Made by `python -m tests.accuracy` from `validation/accuracy/`: the machine as `boathull calibrate` measured it
(`host.toml`), and what calls of the kernels took there: gcc -O3 -march=native, on one thread by the time that it ran
(`measured.json`), and by the clock on the wall as they are, with the pragma that is printed for their outermost
parallel loops, and with the `simd` of it alone (`ways.json`; the team of threads is there already, each on a core of
its own). Kernels of validation/kernels are called over and over, with data of half of each cache and of four times
the last one. Predicted is what `analyze --host host.toml --size ...` says of their loops together. The part to judge
on was not looked at, but for its figures, while a model was changed; nothing is tuned to PolyBench.

Not measured: GPUs. What others published of them is in [published.md](published.md).
"""
Row = tuple[Choice, Compared]


def page(found: Iterable[Compared], ways: Iterable[Row], host: Device) -> str:
    """Markdown: statistics of each part, decisions, the worst ten of those that are judged, all kernels."""
    c, w = list(found), list(ways)
    threads = [each for _, each in w]
    lines = [HEAD, *_statistics(c, threads), "", *_decisions([choice for choice, _ in w]), ""]
    lines += [*_worst(c, "one thread"), "", *_worst(threads, "all threads"), "", *_all(c), "", *_choices(w), ""]
    return "\n".join((*lines, _machine(host), ""))


def _statistics(found: list[Compared], threads: list[Compared]) -> Iterator[str]:
    yield "| part | on | measured | with a time | median error factor | 90 % within | within 1.6 | in the range | tau |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for part, name in PARTS.items():
        for on, everything in (("one thread", found), ("all threads", threads)):
            own = [c for c in everything if c.part == part]
            if own:
                s = statistics(own)
                shares = f"{s.ninety:.2f} | {s.within:.0%} | {s.inside:.0%} | {s.tau:.2f}"
                yield f"| {name} | {on} | {s.number} | {s.timed} | **{s.factor:.2f}** | {shares} |"
    yield "| wanted | | | | 1.25 | 1.6 | 90 % | 80 % | 0.9 |"


def _decisions(choices: list[Choice]) -> Iterator[str]:
    yield "## One thread, vectors or all threads"
    yield ""
    yield "The way with the shortest likely time, against the one that measuring all of them chooses; right is what"
    yield f"takes at most {NOISE - 1:.0%} longer. Regret: how much longer than the best, on average; beside it that of"
    yield "never and of always taking all threads."
    yield ""
    yield "| part | choices | right | regret | always one thread | always all threads |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for part, name in PARTS.items():
        own = [c for c in choices if c.part == part]
        if own:
            j = judged(own)
            yield f"| {name} | {j.number} | **{j.right:.1%}** | {j.regret:.1%} | {j.host:.0%} | {j.threads:.0%} |"
    yield "| wanted | | 95 % | 3 % | | |"
    wrong = sorted((c for c in choices if not c.is_right and c.part != "tune"), key=lambda c: -c.regret)[:WORST]
    yield ""
    yield f"The worst {len(wrong)} that were not tuned on:"
    yield ""
    yield "| kernel | sizes | chosen | best | regret |"
    yield "| --- | --- | --- | --- | --- |"
    for c in wrong:
        yield f"| `{c.kernel}` | {_sizes(c.sizes)} | {c.chosen} | {c.best} | {c.regret:.0%} |"


def _choices(ways: list[Row]) -> Iterator[str]:
    yield "## All threads"
    yield ""
    yield "| kernel | sizes | one thread | all threads | likely | low to high | gain | likely gain |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for choice, c in ways:
        assert c.predicted is not None
        m, p = choice.measured, choice.likely
        ends = f"{as_time(c.predicted.low)} to {as_time(c.predicted.high)}"
        times = f"{as_time(m['host'])} | {as_time(m['threads'])} | {as_time(p['threads'])} | {ends}"
        gains = f"{m['host'] / m['threads']:.2f} | {p['host'] / p['threads']:.2f}"
        yield f"| `{c.kernel}` | {_sizes(c.sizes)} | {times} | {gains} |"


def _worst(found: list[Compared], on: str) -> Iterator[str]:
    judged = [c for c in found if c.part != "tune" and c.predicted is not None]
    yield f"## The worst {WORST} on {on} that were not tuned on"
    yield ""
    yield from _table(sorted(judged, key=lambda c: -c.factor)[:WORST])


def _all(found: list[Compared]) -> Iterator[str]:
    yield "## One thread"
    yield ""
    yield from _table(found)


def _table(found: Iterable[Compared]) -> Iterator[str]:
    yield "| kernel | sizes | measured | likely | low to high | measured / likely | waits for |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for c in found:
        sizes = _sizes(c.sizes)
        if c.predicted is None:
            yield f"| `{c.kernel}` | {sizes} | {as_time(c.measured)} | no time | | | |"
            continue
        p = c.predicted
        ends = f"{as_time(p.low)} to {as_time(p.high)}"
        yield (
            f"| `{c.kernel}` | {sizes} | {as_time(c.measured)} | {as_time(p.likely)} | {ends} | {c.ratio:.2f} | "
            f"{c.waits_for} |"
        )


def _sizes(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())


def as_time(seconds: float) -> str:
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.2g} s"


def _machine(host: Device) -> str:
    clock, cores = host.figure("clock.one_core").value / 1e9, host.figure("cores").value
    return f"Machine: {host.name}, {cores:g} cores that the process may use, {clock:.2f} GHz."
