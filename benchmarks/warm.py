"""What runs cost that are answered from the cache, in CPU time (user + system), as ratios to `python -c pass`.

    one file           text and JSON, nothing changed (budget: 3)
    many files         a tree of N, nothing changed (budget for 1000: 1 s)
    one of many        one of the N changed
    hook               three files of 50 changed: the first run of the hook, and the second

Prints figures; asserts nothing, since machines differ and are busy.
Usage: python benchmarks/warm.py [N]      N files in the tree (default 100; the first run analyses all of them)
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from one_file import ROOT, children_seconds, cpu_seconds

Line: TypeAlias = Callable[[str, float], None]
START = "import sys; from analyzer.command.start import main; sys.exit(main(sys.argv[1:]))"
FIXTURES = ("case_study", "blas", "layouts", "stencils", "calls")
KERNELS = """#include <math.h>
#include <stdlib.h>
void scale{n}(int n, double *x, double a) {{
  for (int i = 0; i < n; i++)
    x[i] = a * x[i] + {n};
}}
double norm{n}(int n, const double *x) {{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return sqrt(s);
}}
"""
ADDED = "void added(double *x) {\n  for (int i = 0; i < 1000000; i++)\n    x[i] = 2 * x[i];\n}\n"


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", START, *words, "-t", "h200"]


def once(words: list[str]) -> float:
    """CPU seconds of a single run, its workers' too."""
    before = children_seconds()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": ""}  # as users have it
    subprocess.run(words, capture_output=True, check=False, env=environment)
    return children_seconds() - before


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    bare = cpu_seconds([sys.executable, "-c", "pass"])
    print(f"python -c pass                    {bare * 1e3:7.0f} ms")

    def line(what: str, seconds: float) -> None:
        print(f"{what:<32}  {seconds * 1e3:7.0f} ms   / python -c pass = {seconds / bare:.1f}")

    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        os.environ.pop("BOATHULL_NO_CACHE", None)
        one_file(Path(folder) / "one", line)
        tree(Path(folder) / "tree", count, line)
        hook(Path(folder) / "hook", line)


def one_file(folder: Path, line: Line) -> None:
    folder.mkdir()
    os.chdir(folder)
    Path("a.c").write_bytes((ROOT / "fixtures" / "c" / "case_study.c").read_bytes())
    for report in ("text", "json"):
        words = command("a.c", "-f", report)
        line(f"one file, {report}, analysed", once(words))
        line(f"one file, {report}, from the cache", cpu_seconds(words))


def tree(folder: Path, count: int, line: Line) -> None:
    for number in range(count):
        path = folder / f"part{number % 20}" / f"f{number}.c"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KERNELS.format(n=number), encoding="utf-8")
    os.chdir(folder)
    words = command(".", "-f", "text")
    line(f"{count} files, analysed", once(words))
    line(f"{count} files, from the cache", cpu_seconds(words))
    path.write_text(KERNELS.format(n=count), encoding="utf-8")
    line(f"{count} files, one changed", once(words))


def hook(folder: Path, line: Line) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], check=True, capture_output=True)

    folder.mkdir()
    os.chdir(folder)
    for number in range(50):
        name = FIXTURES[number % len(FIXTURES)]
        Path(f"f{number}.c").write_bytes((ROOT / "fixtures" / "c" / f"{name}.c").read_bytes())
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    changed = ["f10.c", "f21.c", "f32.c"]
    for name in changed:
        with open(name, "a", encoding="utf-8") as file:
            file.write(ADDED)
    git("add", ".")
    words = command("--hook", "advice", *changed)
    line("hook, three files changed", once(words))
    line("hook, again", cpu_seconds(words))


if __name__ == "__main__":
    main()
