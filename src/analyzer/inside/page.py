"""The page of one nest: comments for the reader, relations for iscc or islpy (`--dump nest ID`).

Every relation is one assignment of iscc, `Name := [parameters] -> { piece; piece };`. The right hand sides are what
islpy reads; isl skips the comments.
"""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..access.subscripts import bounds_of, in_bounds
from ..base.errors import InputError
from ..dependence.function_facts import Surroundings, surroundings_of
from ..facts.loop import Assumption, FunctionFacts, LoopFacts
from ..ir.nodes import Loop, loops
from ..ir.polynomials import symbol
from ..memory.alias import Overlap
from ..report.cleaning import visible
from .affine import Space
from .dependences import MAX_OPERATIONS, Piece, braced, meeting, pieces
from .instances import instances
from .relations import Nest, nest_of

if TYPE_CHECKING:
    import islpy


def dump(function: FunctionFacts, loop: LoopFacts) -> str:
    """The nest rooted at `loop` in isl syntax: domain, schedule, accesses, dependences with carrier and distance.

    Loops around it are parameters. InputError where no islpy is installed, or the loop is not in the IR. Not handled:
    what the notes of the page name (calls, jumps, pointers of unknown origin). Example: tests/analyzer/inside."""
    if find_spec("islpy") is None:
        raise InputError("--dump needs islpy: pip install islpy")
    if not loop.loop.body and loop.loop.trip is None and loop.parallelism.reason is not None:
        raise InputError(f"--dump nest {loop.id}: {loop.parallelism.reason.message}")
    read = function.around(loop)
    around = surroundings_of(read)
    body = instances(read, loop.loop)
    inside = tuple(loops(loop.loop.body))
    outer, guards = around.occurrences.around[loop.loop.key]
    space = Space((loop.loop, *inside), around.scope(loop.loop).varies, outer)
    nest = nest_of(body, space, outer, tuple(guard.predicate for guard in guards))
    objects = (*_objects(around, loop.loop), *_rows(around, loop.loop))
    notes = (*_copies(function, loop), *nest.notes, *body.notes, *objects, *_invariants(around, loop.loop, space))
    isl = _Isl(nest)
    lines = [*_head(loop, nest), *_notes(notes), "", *_relations(isl, nest), ""]
    try:
        lines += _dependences(isl, nest)
    except isl.islpy.Error:
        lines.append("# too complex: isl gave up on the dependences")
    return "\n".join(lines) + "\n"


# --- what a reader wants to know first


def _head(loop: LoopFacts, nest: Nest) -> Iterator[str]:
    answer = loop.parallelism
    yield f"# nest {visible(loop.id)}"
    reason = f": {answer.reason.message}" if answer.reason else ""
    yield f"# parallel: {answer.verdict.value}{reason}"
    for a in answer.assumptions:
        yield f"#   assumes {a.kind}({a.text}), line {a.line}"
    if answer.is_parallel:
        names = [f"reduction({r.operator}:{r.variable})" for r in answer.reductions]
        names += [f"private({p})" for p in answer.private] + [f"firstprivate({p})" for p in answer.first_private]
        names += [f"lastprivate({p})" for p in answer.last_private]
        if names:
            yield f"#   with {' '.join(names)}: the dependences below hold of the code as it is, without these"
    yield "# isl notation: paste it into iscc, or the right hand sides into islpy"
    yield "#"
    yield "# statements (S number _L line)"
    width = max((len(s.tuple_) for s in nest.statements), default=0)
    yield from (f"#   {s.tuple_:<{width}}  {' '.join(s.text.split())}" for s in nest.statements)
    for name, each in nest.space.counting.items():
        known = each.first is not None and each.step is not None
        value = f": {each.variable} = {_value(each, nest.space)}" if known else ""
        yield f"#   {name} counts the iterations of the loop at line {each.place.line} from 0{value}"
    if nest.space.names.renamed():
        yield "# names"
        yield from (f"#   {name} is `{text}`" for name, text in nest.space.names.renamed())


def _value(loop: Loop, space: Space) -> str:
    """The value of the loop's variable in the names of the page."""
    assert loop.first is not None
    assert loop.step is not None
    return space.text(loop.first + loop.step * symbol(loop.counter))


def _notes(notes: Iterable[str]) -> Iterator[str]:
    listed = list(dict.fromkeys(notes))
    if listed:
        yield "# assumed, or not exact"
        yield from (f"#   {' '.join(note.split())}" for note in listed)


def _copies(function: FunctionFacts, loop: LoopFacts) -> Iterator[str]:
    """That the page shows one of several ways to run the loop (`copies`), while the answer holds in all of them."""
    listed = sum(each.place == loop.place for each in function.loops)
    written = sum(each.place == loop.place and not each.inlined for each in loops(function.around(loop).body))
    if written > listed:
        yield "control reaches this loop in several ways: what it does in the others is not in these relations"


