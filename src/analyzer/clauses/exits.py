"""Jumps out of a loop that OpenMP divides.

*Decides*: which statements of the loop's own text leave it. Where the loop is parallel they are never reached, by a
condition of the answer (`cold`, `no-exit`) or for sure, but OpenMP does not compile a loop that has them.
*Errs toward* listing: code that is never reached is listed as well.

    for (...) { if (a[i] < 0) return -1; b[i] = sqrt(a[i]); }      ->  a flag in place of `return -1`
    for (...) { if (cancelled) break; b[i] = sqrt(a[i]); }         ->  `continue` in place of `break`
"""

from collections.abc import Iterator

from pycparser import c_ast

from ..facts.loop import Rewrite
from ..loops.c_text import c_text
from ..loops.headers import header
from ..loops.leaving import out_of, stop
from ..loops.syntax import items
from ..source.nodes import nodes
from .site import Site


def exits(site: Site) -> Iterator[Rewrite]:
    """What to write in place of each jump out of the loop."""
    tested = {id(n) for test in _tests(site.node) for n in nodes(test)}
    for jump in out_of(site.node):
        if id(jump) not in tested:
            yield _skipping(site, jump) if _is_first(site.node, jump) else _behind(site, jump)


def _tests(loop: c_ast.Node) -> Iterator[c_ast.Node]:
    """The statement in the body that stands for the test of the loop: it is another rewrite's."""
    body, rest = items(loop.stmt), items(header(loop).body)
    yield from (statement for statement in (body[:1] + body[-1:]) if len(rest) < len(body) and statement not in rest)


def _is_first(loop: c_ast.Node, jump: c_ast.Node) -> bool:
    """Whether an iteration does nothing before it is asked to stop, and nothing but that where it is."""
    test = stop(jump, loop) if isinstance(jump, c_ast.Break) else None
    return test is not None and test in items(loop.stmt)[:1] and len(items(test.iftrue)) == 1


def _skipping(site: Site, jump: c_ast.Node) -> Rewrite:
    place = site.unit.place(jump)
    text = (
        f"`break` on line {place.line} leaves the loop, which OpenMP does not take: write `continue` there, as the "
        "loop computes nothing that its test asks for, and the iterations that follow find the same"
    )
    return Rewrite("exit", "break", text, "continue", places=(place,))


def _behind(site: Site, jump: c_ast.Node) -> Rewrite:
    place = site.unit.place(jump)
    written = c_text(jump).rstrip(";")
    text = (
        f"`{written}` on line {place.line} leaves the loop, which OpenMP does not take: set a flag there "
        "(`#pragma omp atomic write`), go on with the next iteration, and leave after the loop where the flag is set"
    )
    return Rewrite("exit", written, text, places=(place,))
