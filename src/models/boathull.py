"""The boat hull model: class of algorithm, complexity and device give a time, before any code for it exists.

Nugteren and Corporaal, "The Boat Hull Model", CF 2012, §4.2 (GPU) and §4.4 (CPU). The larger of two equations:

    c0 = w (f m + o) / P_compute                     m0 = c / P_coalesced + u / P_uncoalesced      (CPU: c / P_memory)

and floors, which some loops cannot avoid. The paper divides (`c1 = c0 / 2`): those are performances, a time multiplies:

    GPU   c1 = 2 c0, no fused multiply-add           m1 = d / P_uncoalesced, scattered accesses
    CPU   c1 = c0 lanes, scalar     c2 = c0 N_threads, one thread     c3 = c0 lanes N_threads
    t0 = d / B_bus, the transfer between host and device, is added

The low end is without floors, the high end with all that apply to the class, the likely time their mean; where a
device's figure or the complexity is itself a range, the low end also takes the best of it and the high end the worst.

Ours, not the paper's: the offset o is index arithmetic and runs at the int32 rate (the paper has one rate); one core's
rates are figures of their own, in place of a division by N_threads; on CPUs whose rates count a multiply-add as two the
floor 2 c0 applies as well (not for int32); a loop whose analysis saw scattered accesses gets m1 whatever its class.
Not modelled: caches, occupancy, contention, the latency of dependent operations, load balance.
"""

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from .catalogue import Device, Figure, MissingFigureError, UnsupportedPrecisionError
from .expr import ONE, ZERO, Expr, known_value, num
from .parameters import Parameters
from .prediction import Bound, Candidate, Prediction, Refusal, Room, Shares, Term, term
from .quantity import NOTHING, Quantity, Range, Sizes, between, larger, spanning
from .variables import Transfer, complexity, cpu_variables, gpu_variables, transferred
from .workload import ELEMENT_BITS, Workload

MODEL = "boat-hull"
Fma: TypeAlias = Literal["auto", "possible", "none"]
Threads: TypeAlias = Literal["one", "all"]

_GPU = "boat hull paper, §4.2"
_GPU_FLOOR = "boat hull paper, §4.2, as a time"
_CPU = "boat hull paper, §4.4"
_CPU_FLOOR = "boat hull paper, §4.4, as a time"
_OURS = "not in the paper: the peak counts a multiply-add as two"
_C0 = "w*m*f/P_compute + w*o/P_int32"


class Hull(Struct, frozen=True):
    """The equations of one loop on one device, in seconds: compute and memory without and with floors."""

    compute: Quantity
    compute_floor: Quantity
    memory: Quantity
    memory_floor: Quantity
    transfer: Quantity
    launch: Quantity
    terms: tuple[Term, ...]


def predict_target(
    workload: Workload,
    device: Device,
    *,
    transfer: Transfer = "class",
    fma: Fma = "auto",
    launch: bool = False,
    sizes: Sizes | None = None,
    variables: Parameters | None = None,
) -> Prediction | Refusal:
    """Time of `workload` on `device`, from data on the host to results on the host.

    `transfer`: all data of the class (the paper), the sections that must be copied, or none. `fma` "none": no
    multiply-adds can be fused, both ends use 2 c0; "auto": so it is when the workload counted none. `launch` adds the
    launch latency, which the paper leaves out. `sizes` gives values of size symbols. `variables` replaces the class's
    (as for the printed rows of `table1`). A CPU has no transfer and no launch.

    Example: `predict_target(from_class("1024x1024|element → 256|shared", 1), find_device("gtx470"), fma="none")`
    has the memory time 0.711 ms of Table 5."""
    known = sizes or {}
    try:
        if device.kind == "cpu":
            hull = _cpu_target(workload, device, variables or cpu_variables(workload), known)
        else:
            p = variables or gpu_variables(workload)
            refused = too_large(p.d, device, known)
            if refused is not None:
                return refused
            moved = transferred(workload, p, transfer)
            hull = _gpu(workload, device, p, moved=moved, fma=fma, launch=launch, sizes=known)
    except (MissingFigureError, UnsupportedPrecisionError) as error:
        return refusal(device, error)
    found = _predict(workload, device, "target", hull, known)
    if device.kind == "cpu":
        return found
    return replace(found, room=Room(p.d, device.figure("memory.capacity").value))


def predict_host(
    workload: Workload,
    device: Device,
    *,
    threads: Threads = "one",
    vectorised: bool = True,
    candidate: Candidate | None = None,
    sizes: Sizes | None = None,
    variables: Parameters | None = None,
) -> Prediction | Refusal:
    """Time of `workload` where its data is: on a CPU, by one thread or all, with vectors or without.

    The host baseline is one thread, vectorised where that is legal without reordering floats; one thread has the
    compute and memory rate of one core. `candidate`: what the prediction is called (by default host, or host-threads).
    `variables` replaces the workload's. Refused with `no-device-figure` for a device that is no CPU."""
    known = sizes or {}
    try:
        p = variables or cpu_variables(workload)
        hull = _cpu(workload, device, p, threads=threads, vectorised=vectorised, sizes=known)
    except (MissingFigureError, UnsupportedPrecisionError) as error:
        return refusal(device, error)
    name = candidate or ("host-threads" if threads == "all" else "host")
    return _predict(workload, device, name, hull, known)


