"""What reports leave out of a loop by default (`--detail brief`): a report of 20 kB a loop can be read and sent.

A count whose formula is too long to read is a name, with what is known of it: values, bounds, the sizes it depends on.
Of loops that are not parallel, the arithmetic of today's time and the bytes of single arrays are left out. Each loop
lists the members that hold less than all (`abridged`): nothing is left out without a mark. Verdicts, times and values
do not depend on the detail.
"""

from msgspec.structs import replace

from models.expr import Expr, free_symbols, size, to_text
from models.prediction import Prediction
from models.values import size as size_of_time

from ..ir.formula_names import is_weight
from .document import AbridgedEntry, ArrayEntry, CountEntry, CountsEntry, LoopEntry, TermEntry
from .formula import Formula

MOST_SYMBOLS = 40
"""Numbers and symbols of a formula that a person reads: two or three lines."""
LONGEST_FORMULA = 400
"""Characters of the same in the arithmetic of a time."""
LONGEST_TIMES = 10_000
"""Characters of all formulas that a page computes the times of one loop with."""
UNSIMPLIFIED = 4
"""A time that is not simplified and has this many times too many symbols is too long in any form."""
MOST_SIZES = 8
MOST_ASSUMED = 3
"""Assumptions of a count that are written out. All of those of the answer are, which are another member."""

TOO_LONG = "(too long to read)"
LEFT_OUT = "`left out`"
"""A formula that has no value at any size. None would mean that no size matters."""

_ARRAY_BYTES = (
    "read_footprint_bytes", "write_footprint_bytes", "footprint_bytes", "transfer_in_bytes", "transfer_out_bytes",
)  # fmt: skip
_OF_MPI = frozenset(("network_bytes", "communication_intensity"))
"""Text shows these in the words of `network`."""


def is_long(formula: Expr) -> bool:
    """Whether nobody can read it. Asked of its size, since making its text may take long.

    Example: `is_long(parse("n*(n + 1)/2"))` is False."""
    return size(formula) > MOST_SYMBOLS


def abridged(loop: LoopEntry) -> LoopEntry:
    """The loop in brief, with `abridged` where that is less than all.

    Example: where the loads of a loop in line 12 take 2000 characters, `counts.loads.expr` is "`loads of line 12`"."""
    found = {
        "trip_count": brief_count(loop.trip_count, f"trip_count of line {loop.line}"),
        "executions": brief_count(loop.executions, f"executions of line {loop.line}"),
        "counts": _counts(loop.counts, loop.line),
        "arrays": _arrays(loop),
    }
    less = {name: value for name, value in found.items() if value is not getattr(loop, name)}
    return replace(loop, **less, abridged=(*(loop.abridged or ()), *less)) if less else loop


def brief_formula(p: Prediction) -> str | None:
    """The formula of the likely time; None where nobody can read it."""
    if size_of_time(p.total.likely) > UNSIMPLIFIED * MOST_SYMBOLS:
        return None
    text = to_text(p.formula)
    return text if len(text) <= LONGEST_FORMULA else None


def brief_terms(terms: tuple[TermEntry, ...]) -> tuple[tuple[TermEntry, ...], bool]:
    """The terms without formulas that are too long, and whether there was one."""
    found = tuple(map(_brief_term, terms))
    return found, any(a is not b for a, b in zip(found, terms, strict=True))


def _brief_term(term: TermEntry) -> TermEntry:
    expr = term.expr if term.expr is None or len(term.expr) <= LONGEST_FORMULA else TOO_LONG
    formula = term.formula if term.formula is None or len(term.formula) <= LONGEST_FORMULA else LEFT_OUT
    same = expr is term.expr and formula is term.formula
    return term if same else replace(term, expr=expr, formula=formula)


def brief_count(count: CountEntry | None, name: str) -> CountEntry | None:
    """The count, under `name` where its formula is too long; the same value where nothing is left out."""
    if count is None:
        return None
    changed: dict[str, object] = {}
    formula = None if count.expr is None else count.expr.expr
    if formula is not None and is_long(formula):
        changed = {"expr": Formula(f"`{name}`"), "abridged": _size(formula)}
        changed |= {end: None for end in ("low_expr", "high_expr") if _is_long(getattr(count, end))}
    if len(count.assumptions) > MOST_ASSUMED + 1:
        changed["assumptions"] = _few(count.assumptions)
    return replace(count, **changed) if changed else count


def _is_long(formula: Formula | None) -> bool:
    return formula is not None and is_long(formula.expr)


def _size(formula: Expr) -> AbridgedEntry:
    sizes = sorted(name for name in free_symbols(formula) if not is_weight(name))
    return AbridgedEntry(size(formula), tuple(sizes[:MOST_SIZES]), len(sizes[MOST_SIZES:]))


def _few(assumptions: tuple[str, ...]) -> tuple[str, ...]:
    """The first ones, and all that text reports show (of the rows of arrays that are sent)."""
    kept = [a for k, a in enumerate(assumptions) if k < MOST_ASSUMED or a.startswith("in-bounds(")]
    left = len(assumptions) - len(kept)
    return (*kept, f"and {left} more, which --detail full lists") if left else assumptions


def _counts(counts: CountsEntry, line: int) -> CountsEntry:
    was = {name: getattr(counts, name) for name in CountsEntry.__struct_fields__ if name not in _OF_MPI}
    now = {name: brief_count(count, f"{name} of line {line}") for name, count in was.items()}
    less = {name: count for name, count in now.items() if count is not was[name]}
    return replace(counts, **less) if less else counts


def _arrays(loop: LoopEntry) -> tuple[ArrayEntry, ...]:
    if loop.is_parallel:
        found = tuple(_array(array, loop.line) for array in loop.arrays)
    else:
        found = tuple(_without_bytes(array) for array in loop.arrays)
    return loop.arrays if all(a is b for a, b in zip(found, loop.arrays, strict=True)) else found


def _array(array: ArrayEntry, line: int) -> ArrayEntry:
    was = {name: getattr(array, name) for name in _ARRAY_BYTES}
    now = {name: brief_count(count, f"{name} of {array.name} in line {line}") for name, count in was.items()}
    less = {name: count for name, count in now.items() if count is not was[name]}
    return replace(array, **less) if less else array


def _without_bytes(array: ArrayEntry) -> ArrayEntry:
    known = any(getattr(array, name) is not None for name in _ARRAY_BYTES)
    return replace(array, **dict.fromkeys(_ARRAY_BYTES)) if known else array
