"""Formulas of a loop as immutable values: what a page needs to compute its times again for other sizes.

All are texts of the grammar of `models.expr.text`, in SI units, of all sizes: also of those whose value was given.
"""

from typing import ClassVar

from msgspec import Struct


class PartsEntry(Struct, frozen=True):
    """Seconds at one end of a time's range; a part that is absent is 0. `time` is absent where it is
    max(compute, memory) + transfer + launch."""

    LEFT_OUT: ClassVar = frozenset({"time", "compute", "memory", "transfer", "launch"})

    time: str | None = None
    compute: str | None = None
    memory: str | None = None
    transfer: str | None = None
    launch: str | None = None


class TimeEntry(Struct, frozen=True):
    """The time of one candidate, as `predictions` have it where the sizes are known. `low` and `high` are absent where
    they are `likely`."""

    LEFT_OUT: ClassVar = frozenset({"low", "high"})

    device: str
    candidate: str
    likely: PartsEntry
    low: PartsEntry | None = None
    high: PartsEntry | None = None


class HullEntry(Struct, frozen=True):
    """The variables of the boat hull equations for GPUs (`models.parameters`): work-units, applications and offset of
    each, bytes in all, coalesced and scattered, complexity. On CPUs o is 4 and all of d is coalesced. `floor`: the
    floor of scattered accesses applies."""

    element_type: str
    w: str
    m: str
    o: str
    d: str
    c: str
    u: str
    f: str
    floor: bool


class RefusalEntry(Struct, frozen=True):
    """A place that has no time at any size; `code` is one of the reason codes."""

    device: str
    code: str
    message: str


class FormulasEntry(Struct, frozen=True):
    """`today`: threads, threads-around or device where a pragma says that the loop, or one around it, runs so already.
    `units`: work-units that can run at once. `refusals` is absent where there are none. `parts`: what several times
    have in common; `#3` in a time, or in a later part, stands for the fourth of them."""

    LEFT_OUT: ClassVar = frozenset({"units", "hull", "today", "refusals", "parts"})

    times: tuple[TimeEntry, ...]
    units: str | None = None
    hull: HullEntry | None = None
    today: str | None = None
    refusals: tuple[RefusalEntry, ...] | None = None
    parts: tuple[str, ...] | None = None
