"""`--model extended`: what a loop needs is worked out once, for all places."""

from functools import partial

from models import extended
from models.catalogue import Device
from models.prediction import Candidate

from .seam import Answer, Subject, Threads


class Extended:
    def __init__(self, subject: Subject) -> None:
        workload, sizes = subject.workload, subject.sizes
        prepared = extended.prepare(workload, sizes)
        self._host = partial(extended.predict_host, workload, subject.context.host, sizes=sizes, prepared=prepared)
        resident = subject.context.resident
        self._target = partial(extended.predict_target, workload, sizes=sizes, prepared=prepared, resident=resident)

    def host(self, *, threads: Threads, vectorised: bool, candidate: Candidate) -> Answer:
        return self._host(threads=threads, vectorised=vectorised, candidate=candidate)

    def target(self, device: Device) -> Answer:
        return self._target(device)
