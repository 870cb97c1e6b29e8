"""The page of measured and predicted times."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from models.catalogue import Device

from .choices import NOISE, judged
from .join import Compared, statistics
from .joined import Joined

PARTS = {
    "judge": "own kernels, judged",
    "tune": "own kernels, tuned on",
    "PolyBench": "PolyBench/C 4.2.1, large data set",
}
WORST = 10
HEAD = """# Times: measured and predicted

Made by `python -m tests.accuracy` from `validation/accuracy/`, where each machine has a folder: the machine as
`boathull calibrate` measured it (`host.toml`), and what calls of the kernels took there: gcc -O3 -march=native, on
one thread by the time that it ran (`measured.json`), and by the clock on the wall as they are, with the pragma that
is printed for their outermost parallel loops, and with the `simd` of it alone (`ways.json`; the team of threads is
there already, each on a core of its own). Kernels of validation/kernels are called over and over, with data of half
of each cache and of four times the last one; where the better half of the samples of a kernel is spread over more
than a quarter, something else ran on the machine, and it is left out. Predicted is what `analyze --host host.toml
--size ...` says of their loops together. The part to judge on was not looked at, but for its figures, while a model
was changed; nothing is tuned to PolyBench.

Not measured: GPUs. What others published of them is in [published.md](published.md).
"""


def page(machines: Sequence[Joined]) -> str:
    """Markdown: statistics of each part, decisions, the worst of those that are judged, all kernels."""
    lines = [HEAD]
    lines += [f"- {_machine(m.name, m.host)}" for m in machines]
    lines += ["", *_statistics(machines), "", *_decisions(machines), ""]
    for m in machines:
        lines += [*_worst(m.found, f"{m.name}, one thread"), ""]
        if m.ways:
            lines += [*_worst((c for _, c in m.ways), f"{m.name}, all threads"), ""]
    for m in machines:
        lines += [*_all(m), "", *(_choices(m) if m.ways else ()), ""]
    return "\n".join(lines)


def _statistics(machines: Sequence[Joined]) -> Iterator[str]:
    shares = "median error factor | 90 % within | within 1.6 | in the range | tau"
    yield f"| machine | part | on | measured | with a time | {shares} |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for m in machines:
        for part, name in PARTS.items():
            for on, everything in (("one thread", m.found), ("all threads", [c for _, c in m.ways])):
                own = [c for c in everything if c.part == part]
                if own:
                    s = statistics(own)
                    shares = f"{s.ninety:.2f} | {s.within:.0%} | {s.inside:.0%} | {s.tau:.2f}"
                    yield f"| {m.name} | {name} | {on} | {s.number} | {s.timed} | **{s.factor:.2f}** | {shares} |"
    yield "| wanted | | | | | 1.25 | 1.6 | 90 % | 80 % | 0.9 |"


def _decisions(machines: Sequence[Joined]) -> Iterator[str]:
    yield "## One thread, vectors or all threads"
    yield ""
    yield "The way with the shortest likely time, against the one that measuring all of them chooses; right is what"
    yield f"takes at most {NOISE - 1:.0%} longer. Regret: how much longer than the best, on average; beside it that of"
    yield "never and of always taking all threads. Gain: how far the likely gain on all threads, with the pragmas that"
    yield "`--suggest openmp` writes, is from the measured one (median factor)."
    yield ""
    yield "| machine | part | choices | right | regret | always one thread | always all threads | gain |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for m in machines:
        for part, name in PARTS.items():
            own = [c for c, _ in m.ways if c.part == part]
            if own:
                j = judged(own)
                shares = f"**{j.right:.1%}** | {j.regret:.1%} | {j.host:.0%} | {j.threads:.0%} | {j.gain:.2f}"
                yield f"| {m.name} | {name} | {j.number} | {shares} |"
    yield "| wanted | | | 95 % | 3 % | | | |"
    wrong = [(m.name, c) for m in machines for c, _ in m.ways if not c.is_right and c.part != "tune"]
    worst = sorted(wrong, key=lambda named: -named[1].regret)[:WORST]
    yield ""
    yield f"The worst {len(worst)} that were not tuned on:"
    yield ""
    yield "| machine | kernel | sizes | chosen | best | regret |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for machine, c in worst:
        yield f"| {machine} | `{c.kernel}` | {_sizes(c.sizes)} | {c.chosen} | {c.best} | {c.regret:.0%} |"


def _choices(machine: Joined) -> Iterator[str]:
    yield f"## {machine.name}, all threads"
    yield ""
    yield "| kernel | sizes | one thread | all threads | likely | low to high | gain | likely gain |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for choice, c in machine.ways:
        assert c.predicted is not None
        m, p = choice.measured, choice.likely
        ends = f"{as_time(c.predicted.low)} to {as_time(c.predicted.high)}"
        times = f"{as_time(m['host'])} | {as_time(m['threads'])} | {as_time(p['threads'])} | {ends}"
        gains = f"{m['host'] / m['threads']:.2f} | {p['host'] / p['threads']:.2f}"
        yield f"| `{c.kernel}` | {_sizes(c.sizes)} | {times} | {gains} |"


def _worst(found: Iterable[Compared], on: str) -> Iterator[str]:
    judged = [c for c in found if c.part != "tune" and c.predicted is not None]
    yield f"## The worst {WORST} that were not tuned on: {on}"
    yield ""
    yield from _table(sorted(judged, key=lambda c: -c.factor)[:WORST])


def _all(machine: Joined) -> Iterator[str]:
    yield f"## {machine.name}, one thread"
    yield ""
    yield from _table(machine.found)


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


def _machine(name: str, host: Device) -> str:
    clock, cores = host.figure("clock.one_core").value / 1e9, host.figure("cores").value
    said = f"{cores:g} cores that the process may use, {clock:.2f} GHz, vectors of {host.figure('vector').value:g} bits"
    caches = ", ".join(f"{host.figure(f'cache.{n}').value / 2**10:g} KiB" for n in ("l1", "l2", "l3"))
    return f"{name}: {host.name}, {said}, caches of {caches}."
