"""C expressions as texts: put together, and asked what they name.

    sum_of("n", "-1")      ->  n - 1
    product("-2", "it")    ->  -2*it
"""

import re

from ..base.regex import regex

_NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*")
_MEMORY = regex(r"\[|->|\.\s*[A-Za-z_]|(?:^|[-+(*/%?:&|<>=!,])\s*\*")
_CALL = regex(r"[\w\])]\(")
_IS_WIDE = regex(r"\(*\(long long\)")
WIDE = "(long long)"
_OTHER_THAN_SUM = regex(r"[?:&|^,=~!<]|(?<!-)>")
"""What binds less than `+` does."""


def reads_memory(text: str) -> bool:
    """Whether a C expression reads an element, a member, or what a pointer leads to."""
    return _MEMORY.search(text) is not None


def calls(text: str) -> bool:
    """Whether a C expression calls a function: `*f(p)`, `s->f(p)[1]`, `(*f)(p)`. `sizeof(x)` looks like one."""
    return _CALL.search(text) is not None


def names_in(text: str) -> frozenset[str]:
    """The variables that a C expression names: `{s, i}` of `s->a[i].b`."""
    return frozenset(_NAME.findall(text))


def widened(text: str) -> str:
    """The text as a `long long`, in which its sums and products are computed."""
    return text if _IS_WIDE.match(text) else f"{WIDE}{text}"


def product(factor: str, count: str, fits: bool = False) -> str:
    """`factor * count` as C: `2*(long long)i`, `-(i)`, `i`. `fits`: into the type of `count`, that is: `2*i`."""
    if factor == "1":
        return f"({count})" if " " in count and not is_bracketed(count) else count
    if factor == "-1":
        return f"-{count}" if count.isidentifier() or is_bracketed(count) else f"-({count})"
    plain = count if count.isidentifier() or is_bracketed(count) else f"({count})"
    fits = fits and count.isidentifier() and re.fullmatch(r"-?\d{1,3}", factor) is not None
    wide = "" if fits or _IS_WIDE.match(count) else WIDE
    first = factor if re.fullmatch(r"-?\w+", factor) else f"({factor})"
    return f"{first}*{wide}{plain}"


def sum_of(first: str, second: str) -> str:
    """`first + second` as C: `n - 1` for `n` and `-1`."""
    if second == "0":
        return first
    if first == "0":
        return second[1:-1] if is_bracketed(second) and "?" not in second else second
    return f"{first} - {second[1:]}" if second.startswith("-") else f"{first} + {second}"


def begins_sum(text: str) -> bool:
    """Whether a sum can begin with this text as it is: `a->n - 1`, but not `n > 0 ? n : 0`."""
    return not _OTHER_THAN_SUM.search(text)


def extremum(kind: str, texts: list[str]) -> str:
    """The largest (`max`) or smallest (`min`) of some values."""
    found = texts[0]
    for text in texts[1:]:
        a, b = f"{WIDE}({found})", f"{WIDE}({text})"
        found = f"({a} {'>' if kind == 'max' else '<'} {b} ? {a} : {b})"
    return found


def at_least(value: str, least: int) -> str:
    """The value, or `least` where it is smaller."""
    plain = value if value.isidentifier() or is_bracketed(value) else f"({value})"
    return f"({plain} > {least} ? {plain} : {least})"


def is_bracketed(text: str) -> bool:
    """Whether one pair of brackets is around all of a text."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return at == len(text) - 1 and text.startswith("(")
    return False
