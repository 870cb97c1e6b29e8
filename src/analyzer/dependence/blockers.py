"""What keeps a loop from running in parallel, whatever its accesses are.

*Decides*: exits from the loop, unknown numbers of iterations, calls with unknown effects, input and output, volatile
and atomic accesses, objects that each thread has of its own, inline assembly, and C that the IR could not hold.
*Errs toward* blocking. Each blocker prevents a `yes`; `shown` ones (the order of an effect is visible) make it a `no`.
"""

import re
from collections.abc import Iterator

from ..access.accesses import Calling
from ..base.regex import regex
from ..facts.loop import Assumption, Reason
from ..ir import blas
from ..ir import c_library as library
from ..ir.c_library import ALLOCATORS
from ..ir.nodes import (
    Access,
    Address,
    Assign,
    Branch,
    Call,
    Convert,
    Declared,
    Evaluate,
    Exit,
    Expression,
    Load,
    Loop,
    Object,
    Opaque,
    Operation,
    Refused,
    Statement,
    Text,
    ThreadState,
    Use,
    Variable,
    evaluated,
    loops,
    statements,
    unconverted,
    walk,
)
from ..ir.pointer_roots import root
from ..ir.reasons import AssumptionKind, ReasonCode
from ..loops.state_words import says_it_changes
from ..memory.alias import c_text
from ..polyhedra.system import System
from ..source.ctypes import CType, Floating, Integer, Pointer, Record, element
from .finding import Finding, Problem
from .function_facts import Surroundings
from .held_conditions import is_held
from .lent_scratch import is_lent, left_by_others, separated
from .made_inside import is_made_inside
from .own_files import is_of_own_file
from .releases import RELEASING, released
from .scope import Scope
from .sums_by_calls import summed
from .supposed import supposed
from .unreached import unreached
from .witness.free_contents import inner_guards
from .witness.proof import Meeting

_RANDOM = regex(r"ran|rng|rnd|seed", re.IGNORECASE)
ASSEMBLY = "__boathull_asm"


def blockers(around: Surroundings, scope: Scope) -> Finding:
    """Everything that blocks the loop."""
    loop = scope.loop
    releases = {id(c): released(scope, c.call) for c in scope.history.calls if c.call.name in RELEASING}
    harmless = releases | {id(c): unreached(scope, c.at) for c in scope.history.calls if c.call.name not in RELEASING}
    none_blocks = frozenset(key for key, found in harmless.items() if found is not None)
    calls = (*_calls(scope, none_blocks), *(_supposed_calls(around, scope) if scope.supposing else ()))
    accesses = (*_statements(loop, loop.body), *_one_register(scope))
    exits = (*_exits(loop), *_searches(loop))
    problems = (*exits, *_trip(loop), *_last_test(loop), *accesses, *calls, *_thread_states(around, loop))
    rests_on = frozenset(supposed(loop)) if scope.supposing else frozenset[Assumption]()
    resting_on = (found for found in harmless.values() if found is not None)
    return sum(resting_on, Finding(problems, rests_on) + separated(scope))


def _thread_states(around: Surroundings, loop: Loop) -> Iterator[Problem]:
    """What the function sets for its own thread alone, or reads of it, where the loop depends on that."""
    for found in around.function.thread_states:
        if found.loop == loop.place and (found.calls or _rounds(loop, found.state)):
            message = f"line {found.line} sets or asks for {found.state}, of which each thread has its own"
            yield _blocked(ReasonCode.SIDE_EFFECT, message, loop.place.line)


def _rounds(loop: Loop, state: ThreadState) -> bool:
    """Whether a loop computes with floating-point numbers, of which the mode and the flags are asked."""
    done = (e for s in statements(loop.body) for e in evaluated(s) if isinstance(e, Operation | Convert))
    return state is ThreadState.ENVIRONMENT and any(isinstance(e.type, Floating) for e in done)


def _blocked(code: ReasonCode, message: str, line: int, shown: bool = False) -> Problem:
    return Problem(Reason(code, message, line), shown)


def _exits(loop: Loop) -> Iterator[Problem]:
    inner = {each.key for each in loops(loop.body)}
    for statement in statements(loop.body):
        match statement:
            case Exit(kind="continue", leaves=leaves) if leaves in inner or leaves == loop.key:
                pass
            case Exit(kind="break", leaves=leaves) if leaves in inner:
                pass
            case Exit(written=written, place=place):
                early = f"`{written}` on line {place.line} leaves the loop early"
                message = f"{early}: each iteration decides whether there is a next one"
                yield _blocked(ReasonCode.EARLY_EXIT, message, place.line)
            case _:
                pass


