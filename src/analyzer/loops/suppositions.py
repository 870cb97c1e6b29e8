"""What is supposed where a function is lowered a second time, for answers under conditions (definitions.md).

*Decides*: which calls of functions that cannot be seen are taken to be pure (`pure(f)`): they give a value, by all that
their declaration says; which to do what no other iteration can tell (`independent(f)`): all others, also those through
a pointer, but for a statement that may be a macro of a missing header (`dependence/blockers` looks at what each call
gets); which branches are error paths that are not taken (`cold(line)`): whoever takes one gets to a call that reports
an error or ends the program; which leave the loop, and are not taken either (`no-exit(line)`).
*Errs toward* nothing: a function of the C library does what it is known to do, and one that gets a text shows it.

    if (p[i].type > 5) endrun(1, "bad type of %d", i);     ->  cold, the call being one to a function that is not seen
    a[i] = interpolate(x, i);                              ->  pure(interpolate)
    tree->visit(node[i], tree);                            ->  independent(tree->visit)
    if (a[i] < 0) return -1;                               ->  no-exit
"""

from collections.abc import Callable
from functools import partial

from msgspec import Struct
from pycparser import c_ast

from ..ir import c_library as library
from ..ir.reasons import AssumptionKind
from ..source.ctypes import Complex, CType, Floating, Function, Integer, Pointer, Record, Void
from ..source.features import is_of_c_library
from ..source.nodes import node_count, nodes
from ..source.unit import Definition, Unit
from . import expressions, jumps, kept_results
from .confined_functions import is_confined
from .context import Context
from .errno import is_errno
from .error_flags import NO_FLAGS, Flags, flags, is_zero, keeps_outcome, only_sets_a_flag
from .inlining import DEEPEST_INLINING, is_understood, visible
from .leaving import failures
from .syntax import LOOPS, items

LARGEST_ERROR_PATH = 120
"""Syntax nodes of a branch beside the reports in it: more than that is not an error path."""

_REPORTS = frozenset(("perror", "warn", "warnx", "err", "errx"))


def supposition(ctx: Context, name: str, node: c_ast.FuncCall) -> AssumptionKind | None:
    """What a call of a function that is not seen is supposed to do: nothing but give a value, or what no other
    iteration can tell."""
    if not ctx.supposing or not ctx.loops:
        return None
    by_name = isinstance(node.name, c_ast.ID) and ctx.lookup(name) is None
    definition = visible(ctx, name) if by_name else None
    if by_name and not (_may_be_supposed(ctx.unit, name) if definition is None else is_confined(ctx.unit, definition)):
        return None
    type_ = ctx.unit.prototypes.get(name) if by_name else called_type(ctx, node)
    said = said_of(ctx.unit, name)
    if said is not None:
        return said
    if _only_gives_a_value(type_) and node is not ctx.unused:
        return AssumptionKind.PURE
    if by_name and (is_of_c_library(name) or (type_ is None and name.isupper() and node is ctx.unused)):
        return None
    return AssumptionKind.INDEPENDENT if _may_be_independent(type_, node) else None


def said_of(unit: Unit, name: str) -> AssumptionKind | None:
    """What the user says of a function that cannot be seen, for whichever loop: that it is about the loop at hand is
    asked where the answer is made (`dependence.held_conditions`)."""
    known: dict[str, AssumptionKind] | None = unit.__dict__.get("_said_of_functions")
    if known is None:
        known = unit.__dict__["_said_of_functions"] = {}
        for kind in (AssumptionKind.INDEPENDENT, AssumptionKind.PURE):
            said = ("".join(fact.text.split()) for fact in unit.facts if fact.kind == "holds")
            listed = (text[len(kind) + 1 : -1] for text in said if text.startswith(f"{kind}("))
            known.update((function, kind) for names in listed for function in names.split(","))
    return known.get(name)


def called_type(ctx: Context, node: c_ast.FuncCall) -> Function | None:
    """The type of the function that a pointer leads to."""
    with ctx.collect():  # only the type is asked for
        found = expressions.lower(ctx, node.name).type
    match found:
        case Pointer(target=Function() as function) | (Function() as function):
            return function
        case _:
            return None


