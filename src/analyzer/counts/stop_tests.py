"""Tests that a loop is not left: C in front of it that is true where the loop runs to its end.

*Decides*: whether what a branch asks that leaves the loop is the same in all iterations: a flag that somebody else sets
before. *Sound* where the loop is parallel otherwise: then no iteration stores to what another one reads.
*Errs toward* none: flags that are `volatile`, and may be set at any time; calls, which may set them; elements that the
counter selects.

    for (...) { if (job->cancelled) break; ... }   ->  !(job->cancelled)
"""

from ..ir.nodes import Branch, Call, Expression, Literal, Load, Operation, Use, evaluated, statements, unconverted, walk
from ..ir.reasons import AssumptionKind
from .nest import Nest
from .pointers_in_c import is_in_view, stays

_LOGIC = ("==", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "&")


def not_stopped(nest: Nest, line: int) -> str | None:
    """The test of what leaves the loop in a line; None where nothing tests it. Example: see the module."""
    found = [s for s in statements(nest.loop.body) if isinstance(s, Branch) and _leaves(s, line)]
    called = any(isinstance(e, Call) and not e.known for s in statements(nest.loop.body) for e in evaluated(s))
    if len(found) != 1 or called or not _is_the_same(nest, found[0].condition):
        return None
    reads = any(isinstance(e, Load) for e in walk(found[0].condition))
    if reads and found[0] not in nest.loop.body:  # what it reads may be there only where the loop comes to it
        return None
    asked = found[0].text.removeprefix("if (").removesuffix(")")
    is_whole = f"if ({asked})" == found[0].text and "…" not in asked
    return f"!({asked})" if is_whole and stays(nest, asked) else None


def _leaves(branch: Branch, line: int) -> bool:
    return branch.supposed is AssumptionKind.NO_EXIT and branch.place.line == line and not branch.otherwise


def _is_the_same(nest: Nest, condition: Expression) -> bool:
    return all(_is_steady(nest, unconverted(e)) for e in walk(condition))


def _is_steady(nest: Nest, e: Expression) -> bool:
    """Whether a part of a condition has one value in all iterations, and a name in front of the loop."""
    match e:
        case Literal():
            return True
        case Use(variable=variable):
            return is_in_view(nest, variable) and nest.loop.key not in variable.loops
        case Load(access=access):
            counted = (x for s in access.subscripts for x in s.index.symbols if nest.variance.varies(x))
            return not access.volatile and not access.atomic and not any(counted)
        case Operation(operator=operator):
            return operator in _LOGIC
        case _:
            return False
