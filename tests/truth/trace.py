"""Runs a nest as written and records, per entry of each loop, what it did: counts, bytes, and true conflicts.

A conflict is the same scalar of memory touched by two iterations of a loop under the same surrounding iterations, one
of them writing. Writes that all leave the same value, read by nobody before the own write, are none: their order does
not matter.
"""

import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from . import nest as n
from .emit_python import Emitter
from .machine import BUILTINS, Machine, Scalars, UndefinedError, size_of

FLOW, ANTI, OUTPUT = "flow", "anti", "output"
OBJECT = "[]"
"""Marks what a name leads to, as against the pointer itself."""


@dataclass(slots=True)
class Cell:
    """One scalar of memory (or a variable) as the iterations of one loop entry use it. `operators`: those of the
    accumulations that its accesses belong to, None for an access of any other kind."""

    first_read: int | None = None
    last_write: int | None = None
    value: Any = None
    same: bool = True
    exposed: bool = False
    kinds: set[str] = field(default_factory=set)
    operators: set[str | None] = field(default_factory=set)

    def read(self, k: int, operator: str | None) -> None:
        if self.last_write != k:
            self.exposed = True
            if self.last_write is not None:
                self.kinds.add(FLOW)
        if self.first_read is None:
            self.first_read = k
        self.operators.add(operator)

    def write(self, k: int, value: Any, operator: str | None) -> None:
        if self.first_read is not None and self.first_read != k:
            self.kinds.add(ANTI)
        if self.last_write is None:
            self.value = value
        else:
            self.same = self.same and value == self.value
            if self.last_write != k:
                self.kinds.add(OUTPUT)
        self.last_write = k
        self.operators.add(operator)

    def conflicts(self) -> set[str]:
        return set() if self.same and not self.exposed else self.kinds

    @property
    def ordered(self) -> bool:
        """Whether a dependence is left when the cell is private to each iteration, or a reduction where it is one."""
        return bool(self.kinds) and self.exposed and not self.accumulates

    @property
    def accumulates(self) -> bool:
        return len(self.operators) == 1 and None not in self.operators

    def kept_by(self, last: int) -> bool:
        """Whether the last iteration leaves what the cell holds afterwards (or all of them together do)."""
        return self.last_write in (None, last) or self.accumulates


@dataclass(slots=True)
class Frame:
    """A loop that is being executed."""

    loop: int
    outer: dict[str, int]
    before: Counter[str]
    k: int = -1
    trips: int = 0
    cells: dict[int | str, Cell] = field(default_factory=dict)
    read: dict[int, int] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Use:
    """What one execution of a loop did with an object or a variable. `ordered`: a dependence between iterations is left
    even if each has its own copy, `exposed`: something is read that the iteration did not write before, `written`,
    `shared`: scalars of it that iterations would need copies of, `left`: an iteration before the last one gives
    something its final value."""

    ordered: bool = False
    exposed: bool = False
    written: bool = False
    shared: int = 0
    left: bool = False

    def take(self, cell: Cell, last: int) -> None:
        self.ordered |= cell.ordered
        self.exposed |= cell.exposed and not cell.accumulates
        self.written |= cell.last_write is not None
        self.shared += bool(cell.kinds) and not cell.accumulates
        self.left |= not cell.kept_by(last)


@dataclass(frozen=True, slots=True)
class Entry:
    """One execution of a loop. `outer`: counters around it, and what locals hold when it begins. `counts`: f d o i j
    operations, loads, stores, iterations; `footprint`: object -> bytes read, written, touched; `conflicts`: object ->
    address -> kinds; `carried`: variables whose value comes from an earlier iteration; `uses`: of every object (marked
    OBJECT) and variable."""

    loop: int
    outer: dict[str, int]
    trips: int
    counts: Counter[str]
    footprint: dict[str, tuple[int, int, int]]
    conflicts: dict[str, dict[int, set[str]]]
    carried: frozenset[str]
    uses: dict[str, Use] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """The outcome of a run: `result` is what was returned and the global scalars, `memory` all of memory."""

    result: tuple[Any, ...]
    memory: bytes
    entries: tuple[Entry, ...]
    totals: Counter[str]


