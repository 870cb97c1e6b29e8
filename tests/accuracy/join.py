"""Measured times beside predicted ones, and what that says of the predictions."""

from collections.abc import Iterable, Mapping
from statistics import median, quantiles

from msgspec import Struct

from models.lslag.fidelity import kendall_tau_b
from models.quantity import Range


class Compared(Struct, frozen=True):
    """One kernel with one set of sizes. `predicted`: None where the program gives no time."""

    kernel: str
    part: str
    sizes: Mapping[str, int]
    measured: float
    predicted: Range | None
    waits_for: str = ""

    @property
    def ratio(self) -> float:
        """Measured over likely time."""
        assert self.predicted is not None
        return self.measured / self.predicted.likely

    @property
    def factor(self) -> float:
        """How far off the likely time is, at least 1."""
        return max(self.ratio, 1 / self.ratio)

    @property
    def is_inside(self) -> bool:
        assert self.predicted is not None
        return self.predicted.low <= self.measured <= self.predicted.high


class Statistics(Struct, frozen=True):
    """Of several kernels: how many, how many of them have a time; the median error factor, the one that 90 % are
    within, the share within 1.6; the share inside the range; Kendall's tau-b of measured and likely times."""

    number: int
    timed: int
    factor: float
    ninety: float
    within: float
    inside: float
    tau: float


def statistics(found: Iterable[Compared]) -> Statistics:
    """Example: two kernels measured at 1 s and 3 s, predicted 1 s and 2 s: median factor 1.25, tau 1."""
    everything = list(found)
    timed = [c for c in everything if c.predicted is not None]
    factors = sorted(c.factor for c in timed)
    return Statistics(
        number=len(everything),
        timed=len(timed),
        factor=median(factors),
        ninety=factors[min(len(factors) - 1, int(0.9 * len(factors)))],
        within=sum(f <= 1.6 for f in factors) / len(factors),
        inside=sum(c.is_inside for c in timed) / len(timed),
        tau=kendall_tau_b([_likely(c) for c in timed], [c.measured for c in timed]) or 0.0,
    )


def residuals(found: Iterable[Compared]) -> dict[str, tuple[float, float]]:
    """By what loops wait for, the tenth and the ninetieth percentile of measured over likely time."""
    by_cause: dict[str, list[float]] = {}
    for c in found:
        if c.predicted is not None:
            by_cause.setdefault(c.waits_for, []).append(c.ratio)
    return {cause: (q[0], q[-1]) for cause, r in by_cause.items() if (q := quantiles(r, n=10, method="inclusive"))}


def _likely(c: Compared) -> float:
    assert c.predicted is not None
    return c.predicted.likely
