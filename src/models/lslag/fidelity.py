"""How well predictions order what was measured: Kendall's tau-b, and the most of it that tied predictions can reach.

    tau-b = (C - D) / sqrt((n0 - n1) (n0 - n2))

C and D pairs in the same and in opposite order, n0 all pairs, n1 and n2 pairs tied in one and in the other list. It is
the tau of Matlab's `corr`, which the LSLAG paper used (its .92 for a model with ties cannot be tau-a).
"""

import math
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from ..errors import InputError


def kendall_tau_b(predicted: Sequence[float], measured: Sequence[float]) -> float | None:
    """-1 to 1; None where it is undefined, all predictions or all measurements being equal. InputError for lists of
    different length and for NaN. n log n comparisons.

    Example: `kendall_tau_b([1, 2, 2, 3], [1, 2, 3, 4])` is 5 / sqrt(5 · 6) = 0.913."""
    if len(predicted) != len(measured):
        raise InputError(f"{len(predicted)} predictions for {len(measured)} measurements")
    if any(map(math.isnan, (*predicted, *measured))):
        raise InputError("NaN cannot be ordered")
    pairs = len(predicted) * (len(predicted) - 1) // 2
    ties, other_ties = _tied(predicted), _tied(measured)
    if pairs in (ties, other_ties):
        return None
    together = sorted(zip(predicted, measured, strict=True))
    ordered = pairs - ties - other_ties + _tied(together)
    return (ordered - 2 * _inversions(y for _, y in together)) / math.sqrt((pairs - ties) * (pairs - other_ties))


def ceiling(groups: Sequence[Hashable], measured: Sequence[float]) -> float | None:
    """The greatest tau-b of predictions that are equal within a group, here one S, and differ between groups; None
    where it is undefined. For six groups of twelve different measurements it is .919: what LSLA can reach at most."""
    pairs = len(groups) * (len(groups) - 1) // 2
    ties, other_ties = _tied(groups), _tied(measured)
    if pairs in (ties, other_ties):
        return None
    ordered = pairs - ties - other_ties + _tied(list(zip(groups, measured, strict=True)))
    return ordered / math.sqrt((pairs - ties) * (pairs - other_ties))


def _tied(values: Sequence[Hashable]) -> int:
    return sum(count * (count - 1) // 2 for count in Counter(values).values())


def _inversions(values: Iterable[float]) -> int:
    """Pairs of which the first is greater than the second."""
    seen: list[float] = []
    found = 0
    for value in values:
        found += len(seen) - bisect_right(seen, value)
        insort(seen, value)
    return found
