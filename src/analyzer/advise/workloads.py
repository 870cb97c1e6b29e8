"""From the facts of a loop to the seam: the workload that models understand.

A branch on data that nothing is known of is taken half the time (`p@LINE`), a loop that may be left early runs half of
its iterations (`exit@LINE`); the bounds of the counts stay. Both are said as assumptions.
"""

from typing import Literal, cast

from msgspec.structs import replace

from models.classes import AlgorithmClass, ClassError
from models.classes import Operand as ClassOperand
from models.expr import ZERO, Expr, add, div, free_symbols, mul, num, sym
from models.parameters import Widths, work_units
from models.quantity import NOTHING, Quantity, exactly
from models.workload import ArrayUse, ElementType, Workload

from ..facts.loop import Count, LoopFacts, with_inlined
from ..ir.arithmetic import is_vector
from ..ir.formula_names import array_of_length, mean_trip
from ..ir.nodes import Call, Expression, Opaque, evaluated, statements
from .bodies import bodies
from .likely import expr_of, weighted
from .reuse import passes, touched


def workload_of(loop: LoopFacts, nest: tuple[LoopFacts, ...]) -> Workload | None:
    """The workload of one entry of `loop`, whose nest is `nest`; None where too little is known for any time."""
    counts = loop.counts
    iterations = expr_of(counts.iterations)
    if iterations is None or any(not array.element_bytes for array in loop.arrays):
        return None  # data of a type that nothing declares: neither its size nor its arithmetic is known
    if hidden_work(loop) is not None:
        return None  # a time without it would be that of another program
    algorithm, widths, operands = _algorithm(loop)
    units = iterations if algorithm is not None else _parallel_iterations(loop, nest)
    trips = {inner.loop.key: _trip_within(iterations, inner) for inner in with_inlined(nest)}
    longest = {inner.loop.key: inner.longest_trip for inner in with_inlined(nest)}
    kept = passes(loop, nest)
    arrays = tuple(
        ArrayUse(
            name=array.name,
            element_bytes=array.element_bytes,
            access=cast("Literal['r', 'w', 'rw']", array.access),
            coalescing=array.coalescing,
            read_footprint=expr_of(array.read_footprint),
            write_footprint=expr_of(array.write_footprint),
            transfer_in=expr_of(array.transfer_in),
            transfer_out=expr_of(array.transfer_out),
            contiguous=array.contiguous,
            accesses=None if array.accesses is None else weighted(array.accesses),
            operand=operands.get(array.name),
            walk=array.walk,
            sweep=None if array.walked_by is None else trips.get(array.walked_by),
            longest=None if array.walked_by is None else longest.get(array.walked_by),
            walking=None if array.walking is None else weighted(array.walking),
            walks=array.walks,
            sectors=None if array.sectors is None else weighted(array.sectors),
            stores_apart=None if array.stores_apart is None else weighted(array.stores_apart),
            touched=touched(array),
            passes=kept.get(array.name, ()),
        )
        for array in loop.arrays
    )
    fused = [c for c in (counts.fma_fp32, counts.fma_fp64) if c is not None]
    return Workload(
        algorithm=algorithm,
        element_type=_element_type(loop),
        widths=widths,
        iterations=_quantity(counts.iterations),
        parallel_iterations=units,
        divided=expr_of(counts.trip_count),
        flops_fp32=_quantity(counts.flops_fp32),
        flops_fp64=_quantity(counts.flops_fp64),
        fp_other=_quantity(counts.fp_other),
        int_ops=_quantity(counts.int_ops),
        multiply_adds=_sum(fused) if fused else None,
        loads=_quantity(counts.loads),
        stores=_quantity(counts.stores),
        bytes_accessed=_quantity(counts.bytes_loaded) + _quantity(counts.bytes_stored),
        arrays=arrays,
        transfer_in=expr_of(counts.transfer_in),
        transfer_out=expr_of(counts.transfer_out),
        assumptions=_assumptions(loop),
        idioms=tuple(dict.fromkeys(idiom.idiom for idiom in loop.idioms)),
        bodies=bodies(loop, nest) if loop.bodies is None else loop.bodies,
        atomic=any(r.kind == "atomic" and r.clause != "write" for r in loop.clauses.rewrites),
    )


def hidden_work(loop: LoopFacts) -> str | None:
    """What only computes in the loop, but is in no count: a call of a function that is not looked into, arithmetic on
    vectors."""
    loads = loop.counts.loads
    if loads is not None and loads.exact:
        return None  # what is not counted leaves no count exact
    inside = (e for s in statements(loop.loop.body) for e in evaluated(s))
    return next((name for e in inside if (name := _uncounted(e)) is not None), None)


def _uncounted(e: Expression) -> str | None:
    match e:
        case Call(closed=True, name=name):
            return f"`{name}`"
        case Opaque(type=type_) if is_vector(type_):
            return "arithmetic on vectors (intrinsics)"
        case _:
            return None


def _trip_within(iterations: Expr, inner: LoopFacts) -> Expr | None:
    """The trip count of a loop of a nest with these iterations, in symbols of the nest: one that changes with the loops
    around (`ptr[i + 1] - ptr[i]`) has a mean there, `trip@LINE`."""
    trip = expr_of(inner.counts.trip_count)
    mean = mean_trip(inner.place.line)
    return sym(mean) if trip is not None and mean in free_symbols(iterations) else trip


