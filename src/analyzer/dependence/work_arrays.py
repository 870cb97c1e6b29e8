"""Work arrays that nothing has set before a nest, and that each of its iterations uses in one and the same way.

*Decides*: whether every iteration of a loop reads only what it has stored itself in an array of the function's own.
*Method*: where the first iteration begins, nothing is in the array, and C gives no meaning to what is read before it is
stored (C11 6.7.9p10, J.2): so the first iteration stores all that it reads, first. If no iteration can go another way
than the first one, or use other elements, all do so. What differs between iterations is followed through assignments:
loop variables, what is kept from one iteration to the next, what memory holds that the nest writes.
*Errs toward* no: arrays with an initialiser or whose address others have; any condition, bound or subscript in the loop
that may be another one in another iteration, be it about other memory; calls that may do anything.

    double w[64];  for (k...) { for (i < n) w[i] = x[k][i];  fft(n, w);  for (i < n) y[k][i] = w[i]; }      ->  yes
    double w[64];  for (k...) { if (k > 0) s += w[0];  w[0] = x[k]; }                                       ->  no
"""

from collections.abc import Iterable

from ..access.dataflow import Certain, Flow
from ..ir import c_library as library
from ..ir.nodes import (
    Access,
    Allocated,
    Assign,
    Branch,
    Call,
    Choice,
    Declared,
    Evaluate,
    Exit,
    Expression,
    Load,
    Loop,
    Object,
    Opaque,
    Refused,
    Statement,
    Use,
    Variable,
    evaluated,
    statements,
    walk,
)
from ..memory.alias import Overlap
from ..source.ctypes import Array
from ..source.effective_types import differ_in_type
from .function_facts import Surroundings
from .liveness import is_read_later
from .scope import Scope


