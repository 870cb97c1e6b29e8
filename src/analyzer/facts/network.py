"""What is known of the communication of one loop or function, as formulas; `processes` gives them numbers."""

from typing import Literal, TypeAlias

from msgspec import Struct

from models.expr import Expr, Num

Tree: TypeAlias = Literal["stages", "children", "once", "subtree", "forwarded", "exchange", "scan"]
"""The shape of the tree in which a collective operation passes its messages on (`trees`)."""


class Turns(Struct, frozen=True):
    """The iterations of a call whose root moves: counters of the loops around it, outermost first, each with the bounds
    on its number of iterations (numerator, denominator); it is made where all `conditions` are >= 0, and a message is
    `factor` bytes."""

    counters: tuple[tuple[str, tuple[tuple[Expr, int], ...]], ...]
    conditions: tuple[Expr, ...]
    factor: Expr


class Derived(Struct, frozen=True):
    """A name in formulas for what has no closed form: `ceil(log2 P)`, how many messages a process sends, or, with
    `turns`, how many bytes in all of them."""

    name: str
    kind: Tree
    rank: Expr
    root: Expr
    size: Expr
    turns: Turns | None = None


class Group(Struct, frozen=True):
    """A communicator: the names of its size and rank in formulas; those of the one that it was split from, with
    colour and key. `parent` None: the world, or nothing is known of it."""

    name: str
    size: str
    rank: str
    parent: "Group | None" = None
    color: Expr | None = None
    key: Expr | None = None


class Message(Struct, frozen=True):
    """One call that sends: its place, what it sends as the model has it and what this process sends, in bytes for one
    entry of the loop. `exact`: `sent` is that, whatever the data. None: not known, and `why`. `waits`: for how many
    messages it waits, one after the other."""

    line: int
    call: str
    model: Expr | None
    sent: Expr | None
    exact: bool
    why: str = ""
    waits: Expr | None = None


class Network(Struct, frozen=True):
    """Everything that one loop or function sends. `model` and `sent` are the sums over `messages`; `least`: of what is
    the same for every process and certain. `symmetric`: every process sends `model`."""

    messages: tuple[Message, ...]
    model: Expr
    sent: Expr
    least: Expr
    exact: bool
    symmetric: bool
    derived: tuple[Derived, ...] = ()
    groups: tuple[Group, ...] = ()
    waits: Expr = Num(0)
    assumptions: tuple[str, ...] = ()

    @property
    def silent(self) -> tuple[str, ...]:
        """What is left out, in words."""
        return tuple(m.why for m in self.messages if m.sent is None)