def _searches(loop: Loop) -> Iterator[Problem]:
    """Where a loop does nothing but look for what makes it leave, it is no answer that it does not leave."""
    for statement in statements(loop.body):
        if isinstance(statement, Branch) and statement.supposed is AssumptionKind.NO_EXIT and not _does_work(loop):
            message = f"line {statement.place.line} leaves the loop early: all that the loop does is to look for that"
            yield _blocked(ReasonCode.EARLY_EXIT, message, statement.place.line)


def _does_work(loop: Loop) -> bool:
    """Whether iterations leave anything behind."""
    for statement in statements(loop.body):
        match statement:
            case Assign(target=Access()):
                return True
            case Assign(target=Variable() as target) if not statement.induction and loop.key not in target.loops:
                return True
            case _:
                calls = (e for e in evaluated(statement) if isinstance(e, Call) and not e.known)
                if any(call.supposed is not AssumptionKind.PURE for call in calls):
                    return True
    return False


def _trip(loop: Loop) -> Iterator[Problem]:
    code, line = ReasonCode.UNKNOWN_TRIP_COUNT, loop.place.line
    if loop.trip is None:
        yield _blocked(code, "the number of iterations is not known when the loop starts", line)
    elif not loop.exact_trip and not any(True for _ in _exits(loop)):
        yield _blocked(code, "the test can end the loop before the counted iterations are done", line)


def _last_test(loop: Loop) -> Iterator[Problem]:
    """What a test does besides counting is done once more than there are iterations: `for (...; s += a[i], i < n; ...)`
    adds up n + 1 elements. What only the iteration itself knows does not count: the parameters of a function that the
    test calls."""
    tests = [k for k, s in enumerate(loop.body) if isinstance(s, Evaluate) and s.control]
    if loop.kind == "do" or not tests:
        return
    for s in statements(loop.body[: tests[0]]):
        if isinstance(s, Assign) and not _is_own(s.target, loop, s.induction):
            message = f"the test does `{s.text}` once more than the loop has iterations"
            yield _blocked(ReasonCode.IRREGULAR_CONTROL_FLOW, message, s.place.line)


def _is_own(target: Variable | Access, loop: Loop, induction: bool) -> bool:
    """Whether what a test sets is a variable of the function that counts, or one that only the iteration knows. What
    others know of (`calls++` in a function that the test calls) is set once for each test."""
    own = isinstance(target, Variable) and target.scope in ("local", "parameter")
    return own and (induction or loop.key in target.loops)  # type: ignore[union-attr]


def _statements(loop: Loop, body: tuple[Statement, ...]) -> Iterator[Problem]:
    for statement in body:
        match statement:
            case Refused(code=code, message=message, place=place):
                yield _blocked(code, message, place.line)
            case Assign(target=target, place=place):
                yield from _target(target, place.line)
            case _:
                pass
        yield from _qualifiers(statement)
        match statement:
            case Branch(then=then, otherwise=otherwise):
                yield from _statements(loop, then)
                yield from _statements(loop, otherwise)
            case Loop(body=inner):
                yield from _statements(loop, inner)
            case _:
                pass


def _one_register(scope: Scope) -> Iterator[Problem]:
    """Every iteration stores another value to the same volatile place, or reads what is there: each access is an
    effect, and their order shows."""
    for statement in scope.loop.body:
        if not isinstance(statement, Assign):
            continue
        stores = [] if isinstance(statement.target, Variable) or scope.repeats(statement.value) else [statement.target]
        reads = [e.access for e in evaluated(statement) if isinstance(e, Load)]
        for access in (*stores, *reads):
            if access.volatile and not any(scope.varies(s) for i in access.subscripts for s in i.index.symbols):
                message = f"`{access.text}` is volatile: its accesses must stay in order"
                yield _blocked(ReasonCode.VOLATILE, message, access.place.line, shown=True)


def _is_flag(access: Access) -> bool:
    """Whether it is a number with a name, such as a handler of signals sets."""
    return isinstance(access.object, Declared) and isinstance(access.type, Integer) and not access.subscripts


def _target(target: Variable | Access, line: int) -> Iterator[Problem]:
    if isinstance(target, Access):
        yield from _access(target)
    else:
        yield from _qualified(target.type, target.name, line)


