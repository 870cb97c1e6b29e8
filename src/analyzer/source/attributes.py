"""GNU attributes that change a type or a layout: `packed`, `aligned`, `vector_size`, `mode`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pycparser import c_ast
from pycparser.c_lexer import Token

from .ctypes import CType, Floating, Integer, Layout, Unknown
from .layout import size_of
from .tokens import spell
from .unit import Abi

MAXIMUM_ALIGNMENT = 16
"""What `aligned` without a number means on the ABIs we know."""

_MODES = {"QI": 1, "byte": 1, "HI": 2, "SI": 4, "DI": 8, "TI": 16, "SF": 4, "DF": 8, "HF": 2, "TF": 16}


@dataclass(frozen=True, slots=True)
class TypeAttributes:
    packed: bool = False
    alignment: int = 0
    vector_size: int = 0
    mode: str = ""

    def applied_to(self, type_: CType, layouts: Mapping[str, Layout], abi: Abi) -> CType:
        """The type an object or typedef has with these attributes. A GNU vector is a type the analysis does not
        follow, of known size."""
        if self.vector_size and size_of(type_, layouts):
            name = getattr(type_, "name", "value")
            return Unknown(f"{name} __attribute__((vector_size({self.vector_size})))", self.vector_size)
        size = {"word": abi.sizes["pointer"], "pointer": abi.sizes["pointer"]}.get(self.mode, _MODES.get(self.mode))
        match type_:
            case Integer(signed=signed) if size is not None:
                ranks = ("char", "short", "int", "long", "long long", "__int128")
                rank = next((r for r in ranks if abi.sizes[r] == size), "int")
                return Integer(rank if signed and size > 1 else f"{'' if signed else 'un'}signed {rank}", size, signed)
            case Floating() if size is not None:
                return Floating({2: "_Float16", 4: "float", 8: "double"}.get(size, "__float128"), size)
            case _:
                return type_


def read_attributes(
    found: Iterable[tuple[str, list[Token]]], constant: Callable[[c_ast.Node], int | None]
) -> TypeAttributes:
    packed, alignment, vector_size, mode = False, 0, 0, ""
    for name, arguments in found:
        match name.strip("_"):
            case "packed":
                packed = True
            case "aligned":
                alignment = max(alignment, _number(arguments) or MAXIMUM_ALIGNMENT)
            case "vector_size":
                vector_size = _number(arguments) or 0
            case "mode":
                mode = spell(arguments).strip("_")
    return TypeAttributes(packed, alignment, vector_size, mode)


def _number(arguments: list[Token]) -> int | None:
    text = spell(arguments)
    return int(text, 0) if text.isdigit() or text.startswith("0x") else None
