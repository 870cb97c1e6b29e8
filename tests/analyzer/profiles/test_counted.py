"""Every kind of loop and condition, as gcov counts it: expected counts worked out by hand."""

import json
import shutil
import subprocess
from typing import Any

import pytest

from analyzer.command.cli import main

MISSING = next((tool for tool in ("gcc", "gcov") if shutil.which(tool) is None), None)
pytestmark = pytest.mark.skipif(MISSING is not None, reason=f"{MISSING} is not installed")

# `work` is called three times with n = 20 and a[i] = i % 10. Behind `//` entries and iterations of the loop.
SOURCE = """#include <stdio.h>
#define REPEAT(n) for (int q = 0; q < n; q++)
int work(const int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) // 3 60
    if (a[i] > 3)
      s += a[i];
  for (int i = 0; i < n; i++) { if (a[i] == 7) break; s++; } // 3 24
  int k = n;
  while (k > 1) { // 3 12
    k /= 2;
    s++;
  }
  do { // 3 12
    s--;
    k++;
  } while (k < 5);
  for (int i = 0; i < n; i++) s += a[i] & 1; // 3 60
  for (int i = 0; i < n; i++) // 3 60
    for (int j = 0; j < i; j++) // 60 570
      s += (a[i] < a[j]) ? 1 : 2;
  for (int i = 0; i < n; i++) { if (a[i] > 5) continue; s++; } // 3 60
  for (int i = 0; i < n && a[i] != 9; i++) // 3 27
    s++;
  for (int i = 0; i < n; i++) // 3 60
    if (a[i] == 100)
      for (int j = 0; j < n; j++) // 0 0
        s++;
  if (s < 0)
    for (int i = 0; i < 3; i++) // 0 0
      s++;
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s++; // ? ?
  REPEAT(4) s++; // ? ?
  for (int i = 0; i < n; i++) { // 3 60
    if (a[i] == 100)
      return 0;
  }
  if (n > 100)
    return 1;
  for (int i = 0; i < n; i++) { // ? 15
    if (a[i] == 4)
      break;
  }
  return s;
}
int main(void) {
  int a[20], t = 0;
  for (int i = 0; i < 20; i++) // 1 20
    a[i] = i % 10;
  for (int r = 0; r < 3; r++) // 1 3
    t += work(a, 20);
  printf("%d\\n", t);
  return 0;
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "kinds.c").write_text(SOURCE, encoding="utf-8")
    for command in (
        ("gcc", "-O0", "--coverage", "-c", "kinds.c"),
        ("gcc", "--coverage", "-o", "kinds", "kinds.o"),
        ("./kinds",),
        ("gcov", "-b", "--json-format", "kinds.gcda"),
    ):
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    out = folder / "report.json"
    assert main([str(folder / "kinds.c"), "--profile", str(folder), "-f", f"json={out}"]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def _number(text: str) -> int | None:
    return None if text == "?" else int(text)


def test_entries_and_iterations(report: dict[str, Any]) -> None:
    (file,) = report["files"]
    wanted = {i: line.rpartition("// ")[2].split() for i, line in enumerate(SOURCE.splitlines(), 1) if "// " in line}
    for loop in file["loops"]:
        entries, iterations = wanted[loop["line"]]
        told = loop.get("profile")
        if iterations == "?":
            assert told is None, loop["line"]
        else:
            assert (told["entries"], told["iterations"]) == (_number(entries), int(iterations)), loop["line"]
    assert {loop["line"] for loop in file["loops"]} == wanted.keys()


def test_weights_of_conditions(report: dict[str, Any]) -> None:
    (file,) = report["files"]
    weights = {c["line"]: (c["weight"], c["source"]) for loop in file["loops"] for c in loop["conditions"]}
    lines = SOURCE.splitlines()
    first = next(i for i, line in enumerate(lines, 1) if "a[i] > 3" in line)
    assert weights[first] == (0.6, "profile")
    nowhere = next(i for i, line in enumerate(lines, 1) if "a[i] == 100" in line)
    assert weights[nowhere] == (0.0, "profile")
    several = next(i for i, line in enumerate(lines, 1) if "continue" in line)
    assert weights[several] == (0.5, "assumed")


def test_an_unknown_number_of_iterations_becomes_the_mean_of_the_run(report: dict[str, Any]) -> None:
    (file,) = report["files"]
    loop = next(x for x in file["loops"] if "while (k > 1)" in SOURCE.splitlines()[x["line"] - 1])
    assert (loop["trip_count"]["value"], loop["trip_count"]["exact"]) == (4, False)
    assert loop["counts"]["iterations"]["value"] == 4
