"""How often a nest applies its operator f: work-units times applications per work-unit (boat hull model, w
and m)."""

from typing import TYPE_CHECKING

from models.expr import mul

from ..facts.loop import Count

if TYPE_CHECKING:
    from models.classes import AlgorithmClass


def applications(algorithm: "AlgorithmClass | None") -> Count | None:
    """w * m of the class of a nest, by the rules of the boat hull model; None when it has no class.

    Example: `1024x1024|tile(1x1024) → 1024|element` applies f 1024 * 1024 times."""
    from models.classes import ClassError
    from models.parameters import applications as per_unit
    from models.parameters import work_units

    if algorithm is None:
        return None
    try:
        return Count(mul(work_units(algorithm), per_unit(algorithm)))
    except ClassError:
        return None
