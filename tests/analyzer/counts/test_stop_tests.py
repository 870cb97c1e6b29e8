"""Tests of flags with which someone else stops a loop."""

import pytest

from .test_checks import loop

JOB = "struct job { int cancelled, n; double *x; };\n"
HEAD = "extern int stop; extern volatile int now; extern int levels[4]; int asked(void); void done(int);\n"


def check(parameters: str, body: str) -> str | None:
    f = f"void f({parameters}, int n, double *restrict a) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    facts = loop(HEAD + JOB + f)
    return next((c.check for c in facts.tested if c.kind == "no-exit"), None)


@pytest.mark.parametrize(
    ("parameters", "body", "test"),
    [
        ("int k", "if (stop) break; a[i] = 1;", "!(stop)"),
        ("int k", "if (stop) return; a[i] = 1;", "!(stop)"),
        ("int k", "if (stop > k) break; a[i] = 1;", "!(stop > k)"),
        ("struct job *j", "if (j->cancelled) { break; } a[i] = 1;", "!(j->cancelled)"),
        ("struct job *j", "if (!j->n) return; a[i] = 1;", "!(!j->n)"),
        ("int k", "if (k) { if (stop) return; } a[i] = 1;", "!(stop)"),
    ],
)
def test_a_flag_of_somebody_else_is_asked_before_the_loop(parameters: str, body: str, test: str) -> None:
    assert check(parameters, body) == test


@pytest.mark.parametrize(
    "body",
    [
        "if (now) break; a[i] = 1;",
        "if (levels[i] != 0) return; a[i] = 1;",
        "if (a[i] < 0) return; a[i] = 1;",
        "int own = i > k; if (own) return; a[i] = 1;",
        "if (asked()) return; a[i] = 1;",
        "if (stop) return; done(i); a[i] = 1;",
        "if (i > 3) return; a[i] = 1;",
        "if (stop) return; else if (k) return; a[i] = 1;",
        "if (stop) return; stop = 1; a[i] = 1;",
    ],
)
def test_what_may_change_in_the_loop_has_no_test(body: str) -> None:
    assert check("int k", body) is None


@pytest.mark.parametrize("body", ["if (k) { if (j->n) return; }", "if (k) continue; if (j->n) return; a[i] = 1;"])
def test_what_is_only_there_in_some_cases_is_not_read_before_the_loop(body: str) -> None:
    assert check("int k, struct job *j", body) is None
