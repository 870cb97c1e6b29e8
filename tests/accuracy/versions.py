"""Kernels as the program's own advice writes them: with the printed pragma, for threads or for vectors alone."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, Protocol, TypeAlias, TypeVar, get_args

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
    chosen = list(divided([each for each in loops if each.function == function], lambda each: each.is_parallel))
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


class Nested(Protocol):
    """A loop, as the JSON or the facts have it."""

    @property
    def id(self) -> str: ...
    @property
    def parent(self) -> str | None: ...


AnyLoop = TypeVar("AnyLoop", bound=Nested)


def divided(loops: Iterable[AnyLoop], is_parallel: Callable[[AnyLoop], bool]) -> Iterator[AnyLoop]:
    """The outermost parallel loops of a function; `loops`: outer ones before those inside."""
    inside: set[str | None] = set()
    for each in loops:
        if each.parent in inside:
            inside.add(each.id)
        elif is_parallel(each):
            inside.add(each.id)
            yield each
