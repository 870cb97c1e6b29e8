"""The PMaC prediction of one block on one device, with the arithmetic that led to it."""

from ..prediction import Candidate, Prediction, Refusal, Term
from ..quantity import NOTHING, Range, between
from .blocks import Block, NoCurveError, block_time, find_curve, transfer_time
from .curves import Access, Curves, SizeError

MODEL = "pmac"
_PAPER = "PMaC paper, equation 1"


def predict_block(
    block: Block, device: str, curves: Curves, *, transfers: bool = False, candidate: Candidate = "target"
) -> Prediction | Refusal:
    """Time of `block` on `device` from its bandwidth curves: memory time, and copies where `transfers` are asked for.

    Refused with `no-device-figure` where a curve is missing or does not reach to the data size. Not handled: size
    symbols (a footprint is a number of bytes here), computation, launch latency.

    Example: `predict_block(Block("a.c:3", (References("stream", 1e9, 8, 8e6),)), "convey-hc1", printed_curves())` takes
    0.151 s."""
    try:
        memory = block_time(block, device, curves)
        transfer = transfer_time(block, device, curves) if transfers else Range(0.0, 0.0, 0.0)
        terms = _terms(block, device, curves, transfers=transfers)
    except (NoCurveError, SizeError) as error:
        return Refusal(device, "no-device-figure", str(error))
    total = Range(memory.low + transfer.low, memory.likely + transfer.likely, memory.high + transfer.high)
    nothing = NOTHING.at({})
    return Prediction(
        device=device,
        model=MODEL,
        candidate=candidate,
        time=total,
        compute=nothing,
        memory=memory,
        transfer=transfer,
        launch=nothing,
        bound="transfer" if transfer.likely > memory.likely else "memory",
        total=between(total.low, total.likely, total.high),
        arithmetic=terms,
        assumptions=() if transfers else ("no transfers, as in the paper's projections",),
    )


def _terms(block: Block, device: str, curves: Curves, *, transfers: bool) -> tuple[Term, ...]:
    terms: list[Term] = []
    for r in block.references:
        moved = r.count * r.size_bytes
        if moved > 0:
            terms.append(Term("moved", f"{r.count:g}*{r.size_bytes:g} B", moved, "B", f"references of {r.idiom}"))
            terms += _curve_terms(r.idiom, device, curves, moved, r.footprint_bytes)
    if transfers and block.transfer_bytes > 0:
        terms += _curve_terms("transfer", device, curves, block.transfer_bytes, block.transfer_bytes)
    return tuple(terms)


def _curve_terms(
    idiom: Access, device: str, curves: Curves, moved_bytes: float, footprint_bytes: float
) -> tuple[Term, ...]:
    curve = find_curve(curves, device, idiom)
    piece, rate = curve.piece(footprint_bytes), curve.bandwidth(footprint_bytes)
    formula = f"{piece.slope:.6g}*ln({footprint_bytes:.12g}) + {piece.intercept:.6g}" if piece.slope else f"{rate:.6g}"
    source = f"{device}: {curve.kind}, {curve.source}"
    return (
        Term(f"B_{idiom}", formula, rate, "B/s", source),
        Term(f"t_{idiom}", f"moved/B_{idiom}", moved_bytes / rate, "s", _PAPER),
    )
