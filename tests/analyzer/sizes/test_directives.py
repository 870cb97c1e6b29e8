"""`// analyze: independent` and `ignore[RULE]`, from the source to every report, and what they cannot do."""

import json
from pathlib import Path
from typing import Any

import pytest

LOOP = "for (int i = 0; i < n; i++)"
SCATTER = f"{LOOP}\n    a[idx[i]] = i;"
SHOWN = "for (int i = 1; i < n; i++)\n    a[i] = a[i - 1];"
EXIT = f"{LOOP}\n    if (a[i] > 0) break;"


def program(body: str) -> str:
    """`body` begins on line 2."""
    return f"void f(int n, double *restrict a, const int *restrict idx) {{\n{body}\n}}\n"


def loops(analyze: Any, *arguments: str) -> list[dict[str, Any]]:
    ran = analyze("a.c", "-f", "json", *arguments)
    assert ran.code == 0, ran.err
    return [loop for file in json.loads(ran.out)["files"] for loop in file["loops"]]


def diagnostics(analyze: Any) -> list[str]:
    (file,) = json.loads(analyze("a.c", "-f", "json").out)["files"]
    return [f"{d['line']} {d['rule']} {d['message']}" for d in file["diagnostics"]]


# --- independent


def test_the_users_word_is_an_assumption_in_every_output(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: independent idx is a permutation\n{SCATTER}"))
    (loop,) = loops(analyze)
    assert loop["parallel"] == "yes"
    assert {"kind": "user", "text": "idx is a permutation", "line": 3} in loop["assumptions"]
    assert loop["without_assumptions"] is False
    assert "user(idx is a permutation)" in " ".join(analyze("a.c", "-t", "h200", "--size", "n=9").out.split())
    assert "user(idx is a permutation)" in analyze("a.c", "-t", "h200", "--why", "a.c:3").out
    assert "user(idx is a permutation)" in analyze("a.c", "--dump", "nest", "a.c:3").out


def test_a_comma_belongs_to_no_reason(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: independent, idx is a permutation\n{SCATTER}"))
    assert "user(idx is a permutation)" in analyze("a.c", "--why", "a.c:3").out


def test_without_a_reason_it_says_independent(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: independent\n{SCATTER}"))
    (loop,) = loops(analyze)
    assert [a["text"] for a in loop["assumptions"] if a["kind"] == "user"] == ["independent"]


@pytest.mark.parametrize(
    "body",
    [
        f"/* analyze: independent */\n\n{SCATTER}",
        f"// analyze: independent\n#pragma omp parallel for\n// as said\n{SCATTER}",
        f"{LOOP} // analyze: independent\n    a[idx[i]] = i;",
        f"/* analyze: independent */ {SCATTER}",
        f"{LOOP} {{ // analyze: independent\n    a[idx[i]] = i; }}",
        f"{{ // analyze: independent\n{SCATTER} }}",
    ],
)
def test_it_holds_for_the_next_line_of_code(analyze: Any, source: Any, body: str) -> None:
    source(program(body))
    assert [loop["parallel"] for loop in loops(analyze)] == ["yes"]


@pytest.mark.parametrize(
    "body",
    [
        SCATTER,
        f"// analyze: independent\nn++;\n{SCATTER}",
        f"{SCATTER}\n// analyze: independent",
        f'char *s = "// analyze: independent";\n{SCATTER}',
    ],
)
def test_it_holds_for_nothing_else(analyze: Any, source: Any, body: str) -> None:
    source(program(body))
    assert [loop["parallel"] for loop in loops(analyze)] != ["yes"]


def test_of_loops_on_one_line_it_means_the_first(analyze: Any, source: Any) -> None:
    inner = "for (int j = 0; j < n; j++)"
    source(program(f"// analyze: independent\n{LOOP} {inner} a[idx[i] + idx[j]] = j;"))
    outer, within = loops(analyze)
    assert outer["parallel"] == "yes"
    assert within["parallel"] != "yes"


def test_it_is_not_believed_against_a_dependence_that_is_shown(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: independent trust me\n{SHOWN}"))
    (loop,) = loops(analyze)
    assert loop["parallel"] == "no"
    assert loop["reason"]["message"].endswith("; this contradicts `// analyze: independent`")
    assert "this contradicts `// analyze: independent`" in " ".join(analyze("a.c").out.split())


def test_it_does_not_settle_what_is_no_dependence(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: independent\n{EXIT}"))
    (loop,) = loops(analyze)
    assert (loop["parallel"], loop["reason"]["code"]) == ("unknown", "early-exit")
    assert loop["reason"]["message"].endswith("; this is not settled by `// analyze: independent`")


def test_it_is_no_assumption_where_none_is_made(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: independent\n{SCATTER}\n// analyze: independent\n{LOOP}\n    a[i] = i;"))
    scatter, plain = loops(analyze, "--assume", "none")
    assert scatter["parallel"] == "unknown"
    assert scatter["reason"]["message"] == "parallel only under the assumption user(independent)"
    assert (plain["parallel"], plain["assumptions"]) == ("yes", [])


def test_it_does_not_reach_into_headers(analyze: Any, source: Any, tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text(
        "static void g(int n, double *restrict a, const int *restrict idx) {\n\n" + SCATTER + "\n}\n"
    )
    source('#include "h.h"\n// analyze: independent\nvoid f(int n, double *restrict a) { ' + LOOP + " a[i] = 0; }\n")
    found = {loop["id"].split(":")[1]: loop["parallel"] for loop in loops(analyze)}
    assert found ["f"] == "yes"
    assert found["g"] != "yes"


# --- ignore


def test_an_ignored_finding_is_not_listed_and_says_so(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: ignore[DEP001] sorted out later\n{SHOWN}"))
    assert "DEP001" not in analyze("a.c", "-f", "concise").out
    text = analyze("a.c").out
    assert "ignored DEP001: sorted out later" in text
    (file,) = json.loads(analyze("a.c", "-f", "json").out)["files"]
    assert file["ignored"] == [{"line": 3, "rule": "DEP001", "reason": "sorted out later"}]
    assert file["loops"][0]["parallel"] == "no"


@pytest.mark.parametrize("directive", ["ignore[DEP]", "ignore[OFF001, dep001] x", "ignore[OFF001,DEP001]"])
def test_families_and_lists(analyze: Any, source: Any, directive: str) -> None:
    source(program(f"// analyze: {directive}\n{SHOWN}"))
    assert "DEP001" not in analyze("a.c", "-f", "concise").out


@pytest.mark.parametrize("directive", ["ignore[DEP002]", "ignore[OFF]", "ignore", "ignore[] x"])
def test_other_findings_stay(analyze: Any, source: Any, directive: str) -> None:
    source(program(f"// analyze: {directive}\n{SHOWN}"))
    assert "DEP001" in analyze("a.c", "-f", "concise").out


def test_only_its_own_line(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: ignore[DEP001]\n{SHOWN}\n{SHOWN}"))
    assert analyze("a.c", "-f", "concise").out.count("DEP001") == 1


def test_what_is_ignored_does_not_fail_a_run(analyze: Any, source: Any) -> None:
    source(program(SHOWN))
    assert analyze("a.c", "--fail-on", "note").code == 1
    source(program(f"// analyze: ignore[DEP001]\n{SHOWN}"))
    assert analyze("a.c", "--fail-on", "note").code == 0


def test_diagnostics_can_be_ignored(analyze: Any, source: Any) -> None:
    source('#include "nowhere.h" // analyze: ignore[SRC]\n' + program(SHOWN))
    assert "SRC003" in analyze("a.c").out  # a directive is no line of code
    broken = "int h(int n) { for (int i = 0; i < n; i++) ] ; }\n"
    source(program(SHOWN) + broken)
    assert "SRC001" in analyze("a.c").out
    source(program(SHOWN) + "// analyze: ignore[SRC001] generated\n" + broken)
    assert "SRC001" not in analyze("a.c").out


def test_a_saved_report_ignores_the_same(analyze: Any, source: Any) -> None:
    source(program(f"// analyze: ignore[DEP001] why\n{SHOWN}"))
    fresh = analyze("a.c", "-f", "text", "-f", "json=r.json").out
    assert analyze("--from-json", "r.json").out == fresh


# --- directives that change nothing


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("// analyze: indepedent\n" + SHOWN, "2 SRC011 `analyze: indepedent` is not known; did you mean independent?"),
        ("// analyze: ignore\n" + SHOWN, "2 SRC011 `analyze: ignore` names no rule; write"),
        ("// analyze: ignore[DEP01] x\n" + SHOWN, "2 SRC011 `analyze: ignore` names no rule 'DEP01'; did"),
        ("// analyze: independent\nn++;\n" + SHOWN, "2 SRC011 `analyze: independent` belongs above a loop"),
    ],
)
def test_a_directive_that_changes_nothing_is_a_finding(analyze: Any, source: Any, body: str, said: str) -> None:
    source(program(body))
    (found,) = diagnostics(analyze)
    assert found.startswith(said)


def test_prose_is_no_directive(analyze: Any, source: Any) -> None:
    source(program("// analyze: see the manual\n" + SHOWN))
    assert diagnostics(analyze) == []
