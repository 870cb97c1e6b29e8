"""Memory of the function in which iterations work, where it cannot be shown that each sets what it reads.

*Decides*: whether an answer may rest on the condition `scratch(t)`: what an iteration does is the same whatever earlier
ones have left in `t`. Then each thread can have a copy. *Evidence* that this is what `t` is for: the function allocates
or declares it outside the loop (a pointer to it may be NULL, but no other pointer leads there), or the number of the
thread selects it from a table of the caller; nobody reads it later, in front of each read the same iteration stores
something there, whichever way it came to the read, or puts what it chooses in a list, and it reads something behind
each store. *Errs toward* no such condition: where a value is carried for certain, or something is left there before the
loop, or for the next iteration.

    w = malloc(...); for (k...) { for (i < len[k]) w[i] = x[i];  y[k] = w[0] + w[m]; }  free(w);     ->  scratch(w)
    for (k...) { for (i < m) if (x[i] > 0) t[j++] = i;  for (i < j) y[k] += x[t[i]]; }               ->  scratch(t)
    for (k...) { for (i...) sum[i] += x[k][i];  y[k] = sum[m]; }                                     ->  none
    for (k...) { if (first) t[m] = x[k];  y[k] = t[j]; }                                             ->  none
    for (k...) { for (i < m) t[i] = x[k];  y[k] = t[j];  t[m] = 1; }                                 ->  none
"""

from collections.abc import Iterable

from msgspec.structs import replace

from ..access.accesses import Calling, Occurrence
from ..access.dataflow import assigned
from ..access.subscripts import disjoint_bytes, holds
from ..facts.loop import Assumption, Separated
from ..ir.members import in_other_bytes
from ..ir.nodes import Allocated, Call, Declared, Loaded, Object, Use, nested_symbols, walk
from ..ir.reasons import AssumptionKind
from ..memory.access_text import pointer_text
from ..memory.alias import c_text
from ..source.ctypes import Record
from .finding import Finding
from .function_facts import Surroundings
from .lent_scratch import begins_with_zeros, goes_before, is_given_filled
from .marks import are_marks
from .outcome import Dependence
from .own_memory import is_of_thread, is_own, is_own_read_later
from .scope import Scope
from .two_branches import either_way


def scratch(around: Surroundings, scope: Scope, x: Object, carried: Iterable[Dependence]) -> Finding | None:
    """The condition under which each iteration may have the memory for itself; None where it is not supposed.
    `carried`: the dependences through it. Example: see the module."""
    if not scope.supposing or not (is_own(scope, x) or is_of_thread(around, scope, x)):
        return None
    if _is_filled_before(around, scope, x):
        return None
    if any(d.shown and d.kind == "flow" for d in carried):
        return None
    found = scope.accesses_to(x)
    changing = _changing(found)
    if not changing or not _are_stored_and_read(scope, changing) or is_own_read_later(around, scope, x):
        return None
    return _supposed(scope, x, found, old=begins_with_zeros(x) or len(changing) < len(found))


def marked(around: Surroundings, scope: Scope, x: Object) -> Finding | None:
    """The same of marks, whatever was there before the loop: that lists have no value twice is not what they are for.
    What comes behind the loop does not ask for its marks, or sets all of them back first, as it seems."""
    found = scope.accesses_to(x)
    if not scope.supposing or not is_own(scope, x) or not are_marks(scope, found):
        return None
    asked = is_own_read_later(around, scope, x) and not _is_set_again(around, scope, x)
    return None if asked else _supposed(scope, x, found, old=True)


