"""Nothing is ordered by a hash or an address: two processes with different hash seeds write the same bytes."""

import os
import subprocess
import sys

from tests.frozen.reports import COMMAND, FIXTURES, OPTIONS

FILES = ("stencils.c", "triangular_costs.c", "mpi/mst.c")
"""Most kinds of symbols (`ir.symbols`) in numbers, divisions with rewritten dividends among them."""

SUM = """
from analyzer.ir.nodes import Counter, Quotient
from analyzer.ir.polynomials import ZERO, symbol
from analyzer.ir.symbols import Kind, derived, division, program

k = program(1, "k", Counter(1), 0)
halves = [division(k, Quotient(symbol(k) * 2 + 1, d, True), is_remainder=False) for d in range(2, 40)]
copies = [derived(Kind.COPY, s, s.origin, which=1) for s in halves]
total = sum(map(symbol, (*copies, *halves)), ZERO)
print([s.key for monomial, _ in total.terms for s in monomial], [s.key for s in total.symbols])
"""


def _output(seed: str, *arguments: str) -> bytes:
    environment = os.environ | {"PYTHONHASHSEED": seed}
    done = subprocess.run((sys.executable, *arguments), cwd=FIXTURES, env=environment, capture_output=True, check=True)
    assert done.stdout
    return done.stdout


def test_the_hash_seed_changes_no_report() -> None:
    report = (*COMMAND[1:], *FILES, *OPTIONS)
    assert _output("1", *report) == _output("4242", *report)


def test_the_hash_seed_changes_no_order_of_symbols() -> None:
    assert _output("1", "-c", SUM) == _output("4242", "-c", SUM)
