"""C's arithmetic types: promotions, usual conversions, ranges (C11 6.3.1)."""

from ..source import literals
from ..source.ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Unknown
from ..source.unit import Abi
from .polynomials import Poly


def integer(abi: Abi, name: str) -> Integer:
    """A named integer type of the ABI: `integer(abi, "unsigned long")`."""
    return literals.integer(name, abi)


def promote(abi: Abi, type_: CType) -> CType:
    """Integer promotion: what is narrower than `int` becomes `int`; qualifiers fall away."""
    match type_:
        case Integer(size=size) if size < abi.sizes["int"]:
            return integer(abi, "int")
        case Integer(volatile=False, atomic=False, const=False):
            return type_
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


def keeps_integers(source: Integer, to: Integer) -> bool:
    """Whether a conversion keeps every value. Example: of `short` to `int`, not of `int` to `unsigned long`."""
    (low, high), (least, most) = value_range(source), value_range(to)
    return least <= low and high <= most


def may_wrap(type_: Integer) -> bool:
    """Whether steps of a variable of this type wrap: those of `int` and wider signed types are undefined then."""
    return type_.name != "_Bool" and (type_.size < 4 or not type_.signed)


def is_pointer_like(type_: CType) -> bool:
    return isinstance(type_, Pointer | Array | Function)


def is_vector(type_: CType) -> bool:
    """Several numbers in one register: GNU's `vector_size`, on which the intrinsics of a processor are built."""
    return isinstance(type_, Unknown) and not type_.opaque and type_.size is not None and "vector_size" in type_.name


def is_volatile(type_: CType) -> bool:
    return bool(getattr(type_, "volatile", False))


def is_atomic(type_: CType) -> bool:
    return bool(getattr(type_, "atomic", False))


def modulo(value: int, type_: Integer) -> int:
    """A number as a value of the type: what is left of it modulo 2^w."""
    if type_.name == "_Bool":
        return int(value != 0)
    value &= (1 << 8 * type_.size) - 1
    return value - (1 << 8 * type_.size) if type_.signed and value >> (8 * type_.size - 1) else value


def interval(poly: Poly) -> tuple[int | None, int | None]:
    """Bounds of an affine polynomial from the bounds of its symbols alone; None where there is none."""
    low: int | None = 0
    high: int | None = 0
    for monomial, c in poly.terms:
        if not monomial:
            a: int | None = c
            b: int | None = c
        elif len(monomial) == 1:
            ends = [None if e is None else c * e for e in (monomial[0].low, monomial[0].high)]
            a, b = ends if c > 0 else ends[::-1]
        else:
            a = b = None
        low = None if low is None or a is None else low + a
        high = None if high is None or b is None else high + b
    return low, high
