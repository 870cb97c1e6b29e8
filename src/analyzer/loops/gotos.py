"""Jumps forward within one block, written as branches.

*Decides*: for a function body, an equal one in which every `goto` to a later label of the same statement list is gone
where that takes no second copy of any statement; everything else stays as it is.
*Method*: what such a jump skips becomes the other arm of the `if` that it ends; where the skipped part itself ends with
a jump over what follows the label, the two parts are the two arms.
A jump out of a loop to the label right behind it is a `break`; one to a label further on in a loop around it is that,
too, with a variable that says so, of a name that no program has. A jump to the end of a loop's body, where flags are
set that nobody gets to otherwise, sets them itself, and goes on with the next iteration: that alone is copied.
*Does not handle*: other jumps out of loops, jumps backward, into loops and `switch`, over declarations; they stay.

    if (c) goto L; A; goto M; L: B; M: C      ->  if (c) { B } else { A } C
    if (c) goto L; A; L: B                    ->  if (c) { } else { A } B
    while (a) { if (c) goto L; A; if (d) goto L; B; continue; L: failed = 1; }
        ->  while (a) { if (c) { failed = 1; continue; } A; if (d) { failed = 1; continue; } B; continue; }
    while (a) { while (b) { if (c) goto L; A; } B; L: C }
        ->  while (a) { left = 0; while (b) { if (c) { left = 1; break; } A; } if (left) { } else { B } C }
"""

from collections import Counter
from collections.abc import Iterator
from copy import copy, deepcopy
from typing import TypeAlias

from pycparser import c_ast
from pycparser.c_parser import Coord

from ..source.nodes import nodes
from . import syntax

Node: TypeAlias = c_ast.Node
Block: TypeAlias = list[Node]


class _OfGoto(Coord):  # type: ignore[misc]
    """The place of a `goto` that is written as a `break`."""


def is_goto(node: c_ast.Break) -> bool:
    """Whether a `break` is a `goto` in the source."""
    return isinstance(node.coord, _OfGoto)


class _UnstructuredError(Exception):
    """A jump of a block does not nest with the others."""


def structured(body: Node) -> Node:
    """The body with its forward jumps written as branches; the body itself where it has none. Trees are not changed:
    what differs is copied."""
    jumps = Counter(n.name for n in nodes(body, c_ast.Goto))
    return _statement(body, jumps, False) if jumps else body


def _statement(node: Node, jumps: Counter[str], in_loop: bool) -> Node:
    match node:
        case c_ast.Compound(block_items=block):
            inside = [_statement(n, jumps, in_loop) for n in block or []]
            return _with(node, block_items=_block(inside, jumps, in_loop))
        case c_ast.If(iftrue=then, iffalse=otherwise):
            arms = [_statement(n, jumps, in_loop) if n is not None else None for n in (then, otherwise)]
            return _with(node, iftrue=arms[0], iffalse=arms[1])
        case c_ast.For(stmt=stmt) | c_ast.While(stmt=stmt) | c_ast.DoWhile(stmt=stmt):
            return _with(node, stmt=_statement(_failing(stmt, jumps), jumps, True)) if stmt is not None else node
        case c_ast.Label(stmt=stmt):
            return _with(node, stmt=_statement(stmt, jumps, in_loop)) if stmt is not None else node
        case _:
            return node


def _failing(body: Node, jumps: Counter[str]) -> Node:
    """The body of a loop without jumps to where it only sets flags, at its end and behind a `continue`."""
    block = syntax.items(body)
    ends = (k for k in range(1, len(block)) if isinstance(block[k], c_ast.Label))
    at = next((k for k in ends if isinstance(block[k - 1], c_ast.Continue)), None)
    if at is None:
        return body
    label = block[at]
    sets = [n for n in (label.stmt, *block[at + 1 :]) if n is not None and not isinstance(n, c_ast.EmptyStatement)]
    jumping = [_in_branches(node, label.name) for node in block[:at]]
    if not any(jumping) or sum(jumping) != jumps[label.name] or not all(map(_only_sets, sets)):
        return body
    first = next(k for k, jumps_there in enumerate(jumping) if jumps_there)
    if _declared(block[first:at]) & {n.name for each in sets for n in nodes(each, c_ast.ID)}:
        return body  # where the jump stands, the names mean something else
    jumps[label.name] = 0
    return _with(body, block_items=[_ending(node, label.name, sets) for node in block[:at]])


def _declared(block: Block) -> set[str]:
    """The names that statements declare, in blocks inside of them, too."""
    return {n.name for each in block for n in nodes(each, c_ast.Decl, c_ast.Enumerator, c_ast.Typedef) if n.name}


def _in_branches(node: Node | None, label: str) -> int:
    """How many jumps to a label stand in a statement, but for those in loops and `switch` inside of it."""
    match node:
        case c_ast.Goto(name=name):
            return int(name == label)
        case c_ast.Compound(block_items=block):
            return sum(_in_branches(n, label) for n in block or [])
        case c_ast.If(iftrue=then, iffalse=otherwise):
            return _in_branches(then, label) + _in_branches(otherwise, label)
        case _:
            return 0


