"""Which memory that a loop stores to may be read after it, one class of code per row: reads, jumps, escaping addresses,
allocated memory, tables of pointers."""

from pathlib import Path

import pytest

from analyzer.access.liveness import is_live_after
from analyzer.dependence import parallelism
from analyzer.ir.nodes import Access, Assign, Function, Loop, Object, loops, statements
from analyzer.loops import lower_function
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit

PROLOGUE = """
#include <mpi.h>
#include <setjmp.h>
typedef unsigned long uintptr_t; typedef long intptr_t;
struct view { double *d; int n; }; struct block { double v[64]; double *p; };
double *G; uintptr_t GI; intptr_t slots[4]; struct block GB; jmp_buf env; void *ucontext[99];
void ext(void); void look(const double *); void keep_number(uintptr_t); void take(struct block); int getcontext(void *);
void *malloc(unsigned long); void *alloca(unsigned long); void *memcpy(void *, const void *, unsigned long);
int printf(const char *, ...); void keep_all(double **); struct places { double **at; } *slots_of;
double *find(int); double **find_at(int); double *find_in(const double *); struct view *find_view(int);
static double third(const double *p) { return p[3]; }
static void keep(double *p) { G = p; }
"""
FILL = """
for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++)
        t[j] = a[i] + j;
    b[i] = t[i & 63];
}
"""
"""Stands for `FILL;` in the rows: t is as good as a private array of it."""

KEPT = "double *t = malloc(512), **r = malloc(16); r[0] = t;"

ARRAYS = [
    ("double t[64]; FILL;", "dead", "never read"),
    ("double t[64]; FILL; b[0] = t[3];", "live", "read"),
    ("double t[n + 64]; FILL;", "dead", "variable length"),
    ("static double t[64]; FILL;", "live", "static: the next call may read it"),
    ("int t[64]; FILL; b[t[3]] = 1;", "live", "read in a subscript"),
    ("int t[64]; FILL; for (int k = 0; k < t[3]; k++) b[k] = 1;", "live", "read in a bound"),
    ("int t[64]; FILL; double w[t[3]]; b[0] = sizeof w;", "live", "read for the length of an array"),
    ("double t[64]; FILL; if (n > 3 && t[3] > 0) b[0] = 1;", "live", "read in a condition"),
    ("int t[64]; FILL; switch (t[3]) { case 1: b[0] = 1; }", "live", "read in a selector"),
    ("double t[64]; FILL; memcpy(b, t, 64);", "live", "copied from"),
    ("double t[64]; FILL; memcpy(t, b, 64);", "dead", "copied to"),
    ("double t[64]; FILL; b[0] = third(t);", "live", "read in an inlined function"),
    ("double t[64]; FILL; MPI_Send(t, 64, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);", "live", "sent"),
    (
        "double t[64]; MPI_Request q; MPI_Send_init(t, 64, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &q); FILL; MPI_Start(&q);",
        "live",
        "sent by a request made before",
    ),
    ("struct block s; double *t = s.v; FILL; GB = s;", "live", "copied as part of a structure"),
    ("struct block s; double *t = s.v; FILL; take(s);", "live", "passed by value"),
    ("struct block s; double *t = s.v; FILL; return s.v[3];", "live", "a member that is returned"),
]

ORDER = [
    ("double t[64] = {0}; for (int k = 0; k < n; k++) { b[k] = t[k]; FILL; }", "live", "a loop around comes by again"),
    ("for (int k = 0; k < n; k++) { double t[64]; FILL; }", "dead", "new in each iteration"),
    ("double t[64] = {0}; b[0] = t[3]; FILL;", "dead", "read before only"),
    ("double t[64] = {0}; b[0] = t[3]; if (n > 3) goto on; FILL; on: b[1] = 1;", "dead", "goto before the loop"),
    ("double t[64] = {0}; again: b[1] = t[3]; FILL; if (b[0] > 3) goto again;", "live", "goto back"),
    (
        "double t[64] = {0}; void *l[] = {&&x, &&y}; x: b[1] = t[3]; FILL; if (n) goto *l[n]; y: b[2] = 1;",
        "live",
        "computed goto back",
    ),
    (
        "double t[64] = {0}; switch (n) { default: FILL; goto on; case 1: b[1] = 2; on: b[2] = t[3]; break; }",
        "live",
        "goto into a case that the IR has first",
    ),
    (
        "double t[64]; FILL; switch (n) { case 1: { b[0] = 1; case 2: b[1] = t[3]; } }",
        "live",
        "read in a switch that the IR does not hold",
    ),
    ("double *t = alloca(512); if (setjmp(env)) { b[0] = t[3]; return 0; } FILL; ext();", "live", "setjmp"),
    ("double *t = alloca(512); getcontext(ucontext); b[0] = t[3]; FILL; ext();", "live", "getcontext"),
]

