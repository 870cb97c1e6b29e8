"""Polynomials of the analysis as C expressions that are valid where a loop begins.

*Decides*: which C text has the value of a polynomial before the loop. *Method*: by what variables hold there
(`ir.Loop.held`), by members and elements that the loop's own text reads and nothing in it changes, and by C for
quotients, remainders and extrema. Mathematical integers become `long long` where C would take a modulo or overflow.
*Errs toward* None: no text is known.

    m = s->n - 1;  for (i = 0; i < m; i++) ...        s->n - 1 is `m`, and s->n is `m + 1`
"""

import re

from ..loops import ir
from ..polyhedra.poly import Poly, Symbol, symbol
from ..source.ctypes import CType, Integer
from .site import Site, Where

_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_WIDE = "(long long)"
_OTHER_THAN_SUM = re.compile(r"[?:&|^,=~!<]|(?<!-)>")
"""What binds less than `+` does."""


class Writer:
    """C text for the values of one loop."""

    def __init__(self, site: Site, loop: ir.Loop) -> None:
        self.site, self.loop = site, loop
        named = (v for _, v in loop.held if site.where(v) in (Where.NAMED, Where.SHARED))
        self.names = {v.name: v for v in named}
        self.held = tuple((p, v) for p, v in loop.held if self.names.get(v.name) == v)

    def text(self, value: Poly) -> str | None:
        """The value as C. Example: `2*n` for a parameter n, `2*(long long)n` for an unsigned one."""
        if value.constant is not None:
            return str(value.constant)
        for held, variable in self.held:
            over = (value - held).constant
            if over == 0:
                return variable.name
            if over is not None and abs(over) <= 2 and len(value.symbols) == 1:
                return f"{_operand(variable)} {'+' if over > 0 else '-'} {abs(over)}"
        return self._sum(value)

    def _sum(self, value: Poly) -> str | None:
        parts: list[str] = []
        for monomial, factor in value.terms:
            factors = [self._symbol(s) for s in monomial]
            if any(f is None for f in factors):
                return None
            known = [f for f in factors if f is not None]
            if len(known) > 1 or abs(factor) > 1:
                known = [_widened(known[0]), *known[1:]] if known else known
            if abs(factor) != 1 or not known:
                known.insert(0, str(abs(factor)))
            sign = "-" if factor < 0 else "+"
            text = "*".join(known)
            parts.append(f" {sign} {text}" if parts else f"-{text}" if factor < 0 else text)
        return "".join(parts) or "0"

    def _symbol(self, s: Symbol) -> str | None:
        for held, variable in self.held:
            if held == symbol(s):
                return _operand(variable)
        for held, variable in self.held:
            if held.coefficient(s).constant in (1, -1) and s not in held.without(s).symbols and held.is_affine:
                rest = held.without(s)
                if all(any(h == symbol(t) for h, _ in self.held) for t in rest.symbols):
                    plain = self._sum(rest)
                    sign = held.coefficient(s).constant
                    first, second = (_operand(variable), plain) if sign == 1 else (plain, _operand(variable))
                    if plain == "0":
                        return first if sign == 1 else f"(-{second})"
                    return None if plain is None else f"({first} - ({second}))"
        return self._made(s)

    def _made(self, s: Symbol) -> str | None:
        match s.origin:
            case ir.Loaded(access=access):
                return self._loaded(access)
            case ir.Quotient(value=value, divisor=d, floor=floor) if (inner := self.text(value)) is not None:
                if not floor or ((s.low or 0) >= 0 and d & (d - 1)):
                    return f"({_WIDE}({inner})/{d})"
                return None if d & (d - 1) else f"({_WIDE}({inner}) >> {d.bit_length() - 1})"
            case ir.Remainder(value=value, divisor=d, floor=floor) if (inner := self.text(value)) is not None:
                if not floor:
                    return f"({_WIDE}({inner}) % {d})"
                return None if d & (d - 1) or d >= 1 << 62 else f"({_WIDE}({inner}) & {d - 1})"
            case ir.Computed(meaning=ir.Outermost(kind=kind, values=(a, b))):
                return self.outermost(kind, (a, b))
            case ir.Computed(meaning=ir.Steps(distance=distance, width=width)):
                far, wide = self.text(distance), self.text(width)
                if far is None or wide is None:
                    return None
                far, wide = _widened(f"({far})"), f"({wide})"
                return f"({far} > 0 ? ({far} + {wide} - 1)/{wide} : 0)"
            case _:
                return None

    def outermost(self, kind: str, values: tuple[Poly, ...]) -> str | None:
        """The largest (`max`) or smallest (`min`) of some values."""
        texts = [self.text(v) for v in values]
        if any(t is None for t in texts):
            return None
        return extremum(kind, [t for t in texts if t is not None])

    def _loaded(self, access: ir.Access) -> str | None:
        """A place in memory that the loop's own text reads, by names that it leaves alone."""
        names = set(_NAME.findall(access.text))
        own = self.site.is_own(access.place) and names <= self.site.mentioned and not names & self.site.changed
        return _widened(access.text) if own and _is_wide_unsigned(access.type) else access.text if own else None


