"""An access as the program writes it, taken apart: the pointer, and the subscripts behind it.

    s->a[i + 1].x   ->  `s->a` and `i + 1`
    h->v[k]         ->  `h`, `0` and `k`: an array inside of what h points to
    all->a[i]       ->  `s->a` where the loop begins, if `all` is a parameter of an inlined function that gets s

    (*a)[i]         ->  `a`, `0` and `i`: of the array that a points to
    *(p + i)        ->  `p` and `i`, and so with `(double *) p` for p
    (row[i])[...]   ->  `row`, `i` and `...`: what a function touches that gets `row[i]`

*Does not handle*: `*p`, of which the text has no subscript, and `(p++)->x`.
"""

import re
from collections.abc import Collection

from msgspec import Struct

from models.expr.nodes import remembered

from ..base.regex import regex
from ..ir.nodes import (
    Access,
    Address,
    Anything,
    Assign,
    Declared,
    Expression,
    Held,
    Load,
    Loop,
    Object,
    Returned,
    Rows,
    Use,
    Variable,
    evaluated,
    statements,
    unconverted,
)
from ..ir.polynomials import ZERO, Symbol
from ..source.ctypes import Pointer
from .alias import c_text

BEHIND = "..."
"""The subscript of what a function touches behind its argument."""


class Written(Struct, frozen=True):
    """`subscripts`: one for each subscript of the access that follows no pointer of a table, outer first; `member`:
    what stands behind the last of them."""

    pointer: str
    subscripts: tuple[str, ...]
    member: str


def written(access: Access, loop: Loop) -> Written | None:
    """The parts of the text of an access in a loop, where that begins; None where it does not show each subscript."""
    text, subscripts, members = access.text, [], []
    if text[:2] == "*(" and (sum_ := _sum(text[2:-1])) is not None:
        return _written_as_sum(access, loop, *sum_)
    for _ in range(sum(not s.row_pointer for s in access.subscripts)):
        bare = re.sub(r"(\.\w+)+$", "", text)
        start, arrow = beginning_of_last_group(bare), re.search(r"->\w+$", bare)
        if start is None and arrow is None:
            led_to = _LED_TO.fullmatch(bare)
            if led_to is None:
                return None
            subscripts.append("0")
            members.append(text[len(bare) :])
            text = led_to[1]
            continue
        end = start if start is not None else arrow.start() if arrow is not None else 0
        subscripts.append(bare[end + 1 : -1] if start is not None else "0")
        members.append(text[len(bare) if start is not None else end :])
        text = _argument(text[:end]) if subscripts[-1] == BEHIND else text[:end]
    if BEHIND in subscripts and not isinstance(access.object, Rows):
        text = _GROUPS.sub("", text)  # of an array that is taken for elements of another type
    if not subscripts or text[:1] in ("*", "&", "") or _STEPS.search(text):
        return None
    return Written(_outside(loop, access, text), tuple(reversed(subscripts)), members[0])


_LED_TO = regex(r"\(\*([A-Za-z_][\w.]*(?:->[\w.]+)*)\)")
"""`(*a)` of `(*a)[i]` and `(*p).x`."""


def _written_as_sum(access: Access, loop: Loop, begun: str, index: str) -> Written | None:
    found = _POINTER.fullmatch(begun)
    if found is None or sum(not s.row_pointer for s in access.subscripts) != 1 or access.field:
        return None
    if found["pointer"].isidentifier() and found["pointer"] not in _pointers(loop):
        return None  # `*(i + p)`
    pointer = _outside(loop, access, found["pointer"])
    return Written(f"(({found['type']}) {pointer})" if found["type"] else pointer, (index,), "")


def _argument(text: str) -> str:
    """The argument itself of what a function touches behind it: `row[i]` of `(row[i])[...]`, be it cast, and `row` of
    `(&row[i])[...]`; a sum stays as it is."""
    inner = text[1:-1] if text.endswith("])") and _end_of_group(text) == len(text) else text
    if inner == text or not inner.endswith("]"):
        return text
    plain = _CAST.sub("", inner)
    start = beginning_of_last_group(plain)
    return plain[1:start] if plain[0] == "&" else plain


_STEPS = regex(r"\+\+|--")
"""In the text of a pointer that the access itself moves: `(p++)->x`."""

_GROUPS = regex(r"(?:\[[^\[\]]*\])+\Z")
_CAST = regex(r"\A\([\w ]+\*+\) ")


