"""Arrays that would be distinct, were a condition true that somebody can test: what it is called where the loop begins.

*Decides*: for two accesses of which the code does not say whether they may meet, the conditions `distinct(a,b)` under
which they do not, by the names of pointers and tables before the loop.
*Errs toward* None: where the code says that they meet, where the loop sets a pointer on the way to one of them (but for
entries that each iteration has for itself, to memory of its own), and for links from one structure to another one of
its kind.

    q = nodes + list[i]; q->sum += table[q->kind].x[k].sum;        ->  distinct(nodes,table[].x)
"""

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from models.expr.nodes import remembered

from ..base.regex import regex
from ..ir.members import row_part
from ..ir.nodes import (
    Access,
    Anything,
    Assign,
    Declared,
    Held,
    Loop,
    Object,
    Pointee,
    Returned,
    Rows,
    Use,
    Variable,
    evaluated,
    statements,
)
from ..ir.pointer_roots import root
from ..ir.reasons import AssumptionKind
from ..memory.access_text import all_of_table, holder, loaded_text, object_text, pointer_text
from ..memory.alias import UNKNOWN, Assumed, Overlap, Relation, c_text
from ..memory.tables import unversioned
from ..source.ctypes import Pointer, Record, element

if TYPE_CHECKING:
    from .scope import Scope

_NOBODY = ""
"""The owner of pointers that stand in no structure."""


def supposed_apart(scope: "Scope", a: Access, b: Access) -> Relation | None:
    """That the arrays of two accesses are distinct, as a condition; None where the code says that they meet, or
    where the loop sets a pointer on the way to one of them."""
    needed: set[Assumed] = set()
    linked = _are_linked(scope, a, b) and not (scope.is_steady(a.object) and scope.is_steady(b.object))
    settled = not linked and (not scope.moves_pointers or _leaves_ways_to(scope, a, b))
    pairs = list(product(_named(scope, a), _named(scope, b))) if settled else []
    for (x, first), (y, second) in pairs:
        told = scope.told_apart(replace(a, object=x), replace(b, object=y)) if x != y else UNKNOWN
        if told.overlap is not Overlap.UNKNOWN:
            needed |= set(told.assumptions)
        elif first == second or not (_is_gathered(scope, x) or _is_gathered(scope, y) or _differ(scope, x, y)):
            return None
        else:
            names = sorted((_in_all_iterations(scope, x, first), _in_all_iterations(scope, y, second)))
            needed.add((AssumptionKind.DISTINCT, ",".join(names)))
    listed = sorted(needed)
    return Relation(Overlap.ASSUMED, listed[0], tuple(listed[1:])) if listed else None


def _leaves_ways_to(scope: "Scope", a: Access, b: Access) -> bool:
    return all(scope.leaves_way_to(each, beside_new=True) for each in (a, b))


def _differ(scope: "Scope", x: Object, y: Object) -> bool:
    """Whether two objects may be different ones, in whatever iterations."""
    older = not scope.fresh(x) and not scope.fresh(y)
    several = older and len(scope.known.targets(x) | scope.known.targets(y)) > 1
    if not several or scope.known_here.are_led_together(x, y, surely=True):
        return False
    return not scope.known_here.by_two_names(x, y) or _are_in_two_structures(scope, x, y)


def _are_in_two_structures(scope: "Scope", x: Object, y: Object) -> bool:
    """Whether the pointers to two objects, members of a union by their types, are those of two structures that no
    iteration changes: `image[out].data.f` and `image[in].data.b`, for the same number the same pointer. (Not `v->y` and
    `v->all[1]`, which are one pointer in any case.)"""
    used = [list({row_part(o.access) for o in scope.occurrences if o.access.object == each}) for each in (x, y)]
    if not (scope.is_steady(x) and scope.is_steady(y)) or any(len(rows) != 1 for rows in used):
        return False
    (one,), (two,) = used
    return one != two and len(one) == len(two)


def _is_gathered(scope: "Scope", x: Object) -> bool:
    """Whether each iteration reads a pointer of its own from a table: to an element of whatever array, and of that to
    any member."""
    return isinstance(x, Rows) and _owner(scope, x) == _NOBODY and not scope.fresh(x) and not scope.is_steady(x)


def _in_all_iterations(scope: "Scope", x: Object, text: str) -> str:
    """The name of all that they reach by a pointer that is another one in each iteration, or by several of a table:
    `p[].rows` for `p[i].rows`, `x[]` for `x[0]` and `x[1]`."""
    rows = {row_part(o.access) for o in scope.occurrences if o.access.object == x}
    return text if scope.is_steady(x) and len(rows) < 2 else all_of_table(text)


