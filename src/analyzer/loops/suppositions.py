"""What is supposed where a function is lowered a second time, for answers under conditions (definitions.md).

*Decides*: which calls of functions that cannot be seen are taken to be pure (`pure(f)`): they give a value, by all that
their declaration says; which to do what no other iteration can tell (`independent(f)`): all others, also those through
a pointer, but for a statement that may be a macro of a missing header (`dependence/blockers` looks at what each call
gets); which branches are error paths that are not taken (`cold(line)`): whoever takes one gets to a call that reports
an error or ends the program; which calls trace what is done, and are not made (`cold(line)`, too); which branches leave
the loop, and are not taken either (`no-exit(line)`).
*Errs toward* nothing: a function of the C library does what it is known to do, and one that gets a text shows it.

    if (p[i].type > 5) endrun(1, "bad type of %d", i);     ->  cold, the call being one to a function that is not seen
    a[i] = interpolate(x, i);                              ->  pure(interpolate)
    tree->visit(node[i], tree);                            ->  independent(tree->visit)
    if (a[i] < 0) return -1;                               ->  no-exit
"""


from msgspec import Struct
from pycparser import c_ast

from ..ir import c_library as library
from ..ir.reasons import AssumptionKind
from ..source.ctypes import Complex, CType, Floating, Function, Integer, Pointer, Record
from ..source.features import is_of_c_library
from ..source.nodes import node_count, nodes
from ..source.unit import Definition, Unit
from . import expressions, gotos, jumps, kept_results
from .atomic_builtins import is_atomic
from .confined_functions import changes_only_arguments, is_confined, stores_behind_parameters
from .context import Context
from .errno import is_errno
from .error_flags import NO_FLAGS, Flags, flags, keeps_outcome
from .error_paths import (
    LARGEST_ERROR_PATH,
    always_reports,
    error_path,
    failing_arm,
    has_text,
    is_error_case,
    is_error_end,
)
from .inlining import DEEPEST_INLINING, visible
from .leaving import failures
from .pure_functions import is_understood
from .state_words import says_it_changes
from .syntax import LOOPS, items
from .traces import is_trace


def supposition(ctx: Context, name: str, node: c_ast.FuncCall) -> AssumptionKind | None:
    """What a call of a function that is not seen is supposed to do: nothing but give a value, or what no other
    iteration can tell. (No summary rests on that: nothing is supposed of calls that stand in no loop of a function
    itself.)"""
    if not ctx.supposing or not ctx.loops:
        return None
    by_name = isinstance(node.name, c_ast.ID) and ctx.lookup(name) is None
    definition = visible(ctx, name) if by_name else None
    if by_name and not (may_be_supposed(ctx.unit, name) if definition is None else is_confined(ctx.unit, definition)):
        return None
    type_ = ctx.unit.prototypes.get(name) if by_name else called_type(ctx, node)
    said = said_of(ctx.unit, name)
    if said is not None:
        return said
    if id(node) in ctx.getters:
        return AssumptionKind.PURE
    changes = definition is not None and not changes_only_arguments(ctx.unit, definition)
    if _only_gives_a_value(ctx.unit, name, type_) and node is not ctx.unused and not changes:
        return AssumptionKind.PURE
    is_macro = type_ is None and name.isupper() and node is ctx.unused
    if by_name and (is_of_c_library(name) or is_atomic(name) or is_macro):
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


def may_be_supposed(unit: Unit, name: str) -> bool:
    """Whether nothing is known of a function that is not seen."""
    if is_understood(unit, name) or library.effect(name) is not None or name.startswith("__boathull"):
        return False
    return name not in unit.elsewhere or not unit.elsewhere[name].changes


def _only_gives_a_value(unit: Unit, name: str, type_: CType | None) -> bool:
    """Whether the type of a function lets it be pure: what it gets it may not write to, or it is asked for a part of a
    structure that nobody outside knows (`axis_length(x)`), and its name does not say that it changes that."""
    match type_:
        case Function(result=Integer() | Floating() | Complex() | Record()) as function:
            return only_reads(unit, name, function, unless_named=True)
        case _:
            return False


