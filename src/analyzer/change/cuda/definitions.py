"""What the code of a kernel needs of its file: headers, macros, types, and functions, as they are written there.

*Decides*: everything that a name in the code leads to, and what that leads to. Functions are marked for the device.
*Does not handle* what `#if` makes one of several, of which the first one is taken.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ...base.regex import regex
from ...report.loop_entries import CalledEntry
from ..text import Text

_INCLUDE = regex(r"(?m)^[ \t]*#[ \t]*include[ \t]*([<\"][^>\"\n]+[>\"])")
_DEFINE = regex(r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\b(?:\\\r?\n|[^\n])*")
ON_BOTH = "__host__ __device__ "


class _External(Struct, frozen=True):
    """A declaration of the file: its tokens, from `first` to before `stop`."""

    first: int
    stop: int
    names: frozenset[str]


class Definitions:
    """The definitions of one file, found by name."""

    def __init__(self, text: Text, functions: Iterable[CalledEntry]) -> None:
        self.text = text
        self.functions = {f.name for f in functions}
        self.macros: dict[str, str] = {}
        for found in _DEFINE.finditer(text.text):
            self.macros.setdefault(found[1], found[0].replace("\r", ""))
        self.externals = list(_externals(text))

    def used(self, code: str) -> set[str]:
        """All names that the code leads to."""
        found: set[str] = set()
        pending = Text(code).words
        while pending:
            word = pending.pop()
            if word in found:
                continue
            found.add(word)
            pending |= Text(self.macros.get(word, "").partition(word)[2]).words
            for each in self.externals:
                if word in each.names or (word in self.functions and self._defines(each, word)):
                    pending |= {t.text for t in self.text.tokens[each.first : each.stop]}
        return found

    def lines(self, code: str) -> Iterator[str]:
        """Headers, macros, types and functions that the code needs, in the order of the file."""
        used = self.used(code)
        headers = list(dict.fromkeys(_INCLUDE.findall(self.text.text)))
        yield from (f"#include {name}" for name in headers if name.startswith("<"))
        own = [name for name in headers if name.startswith('"')]
        if own:
            yield from ('extern "C" {', *(f"#include {name}" for name in own), "}")
        yield from (self.macros[name] for name in self.macros if name in used)
        for each in self.externals:
            if each.names & used:
                yield self._code(each)
        mine = [(e, name) for e in self.externals for name in self.functions & used if self._defines(e, name)]
        if len(mine) > 1:
            yield from (f"{ON_BOTH}{self._head(e)};" for e, _ in mine)
        yield from (f"{ON_BOTH}{self._code(e)}" for e, _ in mine)

    def _code(self, each: _External) -> str:
        tokens = self.text.tokens
        code = self.text.text[tokens[each.first].begin : tokens[each.stop - 1].end]
        code = code.replace("\r", "").removeprefix("extern ")
        return code if code.endswith((";", ")")) or not each.names else f"{code};"

    def _head(self, each: _External) -> str:
        tokens = self.text.tokens
        brace = next(k for k in range(each.first, each.stop) if self.text.is_at(k, "{"))
        return " ".join(self.text.text[tokens[each.first].begin : tokens[brace].begin].split()).removeprefix("extern ")

    def _defines(self, each: _External, name: str) -> bool:
        """Whether it is the body of a function."""
        inside = range(each.first, each.stop)
        named = any(self.text.is_at(k, name) and self.text.is_at(k + 1, "(") for k in _outermost(self.text, inside))
        return named and not each.names and self.text.is_at(each.stop - 1, "}")


def _externals(text: Text) -> Iterator[_External]:
    first = k = 0
    while k < len(text.tokens):
        if text.is_at(k, "{", "(", "["):
            closed = text.closing(k)
            is_type = text.is_at(k, "{") and any(text.is_at(j, "struct", "union", "enum") for j in range(first, k))
            is_type = is_type and not any(_is_of_function(text, j) for j in range(first, k))
            if is_type and not text.is_at(first, "typedef"):
                yield _External(first, closed + 1, frozenset(_named(text, first, k, closed)))
            elif text.is_at(k, "{") and text.is_at(k - 1, ")") and not is_type:
                yield _External(first, closed + 1, frozenset())
                first = closed + 1
            k = closed
        elif text.is_at(k, ";"):
            if text.is_at(first, "typedef"):
                yield _External(first, k + 1, frozenset(_of_typedef(text, first, k)))
            first = k + 1
        k += 1


def _is_of_function(text: Text, k: int) -> bool:
    """Whether a token begins parameters, or a value."""
    return text.is_at(k, "=") or (text.is_at(k, "(") and not text.is_at(k - 1, "__attribute__", "("))


def _named(text: Text, first: int, brace: int, closed: int) -> Iterator[str]:
    """The tag of a type, and its enumerators."""
    if text.tokens[brace - 1].text.isidentifier() and not text.is_at(brace - 1, "struct", "union", "enum"):
        yield text.tokens[brace - 1].text
    if any(text.is_at(k, "enum") for k in range(first, brace)):
        yield from (text.tokens[k].text for k in range(brace + 1, closed) if text.is_at(k - 1, "{", ","))


def _of_typedef(text: Text, first: int, stop: int) -> Iterator[str]:
    brace = next((k for k in range(first, stop) if text.is_at(k, "{")), None)
    if brace is not None:
        yield from _named(text, first, brace, text.closing(brace))
    for k in _outermost(text, range(first, stop)):
        if text.tokens[k].text.isidentifier() and text.is_at(k + 1, ";", ",", "["):
            yield text.tokens[k].text


def _outermost(text: Text, inside: range) -> Iterator[int]:
    """The tokens that stand in no bracket."""
    k = inside.start
    while k < inside.stop:
        yield k
        k = (text.closing(k) if text.is_at(k, "(", "[", "{") else k) + 1
