"""Parts of a run and their union: nothing is analysed twice or not at all, and the union is what one run says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.base.errors import InputError
from analyzer.selection.shards import Shard, in_shard, shard

FILES = {
    "src/a.c": '#include "w.h"\nvoid a(int n, double *restrict y, const double *restrict x)\n'
    "{ for (int i = 0; i < n; i++) y[i] = weight(x[i]) + half(x[i]); }",
    "src/b.c": '#include "w.h"\ndouble weight(double v) { return v > 3 ? 0 : v; }\n'
    "double sum(const double *x) { double s = 0; for (int i = 0; i < 1000000; i++) s += half(x[i]); return s; }",
    "src/c.c": "int find(const int *p) { int n = 0; while (p[n] != 0) n++; return n; }",
    "src/d.c": "void d(double *y) { for (int i = 0; i < 1000000; i++) y[i] = i; }  /* the longest file of all */",
    "src/w.h": "double weight(double v);\nstatic inline double half(double v)\n"
    "{ double s = 0; for (int i = 0; i < 2; i++) s += v; return s; }",
}


@pytest.fixture
def tree(source: Callable[..., Path]) -> None:
    for name, text in FILES.items():
        source(text, name)


@pytest.mark.parametrize("of", [1, 2, 3, 7])
@pytest.mark.parametrize("target", [[], ["-t", "h200"]])
def test_the_union_of_all_parts_is_one_run(analyze: Any, tree: None, of: int, target: list[str]) -> None:
    options = ("src", *target, "--no-cache", "-j", 1)
    whole = json.loads(analyze(*options, "-f", "json").out)
    for number in range(1, of + 1):
        assert analyze(*options, "--shard", f"{number}/{of}", "-f", f"json=part{number}.json").code == 0
    parts = [f"part{number}.json" for number in range(1, of + 1)]
    seen = [loop["id"] for part in parts for file in json.loads(Path(part).read_text())["files"]
            for loop in file["loops"] if file["path"].endswith(".c")]  # fmt: skip
    assert len(seen) == len(set(seen)) == 4
    united = json.loads(analyze("--merge", *parts, "-f", "json").out)
    assert united["answer"].startswith("Of 5 loops ")
    for document in (whole, united):
        document["program"] = document["no_program"] = None
    assert united == whole


def test_other_formats_of_a_union(analyze: Any, tree: None) -> None:
    for number in (1, 2):
        analyze("src", "--no-cache", "--shard", f"{number}/2", "-f", f"json=part{number}.json")
    text = analyze("--merge", "part1.json", "part2.json").out
    assert "Loops     5: " in text
    assert analyze("--merge", "part1.json", "part2.json", "-f", "csv").out.count("\n") == 6


def test_a_part_says_that_the_program_is_not_placed(analyze: Any, tree: None) -> None:
    text = analyze("src", "-t", "h200", "--no-cache", "--shard", "1/2").out
    assert "this is part 1/2 of the files" in " ".join(text.split())


def test_reports_of_different_runs_are_no_parts_of_one(analyze: Any, tree: None) -> None:
    analyze("src", "--no-cache", "--shard", "1/2", "-f", "json=part1.json")
    analyze("src", "--no-cache", "--shard", "2/2", "--size", "n=10", "-f", "json=part2.json")
    ran = analyze("--merge", "part1.json", "part2.json")
    assert ran.code == 2
    assert "part1.json and part2.json are of different runs: sizes" in ran.err
    assert analyze("--merge", "part1.json", "src").code == 2
    assert "no-such.json" in analyze("--merge", "no-such.json").err


@pytest.mark.parametrize("text", ["0/4", "5/4", "3", "a/b", "1/0", "-1/2"])
def test_what_is_no_part(text: str) -> None:
    with pytest.raises(InputError, match="give the part and how many there are"):
        shard(text)


def test_parts_hold_about_as_much(tmp_path: Path) -> None:
    files = []
    for k in range(40):
        files.append(tmp_path / f"f{k}.c")
        files[-1].write_text("x" * (k * k))
    parts = [in_shard(files, Shard(number, 4)) for number in range(1, 5)]
    assert sorted(file for part in parts for file in part) == sorted(files)
    sizes = [sum(file.stat().st_size for file in part) for part in parts]
    assert max(sizes) < 1.1 * min(sizes)
    assert in_shard(list(reversed(files)), Shard(1, 4)) == parts[0]
