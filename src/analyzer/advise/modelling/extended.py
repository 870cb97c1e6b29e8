"""`--model extended`: what a loop needs is worked out once, for all places.

On a GPU it is mapped as a competent porter would (`models.extended.mapped`), or with `--mapping naive` as written.
"""

from collections.abc import Iterator
from functools import cached_property, partial

from msgspec.structs import replace

from models import extended
from models.catalogue import Device, MissingFigureError, UnsupportedPrecisionError
from models.extended.mapped import Mapped, fastest
from models.prediction import AsWritten, Candidate, Prediction, Refusal

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
        found = self._on(device, mapped)
        if mapped is None or isinstance(found, Refusal) or found.time is None:
            return found
        return replace(found, as_written=tuple(self._as_written(device)))

    def _as_written(self, device: Device) -> Iterator[AsWritten]:
        """The times of what directives say without any other change of the code."""
        one_kernel = (form for way in self._ways if len(way) == 1 for form in way[0])
        for form, threads in ((form, form.outermost) for form in one_kernel):
            if threads is not None:
                found = self._on(device, Mapped((form,)))
                if isinstance(found, Prediction) and found.time is not None:
                    yield AsWritten(threads, found.time)

    def _on(self, device: Device, mapped: Mapped | None) -> Answer:
        return self._target(
            device, mapped=mapped, vectorised=self._subject.vectorised_as_advised, compiled=self._by_all
        )

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
