"""The roofline model: what a kernel attains is limited by peak arithmetic or by memory bandwidth times intensity.

Williams, Waterman, Patterson, CACM 52(4), 2009, as the other papers cite it: PerDome, equations 1-3; Cardwell 2019,
equations 2.1 and 2.2. I = N_f / N_b is the operational intensity, operations per byte of memory traffic:

    P = min(peak, bandwidth I)          T = max(N_f / peak, N_b / bandwidth)          ridge point I* = peak / bandwidth

Below the ridge point a kernel is memory-bound, above it compute-bound. (PerDome prints "memory bounded if I t_b/t_f
< I" after equation 3; with t_f = 1/peak and t_b = 1/bandwidth it must read I t_f/t_b < 1.)

Everything takes numbers or numpy arrays, in SI: operations/s, bytes/s, operations per byte. Not modelled: latency,
caches, several memories, overheads of starting; arithmetic and traffic overlap perfectly.
"""

from typing import Literal, TypeAlias

from ..elementwise import Values, greatest, least, nonnegative, positive

Limit: TypeAlias = Literal["compute", "memory"]


def attainable(peak: Values, bandwidth: Values, intensity: Values) -> Values:
    """Operations per second at most, min(peak, bandwidth · I).

    InputError for a rate that is not positive and an intensity that is negative or NaN.
    Example: `attainable(22e9, 13.9e9, 1.0)` is 13.9e9, the bandwidth's limit on Karst (Cardwell 2019, Table 2.3)."""
    rate = positive("bandwidth", bandwidth) * nonnegative("intensity", intensity)
    return least(positive("peak", peak), rate)


def time(operations: Values, traffic: Values, peak: Values, bandwidth: Values) -> Values:
    """Seconds at least for `operations` and `traffic` bytes: the longer of the two.

    InputError for negative counts and rates that are not positive. Example: `time(2e9, 8e9, 4e9, 4e9)` is 2.0."""
    compute = nonnegative("operations", operations) / positive("peak", peak)
    memory = nonnegative("traffic", traffic) / positive("bandwidth", bandwidth)
    return greatest(compute, memory)


def ridge_point(peak: Values, bandwidth: Values) -> Values:
    """The least intensity, in operations per byte, that attains the peak. Example: `ridge_point(22e9, 13.9e9)` is
    1.583 for Karst."""
    return positive("peak", peak) / positive("bandwidth", bandwidth)


def limit(peak: float, bandwidth: float, intensity: float) -> Limit:
    """What limits a kernel of this intensity; at the ridge point itself compute."""
    return "memory" if nonnegative("intensity", intensity) < ridge_point(peak, bandwidth) else "compute"
