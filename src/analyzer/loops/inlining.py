"""Which calls are followed into the functions that they call, and what keeps the others from it.

A visible function is followed to a bounded depth and size, and as long as there is something to be found: in a loop
that calls what nobody can look into, and be it three functions further down, the iterations are not independent as far
as anyone can tell, whatever else the call does. So there it is not followed, unless
- the loop holds another one, for which it may matter what the call leaves behind (`row = allocate(n);`);
- the order of what it does shows, as that of output: this decides the loop;
- it is only with constant arguments that the other function is called: they may decide that it is not;
- it is not whole loops that are asked about, but accesses (`Unit.in_full`).

    for (...) { log(i); f(a[i]); }              static void f(int x) { hook(x); g(x); ... }         f is not followed
"""

from collections.abc import Iterator

from msgspec import Struct
from pycparser import c_ast

from ..ir import c_library as library
from ..source.nodes import node_count, nodes, of_tree
from ..source.unit import Definition, Unit
from . import effort, returns, syntax
from .c_text import c_text
from .confined_functions import is_confined
from .context import Context
from .pure_functions import is_closed, is_understood
from .reached_functions import leads_to_itself, reached

DEEPEST_INLINING = 6
DEEP = 4
"""Calls below a function: what lies deeper is only followed while that has taken little."""
MOST_WITH_DEEP = 1500
LARGEST_INLINED = 1500
MOST_INLINED = 6000
SMALL = 100
"""Nodes of a function for which there is still room when larger ones have used up theirs (`MOST_WITH_SMALL`): getters
and tests stand in every loop, the last ones of a function, too."""
MOST_WITH_SMALL = 9000
"""Syntax nodes of one callee, and of all callees inlined into one function."""
TINY = 40
"""Nodes of a function that is read like the macro that it could be (`at(i, j, n)`): there is room for it as long as
loops are gone through again at all."""


def visible(ctx: Context, name: str) -> Definition | None:
    """The definition of a function in this unit."""
    return ctx.unit.seen(name)


def is_followed(
    ctx: Context, definition: Definition, arguments: int, some_constant: bool, below: int = 0
) -> bool:
    """Whether a call from here is followed into the function; the number of its arguments, and whether one of them is
    a number (`has_constant`). `below`: how many calls further down it stands."""
    node = definition.node
    assert node is not None
    if definition.name == ctx.definition.name or definition.name in ctx.calls:
        return False
    depth, size = len(ctx.calls) + below, node_count(node.body)
    if depth >= DEEPEST_INLINING or not _has_room(ctx, size, depth):
        return False
    every = ctx.supposing or ctx.unit.in_full
    if not _takes(node, arguments) or (not every and _is_not_worth_it(ctx.unit, definition)):
        return False
    if ctx.supposing and ctx.loops and leads_to_itself(ctx.unit, definition) and is_confined(ctx.unit, definition):
        return False  # one call of many would say less than what is supposed of all
    return not ctx.innermost or some_constant or every or unseen_below(ctx.unit, definition) is None


def _has_room(ctx: Context, size: int, depth: int) -> bool:
    """Whether what has been followed so far leaves room for a function of so many nodes, so far below."""
    if size <= TINY and depth < DEEP:
        return not ctx.effort.is_overspent
    most = MOST_WITH_DEEP if depth >= DEEP else MOST_WITH_SMALL if size <= SMALL else MOST_INLINED
    return not ctx.effort.is_spent and ctx.inlined + size <= most


def _is_not_worth_it(unit: Unit, definition: Definition) -> bool:
    """Whether a function that returns from its middle calls what nobody can look into."""
    node = definition.node
    return node is not None and returns.is_rewritten(node) and _below(unit, definition, ()).unseen is not None


def is_summarised(unit: Unit, name: str, arguments: int, supposing: bool = False) -> bool:
    """Whether a call with so many arguments, where it is not followed, does what a summary of the function says. (Of a
    function that only computes the call says it all.) `supposing`: one that takes no error path may say so."""
    from . import effects

    definition = unit.seen(name)
    found = None if definition is None or is_closed(unit, definition) else effects.summary(unit, definition, supposing)
    return found is not None and len(found.parameters) == arguments


def _takes(function: c_ast.FuncDef, arguments: int) -> bool:
    """Whether a call with so many arguments is followed into a function, wherever it stands."""
    return can_be_followed(function) and len(syntax.parameter_declarations(function)) == arguments


@of_tree
def can_be_followed(function: c_ast.FuncDef) -> bool:
    """Whether any call is followed into a function: it is not too large, and left where its branches end."""
    body = returns.body_of(function) if node_count(function.body) <= LARGEST_INLINED else None
    if body is None or syntax.is_too_deep(body):
        return False
    return effort.written_out(body) <= MOST_INLINED and effort.is_all_copied(body)


def why_unseen(ctx: Context, name: str, arguments: int, node: c_ast.FuncCall) -> str:
    """What keeps a call from being looked into, in words."""
    if _is_pointer(ctx, name, node):
        return f"`{name}` is a pointer: any function may be called"
    definition = visible(ctx, name)
    if definition is None:
        return f"`{name}` {_why_not_visible(ctx.unit, name)}"
    if name == ctx.definition.name or name in ctx.calls:
        return f"`{name}` calls itself: what it does is not followed"
    assert definition.node is not None
    if len(syntax.parameter_declarations(definition.node)) != arguments:
        return f"`{name}` is called with another number of arguments than it has"
    where = f"`{name}` (line {definition.place.line})"
    if node_count(definition.node.body) <= LARGEST_INLINED and returns.body_of(definition.node) is None:
        return f"{where} has a `goto`, or a `return` in a block, that is not followed"
    below = unseen_below(ctx.unit, definition) if ctx.innermost else None
    if below is not None:
        return f"{where} calls `{below.name}`, {below.why}"
    if ctx.effort.is_spent:
        return f"{where} is not looked into: what `{ctx.definition.name}` calls is too much to be followed to its end"
    return f"{where} and what it calls are too large to be looked into from here"


