"""How far measured times of the validation set lie from the likely ones: what makes the ends of ranges.

For loops that wait for the core, and for those that wait for data: the tenth and the ninetieth percentile of measured
over likely time, over the tuning part of validation/kernels on the machine of validation/accuracy.md. `python -m
tests.accuracy --residuals` prints them; a test holds them against the measured data.
"""

from .figures import End

CORE: dict[End, float] = {"low": 0.78, "likely": 1.0, "high": 1.28}
DATA: dict[End, float] = {"low": 0.75, "likely": 1.0, "high": 1.15}
GAIN: dict[End, float] = {"low": 0.80, "likely": 1.0, "high": 1.30}
"""Of the gain by another way to run a loop on the same machine: measured over likely gain."""
