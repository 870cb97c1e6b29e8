"""Expressions as text and back: `N*(N - 1)/2`, `max(0, s->n - 2)`, `(N if N - 4 >= 0 else 2)`.

    expression = ["-"] term {("+" | "-") term}
    term       = factor {("*" | "/" | "//" | "%") factor}          left to right
    factor     = {"-"} primary ["**" INTEGER]
    primary    = NUMBER | NAME | "`" any text "`" | ("min" | "max") "(" expression {"," expression} ")"
               | "gcd" "(" expression "," INTEGER ")" | "(" expression ")"
               | "(" {expression "if" expression ">=" "0" "else"} expression ")"

A NAME may be C's way to reach a value: `s->n`, `p.x`, `a[i]`, `n@12`, `length@a`. Every other name is written in
backticks. `parse(to_text(e)) == e`, but for the last digit of float coefficients inside quotients.
"""

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby

from .algebra import add, div, floordiv, gcd, maximum, minimum, mod, mul, num, piecewise, sym
from .nodes import Add, Div, Expr, FloorDiv, Gcd, Max, Min, Mod, Mul, Num, Number, Piecewise, Sym, remembered
from .polynomial import Monomial, exact, factored, terms

_NAME = r"(?:length@)?[A-Za-z_]\w*(?:->[A-Za-z_]\w*|\.[A-Za-z_]\w*|\[\w+\]|@@?\d+)*"
_NUMBER = r"\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{_NUMBER})|(?P<name>{_NAME})|`(?P<quoted>[^`]+)`|(?P<sign>\*\*|//|>=|[-+*/%(),]))"
)
_PLAIN = re.compile(_NAME, re.ASCII)
_DEEPEST = 50
_LARGEST_DEGREE = 256
_LONGEST_NUMBER = 300
_WORDS = ("min", "max", "gcd", "if", "else")


class ExprSyntaxError(ValueError):
    """Text that is no expression; `column` counts from 1."""

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(f"{message} at column {position + 1} of {text!r}")
        self.column = position + 1


# --- writing


@remembered("_text")
def to_text(expr: Expr) -> str:
    """Readable text, with denominators and common factors in front of sums."""
    match expr:
        case Num(value):
            return _number(value)
        case Sym(name):
            return name if _PLAIN.fullmatch(name) and name not in _WORDS else f"`{name}`"
        case Add():
            return _sum(expr)
        case Mul():
            ((monomial, coefficient),) = terms(expr).items()
            return _product(coefficient, monomial)
        case Div(above, below):
            return f"{_factor(above)}/{_factor(below)}"
        case FloorDiv(above, below):
            return f"{_factor(above)}//{_factor(below)}"
        case Mod(above, below):
            return f"{_factor(above)}%{_factor(below)}"
        case Gcd(value, limit):
            return f"gcd({to_text(value)}, {limit})"
        case Min(parts):
            return f"min({', '.join(map(to_text, parts))})"
        case Max(parts):
            return f"max({', '.join(map(to_text, parts))})"
        case Piecewise(cases, otherwise):
            choices = "".join(f"{to_text(v)} if {to_text(c)} >= 0 else " for c, v in cases)
            return f"({choices}{to_text(otherwise)})"


def _number(value: Number) -> str:
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else repr(value)


def _factor(expr: Expr) -> str:
    """Text that binds at least as strongly as a factor."""
    text = to_text(expr)
    match expr:
        case Sym() | Gcd() | Min() | Max() | Piecewise():
            return text
        case Num(int() | float() as value) if value >= 0:
            return text
        case _:
            return f"({text})"


def _sum(expr: Add) -> str:
    polynomial = terms(expr)
    atoms = [atom for monomial in polynomial for atom in monomial]
    scale, common, rest = factored(expr)
    if isinstance(scale, float) or any(isinstance(c, float) for c in polynomial.values()):
        return _joined(polynomial.items())
    if any(isinstance(atom, Add | Div) for atom in atoms):
        return _joined(polynomial.items())
    if common:
        if scale < 0 and isinstance(rest, Add) and any(c < 0 for c in terms(rest).values()):
            scale, rest = -scale, mul(-1, rest)  # `n*(m - i)`, not `-n*(i - m)`
        return _product(scale, (*common, rest))
    denominator = scale.denominator
    if denominator > 1:
        return f"({_joined((m, exact(c * denominator)) for m, c in polynomial.items())})/{denominator}"
    return _joined(polynomial.items())