class Recorder:
    """Traces one nest; `run` may be called for many sizes."""

    def __init__(self, nest: n.Nest) -> None:
        self.nest = nest
        self.machine = Machine(nest)
        given = {v.name for v in (*nest.params, *nest.globals_)}
        self.locals = {v.name for v in n.assigned(nest.body).values() if isinstance(v.type, n.Num)} - given
        self.leaves = {s.id for s in n.loops(nest.body) if not n.loops(s.body)}
        self.stack: list[Frame] = []
        self.entries: list[Entry] = []
        self.totals: Counter[str] = Counter()
        self.unset: set[int] = set()
        names: dict[str, Any] = dict(BUILTINS)
        names |= addresses(self.machine)
        names |= {"tick": self.machine.tick, "ONCE": (0,), "rd": self._read, "wr": self._write, "cc": self._count}
        names |= {"enter": self._enter, "again": self._again, "body": self._body, "leave": self._leave}
        names["fresh"] = self._fresh
        for code in "bBhHiIqQfd":
            names[f"ld_{code}"], names[f"st_{code}"] = self._loader(code), self._storer(code)
        names["copy"] = self._copier(names)
        exec(compile(Emitter(nest).text(), nest.name, "exec"), names)
        self.function = names["run"]

    def run(self, sizes: dict[str, int], seed: str) -> Run:
        """Raises UndefinedError or TooLongError when the run says nothing about the program."""
        machine = self.machine
        machine.fill(seed, sizes)
        machine.ticks = 0
        self.stack, self.entries, self.totals = [], [], Counter()
        result = self.function(**arguments(machine, sizes))
        return Run(result, bytes(machine.memory), tuple(self.entries), self.totals)

    # --- called by the running text

    def _fresh(self, name: str, zero: bool) -> None:
        start, end = self.machine.extent(name)
        fresh(self.machine)(name, zero)
        self.unset.difference_update(range(start, end)) if zero else self.unset.update(range(start, end))

    def _touch(self, address: int, size: int, operator: str | None) -> None:
        if address < 0:
            self.machine.storage_at(address, size)
        for frame in self.stack:
            frame.read[address] = size
            cell = frame.cells.get(address)
            if cell is None:
                cell = frame.cells[address] = Cell()
            cell.read(frame.k, operator)

    def _loader(self, code: str) -> Callable[..., Any]:
        unpack, size, memory = struct.Struct("<" + code).unpack_from, struct.calcsize("<" + code), self.machine.memory

        def load(address: int, operator: str | None = None, home: str | None = None) -> Any:
            where = self.machine.storage_at(address, size).name
            if home is not None and where != home:
                raise UndefinedError(f"outside of {home}")
            if address in self.unset:
                raise UndefinedError("a local is read before it is written")
            self.totals["loads"] += 1
            self._touch(address, size, operator)
            return unpack(memory, address)[0]

        return load

    def _storer(self, code: str) -> Callable[..., None]:
        pack, size, memory = struct.Struct("<" + code).pack_into, struct.calcsize("<" + code), self.machine.memory

        def store(address: int, value: Any, operator: str | None = None, home: str | None = None) -> None:
            where = self.machine.storage_at(address, size).name
            if home is not None and where != home:
                raise UndefinedError(f"outside of {home}")
            self.totals["stores"] += 1
            self.unset.discard(address)
            pack(memory, address, value)
            for frame in self.stack:
                frame.written[address] = size
                cell = frame.cells.get(address)
                if cell is None:
                    cell = frame.cells[address] = Cell()
                cell.write(frame.k, value, operator)

        return store

    def _copier(self, names: dict[str, Any]) -> Callable[..., None]:
        """A structure is one load and one store, and touches the bytes between its members as well."""

        def copy(to: int, source: int, scalars: Scalars, size: int, home: str | None, other: str | None) -> None:
            values = [names[f"ld_{code}"](source + offset, None, other) for offset, code in scalars]
            for (offset, code), value in zip(scalars, values, strict=True):
                names[f"st_{code}"](to + offset, value, None, home)
            self.totals.subtract({"loads": len(scalars) - 1, "stores": len(scalars) - 1})
            for begin, gap in _gaps(scalars, size):
                for frame in self.stack:
                    frame.read[source + begin] = frame.written[to + begin] = gap

        return copy

    def _read(self, name: str, value: Any, operator: str | None = None) -> Any:
        for frame in self.stack:
            cell = frame.cells.get(name)
            if cell is None:
                cell = frame.cells[name] = Cell()
            cell.read(frame.k, operator)
        return value

    def _write(self, name: str, value: Any, operator: str | None = None) -> Any:
        for frame in self.stack:
            cell = frame.cells.get(name)
            if cell is None:
                cell = frame.cells[name] = Cell()
            cell.write(frame.k, value, operator)
        return value

    def _count(self, kind: str, value: Any, times: int = 1) -> Any:
        self.totals[kind] += times
        return value

    def _enter(self, loop: int, outer: dict[str, int], values: dict[str, Any]) -> None:
        """`values`: of all variables; what locals hold here are sizes that counts may speak of."""
        held = {k: v for k in self.locals if isinstance(v := values.get(k), int)}
        self.stack.append(Frame(loop, held | outer, Counter(self.totals)))

    def _again(self, loop: int) -> None:
        self.stack[-1].k += 1

    def _body(self, loop: int) -> None:
        self.stack[-1].trips += 1
        if loop in self.leaves:
            self.totals["iterations"] += 1

    def _leave(self, loop: int) -> None:
        frame = self.stack.pop()
        counts = Counter({k: v - frame.before[k] for k, v in self.totals.items()})
        conflicts: dict[str, dict[int, set[str]]] = {}
        carried: set[str] = set()
        uses: dict[str, Use] = {}
        for key, cell in frame.cells.items():
            if isinstance(key, str):
                name = key
                if FLOW in cell.kinds:
                    carried.add(name)
            else:
                name = self.machine.storage_at(key, 1).name
                if cell.kinds and (kinds := cell.conflicts()):
                    conflicts.setdefault(name, {})[key] = kinds
                name += OBJECT
            use = uses.get(name)
            if use is None:
                use = uses[name] = Use()
            use.take(cell, frame.trips - 1)
        self.entries.append(
            Entry(
                frame.loop,
                frame.outer,
                frame.trips,
                counts,
                self._footprint(frame),
                conflicts,
                frozenset(carried),
                uses,
            )
        )

    def _footprint(self, frame: Frame) -> dict[str, tuple[int, int, int]]:
        found: dict[str, list[int]] = {}
        for address, size in (frame.read | frame.written).items():
            bytes_ = found.setdefault(self.machine.storage_at(address, 1).name, [0, 0, 0])
            bytes_[0] += size * (address in frame.read)
            bytes_[1] += size * (address in frame.written)
            bytes_[2] += size
        return {name: (r, w, both) for name, (r, w, both) in found.items()}


