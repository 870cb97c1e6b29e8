"""Assignments of a loop as far as its syntax tells them: a loop whose effects are foreseen is lowered once.

*Foreseen* is that a pointer leaves its object, since the loop sets it to what it reads, is given by a call or finds in
another pointer, and that what an unseen function may change does change, since the loop calls one. The lowering has the
last word: what does not come true is `refuted`, and what comes and was not foreseen is found by
`induction.unexpected_changes`.

    while (p) { n += p->len; p = p->next; }                                p leaves its object
    for (i = 0; i < n; i++) { r = c ? a : b->row; ... }                    r leaves its own, which is neither
    for (i = 0; i < n; i++) { if (bad) { report(); return; } f(i); }       f may change every global; report is no part
"""

from collections.abc import Callable, Iterable, Iterator

from pycparser import c_ast

from ..ir import c_library as library
from ..ir import nodes as ir
from ..source.ctypes import Array, Pointer
from ..source.nodes import nodes, of_tree
from . import inlining as following
from . import invalidation as forgetting
from . import jumps, pointer_versions, syntax
from .context import Context
from .induction import Lowered, Placeholder
from .pure_functions import is_closed, is_understood
from .values import Address, Value, displacement

Call = tuple[str, int, bool]
"""The name of what is called, '' for a pointer, how many arguments it gets, and whether one of them is a number."""

Led = tuple[str, frozenset[str], bool]
"""A name that is set, the variables in what it is set to, and whether something is read from memory or given by a call
there."""


def foreseen(ctx: Context, parts: tuple[c_ast.Node, ...], names: Iterable[str] = ()) -> frozenset[int]:
    """Keys of the variables that cannot be followed through the parts of a loop; `names` of such when it was lowered
    for another call."""
    known = [v for name in names if (v := ctx.lookup(name)) is not None]
    found = known + _led_elsewhere(ctx, [led for part in parts for led in _leading(part)])
    if any(n.name in ctx.labels for part in parts for n in nodes(part, c_ast.Label)):
        found += [v for v in ctx.visible() if v.key not in ctx.unchanged]  # control may come there from anywhere
    if calls_unseen(ctx, parts):
        for name in (n for part in parts for n in syntax.names_in(part)):
            ctx.lookup(name)  # a global that is first met in the loop is as exposed as the others
        found += (v for v in forgetting.exposed(ctx) if v.key not in ctx.lent_keys)
    return frozenset(v.key for v in found)


def calls_unseen(ctx: Context, parts: tuple[c_ast.Node, ...], ways_out: bool = False) -> bool:
    """Whether the loop may go on after a call that may change what its caller cannot see; `ways_out`: or leave with
    one, or with the program."""
    calls = _calls if ways_out else _calls_on_the_way
    return any(_is_unseen(ctx, call, ways_out) for part in parts for call in calls(part))


def reads_again(ctx: Context, parts: tuple[c_ast.Node, ...]) -> bool:
    """Whether the loop seems to read members again that held the pointers in its variables before it, and makes calls
    that may set them."""
    read = read_pointers(ctx, ctx.values, parts, ctx.pointer_version)
    members = {n.field.name for part in parts for n in nodes(part, c_ast.StructRef)} if read else set()
    again = any(member.rpartition(".")[2] in members for _, member in read)
    return again and calls_unseen(ctx, parts, ways_out=True)


def read_pointers(
    ctx: Context, known: dict[int, Value | None], parts: tuple[c_ast.Node, ...], version: int
) -> set[tuple[ir.Object, str]]:
    """Where the pointers in the variables of a loop were read, since pointers in memory were last set."""
    found, oldest = set(), pointer_versions.oldest(ctx, version)
    for name in {name for part in parts for name in syntax.names_in(part)}:
        variable = ctx.lookup(name)
        match known.get(variable.key) if variable is not None else None:
            case Address(object=ir.Rows(base=base, field=member, version=since)) if since >= oldest:
                found.add((base, member))
            case _:
                pass
    return found


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
    starts = [a for a in (holder.start, holder.value) if isinstance(a, Address)]
    return end == holder.value or (
        isinstance(end, Address) and any(displacement(end, a) is not None for a in starts)
    )


def _led_elsewhere(ctx: Context, leading: list[Led]) -> list[ir.Variable]:
    """The pointers that are set to something in memory, to the result of a call, or to what others point to, none of
    which point to their own object."""
    sources: dict[str, set[str]] = {}
    for name, named, _ in leading:
        sources.setdefault(name, set()).update(named)
    found: dict[ir.Variable, None] = {}
    for name, named, elsewhere in leading:
        variable = ctx.lookup(name)
        if variable is None or variable in found or not isinstance(variable.type, Pointer):
            continue
        objects = [o for n in _reached(sources, named) if (o := _object(ctx, ctx.lookup(n))) is not None]
        own = _object(ctx, variable)
        if own is not None and own not in objects if objects else elsewhere:
            found[variable] = None
    return [*found]


