"""Memory of one loop: every pair of accesses in different iterations, array reductions, private arrays.

*Decides*: the carried dependences through arrays, pointed-to and member objects, and what their absence rests on.
*Method*: `pairs` on accesses that differ in something a test looks at; then, per object, `privates`.
*Errs toward* dependences. *Limits*: MAX_PAIRS tests per loop, of MAX_ALIKE pairs, else `too-complex`.
"""

from collections.abc import Container, Hashable, Iterable
from functools import partial
from itertools import islice
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from ..access.accesses import Occurrence, distinct, kind
from ..access.dataflow import Flow
from ..access.domains import domain
from ..access.liveness import is_seen_after
from ..access.subscripts import bounds_open, disjoint_bytes, in_other_members, subscripts
from ..facts.loop import Assumption, Reason, Separated
from ..ir.members import in_other_bytes
from ..ir.nodes import Allocated, Anything, Declared, Loaded, Object, Pointee, Rows, nested_symbols
from ..ir.pointer_roots import root
from ..ir.reasons import ReasonCode
from ..ir.same import location_of, same_place
from ..memory.access_text import pointer_text
from ..memory.alias import c_text
from ..polyhedra.system import Feasibility, Work
from ..settings.options import AnalysisOptions
from .compared import given_kinds, pairs_of
from .explain import sentence
from .families import settled
from .filled_lists import is_filled_from_the_start
from .finding import Finding, Problem, problem
from .first_private import from_before
from .function_facts import Surroundings
from .iterations import ALSO, EARLIER
from .liveness import is_read_later
from .member_pairs import MemberPairs
from .ordering import meeting
from .outcome import Dependence, Fold, Independent, Outcome
from .overflow import obligation
from .pairs import between, may_meet_in_one_iteration, surely_meet
from .private_arrays import at_least_once, private, rewritten_last, set_before_calls
from .scope import Scope
from .scratch import marked, scratch
from .short_circuit import speculated
from .unguarded_pairs import UnguardedPairs
from .variables import reduced
from .work_arrays import is_used_alike

MAX_PAIRS = 12_000
"""Tests of two accesses in one loop."""

MAX_ALIKE = 200_000
"""Pairs of accesses in one loop, those that need no test of their own (`member_pairs`) among them."""

FIRST_SHOWINGS = 4
"""Dependences through one object that are looked at closely before it is known whether copies of it take them away."""

MORE_SHOWINGS = 8
"""And those after it."""

FOUND_BY_RUNS = (ReasonCode.CARRIED_DEPENDENCE, ReasonCode.NON_AFFINE_ACCESS, ReasonCode.TOO_COMPLEX)
"""Of dependences between accesses to memory that can be followed."""


class _Tally(Struct):
    """Outcomes so far, by object."""

    assumptions: set[Assumption] = field(default_factory=set)
    """Of two accesses to different objects."""
    own: dict[Object, set[Assumption]] = field(default_factory=dict)
    """Of two accesses to one object, which copies of it make needless."""
    folds: dict[Object, list[tuple[Occurrence, Fold]]] = field(default_factory=dict)
    folded: dict[Object, list[tuple[Occurrence, Occurrence]]] = field(default_factory=dict)
    """The pairs of accesses behind `folds`, a store and a later read each."""
    dependences: dict[Object, list[Dependence]] = field(default_factory=dict)
    put_off: dict[Object, list[Dependence]] = field(default_factory=dict)
    copies_might_do: set[Object] = field(default_factory=set)
    used_alike: dict[Object, bool] = field(default_factory=dict)
    """Of arrays with a dependence that is not certain: see `work_arrays`."""
    looked_at: set[Object] = field(default_factory=set)
    """Of which it was asked whether they are marks."""
    supposed: dict[Object, Finding | None] = field(default_factory=dict)
    """Of memory with several dependences: the condition under which each iteration has its own (`scratch`)."""

    def add(self, source: Occurrence, sink: Occurrence, outcome: Outcome) -> None:
        x = source.access.object
        match outcome:
            case Independent(assumptions=assumptions) if sink.access.object == x:
                self.own.setdefault(x, set()).update(assumptions)
            case Independent(assumptions=assumptions):
                self.assumptions |= assumptions
            case Fold():
                self.folds.setdefault(source.access.object, []).append((source, outcome))
            case Dependence():
                self.dependences.setdefault(source.access.object, []).append(outcome)


