"""C statements to IR statements.

A jump to the end of the region around it (`continue` in a loop, `return` in an inlined function, `break` in a
`switch`) is not kept as a jump: the statements that it skips become the other branch of the `if` it stands in.
"""

from typing import TypeAlias

from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.endings import ends_program
from ..ir.reasons import ReasonCode
from ..source.constant_tables import numbers
from ..source.ctypes import Array, CType, Function, Integer, Pointer, element
from ..source.effective_types import Target
from ..source.nodes import is_per_thread, nodes
from . import (
    counted_loops as loopform,
)
from . import (
    effort,
    expressions,
    gotos,
    jumps,
    operators,
    own_members,
    parameters,
    suppositions,
    syntax,
)
from . import (
    invalidation as forgetting,
)
from . import (
    restrict_pointers as restricted,
)
from .c_text import c_text
from .context import Context, Leaving, Region, Typed
from .conversions import convert
from .reaching_definitions import Definition
from .values import Address, Condition, IntegerValue

Node: TypeAlias = c_ast.Node

MOST_CASES = 1000
"""Of one `switch`, written as branches in branches. The largest of redis and SQLite has 190."""


def lower_list(ctx: Context, block: list[Node], tail: bool) -> None:
    """Statements in order. `tail`: the end of the list is the end of the innermost region."""
    jump = ctx.regions[-1].jump if ctx.regions else "return"
    if not tail:
        for node in block:
            lower(ctx, node)
        return
    for i, node in enumerate(block):
        rest = block[i + 1 :]
        if jumps.is_jump(node, jump):
            _end_region(ctx, node)
            return
        if isinstance(node, c_ast.If):
            then, otherwise = (jumps.ends_with_jump(n, jump) for n in (node.iftrue, node.iffalse))
            if rest and (then or otherwise):
                _if(ctx, node, [] if then else rest, [] if otherwise else rest, tail=True)
                return
        if jump == "return" and isinstance(node, c_ast.Switch):
            groups = jumps.plain_cases(node) if ctx.calls or effort.is_copied(node, rest) else None
            if groups is not None and jumps.has_jump(node, "return"):
                _choose(ctx, node, [(labels, [*run, *rest]) for labels, run in groups], rest)
                return
        joined = jumps.in_line(node, rest, jump) if isinstance(node, c_ast.Compound) else None
        if joined is not None:
            with ctx.scope():
                lower_list(ctx, joined, tail=True)
            return
        lower(ctx, node, tail=not rest)


def _end_region(ctx: Context, node: Node) -> None:
    if isinstance(node, c_ast.Return) and node.expr is not None:
        _return_value(ctx, node)


def _return_value(ctx: Context, node: c_ast.Return) -> None:
    region = next((r for r in reversed(ctx.regions) if r.jump == "return"), None)
    result = None if region is None else region.result
    if ctx.calls and region is not None and result is None:  # nobody takes the value of the call
        expressions.discard(ctx, node.expr)
        return
    typed = expressions.lower(ctx, node.expr)
    place, text = ctx.place(node), c_text(node)
    if result is not None:
        converted = convert(ctx, typed, result.type, node)
        ctx.values[result.key] = converted.value
        ctx.out.append(ir.Assign(result, converted.expression, place, text))
        own_members.copied(ctx, result, converted.expression)
    else:
        ctx.out.append(ir.Evaluate(typed.expression, place, text))
    ctx.flush()


def lower(ctx: Context, node: Node, tail: bool = False) -> None:
    """One statement."""
    ctx.effort.steps += 1
    before, is_loop = ctx.unaddressed, isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile)
    if ctx.later_addresses is not None and not ctx.calls and not ctx.within_loops:
        ctx.unaddressed = ctx.later_addresses.behind(node)
    ctx.within_loops += is_loop
    _lower(ctx, node, tail)
    ctx.within_loops -= is_loop
    ctx.unaddressed = before