def _access(access: Access) -> Iterator[Problem]:
    line = access.place.line
    if access.volatile:
        yield _blocked(ReasonCode.VOLATILE, f"`{access.text}` is volatile: its accesses must stay in order", line)
    if access.atomic:
        yield _blocked(ReasonCode.SIDE_EFFECT, f"`{access.text}` is atomic: other threads may see in which order", line)


def _qualified(type_: CType, name: str, line: int) -> Iterator[Problem]:
    if getattr(type_, "volatile", False):
        yield _blocked(ReasonCode.VOLATILE, f"`{name}` is volatile: its accesses must stay in order", line)
    if getattr(type_, "atomic", False):
        yield _blocked(ReasonCode.SIDE_EFFECT, f"`{name}` is atomic: other threads may see in which order", line)


def _qualifiers(statement: Statement) -> Iterator[Problem]:
    left_out = isinstance(statement, Branch) and statement.supposed is not None
    for e in evaluated(statement):
        match e:
            case Load(access=access) if left_out and _is_flag(access):
                pass  # what is left out is supposed not to happen: the flag stays what it is, whoever asks first
            case Load(access=access):
                yield from _access(access)
            case Use(variable=variable, type=type_):
                yield from _qualified(type_, variable.name, statement.place.line)
            case _:
                pass


def _calls(scope: Scope, harmless: frozenset[int]) -> Iterator[Problem]:
    """The calls, but for those, by identity, that release memory and may come in any order, or never come."""
    for calling in scope.history.calls:
        match calling.call:
            case Call(name="free", pointers=(given,)) if is_made_inside(scope, given):
                pass
            case Call(name="free", pointers=(given,)) if scope.given_by(given):
                pass  # what it was given for itself, by a function that is supposed to be independent
            case _ if id(calling) in harmless:
                pass
            case _:
                yield from _call(scope, calling)


def _call(scope: Scope, calling: Calling) -> Iterator[Problem]:
    name, line = calling.call.name, calling.call.place.line
    effect = library.effect(name)
    if name == ASSEMBLY or ("asm" in name and name.startswith("__boathull")):
        yield _blocked(ReasonCode.INLINE_ASM, "inline assembly may do anything", line)
    elif name in ALLOCATORS or name == "__builtin_unreachable":  # the program promises never to get there
        return
    elif name.startswith("MPI_"):
        message = f"`{name}` meets other processes: the order of such calls has to stay"
        yield _blocked(ReasonCode.SIDE_EFFECT, message, line)
    elif effect is None:
        unseen = calling.call.unseen or f"`{name}` is not visible here: it may do anything"
        yield _blocked(ReasonCode.UNKNOWN_CALL, unseen, line)
    elif effect == library.Effect.NO_RETURN:
        asserted = name.startswith("__assert")
        message = "`assert` can end the program (-DNDEBUG leaves it out)" if asserted else f"`{name}` may not return"
        yield Problem(Reason(ReasonCode.EARLY_EXIT, message, line), ends_program=True)
    else:
        own_file = is_of_own_file(scope, calling.call)
        shows_order = effect.shows_order and not own_file
        shown = shows_order and (_ordered(scope, calling, effect) or _in_every_iteration(scope))
        message = effect.in_words(name)
        if own_file:
            message = f"`{name}` is for a file that the iteration opens: whether another one opens it is not known"
        calls = (f"{name}(...)", f"{name}(...)") if shown else None
        yield Problem(Reason(ReasonCode.SIDE_EFFECT, message, line, calls, "1" if shown else None), shown)


