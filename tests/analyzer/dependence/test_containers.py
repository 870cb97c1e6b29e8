"""Loops over containers that are said to be parallel leave the same behind in other orders of their iterations."""

import shutil

import pytest

from .containers import campaign


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_parallel_loops_may_run_in_other_orders() -> None:
    found = campaign(40, 3)
    assert not found["wrong"]
    assert 3 * found["parallel, and yes"] > found["parallel"]
