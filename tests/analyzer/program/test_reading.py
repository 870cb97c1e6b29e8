"""Which functions are read at all."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.driver.analysis import analyzed
from analyzer.driver.run import Input, Plan, document, run
from analyzer.program import NoAnswer
from analyzer.report.document import Document
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.sizes.values import parse_size

from .placed import CONTEXT, place

LIBRARY = """static void scale(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2.0 * a[i]; }
void twice(double *a, int n) { scale(a, n); scale(a, n); }
void fill(double *a) { for (int i = 0; i < 500; i++) a[i] = 1.0; }
void add(double *a, int m) { for (int i = 0; i < m; i++) a[i] += 1.0; }
"""
FIXED = "void one(double *a) { for (int i = 0; i < 100000; i++) a[i] += 1.0; }\n"


def written(folder: Path, *texts: str, sizes: tuple[str, ...] = (), entry: str | None = None) -> tuple[Document, int]:
    """The document, and how many functions were read for the program."""
    inputs = []
    for k, text in enumerate(texts):
        (folder / f"{k}.c").write_text(text, encoding="utf-8")
        inputs.append(Input(folder / f"{k}.c"))
    given = tuple(parse_size(s) for s in sizes)
    plan = Plan(SourceOptions(entry=entry or "main"), AnalysisOptions(), CONTEXT, given, root=folder, entry=entry)
    results = list(run(inputs, plan, 1))
    return document(results, plan, keep_sources=False), sum(len(r.outlines) for r in results)


def test_one_function_with_an_open_size_settles_that_a_library_has_no_answer(tmp_path: Path) -> None:
    made, read = written(tmp_path, LIBRARY)
    everything = place(tmp_path, {"0.c": LIBRARY})
    assert isinstance(everything, NoAnswer)
    assert made.no_program == everything.reason
    assert "add()" in everything.reason
    assert read == 1


@pytest.mark.parametrize(
    ("text", "sizes", "entry", "functions"),
    [
        (FIXED + LIBRARY.replace("void add", "static void unused"), ("m=10", "n=10"), None, 5),
        (LIBRARY, (), "fill", 4),
        (LIBRARY + "int main(void) { static double x[9000]; add(x, 9000); return 0; }\n", (), None, 5),
        (LIBRARY.replace("i < m", "i < 700"), (), None, 4),
    ],
)
def test_all_are_read_where_sizes_an_entry_or_main_may_give_an_answer(
    tmp_path: Path, text: str, sizes: tuple[str, ...], entry: str | None, functions: int
) -> None:
    _, read = written(tmp_path, text, sizes=sizes, entry=entry)
    assert read == functions


def test_another_file_may_have_the_caller(tmp_path: Path) -> None:
    _, read = written(
        tmp_path, LIBRARY, "void add(double *, int);\nint main(void) { static double x[9]; add(x, 9); }\n"
    )
    assert read >= 5


def test_a_size_in_a_directive_counts(tmp_path: Path) -> None:
    text = LIBRARY.replace("void add", "// analyze: size m=5000\nvoid add")
    _, read = written(tmp_path, text)
    assert read == 4


def test_outlines_for_sizes_alone_say_the_same_of_calls_without_facts_of_loops(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(LIBRARY, encoding="utf-8")
    both = [
        analyzed(path, SourceOptions(entry="main", sizes_only=alone), AnalysisOptions(), tmp_path).outlines
        for alone in (False, True)
    ]
    assert [o.facts is None for o in both[0]] == [False, True, False, False][: len(both[0])]
    assert [replace(o, facts=None) for o in both[0]] == list(both[1])