def _named(scope: "Scope", access: Access) -> list[tuple[Object, str]]:
    """What an access may be in, by names that mean something where the loop begins: one where its own text has one,
    else all that its pointer may lead to; none where one of those has no such name."""
    own = pointer_text(access, scope.loop)
    handed = _handed_pointer(scope, access.object)
    calls = own is not None and handed is not None and _CALL.search(own) is not None
    if own is not None and not calls and not scope.fresh(access.object) and own != _call(access.object):
        return [(access.object, _as_named_here(scope, access.object, own))]
    if handed is not None:
        return [(access.object, handed)]
    if (given := _given_in_all(access.object)) is not None:
        return [(access.object, given)]
    targets = sorted(scope.known.targets(access.object), key=c_text)
    named = [(t, text) for t in targets if (text := _led_to(scope, t)) is not None]
    return named if len(named) == len(targets) else []


def _led_to(scope: "Scope", x: Object) -> str | None:
    """The name of what a pointer may lead to; behind what a call returned that is the member that the loop reads."""
    if not isinstance(x, Pointee | Rows):
        return None
    behind_call = isinstance(root(x), Anything)
    return loaded_text(scope.loop, x) if behind_call else object_text(scope.loop, x)


_CALL = regex(r"[\w)]\(")
"""In the text of a pointer, that of a call: what that returned has the name of the variable that holds it."""


def _call(x: Object) -> str | None:
    """The call that returned the memory, which is no name of it."""
    return c_text(x) if isinstance(x, Anything) and isinstance(x.pointer, Returned) else None


def _given_in_all(x: Object) -> str | None:
    """The call that gives the pointer in all iterations, and before the loop."""
    match x:
        case Anything(text=text, pointer=Returned(in_all_iterations=True)):
            return text
        case _:
            return None


def _handed_pointer(scope: "Scope", x: Object) -> str | None:
    """The variable that holds the pointer to memory, where a function gets it in the loop, `read(p, i)`, or where that
    is a member of what a call returned."""
    if not isinstance(x, Anything | Rows):
        return None
    behind = x.base if isinstance(x, Rows) else x
    if not isinstance(behind, Anything) or behind.pointer is None or scope.fresh(x):
        return None
    used = (e.variable for s in statements(scope.loop.body) for e in evaluated(s) if isinstance(e, Use))
    holding = (v for v in used if _holds(scope, v, x) and not v.inlined and v.key not in scope.assigned)
    return next((v.name for v in holding if v.scope in ("local", "parameter")), None)


def _holds(scope: "Scope", variable: Variable, x: Anything | Rows) -> bool:
    """Whether a pointer leads to memory, and to no other."""
    match x:
        case Anything(pointer=Held(variable=held)):
            return held == variable
        case _:
            return scope.known.led.get(variable.key) == frozenset({x}) or holder(scope.loop, x) == variable


def _are_linked(scope: "Scope", a: Access, b: Access) -> bool:
    """Whether the structures of two accesses are of one kind, or one holds the other, so that a link leads from one to
    another one: not where they have no pointers, nor where those on the way stand in structures of other kinds."""
    x, y = a.structure, b.structure
    if x is None or y is None or not x.may_be_part(y) or {x.key, y.key} <= scope.known.plain:
        return False
    owners = [_owner(scope, each.object) for each in (a, b) if isinstance(each.object, Rows)]
    return not owners or any(owner is None or owner in {x.key, y.key, *x.holds, *y.holds} for owner in owners)


def _owner(scope: "Scope", x: Rows) -> str | None:
    """The kind of the structures in which the pointers to memory stand, `_NOBODY` where that is a table of pointers;
    None where it is not known."""
    match x.base:
        case Rows() as table if not x.field:
            return _owner(scope, table)
        case Pointee(variable=Variable(type=Pointer(target=held_in))) | Declared(variable=Variable(type=held_in)):
            inner = element(held_in)
            return inner.key if isinstance(inner, Record) else _NOBODY if isinstance(inner, Pointer) else None
        case base:
            return scope.owners.get((unversioned(base), x.field))


def _as_named_here(scope: "Scope", x: Object, text: str) -> str:
    """The text of a pointer in a structure of the function: a function that gets its value has another name for it."""
    base, name = root(x), _FIRST_NAME.search(text)
    if not isinstance(x, Rows) or not isinstance(base, Declared | Pointee) or base.variable.inlined or name is None:
        return text
    own = name[0] == base.variable.name if isinstance(base, Declared) else name[0] not in _names_of_callees(scope.loop)
    return text if own else object_text(scope.loop, x)


_FIRST_NAME = regex(r"[A-Za-z_]\w*")


@remembered("_names_of_callees")
def _names_of_callees(loop: Loop) -> frozenset[str]:
    """The variables of functions that are called in the loop."""
    targets = (s.target for s in statements(loop.body) if isinstance(s, Assign))
    return frozenset(t.name for t in targets if isinstance(t, Variable) and t.inlined)
