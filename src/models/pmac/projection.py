"""What faster parts do to a whole application.

    T' / T = 1 - sum of coverage_i + sum of coverage_i / speedup_i              coverage: part of T spent in part i

(Amdahl; PMaC paper, §VII.B.) The host waits while an accelerator works, as in the paper.
"""

import math
from collections.abc import Iterable

from msgspec import Struct

from ..errors import InputError


class CoverageError(InputError):
    """Parts that do not make an application."""


class Part(Struct, frozen=True):
    """`coverage`: of the application's time, 0 to 1; `speedup`: old time over new, below 1 where it gets slower."""

    coverage: float
    speedup: float


class Projection(Struct, frozen=True):
    """`remaining`: new time over old; `improvement` = 1 - remaining; `limit`: the improvement that no speedup of these
    parts can exceed."""

    remaining: float
    improvement: float
    limit: float

    @property
    def speedup(self) -> float:
        """Old time over new; infinite where nothing remains."""
        return 1 / self.remaining if self.remaining else math.inf


def project(parts: Iterable[Part]) -> Projection:
    """The application's time once its parts are that much faster.

    CoverageError for a coverage outside 0 to 1, parts that cover more than everything, and a speedup that is not
    positive.

    Example: HYCOM on 256 processes, `project([Part(0.046, 7768 / 448), Part(0.169, 28459 / 2149)])`, improves by
    19.96 % (printed: 20 %)."""
    known = tuple(parts)
    for part in known:
        if not 0 <= part.coverage <= 1:
            raise CoverageError(f"a coverage is a part of the application's time, 0 to 1: {part.coverage:g}")
        if not part.speedup > 0:
            raise CoverageError(f"a speedup is positive (old time over new): {part.speedup:g}")
    covered = math.fsum(part.coverage for part in known)
    if covered > 1 + 1e-12:  # sums of rounded shares may miss 1 by an ulp
        raise CoverageError(f"the parts cover {100 * covered:.6g} % of the application")
    rest = max(0.0, 1 - covered)
    remaining = math.fsum((rest, *(part.coverage / part.speedup for part in known)))
    return Projection(remaining, 1 - remaining, min(1.0, covered))


def project_time(total_s: float, parts: Iterable[tuple[float, float]]) -> float:
    """Seconds of an application that takes `total_s`, once its parts, given as (seconds, speedup), are faster.

    Example: graph500, `project_time(5980, [(1313.92, 98)])` is 4679.5 s (measured: 4686 s)."""
    if not 0 < total_s < math.inf:
        raise CoverageError(f"the time of an application is positive: {total_s:g} s")
    return total_s * project(Part(seconds / total_s, speedup) for seconds, speedup in parts).remaining
