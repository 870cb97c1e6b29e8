"""New memory: by result, through a pointer, from functions of other files, and from functions that the user names."""

import json
from typing import Any

import pytest

LOOP = "for (int i = 0; i < n; i++) a[i] = b[m - i];"
HEAD = (
    "#include <stdlib.h>\nvoid *get(size_t);\nvoid use(void *);\nextern double *keep;\n"
    "struct pair { double *x, *y; };\n"
)


def answers(analyze: Any, *arguments: str) -> list[str]:
    """Per loop, the answer and the conditions of it."""
    ran = analyze(*(arguments or ("a.c",)), "-f", "json")
    assert ran.code == 0, ran.err
    loops = [loop for file in json.loads(ran.out)["files"] for loop in file["loops"]]
    return [" ".join([loop["parallel"], *(_named(c) for c in loop["conditions"] if "kind" in c)]) for loop in loops]


def _named(condition: dict[str, str]) -> str:
    return f"{condition['kind']}({condition['text']})"


def function(body: str) -> str:
    return f"{HEAD}double f(int n, int m, int k, double *p) {{\n{body}\nreturn a[0] + b[1];\n}}\n"


@pytest.mark.parametrize(
    "body",
    [
        "double *a, *b; posix_memalign((void **)&a, 64, n * 8); posix_memalign((void **)&b, 64, n * 8);",
        "void *q, *r; posix_memalign(&q, 64, n * 8); posix_memalign(&r, 64, n * 8); double *a = q, *b = r;",
        "double *a = 0, *b = 0; if (posix_memalign((void **)&a, 8, n) || posix_memalign((void **)&b, 8, n)) return 1;",
        "double *a; if (posix_memalign((void **)&a, 64, n * 8) != 0) exit(1); double *b = p;",
        "double *a = aligned_alloc(64, n * 8), *b = p; use(b);",
        "double *a = NULL, *b = p; if (k) a = malloc(n * 8); else a = calloc(n, 8);",
        "double *a = malloc(n * 8), *b = NULL; if (k) b = malloc(n * 8); else b = p;",
    ],
)
def test_new_memory_is_nothing_that_was_there(analyze: Any, source: Any, body: str) -> None:
    source(function(f"{body}\n{LOOP}"))
    assert answers(analyze) == ["yes"]


@pytest.mark.parametrize(
    "body",
    [
        "double *a = p, *b = p; if (k) posix_memalign((void **)&a, 64, n * 8);",
        "double *a, *b; posix_memalign((void **)&a, 64, n * 8); b = a + k;",
        "double *a, *b; posix_memalign((void **)&a, 64, n * 8); keep = a; b = keep;",
        "double *a = NULL, *b; if (k) a = malloc(n * 8); keep = a; use(p); b = keep;",
        "double *a = malloc(n * 8), *b; if (k) b = a; else b = malloc(n * 8);",
    ],
)
def test_what_leads_to_it_again_is_not_forgotten(analyze: Any, source: Any, body: str) -> None:
    source(function(f"{body}\n{LOOP}"))
    (answer,) = answers(analyze)
    assert answer.split()[0] != "yes"


def test_a_global_may_have_been_set_to_what_a_call_got(analyze: Any, source: Any) -> None:
    source(function(f"double *a = malloc(n * 8), *b; use(a); b = keep;\n{LOOP}"))
    assert answers(analyze) == ["yes"]
    assert answers(analyze, "a.c", "--assume", "none") == ["unknown"]
    source(function(f"double *a = malloc(n * 8), *b; b = keep; use(a);\n{LOOP}"))
    assert answers(analyze, "a.c", "--assume", "none") == ["unknown"]
    source(function(f"double *a = malloc(n * 8), *b; b = keep;\n{LOOP}"))
    assert answers(analyze, "a.c", "--assume", "none") == ["yes"]


def test_a_function_of_that_name_is_the_programs_own(analyze: Any, source: Any) -> None:
    source(
        "typedef unsigned long size_t;\nstatic double pool[100];\n"
        "int posix_memalign(void **at, size_t alignment, size_t size) { *at = pool; return 0; }\n"
        "double f(int n, int m) {\ndouble *a, *b;\n"
        "posix_memalign((void **)&a, 64, 8); posix_memalign((void **)&b, 64, 8);\n"
        f"{LOOP}\nreturn a[0] + b[1];\n}}\n"
    )
    assert answers(analyze) != ["yes"]


FILL = "for (int i = 0; i < n; i++) s->x[i] = s->y[m - i];"


@pytest.mark.parametrize(
    ("made", "strict"), [("made(n)", "yes"), ("malloc(n * 8)", "yes"), ("get(n * 8)", "unknown")]
)
def test_members_that_are_allocated_are_apart(analyze: Any, source: Any, made: str, strict: str) -> None:
    """By assumption, where nobody can see that it is an allocator."""
    helper = "static void *made(int n) { void *p = malloc(n * 8); if (!p) exit(1); return p; }\n"
    source(f"{HEAD}{helper}void f(int n, int m, struct pair *s) {{ s->x = {made}; s->y = {made};\n{FILL}\n}}\n")
    assert answers(analyze) == ["yes"]
    assert answers(analyze, "a.c", "--assume", "none") == [strict]


