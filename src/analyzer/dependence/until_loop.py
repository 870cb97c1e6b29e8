"""A function up to the end of one nest: what it does later says nothing of what the nest finds.

*Decides*: the function with the statements that run before the nest, or in it; None where others may run before it as
well: behind a `goto`, a call that returns twice, or code that is not understood.

    new = malloc(...); for (i...) new[i] = s->a[at[i]];  free(s->a);  s->a = new;      ->  without the last two
"""

from msgspec.structs import replace

from models.expr.nodes import remembered

from ..ir.c_library import RETURNS_TWICE
from ..ir.nodes import Branch, Call, Exit, Function, Loop, Statement, evaluated, every_statement


def until(function: Function, nest: Loop) -> Function | None:
    """Example: see the module."""
    cut = _until(function.body, nest) if _goes_forward(function) else None
    return None if cut is None or cut == function.body else replace(function, body=cut)


@remembered("_goes_forward")
def _goes_forward(function: Function) -> bool:
    """Whether what stands behind a nest runs after it: asked for each nest of the function."""
    every = every_statement(function)
    if not function.complete or any(isinstance(s, Exit) and s.kind == "goto" for s in every):
        return False
    return RETURNS_TWICE.isdisjoint(e.name for s in every for e in evaluated(s) if isinstance(e, Call))


def _until(body: tuple[Statement, ...], nest: Loop) -> tuple[Statement, ...] | None:
    for k, s in enumerate(body):
        if s is nest or (isinstance(s, Loop) and s.key == nest.key):
            return body[: k + 1]
        if isinstance(s, Branch):
            if (then := _until(s.then, nest)) is not None:
                return (*body[:k], replace(s, then=then))
            if (otherwise := _until(s.otherwise, nest)) is not None:
                return (*body[:k], replace(s, otherwise=otherwise))
    return None
