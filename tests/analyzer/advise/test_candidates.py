"""How the code runs today: by the pragmas on it, and with vectors only where no floats are reordered."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.advise.candidates import is_vectorised, of_host_memory, today
from analyzer.base.places import Place
from analyzer.facts.loop import LoopFacts, Parallelism, Separated, Verdict
from analyzer.ir import nodes as ir
from analyzer.loops import lower_function
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit
from analyzer.source.ctypes import Unknown

from .answers import YES, loop, refused


def _reducing(name: str, array: bool = False, reorders_fp: bool = False) -> Parallelism:
    target = ir.Variable(name, 1, Unknown("number"), "local", Place("a.c", 1, 1))
    separated = Separated("reduction", target, name, "+", array, reorders_fp=reorders_fp)
    return Parallelism(Verdict.YES, separated=(separated,))


SUM = _reducing("s", reorders_fp=True)
COUNT = _reducing("n")
HISTOGRAM = _reducing("bins", array=True)
SERIAL = refused(Verdict.NO, "carried-dependence")
UNKNOWN = refused(Verdict.UNKNOWN, "may-alias")


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        pytest.param(YES, YES, True, id="independent"),
        pytest.param(SERIAL, YES, True, id="inside a serial loop"),
        pytest.param(YES, SUM, True, id="over the rows of a sum"),
        pytest.param(YES, SERIAL, True, id="over independent recurrences"),
        pytest.param(SUM, SUM, False, id="a sum of floats"),
        pytest.param(SUM, COUNT, True, id="a sum of integers"),
        pytest.param(HISTOGRAM, HISTOGRAM, False, id="a histogram"),
        pytest.param(SERIAL, SERIAL, False, id="a recurrence"),
        pytest.param(SERIAL, UNKNOWN, False, id="not known"),
    ],
)
def test_vectors(outer: Parallelism, inner: Parallelism, expected: bool) -> None:
    nest = (loop("outer", answer=outer), loop("inner", "outer", answer=inner))
    assert is_vectorised(nest) == expected


def test_every_innermost_loop_counts() -> None:
    inner = (loop("a", "outer", answer=YES), loop("b", "outer", answer=SUM))
    assert not is_vectorised((loop("outer", answer=SERIAL), *inner))


def pragma(text: str, name: str = "outer", parent: str | None = None) -> LoopFacts:
    found = loop(name, parent)
    return replace(found, loop=replace(found.loop, pragmas=((1, text),)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("omp parallel for", "threads"),
        ("omp for schedule(static)", "threads"),
        ("omp parallel for reduction(+:s)", "threads"),
        ("omp simd", "serial"),
        ("omp target teams distribute parallel for", "device"),
        ("acc parallel loop", "device"),
        ("GCC ivdep", "serial"),
    ],
)
def test_pragmas_say_how_it_runs_today(text: str, expected: str) -> None:
    assert today(pragma(text), ()) == expected
    inside = {"threads": "threads-around"}.get(expected, expected)
    assert today(loop("inner", "outer"), (pragma(text),)) == inside


def test_without_pragmas_one_thread_runs() -> None:
    assert today(loop(), ()) == "serial"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("for (int i = 0; i < n; i++) rows[i] = malloc(80);", "`malloc` (line 3) makes blocks of host memory"),
        ("for (int i = 0; i < n; i++) rows[i] = fresh(n);", "`calloc` (line 2) makes blocks of host memory"),
        ("for (int i = 0; i < n; i++) free(rows[i]);", "`free` (line 3) releases blocks of host memory"),
        ("for (int i = 0; i < n; i++) rows[i] = all + i;", "`rows[i]` (line 3) is set to an address in host memory"),
        ("for (int i = 0; i < n; i++) { double *row = all + i; *row = 1; }", None),
        ("for (int i = 0; i < n; i++) rows[i] = 0;", None),
    ],
)
def test_memory_of_the_host_is_the_host_s(body: str, found: str | None) -> None:
    text = (
        "void *malloc(unsigned long), *calloc(unsigned long, unsigned long); void free(void *);\n"
        "static double *fresh(int n) { return calloc(n, 8); }\n"
        f"void f(int n, double **rows, double *all) {{ {body} }}\n"
    )
    unit = load_unit(Path("t.c"), SourceOptions(), None, text)
    (lowered,) = ir.loops(lower_function(unit, unit.functions[-1]).body)
    assert of_host_memory(replace(loop("l"), loop=lowered), resident=False) == found


def test_addresses_of_data_that_are_there_stay_valid() -> None:
    text = "void f(int n, double **r, double *a) { for (int i = 0; i < n; i++) r[i] = a + i; }"
    unit = load_unit(Path("t.c"), SourceOptions(), None, text)
    (lowered,) = ir.loops(lower_function(unit, unit.functions[-1]).body)
    assert of_host_memory(replace(loop("l"), loop=lowered), resident=True) is None
