"""A nest with its loops in another order: the same statements, so that what is asked of a loop can be asked of it.

    hoisted    a loop moves out of those around it, and takes along the loops beside it that run as often
               (interchange, and fusion, which is what a thread does that owns one of its iterations)
    divided    a loop becomes several, one for each loop in its body (distribution)

*Does not ask* whether the program stays equal: `arrangements` does, of the dependences.
*Refuses* bounds that the loops in between change (triangles), exits, loops in branches, and statements in between that
do more than give a local scalar a value: these every iteration of the hoisted loop repeats.

    for k { for j c[j] += a[k] * b[k][j]; }              hoisted j:    for j { for k { c[j] += a[k] * b[k][j]; } }
    for j c[j] *= s; for k { for j c[j] += b[k][j]; }    hoisted j:    for j { c[j] *= s; for k { c[j] += b[k][j]; } }
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from ..facts.loop import Parallelism
from ..ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Computed,
    Counter,
    Declared,
    Entry,
    Evaluate,
    Exit,
    Expression,
    Load,
    Loaded,
    Loop,
    Object,
    Opaque,
    Refused,
    Rows,
    Statement,
    Use,
    Variable,
    evaluated,
    loops,
    nested_symbols,
    statements,
    symbols_in,
)
from ..ir.polynomials import Symbol, symbol
from ..loops.substitute import Substitution

Body = tuple[Statement, ...]


class Hoisted(Struct, frozen=True):
    """`loop`: with the whole body inside; `before`: what begins it. `crossed`: the loops that it moved out of, `taken`
    how many loops it is made of. `repeated`: keys of the scalars that each of its iterations sets for itself."""

    loop: Loop
    before: Body
    crossed: tuple[Loop, ...]
    taken: int
    repeated: frozenset[int]


class _RefusedError(Exception):
    """The body has no such form."""


def is_plain(loop: Loop) -> bool:
    """Whether nothing but its counter runs the loop: a test, the body, one step of one variable."""
    if loop.kind == "do" or loop.trip is None or not loop.exact_trip or loop.at_least or loop.recurrences:
        return False
    if len(loop.inductions) != 1 or len(loop.body) < 2:
        return False
    first, last, variable = loop.body[0], loop.body[-1], loop.inductions[0].variable
    steps = [s for s in statements(loop.body) if isinstance(s, Assign) and s.target == variable]
    return isinstance(first, Evaluate) and first.control and steps == [last] and steps[0].induction


def is_rearrangeable(loop: Loop) -> bool:
    """Whether every loop of the nest is plain, and nothing leaves one early."""
    every = (loop, *loops(loop.body))
    return all(map(is_plain, every)) and not any(isinstance(s, Exit | Refused) for s in statements(loop.body))


def inner(loop: Loop) -> Body:
    """What the body of a plain loop does beside running the loop."""
    return loop.body[1:-1]


def with_inner(loop: Loop, body: Body) -> Loop:
    """A plain loop with another body."""
    return replace(loop, body=(loop.body[0], *body, loop.body[-1]))


def hoisted(
    body: Body, leader: Loop, varies: Callable[[Symbol], bool], *, alone: bool = False
) -> Hoisted | None:
    """The body as one loop that has the iterations of `leader`, a plain loop somewhere in it; None where it has no such
    form. `varies`: whether a symbol may change while the body runs. `alone`: no other loop is taken along.

    Example: see the module."""
    made = _Hoisting(body, leader, varies, alone=alone)
    try:
        found = tuple(made.inside(body))
    except _RefusedError:
        return None
    loop = replace(with_inner(leader, found), independent="", said_by="")  # the user spoke of another order
    return Hoisted(loop, tuple(made.before), tuple(made.crossed), len(made.taken), frozenset(made.repeated))


def begun(body: Body, loop: Loop) -> Body:
    """The statement right before a loop that begins its counting; nothing where another one stands there."""
    if not loop.inductions:
        return ()
    for at, s in enumerate(body):
        match s:
            case Loop(key=key) if key == loop.key:
                start = body[at - 1] if at else None
                is_start = isinstance(start, Assign) and start.target == loop.inductions[0].variable
                return (start,) if start is not None and is_start else ()
            case Loop(body=inside):
                found = begun(inside, loop)
            case Branch(then=then, otherwise=otherwise):
                found = begun(then, loop) or begun(otherwise, loop)
            case _:
                continue
        if found:
            return found
    return ()


def replaced(body: Body, key: int, nest: Body) -> Body:
    """The statements with others in place of the loop of a key, which may be in there."""
    found: list[Statement] = []
    for s in body:
        match s:
            case Loop(key=at) if at == key:
                found += nest
            case Loop():
                found.append(replace(s, body=replaced(s.body, key, nest)))
            case Branch(then=then, otherwise=otherwise):
                found.append(replace(s, then=replaced(then, key, nest), otherwise=replaced(otherwise, key, nest)))
            case _:
                found.append(s)
    return tuple(found)


class _Hoisting:
    def __init__(self, body: Body, leader: Loop, varies: Callable[[Symbol], bool], *, alone: bool) -> None:
        self.leader, self.alone = leader, alone
        counters = {each.counter for each in loops(body)}
        bounds = {s for r in leader.trip or () for s in nested_symbols(r.numerator.symbols)}
        self.is_triangular = any(s in counters or (not isinstance(s.origin, Counter) and varies(s)) for s in bounds)
        self.taken = [each for each in loops(body) if self._is_taken(each)]
        self.own = {each.inductions[0].variable for each in self.taken}
        self.crossed: list[Loop] = []
        self.before: list[Statement] = []
        self.repeated: set[int] = set()
        self.moved = {each.key for each in self.taken}

    def _is_taken(self, loop: Loop) -> bool:
        """Whether it has the iterations of the leader; of loops in each other that have, the innermost."""
        if self.alone:
            return loop.key == self.leader.key
        return loop.trip == self.leader.trip and not any(e.trip == self.leader.trip for e in loops(loop.body))

    def inside(self, body: Body) -> Iterator[Statement]:
        """What one iteration of the hoisted loop does of a body."""
        if self.is_triangular:
            raise _RefusedError
        for s in body:
            match s:
                case Loop() if self._is_taken(s):
                    yield from self._iteration(s)
                case Loop():
                    yield self._around(s)
                case Assign(target=Variable() as target) if target in self.own:
                    self._begin(s, target)
                case Assign(target=Variable() as target) if _is_local(target) and not any(map(_is_call, evaluated(s))):
                    self._still(s)
                    self.repeated.add(target.key)
                    yield s
                case _:
                    raise _RefusedError

    def _begin(self, s: Assign, variable: Variable) -> None:
        if s.induction or any(isinstance(e, Load | Call) for e in evaluated(s)):
            raise _RefusedError
        if variable == self.leader.inductions[0].variable:
            self.before[:] = [s]

    def _around(self, loop: Loop) -> Loop:
        """A loop that the hoisted one moves out of."""
        if not any(self._is_taken(each) for each in loops(loop.body)):
            raise _RefusedError
        counters = {each.counter for each in self.taken}
        if any(not counters.isdisjoint(nested_symbols(r.numerator.symbols)) for r in loop.trip or ()):
            raise _RefusedError
        self.crossed.append(loop)
        self.moved.add(loop.key)
        self._still(loop.body[0])
        return with_inner(loop, tuple(self.inside(inner(loop))))

    def _iteration(self, loop: Loop) -> Iterator[Statement]:
        """The body of a loop of the same iterations."""
        body = inner(loop)
        for s in statements(body):
            self._still(s)
        if loop.key == self.leader.key:
            yield from body
            return
        if any(loop.key in v.loops for s in statements(body) for v in _variables(s)):
            raise _RefusedError  # a local of its own, which would be one of another loop
        yield from Substitution({loop.counter: symbol(self.leader.counter)}).body(body)

    def _still(self, s: Statement) -> None:
        """Refuses values that were made inside of loops that move: they say where they were made."""
        accesses = [e.access for e in evaluated(s) if isinstance(e, Load)]
        accesses += [s.target] if isinstance(s, Assign) and isinstance(s.target, Access) else []
        found = {x for a in accesses for sub in a.subscripts for x in nested_symbols(sub.index.symbols)}
        trips = {x for r in (s.trip or () if isinstance(s, Loop) else ()) for x in nested_symbols(r.numerator.symbols)}
        if any(not self.moved.isdisjoint(_made_in(x)) for x in found | trips):
            raise _RefusedError


def makes_values(loop: Loop) -> bool:
    """Whether a value that something in a loop depends on says that it was made in an iteration of it: of another loop
    it would not be known that it changes."""
    return any(loop.key in _made_in(x) for x in symbols_in(inner(loop)))


def _made_in(s: Symbol) -> tuple[int, ...]:
    match s.origin:
        case Loaded(loops=made) | Computed(loops=made) | Entry(loops=made):
            return made
        case _:
            return ()


def _is_local(v: Variable) -> bool:
    return v.scope in ("local", "parameter") and not v.addressed


def _is_call(e: Expression) -> bool:
    return isinstance(e, Call | Opaque)


def _variables(s: Statement) -> Iterator[Variable]:
    return (x.variable if isinstance(x, Declared) else x for x in named(s) if isinstance(x, Declared | Variable))


def named(s: Statement) -> Iterator[Variable | Object]:
    """The variables and objects that a statement itself reads or sets."""
    if isinstance(s, Assign):
        yield s.target if isinstance(s.target, Variable) else s.target.object
    for e in evaluated(s):
        match e:
            case Use(variable=variable):
                yield variable
            case Load(access=access):
                yield access.object
            case Address(object=object_) if object_ is not None:
                yield object_
            case _:
                pass


# --- distribution


def divided(loop: Loop, answer: Parallelism) -> tuple[Loop, ...]:
    """A plain parallel loop as several that run one after the other, one for each loop directly in its body, with the
    statements before it (the last: with those behind, too). Empty where there is one loop, or a copy that each
    iteration has would have to be kept from one to the next.

    Example: `for i { t[i] = 0; for j t[i] += a[i][j]; for j y[j] += a[i][j] * t[i]; }` is two."""
    body = inner(loop)
    if any(not isinstance(s, Assign | Loop) for s in body):
        return ()
    groups: list[list[Statement]] = [[]]
    for s in body:
        if groups[-1] and isinstance(groups[-1][-1], Loop):
            groups.append([])
        groups[-1].append(s)
    if len(groups) > 1 and not any(isinstance(s, Loop) for s in groups[-1]):
        last = groups.pop()
        groups[-1] += last
    parts = [tuple(group) for group in groups]
    if len(parts) < 2:
        return ()
    copied = {s.target for s in answer.separated if s.role in _COPIES}
    used = [_own(part) for part in parts]
    for x in frozenset[Variable | Object]().union(*used):
        if sum(x in names for names in used) > 1 and (x in copied or _is_made_in(loop, x)):
            return ()
    return tuple(with_inner(loop, part) for part in parts)


_COPIES = ("private", "first", "last", "first_last", "best")


def _is_made_in(loop: Loop, x: Variable | Object) -> bool:
    """Whether each iteration makes one of its own, or that is not known."""
    match x:
        case Variable(loops=made):
            return loop.key in made
        case Declared(variable=variable):
            return loop.key in variable.loops
        case Rows(base=base):
            return _is_made_in(loop, base)
        case Allocated() | Anything():
            return True
        case _:
            return False


def _own(part: Body) -> frozenset[Variable | Object]:
    """What is named in a part, but for the variables that its loops count with, and begin themselves."""
    counted = {each.inductions[0].variable for each in loops(part)}
    return frozenset(x for s in statements(part) for x in named(s) if x not in counted)
