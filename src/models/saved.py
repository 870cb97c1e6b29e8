"""Loops of a saved analysis (`analyze -f json`): their flops, bytes and network bytes, as numbers.

Counts of one loop are for one entry of it; here they are multiplied by its executions, so that a nest's own statements
are what remains of it without its inner loops. Two definitions of the bytes N_b:

    compulsory       every element read once and every element written once: the footprints
    per-iteration    every reference once in each iteration, whether read, written or both (as the PerDome paper
                     counts its SA kernel); only where each array of a loop is referenced in one place
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from .errors import InputError, reason
from .perdome.pieces import Piece

Definition: TypeAlias = Literal["compulsory", "per-iteration"]
DEFINITIONS: tuple[Definition, ...] = ("compulsory", "per-iteration")


class Array(Struct, frozen=True):
    """`compulsory`: bytes read plus bytes written over the whole loop; None where not known."""

    name: str
    element_bytes: float
    access: str
    compulsory: float | None


class Loop(Struct, frozen=True):
    """One loop with the totals over all its executions; None where a count is not known.

    `iterations`: of this loop itself, not of those inside."""

    id: str
    parent: str | None
    flops_fp32: float | None
    flops_fp64: float | None
    loads: float | None
    stores: float | None
    iterations: float | None
    network_bytes: float | None
    arrays: tuple[Array, ...]

    @property
    def flops(self) -> float:
        """InputError where the loop's flops are not known."""
        if self.flops_fp32 is None or self.flops_fp64 is None:
            raise InputError(f"{self.id}: its flops are not known; give sizes to `analyze --size`")
        return self.flops_fp32 + self.flops_fp64

    @property
    def element_type(self) -> Literal["fp32", "fp64"]:
        """The widest that it computes with."""
        return "fp64" if self.flops_fp64 else "fp32"


class Analysis(Struct, frozen=True):
    """The loops of a saved analysis by id, in its order."""

    loops: Mapping[str, Loop]

    def loop(self, name: str) -> Loop:
        """By id, or by the end of one, such as `17:5`; InputError offers the ids there are."""
        found = [loop for known, loop in self.loops.items() if known == name or known.endswith(f":{name}")]
        if len(found) != 1:
            raise InputError(f"{len(found) or 'no'} loops are {name!r}; there are {', '.join(self.loops) or 'none'}")
        return found[0]

    def outermost(self) -> tuple[Loop, ...]:
        return tuple(loop for loop in self.loops.values() if loop.parent is None)

    def around(self, loop: Loop) -> tuple[Loop, ...]:
        """The loops that it lies in."""
        outer = self.loops.get(loop.parent or "")
        return () if outer is None else (outer, *self.around(outer))

    def inside(self, loop: Loop) -> tuple[Loop, ...]:
        """The loops directly inside."""
        return tuple(inner for inner in self.loops.values() if inner.parent == loop.id)

    def traffic(self, loop: Loop, definition: Definition) -> float:
        """N_b in bytes; InputError where it is not known."""
        if definition == "compulsory":
            return _compulsory(loop.id, loop.arrays)
        return self._own_traffic(loop) + sum(self.traffic(inner, definition) for inner in self.inside(loop))

    def pieces(self, loop: Loop, definition: Definition) -> tuple[Piece, ...]:
        """The loops directly inside and, where there are any, the loop's own statements, as pieces of code.

        InputError where pieces share an array: what each then has to move is not known."""
        inner = self.inside(loop)
        own = _own_arrays(loop, inner)
        shared = _shared(inner)
        if shared:
            raise InputError(
                f"{loop.id}: its pieces share {', '.join(sorted(shared))}; their traffic cannot be told apart"
            )
        pieces = []
        for part in inner:
            names = {array.name for array in part.arrays}
            within = [array for array in loop.arrays if array.name in names]
            compulsory = definition == "compulsory"
            traffic = _compulsory(part.id, within) if compulsory else self.traffic(part, definition)
            pieces.append(Piece(part.id, part.flops, traffic))
        flops = loop.flops - sum(part.flops for part in inner)
        if flops or own:
            traffic = _compulsory(loop.id, own) if definition == "compulsory" else self._own_traffic(loop)
            pieces.append(Piece(f"{loop.id} (own statements)", flops, traffic))
        return tuple(pieces)

    def _own_traffic(self, loop: Loop) -> float:
        """Bytes per iteration of a loop's own statements, times its iterations. Loads and stores must be what one
        reference to each array makes; otherwise some array has several, and how many of them differ is not known."""
        inner = self.inside(loop)
        own = _own_arrays(loop, inner)
        counted = (loop, *inner)
        if any(part.loads is None or part.stores is None for part in counted) or loop.iterations is None:
            raise InputError(f"{loop.id}: its loads, stores or iterations are not known")
        loads, stores = (
            (getattr(loop, name) - sum(getattr(part, name) for part in inner)) / (loop.iterations or 1)
            for name in ("loads", "stores")
        )
        expected = sum("r" in array.access for array in own), sum("w" in array.access for array in own)
        if (loads, stores) != expected:
            raise InputError(
                f"{loop.id}: {loads:g} loads and {stores:g} stores in an iteration are not one reference to each of "
                f"{len(own)} arrays; bytes per iteration cannot be told"
            )
        return loop.iterations * sum(array.element_bytes for array in own)