def _may_be_supposed(unit: Unit, name: str) -> bool:
    """Whether nothing is known of a function that is not seen."""
    if is_understood(unit, name) or library.effect(name) is not None or name.startswith("__boathull"):
        return False
    return name not in unit.elsewhere or not unit.elsewhere[name].changes


def _only_gives_a_value(type_: CType | None) -> bool:
    """Whether the type of a function lets it be pure."""
    match type_:
        case Function(result=Integer() | Floating() | Complex() | Record(), parameters=parameters, variadic=False):
            return not any(map(_may_be_written, parameters))
        case _:
            return False


def _may_be_independent(type_: CType | None, call: c_ast.FuncCall) -> bool:
    """Whether a function, declared or not, is called for what it does to data: it gets something, and no text, which it
    would show. (An allocator notes what the memory is for.)"""
    arguments = call.args.exprs if call.args is not None else []
    fixed = type_ is None or (isinstance(type_, Function) and not (type_.variadic and type_.parameters))  # `void f()`
    allocates = isinstance(call.name, c_ast.ID) and library.says_it_allocates(call.name.name)
    return fixed and bool(arguments) and (allocates or not _has_text(call))


def _may_be_written(parameter: CType) -> bool:
    return isinstance(parameter, Pointer) and not getattr(parameter.target, "const", False)


class NotTaken(Struct, frozen=True):
    """A branch that is supposed not to be taken, by which condition, and where that is said to be."""

    arm: c_ast.Node
    kind: AssumptionKind
    at: c_ast.Node


def not_taken(
    ctx: Context, node: c_ast.If | c_ast.TernaryOp, behind: list[c_ast.Node] | None = None
) -> NotTaken | None:
    """The branch that is supposed not to be taken, if there is one: an error path, or one that leaves the loop.
    `behind`: all that those do for whom the test is false, where the others return: `if (...) return f(x);  exit(1);`
    """
    if not ctx.supposing or not ctx.loops:
        return None
    if behind and is_error_end(ctx.unit, behind):
        report = next(n for n in behind if _always_reports(ctx.unit, n))
        return NotTaken(c_ast.Compound(behind), AssumptionKind.COLD, report)
    cold = _error_path(ctx.unit, node, NO_FLAGS if ctx.calls else ctx.flags)
    if cold is None and not ctx.calls and _ends_with(node.iftrue, ctx.keeping):
        cold = node.iftrue
    if cold is not None:
        return NotTaken(cold, AssumptionKind.COLD, node if cold is node.iftrue else cold)
    arms = [] if ctx.calls else [arm for arm in (node.iftrue, node.iffalse) if _jump_of(arm, ctx.failures) is not None]
    return NotTaken(arms[0], AssumptionKind.NO_EXIT, _jump_of(arms[0], ctx.failures)) if arms else None


def leaves_flag(ctx: Context, node: c_ast.Assignment) -> bool:
    """Whether an assignment is supposed to leave a flag of the function as it is: what it is set to says that a call
    has done what it should."""
    if not ctx.supposing or not ctx.loops or ctx.calls or not keeps_outcome(ctx.unit, node, ctx.flags):
        return False
    flag = ctx.lookup(node.lvalue.name)
    if flag is None or flag.scope not in ("local", "parameter") or flag.addressed:
        return False
    return isinstance(flag.type, Integer) and ctx.loops[-1] not in flag.loops


def not_reached(ctx: Context, run: list[c_ast.Node]) -> AssumptionKind | None:
    """The condition under which the statements of a `case`, up to where the `switch` ends, are not reached."""
    if not ctx.supposing or not ctx.loops:
        return None
    if _is_error_case(ctx.unit, run):
        return AssumptionKind.COLD
    leaves = not ctx.calls and bool(run) and _jump_of(c_ast.Compound(run), ctx.failures) is not None
    return AssumptionKind.NO_EXIT if leaves else None


