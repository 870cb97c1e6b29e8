"""Every header that a counted loop may have: types, directions, steps, comparisons, limits and forms, by enumeration.

Each `Header` is one function of `n` and `m` with one loop, or a loop in a loop, around one statement. Braces mark what
the two texts made from it differ in: the one that is analysed, and the one that is executed (`execution`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from zlib import crc32

SIGNED = {"signed char": 8, "short": 16, "int": 32, "long": 64}
UNSIGNED = {"unsigned char": 8, "unsigned short": 16, "unsigned": 32, "unsigned long": 64}
BITS = SIGNED | UNSIGNED
OTHER = {
    "signed char": "unsigned char",
    "unsigned char": "int",
    "short": "unsigned",
    "unsigned short": "unsigned char",
    "int": "unsigned",
    "unsigned": "int",
    "long": "unsigned",
    "unsigned long": "int",
}
"""The type of `m`, for a counter of each type: comparisons mix them."""

OPERATORS = ("<", "<=", ">", ">=", "!=")
STEPS = (1, 2, 3, 7)


@dataclass(frozen=True, slots=True)
class Header:
    """`counter` is the variable of the innermost loop, `type` that of it and of n, `other` that of m. `lead`: how much
    the counter moves before the first iteration (`while (i-- > 0)`); `step`: in each. `reads`: the subscript that is
    read, where `counter` is written."""

    form: str
    type: str
    other: str
    text: str
    counter: str
    lead: int
    step: int
    reads: str

    @property
    def nested(self) -> bool:
        return self.counter == "j"

    def is_step(self, text: str) -> bool:
        """Whether this is the counter, or how it moves: `i`, `--i`, `i += 2`."""
        return text.strip("+-") == self.counter or text.startswith((f"{self.counter} += ", f"{self.counter} -= "))

    @property
    def names(self) -> frozenset[str]:
        """Which of n and m it mentions."""
        return frozenset(re.findall(r"\b[nm]\b", self.text))


def headers() -> Iterator[Header]:
    """All of them, in a fixed order."""
    for type_ in BITS:
        yield from _for(type_)
        yield from _tested_by_steps(type_)
        yield from _do(type_)
        yield from _nested(type_)


def sample(share: int) -> list[Header]:
    """One of each `share` headers, the same in every run."""
    return [h for h in headers() if crc32(repr(h).encode()) % share == 0]


def _limits(type_: str) -> tuple[str, ...]:
    return ("0", "n", "n - 1", "n + 1", "m", "-1", f"( {type_} ) -1", "5")


def _starts(type_: str) -> tuple[str, ...]:
    return ("0", "n", "n - 1", "n + 1", "m", f"( {type_} ) -1")


def _made(form: str, type_: str, text: str, step: int, lead: int = 0, counter: str = "i") -> Header:
    reads = ("", f"{counter} + 1", f"{counter} + n")[crc32(text.encode()) % 3]
    return Header(form, type_, OTHER[type_], text, counter, lead, step, reads)


def _moved(name: str, step: int) -> str:
    if abs(step) == 1:
        return f"{name}++" if step > 0 else f"{name}--"
    return f"{name} += {step}" if step > 0 else f"{name} -= {-step}"


def _for(type_: str) -> Iterator[Header]:
    """for (i = start; i < limit; i += step)"""
    steps = [s * sign for s in STEPS for sign in (1, -1)]
    for start, limit, operator, step in product(_starts(type_), _limits(type_), OPERATORS, steps):
        if start != limit:
            head = f"for ( {{d}}i = {start}{{s}} ; i {operator} {limit} ; {_moved('i', step)} ) {{b}}"
            yield _made(f"for {operator} {'up' if step > 0 else 'down'}", type_, head, step)


def _tested_by_steps(type_: str) -> Iterator[Header]:
    """while (i-- > limit), and the same in a `for`"""
    tests = {"i--": -1, "--i": -1, "i++": 1, "++i": 1}
    starts = ("0", "n", "n - 1", "n + 1", f"( {type_} ) -1")
    for (test, step), operator, limit, start in product(tests.items(), OPERATORS, _limits(type_), starts):
        loop = f"while ( {test} {operator} {limit} ) {{b}}"
        form = f"while {test} {operator}"
        yield _made(form, type_, f"{type_} i = {start} ; {{s}} {loop}", step, step)
        if start == "n":
            yield _made(form, type_, f"for ( {{d}}i = {start}{{s}} ; {test} {operator} {limit} ; ) {{b}}", step, step)
    for test, step in tests.items():
        yield _made(f"while {test}", type_, f"{type_} i = n ; {{s}} while ( {test} ) {{b}}", step, step)


def _do(type_: str) -> Iterator[Header]:
    """do { ... } while (--i > limit), and with the step before the test"""
    starts = ("0", "n", "n - 1")
    for operator, limit, start, step in product(OPERATORS, _limits(type_), starts, (1, -1, 2, -3)):
        begin, form = f"{type_} i = {start} ; {{s}}", f"do {operator} {'up' if step > 0 else 'down'}"
        if start == limit:
            continue
        moved = f"do {{{{ {{b}} {_moved('i', step)} ; }}}} while ( i {operator} {limit} ) ;"
        yield _made(form, type_, f"{begin} {moved}", step)
        if abs(step) == 1:
            for test in (f"i{'+-'[step < 0] * 2}", f"{'+-'[step < 0] * 2}i"):
                stepping = f"do {{b}} while ( {test} {operator} {limit} ) ;"
                yield _made(f"do {test} {operator}", type_, f"{begin} {stepping}", step)


def _nested(type_: str) -> Iterator[Header]:
    """A loop whose bounds depend on the counter of the loop around it."""
    starts = ("i", "i - 1", "i + 1", "0", "n")
    limits = (*starts, "n - i", "-1", f"( {type_} ) -1")
    for outer, start, limit, operator, step in product((1, -1), starts, limits, OPERATORS, (1, -1, 2)):
        if start == limit or not {"i", "i - 1", "i + 1", "n - i"} & {start, limit}:
            continue
        around = "for ( {o}i = 0 ; i < n ; i++ )" if outer > 0 else "for ( {o}i = n ; i-- > 0 ; )"
        inner = f"for ( {{d}}j = {start}{{s}} ; j {operator} {limit} ; {_moved('j', step)} ) {{b}}"
        form = f"nest {operator} {'up' if step > 0 else 'down'}"
        yield _made(form, type_, f"{around} {inner}", step, counter="j")
