"""The same loop in other words: other statements, other variables, other bounds, other orders."""

import copy

from pycparser import c_ast

from .scene import COUNTS, Rewrite, Scene, c, declaration, number
from .syntax import (
    LOOPS,
    Counted,
    assigned,
    block,
    counted,
    declared,
    effects,
    identifiers,
    jumps,
    leaves,
    reads_memory,
    substituted,
    walk,
)


def _kept(new: c_ast.Node, old: c_ast.Node) -> c_ast.Node:
    """The block whose first unmarked loop takes the place of the old one."""
    loop = next(x for x in walk(new) if isinstance(x, LOOPS) and x.coord is None)
    loop.coord = old.coord
    return new


def _parts(loop: c_ast.For) -> tuple[c_ast.Node, list[c_ast.Node], list[c_ast.Node]]:
    """Test, what happens before the loop, and what at the end of an iteration."""
    init = loop.init
    before = [] if init is None else list(init.decls) if isinstance(init, c_ast.DeclList) else [init]
    return loop.cond or number(1), before, [] if loop.next is None else [loop.next]


def as_while(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    if not isinstance(node, c_ast.For) or jumps(node.stmt, c_ast.Continue):
        return None
    test, before, after = _parts(node)
    return c_ast.Compound([*before, c_ast.While(test, c_ast.Compound([node.stmt, *after]), coord=node.coord)])


def as_do(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    if not isinstance(node, c_ast.For) or jumps(node.stmt, c_ast.Continue):
        return None
    test, before, after = _parts(node)
    if effects(test) or reads_memory(test):
        return None
    loop = c_ast.DoWhile(copy.deepcopy(test), c_ast.Compound([node.stmt, *after]), coord=node.coord)
    return c_ast.Compound([*before, c_ast.If(test, c_ast.Compound([loop]), None)])


def as_endless(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`while (1) { if (!(test)) break; … }`"""
    if not isinstance(node, c_ast.For) or jumps(node.stmt, c_ast.Continue):
        return None
    test, before, after = _parts(node)
    leave = c("if (!(X)) { break; }", X=test)
    return c_ast.Compound(
        [*before, c_ast.While(number(1), c_ast.Compound([leave, node.stmt, *after]), coord=node.coord)]
    )


def renamed(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    found = counted(node, scene.scope)
    if found is None or not found.own or found.name in declared(found.loop.stmt):
        return None
    name = scene.fresh("q")
    decl = node.init.decls[0]
    decl.name = decl.type.declname = name
    return substituted(node, found.name, c_ast.ID(name))


def shifted(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """Another variable, 3 larger: a new name, for counts that speak of it speak of other values."""
    found = _signed(node, scene)
    if found is None:
        return None
    _set(found, c("X + 3", X=found.lower), c("X + 3", X=found.upper), found.relation, found.step)
    name = scene.fresh("q")
    node.init.decls[0].name = node.init.decls[0].type.declname = name
    for part in (node.cond, node.next):
        substituted(part, found.name, c_ast.ID(name))
    substituted(found.loop.stmt, found.name, c(f"{name} - 3"))
    return found.loop


def backwards(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """The last iteration first, where the order is said not to matter."""
    found = _signed(node, scene)
    if found is None or node.coord not in scene.parallel or _carries(node):
        return None
    if abs(found.step) != 1 or leaves(found.loop.stmt) or not _fixed(found, scene):
        return None
    if found.step > 0:
        top = found.upper if found.relation == "<=" else c("X - 1", X=found.upper)
        _set(found, top, found.lower, ">=", -1)
    else:
        top = found.upper if found.relation == ">=" else c("X + 1", X=found.upper)
        _set(found, top, found.lower, "<=", 1)
    return found.loop


def _carries(node: c_ast.For) -> bool:
    """Whether a variable of outside is set, be it in the way that another order would not set it."""
    targets = (x.lvalue for x in walk(node.stmt) if isinstance(x, c_ast.Assignment))
    return bool({x.name for x in targets if isinstance(x, c_ast.ID)} - declared(node))


def _signed(node: c_ast.Node, scene: Scene) -> Counted | None:
    found = counted(node, scene.scope)
    if found is None or not found.own or not scene.scope.integer(found.name, frozenset({"int"})):
        return None
    return found if found.name not in declared(found.loop.stmt) else None


def _fixed(found: Counted, scene: Scene) -> bool:
    """Whether both bounds stay what they are in the loop."""
    names = {x.name for x in (*identifiers(found.lower), *identifiers(found.upper))}
    return not names & assigned(found.loop.stmt) and names <= set(scene.scope.own) and not effects(found.lower)


def _set(found: Counted, lower: c_ast.Node, upper: c_ast.Node, relation: str, step: int) -> None:
    found.loop.init.decls[0].init = lower
    found.loop.cond = c(f"{found.name} {relation} X", X=upper)
    found.loop.next = c(f"{found.name} += X", X=number(step))


def mirrored(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`i < n` as `!(i >= n)`, `i <= n` as `n >= i`, `i++` as `i = i + 1`."""
    found = counted(node, scene.scope)
    if found is None:
        return None
    turned = {"<": "!(I >= X)", "<=": "X >= I", ">": "X < I", ">=": "!(I < X)"}[found.relation]
    found.loop.cond = c(turned, X=found.upper, I=c_ast.ID(found.name))
    found.loop.next = c(f"{found.name} = {found.name} + X", X=number(found.step))
    return found.loop


def longer(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`long` for `int`."""
    found = _signed(node, scene)
    if found is None or any(isinstance(x, c_ast.FuncCall) for x in walk(found.loop.stmt)):
        return None
    found.loop.init.decls[0].type.type.names = ["long"]
    return found.loop


def unsigned(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`unsigned` for `int`, where all values are known and the variable is nothing but a subscript."""
    found = _signed(node, scene)
    if found is None or found.range is None or found.range.start < 0 or not _only_subscript(found):
        return None
    found.loop.init.decls[0].type.type.names = ["unsigned"]
    return found.loop


def as_size_t(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    found = unsigned(node, scene)
    if isinstance(found, c_ast.For):
        found.init.decls[0].type.type.names = ["unsigned", "long"]
    return found


def _only_subscript(found: Counted) -> bool:
    """Whether the variable occurs as `a[i]` and `a[i + 1]` only."""

    def plain(x: c_ast.Node) -> bool:
        match x:
            case c_ast.ID():
                return True
            case c_ast.BinaryOp(op="+", left=c_ast.ID(), right=c_ast.Constant(type="int")):
                return True
            case _:
                return False

    inside = sum(
        x.subscript.name == found.name if isinstance(x.subscript, c_ast.ID) else x.subscript.left.name == found.name
        for x in walk(found.loop.stmt)
        if isinstance(x, c_ast.ArrayRef) and plain(x.subscript)
    )
    return inside == sum(x.name == found.name for x in identifiers(found.loop.stmt))


def companion(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """A second variable counts along, at the end of the body, and stands in the subscripts."""
    found = _signed(node, scene)
    if found is None or leaves(found.loop.stmt):
        return None
    second, hit = scene.fresh("w"), False
    for x in walk(found.loop.stmt):
        if isinstance(x, c_ast.ArrayRef) and any(y.name == found.name for y in identifiers(x.subscript)):
            x.subscript, hit = substituted(x.subscript, found.name, c_ast.ID(second)), True
    if not hit:
        return None
    found.loop.stmt = c_ast.Compound([found.loop.stmt, c(f"{second} += X;", X=number(found.step))])
    start = declaration(second, found.loop.init.decls[0].type, copy.deepcopy(found.lower))
    return c_ast.Compound([start, found.loop])


def post_increment(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`a[w++]` for the only use of the variable, at the end of the body."""
    found = _signed(node, scene)
    if found is None or found.step != 1 or leaves(found.loop.stmt):
        return None
    last = (found.loop.stmt.block_items or [None])[-1]
    if not isinstance(last, c_ast.Assignment) or sum(x.name == found.name for x in identifiers(found.loop.stmt)) != 1:
        return None
    if last.op == "=" and isinstance(last.lvalue, c_ast.ArrayRef) and not effects(last.lvalue) | effects(last.rvalue):
        second = scene.fresh("w")
        substituted(last, found.name, c(f"{second}++"))
        return c_ast.Compound([declaration(second, found.loop.init.decls[0].type, found.lower), found.loop])
    return None


def early_continue(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`if (!c) continue; …` for an `if` at the end of the body."""
    if not isinstance(node, LOOPS) or not isinstance(node, c_ast.For):
        return None
    match node.stmt.block_items:
        case [*rest, c_ast.If(cond=test, iftrue=then, iffalse=None)]:
            node.stmt = c_ast.Compound([*rest, c("if (!(X)) { continue; }", X=test), *block(then).block_items])
            return node
        case _:
            return None


def copied_bound(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """The bound is computed before the loop."""
    found = _signed(node, scene)
    if found is None or not _fixed(found, scene) or not isinstance(found.upper, (c_ast.BinaryOp, c_ast.ID)):
        return None
    if not all(scene.scope.integer(x.name, frozenset({"int"})) for x in identifiers(found.upper)):
        return None
    name = scene.fresh("end")
    found.loop.cond = c(f"{found.name} {found.relation} {name}")
    return c_ast.Compound([declaration(name, found.loop.init.decls[0].type, found.upper), found.loop])


def in_strips(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    found = _signed(node, scene)
    if found is None or found.range is None or found.step != 1 or jumps(found.loop.stmt, c_ast.Break):
        return None
    width = next((w for w in (8, 5, 4, 3, 2) if len(found.range) % w == 0 and len(found.range) > w), None)
    if width is None:
        return None
    strip = scene.fresh("strip")
    new = c(
        f"for (int {strip} = LOW; {strip} < HIGH; {strip} += {width}) "
        f"{{ for (int {found.name} = {strip}; {found.name} < {strip} + {width}; {found.name}++) BODY; }}",
        LOW=number(found.range.start),
        HIGH=number(found.range.stop),
        BODY=found.loop.stmt,
    )
    return _kept(new, node)


def unrolled(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """Two iterations in one, for innermost loops of an even known number."""
    found = _signed(node, scene)
    if found is None or found.range is None or found.step != 1 or len(found.range) % 2 or leaves(found.loop.stmt):
        return None
    if any(isinstance(x, LOOPS) for x in walk(found.loop.stmt)):
        return None
    second = substituted(copy.deepcopy(found.loop.stmt), found.name, c(f"{found.name} + 1"))
    found.loop.stmt = c_ast.Compound([found.loop.stmt, second])
    found.loop.next = c(f"{found.name} += 2")
    return found.loop


OPERATIONS = COUNTS - {"trip_count", "iterations", "int_ops", "fma_fp32", "fma_fp64"}

LOOP_REWRITES = (
    Rewrite("while", as_while, keeps=COUNTS - {"int_ops"}),
    Rewrite("do", as_do, keeps=COUNTS - {"int_ops"}, least=5),
    Rewrite("endless", as_endless, keeps=COUNTS - {"int_ops"}),
    Rewrite("renamed", renamed),
    Rewrite("shifted", shifted, keeps=COUNTS - {"int_ops"}),
    Rewrite("backwards", backwards),
    Rewrite("mirrored", mirrored),
    Rewrite("long", longer),
    Rewrite("unsigned", unsigned),
    Rewrite("size_t", as_size_t),
    Rewrite("companion", companion),
    Rewrite("post-increment", post_increment),
    Rewrite("early-continue", early_continue, keeps=COUNTS - {"int_ops"}),
    Rewrite("copied-bound", copied_bound),
    Rewrite("strips", in_strips, keeps=OPERATIONS | {"iterations"}, weaker=True),
    Rewrite("unrolled", unrolled, keeps=OPERATIONS, weaker=True),
)
