"""What tests of the whole command share."""

import gc
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from .slow import LONG_S, SAMPLE, listed

settings.register_profile("untimed", deadline=None)  # machines are shared and noisy: nothing here is timed
settings.load_profile("untimed")

gc.set_threshold(50_000, 20, 50)  # what is found out about a file makes few cycles: a twentieth of the time

os.environ["BOATHULL_NO_CACHE"] = "1"  # a test that is about kept answers takes this away

# Commands that tests start find their modules compiled, wherever they are told not to write beside the sources.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "bytecode")

ROOT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden reports anew")


LONGEST = (
    *("test_fixtures.py", "test_pages.py", "test_fixture_reports.py", "test_programs.py", "test_dump.py"),
    *("test_checks.py", "test_pre_commit.py", "test_program.py", "test_table.py", "test_validation.py"),
)
"""Files of tests that take longest: they come first, so that no worker waits for another one at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
    slow, long = listed(), listed(LONG_S)
    seen: Counter[str] = Counter()
    for item in items:
        test, bracket, _ = item.nodeid.partition("[")
        if test in slow:
            item.add_marker(pytest.mark.slow)
        if test in long and not (bracket and seen[test] % SAMPLE == SAMPLE - 1):
            item.add_marker(pytest.mark.long)
        seen[test] += 1


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """A set is printed in another order, and compressed bytes hold another time, in every process: two workers would
    not agree on the names of the tests."""
    return argname if isinstance(val, bytes | set | frozenset) else None


@dataclass(frozen=True)
class Ran:
    """One run of the command: its exit code and what it wrote."""

    code: int
    out: str
    err: str


Analyze = Callable[..., Ran]


@pytest.fixture
def analyze(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Analyze:
    """Runs `analyze` in an empty folder of its own, in this process."""
    from analyzer.command.cli import main

    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., Path]:
    """Writes a C file into the folder of the test."""

    def write(text: str, name: str = "a.c") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
