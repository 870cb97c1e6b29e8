"""Rewriting IR statements when a loop's induction variables become known.

While a loop body is lowered, each variable that it changes has a placeholder symbol for its value at the start of an
iteration. Once the step is known, every polynomial that contains the placeholder is rewritten in terms of the counter:
`a[p]` with p = 2 + 3k becomes `a[3*k + 2]`, and so do the origins of symbols made from it (`idx[p]`).
"""

from collections.abc import Iterable, Mapping
from operator import is_
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from ..ir.nodes import (
    Access,
    Address,
    All,
    Any,
    Assign,
    Branch,
    Call,
    Choice,
    Communicator,
    Compare,
    Computed,
    Convert,
    Counter,
    Data,
    Either,
    Entry,
    Evaluate,
    Exit,
    Expression,
    Flipped,
    Kept,
    Known,
    Leads,
    Literal,
    Load,
    Loaded,
    Loop,
    OfFloating,
    Opaque,
    Operation,
    Origin,
    Outermost,
    Passed,
    Power,
    Predicate,
    Quotient,
    Ratio,
    Refused,
    Remainder,
    Rest,
    Share,
    Statement,
    Steps,
    Subscript,
    TrianglePlace,
    TriangleRow,
    Use,
    Variable,
    Wrap,
)
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import Key
from .address_arithmetic import chosen, quiet, selected, settled, steering


def _made(s: Symbol, origin: Origin) -> Poly:
    """The symbol of a new origin; `q / 2` is k where q has become 2*k, and `q / m` where it has become m*k."""
    match origin:
        case Computed(meaning=Share(value=value, divisor=d)) if (whole := value.divided_by(d)) is not None:
            return whole
        case Computed(meaning=Rest(value=value, divisor=d)) if value.divided_by(d) is not None:
            return number(0)
        case Quotient(value=value, divisor=d) if (whole := value.divided_by(d)) is not None:
            return whole
        case Remainder(value=value, divisor=d) if value.divided_by(d) is not None:
            return number(0)
        case _:
            return symbol(replace(s, origin=origin))


