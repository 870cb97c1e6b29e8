"""Which variables each statement mentions, found once per function: data flow of a few variables skips the rest."""

from msgspec import Struct, field

from ..ir.nodes import Assign, Branch, Exit, Loop, Statement, Use, Variable, evaluated


class Mentions(Struct):
    """By the identity of statements, which live as long as their function."""

    _found: dict[int, frozenset[int] | None] = field(default_factory=dict)
    _last: dict[int, tuple[dict[int, int], int]] = field(default_factory=dict)

    def of(self, statement: Statement) -> frozenset[int] | None:
        """Keys of the variables that the statement and those in it read or assign; None where one of them may leave
        it."""
        key = id(statement)
        if key not in self._found:
            self._found[key] = self._all_of(statement)
        return self._found[key]

    def last(self, body: tuple[Statement, ...], wanted: frozenset[int]) -> int:
        """The place in a block of the last statement that has to do with the variables: it mentions one of them, or
        may leave the block. -1: none does."""
        known = self._last.get(id(body))
        if known is None:
            known = self._last[id(body)] = self._last_of(body)
        by_key, leaving = known
        return max(leaving, *(by_key.get(key, -1) for key in wanted))

    def _last_of(self, body: tuple[Statement, ...]) -> tuple[dict[int, int], int]:
        by_key: dict[int, int] = {}
        leaving = -1
        for k, statement in enumerate(body):
            mentioned = self.of(statement)
            if mentioned is None:
                leaving = k
            else:
                by_key |= dict.fromkeys(mentioned, k)
        return by_key, leaving

    def _all_of(self, statement: Statement) -> frozenset[int] | None:
        found = {e.variable.key for e in evaluated(statement) if isinstance(e, Use)}
        match statement:
            case Exit():
                return None
            case Assign(target=Variable(key=key)):
                found.add(key)
            case Branch(then=then, otherwise=otherwise):
                return self._with(found, (*then, *otherwise))
            case Loop(body=body):
                return self._with(found, body)
            case _:
                pass
        return frozenset(found)

    def _with(self, found: set[int], body: tuple[Statement, ...]) -> frozenset[int] | None:
        inner = [self.of(s) for s in body]
        return None if None in inner else frozenset(found.union(*(keys for keys in inner if keys)))
