"""What compilers make vectors of: by the rules, and by gcc itself for the kernels of the validation set."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer.advise.averages import averaged
from analyzer.advise.bodies import bodies
from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import find_device
from models.extended import Vectors

from .test_body import body

DEVICE = find_device("xeon6248")
"""With vectors of 512 bits."""

KERNELS = Path(__file__).resolve().parents[3] / "validation" / "kernels"

RULES = {
    "b[i] = a[i] + 1;": "compiled",
    "s += a[i];": "reordered",
    "k += m[i];": "compiled",
    "if (a[i] > s) s = a[i];": "reordered",
    "if (m[i] > k) k = m[i];": "compiled",
    "a[i + 1] = a[i] * 2;": "never",
    "b[m[i]] = a[i];": "never",
    "b[n * i] = a[i];": "never",
    "b[i] = a[m[i]];": "compiled",
    "b[i] = sin(a[i]);": "never",
    "b[i] = fabs(a[i]);": "compiled",
    "b[i] = floor(a[i]);": "compiled",
    "b[i] = round(a[i]);": "never",
    "b[i] = pow(a[i], 2);": "compiled",
    "b[i] = pow(a[i], 3);": "never",
    "m[i] = m[i] / (k + 2);": "never",
    "m[i] = m[i] / 7;": "compiled",
    "if (a[i] < 0) break;": "never",
    "if (a[i] > s) { s = a[i]; k = i; }": "never",
    "if (a[i] < 0) b[i] = 0;": "compiled",
}


@pytest.mark.parametrize("statement", RULES)
def test_rules(tmp_path: Path, statement: str) -> None:
    text = f"""
    #include <math.h>
    double f(int n, double *restrict a, double *restrict b, int *restrict m) {{
        double s = 0;
        int k = 0;
        for (int i = 0; i < n; i++) {{ {statement} }}
        return s + k;
    }}"""
    assert body(tmp_path, text).vectors == RULES[statement]


def _version() -> str:
    """The first number of gcc's version; empty where there is none."""
    if shutil.which("gcc") is None:
        return ""
    done = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=False)
    return done.stdout.split(".")[0].strip()


def _by_gcc(source: Path, level: str = "x86-64-v3") -> set[int]:
    """The lines of the loops that gcc makes vectors of."""
    command = ["gcc", "-O3", f"-march={level}", "-fopt-info-vec", "-c", "-o", "/dev/null", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"gcc cannot: {done.stderr.splitlines()[:1]}")
    return {int(line) for line in re.findall(r":(\d+):\d+: optimized: loop vectorized", done.stderr)}


LEVELS = {"x86-64": 128, "x86-64-v3": 256, "x86-64-v4": 512}
CONDITIONS: dict[str, str | None] = {
    "if (a[i] > 0) b[i] = 2;": "x86-64-v3",
    "if (a[i] > 0) b[i] = c[i];": "x86-64-v3",
    "if (a[i] > 0) b[i] = -c[i];": "x86-64-v3",
    "if (a[i] > 0) b[i] = 2 * c[i];": "x86-64-v4",
    "if (a[i] > 0) b[i] = 2 * a[i]; else b[i] = a[i] + 1;": "x86-64-v4",
    "if (m[i] == 0) continue; b[i] = a[i] / c[i];": "x86-64-v4",
    "double t = a[i]; if (m[i]) t += 1; b[i] = t;": "x86-64-v4",
    "b[i] = m[i] ? c[i] + 1 : 0;": "x86-64-v4",
    "if (m[i] > 3) b[i] = m[i];": None,
    "a[i] = a[i] < 1 ? 1 : a[i] > 2 ? 2 : a[i];": "x86-64",
    "if (m[i] > 3) k += m[i];": "x86-64",
    "if (k) b[i] = 2 * c[i];": "x86-64",
    "double t = a[i] * 2; if (t < 0) t = 0; b[i] = t;": "x86-64",
    "if (i > lo && i < hi) m[i] = 2 * k;": "x86-64-v3",
    "if (i > lo && i < hi) b[i] = 2 * c[i];": "x86-64-v4",
}
"""The first of these levels of processors at which gcc makes vectors; None: it does at none."""


@pytest.mark.parametrize("statement", CONDITIONS)
def test_what_some_iterations_do_needs_masks(tmp_path: Path, statement: str) -> None:
    text = f"""
    int f(int n, int k, int lo, int hi, double *restrict a, double *restrict b, double *restrict c, int *restrict m) {{
        for (int i = 0; i < n; i++) {{ {statement} }}
        return k;
    }}"""
    found = body(tmp_path, text)
    in_vectors = [level for level, bits in LEVELS.items() if Vectors(bits=bits).lanes(found, DEVICE) > 1]
    first = CONDITIONS[statement]
    assert in_vectors == ([] if first is None else list(LEVELS)[list(LEVELS).index(first) :])
    assert Vectors(bits=256, traps=False).lanes(found, DEVICE) > 1
    if _version() == "12":
        by_gcc = [level for level in LEVELS if _by_gcc(tmp_path / "a.c", level)]
        assert by_gcc == in_vectors