class Substitution(Struct):
    """`values` for placeholder symbols; `inductions`: keys of variables whose assignments the counter now replaces;
    `tested`: those of them that the loop's test is about, so that updating them is loop control."""

    values: Mapping[Symbol, Poly]
    inductions: frozenset[int] = frozenset()
    tested: frozenset[int] = frozenset()
    _renewed: dict[Key, Poly] = field(default_factory=dict)
    _images: dict[Poly, Poly | None] = field(default_factory=dict)
    """Of polynomials seen before; None: itself."""

    def symbol(self, s: Symbol) -> Poly:
        found = self.values.get(s) or self._renewed.get(s.key)
        if found is None:
            origin = self.origin(s.origin)
            found = self._renewed[s.key] = symbol(s) if origin is s.origin else _made(s, origin)
        return found

    def poly(self, p: Poly) -> Poly:
        if p.constant is not None:
            return p
        if p not in self._images:
            image = self._image(p)
            self._images[p] = None if image is p else image
            return image
        return self._images[p] or p

    def _image(self, p: Poly) -> Poly:
        images = {s: self.symbol(s) for s in p.symbols}
        if all(image.terms[0][0] == (s,) and image.terms[0][0][0] is s for s, image in images.items() if image.terms):
            changed = any(
                not image.terms or len(image.terms) > 1 or image.terms[0][1] != 1 for image in images.values()
            )
            if not changed:
                return p
        total = Poly()
        for monomial, c in p.terms:
            product = number(c)
            for s in monomial:
                product = product * images[s]
            total = total + product
        return total

    def origin(self, origin: Origin) -> Origin:
        match origin:
            case Loaded(access=access):
                new = self.access(access)
                return origin if new == access and _same_symbols(new, access) else replace(origin, access=new)
            case Quotient(value=value) | Remainder(value=value):
                image = self.poly(value)
                return origin if image is value else replace(origin, value=image)
            case Computed(meaning=Steps(distance=a, width=b)):
                steps = Steps(self.poly(a), self.poly(b))
                return origin if steps.distance is a and steps.width is b else replace(origin, meaning=steps)
            case Computed(meaning=Outermost(kind=kind, values=(a, b))):
                x, y = self.poly(a), self.poly(b)
                return origin if x is a and y is b else replace(origin, meaning=Outermost(kind, (x, y)))
            case Computed(meaning=Passed(most=most)):
                image = self.poly(most)
                return origin if image is most else replace(origin, meaning=Passed(image))
            case Computed(meaning=Kept(before=a, least=b, most=c)):
                x, y, z = self.poly(a), self.poly(b), self.poly(c)
                return origin if x is a and y is b and z is c else replace(origin, meaning=Kept(x, y, z))
            case Computed(meaning=Either(values=(a, b), pointer=(Load() | Use()) as p)):
                x, y, q = self.poly(a), self.poly(b), self.expression(p)
                assert isinstance(q, Load | Use)
                return origin if x is a and y is b and q is p else replace(origin, meaning=Either((x, y), q))
            case Computed(meaning=Either(values=(a, b), decided=Compare(value=c) as test)):
                x, y, z = self.poly(a), self.poly(b), self.poly(c)
                same = x is a and y is b and z is c
                return origin if same else replace(origin, meaning=Either((x, y), decided=replace(test, value=z)))
            case Computed(meaning=OfFloating() as made):
                moved = made.of(self.poly)
                return origin if moved is made else replace(origin, meaning=moved)
            case Computed(meaning=(TriangleRow() | TrianglePlace() | Power()) as part):
                x = self.poly(part.value)
                return origin if x is part.value else replace(origin, meaning=replace(part, value=x))
            case Computed(meaning=(Share() | Rest() | Flipped()) as part):
                a, b = part.value, part.divisor
                x, y = self.poly(a), self.poly(b)
                part = replace(part, value=x, divisor=y)
                return origin if x is a and y is b else replace(origin, meaning=part)
            case Counter() | Entry() | Computed():
                return origin
            case _:
                assert_never(origin)

    def subscript(self, s: Subscript) -> Subscript:
        index = self.poly(s.index)
        extent = None if s.extent is None else self.poly(s.extent)
        stride = None if s.stride is None else self.poly(s.stride)
        if index is s.index and extent is s.extent and stride is s.stride:
            return s
        return Subscript(index, extent, stride, s.row_pointer)

    def wrap(self, w: Wrap) -> Wrap:
        value = self.poly(w.value)
        return w if value is w.value else replace(w, value=value)

    def access(self, a: Access) -> Access:
        subscripts = tuple(self.subscript(s) for s in a.subscripts)
        wraps = tuple(self.wrap(w) for w in a.wraps)
        unchanged = all(x is y for x, y in zip(subscripts, a.subscripts, strict=True))
        if unchanged and all(x is y for x, y in zip(wraps, a.wraps, strict=True)):
            return a
        return replace(a, subscripts=subscripts, wraps=wraps)

    def predicate(self, p: Predicate) -> Predicate:
        match p:
            case Compare(value=value):
                return replace(p, value=self.poly(value))
            case All(parts=parts):
                return All(tuple(self.predicate(q) for q in parts))
            case Any(parts=parts):
                return Any(tuple(self.predicate(q) for q in parts))
            case Data():
                return p
            case _:
                assert_never(p)

    def many(self, expressions: tuple[Expression, ...]) -> tuple[Expression, ...]:
        changed = tuple([self.expression(e) for e in expressions])
        return expressions if all(map(is_, changed, expressions)) else changed

    def known(self, value: Known) -> Known:
        match value:
            case Poly():
                return self.poly(value)
            case Communicator(split=(parent, color, key)):
                return replace(value, split=(parent, self.poly(color), self.poly(key)))
            case _:
                return value

    def expression(self, e: Expression) -> Expression:
        match e:
            case Literal():
                return e
            case Use(value=value):
                image = None if value is None else self.poly(value)
                return e if image is value else replace(e, value=image)
            case Load(access=access, index=index):
                new, parts = self.access(access), self.many(index)
                return e if new is access and parts is index else replace(e, access=new, index=parts)
            case Operation(arguments=arguments):
                operands = self.many(arguments)
                return settled(e if operands is arguments else replace(e, arguments=operands))
            case Call(arguments=arguments, values=values):
                return replace(e, arguments=self.many(arguments), values=tuple(self.known(v) for v in values))
            case Choice():
                return chosen(
                    replace(
                        e,
                        condition=self.expression(e.condition),
                        predicate=self.predicate(e.predicate),
                        then=self.expression(e.then),
                        otherwise=self.expression(e.otherwise),
                    )
                )
            case Convert(argument=argument):
                operand = self.expression(argument)
                return e if operand is argument else replace(e, argument=operand)
            case Address(index=index):
                places = self.many(index)
                return e if places is index else replace(e, index=places)
            case Opaque(parts=parts):
                return replace(e, parts=self.many(parts))
            case _:
                assert_never(e)

    def body(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(self.statement(s) for s in statements)

    def statement(self, s: Statement) -> Statement:
        match s:
            case Assign(target=target, value=value, index=index, leads=leads):
                induction = s.induction or (isinstance(target, Variable) and target.key in self.inductions)
                new = target if isinstance(target, Variable) else self.access(target)
                image = self.expression(value)
                if isinstance(target, Variable) and target.key in self.tested:
                    image = quiet(image)
                leads = None if leads is None else self.leads(leads)
                changed = replace(s, target=new, value=image, index=self.many(index), induction=induction, leads=leads)
                return selected(changed)
            case Evaluate(value=value):
                return replace(s, value=self.expression(value))
            case Branch():
                return replace(
                    s,
                    condition=steering(self.expression(s.condition)),
                    predicate=self.predicate(s.predicate),
                    then=self.body(s.then),
                    otherwise=self.body(s.otherwise),
                )
            case Loop():
                return self.loop(s)
            case Exit() | Refused():
                return s
            case _:
                assert_never(s)

    def leads(self, where: Leads) -> Leads:
        return replace(where, rows=tuple(self.subscript(s) for s in where.rows), by=self.poly(where.by))

    def loop(self, loop: Loop) -> Loop:
        trip = None
        if loop.trip is not None:
            trip = tuple(Ratio(self.poly(r.numerator), r.denominator) for r in loop.trip)
        return replace(
            loop,
            trip=trip,
            first=None if loop.first is None else self.poly(loop.first),
            last=None if loop.last is None else self.poly(loop.last),
            step=None if loop.step is None else self.poly(loop.step),
            body=self._inside(loop).body(loop.body),
            inductions=tuple(
                replace(
                    i,
                    start=None if i.start is None else self.poly(i.start),
                    step=self.poly(i.step),
                    tested=None if i.tested is None else self.poly(i.tested),
                )
                for i in loop.inductions
            ),
            recurrences=tuple(
                replace(
                    r,
                    start=self._maybe(r.start),
                    by=self._maybe(r.by),
                    divisor=self._maybe(r.divisor),
                    more=self._maybe(r.more),
                )
                for r in loop.recurrences
            ),
            held=tuple((self.poly(value), variable) for value, variable in loop.held),
            members=tuple((self.poly(value), text) for value, text in loop.members),
            wraps=tuple(self.wrap(w) for w in loop.wraps),
            tested=tuple(replace(c, value=self.poly(c.value)) for c in loop.tested),
        )

    def _maybe(self, value: Poly | None) -> Poly | None:
        return None if value is None else self.poly(value)

    def _inside(self, loop: Loop) -> "Substitution":
        """The substitution in an iteration of a loop, where that makes something cancel: a pointer that moves on by the
        steps of the loop and `stride - width`, of max(0, width) steps, moves on by `stride` then."""
        values = {s: _shortened(value, loop) for s, value in self.values.items()}
        if all(map(is_, values.values(), self.values.values())):
            return self
        return Substitution(values, self.inductions, self.tested)


def _shortened(value: Poly, loop: Loop) -> Poly:
    inside = running(value, (loop,))
    return inside if len(inside.terms) < len(value.terms) else value


def running(value: Poly, loops: Iterable[Loop]) -> Poly:
    """A polynomial in an iteration of these loops: one of m iterations has max(0, m) of them, which are m.

    for (i = 0; i < n; i++) for (j = 1; j < m; j++) *p++ = 0;        p moves on by max(0, m - 1): here m - 1"""
    change: dict[Symbol, Poly] = {}
    for s in value.symbols:
        match s.origin:
            case Computed(meaning=Outermost(kind="max", values=(a, b))) if not a.terms and any(
                r.numerator == b and r.denominator == 1 and not loop.at_least for loop in loops for r in loop.trip or ()
            ):
                change[s] = b
            case _:
                pass
    return value.substitute(change) if change else value


def _same_symbols(a: Access, b: Access) -> bool:
    """Equal accesses may still hold symbols whose origins were rewritten: equality looks at keys only."""
    return all(x is y for x, y in zip(a.subscripts, b.subscripts, strict=True))