def _supposed_calls(around: Surroundings, scope: Scope) -> Iterator[Problem]:
    """Calls that are supposed to be independent of each other, and cannot be: no index and no address tells them whose
    data they are to change, or each gets the address of one variable that outlives it. (An object that another call of
    the iteration got with an index knows: `select(view, y); store(view);`, and so does one that the iteration has set
    for itself. What gets numbers alone gives a number: `c = pair(0, 1)`, and so does what `_evaluates`.)"""
    inner = [(e, statement) for statement in statements(scope.loop.body) for e in evaluated(statement)]
    supposed = [e for e, _ in inner if isinstance(e, Call) and e.supposed is AssumptionKind.INDEPENDENT]
    used = {e for e, s in inner if isinstance(e, Call) and not _is_unused(e, s)}
    numbers = {e for e in used if _is_made_of_numbers(e)} | {e for e in supposed if _evaluates(scope, e, e in used)}
    told = _told(scope, supposed) | _told_by_value(around, scope)
    for call in supposed:
        if summed(around, scope, call) is not None:
            continue
        written = (x for x in call.pointers if x not in call.read_only)
        given = [x.variable for x in written if isinstance(x, Declared)]
        results = (v for v in given if _is_result_of_all(scope, v) and not is_lent(around, scope, v))
        outliving = (v for v in results if not _is_table(scope, call, v))
        what = [f"it gets the address of `{v.name}` in every iteration" for v in outliving]
        knows = call in numbers or _tells_iterations(scope, call) or not told.isdisjoint(call.pointers)
        if not knows and not _is_said(scope, call):
            what.insert(0, "none of its arguments says which iteration it is")
        what += [f"it gets `{c_text(x)}` to change in every iteration" for x in _changed_by_all(scope, call)]
        left = left_by_others(around, scope, call)
        what += [f"it gets `{c_text(x)}`, which each iteration reads before that" for x in left]
        if not _is_said(scope, call):
            places = _places_of_all(scope, call)
            what += [f"it changes what its argument {k + 1} points to, the same in every iteration" for k in places]
        for each in what:
            yield _blocked(ReasonCode.UNKNOWN_CALL, f"{call.unseen}, and {each}", call.place.line)


def _told(scope: Scope, supposed: list[Call]) -> set[Object]:
    """The objects that such calls got with an index, or that the iteration has set for itself, and those that they got
    with one of these: `select(view, y); draw(view, page); store(page);`."""
    told = {x for call in supposed if _tells_iterations(scope, call) for x in call.pointers}
    told |= scope.lent.keys() & {w.access.object for w in scope.writes}
    known = -1
    while len(told) > known:
        known = len(told)
        told.update(x for call in supposed if not told.isdisjoint(call.pointers) for x in call.pointers)
    return told


def _told_by_value(around: Surroundings, scope: Scope) -> set[Object]:
    """The scalars that such calls get by their address, of which each iteration has its own, and that it has set to a
    value of its own in front of the call whichever way it goes: `x = a[i]; turn(&x);`."""
    found: set[Object] = set()
    own: set[Object] = set()
    for statement in scope.loop.body:
        inner = list(statements((statement,)))
        calls = (e for s in inner for e in evaluated(s) if isinstance(e, Call))
        supposed = (e for e in calls if e.supposed is AssumptionKind.INDEPENDENT)
        found.update(x for call in supposed for x in call.pointers if x in own)
        for s in inner:
            match s:
                case Assign(value=Opaque()):  # by such a call
                    pass
                case Assign(target=Variable() as variable, value=value):
                    tells = s is statement and _is_another_one(scope, value)
                    own = own | {Declared(variable)} if tells else own - {Declared(variable)}
                case _:
                    pass
    return {x for x in found if isinstance(x, Declared) and is_lent(around, scope, x.variable)}


def _is_another_one(scope: Scope, value: Expression) -> bool:
    """Whether a value is made of an element that each iteration reads for itself, or of the number of the iteration."""
    elements = [s.index for e in walk(value) if isinstance(e, Load) for s in e.access.subscripts]
    numbers = [e.value for e in walk(value) if isinstance(e, Use) and e.value is not None]
    return any(scope.varies(s) for each in (*elements, *numbers) for s in each.symbols)


def _changed_by_all(scope: Scope, call: Call) -> Iterator[Object]:
    """What a function of which it is known what it writes changes at one place in all iterations: `y` of `daxpy_`."""
    changed = [call.arguments[k] for k in sorted(blas.written(call.name) or ()) if k < len(call.arguments)]
    if any(map(scope.repeats, changed)):
        own = (x for x in call.pointers if x not in call.read_only and x not in scope.lent)
        yield from (x for x in own if not scope.fresh(x))


def _places_of_all(scope: Scope, call: Call) -> Iterator[int]:
    """The arguments behind which the code of a function changes one place in all iterations."""
    if not any(scope.fresh(x) or x in scope.lent for x in call.pointers):
        yield from (k for k in call.changed if k < len(call.arguments) and scope.repeats(call.arguments[k]))


def _is_made_of_numbers(call: Call) -> bool:
    """Whether it gets numbers alone; what an allocator gets beside them says what the memory is for."""
    labels = library.says_it_allocates(call.name)
    given = [a for a in call.arguments if not (labels and _is_text(a))]
    named = [x for x in call.pointers if not (labels and isinstance(x, Text))]
    return not named and not any(isinstance(a.type, Pointer) for a in given)