def _joined(parts: Iterable[tuple[Monomial, Number]]) -> str:
    """The terms with their signs between them, a positive one first where there is one."""
    ordered = list(parts)
    first = next((p for p in ordered if p[1] > 0), ordered[0])
    ordered.remove(first)
    text = _product(first[1], first[0])
    for monomial, c in ordered:
        text += f" - {_product(-c, monomial)}" if c < 0 else f" + {_product(c, monomial)}"
    return text


def _product(coefficient: Number, monomial: Monomial) -> str:
    if not monomial:
        return _number(coefficient)
    if len(monomial) == 1 and isinstance(monomial[0], Div):
        return _quotient(coefficient, monomial[0])
    if coefficient < 0:
        turned = next((k for k, atom in enumerate(monomial) if _has_a_minus(atom) and monomial.count(atom) == 1), None)
        if turned is not None:  # `n*(3 - p)`, not `-n*(p - 3)`
            other = mul(-1, monomial[turned])
            return _product(-coefficient, (*monomial[:turned], other, *monomial[turned + 1 :]))
    sign = "-" if coefficient < 0 else ""
    above, below = _parts(-coefficient if coefficient < 0 else coefficient)
    factors = [_number(above)] if above != 1 else []
    for atom, run in groupby(monomial):
        count = len(list(run))
        factors += [_factor(atom)] * count if count <= 2 else [f"{_factor(atom)}**{count}"]
    return sign + "*".join(factors) + (f"/{below}" if below != 1 else "")


def _has_a_minus(atom: Expr) -> bool:
    return isinstance(atom, Add) and any(c < 0 for c in terms(atom).values())


def _parts(value: Number) -> tuple[Number, int]:
    return (value, 1) if isinstance(value, float) else (value.numerator, value.denominator)


def _quotient(coefficient: Number, quotient: Div) -> str:
    if coefficient == 1:
        return to_text(quotient)
    if isinstance(coefficient, float):
        return f"{_number(coefficient)}*({to_text(quotient)})"
    scale = Fraction(coefficient)
    above, below = mul(abs(scale.numerator), quotient.numerator), mul(scale.denominator, quotient.denominator)
    return ("-" if scale < 0 else "") + f"{_factor_or_product(above)}/{_factor(below)}"


def _factor_or_product(expr: Expr) -> str:
    """Text that may stand in front of a `/`."""
    return to_text(expr) if isinstance(expr, Mul) and not _has_fraction(expr) else _factor(expr)


def _has_fraction(expr: Mul) -> bool:
    return isinstance(expr.factors[0], Num) and isinstance(expr.factors[0].value, Fraction)


# --- reading


def parse(text: str) -> Expr:
    """The expression written in `text`; ExprSyntaxError names the column of what cannot be read."""
    parser = _Parser(text)
    expr = parser.expression()
    parser.expect("")
    return expr


