"""Branches that report an error, end the program, or show how far it is, by their syntax.

*Decides*: which branch of an `if` is an error path (`error_path`): whoever takes it gets to a call that reports an
error or ends the program, or that tells whoever listens how far the program is; and which statements at the end of a
block or of a `case` are one (`is_error_end`, `is_error_case`). A branch that only makes memory larger counts as one.
*Errs toward* no: a branch that reports only under a further condition, or that does much besides, is none.

    if (p[i].type > 5) endrun(1, "bad type of %d", i);     ->  yes, the call being one to a function that is not seen
    if (a[i] < b) { n++; warn("small"); }                  ->  yes
    if (a[i] < b) { n++; if (verbose) warn("small"); }     ->  no
    if (v < 0) { printf("v is %g\n", v); return -1; }      ->  yes, in a function that the loop calls (`failing_arm`)
"""

import re
from collections.abc import Callable
from functools import partial

from pycparser import c_ast

from ..base.regex import regex
from ..ir import c_library as library
from ..source.ctypes import Floating, Function, Integer, Pointer, Void
from ..source.nodes import identifiers, node_count, nodes
from ..source.unit import Definition, Unit
from .c_text import c_text
from .error_flags import NO_FLAGS, Flags, finds_no_room, is_zero, only_sets_a_flag
from .growing_buffers import makes_larger
from .pure_functions import is_pure, is_understood
from .syntax import LOOPS, has_effects, items, without_casts

LARGEST_ERROR_PATH = 120
"""Syntax nodes of a branch beside what it prints and the reports in it: more than that is not an error path."""

_REPORTS = frozenset(("perror", "warn", "warnx", "err", "errx"))

_SAYS_SO = regex(r"\b(?:warning|error|fatal|fail(?:ed|ure)?|illegal|invalid)\b", re.IGNORECASE)
"""In a text that is printed, what makes it a report of an error."""

_NAMED_SO = regex(r"(?:\b|_)err|error|warn|fail|fatal|abort|panic|exception|complain", re.IGNORECASE)
"""In the name of a function that comes back, what makes it one that reports errors."""

_PROGRESS = regex(r"progress", re.IGNORECASE)
"""In the name of a function, what makes it one that shows how far the program is."""

_SHOWS = regex(r"monitor|progress|verbose", re.IGNORECASE)
"""In the name of a variable, what makes it one that says whether progress is to be shown."""


def is_error_case(unit: Unit, run: list[c_ast.Node]) -> bool:
    return bool(run) and is_error_path(unit, c_ast.Compound(run))


def is_error_end(unit: Unit, run: list[c_ast.Node]) -> bool:
    """Whether the last statements of a block are an error path: reports, and what is returned then."""
    return _only_reports(unit, run) and is_error_case(unit, run)


def _only_reports(unit: Unit, run: list[c_ast.Node]) -> bool:
    """Whether statements do nothing but report, some of them under conditions, before they return."""
    steps = _steps(run)
    before = steps[:-1] if steps and isinstance(steps[-1], c_ast.Return) else steps
    return bool(before) and all(_is_part_of_report(unit, n) for n in before)


def _steps(run: list[c_ast.Node]) -> list[c_ast.Node]:
    return [n for n in run if not _does_nothing(n)]


def _does_nothing(node: c_ast.Node) -> bool:
    """Whether a statement is empty, as what is left of a block that ends by a `return` where that is written as a
    branch: `if (end) ; else ;`."""
    match node:
        case c_ast.EmptyStatement():
            return True
        case c_ast.If(cond=c_ast.ID(), iftrue=one, iffalse=two):
            return not any(_steps(items(arm)) for arm in (one, two) if arm is not None)
        case _:
            return False


def _is_part_of_report(unit: Unit, node: c_ast.Node) -> bool:
    match node:
        case c_ast.If(iftrue=one, iffalse=two):
            return all(_only_reports(unit, items(arm)) for arm in (one, two) if arm is not None)
        case _:
            return always_reports(unit, node)