def memory(around: Surroundings, scope: Scope, options: AnalysisOptions) -> Finding:
    """The finding for all memory that one loop touches."""
    found = tuple(distinct(scope.occurrences))
    of_calls = given_kinds(scope, found)
    of_families = settled(scope, found)
    pairs = list(islice(pairs_of(scope, found, of_calls, of_families), MAX_ALIKE + 1))
    members = MemberPairs(scope)
    if MAX_PAIRS < len(pairs) <= MAX_ALIKE and members.are_more_than(MAX_PAIRS, pairs):
        members = MemberPairs(scope, UnguardedPairs(scope))
    if len(pairs) > MAX_PAIRS and (len(pairs) > MAX_ALIKE or members.are_more_than(MAX_PAIRS, pairs)):
        message = f"more than {MAX_PAIRS} pairs of accesses to compare, which the analysis does not take on"
        return problem(ReasonCode.TOO_COMPLEX, message, scope.loop.place.line)
    tally = _compared(around, scope, pairs, members)
    beside = _used_otherwise(scope, found, tally) if scope.supposing else {}
    mixed = {x for x, said in beside.items() if said.problems}
    if mixed:
        scope.in_place |= mixed
        unguarded = None if members.unguarded is None else UnguardedPairs(scope)
        members = MemberPairs(scope, unguarded)  # outcomes of before do not know of these
        tally = _compared(around, scope, pairs, members)
    total = _obligations(around, found) + Finding(assumptions=frozenset().union(*of_calls.values()))
    for x, supposed in tally.supposed.items():
        if supposed is not None:
            total += supposed
            tally.dependences.pop(x, None)
            tally.folds.pop(x, None)
    for o in list(tally.dependences):
        copied = _privatised(around, scope, o, tally)
        if o not in tally.dependences and copied.separated and not any(s.part for s in copied.separated):
            tally.own.pop(o, None)
        total += copied
    for o in [o for o in tally.dependences if o not in tally.supposed]:  # of few pairs: others were asked about before
        supposed = _as_scratch(around, scope, o, tally)
        if supposed is not None:
            total += supposed
            tally.dependences.pop(o)
            tally.folds.pop(o, None)
    tally.assumptions |= {a for needed in tally.own.values() for a in needed}
    total += _stored_alike(tally)
    if not any(d.shown for ds in tally.dependences.values() for d in ds):
        _show_one(around, scope, tally)
    open_ = (d for ds in tally.dependences.values() for d in ds)
    problems = tuple(
        _problem(scope, d, _order_shows(around, scope, d) and not _is_of_updates(d, mixed)) for d in open_
    )
    for name, (source, fold) in _accumulators(scope, tally):
        total += reduced(name, source.access.object, fold.update, source.line, options, fold.moving)
    total += sum(_used_otherwise(scope, found, tally).values(), Finding())
    for folds in filter(None, tally.folds.values()):
        total += speculated(scope, _array(folds[0][0]), [part for _, fold in folds for part in fold.update.skipped])
    return total + Finding(problems, frozenset(tally.assumptions | of_families.assumptions))


def _compared(
    around: Surroundings, scope: Scope, pairs: list[tuple[Occurrence, Occurrence]], members: MemberPairs
) -> _Tally:
    tally = _Tally()
    for source, sink in pairs:
        x = source.access.object
        if scope.supposing and x not in tally.looked_at:
            tally.looked_at.add(x)
            if (marks := marked(around, scope, x)) is not None:
                tally.supposed[x] = marks
        if (tally.used_alike.get(x) or tally.supposed.get(x)) and sink.access.object == x:
            continue
        eager = len(tally.dependences.get(x, ())) < FIRST_SHOWINGS
        outcome = members.between(source, sink, eager)
        tally.add(source, sink, outcome)
        if isinstance(outcome, Fold) and source.write and not sink.write:
            tally.folded.setdefault(source.access.object, []).append((source, sink))
        if isinstance(outcome, Dependence) and not eager:
            tally.put_off.setdefault(source.access.object, []).append(outcome)
        if isinstance(outcome, Dependence) and outcome.kind == "flow" and outcome.shown and scope.loop.exact_trip:
            break  # a value is carried: nothing else changes the answer
        if isinstance(outcome, Dependence) and x not in tally.used_alike and not _is_fixed(scope, (source, sink)):
            tally.used_alike[x] = is_used_alike(around, scope, x)  # then no other pair matters
        if isinstance(outcome, Dependence) and not eager and x not in tally.supposed:
            tally.supposed[x] = _as_scratch(around, scope, x, tally)  # nor then
    return tally


