"""Functions that call themselves: what they do there, once more.

A call of the function itself is not followed. So its text stands there a second time, under another name, which the
calls in it lead to; the calls in the second text lead to a third name, of which there is no text. What races in the two
texts, races; that nothing does, says nothing.

                                            int fia(int n); int fic(int n);
    int fib(int n) {                        int fia(int n) { ... fic(n - 1) + fic(n - 2); }
        if (n < 2) return n;          ->    int fib(int n) {
        count++;                                if (n < 2) return n;
        return fib(n - 1) + fib(n - 2);         count++;
                                                return fia(n - 1) + fia(n - 2);
"""

import re
from collections.abc import Iterator
from itertools import islice
from string import ascii_letters
from typing import TypeAlias

from msgspec.structs import replace

from ..source.declarations import Declaration, cut
from ..source.listing import Listing
from ..source.unit import Pragma

Piece: TypeAlias = tuple[int, Pragma, str]
"""What comes before the code at an offset, and where it is said to stand."""


def once_more(listing: Listing) -> tuple[Listing, list[Piece]]:
    """The listing with the other names, and the second texts. Example: see the module."""
    code = listing.code
    pieces: list[Piece] = []
    words = set(re.findall(r"\w+", code))
    for declaration in _recursive(listing):
        (name,) = declaration.names
        others = tuple(islice((x for x in _alike(name) if x not in words), 2))
        if len(others) < 2:
            continue
        words |= {*others}
        body = slice(declaration.body, declaration.end)
        pieces += _second(listing, declaration, *others)
        code = code[: body.start] + _calling(code[body], name, others[0]) + code[body.stop :]
    return replace(listing, code=code), pieces


def _calling(text: str, name: str, other: str) -> str:
    """A text with calls of another function instead."""
    return re.sub(rf"\b{name}(?=\s*\()", other, text)


def _recursive(listing: Listing) -> Iterator[Declaration]:
    for each in cut(listing.code):
        own = each.is_function and len(each.names) == 1 and not listing.segment(each.body).system
        if own and each.names[0] in each.calls:
            yield each


def _alike(name: str) -> Iterator[str]:
    """Names as long."""
    return (name[:i] + letter + name[i + 1 :] for i in reversed(range(len(name))) for letter in ascii_letters)


def _second(listing: Listing, declaration: Declaration, second: str, third: str) -> Iterator[Piece]:
    """What stands before the function: what the two others are, and its text under the second name, line by line as it
    is."""
    at, code, name = declaration.start, declaration.code, declaration.names[0]
    head = " ".join(code[at : declaration.body].split())
    first = Pragma(listing.line(at), "", listing.segment(at).path)
    yield at, first, " ".join(f"{_calling(head, name, other)};" for other in (second, third))
    begin = at
    inside = [s.start for s in listing.segments if at < s.start < declaration.end]
    for end in (*inside, declaration.end):
        head_end = min(max(begin, declaration.body), end)
        again = _calling(code[begin:head_end], name, second) + _calling(code[head_end:end], name, third)
        yield at, Pragma(listing.line(begin), "", listing.segment(begin).path), again
        begin = end
