"""Escaping addresses of private copies.

*Decides*: whether a loop stores, where somebody may read it later, a pointer to a variable or an array that is private,
reduced, or begins with its old value.
*Errs toward* kept. *Does not handle*: pointers copied from memory, which nothing in the loop leads to its copies.

    for (...) { t = a[i]; p[i] = &t; }      ->  not parallel with a private t: p[i] is the address of the one before it
    for (...) { t = a[i]; add(&t); }        ->  what only looks at it within the iteration may have that of a copy
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ..ir.nodes import Assign, Object, Variable, statements
from ..ir.reasons import ReasonCode
from ..memory.alias import c_text
from ..memory.escape import SOMEWHERE, led_to
from ..memory.tables import unversioned
from .finding import Finding, problem
from .function_facts import Surroundings
from .liveness import is_read_later, live_variables
from .scope import Scope


def handed_out(around: Surroundings, scope: Scope, found: Finding) -> Finding:
    """The first pointer to a copy that is left behind."""
    copies = [replace(s, target=_unversioned(s.target)) for s in found.separated if s.role != "counter"]
    for store, object_ in _stored(scope) if copies else ():
        copied = any(copy.is_of(object_) for copy in copies)
        if copied and not scope.fresh(object_) and _is_left(around, scope, store):
            own = c_text(object_)
            message = f"`{store.text}` keeps the address of `{own}`, of which each iteration would have its own"
            return problem(ReasonCode.MAY_ALIAS, message, store.place.line)
    return Finding()


def _unversioned(target: Variable | Object) -> Variable | Object:
    return target if isinstance(target, Variable) else unversioned(target)


def _stored(scope: Scope) -> Iterator[tuple[Assign, Object]]:
    for s in statements(scope.loop.body):
        if isinstance(s, Assign):
            yield from ((s, o) for o in led_to(s, scope.known.led) if o != SOMEWHERE)


def _is_left(around: Surroundings, scope: Scope, store: Assign) -> bool:
    """Whether somebody may read the pointer after the loop."""
    if isinstance(store.target, Variable):
        return store.target.key in live_variables(around, scope.loop, frozenset({store.target.key}))
    return is_read_later(around, scope, store.target.object)
