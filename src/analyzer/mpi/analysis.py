"""The communication of a loop, and of a whole function: a loop that runs once."""

from collections.abc import Mapping

from msgspec.structs import replace

from ..counts import arrays, totals
from ..counts.nest import Nest, build
from ..facts.loop import Communication, Count, Parallelism
from ..facts.network import Network
from ..ir.mpi_signatures import PREFIX
from ..ir.nodes import Call as IrCall
from ..ir.nodes import Counter, Function, Loop, Ratio, evaluated, statements
from ..ir.polynomials import number
from ..ir.symbols import program
from ..polyhedra.effort import MOST_STEPS, Effort, TooMuchWorkError
from ..source.unit import Abi
from .handles import Types
from .traffic import network

WHOLE = 0
"""Key of the loop that stands for a whole function, apart from all others."""


def talks(function: Function) -> bool:
    """Whether the function calls MPI, itself or in what was inlined."""
    return any(
        isinstance(e, IrCall) and e.name.startswith(PREFIX)
        for statement in statements(function.body)
        for e in evaluated(statement)
    )


def of_loop(nest: Nest, abi: Abi) -> Network | None:
    """What one entry of a loop sends; None where it sends nothing."""
    return network(nest, Types(nest.function, abi)) if nest.messages else None


def of_function(
    function: Function, abi: Abi, answers: Mapping[int, Parallelism], end_line: int
) -> Communication | None:
    """What one call of a function sends, computes and touches; None where it sends nothing, or where MOST_STEPS
    steps do not suffice to find out."""
    try:
        return _of_function(function, abi, answers, end_line)
    except TooMuchWorkError:
        return None


def _of_function(
    function: Function, abi: Abi, answers: Mapping[int, Parallelism], end_line: int
) -> Communication | None:
    counter = program(WHOLE, "call", Counter(WHOLE), 0)
    whole = Loop(
        key=WHOLE,
        counter=counter,
        kind="do",
        place=function.place,
        end_line=end_line,
        trip=(Ratio(number(1)),),
        exact_trip=True,
        variable=None,
        first=None,
        last=None,
        step=None,
        body=function.body,
    )
    function = replace(function, body=(whole,))
    nest = build(function, whole, (), Effort(MOST_STEPS))
    found = of_loop(nest, abi)
    if found is None:
        return None
    return Communication(found, _flops(nest), _traffic(nest, answers))


def _flops(nest: Nest) -> Count | None:
    return totals.plus((totals.total(nest, "flops_fp32"), totals.total(nest, "flops_fp64")))


def _traffic(nest: Nest, answers: Mapping[int, Parallelism]) -> Count | None:
    """Bytes read plus bytes written, each once."""
    return totals.plus(part for a in arrays(nest, answers) for part in (a.read_footprint, a.write_footprint))
