"""Objects that hold what a `depend` clause says: `depobj`.

*Decides*: what `depend(depobj: d)` of a task means: the clause with which `d` is made, where that is only one, names
variables or elements with a number, and is not updated.
*Errs toward* an item that may be any.

    #pragma omp depobj(d) depend(in: x)    ...    task depend(depobj: d)          ->  task depend(in: x)
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from .directive import Clause, Directive
from .item_texts import is_fixed

ANY = "[?]"
"""What an item ends with that may be any."""


def objects(directives: Iterable[Directive]) -> Mapping[str, Clause | None]:
    """The clause with which each object is made; None where there are several, or it is not always that one."""
    found: dict[str, Clause | None] = {}
    for each in directives:
        name = "".join((each.argument or "").split())
        if each.name == ("depobj",) and not each.has("destroy"):
            clause = next(each.named("depend"), None)
            found[name] = None if name in found or clause is None or not _is_lasting(clause) else clause
    return found


def _is_lasting(clause: Clause) -> bool:
    """Whether it names the same places wherever it is used."""
    return all(item.isidentifier() or is_fixed("".join(item.split())) for item in clause.items)


def with_objects(directive: Directive, made: Mapping[str, Clause | None]) -> Directive:
    """The directive with what the objects that it names stand for. Example: see the module."""
    if not any(c.modifier == "depobj" for c in directive.named("depend")):
        return directive
    return replace(directive, clauses=tuple(x for c in directive.clauses for x in _meant(c, made)))


def _meant(clause: Clause, made: Mapping[str, Clause | None]) -> list[Clause]:
    if clause.name != "depend" or clause.modifier != "depobj":
        return [clause]
    names = ("".join(item.split()) for item in clause.items)
    return [made.get(name) or Clause("depend", f"inout: {name}{ANY}") for name in names]