def error_path(
    unit: Unit, node: c_ast.If | c_ast.TernaryOp, known: Flags = NO_FLAGS
) -> c_ast.Node | None:
    """The branch that reports an error, or that shows how far the program is. `known`: flags that stop the loop."""
    if _is_progress(unit, node, known.moving) or _is_for_listeners(unit, node) or _has_no_memory(unit, node):
        return node.iftrue
    if _shows_progress(unit, node) or makes_larger(unit, node, partial(always_reports, unit)):
        return node.iftrue
    if node.iftrue is not None and only_sets_a_flag(unit, node.cond, node.iftrue, known):
        return node.iftrue
    if finds_no_room(unit, node, known):
        return node.iffalse
    if _only_asks_further(unit, node):
        return node.iftrue
    return next((arm for arm in (node.iftrue, node.iffalse) if arm is not None and is_error_path(unit, arm)), None)


def _only_asks_further(unit: Unit, node: c_ast.If | c_ast.TernaryOp) -> bool:
    """Whether a branch is an error path under one more test, and nothing else: `if (!p) { if (errno != 0) { warn("no
    memory"); return errno; } }` does what `if (!p && errno != 0)` does, where that test only computes."""
    match _steps(items(node.iftrue)) if node.iftrue is not None and node.iffalse is None else []:
        case [c_ast.If(cond=test, iftrue=inner, iffalse=None) as further]:
            computes = not has_effects(test, partial(_is_value, unit))
            return computes and (is_error_path(unit, inner) or _only_asks_further(unit, further))
        case _:
            return False


def _is_value(unit: Unit, name: str) -> bool:
    """Whether a function only gives a value, be it that of `errno`."""
    return is_pure(unit, name) or (name in library.ERRNO and name not in unit.definitions)


def failing_arm(unit: Unit, node: c_ast.If | c_ast.TernaryOp) -> c_ast.Node | None:
    """The branch of a function by which it says that it could not do what it is for: that prints, does nothing else,
    and comes back with a constant, if any. (In a loop, `printf("found"); return 1;` may be what it is for.)"""
    arms = (arm for arm in (node.iftrue, node.iffalse) if arm is not None)
    return next((arm for arm in arms if _prints_and_returns(unit, arm)), None)


def _prints_and_returns(unit: Unit, arm: c_ast.Node) -> bool:
    match items(arm):
        case [*before, c_ast.Return(expr=value)] if value is None or _is_constant(unit, value):
            return any(map(_is_print, before)) and all(_only_calls(unit, n, _is_print) for n in before)
        case _:
            return False


def _is_constant(unit: Unit, value: c_ast.Node) -> bool:
    match value:
        case c_ast.Constant() | c_ast.UnaryOp(op="-", expr=c_ast.Constant()):
            return True
        case _:
            return unit.constant(value) is not None


def _is_print(statement: c_ast.Node) -> bool:
    """Whether somebody at a terminal is told: what goes to a file is a result."""
    match statement:
        case c_ast.FuncCall(name=c_ast.ID(name="printf" | "puts" | "putchar" | "perror")):
            return True
        case c_ast.FuncCall(name=c_ast.ID(name="fprintf"), args=c_ast.ExprList(exprs=[c_ast.ID(name=stream), *_])):
            return stream in ("stdout", "stderr")
        case _:
            return False


def _is_for_listeners(unit: Unit, node: c_ast.If | c_ast.TernaryOp) -> bool:
    """Whether a branch tells somebody, with a text, how far the program is, if there is somebody:
    `if (image->monitor != NULL) { done++; show(image, "sharpen", done); }`, `if (monitoring) show(image, "sharpen");`.
    Who asserts something about what is there (`if (targets != NULL) assert(targets[i] >= 0)`) tells nobody: what fails
    is the assertion."""
    branch = node.iftrue
    if branch is None or node.iffalse is not None:
        return False
    if _calls_a_listener(unit, node.cond, branch):
        return True
    if not (_asks_whether_set(unit, node.cond) or _asks_for_progress(node.cond)) or _shows_contents(node.cond, branch):
        return False
    if nodes(branch, c_ast.Return, c_ast.Goto, c_ast.Break, *LOOPS) or node_count(branch) > LARGEST_ERROR_PATH:
        return False
    calls = nodes(branch, c_ast.FuncCall)
    return bool(calls) and all(_tells(unit, call) for call in calls) and not _grows(branch) and not _stores(branch)


def _stores(branch: c_ast.Node) -> bool:
    """Whether a result is kept: `if (list) { debug("row %d", i); list[i] = row; }` is there for that; what is known of
    the progress is none (`proceed = show(done); if (!proceed) status = 0;`)."""
    return any(map(_keeps_result, nodes(branch, c_ast.Assignment)))


