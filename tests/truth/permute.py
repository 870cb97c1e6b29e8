"""Executes the claim `parallel: yes`: the iterations of one loop in another order, privates poisoned at the start of
each or begun with their old values, reductions as partial results combined at the end. What comes out must be what the
program computes as written."""

import random
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from . import nest as n
from .emit_python import Emitter
from .machine import BUILTINS, NUMBERS, Machine, UndefinedError, garbage, scalar_at, size_of, wrapper
from .operators import code_of
from .trace import addresses, arguments, fresh

WRAPPING = {f"ck_{t.code}": wrapper(t) for t in NUMBERS if not t.floating}
"""Integer arithmetic modulo 2^w, as with -fwrapv: a sum or product that does not overflow in the order of the program
may do so on the way in another order, and is right again at the end, because it is computed modulo 2^w."""
FIRST_LAST = "first_last_private"
PRIVATE = ("private", "last_private", "first_private", FIRST_LAST)
OLD = ("first_private", FIRST_LAST)
"""Copies that begin with the value from before the loop. As a thread may keep its copy from one iteration to the next,
here every second iteration of the order goes on with what the one before it left."""
ORDERS = ("forward", "reversed", "shuffled", "shuffled again")


class EarlyExitError(Exception):
    """A loop called parallel was left before its last iteration."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What was answered for one loop: names of variables and whole objects, `reductions` name -> operator, and single
    `cells` of memory, each with its role: one of `PRIVATE` or the operator of its reduction. What begins with its old
    value is in `first_private`, whether in `last_private` as well or not."""

    private: frozenset[str] = frozenset()
    last_private: frozenset[str] = frozenset()
    reductions: dict[str, str] = field(default_factory=dict)
    cells: tuple[tuple[n.Spot, str], ...] = ()
    first_private: frozenset[str] = frozenset()
    recurring: frozenset[str] = frozenset()
    """Variables that have a formula of their own, which `tests.clauses` runs, that a rewrite works out anew in each
    iteration, or that are the best so far: here they have the right values."""

    def role(self, name: str) -> str | None:
        """How iterations have a variable or object for themselves; None where they share it."""
        if name in self.first_private:
            return FIRST_LAST if name in self.last_private else "first_private"
        return "last_private" if name in self.last_private else "private" if name in self.private else None


def order_of(kind: str, count: int) -> list[int]:
    order = list(range(count))
    if kind == "reversed":
        order.reverse()
    elif kind != "forward":
        random.Random(f"{kind} {count}").shuffle(order)
    return order


def identity(op: str, t: n.Type) -> Any:
    """The neutral element of a reduction in its type."""
    assert isinstance(t, n.Num)
    match op:
        case "min":
            return float("inf") if t.floating else t.high
        case "max":
            return float("-inf") if t.floating else t.low
        case "&":
            return -1 if t.signed else t.high
        case "*" | "&&":
            return 1.0 if t.floating else 1
        case _:
            return 0.0 if t.floating else 0


def combine(op: str, t: n.Type, a: Any, b: Any) -> Any:
    assert isinstance(t, n.Num)
    match op:
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
        case "&":
            value = a & b
        case "|":
            value = a | b
        case "^":
            value = a ^ b
        case "*":
            value = a * b
        case "&&":
            value = int(bool(a) and bool(b))
        case "||":
            value = int(bool(a) or bool(b))
        case _:
            value = a + b
    return wrapper(t)(value)