def is_used_alike(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether every iteration of the loop uses an array in one way, nothing was in it before, and nobody reads it
    later. Example: see the module."""
    if not isinstance(x, Declared) or not _is_own(around, x) or is_read_later(around, scope, x):
        return False
    outer = [each for each in around.occurrences.around[scope.loop.key][0] if each.key not in x.variable.loops]
    nest = (*outer, scope.loop)
    if not _is_unset(around, scope, x, nest[0]):
        return False
    return _Alike(around, scope, x, nest).goes_one_way()


def _is_own(around: Surroundings, x: Declared) -> bool:
    """Whether an array has nothing in it where its block begins, and nobody else gets its address."""
    variable, known, function = x.variable, around.known, around.function
    if variable.scope != "local" or not isinstance(variable.type, Array) or variable.key in function.initialised:
        return False
    given = any(x in c.call.pointers for c in around.occurrences.calls) or x in known.passed
    kept = x in known.objects and known.leaks
    return function.complete and not (given or kept)


def _is_unset(around: Surroundings, scope: Scope, x: Declared, first: Loop) -> bool:
    """Whether the only accesses to the array that may come before the end of the nest are those of the loop."""
    function = around.function
    if any(isinstance(s, Exit) and s.kind == "goto" for s in statements(function.body)):
        return False
    found = around.occurrences
    (own, after), (_, end) = found.ranges[scope.loop.key], found.ranges[first.key]
    sample = next(o.access for o in scope.occurrences if o.access.object == x)
    before = (*found.all[:own], *found.all[after:end])
    if any(scope.overlap(o.access, sample).overlap is not Overlap.DISTINCT for o in before):
        return False
    inside = (o for o in scope.occurrences if o.access.object != x)
    return not any(scope.overlap(o.access, sample).overlap is not Overlap.DISTINCT for o in inside)


class _Alike:
    """What may differ between the iterations of a loop, and of those around it. `varying`: scalars, by their keys."""

    def __init__(self, around: Surroundings, scope: Scope, x: Declared, nest: tuple[Loop, ...]) -> None:
        self.scope, self.x, self.body = scope, x, scope.loop.body
        self.tests = {id(s) for s in self.body}  # how often it runs is another question
        start, end = around.occurrences.ranges[nest[0].key]
        self.written = [o.access for o in around.occurrences.all[start:end] if o.write]
        self.own = {id(o.access) for o in scope.writes}
        flow = Flow(Certain())
        flow.body(self.body, frozenset())
        inside = {id(s) for s in statements(self.body)}
        outside = (s for s in statements(nest[0].body) if id(s) not in inside)
        assigned = _assigned(statements(nest[0].body))
        self.varying = _assigned(outside)
        self.varying |= {r.variable.key for r in flow.reads} & assigned
        self.varying |= {i.variable.key for each in nest for i in each.inductions}
        self.varying |= {r.variable.key for each in nest for r in each.recurrences}

    def goes_one_way(self) -> bool:
        """Whether all control, and all subscripts, are the same in each iteration."""
        while True:
            before = len(self.varying)
            for s in statements(self.body):
                if isinstance(s, Assign) and isinstance(s.target, Variable) and self.differs(s.value):
                    self.varying.add(s.target.key)
            if len(self.varying) == before:
                break
        return all(map(self._is_steady, statements(self.body)))

    def _is_steady(self, statement: Statement) -> bool:
        if not all(map(self._selects_alike, evaluated(statement))):
            return False
        match statement:
            case Branch(condition=condition):
                return not self.differs(condition)
            case Evaluate(value=value, control=True) if id(statement) not in self.tests:
                return not self.differs(value)
            case Assign(target=Access(object=self.x) as target, index=index):
                return self._is_one_place(target, index)
            case Loop(body=body):
                tested = any(isinstance(s, Evaluate) and s.control for s in body)
                return tested or self._is_counted_alike(statement)
            case Refused():
                return False
            case _:
                return True

    def _selects_alike(self, e: Expression) -> bool:
        """Whether an expression goes the same way, and reads the same elements of the array."""
        match e:
            case Choice(condition=condition):
                return not self.differs(condition)
            case Load(access=Access(object=self.x) as access, index=index):
                return self._is_one_place(access, index)
            case Call():
                return not _may_do_anything(e)
            case _:
                return True

    def _is_one_place(self, access: Access, index: tuple[Expression, ...]) -> bool:
        """Whether an access is to the same element in each iteration. What a call is summarised to has no
        expressions."""
        written_out = bool(index) or all(s.index.constant is not None for s in access.subscripts)
        return written_out and not any(map(self.differs, index))

    def _is_counted_alike(self, loop: Loop) -> bool:
        """Whether a loop without a test, which stands for a function of the C library, runs equally often."""
        bounds = [r.numerator.constant for r in loop.trip or ()]
        return loop.exact_trip and bool(bounds) and None not in bounds

    def differs(self, e: Expression) -> bool:
        """Whether the value may be another one in another iteration."""
        return any(map(self._may_differ, walk(e)))

    def _may_differ(self, e: Expression) -> bool:
        match e:
            case Use(variable=variable):
                return variable.key in self.varying or self._may_be_set(variable)
            case Load(access=access):
                return access.volatile or self._may_be_written(access)
            case Call(known=known, closed=closed, supposed=supposed):
                return not known and not (closed and supposed is None)
            case Opaque():
                return True
            case _:
                return False

    def _may_be_set(self, variable: Variable) -> bool:
        """Whether a store through a pointer may change a variable."""
        if variable.scope in ("local", "parameter"):
            return variable.addressed
        others = (w for w in self.written if not isinstance(w.object, Declared | Allocated))
        return not variable.by_name and not all(differ_in_type(w.type, variable.type) for w in others)

    def _may_be_written(self, read: Access) -> bool:
        """Whether the nest may store to what is read. That pointers of the loop itself lead to different memory is
        among what its answer assumes."""
        for write in self.written:
            match self.scope.overlap(write, read).overlap:
                case Overlap.DISTINCT:
                    continue
                case Overlap.SAME:
                    return True
                case Overlap.UNKNOWN if not differ_in_type(write.type, read.type):
                    return True
                case Overlap.ASSUMED if id(write) not in self.own and not differ_in_type(write.type, read.type):
                    return True
                case _:
                    pass
        return False


def _assigned(body: Iterable[Statement]) -> set[int]:
    targets = (s.target for s in body if isinstance(s, Assign))
    return {t.key for t in targets if isinstance(t, Variable)}


def _may_do_anything(call: Call) -> bool:
    if call.known or (call.closed and call.supposed is None):
        return False
    effect = library.effect(call.name)
    return effect is None or not (effect.is_output or effect is library.Effect.NO_RETURN)
