"""Loops that runs of the program's own text show to be no parallel ones, and such that only seem so."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.dependence.runs.shown import shown_by_runs
from analyzer.driver import analysis
from analyzer.facts.loop import Reason, Verdict
from analyzer.ir.reasons import ReasonCode
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "c"

PROLOGUE = """
int unseen(int), printf(const char *, ...), grow(void *);
struct list { int *at; int n, room, most, where; struct list *next; };
static int limit, calls;
static void append(struct list *s, int x) { if (s->n < s->room || grow(s)) s->at[s->n++] = x; }
static void again(struct list *s, int x) { if (x > 9) again(s, x / 10); s->at[s->n] = x; s->n++; unseen(x); }
static void add(struct list *s, int x) { s->n += x; unseen(x); }
static void keep(struct list *s, int x, int i) { if (s->most < x) { s->most = x; s->where = i; } unseen(x); }
static void mark(struct list *s) { s->n = 7; unseen(s->n); }
static int number(void) { unseen(1); return calls++; }
static void tell(int x) { if (unseen(x)) printf("%d", x); }
static int is_last(struct list *s) { unseen(1); return s->next == 0; }
static int never(int x) { unseen(x); return x > 8 && x < 4; }
static void first(struct list *s, int x) { if (s->n == 0) s->n = x + 1; else s->at[1] = unseen(x); }
"""
PARAMETERS = "int n, int m, int k, struct list *s, struct list *t, int *x, int *y, int *idx"

SHOWN = {
    # a place that every call moves on
    "for (int i = 0; i < n; i++) append(s, x[i]);": "carried-dependence",
    "for (int i = 0; i < n; i++) again(s, x[i]);": "carried-dependence",
    "for (int i = 0; i < n; i++) if (x[i]) append(i > m ? s : t, x[i]);": "carried-dependence",
    # whether something is done, by what was done before
    "for (int i = 0; i < n; i++) first(s, x[i]);": "carried-dependence",
    # a list, and what only its data say
    "for (struct list *p = s; p; p = p->next) { unseen(p->n); p->n = 0; }": "unknown-trip-count",
    "for (int i = 0; i < n; i++) { if (x[i] == k) return unseen(i); y[i] = unseen(k); }": "early-exit",
    "for (int i = 0; i < n; i++) { if (is_last(&s[i])) break; y[i] = unseen(i); }": "early-exit",
    # a variable that data move
    "for (int i = 0; i < n; i++) { unseen(i); if (x[i]) y[k++] = x[i]; }": "carried-dependence",
    # what is written out
    "for (int i = 0; i < n; i++) tell(x[i]);": "side-effect",
}

NOT_SHOWN = [
    # memory that is moved over itself
    "for (int i = 0; i < n; i++) { int z[4] = {1, 2, 3}; __builtin_memmove(z + 1, z, 12); y[i] = z[1] + unseen(i); }",
    # sums, extremes and their places
    "for (int i = 0; i < n; i++) add(s, x[i]);",
    "for (int i = 0; i < n; i++) keep(s, x[i], i);",
    "for (int i = 0; i < n; i++) { if (x[i] < x[k]) k = i; unseen(i); }",
    # memory of each iteration's own
    "for (int i = 0; i < n; i++) append(&s[i], x[i]);",
    "for (int i = 0; i < n; i++) { int own[4]; struct list z = {own, 0, 4}; append(&z, x[i]); y[i] = own[0]; }",
    # the same value in every iteration
    "for (int i = 0; i < n; i++) { mark(s); y[i] = s->n; }",
    # counters, those that no list of the loop's counters has among them
    "for (int i = 0; i < n; i++) { y[k++] = x[i]; unseen(i); }",
    "for (int i = 0; i < n; i++) for (int j = i; j < m; j++) { y[k++] = x[j]; unseen(i); }",
    "for (int i = 0; i < n; i++) { if (m) k++; y[k] = unseen(i); }",
    "for (limit = 0; limit < n; limit++) y[limit] = unseen(limit);",
    "for (int i = 1; i < n; i *= 2) y[i] = unseen(i);",
    "for (int i = 0; i < n; i++) y[i] = number() - number();",
    # a copy of what the iteration before had at hand
    "int z = x[0]; for (int i = 1; i < n; i++) { y[i] = z; z = x[i]; unseen(i); }",
    # only some lists of indices, and only some sizes
    "for (int i = 0; i < n; i++) { y[i] = y[idx[i]] + unseen(i); }",
    "for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) y[i * k + j] = y[(i - 1) * k + j + k * n] + unseen(i);",
    # exits by sizes, or never
    "for (int i = 0; i < n; i++) { if (i == m) break; y[i] = unseen(i); }",
    "for (int i = 0; i < n; i++) { if (s->n == k) break; y[i] = unseen(i); }",
    "for (int i = 0; i < n; i++) { if (never(i)) break; y[i] = i; }",
    "for (int i = 0; i < unseen(3); i++) y[i] = i;",
    # what the function itself stored before
    "s->n = 0; for (int i = 0; i < n; i++) { if (s->n) break; y[i] = unseen(i); }",
    "if (n > 3) return 0; for (int i = 4; i < n; i++) append(s, x[i]);",
    # the user's word
    "\n// analyze: independent each has its own\nfor (int i = 0; i < n; i++) append(s, x[i]);",
]


def reasons(bodies: list[str]) -> Iterator[Reason | None]:
    """What runs show of the first loop of each body."""
    functions = (f"int f{k}({PARAMETERS}) {{ {body} return 0; }}" for k, body in enumerate(bodies))
    text = "\n".join((PROLOGUE, *functions)) + "\n"
    unit = load_unit(Path("t.c"), SourceOptions(), None, text)
    for k in range(len(bodies)):
        definition = unit.definitions[f"f{k}"]
        listing = list(analysis._identities(unit, definition))
        reading = analysis._read(unit, definition, [(i, place) for i, place, _ in listing], AnalysisOptions())
        identity, _, node = listing[0]
        yield shown_by_runs(unit, definition, node, reading.loop(identity)[0], ReasonCode.UNKNOWN_CALL)


def test_what_runs_show() -> None:
    found = {body: r and r.code.value for body, r in zip(SHOWN, reasons(list(SHOWN)), strict=True)}
    assert found == SHOWN


def test_what_runs_do_not_show() -> None:
    found = {body: r.message for body, r in zip(NOT_SHOWN, reasons(NOT_SHOWN), strict=True) if r is not None}
    assert not found


def test_both_accesses_are_named() -> None:
    (reason,) = reasons(["for (int i = 0; i < n; i++) append(s, x[i]);"])
    assert reason is not None
    assert reason.accesses == ("s->n", "s->n")
    assert reason.access_lines == (5, 5)


@pytest.mark.parametrize("name", ["best_values", "clauses", "everyday_reductions", "recurrences"])
def test_nothing_is_shown_of_parallel_loops(name: str) -> None:
    """Runs are asked of loops that are parallel."""
    unit = load_unit(FIXTURES / f"{name}.c", SourceOptions(), FIXTURES)
    asked, wrong = 0, []
    for definition in unit.functions:
        listing = list(analysis._identities(unit, definition))
        if not listing:
            continue
        reading = analysis._read(unit, definition, [(i, place) for i, place, _ in listing], AnalysisOptions())
        for identity, _, node in listing:
            answer = reading.answer(identity)
            if answer is not None and answer.verdict is Verdict.YES:
                asked += 1
                loop, code = reading.loop(identity)[0], ReasonCode.UNKNOWN_CALL
                shown = shown_by_runs(unit, definition, node, loop, code)
                wrong += [] if shown is None else [f"{identity}: {shown.message}"]
    assert asked > 3
    assert not wrong
