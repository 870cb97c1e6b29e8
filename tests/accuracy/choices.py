"""Which way of running a kernel is chosen by predicted times, and which one measuring all of them chooses."""

from collections.abc import Iterable, Mapping
from statistics import mean, median, quantiles

from msgspec import Struct

from .versions import Way

LONG_S = 1e-4
"""A hundred times what starting a team takes."""
NOISE = 1.05
"""Two ways whose measured times differ by less are as good as each other: so do repetitions of one."""


class Choice(Struct, frozen=True):
    """One kernel with one set of sizes: seconds by way, measured and likely."""

    kernel: str
    part: str
    sizes: Mapping[str, int]
    measured: Mapping[Way, float]
    likely: Mapping[Way, float]

    @property
    def chosen(self) -> Way:
        return min(self.likely, key=lambda way: self.likely[way])

    @property
    def best(self) -> Way:
        return min(self.measured, key=lambda way: self.measured[way])

    @property
    def regret(self) -> float:
        """By how much of the shortest time the chosen way takes longer than it."""
        return self.measured[self.chosen] / self.measured[self.best] - 1

    @property
    def gain(self) -> float:
        """Measured over likely gain on all threads, with the pragmas that the program writes."""
        return self.measured["host"] / self.measured["threads"] / (self.likely["host"] / self.likely["threads"])

    @property
    def is_right(self) -> bool:
        return self.regret <= NOISE - 1


def gains(choices: Iterable[Choice]) -> tuple[float, float]:
    """The tenth and the ninetieth percentile of measured over likely gain on all threads, of the kernels that are so
    long that starting a team does not matter: that has a figure, and a range, of its own."""
    ends = quantiles((c.gain for c in choices if c.likely["host"] >= LONG_S), n=10, method="inclusive")
    return ends[0], ends[-1]


class Judged(Struct, frozen=True):
    """Of several choices: how many, the share that is right, and the mean regret; those of always staying on the host
    and of always taking all threads beside it; the median factor between measured and likely gain on all threads."""

    number: int
    right: float
    regret: float
    host: float
    threads: float
    gain: float


def judged(choices: Iterable[Choice]) -> Judged:
    """Example: two kernels, one right, one that takes 1.2 s where 1 s was possible: 0.5 right, regret 0.1."""
    found = list(choices)
    return Judged(
        len(found),
        mean(c.is_right for c in found),
        mean(c.regret for c in found),
        mean(c.measured["host"] / c.measured[c.best] - 1 for c in found),
        mean(c.measured["threads"] / c.measured[c.best] - 1 for c in found),
        median(max(c.gain, 1 / c.gain) for c in found),
    )
