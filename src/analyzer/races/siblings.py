"""Tasks of one maker that wait for each other for places which their `depend` clauses select.

*Decides*: whether two tasks are ordered wherever two accesses in them meet: items of which one is not only read are one
place then; that they are not is shown for the first few of them (`task_graph`).
*Errs toward* perhaps.

    task depend(out: a[i]) a[i] = ...     task depend(in: a[i - 1]) ... a[i - 1] ...      ->  ordered
"""

from collections.abc import Iterator
from itertools import product

from ..ir.nodes import Loaded, Loop
from .depend import ALIKE, Order
from .items import Named, Same, are_in_one, named_by, same
from .meeting import Asked
from .recorded import Step
from .task_graph import have_a_chain, have_no_chain
from .teams import Team, Together


def order_where_they_meet(asked: Asked, team: Team, together: Together, a: Step, b: Step) -> Order:
    """Whether the tasks that do `a` and `b` are ordered in iterations in which both get to one place. Example: see the
    module."""
    if not together.by_items:
        return Order.NO if together.sure else Order.PERHAPS
    found = set(_of_items(asked, team, together, a, b))
    if Same.ALWAYS in found:
        return Order.YES
    if have_no_chain(team, together, a, b):
        return Order.NO
    return Order.YES if have_a_chain(team, together, a, b) else Order.PERHAPS


def _of_items(asked: Asked, team: Team, together: Together, a: Step, b: Step) -> Iterator[Same]:
    """Of each two items of the tasks, whether they are one place."""
    for p, q in product(*(named_by(team.recorded, task) for task in together.by_items)):
        found = _are_one(asked, team, together, a, b, p, q)
        yield Same.PERHAPS if found is Same.ALWAYS and (p.kind, q.kind) in ALIKE else found


def _are_one(asked: Asked, team: Team, together: Together, a: Step, b: Step, p: Named, q: Named) -> Same:
    if p.text.isidentifier() and q.text.isidentifier():
        return Same.ALWAYS if p.text == q.text else Same.NEVER
    if together.loop is None and _is_one_value(team, p, q):
        return Same.ALWAYS
    loop = together.loop or _around(team)
    return Same.PERHAPS if loop is None else same(asked, loop, a, b, p.place, q.place)


def _around(team: Team) -> Loop | None:
    """The loop over the threads: what holds in any two of its iterations holds in any two of what is in them."""
    return team.threads[0] if team.threads else None


def _is_one_value(team: Team, p: Named, q: Named) -> bool:
    """Whether both are one place in one iteration of all loops around both."""
    if p.place is None or q.place is None or p.place.loops != q.place.loops:
        return False
    x, y = p.place.access, q.place.access
    if not are_in_one(x, y):
        return False
    if any((s.index - t.index).constant != 0 for s, t in zip(x.subscripts, y.subscripts, strict=True)):
        return False
    loaded = {s.origin.access.object for t in x.subscripts for s in t.index.symbols if isinstance(s.origin, Loaded)}
    return not any(s.occurrence.write and s.occurrence.access.object in loaded for s in team.steps)