# --- the equations


def _gpu(
    workload: Workload,
    device: Device,
    p: Parameters,
    *,
    moved: tuple[Expr, str],
    fma: Fma,
    launch: bool,
    sizes: Sizes,
) -> Hull:
    """Equations of §4.2."""
    rate, index_rate = device.figure(f"compute.{workload.element_type}"), device.figure("compute.int32")
    coalesced, uncoalesced = device.figure("memory.coalesced"), device.figure("memory.uncoalesced")
    scattered = p.scattered or any(array.is_scattered for array in workload.arrays)
    f = complexity(workload, p)
    c0 = _compute(p, f, rate, index_rate)
    c1 = c0 * 2 if device.fused_multiply_add else c0
    m0 = _per(coalesced) * p.c + _per(uncoalesced) * p.u
    m1 = _per(uncoalesced) * p.d
    terms = [
        *_variable_terms(p, f, sizes),
        _figure_term("P_compute", rate, device, workload.element_type),
        _figure_term("P_int32", index_rate, device),
        _figure_term("P_coalesced", coalesced, device),
        _figure_term("P_uncoalesced", uncoalesced, device),
        term("c0", c0.likely, "s", _GPU, sizes, _C0),
        term("c1", c1.likely, "s", _GPU_FLOOR, sizes, "2*c0 (no fused multiply-add)"),
        term("m0", m0.likely, "s", _GPU, sizes, "c/P_coalesced + u/P_uncoalesced"),
    ]
    if scattered:
        terms.append(term("m1", m1.likely, "s", _GPU_FLOOR, sizes, "d/P_uncoalesced (scattered accesses)"))
    t0, launched = NOTHING, NOTHING
    if moved[0] != ZERO:
        bus = device.figure("link.rate")
        t0 = _per(bus) * moved[0]
        terms += [_figure_term("B_bus", bus, device), term("moved", moved[0], "B", moved[1], sizes)]
        terms.append(term("t0", t0.likely, "s", _GPU, sizes, "moved/B_bus"))
    if launch:
        latency = device.figure("launch.latency")
        launched = between(latency.low, latency.value, latency.high)
        terms.append(_figure_term("launch", latency, device))
    return Hull(
        compute=c1 if _without_fma(workload, fma) else c0,
        compute_floor=c1,
        memory=m0,
        memory_floor=larger(m0, m1) if scattered else m0,
        transfer=t0,
        launch=launched,
        terms=tuple(terms),
    )


def _cpu(
    workload: Workload, device: Device, p: Parameters, *, threads: Threads, vectorised: bool, sizes: Sizes
) -> Hull:
    """Equations of §4.4 for one way to run: c0 .. c3 are no range here, as it is known which one applies."""
    cores = "one_core" if threads == "one" else "all_cores"
    rate, index_rate = (device.figure(f"compute.{kind}.{cores}") for kind in (workload.element_type, "int32"))
    memory = device.figure(f"memory.{cores}")
    lanes = ONE if vectorised else num(_lanes(device, workload))
    f = complexity(workload, p)
    compute = _compute(p, f, rate, index_rate) * lanes
    m0 = _per(memory) * p.c
    name = {("one", True): "c2", ("one", False): "c3", ("all", True): "c0", ("all", False): "c1"}[threads, vectorised]
    terms = [
        *_variable_terms(p, f, sizes),
        _figure_term("P_compute", rate, device, f"{workload.element_type}, {cores}"),
        _figure_term("P_int32", index_rate, device, cores),
        _figure_term("P_memory", memory, device, cores),
    ]
    if not vectorised:
        terms.append(_lanes_term(device, workload))
    terms.append(term(name, compute.likely, "s", _CPU, sizes, _C0 if vectorised else f"lanes*({_C0})"))
    terms.append(term("m0", m0.likely, "s", _CPU, sizes, "c/P_memory"))
    floor = compute
    if device.fused_multiply_add and workload.element_type != "int32":
        floor = compute * 2
        terms.append(term(f"2 {name}", floor.likely, "s", _OURS, sizes, f"2*{name} (no fused multiply-add)"))
    base = floor if _without_fma(workload, "auto") else compute
    return Hull(base, floor, m0, m0, transfer=NOTHING, launch=NOTHING, terms=tuple(terms))


