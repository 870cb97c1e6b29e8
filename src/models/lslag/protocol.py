"""The paper's way to take samples (LSLAG paper, §VI), on an architecture that is exactly so: what a fit must recover.

Every gamma and every S from the first to the last power of two, ten repeats each: 360 samples. The paper's own samples
were never published.
"""

import random
from collections.abc import Iterator

from ..published import tables
from .architecture import Architecture
from .samples import Samples


def gammas() -> tuple[int, ...]:
    return tuple(_powers("gamma"))


def sizes() -> tuple[int, ...]:
    return tuple(_powers("S"))


def profiled(architecture: Architecture, *, noise: float = 0.0, seed: int = 0) -> Samples:
    """Samples of `architecture`, the time of each element off by a normal part of standard deviation `noise`."""
    dice = random.Random(seed)
    points = [(gamma, size) for gamma in gammas() for size in sizes() for _ in range(protocol("repeats"))]
    columns = {
        element.name: tuple(element.time(gamma, size) * (1 + dice.gauss(0, noise)) for gamma, size in points)
        for element in architecture.elements
    }
    return Samples(
        gamma=tuple(gamma for gamma, _ in points),
        size=tuple(size for _, size in points),
        wall_s=tuple(map(sum, zip(*columns.values(), strict=True))),
        elements_s=columns,
        kinds={element.name: element.kind for element in architecture.elements},
    )


def protocol(of: str) -> int:
    """A number of the protocol, such as `repeats`, `samples` or `smallest S`."""
    return int(tables("lslag")["protocol"].row(of=of)["value"])


def _powers(of: str) -> Iterator[int]:
    value, last = protocol(f"smallest {of}"), protocol(f"largest {of}")
    while value <= last:
        yield value
        value *= 2
