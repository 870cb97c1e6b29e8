"""Kernels as the program's own advice writes them: with the printed pragma, for threads or for vectors alone."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias, get_args

from tests.clauses.answers import Loop
from tests.clauses.rewriting import CannotRewriteError, Edit, changed, edited
from tests.clauses.tokens import Source

Way: TypeAlias = Literal["host", "vector", "threads"]
WAYS: tuple[Way, ...] = get_args(Way)


def version(text: str, loops: Sequence[Loop], function: str, way: Way) -> str | None:
    """The text of a file in which `function`, one of those that `loops` are in, runs in this way: its outermost
    parallel loops have the pragma that is printed, or (`vector`) the `simd` of it alone. None where there is none, and
    where no mechanical rewrite does it.

    Example: `s += a[i];` has all versions, `a[i] = 0;` no `vector`: the compiler needs no word of ours there."""
    if way == "host":
        return text
    chosen = list(divided([each for each in loops if each.function == function]))
    if way == "vector":
        chosen = [each for each in chosen if each.construct == "parallel for simd"]
    if not chosen:
        return None
    construct = "simd" if way == "vector" else None
    try:
        made = changed(Source(text), *chosen, name=function, construct=construct, compared=False)
    except CannotRewriteError:
        return None
    return edited(text, (*made.elsewhere, Edit(made.begin, made.end, made.text)))


def divided(loops: Sequence[Loop]) -> Iterator[Loop]:
    """The outermost parallel loops of a function."""
    by_id = {each.id: each for each in loops}
    for each in loops:
        around = by_id.get(each.parent or "")
        while around is not None and not around.is_parallel:
            around = by_id.get(around.parent or "")
        if each.is_parallel and around is None:
            yield each
