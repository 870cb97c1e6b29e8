"""Copies that threads get without a value, or whose values are lost.

*Decides*: whether a variable in a `private` clause is certainly read before its copy is set, so that `firstprivate` is
meant; and whether what is left in a copy is read after the construct, where the variable itself never had a value, so
that `lastprivate` is meant (OpenMP 5.2 5.4). *Errs toward* silence: what stands under a condition is not looked at.

    int k = 3;  #pragma omp parallel for private(k)  for (...) a[i] = k;                   ->  firstprivate(k)
    int k;      #pragma omp parallel for private(k)  for (...) k = i;      use(k);         ->  lastprivate(k)
"""

from collections.abc import Iterator

from msgspec import Struct

from ..facts.directives import NO_VALUE
from .constructs import Role
from .recorded import Extent, Recorded, Step
from .sharing import Definitions, is_named, variable_of

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
        if not first.occurrence.write and is_certain(extent, first) and not _may_be_set(record, extent, first):
            why = f"`{name}` has no value where its copy is read (line {first.line})"
            yield Lack(f"firstprivate({name})", why)
        elif extent.entered.construct.role in DIVIDED and name not in directive.lists("lastprivate"):
            yield from _lost(extent, name, steps, inside)


def _lost(extent: Extent, name: str, steps: list[Step], inside: list[Step]) -> Iterator[Lack]:
    before = any(s.at < extent.first for s in steps)
    later = next((s for s in steps if s.at >= extent.end), None)
    variable = variable_of(inside[0])
    local = variable is not None and variable.scope == "local"
    if before or later is None or later.occurrence.write or not local or not any(s.occurrence.write for s in inside):
        return
    why = f"what the loop leaves in `{name}` is lost, and line {later.line} reads it"
    yield Lack(f"lastprivate({name})", why)


def _may_be_set(record: Recorded, extent: Extent, step: Step) -> bool:
    """Whether a call of what is not seen comes before, which may set it through a pointer."""
    return any(s.call is not None and extent.first <= s.at < step.at for s in record.steps)


def is_certain(extent: Extent, step: Step) -> bool:
    """Whether each thread that comes to the construct does it, where its loops have iterations."""
    return step.conditions == extent.entered.conditions and not step.occurrence.test
