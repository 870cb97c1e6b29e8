"""Algorithmic species of a nest (Nugteren, Corvino and Corporaal, 2013): which part of which array a
work-unit uses.

For every array reference of a nest with parallel loops P (see `classes.parallel_chain`) and other loops I,
per dimension:

    domain D   interval of the subscript over all loops, narrowed by conditions on loop variables
    extent E   interval of the subscript over I, with the variables of P at 0
    step S     change of the subscript per iteration of P; where no variable of P occurs, the length of E;
               and 0 where the step equals the length of D, or D has length 1 (so `x[j]` read whole is `full`)

References to one array with the same direction and S merge (union of D and of E). Then

    all S = 0: `full` if read, `shared` if written;   all E of length 1: `element`;
    some non-zero S smaller than its E: `neighbourhood(E)`;   else `chunk(E)`.

A subscript without a formula has the declared range as D, and S = 0. A reduced scalar is an array of length
1. Reads covered by an earlier write of the same iteration, and `full` reads of a `shared` output, are
dropped; so is memory that every iteration has for itself, and what only loop control reads. *None* when the
nest is not parallel or a range is not known: an unknown trip count, or an unbounded array behind an index
array."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from models.expr import add

from .classes import parallel_chain
from .counts.covering import exposed, together
from .counts.nest import Nest, Touch, build
from .counts.privacy import is_private
from .counts.shapes import Dimension, apart, is_regular, is_single, region_of, straightened
from .facts import Parallelism
from .loops.ir import Counter, Function, Loop, Object
from .polyhedra.extremes import highest, lowest
from .polyhedra.poly import Poly, Symbol, number
from .polyhedra.signs import Region, is_nonnegative
from .polyhedra.summation import NotClosedError

if TYPE_CHECKING:
    from models.classes import AlgorithmClass
    from models.notation import NamedOperand, Range, Species

Answers = Mapping[int, Parallelism]


class Span(Struct, frozen=True):
    """One dimension of a reference: domain, extent (both inclusive) and step; `order`: the parallel counter
    in it, with the sign of its factor."""

    first: Poly
    last: Poly
    near: Poly
    far: Poly
    step: Poly
    order: tuple[Symbol, int] | None = None


class Reference(Struct, frozen=True):
    name: str
    writes: bool
    spans: tuple[Span, ...]


class Patterns(Struct, frozen=True):
    """The species of a nest and whether it is `unordered`."""

    species: "Species"
    unordered: bool

    def algorithm(self) -> "AlgorithmClass | None":
        """The class of 2011; None when the notation cannot say it (no output, an empty range)."""
        from models.classes import AlgorithmClass, ClassError
        from models.notation import to_class

        try:
            plain = to_class(self.species)
        except ClassError:
            return None
        return AlgorithmClass(plain.inputs, plain.outputs, self.unordered)


def species(function: Function, loop: Loop, around: tuple[Loop, ...], parallelism: Answers) -> str | None:
    """The species of the nest rooted at `loop` as text, None when it has none.

    Example: a 3-point stencil gives `A[0:N-1]|neighbourhood(-1:1) -> B[1:N-2]|element`."""
    from models.notation import species_text

    found = patterns(function, loop, around, parallelism)
    return None if found is None else species_text(found.species)


def patterns(
    function: Function, loop: Loop, around: tuple[Loop, ...], parallelism: Answers
) -> Patterns | None:
    """The species as a value of `models.notation`, None when the nest has none."""
    chain = parallel_chain(loop, parallelism)
    if not chain:
        return None
    nest = build(function, loop, around)
    if "patterns" not in nest.memo:
        nest.memo["patterns"] = _patterns(nest, chain, parallelism)
    found: Patterns | None = nest.memo["patterns"]
    return found


def _patterns(nest: Nest, chain: tuple[Loop, ...], parallelism: Answers) -> Patterns | None:
    if nest.refused or any(kind == "trip" for kind in nest.scopes.weights.kinds.values()):
        return None
    try:
        references = list(_references(nest, chain, parallelism))
    except (NotClosedError, _NoRangeError):
        return None
    return _Assembly(nest, chain).patterns(references, parallelism)


class _NoRangeError(Exception):
    """A subscript has neither a formula nor a declared length."""


def _references(nest: Nest, chain: tuple[Loop, ...], parallelism: Answers) -> Iterable[Reference]:
    groups: dict[Object, list[Touch]] = {}
    if not nest.kept:
        nest.kept = together(nest.touches)
    for touch in nest.kept:
        if not touch.control and not is_private(nest, touch.access.object, parallelism):
            groups.setdefault(touch.access.object, []).append(touch)
    for object_, touches in groups.items():
        kept, _ = exposed(nest, touches)
        for touch in (*kept, *(t for t in touches if t.writes)):
            name = f"{str(object_).removesuffix('[]')}{touch.access.field}"
            yield Reference(name, touch.writes, tuple(_spans(nest, touch, chain)))


def _spans(nest: Nest, touch: Touch, chain: tuple[Loop, ...]) -> Iterable[Span]:
    region, _ = region_of(touch)
    for s in touch.access.subscripts:
        if not is_regular(nest, s.index, region):
            if s.extent is None:
                raise _NoRangeError
            zero = number(0)
            yield Span(zero, s.extent - 1, zero, s.extent - 1, zero)
        elif s.stride is None:
            yield _span(nest, s.index, region, chain)
        else:
            for d in apart(s.index, s.stride, s.extent, region, nest.scopes.facts, is_single(touch.access)):
                yield _span(nest, d.index, region, chain)


def _span(nest: Nest, index: Poly, region: Region, chain: tuple[Loop, ...]) -> Span:
    atoms, facts = nest.scopes.atoms, nest.scopes.facts
    counters = {loop.counter: loop for loop in chain}
    at_zero = index.substitute(
        {c: _counter_at_zero(loop) for c, loop in counters.items() if c in index.symbols}
    )
    try:
        (moved,), seen = straightened((Dimension(index, None, None),), region)
        first = lowest(moved.index, seen, atoms, facts).value
        last = highest(moved.index, seen, atoms, facts).value
    except NotClosedError:  # a block of a strided loop: `y + v` with y += 8 has a form of its own
        first = lowest(index, region, atoms, facts).value
        last = highest(index, region, atoms, facts).value
    near = lowest(at_zero, region, atoms, facts).value
    far = highest(at_zero, region, atoms, facts).value
    moving = [c for c in counters if c in index.symbols]
    if not moving:
        step = far - near + 1
        return Span(first, last, near, far, number(0) if step == last - first + 1 else step)
    slope = index.coefficient(moving[-1])
    rising = is_nonnegative(slope, facts)
    step = slope if rising else -slope
    if last == first or step == last - first + 1:
        step = number(0)
    return Span(first, last, near, far, step, (moving[-1], 1 if rising else -1))


def _counter_at_zero(loop: Loop) -> Poly:
    """The counter at which the loop's variable would be 0; 0 for loops without one."""
    if loop.variable is None or loop.first is None or loop.step is None or not loop.step.constant:
        return number(0)
    step = loop.step.constant
    exact = (-loop.first).divided_by(abs(step))
    if exact is None:
        return number(0)
    return exact if step > 0 else -exact


