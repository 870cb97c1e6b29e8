"""`--model pmac`: the memory time of the loop's idioms, wherever their bandwidth is known."""

from models.catalogue import Device
from models.pmac.loops import predict_loop
from models.prediction import Candidate

from .seam import Answer, Subject, Threads


class Pmac:
    """Computation is not in it, and so whether it can be done with vectors does not matter."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def host(self, *, threads: Threads, vectorised: bool, candidate: Candidate) -> Answer:
        s = self.subject
        return predict_loop(s.workload, s.context.host, threads=threads, candidate=candidate, sizes=s.sizes)

    def target(self, device: Device) -> Answer:
        return predict_loop(self.subject.workload, device, sizes=self.subject.sizes)
