"""The campaign takes right answers and finds wrong ones of every kind."""

import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from analyzer.change.form import Form

from .answers import Loop, answers
from .campaign import Tally, generated, try_file, try_paths
from .patches import Trial
from .program import objects
from .tokens import Source

SAMPLE = Path(__file__).with_name("sample.c")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

OFFLOADER = Path("/usr/lib/llvm-14/lib/libomptarget.rtl.x86_64.so")
needs_device = pytest.mark.skipif(
    shutil.which("clang") is None or shutil.which("clang-offload-wrapper-14") is None or not OFFLOADER.exists(),
    reason="needs clang with an offloading runtime",
)

needs_archer = pytest.mark.skipif(
    shutil.which("clang") is None or not Path("/usr/lib/llvm-14/lib/libarcher.so").exists(),
    reason="needs clang with Archer",
)

REDUCTION = {"operator": "+", "reorders_fp": False}
K = {
    "variable": "k",
    "start": "3",
    "step": "2",
    "value": "k + 2 * i",
    "after": "k + 2 * (n > 0 ? n : 0)",
    "type": "int",
}
P = {"variable": "p", "step": "1", "value": "p + it", "after": None, "type": "double *"}
N = {"variable": "n", "step": "-1", "value": "n - 1 - it", "after": "-1", "type": "int"}
CURSOR = {"variable": "cursor", "step": "1", "value": "it", "after": "n > 0 ? n : 0", "type": "int"}


def rewrite(kind: str, object_: str, **rest: object) -> dict[str, object]:
    return {"kind": kind, "object": object_, "text": "", **rest}


SCRATCH = [rewrite("threadprivate", x, clause="lastprivate") for x in ("scratch", "shared_scale")]
WHOLE = {"kind": "canonical-loop", "object": "p", "text": ""}
RIGHT: dict[str, dict[str, Any]] = {
    "temporary": {"private": ["t"]},
    "last_value": {"first_private": ["t"], "last_private": ["t"]},
    "first_value": {"first_private": ["t"]},
    "sum": {"reductions": [{"variable": "s", "operator": "+", "reorders_fp": True}]},
    "histogram": {"reductions": [{"variable": "h[0:8]", **REDUCTION}]},
    "every_second": {"inductions": [K]},
    "moving_pointer": {"inductions": [P, N], "rewrites": [{**WHOLE, "trip": "n"}]},
    "member_sum": {
        "rewrites": [rewrite("scalar-temporary", "q->sum", clause="reduction", operator="+")],
        "reductions": [],
        "assumptions": [{"kind": "fp-reorder", "text": "q->sum"}],
    },
    "static_local": {"rewrites": [rewrite("static-local", "kept::t")]},
    "allocated": {
        "rewrites": [rewrite("thread-copy", "w", clause="private", extent="m", pointers=["v"])],
    },
    "member_histogram": {"rewrites": [rewrite("atomic", "t[b[i]&3].hits", places=[{"line": 0, "column": 9}])]},
    "global_counter": {
        "inductions": [CURSOR],
        "rewrites": [{**WHOLE, "trip": "n"}, rewrite("threadprivate", "cursor", clause="induction")],
    },
    "filled_table": {"rewrites": [rewrite("of-one-thread", "table_of_thread", clause="pointer")]},
}
WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "a private variable left out": ("temporary", {}, "differs"),
    "private where the last value is read": ("last_value", {"private": ["t"]}, "differs"),
    "private where the first value is read": ("first_value", {"private": ["t"]}, "differs"),
    "a reduction left out": ("sum", {}, "differs"),
    "a reduction that is no sum": ("sum", {"reductions": [{"variable": "s", **REDUCTION, "operator": "*"}]}, "differs"),
    "a reduction of floats that is called exact": ("sum", {"reductions": [{"variable": "s", **REDUCTION}]}, "differs"),
    "a clause that no compiler takes": ("member_sum", {"private": ["q->sum"]}, "refused"),
    "a histogram of a plain pointer": ("histogram", {"reductions": [{"variable": "h", **REDUCTION}]}, "refused"),
    "a histogram shorter than it is": ("histogram", {"reductions": [{"variable": "h[0:4]", **REDUCTION}]}, "differs"),
    "an induction left out": ("every_second", {}, "differs"),
    "an induction with another step": ("every_second", {"inductions": [{**K, "value": "k + 3 * i"}]}, "differs"),
    "an induction with another end": ("every_second", {"inductions": [{**K, "after": "k + 2 * n + 2"}]}, "differs"),
    "a formula that is no C": ("every_second", {"inductions": [{**K, "after": "k + 2 * max(0, n)"}]}, "refused"),
    "a while loop without a rewrite": ("moving_pointer", {}, "refused"),
    "too short a loop": ("moving_pointer", {"inductions": [P, N], "rewrites": [{**WHOLE, "trip": "n - 1"}]}, "differs"),
    "a static variable of a callee": ("static_local", {}, "differs"),
    "scratch that all threads share": ("allocated", {}, "differs"),
    "scratch whose alias stays": (
        "allocated",
        {"rewrites": [rewrite("thread-copy", "w", clause="private", extent="m")]},
        "differs",
    ),
    "a counter that a callee reads": ("global_counter", {}, "differs"),
    "a table that each thread has for itself": ("filled_table", {}, "differs"),
    "updates that are not atomic": ("member_histogram", {}, "differs"),
    "a loop that carries a dependence": ("prefix", {}, "differs"),
}


