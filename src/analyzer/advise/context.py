"""What a recommendation is made for: the devices and the thresholds."""

from msgspec import Struct

from models.catalogue import Device
from models.extended.incore import Vectors

from ..facts.lookup import may_mean
from ..facts.loop import LoopFacts
from ..settings.options import HOST_FLAGS, CountAs, Mapping

DEFAULT_MODEL = "extended"

SHORTEST_WORTH_THREADS_S = 10e-6
"""A loop that one thread finishes sooner than this is called too small to divide, or to rewrite for vectors: waking a
team of threads and waiting for it takes microseconds to tens of them. A threshold of the advice, like `--min-speedup`,
and no part of a time."""


class Context(Struct, frozen=True):
    """`min_speedup`: likely speedup from which another place is worth the work. `details`: what only data formats and
    `--why` show is wanted, too: break-even sizes one at a time, the arithmetic. `why`: the loop that is asked about.
    `count_as`: how loads and stores were counted."""

    host: Device
    targets: tuple[Device, ...]
    model: str = DEFAULT_MODEL
    min_speedup: float = 1.5
    details: bool = True
    why: str | None = None
    count_as: CountAs = "definitions"
    resident: bool = False
    """The data is on the targets, or in memory that they share with the host: nothing is copied."""
    mapping: Mapping = "best"
    """How a nest becomes threads of a device: as a competent porter would map it, or (`naive`) as it is written."""
    cflags: str = HOST_FLAGS
    compiled: Vectors = Vectors()
    """The flags that the host's code is compiled with, and the vectors that come of them (`compiling`)."""

    def is_asked(self, loop: LoopFacts) -> bool:
        """Whether `why`, an id or FILE:LINE, names the loop."""
        return self.why is not None and may_mean(self.why, loop.id, loop.place.path, loop.place.line)