def _lower(ctx: Context, node: Node, tail: bool) -> None:
    match node:
        case c_ast.Compound():
            with ctx.scope():
                lower_list(ctx, syntax.items(node), tail)
        case c_ast.Decl():
            _declaration(ctx, node)
        case c_ast.DeclList(decls=decls):
            for declaration in decls:
                _declaration(ctx, declaration)
        case c_ast.If():
            _if(ctx, node, [], [], tail)
        case c_ast.TernaryOp() if not operators.is_value_of_condition(node.iftrue):  # nobody uses its value
            _if(ctx, c_ast.If(node.cond, node.iftrue, node.iffalse, node.coord), [], [], tail)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile():
            loopform.lower_loop(ctx, node)
        case c_ast.Switch():
            _switch(ctx, node)
        case c_ast.Break() | c_ast.Continue() | c_ast.Return() | c_ast.Goto():
            _jump(ctx, node)
        case c_ast.Label(stmt=stmt):
            _label(ctx, node)
            if stmt is not None:
                lower(ctx, stmt)
        case c_ast.Typedef():
            _enumerators(ctx, node)
            parameters.measure(ctx, ctx.unit.type_of(node), node.type)
            ctx.flush()
        case c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.StaticAssert():
            pass
        case c_ast.Case() | c_ast.Default() | c_ast.FuncDef():
            message = f"`{type(node).__name__.lower()}` in a place the analysis does not follow"
            ctx.out.append(ir.Refused(ReasonCode.IRREGULAR_CONTROL_FLOW, message, ctx.place(node)))
        case _ if suppositions.traces(ctx, node):
            text = c_text(node)
            ctx.out.append(operators.not_taken(ir.Opaque(text, ctx.int_type), ctx.place(node), text))
        case _:
            expressions.discard(ctx, node)


def _is_per_thread(ctx: Context, node: c_ast.Decl) -> bool:
    return is_per_thread(node) or node.name in ctx.unit.per_thread


def _enumerators(ctx: Context, node: c_ast.Decl | c_ast.Typedef) -> None:
    """Those that a declaration in a block makes hide what has their names outside of it."""
    for enumeration in nodes(node.type, c_ast.Enum):
        value: int | None = -1
        for item in enumeration.values.enumerators if enumeration.values is not None else ():
            given = None if value is None else value + 1
            if item.value is not None:
                with ctx.collect():
                    found = expressions.lower(ctx, item.value).value
                given = found.poly.constant if isinstance(found, IntegerValue) else ctx.unit.constant(item.value)
            made = ctx.declare(item.name, ctx.int_type, "local", ctx.place(item))
            ctx.values[made.key] = ctx.initial(made, made.place.line)
            if given is not None:
                ctx.constants[made.key] = given
            value = given


def _declaration(ctx: Context, node: Node) -> None:
    if isinstance(node, c_ast.Decl):
        _enumerators(ctx, node)
    if not isinstance(node, c_ast.Decl) or node.name is None or isinstance(node.type, c_ast.FuncDecl):
        return
    type_ = ctx.unit.type_of(node)
    if isinstance(type_, Function):
        return
    if "extern" in node.storage:
        known = ctx.of_file(node.name)
        if known is None:
            ctx.declare_static(node.name, node.name, type_, ctx.place(node), _is_per_thread(ctx, node))
        else:
            ctx.frames[-1][-1][node.name] = known
        return
    if isinstance(type_, Array | Pointer):
        parameters.measure(ctx, type_, node.type)
    type_ = _completed(type_, node.init)
    if "static" in node.storage:
        kept = ctx.declare_static(id(node), node.name, type_, ctx.place(node), _is_per_thread(ctx, node))
        if node.init is not None:
            with ctx.collect():  # made before the program begins
                expressions.note_pointers(ctx, kept, node.init)
                held = _held_always(ctx, kept, node.init)
            listed = numbers(node, ctx.unit.constant) if getattr(element(type_), "const", False) else None
            if listed is not None:
                ctx.listed[kept] = tuple(ir.Literal(value, ctx.int_type) for value in listed)
            if held is not None:
                ctx.constants[kept.key] = held
        return
    variable = ctx.declare(node.name, type_, "local", ctx.place(node))
    ctx.values[variable.key] = None if node.init is not None else ctx.initial(variable, variable.place.line)
    if node.init is None and not variable.addressed:
        ctx.unset[variable.key] = ctx.values[variable.key]
    if node.init is not None:
        expressions.initialise(ctx, variable, node.init)
        ctx.flush()
        if _is_outermost(ctx, node):
            _believe_restrict(ctx, variable)
        restricted.promise(ctx, variable)


