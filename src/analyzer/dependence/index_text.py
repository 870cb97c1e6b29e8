"""Values that select what an iteration touches, in C: an index array, or an expression over index arrays.

    y[p[i].next]                          ->  `p[].next`, the values of an array
    y[p[active[i]].next]                  ->  `p[active[i]].next`, in the variable of the loop
    y[k], k = active ? active[i] : i      ->  `active ? active[i] : i`

*Does not handle*: index arrays of several dimensions, choices by anything but whether the pointer of the first arm is
null, loops whose variable does not move by one.
"""

import re

from ..access.subscripts import element_part, row_part
from ..ir.nodes import Access, Computed, Counter, Either, Entry, Loaded, Loop
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import Kind, derived
from ..loops.formula_text import in_variables
from ..memory.access_text import written
from ..memory.alias import member_text

_PLAIN = r"[A-Za-z_\d][\w +*-]*"
_CHOICE = re.compile(rf"\((?P<p>[A-Za-z_]\w*(?:(?:->|\.)\w+)*)\) \? \((?P=p)\[({_PLAIN})\]\) : \(({_PLAIN})\)")
"""`a ? a[i + 1] : i`: names and numbers are its only subscripts."""


def array_text(access: Access) -> str:
    """The values of an index array: `idx`, `s->at`, `p[].next` of an array of structures."""
    found = written(access) if access.field else None
    return member_text(access) if found is None or not found.member else f"{found.pointer}[]{found.member}"


def index_text(s: Symbol, loop: Loop, variable: str) -> str | None:
    """A value that each iteration of the loop reads once, as an expression in the variable of the loop, which is called
    `variable`; None where it is not made of the iteration and of memory alone."""
    match s.origin:
        case Loaded(access=access, loops=(*_, key)) if key == loop.key:
            return _of_element(access, loop, variable)
        case Computed(meaning=Either(text=text), loops=(*_, key)) if key == loop.key:
            return _of_choice(text, loop, variable)
        case _:
            return None


def _of_element(access: Access, loop: Loop, variable: str) -> str | None:
    found, elements = written(access), element_part(access)
    if found is None or len(elements) != 1 or any(s.index.symbols for s in row_part(access)):
        return None
    index = _of_index(elements[0].index, loop, variable)
    return None if index is None else f"{found.pointer}[{index}]{found.member}"


def _of_choice(text: str, loop: Loop, variable: str) -> str | None:
    found = _CHOICE.fullmatch(text)
    if found is None or loop.variable is None:
        return None
    pointer, then, otherwise = found.groups()
    then, otherwise = (re.sub(rf"\b{loop.variable}\b", variable, arm) for arm in (then, otherwise))
    return f"{pointer} ? {pointer}[{then}] : {otherwise}"


def _of_index(index: Poly, loop: Loop, variable: str) -> str | None:
    if loop.variable is None or loop.step is None or abs(loop.step.constant or 0) != 1:
        return None
    images: dict[Symbol, Poly] = {}
    for s in index.symbols:
        text = s.name
        if isinstance(s.origin, Entry) and re.fullmatch(r"[A-Za-z_]\w*", text) and loop.key not in s.origin.loops:
            continue
        if not isinstance(s.origin, Counter):
            read = index_text(s, loop, variable)
            if read is None:
                return None
            text = read if isinstance(s.origin, Loaded) else f"({read})"
            images[s] = symbol(derived(Kind.VARIABLE, s, s.origin, text))
        elif s.origin.loop != loop.key:
            return None
    lone = next((s for s in images if index == symbol(s)), None)
    if lone is not None:
        (name,) = images[lone].symbols
        return name.name.removeprefix("(").removesuffix(")") if isinstance(lone.origin, Computed) else name.name
    value = in_variables(index, (loop,))
    names = {s: symbol(derived(Kind.VARIABLE, s, s.origin, variable)) for s in value.symbols if s.name == loop.variable}
    return str(value.substitute({**images, **names}))