def test_one_block_behind_two_members_is_one(analyze: Any, source: Any) -> None:
    helper = "static void *made(int n) { void *p = malloc(n * 8); if (!p) exit(1); return p; }\n"
    body = f"void *p = made(n); s->x = p; s->y = p;\n{FILL}"
    source(f"{HEAD}{helper}void f(int n, int m, struct pair *s) {{ {body}\n}}\n")
    assert answers(analyze) != ["yes"]


# --- what the user says


GIVEN = "double *a = get(n * 8), *b = get(n * 8);"


def test_functions_that_the_user_says_allocate(analyze: Any, source: Any) -> None:
    source(function(f"{GIVEN}\n{LOOP}"))
    assert answers(analyze) == ["conditional distinct(a,b)"]
    assert answers(analyze, "a.c", "--alloc", "got,get") == ["yes"]
    source('[[fact]]\nfile = "a.c"\nalloc = "get"\n', "analyze-facts.toml")
    assert answers(analyze) == ["yes"]
    source('[[fact]]\nfile = "b.c"\nalloc = "get"\n', "analyze-facts.toml")
    assert answers(analyze) == ["conditional distinct(a,b)"]


def test_functions_that_hand_memory_out_through_a_parameter(analyze: Any, source: Any) -> None:
    declared = "int grab(void **p, unsigned long n);\nint other(void);\n"
    given = "double *a = 0, *b = 0; grab((void **)&a, n); grab((void **)&b, n); other();"
    code = function(f"{given}\n{LOOP}")
    source(declared + code)
    assert answers(analyze) == ["conditional distinct(a,b)"]
    assert answers(analyze, "a.c", "--alloc", "grab") == ["yes"]
    source(declared.replace("grab", "allocate") + code.replace("grab", "allocate"))
    assert answers(analyze) == ["yes"]
    assert answers(analyze, "a.c", "--assume", "none") == ["unknown"]


def test_nobody_knows_what_else_such_a_function_does(analyze: Any, source: Any) -> None:
    source(f"{HEAD}void f(int n, double **r) {{ for (int i = 0; i < n; i++) r[i] = get(8); }}\n")
    (answer,) = answers(analyze, "a.c", "--alloc", "get")
    assert answer == "conditional independent(get)"


@pytest.mark.parametrize(
    ("definition", "why"),
    [
        ("static double pool[9]; void *got(int n) { return pool; }", "it returns `pool` (line "),
        ("void *got(int n, void *p) { if (n) return (char *)p; return malloc(n); }", "it returns `p` (line "),
        ("struct pair *all; void *got(int n) { return &all[n]; }", "it returns `&all[n]` (line "),
        ("int got(int n) { return n; }", "it does not return a pointer"),
    ],
)
def test_what_the_body_shows_is_believed_instead(analyze: Any, source: Any, definition: str, why: str) -> None:
    arguments = "n, p" if "void *p" in definition else "n"
    made = f"(void *)got({arguments})"
    source(function(f"double *a = {made}, *b = {made};\n{LOOP}") + definition + "\n")
    ran = analyze("a.c", "--alloc", "got", "-f", "json")
    (file,) = json.loads(ran.out)["files"]
    assert file["loops"][0]["parallel"] != "yes"
    assert f"`--alloc got` is not believed: {why}" in "\n".join(d["message"] for d in file["diagnostics"])


# --- other files


POOL = (
    "#include <stdlib.h>\nstatic size_t total;\nstatic void fail(const char *f, int line) { abort(); }\n"
    "void *get(size_t n) { void *p = malloc(n); total += n; if (!p) fail(__FILE__, __LINE__); return p; }\n"
)


def test_allocators_of_other_files_are_read_where_no_loop_calls_them(analyze: Any, source: Any) -> None:
    source(function(f"{GIVEN}\n{LOOP}"))
    source(POOL, "pool.c")
    assert answers(analyze, ".") == ["yes"]
    source(POOL.replace("malloc(n)", "(void *)reuse(n)"), "pool.c")
    assert answers(analyze, ".") == ["conditional distinct(a,b)"]


def test_what_a_loop_calls_may_still_not_change_variables(analyze: Any, source: Any) -> None:
    source(f"{HEAD}void f(int n, double **r) {{ r[0] = get(8); for (int i = 0; i < n; i++) r[i] = get(8); }}\n")
    source(POOL, "pool.c")
    (answer,) = answers(analyze, ".")
    assert answer.split()[0] != "yes"


def test_an_allocator_that_gives_one_block_twice(analyze: Any, source: Any) -> None:
    source(function(f"{GIVEN}\n{LOOP}"))
    source(
        "#include <stdlib.h>\nstatic void *last;\nvoid *get(size_t n) { if (!last) last = malloc(n); return last; }\n",
        "pool.c",
    )
    (answer,) = answers(analyze, ".")
    assert answer.split()[0] != "yes"
