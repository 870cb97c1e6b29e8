"""`--model extended`: what a loop needs is worked out once, for all places.

On a GPU it is mapped as a competent porter would (`models.extended.mapped`), or with `--mapping naive` as written.
"""

from functools import cached_property, partial

from models import extended
from models.catalogue import Device, MissingFigureError, UnsupportedPrecisionError
from models.extended.mapped import Mapped, fastest
from models.prediction import Candidate

from ..breakeven import TYPICAL_SIZE
from ..mapped import Ways, ways
from .seam import Answer, Subject, Threads


class Extended:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        workload, sizes = subject.workload, subject.sizes
        prepared = extended.prepare(workload, sizes)
        here = subject.context
        self._host = partial(extended.predict_host, workload, here.host, sizes=sizes, prepared=prepared)
        self._target = partial(
            extended.predict_target, workload, sizes=sizes, prepared=prepared, resident=here.resident
        )
        self._by_one = here.compiled.reordering if subject.reordered else here.compiled
        self._by_all = here.compiled.reordering if subject.reordered_by_all else here.compiled

    def host(self, *, threads: Threads, vectorised: bool, candidate: Candidate) -> Answer:
        as_advised = self._by_all if threads == "all" else self._by_one
        compiled = self._subject.context.compiled if candidate == "host" else as_advised
        return self._host(threads=threads, vectorised=vectorised, candidate=candidate, compiled=compiled)

    def target(self, device: Device) -> Answer:
        mapped = self._mapped(device) if device.kind == "gpu" else None
        vectorised = self._subject.vectorised_as_advised
        return self._target(device, mapped=mapped, vectorised=vectorised, compiled=self._by_all)

    @cached_property
    def _ways(self) -> Ways:
        if self._subject.context.mapping == "naive":
            return ()
        return ways(self._subject.nest[0], self._subject.sizes)

    def _mapped(self, device: Device) -> Mapped | None:
        if not self._ways:
            return None
        s = self._subject
        try:
            return fastest(self._ways, device, s.sizes if s.chosen_at is None else s.chosen_at, TYPICAL_SIZE)
        except (MissingFigureError, UnsupportedPrecisionError):
            return None  # it is refused for the loop as it is, too
