"""How many lines of memory are fetched at places that data select."""

from pathlib import Path

import pytest

from analyzer.counts.far_places import _lines
from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import to_text

HEAD = """struct point { double at[3], other[20]; };
double f(int n, int m, const double *restrict x, const double (*restrict t)[3][3], const struct point *restrict p,
         const int *restrict idx)
{
    double s = 0;
    for (int i = 0; i < n; i++)
"""
LINES = {
    "s += x[idx[i]];": "n",
    "s += x[3*idx[i]] + x[3*idx[i] + 1] + x[3*idx[i] + 2];": "n",
    "for (int l = 0; l < 3; l++) s += x[3*idx[i] + l];": "n",
    "for (int l = 0; l < 3; l++) for (int k = 0; k < 3; k++) s += t[idx[i]][l][k];": "2*n",
    "for (int l = 0; l < 3; l++) for (int k = 0; k < 3; k++) s += t[idx[i]][k][l];": "2*n",
    "for (int l = 0; l < m; l++) s += x[idx[i]] * l;": "n",
    "for (int l = 0; l < m; l++) s += x[idx[l]];": "m*n",
    "for (int l = 0; l < 3; l++) s += p[idx[i]].at[l] + p[idx[i]].other[l + 16];": "2*n",
    "for (int l = 0; l < 4; l++) s += x[100*idx[i] + 20*l];": "4*n",
    "for (int l = 0; l < 3; l++) for (int k = 0; k < m; k++) s += x[3*idx[k] + l];": "3*m*n",
}


@pytest.mark.parametrize(("body", "lines"), LINES.items())
def test_elements_of_an_entry_are_in_one_line(body: str, lines: str, tmp_path: Path) -> None:
    source = tmp_path / "t.c"
    source.write_text(f"{HEAD}        {body}\n    return s;\n}}\n", encoding="utf-8")
    (function,) = analyze_file(source, SourceOptions(), AnalysisOptions()).functions
    (far,) = (a for a in function.loops[0].arrays if a.name in "xtp")
    assert far.walk == "irregular"
    assert far.walking is not None
    assert to_text(far.walking) == lines


def test_pieces_begin_anywhere_in_a_line() -> None:
    assert _lines([0], 8) == 1
    assert _lines([0, 56], 8) == 2
    assert _lines([0, 8, 4096], 8) == 2
    assert _lines([], 8) == 0
