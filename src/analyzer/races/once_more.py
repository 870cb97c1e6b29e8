"""Functions that make tasks and call themselves: what they do there, once more.

A call of the function itself is not followed. So its text stands there a second time, under another name, which the
calls in it lead to; the calls in the second text lead back, and are not followed. What races in the two texts, races;
that nothing does, says nothing.

    void sort(int *v, int n) {              void sort(int *v, int n); void sors(int *v, int n) { ... sort(v, h); ... }
        #pragma omp task              ->    void sort(int *v, int n) {
        sort(v, h);                             #pragma omp task
        ...                                     sors(v, h);
"""

import re
from collections.abc import Iterable, Iterator
from string import ascii_letters
from typing import TypeAlias

from msgspec.structs import replace

from ..source.declarations import Declaration, cut
from ..source.listing import Listing
from ..source.unit import Pragma

Piece: TypeAlias = tuple[int, Pragma, str]
"""What comes before the code at an offset, and where it is said to stand."""


def once_more(listing: Listing, marks: Iterable[str]) -> tuple[Listing, list[Piece]]:
    """The listing with the other names, and the second texts. `marks`: of tasks. Example: see the module."""
    code = listing.code
    pieces: list[Piece] = []
    words = set(re.findall(r"\w+", code))
    for declaration in _recursive(listing, frozenset(marks)):
        (name,) = declaration.names
        other = next((x for x in _alike(name) if x not in words), None)
        if other is None:
            continue
        words.add(other)
        body = slice(declaration.body, declaration.end)
        pieces += _second(listing, declaration, name, other)
        code = code[: body.start] + re.sub(rf"\b{name}(?=\s*\()", other, code[body]) + code[body.stop :]
    return replace(listing, code=code), pieces


def _recursive(listing: Listing, marks: frozenset[str]) -> Iterator[Declaration]:
    for each in cut(listing.code):
        own = each.is_function and len(each.names) == 1 and not listing.segment(each.body).system
        if own and each.names[0] in each.calls and marks & each.words:
            yield each


def _alike(name: str) -> Iterator[str]:
    """Names as long."""
    return (name[:i] + letter + name[i + 1 :] for i in reversed(range(len(name))) for letter in ascii_letters)


def _second(listing: Listing, declaration: Declaration, name: str, other: str) -> Iterator[Piece]:
    """What stands before the function: what it is, and its text under the other name, line by line as it is."""
    at, code = declaration.start, declaration.code
    head = code[at : declaration.body]
    first = Pragma(listing.line(at), "", listing.segment(at).path)
    yield at, first, f"{' '.join(head.split())};"
    begin = at
    inside = [s.start for s in listing.segments if at < s.start < declaration.end]
    for end in (*inside, declaration.end):
        text = code[begin:end]
        if begin < declaration.body:
            text = re.sub(rf"\b{name}\b(?=\s*\()", other, text, count=1)
        yield at, Pragma(listing.line(begin), "", listing.segment(begin).path), text
        begin = end
