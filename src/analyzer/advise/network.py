"""What limits a loop or function of an MPI program: arithmetic, memory or network.

The communication-aware roofline (`models.communication`) of the busiest process: the one for which the model counts
most network bytes. Its flops and memory bytes are those of the same process.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from models.communication import System, Work, attainable, limit, time, time_with_latency
from models.quantity import Sizes
from models.roofline import attainable as without_network

from ..facts.loop import Count
from ..facts.network import Network
from ..mpi.processes import Processes, environments, number_of, per_process
from .likely import expr_of


class Bound(Struct, frozen=True):
    """The roof over one process of a system: intensities in operations per byte (`cai` infinite where nothing is sent),
    operations/s, seconds. `messages`: for so many it waits, one after the other; `time_with_latency`: with what they
    cost, where the latency of the system is known."""

    system: System
    oi: float
    cai: float
    limit: Literal["compute", "memory", "network"]
    attainable: float
    without_network: float
    time: float
    time_without_network: float
    messages: float | None
    time_with_latency: float | None


class NetworkAdvice(Struct, frozen=True):
    """`processes`: bytes of each process, None while a size or their number is not known; `flops` of the busiest one;
    `why_unbounded`: what keeps the bound from being known."""

    processes: Processes | None = None
    flops: float | None = None
    bound: Bound | None = None
    why_unbounded: str = ""


def bounded(
    network: Network, flops: Count | None, memory: Count | None, system: System | None, sizes: Sizes
) -> NetworkAdvice:
    """Bytes of every process, and the roof of the busiest one on `system` (None: no roof is asked for).

    `flops`: floating-point operations, `memory`: bytes read and written, both for one entry or call, as `network`."""
    found = per_process(network, dict(sizes))
    if found is None:
        return NetworkAdvice(why_unbounded="" if system is None else "no roof: --ranks or a size is missing")
    environment = environments(network, dict(sizes))[found.busiest]
    operations, traffic = (None if e is None else number_of(e, environment) for e in map(expr_of, (flops, memory)))
    if system is None:
        return NetworkAdvice(found, operations)
    if operations is None or traffic is None or (operations and not traffic):
        return NetworkAdvice(found, operations, None, "no roof: its operations or the memory it touches are not known")
    waits = number_of(network.waits, environment)
    work = Work(operations, traffic, found.model[found.busiest], waits or 0.0)
    return NetworkAdvice(found, operations, _roof(system, work, waits))


def _roof(system: System, work: Work, waits: float | None) -> Bound:
    """Without operations nothing is attained, and the slower of the two transfers is the limit."""
    oi, cai = (float(work.oi), float(work.cai)) if work.flops else (0.0, 0.0)
    late = None if waits is None else time_with_latency(system, work)
    return Bound(
        system=system,
        oi=oi,
        cai=cai,
        limit=limit(system, oi, cai) if work.flops else _slower(system, work),
        attainable=float(attainable(system, oi, cai)) if work.flops else 0.0,
        without_network=float(without_network(system.peak, system.memory, oi)),
        time=float(time(system, work)),
        time_without_network=float(time(system, replace(work, network_bytes=0.0))),
        messages=waits,
        time_with_latency=None if late is None else float(late),
    )


def _slower(system: System, work: Work) -> Literal["memory", "network"]:
    """Of a program without floating-point operations: which of its bytes take longer."""
    return "memory" if work.memory_bytes / system.memory >= work.network_bytes / system.network else "network"
