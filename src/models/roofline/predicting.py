"""The roofline of one loop on one device, as a time: what arithmetic and memory need at least, and what is copied.

    compute    t_c = N_fp32 / P_fp32 + N_fp64 / P_fp64 + N_int / P_int32      each type of arithmetic at its peak
    memory     t_m = Q / B                                                    Q bytes that must be read or written
    transfer   t_0 = D / B_link                                               accelerators only
    time     = max(t_c, t_m) + t_0

The inverse of min(P, B I) (Williams, Waterman, Patterson, CACM 52(4), 2009), with t_0 added and, of that paper's lower
ceilings, the one without vectors: a CPU that cannot use them has a lane's share of P. Of CPUs the rates of one core or
of all. Comparisons, minima and maxima count as operations of the loop's type. The range is that of the figures.

Not modelled, as in every plain roofline: starting a kernel or threads, small problems, caches, accesses that are apart,
instructions that are no multiply-adds though the peak counts those as two. So it is a bound: real times are longer.
"""

from msgspec import Struct
from msgspec.structs import replace

from .. import boathull
from ..catalogue import Device, Figure, MissingFigureError, UnsupportedPrecisionError
from ..expr import ZERO, Expr, num
from ..prediction import Bound, Candidate, Prediction, Refusal, Room, Shares, Term, term
from ..quantity import NOTHING, Quantity, Range, Sizes, between, exactly, larger
from ..variables import IncompleteWorkloadError
from ..workload import ELEMENT_BITS, ElementType, Workload

MODEL = "roofline"
PAPER = "roofline, Williams, Waterman, Patterson 2009"
CORES: dict[boathull.Threads, str] = {"one": "one_core", "all": "all_cores"}
"""As keys of figures have them."""


class Work(Struct, frozen=True):
    """`operations` by the type at whose rate they run. `traffic`: bytes to and from memory, and `meaning` which those
    are; `needed`: bytes that a device must hold, `copied` those that are moved to it and back."""

    operations: tuple[tuple[ElementType, Quantity], ...]
    traffic: Quantity
    meaning: str
    needed: Expr
    copied: Expr
    assumptions: tuple[str, ...] = ()


def work_of(workload: Workload) -> Work:
    """Operations by type, and the compulsory traffic: what is touched, each byte once. IncompleteWorkloadError where
    footprints are not known."""
    touched = workload.footprint
    if touched is None:
        raise IncompleteWorkloadError("the footprint of an array is not known")
    own = workload.element_type
    kinds: dict[ElementType, Quantity] = {
        "fp32": workload.flops_fp32 + (NOTHING if own == "fp64" else workload.fp_other),
        "fp64": workload.flops_fp64 + (workload.fp_other if own == "fp64" else NOTHING),
        "int32": workload.int_ops,
    }
    return Work(
        operations=tuple((kind, count) for kind, count in kinds.items() if not count.is_zero),
        traffic=exactly(touched),
        meaning="bytes read plus bytes written, each once (footprints)",
        needed=workload.touched or touched,
        copied=_copied(workload, touched),
        assumptions=workload.assumptions,
    )


def predict_target(work: Work, device: Device, *, sizes: Sizes, model: str = MODEL) -> Prediction | Refusal:
    """The time of `work` on `device`, from data on the host to results on the host; on a CPU with all cores and
    vectors, without copies. Refused with `no-device-figure`, `unsupported-precision` or `exceeds-memory`.

    Example: a million `y[i] += a * x[i]` of fp32 on a device of 95 GB/s need 0.126 ms, and their copies."""
    if device.kind == "cpu":
        return _refusing(work, device, "all", True, "target", sizes, model)
    try:
        refused = boathull.too_large(work.needed, device, sizes)
        if refused is not None:
            return refused
        found = _predict(work, device, None, True, "target", sizes, model)
        return replace(found, room=Room(work.needed, device.figure("memory.capacity").value))
    except (MissingFigureError, UnsupportedPrecisionError) as error:
        return boathull.refusal(device, error)


def predict_host(
    work: Work, device: Device, *, threads: boathull.Threads, vectorised: bool, candidate: Candidate, sizes: Sizes,
    model: str = MODEL,
) -> Prediction | Refusal:  # fmt: skip
    """The time of `work` where its data is, by one core or all of them. Refused as `predict_target`."""
    return _refusing(work, device, threads, vectorised, candidate, sizes, model)


