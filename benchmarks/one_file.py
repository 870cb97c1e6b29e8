"""What a one-file run costs in CPU time (user + system, children included), as ratios to things everyone knows.

    analyze FILE            the whole command, cold
    python -c pass          the interpreter alone
    cc -E + pycparser       preprocessing and a plain parse of the same file, with GNU extensions emptied by macros

Prints figures; asserts nothing, since machines differ and are busy.
Usage: python benchmarks/one_file.py [FILE.c ...]; without arguments three fixtures of 220 to 310 lines.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEFAULT = [ROOT / "fixtures" / "c" / name for name in ("case_study.c", "blas.c", "layouts.c")]
REPEATS = 5
ANALYZE = "import sys; from analyzer.command.start import main; sys.exit(main())"
PARSE = """
import subprocess, sys
from pycparser import CParser
empty = ["__attribute__(x)", "__extension__", "__restrict", "__inline", "__asm__(x)"]
flags = [f"-D{name}=" for name in empty] + ["-D__builtin_va_list=int"]
flags += [f"-D_Float{bits}=double" for bits in ("32", "64", "128", "32x", "64x")]
text = subprocess.run(["cc", "-E", "-P", *flags, sys.argv[1]], capture_output=True, text=True, check=True).stdout
CParser().parse(text)
"""


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_seconds(command: list[str]) -> float:
    """The least CPU time of a few runs: what is above it is the machine's."""
    best = float("inf")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": ""}  # as users have it
    for _ in range(REPEATS):
        before = children_seconds()
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        spent = children_seconds() - before
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr.decode()}")
        best = min(best, spent)
    return best


def main() -> None:
    for path in [Path(name) for name in sys.argv[1:]] or DEFAULT:
        report(path)


def report(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    python = sys.executable
    with tempfile.NamedTemporaryFile(suffix=".txt") as out:
        run = cpu_seconds([python, "-c", ANALYZE, str(path), "-t", "gtx470", "--no-cache", "-f", f"text={out.name}"])
    bare = cpu_seconds([python, "-c", "pass"])
    imports = cpu_seconds([python, "-c", "import analyzer.driver.run, analyzer.driver.analysis"])
    parse = cpu_seconds([python, "-c", PARSE, str(path)])
    print(f"{path.name}: {lines} lines, least CPU time of {REPEATS} runs")
    print(f"  analyze            {run * 1e3:7.0f} ms")
    print(f"  imports alone      {imports * 1e3:7.0f} ms")
    print(f"  python -c pass     {bare * 1e3:7.0f} ms   analyze / this = {run / bare:.1f}")
    print(f"  cc -E + pycparser  {parse * 1e3:7.0f} ms   analyze / this = {run / parse:.2f}")


if __name__ == "__main__":
    main()