def units_of(workload: Workload) -> Expr | None:
    """How many work-units could run at once."""
    return workload.parallel_iterations if workload.algorithm is None else work_units(workload.algorithm)


def serial(workload: Workload) -> Workload:
    """The same work as one thread does it, iteration by iteration: what remains of a loop that is not parallel."""
    iterations = workload.iterations.likely if workload.iterations is not None else None
    return replace(workload, algorithm=None, parallel_iterations=iterations)


def at_end(workload: Workload, end: Literal["low", "high"]) -> Workload:
    """With branches on data never or always taken, where counts have such bounds."""
    names = ("flops_fp32", "flops_fp64", "fp_other", "int_ops", "loads", "stores", "bytes_accessed")
    taken = {name: exactly(getattr(getattr(workload, name), end)) for name in names}
    part = _part_done(workload, taken)
    bodies = tuple(replace(body, iterations=mul(body.iterations, part)) for body in workload.bodies)
    return replace(workload, bodies=bodies, **taken)


def _part_done(workload: Workload, taken: dict[str, Quantity]) -> Expr:
    """What is done with these counts, as a part of what is likely."""
    names = [name for name in taken if name != "bytes_accessed"]
    done, likely = (add(ZERO, *(q.likely for q in side)) for side in
                    (map(taken.__getitem__, names), (getattr(workload, name) for name in names)))  # fmt: skip
    try:
        return div(done, likely)
    except ZeroDivisionError:
        return num(1)


def _quantity(count: Count | None) -> Quantity:
    """A count with its bounds. Where a bound is not known the formula stands in for the upper one, 0 for the lower."""
    likely = expr_of(count)
    if count is None or likely is None:
        return NOTHING
    if count.exact:
        return Quantity(likely, likely, likely)
    return Quantity(likely, ZERO if count.low is None else count.low, likely if count.high is None else count.high)


def _sum(counts: list[Count]) -> Quantity:
    total = NOTHING
    for count in counts:
        total = total + _quantity(count)
    return total


def _element_type(loop: LoopFacts) -> ElementType:
    """The widest floating type in the arithmetic; where there is none, that of the data moved."""
    if not _quantity(loop.counts.flops_fp64).is_zero:
        return "fp64"
    if not _quantity(loop.counts.flops_fp32).is_zero:
        return "fp32"
    if not _quantity(loop.counts.fp_other).is_zero:
        return "fp64" if any(a.element_bytes == 8 for a in loop.arrays) else "fp32"
    return "int32"


def _algorithm(loop: LoopFacts) -> tuple[AlgorithmClass | None, Widths, dict[str, ClassOperand]]:
    """The class, the bytes per element of each of its structures, and which array each is."""
    algorithm, species = loop.algorithm, loop.species
    if algorithm is None or species is None or any(map(_is_open, (*algorithm.inputs, *algorithm.outputs))):
        return None, 4, {}
    try:
        work_units(algorithm)  # a class may leave open how many there are: then the counts say it
    except ClassError:
        return None, 4, {}
    names = tuple([operand.name for operand in side] for side in (species.inputs, species.outputs))
    bytes_of = {array.name: array.element_bytes for array in loop.arrays}
    widest = max(bytes_of.values(), default=4)  # of a reduced scalar, which is no array
    structures = (*zip(names[1], algorithm.outputs, strict=True), *zip(names[0], algorithm.inputs, strict=True))
    inputs, outputs = (tuple(bytes_of.get(name, widest) for name in side) for side in names)
    one = set((*inputs, *outputs))
    return algorithm, one.pop() if len(one) == 1 else (inputs, outputs), dict(structures)


def _is_open(operand: ClassOperand) -> bool:
    """Whether nothing declares how long it is. A work-unit uses of it what its index selects, and nobody has to copy
    more: models take the accesses that are counted, no class."""
    return any(array_of_length(name) is not None for n in operand.dims for name in free_symbols(n))


def _parallel_iterations(loop: LoopFacts, nest: tuple[LoopFacts, ...]) -> Expr | None:
    """Independent iterations of one entry of `loop`: its own, times those of parallel loops that fill its body."""
    here = expr_of(loop.counts.trip_count)
    entries = expr_of(loop.counts.executions)
    inner = loop
    while here is not None and entries is not None:
        children = [c for c in nest if c.parent == inner.id]
        if len(children) != 1 or not children[0].parallelism.is_parallel:
            break
        inner = children[0]
        trip = _trip_within(expr_of(loop.counts.iterations) or here, inner)
        executions = expr_of(inner.counts.executions)
        if trip is None or executions is None or entries == ZERO:
            break
        try:
            here = div(trip * executions, entries)
        except ZeroDivisionError:
            break
    return here


def _assumptions(loop: LoopFacts) -> tuple[str, ...]:
    said = [f"{a.kind}({a.text})" for a in loop.parallelism.assumptions]
    assumed = [c for c in loop.conditions if c.source == "assumed"]
    said += [f"branch at line {c.line} taken with weight {c.weight:g}" for c in assumed]
    return tuple(dict.fromkeys(said))