def _as_scratch(around: Surroundings, scope: Scope, x: Object, tally: _Tally) -> Finding | None:
    """The condition under which each iteration has memory for itself, where that cannot be shown."""
    if not scope.supposing or private(scope, scope.accesses_to(x)) is not None:
        return None
    return scratch(around, scope, x, tally.dependences[x])


def _stored_alike(tally: _Tally) -> Finding:
    """Drops the dependences through objects that all iterations only store the same to."""
    separated: list[Separated] = []
    for o, found in list(tally.dependences.items()):
        left = [d for d in found if d.otherwise is None or not d.otherwise <= tally.assumptions]
        if all(d.same_value for d in left) and not (left and o in tally.folds):
            del tally.dependences[o]
            separated += [Separated("same", o, text) for text in dict.fromkeys(d.source.access.text for d in left)]
        elif all(d.otherwise is not None for d in left if d.same_value):
            tally.assumptions |= {a for d in left for a in d.otherwise or ()}
            tally.dependences[o] = [d for d in left if not d.same_value]
    return Finding(separated=tuple(separated))


def _show_one(around: Surroundings, scope: Scope, tally: _Tally) -> None:
    """Makes up for what was put off, until the first dependence that is certain."""
    for o, dependences in tally.dependences.items():
        for d in tally.put_off.get(o, ())[:MORE_SHOWINGS]:
            if d.kind == "output" and o in tally.copies_might_do:
                continue
            again = between(scope, d.source, d.sink)
            if isinstance(again, Dependence) and _order_shows(around, scope, again):
                dependences.append(again)
                return
    for o, dependences in tally.dependences.items():
        running = _running(scope, dependences, tally.folded.get(o, ())) if tally.folds.get(o) else None
        if running is not None:
            dependences.append(running)
            return


def _running(
    scope: Scope, dependences: list[Dependence], folded: Iterable[tuple[Occurrence, Occurrence]]
) -> Dependence | None:
    """An update of what another access reads as it is at that moment: its own read sees what earlier iterations added.

    for (k...) for (i...) { a[i] += c[i];  b[i] = a[i]; }        ->  a[i], from one iteration of k to the next
    """
    ends = [o for d in dependences for o in (d.source, d.sink) if o.update is None and not o.write]
    for source, sink in folded:
        if any(surely_meet(scope, source, end) for end in ends):
            scope.in_place.add(source.access.object)
            again = between(scope, source, sink)
            if isinstance(again, Dependence) and again.shown and not again.of_contents:
                return again
    return None


def _accumulators(scope: Scope, tally: _Tally) -> Iterable[tuple[str, tuple[Occurrence, Fold]]]:
    """One entry per accumulator and operator. Of several members of one array's elements, a floating one tells what
    another order means."""
    chosen: dict[tuple[str, str], tuple[Occurrence, Fold]] = {}
    for folds in tally.folds.values():
        moving = next((source for source, fold in folds if fold.moving), None)
        for source, fold in folds:
            name = _place_name(scope, source) if moving is None else _array(moving)
            key, found = (name, fold.update.operator), (source, replace(fold, moving=moving is not None))
            if key not in chosen or (fold.update.reorders_fp and not chosen[key][1].update.reorders_fp):
                chosen[key] = found
    return ((name, found) for (name, _), found in chosen.items())


def _used_otherwise(scope: Scope, found: tuple[Occurrence, ...], tally: _Tally) -> dict[Object, Finding]:
    """For each array of which elements are accumulated into, what other accesses to it say."""
    said: dict[Object, Finding] = {}
    for x, folds in tally.folds.items():
        if all(d.otherwise is not None for d in tally.dependences.get(x, ())):
            same = tuple(o for o in found if o.access.object == x)
            moves = any(fold.moving for _, fold in folds)
            said[x] = _beside_folds(same, folds) if moves else _beside_one(scope, same, folds)
    return {x: finding for x, finding in said.items() if finding != Finding()}


def _beside_one(scope: Scope, same: tuple[Occurrence, ...], folds: list[tuple[Occurrence, Fold]]) -> Finding:
    """A partial result of one element does not have its value: no other access may meet it, be it in the one iteration
    that there is (`b[i] += b[1]` where i is 1), or where nothing is added at all (`if (m) b[0] += x; else y = b[0];`),
    or by another operator. In other members it does not, as long as subscripts stay in them."""
    inside: frozenset[Assumption] = frozenset()
    for source, fold in folds:
        for other in (o for o in same if o.update is None or o.update.operator != fold.update.operator):
            if in_other_bytes(other.access, source.access):
                inside |= bounds_open(other)
            elif may_meet_in_one_iteration(scope, _whenever(scope, source), other):
                return _mixed(source, other)
    return Finding((), inside)


