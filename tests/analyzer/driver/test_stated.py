"""Facts files from the command: what they settle, what of them is checked against the code, and where it is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.settings.facts import FACTS

PROGRAM = """double weight(const double *x, int i);
void scatter(int n, double *restrict a, const double *restrict x, const int *restrict place)
{
    for (int i = 0; i < n; i++)
        a[place[i]] = weight(x, i);
}
void carried(int n, double *restrict a)
{
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1];
}
"""
KNOWN = '[[fact]]\nfile = "a.c"\nfunction = "scatter"\nholds = "injective(place)"\nsize = "n=1e6"\n'


@pytest.fixture
def said(analyze: Any, source: Any, tmp_path: Path) -> Any:
    source(PROGRAM)

    def run(text: str, *arguments: str) -> tuple[dict[str, str], list[str]]:
        """Answers by function, and what is said of facts."""
        (tmp_path / FACTS).write_text(text, encoding="utf-8")
        ran = analyze(*(arguments or ("a.c",)), "-f", "json")
        assert ran.code == 0, ran.err
        files = json.loads(ran.out)["files"]
        answers = {loop["function"]: loop["parallel"] for file in files for loop in file["loops"]}
        found = [d for file in files for d in file["diagnostics"]]
        return answers, [f"{d['header']}:{d['line']}:{d['column']} {d['level']} {d['message']}" for d in found]

    return run


def test_facts_settle_what_the_source_leaves_open(said: Any) -> None:
    assert said("")[0]["scatter"] == "conditional"
    assert said(KNOWN)[0]["scatter"] == "conditional"
    answers, messages = said(KNOWN + '[[fact]]\nholds = "pure(weight)"\n')
    assert (answers["scatter"], messages) == ("yes", [])


def test_the_loop_of_a_variable_or_a_line(said: Any) -> None:
    for loop in ('"i"', "4"):
        fact = f'[[fact]]\nfunction = "scatter"\nloop = {loop}\nindependent = "they differ"\n'
        answers, messages = said(fact)
        assert (answers["scatter"], messages) == ("yes", [])


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ('function = "scater"\nsize = "n=3"', ":3:9 warning there is no function `scater` in the files"),
        ('file = "b.c"\nsize = "n=3"', ":3:9 warning there is no file b.c; did you mean a.c?"),
        ('function = "scatter"\nsize = "m=3"', ":3:9 warning `size m=3`: there is no `m` in `scatter`; there is n"),
        ('function = "scatter"\nholds = "injective(plac)"', ":3:10 warning `holds injective(plac)`: there is no `pl"),
        ('function = "scatter"\nholds = "monotone(place)"', ":3:10 note no answer needs `holds monotone(place)`"),
        ('function = "scatter"\nsize = "place=3"', ":3:9 note no answer needs `size place=3`"),
        ('function = "scatter"\nloop = "k"\nindependent = "x"', ":4:1 warning there is no loop of `k` in `scatter`;"),
        ('function = "scatter"\nloop = 3\nindependent = "x"', ":4:1 warning there is no loop of `3` in `scatter`"),
        ('alloc = "get"\nfile = "a.c"', ":2:10 warning `alloc get`: there is no `get` in a.c"),
        (
            'function = "carried"\nloop = "i"\nindependent = "x"',
            ":4:1 warning `independent x` is not believed: the loop in line 9 is not parallel: ",
        ),
        (
            'function = "carried"\nholds = "distinct(a,n)"',
            ":3:10 warning `holds distinct(a,n)` is not believed: the loop in line 9 is not parallel: ",
        ),
    ],
)
def test_what_is_not_there_or_not_so_is_a_finding_in_the_facts_file(said: Any, fact: str, message: str) -> None:
    answers, messages = said(f"[[fact]]\n{fact}\n")
    assert answers["carried"] == "no"
    assert [text[: len(FACTS) + len(message)] for text in messages] == [FACTS + message]


def test_a_dependence_that_is_shown_names_the_fact_that_it_contradicts(analyze: Any, said: Any) -> None:
    said('[[fact]]\nfunction = "carried"\nloop = "i"\nindependent = "trust me"\n')
    (file,) = json.loads(analyze("a.c", "-f", "json").out)["files"]
    reason = file["loops"][1]["reason"]["message"]
    assert reason.endswith(f"; this contradicts `independent in {FACTS}:4`")


def test_a_size_that_the_program_sets_is_not_believed(said: Any, source: Any) -> None:
    source(
        "static int n;\nstatic double a[100];\nstatic void fill(void) { for (int i = 0; i < n; i++) a[i] = i; }\n"
        "int main(void) {\n    n = 100;\n    fill();\n    return a[3] > 4;\n}\n"
    )
    arguments = ("a.c", "-t", "h200")
    assert said('[[fact]]\nsize = "n=100"\n', *arguments)[1] == []
    assert said('[[fact]]\nsize = "n=1..1e3"\n', *arguments)[1] == []
    _, (message,) = said('[[fact]]\nsize = "n=5000"\n', *arguments)
    assert message == f"{FACTS}:2:9 warning `size n=5000` is not believed: it is assigned once at a.c:5"


def test_what_one_file_of_a_run_has_another_need_not_have(said: Any, source: Any) -> None:
    source("void other(int m, double *a) { for (int i = 0; i < m; i++) a[i] = i; }\n", "b.c")
    fact = '[[fact]]\nfunction = "scatter"\nholds = "pure(weight)"\n[[fact]]\nfunction = "other"\nsize = "m=3"\n'
    assert said(fact, ".")[1] == []


def test_a_file_that_is_not_read_is_left_alone(said: Any, source: Any) -> None:
    source("void other(int m, double *a) { for (int i = 0; i < m; i++) a[i] = i; }\n", "b.c")
    assert said(KNOWN, "b.c")[1] == []


def test_the_command_line_wins_over_a_fact(analyze: Any, said: Any) -> None:
    said(KNOWN)
    symbols = json.loads(analyze("a.c", "--size", "n=7", "-f", "json").out)["symbols"]
    assert {s["value"] for s in symbols if s["scope"] == "a.c:scatter" and s["name"] == "n"} == {7}


def test_facts_are_options_of_the_run(analyze: Any, said: Any) -> None:
    said(KNOWN)
    options = json.loads(analyze("a.c", "-f", "json").out)["options"]
    assert (options["facts"], options["sizes"]) == ([FACTS], [])


def test_the_next_command_says_the_same(analyze: Any, said: Any, tmp_path: Path) -> None:
    said(KNOWN)
    assert "Next      analyze a.c --target h200" in analyze("a.c").out
    (tmp_path / FACTS).rename(tmp_path / "known.toml")
    typed = "a.c --facts known.toml --alloc get"
    assert f"Next      analyze {typed} --target h200" in analyze(*typed.split()).out


def test_a_fact_of_a_loop_may_come_with_sizes(said: Any) -> None:
    answers, messages = said(
        '[[fact]]\nfunction = "scatter"\nloop = "i"\nindependent = "they differ"\nsize = "n=1e6"\n'
    )
    assert (answers["scatter"], messages) == ("yes", [])


def test_comments_in_headers_speak_of_what_stands_there(analyze: Any, source: Any, tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text(
        "static inline void put(int n, double *restrict a, const int *restrict at)\n{\n"
        "    // analyze: holds injective(at)\n    for (int i = 0; i < n; i++)\n        a[at[i]] = i;\n"
        "    // analyze: ignore[DEP001] known\n    for (int i = 1; i < n; i++)\n        a[i] = a[i - 1];\n}\n"
    )
    source('#include "h.h"\nvoid f(int n, double *a, const int *at) { put(n, a, at); }\n')
    files = json.loads(analyze("a.c", "-f", "json").out)["files"]
    (header,) = (file for file in files if file["path"] == "h.h")
    assert [loop["parallel"] for loop in header["loops"]] == ["yes", "no"]
    assert header["diagnostics"] == []
    assert [i["rule"] for i in header["ignored"]] == ["DEP001"]


@pytest.mark.parametrize(
    "where", ["// analyze: independent\n    EACH(i, n)", "EACH(i, n) // analyze: independent\n   "]
)
def test_a_comment_at_a_macro_speaks_of_its_loop(analyze: Any, source: Any, where: str) -> None:
    source(
        "#define EACH(i, n) for (int i = 0; i < (n); i++)\n"
        f"void f(int n, double *restrict a, const int *restrict at) {{\n    {where} a[at[i]] = i;\n}}\n"
    )
    (file,) = json.loads(analyze("a.c", "-f", "json").out)["files"]
    assert [loop["parallel"] for loop in file["loops"]] == ["yes"]
    assert file["diagnostics"] == []


def test_of_the_loops_of_a_macro_it_means_the_first(analyze: Any, source: Any) -> None:
    source(
        "#define GRID(i, j, n) for (int i = 0; i < (n); i++) for (int j = 0; j < (n); j++)\n"
        "void f(int n, double *restrict a, const int *restrict at) {\n    // analyze: independent\n"
        "    GRID(i, j, n) a[at[i] + at[j]] = j;\n}\n"
    )
    (file,) = json.loads(analyze("a.c", "-f", "json").out)["files"]
    outer, inner = file["loops"]
    assert (outer["parallel"], inner["parallel"] == "yes") == ("yes", False)
