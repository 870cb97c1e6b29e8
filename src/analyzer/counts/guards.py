"""The branch in which alone a loop uses the values of an index array, as a test in C of one iteration.

*Decides*: what holds whenever the iteration in which the variable of the loop is `k_` uses the values for a store, or
for what such a store of another iteration may meet: a test may leave the others out, of which several may have one
value. (Values that only lead to other arrays or members matter to nobody.) Of `a && b` the parts that C can have where
the loop begins; None where there are none: the uses are not all in one arm of a branch, the loop may write what the
branch asks for, or calls what may ask for the values; or the branch asks for anything but whether an element is, or is
not, a number.
*Errs toward* none, and toward a test that holds too often: the loop is then only run as it was.

    for (i = 0; i < n; i++) if (p[i].type == 5 && p[i].x > 0) y[p[i].slot] = p[i].x;       ->  p[k_].type == 5
"""

from collections.abc import Iterator

from msgspec import Struct

from ..dependence.index_text import index_text
from ..ir.members import row_part
from ..ir.nodes import (
    Access,
    All,
    Anything,
    Branch,
    Call,
    Compare,
    Computed,
    Either,
    Loaded,
    Predicate,
    Statement,
    Subscript,
    accesses_of,
    evaluated,
    negate,
    nested_symbols,
    statements,
)
from ..ir.polynomials import Poly, Symbol, symbol
from .nest import Nest
from .readable import is_readable

Body = tuple[Statement, ...]


def guard(nest: Nest, chosen: frozenset[Symbol]) -> str | None:
    """Example: see the module, `chosen` being the values of `p[i].slot`."""
    body = nest.loop.body
    if any(isinstance(e, Call) and e.supposed is not None for s in statements(body) for e in evaluated(s)):
        return None
    stores = tuple(t.access for t in nest.touches if t.writes and _selects(t.access, chosen))
    uses = _Uses(chosen, stores)
    if not {t.access for t in nest.touches if uses.has(t.access)} <= set(uses.of(body)):
        return None
    tests = (_test(nest, part) for part in _conditions(body, uses))
    return " && ".join(dict.fromkeys(test for test in tests if test is not None)) or None


class _Uses(Struct, frozen=True):
    """The accesses by the values that must not meet: the stores, and what is in the same member of the same array."""

    chosen: frozenset[Symbol]
    stores: tuple[Access, ...]

    def has(self, access: Access) -> bool:
        return _selects(access, self.chosen) and any(
            store.object == access.object
            and not _is_in_other_row(store, access)
            and not (_is_other_member(store, access) or _is_other_member(access, store))
            for store in self.stores
        )

    def of(self, body: Body) -> Iterator[Access]:
        return (access for s in statements(body) for access in accesses_of(s) if self.has(access))


def _conditions(body: Body, uses: _Uses) -> Iterator[Predicate]:
    """What holds where the values are used, by the branches around all uses, outer first."""
    match [s for s in body if any(uses.of((s,)))]:
        case [Branch(predicate=predicate, then=then, otherwise=otherwise) as branch]:
            itself = any(uses.has(access) for access in accesses_of(branch))
            arms = [(p, arm) for p, arm in ((predicate, then), (negate(predicate), otherwise)) if any(uses.of(arm))]
            if len(arms) == 1 and not itself:
                yield from _parts(arms[0][0])
                yield from _conditions(arms[0][1], uses)
        case _:
            return


def _selects(access: Access, chosen: frozenset[Symbol]) -> bool:
    """Whether one of the values says which element is accessed."""
    return any(_is_made_of(s, chosen) for sub in access.subscripts for s in nested_symbols(sub.index.symbols))


def _is_made_of(s: Symbol, chosen: frozenset[Symbol]) -> bool:
    if s in chosen:
        return True
    match s.origin:
        case Loaded(access=access):
            return _selects(access, chosen)
        case Computed(meaning=Either(values=values)):
            return any(_is_made_of(t, chosen) for value in values for t in nested_symbols(value.symbols))
        case _:
            return False


def _parts(predicate: Predicate) -> Iterator[Predicate]:
    if isinstance(predicate, All):
        for part in predicate.parts:
            yield from _parts(part)
    else:
        yield predicate


def _test(nest: Nest, predicate: Predicate) -> str | None:
    """`p[k_].type == 5`: an element that the loop leaves alone, and a number."""
    if not isinstance(predicate, Compare) or predicate.relation == ">=" or predicate.modulus:
        return None
    found = _element(predicate.value) or _element(-predicate.value)
    if found is None:
        return None
    s, value = found
    if not isinstance(s.origin, Loaded) or _may_be_written(nest, s.origin.access) or not is_readable(nest, s):
        return None
    text = index_text(s, nest.loop, "k_")
    return None if text is None else f"{text} {predicate.relation} {value}"


def _element(value: Poly) -> tuple[Symbol, int] | None:
    """The lone symbol of `s - 5`, and 5."""
    lone = next(iter(value.symbols), None)
    beyond = (value - symbol(lone)).constant if lone is not None and len(value.symbols) == 1 else None
    return None if lone is None or beyond is None else (lone, -int(beyond))


def _may_be_written(nest: Nest, read: Access) -> bool:
    """By the iteration itself: of what another iteration writes, or is another object, the answer says that it is not
    read."""
    stores = [t.access for t in nest.touches if t.writes]
    unknown = any(isinstance(a.object, Anything) for a in (read, *stores))
    return unknown or any(a.object == read.object and not _is_other_member(a, read) for a in stores)


def _is_in_other_row(a: Access, b: Access) -> bool:
    """Behind different entries of a table of pointers, `info[0].ptr[k]` and `info[5].ptr[k]`: that these do not lead to
    one place is no matter of k."""
    pairs = zip(row_part(a), row_part(b), strict=False)
    return any((x.index - y.index).constant not in (None, 0) for x, y in pairs)


def _is_other_member(store: Access, read: Access) -> bool:
    """Whether a store is to another member of the elements than a read: `p[i].at[k]` is beside `p[i].type`, whatever k
    is."""
    shared = len(read.subscripts)
    strides = [s.stride for s in store.subscripts[:shared]] == [s.stride for s in read.subscripts]
    width = _width(store, shared)
    if not strides or not width or not read.size:
        return False
    return store.offset + width <= read.offset or read.offset + read.size <= store.offset


def _width(access: Access, shared: int) -> int | None:
    """The bytes of the member that an access is to, an array where it has more than the subscripts of the element."""
    match access.subscripts[shared:]:
        case ():
            return access.size
        case (Subscript(extent=Poly() as extent, stride=Poly() as stride), *_):
            width = (extent * stride).constant
            return None if width is None else int(width)
        case _:
            return None
