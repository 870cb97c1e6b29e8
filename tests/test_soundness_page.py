"""`docs/soundness.md`: every example has the assumption it names, needs it, and is broken by the input below it."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Assumption, Parallelism, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

PAGE = Path(__file__).resolve().parents[1] / "docs" / "soundness.md"
BLOCK = re.compile(r"^```c (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
HEADER = re.compile(r"for \((\w+) i = (\d); i < (.*?); i\+\+\)")
KINDS = {
    *("params-distinct", "members-distinct", "rows-distinct", "in-bounds"),
    *("bound-invariant", "no-overflow", "fp-reorder", "user"),
}


class Example(NamedTuple):
    assumption: str
    strict: bool
    code: str
    breaks: str


def examples() -> list[Example]:
    """Every block with an assumption and the block after it."""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    found = []
    for (head, code), (tag, breaks) in zip(blocks[::2], blocks[1::2], strict=True):
        assumption, *rest = head.removeprefix("assumes=").split()
        assert head.startswith("assumes=")
        assert tag == "breaks"
        found.append(Example(assumption, rest == ["strict"], code, breaks))
    return found


EXAMPLES = examples()
each = pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.assumption)


def answer(code: str, options: AnalysisOptions | None = None) -> Parallelism:
    facts = analyze_file(Path("page.c"), SourceOptions(), options or AnalysisOptions(), None, code)
    outermost = next(loop for function in facts.functions for loop in function.loops)
    return outermost.parallelism


def written(a: Assumption) -> str:
    """As the page names it: without spaces inside."""
    return f"{a.kind}({a.text.replace(' ', '-') if a.kind == 'user' else a.text.replace(' ', '')})"


def test_every_kind_has_an_example() -> None:
    assert {example.assumption.partition("(")[0] for example in EXAMPLES} == KINDS


@each
def test_the_documented_assumption_is_listed(example: Example) -> None:
    found = answer(example.code)
    assert found.verdict is Verdict.YES
    assert example.assumption in {written(a) for a in found.assumptions}


@each
def test_without_assumptions_the_answer_is_unknown(example: Example) -> None:
    found = answer(example.code, AnalysisOptions(assume="none"))
    assert (found.verdict, found.assumptions) == (Verdict.UNKNOWN, ())
    assert found.reason is not None
    assert any(kind in found.reason.message for kind in KINDS)


@each
def test_strict_floating_point_refuses_only_what_reorders(example: Example) -> None:
    found = answer(example.code, AnalysisOptions(strict_fp=True))
    if example.strict:
        assert found.verdict is Verdict.NO
        assert found.reason is not None
        assert found.reason.code == "fp-order"
    else:
        assert found.verdict is Verdict.YES


@each
def test_the_breaking_input_tells_the_orders_apart(example: Example, tmp_path: Path) -> None:
    backwards = HEADER.sub(r"for (\1 i = (\3) - 1; i >= \2; i--)", example.code)
    assert backwards != example.code
    assert _run(example.code, example.breaks, tmp_path) != _run(backwards, example.breaks, tmp_path)


def _run(code: str, main: str, folder: Path) -> str:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, program = folder / "x.c", folder / "x"
    source.write_text(f"#include <stdio.h>\n{code}\nint main(void)\n{{\n{main}return 0;\n}}\n")
    subprocess.run([compiler, "-O0", "-std=gnu11", str(source), "-o", str(program)], check=True)
    return subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=10).stdout
