"""A profile put to use on one file: its facts, the sizes that it gives away, and what it counted of each loop."""

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..facts.loop import FileFacts
from ..ir.formula_names import mean_trip
from . import counted
from .applied import sizes, with_profile
from .counted import LoopCount
from .model import Profile
from .stale import refuse_stale


class Used(Struct, frozen=True):
    """`sizes`: by function; `loops`: by id."""

    facts: FileFacts
    sizes: dict[str, dict[str, int]]
    loops: dict[str, LoopCount]


def used(profile: Profile, file: FileFacts, on_disk: Path) -> Used:
    """The file with what the profile says of it. InputError where the profile is of another state of the source."""
    counts = profile.of(file.path)
    text, place = file.source_text, str(on_disk)
    if not text and counts is not None:  # a header
        place = counts.path
        try:
            text = Path(place).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return Used(file, {}, {})
    names = {f.function.name: f.function.place.line for f in file.functions}
    refuse_stale(profile, file.path, place, text, names)
    if counts is None:
        return Used(file, {}, {})
    loops: dict[str, LoopCount] = {}
    weights: dict[int, float] = {}
    for function in file.functions:
        loops |= counted.loops(function, counts)
        weights |= counted.weights(function, counts)
    functions = tuple(with_profile(function, loops, weights) for function in file.functions)
    given = {function.function.name: sizes(function, loops) for function in file.functions}
    known = {mean_trip(count.line) for count in loops.values()}
    symbols = tuple(symbol for symbol in file.symbols if symbol.name not in known)
    return Used(replace(file, functions=functions, symbols=symbols), given, loops)