@remembered("_pointers_used")
def _pointers(loop: Loop) -> frozenset[str]:
    used = (e.variable for s in statements(loop.body) for e in evaluated(s) if isinstance(e, Use))
    return frozenset(variable.name for variable in used if isinstance(variable.type, Pointer))


_POINTER = regex(r"(?P<cast>\(\((?P<type>[\w ]+ \*)\) )?(?P<pointer>[A-Za-z_][\w.\[\]>-]*)(?(cast)\))")
"""`p`, `s->a`, `((double *) p)`."""

_TERM = regex(r" ([+-]) (.*)", re.DOTALL)


def _sum(text: str) -> tuple[str, str] | None:
    """The pointer and the subscript of a sum that begins with a pointer: `p`, and `n - (i + 1)`, of
    `(p + n) - (i + 1)`."""
    if text[:1] == "(" and (end := _end_of_group(text)) < len(text) and not _POINTER.match(text):
        begun = _sum(text[1 : end - 1])
    else:
        found = _POINTER.match(text)
        begun, end = (None, 0) if found is None else ((found[0], ""), found.end())
    term = _TERM.fullmatch(text, end)
    if begun is None or term is None:
        return None
    pointer, index = begun
    return pointer, f"{index} {term[1]} {term[2]}" if index else f"-{term[2]}" if term[1] == "-" else term[2]


