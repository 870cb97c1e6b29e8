"""`--model perdome`: operations and bytes of the loop on CPU and GPU, alone and divided.

The candidate `split` divides the iterations (p-DP). Where the loop's nest has several pieces that share no array, the
best division of its code (CP) stands beside the other bounds in `--why`; whether one piece needs what another makes is
not asked there: then it is the bound of a pipeline over many data sets, as in the paper.
"""

from functools import partial

from msgspec.structs import replace

from models.catalogue import Device
from models.expr import known_value
from models.perdome.pieces import Piece
from models.perdome.predicting import MODEL, bound_terms, kernel_of
from models.prediction import Candidate, Prediction, Term
from models.roofline.predicting import Work, predict_host, predict_target
from models.variables import IncompleteWorkloadError

from ...facts.loop import LoopFacts
from ..likely import expr_of
from ..workloads import workload_of
from .seam import Answer, Subject, Threads

BY_REFERENCES = ("references", "perdome")
"""Ways of counting whose loads and stores are the bytes N_b."""


class PerDome:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.references = subject.context.count_as in BY_REFERENCES
        self.work = kernel_of(subject.workload, references=self.references)

    def host(self, *, threads: Threads, vectorised: bool, candidate: Candidate) -> Answer:
        s = self.subject
        return predict_host(
            self.work, s.context.host,
            threads=threads, vectorised=vectorised, candidate=candidate, sizes=s.sizes, model=MODEL,
        )  # fmt: skip

    def target(self, device: Device) -> Answer:
        found = predict_target(self.work, device, sizes=self.subject.sizes, model=MODEL)
        if not isinstance(found, Prediction) or device.kind == "cpu":
            return found
        return replace(found, arithmetic=partial(self._arithmetic, found.terms, device))

    def _arithmetic(self, alone: tuple[Term, ...], device: Device) -> tuple[Term, ...]:
        """The device alone, and the bounds of both together."""
        s = self.subject
        pieces = _pieces(s, self.work, references=self.references)
        return (*alone, *bound_terms(self.work, s.context.host, device, s.workload.element_type, s.sizes, pieces))


def _pieces(s: Subject, whole: Work, *, references: bool) -> tuple[Piece, ...]:
    """The loops directly inside and the loop's own statements, for one entry of the loop; none where two of them use an
    array (what each then has to move is not known), or where a size is not known."""
    loop = s.nest[0]
    inner = [each for each in s.nest if each.parent == loop.id]
    names = [array.name for each in inner for array in each.arrays]
    totals = [known_value(q.likely, s.sizes) for q in (whole.operations[0][1], whole.traffic)]
    found = [_piece(each, s, references=references) for each in inner]
    pieces = [piece for piece in found if piece is not None]
    if not inner or len(names) != len(set(names)) or len(pieces) < len(found) or None in totals:
        return ()
    operations, traffic = (total or 0.0 for total in totals)
    rest = operations - sum(piece.flops for piece in pieces), traffic - sum(piece.bytes for piece in pieces)
    if rest[0] > 0 or rest[1] > 0:
        pieces.append(Piece("its own statements", max(0.0, rest[0]), max(0.0, rest[1])))
    return tuple(pieces)


def _piece(loop: LoopFacts, s: Subject, *, references: bool) -> Piece | None:
    """A loop inside. Its compulsory bytes are those that the loop around touches of its arrays."""
    inside = workload_of(loop, tuple(each for each in s.nest if each.id in loop.nest))
    times = [known_value(expr_of(each.counts.executions), s.sizes) for each in (loop, s.nest[0])]
    if inside is None or not times[0] or not times[1]:
        return None
    try:
        work = kernel_of(inside, references=references)
    except IncompleteWorkloadError:
        return None
    entries = times[0] / times[1]
    flops, traffic = (known_value(q.likely, s.sizes) for q in (work.operations[0][1], work.traffic))
    if flops is None or traffic is None:
        return None
    if not references:
        names = {array.name for array in loop.arrays}
        mine = replace(s.workload, arrays=tuple(array for array in s.workload.arrays if array.name in names))
        traffic = (known_value(mine.footprint, s.sizes) or 0.0) / entries
    return Piece(f"line {loop.place.line}", flops * entries, traffic * entries)
