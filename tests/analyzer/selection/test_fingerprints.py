"""A loop's fingerprint stays through edits that leave its code alone, and changes with its code."""

import re

import pytest

from analyzer.selection.fingerprints import Spot, fingerprints

CODE = """\
void f(int n, double *a) {
  for (int i = 0; i < n; i++)
    if (a[i] > 0) a[i] = 0; else a[i] = 1;
  for (int i = 0; i < n; i++) { a[i] += 1; }
  for (int i = 0; i < n; i++) { a[i] += 1; }
}
"""
LOOP = re.compile(r"\bfor\b|\bwhile\b|\bEACH\b")


def prints(text: str, function: str = "f") -> list[str]:
    spots = []
    for match in LOOP.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
        spots.append(Spot(f"{line}:{column}", function, line, column))
    found = fingerprints(text, spots)
    return [found[spot.id] for spot in spots]


@pytest.mark.parametrize(
    "edited",
    [
        "\n\n// moved down\n" + CODE,
        CODE.replace("\n  ", "\n\t\t  "),
        CODE.replace("\n", "\r\n"),
        CODE.replace("a[i]", "a /* here */ [ i ]"),
        CODE.replace("a[i] = 0;", "a[i] = 0; // later\n"),
        CODE.replace(" { a[i] += 1; }", "\n  {\n    a[i] += 1;\n  }"),
        CODE.replace("int i = 0;", "int i = \\\n 0;"),
        CODE.replace(" { a[i] += 1; }", "\n{\na[i]\n+= 1;\n}"),  # a brace that could close a function
        CODE.replace(" { a[i] += 1; }", "\n{\na[i] += 1;\n\n/*\n}\n*/}"),
        "int table[] = {\n1\n};\n/*\n}\n*/\n" + CODE,
    ],
)
def test_edits_that_leave_the_code_alone_keep_it(edited: str) -> None:
    assert prints(edited) == prints(CODE)


def test_twins_are_told_apart_by_their_order() -> None:
    _, first, second = prints(CODE)
    assert first != second


def test_a_change_in_one_loop_leaves_the_others() -> None:
    before, after = prints(CODE), prints(CODE.replace("a[i] = 1;", "a[i] = 2;"))
    assert before[0] != after[0]
    assert before[1:] == after[1:]


@pytest.mark.parametrize(
    "behind",
    ["g();", "}", "x = 1; } void g(void) {", "else g();", "while (0);"],
)
@pytest.mark.parametrize(
    "loop",
    [
        "for (;;) { x = (struct s){1}.a; }",
        "for (;;) x = (struct s){1}.a;",
        "for (;;) if (a) b(); else if (c) d(); else { e(); }",
        "for (;;) if (a) if (b) c(); else d(); else e();",
        "for (;;) for (;;) do x++; while (x < 3);",
        "for (;;) do { x++; } while (x < 3);",
        'for (;;) puts("}; for (");',
        "for (;;) switch (x) { case 1: break; default: y(); }",
        "EACH(i, n) { x[i] = 0; }",
        "EACH(i, n) x[i] = 0;",
    ],
)
def test_what_follows_the_loop_is_no_part_of_it(loop: str, behind: str) -> None:
    assert prints(f"{loop}\n{behind}")[0] == prints(f"{loop}\nother();")[0]


def test_the_function_counts() -> None:
    assert prints(CODE, "f") != prints(CODE, "g")


@pytest.mark.parametrize("text", ["for", "for (", "for (;;", "for (;;) {", "do", "for (;;) if (x", "", "for (;;) x"])
def test_text_that_ends_early_has_one_too(text: str) -> None:
    found = fingerprints(text, [Spot("id", "f", 1, 1)])
    assert re.fullmatch("[0-9a-f]{16}", found["id"])


def test_thousands_of_alternatives_need_no_deep_stack() -> None:
    assert len(prints("for (;;) " + "if (a) b(); else " * 5000 + "c();")) == 1
