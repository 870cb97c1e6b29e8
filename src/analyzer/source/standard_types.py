"""What the C library and POSIX say of their types, for a file that uses them although nothing declares them: the header
that does is missing, or stands behind a `HAVE_STDINT_H` that nobody answers."""

from collections.abc import Callable, Mapping, Sequence

from pycparser.c_lexer import Token

from .unit import Abi

_EXACT = {8: "char", 16: "short", 32: "int", 64: "long long"}
_PLAIN = {
    "FILE": "struct _IO_FILE", "DIR": "struct __dirstream", "va_list": "__builtin_va_list", "bool": "_Bool",
    "uint": "unsigned int", "ushort": "unsigned short", "ulong": "unsigned long", "uchar": "unsigned char",
    "u_char": "unsigned char", "u_short": "unsigned short", "u_int": "unsigned int", "u_long": "unsigned long",
    "pid_t": "int", "uid_t": "unsigned int", "gid_t": "unsigned int", "id_t": "unsigned int", "mode_t": "unsigned int",
    "socklen_t": "unsigned int", "clockid_t": "int", "key_t": "int", "useconds_t": "unsigned int",
    "wint_t": "unsigned int",
    "sig_atomic_t": "int", "sa_family_t": "unsigned short", "in_port_t": "unsigned short", "in_addr_t": "unsigned int",
    "char16_t": "unsigned short", "char32_t": "unsigned int", "errno_t": "int", "off64_t": "long long",
    "loff_t": "long long", "pthread_t": "unsigned long", "float_t": "float", "double_t": "double",
    "time_t": "long", "clock_t": "long", "suseconds_t": "long", "blksize_t": "long", "blkcnt_t": "long",
    "off_t": "long", "dev_t": "unsigned long", "ino_t": "unsigned long", "nlink_t": "unsigned long",
    "fpos_t": "struct _G_fpos_t", "mbstate_t": "struct __mbstate_t",
}  # fmt: skip
_OF_A_POINTER = {"size_t": "unsigned", "uintptr_t": "unsigned", "ssize_t": "", "ptrdiff_t": "", "intptr_t": ""}
_AMBIGUOUS = frozenset(name for name in _PLAIN if not name.endswith("_t"))
"""Words that programs have other uses for."""
_WIDTHS = ("8", "16", "32", "64")
_FIXED = frozenset(
    [f"{sign}int{kind}{width}_t" for sign in ("", "u") for kind in ("", "_least", "_fast") for width in _WIDTHS]
    + [f"u_int{width}_t" for width in _WIDTHS]
    + [f"__{sign}{width}" for sign in "us" for width in _WIDTHS]
    + ["intmax_t", "uintmax_t"]
)
NAMES = frozenset((*_PLAIN, *_OF_A_POINTER, *_FIXED, "wchar_t"))
_NOT_BEFORE = frozenset((".", "->", "struct", "union", "enum", "goto", "#"))


def standard_type(name: str, abi: Abi) -> str:
    """The C type behind one of `NAMES`, with the width and sign it has under an ABI.

    `uint64_t` and its kin, BSD's `u_int8_t`, the kernel's `__u32`, `size_t`, `off_t`, `FILE` ..."""
    if name in _OF_A_POINTER:
        kind = next(k for k in ("long", "int", "long long") if abi.sizes[k] == abi.sizes["pointer"])
        return f"{_OF_A_POINTER[name]} {kind}".strip()
    if name == "wchar_t":
        return "unsigned short" if abi.name == "llp64" else "int"
    return _PLAIN[name] if name in _PLAIN else _fixed(name, abi)


def _fixed(name: str, abi: Abi) -> str:
    """A type that has its width in its name."""
    digits = "".join(sign for sign in name if sign.isdigit())
    width = int(digits) if digits else 64
    if "_fast" in name and width in (16, 32):
        width = 8 * abi.sizes["pointer"]
    base = "long" if width == 64 and abi.sizes["long"] == 8 else _EXACT[width]
    return f"{'unsigned' if name.startswith(('u', '__u')) else 'signed'} {base}"


def undeclared(
    tokens: Sequence[Token], is_known: Callable[[str], bool], as_types: Callable[[], Mapping[str, Token]]
) -> dict[str, Token]:
    """Standard type names among the tokens that nothing declares, each where it is used first. `as_types`: those that
    can only be types where they stand, asked of names that may be something else."""
    found: dict[str, Token] = {}
    doubtful = False
    for before, item in zip([None, *tokens], tokens, strict=False):
        if item.type != "ID" or item.value not in NAMES or is_known(item.value):
            continue
        if before is not None and before.value in _NOT_BEFORE:
            continue
        if item.value in _AMBIGUOUS:
            doubtful = True
        else:
            found.setdefault(item.value, item)
    only_types = as_types() if doubtful else {}
    return {**found, **{name: item for name, item in only_types.items() if name in _AMBIGUOUS}}