ADDRESSES = [
    ("double t[64], *p = t; FILL; b[0] = 1;", "dead", "a pointer of its own that reads nothing"),
    ("double t[64], *p = t; FILL; b[0] = p[3];", "live", "read through a pointer"),
    ("double t[64], *p = t; FILL; while (n--) b[0] += *p++;", "live", "read through a pointer that walks"),
    ("double t[64], u[64] = {0}, *p = n > 3 ? t : u; FILL; b[0] = p[3];", "live", "read through one of two"),
    ("double t[64], u[64] = {0}, *p = n > 3 ? b : u; FILL; b[0] = p[3];", "dead", "a pointer to others"),
    ("double t[64], *p, **q = &p; if (n > 3) p = t; else p = b; FILL; b[0] = (*q)[3];", "live", "a to a pointer"),
    ("double t[64]; look(t); FILL; ext();", "live", "passed on before"),
    ("double t[64]; look(t); FILL; b[0] = 1;", "dead", "passed on before, and nobody is called"),
    ("double t[64]; look(t); FILL; b[0] = G[3];", "live", "passed on before, and read by a pointer of the program"),
    ("double t[64]; look(t); FILL; b[0] = c->d[3];", "live", "passed on before, and read by a pointer in memory"),
    ("double t[64]; look(t); for (int k = 0; k < n; k++) { ext(); FILL; }", "live", "passed on, in a loop around"),
    ("double t[64]; look(t); again: ext(); FILL; if (b[0] > 3) goto again;", "live", "passed on, goto back"),
    ("double *t = malloc(512); look(t); FILL; b[0] = 1;", "live", "memory that lasts, passed on before"),
    ("double t[64]; keep(t); FILL; ext();", "live", "kept by an inlined function"),
    ("double t[64]; G = t; FILL; ext();", "live", "in a global pointer"),
    ("double t[64]; keep_number((uintptr_t)t); FILL; ext();", "live", "passed on as a number"),
    ("double t[64]; uintptr_t u = (uintptr_t)t; keep_number(u); FILL; ext();", "live", "by way of a number"),
    ("double t[64]; GI = (uintptr_t)t; FILL; ext();", "live", "in a global number"),
    ("double t[64]; slots[0] = (intptr_t)t; FILL; ext();", "live", "in a signed number in memory"),
    ("double t[64], u[64], *p = n > 3 ? t : u; struct view s = {p, 3}; FILL; b[0] = s.d[3];", "live", "in a structure"),
    ("double t[64], u[64], *p = u; struct view s = {p, 3}; FILL; b[0] = s.d[3];", "dead", "another one in a structure"),
    ("double t[64]; struct view s = {t, 3}; FILL; b[0] = s.d[3];", "live", "in a structure, directly"),
    ("double t[64]; double *r[2] = {t, b}; FILL; b[0] = r[n][3];", "live", "in a table with an initialiser"),
    ("double t[64]; double *r[2]; r[0] = t; r[1] = b; FILL; b[0] = r[n][3];", "live", "in a table"),
]

