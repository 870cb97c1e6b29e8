"""Data of a construct that runs on a device: what has to be there, and what has to come back.

*Decides*: whether a construct with `map` clauses of its own uses memory behind a pointer that none of them names;
whether it stores to what is only copied to the device, or reads what is not copied there, before it stores to it
(OpenMP 5.2 5.8; OpenACC 3.3 2.7).
*Errs toward* silence: names that any other directive of the file gives to the device are left out, and constructs
without such clauses, which use what is there.

    #pragma omp target map(to: a[0:n])     { for (...) a[i] = 0; }       ->  the stores are lost: map(from: a)
    #pragma omp target map(from: a[0:n])   { for (...) a[i] += 1; }      ->  no values: map(to: a)
    #pragma omp target map(to: b[0:n])     { for (...) a[i] = b[i]; }    ->  a is not there: map(a)
"""

from collections.abc import Iterator

from ..facts.directives import NOT_MAPPED
from ..source.ctypes import Pointer
from .copies import Lack, is_certain
from .directive import Directive, is_of_device
from .recorded import Extent, Recorded, Step
from .sharing import Definitions, base_name, variable_of

IN, OUT = frozenset(("to", "tofrom", "copy", "copyin")), frozenset(("from", "tofrom", "copy", "copyout"))
OTHERWISE = (
    *("is_device_ptr", "has_device_addr", "use_device_ptr", "deviceptr", "present", "attach"),
    *("private", "firstprivate", "reduction"),
)
"""Clauses after which a name means something on the device in another way."""

_OPENACC = ("copy", "copyin", "copyout", "create")


def mapped(directive: Directive) -> dict[str, str]:
    """How the construct maps each name: `to`, `from`, `tofrom`, `alloc` ..., or as OpenACC calls it."""
    found: dict[str, str] = {}
    for clause in directive.named("map", *_OPENACC):
        kind = clause.modifier.split(",")[-1].strip() or "tofrom" if clause.name == "map" else clause.name
        for name in clause.names:
            known = found.get(name)
            found[name] = "tofrom" if known not in (None, kind) else kind
    return found


def unmapped(record: Recorded, extent: Extent, elsewhere: frozenset[str], here: Definitions) -> Iterator[Lack]:
    """What one construct on a device lacks. `elsewhere`: names that other directives give to the device."""
    directive = extent.entered.construct.directive
    given = mapped(directive)
    if not given or not is_of_device(directive):
        return
    steps = [s for s in record.steps if extent.first <= s.at < extent.end and s.call is None]
    own = [s for s in steps if _is_written_here(extent, s, here)]
    calls = any(extent.first <= s.at < extent.end and s.call is not None for s in record.steps)
    for name in dict.fromkeys(base_name(s.occurrence.access.text) for s in own):
        uses = [s for s in own if base_name(s.occurrence.access.text) == name and s.occurrence.access.subscripts]
        if not uses or name in elsewhere or name in directive.lists(*OTHERWISE):
            continue
        why = _why(extent, given.get(name), name, uses)
        if given.get(name) is None and (calls or not _is_behind_a_pointer(own, name)):
            why = ""
        if why:
            clause = f"map(tofrom: {name})" if directive.family == "omp" else f"copy({name})"
            yield Lack(clause, why, NOT_MAPPED)


def _why(extent: Extent, kind: str | None, name: str, uses: list[Step]) -> str:
    """In words, what is wrong with how a name is mapped; empty where nothing is."""
    if kind is None:
        return f"`{name}` is not on the device (line {uses[0].line})"
    store = next((s for s in uses if s.occurrence.write), None)
    if kind in IN - OUT and store is not None:
        return f"what line {store.line} stores to `{name}` does not come back"
    if kind not in IN and not uses[0].occurrence.write and is_certain(extent, uses[0]):
        return f"`{name}` has no values on the device where line {uses[0].line} reads it"
    return ""


def _is_written_here(extent: Extent, step: Step, here: Definitions) -> bool:
    """Whether the function of the construct itself names it."""
    place, c = step.occurrence.access.place, extent.entered.construct
    return place.path == c.path and here(place.path, place.line) == here(c.path, c.line)


def _is_behind_a_pointer(steps: list[Step], name: str) -> bool:
    """Whether the name is a pointer that was set outside of the construct."""
    used = (v for s in steps if (v := variable_of(s)) is not None and v.name == name and not s.occurrence.write)
    stored = any((v := variable_of(s)) is not None and v.name == name and s.occurrence.write for s in steps)
    return not stored and any(isinstance(v.type, Pointer) for v in used)