class Plan:
    """One entry of the permuted loop. Scalars that the claim does not name must be the same in every iteration, or step
    through an arithmetic progression; those that do neither are taken as private and reported in `unlisted`."""

    def __init__(
        self, runner: "Runner", names: list[str], values: tuple[Any, ...], cells: tuple[Callable[[], int], ...]
    ) -> None:
        self.runner, self.names, self.before = runner, names, values
        self.addresses = cells
        self.named: dict[int, str] = {}
        self.machine = runner.machine
        self.saved = bytes(self.machine.memory)
        self.starts: list[tuple[Any, ...]] = []
        self.last: dict[str, Any] = {}
        self.opened = 0
        self.kept = values
        self.totals: dict[str, Any] = {}
        self.cells: dict[int, tuple[str, Any]] = {}
        self.machine.log = set()

    def start(self, values: tuple[Any, ...]) -> None:
        if not self.starts:
            for address, (_, role) in zip(self.addresses, self.runner.claim.cells, strict=True):
                with suppress(UndefinedError):  # a place that no iteration gets to may lie anywhere
                    self.named[address()] = role
        elif any(_moved(address, self.named) for address in self.addresses):
            raise UndefinedError("a place of its own for each iteration is named, and it is not one place")
        self.starts.append(values)

    def turn(self, after: tuple[Any, ...]) -> Iterator[int]:
        """The forward run is over: put memory back and give the order of the second one."""
        self.after = after
        self.written, self.machine.log = self.machine.log or set(), None
        self.machine.memory[:] = self.saved
        self.roles = {name: self._role(k, name) for k, name in enumerate(self.names)}
        claim = self.runner.claim
        for k, name in enumerate(self.names):
            if self.roles[name] == "reduction":
                self.totals[name] = self.before[k]
        self.poisoned = {
            address: role for address, _ in self.written if (role := self._private_role(address)) is not None
        }
        self.poison = self._joined(sorted(a for a, role in self.poisoned.items() if role not in OLD))
        self.old = self._joined(sorted(a for a, role in self.poisoned.items() if role in OLD))
        for address, _ in self.written:
            op = self.named.get(address) or claim.reductions.get(self.machine.storage_at(address, 1).name)
            if op is not None and op not in PRIVATE:
                self.cells[address] = (op, self._peek(address))
                self._poke(address, identity(op, self._cell_type(address)))
        yield from order_of(self.runner.order, len(self.starts))
        self.machine.log = None

    def _joined(self, addresses: list[int]) -> list[tuple[int, bytes]]:
        """What copies of these places begin with, neighbours as one piece."""
        pieces: list[tuple[int, bytearray]] = []
        for address in addresses:
            t = self._cell_type(address)
            value = struct.pack("<" + code_of(t), garbage(t))
            if self.poisoned[address] in OLD:
                value = self.saved[address : address + len(value)]
            if pieces and pieces[-1][0] + len(pieces[-1][1]) == address:
                pieces[-1][1].extend(value)
            else:
                pieces.append((address, bytearray(value)))
        return [(address, bytes(piece)) for address, piece in pieces]

    def _private_role(self, address: int) -> str | None:
        """Whether this scalar of memory is private: by its own name, or as part of an object (what the loop writes of
        it; the rest stays shared)."""
        if address in self.named:
            return self.named[address] if self.named[address] in PRIVATE else None
        return self.runner.claim.role(self.machine.storage_at(address, 1).name)

    def _role(self, k: int, name: str) -> str:
        claim, values = self.runner.claim, [s[k] for s in self.starts]
        if name in self.runner.objects:
            claim = Claim()
        if name in claim.reductions:
            return "reduction"
        if name in claim.recurring:
            return "walks"
        steps = {b - a for a, b in pairwise(values)} if _integers(values) else {None}
        walks = len(steps) == 1 and None not in steps
        if name == self.runner.variable:
            return "walks"
        role = claim.role(name)
        if role is not None:
            walking = walks and steps != {0} and len(values) > 2 and role == "last_private"
            return "walks" if walking else role
        if all(_same(v, self.before[k]) for v in (*values, self.after[k])):
            return "fixed"
        if len(values) == 1 or (walks and steps != {0}):
            return "walks"
        self.runner.unlisted.add(name)
        return "last_private"

    def open(self, k: int) -> tuple[Any, ...]:
        """The variables at the start of iteration k; private objects are poisoned, or hold their old values, or (see
        `OLD`) what the iteration before left in its copy."""
        claim, fresh_copy = self.runner.claim, self.opened % 2 == 0
        self.opened += 1
        for address, value in (*self.poison, *(self.old if fresh_copy else ())):
            self.machine.memory[address : address + len(value)] = value
        self.machine.log = set()
        found = []
        for position, name in enumerate(self.names):
            match self.roles[name]:
                case "reduction":
                    found.append(identity(claim.reductions[name], self.runner.types[name]))
                case "walks" | "fixed":
                    found.append(self.starts[k][position])
                case role if role in OLD:
                    found.append((self.before if fresh_copy else self.kept)[position])
                case _:
                    found.append(garbage(self.runner.types[name]))
        return tuple(found)

    def close(self, k: int, values: tuple[Any, ...]) -> None:
        claim, self.kept = self.runner.claim, values
        for name, value in zip(self.names, values, strict=True):
            if self.roles[name] == "reduction":
                op, t = claim.reductions[name], self.runner.types[name]
                self.totals[name] = combine(op, t, self.totals[name], value)
        for address, _ in self.machine.log or ():
            if address in self.cells:
                op, total = self.cells[address]
                self.cells[address] = (op, combine(op, self._cell_type(address), total, self._peek(address)))
                self._poke(address, identity(op, self._cell_type(address)))
        if k == len(self.starts) - 1:
            self.last = dict(zip(self.names, values, strict=True))
            self.last_memory = bytes(self.machine.memory)

    def finish(self) -> tuple[Any, ...]:
        """The variables after the loop; private objects keep poison wherever the loop wrote."""
        if not self.starts:
            self.machine.memory[:] = self.saved
            return self.after
        for address, (_, total) in self.cells.items():
            self._poke(address, total)
        self._finish_privates()
        found = []
        for position, name in enumerate(self.names):
            match self.roles[name]:
                case "reduction":
                    found.append(self.totals[name])
                case "walks" | "fixed":
                    found.append(self.after[position])
                case "last_private" | "first_last_private":
                    found.append(self.last[name])
                case _:
                    found.append(garbage(self.runner.types[name]))
        return tuple(found)

    def _finish_privates(self) -> None:
        """What the last iteration left for the last privates, poison for the others."""
        for address, role in self.poisoned.items():
            width = size_of(self._cell_type(address))
            self.machine.memory[address : address + width] = self.last_memory[address : address + width]
            if role in ("private", "first_private"):
                self._poke(address, garbage(self._cell_type(address)))

    def _cell_type(self, address: int) -> n.Type:
        s = self.machine.storage_at(address, 1)
        begin, _ = self.machine.extent(s.name)
        return scalar_at(s.type, (address - begin) % size_of(s.type))

    def _peek(self, address: int) -> Any:
        t = self._cell_type(address)
        assert isinstance(t, n.Num)
        return struct.unpack_from("<" + t.code, self.machine.memory, address)[0]

    def _poke(self, address: int, value: Any) -> None:
        struct.pack_into("<" + code_of(self._cell_type(address)), self.machine.memory, address, value)


