"""What the counts of lines say about loops and conditions.

*Method*: GCC at -O0 puts the test of a loop behind its body, as the last condition of its line: the way back to the
body is a jump that is taken, the way out falls through (`tests/analyzer/profiles` runs a program with every kind of
loop). A loop was begun as often as its test failed, if nothing else leaves it; else as often as the code around it was
executed. *Errs toward* None: several loops on a line, loops made by macros, other code on the line of a test.
"""

from collections.abc import Sequence

from msgspec import Struct

from ..facts.loop import FunctionFacts, LoopFacts
from ..ir.nodes import Branch as IrBranch
from ..ir.nodes import Exit, Loop, Statement, statements
from .model import Branch, SourceCounts


class LoopCount(Struct, frozen=True):
    """All runs together: how often the loop in this line was entered (None: not known), and its iterations."""

    line: int
    entries: int | None
    iterations: int

    @property
    def trip_count(self) -> float | None:
        """Mean iterations of one entry."""
        return self.iterations / self.entries if self.entries else None


def loops(function: FunctionFacts, counts: SourceCounts) -> dict[str, LoopCount]:
    """By loop id, for the loops of one function that the profile can tell apart."""
    calls = counts.functions.get(function.function.name, (0, None))[1]
    places = [loop.place.line for loop in function.loops]
    found: dict[str, LoopCount] = {}
    for loop in function.loops:
        if places.count(loop.place.line) == 1 and loop.loop.macro is None:
            around = found.get(loop.parent or "")
            begun = (around.iterations if around else None) if loop.parent else calls
            body = _body_around(function, loop)
            count = _loop(loop, counts, begun if _always(body, loop.loop) else None)
            if count is not None:
                found[loop.id] = count
    return found


def _loop(loop: LoopFacts, counts: SourceCounts, begun: int | None) -> LoopCount | None:
    test = _test(loop, counts)
    if test is None:
        return None
    back, out = test
    leaves = any(isinstance(s, Exit) and s.kind != "continue" for s in statements(loop.loop.body))
    entries = begun if leaves else out
    if loop.loop.kind != "do":
        return LoopCount(loop.place.line, entries, back)
    return None if entries is None else LoopCount(loop.place.line, entries, back + entries)


def _test(loop: LoopFacts, counts: SourceCounts) -> tuple[int, int] | None:
    """How often the test of a loop led back to the body, and out."""
    number = loop.end_line if loop.loop.kind == "do" else loop.place.line
    line = counts.lines.get(number)
    pair = line.branches[-2:] if line is not None else ()
    match pair:
        case (Branch(fallthrough=False) as back, Branch(fallthrough=True) as out):
            others = line.branches[:-2] if line is not None else ()
            return back.count, out.count + (_early(others) if _is_conjunction(others, pair) else 0)
        case _:
            return None


def _is_conjunction(others: Sequence[Branch], last: Sequence[Branch]) -> bool:
    """`a && b`: what a lets through is what b is asked about."""
    return len(others) == 2 and others[0].fallthrough and others[0].count == last[0].count + last[1].count


def _early(others: Sequence[Branch]) -> int:
    return sum(b.count for b in others if not b.fallthrough)


def _body_around(function: FunctionFacts, loop: LoopFacts) -> tuple[Statement, ...]:
    parent = next((other for other in function.loops if other.id == loop.parent), None)
    return function.function.body if parent is None else parent.loop.body


def _always(body: tuple[Statement, ...], loop: Loop) -> bool:
    """Whether a loop is reached whenever the body around it is executed."""
    for statement in body:
        if statement is loop or (isinstance(statement, Loop) and statement.key == loop.key):
            return True
        inside = statements((statement,))
        if any(isinstance(s, Exit) for s in inside if not isinstance(statement, Loop)):
            return False
    return False


# --- conditions


def weights(function: FunctionFacts, counts: SourceCounts) -> dict[int, float]:
    """By line: how often the condition of an `if` held, as a part of how often it was asked."""
    found: dict[int, float] = {}
    branches = [s for s in statements(function.function.body) if isinstance(s, IrBranch)]
    lines = [branch.place.line for branch in branches]
    for branch in branches:
        number = branch.place.line
        line = counts.lines.get(number)
        if line is None or len(line.branches) != 2 or lines.count(number) > 1:
            continue
        asked = sum(b.count for b in line.branches)
        held = next((b.count for b in line.branches if b.fallthrough), None)
        if asked and held is not None:
            found[number] = held / asked
    return found
