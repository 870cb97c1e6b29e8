"""Every loop of `fixtures/c/` against the answer that stands above it (grammar: fixtures/README.md)."""

import json
import re
import shutil
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from .fixture_expectations import (
    BOUNDS,
    COUNTS,
    Expectation,
    FixtureError,
    loop_keywords,
    macros,
    read,
)
from .report.covering import tried

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "c"
FILES = sorted(FIXTURES.glob("*.c"))
LARGE, SMALL = range(6), range(6, 10)
"""Rounds in which size symbols get values between 20 and 120, and between 0 and 3."""


def _size(symbol: str, round_: int) -> int:
    """A value for a size symbol, the same for the same name in the same round."""
    seed = zlib.crc32(f"{symbol} {round_}".encode())
    return seed % 4 if round_ in SMALL else 20 + seed % 101


def _value(formula: Any, values: Mapping[str, int], round_: int) -> Any:
    """A formula (text or expression) at the sizes of one round; a macro has its own value in all of them."""
    from models.expr import evaluate, free_symbols, parse

    expr = parse(formula) if isinstance(formula, str) else formula
    return evaluate(expr, {s: values.get(s, _size(s, round_)) for s in free_symbols(expr)})


def _equal(expected: str, found: Any, values: Mapping[str, int]) -> bool:
    """Whether two formulas agree at several sizes; at 0 to 3 too where the expected one covers them."""
    rounds = (*LARGE, *SMALL) if re.search(r"\b(min|max)\(", expected) else LARGE
    return all(_value(expected, values, r) == _value(found, values, r) for r in rounds)


# --- one field


def _bound(expected: str, found: Any, values: Mapping[str, int]) -> bool:
    return found is not None and _equal(expected, found, values)


def _count(expected: str, found: Any, values: Mapping[str, int]) -> bool:
    """`f`: exactly f; `~f`: f, exact or not; `lo..hi`: inexact with these bounds; `unknown`: no formula."""
    if expected == "unknown":
        return found is None or found.expr is None
    if found is None or found.expr is None:
        return False
    if expected.startswith("~"):
        return _equal(expected[1:], found.expr, values)
    if ".." in expected:
        low, high = expected.split("..")
        if found.exact or found.low is None or found.high is None:
            return False
        return _equal(low, found.low, values) and _equal(high, found.high, values)
    return bool(found.exact) and _equal(expected, found.expr, values)


TERMS = ("assumptions", "needs", "reductions", "private", "last_private", "first_private")


def _words(expected: str, found: Iterable[str], *, whole: bool) -> bool:
    """A comma list against names: `none` means empty, `!x` that x is absent, `*` in a word any text.

    `whole`: the list is complete; otherwise the named words must be among those found."""
    names = {re.sub(r"\s", "", name) for name in found}
    if expected == "none":
        return not names
    wanted = [*filter(None, _listed(expected))]
    for word in wanted:
        pattern = re.compile(re.escape(word.removeprefix("!")).replace(r"\*", ".*"))
        if any(pattern.fullmatch(name) for name in names) == word.startswith("!"):
            return False
    return not whole or len(names) == len(wanted)


def _listed(text: str) -> Iterator[str]:
    """What stands between the commas outside of all parentheses."""
    begin = depth = 0
    for at, c in enumerate(f"{text},"):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            yield text[begin:at]
            begin = at + 1


def _notation(text: str, values: Mapping[str, int]) -> list[list[str]]:
    """A class or species in ASCII, with sorted operands; the ranges of a species evaluated."""
    plain = re.sub(r"\s", "", text).replace("→", "->").replace("∧", "^")
    if "[" in plain:
        plain = re.sub(
            r"(?<=[\[,:(])[^\[\],:()|^]+(?=[\],:)])",
            lambda m: repr([_value(m[0], values, r) for r in LARGE]),
            plain,
        )
    return [sorted(side.split("^")) for side in plain.split("->")]


def _class(expected: str, found: str | None, values: Mapping[str, int]) -> bool:
    if expected == "none" or found is None:
        return expected == "none" and found is None
    return _notation(expected, values) == _notation(found, values)


