"""Table 1 of "The Boat Hull Model" (2012) as printed: eleven classes with their w, m, o, d, c and u.

Where a row contradicts the paper's own definitions the rules of `parameters` differ from it, and `difference`
says how. The printed rows remain available as a variant of the model, `printed_parameters`.
"""

from msgspec import Struct

from .classes import AlgorithmClass, Operand
from .expr import ONE, Expr, Sym, free_symbols, parse, substitute
from .notation import parse_class
from .parameters import Parameters, gpu_parameters


class Row(Struct, frozen=True):
    """One row; data in elements. `difference`: what the rules of `parameters` give instead, and why."""

    name: str
    algorithm: str
    example: str
    w: str
    m: str
    o: str
    d: str
    c: str
    u: str
    scattered: bool = False
    difference: str = ""


ROWS = (
    Row("element", "AxB|element → AxB|element", "binarization", "A*B", "1", "16", "2*A*B", "2*A*B", "0"),
    Row(
        "unordered", "unordered AxB|element → AxB|element", "xy-mirroring",
        "A*B", "1", "16", "2*A*B", "2*A*B", "0", scattered=True,
    ),
    Row(
        "x-projection", "AxB|tile(1xB) → A|element", "x-projection",
        "A", "B", "4*B", "A*B + A", "A*B + A", "0", scattered=True,
    ),
    Row(
        "scale-down", "AxB|tile(UxV) → A/UxB/V|element", "scale down",
        "A/U*(B/V)", "U*V", "4*U*V", "2*A*B", "2*A*B", "0",
        difference="d and c: the output has A/U x B/V elements, not A x B",
    ),
    Row(
        "tile", "AxB|tile(UxV) → AxB|tile(UxV)", "2D-DCT",
        "A/U*(B/V)", "U*V", "4*U*V", "2*A*B", "A*B", "A*B",
    ),
    Row(
        "enlarge", "AxB|element → A*UxB*V|tile(UxV)", "enlarge",
        "A/U*(B/V)", "U*V", "4*U*V", "2*A*B", "2*A*B", "0",
        difference="w: one work-unit per input element; d and c: the output has A U x B V elements",
    ),
    Row(
        "neighbourhood-2d", "AxB|neighbourhood(NxM) → AxB|element", "2D-convolution",
        "A*B", "N*M", "64", "2*A*B", "2*A*B", "0",
        difference="c and u: the paper does not print alpha1 and beta1; the rule derives them from the halo",
    ),
    Row(
        "neighbourhood-1d", "AxB|neighbourhood(N) → AxB|element", "1D-convolution",
        "A*B", "N", "64", "2*A*B", "2*A*B", "0",
        difference="c and u: the paper does not print alpha2 and beta2; the rule derives them from the halo",
    ),
    Row("shared-scalar", "AxB|element → 1|shared", "sum", "A*B", "1", "16", "A*B + 1", "A*B", "1"),
    Row(
        "shared-array", "AxB|element → C|shared", "histogram", "A*B", "1", "64", "A*B + C", "C", "A*B",
        difference="none: the paper prints an undefined N where d and c need C",
    ),
    Row(
        "two-inputs", "AxB|element ∧ AxB|element → AxB|element", "differencing",
        "A*B", "1", "32", "3*A*B", "3*A*B", "0",
    ),
)  # fmt: skip


def matching_row(algorithm: AlgorithmClass) -> tuple[Row, dict[str, Expr]] | None:
    """The first row whose class `algorithm` is an instance of, with the values of the row's letters."""
    for row in ROWS:
        letters = _unify(parse_class(row.algorithm), algorithm)
        if letters is not None:
            return row, letters
    return None


def printed_parameters(algorithm: AlgorithmClass, width: int = 1) -> Parameters | None:
    """The printed row's variables, data in units of `width` bytes per element; None for a class outside Table
    1.

    Without printed alpha and beta the rule's halo is used in the neighbourhood rows, too."""
    found = matching_row(algorithm)
    if found is None:
        return None
    row, letters = found
    rule = gpu_parameters(algorithm, width)

    def value(text: str) -> Expr:
        return substitute(parse(text), letters)

    has_halo = row.name.startswith("neighbourhood")
    d = value(row.d) * width
    return Parameters(
        w=value(row.w),
        m=value(row.m),
        o=value(row.o),
        d_in=d - rule.d_out if row.name == "x-projection" else rule.d_in,
        d_out=d - rule.d_in,
        c=rule.c if has_halo else value(row.c) * width,
        u=rule.u if has_halo else value(row.u) * width,
        scattered=row.scattered,
        source=f"Table 1 of the boat hull paper as printed, {row.example}",
    )


def _unify(template: AlgorithmClass, algorithm: AlgorithmClass) -> dict[str, Expr] | None:
    sides = ((template.inputs, algorithm.inputs), (template.outputs, algorithm.outputs))
    if template.unordered != algorithm.unordered or any(len(mine) != len(theirs) for mine, theirs in sides):
        return None
    letters: dict[str, Expr] = {}
    pairs = [pair for mine, theirs in sides for pair in zip(mine, theirs, strict=True)]
    return letters if all(_unify_operand(mine, theirs, letters) for mine, theirs in pairs) else None


def _unify_operand(mine: Operand, theirs: Operand, letters: dict[str, Expr]) -> bool:
    if mine.pattern is not theirs.pattern or len(mine.extent) != len(theirs.extent):
        return False
    dims = (ONE,) * (len(mine.dims) - len(theirs.dims)) + theirs.dims  # a vector is a matrix of one row
    if len(dims) != len(mine.dims):
        return False
    # Extents first: A/U needs U.
    lengths = (*zip(mine.extent, theirs.extent, strict=True), *zip(mine.dims, dims, strict=True))
    return all(_unify_length(a, b, letters) for a, b in lengths)


def _unify_length(mine: Expr, theirs: Expr, letters: dict[str, Expr]) -> bool:
    if isinstance(mine, Sym):
        return letters.setdefault(mine.name, theirs) == theirs
    return free_symbols(mine) <= set(letters) and substitute(mine, letters) == theirs
