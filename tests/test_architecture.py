"""Imports point one way, start-up is light, and a user's own `models.py` neither breaks us nor is run."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from analyzer.ir.nodes import Statement

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"
HEAVY = ("numpy", "networkx", "islpy", "rich", "jinja2", "joblib", "pygments", "pcpp", "pathspec", "shtab", "pygls")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """(levels up, module) of every import statement of a file, those inside functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.level, node.module
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, alias.name) for alias in node.names)


def modules(package: str) -> list[Path]:
    found = sorted((SOURCES / package).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("path", modules("models"), ids=lambda p: p.relative_to(SOURCES).as_posix())
def test_models_know_no_c(path: Path) -> None:
    names = {name.split(".")[0] for level, name in imported(path) if level == 0}
    assert not names & {"analyzer", "pycparser", "models"}


@pytest.mark.parametrize("path", modules("analyzer"), ids=lambda p: p.relative_to(SOURCES).as_posix())
def test_the_analyzer_imports_itself_relatively(path: Path) -> None:
    assert not [name for level, name in imported(path) if level == 0 and name.split(".")[0] == "analyzer"]


PACKAGES = (
    *("base", "settings", "source", "ir", "polyhedra", "memory", "facts", "reductions", "access", "loops"),
    *("dependence", "races", "counts", "incore", "mpi", "rules", "advise", "sizes", "program", "report", "change"),
    *("selection", "idioms", "species", "inside", "alternatives", "mapping", "profiles", "cache", "clauses"),
    *("on_device", "transformations", "driver", "lsp", "command"),
)
"""From the lowest to the highest: a package imports itself and those before it, types included."""


def test_imports_run_downwards() -> None:
    root, upwards = SOURCES / "analyzer", []
    for path in modules("analyzer"):
        here = path.relative_to(root).parts
        for level, name in imported(path):
            target = (*here[: len(here) - level], *name.split("."))[0] if level else ""
            if len(here) > 1 and target in PACKAGES and PACKAGES.index(target) > PACKAGES.index(here[0]):
                upwards.append(f"{path.relative_to(root)} imports {target}")
    assert not upwards


QUESTIONS = {
    "do constraints have a solution": (
        "polyhedra/system.py",
        ("feasible", "proves"),
        ("elimination", "isl", "propagation"),
    ),
    "is a polynomial of sizes never negative": (
        "polyhedra/signs.py",
        ("is_nonnegative", "rounds_down", "larger"),
        (),
    ),
    "what does a condition say": ("ir/conditions.py", ("conjuncts", "is_truth", "is_bool"), ()),
    "do two accesses name one place": ("ir/same.py", ("Location", "location_of", "same_place"), ()),
    "may two objects overlap": ("memory/alias.py", ("overlap",), ()),
    "is a statement an update": ("reductions/updates.py", ("update_of", "extremum_of"), ()),
    "is a read covered by earlier writes": ("access/coverage.py", ("Claim", "is_covered", "is_hit"), ()),
    "which rows does a subscript count in": (
        "access/delinearize.py",
        ("row_lengths", "split", "factors_of_counters", "digits", "radices", "honest", "surely_inside"),
        (),
    ),
    "is memory read after a loop": ("access/liveness.py", ("is_live_after",), ()),
    "what does a polynomial never pass in loops": ("polyhedra/loop_bounds.py", ("extremes",), ()),
    "does a value vary in loops": ("ir/invariance.py", ("varies", "computed_in", "is_invariant"), ()),
    "which loops are one iteration space": ("dependence/chain.py", ("parallel_chain",), ()),
    "what does one iteration do in a core": ("incore/body.py", ("done_in",), ()),
    "how far does an access move in an iteration": ("incore/courses.py", ("course_of", "paces"), ()),
    "what does a store leave to later iterations": ("incore/stores.py", ("Stores",), ()),
    "which loops do compilers unroll": ("incore/unrolling.py", ("is_unrolled",), ()),
    "what do compilers make vectors of": ("incore/vectors.py", ("vectors_of",), ()),
    "which calls stay calls in compiled code": ("loops/compiled_calls.py", ("stays_call",), ()),
    "how many elements can an index select": ("counts/few_values.py", ("most_elements",), ()),
    "how may a nest be arranged for a device": ("mapping/arrangements.py", ("Arrangement", "Search"), ()),
}
"""By question: the module that answers it, the names that do, and the modules beside it that nobody else imports."""

OTHER_QUESTIONS = frozenset(
    (
        *("is_truth: loops/operators.py", "split: loops/gotos.py", "split: source/brackets.py"),
        *("split: mpi/processes.py", "split: advise/splitting.py", "is_live_after: access/dataflow.py"),
    )
)
"""Functions of such a name that decide something else: of C syntax and of times, and of variables."""


@cache
def _defined(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}


def _bare(name: str) -> str:
    return name.strip("_").removeprefix("is_")


@pytest.mark.parametrize("question", QUESTIONS)
def test_one_module_answers_a_question(question: str) -> None:
    """Others ask it: they define no function or class of these names again, `_` and `is_` before them left aside."""
    root = SOURCES / "analyzer"
    answer, names, own = QUESTIONS[question]
    assert set(names) <= _defined(root / answer)
    again = []
    for path in modules("analyzer"):
        here = path.relative_to(root).as_posix()
        if here == answer:
            continue
        bare = {_bare(name) for name in _defined(path)}
        again += [f"{name}: {here}" for name in names if _bare(name) in bare]
        if own and path.parent != (root / answer).parent:
            again += [f"{name}: {here}" for _, m in imported(path) for name in own if m.endswith(f"polyhedra.{name}")]
    assert not set(again) - OTHER_QUESTIONS


def test_what_must_hold_for_every_value_takes_no_size_for_granted() -> None:
    """`signs` takes sizes for >= 0, as counts may: a dependence, or the bound of a directive, is asked of `system`."""
    for package in ("clauses", "dependence", "memory", "reductions"):
        for path in modules(f"analyzer/{package}"):
            assert not [m for _, m in imported(path) if m.endswith("polyhedra.signs")], path


def test_every_module_is_in_a_package() -> None:
    assert {path.name for path in (SOURCES / "analyzer").glob("*.py")} == {"__init__.py", "__main__.py"}
    assert {path.parent.name for path in (SOURCES / "analyzer").glob("*/__init__.py")} == set(PACKAGES)


def test_only_what_reads_or_writes_c_touches_the_syntax_tree() -> None:
    allowed = tuple(SOURCES / "analyzer" / name for name in ("source", "loops", "clauses"))
    for path in modules("analyzer"):
        if not any(path.is_relative_to(each) for each in allowed):
            assert "pycparser" not in {name.split(".")[0] for _, name in imported(path)}, path


def cases(match: ast.Match) -> Iterator[str]:
    """The classes that the cases of a `match` name, and `_`."""
    for case in match.cases:
        for pattern in case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]:
            named = pattern.pattern if isinstance(pattern, ast.MatchAs) and pattern.pattern else pattern
            yield ast.unparse(named.cls).split(".")[-1] if isinstance(named, ast.MatchClass) else ast.unparse(named)