def _objects(around: Surroundings, loop: Loop) -> Iterator[str]:
    """Objects that these relations keep apart, though that is an assumption or not known."""
    scope = around.scope(loop)
    for write in scope.writes:
        for other in scope.occurrences:
            relation = scope.overlap(write.access, other.access)
            names = " and ".join(sorted({str(write.access.object), str(other.access.object)}))
            if relation.overlap is Overlap.ASSUMED and relation.assumption is not None:
                yield f"{names} are distinct by assumption: {relation.assumption[0]}({relation.assumption[1]})"
            elif relation.overlap is Overlap.UNKNOWN:
                yield f"{names} may overlap; these relations keep them apart"
            elif relation.overlap is Overlap.DISTINCT and write.access.object == other.access.object:
                both = f"{write.access.text} and {other.access.text}"
                yield f"{both} are distinct, as `restrict` promises: that is not in these relations"


def _rows(around: Surroundings, loop: Loop) -> Iterator[str]:
    """Arrays of several dimensions whose subscripts are not proved to stay in their rows."""
    scope = around.scope(loop)
    written = {o.access.object for o in scope.writes}
    for o in scope.occurrences:
        if o.access.object in written and not in_bounds(o):
            assumed = bounds_of(o)
            yield f"every subscript of {assumed.text} is taken to stay in its row: {assumed.kind}({assumed.text})"


def _invariants(around: Surroundings, loop: Loop, space: Space) -> Iterator[str]:
    assumed: frozenset[Assumption] = around.scope(loop).invariance(frozenset(space.symbols))
    yield from (f"{a.text} is a parameter by assumption: {a.kind}({a.text})" for a in sorted(assumed))


# --- relations


class _Isl:
    """isl's reading of the pieces, bounded in time, and its way of printing them."""

    def __init__(self, nest: Nest) -> None:
        import islpy

        self.islpy = islpy
        self.context = islpy.Context()
        self.context.set_max_operations(MAX_OPERATIONS)
        names = list(nest.space.parameters)
        self.parameters = f"[{', '.join(names)}] -> " if names else ""
        self.limits = self.set(f": {nest.context}")

    def set(self, text: str) -> "islpy.Set":
        return self.islpy.Set.read_from_str(self.context, f"{self.parameters}{{ {text} }}")

    def union(self, parts: Iterable[str]) -> "islpy.UnionMap":
        return self.islpy.UnionMap.read_from_str(self.context, f"{self.parameters}{{ {'; '.join(parts)} }}")

    def tidy(self, piece: str) -> str:
        """A piece as isl prints it: simplified, or empty text for no instances at all."""
        read = self.islpy.Map if "->" in piece.partition(":")[0] else self.islpy.Set
        return braced(str(read.read_from_str(self.context, f"{self.parameters}{{ {piece} }}").coalesce()))

    def assignment(self, name: str, parts: Iterable[str]) -> Iterator[str]:
        """One assignment of iscc, a line per piece; a piece may begin with lines of comment."""
        listed = [part for part in parts if part]
        if not listed:
            yield f"{name} := {self.parameters}{{ }};"
            return
        yield f"{name} := {self.parameters}{{"
        yield from (f"  {part}" + (";" if k < len(listed) - 1 else "") for k, part in enumerate(listed))
        yield "};"


def _relations(isl: _Isl, nest: Nest) -> Iterator[str]:
    """Domain, schedule and accesses: those that are certain, then the others as `May...`."""
    yield f"Context := {isl.limits};"
    yield from isl.assignment("Domain", (isl.tidy(f"{s.tuple_}{_under(s.domain.text)}") for s in nest.statements))
    yield from isl.assignment("Schedule", (s.schedule for s in nest.statements))
    for name, write in (("Read", False), ("Write", True)):
        yield from isl.assignment(name, map(isl.tidy, _chosen(nest, write, certain=True)))
        widened = _chosen(nest, write, certain=False)
        if widened:
            yield from isl.assignment(f"May{name}", map(isl.tidy, widened))


def _chosen(nest: Nest, write: bool, certain: bool) -> list[str]:
    return [a.text for a in nest.accesses if a.write == write and a.certain == certain]


def _under(condition: str) -> str:
    return f" : {condition}" if condition else ""


# --- dependences

KINDS = (("Flow", True, False), ("Anti", False, True), ("Output", True, True))
"""Name; whether the source and whether the sink writes."""


def _dependences(isl: _Isl, nest: Nest) -> Iterator[str]:
    """Flow, anti and output dependences between certain accesses, and the rest as `May...`."""
    yield "# dependences: pairs of instances, source -> sink, that touch the same element (memory-based)"
    sure = {write: isl.union(_chosen(nest, write, certain=True)) for write in (False, True)}
    all_ = {write: sure[write].union(isl.union(_chosen(nest, write, certain=False))) for write in (False, True)}
    for name, first, second in KINDS:
        certain = meeting(sure[first], sure[second], isl.limits)
        yield from isl.assignment(name, map(_piece, pieces(certain, nest.statements, isl.limits)))
        rest = meeting(all_[first], all_[second], isl.limits).subtract(certain)
        widened = pieces(rest, nest.statements, isl.limits)
        if widened:
            yield from isl.assignment(f"May{name}", map(_piece, widened))


def _piece(piece: Piece) -> str:
    return f"# {piece.source} -> {piece.sink}: {_carried(piece)}\n  {piece.text}"


def _carried(piece: Piece) -> str:
    if piece.carrier is None:
        return "within one iteration"
    loop = piece.carrier
    which = f"over {loop.variable} at line {loop.place.line}" if loop.variable else f"at line {loop.place.line}"
    return f"carried by the loop {which}, distance ({', '.join(piece.distance)})"