def _jump_of(arm: c_ast.Node | None, jumps: frozenset[int]) -> c_ast.Node | None:
    """The jump out of the loop that a small branch ends with."""
    run = items(arm)
    return run[-1] if run and id(run[-1]) in jumps and node_count(arm) <= LARGEST_ERROR_PATH else None


def _ends_with(arm: c_ast.Node | None, jumps: frozenset[int]) -> bool:
    run = items(arm)
    return bool(run) and id(run[-1]) in jumps


def _is_error_case(unit: Unit, run: list[c_ast.Node]) -> bool:
    return bool(run) and _is_error_path(unit, c_ast.Compound(run))


def is_error_end(unit: Unit, run: list[c_ast.Node]) -> bool:
    """Whether the last statements of a block are an error path: reports, and what is returned then."""
    return _only_reports(unit, run) and _is_error_case(unit, run)


def _only_reports(unit: Unit, run: list[c_ast.Node]) -> bool:
    """Whether statements do nothing but report, some of them under conditions, before they return."""
    steps = [n for n in run if not isinstance(n, c_ast.EmptyStatement)]
    before = steps[:-1] if steps and isinstance(steps[-1], c_ast.Return) else steps
    return bool(before) and all(_is_part_of_report(unit, n) for n in before)


def _is_part_of_report(unit: Unit, node: c_ast.Node) -> bool:
    match node:
        case c_ast.If(iftrue=one, iffalse=two):
            return all(_only_reports(unit, items(arm)) for arm in (one, two) if arm is not None)
        case _:
            return _always_reports(unit, node)


def _error_path(
    unit: Unit, node: c_ast.If | c_ast.TernaryOp, known: Flags = NO_FLAGS
) -> c_ast.Node | None:
    """The branch that reports an error, or that shows how far the program is. `known`: flags that stop the loop."""
    if _is_progress(unit, node) or _is_for_listeners(unit, node):
        return node.iftrue
    if node.iftrue is not None and only_sets_a_flag(unit, node.cond, node.iftrue, known):
        return node.iftrue
    return next((arm for arm in (node.iftrue, node.iffalse) if arm is not None and _is_error_path(unit, arm)), None)


def _is_for_listeners(unit: Unit, node: c_ast.If | c_ast.TernaryOp) -> bool:
    """Whether a branch tells somebody, with a text, how far the program is, if there is somebody:
    `if (image->monitor != NULL) { done++; show(image, "sharpen", done); }`. Who asserts something about what is there
    (`if (targets != NULL) assert(targets[i] >= 0)`) tells nobody: what fails is the assertion."""
    branch = node.iftrue
    if branch is None or node.iffalse is not None or not _asks_whether_set(unit, node.cond):
        return False
    if nodes(branch, c_ast.Return, c_ast.Goto, c_ast.Break, *LOOPS) or node_count(branch) > LARGEST_ERROR_PATH:
        return False
    calls = nodes(branch, c_ast.FuncCall)
    return bool(calls) and all(_tells(unit, call) for call in calls) and not _grows(branch)


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


def _gets_text(unit: Unit, call: c_ast.FuncCall) -> bool:
    """Whether a function gets a text, be it one that a variable leads to."""
    prototype = unit.prototypes.get(call.name.name)
    parameters = prototype.parameters if isinstance(prototype, Function) else ()
    targets = [p.target for p in parameters if isinstance(p, Pointer)]
    return _has_text(call) or any(isinstance(t, Integer) and t.const and t.name == "char" for t in targets)


def _has_text(call: c_ast.FuncCall) -> bool:
    """Whether a text is among the arguments: a single letter is an option (`dgemm_("N", "T", ...)`)."""
    arguments = call.args.exprs if call.args is not None else []
    texts = (a.value for a in arguments if isinstance(a, c_ast.Constant) and a.type == "string")
    return any(len(text) != len('"N"') for text in texts)


