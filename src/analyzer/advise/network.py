"""What limits a loop or function of an MPI program: arithmetic, memory or network.

The communication-aware roofline (`models.communication`) of the busiest process: the one for which the model counts
most network bytes. Its flops and memory bytes are those of the same process.
"""

from typing import Literal

from msgspec import Struct

from models.communication import System, Work, attainable, limit, time
from models.quantity import Sizes
from models.roofline import attainable as without_network

from ..facts.loop import Count
from ..facts.network import Network
from ..mpi.processes import Processes, environments, number_of, per_process
from .likely import expr_of


class Bound(Struct, frozen=True):
    """The roof over one process of a system: intensities in operations per byte (`cai` infinite where nothing is sent),
    operations/s, seconds."""

    system: System
    oi: float
    cai: float
    limit: Literal["compute", "memory", "network"]
    attainable: float
    without_network: float
    time: float


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
    return NetworkAdvice(found, operations, _roof(system, Work(operations, traffic, found.model[found.busiest])))


def _roof(system: System, work: Work) -> Bound:
    """Without operations nothing is attained, and the slower of the two transfers is the limit."""
    if not work.flops:
        return Bound(system, 0.0, 0.0, _slower(system, work), 0.0, 0.0, float(time(system, work)))
    oi, cai = float(work.oi), float(work.cai)
    return Bound(
        system=system,
        oi=oi,
        cai=cai,
        limit=limit(system, oi, cai),
        attainable=float(attainable(system, oi, cai)),
        without_network=float(without_network(system.peak, system.memory, oi)),
        time=float(time(system, work)),
    )


def _slower(system: System, work: Work) -> Literal["memory", "network"]:
    """Of a program without floating-point operations: which of its bytes take longer."""
    return "memory" if work.memory_bytes / system.memory >= work.network_bytes / system.network else "network"
