"""No answer about programs of several files is contradicted by running them: a seeded sample; and wrong answers are
found."""

import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.clauses.answers import Assumption, Condition, Loop, Place, Rewrite

from . import judge
from .campaign import figures, run
from .generate import HIDDEN, HIDDEN_HEADS, Kernel, Program, generate
from .judge import Judge, Tally
from .merged import compared
from .shrink import shrunk

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles and runs programs")

SAMPLE = [f"sample-{k}" for k in range(18)]


@pytest.fixture(scope="module")
def sample() -> Tally:
    return run(SAMPLE)


def test_no_answer_is_contradicted(sample: Tally) -> None:
    assert not sample.findings, "\n".join(map(str, sample.findings))


def test_the_sample_exercises_all_this(sample: Tally) -> None:
    """A sample in which nothing is claimed, or nothing runs, would prove nothing."""
    numbers = sample.numbers
    assert numbers["yes, run"] > 15
    assert numbers["yes, calls functions of other files"] > 1
    assert numbers["runs with conditions that hold"] > 3
    assert numbers["runs with conditions that do not hold, contradicted without them"] > 1
    assert numbers["loops with tests that are false in a run, contradicted without them"] > 1
    assert "findings: parallel" in figures(sample)


def test_programs_are_made_from_their_seeds() -> None:
    assert str(generate("one")) == str(generate("one"))
    assert str(generate("one")) != str(generate("two"))


def test_programs_declare_what_they_call(tmp_path: Path) -> None:
    """A function that is taken to return an int, and does not, gives no defined value."""
    hidden = [p for k in range(20) if (p := generate(f"declared-{k}")).hidden]
    assert len(hidden) > 1
    for made in hidden:
        (tmp_path / "h.h").write_text(made.header)
        for name, text in {**made.files, "hidden.c": made.hidden}.items():
            (tmp_path / name).write_text(text)
        checked = ["gcc", "-fsyntax-only", "-Werror=implicit-function-declaration", *made.files, "hidden.c"]
        subprocess.run(checked, cwd=tmp_path, check=True, capture_output=True, timeout=60)


CALLER = """#include "h.h"
void loop0(int n, double *a, double *b, const int *idx, struct field *s)
{
    double last = 0;
    for (int i = 0; i < n; i++) {
        BODY
    }
    g_sum = last;
}
"""
OTHER = """#include "h.h"
static int calls;
double g_scale, g_sum, g_table[256], *g_buf;
int g_n, g_count, g_flag, g_map[256];
struct field g_field;
struct cell g_cells[256];
double counted(double v) { return v + calls++; }
double checked(double v) { if (g_flag) hidden_report("negative"); return v; }
"""


def program(body: str) -> Program:
    made = generate("any")
    header = made.header.replace("#endif", "double counted(double v);\ndouble checked(double v);\n#endif")
    header = header.replace(HIDDEN_HEADS, "").replace("double counted", f"{HIDDEN_HEADS}double counted", 1)
    kernel = Kernel("loop0", "a.c", ("n", "a", "b", "idx", "s"), False, False)
    files = {"a.c": CALLER.replace("BODY", body), "b.c": OTHER}
    own = {"a.c": (), "b.c": ("calls",)}
    return Program("by hand", header, files, HIDDEN, (kernel,), own, frozenset({"hidden_pure"}))


def tried(body: str, monkeypatch: pytest.MonkeyPatch, folder: Path, **said: object) -> Tally:
    """What runs say of an answer that is given for the loop."""
    place = {"id": "a.c:loop0:5:5", "function": "loop0", "line": 5, "column": 5, "end_line": 7}
    loop = msgspec.convert({**place, "parallel": "yes", **said}, Loop)
    monkeypatch.setattr(judge, "answers", lambda *_: (loop,))
    tally = Tally()
    Judge(tally, folder).judge(program(body))
    assert not tally.of("failed"), tally.findings[0].text
    return tally


