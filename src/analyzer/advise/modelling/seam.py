"""What a model is asked, and what it answers: the one seam between advice and the models."""

from collections.abc import Callable, Mapping
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from models.catalogue import Device
from models.prediction import Candidate, Prediction, Refusal
from models.quantity import Range, Sizes
from models.workload import Workload

from ...facts.loop import LoopFacts
from ..context import Context

Answer: TypeAlias = Prediction | Refusal
Threads: TypeAlias = Literal["one", "all"]


class Subject(Struct, frozen=True):
    """One loop at given sizes. `nest`: the loop itself first; of a loop that is not parallel only the host is asked.
    `chosen_at`: the sizes at which a mapping to a device is chosen, where no size is to be known in the times."""

    workload: Workload
    nest: tuple[LoopFacts, ...]
    context: Context
    sizes: Sizes
    chosen_at: Sizes | None = None
    vectorised: bool = True
    """The compiler makes vectors of it without adding floats in another order."""
    reordered: bool = False
    """A `simd` pragma on the loop itself lets it add them in any order, and so makes vectors where it made none."""

    @property
    def reordered_by_all(self) -> bool:
        """Also where threads divide the loop: not all compilers make vectors of a thread's part of a sum
        (`clauses.vectors_of_clang`)."""
        return self.reordered and not self.nest[0].clauses.unlike_gcc_divided

    @property
    def vectorised_as_advised(self) -> bool:
        """With the pragma of the answer."""
        return self.vectorised or self.reordered_by_all


class Applied(Protocol):
    """A model applied to one subject. Neither method raises for what a device lacks: that is a Refusal."""

    def host(self, *, threads: Threads, vectorised: bool, candidate: Candidate) -> Answer:
        """The time where the data is: on the context's host, by one thread or all, with vectors or without. But for
        `host`, the loop has the pragma of the answer."""

    def target(self, device: Device) -> Answer:
        """The time on `device`, from data on the host to results on the host; `Context.resident`: without copies."""


class Copying(Struct, frozen=True):
    """How a model takes one copy between the host and a device: bytes/s, and seconds for each. `ends`: those of the
    range of its time, as parts of what is likely."""

    rate: float
    latency_s: float = 0.0
    ends: Range = Range(1.0, 1.0, 1.0)


class Model(Struct, frozen=True):
    """`apply` may raise IncompleteWorkloadError: the model cannot say anything of the loop. `reorders`: it also says
    what vectors would give where sums of floats need another order. `splits`: CPU and GPU together are a candidate.
    `copying`: a copy by itself, as placement counts it; MissingFigureError for a device without a link. `figures`: of a
    kind of device, those that its times rest on, the compute rates aside. `takes_accesses`: its times rest on the bytes
    of all accesses. `without_copies`: it has times for data that is on the device (`Context.resident`)."""

    name: str
    summary: str
    apply: Callable[[Subject], Applied]
    copying: Callable[[Device], Copying]
    figures: Mapping[str, tuple[str, ...]]
    reorders: bool = True
    splits: bool = False
    takes_accesses: bool = False
    without_copies: bool = False
