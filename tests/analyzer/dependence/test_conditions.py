"""Answers under conditions: which are made, for which loops, and which never."""

from pathlib import Path

import pytest

from analyzer.dependence.condition_groups import groups, text, without_implied
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Assumption, LoopFacts, Parallelism, Verdict
from analyzer.ir.reasons import AssumptionKind
from analyzer.settings.options import AnalysisOptions, Assume, SourceOptions

TYPES = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct part { double x, v; int type, next; };
struct compressed { int n, *start, *at; };
struct members { double x; int next; double at[3]; };
struct field { int n; struct members *p; };
double interpolate(double x, int k);
double *row(int k);
double at(const double *field, int k);
double update(double *field, int k);
void report(int code, const char *text);
void move(struct part *p);
int status(void);
extern int count;
double g0(int), g1(int), g2(int), g3(int);
void solve(double x, double *root, int *steps);
void show(double value);
void place(double **p);
_Bool *flags(void);
static double middle(const double of[3]) { const double *p = of; return p[0] > 0 ? p[1] : p[2]; }
struct block { int size[4]; double *w; };
void *get(void);
static void fill(double *y, const int of[4], const double *x, int i)
{ for (int j = 0; j < of[0]; j++) y[i * of[1] + j] = x[j]; }
struct tree { int n; int (*has)(int, struct tree *); double (*weight)(double); };
"""

DECLARATION = (
    "void f(int n, int m, double *y, const double *x, int *idx, const int *ptr, struct part *p, struct compressed *c, "
    "struct field *f, double (*cubes)[3], double **rows, struct block *b)"
)


def first_loop(code: str, assume: Assume = "all") -> LoopFacts:
    """The first loop of the last function."""
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(assume=assume), None, code)
    return facts.functions[-1].loops[0]


def answer(body: str, assume: Assume = "all") -> Parallelism:
    return first_loop(f"{TYPES}{DECLARATION} {{ {body} }}", assume).parallelism


I = "for (int i = 0; i < n; i++)"  # noqa: E741
MUCH = 9 * 'printf("%d %d %d", ptr[i] + 1, n * m, i - 1); '

MADE = [
    (f"{I} y[idx[i]] = x[i];", "injective(idx)"),
    (f"{I} {{ double t = y[idx[i]]; y[idx[i]] = t * t + x[i]; }}", "injective(idx)"),
    (f"{I} p[idx[i]].x = p[idx[i]].v;", "injective(idx)"),
    # of what functions touch behind their arguments
    (f"double *v = row(0); {I} memcpy(&v[3 * i], f->p[i].at, 24);", "distinct(f->p,v)"),
    (f"double *v = row(0); {I} memcpy(v + 3 * i, (const void *) &f->p[i].at[0], 24);", "distinct(f->p,v)"),
    (f"double *v = row(0); {I} memcpy(&v[3 * i], cubes[i], 24);", "distinct(cubes,v)"),
    (f"double *v = row(0); {I} memcpy(&v[3 * i], (const void *) cubes[i], 24);", "distinct(cubes,v)"),
    (f"double *v = row(0); {I} memcpy(&v[3 * i], (const void *) rows[i], 24);", "distinct(rows[],v)"),
    # of structures of one kind that have no pointers
    ("struct members **r = get(), *u = get(); for (int k = 0; k < 3; k++) for (int i = 0; i < n; i++) "
     "u[i].at[k] += r[i]->at[k];", "distinct(r[],u)"),
    # of what a pointer walks over that a member leads to
    (f"struct field *g = get(); {I} {{ double s = 0; struct members *q = g->p; for (int j = 0; j < m; j++) s += q++->x;"
     " y[i] = s; }", "distinct(g->p,y)"),
    (f"struct block *g = get(); {I} {{ const double *w = g->w; double s = 0; for (int j = 0; j < m; j++)"
     " for (int k = 0; k < g->size[j]; k++) s += *w++; y[i] = s; }", "distinct(g,y) + distinct(g->w,y)"),
    # of pointers that only functions of the program use
    (f"double (*v)[3] = row(0); {I} y[i] = middle(v[i]);", "distinct(v,y)"),
    # `_Bool` is no character type: what is stored as it is no pointer
    (f"double *v; place(&v); _Bool *b = flags(); {I} b[i] = v[i] > 0;", "distinct(b,v)"),
    (f"{I} fill(y, b->size, x, i);", "at-least(b->size[1]>=b->size[0])"),
    # of all lists
    (f"{I} y[c[i].at[0]] = x[i];", "injective(c[].at[0])"),
    (f"{I} for (int j = 0; j < m; j++) y[c[i].at[j]] = x[i];", "injective(c[].at[])"),
    (f"{I} {{ const int *at = c[i].at; for (int j = 0; j < ptr[i]; j++) y[at[j]] = x[i]; }}", "injective(c[].at[])"),
    (f"{I} y[c->at[i]] = x[i];", "injective(c->at)"),
    (f"{I} {{ y[idx[i]] = 0; if (x[i] > 0) {{ y[idx[i]] = x[i]; y[idx[i]] *= m; }} }}", "injective(idx)"),
    ("for (int i = 0; i < c->n; i++) for (int e = c->start[i]; e < c->start[i + 1]; e++) y[e] = y[e] * y[e];",
     "monotone(c->start)"),
    (f"{I} y[p[i].next] = y[p[i].next] * y[p[i].next] + 1;", "injective(p[].next)"),
    (f"{I} y[i] = row(i)[0];", "independent(row)"),
    (f"{I} {{ double *r = row(i); for (int k = 0; k < m; k++) *r++ += x[k]; }}", "independent(row)"),
    (f"{I} if (p[i].type == 0) y[p[i].next] = y[p[i].next] * y[p[i].next] + 1;", "injective(p[].next)"),
    (f"{I} {{ y[p[i].next] = x[i]; p[i].v = 0; }}", "injective(p[].next)"),
    (f"{I} {{ y[f->p[i].next] = x[i]; f->p[i].at[i % 3] = 0; }}", "injective(f->p[].next)"),
    (f"{I} y[p[idx[i]].next] = x[i];", "injective(p[idx[i]].next)"),
    (f"{I} y[idx[i] * m + ptr[i]] = x[i];", "injective((idx,ptr))"),
    (f"{I} {{ int e = idx[i] * (m - 1) + ptr[i]; y[e] = y[e] * y[e] + x[i]; }}", "injective((idx,ptr))"),
    (f"{I} {{ int e = idx[i] * (m + 3) + ptr[i]; y[e] = y[e] * y[e] + x[i]; }}", "injective((idx,ptr))"),
    (f"{I} for (int j = 0; j < m; j++) y[i * n @ j] = x[j];", "at-least(n>=m)"),
    (f"double t[8]; {I} {{ for (int j = 0; j < ptr[i]; j++) t[j] = x[j]; y[i] = t[idx[i]]; }}", "scratch(t)"),
    (f"double *t = malloc(m); {I} {{ for (int j = 0; j < ptr[i]; j++) t[j] = x[j]; y[i] = t[0]; }} free(t);",
     "scratch(t)"),
    (f"int *k = malloc(m); {I} {{ for (int j = 0; j < m; j++) if (k[idx[j]] != i) k[idx[j]] = i; y[i] = x[i]; }}",
     "scratch(k)"),
    (f"double *u = y @ m; {I} u[i] = y[i];", "distinct(u,y)"),
    (f"{I} {{ int k; for (k = ptr[i]; k < ptr[i @ 1]; k++) if (idx[k] == i) break; if (k < ptr[i @ 1]) y[k] = i; }}",
     "monotone(ptr)"),
    (f"{I} {{ int k = -1; for (int e = ptr[i]; e < ptr[i @ 1]; e++) if (idx[e] == i) k = e; if (k >= 0) y[k] = i; }}",
     "monotone(ptr)"),
    (f"{I} y[idx[ptr[i + 1]]] = x[i];", "injective(idx[ptr[i @ 1]])"),
    (f"{I} {{ int k = ptr ? ptr[i] : i; y[k] = x[k]; }}", "injective(ptr ? ptr[i] : i)"),
    (f"{I} {{ int k = c->at ? c->at[i] : i; if (p[k].type) continue; y[p[k].next] = p[k].x; }}",
     "injective(p[c->at ? c->at[i] : i].next)"),
    (f"{I} for (int j = 0; j < m; j++) y[idx[i] * m + j] = x[j];", "injective(idx)"),
    (f"{I} for (int e = ptr[i]; e < ptr[i + 1]; e++) y[e] = y[e] * y[e];", "monotone(ptr)"),
    (f"{I} for (int e = ptr[i] + 1; e < ptr[i + 1]; e++) y[e] = y[e - 1] * x[e];", "monotone(ptr)"),
    (f"{I} {{ double t = y[ptr[i]]; for (int e = ptr[i]; e < ptr[i + 1]; e++) y[e] = t * x[e]; }}", "rising(ptr)"),
    (f"{I} {{ int k = ptr[i]; for (int j = 0; j < m; j++) if (x[j] > i) y[k++] = x[j]; }}", "slices(k)"),
    (f"{I} for (int j = 0; x[j] > i; j++) y[ptr[i] @ j] = x[j];", "slices(ptr[i])"),
    (f"{I} for (int e = ptr[i]; e < ptr[i @ n]; e++) y[e] = x[e] * x[e];", "slices(ptr[i])"),
    (f"{I} {{ long k = ptr[i]; for (int j = 0; j < m; j++) if (x[j] > i) {{ p[k @ 1].x = p[k].x; k @= 2; }} }}",
     "slices(k)"),
    (f"{I} for (int j = 0; j < m; j++) {{ int k = ptr[i @ j]; for (int l = 0; l < m; l++) if (x[l]) y[k++] = j; }}",
     "injective(k)"),
    (f"double *u = row(0), *w = row(1); {I} u[i] = w[i + 1];", "distinct(u,w)"),
    (f"{I} for (int j = 0; j < ptr[i]; j++) y[64 * i + j] = j;", "at-most(ptr<=64)"),
    (f"{I} for (int j = 0; j < ptr[i]; j++) y[64 * i + j] = y[64 * i + j] / 2;", "at-most(ptr<=64)"),
    (f"{I} for (int j = 0; j < m; j++) y[10 * i + j] = y[10 * i + j @ 2] * 2;",
     "at-most(m<=8)"),
    (f"{I} y[i * m] = x[i];", "at-least(m>=1)"),
    (f"{I} y[i * m] = y[i * m @ 2] * x[i];", "at-least(m>=3)"),
    (f"{I} y[i * c->n] = x[i];", "at-least(c->n>=1)"),
    (f"{I} y[idx[i] * m] = x[i];", "at-least(m>=1) + injective(idx)"),
    (f"{I} {{ int k = idx[i]; for (int j = 0; j < c->n; j++) y[k * c->at[0] @ j * m] = x[j]; }}",
     "at-least(m>=1) + injective(idx)"),
    (f"{I} {{ double *r = row(i); y[i] = r[0]; free(r); }}", "independent(row)"),
    (f"int at = 0; {I} {{ y[at] = x[i]; at @= m; }}", "at-least(m>=1)"),
    (f"{I} for (int j = 0; j < 8; j++) y[i * m @ j * c->n] = x[j];", "at-least(c->n>=1)"),
    (f"{I} {{ for (int j = 0; j < m; j++) y[j] = x[j] * i; y @= c->n; }}", "at-least(c->n>=m)"),
    (f"{I} {{ for (int j = 0; j < m; j++) y[j] *= 2; y @= c->n; }}", "at-least(c->n>=m)"),  # no update by several
    (f"{I} {{ for (int j = 0; j < m; j++) {{ y[2 * j] = i; y[2 * j @ 1] = x[i]; }} y @= c->n; }}",
     "at-least(c->n>=2*m)"),
    (f"{I} y[i] = interpolate(x[i], i);", "pure(interpolate)"),
    (f"{I} y[i] = at(x, i);", "pure(at)"),
    (f"double (*g)(const void *) = (void *)idx; {I} y[i] = g(x + i);", "independent(g)"),
    (f"struct tree *t = (struct tree *)c; {I} y[i] = t->weight(x[i]);", "pure(t->weight)"),
    (f"struct tree *t = (struct tree *)c; {I} idx[i] = t->has(i, t);", "independent(t->has)"),
    (f"{I} y[i] = update(y, i);", "independent(update)"),
    (f"{I} {{ move(&p[i]); p[i].x += p[i].v; }}", "independent(move)"),
    (f"{I} {{ double r; int k; solve(x[i], &r, &k); for (int j = 0; j < k; j++) r = r / 2; y[i] = r; }}",
     "independent(solve)"),
    ("for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) f->p[j].x = x[j]; c->at[i] = g0(i); }", "pure(g0)"),
    (f"{I} {{ update(y, i); y[idx[i]] = interpolate(x[i], i); }}",
     "independent(update) + injective(idx) + pure(interpolate)"),
    (f'{I} {{ if (p[i].type > 5) report(1, "type"); y[i] = p[i].x; }}', "cold(1)"),
    (f'{I} {{ double *w; if (!(w = malloc(8))) {{ if (m > 7) report(1, "no"); }} w[0] = x[i]; y[i] = w[0]; free(w); }}',
     "cold(1)"),
    (f'{I} {{ if (m && x[i] > 0 && i % 100 == 0) printf("%d of %d", i, n); y[i] = x[i]; }}', "cold(1)"),
    (f'{I} {{ if (p[i].type > 5) {{ fprintf(stderr, "%d", i); exit(1); }} y[i] = p[i].x; }}', "cold(1)"),
    (f'{I} {{ if (p[i].type > 5) {{ printf("error"); {MUCH} y[i] = 0; }} else y[i] = p[i].x; }}', "cold(1)"),
    (f'{I} {{ if (p[i].type > 5) {{ printf("## Warning: %d\\n", i); y[i] = 0; }} else y[i] = p[i].x; }}', "cold(1)"),
    (f'{I} {{ if (p[i].type > 5) report(1, "type"); y[idx[i]] = interpolate(x[i], i); }}',
     "injective(idx) + pure(interpolate) + cold(1)"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "conditions"), MADE)
def test_an_open_answer_names_its_conditions(body: str, conditions: str) -> None:
    found = answer(body.replace("@", "+"))
    assert found.verdict is Verdict.CONDITIONAL
    named = [f"{c.kind}({c.text.replace('+', '@')})" if c.kind != "cold" else "cold(1)" for c in found.conditions]
    assert sorted(named) == sorted(conditions.split(" + "))
    assert found.reason is None
    assert found.is_parallel


@pytest.mark.parametrize(
    "body",
    [
        # a link may lead from one structure to another one of its kind
        "struct link { double at[3]; struct link *next; } **r = get(), *u = get(); for (int k = 0; k < 3; k++) "
        "for (int i = 0; i < n; i++) u[i].at[k] += r[i]->next->at[k];",
        # to what the function lets the member lead
        f"struct block *g = get(); g->w = y; {I} {{ const double *w = g->w; double s = 0; for (int j = 0; j < m; j++) "
        "s += *w++; y[i] = s; }",
        f"struct block *g = get(); {I} {{ double *w = g->w, s = 0; for (int j = 0; j < m; j++) s += *w++; y[i] = s; "
        "g->w = y; }",
    ],
)
def test_ways_that_meet_are_no_condition(body: str) -> None:
    assert not answer(body.replace("@", "+")).is_parallel


@pytest.mark.parametrize(
    "branch",
    [
        'y[idx[i]] = i; if (x[i] > 2) fprintf(stderr, "large");',
        'y[idx[i]] = i; while (m-- > 3) exit(1);',
        "y[idx[i]] = checked(x[i]) + i;",
        "checked(x[i]); y[idx[i]] = i;",
        'double *w; if (!(w = malloc(8))) { if (m > 7) report(1, "no"); y[idx[i]] = i; } free(w);',
    ],
)
def test_a_branch_that_may_report_is_no_error_path(branch: str) -> None:
    """What it does otherwise counts: here, it writes to places that may be equal."""
    helper = 'static double checked(double v) { if (v > 2) fprintf(stderr, "large"); return v; }'
    code = f"{TYPES}{helper} {DECLARATION} {{ {I} {{ if (ptr[i] > 9) {{ {branch} }} }} }}"
    found = first_loop(code).parallelism
    assert found.verdict is not Verdict.YES
    assert not found.conditions or AssumptionKind.INJECTIVE in {c.kind for c in found.conditions}


@pytest.mark.parametrize(("told", "lines_on"), [('report(ptr[i], "at");', 0), ("assert(ptr[i] > 0);", 1)])
def test_what_is_asserted_of_something_that_may_be_there_is_not_for_listeners(told: str, lines_on: int) -> None:
    """The line of the condition, counted from that of `if (ptr != NULL)`."""
    code = f"#include <assert.h>\n{TYPES}{DECLARATION} {{ {I} {{ y[i] = x[i]; if (ptr != NULL) {{\n{told} }} }} }}"
    loop = first_loop(code)
    assert [(c.kind, c.text) for c in loop.parallelism.conditions] == [("cold", str(loop.place.line + lines_on))]


@pytest.mark.parametrize(
    ("shown", "verdict"),
    [
        ("m && i < 5", Verdict.CONDITIONAL),
        ("c->n > 1", Verdict.CONDITIONAL),
        ("i < 5", Verdict.NO),
        ("i % 100 == 0", Verdict.NO),
        ("now", Verdict.NO),
        ("ptr && m", Verdict.CONDITIONAL),
        ("x", Verdict.NO),  # it is what is printed
        ("x != 0", Verdict.NO),
    ],
)
def test_what_every_run_prints_is_no_progress(shown: str, verdict: Verdict) -> None:
    assert answer(f'{I} {{ int now = i > m; if ({shown}) printf("%g", x[i]); y[i] = x[i] + now; }}').verdict is verdict


@pytest.mark.parametrize(
    "told", ['sprintf(c->name, "row %d", i);', 'snprintf(c->name, 9, "row %d", i);', 'scanf("%lf", y + i);']
)
def test_functions_of_the_library_do_what_they_are_known_to_do(told: str) -> None:
    code = "#include <stdio.h>\nstruct list { int n; char name[9]; };\nvoid f(struct list *c, int n, double *y) { "
    loop = first_loop(f"{code} {I} {{ if (y[i] > 5) {told} y[i] = i; }} }}")
    assert AssumptionKind.COLD not in {c.kind for c in loop.parallelism.conditions}


OPTIONS = "extern struct options { int on; } *options; void solve_for(double, const double *table, struct part *got);"


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        # the same in all iterations, whatever a call may do with a variable of the program
        ("if (options->on) t = x[i]; solve_for(t, v, &got); y[i] = got.x;", Verdict.CONDITIONAL),
        ("if (options->on) t = x[i]; solve_for(t, v, &sum); y[i] = t;", Verdict.UNKNOWN),
        # one that is read anew
        ("if (ptr[i]) t = x[i]; solve_for(t, v, &got); y[i] = t;", Verdict.NO),
    ],
)
def test_conditions_that_only_a_call_could_change(body: str, verdict: Verdict) -> None:
    begin = "double t = x[0]; struct part got; extern struct part sum; const double *v = x + n;"
    code = f"{TYPES}{OPTIONS}{DECLARATION} {{ {begin} {I} {{ {body} }} }}"
    assert first_loop(code).parallelism.verdict is verdict


@pytest.mark.parametrize(
    ("declared", "call", "is_cold"),
    [
        ("extern void (*told)(int, double);", "if (told) told(i, x[i]);", True),
        ("extern void (*told)(int, double);", "if (told != NULL) { told(3, 1); }", True),
        ("typedef void call_back(void); extern call_back *first;", "call_back *told = first; if (told) told();", True),
        ("extern void (*told)(double *, int);", "if (told) told(y, i);", False),  # it may change what it gets
        ("extern double (*told)(int);", "if (told) y[i] = told(i);", False),
        ("extern void (*told)(int), (*other)(int);", "if (told) other(i);", False),
        ("extern void (*told)(int);", "if (told) { told(i); y[i] = 0; }", False),
    ],
)
def test_who_is_only_told_numbers_may_not_be_there(declared: str, call: str, is_cold: bool) -> None:
    code = f"{TYPES}{declared}\n{DECLARATION} {{ {I} {{ {call} y[i] = x[i]; }} }}"
    assert ("cold" in {str(c.kind) for c in first_loop(code).parallelism.conditions}) == is_cold


def test_who_makes_a_text_longer_tells_nobody() -> None:
    grown = "char *joined(char *text, const char *more); struct entry { int set; const char *name; };"
    function = "char *f(int n, const struct entry *e, char *text)"
    body = "const struct entry *each = e + i; if (each->set) text = joined(text, each->name);"
    code = f"{grown} {function} {{ {I} {{ {body} }} return text; }}"
    assert first_loop(code).parallelism.verdict is Verdict.NO


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ('if (p[i].type > 5) report(1, "bad"); y[i] += y[i - 1];', Verdict.NO),
        ("y[i] = y[i - 1] + status();", Verdict.NO),
        # sums of several iterations may come in any order, and their own parts are none that others see
        ('if (p[i].type > 5) report(1, "bad"); y[idx[i]] += x[i]; v[i] = y[ptr[i]];', Verdict.UNKNOWN),
    ],
)
def test_an_order_that_shows_whatever_is_supposed_is_a_no(body: str, verdict: Verdict) -> None:
    code = f"{TYPES}{DECLARATION} {{ for (int i = 1; i < n; i++) {{ {body} }} }}".replace("v[i] =", "p[i].v =")
    assert first_loop(code).parallelism.verdict is verdict


LARGE = "static void set(struct part *p, double by) {{ {first} {rest} }}"


@pytest.mark.parametrize(
    ("first", "conditions"),
    [
        ("p[by > 1 ? p->type : 0].v = by;", ["independent"]),
        ("p->v += interpolate(by, p->type);", ["independent"]),
        ("count++;", []),
        ("static int calls; calls = p->type;", []),
        ("p->v += (*(double (*)(void))p)();", []),
        ('printf("%g", by);', []),
    ],
)
def test_a_function_that_is_too_large_may_be_independent_if_it_keeps_to_its_arguments(
    first: str, conditions: list[str]
) -> None:
    helper = LARGE.format(first=first, rest="p->x = p->x * by + 1; " * 300)
    code = f"{TYPES}{helper} {DECLARATION} {{ {I} set(&p[i], x[i]); }}"
    found = first_loop(code).parallelism
    assert [c.kind for c in found.conditions] == conditions
    assert found.verdict is (Verdict.CONDITIONAL if conditions else Verdict.UNKNOWN)


@pytest.mark.parametrize(
    ("first", "given", "made"),
    [
        ("p->v += by;", "p", False),
        ("p->type++;", "p", False),
        ("int at = p->type++; p[by > at].v = by;", "p", False),
        ("by += k ? p->type++ : 0;", "p", True),  # perhaps never
        ("p->v += by;", "&p[i]", True),  # each its own
        ("if (by > 4) p->type = 1;", "p", True),  # perhaps never
        ("p[by > 1 ? p->type : 0].v = by;", "p", True),  # it may say where
        ("p++; p->v = by;", "p", True),
    ],
)
def test_a_function_that_changes_one_place_in_all_iterations_is_not_independent(
    first: str, given: str, made: bool
) -> None:
    rest = "by = interpolate(by, k) * by + 1; " * 300
    helper = f"static void set(struct part *p, double by, int k) {{ {first} {rest} }}"
    code = f"{TYPES}{helper} {DECLARATION} {{ {I} set({given}, x[i], i); }}"
    found = first_loop(code).parallelism
    assert ("independent" in [c.kind for c in found.conditions]) is made
    assert made or "what its argument 1 points to, the same in every iteration" in str(found.reason)


FLAG = "int ok = 1; {each} {{ if (!ok) continue; y[i] = x[i]; {outcome} {rest} }} m = ok;"


@pytest.mark.parametrize(
    ("outcome", "rest", "made"),
    [
        ("ok = keep(&p[i]);", "", True),
        ("ok &= keep(&p[i]);", "", True),
        ("if (x[i] > 0) ok = keep(&p[i]);", "if (!ok) break;", False),  # leaves the loop
        ("for (int k = 0; k < m; k++) { ok = keep(&p[i]); if (!ok) break; }", "", True),
        ("ok = known(p + i);", "", False),  # a question
        ("ok = keep(&p[i]);", "ok = x[i] < 3;", False),  # data decide
        ("ok = keep(&p[i]);", "move((struct part *)&ok);", False),  # somebody else may set it
    ],
)
def test_a_flag_that_keeps_what_a_call_says_is_supposed_to_stay(outcome: str, rest: str, made: bool) -> None:
    body = FLAG.format(each=I, outcome=outcome, rest=rest)
    code = f"{TYPES} int keep(struct part *p); int known(const struct part *p); {DECLARATION} {{ {body} }}"
    loop = first_loop(code)
    found = loop.parallelism
    assert (found.verdict is Verdict.CONDITIONAL) is made, found
    if made:
        assert {c.kind for c in found.conditions} == {AssumptionKind.COLD, AssumptionKind.INDEPENDENT}
        assert [r.object for r in loop.clauses.rewrites] == ["ok"]


@pytest.mark.parametrize(
    ("calls", "made"),
    [
        ("double *r = row(i); y[0] += r[0];", True),
        ("double *r = cut(p, i), *s = cut(&p[1], i); r[0] = s[0];", True),
        ("double *r = cut(p, i), *s = cut(p, i + 1); r[0] = s[0];", False),
        ("double *r = cut(p, i), *s = cut(&p[i], i + 1); r[0] = s[0];", False),  # perhaps p[0]
        ("double *r = cut(p, i), *s = cut(p, i + 1); y[0] += r[0] + s[0];", True),
        ("double *r = cut(p, i); r += m; r[0] = x[i];", True),
        ("double *r = cut(p, i); if (m) r = y; r[0] = x[0] * r[1];", False),  # perhaps y
        ("double *r = row(i), *s = 0; for (int k = 0; k < m; k++) if (x[k] > 3) s = r + k; if (s) y[i] = s[1];", True),
        ("double *r = row(i), *s = y; for (int k = 0; k < m; k++) if (x[k] > 3) s = r + k; if (s) y[i] = s[1];", False),
    ],
)
def test_memory_that_a_function_gives_is_the_iterations_own(calls: str, made: bool) -> None:
    code = f"{TYPES} double *cut(struct part *p, int k); {DECLARATION} {{ {I} {{ {calls} }} }}"
    found = first_loop(code).parallelism
    assert (found.verdict is Verdict.CONDITIONAL) is made, found
    if made:
        assert [c.kind for c in found.conditions] == ["independent"]


@pytest.mark.parametrize(
    ("declared", "call", "kept"),
    [
        ("long random(void);", "random();", True),
        ("double random(void);", "random();", False),  # one of the program
        ("#include <stdio.h>", 'fputs("begin", stdout);', True),
        ("int fputs(const char *, struct part *);", 'fputs("begin", p);', False),
        ("#include <stdio.h>", 'printf("%d", n);', True),
        ("#include <stdio.h>", 'printf("%n", &f->n);', False),
        ("void free(void *);", "free(p);", True),
        ("#include <stdio.h>", 'setvbuf(stdout, (char *)f, 0, 9); printf("x");', False),
        ("void elsewhere(void);", "elsewhere();", False),
    ],
)
def test_what_the_c_library_leaves_as_it_is(declared: str, call: str, kept: bool) -> None:
    """A size that is read before a call and behind it is one value, or two."""
    loop = "for (int i = 0; i < f->n; i++) y[i] = y[i + before] + 1;"
    head = f"{declared}\nstruct part; struct field {{ int n; }};\n"
    given = "int n, struct field *f, struct part *p, double *y"
    found = first_loop(f"{head}void g({given}) {{ int before = f->n; {call} {loop} }}").parallelism
    assert (found.verdict is Verdict.YES) is kept, found


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ('my_malloc(m, "row")', True),
        ("my_malloc(m, 0)", True),
        ("my_malloc(m, label)", False),  # perhaps more than a label
        ('my_read(m, "row")', False),
        ('from_arena_alloc(p, m, "row")', False),  # one p for all
    ],
)
def test_an_allocator_may_note_what_the_memory_is_for(call: str, made: bool) -> None:
    declared = "my_malloc(int n, const char *what), *my_read(int n, const char *what)"
    given = f"double *{declared}, *from_arena_alloc(struct part *p, int n, const char *what); extern char *label;"
    loop = f"{I} {{ double *w = {call}; for (int k = 0; k < m; k++) w[k] = x[k] * i; y[i] = w[m / 2]; }}"
    found = first_loop(f"{TYPES}{given}{DECLARATION} {{ {loop} }}").parallelism
    assert [c.kind for c in found.conditions] == (["independent"] if made else []), found


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        (f"for (int k = 0; k < 3; k++) {{ set_up(k); {I} rows[k][i] = y[i] / world->v; }}", "distinct(rows[k],world)"),
        (f"for (int k = 0; k < 3; k++) {{ set_up(k); {I} y[i] = x[i] / world->v; }}", "distinct(world,y)"),
        (f"double *u = row(0); for (int k = 0; k < 3; k++) {{ set_up(k); {I} rows[k][i] = *(u @ i); }}",
         "distinct(rows[k],u)"),
        (f"struct members *u = get(); {I} *((double *)u @ 3 @ i) = x[i];", "distinct(u,x)"),
        (f"int before = world->type; set_up(3); {I} y[world->type @ i - before] = y[i] @ 1;", ""),  # may differ
        (f"int b = count; for (int k = 0; k < 3; k++) {{ set_up(k); {I} y[i @ b] = y[i @ count] / world->v; }}", ""),
    ],
)  # fmt: skip
def test_what_calls_around_a_loop_may_have_set_is_told_apart_by_a_condition(body: str, condition: str) -> None:
    """They are not supposed to do nothing: of an inner loop nobody can say that."""
    given = "void set_up(int k); extern struct part *world; struct members *get(void);"
    code = f"{TYPES} {given} void f(int n, double **rows, double *y, const double *x) {{ {body} }}".replace("@", "+")
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), None, code)
    found = facts.functions[-1].loops[-1].parallelism
    assert (found.verdict is Verdict.CONDITIONAL) is (condition != ""), found
    assert " + ".join(map(str, found.conditions)) == condition


@pytest.mark.parametrize(
    ("body", "made"),
    [
        ("for (int i = 0; i < status() - 1; i++) y[i] = x[i];", True),
        (f"double l = 0; {I} if (size(&p[i]) > l) l = size(&p[i]); y[0] = l;", False),  # it may count its calls
        (f"double l = 0; {I} if (status() > l) l = status(); y[0] = l;", True),
        ("for (int i = 0; i < size(p); i++) y[i] = x[i];", True),
        ("for (int i = 0; i < size(&p[m]); i++) y[i] = x[i];", True),
        (f"{I} for (int k = 0; k < m && k < size(&p[i]); k++) y[m * i + k] = x[k];", True),
        ("for (int i = 0; i < size(f->p); i++) y[i] = x[i];", True),
        ("for (int i = 0; i < size(f->p); i++) { y[i] = x[i]; f->p = y; }", False),
        ("for (int i = 0; i < size(f->p); i++) { y[i] = x[i]; f++; }", False),
        ("for (int i = 0; i < size(p + i); i++) y[i] = x[i];", False),
        ("for (int i = 0; i < size(p); i++) { y[i] = x[i]; p++; }", False),
        ("while (m < size(p)) { y[m] = x[m]; m++; if (x[m] > 3) p = 0; }", False),
    ],
)
def test_what_a_pure_function_gives_is_one_value_for_the_same_arguments(body: str, made: bool) -> None:
    code = f"{TYPES} int size(const void *p); {DECLARATION} {{ {body} }}"
    found = first_loop(code).parallelism
    assert (found.verdict is Verdict.CONDITIONAL) is made, found


@pytest.mark.parametrize(
    ("body", "made"),
    [
        (f"int w; tune(&w); {I} {{ update(y, i); y[w * i] = x[i]; }}", True),  # w is at least 1
        (f"int w; tune(&w); if (w > 0) {I} {{ update(y, i); y[w * i] = x[i]; }}", True),
        (f"int w = 1; {I} {{ tune(&w); update(y, i); y[w * i] = x[i]; }}", False),  # it sets w
        (f"{I} {{ tune(&m); y[m * i] = i; }}", False),
        (f"{I} {{ int w; tune(&w); update(y, i); y[i] = w; y[w] = 2; }}", False),  # each has its own
    ],
)
def test_a_function_that_is_independent_sets_nothing_that_all_iterations_see(body: str, made: bool) -> None:
    code = f"{TYPES} void tune(int *w); {DECLARATION} {{ {body} }}"
    found = first_loop(code).parallelism
    assert (found.verdict is Verdict.CONDITIONAL) is made, found


def test_the_number_of_the_thread_is_one_value_with_a_rewrite() -> None:
    body = f"{I} a[i] = omp_get_thread_num();"
    code = f"int omp_get_thread_num(void); void f(int n, int *a) {{ {body} }}"
    loop = first_loop(code)
    assert loop.parallelism.verdict is Verdict.YES
    assert [r.object for r in loop.clauses.rewrites] == ["omp_get_thread_num()"]


def test_what_is_called_for_nothing_but_its_effect_is_not_pure() -> None:
    found = answer(f"{I} {{ (void)interpolate(x[i], i); y[i] = x[i]; }}")
    assert [str(c) for c in found.conditions] == ["independent(interpolate)"]


@pytest.mark.parametrize("body", [body for body, _ in MADE])
def test_no_condition_is_made_without_assumptions(body: str) -> None:
    found = answer(body.replace("@", "+"), "none")
    assert found.verdict in (Verdict.UNKNOWN, Verdict.NO)
    assert found.conditions == ()


@pytest.mark.parametrize(
    "body",
    [
        f"{I} y[idx[i]] = y[idx[i] + 1] * 2;",  # the neighbour of another value
        f"{I} y[idx[i]] = y[idx[i + 1]] * 2;",  # the value of the next iteration
        f"{I} y[idx[i] + idx[i + 1]] = i;",
        f"{I} y[idx[i] / 2] = x[i];",
        f"{I} y[idx[i] * (m - 1) + ptr[i]] = y[idx[i] * m + ptr[i]] * x[i];",  # rows of another length
        f"{I} {{ int e = idx[i] * (m - 1) - ptr[i]; y[e] = y[e] * y[e] + x[i]; }}",  # from the end of some row
        f"{I} {{ int e = idx[i] * (m - 1) + ptr[i] + p[i].type; y[e] = y[e] * y[e] + x[i]; }}",
        f"{I} for (int j = 0; j < m; j++) y[64 * i - i * i + j] = j;",  # strips of another length each
        f"{I} for (int j = 0; j < m; j++) y[10 * i + j] = y[10 * i + j - 1] * 2;",  # below its own strip
        f"{I} for (int j = 0; j < m; j++) y[10 * i + j] = y[10 * i + 10 - j] * 2;",  # in the next one for j = 0
        f"{I} for (int j = 0; j < idx[i]; j++) {{ y[64 * i + j] = j * 2; idx[i + 1] = j; }}",  # the loop sets them
        f"{I} y[c[i].at[0]++] = x[i];",  # the list changes
        f"{I} y[idx[i % m]] = x[i];",  # one place is read again
        f"{I} {{ idx[i + 1] = idx[i] / 2; y[idx[i]] = x[i]; }}",  # the loop sets them
        f"{I} for (int j = 0; j < m; j++) y[idx[i] * 2 + j] = x[j];",
        f"{I} y[p[idx[i] / 2].next] = x[i];",
        f"{I} y[p[idx[i % m]].next] = x[i];",
        f"{I} for (int j = 0; j < m; j++) y[p[idx[j]].next] = x[i];",  # again in each iteration
        f"{I} {{ y[p[idx[i]].next] = x[i]; idx[i + 1] = i; }}",  # the loop sets what selects
        f"{I} {{ y[p[idx[i]].next] = x[i]; p[i].next = i; }}",
        f"{I} {{ int k = x[i] > 0 ? idx[i] : i; y[k] = i; }}",  # idx[1] may be 0, and x[0] <= 0
        f"{I} {{ int k = ptr ? idx[i] : i; y[k] = y[k + 1]; }}",
        f"{I} {{ int k = ptr ? ptr[i] : i; y[k] = y[k + 1]; }}",  # the neighbour of another value
        f"{I} {{ int k = c[i].at ? c[i].at[i] : i; y[k] = i; }}",  # another array in each iteration
        f"{I} for (int e = ptr[i]; e <= ptr[i + 1]; e++) y[e] = y[e] * y[e];",  # one element is in two ranges
        f"{I} for (int e = ptr[i] - 1; e < ptr[i + 1]; e++) y[e] = y[e + 1] * x[e];",
        f"{I} {{ double t = y[ptr[i + 1]]; for (int e = ptr[i]; e < ptr[i + 1]; e++) y[e] = t; }}",  # of the next range
        f"{I} {{ int k = ptr[i]; for (int j = 0; j < m; j++) if (x[j] > i) y[--k] = x[j]; }}",  # goes down
        f"{I} {{ int k = ptr[i]; y[k - 1] = 0; for (int j = 0; j < m; j++) if (x[j] > i) y[k++] = x[j]; }}",
        f"{I} {{ int k = ptr[i], *q = &k; *q -= m; for (int j = 0; j < m; j++) if (x[j] > i) y[k++] = x[j]; }}",
        f"{I} {{ int k = ptr[i]; for (int j = 0; j < m; j++) if (x[j] > i) y[k++] = x[j]; y[m] = i; }}",
        f"{I} {{ int k = ptr[i]; for (int j = 0; j < m; j++) if (x[j] > i) {{ y[k] = x[j]; k += idx[j]; }} }}",
        f"{I} for (int j = 0; x[j] > i; j++) y[ptr[i] - j] = x[j];",
        f"{I} {{ long k = ptr[i]; for (int j = 0; j < m; j++) if (x[j] > i) y[idx[0] * k++] = j; }}",  # 0 times k
        f"{I} for (int j = 0; j < m; j++) {{ int k = ptr[j]; for (int l = 0; l < m; l++) if (x[l]) y[k++] = j; }}",
        f"{I} for (int j = 0; j < m; j++) {{ int k = ptr[i + j]; for (; x[j] > k;) if (x[k]) y[k++] = y[k - 2]; }}",
        f"{I} for (int j = 0; x[j] > i; j++) {{ y[ptr[i] + j] = x[j]; idx[j] = 0; y[idx[i] + j] = 1; }}",
        f"{I} move(&p[0]);",  # each call gets the same
        f"{I} y[i] = update(y, 0);",
        f"for (int j = 0; j < m; j++) {I} update(y, i);",  # the loop around gives it nothing
        f"{I} show(x[i]);",  # a number is no place
        f"double r; int k; {I} {{ solve(x[i], &r, &k); y[i] = r; }}",  # one r for all
        f'{I} {{ struct tree *t = 0; report(i, "seen"); }}',  # a text is shown
        f"{I} row(i)[0] = row(i + 1)[0];",  # one iteration writes what another one reads
        f"{I} y[i] = rand();",  # known to keep state
        f"{I} {{ if (x[i] > 0) y[0] = x[i] * i; }}",  # no error path
        f"{I} {{ if (m) {{ printf(\"%d\", i); y[0] = x[i] * i; }} }}",  # it does more than print
        f"{I} {{ if (x[i] > 0) printf(\"%d\", i); y[i] = x[i]; }}",
        f"double *u = row(0), *w = u + 1; {I} u[i] = w[i] * 2;",  # the code says where it leads
    ],
)
def test_a_condition_that_does_not_settle_it_is_not_named(body: str) -> None:
    found = answer(body)
    assert not found.is_parallel
    assert found.conditions == ()


def test_few_entries_are_selected_more_than_once() -> None:
    by_kind = "kinds[p[i].type].sum = y[i] - kinds[p[i].type].sum;"
    for length, verdict in ((8, Verdict.UNKNOWN), (500, Verdict.CONDITIONAL)):
        table = f"static struct {{ double sum; }} kinds[{length}];"
        assert answer(f"{table} {I} {{ {by_kind} }}").verdict is verdict
    table = "static struct { double sum; } kinds[8];"
    assert answer(f"{table} for (int i = 0; i < 6; i++) {{ {by_kind} }}").verdict is Verdict.CONDITIONAL


def test_more_than_three_are_too_many() -> None:
    three = "y[idx[i]] = x[i]; p[ptr[i]].x = interpolate(1, i);"
    assert answer(f"{I} {{ {three} }}").verdict is Verdict.CONDITIONAL
    fourth = 'if (i > m) report(1, "too many");'
    assert answer(f"{I} {{ {three} {fourth} }}").verdict is Verdict.UNKNOWN


def test_what_belongs_together_is_one_condition() -> None:
    four = " + ".join(f"g{k}(i)" for k in range(4))
    found = answer(f"{I} y[i] = {four};")
    assert [text(group) for group in groups(found.conditions)] == ["g0,g1,g2,g3"]
    assert answer("double h;" + " ".join(f"double h{k}(int);" for k in range(17))
                  + f"{I} y[i] = {' + '.join(f'h{k}(i)' for k in range(17))};").verdict is Verdict.UNKNOWN  # fmt: skip


def test_a_result_that_overlaps_none_of_many_arrays_is_one_thing_to_think_about() -> None:
    many = [f"e{k}" for k in range(20)]
    code = f"extern double *{', *'.join(many)}; double *v = row(0); {I} v[i] = {' + '.join(f'{e}[i]' for e in many)};"
    found = answer(code)
    assert [text(group) for group in groups(found.conditions)] == [",".join([*sorted(many), "v"])]


def test_what_another_condition_says_already_is_not_named() -> None:
    found = answer(f"{I} {{ y[p[idx[i]].next] = x[i]; p[idx[i]].v = 0; }}")
    assert [c.text for c in found.conditions] == ["p[idx[i]].next"]
    texts = ("b ? b[k[i]] : i", "k[i]", "t[s[k[i] + 1]]", "s[k[i] + 1]")
    both = [Assumption(AssumptionKind.INJECTIVE, each, 1) for each in texts]
    assert [c.text for c in without_implied(both)] == ["b ? b[k[i]] : i", "k[i]", "t[s[k[i] + 1]]"]
    lengths = ("s>=3", "s>=12", "s>=3*w-1", "s>=3*w+1", "t>=3*w-2", "s>=w")
    both = [Assumption(AssumptionKind.AT_LEAST, each, 1) for each in lengths]
    assert [c.text for c in without_implied(both)] == ["s>=12", "s>=3*w+1", "t>=3*w-2", "s>=w"]


def test_functions_of_a_missing_header_may_be_independent() -> None:
    code = """
    #include <rules_of_integration.h>
    static double integral(double from, double to)
    {
        double result, error;
        rule F;
        workspace *w = workspace_alloc(100);
        F.to = &to;
        integrate(&F, from, to, w, &result, &error);
        workspace_free(w);
        return result;
    }
    static const double *limits;
    void tabulate(int n, double *out, const double *t)
    {
        for (int i = 0; i < n; i++)
            out[i] = integral(limits[i], t[i + 1]);
    }
    """
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), None, code)
    found = next(f for f in facts.functions if f.function.name == "tabulate").loops[0].parallelism
    assert [text(group) for group in groups(found.conditions)] == ["integrate,workspace_alloc,workspace_free"]
    macro = code.replace("workspace_free(w)", "WORKSPACE_FREE(w)")
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), None, macro)
    found = next(f for f in facts.functions if f.function.name == "tabulate").loops[0].parallelism
    assert found.verdict is Verdict.UNKNOWN  # a macro may do anything


def test_the_reason_is_what_no_condition_settles() -> None:
    """Not the call on the error path, which `cold` would settle."""
    found = answer(f'{I} {{ if (p[i].type > 5) report(1, "bad type"); y[i] = y[i - 1] + status(); }}')
    assert found.verdict is Verdict.NO  # the order shows wherever `status` only gives a value
    assert found.reason is not None
    assert found.reason.accesses == ("y[i]", "y[i - 1]")


def test_pointers_are_told_apart_in_groups() -> None:
    pairs = ["a,b", "c,d", "b,e", "f(1,2),g"]
    made = [Assumption(AssumptionKind.DISTINCT, pair, line) for line, pair in enumerate(pairs)]
    assert [text(group) for group in groups(made)] == ["a,b,e", "c,d", "f(1,2),g"]
    lines = [Assumption(AssumptionKind.COLD, line, 1) for line in ("40", "9", "123")]
    assert [text(group) for group in groups(lines)] == ["9,40,123"]
    arrays = [Assumption(AssumptionKind.INJECTIVE, name, 1) for name in ("p", "q")]
    assert [text(group) for group in groups(arrays)] == ["p", "q"]


def test_values_are_named_by_the_pointer_that_counts_them() -> None:
    """Not by one into the middle of memory, with a subscript that counts from its beginning."""
    parts = "int *all = get(), *start = all + n, *end = start + n;"
    found = answer(f"{parts} {I} for (int e = start[i]; e < end[i]; e++) y[e] = x[e] + y[e] * y[e];")
    assert [str(c) for c in found.conditions] == ["distinct(start,y)", "slices(start[i])"]


def test_structures_and_their_members_are_one_thing_where_there_would_be_too_many() -> None:
    pairs = [Assumption(AssumptionKind.DISTINCT, pair, 1) for pair in ("s,t->v[]", "s->v,t", "sum,u")]
    once = Assumption(AssumptionKind.INJECTIVE, "p", 1)
    assert [text(group) for group in groups(pairs)] == ["s,t->v[]", "s->v,t", "sum,u"]
    assert [text(group) for group in groups([*pairs, once])] == ["s,s->v,t,t->v[]", "sum,u", "p"]


def test_a_yes_and_a_no_stay_what_they_are() -> None:
    assert answer(f"{I} y[i] = x[i];").verdict is Verdict.YES
    assert answer(f"{I} y[i + 1] = y[i] * interpolate(x[i], i);").verdict is not Verdict.CONDITIONAL


TREE = """
#include <stdio.h>
#include <stdlib.h>
struct tree { int sons, n; struct tree **son; double *v; };
int visited, order;
static const int one = 1;
void scale(const int *, double *);
void *get(size_t n)
{
    void *p = malloc(n);
    if (p == NULL && n > 0) { fprintf(stderr, "no memory\\n"); abort(); }
    return p;
}
"""


def of_a_recursion(before: str) -> Parallelism:
    """The answer for the sons of a tree, of which a function does `before` for each of them."""
    code = f"{TREE}void each(struct tree *t, int depth, void (*pre)(struct tree *)) {{\n{before}\n"
    return first_loop(f"{code}{I.replace('n;', 't->sons;')} each(t->son[i], depth - 1, pre); }}").parallelism


@pytest.mark.parametrize(
    "before",
    [
        "t->v[0] = depth;",
        "if (pre) pre(t);",
        "double *own = get(8 * t->sons); scale(&one, own); t->v[0] = own[0]; free(own);",
        "#pragma omp atomic\nvisited++;",
    ],
)
def test_a_function_that_calls_itself_is_independent_if_all_that_it_does_may_be(before: str) -> None:
    found = of_a_recursion(before)
    assert (found.verdict, [str(c) for c in found.conditions]) == (Verdict.CONDITIONAL, ["independent(each)"])


@pytest.mark.parametrize(
    "before",
    [
        "visited++;",
        "#pragma omp atomic capture\nt->n = order++;",
        'printf("%d\\n", t->n);',
        "static int calls; t->n = calls++;",
        "int *p = &visited; *p = t->n;",
    ],
)
def test_a_function_that_calls_itself_and_counts_or_prints_is_not_independent(before: str) -> None:
    found = of_a_recursion(before)
    assert found.verdict is Verdict.UNKNOWN
    assert found.reason is not None
    assert "calls itself" in found.reason.message