def _held_always(ctx: Context, kept: ir.Variable, init: Node) -> int | None:
    """What a `const` integer holds that is initialised before the program begins: `static const int width = 8;`."""
    type_ = kept.type
    if not isinstance(type_, Integer) or not type_.is_lasting:
        return None
    value = convert(ctx, expressions.lower(ctx, init), type_, init).value
    return value.poly.constant if isinstance(value, IntegerValue) else None


def _believe_restrict(ctx: Context, variable: ir.Variable) -> None:
    """`double *restrict a = s->a;`: what is accessed through a is accessed through nothing else, so it is an object by
    that name. Not for memory that has a name already. Only in the outermost block: what an inner one promises ends with
    it, or is another promise in every iteration (see `restrict_pointers`)."""
    value, type_ = ctx.values[variable.key], variable.type
    if not isinstance(type_, Pointer) or not type_.restrict or variable.addressed:
        return
    if isinstance(value, Address) and isinstance(value.object, ir.Rows):
        ctx.values[variable.key] = ctx.start_of(ir.Pointee(variable, True), (), type_.target)


def _is_outermost(ctx: Context, node: Node) -> bool:
    """Whether a declaration stands in the outermost block of the analysed function, and in no loop made of jumps."""
    function = ctx.definition.node
    if function is None or len(ctx.frames) > 1 or ctx.loops:
        return False
    return any(node is item for item in syntax.items(function.body))


def _completed(type_: CType, init: Node | None) -> CType:
    """`int a[] = {1, 2}` has the length of its initialiser."""
    if isinstance(type_, Array) and type_.length is None and isinstance(init, c_ast.InitList):
        return Array(type_.element, len(init.exprs))
    return type_


# --- if and switch

def _if(ctx: Context, node: c_ast.If, after_then: list[Node], after_else: list[Node], tail: bool) -> None:
    condition = expressions.sequenced(ctx, expressions.lower(ctx, node.cond), node.cond)
    then = [n for n in (node.iftrue, *after_then) if n is not None]
    otherwise = [n for n in (node.iffalse, *after_else) if n is not None]
    decided = operators.decided(condition)
    if decided is not None and any(nodes(part, c_ast.Case, c_ast.Default) for part in (*then, *otherwise)):
        decided = None  # a `switch` around jumps into it
    left_out = None if decided is not None else suppositions.not_taken(ctx, node, otherwise if after_else else None)
    if left_out is not None:
        place, text = ctx.place(left_out.at), f"if ({c_text(node.cond)})"
        ctx.out.append(operators.not_taken(condition.expression, place, text, left_out.kind))
        with ctx.scope():
            lower_list(ctx, otherwise if left_out.arm is node.iftrue else then, tail)
        return
    dead = otherwise if decided else then
    if decided is not None and (ctx.calls or not any(nodes(part, *syntax.LOOPS) for part in dead)):
        if any(isinstance(e, ir.Load | ir.Use | ir.Call) for e in ir.walk(condition.expression)):
            ctx.out.append(ir.Evaluate(condition.expression, ctx.place(node), c_text(node.cond)))
        with ctx.scope():
            lower_list(ctx, then if decided else otherwise, tail)
        return
    _branch(ctx, condition, then, otherwise, tail, node)


