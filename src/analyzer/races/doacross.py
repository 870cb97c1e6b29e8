"""Iterations that wait for others: `ordered depend(sink: i - 1)` and `ordered depend(source)`.

*Decides*: whether two steps of a loop are kept in order by them: each stands behind a wait and before a release, and
the waits are for the iterations just before, in each of the loops that the directive counts.
*Errs toward* no order: other waits are not followed.

    #pragma omp for ordered(1)
    for (i...) {  #pragma omp ordered depend(sink: i - 1)
                  a[i] = a[i - 1];
                  #pragma omp ordered depend(source)  }                      ->  in order
"""

from ..ir.nodes import Loop
from .constructs import Construct
from .recorded import Entered, Point, Recorded, Step


def are_in_order(record: Recorded, loop: Entered, a: Step, b: Step) -> bool:
    """Whether two steps of a loop with `ordered(n)`, for n = 1, are done in the order of its iterations. Example: see
    the module."""
    if loop.construct.directive.number("ordered") != 1:
        return False
    points = [p for p in record.points if loop.arm in [e.arm for e in p.inside] and _is_certain(loop, p)]
    divided = a.occurrence.loops[loop.depth : loop.depth + 1]
    waits = [p.at for p in points if divided and _waits_for_the_last(p.construct, divided[0])]
    releases = [p.at for p in points if _releases(p.construct)]
    if not waits or len(releases) != 1:
        return False
    return all(waits[0] < s.at < releases[0] for s in (a, b))


def _is_certain(loop: Entered, point: Point) -> bool:
    return point.conditions == loop.conditions


def _waits_for_the_last(construct: Construct, loop: Loop) -> bool:
    """Whether it waits for the iteration before."""
    step = None if loop.step is None else loop.step.constant
    if not step:
        return False
    last = f"sink:{loop.variable}{-step:+d}"
    clauses = construct.directive.named("depend", "doacross")
    return any("".join((c.argument or "").split()) == last for c in clauses)


def _releases(construct: Construct) -> bool:
    clauses = construct.directive.named("depend", "doacross")
    return any((c.argument or "").strip().startswith("source") for c in clauses)
