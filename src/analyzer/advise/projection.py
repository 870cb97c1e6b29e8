"""What the whole application gains once its blocks run elsewhere: Amdahl.

PMaC paper, section VII.B (`models.pmac.projection`): T'/T = 1 - sum of coverage_i + sum of coverage_i / speedup_i.
"""

from collections.abc import Iterable

from models.pmac.projection import Part, Projection, project


def projected(parts: Iterable[tuple[float, float]]) -> Projection:
    """The projection over blocks, each with its coverage (share of all time) and its speedup. Rounded coverages may add
    up to a little more than everything; they are scaled down to 1 then.

    Example: `projected([(0.5, 2.0)]).speedup` is 1/0.75."""
    listed = list(parts)
    most = max(1.0, sum(coverage for coverage, _ in listed))
    return project(Part(coverage / most, speedup) for coverage, speedup in listed)
