"""Which tests `make quick` leaves out: those that take a third of a second or more, all their parameters and what they
share together.

`python -m tests.slow` (make slow) runs all tests and writes `slow.txt` anew. A test that it does not list is quick.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

SLOW = Path(__file__).with_name("slow.txt")
LEAST_S = 0.3
_DURATION = re.compile(r"(?m)^([\d.]+)s (?:call|setup|teardown) +([^\s\[]+)")


def listed() -> frozenset[str]:
    """Node ids without parameters: `tests/test_pages.py::test_what_a_page_shows_is_what_is_printed`."""
    return frozenset(SLOW.read_text(encoding="utf-8").split())


def slow(output: str) -> list[str]:
    """Those among what `pytest --durations=0` printed.

    Example: `slow("0.30s call     t.py::f[a]\\n0.30s call     t.py::f[b]")` is `["t.py::f"]`."""
    total: Counter[str] = Counter()
    for seconds, test in _DURATION.findall(output):
        total[test] += float(seconds)
    return sorted(test for test, seconds in total.items() if seconds >= LEAST_S)


def main() -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--durations=0"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=SLOW.parents[1], check=False)
    if ran.returncode:
        sys.stderr.write(ran.stdout)
        return ran.returncode
    SLOW.write_text("\n".join(slow(ran.stdout)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
