"""What clauses do to the variables that they name, outside of their construct: they read and store, too.

    firstprivate(x)                 each thread reads x where the construct begins
    lastprivate(x), reduction(+: x) a thread stores to x where it ends
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ..access.accesses import Where
from .constructs import STARTS_THREADS
from .recorded import Extent, Recorded, Step
from .sharing import Definitions, is_named, variable_of

_AT_END = ("lastprivate", "reduction")


def with_clauses(record: Recorded, here: Definitions) -> Recorded:
    """The steps with those of the clauses, of constructs that threads come to which run already."""
    more = [step for extent in record.entered.values() for step in _of_construct(record, extent, here)]
    return replace(record, steps=tuple(sorted((*record.steps, *more), key=lambda s: s.at))) if more else record


def _of_construct(record: Recorded, extent: Extent, here: Definitions) -> Iterator[Step]:
    entered = extent.entered
    if entered.construct.role in STARTS_THREADS and not any(e.construct.role in STARTS_THREADS for e in extent.around):
        return
    directive = entered.construct.directive
    begins, ends = directive.lists("firstprivate"), directive.lists(*_AT_END)
    seen: set[tuple[str, bool]] = set()
    for step in record.steps:
        variable = variable_of(step) if extent.first <= step.at < extent.end else None
        if variable is None or not is_named(entered, step, variable, here):
            continue
        for names, at, write in ((begins, extent.first, False), (ends, extent.end - 1, True)):
            if variable.name in names and (variable.name, write) not in seen:
                seen.add((variable.name, write))
                yield _outside(step, extent, at, write)


def _outside(step: Step, extent: Extent, at: int, write: bool) -> Step:
    """The access of a clause to the variable outside of its construct, as a whole."""
    o, entered = step.occurrence, extent.entered
    guards = tuple(g for g in o.guards if g.depth <= entered.depth - entered.construct.threads)
    known = [g.arm for g in guards]
    cut = guards[: known.index(entered.arm) + 1] if entered.arm in known else guards
    where = Where(o.loops[: entered.depth - entered.construct.threads], cut)
    access = replace(o.access, subscripts=(), field="", offset=0, size=1, text=_name(step), place=o.access.place)
    position = -(1 << 30) - 2 * at - write
    outer = replace(o, access=access, write=write, position=position, where=where, update=None, stored=None)
    joined = entered.construct.role in STARTS_THREADS  # then the thread that started the others does it
    inside = (*extent.around, entered) if write and not joined else extent.around
    return Step(outer, at, inside, entered.conditions, None, clause=write and not joined)


def _name(step: Step) -> str:
    variable = variable_of(step)
    return "" if variable is None else variable.name