def serves_as_scratch(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether iterations seem to work in memory as in scratch, be there others who read it later: nothing is left there
    for them before the loop, and each stores something before it reads."""
    found = scope.accesses_to(x)
    return bool(found) and not _is_filled_before(around, scope, x) and _are_stored_and_read(scope, found)


def _changing(found: tuple[Occurrence, ...]) -> tuple[Occurrence, ...]:
    """The accesses but for reads of members that the loop leaves as they are: `b->data` where it stores `b->rows`."""
    stored = [o for o in found if o.write]
    return tuple(o for o in found if o.write or not all(in_other_bytes(w.access, o.access) for w in stored))


def _supposed(scope: Scope, x: Object, found: tuple[Occurrence, ...], old: bool) -> Finding:
    pointers = () if isinstance(x, Declared | Allocated) else (pointer_text(o.access, scope.loop) for o in found)
    name = next((pointer for pointer in pointers if pointer not in (None, c_text(x))), None) or c_text(x)
    needed = frozenset({Assumption(AssumptionKind.SCRATCH, name, min(o.line for o in found))})
    return Finding(assumptions=needed, separated=(Separated("first" if old else "private", x, name),))


def _is_filled_before(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether something seems to be left in memory before the loop for it to read: what is stored there last, nobody
    has read."""
    start, _ = around.occurrences.ranges[scope.loop.key]
    led = scope.known.targets(x)
    before = [o for o in around.occurrences.all[:start] if not led.isdisjoint(scope.known.targets(o.access.object))]
    given = any(is_given_filled(around, scope, each) for each in (x, *led))
    return given or (bool(before) and before[-1].write)


def _is_set_again(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether what comes behind the loop seems to begin with setting all marks back."""
    _, end = around.occurrences.ranges[scope.loop.key]
    behind = [o for o in around.occurrences.all[end:] if o.access.object == x]
    return not behind or (behind[0].write and not behind[0].guards[len(scope.occurrences[0].loops) :])


def _are_stored_and_read(scope: Scope, found: tuple[Occurrence, ...]) -> bool:
    """Whether an iteration reads only behind stores that it makes in any case, and stores only what it may read then:
    what stands behind all reads is there for the next one."""
    writes, reads = ([o for o in found if o.write is kind] for kind in (True, False))
    x = found[0].access.object
    calls = [c for c in scope.history.supposed if x in scope.reached_by(c.call)]
    given = [c.among_accesses for c in calls]
    sure = either_way(writes)
    read = all(
        any(_may_set(w, r) and (goes_before(scope, w, r) or _lists_before(scope, w, r)) for w in sure) for r in reads
    )
    read = read and all(any(_is_filled_for(scope, w, c) for w in writes) for c in calls)
    return read and all(_is_for_this_one(scope, w, reads, given) for w in writes)


def _is_filled_for(scope: Scope, write: Occurrence, calling: Calling) -> bool:
    """Whether a store is to what a call gets, in any case, or to a list that is made for it, the call getting how long
    that is: `for (j...) if (keep[j]) list[m++] = j;  if (m > 0) sort(list, m);`."""
    at = calling.among_accesses
    if _fills(scope, write) and goes_before(scope, write, at):
        return True
    return write.position <= at.position and _lists(scope, write) and _gets_length(scope, write, calling.call)


def _gets_length(scope: Scope, write: Occurrence, call: Call) -> bool:
    """Whether a call gets a number that the loop around the store has counted."""
    counted = assigned(write.loops[scope.level(write) + 1])
    return any(isinstance(e, Use) and e.variable in counted for a in call.arguments for e in walk(a))


def _lists_before(scope: Scope, write: Occurrence, read: Occurrence) -> bool:
    """Whether a loop in the iteration, on the way to a read, puts what it chooses one behind the other:
    `for (j...) if (keep[j]) list[m++] = j;`. (What is read there are those that it has put there, as it seems.)"""
    if not _lists(scope, write):
        return False
    level = scope.level(write)
    around = replace(write, where=replace(write.where, guards=tuple(g for g in write.guards if g.depth <= level + 1)))
    return goes_before(scope, around, read)


def _lists(scope: Scope, write: Occurrence) -> bool:
    """Whether a loop in the iteration stores one behind the other: where, it does not count by its own steps."""
    if len(write.loops) <= scope.level(write) + 1:
        return False
    at = {s for index in write.access.subscripts for s in index.index.symbols}
    return any(set(getattr(s.origin, "loops", ())) & scope.inner for s in at if not isinstance(s.origin, Loaded))


def _fills(scope: Scope, write: Occurrence) -> bool:
    """Whether a store is to places that are the same in all iterations: not to one more in each."""
    return not any(scope.loop.counter in nested_symbols(s.index.symbols) for s in write.access.subscripts)


def _is_for_this_one(scope: Scope, write: Occurrence, reads: list[Occurrence], given: list[Occurrence]) -> bool:
    """Whether what is stored is read later in its iteration, perhaps in the next one of a loop inside, or never."""
    alike = [*(r for r in reads if _may_set(write, r)), *given]
    inside = {loop.key for loop in write.loops} & scope.inner
    near = (r for r in alike if r.position >= write.position or inside & {loop.key for loop in r.loops})
    return not alike or any(True for _ in near)


def _may_set(write: Occurrence, read: Occurrence) -> bool:
    """Whether a store is to all that is read, or to a member of it, of whatever element."""
    x, y = write.access, read.access
    part = isinstance(y.type, Record) and not disjoint_bytes(x, y)
    return x.bits == y.bits and (part or holds(x, y))