def read_analysis(path: Path) -> Analysis:
    """The loops of a JSON file; InputError for files that are none of `analyze`, version 1."""
    import json

    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema_version"] != "1":
            raise InputError(f"{path}: schema version {document['schema_version']}; this reads version 1")
        loops = [_loop(entry) for file in document["files"] for entry in file["loops"]]
    except OSError as error:
        raise InputError(f"{path}: {reason(error)}") from error
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is no analysis that `analyze -f json` has written ({error!r})") from error
    return Analysis({loop.id: loop for loop in loops})


def _loop(entry: Mapping[str, Any]) -> Loop:
    counts, times = entry["counts"], _value(entry["executions"])
    total = {name: _times(_value(counts[name]), times) for name in counts}
    return Loop(
        id=entry["id"],
        parent=entry["parent"],
        flops_fp32=total["flops_fp32"],
        flops_fp64=total["flops_fp64"],
        loads=total["loads"],
        stores=total["stores"],
        iterations=_times(_value(entry["trip_count"]), times),
        network_bytes=total["network_bytes"],
        arrays=tuple(_array(array, times) for array in entry["arrays"]),
    )


def _array(array: Mapping[str, Any], times: float | None) -> Array:
    read, written = (_value(array[f"{kind}_footprint_bytes"]) for kind in ("read", "write"))
    both = None if read is None or written is None else read + written
    return Array(array["name"], array["element_bytes"], array["access"], _times(both, times))


def _value(count: Mapping[str, Any] | None) -> float | None:
    """Integers beyond 2^53 are decimal strings."""
    return None if count is None or count["value"] is None else float(count["value"])


def _times(value: float | None, times: float | None) -> float | None:
    return None if value is None or times is None else value * times


def _compulsory(name: str, arrays: Iterable[Array]) -> float:
    total = 0.0
    for array in arrays:
        if array.compulsory is None:
            raise InputError(f"{name}: the bytes of {array.name} are not known; give sizes to `analyze --size`")
        total += array.compulsory
    return total


def _own_arrays(loop: Loop, inner: Iterable[Loop]) -> tuple[Array, ...]:
    """Arrays that only the loop's own statements use."""
    names = {array.name for part in inner for array in part.arrays}
    return tuple(array for array in loop.arrays if array.name not in names)


def _shared(parts: Iterable[Loop]) -> set[str]:
    seen: set[str] = set()
    twice: set[str] = set()
    for part in parts:
        names = {array.name for array in part.arrays}
        twice |= seen & names
        seen |= names
    return twice