def only_reads(unit: Unit, name: str, type_: Function, unless_named: bool = False) -> bool:
    """Whether a function may, by its type, do nothing but read what it gets, and its name does not say more; that is
    only asked of structures that nobody outside knows where the function is `unless_named` pure by its type."""
    written = [p for p in type_.parameters if _may_be_written(p)]
    if type_.variadic or not all(_is_hidden(unit, p) for p in written):
        return False
    return (unless_named and not written) or not says_it_changes(name)


def _may_be_independent(type_: CType | None, call: c_ast.FuncCall) -> bool:
    """Whether a function, declared or not, is called for what it does to data: it gets something, and no text, which it
    would show. (An allocator notes what the memory is for.)"""
    arguments = call.args.exprs if call.args is not None else []
    fixed = type_ is None or (isinstance(type_, Function) and not (type_.variadic and type_.parameters))  # `void f()`
    allocates = isinstance(call.name, c_ast.ID) and library.says_it_allocates(call.name.name)
    return fixed and bool(arguments) and (allocates or not has_text(call))


def _may_be_written(parameter: CType) -> bool:
    return isinstance(parameter, Pointer) and not getattr(parameter.target, "const", False)


def _is_hidden(unit: Unit, parameter: CType) -> bool:
    """Whether it leads to a structure that is only declared."""
    match parameter:
        case Pointer(target=Record(key=key)):
            return key not in unit.layouts
        case _:
            return False


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
    if not ctx.supposes:
        return None
    if behind and is_error_end(ctx.unit, behind):
        report = next(n for n in behind if always_reports(ctx.unit, n))
        return NotTaken(c_ast.Compound(behind), AssumptionKind.COLD, report)
    cold = failing_arm(ctx.unit, node) if ctx.in_call else None
    cold = cold or error_path(ctx.unit, node, NO_FLAGS if ctx.in_call else ctx.flags)
    if cold is None and not ctx.in_call and _ends_with(node.iftrue, ctx.keeping):
        cold = node.iftrue
    if cold is not None:
        return NotTaken(cold, AssumptionKind.COLD, node if cold is node.iftrue else cold)
    both = () if ctx.in_call else (node.iftrue, node.iffalse)
    arms = [arm for arm in both if _jump_of(arm, ctx.failures) is not None]
    return NotTaken(arms[0], AssumptionKind.NO_EXIT, _jump_of(arms[0], ctx.failures)) if arms else None


def traces(ctx: Context, node: c_ast.Node) -> bool:
    """Whether a statement is a call that is supposed not to be made: it traces what the program does."""
    return ctx.supposes and is_trace(ctx.unit, node)


def leaves_flag(ctx: Context, node: c_ast.Assignment) -> bool:
    """Whether an assignment is supposed to leave a flag of the function as it is: what it is set to says that a call
    has done what it should."""
    if not ctx.supposes or ctx.in_call or not keeps_outcome(ctx.unit, node, ctx.flags):
        return False
    flag = ctx.lookup(node.lvalue.name)
    if flag is None or flag.scope not in ("local", "parameter") or flag.addressed:
        return False
    return isinstance(flag.type, Integer) and ctx.loops[-1] not in flag.loops


def not_reached(ctx: Context, run: list[c_ast.Node]) -> AssumptionKind | None:
    """The condition under which the statements of a `case`, up to where the `switch` ends, are not reached."""
    if not ctx.supposes:
        return None
    if is_error_case(ctx.unit, run):
        return AssumptionKind.COLD
    leaves = not ctx.in_call and bool(run) and _jump_of(c_ast.Compound(run), ctx.failures) is not None
    return AssumptionKind.NO_EXIT if leaves else None


