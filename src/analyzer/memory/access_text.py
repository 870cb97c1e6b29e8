"""An access as the program writes it, taken apart: the pointer, and the subscripts behind it.

    s->a[i + 1].x   ->  `s->a` and `i + 1`
    h->v[k]         ->  `h`, `0` and `k`: an array inside of what h points to
    all->a[i]       ->  `s->a` where the loop begins, if `all` is a parameter of an inlined function that gets s

*Does not handle*: `*p` and `(*p).x`, of which the text has no subscript.
"""

import re

from msgspec import Struct

from models.expr.nodes import remembered

from ..ir.nodes import Access, Assign, Declared, Expression, Load, Loop, Use, Variable, statements
from .alias import c_text


class Written(Struct, frozen=True):
    """`subscripts`: one for each subscript of the access that follows no pointer of a table, outer first; `member`:
    what stands behind the last of them."""

    pointer: str
    subscripts: tuple[str, ...]
    member: str


def written(access: Access, loop: Loop) -> Written | None:
    """The parts of the text of an access in a loop, where that begins; None where it does not show each subscript."""
    text, subscripts, members = access.text, [], []
    for _ in range(sum(not s.row_pointer for s in access.subscripts)):
        bare = re.sub(r"(\.\w+)+$", "", text)
        start, arrow = _last_group(bare), re.search(r"->\w+$", bare)
        if start is None and arrow is None:
            return None
        end = start if start is not None else arrow.start() if arrow is not None else 0
        subscripts.append(bare[end + 1 : -1] if start is not None else "0")
        members.append(text[len(bare) if start is not None else end :])
        text = text[:end]
    if not subscripts or text[:1] in ("*", "&", ""):
        return None
    return Written(_outside(loop, access, text), tuple(reversed(subscripts)), members[0])


def pointer_text(access: Access, loop: Loop) -> str | None:
    """What an access is in, as C has it: the variable that is the array or structure itself, or else the pointer
    before the subscripts: `u` of `u[i]`, `rows[0]` of `rows[0][i].x`, `s` of `s->n`; None where its text names none
    (`*p++`)."""
    if isinstance(access.object, Declared):
        return access.object.variable.name
    found = written(access, loop)
    return None if found is None else found.pointer


def _outside(loop: Loop, access: Access, pointer: str) -> str:
    """The text of a pointer in the names that mean the same where the loop begins: a variable that each iteration sets
    anew to another one, or to what a place in memory holds, is written as that; for others the object is named."""
    names, again = _own_names(loop), len(_own_names(loop))
    while (found := re.match(r"[A-Za-z_]\w*", pointer)) is not None and found[0] in names:
        text, again = names[found[0]], again - 1
        if text is None or again < 0:
            return c_text(access.object)
        pointer = text + pointer[found.end() :]
    return pointer


@remembered("_own_names")
def _own_names(loop: Loop) -> dict[str, str | None]:
    """The variables of an iteration by name, with what they are set to: parameters of inlined functions, and what its
    declarations set. None: several values, or none that has a text."""
    found: dict[str, set[str | None]] = {}
    for s in statements(loop.body):
        match s:
            case Assign(target=Variable(name=name, scope="local", loops=loops), value=value) if loop.key in loops:
                found.setdefault(name, set()).add(_place_text(value))
            case _:
                pass
    return {name: texts.pop() if len(texts) == 1 else None for name, texts in found.items()}


def _place_text(value: Expression) -> str | None:
    match value:
        case Use(variable=Variable(name=name)):
            return name
        case Load(access=access) if re.match(r"[A-Za-z_]", access.text):
            return access.text
        case _:
            return None


def _last_group(text: str) -> int | None:
    """Where the subscript at the end of a text begins."""
    depth = 0
    for k in range(len(text) - 1, -1, -1):
        depth += (text[k] == "]") - (text[k] == "[")
        if not depth:
            return k if text[k] == "[" else None
    return None