def _moved(address: Callable[[], int], known: Mapping[int, str]) -> bool:
    with suppress(UndefinedError):
        return address() not in known
    return False


def _integers(values: list[Any]) -> bool:
    return len(values) > 1 and all(isinstance(v, int) for v in values)


def _same(a: Any, b: Any) -> bool:
    return bool(a == b or (a != a and b != b))


class Runner:
    """Runs one nest with one of its loops permuted according to a claim."""

    def __init__(self, nest: n.Nest, loop: n.Loop, claim: Claim) -> None:
        self.nest, self.claim, self.order = nest, claim, ORDERS[0]
        self.variable = loop.var.name
        self.objects = {s.name for s in nest.storage}
        """A claim about one of these is about the memory, not about the pointer that leads to it."""
        self.machine = Machine(replace(nest, ticks=4 * nest.ticks))  # the loop runs twice
        self.unlisted: set[str] = set()
        self.types = {v.name: v.type for v in (*nest.params, *nest.globals_)} | {
            k: v.type for k, v in n.assigned(nest.body).items()
        }
        names: dict[str, Any] = dict(BUILTINS) | WRAPPING | addresses(self.machine) | self.machine.plain()
        names |= {"ONCE": (0,), "EarlyExitError": EarlyExitError, "fresh": fresh(self.machine)}
        names["new_plan"] = lambda *given: Plan(self, *given)
        spots = tuple(spot for spot, _ in claim.cells)
        exec(compile(Emitter(nest, loop.id, spots).text(), nest.name, "exec"), names)
        self.function = names["run"]

    def run(self, sizes: dict[str, int], seed: str, order: str) -> tuple[tuple[Any, ...], bytes]:
        """Result and memory afterwards. EarlyExitError, UndefinedError or struct.error when the poison was used."""
        self.order = order
        self.machine.fill(seed, sizes)
        self.machine.ticks = 0
        self.machine.log = None
        try:
            result = self.function(**arguments(self.machine, sizes))
        except (IndexError, struct.error, OverflowError) as error:
            raise UndefinedError(str(error)) from error
        return result, bytes(self.machine.memory)