def _assumptions(found: Iterable[Any]) -> Iterator[str]:
    """Every assumption as `kind(text)`; a pair of objects in both orders."""
    for assumption in found:
        text = assumption.text.strip()
        if "," in text and assumption.kind == "params-distinct":
            left, right = text.split(",")
            yield f"{assumption.kind}({right},{left})"
        yield text if text.startswith(f"{assumption.kind}(") else f"{assumption.kind}({text})"


def _reduction(reduction: Any) -> str:
    return f"{reduction.variable}{'[]' if reduction.array else ''}:{reduction.operator}"


def _needs(clauses: Any) -> Iterator[str]:
    """What a person writes, a word each: `private(t)`, `k=2*i`, `k:=n` after the loop, `atomic(h)`."""
    yield from (f"reduction({r.operator}:{r.variable})" for r in clauses.reductions)
    yield from (f"private({name})" for name in clauses.private)
    yield from (f"firstprivate({name})" for name in clauses.first_private)
    yield from (f"lastprivate({name})" for name in clauses.last_private)
    yield from (f"{i.variable}={i.value}" for i in clauses.inductions if i.value is not None)
    yield from (f"{i.variable}:={i.after}" for i in clauses.inductions if i.after is not None)
    yield from (f"{r.kind}({r.object})" for r in clauses.rewrites)


def _found(key: str, facts: Any) -> Any:
    """What the analysis says about `key`."""
    parallelism, counts = facts.parallelism, facts.counts
    reason = parallelism.reason
    match key:
        case "class":
            return facts.algorithm and str(facts.algorithm)
        case "species":
            return facts.species and str(facts.species)
        case "lower" | "upper" | "step":
            return getattr(facts, key)
        case "variable":
            return facts.loop.variable
        case "reason":
            return reason.code if reason else "none"
        case "distance":
            return reason.distance if reason else "none"
        case "reductions":
            return sorted(map(_reduction, parallelism.reductions))
        case "private" | "last_private" | "first_private":
            return getattr(parallelism, key)
        case "needs":
            return list(_needs(facts.clauses))
        case "assumptions":
            return list(_assumptions(parallelism.assumptions))
        case "conditions":
            return list(_assumptions(parallelism.conditions))
        case "idioms":
            return sorted({idiom.idiom for idiom in facts.idioms})
        case "coalescing":
            return [f"{array.name}:{array.coalescing}" for array in facts.arrays]
        case "pragmas":
            return [text for _, text in facts.loop.pragmas]
        case "trip":
            return counts.trip_count
        case "intensity":
            return counts.operational_intensity
        case _:
            return getattr(counts, key)


def _agrees(key: str, expected: str, found: Any, values: Mapping[str, int]) -> bool:
    if key in COUNTS:
        return _count(expected, found, values)
    if key in BOUNDS:
        return _bound(expected, found, values)
    match key:
        case "class" | "species":
            return _class(expected, found, values)
        case "reductions":
            return _words(expected, found, whole=True)
        case "needs":
            return _words(re.sub(r"\s", "", expected), found, whole=True)
        case "variable" | "distance":
            return bool(found == expected)
        case "reason":
            return found in expected.split("|")
        case "assumptions" | "conditions":
            plain = [re.sub(r"\(.*", "", text) for text in found]
            return _words(expected, found if expected == "none" else [*found, *plain], whole=False)
        case _:
            return _words(expected, found, whole=False)


def _shown(found: Any) -> str:
    """A found value for a message: counts as their formula with the bounds of an inexact one."""
    if hasattr(found, "expr") and hasattr(found, "exact"):
        from models.expr import to_text

        low, value, high = (to_text(e) if e is not None else "?" for e in (found.low, found.expr, found.high))
        return value if found.exact else f"{value} (inexact, {low}..{high})"
    return repr(found)


def _differences(expectation: Expectation, facts: Any, values: Mapping[str, int]) -> Iterator[str]:
    answer = facts.parallelism.verdict.value
    if answer not in expectation.answers:
        severity = "WRONG YES: " if answer == "yes" else ""
        expected = dict(expectation.fields)["parallel"]
        yield f"{severity}parallel: expected {expected}, got {answer} ({facts.parallelism.reason})"
    if _found("reason", facts) == "internal-error":
        yield f"internal error: {facts.parallelism.reason}"
        return
    for key, expected in expectation.fields:
        if key == "wanted":
            if answer == expected:
                yield f"wanted: {expected} is the answer now, and belongs into parallel"
            continue
        if key == "parallel" or (key in ("reason", "distance") and answer == "yes"):
            continue
        if key in TERMS and answer not in ("yes", "conditional"):
            continue  # they are the terms of such an answer
        found = _found(key, facts)
        if not _agrees(key, expected, found, values):
            yield f"{key}: expected {expected}, got {_shown(found)}"


