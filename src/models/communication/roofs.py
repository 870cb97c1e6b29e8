"""The roofs of one process: peak arithmetic, memory bandwidth and network bandwidth (equations 2.1 to 2.5)."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..elementwise import Values, is_array, least, nonnegative, positive, quotient

Limit: TypeAlias = Literal["compute", "memory", "network"]


class System(Struct, frozen=True):
    """What one process can do at most: operations/s, bytes/s of memory, bytes/s of network. `latency`: seconds that a
    message takes beside those of its bytes; None where nobody measured it, as for the systems of the paper."""

    id: str
    name: str
    peak: float
    memory: float
    network: float
    source: str
    latency: float | None = None

    def __post_init__(self) -> None:
        positive("the peak", self.peak)
        positive("the memory bandwidth", self.memory)
        positive("the network bandwidth", self.network)
        if self.latency is not None:
            nonnegative("the latency", self.latency)

    @property
    def ridge_oi(self) -> float:
        """The operational intensity from which on memory does not limit, in operations per byte."""
        return self.peak / self.memory

    @property
    def ridge_cai(self) -> float:
        return self.peak / self.network


class Work(Struct, frozen=True):
    """What one process computes and moves. `messages`: how many it waits for, one after the other (ours)."""

    flops: Values
    memory_bytes: Values
    network_bytes: Values
    messages: Values = 0.0

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


def time_with_latency(system: System, work: Work) -> Values | None:
    """As `time`, where each message takes its latency and then its bytes (ours, not the paper's); None without one."""
    if system.latency is None:
        return None
    transfers = nonnegative("an amount of work", work.network_bytes) / system.network
    waits = nonnegative("a number of messages", work.messages) * system.latency
    return -least(-time(system, work), -(transfers + waits))


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