def _keeps_result(made: c_ast.Assignment) -> bool:
    told = isinstance(made.rvalue, c_ast.Constant | c_ast.FuncCall) or made.op != "="
    match made.lvalue:
        case c_ast.ArrayRef() | c_ast.UnaryOp():
            return True
        case c_ast.StructRef():
            return not told
        case _:
            return bool(nodes(made.rvalue, c_ast.ArrayRef))


def _calls_a_listener(unit: Unit, test: c_ast.Node, branch: c_ast.Node) -> bool:
    """Whether a branch does nothing but tell numbers to a function, if there is one: `if (progress) progress(i, n);`.
    That those are numbers, which lead to nothing, is seen of constants, or by the type of a variable of the program."""
    match test:
        case c_ast.BinaryOp(op="!=", left=c_ast.ID(name=name), right=right) if is_zero(unit, right):
            pass
        case c_ast.ID(name=name):
            pass
        case _:
            return False
    match items(branch):
        case [c_ast.FuncCall(name=c_ast.ID(name=called), args=given)] if called == name:
            pass
        case _:
            return False
    if all(isinstance(each, c_ast.Constant) and each.type != "string" for each in (given.exprs if given else ())):
        return True
    match unit.globals_.get(name):
        case Pointer(target=Function(result=Void(), parameters=taken)):
            return all(isinstance(each, Integer | Floating) for each in taken)
        case _:
            return False


def _has_no_memory(unit: Unit, node: c_ast.If | c_ast.TernaryOp) -> bool:
    """Whether a branch does nothing but report, if need be, that an allocation in the test has failed:
    `if ((p = malloc(n)) == NULL) { if (errno == ENOMEM) warn("no memory"); }`."""
    match node.cond:
        case c_ast.BinaryOp(op="==", left=c_ast.Assignment(rvalue=value), right=right) if is_zero(unit, right):
            pass
        case c_ast.UnaryOp(op="!", expr=c_ast.Assignment(rvalue=value)):
            pass
        case _:
            return False
    call, branch = without_casts(value), node.iftrue
    if branch is None or not isinstance(call, c_ast.FuncCall) or not isinstance(call.name, c_ast.ID):
        return False
    allocates = call.name.name in library.ALLOCATORS or library.says_it_allocates(call.name.name)
    reports = any(_reports(unit, c, unused=True) for c in nodes(branch, c_ast.FuncCall) if isinstance(c.name, c_ast.ID))
    return allocates and reports and _only_calls(unit, branch, partial(_reports_or_asks_why, unit))


def _reports_or_asks_why(unit: Unit, call: c_ast.FuncCall) -> bool:
    return call.name.name in library.ERRNO or _reports(unit, call, unused=True)


def _grows(branch: c_ast.Node) -> bool:
    """Whether a call makes what it gets into something else: `text = joined(text, name[i])` is what the loop is for."""
    return any(
        isinstance(made.lvalue, c_ast.ID) and any(n.name == made.lvalue.name for n in nodes(call.args, c_ast.ID))
        for made in nodes(branch, c_ast.Assignment)
        for call in nodes(made.rvalue, c_ast.FuncCall)
        if call.args is not None
    )


def _tells(unit: Unit, call: c_ast.FuncCall) -> bool:
    if not isinstance(call.name, c_ast.ID) or library.never_returns(call.name.name):
        return False
    return _gets_text(unit, call)


def _asks_whether_set(unit: Unit, test: c_ast.Node) -> bool:
    """Whether a test asks if a member, or a variable, leads anywhere."""
    match test:
        case c_ast.BinaryOp(op="!=", left=c_ast.ID() | c_ast.StructRef() as tested, right=right):
            return is_zero(unit, right) and not nodes(tested, c_ast.ArrayRef)
        case c_ast.StructRef():
            return not nodes(test, c_ast.ArrayRef)
        case _:
            return False


def _shows_progress(unit: Unit, node: c_ast.If | c_ast.TernaryOp) -> bool:
    """Whether a branch does nothing but to call a function that cannot be seen, and says by its name that it shows how
    far the program is: `if (done % 32 == 0) screen.set_progress(done, NULL);`."""
    if node.iftrue is None or node.iffalse is not None:
        return False
    match items(node.iftrue):
        case [c_ast.FuncCall(name=c_ast.ID(name=name) | c_ast.StructRef(field=c_ast.ID(name=name))) as call]:
            pass
        case _:
            return False
    is_seen = isinstance(call.name, c_ast.ID) and unit.seen(name) is not None
    arguments = call.args.exprs if call.args is not None else []
    plain = not any(has_effects(a, partial(is_pure, unit)) for a in (call.name, *arguments))
    return not is_seen and library.effect(name) is None and plain and _PROGRESS.search(name) is not None


