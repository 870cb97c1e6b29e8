"""Wrap-around variables as formulas: what an iteration gives to the next one, worked out one iteration later.

*Decides*: C for the value of a variable as an iteration begins, and after the loop, from what each iteration gives to
it (`reductions.wrap_around`).
*Errs toward* None: variables in subscripts that have another value elsewhere, subscripts with effects.

    for (i = 0; i < n; i++) { a[i] = b[i] - x;  x = b[i]; }     ->  (i > 0 ? b[i - 1] : x)
"""

import re
from math import isfinite

from msgspec import Struct

from ..ir import nodes as ir
from ..ir.polynomials import Poly
from ..source.ctypes import CType, Floating, Integer
from .site import Where
from .texts import names_in, product, sum_of
from .written import Writer


class Previous(Struct, frozen=True):
    """The variable, and what an iteration gives to it for the next one."""

    variable: ir.Variable
    value: ir.Expression
    start: Poly | None = None


class Iteration(Struct, frozen=True):
    """How an iteration is named: `before` is the number of the one before it as C, `count` its own. `own`: the variable
    of the loop with its value in the iteration, where that has a name."""

    count: str
    before: str
    own: tuple[str, Poly] | None = None


def numbered(count: str, own: tuple[str, Poly] | None = None) -> Iteration:
    """The iteration of this number."""
    plain = count if count.isidentifier() or count.isdigit() else f"({count})"
    return Iteration(plain, f"({plain} - 1)", own)


def text_of(writer: Writer, found: Previous, iteration: Iteration) -> str | None:
    """The value as the iteration begins. Example: see the module."""
    value = _Text(writer, iteration).of(found.value)
    if value is None:
        return None
    if _name(found.value.type) != _name(found.variable.type) and not isinstance(found.value, ir.Use | ir.Literal):
        value = f"({_name(found.variable.type)}){value}"
    return f"({iteration.count} > 0 ? {value} : {found.variable.name})"


class _Text:
    """Expressions in the values of one iteration before."""

    def __init__(self, writer: Writer, iteration: Iteration) -> None:
        self.writer, self.iteration = writer, iteration

    def of(self, e: ir.Expression) -> str | None:
        match e:
            case ir.Literal(value=value):
                return repr(value) if isfinite(value) else None
            case ir.Use():
                return self._use(e)
            case ir.Load():
                return self._load(e)
            case ir.Convert(type=type_, argument=argument) if _name(type_) == _name(argument.type):
                return self.of(argument)
            case ir.Convert(type=type_, argument=argument):
                text = self._operand(argument)
                return None if text is None or _name(type_) is None else f"({_name(type_)}){text}"
            case ir.Operation(operator=operator, arguments=arguments):
                texts = [t for a in arguments if (t := self._operand(a)) is not None]
                if len(texts) < len(arguments):
                    return None
                sign = {"neg": "-"}.get(operator, operator)
                return f"({sign}{texts[0]})" if len(texts) == 1 else f"({texts[0]} {sign} {texts[1]})"
            case _:
                return None

    def _operand(self, e: ir.Expression) -> str | None:
        """The same in arithmetic, where the type of a sum matters."""
        text = self.of(e)
        match e:
            case ir.Literal(type=Integer(name="int") | Floating(name="double")):
                return text if text is None or not text.startswith("-") else f"({text})"
            case ir.Use() | ir.Literal() if text is not None and not text.isidentifier():
                pass
            case _:
                return text
        return None if _name(e.type) is None else f"({_name(e.type)})({text})"

    def _use(self, e: ir.Use) -> str | None:
        known = e.value
        if known is not None and known.constant is not None:
            return str(known.constant)
        if known is None or self.writer.loop.counter not in known.symbols:
            named = self.writer.site.where(e.variable) is Where.NAMED and e.variable.name in self._steady_names
            if named or known is None:
                return e.variable.name if named else None
        return self._poly(known)

    def _poly(self, value: Poly) -> str | None:
        counter, own = self.writer.loop.counter, self.iteration.own
        step = value.coefficient(counter)
        if own is not None:
            beside = (value - own[1] - step).constant
            if beside is not None:
                return sum_of(own[0], str(beside))
        first, by = self.writer.text(value.without(counter)), self.writer.text(step)
        return None if first is None or by is None else sum_of(first, product(by, self.iteration.before))

    def _load(self, e: ir.Load) -> str | None:
        """The text of the place, with what its variables are one iteration before."""
        text, named = e.access.text, dict[str, str | None]()
        if not self.writer.site.is_own(e.access.place):
            return None
        for x in ir.walk(e):
            if isinstance(x, ir.Use):
                known = self._use(x)
                if named.setdefault(x.variable.name, known) != known:
                    return None
        if any(t is None for t in named.values()) or re.search(r"\+\+|--|[^=!<>]=[^=]|…|\w\s*\(", text):
            return None
        if not names_in(text) - named.keys() <= self._steady_names:
            return None
        return _replaced(text, {name: t for name, t in named.items() if t is not None})

    @property
    def _steady_names(self) -> frozenset[str]:
        """Variables from before the loop that it leaves alone."""
        site = self.writer.site
        return site.mentioned - site.changed


def _replaced(text: str, named: dict[str, str]) -> str:
    """The C text with expressions in place of variables: `b[i - 1]` for `b[i]`."""

    def other(found: re.Match[str]) -> str:
        name = found[0]
        new = named.get(name, name)
        alone = text[: found.start()].endswith("[") and text[found.end() :].startswith("]")
        return new if alone or new.isidentifier() or new.isdigit() else f"({new})"

    return re.sub(r"(?<![\w.>])[A-Za-z_]\w*", other, text)


def _name(type_: CType) -> str | None:
    return type_.name if isinstance(type_, Integer | Floating) else None
