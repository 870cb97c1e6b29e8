"""Child processes under limits, however these are set."""

import os
import sys
from pathlib import Path

import pytest

from analyzer.source import process

needs_limits = pytest.mark.skipif(sys.platform != "linux", reason="prlimit is a program of Linux")
SHOW = [sys.executable, "-c", "import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[0])"]


def without_prlimit(folder: Path, says: str, code: int) -> str:
    """A path on which `prlimit` ends so."""
    program = folder / "prlimit"
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {code}\n", encoding="utf-8")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@needs_limits
def test_limits_hold_with_the_program_and_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert process.run(SHOW, str(tmp_path), cpu_s=7).output.strip() == b"7"
    monkeypatch.setattr(process, "_limiter", lambda path: None)
    assert process.run(SHOW, str(tmp_path), cpu_s=7).output.strip() == b"7"


@needs_limits
def test_what_may_not_set_limits_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says = "prlimit: failed to set the AS resource limit: Operation not permitted"
    monkeypatch.setenv("PATH", without_prlimit(tmp_path, says, 1))
    outcome = process.run(SHOW, str(tmp_path), cpu_s=7)
    assert (outcome.output.strip(), outcome.code) == (b"7", 0)


@pytest.mark.parametrize("limiter", ["as it is", None])
def test_a_program_that_is_not_there_cannot_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limiter: str | None
) -> None:
    if limiter is None:
        monkeypatch.setattr(process, "_limiter", lambda path: None)
    with pytest.raises(OSError, match="no-such-compiler"):
        process.run(["no-such-compiler"], str(tmp_path))
