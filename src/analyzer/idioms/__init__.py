"""PMaC idioms of a nest: what each statement does to memory, by one module per idiom.

*Source*: "Modeling performance with idioms" (PMaC), section II and Table I: each instance is reported with
its line and code text. A statement may carry several (`y[r] += v[k] * x[col[k]]` is a reduction of a
gather); `stream` is what is left: it is given where nothing more special fits. Idioms say what the code
does, not whether it is parallel."""

from collections.abc import Callable

from ..counts.nest import Nest
from ..facts.loop import Idiom
from . import (
    gather,
    histogram,
    matrix_matrix,
    matrix_vector,
    pointer_chase,
    reduction,
    scan,
    scatter,
    stencil,
    stream,
    transpose,
)
from .steps import Step, steps

IDIOMS: tuple[tuple[str, Callable[[Step], bool]], ...] = (
    ("matrix-matrix", matrix_matrix.matches),
    ("matrix-vector", matrix_vector.matches),
    ("transpose", transpose.matches),
    ("gather", gather.matches),
    ("scatter", scatter.matches),
    ("histogram", histogram.matches),
    ("scan", scan.matches),
    ("stencil", stencil.matches),
    ("reduction", reduction.matches),
    ("pointer-chase", pointer_chase.matches),
)


def recognise(nest: Nest) -> tuple[Idiom, ...]:
    """The idioms of every statement in the nest, in source order. Raises TooMuchWorkError where the effort of the nest
    is spent.

    Example: `for (i = 0; i < n; i++) s += x[i];` has `Idiom("reduction", line, "s += x[i]")`."""
    found: dict[Idiom, None] = {}
    for step in steps(nest):
        names = [name for name, matches in IDIOMS if matches(step)]
        if not names and stream.matches(step):
            names = ["stream"]
        for name in names:
            found[Idiom(name, step.place.line, step.text)] = None
    return tuple(found)