def names_in(text: str) -> frozenset[str]:
    """The variables that a C expression names: `{s, i}` of `s->a[i].b`."""
    return frozenset(_NAME.findall(text))


def _operand(variable: ir.Variable) -> str:
    """A variable in a sum: as `long long` where C would compute modulo its width."""
    return f"{_WIDE}{variable.name}" if _is_wide_unsigned(variable.type) else variable.name


def _is_wide_unsigned(type_: CType) -> bool:
    return isinstance(type_, Integer) and not type_.signed and type_.size >= 4


def _widened(text: str) -> str:
    return text if text.startswith(_WIDE) or text.lstrip("(").startswith(_WIDE) else f"{_WIDE}{text}"


def product(factor: str, count: str) -> str:
    """`factor * count` as C: `2*i`, `-(i)`, `i`."""
    if factor == "1":
        return f"({count})" if " " in count and not is_bracketed(count) else count
    if factor == "-1":
        return f"-{count}" if count.isidentifier() or is_bracketed(count) else f"-({count})"
    plain = count if count.isidentifier() or is_bracketed(count) else f"({count})"
    wide = "" if re.fullmatch(r"-?\d{1,3}", factor) and count.isidentifier() else _WIDE
    first = factor if re.fullmatch(r"-?\w+", factor) else f"({factor})"
    return f"{first}*{wide}{plain}"


def sum_of(first: str, second: str) -> str:
    """`first + second` as C: `n - 1` for `n` and `-1`."""
    if second == "0":
        return first
    if first == "0":
        return second[1:-1] if is_bracketed(second) and "?" not in second else second
    return f"{first} - {second[1:]}" if second.startswith("-") else f"{first} + {second}"


def begins_sum(text: str) -> bool:
    """Whether a sum can begin with this text as it is: `a->n - 1`, but not `n > 0 ? n : 0`."""
    return not _OTHER_THAN_SUM.search(text)


def extremum(kind: str, texts: list[str]) -> str:
    """The largest (`max`) or smallest (`min`) of some values."""
    found = texts[0]
    for text in texts[1:]:
        a, b = f"{_WIDE}({found})", f"{_WIDE}({text})"
        found = f"({a} {'>' if kind == 'max' else '<'} {b} ? {a} : {b})"
    return found


def at_least(value: str, least: int) -> str:
    """The value, or `least` where it is smaller."""
    plain = value if value.isidentifier() or is_bracketed(value) else f"({value})"
    return f"({plain} > {least} ? {plain} : {least})"


def is_bracketed(text: str) -> bool:
    """Whether one pair of brackets is around all of a text."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return at == len(text) - 1 and text.startswith("(")
    return False
