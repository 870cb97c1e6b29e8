"""Assignments of a loop as far as its syntax tells them: a loop whose effects are foreseen is lowered once.

*Foreseen* is that a pointer leaves its object, since the loop sets it to what it reads or is given by a call, and that
what an unseen function may change does change, since the loop calls one. The lowering has the last word: what does not
come true is `refuted`, and what comes and was not foreseen is found by `induction.unexpected_changes`.

    while (p) { n += p->len; p = p->next; }                                p leaves its object
    for (i = 0; i < n; i++) { if (bad) { report(); return; } f(i); }       f may change every global; report is no part
"""

from pycparser import c_ast

from ..ir import c_library as library
from ..source.ctypes import Pointer
from ..source.nodes import nodes, of_tree
from . import inlining as following
from . import invalidation as forgetting
from . import jumps, syntax
from .context import Context
from .induction import Lowered, Placeholder
from .pure_functions import is_closed
from .values import Address, Value, displacement

Call = tuple[str, int, bool]
"""The name of what is called, '' for a pointer, how many arguments it gets, and whether one of them is a number."""


def foreseen(ctx: Context, parts: tuple[c_ast.Node, ...]) -> frozenset[int]:
    """Keys of the variables that cannot be followed through the parts of a loop."""
    named = (ctx.lookup(name) for part in parts for name in _led_elsewhere(part))
    found = [v for v in named if v is not None and isinstance(v.type, Pointer)]
    if calls_unseen(ctx, parts):
        for name in (n for part in parts for n in syntax.names_in(part)):
            ctx.lookup(name)  # a global that is first met in the loop is as exposed as the others
        found += forgetting.exposed(ctx)
    return frozenset(v.key for v in found)


def calls_unseen(ctx: Context, parts: tuple[c_ast.Node, ...]) -> bool:
    """Whether the loop may go on after a call that may change what its caller cannot see."""
    return any(_is_unseen(ctx, call) for part in parts for call in _calls_on_the_way(part))


def at_most(ctx: Context, parts: tuple[c_ast.Node, ...]) -> frozenset[int]:
    """Keys of all variables that a loop could lose: every pointer that it sets, and what any function may change. For a
    loop that is not gone through again when something else comes true than was foreseen."""
    named = (ctx.lookup(name) for part in parts for name in syntax.names_in(part))
    used = [v for v in named if v is not None]  # a global that is first met in the loop is as exposed as the others
    assigned = syntax.assigned_names(*parts)
    pointers = (v for v in used if v.name in assigned and isinstance(v.type, Pointer))
    return frozenset(v.key for v in (*pointers, *forgetting.exposed(ctx)))


def refuted(ctx: Context, guessed: frozenset[int], holders: list[Placeholder], lowered: Lowered) -> frozenset[int]:
    """Those of the foreseen that the loop leaves as they are, or where they could have walked to."""
    ends = (lowered.end, *lowered.continues, *lowered.breaks)
    candidates = (h for h in holders if h.variable.key in guessed)
    return frozenset(h.variable.key for h in candidates if all(_stays(ctx.known(h.variable, e), h) for e in ends))


def _stays(end: Value | None, holder: Placeholder) -> bool:
    if isinstance(end, Address) and isinstance(holder.start, Address):
        return end == holder.value or displacement(end, holder.start) is not None
    return end == holder.value


@of_tree
def _led_elsewhere(root: c_ast.Node) -> frozenset[str]:
    """Names that are set to something in memory, or to the result of a call."""
    found = set()
    for node in nodes(root):
        match node:
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value) if _is_elsewhere(value):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def _is_elsewhere(value: c_ast.Node) -> bool:
    match value:
        case c_ast.Cast(expr=inner) | c_ast.Assignment(rvalue=inner):
            return _is_elsewhere(inner)
        case c_ast.StructRef() | c_ast.ArrayRef() | c_ast.FuncCall() | c_ast.UnaryOp(op="*"):
            return True
        case _:
            return False


# --- calls


@of_tree
def _calls_on_the_way(root: c_ast.Node) -> frozenset[Call]:
    """The calls after which the loop may go on: none that a `return` or a `goto` follows in its arm of an `if`."""
    found = set()
    stack = [root]
    while stack:
        node = stack.pop()
        match node:
            case c_ast.If(cond=cond, iftrue=then, iffalse=otherwise):
                stack += [cond, *(arm for arm in (then, otherwise) if arm is not None and not _leaves(arm))]
                continue
            case c_ast.FuncCall():
                found.add(_call(node))
            case _:
                pass
        stack += list(node)
    return frozenset(found)


def _call(node: c_ast.FuncCall) -> Call:
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    return name, len(node.args.exprs) if node.args is not None else 0, following.has_constant(node)


def _leaves(arm: c_ast.Node) -> bool:
    block = syntax.items(arm)
    return jumps.ends_with_jump(arm, "return") or (bool(block) and isinstance(block[-1], c_ast.Goto))


def _is_unseen(ctx: Context, call: Call) -> bool:
    """Whether a call may change what its caller cannot see."""
    name, arguments, some_constant = call
    if not name or ctx.lookup(name) is not None:
        return True
    definition = following.visible(ctx, name)
    if definition is None:
        return not following.is_understood(ctx.unit, name) and library.effect(name) != library.Effect.NO_RETURN
    if not following.is_followed(ctx, definition, arguments, some_constant):
        return not is_closed(ctx.unit, definition)
    if name not in ctx.calling_unseen:
        assert definition.node is not None
        ctx.calling_unseen[name] = not is_closed(ctx.unit, definition)  # where it calls itself
        ctx.calling_unseen[name] = any(_is_unseen(ctx, c) for c in _calls(definition.node.body))
    return ctx.calling_unseen[name]


@of_tree
def _calls(root: c_ast.Node) -> frozenset[Call]:
    """Every call in the body of a function, which goes on behind each `return`."""
    made = (n for n in nodes(root) if isinstance(n, c_ast.FuncCall))
    return frozenset(_call(node) for node in made)
