"""Places and statements of a text as a person wrote it."""

import pytest

from analyzer.change.conditions import all_of
from analyzer.change.directive import Directive
from analyzer.change.edits import Edit, edited
from analyzer.change.loop_change import declared, laid_out
from analyzer.change.names import Names, as_name, exchanged, mentions, occurrences
from analyzer.change.text import Text, UnreadableError


@pytest.mark.parametrize(
    ("code", "behind"),
    [
        ("for (;;) f(); g();", "g"),
        ("for (;;) { f(); } g();", "g"),
        ("for (;;) if (a) f(); else g(); h();", "h"),
        ("if (a) for (;;) f(); else while (b) c(); d();", "d"),
        ("do { f(); } while (g(\";\")); h();", "h"),
        ("switch (x) { case 1: f(); } g();", "g"),
        ("again: f(';'); g();", "g"),
        ("case 1: f(); g();", "g"),
        ("while (x /* ) */) // ;\n f(); g();", "g"),
        ("int a[] = {1, 2}; g();", "g"),
    ],
)
def test_how_far_a_statement_reaches(code: str, behind: str) -> None:
    text = Text(code)
    assert text.tokens[text.after(0)].text == behind


@pytest.mark.parametrize("code", ["for (;;) f(", "for (;;", "{ f();", "f()", "do f(); while", "if (a)"])
def test_what_is_no_statement(code: str) -> None:
    text = Text(code)
    with pytest.raises(UnreadableError):
        text.after(0)


TWICE = """{
#if A
#  ifdef B
    if (a) {
#  else
    if (b) {
#  endif
#else
    if (c) {
#endif
        f();
    }
#ifdef A
    if (d) g();
#else
    { h(); }
#endif
}
end;
"""


@pytest.mark.parametrize(
    ("code", "behind"), [(TWICE, "end"), ("{\n#ifdef A\nif (a) {\n#endif\nf();\n#ifdef A\n}\n#endif\n} end;", "end")]
)
def test_what_each_branch_of_a_conditional_opens_is_open_once(code: str, behind: str) -> None:
    text = Text(code)
    assert text.tokens[text.closing(0) + 1].text == behind


def test_directives_and_comments_are_no_tokens() -> None:
    text = Text('#define F(x) \\\n  for (x)\n#pragma omp parallel \\\n  for\n/* for */ a = "for"; // for\n')
    assert [t.text for t in text.tokens] == ["a", "=", '"for"', ";"]
    assert [p.words for p in text.pragmas] == ["omp parallel for"]
    assert text.tokens[text.first_from(text.pragmas[0].end)].text == "a"


def test_places_and_indentation() -> None:
    text = Text("a;\r\n\t  if (b) c;\r\n")
    assert text.newline == "\r\n"
    k = text.at(2, 11)
    assert text.tokens[k].text == "c"
    begin = text.tokens[k].begin
    assert (text.line(begin), text.column(begin), text.indentation(begin)) == (2, 11, "\t  ")
    assert not text.begins_line(begin)
    assert text.begins_line(text.tokens[2].begin)
    for place in ((2, 10), (9, 1), (0, 1)):
        with pytest.raises(UnreadableError):
            text.at(*place)


def test_the_function_around_a_token() -> None:
    text = Text("struct s { int a; }; int f(int x) { { return x; } } int b = 3;")
    inside = next(k for k, t in enumerate(text.tokens) if t.text == "return")
    found = text.function(inside)
    assert found is not None
    assert [text.tokens[k].text for k in found] == ["{", "}"]
    assert text.is_at(found[0] - 1, ")")
    assert text.function(len(text.tokens) - 2) is None


def test_edits() -> None:
    assert edited("abc", [Edit(1, 2, "x"), Edit(1, 1, "-"), Edit(3, 3, "!")]) == "a-xc!"
    assert edited("abcd", [Edit(0, 1, "x"), Edit(2, 2, "y")], 1, 3) == "byc"
    with pytest.raises(ValueError, match="two changes"):
        edited("abc", [Edit(0, 2, "x"), Edit(1, 3, "y")])


def test_names() -> None:
    names = Names("int it, it2; s->trip;")
    assert [names.new(n) for n in ("it", "it", "trip", "own")] == ["it3", "it4", "trip2", "own"]
    assert as_name("q->sum[3]") == "q_sum_3"
    assert exchanged('k + s.k + s->k + f("k")', {"k": "k_before"}) == 'k_before + s.k + s->k + f("k")'
    assert mentions("a[k]", "k")
    assert not mentions("a.k", "k")


@pytest.mark.parametrize(
    ("code", "expression", "many"),
    [
        ("q->sum += p.q->sum + q->sum;", "q->sum", 2),
        ("*p += a * p[0] + *p++ + (*p);", "*p", 2),
        ("if (a) *p = 3; b = (int)*p * *p;", "*p", 3),
        ("x[0] + y.x[0]", "x[0]", 1),
    ],
)
def test_where_an_expression_stands(code: str, expression: str, many: int) -> None:
    text = Text(code)
    assert len(occurrences(text, expression, 0, len(text.tokens))) == many


def test_a_directive() -> None:
    sums = (("+", "s"), ("max", "m"), ("+", "r"))
    d = Directive("parallel for", "n >= 9", ("t", "t"), ("u",), ("v",), sums, "static,1")
    assert str(d) == (
        "#pragma omp parallel for if(n >= 9) private(t) firstprivate(u) lastprivate(v)"
        " reduction(+: s, r) reduction(max: m) schedule(static,1)"
    )
    broken = Directive("parallel for", "n > 1", private=tuple(f"variable_{k}" for k in range(9))).lines("\t")
    assert broken[0] == "\t#pragma omp parallel for if(n > 1) \\"
    assert broken[1].startswith("\t        private(variable_0,")
    assert not Directive("simd").copies


def test_conditions_and_declarations_in_c() -> None:
    assert all_of(["a < b", "c ? d : e", "({ 1 || 0; })"]) == "a < b && (c ? d : e) && ({ 1 || 0; })"
    assert all_of(["a || b"]) == "a || b"
    assert declared("double *", "p") == "double *p"
    assert declared("int", "k") == "int k"
    assert laid_out("int a = 3;") == ["int a = 3;"]


def test_a_macro() -> None:
    text = Text("# define A 1\n#define B(x) f(x) \\\n  + g(x)\n#define A 2\n#define C \\\n#define D 4\nint A_ = 3;\n")
    assert text.macro("A") == " 1"
    assert text.macro("B") == "(x) f(x) \\\n  + g(x)"
    assert text.macro("D") == " 4"
    assert text.macro("A_") is None
    assert text.macro("1") is None