def test_bytes_are_left_out_by_the_widest_vectors(tmp_path: Path) -> None:
    text = "void f(int n, char *restrict c) { for (int i = 0; i < n; i++) if (c[i] >= 'a' && c[i] <= 'z') c[i] -= 32; }"
    found = body(tmp_path, text)
    in_vectors = [level for level, bits in LEVELS.items() if Vectors(bits=bits).lanes(found, DEVICE) > 1]
    assert in_vectors == ["x86-64-v4"]
    if _version() == "12":
        assert in_vectors == [level for level in LEVELS if _by_gcc(tmp_path / "a.c", level)]


def test_bits_are_counted_by_the_widest_vectors(tmp_path: Path) -> None:
    found = body(tmp_path, "void f(int n, int *m) { for (int i = 0; i < n; i++) m[i] = __builtin_popcount(m[i]); }")
    assert [Vectors(bits=bits).lanes(found, DEVICE) for bits in LEVELS.values()] == [1, 1, 16]


def test_an_unrolled_loop_that_asks_for_the_border_is_told_apart_by_cases(tmp_path: Path) -> None:
    text = """
    void f(int n, const int *restrict a, int *restrict b) {
        for (int i = 0; i < n; i++) {
            int s = 0;
            for (int u = -2; u <= 2; u++)
                if (i + u >= 0 && i + u < n) s += a[i + u];
            b[i] = s;
        }
    }"""
    assert body(tmp_path, text).vectors == "never"
    assert body(tmp_path, text.replace("i + u >= 0 && i + u < n", "a[i + u] > 3")).vectors == "compiled"


LED_TO = """
typedef struct {{ int n; double *t; int *k; unsigned char *c; double *rows[8]; double **m; void **any; }} Grid;
typedef struct {{ int n, k; }} Cell;
double *wide; unsigned char *bytes;
void f(int n, int k, const double *v, const unsigned char *b, unsigned char *o, Cell *cells, Grid *g) {{
    unsigned char *own = g->c;
    {loop}
}}"""
EACH = "for (int i = 0; i < n; i++) "
BEHIND_POINTERS = {
    EACH + "g->t[i] = v[i];": "compiled",
    EACH + "g->t[i] *= 2;": "compiled",
    EACH + "wide[i] = v[i];": "compiled",
    EACH + "g->m[k][i] = v[i] + g->m[k + 1][i];": "compiled",
    EACH + "g->rows[k][i] = v[i] + g->rows[k + 1][i];": "compiled",
    EACH + "g->k[i] = g->k[i] + g->n;": "compiled",
    EACH + "own[i] = b[i];": "compiled",
    EACH + "g->c[i] = b[i];": "never",
    EACH + "bytes[i] = b[i];": "never",
    EACH + "o[i] = b[i] + g->k[i];": "never",
    EACH + "g->m[i] = g->rows[0];": "compiled",
    EACH + "g->any[i] = g->rows[0];": "never",
    EACH + "g->t[i + 1] = g->t[i] * 2;": "never",
    "for (int i = 0; i < g->n; i++) g->t[i] = v[i];": "compiled",
    "for (int i = 0; i < g->n; i++) g->k[i] = k;": "never",
    "for (int i = 0; i < g->n; i++) { cells[i].n = k; cells[i].k = k; }": "compiled",
}


@pytest.mark.parametrize("loop", BEHIND_POINTERS)
def test_rules_for_what_pointers_in_memory_lead_to(tmp_path: Path, loop: str) -> None:
    text = LED_TO.format(loop=loop)
    assert body(tmp_path, text).vectors == BEHIND_POINTERS[loop]
    if _version() == "12":
        (tmp_path / "alone.c").write_text(text)
        assert bool(_by_gcc(tmp_path / "alone.c")) == (BEHIND_POINTERS[loop] == "compiled")


def test_a_pragma_lets_a_sum_be_added_in_any_order(tmp_path: Path) -> None:
    text = """
    double f(int n, const double *a) {
        double s = 0;
        #pragma omp simd reduction(+:s)
        for (int i = 0; i < n; i++) s += a[i];
        return s;
    }"""
    assert body(tmp_path, text).vectors == "compiled"
    assert body(tmp_path, text.replace("simd", "parallel for")).vectors == "reordered"


