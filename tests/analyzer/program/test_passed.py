"""Sizes that all calls of a function pass with one value."""

import json
from typing import Any

import pytest

HEAD = "static double a[4096];\n"
WORK = "static void work(int n) { for (int i = 0; i < n; i++) a[i] *= 0.5; }\n"


def size_of(analyze: Any, source: Any, text: str, name: str = "n", function: str = "work") -> tuple[int | None, str]:
    """Which device is asked about makes no difference."""
    source(text)
    known = set()
    for target in ([], ["-t", "h200"]):
        ran = analyze("a.c", *target, "-f", "json")
        assert ran.code == 0, ran.err
        (found,) = [s for s in json.loads(ran.out)["symbols"] if (s["scope"], s["name"]) == (f"a.c:{function}", name)]
        known.add((found["value"], found["source"]))
    (only,) = known
    return only


@pytest.mark.parametrize(
    ("text", "value", "line"),
    [
        pytest.param(HEAD + WORK + "int main(void) { work(64); return 0; }\n", 64, 3, id="a constant"),
        pytest.param(
            HEAD + WORK + "int main(void) { int n = 64;\n work(n); return 0; }\n", 64, 4, id="a local of main"
        ),
        pytest.param(
            HEAD + WORK + "int main(void) {\n work(64);\n for (int t = 0; t < 9; t++)\n  work(8 * 8); return 0; }\n",
            64, 4, id="two calls that agree",
        ),
        pytest.param(
            HEAD + WORK + "static void more(int m) {\n work(m / 2); }\nint main(void) { more(128); return 0; }\n",
            64, 4, id="passed on",
        ),
        pytest.param(
            HEAD + "static void work(int n);\nint main(void) {\n work(64); return 0; }\n" + WORK, 64, 4, id="declared",
        ),
        pytest.param(
            HEAD + WORK + "/* work() is called\n   twice: */\nint main(void) {\n work(64); return 0; }\n",
            64, 6, id="named in a comment",
        ),
        pytest.param(
            HEAD + "static void\nwork(int n)\n{ for (int i = 0; i < n; i++) a[i] *= 0.5; }\n"
            "int main(void) {\n work(64); return 0; }\n", 64, 6, id="its type on a line of its own",
        ),
        pytest.param(
            HEAD + WORK.replace("int n", "unsigned char n") + "int main(void) { work(64); return 0; }\n",
            64, 3, id="a narrow type that holds it",
        ),
    ],
)  # fmt: skip
def test_calls_that_agree_settle_it(analyze: Any, source: Any, text: str, value: int, line: int) -> None:
    assert size_of(analyze, source, text) == (value, f"passed by each call, as at a.c:{line}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            HEAD + WORK.replace("static void", "void") + "int main(void) { work(64); return 0; }\n",
            id="other files may call it",
        ),
        pytest.param(HEAD + WORK + "int main(void) {\n work(64);\n work(65); return 0; }\n", id="two values"),
        pytest.param(HEAD + WORK + "int main(void) {\n work(64); work(65); return 0; }\n", id="on one line"),
        pytest.param(HEAD + WORK + "int main(int c, char **v) {\n work(c); return 0; }\n", id="no constant"),
        pytest.param(
            HEAD + WORK + "void (*later)(int) = work;\nint main(void) {\n work(64); return 0; }\n", id="a pointer to it"
        ),
        pytest.param(
            HEAD + WORK + "#define WORK work(65)\nint main(void) {\n work(64);\n WORK; return 0; }\n", id="in a macro"
        ),
        pytest.param(
            HEAD + WORK + "#ifdef MORE\nvoid more(void) { work(65); }\n#endif\n"
            "int main(void) {\n work(64); return 0; }\n",
            id="in code that is not compiled",
        ),
        pytest.param(
            HEAD + "static void work(int n) {\n for (int i = 0; i < n; i++) a[i] *= 0.5;\n if (n > 1) work(n - 1); }\n"
            "int main(void) {\n work(64); return 0; }\n", id="it calls itself",
        ),
        pytest.param(
            HEAD + WORK + "int main(int c, char **v) { int n = 64; if (c > 1) n = 65;\n work(n); return 0; }\n",
            id="two values of a local",
        ),
        pytest.param(
            HEAD + WORK + "int main(void) {\n for (int t = 0; t < 64; t++)\n  work(t); return 0; }\n", id="a counter"
        ),
        pytest.param(HEAD + WORK + "int main(void) {\n work(-64); return 0; }\n", id="below zero"),
        pytest.param(
            HEAD + WORK.replace("int n", "unsigned char n") + "int main(void) { work(320); return 0; }\n",
            id="a narrow type that cuts it",
        ),
    ],
)  # fmt: skip
def test_what_may_be_another_value_settles_nothing(analyze: Any, source: Any, text: str) -> None:
    assert size_of(analyze, source, text)[0] is None


@pytest.mark.parametrize(
    ("change", "trips"),
    [("if (n > 5) n = 5;", 5), ("n = n / 2;", 32), ("n = m > 3 ? n + m : n;", None)],
)
def test_trips_of_a_parameter_that_changes_first(analyze: Any, source: Any, change: str, trips: int | None) -> None:
    """The calls say what it is on entry."""
    loop = "for (int i = 0; i < n; i++) a[i] *= 0.5;"
    text = HEAD + f"static void work(int n, int m) {{ {change} {loop} }}\n"
    source(text + "int main(void) { work(64, 4); return 0; }\n")
    (found,) = json.loads(analyze("a.c", "-t", "h200", "-f", "json").out)["files"][0]["loops"]
    assert found["trip_count"]["value"] == trips


def test_a_user_says_another_size(analyze: Any, source: Any) -> None:
    source(HEAD + WORK + "int main(void) { work(64); return 0; }\n")
    ran = analyze("a.c", "-t", "h200", "-f", "json", "--size", "n=5000")
    (found,) = [s for s in json.loads(ran.out)["symbols"] if s["name"] == "n"]
    assert (found["value"], found["source"]) == (5000, "option")


def test_the_text_says_where_it_is_from(analyze: Any, source: Any) -> None:
    source(HEAD + WORK + "int main(void) { work(64); return 0; }\n")
    assert "work()\n          sizes   n = 64 passed by each call, as at a.c:3\n" in analyze("a.c", "-t", "h200").out


def test_the_arithmetic_says_where_it_is_from(analyze: Any, source: Any) -> None:
    source(HEAD + WORK + "int main(void) { work(64); return 0; }\n")
    assert "\nsizes     n = 64 passed by each call, as at a.c:3\n" in analyze("a.c", "-t", "h200", "--why", "a.c:2").out


def test_without_a_size_that_may_be_fixed_no_calls_are_read(
    analyze: Any, source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from analyzer.program import reading

    def read(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(reading, "outlines", read)
    source("void scale(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 0.5; }\n")
    assert "depends on a size" in analyze("a.c").out
