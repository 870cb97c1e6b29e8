"""Where files are analysed: what an engine may be called, and the same answers on a cluster."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analyzer.base.errors import InputError
from analyzer.driver.engines import each, scheduler

from ...conftest import ROOT, Analyze

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def test_names_of_engines() -> None:
    assert scheduler("local") is None
    assert scheduler("dask://node1:8786") == "node1:8786"


@pytest.mark.parametrize(
    "name", ["", "dask", "dask://", "dask://host", "dask://host:port", "tcp://h:1", "dask://h:1/x"]
)
def test_what_is_no_engine_is_said(name: str) -> None:
    with pytest.raises(InputError, match="use local, or dask://HOST:PORT"):
        scheduler(name)


def test_a_run_in_another_folder_finds_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that an earlier run has started serve the next one, too."""
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert set(each("local", 2, os.path.abspath, ["a.c", "b.c"])) == {str(folder / "a.c"), str(folder / "b.c")}


def test_without_dask_it_is_said_what_to_install(
    analyze: Analyze, source: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source("int f(void) { return 1; }")
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = analyze("a.c", "-t", "h200", "--engine", "dask://127.0.0.1:1")
    assert found.code == 2
    assert "boathull[distributed]" in found.err


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("distributed")
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    process = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdin
    assert process.stdout
    yield process.stdout.readline().strip().removeprefix("tcp://")
    process.stdin.close()
    process.wait()
    process.stdout.close()


def test_a_cluster_says_what_this_machine_says(cluster: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for number in range(5):
        text = f"void f{number}(double *x) {{ for (int i = 0; i < 100; i++) x[i] = {number}; }}\n"
        (work / f"{number}.c").write_text(text, encoding="utf-8")
    (work / "broken.c").write_text("\0", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}

    def run(engine: str) -> tuple[int, str]:
        code = "from analyzer.command.cli import main; raise SystemExit(main())"
        words = [sys.executable, "-c", code, ".", "-t", "h200", "-f", "json", "--engine", engine]
        done = subprocess.run(words, cwd=work, env=environment, capture_output=True, text=True, check=False)
        assert "6 files, 5 loops" in done.stderr, done.stderr
        return done.returncode, done.stdout

    assert run(f"dask://{cluster}") == run("local")
