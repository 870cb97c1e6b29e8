"""Known values as values of a C type: the same number, or the same number as long as it is in the range of the type."""

from msgspec.structs import replace

from ..base.places import Place
from ..ir.arithmetic import interval, modulo, value_range
from ..ir.nodes import Wrap
from ..ir.polynomials import Poly, number
from ..source.ctypes import Integer
from .values import IntegerValue


def surely_fits(poly: Poly, type_: Integer) -> bool:
    """Whether the bounds of its symbols alone keep a value in the range of a type."""
    low, high = value_range(type_)
    least, most = interval(poly)
    return least is not None and most is not None and low <= least and most <= high


def fits(value: IntegerValue, type_: Integer, text: str, place: Place, explicit: bool = False) -> IntegerValue:
    """`value` as a value of `type_`: unchanged where it surely fits, else under the condition that it does. `text` and
    `place` are those of the arithmetic; `explicit`: a cast or assignment narrows on purpose. 300 as an `unsigned char`
    is 44."""
    low, high = value_range(type_)
    known = value.poly.constant
    if known is not None:
        return value if low <= known <= high else IntegerValue(number(modulo(known, type_)))
    if surely_fits(value.poly, type_):
        return value
    wrap = Wrap(value.poly, low, high, text, place, explicit)
    return replace(value, wraps=(*value.wraps, wrap) if wrap not in value.wraps else value.wraps)