def _is_progress(unit: Unit, node: c_ast.If | c_ast.TernaryOp) -> bool:
    """Whether a branch does nothing but print, now and then: where a part of the test asks for no element of an array
    (`verbose && i % 1000 == 0`)."""
    branch = node.iftrue
    if branch is None or not any(map(_prints, nodes(branch, c_ast.FuncCall))):
        return False
    now_and_then = any(not nodes(part, c_ast.ArrayRef, c_ast.FuncCall) for part in _tested_parts(node.cond))
    leaves = nodes(branch, c_ast.Return, c_ast.Goto, c_ast.Break)
    return now_and_then and not leaves and _only_calls(unit, branch, _prints)


def _prints(call: c_ast.FuncCall) -> bool:
    effect = library.effect(call.name.name) if isinstance(call.name, c_ast.ID) else None
    return effect is not None and effect.is_output


def _tested_parts(test: c_ast.Node) -> list[c_ast.Node]:
    match test:
        case c_ast.BinaryOp(op="&&", left=left, right=right):
            return [*_tested_parts(left), *_tested_parts(right)]
        case _:
            return [test]


def _is_error_path(unit: Unit, branch: c_ast.Node) -> bool:
    if not _always_reports(unit, branch):
        return False
    calls = (call for call in nodes(branch, c_ast.FuncCall) if isinstance(call.name, c_ast.ID))
    reports = [call for call in calls if _reports(unit, call)]
    return node_count(branch) - sum(map(node_count, reports)) <= LARGEST_ERROR_PATH


def _always_reports(unit: Unit, node: c_ast.Node | None) -> bool:
    """Whether what comes here gets to a report: a branch that only under a further condition reports is none that
    errors take (`if (p[i] > 9) { a[i] = 1; if (a[i] < b) warn("small"); }`)."""
    match node:
        case c_ast.Compound(block_items=items):
            return any(_always_reports(unit, item) for item in items or ())
        case c_ast.If(iftrue=one, iffalse=two) | c_ast.TernaryOp(iftrue=one, iffalse=two):
            return _always_reports(unit, one) and _always_reports(unit, two)
        case c_ast.Return(expr=c_ast.FuncCall(name=c_ast.ID()) as call) | c_ast.Assignment(
            rvalue=c_ast.FuncCall(name=c_ast.ID()) as call
        ):
            return _reports(unit, call)
        case c_ast.DoWhile(stmt=inner) | c_ast.Label(stmt=inner) | c_ast.Cast(expr=inner) | c_ast.Return(expr=inner):
            return _always_reports(unit, inner)
        case c_ast.ExprList(exprs=parts):
            return any(_always_reports(unit, part) for part in parts)
        case c_ast.For(cond=None, next=step, stmt=inner):  # `for (;; longjmp(*to, 1)) thrown = error;`
            return _always_reports(unit, step) or _always_reports(unit, inner)
        case c_ast.Assignment(rvalue=value):
            return _always_reports(unit, value)
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
        return effect is library.Effect.NO_RETURN or to_errors or name in _REPORTS
    definition = unit.definitions.get(name)
    if name in _REPORTS or (definition is not None and definition.node is not None):
        return name in _REPORTS or _is_report(unit, definition)
    prototype = unit.prototypes.get(name)
    if not isinstance(prototype, Function) or not _has_text(call):
        return False
    return isinstance(prototype.result, Void) or (unused and prototype.variadic)


def _is_report(unit: Unit, definition: Definition | None) -> bool:
    """Whether a function that is seen ends the program at its end, or does nothing but report."""
    assert definition is not None
    known: dict[str, bool] = unit.__dict__.setdefault("_reports", {})
    if definition.name not in known:
        known[definition.name] = False  # of itself, nothing more
        body = definition.node.body if definition.node is not None else None
        known[definition.name] = body is not None and (_ends_with_report(unit, body) or _does_nothing_else(unit, body))
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
    return _always_reports(unit, body) and _only_calls(unit, body, partial(_reports, unit))


def _only_calls(unit: Unit, node: c_ast.Node, wanted: Callable[[c_ast.FuncCall], bool]) -> bool:
    """Whether nothing is assigned, and all calls are wanted ones, or of functions that change nothing else."""
    steps = (each.op in ("++", "--", "p++", "p--") for each in nodes(node, c_ast.UnaryOp))
    if nodes(node, c_ast.Assignment) or any(steps):
        return False
    calls = nodes(node, c_ast.FuncCall)
    named = all(isinstance(call.name, c_ast.ID) for call in calls)
    return named and all(wanted(call) or is_understood(unit, call.name.name) for call in calls)


