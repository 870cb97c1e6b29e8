"""A point of the model: one algorithm, loop or pair of intensities on one system, and what it attains there."""

from msgspec import Struct

from .. import roofline
from .roofs import Limit, System, Work, attainable, limit, time


class Point(Struct, frozen=True):
    """One algorithm or loop at one size on one system."""

    name: str
    system: System
    sizes: dict[str, float]
    work: Work | None
    oi: float
    cai: float

    @property
    def attainable(self) -> float:
        return float(attainable(self.system, self.oi, self.cai))

    @property
    def without_network(self) -> float:
        """The plain roofline."""
        return float(roofline.attainable(self.system.peak, self.system.memory, self.oi))

    @property
    def limit(self) -> Limit:
        return limit(self.system, self.oi, self.cai)

    @property
    def time(self) -> float | None:
        return None if self.work is None else float(time(self.system, self.work))