def _branch(ctx: Context, condition: Typed, then: list[Node], otherwise: list[Node], tail: bool, node: Node) -> None:
    predicate, wraps = operators.truth(condition)
    known = ir.Data() if wraps else predicate
    before, memory = dict(ctx.values), _of_memory(ctx)
    with ctx.under(known):
        then_body = _arm(ctx, then, tail)
    if ends_program(then_body):
        ctx.reaching.now, ctx.pointer_version, ctx.pointer_stamps, ctx.pointers_stored = memory
    after_then, ctx.values = ctx.values, dict(before)
    memory = _of_memory(ctx)
    with ctx.under(ir.negate(known)):
        else_body = _arm(ctx, otherwise, tail)
    if ends_program(else_body):
        ctx.reaching.now, ctx.pointer_version, ctx.pointer_stamps, ctx.pointers_stored = memory
    place = ctx.place(node)
    text = f"if ({c_text(node.cond)})" if isinstance(node, c_ast.If) else c_text(node.cond)
    ctx.out.append(ir.Branch(condition.expression, known, tuple(then_body), tuple(else_body), place, text))
    if _leaves(then_body):
        return
    if _leaves(else_body):
        ctx.values = after_then
        return
    operators.join(ctx, after_then, ctx.values, place.line, Condition.of(condition.expression, predicate, wraps))


def _of_memory(ctx: Context) -> tuple[dict[object, Definition], int, dict[int, int], dict[frozenset[Target], int]]:
    """What is known of memory, to come back to where an arm ends the program: it changes nothing."""
    return dict(ctx.reaching.now), ctx.pointer_version, dict(ctx.pointer_stamps), dict(ctx.pointers_stored)


def _arm(ctx: Context, block: list[Node], tail: bool) -> list[ir.Statement]:
    with ctx.collect() as out, ctx.scope():
        lower_list(ctx, block, tail)
    return out


def _leaves(body: list[ir.Statement]) -> bool:
    """Whether control never gets past the end of an arm: a jump, or a call that ends the program."""
    return bool(body) and (isinstance(body[-1], ir.Exit) or ends_program(body))


def _switch(ctx: Context, node: c_ast.Switch) -> None:
    """`switch` as a chain of branches; a case that falls through contains what it falls into."""
    groups = jumps.cases(node)
    if groups is None:
        _refuse(ctx, node, ReasonCode.IRREGULAR_CONTROL_FLOW, "this `switch` jumps into a block")
        return
    if len(groups) > MOST_CASES:
        message = f"this `switch` has {len(groups)} cases, more than the analysis follows"
        _refuse(ctx, node, ReasonCode.IRREGULAR_CONTROL_FLOW, message)
        return
    ctx.regions.append(Region("break"))
    _choose(ctx, node, groups, [])
    if ctx.regions.pop().left:
        forgetting.everything(ctx, ctx.unit.end_line(node))


def _refuse(ctx: Context, node: c_ast.Switch, code: ReasonCode, message: str) -> None:
    ctx.out.append(ir.Evaluate(expressions.lower(ctx, node.cond).expression, ctx.place(node), c_text(node.cond)))
    ctx.flush()
    ctx.out.append(ir.Refused(code, message, ctx.place(node)))
    forgetting.everything(ctx, ctx.unit.end_line(node))


def _choose(ctx: Context, node: c_ast.Switch, groups: list[jumps.CaseGroup], otherwise: list[Node]) -> None:
    """The statements of the group whose labels the selector equals; `otherwise`, where no label and no default does."""
    selector = expressions.lower(ctx, node.cond)
    temporary = ctx.temporary(selector.type, ctx.place(node))
    ctx.values[temporary.key] = selector.value
    text = f"switch ({c_text(node.cond)})"
    ctx.out.append(ir.Assign(temporary, selector.expression, ctx.place(node), text, selects=True))
    ctx.flush()
    poly = selector.value.poly if isinstance(selector.value, IntegerValue) else None
    chosen = Typed(ir.Use(temporary, selector.type, poly), selector.type, selector.value)
    default = next((run for labels, run in groups if not labels), otherwise)
    _case_chain(ctx, node, chosen, [g for g in groups if g[0]], default)


