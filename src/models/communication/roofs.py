"""The roofs of one process: peak arithmetic, memory bandwidth and network bandwidth (equations 2.1 to 2.5)."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..elementwise import Values, is_array, least, nonnegative, positive, quotient

Limit: TypeAlias = Literal["compute", "memory", "network"]


class System(Struct, frozen=True):
    """What one process can do at most: operations/s, bytes/s of memory, bytes/s of network."""

    id: str
    name: str
    peak: float
    memory: float
    network: float
    source: str

    def __post_init__(self) -> None:
        positive("the peak", self.peak)
        positive("the memory bandwidth", self.memory)
        positive("the network bandwidth", self.network)

    @property
    def ridge_oi(self) -> float:
        """The operational intensity from which on memory does not limit, in operations per byte."""
        return self.peak / self.memory

    @property
    def ridge_cai(self) -> float:
        return self.peak / self.network


class Work(Struct, frozen=True):
    """What one process computes and moves."""

    flops: Values
    memory_bytes: Values
    network_bytes: Values

    @property
    def oi(self) -> Values:
        return quotient(self.flops, self.memory_bytes)

    @property
    def cai(self) -> Values:
        """Infinite where nothing is sent."""
        return quotient(self.flops, self.network_bytes)


def attainable(system: System, oi: Values, cai: Values) -> Values:
    """Operations per second of one process at most (equation 2.5); `cai` is infinite where nothing is sent.

    InputError for intensities that are negative or NaN.
    Example: on Karst `attainable(karst, 2.0, 5.0)` is 6e9: the network's 1.2e9 B/s times 5."""
    memory = system.memory * nonnegative("the operational intensity", oi)
    return least(system.peak, memory, system.network * _sent("the communication intensity", cai))


def time(system: System, work: Work) -> Values:
    """Seconds of one process at least: the longest of arithmetic, memory and network."""
    rates = ((work.flops, system.peak), (work.memory_bytes, system.memory), (work.network_bytes, system.network))
    return -least(*(-nonnegative("an amount of work", amount) / rate for amount, rate in rates))


def limit(system: System, oi: float, cai: float) -> Limit:
    """What limits an algorithm; of equal limits the first of compute, memory, network."""
    roofs: dict[Limit, float] = {
        "compute": system.peak,
        "memory": system.memory * nonnegative("the operational intensity", oi),
        "network": system.network * _sent("the communication intensity", cai),
    }
    return min(roofs, key=lambda name: roofs[name])


def _sent(name: str, cai: Values) -> Values:
    """An intensity that may be infinite."""
    if is_array(cai):
        import numpy

        nonnegative(name, numpy.where(numpy.isposinf(cai), 0, cai))
        return cai
    return cai if cai == float("inf") else nonnegative(name, cai)


def systems() -> dict[str, System]:
    """The three systems of Table 2.3 by id."""
    from ..published import tables

    table = tables("communication")["systems"]
    return {
        row["id"]: System(row["id"], row["name"], row["peak"], row["memory"], row["network"], table.source)
        for row in table.rows
    }
