"""GNU attributes: which of them change a type or a layout, and how."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct
from pycparser import c_ast
from pycparser.c_lexer import Token

from .brackets import split
from .ctypes import CType, Floating, Integer, Layout, Unknown
from .layout import size_of
from .literals import integer_constant
from .tokens import spell
from .unit import Abi

Attribute: TypeAlias = tuple[str, list[Token]]
"""Name and the tokens of its arguments."""

LAYOUT = frozenset(("packed", "aligned", "vector_size", "mode", "scalar_storage_order", "ms_struct", "may_alias"))
CLEANUP = "cleanup"
# They advise the compiler or the linker; what the code computes and where its data lie is the same without them.
HARMLESS = frozenset(
    """access alias alloc_align alloc_size always_inline artificial assume_aligned cold const constructor copy
    counted_by deprecated designated_init destructor error externally_visible fallthrough fd_arg flatten format
    format_arg gnu_inline hot leaf malloc naked no_icf no_instrument_function no_profile_instrument_function
    no_reorder no_sanitize no_sanitize_address no_sanitize_thread no_sanitize_undefined no_split_stack
    no_stack_protector noclone nocf_check noinline noipa nonnull nonstring noplt noreturn nothrow optimize overloadable
    patchable_function_entry pure returns_nonnull section sentinel stack_protect tainted_args target target_clones
    tls_model transparent_union unavailable unused used visibility volatile warn_if_not_aligned warn_unused_result
    warning weak weakref zero_call_used_regs nodebug no_thread_safety_analysis type_visibility enum_extensibility
    fastcall stdcall cdecl regparm sysv_abi ms_abi dllimport dllexport selectany address_space""".split()  # noqa: SIM905
)

MAXIMUM_ALIGNMENT = 16
"""What `aligned` without a number means on the ABIs we know."""

_MODES = {"QI": 1, "byte": 1, "HI": 2, "SI": 4, "DI": 8, "TI": 16, "SF": 4, "DF": 8, "HF": 2, "TF": 16}


class TypeAttributes(Struct, frozen=True):
    packed: bool = False
    alignment: int = 0
    vector_size: int = 0
    mode: str = ""
    may_alias: bool = False

    def applied_to(self, type_: CType, layouts: Mapping[str, Layout], abi: Abi) -> CType:
        """The type an object or typedef has with these attributes. A GNU vector is a type the analysis does not
        follow, of known size; so is a number that may be stored over one of any other type."""
        if self.vector_size and size_of(type_, layouts):
            name = getattr(type_, "name", "value")
            return Unknown(f"{name} __attribute__((vector_size({self.vector_size})))", self.vector_size)
        if self.may_alias and isinstance(type_, Integer | Floating):
            return Unknown(f"{type_.name} __attribute__((may_alias))", type_.size)
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


def attribute_list(tokens: list[Token]) -> list[Attribute]:
    """The attributes inside the outer parentheses: `(packed, aligned(8))`."""
    inner = tokens[1:-1] if tokens and tokens[0].value == "(" else tokens
    return [(part[0].value, part[2:-1]) for part in split(inner, ",") if part]


def read_attributes(found: Iterable[Attribute], constant: Callable[[c_ast.Node], int | None]) -> TypeAttributes:
    packed, alignment, vector_size, mode, may_alias = False, 0, 0, "", False
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
            case "may_alias":
                may_alias = True
    return TypeAttributes(packed, alignment, vector_size, mode, may_alias)


def _number(arguments: list[Token]) -> int | None:
    number = integer_constant(spell(arguments), Abi())
    return None if number is None else number.value
