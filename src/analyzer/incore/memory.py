"""What compilers know of memory: which objects are not the same, and what a loop must read again in each iteration.

They go by declarations and types alone: a `double` that is stored changes no pointer, a `char` may be part of
anything. A pointer that has to be read again may lead elsewhere by then, and a bound may be another: such a loop has no
vectors.

    for (int i = 0; i < n; i++) p->t[i] = v[i];       // of doubles: `p->t` is read once; of bytes: in each iteration
    for (int i = 0; i < p->n; i++) p->k[i] = 0;       // of ints: `p->n` may be one of them

*Source*: gcc's -fopt-info-vec-missed, clang's -Rpass-missed=licm; -fstrict-aliasing in gcc's manual.
"""

from collections.abc import Iterator
from typing import TypeGuard

from ..ir.nodes import (
    Access,
    Allocated,
    Assign,
    Declared,
    Evaluate,
    Expression,
    Load,
    Loop,
    Object,
    Pointee,
    Statement,
    Use,
    Variable,
    evaluated,
    statements,
    unconverted,
    walk,
)
from ..source.ctypes import Pointer
from ..source.effective_types import differ_in_type, is_byte


def distinct(one: Object, other: Object) -> bool:
    """Whether compilers know that two objects are not the same memory, from their declarations."""
    if one == other:
        return False
    restricted = any(isinstance(o, Pointee) and o.restrict for o in (one, other))
    both_own = all(isinstance(o, Declared | Allocated) for o in (one, other))
    return restricted or both_own or _is_local(one, other) or _is_local(other, one)


def _is_local(object_: Object, other: Object) -> bool:
    """A local that other code has no address of; of none what pointers led to when the function began."""
    if not isinstance(object_, Declared) or object_.variable.scope != "local":
        return False
    return not object_.variable.addressed or isinstance(other, Pointee)


def stored(loop: Loop) -> list[Access]:
    """What the loop stores to."""
    return [s.target for s in statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, Access)]


def reread(loop: Loop) -> str:
    """What compilers read again in each iteration of a loop, as a store in it may change it: a pointer that is
    followed, or a bound of the loop. Empty where there is none.

    Example: see the module."""
    stores = stored(loop)
    for read in {r: None for s in statements(loop.body) for r in _leading(s)}:
        if any(_may_change(store, read) for store in stores):
            return read.access.text if isinstance(read, Load) else read.variable.name
    return ""


def _leading(s: Statement) -> Iterator[Load | Use]:
    """What a statement reads in order to know where to go on: pointers that it follows, and bounds of loops."""
    if isinstance(s, Evaluate) and s.control:
        yield from filter(_is_read, walk(s.value))
    subscripts = [e.index for e in evaluated(s) if isinstance(e, Load)]
    if isinstance(s, Assign):
        subscripts.append(s.index)
    for parts in subscripts:
        yield from (e for e in map(unconverted, parts) if _is_read(e) and isinstance(e.type, Pointer))


def _is_read(e: Expression) -> TypeGuard[Load | Use]:
    """Whether it is read from memory: anything but a variable that no pointer leads to."""
    return isinstance(e, Load) or (isinstance(e, Use) and not _is_own(e.variable))


def _is_own(variable: Variable) -> bool:
    return variable.by_name or (variable.scope in ("local", "parameter") and not variable.addressed)


def _may_change(store: Access, read: Load | Use) -> bool:
    object_ = read.access.object if isinstance(read, Load) else Declared(read.variable)
    if distinct(store.object, object_) or (isinstance(read, Load) and _of_other_structures(store, read.access)):
        return False
    return is_byte(store.type) or not differ_in_type(store.type, read.type)


def _of_other_structures(one: Access, other: Access) -> bool:
    """Whether they are members of structures of which neither holds the other."""
    x, y = one.structure, other.structure
    if x is None or y is None or not (one.field and other.field):
        return False
    return not x.may_be_part(y)
