"""Invariant loads: integers in memory that no iteration of a loop changes.

*Steady* is what is read in a loop that stores numbers to other objects, and nothing else: then the loop is lowered as
if it had been read before it, wherever a variable counts on by it. A floating-point store cannot change an integer that
is read again afterwards (C11 6.5p6-7); for an integer store, `Context` notes that this is presumed (`bound-invariant`).
*Errs toward* what may change.

    for (i = 0; i < m->rows; i++)
        for (j = 0; j < m->cols; j++) *p++ = 0;              in each i, p moves on by max(0, m->cols)

What tests of inner loops read is `foreseen` from the syntax: a loop whose bounds stand in memory is lowered once.
"""

from collections.abc import Iterable, Iterator

from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.invariance import is_invariant
from ..ir.polynomials import Symbol
from ..source.ctypes import Complex, Floating, Integer, Pointer
from ..source.nodes import nodes, of_tree
from . import assigned as foresight
from . import expressions, headers, syntax
from .context import Context
from .induction import Lowered, Placeholder, growth
from .values import IntegerValue


def foreseen(ctx: Context, parts: tuple[c_ast.Node, ...]) -> frozenset[Symbol]:
    """What the tests of inner loops read, as it is before the loop: candidates, of which it has to come true that they
    are `deciding` and `left_alone`."""
    if foresight.calls_unseen(ctx, parts, ways_out=True):
        return frozenset()
    declared = frozenset(n.name for part in parts for n in nodes(part, c_ast.Decl))
    changed = declared | syntax.assigned_names(*parts)
    outside = (v for name in changed - declared if (v := ctx.lookup(name)) is not None)
    if any(v.addressed or v.scope not in ("local", "parameter") for v in outside):
        return frozenset()  # see `_stored`
    found: set[Symbol] = set()
    for stepping, read in (each for part in parts for each in _tested(part)):
        names = [n.name for n in nodes(read, c_ast.ID)]  # and of no member
        counts = (ctx.lookup(name) for name in stepping - declared)
        moves = any(v is not None and isinstance(v.type, Integer | Pointer) for v in counts)
        if moves and changed.isdisjoint(names) and all(ctx.lookup(name) is not None for name in names):
            with ctx.collect():
                value = expressions.lower(ctx, read).value
            found |= value.poly.symbols if isinstance(value, IntegerValue) else frozenset()
    ctx.forget_memory()
    unheld = found.difference(ctx.steady.values())
    return frozenset(s for s in unheld if isinstance(s.origin, ir.Loaded) and _is_fixed(s.origin.access, 0))


@of_tree
def _tested(part: c_ast.Node) -> tuple[tuple[frozenset[str], c_ast.Node], ...]:
    """Elements and members that the tests of the loops in a part of a loop read, each with the variables that its loop
    steps."""
    found = []
    for inner in (n for n in nodes(part, *syntax.LOOPS) if not syntax.is_once(n)):
        header = headers.header(inner)
        stepping = syntax.assigned_names(*header.parts)
        reads = _reads(header.test) if stepping else ()
        found += [(stepping, read) for read in reads if not syntax.has_effects(read, lambda name: False)]
    return tuple(found)


def _reads(test: c_ast.Node | None) -> Iterator[c_ast.Node]:
    """The outermost elements and members that an expression reads, in source order."""
    match test:
        case c_ast.ArrayRef() | c_ast.StructRef():
            yield test
        case None:
            pass
        case _:
            for below in test:
                yield from _reads(below)


def deciding(holders: list[Placeholder], lowered: Lowered) -> frozenset[Symbol]:
    """What says how far the inner loops of a loop move the variables that it keeps, or how far they move themselves."""
    held = {h.variable for h in holders}
    inner = (each for each in ir.loops(tuple(lowered.block)) if any(i.variable in held for i in each.inductions))
    values = [p for h in holders if (p := growth(h, lowered)) is not None]
    for each in inner:
        values += [r.numerator for r in each.trip or ()]
        values += [i.step for i in each.inductions if i.variable in held]
    return ir.nested_symbols(s for p in values for s in p.symbols)


def read_inside(symbols: Iterable[Symbol], loop: int) -> Iterator[Symbol]:
    """Those that are read in the loop, not held since before it."""
    return (s for s in symbols if isinstance(s.origin, ir.Loaded) and loop in s.origin.loops)


def left_alone(read: Iterable[Symbol], lowered: Lowered, loop: int) -> frozenset[Symbol]:
    """Those that are read from places that the loop leaves alone."""
    fixed = {s: a for s in read if isinstance(s.origin, ir.Loaded) and _is_fixed(a := s.origin.access, loop)}
    stored = _stored(tuple(lowered.block)) if fixed else None
    return frozenset(s for s, a in fixed.items() if a.object not in stored) if stored is not None else frozenset()


def _stored(body: tuple[ir.Statement, ...]) -> frozenset[ir.Object] | None:
    """The objects that numbers are stored to; None where something else may change memory."""
    found = set()
    for statement in ir.statements(body):
        match statement:
            case ir.Assign(target=ir.Access(type=Integer(), object=ir.Anything())):
                return None
            case ir.Assign(target=ir.Access(type=Integer() | Floating() | Complex(), object=object_)):
                found.add(object_)
            case ir.Assign(target=ir.Variable(scope="local" | "parameter", addressed=False)):
                pass
            case ir.Assign() | ir.Refused():
                return None
            case _:
                pass
        calls = (e for e in ir.evaluated(statement) if isinstance(e, ir.Call))
        if any(c.pointers or not (c.known or c.closed) for c in calls):
            return None
    return frozenset(found)


def _is_fixed(access: ir.Access, loop: int) -> bool:
    """Whether the place has a name that means the same before the loop and in it."""
    plain = isinstance(access.type, Integer) and not access.volatile and not access.atomic
    return plain and _is_older(access.object, loop) and all(is_invariant(s.index, loop) for s in access.subscripts)


def _is_older(object_: ir.Object, loop: int) -> bool:
    match object_:
        case ir.Rows(base=base):
            return _is_older(base, loop)
        case ir.Declared(variable=variable):
            return loop not in variable.loops
        case ir.Pointee():
            return True
        case _:
            return False