# --- whole files


@cache
def _analysed(path: Path) -> Any:
    from analyzer.driver.analysis import analyze_file
    from analyzer.settings.options import AnalysisOptions, SourceOptions

    return analyze_file(path, SourceOptions(), AnalysisOptions(), ROOT)


def _loops_by_line(facts: Any) -> dict[int, list[Any]]:
    """Loops of a file by line, on one line by column and number of expansion."""
    lines = defaultdict(list)
    for function in facts.functions:
        for loop in function.loops:
            lines[loop.place.line].append(loop)
    return {line: sorted(loops, key=lambda f: (f.place.column, f.id)) for line, loops in lines.items()}


def _reported(facts: Any, line: int) -> bool:
    """Whether the front end says that it could not take the code around `line`."""
    return any(d.level != "note" and d.place.line <= line for d in facts.diagnostics)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_loop_has_the_answer_beside_it(path: Path) -> None:
    facts, values = _analysed(path), macros(path)
    loops, problems = _loops_by_line(facts), []
    wanted = read(path)
    for expectation in wanted:
        where = f"fixtures/c/{path.name}:{expectation.line}"
        found = loops.get(expectation.line, [])
        if expectation.rank < len(found):
            problems += [f"{where} {d}" for d in _differences(expectation, found[expectation.rank], values)]
        elif "unparsed" not in expectation.answers or not _reported(facts, expectation.line):
            problems.append(f"{where} loop not found")
    for line, found in sorted(loops.items()):
        count = sum(e.line == line for e in wanted)
        problems += [f"fixtures/c/{path.name}:{line} unexpected loop {f.id}" for f in found[count:]]
    if problems:
        pytest.fail("\n".join([f"{len(problems)} differences", *problems]), pytrace=False)


@cache
def _answers(path: Path, assume: Literal["all", "none"] = "all", strict_fp: bool = False) -> dict[tuple[str, int], Any]:
    """The answers of the dependence test alone, by function and key of the loop."""
    from analyzer.dependence import parallelism
    from analyzer.settings.options import AnalysisOptions

    options = AnalysisOptions(assume=assume, strict_fp=strict_fp)
    functions = (f.function for f in _analysed(path).functions)  # in the IR, which no option changes
    return {(f.name, key): answer for f in functions for key, answer in parallelism(f, options).items()}


def _facts_of(facts: Any) -> list[tuple[Any, ...]]:
    """What must not depend on where the preprocessed text came from."""
    return [
        (f.id, f.parallelism.verdict, f.parallelism.reductions, f.algorithm, f.species, str(f.counts))
        for function in facts.functions
        for f in function.loops
    ]


def _is_lowered_alike(path: Path, facts: Any) -> bool:
    """Whether all functions with loops have the same IR now as in these facts, which are made of nothing else."""
    from analyzer.dependence.premises import settled
    from analyzer.loops import lower_function, syntax
    from analyzer.settings.options import SourceOptions
    from analyzer.source import load_unit

    unit = load_unit(path, SourceOptions(), ROOT)
    definitions = [d for d in unit.functions if d.own and d.node is not None and syntax.holds_loops(d.node.body)]
    functions = [f for f in facts.functions if f.loops]
    return [d.name for d in definitions] == [f.function.name for f in functions] and all(
        settled(lower_function(unit, d)) == f.function
        and (f.supposed is None or settled(lower_function(unit, d, supposing=True)) == f.supposed)
        for d, f in zip(definitions, functions, strict=True)
    )


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.name)
def test_the_answers_are_the_same_without_a_compiler(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_compiler = _analysed(path)
    monkeypatch.setenv("PATH", "")
    if not _is_lowered_alike(path, with_compiler):
        assert _facts_of(_analysed.__wrapped__(path)) == _facts_of(with_compiler)


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.name)
def test_without_assumptions_every_answer_that_needs_one_is_unknown(path: Path) -> None:
    usual, bare = _answers(path), _answers(path, "none")
    assert {function for function, _ in usual} == {function for function, _ in bare}
    for key, answer in usual.items():
        assert answer.verdict.value == "yes" or not answer.assumptions, key
        if key not in bare:
            continue  # a loop of a callee is only answered inside of a parallel loop
        if answer.assumptions:
            kinds = {a.kind for a in answer.assumptions}
            assert bare[key].verdict.value == "unknown", key
            assert any(kind in bare[key].reason.message for kind in kinds), key
        else:
            assert bare[key].verdict == answer.verdict, key
        assert not bare[key].assumptions, key


