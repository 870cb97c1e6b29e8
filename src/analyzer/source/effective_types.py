"""Which types one object in memory may be accessed as (C11 6.5p7).

*Decides*: for two types, whether an access of one is surely to another object than an access of the other.
*Errs toward* that it may be one object: for characters, which may be part of anything, unions and unknown types.

    double, int     ->  different objects
    char, int       ->  maybe one
    _Bool, int      ->  different objects: it is no character type
    int *, int **   ->  different objects
    struct row *, struct cell *     ->  different objects
    void *, int **  ->  maybe one
    struct { char tag[8]; }, int       ->  different: what is copied is no `char` but a structure without an `int`
"""

from collections.abc import Collection
from typing import TypeAlias

from .ctypes import Complex, CType, Floating, Integer, Pointer, Record, element

Target: TypeAlias = tuple[str, ...]
"""What kind of thing a pointer leads to, as far as that is known: `("structure", "struct row")`, `("structure",)`,
`("number", "floating 8")`, `("pointer",)`; empty where it may be anything."""


def differ_in_type(a: CType, b: CType) -> bool:
    """Whether C forbids one object to be accessed as both: scalars of different kind or size, none of them `char`;
    pointers to different types, none of them `void *` or `char *`, as which programs store any pointer. Example: see
    the module."""
    kinds = (_kind(a), _kind(b))
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        return kinds[0] != kinds[1] or are_apart(target_of(a), target_of(b))
    return None not in kinds and kinds[0] != kinds[1]


def are_apart(one: Target, other: Target) -> bool:
    """Whether pointers to the one are never stored as pointers to the other.

    Example: `are_apart(("structure",), ("structure", "struct row"))` is False."""
    return any(a != b for a, b in zip(one, other, strict=False))


def all_apart(one: Target, others: Collection[Target]) -> bool:
    """Whether pointers to the one are stored as none to one of the others."""
    return all(are_apart(one, other) for other in others)


def targets_in(types: Collection[CType]) -> frozenset[Target]:
    """What the pointers among the scalars of a structure lead to: anything, where one of these is not known.

    Example: of `struct { double *x; struct row *next; int n; }` numbers of that size, and rows."""
    pointers = [target_of(t) for t in types if isinstance(t, Pointer)]
    known = all(isinstance(t, Integer | Floating | Complex | Pointer) for t in types)
    return frozenset(pointers) if known else frozenset({()})


def target_of(pointer: Pointer) -> Target:
    """What a pointer leads to. All pointers to pointers are of one kind. A tag that is declared again (in a header that
    is included twice, say) is the same."""
    match element(pointer.target):
        case (Integer() | Floating() | Complex()) as number if (kind := _kind(number)) is not None:
            return ("number", " ".join(map(str, kind)))
        case Record(key=key):
            tag, _, place = key.partition("@")
            return ("structure", tag if tag.strip() not in ("struct", "union") else f"{tag}@{place}")
        case Pointer():
            return ("pointer",)
        case _:
            return ()


def hold_nothing_like(parts: Collection[CType], other: CType) -> bool:
    """Whether a structure with these scalars in it, accessed as a whole, is no part of a scalar of another type, and
    none of them is that. Example: see the module."""
    return all(is_byte(part) != is_byte(other) or differ_in_type(part, other) for part in parts)


def is_byte(type_: CType) -> bool:
    """Whether it is a character type, as which any object may be accessed."""
    return isinstance(type_, Integer) and type_.size == 1 and type_.name != "_Bool"


def _kind(type_: CType) -> tuple[str, int] | None:
    match type_:
        case Integer(size=size):
            return None if is_byte(type_) else ("integer", size)
        case Floating(size=size):
            return ("floating", size)
        case Complex(part=part):
            return _kind(part)  # two of them (C11 6.2.5p13)
        case Pointer(size=size):
            return ("pointer", size)
        case _:
            return None
