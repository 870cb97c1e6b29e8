"""Reading gcov, perf and gprof: what is understood, and what is refused in which words."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.base.errors import InputError
from analyzer.profiles.model import Branch, Line, Sample
from analyzer.profiles.reading import read_profiles

# As `perf report --stdio -t, -F overhead,symbol,srcline` writes it (perf 6.1, man perf-report).
PERF = """# To display the perf.data header info, please use --header/--header-only options.
#
# Samples: 1K of event 'cpu-clock:ppp'
# Event count (approx.): 312250000
#
# Overhead,Symbol                         ,Source:Line
 53.48% ,[.] hot                        ,big.c:3
 43.96% ,[.] hot                        ,big.c:4
 0.32%  ,[k] handle_softirqs            ,handle_softirqs+114
 0.24%  ,[.] main                       ,big.c:8


#
# (Tip: Save output of perf stat using: perf stat record <target workload>)
#
"""
# Its default columns with IPC, as `perf report --stdio -t, --sort symbol` writes it.
PERF_SYMBOLS = """# Overhead,Symbol                      ,IPC   [IPC Coverage]
 97.76% ,[.] hot                     ,-      -
 0.24%  ,[.] main                    ,-      -
"""
# From the manual of gprof 2.40, "The Flat Profile".
GPROF = """Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 33.34      0.02     0.02     7208     0.00     0.00  open
 16.67      0.03     0.01      244     0.04     0.12  offtime
 16.67      0.04     0.01        8     1.25     1.25  memccpy
 33.32      0.06     0.02                             mcount
  0.00      0.06     0.00      236     0.00     0.00  tzset
"""


def gcov(lines: list[dict[str, Any]], name: str = "a.c") -> bytes:
    functions = [{"name": "f", "start_line": 1, "execution_count": 3}]
    files = [{"file": name, "functions": functions, "lines": lines}]
    return gzip.compress(json.dumps({"current_working_directory": "/src", "files": files}).encode(), mtime=0)


def line(number: int, count: int, *branches: tuple[int, bool]) -> dict[str, Any]:
    return {"line_number": number, "count": count, "branches": [{"count": c, "fallthrough": f} for c, f in branches]}


def read(tmp_path: Path, **files: str | bytes) -> Any:
    names = []
    for name, content in files.items():
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        names.append(str(path))
    return read_profiles(names)


def test_perf_by_line(tmp_path: Path) -> None:
    found = read(tmp_path, perf=PERF)
    assert found.samples == (
        Sample("hot", pytest.approx(0.5348), "big.c", 3),
        Sample("hot", pytest.approx(0.4396), "big.c", 4),
        Sample("main", pytest.approx(0.0024), "big.c", 8),
    )


def test_perf_by_symbol(tmp_path: Path) -> None:
    assert [(s.function, s.line) for s in read(tmp_path, perf=PERF_SYMBOLS).samples] == [("hot", 0), ("main", 0)]


def test_gprof(tmp_path: Path) -> None:
    found = read(tmp_path, flat=GPROF)
    assert [(s.function, s.share) for s in found.samples] == [
        ("open", pytest.approx(0.3334)),
        ("offtime", pytest.approx(0.1667)),
        ("memccpy", pytest.approx(0.1667)),
        ("mcount", pytest.approx(0.3332)),
    ]
    assert found.seconds == pytest.approx(0.06)


def test_several_profiles_of_times_have_equal_parts(tmp_path: Path) -> None:
    found = read(tmp_path, a=GPROF, b=PERF)
    assert sum(s.share for s in found.samples if s.function == "hot") == pytest.approx((0.5348 + 0.4396) / 2)
    assert found.seconds is None


def test_gcov_of_two_units_adds_up(tmp_path: Path) -> None:
    one = gcov([line(3, 11, (10, False), (1, True)), line(4, 10)])
    two = gcov([line(3, 22, (20, False), (2, True)), line(5, 1)])
    (source,) = read(tmp_path, a=one, b=two).sources
    assert source.path == "/src/a.c"
    assert source.functions == {"f": (1, 6)}
    assert source.lines == {
        3: Line(33, (Branch(30, False), Branch(3, True))),
        4: Line(10),
        5: Line(1),
    }


def test_a_line_of_two_functions_adds_up(tmp_path: Path) -> None:
    (source,) = read(tmp_path, a=gcov([line(3, 11, (10, False), (1, True)), line(3, 5, (4, False), (1, True))])).sources
    assert source.lines[3] == Line(16, (Branch(14, False), Branch(2, True)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("once upon a time", "unknown format; gcov -b --json-format, perf report"),
        pytest.param(gzip.compress(b"{}", mtime=0), "no JSON of gcov (KeyError", id="empty JSON"),
        pytest.param(b"\x1f\x8b broken", "no JSON of gcov", id="broken gzip"),
        (gcov([line(3, 1)]), "it counts no branches; compile with -O0 --coverage"),
        (PERF.replace(" 53.48% ", " much "), "'much' is no share of the time"),
        ("# Overhead,Symbol\n", "it has no samples; `perf record"),
        (GPROF.replace("33.34", " 0.00").replace("16.67", " 0.00").replace("33.32", " 0.00"), "no time was measured"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, profile=content)
    assert said in str(caught.value)
    assert "--profile" in str(caught.value)


def test_a_folder_without_profiles_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no profile in this folder"):
        read_profiles([str(tmp_path)])
    with pytest.raises(InputError, match="cannot be read"):
        read_profiles([str(tmp_path / "gone.gz")])


def test_a_folder_gives_every_file_that_is_a_profile(tmp_path: Path) -> None:
    (tmp_path / "perf.csv").write_text(PERF)
    (tmp_path / "notes.txt").write_text("no profile at all\n")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    (tmp_path / "a.gcov.json.gz").write_bytes(gcov([line(3, 11, (10, False), (1, True))]))
    profile = read_profiles([str(tmp_path)])
    assert profile is not None
    assert profile.sources
    assert profile.samples
