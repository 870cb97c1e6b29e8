"""Copies that threads get without a value, or whose values are lost.

*Decides*: whether a variable in a `private` clause is certainly read before its copy is set, so that `firstprivate` is
meant; and whether what is left in a copy is read after the construct, so that `lastprivate` is meant (OpenMP 5.2 5.4):
where the variable itself never had a value, or where the loop surely sets its copy. *Errs toward* silence: what stands
under a condition is not looked at.

    int k = 3;  #pragma omp parallel for private(k)  for (...) a[i] = k;                   ->  firstprivate(k)
    int k;      #pragma omp parallel for private(k)  for (...) k = i;      use(k);         ->  lastprivate(k)
    int k = 0;  #pragma omp parallel for private(k)  for (...) k = i;      use(k);         ->  lastprivate(k)
"""

from collections.abc import Iterator

from msgspec import Struct

from ..facts.directives import NO_VALUE
from .constructs import Role
from .recorded import Extent, Recorded, Step, two_arms
from .sharing import COPIES, Definitions, is_named, variable_of

DIVIDED = frozenset((Role.TEAM_LOOP, Role.LOOP, Role.SECTIONS, Role.TEAM_SECTIONS))
"""Roles whose directives may have a `lastprivate` clause."""


class Lack(Struct, frozen=True):
    """A clause that a directive lacks, and why, in words; `rule`: of the finding that it is."""

    clause: str
    why: str
    rule: str = NO_VALUE


def lacks(record: Recorded, extent: Extent, here: Definitions) -> Iterator[Lack]:
    """The clauses that one construct lacks for its copies to have values, and to leave them."""
    directive = extent.entered.construct.directive
    names = directive.lists("private", "lastprivate")
    accesses: dict[str, list[Step]] = {name: [] for name in sorted(names)}
    for s in record.steps if names else ():
        variable = variable_of(s)
        if variable is not None and variable.name in accesses and is_named(extent.entered, s, variable, here):
            accesses[variable.name].append(s)
    for name, steps in accesses.items():
        inside = [s for s in steps if extent.first <= s.at < extent.end]
        if not inside or variable_of(inside[0]) is None:
            continue
        first = inside[0]
        if not first.occurrence.write and is_certain(extent, first) and not _may_be_set(record, extent.first, first):
            why = f"`{name}` has no value where its copy is read (line {first.line})"
            yield Lack(f"firstprivate({name})", why)
        elif extent.entered.construct.role in DIVIDED and name not in directive.lists("lastprivate"):
            yield from _lost(record, extent, name, steps)


def _lost(record: Recorded, extent: Extent, name: str, steps: list[Step]) -> Iterator[Lack]:
    before = any(s.at < extent.first for s in steps)
    later = next((s for s in steps if s.at >= extent.end and not _of_another_copy(extent, s, name)), None)
    stores = [s for s in steps if extent.first <= s.at < extent.end and s.occurrence.write]
    if later is None or later.occurrence.write or not stores or _may_be_set(record, extent.end, later):
        return
    if two_arms(extent.entered.conditions, later.conditions):
        return
    variable = variable_of(later)
    if variable is None or variable.scope != "local":
        return
    if before and not is_certain(extent, stores[0]):
        return  # where no iteration sets it, what it was before is meant
    why = f"what the loop leaves in `{name}` is lost, and line {later.line} reads it"
    yield Lack(f"lastprivate({name})", why)


def _may_be_set(record: Recorded, first: int, step: Step) -> bool:
    """Whether a call of what is not seen comes before, from that step on, which may set it through a pointer."""
    return any(s.call is not None and first <= s.at < step.at for s in record.steps)


def _of_another_copy(extent: Extent, step: Step, name: str) -> bool:
    """Whether a construct around the step, which is not around this one, gives its threads copies."""
    around = {each.arm for each in extent.around}
    inner = (each for each in step.inside if each.arm not in around)
    return not step.clause and any(name in each.construct.directive.lists(*COPIES) for each in inner)


def is_certain(extent: Extent, step: Step) -> bool:
    """Whether each thread that comes to the construct does it, where its loops have iterations."""
    return step.conditions == extent.entered.conditions and not step.occurrence.test
