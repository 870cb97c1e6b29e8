"""The header of a loop taken apart: which values its variable has.

    for (int i = 1; i < n - 1; i++)        ->  i from 1 on, (n - 1) - 1 times, by 1
    for (k = n; k >= 0; k -= 2)            ->  k from n on, (n - 0 + 2) / 2 times, by -2

*Refuses* other headers, and such as set more than one variable.
"""

import re

from msgspec import Struct

from ..refused import RefusedError
from ..text import Text

_OTHER_WAY = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


class Header(Struct, frozen=True):
    """`type`: as the header declares the variable, empty where it does not. `step`: the size of a step, in C."""

    variable: str
    type: str
    first: str
    relation: str
    bound: str
    step: str
    rises: bool

    def trip(self) -> str:
        """The number of iterations in C, not above 0 where there is none."""
        low, high = (self.first, self.bound) if self.rises else (self.bound, self.first)
        distance = high if low == "0" else f"(long long){as_factor(high)} - {as_factor(low)}"
        if low.isdigit() and high.isdigit():
            distance = str(int(high) - int(low))
        if self.relation in ("<=", ">="):
            distance += " + 1"
        step = as_factor(self.step)
        return distance if self.step == "1" else f"({distance} + {step} - 1) / {step}"

    def value(self, iteration: str) -> str:
        """What the variable holds in an iteration, as C."""
        moved = iteration if self.step == "1" else f"{iteration} * {as_factor(self.step)}"
        if self.first == "0" and self.rises:
            return moved
        return f"{as_factor(self.first)} {'+' if self.rises else '-'} {moved}"


def as_factor(value: str) -> str:
    """A value as an operand: in brackets, but for names and numbers."""
    return value if re.fullmatch(r"[\w.]+(->\w+)*", value) else f"({value})"


def header(text: Text, first: int) -> Header:
    """Of the `for` that is token `first`. RefusedError for one that is none of these. Example: see the module."""
    if not text.is_at(first, "for"):
        raise RefusedError("it is no `for` loop")
    begin, end = first + 2, text.closing(first + 1)
    test = text.next(begin, ";") + 1
    update = text.next(test, ";") + 1
    type_, variable, start = _started(text, begin, test - 1)
    relation, bound = _tested(text, variable, test, update - 1)
    step, rises = _stepped(text, variable, update, end)
    fits = relation in (("<", "<=") if rises else (">", ">=")) or (relation == "!=" and step == "1")
    if not fits:
        raise RefusedError(f"its header does not count up to `{bound}`, or down to it")
    return Header(variable, type_, start, relation, bound, step, rises)


def _code(text: Text, first: int, stop: int) -> str:
    if first >= stop:
        raise RefusedError("its header leaves something out")
    return " ".join(text.text[text.tokens[first].begin : text.tokens[stop - 1].end].split())


def _started(text: Text, first: int, stop: int) -> tuple[str, str, str]:
    at = next((k for k in range(first, stop) if text.is_at(k, "=")), first)
    if at == first or any(text.is_at(k, ",") for k in _outside_brackets(text, first, stop)):
        raise RefusedError("its header does not begin with one variable")
    words = [text.tokens[k].text for k in range(first, at)]
    return " ".join(words[:-1]), words[-1], _code(text, at + 1, stop)


def _tested(text: Text, variable: str, first: int, stop: int) -> tuple[str, str]:
    found = [k for k in _outside_brackets(text, first, stop) if text.tokens[k].text in _OTHER_WAY]
    several = any(text.is_at(k, "&&", "||", "?", ",") for k in _outside_brackets(text, first, stop))
    if len(found) != 1 or several:
        raise RefusedError("its header does not compare its variable once")
    (at,) = found
    relation = text.tokens[at].text
    if _code(text, first, at) == variable:
        return relation, _code(text, at + 1, stop)
    if _code(text, at + 1, stop) == variable:
        return _OTHER_WAY[relation], _code(text, first, at)
    raise RefusedError("its header does not compare its variable alone")


def _stepped(text: Text, variable: str, first: int, stop: int) -> tuple[str, bool]:
    words = [text.tokens[k].text for k in range(first, stop)]
    match words:
        case [("++" | "--") as way, name] | [name, ("++" | "--") as way] if name == variable:
            return "1", way == "++"
        case [name, ("+=" | "-=") as way, *_] if name == variable:
            return _code(text, first + 2, stop), way == "+="
        case [name, "=", again, ("+" | "-") as way, *_] if name == again == variable:
            return _code(text, first + 4, stop), way == "+"
        case _:
            raise RefusedError("its header does not step its variable alone")


def _outside_brackets(text: Text, first: int, stop: int) -> list[int]:
    found, k = [], first
    while k < stop:
        found.append(k)
        k = (text.closing(k) if text.is_at(k, "(", "[", "{") else k) + 1
    return found
