"""Sizes that the program settles itself: integers of a file, assigned once before anything asks for them."""

import json
from typing import Any

import pytest

START = "static int nx;\n"
WORK = """static double a[4096];
static void work(void) { for (int i = 0; i < nx; i++) a[i] *= 0.5; }
"""


def value_of(analyze: Any, source: Any, text: str) -> tuple[int | None, str]:
    """Value and source of `nx` in work()."""
    source(text)
    ran = analyze("a.c", "-t", "h200", "-f", "json")
    assert ran.code == 0, ran.err
    symbols = json.loads(ran.out)["symbols"]
    (found,) = [s for s in symbols if s["scope"] == "a.c:work" and s["name"].startswith("nx")]
    return found["value"], found["source"]


@pytest.mark.parametrize(
    ("text", "value", "line"),
    [
        pytest.param(START + WORK + "int main(void) { nx = 64; work(); return 0; }\n", 64, 4, id="in main"),
        pytest.param(
            START + WORK + "static void set(void) { nx = 64; }\n"
            "int main(void) { set(); work(); return 0; }\n", 64, 4, id="in a function that main calls",
        ),
        pytest.param(
            START + WORK + "int main(int c, char **v) {\n if (c > 2) return 1;\n"
            " for (int t = 0; t < c; t++) a[t] = 1;\n nx = 2 * 32;\n work(); return 0; }\n", 64, 7, id="after a loop",
        ),
        pytest.param(
            "static int nx, ny;\n" + WORK + "static void more(void) { ny = nx / 2; }\n"
            "int main(void) { nx = 64; more(); work(); return 0; }\n", 64, 5, id="used for another",
        ),
        pytest.param(
            "static int nx, ny;\n" + WORK + "static void more(void) { nx = ny / 2; }\n"
            "int main(void) { ny = 128; more(); work(); return 0; }\n", 64, 4, id="from another",
        ),
        pytest.param(
            "int sees(void);\n" + START + WORK
            + "int main(void) {\n nx = 64;\n work(); sees();\n for (int t = 0; t < nx; t++) a[t] = 1;\n return 0; }\n",
            64, 6, id="asked for in main, after",
        ),
        pytest.param(
            START + WORK + "int main(void) { nx = 64;\n for (int t = 0; t < 9; t++) work();\n return 0; }\n",
            64, 4, id="used in a loop",
        ),
    ],
)  # fmt: skip
def test_one_assignment_settles_it(analyze: Any, source: Any, text: str, value: int, line: int) -> None:
    assert value_of(analyze, source, text) == (value, f"assigned once at a.c:{line}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("int nx;\n" + WORK + "int main(void) { nx = 64; work(); return 0; }\n", id="other files see it"),
        pytest.param(
            START + WORK + "int main(void) { nx = 64; work(); nx = 32; work(); return 0; }\n", id="two"
        ),
        pytest.param(
            START + WORK + "int main(void) { for (int i = 0; i < nx; i++) a[i] = 1; nx = 64; work(); return 0; }\n",
            id="asked for in main, before",
        ),
        pytest.param(START + WORK + "int main(void) { work(); nx = 64; work(); return 0; }\n", id="late"),
        pytest.param(
            START + WORK + "int main(int c, char **v) { if (c > 1) nx = 64; work(); return 0; }\n",
            id="under a condition",
        ),
        pytest.param(
            START + WORK + "int main(int c, char **v) { nx = c; work(); return 0; }\n", id="no constant"
        ),
        pytest.param(
            "#include <stdio.h>\nstatic int nx;\n" + WORK
            + 'int main(void) { nx = 64; scanf("%d", &nx); work(); return 0; }\n', id="its address is taken",
        ),
        pytest.param(
            START + WORK + "static void other(void) { nx++; }\nvoid (*p)(void) = other;\n"
            "int main(void) { nx = 64; work(); return 0; }\n", id="changed where main does not lead by name",
        ),
        pytest.param(
            START + WORK + "static void set(void) { work(); nx = 64; }\n"
            "int main(void) { set(); return 0; }\n", id="used by the function that sets it, before",
        ),
        pytest.param(
            START + WORK + "int main(int c, char **v) { if (c > 1) { nx = 64; } else { work(); }\n return 0; }\n",
            id="used in the other arm",
        ),
        pytest.param(START + WORK + "void set(void) { nx = 64; work(); }\n", id="no main"),
        pytest.param(
            START + WORK + "int main(void) { nx = -1; work(); return 0; }\n", id="below 0",
        ),
        pytest.param(
            START + WORK.replace("work(void)", "work(int nx)") +
            "int main(int c, char **v) { nx = 64; work(c); return 0; }\n", id="a parameter of that name",
        ),
        pytest.param(
            "static int nx, ny;\n" + WORK + "static void more(void) { nx = ny / 2; }\n"
            "int main(void) { more(); ny = 128; work(); return 0; }\n", id="from another that comes later",
        ),
    ],
)  # fmt: skip
def test_what_settles_nothing(analyze: Any, source: Any, text: str) -> None:
    assert value_of(analyze, source, text) == (None, "unknown")


def test_the_user_knows_better(analyze: Any, source: Any) -> None:
    source(START + WORK + "int main(void) { nx = 64; work(); return 0; }\n")
    ran = analyze("a.c", "-t", "h200", "-f", "json", "--size", "work:nx=100")
    symbols = json.loads(ran.out)["symbols"]
    (found,) = [s for s in symbols if s["scope"] == "a.c:work"]
    assert (found["value"], found["source"]) == (100, "option")


def test_the_program_is_placed_with_it(analyze: Any, source: Any) -> None:
    source(START + WORK + "int main(void) { nx = 64; work(); return 0; }\n")
    program = json.loads(analyze("a.c", "-t", "h200", "-f", "json").out)["program"]
    assert program["before_s"] > 0


def test_a_function_of_a_header_may_assign(analyze: Any, source: Any) -> None:
    source("static int nx;\nstatic inline void more(void) { nx = 128; }\n", "b.h")
    text = '#include "b.h"\n' + WORK + "int main(void) { nx = 64; more(); work(); return 0; }\n"
    assert value_of(analyze, source, text) == (None, "unknown")
