"""How statements end, and which jumps `statements` writes as branches.

*Decides*: whether a statement always ends by a jump (`ends_with_jump`); whether every `return` of a function stands
where the rest of it can become the other branch of an `if` (`returns_are_structured`); which statements of a `switch`
run from a label on (`cases`, `plain_cases`); where a block becomes one list with what follows it (`in_line`).

    if (c) { if (d) return 1; x(); } else y();  z();       ->  if (c) { if (d) 1 else { x(); z(); } } else { y(); z(); }
"""

from collections.abc import Iterator
from typing import TypeAlias

from pycparser import c_ast

from ..source.nodes import nodes, of_tree
from .syntax import items


def is_jump(node: c_ast.Node, jump: str) -> bool:
    match node:
        case c_ast.Continue():
            return jump == "continue"
        case c_ast.Return():
            return jump == "return"
        case c_ast.Break():
            return jump == "break"
        case _:
            return False


def ends_with_jump(node: c_ast.Node | None, jump: str) -> bool:
    """Whether a statement always ends by jumping to the end of the region around it."""
    match node:
        case None:
            return False
        case c_ast.Compound(block_items=block):
            return bool(block) and ends_with_jump(block[-1], jump)
        case c_ast.If(iftrue=then, iffalse=otherwise):
            return ends_with_jump(then, jump) and ends_with_jump(otherwise, jump)
        case _:
            return is_jump(node, jump)


@of_tree
def returns_are_structured(body: c_ast.Node) -> bool:
    """Whether every `return` stands where the rest of the function can become the other branch of an `if`."""
    if nodes(body, c_ast.Goto, c_ast.Label):
        return False
    reached = {id(n) for n in _structured_returns(items(body))}
    return len(reached) == len(nodes(body, c_ast.Return))


CaseGroup: TypeAlias = tuple[list[c_ast.Node], list[c_ast.Node]]


def cases(node: c_ast.Switch) -> list[CaseGroup] | None:
    """(labels, statements up to the next `break`) per group of labels; no labels: `default`. None where a case does not
    stand in the block of the `switch` itself."""
    block = items(node.stmt)
    if not all(isinstance(n, c_ast.Case | c_ast.Default) for n in block):
        return None
    groups: list[CaseGroup] = []
    labels: list[c_ast.Node] = []
    default = False
    for i, case in enumerate(block):
        default = default or isinstance(case, c_ast.Default)
        labels += [case.expr] if isinstance(case, c_ast.Case) else []
        if not case.stmts and i + 1 < len(block):
            continue
        groups.append(([] if default else labels, _until_jump(block[i:])))
        labels, default = [], False
    return groups


def _until_jump(block: list[c_ast.Node]) -> list[c_ast.Node]:
    run: list[c_ast.Node] = []
    for case in block:
        run += case.stmts or []
        if run and any(ends_with_jump(run[-1], j) for j in ("break", "return", "continue")):
            break
        if run and isinstance(run[-1], c_ast.Goto):
            break
    return run


def plain_cases(node: c_ast.Switch) -> list[CaseGroup] | None:
    """The groups without the `break` at their ends, where no other `break` leaves the `switch`."""
    groups = cases(node)
    if groups is None:
        return None
    plain = [(labels, run[:-1] if run and isinstance(run[-1], c_ast.Break) else run) for labels, run in groups]
    return None if any(nodes(statement, c_ast.Break) for _, run in plain for statement in run) else plain


def _structured_returns(block: list[c_ast.Node]) -> Iterator[c_ast.Node]:
    """Those that `statements.lower_list` writes as branches, of statements at the end of a function."""
    for i, node in enumerate(block):
        rest = block[i + 1 :]
        following = [c_ast.EmptyStatement()] if rest else []
        match node:
            case c_ast.Return():
                yield node
                return
            case c_ast.If(iftrue=then, iffalse=otherwise):
                left = [ends_with_jump(arm, "return") for arm in (then, otherwise)]
                for arm, leaves in zip((then, otherwise), left, strict=True):
                    if arm is not None and (any(left) or not rest):
                        yield from _structured_returns([arm] if leaves else [arm, *following])
            case c_ast.Compound():
                joined = in_line(node, rest, "return")
                if joined is not None:
                    yield from _structured_returns(joined)
                    return
            case c_ast.Switch() if has_jump(node, "return"):
                for _, run in plain_cases(node) or ():
                    yield from _structured_returns([*run, *following])
            case _:
                pass


def in_line(node: c_ast.Compound, rest: list[c_ast.Node], jump: str) -> list[c_ast.Node] | None:
    """The statements of a block and of what follows it as one list, for a block in which some jump skips what follows;
    None where there is none, or names declared in the block would reach too far."""
    block = items(node)
    if not rest:
        return block
    if ends_with_jump(node, jump):
        return None if any(isinstance(n, c_ast.Label) for n in rest) else block
    declares = any(isinstance(n, c_ast.Decl | c_ast.DeclList | c_ast.Typedef) for n in block)
    return None if declares or not has_jump(node, jump) else [*block, *rest]


def has_jump(node: c_ast.Node, jump: str) -> bool:
    """Whether a jump of this kind is anywhere in a statement, be it one of a loop in it."""
    return jump in _kinds(node)


@of_tree
def _kinds(root: c_ast.Node) -> frozenset[str]:
    found = nodes(root, c_ast.Continue, c_ast.Return, c_ast.Break)
    return frozenset(j for j in ("continue", "return", "break") if any(is_jump(n, j) for n in found))
