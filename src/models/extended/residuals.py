"""How far measured times of the validation set lie from the likely ones: what makes the ends of ranges.

For loops that wait for the core, and for those that wait for data: the tenth and the ninetieth percentile of measured
over likely time, over the tuning part of validation/kernels on the machines of validation/accuracy.md. `python -m
tests.accuracy --residuals` prints them; a test holds them against the measured data.
"""

from ..quantity import End

CORE: dict[End, float] = {"low": 0.80, "likely": 1.0, "high": 1.46}
DATA: dict[End, float] = {"low": 0.77, "likely": 1.0, "high": 1.35}
GAIN: dict[End, float] = {"low": 0.58, "likely": 1.0, "high": 1.12}
"""Of the gain by another way to run a loop on the same machine: measured over likely gain."""

GPU_DATA: dict[End, float] = {"low": 0.98, "likely": 1.0, "high": 1.34}
"""How much further the ends of GPUs' times lie that wait for memory: the tenth percentile of published over the low end
without it, and the ninetieth of published over the high end, over the tuning part of validation/published. Those that
wait for lanes need none: their ends hold nine of ten."""