def test_sums_of_neighbours_lie_side_by_side_in_a_vector(tmp_path: Path) -> None:
    text = """
    void f(int n, int m, const double *restrict a, const double *restrict b, double *restrict c) {
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int j = 0; j < m; j++) s += a[i] * b[j];
            c[i] = s;
        }
    }"""
    assert body(tmp_path, text, 1).vectors == "compiled"
    assert body(tmp_path, text.replace("a[i] *", "a[m * i + j] *"), 1).vectors == "reordered"
    assert body(tmp_path, text.replace("j < m", "j < i"), 1).vectors == "reordered"
    by_rows = text.replace("int m,", "const int *m,").replace("j = 0; j < m", "j = m[i]; j < m[i + 1]")
    assert body(tmp_path, by_rows, 1).vectors == "reordered"
    some = text.replace("for (int j", "if (a[i] > 1) for (int j")
    assert body(tmp_path, some, 1).vectors == "reordered"
    left_out = text.replace("double s = 0;", "double s = 0; if (i == 7) continue;")
    assert body(tmp_path, left_out, 1).vectors == "reordered"
    assert body(tmp_path, text.replace("b[j]", "b[j + i / m]"), 1).vectors == "reordered"


SIDE_BY_SIDE = {
    ("500", "A[i][k] * B[k][j]"): "compiled",
    ("500", "A[i][k] * B[j][k]"): "reordered",
    ("n", "A[i][k] * B[k][j]"): "reordered",
    ("32", "A[i][j + k] * B[0][k]"): "compiled",
    ("m", "A[i][j + k] * B[0][k]"): "reordered",
}


@pytest.mark.parametrize(("trip", "product"), SIDE_BY_SIDE)
def test_products_of_a_known_size_are_vectors_of_columns(tmp_path: Path, trip: str, product: str) -> None:
    text = f"""
    double A[500][600], B[500][600], C[500][600];
    void f(int n, int m) {{
        for (int i = 0; i < 500; i++)
            for (int j = 0; j < 500; j++) {{
                double s = 0;
                for (int k = 0; k < {trip}; k++) s += {product};
                C[i][j] = s;
            }}
    }}"""
    found = body(tmp_path, text, 2)
    expected = SIDE_BY_SIDE[trip, product]
    assert found.vectors == expected
    if _version() == "12":
        assert (5 in _by_gcc(tmp_path / "a.c")) == (expected == "compiled")
    if expected == "compiled":
        assert {a.pace for a in found.accesses} == {"unit"}
        may_overlap = text.replace("(int n, int m)", "(int n, int m, double (*D)[600])").replace("C[i]", "D[i]")
        assert body(tmp_path, may_overlap, 2).vectors == "reordered"


def test_pairs_that_only_some_iterations_change_are_no_vectors(tmp_path: Path) -> None:
    text = """
    void f(int n, int *a) {
        for (int i = 0; i < n - 1; i += 2)
            if (a[i] > a[i + 1]) { int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }
    }"""
    assert body(tmp_path, text).vectors == "never"
    if _version() == "12":
        assert not _by_gcc(tmp_path / "a.c", "x86-64-v4")


KNOWN = {
    ("calls.c", 5),  # its caller's loop and its own change places first
    ("indirect.c", 11), ("narrow.c", 61), ("nests.c", 20), ("nests.c", 58), ("nests.c", 97),
    ("recurrences.c", 75), ("strides.c", 40), ("strides.c", 79),
}  # fmt: skip
"""Where gcc does otherwise: `memcpy` and `memset` in place of loops, scatters and counted bits only
with AVX-512, members of structures put together, a dependence over four iterations, and overlap that it tests where the
analysis knows that there is some."""


@pytest.mark.skipif(_version() != "12", reason="another gcc makes vectors of other loops")
@pytest.mark.parametrize("source", sorted(KERNELS.glob("*.c")), ids=lambda path: path.stem)
def test_gcc_makes_vectors_of_the_same_loops(source: Path) -> None:
    by_gcc = _by_gcc(source)
    different = []
    for function in analyze_file(source, SourceOptions(), AnalysisOptions(), KERNELS).functions:
        loops = averaged(function.loops)
        by_id = {loop.id: loop for loop in loops}
        for outermost in (loop for loop in loops if loop.parent is None):
            nest = [by_id[i] for i in outermost.nest]
            innermost = [loop for loop in nest if all(other.parent != loop.id for other in nest)]
            found = bodies(outermost, tuple(nest))
            if len(innermost) != 1 or len(found) != len(nest):
                continue  # several of them, or unrolled ones
            lines = {loop.place.line for loop in nest}
            in_vectors = Vectors(bits=256).lanes(found[-1], DEVICE) > 1
            if found[-1].vectors != "reordered" and in_vectors != bool(lines & by_gcc):
                different.append((source.name, innermost[0].place.line))
    assert set(different) <= KNOWN
