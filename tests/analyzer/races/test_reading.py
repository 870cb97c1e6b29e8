"""Which functions are read once more, for a few threads."""

from functools import partial
from pathlib import Path

import pytest

from analyzer.races.reading import Reading
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

HEAD = "int omp_get_thread_num(void);\nint omp_get_num_threads(void);\nextern int n;\nextern double *a;\n"
LEAF = "static int own(void) { return omp_get_thread_num(); }\n"
USER = "void user(void) {\n#pragma omp parallel\n  a[own()] = 0;\n}\n"
OTHER = "void other(void) {\n#pragma omp parallel for\n  for (int i = 0; i < n; i++) a[i] = 0;\n}\n"
CALLED = OTHER.replace("void other(void)", "static void called(int m)")
CALLER = "void caller(void) { called(omp_get_num_threads()); }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LEAF + USER + OTHER, ["user"]),
        (OTHER, []),
        (CALLED + CALLER + OTHER, ["called", "caller"]),
        (CALLED + CALLER.replace("omp_get_num_threads()", "7") + OTHER, []),
    ],
    ids=["in what it calls", "nowhere", "in its caller", "not in its caller"],
)
def test_the_numbers_of_threads_reach_a_function_by_calls(text: str, expected: list[str]) -> None:
    load = partial(load_unit, Path("t.c"), root=None, text=HEAD + text)
    names = ["user", "other", "called", "caller"]
    assert Reading(load, SourceOptions(entry="main")).numbered(names) == expected
