"""Algorithmic species of a nest (Nugteren, Corvino and Corporaal, 2013): which part of which array a
work-unit uses.

For every array reference of a nest with parallel loops P (see `dependence.chain`) and other loops I,
per dimension:

    domain D   interval of the subscript over all loops, narrowed by conditions on loop variables
    extent E   interval of the subscript over I, with the variables of P at 0
    step S     change of the subscript per iteration of P; where no variable of P occurs, the length of E;
               and 0 where the step equals the length of D, or D has length 1 (so `x[j]` read whole is `full`)

References to one array with the same direction and S merge (union of D and of E). Then

    all S = 0: `full` if read, `shared` if written;   all E of length 1: `element`;
    some non-zero S smaller than its E: `neighbourhood(E)`;   else `chunk(E)`.

A subscript without a formula has the declared range as D, and S = 0; where no length is declared it is a size of its
own, `length@x`. Rows of entries between two values of an index array (`counts.consecutive`) are chunks of a mean
length. A reduced scalar is an array of length 1. Reads covered by earlier writes of the same iteration, and `full`
reads of a `shared` output, are dropped; so is memory that every iteration has for itself, bounds of loops that are the
same for every work-unit, and pointers that are only followed to the rows behind them.

Where these rules leave a choice it is made so: ranges whose union is no range stay apart (`merging`); a
linearised subscript (`a[i*n + j]` with 0 <= j < n) has two dimensions, as long as every reference to the
array can be read that way (`dimensions`); I spans its ranges over all of P, so that a triangle reads whole
rows.

    references   from accesses to D, E and S          dimensions   linearised subscripts taken apart
    covered      reads of what was just written       merging      references of one array as one operand
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from models.expr.nodes import remembered

from ..counts.nest import Nest
from ..dependence.chain import parallel_chain
from ..facts.loop import Parallelism, Reason
from ..ir.reasons import ReasonCode
from ..polyhedra.summation import NotClosedError
from .merging import assembled
from .references import NoRangeError, references

if TYPE_CHECKING:
    from models.classes import AlgorithmClass
    from models.notation import Species

Answers = Mapping[int, Parallelism]


class Patterns(Struct, frozen=True, dict=True):
    """The species of a nest and whether it is `unordered`."""

    species: "Species"
    unordered: bool

    @remembered("_algorithm")
    def algorithm(self) -> "AlgorithmClass | None":
        """The class of 2011; None when the notation cannot say it (no output, an empty range)."""
        from models.classes import AlgorithmClass, ClassError
        from models.notation import to_class

        try:
            plain = to_class(self.species)
        except ClassError:
            return None
        return AlgorithmClass(plain.inputs, plain.outputs, self.unordered)


def species(nest: Nest, parallelism: Answers) -> "Species | None":
    """The species of the nest, None when it has none.

    Example: a 3-point stencil gives `A[0:N-1]|neighbourhood(-1:1) -> B[1:N-2]|element`."""
    found = patterns(nest, parallelism)
    return None if found is None else found.species


def patterns(nest: Nest, parallelism: Answers) -> Patterns | None:
    """The species as a value of `models.notation`; None when the nest has none: it is not parallel, or `refusal`
    says what is not known."""
    found = _answer(nest, parallelism)
    return found if isinstance(found, Patterns) else None


def refusal(nest: Nest, parallelism: Answers) -> Reason | None:
    """Why a parallel nest has no class; None when it has one, or is not parallel (then that is the reason).

    Example: `for (i...) y[i] = x[0][p[i]];` with pointers in x: how long the rows are is not known."""
    found = _answer(nest, parallelism)
    if not isinstance(found, Patterns):
        return found
    if found.algorithm() is not None:
        return None
    message = "it stores nothing, or never runs: there is no output to classify"
    return Reason(ReasonCode.TOO_COMPLEX, message, nest.loop.place.line)


def _answer(nest: Nest, parallelism: Answers) -> Patterns | Reason | None:
    """The species, or why there is none; None: not parallel. Worked out once per nest."""
    answer = parallelism.get(nest.loop.key)
    if answer is None or not answer.is_parallel:
        return None
    return nest.once("patterns", lambda: _worked_out(nest, parallelism))


def _worked_out(nest: Nest, parallelism: Answers) -> Patterns | Reason:
    chain = parallel_chain(nest.loop, parallelism)
    if nest.refused:
        return Reason(ReasonCode.UNPARSED, f"not understood: {next(iter(nest.unknown), '')}", nest.loop.place.line)
    for loop in chain:
        if loop.counter not in nest.bodies[loop.key].counters:
            return Reason(ReasonCode.UNKNOWN_TRIP_COUNT, "how often the loop runs is not known", loop.place.line)
    try:
        return Patterns(*assembled(nest, chain, references(nest, chain, parallelism), parallelism))
    except NoRangeError as error:
        message = f"which part of `{error.name}` is used depends on data, and its length is not declared"
        return Reason(ReasonCode.NON_AFFINE_ACCESS, message, error.line)
    except NotClosedError:
        return Reason(ReasonCode.TOO_COMPLEX, "the range of a subscript has no closed form", nest.loop.place.line)
