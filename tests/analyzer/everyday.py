"""How many of the everyday patterns are answered right: `fixtures/c/everyday_*.c`, a function each.

`python -m tests.analyzer.everyday [NAME...]` prints a row per file, and each loop that is answered otherwise. A pattern
is right if all that stands beside each loop of its function holds, and `parallel` is the first of the alternatives
there, or what `wanted` says.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from .fixture_expectations import Expectation, macros, read
from .test_fixtures import FIXTURES, _analysed, _differences, _loops_by_line


def misses(path: Path) -> tuple[int, dict[str, list[str]]]:
    """The number of patterns of a file, and what differs, by function.

    Example: `misses(FIXTURES / "everyday_sparse.c")` is `(16, {"filled_rows": ["69: no wanted, got unknown (...)"]})`.
    """
    facts, values = _analysed(path), macros(path)
    functions: dict[str, list[str]] = {}
    loops = _loops_by_line(facts)
    for expectation in read(path):
        loop = loops[expectation.line][expectation.rank]
        differences = functions.setdefault(loop.id.split(":")[1], [])
        differences += [f"{expectation.line}: {text}" for text in _wrong(expectation, loop, values)]
    return len(functions), {name: found for name, found in functions.items() if found}


def _wrong(expectation: Expectation, loop: object, values: dict[str, int]) -> Iterator[str]:
    fields = dict(expectation.fields)
    wanted = fields.get("wanted", fields["parallel"].split("|")[0])
    answer = loop.parallelism.verdict.value  # type: ignore[attr-defined]
    if answer != wanted:
        yield f"{wanted} wanted, got {answer} ({loop.parallelism.reason})"  # type: ignore[attr-defined]
    else:
        yield from _differences(expectation, loop, values)


def main(names: list[str]) -> None:
    total = right = 0
    for path in sorted(FIXTURES.glob("everyday_*.c")):
        if names and path.stem.removeprefix("everyday_") not in names:
            continue
        patterns, wrong = misses(path)
        total, right = total + patterns, right + patterns - len(wrong)
        print(f"{path.stem.removeprefix('everyday_')}: {patterns - len(wrong)} of {patterns}")
        for name, found in wrong.items():
            print(f"  {name}", *found, sep="\n    ")
    print(f"all: {right} of {total}")


if __name__ == "__main__":
    main(sys.argv[1:])
