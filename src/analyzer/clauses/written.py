"""Polynomials of the analysis as C expressions, valid at the entry of a loop.

*Decides*: which C text has the value of a polynomial before the loop. *Method*: by what variables hold there
(`ir.nodes.Loop.held`), by members and elements that the loop's own text reads and nothing in it changes, and by C for
quotients, remainders and extrema. Mathematical integers become `long long` where C would take a modulo or overflow.
*Errs toward* None: no text is known.

    m = s->n - 1;  for (i = 0; i < m; i++) ...        s->n - 1 is `m`, and s->n is `m + 1`
"""

from ..ir import nodes as ir
from ..ir.polynomials import Poly, Symbol, symbol
from ..source.ctypes import CType, Integer
from .site import Site, Where
from .texts import WIDE, extremum, names_in, widened


class Writer:
    """C text for the values of one loop."""

    def __init__(self, site: Site, loop: ir.Loop) -> None:
        self.site, self.loop = site, loop
        named = (v for _, v in loop.held if site.where(v) in (Where.NAMED, Where.SHARED))
        self.names = {v.name: v for v in named}
        held = ((p, v) for p, v in loop.held if self.names.get(v.name) == v)
        self.held = tuple((p, v) for p, v in held if not _is_converted(site, p, v))

    def text(self, value: Poly) -> str | None:
        """The value as C. Example: `2*n` for a parameter n, `2*(long long)n` for an unsigned one."""
        if value.constant is not None:
            return str(value.constant)
        for held, variable in self.held:
            over = (value - held).constant
            if over == 0:
                return variable.name
            if over is not None and abs(over) == 1 and len(value.symbols) == 1:
                return f"{_operand(variable)} {'+' if over > 0 else '-'} 1"
        return self._sum(value)

    def _sum(self, value: Poly) -> str | None:
        """A sum of two variables, or of one and more than 1, may be too large for their type although the loop never
        computes it: `hi - lo`, `n + 999999`."""
        signed: dict[str, list[str]] = {" + ": [], " - ": []}
        for monomial, factor in value.terms:
            text = self._term(monomial, abs(factor))
            if text is None:
                return None
            signed[" - " if factor < 0 else " + "].append(text)
        terms = [(sign, text) for sign, texts in signed.items() for text in texts]
        variables = [k for k, (_, text) in enumerate(terms) if not text.isdigit()]
        if len(terms) > 1 and (len(variables) > 1 or any(text.isdigit() and text != "1" for _, text in terms)):
            sign, text = terms[variables[0]]
            terms[variables[0]] = sign, self._wide(text)
        text = "".join(sign + text for sign, text in terms)[len(" + ") :]
        return (text if signed[" + "] else f"-{text}") if terms else "0"

    def _term(self, monomial: tuple[Symbol, ...], factor: int) -> str | None:
        factors = [self._symbol(s) for s in monomial]
        known = [f for f in factors if f is not None]
        if len(known) < len(factors):
            return None
        if known and (len(known) > 1 or factor > 1):
            known[0] = self._wide(known[0])
        return "*".join([str(factor), *known] if factor > 1 or not known else known)

    def _wide(self, text: str) -> str:
        """The text as a `long long`, where it is neither a product, which is one, nor a variable of such a size."""
        variable = self.names.get(text)
        wide = "*" in text or (variable is not None and getattr(variable.type, "size", 0) >= 8)
        return text if wide else widened(text)

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
                    return None if plain is None else f"({widened(str(first))} - ({second}))"
        return self._made(s)

    def _made(self, s: Symbol) -> str | None:
        match s.origin:
            case ir.Loaded(access=access):
                return self._loaded(access)
            case ir.Quotient(value=value, divisor=d, floor=floor) if (inner := self.text(value)) is not None:
                if not floor or ((s.low or 0) >= 0 and d & (d - 1)):
                    return f"({WIDE}({inner})/{d})"
                return None if d & (d - 1) else f"({WIDE}({inner}) >> {d.bit_length() - 1})"
            case ir.Remainder(value=value, divisor=d, floor=floor) if (inner := self.text(value)) is not None:
                if not floor:
                    return f"({WIDE}({inner}) % {d})"
                return None if d & (d - 1) or d >= 1 << 62 else f"({WIDE}({inner}) & {d - 1})"
            case ir.Computed(meaning=ir.Outermost(kind=kind, values=(a, b))):
                return self.outermost(kind, (a, b))
            case ir.Computed(meaning=ir.Steps(distance=distance, width=width)):
                return self._steps(distance, width)
            case _:
                return None

    def _steps(self, distance: Poly, width: Poly) -> str | None:
        """How many steps of a width a distance has. Asked for in front of a loop that need not run, where nobody has
        said that the width is not 0."""
        far, wide = self.text(distance), self.text(width)
        if far is None or wide is None:
            return None
        far, wide = widened(f"({far})"), f"({wide})"
        moves = "" if self.site.never_negative(width - 1) else f" && {wide} > 0"
        return f"({far} > 0{moves} ? ({far} + {wide} - 1)/{wide} : 0)"

    def outermost(self, kind: str, values: tuple[Poly, ...]) -> str | None:
        """The largest (`max`) or smallest (`min`) of some values."""
        texts = [self.text(v) for v in values]
        if any(t is None for t in texts):
            return None
        return extremum(kind, [t for t in texts if t is not None])

    def _loaded(self, access: ir.Access) -> str | None:
        """A place in memory that the loop's own text reads, by names that it leaves alone."""
        names = names_in(access.text)
        read = self.site.is_own(access.place) or self._reads_again(access)
        own = read and names <= self.site.mentioned and not names & self.site.changed
        return widened(access.text) if own and _is_wide_unsigned(access.type) else access.text if own else None


    def _reads_again(self, access: ir.Access) -> bool:
        """Whether the loop's own text reads what was read before it, and nothing in the function ever stores there."""
        statements = tuple(ir.statements(self.site.function.body))
        stored = (s.target for s in statements if isinstance(s, ir.Assign) and isinstance(s.target, ir.Access))
        if any((a.object, a.field) == (access.object, access.field) for a in stored):
            return False
        if any(isinstance(e, ir.Call) and not e.known for s in statements for e in ir.evaluated(s)):
            return False
        here = (a for s in ir.statements(self.loop.body) for a in ir.accesses_of(s))
        return any(a.text == access.text and a.object == access.object and self.site.is_own(a.place) for a in here)


def _is_converted(site: Site, value: Poly, variable: ir.Variable) -> bool:
    """Whether a variable may hold another number, modulo its width: `unsigned j = n` of a negative n."""
    unsigned = isinstance(variable.type, Integer) and not variable.type.signed
    return unsigned and not site.never_negative(value)


def _operand(variable: ir.Variable) -> str:
    """A variable in a sum: as `long long` where C would compute modulo its width."""
    return f"{WIDE}{variable.name}" if _is_wide_unsigned(variable.type) else variable.name


def _is_wide_unsigned(type_: CType) -> bool:
    return isinstance(type_, Integer) and not type_.signed and type_.size >= 4
