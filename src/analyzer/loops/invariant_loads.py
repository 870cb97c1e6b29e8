"""Invariant loads: integers in memory that no iteration of a loop changes.

*Steady* is what is read in a loop that stores numbers to other objects, and nothing else: then the loop is lowered as
if it had been read before it, wherever a variable counts on by it. A floating-point store cannot change an integer that
is read again afterwards (C11 6.5p6-7); for an integer store, `Context` notes that this is presumed (`bound-invariant`).
*Errs toward* what may change.

    for (i = 0; i < m->rows; i++)
        for (j = 0; j < m->cols; j++) *p++ = 0;              in each i, p moves on by max(0, m->cols)
"""

from collections.abc import Iterable

from ..ir import nodes as ir
from ..ir.polynomials import Symbol
from ..source.ctypes import Complex, Floating, Integer
from .induction import Lowered, Placeholder, growth, is_invariant


def decisive(holders: list[Placeholder], lowered: Lowered, loop: int) -> frozenset[Symbol]:
    """What is read in the loop, and steady, and says how far its inner loops move the variables that it keeps, or how
    far they move themselves."""
    held = {h.variable for h in holders}
    inner = (each for each in ir.loops(tuple(lowered.block)) if any(i.variable in held for i in each.inductions))
    deciding = [p for h in holders if (p := growth(h, lowered)) is not None]
    for each in inner:
        deciding += [r.numerator for r in each.trip or ()]
        deciding += [i.step for i in each.inductions if i.variable in held]
    read = ir.nested_symbols(s for p in deciding for s in p.symbols)
    return left_alone((s for s in read if isinstance(s.origin, ir.Loaded) and loop in s.origin.loops), lowered, loop)


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
