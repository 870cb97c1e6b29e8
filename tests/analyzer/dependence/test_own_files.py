"""Files that each iteration opens for itself, and those that all of them use: only of these the order shows."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions

FUNCTION = "#include <stdio.h>\nvoid f(FILE *log, const char *given, char **names, double *a, int n) { %s }"
OPEN_ONE = 'FILE *f = fopen(%s); if (!f) continue; fprintf(f, "%%g", a[i]); fclose(f);'
LOOP = "for (int i = 0; i < n; i++) { %s }"
MAKE_NAME = 'sprintf(name, "out%d", i); '

OWN = [
    LOOP % ("char name[100]; " + MAKE_NAME + OPEN_ONE % 'name, "w"'),
    "char name[100]; " + LOOP % (MAKE_NAME + OPEN_ONE % 'name, "w"'),
    "char name[100]; FILE *f; "
    + LOOP % (MAKE_NAME + 'f = fopen(name, "r"); if (f) { fscanf(f, "%lf", &a[i]); fclose(f); }'),
    LOOP % (OPEN_ONE % 'names[i], "w"'),
]

SHARED = [
    LOOP % (OPEN_ONE % '"out", "a"'),
    LOOP % (OPEN_ONE % 'given, "a"'),
    LOOP % 'fprintf(log, "%g", a[i]);',
    LOOP % 'fscanf(log, "%lf", &a[i]);',
    LOOP % ('fprintf(log, "%d", i); ' + OPEN_ONE % 'names[i], "w"'),
    LOOP % ('printf("%d", i); ' + OPEN_ONE % 'names[i], "w"'),
    'FILE *f = fopen(given, "w"); ' + LOOP % 'fprintf(f, "%g", a[i]);',
]


def verdict(body: str) -> str:
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), None, FUNCTION % body)
    return facts.functions[-1].loops[0].parallelism.verdict.value


@pytest.mark.parametrize("body", OWN)
def test_files_of_an_iteration_are_open(body: str) -> None:
    assert verdict(body) == "unknown"


@pytest.mark.parametrize("body", SHARED)
def test_the_order_of_calls_for_one_file_shows(body: str) -> None:
    assert verdict(body) == "no"