def _cpu_target(workload: Workload, device: Device, p: Parameters, sizes: Sizes) -> Hull:
    """A CPU before any code exists: from all cores with vectors to one core without (c3), as in figure 3."""
    kinds = (workload.element_type, "int32")
    rate, index_rate = (device.figure(f"compute.{kind}.all_cores") for kind in kinds)
    one_rate, one_index_rate = (device.figure(f"compute.{kind}.one_core") for kind in kinds)
    memory = device.figure("memory.all_cores")
    lanes = num(_lanes(device, workload))
    f = complexity(workload, p)
    c0 = _compute(p, f, rate, index_rate)
    c2 = _compute(p, f, one_rate, one_index_rate)
    m0 = _per(memory) * p.c
    terms = (
        *_variable_terms(p, f, sizes),
        _figure_term("P_compute", rate, device, workload.element_type),
        _figure_term("P_int32", index_rate, device),
        _figure_term("P_one_core", one_rate, device, workload.element_type),
        _figure_term("P_memory", memory, device),
        _lanes_term(device, workload),
        term("c0", c0.likely, "s", _CPU, sizes, _C0),
        term("c1", c0.likely * lanes, "s", _CPU_FLOOR, sizes, "c0*lanes (scalar)"),
        term("c2", c2.likely, "s", _CPU_FLOOR, sizes, "c0 with P_one_core (one thread)"),
        term("c3", c2.likely * lanes, "s", _CPU_FLOOR, sizes, "c2*lanes (one thread, scalar)"),
        term("m0", m0.likely, "s", _CPU, sizes, "c/P_memory"),
    )
    return Hull(c0, c2 * lanes, m0, m0, transfer=NOTHING, launch=NOTHING, terms=terms)


def _compute(p: Parameters, f: Quantity, rate: Figure, index_rate: Figure) -> Quantity:
    return f * _per(rate) * (p.w * p.m) + _per(index_rate) * (p.w * p.o)


def _per(figure: Figure) -> Quantity:
    """Seconds per operation or byte; the high rate makes the low time."""
    return between(1 / figure.high, 1 / figure.value, 1 / figure.low)


def _lanes(device: Device, workload: Workload) -> int:
    return int(device.figure("vector").value) // ELEMENT_BITS[workload.element_type]


def _without_fma(workload: Workload, fma: Fma) -> bool:
    if fma != "auto":
        return fma == "none"
    counted = workload.multiply_adds
    return counted is not None and counted.is_zero and workload.element_type != "int32"


# --- from equations to a prediction


def _predict(workload: Workload, device: Device, candidate: Candidate, hull: Hull, sizes: Sizes) -> Prediction:
    kernel = spanning(larger(hull.compute, hull.memory), larger(hull.compute_floor, hull.memory_floor))
    total = kernel + hull.transfer + hull.launch
    compute_s, memory_s = spanning(hull.compute, hull.compute_floor), spanning(hull.memory, hull.memory_floor)
    compute, memory = compute_s.at(sizes), memory_s.at(sizes)
    transfer, launch = hull.transfer.at(sizes), hull.launch.at(sizes)
    return Prediction(
        device=device.id,
        model=MODEL,
        candidate=candidate,
        time=total.at(sizes),
        compute=compute,
        memory=memory,
        transfer=transfer,
        launch=launch,
        bound=_bound({"compute": compute, "memory": memory, "transfer": transfer, "launch": launch}),
        total=total,
        moving=hull.transfer,
        arithmetic=hull.terms,
        shares=Shares(compute_s, memory_s, hull.transfer, hull.launch),
        assumptions=workload.assumptions,
    )


def _bound(parts: dict[Bound, Range | None]) -> Bound | None:
    """The part that likely takes longest; None where a size is not known."""
    known = [(part.likely, name) for name, part in parts.items() if part is not None]
    return max(known)[1] if len(known) == len(parts) else None


def refusal(device: Device, error: MissingFigureError | UnsupportedPrecisionError) -> Refusal:
    """What a missing figure, or arithmetic that a device lacks, means for the caller."""
    missing = isinstance(error, MissingFigureError)
    return Refusal(device.id, "no-device-figure" if missing else "unsupported-precision", str(error))


def too_large(data: Expr, device: Device, sizes: Sizes) -> Refusal | None:
    """`exceeds-memory` where so many bytes do not fit; None where they do, or are not known."""
    needed = known_value(data, sizes)
    if needed is None:
        return None
    capacity = device.figure("memory.capacity")
    if needed <= capacity.value:
        return None
    return Refusal(device.id, "exceeds-memory", f"{needed:.4g} B of data do not fit in {capacity.written}")


# --- the arithmetic in words


def _figure_term(name: str, figure: Figure, device: Device, what: str = "") -> Term:
    detail = f"{device.id}{f' ({what})' if what else ''}: {figure.kind}, {figure.source}"
    return Term(name, figure.written, figure.value, figure.unit, detail)


def _lanes_term(device: Device, workload: Workload) -> Term:
    vector, bits = device.figure("vector"), ELEMENT_BITS[workload.element_type]
    source = f"{device.id}: {vector.kind}, {vector.source}"
    return Term("lanes", f"{vector.value:g} bit/{bits} bit", float(_lanes(device, workload)), "1", source)


def _variable_terms(p: Parameters, f: Quantity, sizes: Sizes) -> tuple[Term, ...]:
    counts = (("w", p.w, "work-units"), ("m", p.m, "applications"), ("o", p.o, "op"))
    data = (("d", p.d, "B"), ("c", p.c, "B"), ("u", p.u, "B"))
    rows = (term(name, expr, unit, p.source, sizes) for name, expr, unit in (*counts, *data))
    return (term("f", f.likely, "op", "complexity of the operator", sizes), *rows)
