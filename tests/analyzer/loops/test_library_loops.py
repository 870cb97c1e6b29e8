"""Library functions that walk over memory: what they do to dependences, counts and transfers."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.ir import nodes as ir
from analyzer.settings.options import AnalysisOptions, SourceOptions

from .picture import lowered, picture

PROLOGUE = """
#include <string.h>
#include <strings.h>
#include <stdint.h>
typedef struct { int a; double b[3]; char *p; } rec;
"""
PARAMETERS = "int n, int m, double *restrict a, double *restrict b, rec *r, rec *q, unsigned char *restrict s, char **t"


def outermost(c: str) -> LoopFacts:
    text = f"{PROLOGUE}int f({PARAMETERS}, uint32_t *restrict o, float *x) {{ {c} return 0; }}"
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text)
    return facts.functions[0].loops[0]


ROWS = "for (int i = 0; i < n; i++) "


@pytest.mark.parametrize(
    ("c", "verdict", "loads", "stores", "transfers"),
    [
        pytest.param(
            ROWS + "memcpy(b + i * m, a + i * m, m * sizeof(double));",
            "yes",
            "m*n",
            "m*n",
            ("8*m*n", "8*m*n"),
            id="rows",
        ),
        pytest.param(
            ROWS + "__builtin_memcpy(b + i * 8, a + i * 8, 64);", "yes", "8*n", "8*n", ("64*n", "64*n"), id="builtin"
        ),
        pytest.param(ROWS + "memset(a + i * m, 0, m * sizeof *a);", "yes", "0", "m*n", ("0", "8*m*n"), id="zero rows"),
        pytest.param(
            "double v[8], (*p)[8] = &v; " + ROWS + "{ memcpy(p, a + 8 * i, sizeof v); b[i] = v[3] + (*p)[4]; }",
            "yes",
            "10*n",
            "9*n",
            ("64*n", "8*n"),
            id="by a pointer to the array",
        ),
        pytest.param(ROWS + "memcpy(&r[i], &q[i], sizeof(rec));", "yes", "n", "n", ("40*n", "40*n"), id="structs"),
        pytest.param(ROWS + "memset(&r[i], 0, sizeof r[i]);", "yes", "0", "n", ("0", "40*n"), id="clear structs"),
        pytest.param(ROWS + "memcpy(s + 8 * i, &a[i], 8);", "yes", "n", "n", ("8*n", "8*n"), id="to bytes"),
        pytest.param(
            ROWS + "{ uint32_t v; memcpy(&v, s + 4 * i, 4); o[i] = v; }",
            "yes",
            "n",
            "n",
            ("4*n", "4*n"),
            id="a word of bytes",
        ),
        pytest.param(
            ROWS + "{ uint32_t v; memcpy(&v, &x[i], sizeof v); o[i] = v; }", "yes", "n", "n", ("4*n", "4*n"), id="bits"
        ),
        pytest.param(
            ROWS + "{ uint32_t v = 0; memcpy(&v, s + 3 * i, 3); o[i] = v; }",
            "yes",
            "3*n",
            "n",
            ("3*n", "4*n"),
            id="part",
        ),
        pytest.param(
            "double w[8]; " + ROWS + "{ memcpy(w, a + 8 * i, sizeof w); b[i] = w[7]; }",
            "yes",
            "9*n",
            "9*n",
            ("64*n", "8*n"),
            id="buffer of its own",
        ),
        pytest.param(ROWS + "memcpy(a + 8 * i, a + 8 * i + 8, 64);", "no", "8*n", "8*n", None, id="next row"),
        pytest.param(ROWS + "memmove(a, a + 1, 80);", "no", "10*n", "10*n", None, id="shift"),
        pytest.param(
            "int k = 0; " + ROWS + "k += memcmp(a + i * 8, b, 64) == 0; return k;", "yes", None, "0", None, id="compare"
        ),
        pytest.param("int k = 0; " + ROWS + "k += strlen(t[i]); return k;", "yes", None, "0", None, id="lengths"),
        pytest.param(
            "int k = 0; " + ROWS + "k += !strcmp(t[i], t[0]); return k;", "yes", None, "0", None, id="strings"
        ),
        pytest.param(ROWS + "strcpy(t[i], t[i + n]);", "yes", None, None, None, id="rows of strings"),
        pytest.param(
            "t[0] = (char *)t; " + ROWS + "strcpy(t[i], t[i + n]);", "unknown", None, None, None, id="may overlap"
        ),
        pytest.param(
            ROWS + "*strchr((char *)s + 8 * i, 0) = 1;", "unknown", None, None, None, id="a pointer into a string"
        ),
    ],
)
def test_blocks(c: str, verdict: str, loads: str | None, stores: str | None, transfers: tuple[str, str] | None) -> None:
    loop = outermost(c)
    assert loop.parallelism.verdict.value == verdict
    for found, expected in ((loop.counts.loads, loads), (loop.counts.stores, stores)):
        if expected is not None:
            assert found is not None
            assert str(found.expr) == expected
            assert found.exact
    if transfers is not None:
        into, out = loop.counts.transfer_in, loop.counts.transfer_out
        assert into is not None
        assert out is not None
        assert (str(into.expr), str(out.expr)) == transfers


def test_what_contents_end_is_a_bound() -> None:
    loads = outermost("int k = 0; " + ROWS + "k += memcmp(s + i * m, o, m) == 0; return k;").counts.loads
    assert loads is not None
    assert (str(loads.high), loads.exact) == ("2*m*n", False)


def test_bytes_compared_are_integer_operations() -> None:
    operations = outermost("int k = 0; " + ROWS + "k += strlen(t[i]); return k;").counts.int_ops
    assert operations is not None
    assert not operations.exact


def test_a_move_reads_all_before_it_writes() -> None:
    lines = picture("#include <string.h>\nvoid f(double *a) { memmove(a + 1, a, 40); for (;0;); }")
    assert [line.strip() for line in lines if line.startswith(("loop", "  a"))][:3] == ["loop 5", "a[k1]", "loop 5"]


def test_pointers_in_copied_bytes_are_not_taken_for_the_old_ones() -> None:
    function = lowered(
        "#include <string.h>\nstruct r { int n; double *p; };\n"
        "void f(struct r *q, struct r *r, int n) { q->p[n] = 1; memcpy(q, r, n); q->p[n] = 2; for (;0;); }"
    )
    targets = [s.target for s in ir.statements(function.body) if isinstance(s, ir.Assign)]
    stored = [t.object for t in targets if isinstance(t, ir.Access) and isinstance(t.object, ir.Rows)]
    assert len(stored) == 2
    assert stored[0] != stored[1]


def test_a_function_of_that_name_is_what_runs() -> None:
    text = "void *memcpy(void *d, const void *s, unsigned long n) { (void)s; (void)n; return d; }\n"
    text += "void f(int n, char *a) { for (int i = 0; i < n; i++) memcpy(a, a + 1, 10); }"
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text)
    loop = facts.functions[-1].loops[0]
    assert loop.counts.stores is not None
    assert str(loop.counts.stores.expr) == "0"


@pytest.mark.parametrize(
    ("c", "why"),
    [
        ("g(i)", "`g` is not visible here: it may do anything"),
        ("fp(i)", "`fp` is a pointer: any function may be called"),
        ("again(n)", "`again` calls itself: what it does is not followed"),
        ("middle(i)", "`middle` (line 3) has a `goto`, or a `return` in a block, that is not followed"),
    ],
)
def test_a_call_that_is_not_followed_says_why(c: str, why: str) -> None:
    text = f"""void g(int); static void (*fp)(int); static int times;