def _case_chain(
    ctx: Context, node: c_ast.Switch, chosen: Typed, groups: list[jumps.CaseGroup], default: list[Node]
) -> None:
    if not groups:
        kind = suppositions.not_reached(ctx, default)
        if kind is not None:
            ctx.out.append(operators.not_taken(chosen.expression, ctx.place(default[0]), "default", kind))
            return
        with ctx.scope():
            lower_list(ctx, default, tail=True)
        return
    labels, run = groups[0]
    conditions = [operators.binary(ctx, "==", chosen, expressions.lower(ctx, label), node) for label in labels]
    predicates = [operators.truth(c) for c in conditions]
    sound = not any(wraps for _, wraps in predicates)
    predicate: ir.Predicate = ir.Any(tuple(p for p, _ in predicates)) if sound else ir.Data()
    expression = conditions[0].expression
    for other in conditions[1:]:
        one = ir.Literal(1, ctx.int_type)
        place = ctx.place(node)
        expression = ir.Choice("||", expression, ir.Data(), one, other.expression, ctx.int_type, place)
    kind = suppositions.not_reached(ctx, run)
    if kind is not None:
        ctx.out.append(operators.not_taken(expression, ctx.place(labels[0]), f"case {c_text(labels[0])}", kind))
        _case_chain(ctx, node, chosen, groups[1:], default)
        return
    before = dict(ctx.values)
    then = _arm(ctx, run, tail=True)
    after, ctx.values = ctx.values, dict(before)
    with ctx.collect() as otherwise:
        _case_chain(ctx, node, chosen, groups[1:], default)
    place = ctx.place(labels[0])
    text = f"case {c_text(labels[0])}"
    ctx.out.append(ir.Branch(expression, predicate, tuple(then), tuple(otherwise), place, text))
    operators.join(ctx, after, ctx.values, place.line)


# --- jumps

def _jump(ctx: Context, node: Node) -> None:
    place = ctx.place(node)
    loop = ctx.loops[-1] if ctx.loops else None
    match node:
        case c_ast.Return():
            if node.expr is not None:
                _return_value(ctx, node)
            ctx.out.append(ir.Exit("return", None, place))
        case c_ast.Break():
            inside_switch = any(r.jump == "break" for r in _innermost(ctx.regions))
            if inside_switch:
                ctx.out.append(ir.Refused(ReasonCode.IRREGULAR_CONTROL_FLOW, "`break` in the middle of a case", place))
                next(r for r in reversed(ctx.regions) if r.jump == "break").left = True
            else:
                ctx.leavings.append(Leaving(loop, "break", dict(ctx.values)))
                ctx.out.append(ir.Exit("break", loop, place, gotos.is_goto(node)))
        case c_ast.Continue():
            ctx.leavings.append(Leaving(loop, "continue", dict(ctx.values)))
            ctx.out.append(ir.Exit("continue", loop, place))
        case c_ast.Goto(name=name):
            if name in ctx.labels and ctx.labels[name] <= place:
                message = f"`goto {name}` jumps back: a loop the analysis does not follow"
                ctx.out.append(ir.Refused(ReasonCode.IRREGULAR_CONTROL_FLOW, message, place))
                return
            if id(node) in ctx.staying:
                message = f"`goto {name}` goes on further down in the same iteration: a way that is not followed"
                ctx.out.append(ir.Refused(ReasonCode.IRREGULAR_CONTROL_FLOW, message, place))
            if ctx.staying.get(id(node), True):
                ctx.out.append(ir.Exit("goto", None, place))


def _innermost(regions: list[Region]) -> list[Region]:
    """The regions up to the innermost loop."""
    found: list[Region] = []
    for region in reversed(regions):
        found.append(region)
        if region.jump == "continue":
            break
    return found


def _label(ctx: Context, node: c_ast.Label) -> None:
    """Control may come here from elsewhere: nothing is known of any variable. A label that no `goto` names is none."""
    if node.name not in ctx.labels:
        return
    if node.name in ctx.entered:
        message = f"`goto {node.name}` jumps into a loop"
        ctx.out.append(ir.Refused(ReasonCode.IRREGULAR_CONTROL_FLOW, message, ctx.place(node)))
    ctx.behind_label = ctx.place(node).line
    forgetting.everything(ctx, ctx.behind_label)