def test_what_tells_all_statements_apart_is_found_by_mypy_when_there_is_another_one() -> None:
    statements = {each.__name__ for each in get_args(Statement)}
    for path in modules("analyzer"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Match) and statements <= set(cases(node)):
                last = ast.unparse(node.cases[-1])
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                assert "assert_never(" in last, f"{place}: end this `match` with `case _: assert_never(...)`"


MODELS = ("boathull", "extended", "roofline", "perdome", "pmac", "lslag", "dnn", "table1", "curves", "variables")
"""What computes times from a device, or solves them. `placement` takes times, `communication.systems` is data."""


def test_only_advice_evaluates_models() -> None:
    """Anywhere else only the values of the seam are used: expressions, units, workloads, results."""
    forbidden = tuple(f"models.{name}" for name in MODELS)
    for path in modules("analyzer"):
        if "advise" not in path.relative_to(SOURCES).parts:
            names = {name for level, name in imported(path) if level == 0}
            assert "models" not in names, path
            assert not [n for n in names if n in forbidden or n.startswith(tuple(f"{m}." for m in forbidden))], path


def _python(code: str, cwd: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("module", ["models", "analyzer", "analyzer.command.cli", "models.cli"])
def test_start_up_imports_nothing_heavy(module: str, tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCES)!r}); import {module}; print(*sys.modules)"
    done = _python(code, tmp_path, "-I")
    assert done.returncode == 0, done.stderr
    assert not set(HEAVY) & set(done.stdout.split())


def test_a_hostile_models_py_is_neither_run_nor_in_the_way(tmp_path: Path) -> None:
    for name in ("models.py", "analyzer.py", "numpy.py", "pycparser.py"):
        (tmp_path / name).write_text("raise SystemExit('hostile code was run')\n", encoding="utf-8")
    text = "void f(float *a) { for (int i = 0; i < 100; i++) a[i] = 0; }\n"
    (tmp_path / "a.c").write_text(text, encoding="utf-8")
    script = tmp_path / "bin" / "analyze"  # as an installed entry point: its own folder is first on the path
    script.parent.mkdir()
    path, start = f"sys.path.append({str(SOURCES)!r})", "from analyzer.command.cli import main"
    lines = ["import sys", path, start, "sys.exit(main())"]
    script.write_text("\n".join(lines), encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [sys.executable, str(script), "a.c", "-t", "gtx470"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "a.c" in done.stdout
    assert "hostile" not in done.stdout + done.stderr
