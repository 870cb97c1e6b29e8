"""The extended model: the boat hull's question, answered with what its equations leave out.

Class and counts of a loop in, a time {low, likely, high} out, as from `models.boathull`, whose entry points these are.
`gpu` and `cpu` have the equations, `traffic` the bytes that memory moves, `figures` what devices are like, with the
rule for each figure that a device's file does not have. `sheet.Terms` names the effects; each can be switched off. With
all of them off, and counts instead of the class's c and u, the roofline remains.

The low end takes the best of every figure, and lets caches hold and accesses overlap as well as they can; the high end
takes the worst; the likely time has the likely figures, and is no mean. Nothing here is fitted to a measurement of a
program: every figure is of a device, and measured, published or estimated by a stated rule.

FPGAs have no effects here: the boat hull predicts them.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from msgspec.structs import replace

from .. import boathull
from ..catalogue import Device, MissingFigureError, UnsupportedPrecisionError
from ..prediction import Bound, Candidate, Prediction, Refusal, Room, Shares, Term
from ..quantity import ENDS, End, Range, Sizes
from ..values import Ends, Value, number, symbols
from ..workload import Workload
from . import cpu, gpu
from .amounts import Prepared, prepare
from .figures import figure
from .gpu import HostMemory
from .incore import Vectors
from .mapped import Mapped
from .sheet import EVERYTHING, TERM_NAMES, Parts, Sheet, Terms, in_turn

__all__ = [
    "EVERYTHING", "MODEL", "TERM_NAMES", "HostMemory", "Mapped", "Prepared", "Terms", "Vectors",
    "predict_host", "predict_target", "prepare",
]  # fmt: skip

MODEL = "extended"
AS_COMPILED = Vectors()
MATTERS = 0.1
"""An effect that changes the likely time by less than a tenth is not worth a word."""

Equations = Callable[[End, Terms, Sheet | None], Parts]


def predict_target(
    workload: Workload,
    device: Device,
    *,
    sizes: Sizes | None = None,
    terms: Terms = EVERYTHING,
    memory: HostMemory = "pageable",
    resident: bool = False,
    prepared: Prepared | None = None,
    mapped: Mapped | None = None,
    vectorised: bool = True,
    compiled: Vectors = AS_COMPILED,
) -> Prediction | Refusal:
    """Time of `workload` on `device`, from data on the host to results on the host.

    `memory`: how the host's memory is allocated; that of a plain C program is pageable. `resident`: the data is on the
    device and stays there. `prepared`: the workload's amounts, where they are known already. `mapped`: the kernels that
    do the work on a GPU (default: one, of the loop as its class says). `vectorised`, `compiled`: as of `predict_host`,
    for a CPU. Refused with `no-device-figure`,
    `unsupported-precision` or `exceeds-memory`. IncompleteWorkloadError as of `prepare`.

    Example: `predict_target(from_class("262144|element → 1|shared", 1), find_device("gtx470"), resident=True)` takes
    some 27 us, most of it for starting two kernels."""
    known = sizes or {}
    if device.kind == "fpga":
        return boathull.predict_target(workload, device, sizes=sizes, transfer="none" if resident else "sections")
    try:
        amounts = prepared or prepare(workload, known)
        if device.kind == "cpu":
            run = partial(_on_cpu, workload, device, amounts, "all_cores", vectorised, compiled)
        else:
            refusal = _too_large(amounts, device)
            if refusal is not None:
                return refusal
            moved = None if resident else memory
            run = partial(_on_gpu, workload, device, amounts, moved)
            if mapped is not None:
                run = partial(_in_kernels, mapped, device, amounts, moved)
        found = _predict(workload, device, "target", run, known, terms)
        if device.kind == "cpu":
            return found
        room = Room(amounts["likely"].footprint, figure(device, "memory.capacity").value)
        return replace(found, mapping=None if mapped is None else mapped.text, room=room)
    except (MissingFigureError, UnsupportedPrecisionError) as error:
        return boathull.refusal(device, error)


def predict_host(
    workload: Workload,
    device: Device,
    *,
    threads: boathull.Threads = "one",
    vectorised: bool = True,
    candidate: Candidate | None = None,
    sizes: Sizes | None = None,
    terms: Terms = EVERYTHING,
    prepared: Prepared | None = None,
    compiled: Vectors = AS_COMPILED,
) -> Prediction | Refusal:
    """Time of `workload` where its data is: on a CPU, by one thread or all, with vectors or without.

    `candidate`: what the prediction is called (by default host, or host-threads); `compiled`: the vectors that the
    compiler makes. Refused like `predict_target`."""
    known = sizes or {}
    cores: cpu.Cores = "all_cores" if threads == "all" else "one_core"
    try:
        if device.kind != "cpu":
            raise MissingFigureError(device.id, f"memory.{cores}")
        name = candidate or ("host-threads" if threads == "all" else "host")
        run = partial(_on_cpu, workload, device, prepared or prepare(workload, known), cores, vectorised, compiled)
        return _predict(workload, device, name, run, known, terms)
    except (MissingFigureError, UnsupportedPrecisionError) as error:
        return boathull.refusal(device, error)


def _on_gpu(
    workload: Workload, device: Device, amounts: Prepared, memory: HostMemory | None,
    end: End, on: Terms, sheet: Sheet | None,
) -> Parts:  # fmt: skip
    return gpu.parts(workload, device, amounts[end], end, on, memory, sheet)


def _in_kernels(
    mapped: Mapped, device: Device, amounts: Prepared, memory: HostMemory | None,
    end: End, on: Terms, sheet: Sheet | None,
) -> Parts:  # fmt: skip
    kernels = tuple(gpu.parts(k.workload, device, k.amounts[end], end, on, None, sheet) for k in mapped.kernels)
    moved = gpu.transfer(device, amounts[end], end, on, memory, sheet)
    if len(kernels) == 1:
        return replace(kernels[0], transfer=moved)
    return in_turn(kernels, moved)


def _on_cpu(
    workload: Workload, device: Device, amounts: Prepared, cores: cpu.Cores, vectorised: bool, vectors: Vectors,
    end: End, on: Terms, sheet: Sheet | None,
) -> Parts:  # fmt: skip
    return cpu.parts(workload, device, amounts[end], end, on, cores, vectorised, vectors, sheet)


# --- from equations to a prediction


def _predict(
    workload: Workload, device: Device, candidate: Candidate, run: Equations, sizes: Sizes, on: Terms
) -> Prediction:
    ends = {end: run(end, on, None) for end in ENDS}
    total = Ends(*(ends[end].total for end in ENDS))
    known = not any(symbols(part) for part in (total.low, total.likely, total.high))
    shares: Mapping[Bound, Range] = _shares(ends) if known else {}
    return Prediction(
        device=device.id,
        model=MODEL,
        candidate=candidate,
        time=_range(ends, lambda parts: parts.total) if known else None,
        compute=shares.get("compute"),
        memory=shares.get("memory"),
        transfer=shares.get("transfer"),
        launch=shares.get("launch"),
        bound=_longest(shares) if known else None,
        total=total,
        moving=Ends(*(ends[end].transfer for end in ENDS)),
        arithmetic=partial(_arithmetic, run, sizes, on),
        assumptions=workload.assumptions,
        weighing=partial(_effects, run, on, ends["likely"]) if known else None,
        shares=Shares(*(Ends(*(getattr(ends[end], name) for end in ENDS)) for name in Parts.__struct_fields__)),
    )


def _shares(ends: Mapping[End, Parts]) -> dict[Bound, Range]:
    return {
        "memory": _range(ends, lambda parts: parts.memory),
        "compute": _range(ends, lambda parts: parts.compute),
        "transfer": _range(ends, lambda parts: parts.transfer),
        "launch": _range(ends, lambda parts: parts.launch),
    }


def _longest(shares: Mapping[Bound, Range]) -> Bound:
    return max(shares, key=lambda name: shares[name].likely)


def _range(ends: Mapping[End, Parts], part: Callable[[Parts], Value]) -> Range:
    """Of numbers, in order: where effects work against each other the worst figures need not give the longest time."""
    low, likely, high = (cast("float", part(ends[end])) for end in ENDS)
    return Range(min(low, likely), likely, max(likely, high))


def _arithmetic(run: Equations, sizes: Sizes, on: Terms) -> tuple[Term, ...]:
    sheet = Sheet(sizes)
    run("likely", on, sheet)
    return tuple(sheet.terms)


def _effects(run: Equations, on: Terms, likely: Parts) -> tuple[tuple[str, float], ...]:
    whole = number(likely.total, {})
    found = []
    for name in TERM_NAMES:
        if not getattr(on, name) or whole <= 0:
            continue
        rest = run("likely", replace(on, **{name: False}), None).total
        if symbols(rest):
            continue  # how often a branch is taken, of which what a core does has no trace
        without = number(rest, {})
        if abs(whole - without) >= MATTERS * whole:
            found.append((name, 1 - without / whole if without < whole else whole / without - 1))
    return tuple(sorted(found, key=lambda item: -abs(item[1])))


def _too_large(amounts: Prepared, device: Device) -> Refusal | None:
    needed = amounts["likely"].footprint
    if symbols(needed):
        return None
    capacity = figure(device, "memory.capacity")
    if number(needed, {}) <= capacity.value:
        return None
    message = f"{number(needed, {}):.4g} B of data do not fit in {capacity.written}"
    return Refusal(device.id, "exceeds-memory", message)