# --- from references to operands


class _Assembly:
    def __init__(self, nest: Nest, chain: tuple[Loop, ...]) -> None:
        self.nest = nest
        self.chain = chain
        facts = nest.scopes.facts
        # the nest runs: each of its parallel loops has an iteration
        running = tuple(
            r.numerator - 1 for loop in chain for r in loop.trip or () if not _moves(r.numerator, chain)
        )
        self.known = Region(facts.counters, (*facts.constraints, *running))

    def patterns(self, references: list[Reference], parallelism: Answers) -> Patterns:
        from models.classes import Pattern
        from models.notation import NamedOperand, Species

        merged = self._merged(references)
        inputs = [self._operand(r) for r in merged if not r.writes]
        outputs = [self._operand(r) for r in merged if r.writes]
        zero = (add(0), add(0))
        for reduction in parallelism[self.chain[0].key].reductions:
            if reduction.variable.isidentifier() and not any(o.name == reduction.variable for o in outputs):
                outputs.append(NamedOperand(reduction.variable, (zero,), Pattern.SHARED))
        shared = {o.name for o in outputs if o.pattern is Pattern.SHARED}
        kept = [o for o in inputs if not (o.pattern is Pattern.FULL and o.name in shared)]
        ordered = Species(
            tuple(sorted(kept, key=lambda o: o.name)), tuple(sorted(outputs, key=lambda o: o.name))
        )
        only_elements = all(o.pattern is Pattern.ELEMENT for o in (*kept, *outputs))
        return Patterns(ordered, only_elements and _is_unordered(merged))

    def _merged(self, references: list[Reference]) -> list[Reference]:
        """References of one array, direction and step as one, if their domains meet."""
        found: list[Reference] = []
        for r in references:
            for i, other in enumerate(found):
                if self._belong_together(other, r):
                    found[i] = self._union(other, r)
                    break
            else:
                found.append(r)
        return found

    def _belong_together(self, a: Reference, b: Reference) -> bool:
        """Rows i and j of one matrix stay two references: the union of their domains is no range."""
        steps = [s.step for s in a.spans] == [s.step for s in b.spans]
        return (a.name, a.writes) == (b.name, b.writes) and steps and all(map(self._meet, a.spans, b.spans))

    def _meet(self, x: Span, y: Span) -> bool:
        if (x.first - y.first).constant is not None:
            return True
        ahead = is_nonnegative(x.last - y.first + 1, self.known)
        return ahead and is_nonnegative(y.last - x.first + 1, self.known)

    def _union(self, a: Reference, b: Reference) -> Reference:
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
        if is_nonnegative(b - a, self.known):
            return a
        return b if is_nonnegative(a - b, self.known) else self.nest.scopes.atoms.extreme("min", (a, b))

    def _most(self, a: Poly, b: Poly) -> Poly:
        if is_nonnegative(a - b, self.known):
            return a
        return b if is_nonnegative(b - a, self.known) else self.nest.scopes.atoms.extreme("max", (a, b))

    def _operand(self, r: Reference) -> "NamedOperand":
        from models.classes import Pattern
        from models.notation import NamedOperand

        domain = tuple(self._range(s.first, s.last) for s in r.spans) or ((add(0), add(0)),)
        extent = tuple(self._range(s.near, s.far) for s in r.spans)
        if all(not s.step.terms for s in r.spans):
            return NamedOperand(r.name, domain, Pattern.SHARED if r.writes else Pattern.FULL)
        if all(s.near == s.far for s in r.spans):
            return NamedOperand(r.name, domain, Pattern.ELEMENT)
        overlaps = any(s.step.terms and is_nonnegative(s.far - s.near - s.step, self.known) for s in r.spans)
        return NamedOperand(r.name, domain, Pattern.NEIGHBOURHOOD if overlaps else Pattern.TILE, extent)

    def _range(self, low: Poly, high: Poly) -> "Range":
        formulas = self.nest.formulas
        return formulas.poly(low), formulas.poly(high)


def _moves(poly: Poly, chain: tuple[Loop, ...]) -> bool:
    mine = {loop.counter for loop in chain}
    return any(s in mine or isinstance(s.origin, Counter) for s in poly.symbols)


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
