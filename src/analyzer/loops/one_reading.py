"""Readings of one value: integers read from one place in several loops of a nest, or before it, and left alone.

*Decides*: which symbols for values read from memory stand for one value, and puts one symbol in their place, so that
subscripts of several loops of a nest are compared.
*Method*: the outermost loop in which no store is to the object that is read, or to who knows where, and no call may
store anything. That a store through another pointer leaves the place alone is assumed for each loop by name
(`bound-invariant`).
*Errs toward* two values. *Does not handle*: subscripts that are themselves such readings.

    for (i...) { f = m->d[i * m->c + k]; for (j...) m->d[i * m->c + j] -= f; }       m->c is one value
    size = m->r * m->c; for (t...) ... a[t * size + i * m->c + j] ...                 here, too
    c = g->ratio * g->n; for (i...) for (k = 0; k < (int)(g->ratio * g->n); k++) ... a[i * c + k] ...      c, too
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from ..ir import nodes as ir
from ..ir.invariance import computed_in
from ..ir.pointer_roots import root
from ..ir.polynomials import Poly, Symbol, symbol
from ..source.ctypes import Floating, Integer
from .context import Context, Slot, slot_of
from .reaching_definitions import Definition, may_change
from .restrict_pointers import apart
from .substitute import Substitution


def united(ctx: Context, body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The statements of a function with one symbol for each value. Example: see the module."""
    several = _read_again(ctx.readings)
    if not several:
        return body
    used = ir.symbols_in(body) | _in_sizes(body)
    readings = [s for s in used if s.name in several and _may_be_one(s)]
    found: dict[tuple[int, int, Slot], list[Symbol]] = {}
    for s in readings:
        read = _read(s)
        loop = next((key for key in read.loops if _leaves_alone(ctx, key, read.access)), None)
        if loop is not None:
            found.setdefault((loop, read.defined_before(loop), slot_of(read.access)), []).append(s)
    inside = {loop.key: loop for loop in ir.loops(body)}
    for (loop, defined, slot), same in found.items():
        around = _around(loop, same[0])
        before = (s for s in readings if loop not in _read(s).loops and slot_of(_read(s).access) == slot)
        same += [
            s
            for s in before
            if _read(s).defined_before(loop) == defined
            and around <= set(_read(s).loops)
            and all(_leaves_alone(ctx, key, _read(s).access) for key in set(_read(s).loops) - around)
            and not _may_lead_elsewhere(_read(s).access, inside.get(loop))
        ]
    images = dict(image for same in found.values() for image in _images(same))
    if not images:
        return body
    presumed: dict[int, Spared] = {}
    for s, image in images.items():
        (one,) = image.symbols
        for loop in set(_read(s).loops) - set(_read(one).loops):
            store = _spares(ctx, loop, _read(s).access)
            if store is not None:
                presumed.setdefault(loop, {})[s] = (s.name, store.place.line)
    if presumed:  # before the values are one, and perhaps cancel out
        body = _presuming(body, presumed, {})
    return Substitution(_made_alike(used, images)).body(body)


def _in_sizes(body: tuple[ir.Statement, ...]) -> frozenset[Symbol]:
    """What the sizes of allocated memory are made of."""
    made = {a.object for s in ir.statements(body) for a in ir.accesses_of(s) if isinstance(a.object, ir.Allocated)}
    return frozenset(s for each in made if each.size is not None for s in each.size.symbols)


Spared: TypeAlias = dict[Symbol, tuple[str, int]]
"""Values that a store might change through another pointer: their names, and the line of the store."""


def _presuming(
    body: tuple[ir.Statement, ...], presumed: Mapping[int, Spared], around: Spared
) -> tuple[ir.Statement, ...]:
    """The statements with what loops are presumed to leave as it is, themselves or a loop `around` them, where they use
    it."""
    return tuple(_statement(s, presumed, around) for s in body)