ALIGNED = "double *raw = malloc(575), *t = (double *)(((uintptr_t)raw + 63) & -64ul);"
ALLOCATED = [
    ("double *t = alloca(512); FILL;", "dead", "never read"),
    ("double *t = malloc(512); FILL; b[0] = t[3];", "live", "read"),
    ("double *t = malloc(512); if (!t) return 0; FILL; return (intptr_t)t;", "live", "returned"),
    ("double *t = G = malloc(512); FILL;", "live", "in a global pointer first"),
    ("double *t = GB.p = malloc(512); FILL;", "live", "in a member first"),
    ("double *t = malloc(512); FILL; GB.p = t;", "live", "in a member later"),
    ("double *t = malloc(512); FILL; *c = (struct view){t, 3};", "live", "in a structure that is assigned"),
    ("double *t = malloc(512); union { double *p; long n; } z; z.p = t; GI = z.n; FILL; ext();", "live", "by a union"),
    (f"{ALIGNED} FILL;", "dead", "never read, by way of a number"),
    (f"{ALIGNED} FILL; b[0] = raw[3];", "live", "read by the pointer of which it is made"),
    (f"{ALIGNED} G = t; FILL; ext();", "live", "in a global pointer, by way of a number"),
    (f"{ALIGNED} keep_number((uintptr_t)t); FILL; ext();", "live", "passed on as a number that is made of a number"),
    (f"{KEPT} FILL;", "dead", "in a table that nobody reads"),
    (f"{KEPT} FILL; b[0] = r[n][3];", "live", "read by way of the table"),
    (f"{KEPT} double *q = r[0]; FILL; b[0] = q[3];", "live", "by a pointer that came from the table"),
    (f"{KEPT} G = r[0]; FILL;", "live", "the table was copied to a global pointer"),
    (f"{KEPT} keep_all(r); FILL; ext();", "live", "somebody else knows the table"),
    (f"{KEPT} FILL; return r[0][3];", "live", "returned by way of the table"),
    (f"{KEPT} memcpy(slots, r, 8); FILL; ext();", "live", "the table was copied byte by byte"),
    (f"{KEPT} double ***s = malloc(8); s[0] = r; FILL; b[0] = s[0][n][3];", "live", "by way of a table of tables"),
    (f"{KEPT} double ***s = malloc(8); s[0] = r; FILL;", "dead", "in a table in a table"),
    ("struct view v; double *t = malloc(512); v.d = t; FILL; struct view w = v; b[0] = w.d[3];", "live", "in a copy"),
]

NEW, BESIDE = "double *t = malloc(512);", "c->d = find(n);"
BESIDE_OTHERS = [
    (f"{BESIDE} {NEW} FILL;", "dead", "what a call gave is stored"),
    (f"{NEW} {BESIDE} FILL; c->d = find(3);", "dead", "before and behind the loop"),
    (f"{NEW} *c = *find_view(n); FILL;", "dead", "a structure of others is copied"),
    (f"{NEW} double *p = find(n); if (n > 3) p = c->d; c[1].d = p; FILL;", "dead", "of others, by a variable"),
    (f"{NEW} double *p = find(n); if (n > 3) p = t; b[0] = p[3]; {BESIDE} FILL;", "dead", "in a variable alone"),
    (f"{NEW} c->d = find_in(t); FILL;", "live", "a call that got it gave what is stored"),
    (f"{NEW} look(t); {BESIDE} FILL;", "live", "a call got it"),
    (f"{NEW} double *p = find(n); if (n > 3) p = t; c->d = p; FILL;", "live", "perhaps in what is stored"),
    (f"{NEW} double *p = find(n), *q = p; if (n > 3) q = t; p = q; c->d = p; FILL;", "live", "by another variable"),
    (f"{NEW} double *p = find(n); if (n > 3) p = t; {BESIDE} FILL; return (intptr_t)p;", "live", "perhaps returned"),
    (f"{NEW} c->d = (double *)(((uintptr_t)t + 63) & -64ul); FILL;", "live", "stored by way of a number"),
    (f"{NEW} {BESIDE} keep_all(&t); FILL;", "live", "somebody has the address of the pointer"),
    (f"{NEW} double *p = n > 3 ? t : find(n); {BESIDE} keep_all(&p); FILL;", "live", "or of another one"),
    (f"{NEW} {BESIDE} memcpy(slots, &t, 8); FILL;", "live", "copied byte by byte"),
    (f"{NEW} {BESIDE} GB.p = t; FILL;", "live", "stored, too"),
    (f"{NEW} struct view v = {{t, 3}}; *c = v; FILL;", "live", "in a structure that is copied"),
    (f"{NEW} struct view *w = malloc(16); w->d = t; *c = *w; FILL;", "live", "in one that was allocated"),
    (f"{NEW} *c = n > 3 ? (struct view){{t, 3}} : *find_view(n); FILL;", "live", "in a structure that is made there"),
    (f"{NEW} double *p = t, **q = n > 3 ? &p : find_at(n); c->d = *q; FILL;", "live", "read through a pointer to it"),
    (f"{NEW} double *p = t, **q = find_at(n); if (n > 3) q = &p; *a = 1; c->d = *q; FILL;", "live", "set in between"),
    (f"{NEW} double *p = find(n), **q = n > 3 ? &p : find_at(n); *q = a; c->d = *q; FILL;", "dead", "never led there"),
    (f"{NEW} double *p = t, **q = n > 3 ? &p : find_at(n); keep_all(q); FILL;", "live", "kept by a pointer to it"),
    (f"{NEW} double *p = t; slots_of->at = &p; c->d = *slots_of->at; FILL;", "live", "read through one in memory"),
    ("double t[64], *p = t, **q = n > 3 ? &p : find_at(n); look(*q); FILL; ext();", "live", "an array, read like that"),
    (f"{NEW} {BESIDE} uintptr_t u; memcpy(&u, &t, 8); GI = u; FILL;", "live", "copied to a number"),
    (f"{NEW} {BESIDE} struct view v; memcpy(&v, &t, 8); *c = v; FILL;", "live", "copied to a structure"),
    (f"{NEW} {BESIDE} GI = (char *)t - (char *)0; FILL;", "live", "made a number by a difference"),
]

