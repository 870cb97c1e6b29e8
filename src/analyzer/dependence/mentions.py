"""Which variables a statement is about, found once per function: data flow of a few variables skips all others."""

from msgspec import Struct, field

from ..loops.ir import Assign, Branch, Exit, Loop, Statement, Use, Variable, evaluated


class Mentions(Struct):
    """By the identity of statements, which live as long as their function."""

    _found: dict[int, frozenset[int] | None] = field(default_factory=dict)

    def of(self, statement: Statement) -> frozenset[int] | None:
        """Keys of the variables that the statement and those in it read or assign; None where one of them may leave
        it."""
        key = id(statement)
        if key not in self._found:
            self._found[key] = self._all_of(statement)
        return self._found[key]

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