def _end_of_group(text: str) -> int:
    """Behind the parenthesis that closes the one at the beginning."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if not depth:
            return k + 1
    return len(text)


def shows_place(access: Access, moving: Collection[Symbol] = ()) -> bool:
    """Whether its text has all subscripts that lead somewhere else than to the first element: `s->w` of `s[2]` is what
    a function wrote that gets a pointer to that. `moving`: those of which these are a part need not be in it."""
    fixed = (s.index for s in access.subscripts if s.index.symbols.isdisjoint(moving))
    return sum(index != ZERO for index in fixed) <= access.text.count("[")


def pointer_text(access: Access, loop: Loop) -> str | None:
    """What an access is in, as C has it: the variable that is the array or structure itself, or else the pointer
    before the subscripts, whatever it is cast to: `u` of `u[i]`, `rows[0]` of `rows[0][i].x`, `s` of `s->n`; None where
    its text names none (`*p++`)."""
    if isinstance(access.object, Declared):
        return scalar_text(access.object.variable)
    found = written(access, loop)
    if found is None:
        return None
    plain = _POINTER.fullmatch(found.pointer)
    name = found.pointer if plain is None else plain["pointer"]
    return c_text(access.object) if _is_inside(access, found.pointer) else name


def all_of_table(pointer: str) -> str:
    """The name of all that the pointers of a table lead to: `x[]` for `x[0]` and `x[1]`, `p[].rows` for `p[i].rows`."""
    return _SUBSCRIPT.sub("[]", pointer)


_SUBSCRIPT = regex(r"\[[^\[\]]*\]")


def _is_inside(access: Access, pointer: str) -> bool:
    """Whether it is no pointer but an array in the structure: `v->c` of `v->c[k]`, where a cast made `v` of another
    pointer, so that one subscript says where all that is."""
    member = re.search(r"(?:->|\.)(\w+)$", pointer)
    return member is not None and not (isinstance(access.object, Rows) and access.object.field.endswith(member[1]))


def scalar_text(variable: Variable) -> str:
    """A variable in a condition: a pointer that is itself memory which the loop may change is `&p`, for `p` is where it
    leads to."""
    return f"&{variable.name}" if isinstance(variable.type, Pointer) else variable.name


def _outside(loop: Loop, access: Access, pointer: str) -> str:
    """The text of a pointer in the names that mean the same where the loop begins: a variable that each iteration sets
    anew to another one, or to what a place in memory holds, is written as that; for others the object is named. So is
    what a sum of a pointer and something else leads to, if it is not the pointer alone."""
    moved = re.match(r"\(+([A-Za-z_]\w*) [+-] ", pointer)
    begins = pointer if moved is None else moved[1]
    return _in_names_before(loop, begins, len(_own(loop))) or object_text(loop, access.object)


def object_text(loop: Loop, x: Object) -> str:
    """What pointers lead to, by names that mean something where a loop begins: `rows[]` for what the pointers of a
    table lead to, a variable for what it holds in all iterations."""
    match x:
        case Rows(base=base, field="", depth=depth):
            inner = base.depth if isinstance(base, Rows) else 0
            return object_text(loop, base) + "[]" * (depth - inner)
        case Anything() if (variable := holder(loop, x)) is not None:
            return variable.name
        case _:
            return c_text(x)


def loaded_text(loop: Loop, x: Object) -> str | None:
    """The member by which a loop reads the pointer to memory, whatever walks over that then: `s->v` for the memory in
    which `p` walks after `p = s->v`; None where no text, or no single one, means the same where the loop begins."""
    texts = _loaded(loop).get((x.base, x.field), frozenset()) if isinstance(x, Rows) else frozenset()
    text = next(iter(texts)) if len(texts) == 1 else ""
    return _in_names_before(loop, text, len(_own(loop))) if _MEMBER.fullmatch(text) else None


_MEMBER = regex(r"[A-Za-z_]\w*(?:(?:->|\.)\w+)+")


@remembered("_loaded")
def _loaded(loop: Loop) -> dict[tuple[Object, str], frozenset[str]]:
    """The texts by which the pointers in members are read, by what holds them."""
    found: dict[tuple[Object, str], frozenset[str]] = {}
    for e in (e for s in statements(loop.body) for e in evaluated(s)):
        if isinstance(e, Load) and e.access.field and isinstance(e.access.type, Pointer):
            key = (e.access.object, e.access.field)
            found[key] = found.get(key, frozenset()) | {e.access.text}
    return found


def holder(loop: Loop, x: Object) -> Variable | None:
    """The variable that holds the pointer to memory in all iterations of a loop, if one does."""
    match x:
        case Anything(pointer=Held(variable=variable)) if x in _held(loop).get(variable, ()):
            return variable
        case Anything(pointer=Returned()):
            return next((variable for variable, objects in _held(loop).items() if objects == {x}), None)
        case _:
            return None


@remembered("_held")
def _held(loop: Loop) -> dict[Variable, frozenset[Object]]:
    """What variables hold that the loop never sets, as its addresses show it."""
    found: dict[Variable, frozenset[Object]] = {}
    assigned = {s.target for s in statements(loop.body) if isinstance(s, Assign)}
    for e in (e for s in statements(loop.body) for e in evaluated(s)):
        if isinstance(e, Address) and e.object is not None:
            used = (u.variable for i in e.index if isinstance(u := unconverted(i), Use))
            pointers = [v for v in used if isinstance(v.type, Pointer)]
            for variable in pointers if len(pointers) == 1 else ():
                if variable not in assigned and not variable.inlined:
                    found[variable] = found.get(variable, frozenset()) | {e.object}
    return found


def _in_names_before(loop: Loop, text: str, steps: int) -> str | None:
    """A text of an access; None where no other text is known to have its value before the loop."""
    found = re.match(r"[A-Za-z_]\w*", text)
    own = [] if found is None else _own(loop).get(found[0], [])
    if found is None or not own:
        return text
    if any(variable.hidden for variable, _ in own):  # the text may mean another one of this name
        return None
    value = _value_text(loop, [value for _, value in own], steps - 1)
    return None if value is None else value + text[found.end() :]


def _value_text(loop: Loop, values: list[Expression], steps: int) -> str | None:
    """The one text of these values before the loop."""
    if len(set(values)) != 1 or steps < 0:
        return None
    match values[0]:
        case Use(variable=variable):
            further = [value for own, value in _own(loop).get(variable.name, ()) if own == variable]
            return _value_text(loop, further, steps - 1) if further else variable.name
        case Load(access=access) if re.match(r"[A-Za-z_]", access.text):
            return _in_names_before(loop, access.text, steps)
        case Address(index=index):
            used = [u.variable for e in index if isinstance(u := unconverted(e), Use)]
            pointers = [variable.name for variable in used if isinstance(variable.type, Pointer)]
            return _in_names_before(loop, pointers[0], steps - 1) if len(pointers) == 1 else None
        case _:
            return None


@remembered("_own")
def _own(loop: Loop) -> dict[str, list[tuple[Variable, Expression]]]:
    """The variables of an iteration by name, with what they are set to: parameters of inlined functions, what its
    declarations set, and those of the function that it sets anew."""
    found: dict[str, list[tuple[Variable, Expression]]] = {}
    for s in statements(loop.body):
        match s:
            case Assign(target=Variable(name=name, scope="local", loops=inside) as target, value=value):
                if loop.key in inside or not s.induction:
                    found.setdefault(name, []).append((target, value))
            case _:
                pass
    return found


def beginning_of_last_group(text: str) -> int | None:
    """Where the subscript at the end of a text begins (4 in `p[i][j + 1]`); None where none stands there."""
    depth = 0
    for k in range(len(text) - 1, -1, -1):
        depth += (text[k] == "]") - (text[k] == "[")
        if not depth:
            return k if text[k] == "[" else None
    return None
