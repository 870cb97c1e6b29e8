"""Names in formulas for values that are not followed: that of the variable that holds the value.

*Decides*: `kept_as`: the name of a fresh value by the first variable that it is assigned to (`n` after
`int n = atoi(argv[1]);`, not `atoi(argv[1])`; `a` after `double *a = malloc(...);`); `version`: the name of what a
variable may hold after a call; `merged_as`: after two branches.
The plain name goes to one value of a local variable, made outside of loops; every other one is `n@LINE`.
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..ir import formula_names
from ..ir.nodes import Allocated, Computed, OfFloating, Variable
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import program
from .values import Address, IntegerValue, Value

if TYPE_CHECKING:
    from .context import Context


def kept_as(ctx: "Context", variable: Variable, value: Value | None, line: int) -> Value | None:
    """The value with the name of the variable that it is assigned to, if it has none yet. It stays the same value:
    symbols and objects are told apart by their keys. Example: see the module."""
    if variable.key in ctx.temporaries:
        return value
    match value:
        case IntegerValue(poly=poly, wraps=wraps, truth=truth):
            more = poly.constant_term
            fresh, origin = _fresh(poly - more) or (None, None)
            if fresh is None or origin is None or (more and origin.meaning is not None):
                return value
            key = ctx.key() if more else fresh.number
            name = version(ctx, variable, line, key)
            ends = (None if end is None else end + more for end in (fresh.low, fresh.high))
            moved = {fresh: symbol(program(key, name, replace(origin, reason=name), *ends)) - more}
            kept = tuple(replace(w, value=w.value.substitute(moved)) for w in wraps)
            return IntegerValue(poly.substitute(moved), kept, truth)
        case Address(object=Allocated() as made) if _may_be_named(ctx, made):
            name = version(ctx, variable, line, made.key)
            return replace(value, object=replace(made, name=name, depth=len(ctx.frames)))
        case _:
            return value


def version(ctx: "Context", variable: Variable, line: int, key: int) -> str:
    """The name of the value with this key that the variable gets in this line."""
    name = variable.name
    if not _is_own(ctx, variable) or ctx.named.setdefault(name, key) != key:
        return formula_names.version(name, line)
    return name


def merged_as(ctx: "Context", variable: Variable, line: int, values: tuple[Value | None, ...], key: int) -> str:
    """The name of the value with this key that takes the place of `values`, which two branches gave the variable: it
    has theirs where no loop was there to use it."""
    holder = ctx.named.get(variable.name)
    if _is_own(ctx, variable) and holder is not None and holder > ctx.last_loop and holder in map(_key, values):
        ctx.named[variable.name] = key
    return version(ctx, variable, line, key)


def _is_own(ctx: "Context", variable: Variable) -> bool:
    """Whether the plain name may mean a value made here: that of a parameter or global is the one on entry, and in a
    loop each iteration makes another one."""
    name = variable.name
    shadowed = ctx.frames[0][0].get(name, variable).scope == "parameter" or name in ctx.unit.globals_
    return variable.scope == "local" and not shadowed and not ctx.loops and len(ctx.frames) == 1


def _fresh(value: Poly) -> tuple[Symbol, Computed] | None:
    """The symbol that is the whole value, where its name is still the expression that it was computed by."""
    match value.terms:
        case (((Symbol(name=name, origin=Computed() as origin) as s,), 1),) if (
            name == origin.reason or isinstance(origin.meaning, OfFloating)
        ):
            return None if name.isidentifier() else (s, origin)
        case _:
            return None


def _may_be_named(ctx: "Context", made: Allocated) -> bool:
    """Memory is named once, and once more where the function that allocated it was called."""
    return not made.name or (len(ctx.frames) < made.depth and not ctx.loops)


def _key(value: Value | None) -> int | None:
    match value:
        case IntegerValue(poly=poly) if len(poly.terms) == 1 and len(poly.terms[0][0]) == 1:
            return poly.terms[0][0][0].number
        case _:
            return None
