"""Runs a real program and holds every count that is claimed of its loops against what they did.

`python -m tests.recorded.campaign SOURCE.c ... --run="ARGUMENTS" --flags="-Iinclude -DN=8"` builds the program from all
of its sources with gcc, so that every access to memory is recorded, runs it, and compares. Exit status 1 when a count
differs, 2 when the program cannot be built. Paths in --flags are relative to --root. Needs gcc and readelf; programs of
one thread. The analyser says where loops are and what the symbols of their formulas are called; the rest is the
compiler's.
"""

import argparse
import shlex
import sys
import tempfile
from collections.abc import Sequence
from os.path import commonpath
from pathlib import Path

from analyzer.settings.options import SourceOptions

from .build import BuildError, build, execute
from .claims import program
from .compare import Comparison, compare, table


def record(
    root: Path, sources: Sequence[Path], flags: Sequence[str] = (), arguments: Sequence[str] = (), seconds: float = 60
) -> tuple[Comparison, str]:
    """The comparison, and its table."""
    found = program(root, sources, _options(root, flags))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        executable, symbols = build(found, sources, flags, work)
        log, ended = execute(executable, arguments, seconds, work)
        with log.open() as lines:
            comparison = compare(found, symbols, lines)
    return comparison, table(found, comparison, ended)


def _options(root: Path, flags: Sequence[str]) -> SourceOptions:
    """The compiler's flags that matter to the analyser, each in one word."""

    def of(letter: str) -> tuple[str, ...]:
        return tuple(f.removeprefix(letter) for f in flags if f.startswith(letter))

    standard = next(iter(of("-std=")), None)
    includes = tuple(str(root / folder) for folder in of("-I"))
    return SourceOptions(of("-D"), of("-U"), includes, standard, compiler="gcc")


def main(arguments: Sequence[str] | None = None) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="recorded", description=__doc__, formatter_class=form)
    parser.add_argument("sources", nargs="+", type=Path, metavar="SOURCE.c")
    parser.add_argument("--root", type=Path, help="the program's folder (default: the one all sources are in)")
    parser.add_argument("--run", default="", metavar="ARGUMENTS", help="of the program, which is run in this folder")
    parser.add_argument("--flags", default="", help="for the compiler, each in one word: -Idir -DNAME=1 -lname")
    parser.add_argument("--seconds", type=float, default=60, help="until the program is stopped; what it did counts")
    options = parser.parse_args(arguments)
    sources = [s.resolve() for s in options.sources]
    root = (options.root or Path(commonpath([s.parent for s in sources]))).resolve()
    try:
        found, report = record(root, sources, shlex.split(options.flags), shlex.split(options.run), options.seconds)
    except BuildError as error:
        print(f"recorded: {error}", file=sys.stderr)
        return 2
    print(report)
    return int(bool(found.wrong()))


if __name__ == "__main__":
    sys.exit(main())
