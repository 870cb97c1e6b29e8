"""Where `#pragma omp atomic` can be put, what is said where it cannot, and what places are called."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Rewrite, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

FILE = """#define ADD(x, y) do { (x) += (y); } while (0)
#define BOTH(x) (x)++, (x) += 2
#define TWICE(x) (x)++; (x) += 2
#define SEVERAL(x) { (x)++; }
#define INCREASED(x) /* by one */ (x) \\
  ++
#define WRAPPED(x) ((x)++)
#define ITSELF(x) x
#define PLACE(x) (x)
#define WHERE(c) if (c)
#define OTHERWISE(x) else (x)++
struct s { int hits, rest; }; static int total;
static void bump(int *p) { (*p)++; }
static int counted(int *p) { return (*p)++, 0; }
static void add(int v) { total += v; }
static int *place(void) { static int z[4]; return z; }
"""
PUT = "put `#pragma omp atomic` before"
ARGUMENTS = "int n, int *restrict h, const int *restrict a, int *restrict o, struct s *restrict q"


def asked(function: str, arguments: str = ARGUMENTS) -> list[Rewrite]:
    """The rewrites of the first loop of a function that is added to the file."""
    text = f"{FILE}void f({arguments}) {{\n{function} }}"
    facts = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=text)
    loop = facts.functions[-1].loops[0]
    assert loop.parallelism.verdict is Verdict.YES, loop.parallelism
    return list(loop.clauses.rewrites)


def placed(rewrite: Rewrite, function: str) -> list[str]:
    """What stands at the places of a rewrite."""
    lines = f"{FILE}\n{function}".split("\n")
    return [lines[p.line - 1][p.column - 1 :].partition(";")[0] for p in rewrite.places]


@pytest.mark.parametrize(
    "update",
    [
        "h[a[i]]++",
        "--h[a[i]]",
        "h[a[i]] -= 2 * i",
        "h[a[i]] = h[a[i]] + (i - 2)",
        "h[a[i]] = i * 2 + h[a[i]]",
        "(h[a[i]]) += 2",
        "(*(h + a[i]))--",
        "*(h + a[i]) += 2",
        "*(int *)(h + a[i]) += 2",
        "++*(&h[a[i]])",
        "INCREASED(h[a[i]])",
        "PLACE(h[a[i]]) += 2",
        "*PLACE(h + a[i]) += 2",
        "INCREASED(PLACE(h)[a[i]])",
    ],
)
@pytest.mark.parametrize("around", ["{}", "if (a[i] > 3) {}", "{{ o[i] = 1; {} }}", "switch (a[i]) {{ case 3: {} }}"])
def test_statements_of_their_own(update: str, around: str) -> None:
    function = f"for (int i = 0; i < n; i++) {around.format(update + ';')}"
    (found,) = asked(function)
    assert (found.kind, placed(found, function)) == ("atomic", [update])
    assert found.text.startswith(f"{PUT} the update of `")


@pytest.mark.parametrize(
    "statement",
    [
        "int x = (h[a[i]] += 2, 5); o[i] = x;",
        "ADD(h[a[i]], i);",
        "h[a[i]]++, o[i] = 2;",
        "BOTH(h[a[i]]);",
        "TWICE(h[a[i]]);",
        "SEVERAL(h[a[i]]);",
        "WRAPPED(h[a[i]]);",
        "ITSELF((h[a[i]] += 2));",
        "(void)(h[a[i]]++);",
        "(h[a[i]] += 2);",
        "if ((h[a[i]] += 1, a[i])) o[i] = 1;",
        "for (h[a[i]] += 1; 0; ) ;",
        "for (int j = 0; j < 3; j++, h[a[i]]++) ;",
        "for (int j = 0; j < 3; h[a[i]]++) j++;",
        "o[i] = ({ o[i] = 3; h[a[i]]++; i; }) + (h[a[i]]++, 2);",
        "WHERE(a[i] > 3) h[a[i]]++;",
        "if (a[i] > 3) o[i] = 1; OTHERWISE(h[a[i]]);",
    ],
)
def test_parts_of_something_else(statement: str) -> None:
    (found,) = asked(f"for (int i = 0; i < n; i++) {{ {statement} }}")
    assert (found.kind, found.object, found.places) == ("other", "h[a[i]]", ())
    assert found.text.startswith("write ")
    assert found.text.endswith(" as a statement of its own, with `#pragma omp atomic` before it")


@pytest.mark.parametrize(
    ("loop", "text"),
    [
        (
            "int j; for (j = 0; j < n; h[a[j]]++, j++) ;",
            "write the update of `h[a[j]]` (line 18) as a statement of its own at the end of each iteration, with "
            "`#pragma omp atomic` before it",
        ),
        (
            "for (int i = 0; i < n; i++) o[i] = counted(&h[a[i]]);",
            "write the update of `*p` (line 14) as a statement of its own, with `#pragma omp atomic` before it",
        ),
        ("for (int i = 0; i < n; i++) bump(&h[a[i]]);", f"{PUT} the update of `*p` (line 13)"),
        ("for (int i = 0; i < n; i++) add(a[i]);", f"{PUT} the update of `total` (line 15)"),
        (
            "for (int i = 0; i < n; i++) { q[a[i]].hits++; q[a[i]].rest++; }",
            f"{PUT} each update of `q[a[i]].hits` (line 18) and `q[a[i]].rest` (line 18)",
        ),
        (
            "for (int i = 0; i < n; i++) h[a[i]] = h[a[i]] + i + 2;",
            "add up `h` per thread, and the results of the threads after the loop: no clause can name it",
        ),
        (
            "for (int i = 0; i < n; i++) if (h[a[i]] > i) h[a[i]] = i;",
            "combine the updates of `h` by `min` per thread, and the results of the threads after the loop: "
            "no clause can name it",
        ),
        (
            "for (int i = 0; i < n; i++) if (a[i] > q->hits) q->hits = a[i];",
            "use a local variable in place of `q->hits` in the loop, with reduction(max:...); it begins with the value "
            "of `q->hits`, and is assigned to it after the loop",
        ),
        (
            "int x = 1, *p = &x; for (int i = 0; i < n; i++) { x &= a[i]; *p &= i; } o[0] = x;",
            "give each thread a copy of what `x` holds, and let `p` lead there; each copy begins with ~0, and the old "
            "value and all copies are combined by `&` after the loop",
        ),
    ],
)
def test_what_is_said_of_reductions(loop: str, text: str) -> None:
    assert asked(loop)[-1].text == text


def test_complex_numbers_are_updated_in_critical_regions() -> None:
    loop = "for (int i = 0; i < n; i++) h[a[i]] += 2;"
    (found,) = asked(loop, "int n, double _Complex *restrict h, const int *restrict a")
    assert (found.kind, found.places) == ("other", ())
    assert found.text == "put `#pragma omp critical` before the update of `h[a[i]]` (line 18)"


@pytest.mark.parametrize(
    ("before", "body", "kind", "name", "words"),
    [
        ("int x = 0, *w = &x;", "*w = a[i]; o[i] = x;", "thread-copy", "x", "and let `w` lead there"),
        ("int x = 0, *w = &x, **ww = &w;", "**ww = a[i]; o[i] = x;", "other", "x", "let `ww` lead to that"),
        (
            "int x = 0, *w = &x; struct { int *p; } s = {&x}, *r = &s;",
            "*w = a[i]; o[i] = x + (r->p != 0);",
            *("other", "x", "that `r` leads to, and let `r` lead to that"),
        ),
        ("int *z = place();", "z[1] = a[i]; o[i] = z[1] + z[2];", "other", "place::z", "of `place` a parameter"),
        ("int x[4][4], *w = &x[0][0];", "w[2] = a[i]; o[i] = w[2];", "other", "x[0][2]", "copy of `x[0][2]`"),
        ("int x[4][4], *w = x[1];", "w[3] = a[i]; o[i] = w[3];", "other", "x[1][3]", "copy of `x[1][3]`"),
        ("struct s x[4]; int *w = &x[0].hits;", "w[3] = a[i]; o[i] = w[3];", "other", "x[1].rest", "`x[1].rest`"),
        ("union { int k, v[4]; } x; int *w = x.v;", "w[3] = a[i]; o[i] = w[3];", "other", "x", "copy of `x`"),
    ],
)
def test_what_pointers_lead_to(before: str, body: str, kind: str, name: str, words: str) -> None:
    found = asked(f"{before} for (int i = 0; i < n; i++) {{ {body} }}")
    assert [(r.kind, r.object) for r in found] == [(kind, name)]
    assert words in found[0].text


UNSEEN = "double twice(const double *p, int k), *pick(double *a, double *b); int both(const double *, const double *);"


@pytest.mark.parametrize(
    ("before", "body", "behind", "pointers"),
    [
        ("double *w = b + 1;", "o[i] = w[3] + b[4];", "", ("w",)),
        ("double *v = b + 1, *w = v;", "o[i] = w[3] + b[4];", "", ("w",)),
        ("double *w = b, *v = b + 1;", "o[i] = w[3] + v[4];", "", ("v", "w")),
        # no pointer comes from a number, wherever it is computed from
        ("", "o[i] = b[3] + b[4] + x[i];", "b[9] = twice(x, n); b[8] = x > z;", ()),
        ("int m = both(b, x);", "o[i] = b[3] + b[4] + x[i] + m;", "", ()),
        # made from both, it need not lead to both, nor these to each other
        ("double *w = pick(b, x);", "o[i] = b[3] + b[4] + x[i];", "if (w) w[0] = 1;", ()),
        # the condition is that it leads elsewhere
        ("double *w = pick(b, x);", "o[i] = b[3] + w[4];", "", ()),
    ],
)
def test_which_pointers_lead_to_the_copy(before: str, body: str, behind: str, pointers: tuple[str, ...]) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ for (int e = 0; e < 8; e++) b[e] = x[i] + e; {body} }}"
    head = "void f(int n, double *b, double *x, double *z, double *restrict o)"
    text = f"{UNSEEN}\n{head}\n{{ {before} {loop} {behind} }}"
    facts = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=text)
    found = facts.functions[-1].loops[0]
    assert found.parallelism.verdict in (Verdict.YES, Verdict.CONDITIONAL), found.parallelism
    (rewrite,) = found.clauses.rewrites
    assert (rewrite.kind, rewrite.object, rewrite.pointers) == ("thread-copy", "b", pointers)


def test_a_pointer_that_a_parameter_is_set_from() -> None:
    loop = "b = z + 1; for (int i = 0; i < n; i++) { for (int e = 0; e < 8; e++) b[e] = a[i]; o[i] = z[3] + b[4]; }"
    arguments = "int n, const double *restrict a, double *b, double *restrict z, double *restrict o"
    (found,) = asked(loop, arguments)
    assert (found.kind, found.object, found.pointers) == ("thread-copy", "z", ("b",))
