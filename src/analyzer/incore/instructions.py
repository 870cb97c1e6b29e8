"""Which operation of a core an operator or a function of C is: what compilers put in its place.

*Does not see* what a compiler simplifies by algebra.
"""

from ..ir.c_library import cost
from ..ir.nodes import Assign, Branch, Call, Expression, Literal, Load, Operation, Use, Variable, unconverted
from ..source.ctypes import Complex, CType, Floating

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
WIDENING = ("+", "-", "*", "<<", ">>")
"""Operations on integers that vectors do in the type that C promotes to; comparisons and bits stay in memory's."""
BITS = ("popcount", "clz", "ctz", "ffs", "parity")
"""Functions of compilers that are an instruction, and count bits or look for one: on x86 in the time of a product."""
NO_INSTRUCTION = ("round", "lround", "llround")
"""Functions of few operations that are calls without -ffast-math: they round half away from zero, as no instruction."""
INSTRUCTION = 2
"""Operations of a library function up to which compilers put an instruction in its place."""


def kind(operator: str, type_: CType) -> str:
    """The operation of a core that an operator of this type is.

    Example: `kind("*", double)` is `multiply fp64`."""
    if isinstance(type_, Floating | Complex):
        part = type_.part if isinstance(type_, Complex) else type_
        word = {"+": "add", "-": "add", "*": "multiply", "/": "divide"}.get(operator, "compare")
        return f"{word} {'fp32' if part.size <= 4 else 'fp64'}"
    if operator in COMPARISONS:
        return "compare"
    return {"*": "integer-multiply", "/": "integer-divide", "%": "integer-divide"}.get(operator, "integer")


def divided(e: Operation) -> tuple[str, ...]:
    """What compilers put in place of a division of integers, or its remainder, by a number: a shift and what corrects
    it for negative ones, or a product with the reciprocal."""
    divisor = unconverted(e.arguments[-1])
    if not isinstance(divisor, Literal):
        return ("integer-divide",)
    if _is_power_of_two(divisor.value):
        return ("integer",) if not getattr(e.type, "signed", True) else ("integer",) * 3
    quotient = ("integer-multiply", "integer")
    return quotient if e.operator == "/" else (*quotient, "integer-multiply", "integer")


def _is_power_of_two(value: int | float) -> bool:
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


def goes_on(e: Operation) -> bool:
    """Whether the first operand is an operation by itself: no product that is done with the sum, no address."""
    first = e.arguments[0] if e.arguments else None
    return isinstance(first, Operation) and not first.address and not (e.operator in ("+", "-") and is_product(first))


def is_product(e: Expression) -> bool:
    return isinstance(e, Operation) and e.operator == "*" and isinstance(e.type, Floating)


def simplified(call: Call) -> str:
    """What compilers call in place of a function: `square`, of two factors, of `pow(x, 2)`."""
    stem = call.name.removeprefix("__builtin_").removesuffix("f")
    exponent = unconverted(call.arguments[-1]) if stem == "pow" and call.arguments else None
    if isinstance(exponent, Literal) and exponent.value == 2:
        return call.name.replace("pow", "square")
    return call.name


def instruction(name: str) -> str:
    """The operation that a function is, a root among them; `call` where compilers leave it."""
    plain = name.removeprefix("__builtin_")
    stem = plain.removesuffix("f")
    precision = "fp32" if plain != stem else "fp64"
    if plain.startswith(BITS):
        return "integer-multiply"
    if stem in ("sqrt", "fma", "square"):
        return {"sqrt": "root", "fma": "fused", "square": "multiply"}[stem] + f" {precision}"
    if stem not in NO_INSTRUCTION and _operations(name) <= INSTRUCTION:
        return f"compare {precision}"
    return f"call {plain}"


def _operations(name: str) -> int:
    try:
        found = cost(name)
    except KeyError:
        return INSTRUCTION + 1
    return found.flops + found.fp_other + found.int_ops


def selects(s: Branch) -> bool:
    """Whether compilers make a selection of the branch: at most two scalars, which nothing dear computes, and no
    arithmetic on floats, which may trap."""
    sides = (*s.then, *s.otherwise)
    return len(sides) <= 2 and all(
        isinstance(a, Assign) and isinstance(a.target, Variable) and _is_cheap(a.value) for a in sides
    )


def is_extremum(condition: Expression, then: Expression, otherwise: Expression) -> bool:
    """`a < b ? a : b`: one operation that compares and selects."""
    match unconverted(condition):
        case Operation(operator="<" | "<=" | ">" | ">=", arguments=arguments):
            compared = [unconverted(a) for a in arguments]
            return all(any(unconverted(side) == a for a in compared) for side in (then, otherwise))
        case _:
            return False


def _is_cheap(e: Expression) -> bool:
    match unconverted(e):
        case Literal() | Use() | Load():
            return True
        case Operation(operator="+" | "-", arguments=arguments, type=type_) if not isinstance(type_, Floating):
            return all(isinstance(unconverted(a), Literal | Use | Load) for a in arguments)
        case _:
            return False
