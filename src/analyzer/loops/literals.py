"""C constants: their value and type (C11 6.4.4)."""

from pycparser import c_ast

from ..source.ctypes import CType, Floating, Integer, Pointer
from ..source.unit import Abi
from . import arithmetic

_ESCAPES = {
    "n": 10,
    "t": 9,
    "r": 13,
    "0": 0,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
}


def literal(abi: Abi, node: c_ast.Constant) -> tuple[int | float | None, CType]:
    """Value and type of a constant; a string has no value. `literal(abi, 0x10u)` is `(16, unsigned int)`."""
    text = node.value
    if "string" in node.type or text.endswith('"'):
        return None, Pointer(Integer("char", 1, abi.char_signed), abi.sizes["pointer"])
    if text.endswith("'"):
        return _character(text), arithmetic.integer(abi, "int")
    if _is_floating(text):
        return _floating(abi, text)
    return _integer(abi, text)


def _is_floating(text: str) -> bool:
    lower = text.lower()
    if lower.startswith("0x"):
        return "p" in lower or "." in lower
    return "." in lower or "e" in lower or lower[-1] in "fi" or lower.endswith("df")


def _floating(abi: Abi, text: str) -> tuple[float, CType]:
    body = text.lower()
    is_hexadecimal = body.startswith("0x")
    digits = body.rstrip("lijq") if is_hexadecimal else body.rstrip("flijqd")
    name = "double"
    tail = body[len(digits) :]
    if (not is_hexadecimal and "f" in tail) or (is_hexadecimal and "p" in body and body.endswith("f")):
        name = "float"
        digits = digits.rstrip("f") if is_hexadecimal else digits
    elif "l" in tail:
        name = "long double"
    value = float.fromhex(digits) if is_hexadecimal else float(digits)
    return value, Floating(name, abi.sizes[name])


def _integer(abi: Abi, text: str) -> tuple[int, CType]:
    digits = text.lower().rstrip("ulz")
    suffix = text.lower()[len(digits) :]
    if digits.startswith("0b"):
        value, decimal = int(digits, 2), False
    elif digits.startswith("0x"):
        value, decimal = int(digits, 16), False
    elif len(digits) > 1 and digits.startswith("0"):
        value, decimal = int(digits, 8), False
    else:
        value, decimal = int(digits), True
    names = ["int", "long", "long long"][min(suffix.count("l"), 2) :]
    for name in names:
        for unsigned in (False, True):
            if (unsigned and decimal and "u" not in suffix) or (not unsigned and "u" in suffix):
                continue
            type_ = arithmetic.integer(abi, f"unsigned {name}" if unsigned else name)
            if value <= arithmetic.value_range(type_)[1]:
                return value, type_
    return value, arithmetic.integer(abi, "unsigned long long")


def _character(text: str) -> int:
    body = text[text.index("'") + 1 : -1]
    if not body.startswith("\\"):
        return ord(body[0]) if body else 0
    if body[1] == "x":
        return int(body[2:], 16)
    if body[1].isdigit():
        return int(body[1:], 8)
    return _ESCAPES.get(body[1], ord(body[1]))
