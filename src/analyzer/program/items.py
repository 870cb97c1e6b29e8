"""The program with all calls expanded: loops, steps of the host, repetitions, choices."""

from msgspec import Struct

from .memory import Key
from .times import Timed


class LoopTask(Struct, frozen=True):
    """A loop of one call. `memory`: the key of each of its arrays, in the order of `timed.arrays`; `varying`: of which
    of them it touches another section each time."""

    name: str
    timed: Timed
    memory: tuple[Key, ...]
    varying: tuple[bool, ...]
    calls: tuple[str, ...]


class HostStep(Struct, frozen=True):
    """Something that only the host can do: `reads`, `writes` with their bytes (None: all that is there), or everything.
    `text`: what it is, in words."""

    name: str
    text: str
    line: int
    path: str
    reads: dict[Key, int | None]
    writes: dict[Key, int | None]
    everything: bool = False


class Rounds(Struct, frozen=True):
    times: float
    body: "tuple[Item, ...]"


class Choice(Struct, frozen=True):
    weight: float
    then: "tuple[Item, ...]"
    otherwise: "tuple[Item, ...]"


Item = LoopTask | HostStep | Rounds | Choice
