"""Bytes of MPI's datatypes, as MPI_Type_size says: what one element puts into a message.

A predefined type is a name (Open MPI and the bundled header: the address of a variable `ompi_mpi_double`) or, in MPICH
and its relatives, a number that holds the size in bits 8 to 15. Pairs of a value and an index (MPI_DOUBLE_INT) are sent
without the padding of the C record: 12 bytes.
"""

from ..source.unit import Abi

_PREFIXES = ("ompi_mpi_", "boathull_mpi_")

_C_TYPES = {
    "char": "char",
    "signed_char": "char",
    "unsigned_char": "char",
    "short": "short",
    "unsigned_short": "short",
    "int": "int",
    "unsigned": "int",
    "long": "long",
    "unsigned_long": "long",
    "long_long_int": "long long",
    "long_long": "long long",
    "unsigned_long_long": "long long",
    "float": "float",
    "double": "double",
    "long_double": "long double",
    "c_bool": "_Bool",
    "cxx_bool": "_Bool",
}
_BYTES = {
    **dict.fromkeys(("byte", "packed", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(("int16_t", "uint16_t"), 2),
    **dict.fromkeys(("int32_t", "uint32_t"), 4),
    **dict.fromkeys(("int64_t", "uint64_t", "offset", "count"), 8),
}
_COMPLEX = {"c_complex": "float", "c_float_complex": "float", "c_double_complex": "double"}
_PAIRS = {
    "float_int": "float",
    "double_int": "double",
    "long_int": "long",
    "short_int": "short",
    "2int": "int",
    "longdbl_int": "long double",
    "long_double_int": "long double",
}
_MPICH_BASIC, _MPICH_MASK = 0x4C000000, 0xFF000000


def predefined(name: str, abi: Abi) -> int | None:
    """Bytes of the predefined type that is the variable `name`; None for anything else.

    Example: `predefined("ompi_mpi_double_int", Abi())` is 12."""
    prefix = next((p for p in _PREFIXES if name.startswith(p)), None)
    if prefix is None:
        return None
    stem = name.removeprefix(prefix)
    if stem in _C_TYPES:
        return abi.sizes[_C_TYPES[stem]]
    if stem in _COMPLEX:
        return 2 * abi.sizes[_COMPLEX[stem]]
    if stem in _PAIRS:
        return abi.sizes[_PAIRS[stem]] + abi.sizes["int"]
    if stem == "aint":
        return abi.sizes["pointer"]
    return _BYTES.get(stem)


def numbered(handle: int) -> int | None:
    """Bytes of the predefined type with this number in MPICH's headers. Example: `numbered(0x4c00080b)` is 8."""
    return handle >> 8 & 0xFF if handle & _MPICH_MASK == _MPICH_BASIC else None