def _asks_for_progress(test: c_ast.Node) -> bool:
    """Whether a test is that of a variable which says by its name that progress is to be shown: `if (monitoring)`."""
    return isinstance(test, c_ast.ID) and _SHOWS.search(test.name) is not None


def _gets_text(unit: Unit, call: c_ast.FuncCall) -> bool:
    """Whether a function gets a text, be it one that a variable leads to."""
    prototype = unit.prototypes.get(call.name.name)
    parameters = prototype.parameters if isinstance(prototype, Function) else ()
    targets = [p.target for p in parameters if isinstance(p, Pointer)]
    return has_text(call) or any(isinstance(t, Integer) and t.const and t.name == "char" for t in targets)


def has_text(call: c_ast.FuncCall) -> bool:
    """Whether a text is among the arguments: a single letter is an option (`dgemm_("N", "T", ...)`)."""
    return any(len(text) != len('"N"') for text in texts(call))


def texts(call: c_ast.FuncCall) -> list[str]:
    """The texts among the arguments, in their quotes."""
    arguments = call.args.exprs if call.args is not None else []
    return [a.value for a in arguments if isinstance(a, c_ast.Constant) and a.type == "string"]


def _is_progress(unit: Unit, node: c_ast.If | c_ast.TernaryOp, moving: frozenset[str]) -> bool:
    """Whether a branch does nothing but print, if somebody wants it: where a part of the test asks for no element of an
    array, and for nothing that loops change (`verbose && i % 1000 == 0`). What every run prints, be it of its first
    iterations (`i < 5`), is a result."""
    branch = node.iftrue
    if branch is None or not any(map(_prints, nodes(branch, c_ast.FuncCall))):
        return False
    wanted = any(_is_setting(part, moving) and not _shows_contents(part, branch) for part in _tested_parts(node.cond))
    leaves = nodes(branch, c_ast.Return, c_ast.Goto, c_ast.Break)
    return wanted and not leaves and _only_calls(unit, branch, _prints)


def _shows_contents(test: c_ast.Node, branch: c_ast.Node) -> bool:
    """Whether a branch uses what the pointer leads to that its test asks for: `if (p) printf("%g", p[i])` prints a
    result, where there is one."""
    asked = {c_text(n) for n in nodes(test, c_ast.ID, c_ast.StructRef)}
    return any(c_text(n.name) in asked for n in nodes(branch, c_ast.ArrayRef))


def _is_setting(test: c_ast.Node, moving: frozenset[str]) -> bool:
    return not nodes(test, c_ast.ArrayRef, c_ast.FuncCall) and moving.isdisjoint(identifiers(test))


def _prints(call: c_ast.FuncCall) -> bool:
    effect = library.effect(call.name.name) if isinstance(call.name, c_ast.ID) else None
    return effect is not None and effect.is_output


def _tested_parts(test: c_ast.Node) -> list[c_ast.Node]:
    match test:
        case c_ast.BinaryOp(op="&&", left=left, right=right):
            return [*_tested_parts(left), *_tested_parts(right)]
        case _:
            return [test]


def is_error_path(unit: Unit, branch: c_ast.Node) -> bool:
    if not always_reports(unit, branch):
        return False
    calls = (call for call in nodes(branch, c_ast.FuncCall) if isinstance(call.name, c_ast.ID))
    reports = [call for call in calls if _prints(call) or _reports(unit, call)]
    return node_count(branch) - sum(map(node_count, reports)) <= LARGEST_ERROR_PATH


