"""The arithmetic of one prediction in words: written down only when somebody asks for it."""

from typing import TYPE_CHECKING

from msgspec import Struct, field

from ..catalogue import Device
from ..expr import to_text
from ..prediction import Term
from ..quantity import End, Sizes
from ..units import readable
from ..values import Tree, Value, formula, largest, number, symbols
from . import figures

if TYPE_CHECKING:
    from .amounts import Amounts


class Sheet(Struct):
    """The terms of the likely end in the order in which they were computed."""

    sizes: Sizes
    terms: list[Term] = field(default_factory=list)

    def note(self, name: str, written: str, value: Value, unit: str, source: str) -> None:
        """A step: `written` is its formula in the names of the steps before."""
        known = symbols(value) <= self.sizes.keys()
        amount = None if known else value
        self.terms.append(Term(name, written, number(value, self.sizes) if known else None, unit, source, amount))

    def count(self, name: str, value: Value, unit: str, source: str) -> None:
        """An amount: its formula is that of the loop's sizes."""
        written = to_text(formula(value)) if value.__class__ is Tree else readable(float(value), unit)  # type: ignore[arg-type]
        self.note(name, written, value, unit, source)

    def amounts(self, a: "Amounts") -> None:
        """What both kinds of devices start from."""
        self.count("w", a.units, "1", "work-units: of the class, or iterations that can run at once")
        for use in a.uses:
            said = f"bytes of {use.name} that are touched; {use.pace} for neighbouring work-units"
            self.count(f"F_{use.name}", use.footprint, "B", said)

    def figure(self, name: str, device: Device, key: str) -> None:
        """A figure of the device, with its range where it has one."""
        found = figures.figure(device, key)
        wide = found.low != found.high
        ends = f" ({readable(found.low, found.unit)} to {readable(found.high, found.unit)})" if wide else ""
        named = f"{device.id} {key}"
        source = f"{named}: {found.kind}, {found.source}{ends}"
        own = named if key in device.figures else None  # the source of an estimate stands nowhere else
        self.terms.append(Term(name, found.written, found.value, found.unit, source, figure=own))


class Parts(Struct, frozen=True):
    """Seconds of each part at one end. The time is the larger of compute and memory, and transfer and launch are
    added."""

    compute: Value
    memory: Value
    transfer: Value
    launch: Value

    @property
    def kernel(self) -> Value:
        return largest(self.compute, self.memory)

    @property
    def total(self) -> Value:
        return self.kernel + self.transfer + self.launch


def in_turn(kernels: tuple[Parts, ...], transfer: Value) -> Parts:
    """The parts of kernels that run one after the other: each takes the larger of its compute and memory, which is
    counted with the part that is the larger one in all of them together."""
    compute, memory, launch = (
        sum((getattr(each, name) for each in kernels), start=0.0) for name in ("compute", "memory", "launch")
    )
    together: Value = sum((each.kernel for each in kernels), start=0.0)
    known = not symbols(compute) and not symbols(memory)
    if known and number(compute, {}) > number(memory, {}):
        return Parts(together, memory, transfer, launch)
    return Parts(compute, together, transfer, launch)


class Terms(Struct, frozen=True):
    """The effects that the 2012 model leaves out; each can be switched off.

    launch        starting a kernel, or a team of threads
    occupancy     few work-units: lanes stand idle, and too few bytes are in flight to hide the memory's latency
    precision     each type of arithmetic at its own rate; otherwise all at that of the loop's type
    issue         loads and stores take the time of instructions
    sectors       memory moves whole sectors (GPU) or lines (CPU)
    atomics       updates of shared elements wait for each other
    caches        what a cache keeps is not read again, and not from memory; what it does not keep is
    link          copies have a latency, and memory of a plain C program is pageable"""

    launch: bool = True
    occupancy: bool = True
    precision: bool = True
    issue: bool = True
    sectors: bool = True
    atomics: bool = True
    caches: bool = True
    link: bool = True


EVERYTHING = Terms()
TERM_NAMES = Terms.__struct_fields__
__all__ = ["EVERYTHING", "TERM_NAMES", "End", "Parts", "Sheet", "Terms"]
