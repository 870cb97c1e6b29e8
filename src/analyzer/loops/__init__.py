"""From C syntax to the loop IR."""

from ..ir.nodes import Function
from ..source.unit import Definition, Unit


def lower_function(
    unit: Unit, definition: Definition, supposing: bool = False, not_followed: frozenset[int] = frozenset()
) -> Function:
    """The IR of one function definition. Everything C can say is either in it or `Refused` with a reason.

    `supposing`: with calls that are taken to be pure and error paths that are taken not to be entered
    (`suppositions`), each marked in the IR; `not_followed`: calls, by `id`, of functions that are seen, and taken to be
    independent as well. Raises only on our own bugs (the caller keeps the rest of the run).
    Example: the function `void f(int n, float *a) { for (int i = 0; i < n; i++) a[i] = 0; }` becomes one `Loop` with
    trip `n` whose body stores to `Pointee(a)` at subscript k.
    """
    from . import effects
    from .lower import lower_definition

    return lower_definition(unit, definition, True, not_followed) if supposing else effects.lowered(unit, definition)


__all__ = ["lower_function"]
