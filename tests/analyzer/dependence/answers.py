"""C text in, the answer for one of its loops out, in a form that a table can hold."""

from collections.abc import Iterable
from pathlib import Path

from analyzer.dependence import parallelism
from analyzer.facts.loop import Parallelism
from analyzer.ir import nodes as ir
from analyzer.loops import lower_function
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit

PROLOGUE = """
struct cell { double x, y; int n; unsigned lo : 4, hi : 4; };
struct tail { int n; double d[]; };
struct grid { int n; double *d; double *e; int *idx; double v[8], w[8]; double total; };
union both { int i; float f; char c[4]; };
double A[100][200], B[100][200], V[1000], W[1000]; int G, H[256]; extern volatile int port;
double sqrt(double); double fabs(double); double fmax(double, double); double fmin(double, double);
int printf(const char *, ...); void exit(int);
struct link { struct link *next; double v; };
const int LIMIT = 9; const int SHUFFLED[4] = {3, 1, 2, 0}; void *my_alloc(int); void *my_lookup(int);
struct grid my_grid(int);
void *malloc(unsigned long); void free(void *); int rand(void); void ext(void);
static double *mk(int n) { return malloc(n); }
static void add(double *p, int i) { p[i] += 1; p[i + 1] = 2; }
static double pick(double *p, int i) { if (i > 3) return p[i]; return p[0]; }
static void bump(int *p) { *p += 2; }
static void set(int *p, int i) { *p = i; }
static void set_late(int *p, int i) { if (i > 3) *p = i; }
static int counted(void) { static int c; return c++; }
static int five(int i) { if (i > 3) return 5; return 0; }
static int three(int i) { switch (i) { case 1: case 2: return 3; case 7: i = 9; } return i; }
static int on(int i) { switch (i) { case 1: i++; case 2: return i; default: break; } return 7; }
static int put(struct grid *g, int m, int v);
static int room(struct grid *g, int m, int v) { g->idx = my_alloc(2 * g->n); return put(g, m, v); }
static int put(struct grid *g, int m, int v) {
    int k = g->n; if (k == 64 * m) return room(g, m, v); g->n++; g->idx[k] = v; return k; }
static void mix(struct grid *g, int m, int v) { if (v < m) mix(g, m, -v); else g->n = g->n * 3 + v; }
static void tally(struct grid *g, int m, int v) { if (v < m) tally(g, m, -v); else g->n += v; }
static void largest(struct grid *g, int m, int v) { if (v < m) largest(g, m, -v); else if (v > g->n) g->n = v; }
static void once(struct grid *g, int m, int v) { if (v < m) once(g, m, -v); else if (!g->n) g->n = 1; }
static void keep(struct grid *g, int m, int v) { if (v < m) keep(g, m, -v); else { g->n = v; g->total = g->n; } }
static int larger(int x, int y) { return x > y ? x : y; }
static int asked(void) { int x; if (my_lookup(1)) x = rand(); else exit(1); return x; }
static void check(_Bool holds) { if (!holds) exit(1); }
static void swap(double *p, double *q) { double t = *p; *p = *q; *q = t; }
"""
PARAMETERS = (
    "int n, int m, int k, double *a, double *b, double *restrict r, double **R, double **S, int *idx, int *q, "
    "float *x, unsigned u, struct grid *g, struct cell *c, union both *z, char *t, double s, int ok"
)


def answers_of_all(bodies: Iterable[str], **options: object) -> dict[str, list[Parallelism]]:
    """One answer per loop of each function body, in source order; all of them in one translation unit."""
    named = {f"f{k}": body for k, body in enumerate(dict.fromkeys(bodies))}
    functions = (f"int {name}({PARAMETERS}) {{ {body} return 0; }}" for name, body in named.items())
    unit = load_unit(Path("t.c"), SourceOptions(), None, "\n".join((PROLOGUE, *functions)) + "\n")
    found = {}
    for definition in unit.functions:
        if definition.name not in named:
            continue
        function = lower_function(unit, definition)
        answered = parallelism(function, AnalysisOptions(**options))  # type: ignore[arg-type]
        found[named[definition.name]] = [answered[loop.key] for loop in ir.loops(function.body) if loop.key in answered]
    return found


def answer(body: str, loop: int = 0, **options: object) -> Parallelism:
    return answers_of_all([body], **options)[body][loop]


def summary(p: Parallelism) -> str:
    """`yes +s fp-reorder(s) private(t)` or `no carried-dependence 1`."""
    words: list[str] = [p.verdict.value]
    if p.reason:
        words.append(p.reason.code + (f" {p.reason.distance}" if p.reason.distance else ""))
        return " ".join(words)
    words += [f"{r.operator}:{r.variable}{'[]' if r.array else ''}" for r in p.reductions]
    words += [f"private({v})" for v in sorted(p.private)]
    words += [f"first({v})" for v in sorted(p.first_private)]
    words += [f"last({v})" for v in sorted(p.last_private)]
    words += [f"{a.kind}({a.text})" for a in p.assumptions]
    return " ".join(words)
