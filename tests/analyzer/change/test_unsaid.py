"""Whether the kernel of a predicted time is what a directive says."""

import pytest

from analyzer.change.unsaid import unsaid

PRAGMA = "#pragma omp target teams distribute parallel for"


@pytest.mark.parametrize(
    ("directive", "mapping", "is_all"),
    [
        (PRAGMA, None, True),
        (PRAGMA, "a thread for each i", True),
        (PRAGMA, "a thread for each i; s updated atomically", True),
        (f"{PRAGMA} collapse(2) map(to: a)", "collapse i and j", True),
        (f"{PRAGMA} collapse(3)", "collapse i, j and the loop of line 12", True),
        (PRAGMA, "collapse i and j", False),
        (f"{PRAGMA} collapse(2)", "collapse i, j and k", False),
        (f"{PRAGMA} collapse(2)", "collapse i and j after exchanging j and k", False),
        (f"{PRAGMA} collapse(2)", "collapse i and j, 4 x 4 elements for each thread, tiles of A in shared memory", 0),
        (f"{PRAGMA} collapse(2)", "collapse i and j, tiles of A in shared memory", False),
        (PRAGMA, "a thread block for each i, its threads sum over j in a tree", False),
    ],
)
def test_what_a_directive_leaves_out(directive: str, mapping: str | None, is_all: bool) -> None:
    assert unsaid(directive, mapping) == (None if is_all else mapping)