def _only_sets(node: Node) -> bool:
    """Whether a statement sets a variable to a number or a name, or is a directive beside it."""
    match node:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.Constant() | c_ast.ID()):
            return True
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.UnaryOp(op="-", expr=c_ast.Constant())):
            return True
        case _:
            return isinstance(node, c_ast.Pragma)


def _ending(node: Node, label: str, sets: Block) -> Node:
    """A statement with its jumps to a label made into what is done there, and the end of the iteration."""
    match node:
        case c_ast.Goto(name=name) if name == label:
            return c_ast.Compound([*deepcopy(sets), c_ast.Continue(node.coord)], node.coord)
        case c_ast.Compound(block_items=block):
            return _with(node, block_items=[_ending(n, label, sets) for n in block or []])
        case c_ast.If(iftrue=then, iffalse=otherwise):
            arms = [_ending(n, label, sets) if n is not None else None for n in (then, otherwise)]
            return _with(node, iftrue=arms[0], iffalse=arms[1])
        case _:
            return node


def _with(node: Node, **parts: Node | Block | None) -> Node:
    """The node with other parts; itself where they are the same."""
    if all(_same(getattr(node, name), part) for name, part in parts.items()):
        return node
    changed = copy(node)
    for name, part in parts.items():
        setattr(changed, name, part)
    return changed


def _same(a: Node | Block | None, b: Node | Block | None) -> bool:
    if isinstance(b, list):
        old = a if isinstance(a, list) else []
        return len(old) == len(b) and all(x is y for x, y in zip(old, b, strict=True))
    return a is b


def _block(block: Block, jumps: Counter[str], in_loop: bool) -> Block:
    """The statements without jumps to their own labels, if all jumps to these labels stand among them."""
    for k, node in enumerate(block[:-1]):
        behind = block[k + 1]
        if isinstance(node, syntax.LOOPS) and isinstance(behind, c_ast.Label):
            left = _breaking(node.stmt, behind.name)
            jumps[behind.name] -= sum(name == behind.name for name in _jumps([node]))
            block = [*block[:k], _with(node, stmt=left), *block[k + 1 :]]
            jumps[behind.name] += sum(name == behind.name for name in _jumps([block[k]]))
            if not jumps[behind.name]:
                block = [*block[: k + 1], behind.stmt or c_ast.EmptyStatement(behind.coord), *block[k + 2 :]]
    labels = {n.name for n in block if isinstance(n, c_ast.Label)}
    here = Counter(_jumps(block))
    own = {name for name in labels if here[name] and here[name] == jumps[name]}
    if not own:
        return block
    try:
        left = _leaving(block, own) if in_loop else block
        found = _folded(_split(left, own), own, None)
    except _UnstructuredError:
        return block
    return block if own & set(_jumps(found)) else found


def _breaking(node: Node, label: str) -> Node:
    """The statement of a loop with its jumps to what follows the loop written as `break`."""
    match node:
        case c_ast.Goto(name=name) if name == label:
            return _break(node.coord)
        case c_ast.Compound(block_items=block):
            return _with(node, block_items=[_breaking(n, label) for n in block or []])
        case c_ast.If(iftrue=then, iffalse=otherwise):
            arms = [_breaking(n, label) if n is not None else None for n in (then, otherwise)]
            return _with(node, iftrue=arms[0], iffalse=arms[1])
        case _:
            return node


def _leaving(block: Block, labels: set[str]) -> Block:
    """The statements without jumps to these labels out of a loop among them: variables say which loops are left."""
    declared: Block = []
    for label in sorted(labels):
        leaving = _Leaving(label)
        block = leaving.listed(block, False)
        declared += leaving.declared
    return [*declared, *block]


class _Leaving:
    """Jumps out of loops to one label. `declared`: the variable that says of a loop that it was left, where one is."""

    def __init__(self, label: str) -> None:
        self.label, self.declared = label, Block()
        self.left = f"goto {label}"

    def listed(self, block: Block, in_loop: bool) -> Block:
        done: Block = []
        for node in block:
            if self.label not in _jumps([node]):
                done.append(node)
                continue
            done += self._statement(node, in_loop)
            if isinstance(node, syntax.LOOPS):
                at = next(jump.coord for jump in nodes(node, c_ast.Goto) if jump.name == self.label)
                goes_on = _break(at) if in_loop else c_ast.Goto(self.label, at)
                done.append(c_ast.If(c_ast.ID(self.left, at), goes_on, None, at))
        return done

    def _statement(self, node: Node, in_loop: bool) -> Block:
        match node:
            case c_ast.Goto() if in_loop:
                return [set_to(self.left, 1, node.coord), _break(node.coord)]
            case c_ast.Goto():
                return [node]
            case c_ast.Compound(block_items=block):
                return [_with(node, block_items=self.listed(block or [], in_loop))]
            case c_ast.If(iftrue=then, iffalse=otherwise):
                arms = [None if n is None else self._one(n, in_loop) for n in (then, otherwise)]
                return [_with(node, iftrue=arms[0], iffalse=arms[1])]
            case c_ast.For(stmt=stmt) | c_ast.While(stmt=stmt) | c_ast.DoWhile(stmt=stmt):
                self.declared = [flag(self.left, node.coord)]
                return [_with(node, stmt=self._one(stmt, True))]
            case _:
                raise _UnstructuredError

    def _one(self, node: Node, in_loop: bool) -> Node:
        """A statement, where only one may stand."""
        done = self.listed([node], in_loop)
        return done[0] if len(done) == 1 else c_ast.Compound(done, node.coord)