def always_reports(unit: Unit, node: c_ast.Node | None) -> bool:
    """Whether what comes here gets to a report: a branch that only under a further condition reports is none that
    errors take (`if (p[i] > 9) { a[i] = 1; if (a[i] < b) warn("small"); }`)."""
    match node:
        case c_ast.Compound(block_items=items):
            return any(always_reports(unit, item) for item in items or ())
        case c_ast.If(cond=test, iftrue=one, iffalse=two) | c_ast.TernaryOp(cond=test, iftrue=one, iffalse=two):
            decided = unit.constant(test)  # `assert(0)` is one
            arms = (one, two) if decided is None else (one if decided else two,)
            return all(always_reports(unit, arm) for arm in arms)
        case c_ast.Return(expr=c_ast.FuncCall(name=c_ast.ID()) as call) | c_ast.Assignment(
            rvalue=c_ast.FuncCall(name=c_ast.ID()) as call
        ):
            return _reports(unit, call)
        case c_ast.DoWhile(stmt=inner) | c_ast.Label(stmt=inner) | c_ast.Cast(expr=inner) | c_ast.Return(expr=inner):
            return always_reports(unit, inner)
        case c_ast.ExprList(exprs=parts):
            return any(always_reports(unit, part) for part in parts)
        case c_ast.For(cond=None, next=step, stmt=inner):  # `for (;; longjmp(*to, 1)) thrown = error;`
            return always_reports(unit, step) or always_reports(unit, inner)
        case c_ast.Assignment(rvalue=value):
            return always_reports(unit, value)
        case c_ast.FuncCall(name=c_ast.ID()):
            return _reports(unit, node, unused=True)
        case _:
            return False


def _reports(unit: Unit, call: c_ast.FuncCall, unused: bool = False) -> bool:
    """Whether a call ends the program or reports an error, or may do so: a function that is not seen and gets a text,
    without a value; or with one that is `unused`, and any number of arguments."""
    name = call.name.name
    arguments = call.args.exprs if call.args is not None else []
    effect = library.effect(name)
    if effect is not None:
        to_errors = name == "fprintf" and isinstance(arguments[0], c_ast.ID) and arguments[0].name == "stderr"
        told = to_errors or (effect.is_output and _says_so(call))
        return effect is library.Effect.NO_RETURN or told or name in _REPORTS
    if name in _REPORTS:
        return True
    if (definition := unit.seen(name)) is not None:
        return _is_report(unit, definition)
    elsewhere = unit.elsewhere.get(name)
    if elsewhere is not None and elsewhere.ends:
        return True
    if is_understood(unit, name):  # `sprintf(name, "row %d", i)`
        return False
    prototype = unit.prototypes.get(name)
    if not isinstance(prototype, Function) or not has_text(call) or library.says_it_traces(name):
        return False
    may_report = isinstance(prototype.result, Void) or (unused and prototype.variadic)
    # one that is seen to come back may tell anything
    return may_report and (elsewhere is None or _NAMED_SO.search(name) is not None or _says_so(call))


def _says_so(call: c_ast.FuncCall) -> bool:
    return any(_SAYS_SO.search(text) for text in texts(call))


def _is_report(unit: Unit, definition: Definition) -> bool:
    """Whether a function that is seen ends the program at its end, or does nothing but report."""
    known: dict[str, bool] = unit.__dict__.setdefault("_reports", {})
    if definition.name not in known:
        known[definition.name] = False  # of itself, nothing more
        assert definition.node is not None
        body = definition.node.body
        known[definition.name] = _ends_with_report(unit, body) or _does_nothing_else(unit, body)
    return known[definition.name]


def _ends_with_report(unit: Unit, body: c_ast.Compound) -> bool:
    """Whether its last statement is a call that ends the program."""
    match body.block_items[-1] if body.block_items else None:
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return name not in unit.definitions and library.never_returns(name)
        case _:
            return False


def _does_nothing_else(unit: Unit, body: c_ast.Compound) -> bool:
    """Whether it surely reports, all that is called in it are reports, and nothing is assigned."""
    return always_reports(unit, body) and _only_calls(unit, body, partial(_reports, unit))


def _only_calls(unit: Unit, node: c_ast.Node, wanted: Callable[[c_ast.FuncCall], bool]) -> bool:
    """Whether nothing is assigned, and all calls are wanted ones, or of functions that change nothing else."""
    steps = (each.op in ("++", "--", "p++", "p--") for each in nodes(node, c_ast.UnaryOp))
    if nodes(node, c_ast.Assignment) or any(steps):
        return False
    calls = nodes(node, c_ast.FuncCall)
    named = all(isinstance(call.name, c_ast.ID) for call in calls)
    return named and all(wanted(call) or is_understood(unit, call.name.name) for call in calls)
