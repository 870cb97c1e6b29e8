"""C constants in the syntax tree: their value and type (C11 6.4.4)."""

from math import isfinite, nan

from pycparser import c_ast

from ..source.ctypes import CType, Floating, Integer, Pointer
from ..source.literals import character_constant, integer_constant
from ..source.unit import Abi


def literal(abi: Abi, node: c_ast.Constant) -> tuple[int | float | None, CType]:
    """Value and type of a constant; a string has no value. `literal(abi, 0x10u)` is `(16, unsigned int)`."""
    text = node.value
    if "string" in node.type or text.endswith('"'):
        return None, Pointer(Integer("char", 1, abi.char_signed), abi.sizes["pointer"])
    found = character_constant(text, abi) if text.endswith("'") else integer_constant(text, abi)
    return (found.value, found.type) if found is not None else _floating(abi, text)


def _floating(abi: Abi, text: str) -> tuple[float, CType]:
    """`1.5f`, `1e-3`, `0x1p4L`; an imaginary suffix is dropped (its type is the real part's)."""
    body = text.lower()
    digits = body.rstrip("lijqd") if body.startswith("0x") else body.rstrip("flijqd")
    name = "double"
    if "l" in body[len(digits) :]:
        name = "long double"
    elif body.endswith("f") and (not body.startswith("0x") or "p" in body):
        name, digits = "float", digits.rstrip("f")
    return _value(digits), Floating(name, abi.sizes[name])


def _value(digits: str) -> float:
    """Not a number, which equals none, where it is beyond a double: in a `long double` it is another one than any that
    could stand for it here."""
    try:
        value = float.fromhex(digits) if digits.startswith("0x") else float(digits)
    except OverflowError:
        return nan
    return value if isfinite(value) else nan
