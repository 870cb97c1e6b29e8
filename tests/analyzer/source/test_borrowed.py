"""Functions of other files of a run: which are read behind the file that calls them, and which are not."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit

CALLER = "double f(double v);\nvoid g(int n, double *restrict y, const double *x)\n" \
    "{\n    for (int i = 0; i < n; i++)\n        y[i] = f(x[i]);\n}\n"  # fmt: skip


def _options(folder: Path, files: dict[str, str]) -> SourceOptions:
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = sorted(str((folder / name).resolve()) for name in files if name.endswith(".c"))
    return SourceOptions(together=tuple(paths))


def loop_of(folder: Path, files: dict[str, str]) -> LoopFacts:
    """The first loop of a.c, where all these files are of one run."""
    facts = analyze_file(folder / "a.c", _options(folder, files), AnalysisOptions(), folder)
    return next(loop for function in facts.functions for loop in function.loops)


def verdict_of(folder: Path, files: dict[str, str]) -> str:
    return loop_of(folder, files).parallelism.verdict.value


def why_not(folder: Path, other: str, caller: str = CALLER) -> str:
    unit = load_unit(folder / "a.c", _options(folder, {"a.c": caller, "b.c": other}), folder)
    assert "f" not in unit.definitions
    return unit.elsewhere["f"].why


def test_a_function_is_followed_with_what_it_needs(tmp_path: Path) -> None:
    other = """
    #define LIMIT 3.0
    typedef struct { double low, high; } range;
    static const double table[4] = {1, 2, 3, 4};
    enum { FIRST, SECOND };
    static double squared(double v) { return v * v; }
    static range around(double v) { range r = {v - 1, v + 1}; return r; }
    double f(double v) { return v > LIMIT ? squared(v) * table[SECOND] : around(v).high; }
    """
    loop = loop_of(tmp_path, {"a.c": CALLER, "b.c": other})
    assert loop.parallelism.verdict.value == "yes"
    assert not loop.parallelism.assumptions
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, {}), tmp_path)
    assert not unit.elsewhere


@pytest.mark.parametrize("declared", ["static const double", "static double const", "static long double const"])
def test_constants_of_a_function_are_no_variables(tmp_path: Path, declared: str) -> None:
    other = f"double f(double v) {{ {declared} third = 1 / 3.0; return v * third; }}"
    assert verdict_of(tmp_path, {"a.c": CALLER, "b.c": other}) == "yes"


def test_heads_with_comments_are_found(tmp_path: Path) -> None:
    other = """
    double f( /* the weight; of one {value} */
        double v /* in "units" */, // what is asked for
        const double *w /* [n] */) /* always */
    { return v * w[0]; }
    """
    caller = CALLER.replace("f(double v)", "f(double v, const double *w)").replace("f(x[i])", "f(x[i], x)")
    assert verdict_of(tmp_path, {"a.c": caller, "b.c": other}) == "yes"


def test_prototypes_of_static_functions_are_no_variables(tmp_path: Path) -> None:
    other = """
    static double first(const double (*rows)[2], double v);
    double f(double v) { double row[1][2] = {{v, 1}}; return first(row, v); }
    static double first(const double (*rows)[2], double v) { return rows[0][0] * v; }
    """
    assert verdict_of(tmp_path, {"a.c": CALLER, "b.c": other}) == "yes"


@pytest.mark.parametrize("type_", ["_Alignas(16) static double", "static __typeof__(1.0)", "static double"])
def test_a_static_variable_is_none_of_this_file(tmp_path: Path, type_: str) -> None:
    """Both files declare `kept` with one text, and have each their own."""
    own = f"{type_} kept[8];\n"
    caller = own + CALLER + "double h(void) { return kept[0]; }"
    why = why_not(tmp_path, own + "double f(double v) { return kept[(int)v]; }", caller)
    assert "`kept` means something else" in why


def test_counts_are_those_of_the_function(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, {"a.c": CALLER, "b.c": "double f(double v) { return v * v + 1; }"})
    assert str(loop.counts.flops_fp64.expr) == "2*n"


def test_functions_three_files_deep(tmp_path: Path) -> None:
    files = {
        "a.c": CALLER,
        "b.c": "double h(double v); double f(double v) { return 2 * h(v); }",
        "c.c": "double k(double v); double h(double v) { return k(v) + 1; }",
        "d.c": "double k(double v) { return v * v; }",
    }
    assert verdict_of(tmp_path, files) == "yes"


def test_what_a_function_writes_is_seen(tmp_path: Path) -> None:
    header = "struct cell { double a, b; };\nvoid step(struct cell *c, int k);\n"
    caller = '#include "h.h"\nvoid g(int n, struct cell *c) { for (int i = 0; i < n; i++) step(c, i); }\n'
    own = '#include "h.h"\nvoid step(struct cell *c, int k) { c[k].a = c[k].b; }\n'
    next_ = '#include "h.h"\nvoid step(struct cell *c, int k) { c[k].a = c[k + 1].a; }\n'
    assert verdict_of(tmp_path, {"h.h": header, "a.c": caller, "b.c": own}) == "yes"
    assert verdict_of(tmp_path, {"h.h": header, "a.c": caller, "b.c": next_}) == "no"


@pytest.mark.parametrize(
    ("parameter", "answer"),
    [("double *y", "yes"), ("double y[]", "yes"), ("double y[3]", "yes"), ("double y[static 2]", "yes"),
     ("float y[]", "open"), ("const double y[]", "open"), ("double y[][1]", "open"), ("double *y[]", "open"),
     ("double (*y)[1]", "open")],
)  # fmt: skip
def test_an_array_as_parameter_is_a_pointer(tmp_path: Path, parameter: str, answer: str) -> None:
    caller = "void step(double *, int);\nvoid g(int n, double *y) { for (int i = 0; i < n; i++) step(y, i); }\n"
    found = verdict_of(tmp_path, {"a.c": caller, "b.c": f"void step({parameter}, int k) {{ y[k] = 0; }}\n"})
    assert (found == "yes") == (answer == "yes")


def test_texts_and_builtins_call_nothing(tmp_path: Path) -> None:
    """Nothing else is open in this loop: the text names no function, and the compiler knows its own."""
    caller = (
        "double f(double v); int printf(const char *, ...);\n"
        "void g(int n, double *restrict y, const double *x)\n"
        "{ for (int i = 0; i < n; i++)\n"
        '{ y[i] = f(x[i]); if (!__builtin_isfinite(x[i])) printf("at %d (of %d)", i, n); } }\n'
    )
    other = "double f(double v) { return v * v; }"
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, {"a.c": caller, "b.c": other}))
    assert "f" in unit.definitions


def test_a_file_alone_says_nothing_of_others(tmp_path: Path) -> None:
    _options(tmp_path, {"a.c": CALLER, "b.c": "double f(double v) { return v; }"})
    facts = analyze_file(tmp_path / "a.c", SourceOptions(), AnalysisOptions(), tmp_path)
    answer = facts.functions[0].loops[0].parallelism
    assert [a.kind.value for a in answer.conditions] == ["pure"]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (
            "static long used;\nstatic void count(long n) { used += n; }\ndouble f(double v) { count(1); return v; }",
            "where `count` changes `used`, a global variable",
        ),
        ("int hits; double f(double v) { hits++; return v; }", "changes `hits`"),
        ("static int hits[9]; double f(double v) { hits[(int)v] = 1; return v; }", "changes `hits`"),
        ("int hits; void exit(int); double f(double v) { hits++; if (v > 0) return v; exit(1); }", "changes `hits`"),
        ("int hits; void exit(int); double f(double v) { hits++; if (v > 0) exit(1); }", "changes `hits`"),
        ("static int hits[9]; void add(int *); double f(double v) { add(hits); return v; }", "changes `hits`"),
        ("static int hits; void add(int *); double f(double v) { add(&hits); return v; }", "changes `hits`"),
        ("double f(double v) { static double last; double l = last; last = v; return l; }", "static variables"),
        ("double f(double v) { static double const *last; last = &v; return *last; }", "static variables"),
        ("double f(double v) { static double *const last = 0; return v + !last; }", "static variables"),
        ("double h(v) double v; { return v; }\ndouble f(double v) { return h(v); }", "`h` means something else"),
        ("float f(float v) { return v; }", "its declaration is another one"),
        ("double f(double v, ...) { return v; }", "any number of arguments"),
        ("__attribute__((weak)) double f(double v) { return v; }", "may stand in for it"),
        ("double f(double v) { extern int off; return v + off; }", "declares in itself"),
        ("#pragma weak f\ndouble f(double v) { return v; }", "may stand in for it"),
        ("double f(double v) { return v; }\ndouble f(double v) __attribute__((weak));", "may stand in for it"),
        ("#pragma pack(1)\nstruct s { char c; double d; };\n"
         "double f(double v) { struct s x = {0, v}; return x.d; }", "`s` means something else"),
    ],
)  # fmt: skip
def test_what_is_not_read_here(tmp_path: Path, other: str, why: str) -> None:
    assert why in why_not(tmp_path, other)


@pytest.mark.parametrize(
    "other",
    [
        "static int hits; double f(double v, ...) { hits++; return v; }",
        "static int hits; __attribute__((weak)) double f(double v) { hits++; return v; }",
        "typedef float real; static real last; double f(double v) { real l = last; last = v; return l; }",
    ],
)
def test_what_is_seen_to_change_something_is_not_supposed_to_be_pure(tmp_path: Path, other: str) -> None:
    caller = "typedef double real;\n" + CALLER
    assert verdict_of(tmp_path, {"a.c": caller, "b.c": other}) == "unknown"


@pytest.mark.parametrize(
    "said",
    ['double f(double v) __asm__("other");', "#pragma redefine_extname f other", "#pragma weak f = other"],
)
def test_the_caller_means_another_function(tmp_path: Path, said: str) -> None:
    assert "may stand in for it" in why_not(tmp_path, "double f(double v) { return v; }", f"{said}\n{CALLER}")


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("typedef float real;", "typedef double real;\ndouble f(double v) { real r = v; return r; }"),
        ("struct s { int a; };", "struct s { double a; };\ndouble f(double v) { struct s x = {v}; return x.a; }"),
        ("enum { MANY = 3 };", "enum { MANY = 4 };\ndouble f(double v) { return v * MANY; }"),
        ("static double h(double v) { return 0; }", "static double h(double v) { return v; }\n"
         "double f(double v) { return h(v); }"),
        ("static double h(double v) { return 0; }", "double h(double v);\ndouble f(double v) { return h(v); }"),
        ("static double scale = 2;", "static double scale = 3;\ndouble f(double v) { return scale * v; }"),
        ("static double scale = 2;", "extern double scale;\ndouble f(double v) { return scale * v; }"),
        ("typedef int T;", "double f(double v) { double T = v; return T; }"),
        ("typedef float real; struct s { real x; };",
         "typedef double real; struct s { real x; };\ndouble f(double v) { struct s y = {v}; return y.x; }"),
    ],
)  # fmt: skip
def test_names_that_mean_something_else(tmp_path: Path, here: str, there: str) -> None:
    assert "means something else" in why_not(tmp_path, there, here + "\n" + CALLER)


@pytest.mark.parametrize("packed", ["here", "there"])
def test_a_structure_that_is_packed_in_one_file(tmp_path: Path, packed: str) -> None:
    header = "struct s { char c; double d; };\ndouble f(double v);\n"
    caller = '#include "h.h"\n' + CALLER.partition("\n")[2]
    other = '#include "h.h"\ndouble f(double v) { struct s x = {0, v}; return x.d; }'
    both = {"a.c": caller, "b.c": other, "h.h": header}
    assert verdict_of(tmp_path, both) == "yes"
    name = {"here": "a.c", "there": "b.c"}[packed]
    both[name] = "#pragma pack(1)\n" + both[name].replace("\n", "\n#pragma pack()\n", 1)
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, both), tmp_path)
    assert "`s` means something else" in unit.elsewhere["f"].why


def test_a_structure_that_only_the_other_file_knows_and_packs(tmp_path: Path) -> None:
    packed = "#pragma pack(push, 1)\nstruct s { char c; double d; };\n#pragma pack(pop)\n"
    other = f"int k;\n{packed}double f(double v) {{ struct s x = {{0, v}}; return x.d; }}"
    assert "`s` means something else" in why_not(tmp_path, other)


def test_a_local_variable_with_the_name_of_a_structure_is_none_of_the_file(tmp_path: Path) -> None:
    other = "struct mean;\nstruct mean { double v; };\ndouble f(double v) { double mean = v; mean += 1; return mean; }"
    assert verdict_of(tmp_path, {"a.c": CALLER, "b.c": other}) == "yes"


@pytest.mark.parametrize("declared", ["#include <math.h>", "int j1;"])
def test_a_variable_of_the_function_may_have_the_name_of_a_function_or_variable(tmp_path: Path, declared: str) -> None:
    other = f"{declared}\ndouble f(double v) {{ double s = 0; int j1; for (j1 = 0; j1 < 3; j1++) s += v; return s; }}"
    assert verdict_of(tmp_path, {"a.c": f"#include <math.h>\n{CALLER}", "b.c": other}) == "yes"


def test_a_variable_of_the_file_that_a_function_sets_is_its_own_only_where_it_declares_it(tmp_path: Path) -> None:
    why = why_not(tmp_path, "int last; double f(double v) { for (last = 0; last < 3; last++) v += v; return v; }")
    assert "changes `last`" in why


def test_two_definitions_say_nothing(tmp_path: Path) -> None:
    files = {"a.c": CALLER, "b.c": "double f(double v) { return v; }", "c.c": "double f(double v) { return -v; }"}
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, files), tmp_path)
    assert unit.elsewhere["f"].why == "is defined in b.c and in c.c, and nothing says which is called"


def test_a_static_function_is_of_its_file(tmp_path: Path) -> None:
    unit = load_unit(
        tmp_path / "a.c",
        _options(tmp_path, {"a.c": CALLER, "b.c": "static double f(double v) { return v; }"}),
        tmp_path,
    )
    assert "f" not in unit.definitions
    assert not unit.elsewhere


def test_names_of_members_and_parameters_are_no_names_of_the_file(tmp_path: Path) -> None:
    here = "struct point { double x, write; };\n" + CALLER
    there = """
    struct point { double x, write; };
    static int x, write, v;
    void touch(void) { x++; write++; v++; }
    double f(double v) { struct point p = {v, v}; struct point *q = &p; return p.x + q->write + v; }
    """
    assert verdict_of(tmp_path, {"a.c": here, "b.c": there}) == "yes"


@pytest.mark.parametrize(
    ("body", "is_read"),
    [
        ("size_t index; index = (size_t)v; return index + v;", True),
        ("unsigned index = 3, other; other = index; return other + v;", True),
        ("for (size_t index = 0; index < 3; index++) v += index; return v + index;", False),
        ("{ size_t index = 3; v += index; } return v + index;", False),
        ("v = index; size_t index; index = (size_t)v; return index + v;", False),
    ],
)
def test_a_variable_of_the_function_is_no_name_of_the_file(tmp_path: Path, body: str, is_read: bool) -> None:
    """Here `index` is another thing; that file lacks a header, so that nobody knows what it declares."""
    other = f'#include "lost.h"\n#include <stddef.h>\ndouble f(double v) {{ {body} }}'
    caller = f"#include <stddef.h>\ndouble index(int);\n{CALLER}"
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, {"a.c": caller, "b.c": other}), tmp_path)
    assert ("f" in unit.definitions) is is_read


@pytest.mark.parametrize(("used", "is_read"), [("x[index]", True), ("index(x)", False)])
def test_a_parameter_of_a_function_that_is_announced_is_no_name_of_the_file(
    tmp_path: Path, used: str, is_read: bool
) -> None:
    """Here `index` is a function, there another one."""
    parameter = "int index" if is_read else "int"
    other = f"""
    double index(const double *);
    double part(const double *x, {parameter});
    double part(const double *x, {parameter}) {{ return {used}; }}
    double f(double v) {{ return part(&v, 0); }}
    """
    caller = f"double index(int);\n{CALLER}"
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, {"a.c": caller, "b.c": other}), tmp_path)
    assert ("f" in unit.definitions) is is_read


def test_a_parameter_of_so_many_elements_is_a_pointer_like_any_other(tmp_path: Path) -> None:
    caller = CALLER.replace("f(double v)", "f(const double v[static 3])").replace("f(x[i])", "f(x + 3 * i)")
    other = "double f(const double v[3]) { return v[0] + v[2]; }"
    assert verdict_of(tmp_path, {"a.c": caller, "b.c": other}) == "yes"


def test_borrowed_functions_are_not_reported_twice(tmp_path: Path) -> None:
    other = "double f(double v) { double s = 0; for (int k = 0; k < 3; k++) s += v; return s; }"
    facts = analyze_file(
        tmp_path / "a.c", _options(tmp_path, {"a.c": CALLER, "b.c": other}), AnalysisOptions(), tmp_path
    )
    assert [f.function.name for f in facts.functions] == ["g"]
    assert [loop.place.path for f in facts.functions for loop in f.loops] == ["a.c"]


@pytest.mark.parametrize(("missing", "is_read"), [(1, True), (3, True), (4, False)])
def test_little_is_read_for_a_loop_that_calls_much_that_nobody_defines(
    tmp_path: Path, missing: int, is_read: bool
) -> None:
    """An answer has three conditions at most."""
    names = [f"missing{k}" for k in range(missing)]
    calls = " ".join(f"{name}(i);" for name in names)
    caller = CALLER.replace("y[i] = f(x[i]);", f"{{ y[i] = f(x[i]); {calls} }}")
    caller = "".join(f"void {name}(int);\n" for name in names) + caller
    other = "double f(double v) { return v; }"
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, {"a.c": caller, "b.c": other}), tmp_path)
    assert ("f" in unit.definitions) == is_read
    reported = caller.replace("(i);", '("no such element");').replace("(int);", "(char *);")
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, {"a.c": reported, "b.c": other}), tmp_path)
    assert "f" in unit.definitions


PLAN = "struct plan { struct piece *first; int n; };\ndouble f(const struct plan *p, int i);\n"
BY_PLAN = PLAN + "void g(struct plan *p, int n, double *restrict y)\n{\n    for (int i = 0; i < n; i++)\n" \
    "        y[i] = f(p, i);\n}\n"  # fmt: skip


def test_a_tag_that_a_header_only_uses_is_the_one_of_the_function(tmp_path: Path) -> None:
    other = PLAN + "struct piece { double v; };\ndouble f(const struct plan *p, int i) { return p->first[i].v; }"
    assert verdict_of(tmp_path, {"a.c": BY_PLAN, "b.c": other}) == "yes"


def test_a_tag_of_two_structures_is_not(tmp_path: Path) -> None:
    other = PLAN + "struct piece { double v; };\ndouble f(const struct plan *p, int i) { return p->first[i].v; }"
    unit = load_unit(
        tmp_path / "a.c",
        _options(tmp_path, {"a.c": "struct piece { float w; };\n" + BY_PLAN, "b.c": other}),
        tmp_path,
    )
    assert "`piece` means something else" in unit.elsewhere["f"].why


OPAQUE = "typedef struct piece piece;\npiece *piece_of(piece *p, int i);\ndouble f(piece *p, int i);\n"
BY_PIECE = OPAQUE + "void g(piece *p, int n, double *restrict y)\n{\n    for (int i = 0; i < n; i++)\n" \
    "        y[i] = f(p, i);\n}\n"  # fmt: skip
OF_PIECES = "double f(piece *p, int i) { return p[i].v; }\n"


def test_members_that_only_the_other_file_knows(tmp_path: Path) -> None:
    other = OPAQUE + "enum kind { A, B };\nstruct piece { enum kind of; double v; };\n" + OF_PIECES
    assert verdict_of(tmp_path, {"a.c": BY_PIECE, "b.c": other}) == "yes"


def test_members_that_only_this_file_knows(tmp_path: Path) -> None:
    caller = "struct piece { double v; };\nstruct all { struct piece *first; };\n" + CALLER
    other = "struct piece;\nstruct all { struct piece *first; };\n" \
        "double f(double v) { struct all a = {0}; return a.first ? 0 : v; }\n"  # fmt: skip
    assert verdict_of(tmp_path, {"a.c": caller, "b.c": other}) == "yes"


def test_members_that_two_files_know_and_this_one_does_not(tmp_path: Path) -> None:
    caller = BY_PIECE.replace("f(p, i)", "f(piece_of(p, i), 0)")
    members = OPAQUE + "struct piece { double v; };\n"
    other, third = members + OF_PIECES, members + "piece *piece_of(piece *p, int i) { return p + i; }\n"
    assert verdict_of(tmp_path, {"a.c": caller, "b.c": other, "c.c": third}) == "yes"
    third = third.replace("double v", "float v, w")
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, {"a.c": caller, "b.c": other, "c.c": third}), tmp_path)
    assert {"f", "piece_of"} & unit.definitions.keys() != {"f", "piece_of"}
    assert any("`piece` means something else" in each.why for each in unit.elsewhere.values())


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("struct piece { float v; };", "struct piece { double v; };"),
        ("", "#pragma pack(push, 4)\nstruct piece { char c; double v; };\n#pragma pack(pop)"),
        ('#include "missing.h"', "struct piece { double v; };"),
        ("", "struct piece { double v; } first;"),
    ],
)
def test_members_that_may_be_others(tmp_path: Path, here: str, there: str) -> None:
    files = {"a.c": BY_PIECE.replace(OPAQUE, f"{OPAQUE}{here}\n"), "b.c": f"{OPAQUE}{there}\n{OF_PIECES}"}
    unit = load_unit(tmp_path / "a.c", _options(tmp_path, files), tmp_path)
    assert "f" not in unit.definitions


@pytest.mark.parametrize(
    "declared", ["extern const int *map;", "extern const int map[4];", "int map[9];"]
)
def test_conditions_on_what_only_the_other_file_names_have_no_test(tmp_path: Path, declared: str) -> None:
    caller = CALLER.replace("y[i] = f(x[i]);", "put(y, i, x[i]);").replace("double f(", "void put(double *, int, ", 1)
    other = f"{declared}\nvoid put(double *y, int k, double v) {{ y[map[k]] = v; }}"
    answer = loop_of(tmp_path, {"a.c": caller, "b.c": other})
    assert [(c.kind.value, c.text, c.check) for c in answer.tested] == [("injective", "map", None)]
    header = "extern const int map[9];\n"
    seen = loop_of(tmp_path, {"a.c": header + caller, "b.c": header + other.replace(declared, "const int map[9];")})
    assert [c.check is None for c in seen.tested] == [False]


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        ("failed = 1; exit(3);", True),
        ("failed = 1; if (v > 0) { dump(); } abort();", True),
        ("failed = 1; if (v > 0) exit(3);", False),
        ("failed = 1; if (v > 0) return v; exit(3);", False),
        ("failed = 1; if (v > 0) longjmp(v); exit(3);", False),
        ("failed = 1; exit(3); return 0;", False),
        ("failed = 1; leave: exit(3); goto leave;", False),
    ],
)
def test_what_ends_the_program_is_told_from_what_may_come_back(tmp_path: Path, body: str, ends: bool) -> None:
    head = "int failed; void exit(int), abort(void), dump(void), longjmp(double);"
    other = f"{head} double f(double v) {{ {body} }}"
    caller = "double f(double v);\nvoid g(int n, double *restrict y, const double *x)\n" \
        "{ for (int i = 0; i < n; i++) { if (x[i] < 0) f(x[i]); y[i] = x[i]; } }\n"  # fmt: skip
    assert verdict_of(tmp_path, {"a.c": caller, "b.c": other}) == ("conditional" if ends else "unknown")
    assert verdict_of(tmp_path, {"a.c": CALLER, "b.c": other}) == "unknown"


@pytest.mark.parametrize(
    ("name", "said", "attribute", "verdict"),
    [
        ("tell", "writing %d", "", "unknown"),  # it may be what the branch is for
        ("tell", "WARNING: %d", "", "conditional"),
        ("warning", "small: %d", "", "conditional"),
        ("tell", "%d", "__attribute__((noreturn))", "conditional"),
        ("tell", "%d", "__attribute__((format(printf, 1, 2)))", "unknown"),
    ],
)
def test_what_is_seen_to_come_back_may_tell_anything(
    tmp_path: Path, name: str, said: str, attribute: str, verdict: str
) -> None:
    header = f"void {name}(const char *, ...) {attribute};\n"
    body = "{ va_list all; va_start(all, text); show(text, all); va_end(all); }"
    shown = "#include <stdarg.h>\nvoid show(const char *, va_list);\n"
    other = f"{shown}{header}void {name}(const char *text, ...) {body}"
    loop = f'for (int i = 0; i < n; i++) {{ if (x[i] == 3) {name}("{said}", i); y[i] = x[i]; }}'
    caller = f"{header}void g(int n, double *restrict y, const double *x) {{ {loop} }}"
    assert verdict_of(tmp_path, {"a.c": caller, "b.c": other}) == verdict
    assert verdict_of(tmp_path, {"a.c": caller}) == "conditional"


MADE = CALLER.replace("f(", "lib_half(")
HALF = "#define LIB(name) lib_##name\ndouble LIB(half)(double v) { return v / 2; }\n"


@pytest.mark.parametrize(
    "other",
    [
        HALF,
        HALF.replace("LIB(half)", "LIB (half )"),
        HALF.replace("lib_##name", "name##_half").replace("LIB(half)", "LIB(lib)"),
        # the longest part is asked for
        HALF + "double LIB(alf)(double v) { return v; }\n",
    ],
)  # fmt: skip
def test_a_function_whose_name_a_macro_makes_is_followed(tmp_path: Path, other: str) -> None:
    assert verdict_of(tmp_path, {"a.c": MADE, "b.c": other}) == "yes"


@pytest.mark.parametrize(
    "others",
    [
        {"b.c": HALF, "c.c": HALF.replace("v / 2", "v / 3")},
        {"b.c": HALF.replace("lib_##name", "other_##name")},
        {"b.c": HALF.replace("double LIB", "static double LIB")},
        {"b.c": HALF.replace("LIB(half)", "LIB(half2)")},
        {"b.c": HALF.replace("double LIB", "int shown; double LIB").replace("{ return", "{ shown++; return")},
    ],
)  # fmt: skip
def test_another_name_that_a_macro_makes_is_none(tmp_path: Path, others: dict[str, str]) -> None:
    assert verdict_of(tmp_path, {"a.c": MADE, **others}) != "yes"
