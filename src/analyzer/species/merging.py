"""References of one array become operands: what merges, and which pattern is left.

*Rule* (see the package) and what it leaves open: ranges are united only where the union is a range, so that rows i and
j of a matrix stay two operands; where the step is not 0 the domains have to meet, so that `a[k]` and `a[k + 64]` with k
< 64 stay two; and written references never merge into a neighbourhood, as work-units would overwrite each other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from models.expr import add

from ..counts.nest import Nest
from ..facts.loop import Parallelism
from ..ir.nodes import Counter, Loop, Variable, all_loops
from ..ir.polynomials import Poly, number
from ..polyhedra.signs import is_nonnegative
from .references import Reference, Span

if TYPE_CHECKING:
    from models.classes import Pattern
    from models.notation import NamedOperand, Range, Species


def assembled(
    nest: Nest, chain: tuple[Loop, ...], references: list[Reference], parallelism: Mapping[int, Parallelism]
) -> tuple["Species", bool]:
    """The species, and whether an element class is unordered."""
    from models.classes import Pattern
    from models.notation import NamedOperand, Species

    work = _Assembly(nest)
    merged = work.merged(references)
    inputs = [work.operand(r) for r in merged if not r.writes]
    outputs = [work.operand(r) for r in merged if r.writes]
    zero = (add(0), add(0))
    for each in parallelism[chain[0].key].separated:
        if each.role == "reduction" and isinstance(each.target, Variable):
            outputs.append(NamedOperand(each.text, (zero,), Pattern.SHARED))
    shared = {o.name for o in outputs if o.pattern is Pattern.SHARED}
    kept = [o for o in inputs if not (o.pattern is Pattern.FULL and o.name in shared)]
    ordered = Species(tuple(sorted(kept, key=_rank)), tuple(sorted(outputs, key=_rank)))
    only_elements = all(o.pattern is Pattern.ELEMENT for o in (*kept, *outputs))
    return ordered, only_elements and _is_unordered(references)


class _Assembly:
    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        facts = nest.scopes.facts
        # what is said of ranges holds for sizes at which every loop of the nest runs
        trips = (r.numerator for loop in all_loops(nest.loop) for r in loop.trip or ())
        running = tuple(t - 1 for t in trips if not any(isinstance(s.origin, Counter) for s in t.symbols))
        self.known = facts.also(*running)

    def merged(self, references: list[Reference]) -> list[Reference]:
        """References of one array, direction and step as one, until no two belong together."""
        found: list[Reference] = []
        for reference in dict.fromkeys(references):
            joined = reference
            while (at := self._partner(found, joined)) is not None:
                joined = self._union(found.pop(at), joined)
            found.append(joined)
        return found

    def _partner(self, found: list[Reference], r: Reference) -> int | None:
        return next((i for i, other in enumerate(found) if self._belong_together(other, r)), None)

    def _belong_together(self, a: Reference, b: Reference) -> bool:
        if (a.name, a.writes) != (b.name, b.writes) or [s.step for s in a.spans] != [s.step for s in b.spans]:
            return False
        if not all(map(self._meet, a.spans, b.spans)):
            return False
        return not a.writes or not self._overlaps(self._union(a, b).spans)

    def _meet(self, x: Span, y: Span) -> bool:
        if x == y:
            return True
        gap = number(1) if not x.step.terms else number(0)  # the union of neighbouring ranges is one, too
        above, below = x.last - y.first + gap, y.last - x.first + gap
        if (x.first - y.first).constant is not None and not (_is_negative(above) or _is_negative(below)):
            return True
        return is_nonnegative(above, self.known) and is_nonnegative(below, self.known)

    def _union(self, a: Reference, b: Reference) -> Reference:
        if a.spans == b.spans:
            return a
        spans = tuple(
            Span(
                self._least(x.first, y.first),
                self._most(x.last, y.last),
                self._least(x.near, y.near),
                self._most(x.far, y.far),
                x.step,
                x.order,
            )
            for x, y in zip(a.spans, b.spans, strict=True)
        )
        return Reference(a.name, a.writes, spans)

    def _least(self, a: Poly, b: Poly) -> Poly:
        if a == b or is_nonnegative(b - a, self.known):
            return a
        return b if is_nonnegative(a - b, self.known) else self.nest.scopes.atoms.extreme("min", (a, b))

    def _most(self, a: Poly, b: Poly) -> Poly:
        if a == b or is_nonnegative(a - b, self.known):
            return a
        return b if is_nonnegative(b - a, self.known) else self.nest.scopes.atoms.extreme("max", (a, b))

    def _overlaps(self, spans: tuple[Span, ...]) -> bool:
        """Whether some non-zero step is smaller than its extent: for all sizes, or for all but the smallest one."""
        for s in spans:
            if not s.step.terms:
                continue
            step = s.step if is_nonnegative(s.step, self.known) else -s.step
            excess = s.far - s.near + 1 - step
            if excess.terms and is_nonnegative(excess, self.known):
                return True
        return False

    def operand(self, r: Reference) -> "NamedOperand":
        """The operand of merged references."""
        from models.notation import NamedOperand

        pattern, has_extent = self._pattern(r)
        domain = tuple(self._range(s.first, s.last) for s in r.spans) or ((add(0), add(0)),)
        extent = tuple(self._range(s.near, s.far) for s in r.spans) if has_extent else ()
        return NamedOperand(r.name, domain, pattern, extent)

    def _pattern(self, r: Reference) -> tuple["Pattern", bool]:
        from models.classes import WITH_EXTENT, Pattern

        if all(not s.step.terms for s in r.spans):
            found = Pattern.SHARED if r.writes else Pattern.FULL
        elif all(s.near == s.far for s in r.spans):
            found = Pattern.ELEMENT
        else:
            found = Pattern.NEIGHBOURHOOD if self._overlaps(r.spans) else Pattern.TILE
        return found, found in WITH_EXTENT

    def _range(self, low: Poly, high: Poly) -> "Range":
        formulas = self.nest.formulas
        return formulas.poly(low), formulas.poly(high)


def _rank(operand: "NamedOperand") -> tuple[str, str, str]:
    return operand.name, str(operand.domain), operand.pattern.value


def _is_negative(value: Poly) -> bool:
    known = value.constant
    return known is not None and known < 0


def _is_unordered(references: list[Reference]) -> bool:
    """Whether an array is walked in another order, or direction, than the output."""
    written = next((r for r in references if r.writes), None)
    if written is None:
        return False
    order = [s.order for s in written.spans if s.order is not None]
    for r in references:
        mine = [s.order for s in r.spans if s.order is not None]
        shared = {counter for counter, _ in mine} & {counter for counter, _ in order}
        if [o for o in mine if o[0] in shared] != [o for o in order if o[0] in shared]:
            return True
    return False
