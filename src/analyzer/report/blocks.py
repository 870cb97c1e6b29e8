"""Blocks of loops, of which a program's time is made: the outermost loops that are parallel, and loops without others
inside."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from .document import LoopEntry


def blocks(loops: Sequence[LoopEntry]) -> Iterator[LoopEntry]:
    """The blocks of one file."""
    return (block[0] for block in nests(loops))


def nests(loops: Sequence[LoopEntry]) -> Iterator[tuple[LoopEntry, ...]]:
    """The blocks of one file, each with the loops inside it, itself first."""
    children: dict[str | None, list[LoopEntry]] = defaultdict(list)
    for loop in loops:
        children[loop.parent].append(loop)

    def inside(loop: LoopEntry) -> Iterator[LoopEntry]:
        yield loop
        for child in children[loop.id]:
            yield from inside(child)

    waiting = list(children[None])
    while waiting:
        loop = waiting.pop(0)
        if loop.is_parallel or not children[loop.id]:
            yield tuple(inside(loop))
        else:
            waiting = children[loop.id] + waiting