def _is_text(argument: Expression) -> bool:
    plain = unconverted(argument)
    return isinstance(plain, Address) and isinstance(plain.object, Text)


def _evaluates(scope: Scope, call: Call, is_used: bool) -> bool:
    """Whether a call gives a floating-point number for another one in each iteration, as `spectrum(k, table)` does, or
    several in what each iteration has for itself (`spectrum(k, table, &sum)`), or says something of it by a whole
    number (`is_inside(x, box)`): not one of a generator of random numbers, with its state behind what it gets."""
    given = any(isinstance(a.type, Floating) and not scope.repeats(a) for a in call.arguments)
    targets = [a.type.target for a in call.arguments if isinstance(a.type, Pointer)]
    kinds = (t.key if isinstance(t, Record) else getattr(t, "name", "") for t in targets)
    random = any(_RANDOM.search(name) for name in (call.name, *kinds))
    numbers = all(isinstance(t, Floating) for t in targets) and not says_it_changes(call.name)
    gives = is_used and (isinstance(call.type, Floating) or (isinstance(call.type, Integer) and numbers))
    return given and (gives or any(x in scope.lent for x in call.pointers)) and not random


def _is_unused(call: Call, statement: Statement) -> bool:
    return isinstance(statement, Evaluate) and statement.value is call


def _is_said(scope: Scope, call: Call) -> bool:
    """Whether the user says that the function is independent."""
    return is_held(Assumption(AssumptionKind.INDEPENDENT, call.name, call.place.line), scope.loop.holding)


def _tells_iterations(scope: Scope, call: Call) -> bool:
    """Whether a call gets an index or an address that is not the same in all iterations, or of a variable that each has
    for itself; or gets numbers and gives memory."""
    if not call.pointers and (isinstance(call.type, Pointer) or "alloc" in call.name):
        return True
    places = (a for a in call.arguments if isinstance(a.type, Integer | Pointer))
    own = (isinstance(x, Declared) and scope.loop.key in x.variable.loops for x in map(root, call.pointers))
    return any(own) or not all(map(scope.repeats, places))


def _is_result_of_all(scope: Scope, variable: Variable) -> bool:
    """Whether what a call may write to a variable of the function outlives its iteration. (A structure is taken for
    what all of them read.)"""
    held = element(variable.type)
    is_own = scope.loop.key in variable.loops or getattr(held, "const", False)
    return variable.scope in ("local", "parameter") and not is_own and not isinstance(held, Record)


def _is_table(scope: Scope, call: Call, variable: Variable) -> bool:
    """Whether a variable is an array of which each iteration reads an element of its own, and gives its place to the
    call, and of which none stores any: all of them find it as it was."""
    x = Declared(variable)
    given = [a for a in map(unconverted, call.arguments) if isinstance(a, Address) and a.object == x]
    found = scope.accesses_to(x)
    places = [s for o in found for sub in o.access.subscripts for s in sub.index.symbols]
    moves = any(scope.varies(s) and not scope.counts_inside(s) for s in places)
    return moves and not any(o.write for o in found) and not any(map(scope.repeats, given))


def _in_every_iteration(scope: Scope) -> bool:
    """Whether every iteration makes some call of which the order shows, whichever way it goes."""
    return not scope.history.departures and _on_every_path(scope, scope.loop.body)


def _on_every_path(scope: Scope, body: tuple[Statement, ...]) -> bool:
    for statement in body:
        match statement:
            case Branch(then=then, otherwise=otherwise):
                if _on_every_path(scope, then) and _on_every_path(scope, otherwise):
                    return True
            case Evaluate(value=Call(known=False) as call):
                effect = library.effect(call.name)
                shows_order = effect is not None and effect.shows_order and not is_of_own_file(scope, call)
                if effect is not None and shows_order and not _writes_the_same(scope, call, effect):
                    return True
            case _:
                pass
    return False


def _writes_the_same(scope: Scope, call: Call, effect: library.Effect) -> bool:
    return effect.is_output and all(scope.repeats(a) for a in call.arguments)


def _ordered(scope: Scope, calling: Calling, effect: library.Effect) -> bool:
    """Whether two iterations certainly make the call, for some contents, and not just to write the same."""
    if _writes_the_same(scope, calling.call, effect):
        return False
    if not inner_guards(scope, calling.at):
        return True
    meeting = Meeting(scope, calling.at, calling.at, ())
    return meeting.certain() and meeting.exists(System())