def flag(name: str, at: Coord) -> Node:
    """The declaration of a variable that says whether something was left: not yet."""
    type_ = c_ast.TypeDecl(name, [], [], c_ast.IdentifierType(["int"], at), at)
    return c_ast.Decl(name, [], [], [], [], type_, c_ast.Constant("int", "0", at), None, at)


def set_to(name: str, value: int, at: Coord) -> Node:
    """`name = value;`"""
    return c_ast.Assignment("=", c_ast.ID(name, at), c_ast.Constant("int", str(value), at), at)


def _break(at: Coord) -> Node:
    return c_ast.Break(_OfGoto(at.file, at.line, at.column))


def _jumps(block: Block) -> Iterator[str]:
    return (n.name for root in block for n in nodes(root, c_ast.Goto))


def _split(block: Block, own: set[str]) -> Block:
    """Labels as statements of their own, without what they label."""
    found: Block = []
    for node in block:
        while isinstance(node, c_ast.Label) and node.name in own:
            found.append(c_ast.Label(node.name, None, node.coord))
            node = node.stmt
            if node is None:
                break
        if node is not None:
            found.append(node)
    return found


def _folded(block: Block, own: set[str], after: str | None) -> Block:
    """The statements of a list behind whose end the label `after` stands."""
    out: Block = []
    k = 0
    while k < len(block):
        node = block[k]
        match node:
            case c_ast.Label(name=name, stmt=None) if name in own:
                k += 1
            case c_ast.Goto(name=name) if name in own:
                k = _target(block, name, k, after)
                if any(nodes(n, c_ast.Label) for n in block[block.index(node) + 1 : k]):
                    raise _UnstructuredError  # somebody may get there by another jump
            case c_ast.If() if own & set(_jumps([node])):
                made, k = _branch(block, k, own, after)
                out.append(made)
            case _:
                out.append(node)
                k += 1
    return out


def _target(block: Block, name: str, start: int, after: str | None) -> int:
    """Where a later label stands in the list."""
    for k in range(start + 1, len(block)):
        node = block[k]
        if isinstance(node, c_ast.Label) and node.name == name and node.stmt is None:
            return k
    if name == after:
        return len(block)
    raise _UnstructuredError


def _branch(block: Block, k: int, own: set[str], after: str | None) -> tuple[Node, int]:
    """The `if` at k with what its jumps skip in its arms, and where the list goes on."""
    node = block[k]
    assert isinstance(node, c_ast.If)
    then, otherwise = syntax.items(node.iftrue), syntax.items(node.iffalse)
    rest = block[k + 1 :]
    first, second = _jump(then, own), _jump(otherwise, own)
    if first is not None and second is not None:
        if not (rest and isinstance(rest[0], c_ast.Label) and rest[0].name in (first, second)):
            raise _UnstructuredError
        if rest[0].name == first:  # jumps to what follows anyway
            then, first = then[:-1], None
        else:
            otherwise, second = otherwise[:-1], None
    name = first if first is not None else second
    if name is None:
        raise _UnstructuredError
    end = _target(block, name, k, after)
    skipped = block[k + 1 : end]
    reached: Block = []
    last = _jump(skipped, own)
    if last is not None and end < len(block):
        further = _target(block, last, end, after)
        skipped, reached, end = skipped[:-1], block[end:further], further
    else:
        last = name
    if any(isinstance(n, c_ast.Decl) for n in (*skipped, *reached)):
        raise _UnstructuredError
    jumping, falling = (then, otherwise) if first is not None else (otherwise, then)
    jumped = _compound([*_scoped(_folded(jumping[:-1], own, last), node), *_folded(reached, own, last)], node)
    fallen = _compound([*_scoped(_folded(falling, own, last), node), *_folded(skipped, own, last)], node)
    arms = (jumped, fallen) if first is not None else (fallen, jumped)
    return _with(node, iftrue=arms[0], iffalse=arms[1]), end


def _jump(block: Block, own: set[str]) -> str | None:
    """The label to which a list of statements jumps at its end."""
    last = block[-1] if block else None
    return last.name if isinstance(last, c_ast.Goto) and last.name in own else None


def _compound(block: Block, at: Node) -> Node:
    return c_ast.Compound(block, at.coord)


def _scoped(block: Block, at: Node) -> Block:
    """The statements of an arm, in a block of their own if they declare names that what follows may use otherwise."""
    return [_compound(block, at)] if any(isinstance(n, c_ast.Decl | c_ast.Typedef) for n in block) else block
