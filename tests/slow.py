"""Which tests take long, and are left out where only some minutes are wanted: a test with all its parameters and what
they share together.

    make quick          without those of `SLOW_S` and more
    make test           without those of `LONG_S` and more, of which only every `SAMPLE`-th parameter is tried
    make test ALL=1     all

`python -m tests.slow` (make slow) runs all tests and writes `slow.txt` anew: seconds, and the test. One that it does
not list is quick.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

SLOW = Path(__file__).with_name("slow.txt")
SLOW_S, LONG_S = 0.3, 1.0
SAMPLE = 16
_DURATION = re.compile(r"(?m)^([\d.]+)s (?:call|setup|teardown) +([^\s\[]+)")


def listed(least_s: float = SLOW_S) -> frozenset[str]:
    """Node ids without parameters: `tests/test_pages.py::test_what_a_page_shows_is_what_is_printed`."""
    rows = (row.split() for row in SLOW.read_text(encoding="utf-8").splitlines())
    return frozenset(test for seconds, test in rows if float(seconds) >= least_s)


def slow(output: str) -> dict[str, float]:
    """Those among what `pytest --durations=0` printed, with their seconds.

    Example: `slow("0.30s call     t.py::f[a]\\n0.30s call     t.py::f[b]")` is `{"t.py::f": 0.6}`."""
    total: Counter[str] = Counter()
    for seconds, test in _DURATION.findall(output):
        total[test] += float(seconds)
    return {test: round(seconds, 1) for test, seconds in sorted(total.items()) if seconds >= SLOW_S}


def main() -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--durations=0"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=SLOW.parents[1], check=False)
    if ran.returncode:
        sys.stderr.write(ran.stdout)
        return ran.returncode
    rows = (f"{seconds:.1f} {test}\n" for test, seconds in slow(ran.stdout).items())
    SLOW.write_text("".join(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
