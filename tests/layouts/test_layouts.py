"""A few random source trees in every run; `python -m tests.layouts.campaign` tries more."""

from pathlib import Path

import pytest

from .campaign import tried


@pytest.mark.parametrize("seed", [3, 6])
def test_every_loop_is_found_once_wherever_the_command_runs(seed: int, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    assert tried(tmp_path / "tree", seed) == []
