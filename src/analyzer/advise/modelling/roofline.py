"""`--model roofline`: arithmetic and compulsory traffic against the roofs of host and target."""

from models.catalogue import Device
from models.prediction import Candidate
from models.roofline.predicting import predict_host, predict_target, work_of

from .seam import Answer, Subject, Threads


class Roofline:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.work = work_of(subject.workload)

    def host(self, *, threads: Threads, vectorised: bool, candidate: Candidate) -> Answer:
        s = self.subject
        return predict_host(
            self.work, s.context.host, threads=threads, vectorised=vectorised, candidate=candidate, sizes=s.sizes
        )

    def target(self, device: Device) -> Answer:
        return predict_target(self.work, device, sizes=self.subject.sizes)