# --- whether it is worth a second look


def is_open_to(unit: Unit, loop: c_ast.Node) -> bool:
    """Whether suppositions may settle a loop: outside of its error paths, every call that cannot be seen may be pure or
    independent, in the loop and in what it calls. A quick look at syntax, which spares most loops the second
    lowering."""
    return _is_open(unit, loop, (), flags(unit, loop), failures(loop), kept_results.ends(loop))


def _is_open(
    unit: Unit,
    root: c_ast.Node,
    above: tuple[str, ...],
    known: Flags = NO_FLAGS,
    exits: frozenset[int] = frozenset(),
    keeping: frozenset[int] = frozenset(),
) -> bool:
    match root:
        case c_ast.If(cond=test, iftrue=then, iffalse=other) | c_ast.TernaryOp(cond=test, iftrue=then, iffalse=other):
            cold = _error_path(unit, root, known)
            cold = then if cold is None and _ends_with(then, keeping) else cold
            arms = [n for n in (then, other) if n is not None and n is not cold]
            taken = [n for n in arms if cold is not None or _jump_of(n, exits) is None]
            return all(_is_open(unit, n, above, known, exits, keeping) for n in (test, *taken))
        case c_ast.Switch(cond=test) if (groups := jumps.cases(root)) is not None:
            runs = [run for _, run in groups if not _is_error_case(unit, run)]
            taken = [n for run in runs if _jump_of(c_ast.Compound(run), exits) is None for n in run]
            return all(_is_open(unit, n, above, known, exits, keeping) for n in (test, *taken))
        case c_ast.Compound(block_items=[*statements]):
            taken = statements[: _error_end(unit, statements)]
            return all(_is_open(unit, n, above, known, exits, keeping) for n in taken)
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            if not _may_be_called(unit, name, root, above):
                return False
        case c_ast.Assignment(op="=", lvalue=place, rvalue=value) if is_errno(unit, place):
            return _is_open(unit, value, above, known, exits, keeping)
        case c_ast.Return() | c_ast.Goto() if not above:
            return False  # ends the loop, and no error path holds it
        case _:
            pass
    return all(_is_open(unit, child, above, known, exits, keeping) for child in root)


def _error_end(unit: Unit, block: list[c_ast.Node]) -> int:
    """Where the error path begins that a block ends with, behind a branch that returns; else where the block ends."""
    for k, node in enumerate(block):
        if _may_return(node) and is_error_end(unit, block[k + 1 :]):
            return k + 1
    return len(block)


def _may_return(node: c_ast.Node | None) -> bool:
    """Whether a branch, or another one if that is not taken, returns, or an iteration of a loop."""
    match node:
        case c_ast.For() | c_ast.While() | c_ast.DoWhile():
            return bool(nodes(node, c_ast.Return))
        case c_ast.If(iftrue=then, iffalse=other):
            return jumps.ends_with_jump(then, "return") or _may_return(other)
        case _:
            return False


def _may_be_called(unit: Unit, name: str, call: c_ast.FuncCall, above: tuple[str, ...]) -> bool:
    definition = unit.definitions.get(name)
    if definition is None or definition.node is None:
        if not _may_be_supposed(unit, name):
            return is_understood(unit, name) or library.effect(name) is not None
        type_ = unit.prototypes.get(name)
        if said_of(unit, name) is not None:
            return True
        if type_ is None or _only_gives_a_value(type_):
            return True
        return not is_of_c_library(name) and _may_be_independent(type_, call)
    if name in above or len(above) >= DEEPEST_INLINING:
        return is_confined(unit, definition)
    known: dict[str, bool] = unit.__dict__.setdefault("_open_to_suppositions", {})
    if name not in known:
        known[name] = _is_open(unit, definition.node.body, (*above, name))
    return known[name]
