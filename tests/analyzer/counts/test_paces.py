"""What neighbouring threads that lie apart fetch and store, in sectors of a GPU's memory."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import ArrayFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import known_value

N, M = 7, 5
HEAD = "void f(int n, int m, int lda, const int *restrict at, const float *restrict a, float *restrict b)"

# the loop, the pattern of `a`, and what one of its n iterations fetches
READS = {
    "side by side": ("b[i] = a[i] + a[i + 100];", "unit", None),
    "members of four floats": ("b[i] = a[4*i] + a[4*i + 1] + a[4*i + 2] + a[4*i + 3];", "strided(4)", 1),
    "what lies between is fetched by neighbours": ("b[i] = a[4*i] + a[4*i + 9];", "strided(4)", 1),
    "sixteen floats are two sectors": ("b[i] = a[16*i] + a[16*i + 7] + a[16*i + 8];", "strided(16)", 2),
    "two places of a row": ("b[i] = a[i*lda] + a[i*lda + 3] + a[i*lda + 100];", "strided(lda)", 2),
    "any place": ("b[i] = a[at[i]];", "irregular", 1),
    "two of any place": ("b[i] = a[at[i]] + a[at[i + n]];", "irregular", 2),
    "in a loop that does not move it": ("for (int k = 0; k < m; k++) b[i] += a[4*i];", "strided(4)", 1),
}


def array(folder: Path, body: str, name: str) -> ArrayFacts:
    """Of the loop over i."""
    path = folder / "a.c"
    path.write_text(f"{HEAD} {{ for (int i = 0; i < n; i++) {{ {body} }} }}\n", encoding="utf-8")
    (function,) = analyze_file(path, SourceOptions(), AnalysisOptions(), path.parent).functions
    return next(x for x in function.loops[0].arrays if x.name == name)


@pytest.mark.parametrize("name", list(READS))
def test_sectors_of_what_is_read(name: str, tmp_path: Path) -> None:
    body, pattern, each = READS[name]
    found = array(tmp_path, body, "a")
    assert found.coalescing == pattern
    if each is None:
        assert found.sectors is None
        return
    assert found.sectors is not None
    assert known_value(found.sectors, {"n": N, "m": M, "lda": 200}) == each * N
    assert found.stores_apart is not None
    assert known_value(found.stores_apart, {"n": N, "m": M}) == 0


def test_each_store_goes_to_the_cache_by_itself(tmp_path: Path) -> None:
    found = array(tmp_path, "b[4*i] = b[4*i + 1] = a[i];", "b")
    assert found.sectors is not None
    assert found.stores_apart is not None
    assert known_value(found.sectors, {"n": N}) == N
    assert known_value(found.stores_apart, {"n": N}) == 2 * N


def test_stores_side_by_side_are_no_stores_apart(tmp_path: Path) -> None:
    assert array(tmp_path, "b[i] = a[4*i];", "b").stores_apart is None


BORDERS = {
    "b[i] = a[i > 0 ? i - 1 : 0];": "unit",
    "int r = i + m < n ? i + m : n - 1; b[i] = a[r];": "unit",
    "int k = i - m < 0 ? 0 : i - m > n - 1 ? n - 1 : i - m; b[i] = a[k];": "unit",
    "int k = i - 1; if (k < 0) k = 0; if (k > m) k = m; b[i] = a[k];": "unit",
    "int k = i - 1; if (k < 0) k = 0; b[i] = a[lda * k];": "strided(lda)",
    "b[i] = a[(i + 1) % 1000];": "unit",
    "b[i] = a[(i + 1) % 8];": "irregular",
    "b[i] = a[at[i] > 0 ? i : 0];": "irregular",
    "int k = at[i]; if (k < 0) k = 0; b[i] = a[k];": "irregular",
    "b[i] = a[i < n / 2 ? i : n - 1 - i];": "irregular",
    "b[i] = a[i % 2 ? i : 0];": "irregular",
}


@pytest.mark.parametrize("body", list(BORDERS))
def test_neighbours_lie_as_they_do_away_from_borders(body: str, tmp_path: Path) -> None:
    assert array(tmp_path, body, "a").coalescing == BORDERS[body]


WALKS = {
    "one column": ("for (int k = 0; k < m; k++) s += a[k*lda + i];", 1),
    "two columns": ("for (int k = 0; k < m; k++) s += a[k*lda + i] * a[k*lda + n - i];", 2),
    "neighbours": ("for (int k = 0; k < m; k++) s += a[k*lda + i] + a[k*lda + i + 1];", 1),
    "one loop after the other": (
        "for (int k = 0; k < m; k++) s += a[k*lda + i]; for (int k = 0; k < m; k++) s -= a[k*lda + n - i];",
        1,
    ),
    "in either case": ("for (int k = 0; k < m; k++) if (k > i) s += a[k*lda + i]; else s -= a[k*lda + i];", 1),
}


@pytest.mark.parametrize("name", list(WALKS))
def test_through_how_many_places_a_thread_goes_at_once(name: str, tmp_path: Path) -> None:
    body, places = WALKS[name]
    found = array(tmp_path, f"float s = 0; {body} b[i] = s;", "a")
    assert found.walk == "strided(lda)"
    assert found.walks == places
