"""Side effects of a function before and in a loop, besides accesses to memory."""

from msgspec import Struct

from ..access.accesses import Calling, Departure, Division, Occurrence
from ..ir.nodes import Object


class History(Struct, frozen=True):
    """What the function does besides accesses to memory in the loop. `written`: objects it stores to before the loop
    is first reached; `assigned`: scalars it assigns anywhere; the rest is inside the loop."""

    written: frozenset[Object] = frozenset()
    assigned: frozenset[int] = frozenset()
    departures: tuple[Departure, ...] = ()
    scalars: tuple[Occurrence, ...] = ()
    calls: tuple[Calling, ...] = ()
    divisions: tuple[Division, ...] = ()
    supposed: tuple[Calling, ...] = ()
