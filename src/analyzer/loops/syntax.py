"""Questions about the C syntax tree that need no types: which names are assigned, how statements end."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import copy

from pycparser import c_ast

from ..ir import c_library as library
from ..source.nodes import depth, node_count, nodes, of_tree

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)

DEEPEST = 500
"""Levels of the syntax tree of one function. The deepest of redis and SQLite has 53."""


def is_too_deep(root: c_ast.Node) -> bool:
    """Whether code is nested deeper than what descends into it, level by level, can follow."""
    return node_count(root) > DEEPEST and depth(root) > DEEPEST


@of_tree
def labels_used(body: c_ast.Node) -> list[c_ast.Label]:
    """The labels that control may jump to: those that a `goto` names; all, where one jumps to what it computes, or
    assembly may."""
    labels = nodes(body, c_ast.Label)
    named = {n.name for n in nodes(body, c_ast.Goto)} if labels else frozenset()
    assembly = labels and any(n.name.startswith("__boathull") for n in nodes(body, c_ast.ID))
    if assembly or named - {n.name for n in labels}:
        return labels
    return [n for n in labels if n.name in named]


def items(node: c_ast.Node | None) -> list[c_ast.Node]:
    """A statement as a list of statements."""
    match node:
        case None:
            return []
        case c_ast.Compound(block_items=block):
            return list(block or [])
        case _:
            return [node]


def assigned_names(*roots: c_ast.Node | None) -> frozenset[str]:
    """Names of variables that `=`, `+=`, `++` ... change."""
    return frozenset().union(*(_assigned(root) for root in roots if root is not None))


@of_tree
def _assigned(root: c_ast.Node) -> frozenset[str]:
    return frozenset(name for name, _ in assignments(root))


def assignments(root: c_ast.Node) -> Iterator[tuple[str, c_ast.Node | None]]:
    """The names of variables that `=`, `+=`, `++` ... change, and what they are set to; None: to what is made of the
    old value."""
    for node in nodes(root, c_ast.Assignment, c_ast.UnaryOp):
        match node:
            case c_ast.Assignment(op=op, lvalue=c_ast.ID(name=name), rvalue=value):
                yield name, value if op == "=" else None
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=name)):
                yield name, None
            case _:
                pass


@of_tree
def names_with_changed_members(root: c_ast.Node) -> frozenset[str]:
    """Names of structures of which a member is assigned, or has its address taken: `s.n = 1`, `&s.in.x`, not `s.p[i] =
    1`, nor `s.p->n = 1`."""
    found = set()
    for node in nodes(root, c_ast.Assignment, c_ast.UnaryOp):
        changed = node.lvalue if isinstance(node, c_ast.Assignment) else node.expr
        if isinstance(node, c_ast.Assignment) or node.op in ("&", "++", "--", "p++", "p--"):
            while isinstance(changed, c_ast.StructRef) and changed.type == ".":
                changed = changed.name
            found |= {changed.name} if isinstance(changed, c_ast.ID) else set()
    return frozenset(found)


def falling_names(*roots: c_ast.Node | None) -> frozenset[str]:
    """Names of variables that something takes away from, or sets to what may be negative: what was >= 0 may not stay
    so. Counting up, dividing and masking are no such things."""
    return frozenset().union(*(_falling(root) for root in roots if root is not None))


@of_tree
def _falling(root: c_ast.Node) -> frozenset[str]:
    found = set()
    for node in nodes(root, c_ast.Assignment, c_ast.UnaryOp):
        match node:
            case c_ast.Assignment(
                op="+=" | "/=" | "%=" | ">>=" | "&=" | "*=" | "<<=" | "=", rvalue=c_ast.Constant() as number
            ) if _is_no_less_than_0(number):
                pass
            case c_ast.Assignment(
                op="=",
                lvalue=c_ast.ID(name=name),
                rvalue=c_ast.BinaryOp(
                    op="+" | "/" | "%" | ">>" | "&" | "*" | "<<",
                    left=c_ast.ID(name=old),
                    right=c_ast.Constant() as number,
                ),
            ) if name == old and _is_no_less_than_0(number):
                pass
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                found.add(name)
            case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID(name=name)):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def _is_no_less_than_0(literal: c_ast.Constant) -> bool:
    """Whether a literal is a number that an `int` holds as it is: `0xffffffff` is -1 in one, and so is `'\\xff'`."""
    if literal.type == "char":
        return len(literal.value) == 3 and literal.value.isascii()
    try:
        return int(literal.value.rstrip("uUlL"), 0) < 1 << 31
    except ValueError:  # an octal number, or a fraction
        return False


def scaled_names(*roots: c_ast.Node | None) -> frozenset[str]:
    """Names of variables that something multiplies or shifts to the left: programs let those wrap that rely on it."""
    return frozenset().union(*(_scaled(root) for root in roots if root is not None))


@of_tree
def _scaled(root: c_ast.Node) -> frozenset[str]:
    found = set()
    for node in nodes(root, c_ast.Assignment):
        match node:
            case c_ast.Assignment(op="*=" | "<<=", lvalue=c_ast.ID(name=name)):
                found.add(name)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.BinaryOp(op="*" | "<<")):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def addressed_names(root: c_ast.Node) -> frozenset[str]:
    """Names whose address is taken with `&`."""
    return frozenset(addresses_taken(root))


def escaping_names(root: c_ast.Node, visible: Callable[[str], bool]) -> frozenset[str]:
    """Names whose address somebody may keep: not those that only MPI or `posix_memalign` get, and do not keep, unless
    that function is one of this program (`visible`)."""
    found = addresses_taken(root)
    handed: list[str] = []
    for node in nodes(root, c_ast.FuncCall) if found else ():
        match node:
            case c_ast.FuncCall(name=c_ast.ID(name=function)) if function.startswith("MPI_") and node.args is not None:
                handed += () if visible(function) else _handed(function, node.args.exprs)
            case c_ast.FuncCall(name=c_ast.ID(name=library.THROUGH_A_POINTER), args=c_ast.ExprList(exprs=[first, *_])):
                handed += () if visible(library.THROUGH_A_POINTER) else name_addressed(first)
            case _:
                pass
    return frozenset(name for name in set(found) if found.count(name) > handed.count(name))


@of_tree
def addresses_taken(root: c_ast.Node) -> list[str]:
    """The names behind `&`, each as often as it stands there."""
    return [node.expr.name for node in nodes(root, c_ast.UnaryOp) if is_address_of_name(node)]


@of_tree
def names_with_addressed_members(root: c_ast.Node) -> frozenset[str]:
    """Names of structures of which `&` takes the address of a member: `&s.n`, `&s.in.x`, `&s.v[2]`."""
    found = set()
    for node in nodes(root, c_ast.UnaryOp):
        inside = node.expr if node.op == "&" else None
        while isinstance(inside, c_ast.ArrayRef) or (isinstance(inside, c_ast.StructRef) and inside.type == "."):
            inside = inside.name
        found |= {inside.name} if isinstance(inside, c_ast.ID) else set()
    return frozenset(found)


@of_tree
def structures(root: c_ast.Node) -> frozenset[str]:
    """Names that stand nowhere but before a member (`F.size`) and behind `&`: whatever their type, they are structures,
    and nobody copies them."""
    used = [n.name for n in nodes(root, c_ast.ID)]
    bases = [n.name.name for n in nodes(root, c_ast.StructRef) if n.type == "." and isinstance(n.name, c_ast.ID)]
    alone = [*bases, *addresses_taken(root)]
    return frozenset(name for name in set(bases) if used.count(name) == alone.count(name))


def _handed(function: str, arguments: list[c_ast.Node]) -> list[str]:
    """The names in arguments `&name` whose addresses the function does not keep."""
    from ..ir.mpi_signatures import forgets

    taken = ((i, a.expr.name) for i, a in enumerate(arguments) if is_address_of_name(a))
    return [name for i, name in taken if forgets(function, i)]


def name_addressed(argument: c_ast.Node) -> list[str]:
    """The name of `&name`, or of `(void **)&name`."""
    argument = without_casts(argument)
    return [argument.expr.name] if is_address_of_name(argument) else []


def without_casts(value: c_ast.Node) -> c_ast.Node:
    """What is converted. Example: `p` of `(char *)(void *)p`."""
    while isinstance(value, c_ast.Cast):
        value = value.expr
    return value


def is_address_of_name(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "&" and isinstance(node.expr, c_ast.ID)


@of_tree
def row_names(body: c_ast.Node) -> frozenset[str]:
    """Names by which another name is taken apart, `t % w` and `t / w`: lengths of the innermost rows."""
    parts = (n for n in nodes(body, c_ast.BinaryOp) if n.op in ("/", "%"))
    return frozenset(n.right.name for n in parts if isinstance(n.left, c_ast.ID) and isinstance(n.right, c_ast.ID))


@of_tree
def index_names(body: c_ast.Node) -> frozenset[str]:
    """Variables that serve subscripts and loop control only, directly or through other such variables.

    `k = i * n + j; a[k] = 0;` computes an address, `v = b[i] * 2; if (v > t)` computes with data. A name is judged
    by all its uses in the function, whatever scope they are in.
    """
    uses: dict[str, set[str | None]] = {}
    _collect_uses(body, None, uses)
    names = {name for name in assigned_names(body) | _initialised_names(body) if name in uses}
    into: dict[str | None, list[str]] = {}
    for name in names:
        for use in uses[name]:
            into.setdefault(use, []).append(name)
    others = _leading(into, (use for use in into if use != INDEX and use not in names))
    return frozenset(_leading(into, (INDEX,)) - others)  # an accumulator that nobody reads leads nowhere


def _leading(into: dict[str | None, list[str]], ends: Iterable[str | None]) -> set[str]:
    """Names whose values flow into one of the ends, through any others; `into`: what flows into each directly."""
    found: set[str] = set()
    pending = list(ends)
    while pending:
        more = [name for name in into.get(pending.pop(), ()) if name not in found]
        found.update(more)
        pending += more
    return found


INDEX = "[]"


def _initialised_names(body: c_ast.Node) -> set[str]:
    return {n.name for n in nodes(body, c_ast.Decl) if n.init is not None and n.name}


def _collect_uses(node: c_ast.Node | None, use: str | None, uses: dict[str, set[str | None]]) -> None:
    """Per name what its values flow into: `INDEX`, the name of a variable, or None for anything else."""
    match node:
        case None | c_ast.Typename():
            return
        case c_ast.ID(name=name):
            uses.setdefault(name, set()).add(use)
        case c_ast.ArrayRef(name=name, subscript=subscript):
            _collect_uses(name, None, uses)
            _collect_uses(subscript, INDEX, uses)
        case c_ast.UnaryOp(op="*", expr=c_ast.BinaryOp(op="+" | "-") as address):
            _collect_uses(address, INDEX, uses)
        case c_ast.For(init=init, cond=cond, next=update, stmt=stmt):
            _collect_uses(init, None, uses)
            _collect_uses(cond, INDEX, uses)
            _collect_uses(update, INDEX, uses)
            _collect_uses(stmt, None, uses)
        case c_ast.While(cond=cond, stmt=stmt) | c_ast.DoWhile(cond=cond, stmt=stmt):
            _collect_uses(cond, INDEX, uses)
            _collect_uses(stmt, None, uses)
        case c_ast.Assignment(lvalue=c_ast.ID(name=name), rvalue=rvalue):
            _collect_uses(rvalue, name, uses)
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=name)) if use is None:
            uses.setdefault(name, set()).add(name)
        case c_ast.Decl(name=str(name), init=init) if init is not None:
            _collect_uses(init, name, uses)
        case c_ast.BinaryOp(left=left, right=right):
            _collect_uses(left, use, uses)
            _collect_uses(right, use, uses)
        case _:
            inner = use if isinstance(node, c_ast.UnaryOp | c_ast.Cast | c_ast.ExprList) else None
            for _, child in node.children():
                _collect_uses(child, inner, uses)


def labels_entered(body: c_ast.Node) -> frozenset[str]:
    """Labels inside a loop that some `goto` outside of it names."""

    def jumps(root: c_ast.Node) -> list[str]:
        return [n.name for n in nodes(root, c_ast.Goto)]

    every, entered = jumps(body), set()
    for loop in nodes(body, *LOOPS):
        inside = jumps(loop)
        labels = (n.name for n in nodes(loop, c_ast.Label))
        entered |= {name for name in labels if every.count(name) > inside.count(name)}
    return frozenset(entered)


def jumps_that_stay(body: c_ast.Node) -> dict[int, bool]:
    """`id` of each `goto` to a label in a loop around it, and whether it leaves a loop on its way."""
    found: dict[int, bool] = {}
    for loop in nodes(body, *LOOPS):  # outer ones first
        inside = {n.name for n in nodes(loop, c_ast.Label)}
        for jump in nodes(loop, c_ast.Goto):
            if jump.name in inside:
                found[id(jump)] = False
            elif id(jump) in found:
                found[id(jump)] = True
    return found


def names_in(root: c_ast.Node | None) -> list[str]:
    """Identifiers used in an expression, in source order, but for those of members: `n`, not `x`, of `n->x`."""
    if root is None:
        return []
    found = nodes(root, c_ast.ID, c_ast.StructRef)
    members = {id(n.field) for n in found if isinstance(n, c_ast.StructRef)}
    return [n.name for n in found if isinstance(n, c_ast.ID) and id(n) not in members]


def declared_names(root: c_ast.Node, times: int = 1) -> frozenset[str]:
    """The variables, and functions, that a part of a function declares as its own, at least so many times: of
    `for (int i = 0;;)` i."""
    found = Counter(n.name for n in nodes(root, c_ast.Decl) if n.name and "extern" not in n.storage)
    return frozenset(name for name, number in found.items() if number >= times)


def is_once(node: c_ast.Node) -> bool:
    """`do { ... } while (0)`: a block that macros use, not a loop."""
    return (
        isinstance(node, c_ast.DoWhile)
        and isinstance(node.cond, c_ast.Constant)
        and node.cond.value.strip("uUlL") == "0"
    )


@of_tree
def holds_loops(root: c_ast.Node) -> bool:
    """Whether a loop stands in a statement."""
    return not all(map(is_once, nodes(root, *LOOPS)))


def ending_once(body: c_ast.Node) -> c_ast.Node | None:
    """The body of a `do { ... } while (0)` with `break` for each `continue` that belongs to it; None where one stands
    in a `switch`, which a `break` would end instead."""
    match body:
        case c_ast.Continue():
            return c_ast.Break(body.coord)
        case c_ast.Compound(block_items=block):
            made = [ending_once(n) for n in block or []]
            return None if None in made else _changed(body, block_items=made)
        case c_ast.If(iftrue=then, iffalse=otherwise):
            arms = [n if n is None else ending_once(n) for n in (then, otherwise)]
            lost = (then is not None and arms[0] is None) or (otherwise is not None and arms[1] is None)
            return None if lost else _changed(body, iftrue=arms[0], iffalse=arms[1])
        case c_ast.Label(stmt=stmt) if stmt is not None:
            labelled = ending_once(stmt)
            return None if labelled is None else _changed(body, stmt=labelled)
        case c_ast.Switch() if continues(body):
            return None
        case _:
            return body


def continues(root: c_ast.Node) -> bool:
    """Whether a `continue` in a statement belongs to a loop around it."""
    if isinstance(root, c_ast.Continue):
        return True
    return not isinstance(root, LOOPS) and any(continues(n) for n in root)


def _changed(node: c_ast.Node, **parts: object) -> c_ast.Node:
    """The node with other parts; itself where they are the same."""
    if all(getattr(node, name) == part for name, part in parts.items()):
        return node
    made = copy(node)
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def returned_expression(body: c_ast.Node) -> c_ast.Node | None:
    """e of a body that is nothing but `return e;`."""
    match items(body):
        case [c_ast.Return(expr=expression)]:
            return expression
        case _:
            return None


def has_effects(expression: c_ast.Node, is_pure: Callable[[str], bool]) -> bool:
    """Whether evaluating an expression may do anything but yield a value; `is_pure`: of the functions it may call."""
    for node in nodes(expression, c_ast.Assignment, c_ast.UnaryOp, c_ast.Compound, c_ast.FuncCall):
        match node:
            case c_ast.Assignment() | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--") | c_ast.Compound():
                return True
            case c_ast.FuncCall(name=called) if not (isinstance(called, c_ast.ID) and is_pure(called.name)):
                return True
            case _:
                pass
    return False


@of_tree
def parameter_declarations(function: c_ast.FuncDef) -> list[c_ast.Node]:
    """Declarations of the named parameters, `(void)` being none."""
    arguments = function.decl.type.args
    if arguments is None:
        return []
    declared = [p for p in arguments.params if isinstance(p, c_ast.Decl)]
    if function.param_decls:
        by_name = {d.name: d for d in function.param_decls}
        return [by_name.get(p.name, p) for p in arguments.params if isinstance(p, c_ast.ID | c_ast.Decl)]
    return declared
