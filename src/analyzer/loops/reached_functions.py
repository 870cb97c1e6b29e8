"""Which functions a function leads to by the calls in it, as far as they are visible.

    void f(int n) { g(n); }   void g(int n) { if (n) f(n - 1); }        ->  f leads to f and g, and to itself
"""

from collections.abc import Iterator

from ..source.unit import Definition, Unit


def reached(unit: Unit, name: str) -> Iterator[Definition]:
    """The function and all that it leads to, each once."""
    seen, pending = {name}, [name]
    while pending:
        definition = unit.definitions.get(pending.pop())
        if definition is not None:
            yield definition
            pending += sorted(definition.calls - seen)
            seen |= definition.calls


def leads_to_itself(unit: Unit, definition: Definition) -> bool:
    """Whether a function calls itself, or one that leads to it."""
    known: dict[str, bool] = unit.__dict__.setdefault("_leads_to_itself", {})
    name = definition.name
    if name not in known:
        known[name] = any(name in d.calls for d in reached(unit, name))
    return known[name]


def leads_to_recursion(unit: Unit, definition: Definition) -> bool:
    """Whether it, or a function that it leads to, calls itself."""
    return any(leads_to_itself(unit, d) for d in reached(unit, definition.name))
