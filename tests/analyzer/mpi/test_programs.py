"""Bytes predicted from the code against bytes sent: seven programs, every rank, several sizes.

The programs check their own results, and the layer that counts carries out the collective operations by the stated
algorithms, so a wrong algorithm gives a wrong result and a wrong formula a wrong number."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analyzer.command.cli import main
from analyzer.driver import run as driver

from .programs import FIXTURES, MISSING, compiled, includes, run

needs_mpi = pytest.mark.skipif(MISSING is not None, reason=f"{MISSING} is not installed (openmpi-bin, libopenmpi-dev)")

# Arguments of the program for each number of processes.
PROGRAMS: dict[str, dict[int, list[tuple[int, ...]]]] = {
    "summa": {2: [(12, 1)], 3: [(12, 1)], 4: [(12, 1), (40, 2)]},
    "dgemv": {2: [(12, 5)], 4: [(12, 5), (64, 0)]},
    "dot": {2: [(24,)], 3: [(24,)], 4: [(1000,)]},
    "fft": {2: [(12, 12, 5)], 4: [(12, 12, 5), (8, 16, 3)]},
    "stencil": {2: [(12, 3)], 3: [(12, 3)], 4: [(12, 3), (40, 1)]},
    "mst": {2: [(40, 240, 6)], 3: [(40, 240, 6)], 4: [(40, 240, 6), (100, 1000, 7)]},
    "dijkstra": {2: [(24,)], 3: [(24,)], 4: [(24,), (60,)]},
}


def test_all_seven_programs_are_here() -> None:
    assert {path.stem for path in FIXTURES.glob("*.c")} == set(PROGRAMS)


def _reported(path: Path, *words: str) -> dict[str, Any]:
    assert main([*words, "-f", f"json={path}"]) == 0
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module", autouse=True)
def _analysed_once() -> Iterator[None]:
    """What is known of a program is the same for all sizes and numbers of processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "analyzed", cache(driver.analyzed))
        yield


Positions = Callable[[str], dict[str, int]]


@pytest.fixture(scope="module")
def positions(tmp_path_factory: pytest.TempPathFactory) -> Positions:
    """Of a program: the sizes that the report asks for, and which argument each of them is."""
    path = tmp_path_factory.mktemp("sizes") / "report.json"

    @cache
    def found(name: str) -> dict[str, int]:
        source = FIXTURES / f"{name}.c"
        text = source.read_text(encoding="utf-8")
        symbols = {s["name"] for s in _reported(path, str(source), "--ranks", "4")["symbols"]}
        given = {s: re.search(rf"\b{re.escape(s)} = atoi\(argv\[(\d)\]\)", text) for s in sorted(symbols)}
        return {s: int(match[1]) for s, match in given.items() if match}

    return found


def _analysed(
    name: str, ranks: int, arguments: tuple[int, ...], path: Path, positions: Positions, *flags: str
) -> dict[str, Any]:
    """What the report says of one call of main()."""
    sizes = [f"{s}={arguments[position - 1]}" for s, position in positions(name).items()]
    assert len(sizes) == len(arguments) or name in ("fft", "mst")  # some arguments decide nothing that is counted
    given = (word for size in sizes for word in ("--size", size))
    (file,) = _reported(path, str(FIXTURES / f"{name}.c"), "--ranks", str(ranks), *flags, *given)["files"]
    found: dict[str, Any] = next(c for c in file["communication"] if c["function"] == "main")
    return found


@needs_mpi
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_predicted_is_sent(name: str, positions: Positions, tmp_path: Path) -> None:
    program = compiled(name, tmp_path)
    for ranks, cases in PROGRAMS[name].items():
        for arguments in cases:
            truth = run(program, ranks, arguments)
            assert truth.right, truth.output
            predicted = _analysed(name, ranks, arguments, tmp_path / "report.json", positions)
            network = predicted["network"]
            assert network["sent_exact"], (ranks, arguments)
            assert tuple(network["sent_by_rank"]) == truth.sent, (ranks, arguments)
            moved = predicted["network_bytes"]
            assert moved["low"] == min(truth.sent)
            assert moved["value"] >= max(truth.sent)
            if moved["exact"]:
                assert set(truth.sent) == {moved["value"]}


@needs_mpi
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_installed_header_and_ours_say_the_same(name: str, positions: Positions, tmp_path: Path) -> None:
    arguments = PROGRAMS[name][4][0]
    flags = [word for folder in includes() for word in ("-I", folder)]
    ours = _analysed(name, 4, arguments, tmp_path / "a.json", positions)
    assert _analysed(name, 4, arguments, tmp_path / "b.json", positions, *flags) == ours