def _jump_of(arm: c_ast.Node | None, jumps: frozenset[int]) -> c_ast.Node | None:
    """The jump out of the loop that a small branch ends with."""
    run = items(arm)
    return run[-1] if run and id(run[-1]) in jumps and node_count(arm) <= LARGEST_ERROR_PATH else None


def _ends_with(arm: c_ast.Node | None, jumps: frozenset[int]) -> bool:
    run = items(arm)
    return bool(run) and id(run[-1]) in jumps


# --- whether it is worth a second look


def is_open_to(unit: Unit, loop: c_ast.Node) -> bool:
    """Whether suppositions may settle a loop: outside of its error paths, every call that cannot be seen may be pure or
    independent, in the loop and in what it calls. A quick look at syntax, which spares most loops the second
    lowering."""
    body = gotos.structured(loop)
    return _is_open(unit, body, (), flags(unit, loop), failures(body), kept_results.ends(body))


def is_open_in_calls(unit: Unit, definition: Definition) -> bool:
    """Whether the same holds of a function that a loop calls."""
    assert definition.node is not None
    return _is_open(unit, definition.node.body, (definition.name,))


LARGE = 300
"""Syntax nodes of a function that does more than to compute a place or a value."""


def closed_calls(unit: Unit, loop: c_ast.Node) -> frozenset[int]:
    """The calls in a loop, by `id`, of functions that are seen and may be supposed to be independent: they do more than
    to compute something, and change nothing but what pointers in memory lead to, or elements of tables of the program.
    (Of what a parameter itself leads to, more is said where the function is followed.)"""
    found = set[int]()
    for call in nodes(loop, c_ast.FuncCall):
        definition = unit.definitions.get(call.name.name) if isinstance(call.name, c_ast.ID) else None
        if definition is None or definition.node is None or not is_confined(unit, definition):
            continue
        type_ = unit.prototypes.get(definition.name)
        body = definition.node.body
        works = node_count(body) > LARGE or bool(nodes(body, *LOOPS))
        changes = _gets_address(type_) or not changes_only_arguments(unit, definition)
        if works and changes and _may_be_independent(type_, call) and not stores_behind_parameters(unit, definition):
            found.add(id(call))
    return frozenset(found)


def _gets_address(type_: CType | None) -> bool:
    return isinstance(type_, Function) and any(map(_may_be_written, type_.parameters))


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
            cold = (failing_arm(unit, root) if above else None) or error_path(unit, root, known)
            cold = then if cold is None and _ends_with(then, keeping) else cold
            arms = [n for n in (then, other) if n is not None and n is not cold]
            taken = [n for n in arms if cold is not None or _jump_of(n, exits) is None]
            return all(_is_open(unit, n, above, known, exits, keeping) for n in (test, *taken))
        case c_ast.Switch(cond=test) if (groups := jumps.cases(root)) is not None:
            runs = [run for _, run in groups if not is_error_case(unit, run)]
            taken = [n for run in runs if _jump_of(c_ast.Compound(run), exits) is None for n in run]
            return all(_is_open(unit, n, above, known, exits, keeping) for n in (test, *taken))
        case c_ast.Compound(block_items=[*statements]):
            taken = [n for n in statements[: _error_end(unit, statements)] if not is_trace(unit, n)]
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
        if not may_be_supposed(unit, name):
            return is_understood(unit, name) or library.effect(name) is not None
        type_ = unit.prototypes.get(name)
        if said_of(unit, name) is not None:
            return True
        if type_ is None or _only_gives_a_value(unit, name, type_):
            return True
        return not is_of_c_library(name) and _may_be_independent(type_, call)
    if name in above or len(above) >= DEEPEST_INLINING:
        return is_confined(unit, definition)
    known: dict[str, bool] = unit.__dict__.setdefault("_open_to_suppositions", {})
    if name not in known:
        known[name] = _is_open(unit, definition.node.body, (*above, name))
    return known[name]