def _reached(sources: dict[str, set[str]], names: frozenset[str]) -> set[str]:
    """The names, and what the loop sets them to, and so on."""
    found: set[str] = set()
    pending = [*names]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += sources.get(name, ())
    return found


def _object(ctx: Context, variable: ir.Variable | None) -> ir.Object | None:
    """What a pointer leads to before the loop; an array is that itself."""
    if variable is None:
        return None
    if isinstance(variable.type, Array):
        return ir.Declared(variable)
    value = ctx.known(variable)
    return value.object if isinstance(value, Address) else None


@of_tree
def _leading(root: c_ast.Node) -> tuple[Led, ...]:
    """What names are set to with `=`."""
    found: dict[Led, None] = {}
    for node in nodes(root, c_ast.Assignment):
        if node.op == "=" and isinstance(node.lvalue, c_ast.ID):
            roots = [*_roots(node.rvalue)]
            named = frozenset(n.name for n in roots if isinstance(n, c_ast.ID))
            found[node.lvalue.name, named, any(not isinstance(n, c_ast.ID) for n in roots)] = None
    return tuple(found)


def _roots(value: c_ast.Node) -> Iterator[c_ast.Node]:
    """What the address in a pointer may be made from: variables, and what is read from memory or given by a call."""
    match value:
        case c_ast.Cast(expr=inner) | c_ast.Assignment(rvalue=inner):
            yield from _roots(inner)
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=inner) | c_ast.StructRef(name=inner)):
            yield from _roots(inner)
        case c_ast.TernaryOp(iftrue=left, iffalse=right) | c_ast.BinaryOp(op="+" | "-", left=left, right=right):
            yield from (*_roots(left), *_roots(right))
        case c_ast.ID() | c_ast.StructRef() | c_ast.ArrayRef() | c_ast.FuncCall() | c_ast.UnaryOp(op="*"):
            yield value
        case _:
            pass


# --- calls


@of_tree
def _calls(root: c_ast.Node) -> frozenset[Call]:
    """Every call."""
    return frozenset(map(_call, nodes(root, c_ast.FuncCall)))


@of_tree
def _calls_on_the_way(root: c_ast.Node) -> frozenset[Call]:
    """The calls after which the loop may go on: none that a `return`, a `goto` or the end of the program follows in its
    arm of an `if`."""
    return _calls_beside(root, lambda arm: jumps.ends_with_jump(arm, "return") or _ends(arm, c_ast.Goto))


@of_tree
def _calls_survived(root: c_ast.Node) -> frozenset[Call]:
    """The calls in the body of a function, which goes on behind each `return`, after which the program goes on."""
    return _calls_beside(root, lambda arm: False)


def _calls_beside(root: c_ast.Node, leaves: Callable[[c_ast.Node], bool]) -> frozenset[Call]:
    """The calls outside of the arms that leave, or end the program."""
    found = set()
    stack = [root] if _calls(root) else []
    while stack:
        node = stack.pop()
        match node:
            case c_ast.If(cond=cond, iftrue=then, iffalse=otherwise):
                arms = (arm for arm in (then, otherwise) if arm is not None)
                stack += [cond, *(arm for arm in arms if not (_ends(arm, c_ast.FuncCall) or leaves(arm)))]
                continue
            case c_ast.FuncCall():
                found.add(_call(node))
            case _:
                pass
        stack += list(node)
    return frozenset(found)


def _ends(arm: c_ast.Node, kind: type[c_ast.Node]) -> bool:
    """Whether an arm ends with a node of this kind; of the calls it is one that never returns."""
    last = (syntax.items(arm) or [arm])[-1]
    return isinstance(last, kind) and (kind is not c_ast.FuncCall or library.never_returns(_call(last)[0]))


def _call(node: c_ast.FuncCall) -> Call:
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    return name, len(node.args.exprs) if node.args is not None else 0, following.has_constant(node)


def _is_unseen(ctx: Context, call: Call, ways_out: bool, below: int = 0) -> bool:
    """Whether a call may change what its caller cannot see; it stands so many calls further down."""
    name, arguments, some_constant = call
    if not name or ctx.lookup(name) is not None:
        return True
    definition = following.visible(ctx, name)
    if definition is None:
        return ways_out if library.never_returns(name) else not is_understood(ctx.unit, name)
    if not following.is_followed(ctx, definition, arguments, some_constant, below):
        summarised = following.is_summarised(ctx.unit, name, arguments, ctx.supposing)
        return not (summarised or is_closed(ctx.unit, definition))
    asked = name, len(ctx.calls) + below, ways_out
    if asked not in ctx.calling_unseen:
        assert definition.node is not None
        calls = (_calls if ways_out else _calls_survived)(definition.node.body)
        ctx.calling_unseen[asked] = any(_is_unseen(ctx, c, ways_out, below + 1) for c in calls)
    return ctx.calling_unseen[asked]