def loop(function: str, said: dict[str, Any]) -> Loop:
    """The JSON of the first loop of a function of the sample."""
    text = SAMPLE.read_text()
    source = Source(text)
    head = re.search(rf"^[^\n;]*\b{function}\(", text, re.MULTILINE)
    assert head is not None
    begin = next(t.begin for t in source.tokens if t.begin > head.start() and t.text in ("for", "while", "do"))
    line = source.line(begin)
    for r in said.get("rewrites", ()):
        for place in r.get("places", ()):
            place["line"] = line + 1
    column = begin - source.offset(line, 1) + 1
    place_ = {"id": f"sample.c:{function}:{line}:{column}", "function": function, "line": line, "column": column}
    return msgspec.convert({**place_, "end_line": 0, "parallel": "yes", **said}, Loop)


def tried(loops: list[Loop], folder: Path, *, form: Trial | None = None) -> Tally:
    tally = Tally()
    objects(folder)
    try_file(SAMPLE, SAMPLE.parent, loops, tally, folder, form=form)
    return tally


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], str]:
    """What the campaign says of all loops above, right and wrong ones, in one program."""
    loops = [loop(name, said) for name, said in RIGHT.items()]
    loops += [loop(name, said) for name, said, _ in WRONG.values()]
    loops += [loop("divides", {})]
    tally = tried(loops, tmp_path_factory.mktemp("sample"))
    found = {id(f.loop): f"{f.kind} {f.text}" for f in tally.findings} | {id(x): why for x, why in tally.left}
    names = [*RIGHT, *WRONG, "divides"]
    return {(name, k): found.get(id(x), "equal") for k, (name, x) in enumerate(zip(names, loops, strict=True))}


@pytest.mark.parametrize("name", RIGHT)
def test_right_answers_are_taken(name: str, judged: dict[tuple[str, int], str]) -> None:
    assert judged[(name, list(RIGHT).index(name))] == "equal"


@pytest.mark.parametrize("name", WRONG)
def test_wrong_answers_are_found(name: str, judged: dict[tuple[str, int], str]) -> None:
    assert judged[(name, len(RIGHT) + list(WRONG).index(name))].startswith(WRONG[name][2])


def test_a_program_that_traps_says_nothing(judged: dict[tuple[str, int], str]) -> None:
    assert judged[("divides", len(RIGHT) + len(WRONG))].startswith("no valid run")


def test_what_the_analyser_says_of_the_sample_stands() -> None:
    """Every kind of rewrite is among it; only `divides` traps."""
    tally = Tally()
    try_paths([SAMPLE], tally)
    assert not tally.findings + tally.assumed, "\n".join(map(str, tally.findings + tally.assumed))
    assert tally.equal >= len(RIGHT)
    assert {x.function for x, _ in tally.left} <= {"divides"}
    assert {r["kind"] for said in RIGHT.values() for r in said.get("rewrites", ())} <= set(tally.rewrites)


@needs_archer
def test_archer_takes_right_answers_and_finds_races(tmp_path: Path) -> None:
    """Wrong answers that are no races (a last value that is lost) it does not find by a report."""
    right = [loop(name, said) for name, said in RIGHT.items()]
    wrong = [loop(name, said) for name, said, kind in WRONG.values() if kind == "differs"]
    tally = tried([*right, *wrong], tmp_path, form="archer")
    found = {id(f.loop): f.text for f in tally.findings}
    assert not [found[id(x)] for x in right if id(x) in found]
    assert len([x for x in wrong if id(x) in found]) == len(wrong)
    assert sum("ThreadSanitizer" in text for text in found.values()) >= 6


@pytest.mark.parametrize("form", ["cuda", pytest.param("openmp-target", marks=needs_device)])
def test_what_goes_to_a_device_computes_the_same(form: Form) -> None:
    tally = Tally()
    try_paths([SAMPLE], tally, form=form)
    assert not tally.findings + tally.assumed, "\n".join(map(str, tally.findings + tally.assumed))
    assert tally.equal >= 6


def test_what_the_analyser_says_of_generated_nests_stands() -> None:
    tally = Tally()
    generated([f"clauses-{k}" for k in range(12)], tally)
    assert not tally.findings + tally.assumed, "\n".join(map(str, tally.findings + tally.assumed))
    assert tally.equal > 5


ADDRESSES = {
    "reads_the_counter": {"other"},
    "reads_a_temporary": {"thread-copy"},
    "adds_by_address": {"thread-copy"},
    "moves_an_index_by_address": {"other"},
    "reads_the_middle_of_an_array": {"thread-copy"},
    "moves_the_counter_by_address": {"canonical-loop"},
    "reads_what_a_callee_wrote": {"other"},
    "reads_the_copy": set(),
}


def test_variables_that_pointers_lead_to_need_more_than_a_clause() -> None:
    path = SAMPLE.parents[2] / "fixtures" / "c" / "by_address.c"
    found = {x.function: {r.kind for r in x.rewrites or ()} for x in answers([path])[path.name]}
    assert found == ADDRESSES
