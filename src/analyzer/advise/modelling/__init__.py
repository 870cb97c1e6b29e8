"""The models that `--model` chooses from, by name (docs/models.md).

Each turns a workload, a host and a device into predictions through one seam (`seam`); a new one is its module and one
entry here. What belongs to one model is imported when it is chosen.
"""

from models.catalogue import Device
from models.extended.figures import figure
from models.figures import Figure
from models.quantity import Range

from .seam import Answer, Applied, Copying, Model, Subject

__all__ = ["MODELS", "Answer", "Applied", "Copying", "Model", "Subject"]

_ROOFS = {
    "gpu": ("memory.coalesced", "link.rate"),
    "fpga": ("memory.coalesced", "link.rate"),
    "cpu": ("memory.one_core", "memory.all_cores"),
}
_HULL = {**_ROOFS, "gpu": ("memory.coalesced", "memory.uncoalesced", "link.rate")}
_IDIOMS = {
    **_HULL,
    "cpu": ("memory.one_core", "memory.all_cores", "cache.l1_rate", "cache.l2_rate.core", "cache.l3_rate.core"),
}
_EXTENDED = {
    "gpu": (
        "link.pageable", "link.latency", "memory.coalesced", "launch.latency", "latency.memory", "rate.load_store",
    ),
    "fpga": ("memory.coalesced", "memory.uncoalesced", "link.rate"),
    "cpu": ("memory.one_core", "memory.all_cores", "threads.start", "cache.l1_rate"),
}  # fmt: skip


def _extended(subject: Subject) -> Applied:
    from .extended import Extended

    return Extended(subject)


def _boat_hull(subject: Subject) -> Applied:
    from .boat_hull import BoatHull

    return BoatHull(subject)


def _roofline(subject: Subject) -> Applied:
    from .roofline import Roofline

    return Roofline(subject)


def _pmac(subject: Subject) -> Applied:
    from .pmac import Pmac

    return Pmac(subject)


def _perdome(subject: Subject) -> Applied:
    from .perdome import PerDome

    return PerDome(subject)


def _plain_link(device: Device) -> Copying:
    return _copying(device.figure("link.rate"))


def _pageable_link(device: Device) -> Copying:
    """Memory of a plain C program is pageable, and each copy has a latency."""
    device.figure("link.rate")
    return _copying(figure(device, "link.pageable"), figure(device, "link.latency").value)


def _copying(rate: Figure, latency_s: float = 0.0) -> Copying:
    return Copying(rate.value, latency_s, Range(rate.value / rate.high, 1.0, rate.value / rate.low))


MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            "extended",
            "classes and counts; launches, occupancy, sectors, caches, atomics, precision (docs/extended-model.md)",
            _extended, _pageable_link, _EXTENDED, splits=True, without_copies=True,
        ),
        Model(
            "boat-hull",
            "class, complexity and device give a range of times (Nugteren, Corporaal 2012)",
            _boat_hull, _plain_link, _HULL, reorders=False, without_copies=True,
        ),
        Model(
            "roofline",
            "counts against peak arithmetic, memory bandwidth and link: a bound, no overheads (Williams et al. 2009)",
            _roofline, _plain_link, _ROOFS,
        ),
        Model(
            "pmac",
            "bandwidth of the loop's idiom at its data size; memory time alone (Meswani et al.)",
            _pmac, _plain_link, _IDIOMS,
        ),
        Model(
            "perdome",
            "operations and bytes on CPU and GPU together, bounds of every way to divide them (Tang, Hu, Barrett)",
            _perdome, _plain_link, _ROOFS, splits=True, takes_accesses=True,
        ),
    )
}  # fmt: skip
"""The first is the default."""
