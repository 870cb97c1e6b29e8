"""`--model boat-hull`: the paper's equations, with all data of the class copied."""

from models import boathull
from models.catalogue import Device
from models.parameters import on_cpu
from models.prediction import Candidate
from models.variables import Transfer, gpu_variables

from .seam import Answer, Subject, Threads


class BoatHull:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.gpu = gpu_variables(subject.workload)
        self.cpu = on_cpu(self.gpu)

    def host(self, *, threads: Threads, vectorised: bool, candidate: Candidate) -> Answer:
        s = self.subject
        return boathull.predict_host(
            s.workload, s.context.host,
            threads=threads, vectorised=vectorised, candidate=candidate, sizes=s.sizes, variables=self.cpu,
        )  # fmt: skip

    def target(self, device: Device) -> Answer:
        variables = self.cpu if device.kind == "cpu" else self.gpu
        s = self.subject
        moved: Transfer = "none" if s.context.resident else "class"
        return boathull.predict_target(s.workload, device, sizes=s.sizes, variables=variables, transfer=moved)
