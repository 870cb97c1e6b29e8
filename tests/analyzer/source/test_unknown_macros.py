"""Names that nothing declares: types of the C library, and macros of a missing header. No function is lost to them, and
nothing is claimed of what they may hide."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FileFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import findings
from analyzer.source.ctypes import Function, Integer, Pointer
from analyzer.source.standard_types import NAMES, standard_type
from analyzer.source.unit import Abi

from .conftest import Loader

HEAD = '#include "nowhere.h"\n'
EACH = "for (int i = 0; i < n; i++)"


def analysed(text: str) -> FileFacts:
    return analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=HEAD + text)


@pytest.mark.parametrize(
    "text",
    [
        f"static INLINE int f(int n) {{ {EACH} g(i); return n; }}",
        f"GLOBAL(int) f(int n) {{ {EACH} g(i); return n; }}",
        f"GLOBAL(struct s *) f(int n) {{ {EACH} g(i); return 0; }}",
        f'DEPRECATED("x", 3) static int f(int n) {{ {EACH} g(i); return n; }}',
        f"BOOL CALLBACK f(HWND h, int n) {{ {EACH} g(i); return n; }}",
        f"int f(int n) NOTHROW {{ {EACH} g(i); return n; }}",
        f"int f(int n) THROWS(1) {{ {EACH} g(i); return n; }}",
        f"END_DECLS MODULE(\"x\") int f(int n) {{ {EACH} g(i); return n; }}",
        f"int f(int n UNUSED, char **v ATTR(1)) {{ {EACH} v[i] = 0; return n; }}",
        f"void f(double * RESTRICT a, int n) {{ {EACH} a[i] = 0; }}",
        f"void f(const list *l, int n) {{ {EACH} g(l); }} struct list {{ int x; }};",
        f"void f(int n) {{ UNUSED(n) {EACH} g(i); }}",
        f"void f(int n) {{ {EACH} g(i); DONE(n) }}",
        f"void f(int n) {{ if (n) LOG(n) else {EACH} g(i); }}",
        f"void f(int n, char *p) {{ char *q = CAST(char *, p); {EACH} q[i] = 0; }}",
        f"void f(int n) {{ struct s *q = NEW(struct s, n); {EACH} g(q); }}",
        f"void f(int n) {{ VECTOR(int) v; VECTOR(char) *w = h(); {EACH} g(v, w); }}",
        f"void f(int n) {{ LOCKED(m) {{ {EACH} g(i); }} }}",
        f"void f(int n) {{ {EACH} g(PREFIX \"text\" SUFFIX); }}",
    ],
)
def test_no_function_is_lost_to_a_macro(load: Loader, text: str) -> None:
    unit = load(HEAD + text)
    assert [(d.name, d.node is not None) for d in unit.functions] == [("f", True)]
    assert not any(d.rule == findings.SYNTAX for d in unit.diagnostics)


@pytest.mark.parametrize(
    "text",
    [
        "int f(int a { for (;;) a--; }",
        "int f(int a) { for (;;) a--; return a }",
        "int f(int a) { for (;;) a-- }",
        "int f(int a) { for (;;) { step(a) a--; } }",
        "int f(int a) { for (;;) a = (a + ; }",
    ],
)
def test_what_is_no_c_is_still_said(load: Loader, text: str) -> None:
    """All headers are there: only names in capitals may be macros."""
    assert findings.SYNTAX in [d.rule for d in load(text).diagnostics]


def test_parameters_in_capitals_keep_their_names(load: Loader) -> None:
    unit = load(f"{HEAD}API int f(const count_t N, real_t *A, int n) {{ {EACH} A[i] = N; STEP(n) }}")
    (node,) = (d.node for d in unit.functions)
    assert node is not None
    assert [p.name for p in node.decl.type.args.params] == ["N", "A", "n"]


def test_structures_with_attributes_are_no_functions(load: Loader) -> None:
    unit = load(f"{HEAD}struct PACKED(1) s {{ int x; }};\nint f(int n) {{ {EACH} g(i); return n; }}")
    assert [(d.name, d.node is not None) for d in unit.functions] == [("f", True)]


def test_names_made_by_macros(load: Loader) -> None:
    unit = load(f"{HEAD}int API SUFFIX(sum_)(const SUFFIX(vec_) *v, SUFFIX(vec_) w, int n) {{ {EACH} g(v, w); }}")
    assert [(d.name, d.node is not None) for d in unit.functions] == [("SUFFIX_sum_", True)]


def test_functions_that_return_functions_have_their_names(load: Loader) -> None:
    unit = load("void (*f(int n))(int) { for (;;) n--; }\nvoid g(void (*h)(int), int n) { while (n--) h(n); }")
    assert [(d.name, d.node is not None) for d in unit.functions] == [("f", True), ("g", True)]


def test_old_style_functions_are_no_macros(load: Loader) -> None:
    unit = load("int f(a, b) int a; int b; { while (a--) b++; return b; }\nint g() { for (;;) ; }")
    assert [(d.name, d.node is not None) for d in unit.functions] == [("f", True), ("g", True)]


def test_a_macro_before_a_block_is_a_loop_of_which_nothing_is_known() -> None:
    text = "void f(struct s *l, int *a, int n) { for (int i = 0; i < n; i++) { struct s *p; int t = 0; "
    text += "each(p, l) { a[i] += p->x; t++; } a[i] += t; } }"
    facts = analysed(text)
    outer, inner = facts.functions[0].loops
    assert (facts.functions_total, facts.functions_analyzed) == (1, 1)
    assert (inner.loop.kind, outer.parallelism.verdict.value) == ("while", "unknown")
    assert inner.counts.iterations is None or not inner.counts.iterations.exact


def test_a_macro_without_a_semicolon_prevents_a_yes() -> None:
    text = f"void f(double *restrict a, double *restrict b, int n) {{ {EACH} {{ STEP(a) b[i] = a[i]; }} }}"
    facts = analysed(text)
    assert facts.functions[0].loops[0].parallelism.verdict.value == "unknown"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("uint64_t", (8, False)),
        ("int64_t", (8, True)),
        ("u_int32_t", (4, False)),
        ("int16_t", (2, True)),
        ("uint8_t", (1, False)),
        ("int8_t", (1, True)),
        ("__u16", (2, False)),
        ("__s64", (8, True)),
        ("uint_least8_t", (1, False)),
        ("int_fast16_t", (8, True)),
        ("size_t", (8, False)),
        ("ssize_t", (8, True)),
        ("off_t", (8, True)),
        ("time_t", (8, True)),
        ("pid_t", (4, True)),
        ("mode_t", (4, False)),
        ("wchar_t", (4, True)),
        ("uint", (4, False)),
        ("ushort", (2, False)),
        ("bool", (1, False)),
    ],
)
def test_types_that_nothing_declares(load: Loader, name: str, wanted: tuple[int, bool]) -> None:
    text = f"{HEAD}void f({name} *a, int n) {{ {EACH} a[i] = ({name})(a[i]) + sizeof({name}); }}"
    unit = load(text, standard="gnu11")  # `bool` is a keyword of later ones
    (parameter, _) = unit.prototypes["f"].parameters  # type: ignore[union-attr]
    assert isinstance(parameter, Pointer)
    assert isinstance(parameter.target, Integer)
    assert (parameter.target.size, parameter.target.signed) == wanted
    assert [d.level for d in unit.diagnostics if d.rule == findings.UNKNOWN_TYPE] == ["note"]


def test_sizes_follow_the_abi(load: Loader) -> None:
    text = f"{HEAD}void f(size_t *a, uint64_t *b, intptr_t *c, wchar_t *d, int n) {{ {EACH} a[i] = b[i]; }}"
    sizes = {}
    for abi in ("lp64", "llp64"):
        function = load(text, abi=abi).prototypes["f"]
        assert isinstance(function, Function)
        sizes[abi] = [p.target.size for p in function.parameters[:4]]  # type: ignore[union-attr]
    assert sizes == {"lp64": [8, 8, 8, 4], "llp64": [8, 8, 8, 2]}


def test_every_standard_name_has_a_type(load: Loader) -> None:
    for name in sorted(NAMES):
        assert standard_type(name, Abi())
    everything = ", ".join(f"{name} *a{index}" for index, name in enumerate(sorted(NAMES)))
    unit = load(f"{HEAD}void f(int n, {everything}) {{ {EACH} ; }}")
    assert unit.functions[0].node is not None
    assert [d.level for d in unit.diagnostics if d.rule == findings.UNKNOWN_TYPE] == ["note"]


def test_words_that_are_variables_stay_variables(load: Loader) -> None:
    text = f"{HEAD}int f(int uint, int bool) {{ for (int DIR = 0; DIR < bool; DIR++) uint += DIR; return uint; }}"
    unit = load(text, standard="gnu11")
    assert unit.functions[0].node is not None
    assert findings.UNKNOWN_TYPE not in [d.rule for d in unit.diagnostics]
