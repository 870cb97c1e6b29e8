"""Variables whose addresses are only lent: to functions that keep none."""

import pytest

from analyzer.loops.lent_addresses import lent_names

from .picture import unit_of

FUNCTIONS = """
void *malloc(unsigned long); void hook(void *); static int *kept; static void *anything;
static void make(void **at, int n) { void *new = malloc(n); if (at != 0 && new) *at = new; }
static void twice(void **at, int n) { make(at, 2 * n); at[0] = *at; }
static void store(void **at) { anything = at; }
static void tell(void **at) { hook(at); }
static void *back(void **at) { return at; }
static void copied(void **at) { void **b = at; *b = 0; }
static void moved(void **at) { at++; *at = 0; }
static void element(void **at) { anything = &at[0]; }
static void itself(void **at, int n) { if (n) itself(at, n - 1); }
struct s { int n[2]; }; static void member(struct s *s) { kept = s->n; }
static void row(int (*a)[3]) { kept = *a; }
"""


@pytest.mark.parametrize(
    ("lent", "body"),
    [
        ("p", "make((void **)&p, n);"),
        ("p", "twice((void **)&p, n); make((void **)&p, n);"),
        ("p q", "make((void **)&p, n); make((void **)&q, n); hook(p);"),
        ("", "hook(&p);"),
        ("q", "make((void **)&p, n); hook(&p); make((void **)&q, n);"),
        ("", "store((void **)&p);"),
        ("", "tell((void **)&p);"),
        ("", "back((void **)&p);"),
        ("", "copied((void **)&p);"),
        ("", "moved((void **)&p);"),
        ("", "element((void **)&p);"),
        ("", "itself((void **)&p, n);"),
        ("", "member(&s);"),
        ("", "row(&a);"),
        ("", "int **at = &p; *at = 0;"),
        ("", "void (*make)(void **, int) = (void (*)(void **, int))hook; make((void **)&p, n);"),
    ],
)
def test_addresses_that_nobody_keeps(lent: str, body: str) -> None:
    declared = "int *p = 0, *q = 0, a[3]; struct s s;"
    unit = unit_of(f"{FUNCTIONS} void f(int n) {{ {declared} for (int i = 0; i < n; i++) {{ {body} }} }}")
    definition = next(d for d in unit.functions if d.name == "f")
    assert definition.node is not None
    assert lent_names(unit, definition.node) == frozenset(lent.split())
