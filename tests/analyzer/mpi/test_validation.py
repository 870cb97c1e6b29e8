"""The programs of `validation/mpi`: their results, their bytes, and the page that compares their times with the models.

Nothing is timed here: the page is held against the times that its data file keeps."""

import contextlib
import importlib.util
import io
from pathlib import Path
from types import ModuleType

import pytest

from analyzer.mpi.processes import per_process
from models.published import read_tables

from .programs import MISSING, compiled, run


def benchmark(name: str) -> ModuleType:
    """A file of `benchmarks`, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[3] / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


communication = benchmark("communication")
VALIDATION = communication.FOLDER.parent
ONCE = ("-DTRIALS=1", "-DFEWEST=1", "-DSHORTEST=0.0")
AROUND = 8 + 4
"""Bytes that `timing.h` sends for one call: its time, and whether the result is wrong."""


@pytest.mark.skipif(MISSING is not None, reason=f"{MISSING} is not installed (openmpi-bin, libopenmpi-dev)")
@pytest.mark.parametrize("name", communication.PROGRAMS)
def test_what_is_predicted_of_the_timed_function_is_sent(name: str, tmp_path: Path) -> None:
    sizes = communication.PROGRAMS[name][0]
    program = compiled(name, tmp_path, communication.FOLDER, *ONCE)
    truth = run(program, communication.PROCESSES, tuple(sizes.values()))
    assert truth.right, truth.output
    work = communication.work_of(name)
    known = {**sizes, **communication.KNOWN.get(name, {}), "P": communication.PROCESSES}
    predicted = per_process(work.network, {k: float(v) for k, v in known.items()})
    assert predicted is not None
    assert predicted.exact
    calls = 2 if name == "fft" else 1  # one more checks its result
    assert truth.sent == tuple(calls * sent + AROUND for sent in predicted.sent)


def test_the_page_holds_what_the_data_and_the_analysis_say() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        communication.compare(VALIDATION / "communication.toml")
    page = (VALIDATION / "communication.md").read_text(encoding="utf-8")
    first, second = printed.getvalue().strip().split("\n\n")
    assert first in page
    assert second in page


def test_every_program_was_measured_on_every_link() -> None:
    rows = read_tables(VALIDATION / "communication.toml")["results"].rows
    found = sorted((row["algorithm"], row["sizes"], row["system"]) for row in rows)
    wanted = (
        (name, communication.written(sizes), link)
        for name, cases in communication.PROGRAMS.items()
        for sizes in cases
        for link in communication.LINKS
    )
    assert found == sorted(wanted)