static int again(int n) {{ for (int i = 0; i < n; i++) {c}; return ++times; }}
static void middle(int n) {{ again: if (n-- > 3) goto again; }}
int f(int n) {{ for (int i = 0; i < n; i++) {c}; return again(n); }}"""
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(assume="none"), text=text)
    name = "again" if c.startswith("again") else "f"
    reason = next(f for f in facts.functions if f.function.name == name).loops[0].parallelism.reason
    assert reason is not None
    assert (reason.code, reason.message) == ("unknown-call", why)


@pytest.mark.parametrize(
    ("body", "verdict", "assumption"),
    [
        pytest.param("o[i] = s[i];", "yes", "", id="restrict"),
        pytest.param("x[i] = s[i];", "yes", "bound-invariant", id="another pointer"),
        pytest.param("s[i] = s[i] & 95;", "unknown", "", id="the string itself"),
    ],
)
def test_a_length_in_the_test_of_a_loop(body: str, verdict: str, assumption: str) -> None:
    plain = body.replace("s[", "t[0][") if assumption else body
    text = "t[0]" if assumption else "(char *)s"
    answer = outermost(f"for (unsigned long i = 0; i < strlen({text}); i++) {plain}").parallelism
    assert answer.verdict.value == verdict
    assert any(a.kind == "bound-invariant" for a in answer.assumptions) == bool(assumption)


def test_a_length_in_the_test_is_measured_each_time() -> None:
    loads = outermost("for (unsigned long i = 0; i < strlen((char *)s); i++) o[i] = 0;").counts.loads
    assert loads is not None
    assert not loads.exact
