"""An access as the program writes it, taken apart: the pointer, and the subscripts behind it.

    s->a[i + 1].x   ->  `s->a` and `i + 1`
    h->v[k]         ->  `h`, `0` and `k`: an array inside of what h points to

*Does not handle*: `*p` and `(*p).x`, of which the text has no subscript.
"""

import re

from msgspec import Struct

from ..ir.nodes import Access, Declared


class Written(Struct, frozen=True):
    """`subscripts`: one for each subscript of the access that follows no pointer of a table, outer first; `member`:
    what stands behind the last of them."""

    pointer: str
    subscripts: tuple[str, ...]
    member: str


def written(access: Access) -> Written | None:
    """The parts of the text of an access; None where it does not show each subscript."""
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
    return Written(text, tuple(reversed(subscripts)), members[0])


def pointer_text(access: Access) -> str | None:
    """What an access is in, as C has it: the variable that is the array or structure itself, or else the pointer
    before the subscripts: `u` of `u[i]`, `rows[0]` of `rows[0][i].x`, `s` of `s->n`; None where its text names none
    (`*p++`)."""
    if isinstance(access.object, Declared):
        return access.object.variable.name
    found = written(access)
    return None if found is None else found.pointer


def _last_group(text: str) -> int | None:
    """Where the subscript at the end of a text begins."""
    depth = 0
    for k in range(len(text) - 1, -1, -1):
        depth += (text[k] == "]") - (text[k] == "[")
        if not depth:
            return k if text[k] == "[" else None
    return None
