"""Constants as the program has them."""

from pycparser import c_ast

from ...source.ctypes import Array, CType, Floating
from ...source.literals import character_constant, integer_constant
from ...source.nodes import of_tree
from ...source.unit import Abi
from ..witness.arithmetic import StuckError, exact
from .world import Value


def is_const(type_: CType) -> bool:
    while isinstance(type_, Array):
        type_ = type_.element
    return bool(getattr(type_, "const", False))


@of_tree
def _parsed(node: c_ast.Constant) -> list[Value | None]:
    return []


def constant(node: c_ast.Constant, abi: Abi) -> Value | None:
    known = _parsed(node)
    if not known:
        known.append(_read(node, abi))
    return known[0]


def _read(node: c_ast.Constant, abi: Abi) -> Value | None:
    text: str = node.value
    if node.type == "string" or text.endswith('"'):
        return None
    if node.type in ("float", "double", "long double"):
        number = float.fromhex(text) if "x" in text.lower() else float(text.rstrip("fFlL"))
        return Value(Floating(node.type, abi.sizes[node.type]), exact(number))
    found = character_constant(text, abi) if text.endswith("'") else integer_constant(text, abi)
    if found is None:
        raise StuckError("constant")
    return Value(found.type, found.value)


def codes(text: str) -> bytes | None:
    """The characters of a string, where it has no escapes."""
    inner = text[1:-1]
    return inner.encode() if text.startswith('"') and "\\" not in inner and '"' not in inner else None
