"""Times along a range of one size, `--size N=1e3..1e7`: a curve to look at. Break-even is solved, not read off it."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from models.prediction import Prediction
from models.quantity import Sizes
from models.values import number

POINTS = 13
Span = tuple[int, int]


class Times(Struct, frozen=True):
    """Likely seconds at each size. `fitting`: at so many of the sizes, the smallest ones, the data fits into the
    device; None where it always does."""

    device: str
    candidate: str
    seconds: tuple[float, ...]
    fitting: int | None = None


class Sweep(Struct, frozen=True):
    symbol: str
    values: tuple[int, ...]
    times: tuple[Times, ...]


def sweep(predictions: Iterable[Prediction], ranges: Mapping[str, Span], sizes: Sizes) -> Sweep | None:
    """The times along the one range that they depend on, at sizes with a constant ratio; None where there is none, or
    where another size is open."""
    found = list(predictions)
    open_ = frozenset[str]().union(*(p.symbols for p in found)) - set(sizes)
    if len(open_) != 1:
        return None
    (name,) = open_
    if name not in ranges:
        return None
    values = tuple(dict.fromkeys(_sizes_between(*ranges[name])))
    at = [{**sizes, name: n} for n in values]
    times = (Times(p.device, p.candidate, tuple(_at(p, here) for here in at), _fitting(p, at)) for p in found)
    return Sweep(name, values, tuple(times))


def _fitting(p: Prediction, at: Sequence[Sizes]) -> int | None:
    if p.room is None:
        return None
    needed, capacity = p.room.needed, p.room.capacity
    return next((k for k, sizes in enumerate(at) if number(needed, sizes) > capacity), None)


def _sizes_between(first: int, last: int) -> Iterable[int]:
    ratio = (last / first) ** (1 / (POINTS - 1))
    yield from (round(first * ratio**k) for k in range(POINTS - 1))
    yield last


def _at(p: Prediction, sizes: Sizes) -> float:
    try:
        return number(p.total.likely, sizes)
    except ZeroDivisionError:  # nothing to do at this size
        return 0.0
