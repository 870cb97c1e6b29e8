"""How far predictions are from measurements: mean absolute percentage error (Cardwell 2019, equation 2.6)."""

from collections.abc import Sequence

from .elementwise import nonnegative, positive
from .errors import InputError


def percentage_error(measured: float, predicted: float) -> float:
    """100 |measured - predicted| / measured. Example: `percentage_error(103e-6, 143e-6)` is 38.83."""
    return float(100 * abs(measured - nonnegative("predicted", predicted)) / positive("measured", measured))


def mape(measured: Sequence[float], predicted: Sequence[float]) -> float:
    """The mean of the percentage errors (the equation lacks the factor 100 that the tables have).

    InputError for lists of different length, empty lists and measurements that are not positive."""
    if len(measured) != len(predicted) or not measured:
        raise InputError(f"{len(measured)} measurements and {len(predicted)} predictions make no mean error")
    return sum(map(percentage_error, measured, predicted)) / len(measured)


def improvement(original: float, new: float) -> float:
    """By how many percent of its error a model improves on another, 100 (original - new) / original.

    Cardwell 2019, section 2.6.2, prints the difference the other way round, while its text and Table 2.6 have 100 % as
    the best value. Example: `improvement(50, 10)` is 80."""
    return float(100 * (positive("original error", original) - nonnegative("new error", new)) / original)
