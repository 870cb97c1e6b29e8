"""Reaching definitions of memory: what may have been the last to change the number that an access reads.

    old = s->n; s->n = k; for (i = old; i < s->n; i++)       the two readings of s->n are two values

*Decides*: which store or call may have changed a place last, before each loop around and at all: two readings with the
same one are one value wherever the loops leave the place alone. *Errs toward* another definition: a call changes
everything, a store what it may overlap, through another pointer too.
"""

from msgspec import Struct, field

from ..ir.members import in_other_bytes
from ..ir.nodes import Access, Declared, Object
from ..source.ctypes import Complex, Floating, Pointer, Record, Unknown

OTHERS = Floating | Complex | Pointer
"""A store of these types cannot change an integer (C11 6.5p7), but for one in the same union. Of floating-point numbers
those are read that integers are made of: `(int)(g->ratio * n)`."""


class Definition(Struct, frozen=True):
    """Number `key` of the function, in this line; `store` None: a call."""

    key: int
    line: int
    store: Access | None


class Reaching(Struct):
    """The last definitions of each place, oldest first. `entered`: those before each of the loops around, outermost
    first."""

    now: dict[object, Definition] = field(default_factory=dict)
    entered: list[dict[object, Definition]] = field(default_factory=list)
    every: list[Definition] = field(default_factory=list)
    """All that were made, also in attempts at a loop that were given up."""
    inside: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Per loop, by key: which of them were made in it."""

    def define(self, line: int, store: Access | None = None) -> None:
        """A store, or a call."""
        if store is not None and isinstance(store.type, Pointer) and not store.field:
            return
        place = None if store is None else (store.object, store.subscripts, store.field, store.offset, store.size)
        made = Definition(len(self.every) + 1, line, store)
        self.every.append(made)
        self.now.pop(place, None)
        self.now[place] = made

    def before_loops(self, read: Access) -> tuple[int, ...]:
        """The keys of what may have defined the place last, before each loop around and before the reading itself; 0:
        it has the value that it had when the function began."""
        return tuple(
            next((d.key for d in reversed(known.values()) if d.store is None or may_change(d.store, read)), 0)
            for known in (*self.entered, self.now)
        )

    def redefined(self, read: Access) -> int:
        """The line of the store that changed the object of the access there last; 0: none did."""
        made = ((d.line, d.store) for d in reversed(self.now.values()) if d.store is not None)
        return next((line for line, store in made if store.object == read.object and may_change(store, read)), 0)


def may_change(store: Access, read: Access) -> bool:
    """Whether a store may change a number that is read, through another pointer too."""
    if isinstance(store.type, OTHERS) and (isinstance(store.type, Pointer) or not isinstance(read.type, Floating)):
        return store.object == read.object and _share_bytes(store, read)
    if store.object == read.object:
        return may_overlap(store, read)
    fits = store.size in (1, read.size) or isinstance(store.type, Record | Unknown | Complex)
    return fits and not (_is_own(store.object) or _is_own(read.object))


def _share_bytes(store: Access, read: Access) -> bool:
    """Whether two members of one object lie in the same bytes: they are those of a union."""
    return len(store.subscripts) == len(read.subscripts) and store.field != read.field and may_overlap(store, read)


def _is_own(object_: Object) -> bool:
    """An array or structure of the function itself, to which no pointer leads."""
    if not isinstance(object_, Declared) or object_.variable.addressed:
        return False
    return object_.variable.scope in ("local", "parameter")


def may_overlap(a: Access, b: Access) -> bool:
    """Whether two accesses to one object can meet: not when they name different members of the same
    elements, be they arrays in whose rows the subscripts stay."""
    if len(a.subscripts) != len(b.subscripts):
        return not in_other_bytes(a, b)
    if a.field != b.field and a.size and b.size:
        return a.offset < b.offset + b.size and b.offset < a.offset + a.size
    gaps = [(x.index - y.index).constant for x, y in zip(a.subscripts, b.subscripts, strict=True)]
    return not any(gap for gap in gaps)
