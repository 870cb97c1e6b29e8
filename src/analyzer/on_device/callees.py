"""The functions that a loop calls, which a device has to have, too.

*Decides*: the definitions that have to be compiled for the device, each in the file of the loop, and only with memory
that their parameters lead to.
*Refuses*, in words: functions that are not seen, or are defined elsewhere; those that use variables of the file; calls
of the C library that no device has (input, output, memory).
"""

from collections.abc import Iterator

from ..base.regex import regex
from ..clauses.site import Site
from ..counts.nest import Nest
from ..facts.on_device import Called
from ..ir.c_library import is_known
from ..ir.nodes import Call, evaluated, statements
from ..source.unit import Definition
from .maps import RefusedError

_OF_HOSTS = regex(
    r"omp_|gsl_|[hn]to[hn]|to(lower|upper)$|is(al|blank|cntrl|digit|graph|lower|print|punct|space|up|x)"
)
"""Known functions of the run time, of other libraries, and of characters and byte orders."""


def callees(site: Site, nest: Nest) -> tuple[Called, ...]:
    """Example: `double sq(double x) { return x*x; }` of `a[i] = sq(b[i])`. RefusedError where one cannot go there."""
    _refuse_calls(nest)
    _refuse_others(site, site.mentioned)
    return tuple(sorted(_called(site), key=lambda c: (c.place.line, c.place.column)))


def _called(site: Site) -> Iterator[Called]:
    for definition in site.callees:
        _refuse(site, definition)
        yield Called(definition.name, definition.place, definition.end_line)


def _refuse(site: Site, definition: Definition) -> None:
    name = definition.name
    if definition.place.path != site.definition.place.path:
        raise RefusedError(f"`{name}`, which it calls, is defined in {definition.place.path}")
    if name == site.definition.name:
        raise RefusedError(f"`{name}` calls itself in it")
    _refuse_others(site, site.program.uses(definition))
    variables = sorted(site.program.uses(definition) & site.unit.globals_.keys())
    if variables:
        raise RefusedError(f"`{name}`, which it calls, uses `{variables[0]}` of the file")


def _refuse_others(site: Site, names: frozenset[str]) -> None:
    """Functions that are only declared, and that the counts may leave out."""
    for name in sorted(names & site.unit.prototypes.keys() - site.unit.definitions.keys()):
        if not _is_on_devices(name) and site.visible.get(name) is None:
            raise RefusedError(f"`{name}`, which it calls, is none of a device")


def _is_on_devices(name: str) -> bool:
    """Whether devices have a function of the C library: those of numbers alone."""
    return is_known(name) and _OF_HOSTS.match(name) is None


def _refuse_calls(nest: Nest) -> None:
    calls = (e for s in statements(nest.loop.body) for e in evaluated(s) if isinstance(e, Call))
    for call in calls:
        if not call.known or not _is_on_devices(call.name):
            raise RefusedError(f"`{call.name}`, which it calls, is none of a device")