def _whenever(scope: Scope, o: Occurrence) -> Occurrence:
    """The access in any iteration of the loop, whether it is made there or not."""
    return replace(o, where=replace(o.where, loops=o.loops[: scope.level(o) + 1], guards=(), test=False))


def _beside_folds(same: tuple[Occurrence, ...], folds: list[tuple[Occurrence, Fold]]) -> Finding:
    """Partial results of a whole array hold nothing but what is folded into it: another access to the array, be it to
    elements that are never folded into, would meet or leave its value there. Members that nothing is folded into are
    no part of it, as long as they are only read."""
    folded = [o for o, _ in folds]
    for source, fold in folds:
        operator = fold.update.operator
        others = [o for o in same if o.update is None or o.update.operator != operator]
        apart = [o for o in others if not o.write and all(in_other_members(o.access, f.access) for f in folded)]
        for other in others:
            if other not in apart:
                return _mixed(source, other)
    return Finding(assumptions=frozenset().union(*(bounds_open(o) for o in (*apart, *folded) if apart)))


def _mixed(source: Occurrence, other: Occurrence) -> Finding:
    text = source.access.text
    message = (
        f"line {source.line} accumulates into elements of `{_array(source)}`, and line {other.line} uses "
        f"`{other.access.text}` as it is at that moment: a partial result per thread would not be that value"
    )
    texts, lines = (text, other.access.text), (source.line, other.line)
    reason = Reason(ReasonCode.CARRIED_DEPENDENCE, message, other.line, texts, "*", lines)
    return Finding((Problem(reason),))


def _array(o: Occurrence) -> str:
    """The array of an access, as C writes it; where it came from a call, as the access writes it."""
    x = o.access.object
    return o.access.text.partition("[")[0] if isinstance(root(x), Anything) else c_text(x)


def _place_name(scope: Scope, o: Occurrence) -> str:
    """A place that does not move, in words that mean the same outside of the loop and of what is called in it: `b[0]`
    for `b[i % 2]` where every i is even, `s->re` for `a->re` of a helper that gets s."""
    access = o.access
    indices = [s.index.constant for s in access.subscripts]
    match access.object:
        case Declared(base) | Pointee(base) if None not in indices and base.key not in scope.history.assigned:
            pass
        case _:
            return access.text
    split = len(indices) - (_subscripts_at_the_end(access.text) if access.field else 0)
    element, member = ("".join(f"[{k}]" for k in part) for part in (indices[:split], indices[split:]))
    named = f"{base.name}{element}{access.field}{member}"
    if isinstance(access.object, Pointee) and element == "[0]" and access.text != named:
        if access.field:
            return f"{base.name}->{access.field[1:]}{member}"
        return f"*{base.name}" if access.text.startswith("*") else named
    return named


def _subscripts_at_the_end(text: str) -> int:
    """How many subscripts follow the last name: 2 in `s[k].v[a[i]][0]`."""
    found = depth = 0
    for letter in reversed(text):
        depth += (letter == "]") - (letter == "[")
        if not depth and letter != "[":
            break
        found += letter == "[" and not depth
    return found


# --- private arrays


def _privatised(around: Surroundings, scope: Scope, o: Object, tally: _Tally) -> Finding:
    """Drops the dependences through an object of which every iteration can have its own copy."""
    if any(d.code == ReasonCode.MAY_ALIAS for d in tally.dependences[o]):
        return Finding()
    if o in scope.lent:
        return _lent(o, tally)
    if not set_before_calls(scope, scope.accesses_to(o)):
        return Finding()
    found = _used_alike(o, tally) if tally.used_alike.get(o) else _written_first(around, scope, o, tally)
    if o in tally.dependences:
        found = _from_before(around, scope, o, tally) or found
    if o in tally.dependences and is_used_alike(around, scope, o):
        found = _used_alike(o, tally)
    supposed = None if o not in tally.dependences else scratch(around, scope, o, tally.dependences[o])
    if supposed is None:
        return found
    del tally.dependences[o]
    tally.folds.pop(o, None)
    return supposed