def _gaps(scalars: Scalars, size: int) -> Iterator[tuple[int, int]]:
    """Offset and length of what no scalar of a structure holds."""
    at = 0
    for offset, code in (*scalars, (size, "x")):
        if offset > at:
            yield at, offset - at
        at = offset + struct.calcsize("<" + code)


def addresses(machine: Machine) -> dict[str, int]:
    return {f"at_{s.name}": machine.address(s.name) for s in machine.nest.storage}


def arguments(machine: Machine, sizes: dict[str, int]) -> dict[str, Any]:
    """The value of every parameter and global scalar."""
    found: dict[str, Any] = {}
    for p in (*machine.nest.params, *machine.nest.globals_):
        match p.type:
            case n.Ptr():
                found[p.name] = machine.address(p.name)
            case n.Num(floating=True):
                found[p.name] = 0.75
            case n.Num() as t:
                found[p.name] = BUILTINS[f"to_{t.code}"](sizes.get(p.name, 3))
    return found


def fresh(machine: Machine) -> Callable[[str, bool], None]:
    """A local array comes to life: zeroed, or holding whatever."""

    def begin(name: str, zero: bool) -> None:
        start, end = machine.extent(name)
        s = next(s for s in machine.nest.storage if s.name == name)
        machine.memory[start:end] = bytes(end - start) if zero else noise(s, end - start)

    return begin


def noise(s: n.Storage, size: int) -> bytes:
    """Bytes of a poisoned object: legal numbers that nobody computes."""
    from .machine import garbage, scalars_of

    element = bytearray(size_of(s.type))
    for offset, t in scalars_of(s.type):
        struct.pack_into("<" + (t.code if isinstance(t, n.Num) else "Q"), element, offset, garbage(t))
    return bytes(element) * (size // len(element))