def _is_pointer(ctx: Context, name: str, node: c_ast.FuncCall) -> bool:
    return not isinstance(node.name, c_ast.ID) or ctx.lookup(name) is not None


def is_foreign(ctx: Context, name: str, node: c_ast.FuncCall) -> bool:
    """Whether no file of the run is known to hold the code of what is called."""
    if _is_pointer(ctx, name, node):
        return True
    return visible(ctx, name) is None and name not in ctx.unit.elsewhere


def _why_not_visible(unit: Unit, name: str) -> str:
    elsewhere = unit.elsewhere.get(name)
    return "is not visible here: it may do anything" if elsewhere is None else f"{elsewhere.why}: it is not looked into"


# --- what a function leads to


class Unseen(Struct, frozen=True):
    """A call that nobody can look into, and `why`."""

    name: str
    why: str


class Below(Struct, frozen=True):
    """What is called below a function: the first call that is not seen, and whether `order_shows` of another one."""

    unseen: Unseen | None = None
    order_shows: bool = False


def unseen_below(unit: Unit, definition: Definition) -> Unseen | None:
    """The call that makes following a function useless in a loop that holds no other (see the module)."""
    found = _below(unit, definition, ())
    return None if found.order_shows else found.unseen


def calls_nothing_else(unit: Unit, definition: Definition) -> bool:
    """Whether all that a function calls is visible, or known to do nothing but what its call says."""
    found = _below(unit, definition, ())
    return found.unseen is None and not found.order_shows


def _below(unit: Unit, definition: Definition, above: tuple[str, ...]) -> Below:
    known: dict[str, Below] = unit.__dict__.setdefault("_below", {})
    name = definition.name
    if name not in known:
        found = tuple(_of_call(unit, definition, call, (*above, name)) for call in _calls(definition))
        known[name] = Below(
            next((each.unseen for each in found if each.unseen is not None), None),
            any(each.order_shows for each in found),
        )
    return known[name]


def leads_to_loops(unit: Unit, name: str) -> bool:
    """Whether a loop stands in a function or in one that it leads to, as far as they are visible."""
    known: dict[str, bool] = unit.__dict__.setdefault("_leads_to_loops", {})
    if name not in known:
        known[name] = any(d.node is not None and syntax.holds_loops(d.node.body) for d in reached(unit, name))
    return known[name]


def _calls(definition: Definition) -> Iterator[c_ast.FuncCall]:
    assert definition.node is not None
    return iter(nodes(definition.node.body, c_ast.FuncCall))


def _of_call(unit: Unit, caller: Definition, call: c_ast.FuncCall, above: tuple[str, ...]) -> Below:
    name = c_text(call.name)
    assert caller.node is not None
    if not isinstance(call.name, c_ast.ID) or name in _declared(caller.node):
        return Below(Unseen(name, "a pointer: any function may be called"))
    definition = unit.seen(name)
    if definition is not None:
        return _of_defined(unit, definition, call, above)
    if is_understood(unit, name):
        return Below(order_shows=name.startswith("MPI_"))
    if (effect := library.effect(name)) is not None:
        return Below(order_shows=effect.shows_order)
    if name.startswith("__boathull"):
        return Below()  # inline assembly, which has a reason of its own
    skipped = unit.definitions.get(name)
    if skipped is not None:
        return Below(Unseen(name, f"which is defined in line {skipped.place.line}, too far below to be looked into"))
    return Below(Unseen(name, f"which {_why_not_visible(unit, name)}"))


def _of_defined(unit: Unit, definition: Definition, call: c_ast.FuncCall, above: tuple[str, ...]) -> Below:
    node, arguments = definition.node, call.args.exprs if call.args is not None else []
    assert node is not None
    name = definition.name
    if name in above or not _takes(node, len(arguments)):
        itself = "which calls itself: what it does is not followed"
        other = f"which is defined in line {definition.place.line}, and is not followed"
        if is_closed(unit, definition) or (name not in above and is_summarised(unit, name, len(arguments))):
            return Below()
        return Below(Unseen(name, itself if name in above else other))
    found = _below(unit, definition, above)
    if found.unseen is not None and returns.is_rewritten(node):
        return Below(found.unseen)
    return Below(order_shows=found.order_shows) if has_constant(call) else found


@of_tree
def _declared(function: c_ast.FuncDef) -> frozenset[str]:
    """Names of the variables that a function declares."""
    found = (n for n in nodes(function, c_ast.Decl) if not isinstance(n.type, c_ast.FuncDecl))
    return frozenset(n.name for n in found)


@of_tree
def has_constant(call: c_ast.FuncCall) -> bool:
    """Whether an argument is a number (or a null pointer) as it stands: it may decide a condition in the callee."""
    arguments = call.args.exprs if call.args is not None else []
    return not all(nodes(a, c_ast.ID, c_ast.FuncCall) for a in arguments)
