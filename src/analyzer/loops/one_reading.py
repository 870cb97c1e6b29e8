"""Readings of one value: integers that a nest reads from one place in several of its loops, and leaves alone.

*Decides*: which symbols for values read from memory stand for one value, and puts one symbol in their place, so that
subscripts of several loops of a nest are compared.
*Method*: the outermost loop in which no store is to the object that is read, or to who knows where, and no call may
store anything. That a store through another pointer leaves the place alone is assumed for each loop by name
(`bound-invariant`).
*Errs toward* two values. *Does not handle*: subscripts that are themselves such readings.

    for (i...) { f = m->d[i * m->c + k]; for (j...) m->d[i * m->c + j] -= f; }       m->c is one value
"""

from collections.abc import Iterator

from ..ir import nodes as ir
from ..ir.pointer_roots import root
from ..ir.polynomials import Poly, Symbol, symbol
from .context import Context, Slot, slot_of
from .reaching_definitions import Definition, may_change
from .substitute import Substitution


def united(ctx: Context, body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The statements of a function with one symbol for each value. Example: see the module."""
    read_inside = {s.name for s in ctx.readings if len(_read(s).loops) > 1}
    if not read_inside:
        return body
    found: dict[tuple[int, int, Slot], list[Symbol]] = {}
    for s in _symbols(body):
        if s.name in read_inside and isinstance(s.origin, ir.Loaded) and not s.origin.access.volatile:
            read = s.origin
            loop = next((key for key in read.loops if _leaves_alone(ctx, key, read.access)), None)
            if loop is not None:
                found.setdefault((loop, read.defined_before(loop), slot_of(read.access)), []).append(s)
    images = dict(image for same in found.values() for image in _images(same))
    return Substitution(images).body(body) if images else body


def _read(s: Symbol) -> ir.Loaded:
    assert isinstance(s.origin, ir.Loaded)
    return s.origin


def _symbols(body: tuple[ir.Statement, ...]) -> frozenset[Symbol]:
    """All symbols in the polynomials of statements."""
    reader = Substitution({})
    reader.body(body)
    return reader.seen


def _images(same: list[Symbol]) -> Iterator[tuple[Symbol, Poly]]:
    """The one that is read in the fewest loops stands for all."""
    first = min(same, key=lambda s: (len(_read(s).loops), s.key))
    yield from ((s, symbol(first)) for s in same if s != first)


def _leaves_alone(ctx: Context, loop: int, access: ir.Access) -> bool:
    """Whether no iteration of a loop may change what is read, but through another pointer."""
    begun, ended = ctx.reaching.inside.get(loop, (0, len(ctx.reaching.every)))
    return not any(_changes(d, access) for d in ctx.reaching.every[begun:ended])


def _changes(made: Definition, read: ir.Access) -> bool:
    if made.store is None or isinstance(root(made.store.object), ir.Anything):
        return made.store is None or may_change(made.store, read)
    return made.store.object == read.object and may_change(made.store, read)
