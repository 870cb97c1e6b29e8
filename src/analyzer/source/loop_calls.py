"""Which functions of other files the loops of a file call: those with which a loop could be followed to its end.

*Decides*: by text, the calls in each loop, in the functions that it calls, and so on; of a loop that also calls more
functions that no file of the run defines than an answer may have conditions, none matters: it stays open.
*Errs toward* too few, but not for reports of errors (`fail("no such type")`): they may be taken not to be reached.
"""

from collections.abc import Callable, Collection, Iterable, Iterator

from ..base.regex import regex
from .declarations import KEYWORDS, Declaration
from .lexemes import without_attributes, without_texts

_LOOP = regex(r"\b(?:for|while|do)\b")
_CALL = regex(r"(?<![\w.>])([A-Za-z_$][\w$]*)\s*\((\s*(?:[^()\"]*,)?\s*\")?")
"""A name before a bracket, and whether a text is among the arguments."""
MOST_UNSEEN = 3
"""Conditions that an answer may have (`dependence.condition_groups`)."""
_OF_COMPILER = ("__builtin_", "__atomic_", "__sync_")


class Calls:
    """`defined`: the functions of the file, by name; `known`: what needs no definition, as it is of the system."""

    def __init__(self, declarations: Iterable[Declaration], known: Callable[[str], bool], depth: int) -> None:
        self.defined = {d.names[0]: d for d in declarations if d.is_function and d.names}
        self.known, self.depth = known, depth
        self._below: dict[str, dict[str, bool]] = {}

    def of_loops(self, functions: Iterable[Declaration], end: Callable[[int], int]) -> list[dict[str, bool]]:
        """For each loop of these functions, the names that are called in it or below and not defined here, and whether
        a text is always handed to them. `end`: of the statement at an offset."""
        return [
            self._unseen(function.code[loop.start() : end(loop.start())], self.depth)
            for function in functions
            for loop in _LOOP.finditer(function.code, function.body, function.end)
        ]

    def of_functions(self, functions: Iterable[Declaration]) -> frozenset[str]:
        """The names that are called anywhere in these functions or below and not defined here."""
        bodies = (function.code[function.body : function.end] for function in functions)
        return frozenset(name for body in bodies for name in self._unseen(body, self.depth))

    def _unseen(self, code: str, depth: int) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for name, text in _CALL.findall(without_texts(without_attributes(code))):
            if name in KEYWORDS or name.startswith(_OF_COMPILER) or self.known(name):
                continue
            if name not in self.defined:
                found[name] = found.get(name, True) and bool(text)
            elif depth > 0:
                for below, always in self._of_function(name, depth - 1).items():
                    found[below] = found.get(below, True) and always
        return found

    def _of_function(self, name: str, depth: int) -> dict[str, bool]:
        if name not in self._below:
            self._below[name] = {}  # of itself, nothing more
            function = self.defined[name]
            self._below[name] = self._unseen(function.code[function.body : function.end], depth)
        return self._below[name]


def wanted(loops: Iterable[dict[str, bool]], candidates: Collection[str]) -> Iterator[str]:
    """The functions that other files seem to define, of loops in which little else is open."""
    for calls in loops:
        unseen = sum(name not in candidates and not always_with_text for name, always_with_text in calls.items())
        if unseen <= MOST_UNSEEN:
            yield from (name for name in calls if name in candidates)