RIGHT = "a[i] = b[i] + 1;"
APART = (Assumption("params-distinct", "a,b"),)
MET = "a[idx[i]] = i;"
WRONG = {
    "a carried dependence": ("a[i] = a[i + 1] + 1;", {}),
    "a value that is left over": ("last = b[i];", {}),
    "a private copy whose last value is read": ("last = b[i];", {"private": ["last"]}),
    "places that meet": (MET, {}),
    "a variable of another file": ("a[i] = counted(b[i]);", {}),
    "members that lead to one array": ("s->u[i] = s->v[i];", {}),
    "parameters that lead to one array": (RIGHT, {}),
    "parameters where another assumption is named": (
        RIGHT,
        {"assumptions": (Assumption("members-distinct", "s"),)},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_answers_are_found(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body, said = WRONG[name]
    assert tried(body, monkeypatch, tmp_path, **said).of("parallel")


def test_right_answers_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tally = tried(RIGHT, monkeypatch, tmp_path, assumptions=APART)
    assert not tally.findings
    assert tally.numbers["yes, run"] == 1
    assert tally.numbers["runs contradicted only outside of a named assumption"] > 0
    assert not tried(
        "last = b[i];", monkeypatch, tmp_path, first_private=("last",), last_private=("last",)
    ).findings


def conditional(check: str | None, kind: str = "injective", text: str = "idx") -> dict[str, object]:
    return {"parallel": "conditional", "conditions": (Condition(kind, text, check),)}


def test_a_condition_that_holds_does_not_excuse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tally = tried(MET, monkeypatch, tmp_path, **conditional("idx[0] != 5"))
    assert tally.of("conditional")


def differ(first: str, end: str) -> str:
    """The test that no value of `idx` is there twice, between two places."""
    walk = f"for (int k_ = {first}; k_ < {end}; k_++) for (int j_ = {first}; j_ < k_; j_++) ok_ &= idx[k_] != idx[j_];"
    return f"({{ int ok_ = 1; {walk} ok_; }})"


def test_a_condition_that_fails_where_it_must(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tally = tried(MET, monkeypatch, tmp_path, **conditional(differ("0", "n")))
    assert not tally.findings
    numbers = tally.numbers
    assert numbers["runs with conditions that hold"] > 3
    assert numbers["runs with conditions that do not hold, contradicted without them"] > 1


@pytest.mark.parametrize("walk", [differ("1", "n"), differ("0", "n - 1")], ids=["first", "last"])
def test_a_test_that_leaves_out_one_index(walk: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert tried(MET, monkeypatch, tmp_path, **conditional(walk)).of("conditional")


def apart(elements: str) -> dict[str, object]:
    return conditional(f"g_buf + {elements} <= a || a + {elements} <= g_buf", "distinct", "a,g_buf")


def test_a_test_that_leaves_out_one_element(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body = "g_buf[i] = a[i] + 1;"
    tally = tried(body, monkeypatch, tmp_path, **apart("n"))
    assert not tally.findings
    assert tally.numbers["runs with conditions that do not hold, contradicted without them"] > 1
    assert tried(body, monkeypatch, tmp_path, **apart("(n - 1)")).of("conditional")


def test_conditions_without_a_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Error paths are seen where they are taken; of functions that nobody sees it is known which are pure."""
    body = "a[i] = checked(i);"
    cold = tried(body, monkeypatch, tmp_path, **conditional(None, "cold", "9"))
    assert not cold.findings
    assert cold.numbers["runs in which a condition without a test does not hold"] > 1
    met = tried("a[i + 1] = checked(a[i]);", monkeypatch, tmp_path, **conditional(None, "cold", "9"))
    assert met.of("conditional")
    met = tried("a[i + 1] = a[i];", monkeypatch, tmp_path, **conditional(None, "pure", "hidden_pure"))
    assert met.of("conditional")
    unknown = tried("a[i + 1] = a[i];", monkeypatch, tmp_path, **conditional(None, "pure", "hidden_counter"))
    assert not unknown.findings


def test_a_loop_that_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a run does that leaves the loop is nobody's promise; what one does that does not, is."""
    jump = Rewrite("exit", "return", "", places=(Place(6, 23),))
    said = {**conditional(None, "no-exit", "6"), "rewrites": (jump,)}
    kept = tried("if (b[i] < 0) return; a[i] = b[i] + 1;", monkeypatch, tmp_path, assumptions=APART, **said)
    assert not kept.findings
    assert kept.numbers["runs in which a condition without a test does not hold"] > 1
    assert kept.numbers["runs with conditions that hold"] > 1
    met = tried("if (b[i] < 0) return; a[i] = a[i + 1] + 1;", monkeypatch, tmp_path, assumptions=APART, **said)
    assert met.of("conditional")


def test_a_loop_that_is_left_before_the_program_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The original does not run the iterations behind the one that leaves the loop: that one of them ends the program
    says nothing of the answer."""
    jump = Rewrite("exit", "return", "", places=(Place(6, 21),))
    said = {**conditional(None, "no-exit", "6"), "rewrites": (jump,)}
    body = "if (i == 0) return; void exit(int); exit(2);"
    tally = tried(body, monkeypatch, tmp_path, assumptions=APART, **said)
    assert not tally.findings
    assert tally.numbers["runs in which a condition without a test does not hold"] > 1


def test_findings_are_made_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body = "b[i] = 3;\na[i] = a[i + 1] + 1;"
    (finding,) = tried(body, monkeypatch, tmp_path).findings

    def answers(program: Program, folder: Path) -> tuple[Loop, ...]:
        assert finding.loop is not None
        lines = program.files["a.c"].split("\n")
        found = [k for k, line in enumerate(lines, 1) if line.startswith("    for (")]
        return tuple(msgspec.structs.replace(finding.loop, id=f"a.c:loop0:{k}:5", line=k) for k in found)

    monkeypatch.setattr(judge, "answers", answers)
    small = shrunk(finding)
    assert small.kind == finding.kind
    assert "a[i + 1]" in small.program.files["a.c"]
    assert "b[i] = 3" not in small.program.files["a.c"]
    assert len(str(small)) < 0.7 * len(str(finding))


def test_a_function_without_its_head_is_no_error(tmp_path: Path) -> None:
    """As it is tried where a program is cut down: it does not compile."""
    made = program("a[i] = 2;")
    cut = replace(made, files={**made.files, "b.c": f"{OTHER}\n{{\n}}\n"})
    tally = Tally()
    Judge(tally, tmp_path).judge(cut)
    assert [f.kind for f in tally.findings] == ["failed"]


def test_files_apart_and_in_one_have_one_answer(tmp_path: Path) -> None:
    numbers = Counter[str]()
    found = [text for k in range(4) for text in compared(generate(f"merged-{k}"), tmp_path, numbers)]
    assert not found
    assert numbers["yes, yes"] > 3
    assert numbers["exact counts compared"] > 50