TABLES = [
    ("double *r[4]; for (int k = 0; k < 4; k++) r[k] = a + 64 * k; double *t = r[n]; FILL;", "live", "rows of others"),
    ("double *t[64]; for (int k = 0; k < 64; k++) t[k] = b + k; t[2][0] = 3;", "live", "the way to a store"),
    ("double *t[64]; for (int k = 0; k < 64; k++) t[k] = b + k;", "dead", "pointers that nobody follows"),
]


def _lowered(body: str) -> Function:
    code = body.replace("FILL;", FILL)
    text = f"long f(int n, double *restrict a, double *restrict b, struct view *c) {{ {code} return 0; }}\n"
    unit = load_unit(Path("t.c"), SourceOptions(), None, PROLOGUE + text)
    return lower_function(unit, next(d for d in unit.functions if d.name == "f"))


def _filling(function: Function) -> tuple[Loop, Object]:
    """The loop that sets t, and what its `t[...]` is."""
    named = {loop.variable: loop for loop in loops(function.body)}
    loop = named["i"] if "i" in named else named["k"]
    stored = (s.target for s in statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, Access))
    return loop, next(x.object for x in stored if x.text.startswith("t["))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(body, live, id=name)
        for body, live, name in ARRAYS + ORDER + ADDRESSES + ALLOCATED + BESIDE_OTHERS + TABLES
    ],
)
def test_what_may_be_read_after_a_loop(body: str, expected: str) -> None:
    function = _lowered(body)
    loop, object_ = _filling(function)
    assert ("live" if is_live_after(function, loop, object_) else "dead") == expected


def test_memory_of_an_iteration_ends_with_it() -> None:
    function = _lowered("for (int k = 0; k < n; k++) { double t[64]; look(t); FILL; }")
    outer, inner, *_ = loops(function.body)
    _, t = _filling(function)
    assert not is_live_after(function, outer, t)
    assert is_live_after(function, inner, t)


@pytest.mark.parametrize("live", [True, False])
def test_a_private_array_that_is_live_is_a_last_private_one(live: bool) -> None:
    function = _lowered("double t[64]; FILL; " + ("MPI_Send(t, 64, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);" if live else ""))
    loop, _ = _filling(function)
    found = parallelism(function, AnalysisOptions())[loop.key]
    assert [(s.role, s.text) for s in found.separated if s.role != "counter"] == [("last" if live else "private", "t")]
