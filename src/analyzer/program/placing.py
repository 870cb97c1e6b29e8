"""The expanded program in the terms of `models.placement`: arrays with their bytes, tasks with what they touch.

*Decides*: all memory that may be the same is one array; its bytes are those of the regions in it, or the most that any
loop touches. A loop writes the whole of an array only where the array is one region, and as many bytes are certainly
written. Everything else is a write of a part, which needs the old contents.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Literal

from models.catalogue import Device
from models.placement import Array, Branch, Node, Place, Program, Repeat, Task, Use

from ..advise import MODELS
from ..advise.modelling import Copying
from .expansion import Expanded
from .items import Choice, HostStep, Item, LoopTask, Rounds
from .memory import Key, is_member
from .outline import declared_at

NEARLY_ALL = 0.99
"""Of an array: a write of so much of it counts as one of the whole where nothing else of it is ever touched."""


FREE = Copying(math.inf)
"""Of data that is where it is needed."""


def places(
    host: Device, accelerators: Iterable[Device], model: str, resident: bool = False
) -> tuple[Place, ...]:
    """The host and the accelerators with their links, as `model` takes copies; `resident`: none is needed.
    MissingFigureError for a device without a link."""
    found = [Place(host.id)]
    for device in accelerators:
        copy = FREE if resident else MODELS[model].copying(device)
        capacity = device.figures.get("memory.capacity")
        most = None if capacity is None else capacity.value
        found.append(Place(device.id, copy.rate, copy.rate, copy.latency_s, most))
    return tuple(found)


def program(
    items: tuple[Item, ...], found: Expanded, here: tuple[Place, ...], *, ends: bool
) -> tuple[Program, frozenset[str]]:
    """The program to be placed, and the names of the arrays that are global. `ends`: nothing of it is read afterwards
    but what it wrote to files (it is main)."""
    builder = _Builder(items, found, here, ends)
    return builder.program(), frozenset(builder.globals_)


class _Builder:
    def __init__(self, items: tuple[Item, ...], found: Expanded, here: tuple[Place, ...], ends: bool) -> None:
        self.items, self.found, self.places, self.ends = items, found, here, ends
        found.memory.settle()
        self.members = found.memory.classes()
        self.arrays: dict[Key, Array] = {}
        self.globals_: set[str] = set()

    def program(self) -> Program:
        touched = self._touched()
        names: set[str] = set()
        for root, most in touched.items():
            array = self._array(root, most)
            name, k = array.name, 2
            while name in names:
                name, k = f"{array.name} ({k})", k + 1
            names.add(name)
            if any(key[1][0] in ("global", "static", "pointed") for key in self.members.get(root, ())):
                self.globals_.add(name)
            for call in (self.found.returned.get(key) for key in self.members.get(root, ())):
                if call is not None:
                    self.found.assumptions[f"what {call}() returns is an array of its own"] = None
            self.arrays[root] = Array(name, array.bytes, array.at_start, array.at_end)
        return Program(tuple(self.arrays.values()), tuple(self._nodes(self.items)))

    # --- arrays

    def _touched(self) -> dict[Key, float]:
        """The most that a loop touches at once of each array that any loop uses."""
        found: dict[Key, float] = {}
        for item in flat(self.items):
            if isinstance(item, LoopTask):
                for array, key in zip(item.timed.arrays, item.memory, strict=True):
                    root = self.found.memory.find(key)
                    found[root] = max(found.get(root, 0.0), array.touched or 0.0)
        return {root: size for root, size in found.items() if root[1] != ("text",)}

    def _regions(self, root: Key) -> list[Key]:
        return [key for key in self.members.get(root, ()) if key in self.found.regions]

    def _array(self, root: Key, most: float) -> Array:
        members = self.members.get(root, [root])
        regions = self._regions(root)
        sizes = [self.found.sizes.get(key) for key in regions]
        known = [size for size in sizes if size is not None]
        total = sum(known) if known and len(known) == len(sizes) else most * max(1, len(regions))
        kinds = {str(key[1][0]) for key in members}
        outside = bool(kinds & {"global", "static"} or self.found.outside & set(members))
        outside = outside or (not regions and bool(kinds & {"pointed", "parameter", "unknown", "result"}))
        empty = bool(regions) and not outside and all(self.found.regions[key].empty for key in regions)
        at_start: Literal["host", "nowhere"] = "nowhere" if empty else "host"
        return Array(self._name(root, members), max(total, most), at_start, outside and not self.ends)

    def _name(self, root: Key, members: list[Key]) -> str:
        """`u`, or all the names that the code of the outermost function has for it: `now/next`."""
        labelled = [(key[0], label) for key in sorted(members, key=_outermost) if (label := self._label(key))]
        if not labelled:
            return str(root[1][0])
        frame = labelled[0][0]
        return "/".join(dict.fromkeys(label for f, label in labelled if f == frame))

    def _label(self, key: Key) -> str | None:
        """What the code calls it; a member by the name of what it is a member of."""
        frame, pointer = key
        if key in self.found.labels or not is_member(pointer):
            return self.found.labels.get(key)
        base = self._label((frame, pointer[:-1]))
        return None if base is None else f"{base}{pointer[-1] or '[]'}"

    # --- tasks

    def _nodes(self, items: tuple[Item, ...]) -> Iterator[Node]:
        for item in items:
            match item:
                case LoopTask():
                    yield self._task(item)
                case HostStep():
                    uses = tuple(self._host_uses(item))
                    if uses:
                        yield Task(item.name, (0.0, *(None,) * (len(self.places) - 1)), uses)
                case Rounds(times=times, body=body):
                    yield Repeat(times, tuple(self._nodes(body)))
                case Choice(weight=weight, then=then, otherwise=otherwise):
                    yield Branch(weight, tuple(self._nodes(then)), tuple(self._nodes(otherwise)))

    def _task(self, item: LoopTask) -> Task:
        """A loop elsewhere that leaves a scalar, as a sum does, pays for the start of one more copy."""
        timed, answer = item.timed, item.timed.facts.parallelism
        leaves = bool(answer.last_private) or any(not r.array for r in answer.reductions)
        device_s: list[float | None] = [None] * (len(self.places) - 1)
        if timed.is_movable:
            extra = [place.latency_s if leaves else 0.0 for place in self.places[1:]]
            device_s = [None if t is None else t + e for t, e in zip(timed.device_s, extra, strict=True)]
        host_s = timed.host_s or 0.0
        return Task(
            name=item.name,
            times_s=(host_s, *device_s),
            uses=self._uses(item),
            today_s=timed.today_s or 0.0,
            alone_s=(host_s, *(timed.alone_s if timed.is_movable else device_s)),
        )

    def _uses(self, item: LoopTask) -> tuple[Use, ...]:
        reads: dict[Key, float] = {}
        writes: dict[Key, Literal["no", "part", "whole"]] = {}
        for array, key, varies in zip(item.timed.arrays, item.memory, item.varying, strict=True):
            root = self.found.memory.find(key)
            if root not in self.arrays:
                continue
            size = self.arrays[root].bytes
            needed = size if array.reads is None or (varies and array.reads > 0) else array.reads
            reads[root] = min(size, reads.get(root, 0.0) + needed)
            if array.is_written:
                whole = array.writes is not None and array.writes >= NEARLY_ALL * size and len(self._regions(root)) <= 1
                writes[root] = "whole" if whole and writes.get(root, "whole") == "whole" else "part"
        return tuple(Use(self.arrays[root].name, n, writes.get(root, "no")) for root, n in reads.items())

    def _host_uses(self, item: HostStep) -> Iterator[Use]:
        if item.everything:
            yield from (Use(a.name, a.bytes, "part") for a in self.arrays.values())
            return
        for root in dict.fromkeys(self.found.memory.find(key) for key in (*item.reads, *item.writes)):
            if root not in self.arrays:
                continue
            array = self.arrays[root]
            sizes = [size for key, size in item.reads.items() if self.found.memory.find(key) == root]
            read = sum(array.bytes if size is None else float(size) for size in sizes)
            written = any(self.found.memory.find(key) == root for key in item.writes)
            yield Use(array.name, min(array.bytes, read), "part" if written else "no")


def flat(items: tuple[Item, ...]) -> Iterator[LoopTask | HostStep]:
    """All loops and host steps in order."""
    for item in items:
        match item:
            case Rounds(body=body):
                yield from flat(body)
            case Choice(then=then, otherwise=otherwise):
                yield from flat(then)
                yield from flat(otherwise)
            case _:
                yield item


def _outermost(key: Key) -> tuple[int, tuple[int, ...]]:
    """Outer calls first, then in the order of declaration."""
    frame, pointer = key
    return frame, declared_at(pointer)