def _refusing(
    work: Work,
    device: Device,
    threads: boathull.Threads,
    vectorised: bool,
    candidate: Candidate,
    sizes: Sizes,
    model: str,
) -> Prediction | Refusal:
    try:
        return _predict(work, device, threads, vectorised, candidate, sizes, model)
    except (MissingFigureError, UnsupportedPrecisionError) as error:
        return boathull.refusal(device, error)


def _copied(workload: Workload, touched: Expr) -> Expr:
    """Sections that must be copied; where they are not known, everything that is touched."""
    if workload.transfer_in is None or workload.transfer_out is None:
        return touched
    return workload.transfer_in + workload.transfer_out


def _predict(
    work: Work,
    device: Device,
    threads: boathull.Threads | None,
    vectorised: bool,
    candidate: Candidate,
    sizes: Sizes,
    model: str,
) -> Prediction:
    """`threads` None: an accelerator."""
    compute, terms = _compute(work, device, threads, vectorised, sizes)
    bandwidth = device.figure("memory.coalesced" if threads is None else f"memory.{CORES[threads]}")
    memory = per(bandwidth) * work.traffic
    terms += [
        term("Q", work.traffic.likely, "B", work.meaning, sizes),
        figure_term("B", bandwidth, device),
        term("t_m", memory.likely, "s", PAPER, sizes, "Q/B"),
    ]
    transfer = NOTHING
    if threads is None and work.copied != ZERO:
        link = device.figure("link.rate")
        transfer = per(link) * work.copied
        terms += [
            term("D", work.copied, "B", "sections read before they are written, and live after the loop", sizes),
            figure_term("B_link", link, device),
            term("t_0", transfer.likely, "s", "transfer", sizes, "D/B_link"),
        ]
    total = larger(compute, memory) + transfer
    written = "max(t_c, t_m) + t_0" if transfer is not NOTHING else "max(t_c, t_m)"
    terms.append(term("time", total.likely, "s", PAPER, sizes, written))
    parts = {"compute": compute, "memory": memory, "transfer": transfer, "launch": NOTHING}
    at = {name: part.at(sizes) for name, part in parts.items()}
    return Prediction(
        device=device.id,
        model=model,
        candidate=candidate,
        time=total.at(sizes),
        compute=at["compute"],
        memory=at["memory"],
        transfer=at["transfer"],
        launch=at["launch"],
        bound=_bound(at["compute"], at["memory"], at["transfer"]),
        total=total,
        moving=transfer,
        arithmetic=tuple(terms),
        assumptions=work.assumptions,
        shares=Shares(compute, memory, transfer, NOTHING),
    )


def _compute(
    work: Work, device: Device, threads: boathull.Threads | None, vectorised: bool, sizes: Sizes
) -> tuple[Quantity, list[Term]]:
    total = NOTHING
    terms: list[Term] = []
    for kind, count in work.operations:
        peak = device.figure(f"compute.{kind}" if threads is None else f"compute.{kind}.{CORES[threads]}")
        lanes = 1 if vectorised or threads is None else max(1, int(device.figure("vector").value) // ELEMENT_BITS[kind])
        time = per(peak) * count * num(lanes)
        total = total + time
        terms += [
            term(f"N_{kind}", count.likely, "op", "operations counted in the code", sizes),
            figure_term(f"P_{kind}", peak, device),
            term(
                f"t_{kind}", time.likely, "s", PAPER if lanes == 1 else f"{PAPER}: one of {lanes} lanes, no vectors",
                sizes, f"N_{kind}/P_{kind}" if lanes == 1 else f"{lanes} N_{kind}/P_{kind}",
            ),
        ]  # fmt: skip
    said = " + ".join(f"t_{kind}" for kind, _ in work.operations) or "0"
    terms.append(term("t_c", total.likely, "s", "compute", sizes, said))
    return total, terms


def _bound(compute: Range | None, memory: Range | None, transfer: Range | None) -> Bound | None:
    """The part that likely takes longest; None where a size is not known."""
    if compute is None or memory is None or transfer is None:
        return None
    found: list[tuple[float, Bound]] = [
        (memory.likely, "memory"), (compute.likely, "compute"), (transfer.likely, "transfer"),
    ]  # fmt: skip
    return max(found, key=lambda part: part[0])[1]


def per(figure: Figure) -> Quantity:
    """Seconds per operation or byte; the high rate makes the low time."""
    return between(1 / figure.high, 1 / figure.value, 1 / figure.low)


def figure_term(name: str, figure: Figure, device: Device) -> Term:
    return Term(name, figure.written, figure.value, figure.unit, f"{device.id}: {figure.kind}, {figure.source}")