def test_assumptions_of_every_kind_are_made_somewhere() -> None:
    loops = (loop for path in FILES for function in _analysed(path).functions for loop in function.loops)
    kinds = {a.kind for loop in loops for a in loop.parallelism.assumptions}
    assert kinds >= {"params-distinct", "members-distinct", "rows-distinct", "in-bounds"}
    assert kinds >= {"bound-invariant", "fp-reorder", "user"}


def test_json_says_which_answers_need_no_assumption(analyze: Any) -> None:
    for assume in ("all", "none"):
        ran = analyze(FIXTURES / "blas.c", FIXTURES / "indirect.c", "-f", "json", "--assume", assume)
        loops = [loop for file in json.loads(ran.out)["files"] for loop in file["loops"]]
        assert all(loop["without_assumptions"] == (not loop["assumptions"]) for loop in loops)
        assert any(loop["assumptions"] for loop in loops) == (assume == "all")


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.name)
def test_strict_floating_point_refuses_what_reorders(path: Path) -> None:
    usual = _answers(path)
    if not any(r.reorders_fp for answer in usual.values() for r in answer.reductions):
        return  # nothing is asked
    strict = _answers(path, "all", strict_fp=True)
    for key, answer in usual.items():
        if key not in strict:
            continue  # a loop of a callee, in one that is refused now
        reorders = any(r.reorders_fp for r in answer.reductions)
        refused = strict[key].verdict.value == "no" and strict[key].reason.code == "fp-order"
        if reorders and answer.verdict.value == "yes":
            assert refused, key
        else:  # where the rest is open, a sum whose order counts settles it
            assert strict[key].verdict == answer.verdict or (reorders and refused), key
        assert "fp-reorder" not in {a.kind for a in strict[key].assumptions}, key


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_loop_of_the_text_has_an_expectation(path: Path) -> None:
    expected: dict[int, int] = defaultdict(int)
    for expectation in read(path):
        expected[expectation.line] += 1
    bare = {line: n for line, n in loop_keywords(path).items() if expected[line] < n}
    assert not bare, f"{path.name}: loops without an expectation on lines {sorted(bare)}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_the_fixture_is_correct_c(path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    command = [compiler, "-std=gnu11", "-fsyntax-only", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("// expect: parallel=yes lods=3", "lods"),
        ("// expect: trip=3", "no parallel="),
        ("// expect: parallel=yes trip=1 trip=2", "repeated"),
        ("// expect: parallel=yes |", "cannot read"),
        ("// + trip=3", "continues no expectation"),
        ("// expect: parallel=maybe", "parallel=maybe"),
        ("// expect: parallel=yes|no", "parallel=yes|no"),
    ],
)
def test_a_malformed_expectation_is_refused(comment: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(f"void f(int *a) {{\n{comment}\nfor (int i = 0; i < 3; i++) a[i] = 0;\n}}\n")
    with pytest.raises(FixtureError, match=re.escape(message)):
        read(path)


def test_the_traps_are_many() -> None:
    traps = [e for e in read(FIXTURES / "traps.c") if "yes" not in e.answers]
    assert len(traps) >= 40


def test_loops_of_a_text_are_counted_without_the_analyser(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(
        "#define LOOP for (;;)\n"
        'void f(void) {\n// for (;;)\n/* while */ char *s = "do";\n'
        "do {\nwhile (*s) { s++; }\n} while (s);\nfor (;;) { for (;;) ; }\ndo\ns++;\nwhile (*s);\n}\n"
    )
    assert loop_keywords(path) == {5: 1, 6: 1, 8: 2, 9: 1}
