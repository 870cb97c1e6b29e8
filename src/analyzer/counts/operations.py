"""What one evaluation of an expression costs: operations by kind and type, loads and stores.

Counting rules (definitions.md, Counts), literally:

- `+ - * /` of floating type one flop each, in the type after C's promotion; types up to 4 bytes count as
  fp32, larger ones (long double too) as fp64. A complex operation counts its real ones: 2 for `+ -`, 6 for
  `*`, 11 for `/`.
- Negation, comparison and written casts of floating type are `fp_other`, one each; conversions that C
  implies are free. A min or max is the comparison in it: the selection that a comparison controls counts
  nothing.
- Integer arithmetic and comparisons on data are `int_ops`; what the IR marks as address arithmetic is not. Floating
  operations count wherever they are evaluated, in the test of a loop and in a subscript too.
- `a*b + c`: a product that feeds an addition or subtraction of its own type could be fused; each addition
  fuses at most one product. Fused pairs are counted in `fma` *and* as two flops.
- What is computed from literals alone costs nothing: the compiler does it (`(int)(0.54 * (1 << 13) + 0.5)`).
- A read of a plain scalar is no load.
- Operations on data of a type that nothing declares are `opaque`: floating or integer, nobody knows.
"""

from collections.abc import Mapping
from typing import TypeAlias

from ..ir import c_library as library
from ..ir.nodes import Access, Call, Convert, Declared, Expression, Literal, Operation, unconverted
from ..source.ctypes import Array, Complex, CType, Floating, Record, Unknown

Tally: TypeAlias = Mapping[str, int]
"""Counts by the field names of `facts.loop.Counts`, per evaluation."""

NOTHING: Tally = {}

ARITHMETIC = ("+", "-", "*", "/")
COMPLEX_COST = {"+": 2, "-": 2, "*": 6, "/": 11}
SINGLE = 4
"""Bytes of the largest type counted as single precision."""


def of(expression: Expression, control: bool = False) -> Tally:
    """The cost of the node itself, without its operands and without loads; `control`: it only computes subscripts,
    addresses or loop control, whose integer operations do not count."""
    match expression:
        case (Operation() | Convert()) if is_constant(expression):
            return NOTHING
        case Operation(type=Floating() | Complex()):
            return _floating(expression)
        case Operation(type=Unknown(opaque=True), address=False):
            return {"opaque": 1}
        case Operation(address=address):
            return NOTHING if control or address else {"int_ops": 1}
        case Call(known=True):
            return _call(expression)
        case Convert() if _is_cast(expression):
            return {"fp_other": 1}
        case _:
            return NOTHING


def is_constant(expression: Expression) -> bool:
    """Whether it is made of literals only."""
    match expression:
        case Operation(arguments=arguments):
            return all(is_constant(a) for a in reversed(arguments))  # sums are deep on the left
        case Convert(argument=argument):
            return is_constant(argument)
        case _:
            return isinstance(expression, Literal)


def _is_cast(expression: Convert) -> bool:
    """A written conversion from or to a floating type."""
    if not expression.written:
        return False
    return isinstance(expression.type, Floating | Complex) or isinstance(
        _type(expression.argument), Floating | Complex
    )


def _type(expression: Expression) -> CType | None:
    return getattr(expression, "type", None)


def precision(type_: Floating | Complex) -> str:
    part = type_.part if isinstance(type_, Complex) else type_
    return "fp32" if part.size <= SINGLE else "fp64"


def _floating(operation: Operation) -> Tally:
    assert isinstance(operation.type, Floating | Complex)
    kind = precision(operation.type)
    if operation.operator not in ARITHMETIC:
        return {"fp_other": 1}
    amount = COMPLEX_COST[operation.operator] if isinstance(operation.type, Complex) else 1
    tally = {f"flops_{kind}": amount}
    if operation.operator in ("+", "-") and any(_is_product(a, operation.type) for a in operation.arguments):
        tally[f"fma_{kind}"] = 1
    return tally


def _is_product(expression: Expression, type_: CType) -> bool:
    """A product of the same type, possibly negated: `c - a*b` and `-(a*b) + c` fuse as well."""
    match expression:
        case Operation(operator="*", type=Floating() as inner, address=False):
            return isinstance(type_, Floating) and inner.size == type_.size and not is_constant(expression)
        case Operation(operator="neg", arguments=(argument,)):
            return _is_product(argument, type_)
        case _:
            return False


def _call(call: Call) -> Tally:
    cost = library.cost(call.name, _exponent(call))
    known = library.KNOWN.get(call.name)
    kind = "fp32" if known is not None and known.precision == "float" else "fp64"
    tally = {f"flops_{kind}": cost.flops, "fp_other": cost.fp_other, "int_ops": cost.int_ops}
    if call.name.removeprefix("__builtin_").rstrip("fl") == "fma" or call.name in ("fma", "fmaf", "fmal"):
        tally[f"fma_{kind}"] = 1
    return {name: n for name, n in tally.items() if n}


def _exponent(call: Call) -> int | None:
    """The constant integer second argument of `pow`, also when C converts it to a floating type."""
    if len(call.arguments) != 2:
        return None
    exponent = unconverted(call.arguments[1])
    if (
        isinstance(exponent, Operation)
        and exponent.operator == "neg"
        and isinstance(exponent.arguments[0], Literal)
    ):
        value = -exponent.arguments[0].value
    elif isinstance(exponent, Literal):
        value = exponent.value
    else:
        return None
    return int(value) if float(value).is_integer() and abs(value) <= 1024 else None


def touches_memory(access: Access) -> bool:
    """Whether an access counts as a load or store: plain scalars, local or global, do not."""
    match access.object:
        case Declared(variable=variable) if not access.subscripts and not access.field:
            return isinstance(variable.type, Array | Record)
        case _:
            return True


def load(access: Access) -> Tally:
    return {"loads": 1, "bytes_loaded": access.size} if touches_memory(access) else NOTHING


def store(access: Access) -> Tally:
    return {"stores": 1, "bytes_stored": access.size} if touches_memory(access) else NOTHING