class _Parser:
    """Recursive descent over the grammar at the top of this module, one method per rule."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.start = 0
        self.kind = ""
        self.token = ""
        self.depth = 0
        self.advance()

    def advance(self) -> str:
        """Steps to the next token ('' at the end) and returns the one it leaves."""
        left = self.token
        found = _TOKEN.match(self.text, self.position)
        if found is None or found.lastgroup is None:
            rest = self.text[self.position :]
            self.start = self.position + len(rest) - len(rest.lstrip())
            if rest.strip():
                raise ExprSyntaxError(f"unexpected {rest.strip()[0]!r}", self.text, self.start)
            self.kind = self.token = ""
            return left
        self.kind, self.token = found.lastgroup, found.group(found.lastgroup)
        self.start, self.position = found.start(found.lastgroup), found.end()
        return left

    def fail(self, wanted: str) -> ExprSyntaxError:
        return ExprSyntaxError(f"expected {wanted}, found {self.token or 'the end'!r}", self.text, self.start)

    def at(self, *tokens: str) -> bool:
        return self.kind in ("sign", "name") and self.token in tokens

    def accept(self, token: str) -> bool:
        found = self.at(token)
        if found:
            self.advance()
        return found

    def expect(self, token: str) -> None:
        if self.token != token or self.kind in ("number", "quoted"):
            raise self.fail(repr(token) if token else "the end")
        if token:
            self.advance()

    def expression(self) -> Expr:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ExprSyntaxError(f"more than {_DEEPEST} levels of parentheses", self.text, self.start)
        parts = [-self.term() if self.accept("-") else self.term()]
        while self.at("+", "-"):
            parts.append(self.term() if self.advance() == "+" else -self.term())
        self.depth -= 1
        return add(*parts)

    def term(self) -> Expr:
        factors = self.factor()
        while self.at("*", "/", "//", "%"):
            operator = self.advance()
            right = self.factor()
            if operator == "*":
                factors += right
            else:
                factors = [self.quotient(operator, mul(*factors), mul(*right))]
        return mul(*factors)

    def quotient(self, operator: str, above: Expr, below: Expr) -> Expr:
        try:
            match operator:
                case "/":
                    return div(above, below)
                case "//":
                    return floordiv(above, below)
                case _:
                    return mod(above, below)
        except ZeroDivisionError:
            raise ExprSyntaxError("division by zero", self.text, self.start) from None

    def factor(self) -> list[Expr]:
        """A list, so that a product is multiplied out once, however it is written."""
        sign: list[Expr] = []
        while self.accept("-"):
            sign = [] if sign else [num(-1)]
        return [*sign, *self.power()]

    def power(self) -> list[Expr]:
        base = self.primary()
        if not self.accept("**"):
            return [base]
        if self.kind != "number" or not self.token.isdigit():
            raise self.fail("a whole number")
        degree = max((len(monomial) for monomial in terms(base)), default=0)
        if len(self.token) > 3 or int(self.token) * max(degree, 1) > _LARGEST_DEGREE:
            raise ExprSyntaxError(f"a degree above {_LARGEST_DEGREE}", self.text, self.start)
        return [base] * int(self.advance())

    def primary(self) -> Expr:
        match self.kind:
            case "number":
                return num(self.number())
            case "quoted":
                return sym(self.advance())
            case "name" if self.token in ("min", "max"):
                return self.extremum(self.advance())
            case "name" if self.token == "gcd":
                self.advance()
                return self.divisor()
            case "name" if self.token not in _WORDS:
                return sym(self.advance())
            case _:
                if not self.accept("("):
                    raise self.fail("a number, a name or '('")
                return self.parenthesised()

    def number(self) -> Number:
        token = self.token
        if len(token) > _LONGEST_NUMBER or math.isinf(float(token)):
            raise self.fail("a number within the range of floats")
        self.advance()
        return int(token) if token.isdigit() else float(token)

    def extremum(self, name: str) -> Expr:
        self.expect("(")
        arguments = [self.expression()]
        while self.accept(","):
            arguments.append(self.expression())
        self.expect(")")
        return minimum(*arguments) if name == "min" else maximum(*arguments)

    def divisor(self) -> Expr:
        self.expect("(")
        value = self.expression()
        self.expect(",")
        if self.kind != "number" or not self.token.isdigit() or not int(self.token):
            raise self.fail("a whole number above 0")
        limit = int(self.advance())
        self.expect(")")
        return gcd(value, limit)

    def parenthesised(self) -> Expr:
        cases: list[tuple[Expr, Expr]] = []
        value = self.expression()
        while self.accept("if"):
            condition = self.expression()
            self.expect(">=")
            if self.token != "0":
                raise self.fail("'0'")
            self.advance()
            self.expect("else")
            cases.append((condition, value))
            value = self.expression()
        self.expect(")")
        return piecewise(cases, value)
