"""The value and type of C's integer and character constants."""

import re
from functools import cache

from msgspec import Struct

from ..base.regex import regex
from .ctypes import Integer
from .unit import Abi

_INTEGER = regex(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)\Z")
_ESCAPE = regex(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SIMPLE = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


_MOST_DIGITS = 64
"""10**64 is a multiple of 2**64: no digit before the last 64 shows in what is left of a number."""


class Number(Struct, frozen=True):
    """An integer constant with the type that C gives it."""

    value: int
    type: Integer


def integer(name: str, abi: Abi) -> Integer:
    """`int`, `unsigned long` ... as a type."""
    return _integer(name, abi.sizes[name.removeprefix("unsigned ")])


@cache
def _integer(name: str, size: int) -> Integer:
    return Integer(name, size, not name.startswith("unsigned "))


def wrap(value: int, type: Integer) -> int:
    """`value` modulo the range of the type; `_Bool` holds 1 of all that is not 0."""
    if type.name == "_Bool":
        return int(value != 0)
    bits = 8 * type.size
    value &= (1 << bits) - 1
    return value - (1 << bits) if type.signed and value >> (bits - 1) else value


def fits(value: int, type: Integer) -> bool:
    return wrap(value, type) == value


def integer_constant(text: str, abi: Abi) -> Number | None:
    """C11 6.4.4.1: the first type of the suffix's list in which the value fits. `0x80000000` is `unsigned int`."""
    match = _INTEGER.match(text.replace("'", ""))
    if not match:
        return None
    digits, suffix = match[1], match[2].lower()
    if digits[:2] in ("0x", "0X", "0b", "0B"):
        value, decimal = int(digits, 0), False
    elif digits.startswith("0"):
        if not re.fullmatch("[0-7]+", digits):
            return None
        value, decimal = int(digits, 8), digits == "0"
    elif len(digits) > _MOST_DIGITS:
        wide = integer("unsigned long long", abi)
        return Number(wrap(int(digits[-_MOST_DIGITS:]), wide), wide)
    else:
        value, decimal = int(digits), True
    unsigned = "u" in suffix
    for rank in ("int", "long", "long long")[suffix.count("l") :]:
        signed_type, unsigned_type = integer(rank, abi), integer(f"unsigned {rank}", abi)
        if not unsigned and fits(value, signed_type):
            return Number(value, signed_type)
        if (unsigned or not decimal) and fits(value, unsigned_type):
            return Number(value, unsigned_type)
    wide = integer("unsigned long long", abi)
    return Number(wrap(value, wide), wide)


def character_constant(text: str, abi: Abi) -> Number | None:
    """`'a'`, `'\\n'`, `L'x'`; several characters in one constant as gcc does."""
    prefix, _, rest = text.partition("'")
    codes = [_code(m) for m in re.finditer(_ESCAPE.pattern + r"|([^\\])", rest[:-1], re.DOTALL)]
    if not codes:
        return None
    int_type = integer("int", abi)
    if prefix:
        return Number(wrap(codes[-1], int_type), int_type)
    if len(codes) == 1:
        code = codes[0]
        return Number(wrap(code, Integer("char", 1, abi.char_signed)), int_type)
    value = 0
    for code in codes:
        value = value << 8 | code & 0xFF
    return Number(wrap(value, int_type), int_type)


def signed_constant(words: list[str]) -> int | None:
    """The value of a number or character constant, with a sign."""
    sign = -1 if words[:1] == ["-"] else 1
    rest = words[1:] if sign < 0 else words
    if len(rest) != 1:
        return None
    (text,) = rest
    number = character_constant(text, Abi()) if text.endswith("'") else integer_constant(text, Abi())
    return None if number is None else sign * number.value


def _code(match: re.Match[str]) -> int:
    octal, hexadecimal, short, long, simple, plain = match.groups()
    if octal:
        return int(octal, 8)
    for digits in (hexadecimal, short, long):
        if digits:
            return int(digits, 16)
    if simple:
        return _SIMPLE.get(simple, ord(simple))
    return ord(plain)


_GNU_SUFFIX = regex(r"([\d.]+(?:[eE][-+]?\d+)?|0[xX][\da-fA-F.]+(?:[pP][-+]?\d+)?)([a-zA-Z]\w*)\Z")
_GNU_TYPES = {
    "f16": "_Float16",
    "f32": "float",
    "f64": "double",
    "f128": "__float128",
    "q": "__float128",
    "w": "long double",
}


def plain_number(text: str) -> tuple[str, list[str]] | None:
    """A constant with a GNU suffix as a plain one and the words of the type to cast it to: `2.0Q`, `1.0iF`."""
    match = _GNU_SUFFIX.match(text)
    if not match:
        return None
    value, suffix = match[1], match[2].lower()
    if suffix in _GNU_TYPES:
        return value, _GNU_TYPES[suffix].split()
    if "i" in suffix or "j" in suffix:
        rest = suffix.replace("i", "").replace("j", "")
        return value, [*{"f": "float", "l": "long double"}.get(rest, "double").split(), "_Complex"]
    return None


def letters_of(text: str) -> int | None:
    """How many a string literal has, as it is written; None where that takes reading it: escapes, several in a row."""
    plain = len(text) > 1 and text[0] == text[-1] == '"' and "\\" not in text and '"' not in text[1:-1]
    return len(text) - 2 if plain else None
