"""Sizes and conventions of the target, from the macros that the compiler predefines or from a name."""

from collections.abc import Mapping

from msgspec.structs import replace

from .listing import MacroEvent
from .unit import Abi

_LP64 = Abi()
ABIS: Mapping[str, Abi] = {
    "lp64": _LP64,
    "llp64": Abi("llp64", {**_LP64.sizes, "long": 4, "long double": 8}),
    "ilp32": Abi(
        "ilp32",
        {**_LP64.sizes, "long": 4, "pointer": 4, "long double": 12},
        alignments={"double": 4, "long long": 4, "unsigned long long": 4, "long double": 4},
    ),
}
"""`ilp32` is that of i386 System V, where eight-byte scalars in records are aligned to four."""

_SIZES = {
    "short": "SHORT",
    "int": "INT",
    "long": "LONG",
    "long long": "LONG_LONG",
    "float": "FLOAT",
    "double": "DOUBLE",
    "long double": "LONG_DOUBLE",
    "pointer": "POINTER",
}


def abi_of(macros: Mapping[str, list[MacroEvent]], wanted: str | None, short_enums: bool | None = None) -> Abi:
    """The ABI asked for by name, else the one the compiler's predefined macros describe, else LP64. `short_enums`:
    what the flags say of them, if they do."""
    abi = _described(macros) if wanted is None else ABIS[wanted]
    return abi if short_enums is None else replace(abi, short_enums=short_enums)


def _described(macros: Mapping[str, list[MacroEvent]]) -> Abi:
    sizes = {name: _integer(macros, f"__SIZEOF_{word}__") for name, word in _SIZES.items()}
    known = {name: size for name, size in sizes.items() if size is not None}
    if "pointer" not in known or "long" not in known:
        return ABIS["lp64"]
    name = {(8, 8): "lp64", (8, 4): "llp64", (4, 4): "ilp32"}.get((known["pointer"], known["long"]), "other")
    base = ABIS.get(name, ABIS["lp64"])
    return replace(
        base,
        name=name,
        sizes={**base.sizes, **known},
        char_signed="__CHAR_UNSIGNED__" not in macros,
        little_endian=_text(macros, "__BYTE_ORDER__") != "__ORDER_BIG_ENDIAN__",
        alignments=base.alignments if "__i386__" in macros else {},
        short_enums=_integer(macros, "__ARM_SIZEOF_MINIMAL_ENUM") == 1,
    )


def predefined(abi: Abi) -> list[str]:
    """`NAME VALUE` of the macros by which headers and programs learn the ABI, for the built-in preprocessor."""
    sizes = [f"__SIZEOF_{word}__ {abi.sizes[name]}" for name, word in _SIZES.items()]
    order = ["__ORDER_LITTLE_ENDIAN__ 1234", "__ORDER_BIG_ENDIAN__ 4321", "__BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__"]
    model = ["__LP64__ 1", "_LP64 1"] if abi.name == "lp64" else []
    return [*sizes, *order, *model, "__CHAR_BIT__ 8"]


def _text(macros: Mapping[str, list[MacroEvent]], name: str) -> str:
    events = macros.get(name)
    return (events[-1].text or "").strip() if events else ""


def _integer(macros: Mapping[str, list[MacroEvent]], name: str) -> int | None:
    text = _text(macros, name)
    return int(text) if text.isdigit() else None
