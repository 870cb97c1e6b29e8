"""Marks: elements that an iteration sets to know what it has seen, and that say nothing to the others.

*Decides*: whether all that a loop does with an array of integers is to mark elements and to ask for them. By iteration:
each marks with another value, and asks for that alone. With numbers: what is set is set back behind all that ask.
That an iteration finds no mark of its own to begin with is for others to suppose (`scratch`).
*Errs toward* no: values that are used for anything else than a comparison.

    for (i...) for (e...) if (mark[to[e]] != i) { mark[to[e]] = i; count++; }                                ->  yes
    for (i...) { ... if (!seen[k]) { seen[k] = 1; list[n++] = k; } ... while (n) seen[list[--n]] = 0; }      ->  yes
    for (i...) for (e...) if (mark[to[e]] < 0) mark[to[e]] = n++; else y[mark[to[e]]] += x[e];               ->  no
"""

from collections import Counter
from collections.abc import Iterator

from ..access.accesses import Occurrence
from ..ir.nodes import Access, Branch, Expression, Load, Operation, evaluated, statements, unconverted
from ..ir.polynomials import ZERO, Poly
from ..source.ctypes import Integer
from .ordering import never_zero
from .scope import Scope
from .short_circuit import polynomial


def are_marks(scope: Scope, found: tuple[Occurrence, ...]) -> bool:
    """Whether the accesses to one array are to marks. Example: see the module."""
    if not all(isinstance(o.access.type, Integer) and not o.access.bits for o in found):
        return False
    writes, reads = ([o for o in found if o.write is kind] for kind in (True, False))
    stored = [None if o.stored is None else polynomial(o.stored) for o in writes]
    asked = _compared(scope)
    known = [asked.get(r.access) for r in reads]
    if not writes or not reads or None in stored or None in known:
        return False
    values, wanted = set(stored), {value for each in known for value in each or ()}
    if len(values) == 1 and wanted == values:
        (mark,) = values
        return mark is not None and never_zero(scope.difference(mark, mark), scope.distance)
    numbers = all(v is not None and v.constant is not None for v in values | wanted)
    return numbers and len(values) == 2 and max(w.position for w in writes) > max(r.position for r in reads)


def _compared(scope: Scope) -> dict[Access, set[Poly | None]]:
    """What is read from memory only to be compared, with what."""
    found: dict[Access, set[Poly | None]] = {}
    used: Counter[Access] = Counter()
    for s in statements(scope.loop.body):
        used.update(e.access for e in evaluated(s) if isinstance(e, Load))
        for access, other in _comparisons(s.condition) if isinstance(s, Branch) else ():
            found.setdefault(access, set()).add(other)
    return {access: values for access, values in found.items() if used[access] == 1}


def _comparisons(condition: Expression) -> Iterator[tuple[Access, Poly | None]]:
    plain = unconverted(condition)
    match plain:
        case Load(access=access):
            yield access, ZERO
        case Operation(operator="==" | "!=" | "<" | ">" | "<=" | ">=", arguments=(left, right)):
            for one, other in ((left, right), (right, left)):
                if isinstance(read := unconverted(one), Load):
                    yield read.access, polynomial(other)
        case Operation(arguments=arguments):
            for argument in arguments:
                yield from _comparisons(argument)
        case _:
            pass