def _statement(statement: ir.Statement, presumed: Mapping[int, Spared], around: Spared) -> ir.Statement:
    match statement:
        case ir.Loop(key=key, body=body, presumed=before):
            inside = around | presumed.get(key, {})
            used = ir.symbols_in((statement,)) if inside else frozenset[Symbol]()
            more = sorted({spared for s, spared in inside.items() if s in used})
            return replace(statement, body=_presuming(body, presumed, inside), presumed=(*before, *more))
        case ir.Branch(then=then, otherwise=otherwise):
            arms = (_presuming(arm, presumed, around) for arm in (then, otherwise))
            return replace(statement, then=next(arms), otherwise=next(arms))
        case _:
            return statement


def _around(loop: int, s: Symbol) -> set[int]:
    """The loops around one of those in which something is read: they change it."""
    found = _read(s).loops
    return set(found[: found.index(loop)])


def _may_lead_elsewhere(access: ir.Access, loop: ir.Loop | None) -> bool:
    """Whether a loop may set a pointer in memory by which the place is found."""
    if isinstance(access.object, ir.Declared | ir.Pointee) and not any(s.row_pointer for s in access.subscripts):
        return False
    stored = (s.target for s in ir.statements(() if loop is None else loop.body) if isinstance(s, ir.Assign))
    accesses = (each for each in stored if isinstance(each, ir.Access))
    return loop is None or any(not isinstance(each.type, Integer | Floating) for each in accesses)


def _read_again(readings: Iterable[Symbol]) -> frozenset[str]:
    """Names by which something is read in a loop, and elsewhere with nothing in between that may have changed it."""
    times = Counter((s.name, made) for s in readings for made in set(_read(s).defined or (0,)))
    inside = (s for s in readings if _read(s).loops)
    return frozenset(s.name for s in inside if any(times[s.name, made] > 1 for made in _read(s).defined or (0,)))


def _may_be_one(s: Symbol) -> bool:
    return isinstance(s.origin, ir.Loaded) and not s.origin.access.volatile


def _read(s: Symbol) -> ir.Loaded:
    assert isinstance(s.origin, ir.Loaded)
    return s.origin


def _images(same: list[Symbol]) -> Iterator[tuple[Symbol, Poly]]:
    """The one that is read in the fewest loops stands for all."""
    first = min(same, key=lambda s: (len(_read(s).loops), s.key))
    yield from ((s, symbol(first)) for s in same if s != first)


def _made_alike(used: Iterable[Symbol], one: Mapping[Symbol, Poly]) -> dict[Symbol, Poly]:
    """What stands for values: for those that are `one`, and for those that are made of them alike, `(int)(x * n)`."""
    images = dict(one)
    first: dict[tuple[ir.OfFloating, tuple[int, ...]], Symbol] = {}
    for s in sorted(used, key=lambda s: s.key):  # what a value is made of comes before it
        match s.origin:
            case ir.Computed(meaning=ir.OfFloating() as meaning, loops=loops):
                made = meaning.of(Substitution(images).poly)
                inside = tuple(k for k in loops if any(computed_in(p, k) for p in made.operands))
                alike = first.setdefault((made, inside), s)
                images |= {} if alike is s else {s: symbol(alike)}
            case _:
                pass
    return images


def _leaves_alone(ctx: Context, loop: int, access: ir.Access) -> bool:
    """Whether no iteration of a loop may change what is read, but through another pointer."""
    begun, ended = ctx.reaching.inside.get(loop, (0, len(ctx.reaching.every)))
    return not any(_changes(d, access) for d in ctx.reaching.every[begun:ended])


def _spares(ctx: Context, loop: int, access: ir.Access) -> ir.Access | None:
    """The first store of a loop that might change what is read, through another pointer."""
    begun, ended = ctx.reaching.inside.get(loop, (0, len(ctx.reaching.every)))
    stores = (d.store for d in ctx.reaching.every[begun:ended] if d.store is not None)
    return next((each for each in stores if may_change(each, access) and not apart(each, access, loop)), None)


def _changes(made: Definition, read: ir.Access) -> bool:
    if made.store is None or isinstance(root(made.store.object), ir.Anything):
        return made.store is None or may_change(made.store, read)
    return made.store.object == read.object and may_change(made.store, read)
