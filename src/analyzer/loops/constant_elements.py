"""Elements of tables of constants: `static const int offset[3] = {0, 4, 8};`.

*Decides*: the number that a read of such an element gives, where the table is declared `const` at file scope with a
plain list of numbers, and a number selects the element; those that the list leaves out are 0.
*Errs toward* nothing known: tables that are only `static`, be it that nobody sets them; elements read as another type.

    x[i + offset[1]] = y[i];        ->  x[i + 4]
"""

from ..ir import nodes as ir
from ..ir.polynomials import number
from ..source.ctypes import Array, Integer
from ..source.literals import wrap
from .context import Context
from .values import IntegerValue


def value(ctx: Context, access: ir.Access) -> IntegerValue | None:
    """What a read of memory gives, where it is of such an element. Example: see the module."""
    match access:
        case ir.Access(object=ir.Declared(variable=variable), subscripts=(place,), field="", offset=0, bits=None):
            pass
        case _:
            return None
    match variable:
        case ir.Variable(scope="global", name=name, type=Array(element=Integer() as held, length=int() as length)):
            table, at = ctx.unit.tables.get(name), place.index.constant
        case _:
            return None
    whole = access.type == held and place.stride is not None and place.stride.constant == held.size
    if table is None or at is None or not (held.is_lasting and whole and 0 <= at < length):
        return None
    return IntegerValue(number(wrap(table[at], held) if at < len(table) else 0))
