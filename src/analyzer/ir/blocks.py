"""Lists of statements in a body, and where loops stand in them.

    f = a; if (f) { b; } else { c; } for (...) d;     ->  blocks: the body itself, (b), (c), (d)
"""

from collections.abc import Iterator
from typing import TypeAlias

from .nodes import Branch, Loop, Statement, statements

Block: TypeAlias = tuple[Statement, ...]


def blocks(body: Block) -> Iterator[Block]:
    """All lists of statements, the outermost first. Example: see the module."""
    yield body
    for s in statements(body):
        match s:
            case Loop(body=inner):
                yield inner
            case Branch(then=then, otherwise=otherwise):
                yield from (then, otherwise)
            case _:
                pass


def in_front_of(body: Block, loop: Loop) -> Block:
    """The statements in front of a loop, in the list that it stands in. Example: `a; if (f) {...}` in the module."""
    for block in blocks(body):
        for k, s in enumerate(block):
            if isinstance(s, Loop) and s.key == loop.key:
                return block[:k]
    return ()


def nests(body: Block, around: tuple[Loop, ...] = ()) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
    """The loops of a body, each with those around it from the outermost on."""
    for s in body:
        match s:
            case Loop():
                yield s, around
                yield from nests(s.body, (*around, s))
            case Branch(then=then, otherwise=otherwise):
                yield from nests((*then, *otherwise), around)
            case _:
                pass
