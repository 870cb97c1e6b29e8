"""C's arithmetic types: promotions, usual conversions, ranges (C11 6.3.1)."""

from ..source import literals
from ..source.ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Unknown
from ..source.unit import Abi


def integer(abi: Abi, name: str) -> Integer:
    """A named integer type of the ABI: `integer(abi, "unsigned long")`."""
    return literals.integer(name, abi)


def promote(abi: Abi, type_: CType) -> CType:
    """Integer promotion: what is narrower than `int` becomes `int`; qualifiers fall away."""
    match type_:
        case Integer(size=size) if size < abi.sizes["int"]:
            return integer(abi, "int")
        case Integer(name=name, size=size, signed=signed):
            return Integer(name, size, signed)
        case Floating(name=name, size=size):
            return Floating(name, size)
        case Unknown(size=None):
            return integer(abi, "int")
        case _:
            return type_


def usual(abi: Abi, left: CType, right: CType) -> CType:
    """The common type of two arithmetic operands after the usual arithmetic conversions."""
    a, b = promote(abi, left), promote(abi, right)
    if isinstance(a, Complex) or isinstance(b, Complex):
        return a if isinstance(a, Complex) else b
    if isinstance(a, Floating) and isinstance(b, Floating):
        return a if a.size >= b.size else b
    if isinstance(a, Floating):
        return a
    if isinstance(b, Floating):
        return b
    if isinstance(a, Integer) and isinstance(b, Integer):
        if a.size != b.size:
            return a if a.size > b.size else b
        return b if a.signed else a
    return a


def value_range(type_: Integer) -> tuple[int, int]:
    """Smallest and largest value."""
    if type_.name == "_Bool":
        return 0, 1
    bits = 8 * type_.size
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type_.signed else (0, (1 << bits) - 1)


def is_pointer_like(type_: CType) -> bool:
    return isinstance(type_, Pointer | Array | Function)


def is_volatile(type_: CType) -> bool:
    return bool(getattr(type_, "volatile", False))


def is_atomic(type_: CType) -> bool:
    return bool(getattr(type_, "atomic", False))
