"""What every iteration gives to a function that is supposed to be independent, to work in it or to leave results there.

*Decides*: which variables, arrays and allocated memory of the function each iteration may have for itself: nobody reads
them after the loop, and what an iteration reads it has stored, or given to such a function before. That f is
independent says that it finds what it reads there as it was before the loop or as the same iteration left it, and that
it sets what is read behind it. Such a function gets to the memory by its arguments, or by pointers that the function
around the loop stores. Copies begin with the old values where something was stored before the loop, be it the zeros of
`calloc`.
*Errs toward* none: what somebody may read later; variables with a value from before the loop, which a call may be there
to count up; structures and allocated memory that were filled before the loop, and that no iteration stores to: all are
taken to read it; memory of which a function that only reads it is called before the iteration has set it.

    for (k...) { s[0] = i[k]; if (f(buf, s, env)) y[k] = buf[0]; }  free(buf);    ->  buf, s: each iteration its own
    for (k...) { s[t].a = x[k]; w[t].about = &s[t]; y[k] = f(&w[t]); }            ->  s, w: each iteration its own
    for (k...) { w[t].about = &s[t]; y[k] = f(&w[t]); s[t].a = x[k]; }            ->  none
    for (k...) { f(&failed, x[k]); }  return failed;                              ->  none
"""

from collections.abc import Iterator, Mapping

from ..access.accesses import Occurrence
from ..facts.loop import Assumption, Separated
from ..ir import blas
from ..ir.c_library import says_it_releases
from ..ir.nodes import (
    Allocated,
    Anything,
    Assign,
    Call,
    Declared,
    Object,
    Opaque,
    Returned,
    Rows,
    Statement,
    Variable,
    evaluated,
    statements,
    uses,
)
from ..ir.reasons import AssumptionKind
from ..ir.same import same_place
from ..memory.alias import c_text
from ..source.ctypes import Array, Record, element
from .finding import Finding
from .function_facts import Surroundings
from .liveness import is_read_later, live_variables
from .made_inside import is_made_inside
from .old_values import factor_of_old
from .own_memory import is_of_function, is_own, is_own_read_later
from .private_arrays import given_arms, private
from .scope import Lent, Scope


def lent(around: Surroundings, scope: Scope) -> Mapping[Object, Lent]:
    """How each iteration has for itself what it gives to such functions, scalars aside: `variables` sees them assigned.
    Example: see the module."""
    found: dict[Object, Lent] = {}
    for calling in scope.history.supposed:
        for x in sorted(_worked_in(scope, calling.call) - found.keys(), key=c_text):
            role = _role(around, scope, x)
            if role is not None and _needed(scope, x) is not None and _is_set_whenever_given(scope, x):
                found[x] = role
    return found


def _worked_in(scope: Scope, call: Call) -> frozenset[Object]:
    """The memory that a call may change, and in which it finds what the iteration has set."""
    reached = scope.reached_by(call)
    changed = reached - set(call.read_only) if call.supposed is AssumptionKind.INDEPENDENT else frozenset[Object]()
    return changed | {x for x in reached if _is_filled_inside(scope, x) and _is_filled_first(scope, x)}


def is_lent(around: Surroundings, scope: Scope, variable: Variable) -> bool:
    """Whether each iteration may have its own of a variable of which such a function gets the address."""
    x = Declared(variable)
    if isinstance(variable.type, Array | Record):
        return x in scope.lent
    if variable.scope != "local" or live_variables(around, scope.loop, frozenset({variable.key})):
        return False
    if _is_set_first(scope, variable):
        return True
    inside = {id(s) for s in statements(scope.loop.body)}
    every = (s for s in statements(around.function.body) if isinstance(s, Assign) and s.target == variable)
    return variable.key not in around.function.initialised and all(id(s) in inside for s in every)


def _is_set_first(scope: Scope, variable: Variable) -> bool:
    """Whether the iteration itself sets a variable before it does anything else with it, gives it away among that: so
    no value from before the loop is there. (What such a call may set, it may read before.)"""
    for statement in scope.loop.body:
        inner = list(statements((statement,)))
        if any(_concerns(s, variable) for s in inner):
            if not isinstance(statement, Assign) or isinstance(statement.value, Opaque):
                return False
            return statement.target == variable and not uses(statement, variable)
    return False


def _concerns(statement: Statement, variable: Variable) -> bool:
    """Whether a statement sets a variable, uses it, or gives its address away."""
    given = (x for e in evaluated(statement) if isinstance(e, Call) for x in e.pointers)
    is_set = isinstance(statement, Assign) and statement.target == variable
    return is_set or uses(statement, variable) or Declared(variable) in given


def left_by_others(around: Surroundings, scope: Scope, call: Call) -> Iterator[Object]:
    """Memory of the function's own that a call may change, and of which the iteration reads first what such calls have
    left there in other ones: nothing else sets it. Example: `for (k...) { y[k] = t[0]; f(t, k); }` with a new t."""
    for x in sorted(set(call.pointers) - set(call.read_only) - scope.lent.keys(), key=c_text):
        reads, writes = ([o.position for o in scope.accesses_to(x) if o.write is kind] for kind in (False, True))
        given = [c.position for c in scope.history.supposed if x in scope.reached_by(c.call)]
        first = bool(reads) and min(reads) < min((*writes, *given))
        if first and is_own(scope, x) and not is_set_before(around, scope, x) and not begins_with_zeros(x):
            yield x