def _lent(o: Object, tally: _Tally) -> Finding:
    """Of what each iteration has for itself in any case (`lent_scratch`)."""
    del tally.dependences[o]
    tally.folds.pop(o, None)
    return Finding()


def _used_alike(o: Object, tally: _Tally) -> Finding:
    """Of copies of what nothing has set before, unless an iteration certainly reads what another one left."""
    if any(d.shown and d.kind == "flow" for d in tally.dependences[o]):
        return Finding()
    del tally.dependences[o]
    tally.folds.pop(o, None)
    return Finding(separated=(Separated("private", o, c_text(o)),))


def _from_before(around: Surroundings, scope: Scope, o: Object, tally: _Tally) -> Finding | None:
    """Of copies that begin with the old values."""
    if any(d.shown and d.kind == "flow" for d in tally.dependences[o]):
        return None
    accesses = tuple(a for a in scope.occurrences if a.access.object == o)
    again = bool(around.occurrences.around[scope.loop.key][0])  # a loop around it: the old values are those it left
    live = again or is_read_later(around, scope, o)
    needed = from_before(scope, accesses, live)
    if needed is None:
        return None
    del tally.dependences[o]
    tally.folds.pop(o, None)
    texts = {_place_name(scope, a) for a in accesses}
    names = tuple(texts) if len(texts) == 1 and _is_fixed(scope, accesses) else _names_of_copied(scope, o, accesses)
    separated = tuple(Separated("first_last" if live else "first", o, name) for name in names)
    return Finding(assumptions=needed, separated=separated)


def _names_of_copied(scope: Scope, o: Object, accesses: tuple[Occurrence, ...]) -> tuple[str, ...]:
    """Of an object, or of the pointers to the parts of a table's memory that are used."""
    pointers = [pointer_text(a.access, scope.loop) for a in accesses] if isinstance(o, Rows) else []
    named = tuple(dict.fromkeys(p for p in pointers if p is not None))
    return named if named and None not in pointers else (c_text(o),)


def _is_fixed(scope: Scope, accesses: tuple[Occurrence, ...]) -> bool:
    """Whether these are places that do not move."""
    return not any(scope.varies(s) for a in accesses for sub in a.access.subscripts for s in sub.index.symbols)


def _written_first(around: Surroundings, scope: Scope, o: Object, tally: _Tally) -> Finding:
    """Of copies that begin with nothing."""
    live = is_read_later(around, scope, o)
    filled = isinstance(o, Declared | Allocated) and not live and is_filled_from_the_start(scope.loop.body, o)
    if filled:
        del tally.dependences[o]
        tally.folds.pop(o, None)
        return Finding(separated=(Separated("private", o, c_text(o)),))
    ends = [a for d in tally.dependences[o] for a in (d.source, d.sink)]
    folded: list[tuple[Occurrence, Fold]] = []
    others: list[tuple[Occurrence, Fold]] = []
    for fold in tally.folds.get(o, ()):  # what is folded is read, too
        (others if all(_always_apart(scope, fold[0], a) for a in ends) else folded).append(fold)
    carried = {kind(a) for a in (*ends, *(source for source, _ in folded))}
    accesses = tuple(a for a in scope.occurrences if a.access.object == o and kind(a) in carried)
    rest = [a for a in scope.occurrences if a.access.object == o and kind(a) not in carried]
    fixed = _is_fixed(scope, accesses)
    # a copy of a part of the array might do
    if (rest and not fixed) or any(_beside(scope, a, carried, accesses) for a in rest if not a.write):
        return _copies_might_do(tally, o)
    first = fixed and _assigned_first(around, scope, accesses, live)
    needed = frozenset() if first else private(scope, accesses)
    if needed is None and rewritten_last(scope, accesses):
        return _copies_might_do(tally, o)  # were it seen that what is read was written before
    if needed is None or not (first or not live or rewritten_last(scope, accesses, needed)):
        return _copies_might_do(tally, o) if at_least_once(scope, accesses) else Finding()
    texts = {_place_name(scope, a) for a in accesses}
    if others and not (fixed and len(texts) == 1):
        return Finding()  # one object cannot be both a copy per iteration and a reduction
    del tally.dependences[o]
    tally.folds[o] = others
    names = tuple(sorted(texts)) if fixed and (rest or len(texts) == 1) else (c_text(o),)
    role: Literal["last", "private"] = "last" if live else "private"
    separated = tuple(Separated(role, o, name, part=bool(rest)) for name in names)
    return Finding(assumptions=needed, separated=separated)


