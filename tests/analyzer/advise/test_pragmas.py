"""Whether the pragma that is printed says `simd`, and times with it: nothing may be promised that it does not do."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer.advise import Advice, Context, advise
from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import find_device
from models.prediction import Prediction

XEON = find_device("xeon6248")
CORES = XEON.figure("cores").value


def advised(body: str, model: str = "extended") -> list[Advice]:
    """Of all loops of a function."""
    text = f"""#include <math.h>
    #include <stdlib.h>
    double f(int n, const double *restrict a, const double *restrict b, double *restrict c, const int *restrict k)
    {{ double s = 0; {body} return s; }}"""
    facts = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=text).functions[-1]
    found = advise(facts, Context(XEON, (), model=model), {"n": 20_000.0})
    return [found[loop.id] for loop in facts.loops]


LOOPS = {
    "for (int i = 0; i < n; i++) s += a[i];": True,
    "for (int i = 0; i < n; i++) if (a[i] > s) s = a[i];": True,
    "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s += a[3 * i + j];": True,
    "for (int i = 0; i < n; i++) c[i] = a[i] + b[i];": False,
    "for (int i = 0; i < n; i++) c[k[i]] += a[i];": False,
    "for (int i = 0; i < n; i++) s += sin(a[i]);": False,
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += a[i * n + j];": False,
    "for (int i = 0; i < n; i++) { double t = 0; for (int j = 0; j < n; j++) t += a[i * n + j]; c[i] = t; }": False,
    # lanes of a vector have no copy of what begins with its old value
    "double t = 0; for (int i = 0; i < n; i++) { if (a[i] > 0) t = 1; s += a[i] * t; t = 0; }": False,
    "double t = 7; for (int i = 0; i < n; i++) { if (i > 1) t = i; s += a[i]; } s += t;": False,
    # nor of an array of which every iteration sets a part, with `firstprivate` and `lastprivate`
    "double g[256] = {1, 2}; for (int i = 0; i < n; i++) { for (int e = 0; e < 4; e++) g[e] = 0; s += a[i]; }"
    " s += g[n % 256];": False,
    # nor of memory of which a person makes a copy for each thread
    "double *t = malloc(800); for (int i = 0; i < n; i++) { for (int j = 0; j < 100; j++) t[j] = a[j] * i;"
    " c[i] = 0; for (int j = 0; j < 100; j++) c[i] += t[j] * (i + j); }": False,
    # gcc makes vectors of several i, but of a loop that is divided among threads only with the word
    "for (int i = 0; i < n; i++) { double t = 0; for (int j = 0; j < n; j++) t += a[i] * b[j]; c[i] = t; }": True,
}


@pytest.mark.parametrize("body", LOOPS)
def test_simd_where_a_sum_has_no_vectors_without(body: str) -> None:
    assert advised(body)[0].simd == LOOPS[body]


def test_of_a_nest_the_inner_loop_asks_for_vectors_of_its_sum() -> None:
    rows = "for (int i = 0; i < n; i++) { double t = 0; for (int j = 0; j < n; j++) t += a[i * n + j]; c[i] = t; }"
    outer, inner = advised(rows)
    assert (outer.simd, inner.simd) == (False, True)
    assert {p.candidate for p in inner.predictions} == {"host", "host-vector", "host-threads"}


def _likely(found: Advice, candidate: str) -> float:
    p = next(p for p in found.predictions if isinstance(p, Prediction) and p.candidate == candidate)
    assert p.time is not None
    return p.time.likely


def test_threads_of_an_outer_loop_do_not_reorder_the_sums_inside() -> None:
    rows = "for (int i = 0; i < n; i++) { double t = 0; for (int j = 0; j < n; j++) t += a[i * n + j]; c[i] = t; }"
    outer = advised(rows)[0]
    assert _likely(outer, "host") / _likely(outer, "host-threads") <= 1.01 * CORES


def test_models_without_another_order_say_no_simd() -> None:
    assert not advised("for (int i = 0; i < n; i++) s += a[i];", model="boat-hull")[0].simd


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
@pytest.mark.parametrize("body", [body for body, simd in LOOPS.items() if simd])
def test_gcc_makes_vectors_with_the_word(tmp_path: Path, body: str) -> None:
    source = tmp_path / "a.c"
    clause = " reduction(max:s)" if "if" in body else " reduction(+:s)" if "s +=" in body else ""
    source.write_text(f"""
    double f(int n, const double *restrict a, const double *restrict b, double *restrict c)
    {{ double s = 0;
    #pragma omp parallel for simd{clause}
    {body} return s; }}""")
    command = ["gcc", "-O3", "-fopenmp", "-fopt-info-vec", "-c", "-o", str(tmp_path / "a.o"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"gcc cannot: {done.stderr.splitlines()[:1]}")
    assert re.search("loop vectorized|optimized: outer loop vectorized", done.stderr), done.stderr
