"""What the lowering of code for answers under conditions supposed, and its answers and counts rest on.

*Decides*: which branches were taken not to be entered, and which calls to do no more than a condition says. *Reads*:
`Branch.supposed` and `Call.supposed`. *Sound* because nothing is supposed without a mark on what it is supposed of.
"""

from collections.abc import Iterator

from models.expr.nodes import remembered

from ..facts.loop import Assumption
from ..ir.nodes import Branch, Call, Loop, Statement, evaluated, statements
from ..ir.reasons import AssumptionKind


@remembered("_supposed")
def supposed(loop: Loop) -> tuple[Assumption, ...]:
    """All that was supposed inside a loop, each once. Example: of `if (bad[i]) return 1;` in line 4, which is left out,
    `no-exit(4)`."""
    return tuple(dict.fromkeys(_supposed(loop)))


def _supposed(loop: Loop) -> Iterator[Assumption]:
    for statement in statements(loop.body):
        yield from supposed_of_branch(statement)
        for e in evaluated(statement):
            if isinstance(e, Call) and e.supposed is not None:
                yield Assumption(AssumptionKind.INDEPENDENT if e.reads_own else e.supposed, e.name, e.place.line)


def supposed_of_branch(statement: Statement) -> Iterator[Assumption]:
    """That the statement is a branch which is not entered."""
    if isinstance(statement, Branch) and statement.supposed is not None:
        yield Assumption(statement.supposed, str(statement.place.line), statement.place.line)