def _copies_might_do(tally: _Tally, o: Object) -> Finding:
    """That an object is overwritten decides nothing where copies of it may hold all that is read, for all one knows."""
    tally.copies_might_do.add(o)
    tally.dependences[o] = [replace(d, shown=d.shown and d.kind != "output") for d in tally.dependences[o]]
    return Finding()


def _beside(scope: Scope, read: Occurrence, carried: set[Hashable], private_: tuple[Occurrence, ...]) -> bool:
    """Whether a read that carries nothing may see, in its own iteration, what a private copy does not hold yet."""
    return kind(read) not in carried and any(
        a.write and not disjoint_bytes(read.access, a.access) and not _always_apart(scope, read, a) for a in private_
    )


def _always_apart(scope: Scope, a: Occurrence, private_: Occurrence) -> bool:
    """Whether an access never meets the private copy within an iteration, also where a condition (`if (flag) t[0] =
    x;`) leaves the copy empty."""
    b = replace(private_, where=replace(private_.where, guards=()))
    pairs = zip(subscripts(a.access), subscripts(b.access), strict=False)
    constant = len(subscripts(a.access)) == len(subscripts(b.access)) and any((x - y).constant for x, y in pairs)
    return constant or meeting(scope, a, EARLIER + ALSO, b, EARLIER) is Feasibility.EMPTY


def _assigned_first(around: Surroundings, scope: Scope, accesses: tuple[Occurrence, ...], live: bool) -> bool:
    """For places that do not move: whether each iteration assigns what it reads, on every path, before it reads it
    (and, when somebody reads it afterwards, assigns all that it ever assigns)."""
    flow = Flow(around.certain)
    end = flow.with_exits(flow.body(scope.loop.body, frozenset()), "continue", scope.loop.key)
    read = {location_of(a.access) for a in accesses if not a.write}
    written = {location_of(a.access) for a in accesses if a.write}
    return not read & flow.exposed and (not live or end is None or written <= end)


# --- obligations


def _obligations(around: Surroundings, found: tuple[Occurrence, ...]) -> Finding:
    """Integer arithmetic that must not wrap for subscripts to be what they were taken for."""
    written = {o.access.object for o in found if o.write}
    total = Finding()
    for o in found:
        if o.access.object in written and o.access.wraps:
            total += around.once((o.access.wraps, id(o.where)), partial(_obligations_of, o, around.work))
    return total


def _obligations_of(o: Occurrence, work: Work) -> Finding:
    total = Finding()
    for wrap in o.access.wraps:
        total += obligation(domain(o), wrap, ReasonCode.NON_AFFINE_ACCESS, o.loops, work)
    return total


def _order_shows(around: Surroundings, scope: Scope, d: Dependence) -> bool:
    """Whether another order of the two iterations gives another result: always when a value flows from one to the
    other; when it is only overwritten, if somebody can see the memory afterwards."""
    x = d.source.access.object
    seen = d.kind == "flow" or (is_read_later(around, scope, x) and is_seen_after(around.function, scope.loop, x))
    return d.shown and seen


def _is_of_updates(d: Dependence, among: Container[Object]) -> bool:
    """Whether it is between two updates of one of these, which may come in any order unless somebody looks between."""
    return d.source.access.object in among and d.source.update is not None and d.sink.update is not None


def _problem(scope: Scope, d: Dependence, shown: bool) -> Problem:
    texts = (d.source.access.text, d.sink.access.text)
    line = d.source.line if d.sink.write else d.sink.line
    lines = (d.source.line, d.sink.line)
    reason = Reason(d.code, sentence(d, shown), line, texts, d.distance, lines)
    may_be_run = not shown and d.code in FOUND_BY_RUNS and _is_ordinary(scope, d)
    return Problem(reason, shown, d.of_contents, d.only_if, may_be_run, bool(d.only_if) or d.of_short_rows)


def _is_ordinary(scope: Scope, d: Dependence) -> bool:
    """Whether ordinary contents make the two meet: an index list may be one of which no two iterations use the same
    element, but where an element is read and changed at once (`next[key[i]]++`), that is what it is for."""
    lists = (s for o in (d.source, d.sink) for i in subscripts(o.access) for s in nested_symbols(i.symbols))
    chosen = any(isinstance(s.origin, Loaded) and scope.varies(s) for s in lists)
    return not chosen or same_place(d.source.access, d.sink.access)