def separated(scope: Scope) -> Finding:
    """Each with what it begins with."""
    needed = (_needed(scope, x) or frozenset() for x in scope.lent)
    copies = tuple(Separated(role, x, c_text(x)) for x, role in scope.lent.items())
    return Finding(assumptions=frozenset().union(*needed), separated=copies)


def _needed(scope: Scope, x: Object) -> frozenset[Assumption] | None:
    return private(scope, scope.accesses_to(x), whatever_calls_read=True)


def _is_set_whenever_given(scope: Scope, x: Object) -> bool:
    """Whether what the iteration stores in memory before such a call it stores whenever it makes the call: what only
    some of them set is there for the others (`if (i == 0) t[0] = 3;  f(i, t);`)."""
    writes = [o for o in scope.accesses_to(x) if o.write]
    given = [c.among_accesses for c in scope.history.supposed if x in scope.reached_by(c.call)]
    return all(goes_before(scope, w, at) for at in given for w in writes if w.position <= at.position)


def goes_before(scope: Scope, write: Occurrence, use: Occurrence) -> bool:
    """Whether every iteration that gets to a use of memory makes this store there on its way, but for loops around the
    store that do not run."""
    level = scope.level(write)
    arms = given_arms(scope, write, use.guards)
    return write.position <= use.position and all(g.arm in arms for g in write.guards if g.depth > level)


def _role(around: Surroundings, scope: Scope, x: Object) -> Lent | None:
    match x:
        case Declared(variable=variable):
            if not is_of_function(scope, variable):
                return None
            before = is_set_before(around, scope, x)
            if is_read_later(around, scope, x) or (
                before and isinstance(element(variable.type), Record) and not _is_filled_inside(scope, x)
            ):
                return None
            return "first" if before else "private"
        case Allocated(call=call):
            before = is_set_before(around, scope, x)
            if is_made_inside(scope, x) or is_read_later(around, scope, x):
                return None
            if before and not _is_filled_inside(scope, x):
                return None
            if not before and call != "calloc":
                return "private"
            return None if _is_added_to(around, scope, x) else "first"
        case Anything() | Rows() if _is_of_numbers(scope, x) and is_own(scope, x):
            before = is_set_before(around, scope, x) or begins_with_zeros(x)
            if is_own_read_later(around, scope, x) or (before and not _is_filled_inside(scope, x)):
                return None
            return "first" if before else "private"
        case _:
            return None


def _is_of_numbers(scope: Scope, x: Object) -> bool:
    """Whether the iteration uses memory as an array of numbers: not as something that only a library knows."""
    found = scope.accesses_to(x)
    return bool(found) and all(scope.known.is_of_numbers(o.access.type) for o in found)


def begins_with_zeros(x: Object) -> bool:
    """Whether memory is one that `calloc`, or a function called like that, has given."""
    if isinstance(x, Allocated):
        return x.call == "calloc"
    return isinstance(x, Anything) and isinstance(x.pointer, Returned) and "calloc" in x.pointer.function.lower()


def _is_filled_inside(scope: Scope, x: Object) -> bool:
    """Whether the iteration itself sets in memory what it is about, at the places at which all do: it is none that all
    iterations only read, nor one that several fill together (`s[i % 8] = x[i];  f(s);`)."""
    writes = [o for o in scope.accesses_to(x) if o.write]
    used = {s for o in writes for sub in o.access.subscripts for s in sub.index.symbols}
    return bool(writes) and not any(scope.varies(s) and not scope.counts_inside(s) for s in used)


def _is_filled_first(scope: Scope, x: Object) -> bool:
    """Whether no such call comes before the iteration has set a place that it sets."""
    writes = [o for o in scope.accesses_to(x) if o.write]
    given = [c.among_accesses for c in scope.history.supposed if x in scope.reached_by(c.call)]
    return all(
        any(goes_before(scope, first, at) and same_place(first.access, w.access) for first in writes)
        for at in given
        for w in writes
    )


def _is_added_to(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether memory is given to a function that is known to add to it: it sums from 0 on."""
    adding = (c.call for c in scope.history.supposed if blas.added_to(c.call.name) is not None)
    changing = (call for call in adding if x in call.pointers and x not in call.read_only)
    return any(factor_of_old(around.function.body, call) != 0 for call in changing)


def is_set_before(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether something may be stored in memory before the loop, be it by a function that gets it."""
    return x in scope.history.written or is_given_filled(around, scope, x)


def is_given_filled(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether memory has an initialiser, or somebody else may store something there outside of the loop."""
    if isinstance(x, Declared) and x.variable.key in around.function.initialised:
        return True
    every = (*around.occurrences.calls, *around.occurrences.supposed)
    outside = (c.call for c in every if all(loop.key != scope.loop.key for loop in c.at.loops))
    return any(x in scope.reached_by(call) and not says_it_releases(call.name) for call in outside)
