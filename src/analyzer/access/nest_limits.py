"""Nests that are too large to be looked into, and why, in words: nobody reads their formulas, and finding them would
take minutes.

    loop of 2000 statements      ->      "2000 statements with those of called functions: too many to count ..."
"""

from ..ir.nodes import Access, Assign, Branch, Load, Loop, Statement, evaluated, statements

MOST_STATEMENTS = 1500
"""Of a nest whose accesses are counted, those of inlined functions included. An interpreter's main loop has more."""

MOST_ACCESSES = 2500
"""Of such a nest, as the text has them: an unrolled stencil of hundreds of lines has more."""

FEW = 100
"""Statements of a nest whose accesses are not too many."""

MOST_DEEP = 16
"""Loops inside each other: more than twice as many as in any code seen. Work grows with a high power of them."""


def uncountable(loop: Loop, around: tuple[Loop, ...]) -> str | None:
    """Why it is not counted what a nest does; None where it is. Example: see the module."""
    inside = list(statements(loop.body))
    if len(inside) > MOST_STATEMENTS:
        return f"{len(inside)} statements with those of called functions: too many to count what they do"
    accesses = sum(map(_accesses, inside)) if len(inside) > FEW else 0
    if accesses > MOST_ACCESSES:
        return f"{accesses} accesses with those of called functions: too many to count what they touch"
    return too_deep(loop, around)


def too_deep(loop: Loop, around: tuple[Loop, ...] = ()) -> str | None:
    """Why a nest is not looked into; None where it is."""
    deep = len(around) + depth((loop,))
    return f"{deep} loops inside each other: too many to be looked into" if deep > MOST_DEEP else None


def is_countable(body: tuple[Statement, ...]) -> bool:
    """Whether statements that need not be one nest are few enough to be counted."""
    return sum(1 for _ in statements(body)) <= MOST_STATEMENTS and depth(body) <= MOST_DEEP


def depth(body: tuple[Statement, ...], *, branches: bool = False) -> int:
    """Loops inside each other in these statements; with `branches`, these are counted, too."""
    deepest = 0
    pending = [(body, 0)]  # not by recursion: cases of a switch are nested deeply
    while pending:
        block, around = pending.pop()
        deepest = max(deepest, around)
        for s in block:
            match s:
                case Loop(body=inner):
                    pending.append((inner, around + 1))
                case Branch(then=then, otherwise=otherwise):
                    pending += ((then, around + branches), (otherwise, around + branches))
                case _:
                    pass
    return deepest


def _accesses(statement: Statement) -> int:
    read = sum(isinstance(e, Load) for e in evaluated(statement))
    return read + (isinstance(statement, Assign) and isinstance(statement.target, Access))
