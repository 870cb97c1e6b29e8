"""Elements updated through a temporary: `t = h[k]; t += x; h[k] = t;` folds x into h[k].

*Decides*: which statements that stand one after the other are one update of an element; they are joined.
*Method*: a local that nothing else of the function reads is written out where it is used, as long as the whole is an
update (`updates.py`) then.
*Errs toward* the statements as they are. Not handled: temporaries with other statements in between.

    t = h[k]; h[k] = t + 1;          ->  h[k] = h[k] + 1;
    t = h[k]; if (x > t) h[k] = x;   ->  if (x > h[k]) h[k] = x;
"""

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Expression,
    Function,
    Load,
    Statement,
    Use,
    Variable,
    evaluated,
    statements,
)
from .forwarding import expanded
from .updates import extremum_of, update_of

LONGEST = 24
"""Statements of one update: each is looked at from each of those before it, with all that they hold written out."""


class Joining:
    """Joins the statements of the blocks of one function; what is read how often is looked up when it is needed."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.reads: Counter[int] | None = None

    def block(
        self, body: tuple[Statement, ...], kept: frozenset[int] = frozenset()
    ) -> Iterator[tuple[Statement, Statement]]:
        """The statements of a block, those of inner blocks as they are, each with the (last) one that was written.
        `kept`: keys of variables that are no temporaries here."""
        at = 0
        while at < len(body):
            length, whole = self._run(body, at, kept)
            at += length
            yield whole, body[at - 1]

    def _run(self, body: tuple[Statement, ...], at: int, kept: frozenset[int]) -> tuple[int, Statement]:
        """How many statements from here on are one, and which one."""
        first = body[at]
        if not isinstance(first, Assign) or not isinstance(first.target, Variable) or not _starts(first):
            return 1, first
        key, value, used = first.target.key, first.value, 0
        if key in kept:
            return 1, first
        for length, statement in enumerate(body[at + 1 : at + LONGEST], 2):
            read = _uses(statement, key)
            whole = _written_out(statement, key, value)
            if whole is None or not read:
                break
            used += read
            if isinstance(whole, Assign) and isinstance(whole.target, Variable):
                if whole.target.key != key:  # another temporary takes over
                    if not _starts(whole) or used != self._reads(key) or whole.target.key in kept:
                        break
                    key, used = whole.target.key, 0
                value = whole.value
                continue
            return (length, whole) if _is_update(whole) and used == self._reads(key) else (1, first)
        return 1, first

    def _reads(self, key: int) -> int:
        if self.reads is None:
            every = (e for s in statements(self.function.body) for e in evaluated(s))
            self.reads = Counter(e.variable.key for e in every if isinstance(e, Use))
        return self.reads[key]


def _starts(statement: Statement) -> bool:
    """`t = h[k]` for a local whose address nothing has."""
    match statement:
        case Assign(target=Variable(scope="local", addressed=False), induction=False):
            return any(isinstance(e, Load) for e in evaluated(statement))
        case _:
            return False


def _uses(statement: Statement, key: int) -> int:
    return sum(isinstance(e, Use) and e.variable.key == key for e in evaluated(statement))


def _written_out(statement: Statement, key: int, value: Expression) -> Assign | Branch | None:
    match statement:
        case Assign(value=old) | Branch(condition=old):
            new = expanded(old, {key: value})
        case _:
            return None
    if new is None:
        return None
    return replace(statement, value=new) if isinstance(statement, Assign) else replace(statement, condition=new)


def _is_update(statement: Assign | Branch) -> bool:
    update = update_of(statement) if isinstance(statement, Assign) else extremum_of(statement)
    return update is not None and isinstance(update.target, Access)
