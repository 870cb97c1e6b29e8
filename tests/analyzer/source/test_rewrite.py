"""GNU C as C that pycparser reads: one construct per case, and what became of it."""

import re

import pytest
from pycparser.c_generator import CGenerator

from analyzer.source import findings

from .conftest import Loader

# Statement of a loop body, what it is rewritten to (None: unchanged), and the guesses it is marked with.
STATEMENTS: dict[str, tuple[str, str | None, tuple[str, ...]]] = {
    "asm": ('__asm__ volatile("nop");', "__boathull_asm();", ()),
    "asm operands": (
        'asm("lock; addl %1,%0" : "+m"(p->x), [o] "=r"(a[i]) : "r"(i + 1) : "memory");',
        "__boathull_asm(&p->x, &a[i], i + 1);",
        (),
    ),
    "asm goto": (
        'asm goto("jmp %l0" : : "r"(i) : : out);',
        "if (__boathull_asm(i)) goto out; __boathull_asm(i);",
        (),
    ),
    "asm after if": ('if (i) asm("nop"); else __asm("x");', "if (i) __boathull_asm(); else __boathull_asm();", ()),
    "asm register": ('register int r asm("eax") = 3;', "register int r = 3;", ("asm register",)),
    "cleanup": (
        "int k __attribute__((cleanup(tidy))) = i;",
        "int k = i; __boathull_cleanup(tidy, &k);",
        (),
    ),
    "harmless attribute": ("int k __attribute__((unused, __may_alias__)) = i;", "int k = i;", ()),
    "unknown attribute": ("int k __attribute__((mystery(1))) = i;", "int k = i;", ("__attribute__((mystery))",)),
    "statement attribute": ("if (i) __attribute__((fallthrough));", "if (i) ;", ()),
    "standard attribute": ("[[maybe_unused]] int k = a[b[0]];", "int k = a[b[0]];", ()),
    "extension": ("__extension__ long long k = 1;", "long long k = 1;", ()),
    "auto type": ("__auto_type k = a[i] + 1;", "typeof(a[i] + 1) k = a[i] + 1;", ()),
    "auto type in an auto type": (
        "__auto_type k = ({ __auto_type j = a[i]; j; });",
        "typeof(({ typeof(a[i]) j = a[i]; j; })) k = ({ typeof(a[i]) j = a[i]; j; });",
        (),
    ),
    "auto without a type": ("const auto k = a[i] + 1;", "const typeof(a[i] + 1) k = a[i] + 1;", ()),
    "auto with a type": ("auto int k = 1; auto T j = 2;", "auto int k = 1; auto T j = 2;", ()),
    "typeof": ("__typeof__(a[0]) k = 1;", "__typeof__(a[0]) k = 1;", ()),
    "case range": (
        "switch (i) { case 1 ... 3: case 'a' ... 'b': i = 2; }",
        "switch (i) { case 1: case 2: case 3: case 97: case 98: i = 2; }",
        (),
    ),
    "negative case range": (
        "switch (i) { case -1 ... 1: i = 2; }",
        "switch (i) { case -1: case 0: case 1: i = 2; }",
        (),
    ),
    "wide case range": ("switch (i) { case 1 ... 9999: i = 2; }", "switch (i) { case 1: i = 2; }", ("case range",)),
    "unknown case range": ("switch (i) { case A ... B: i = 2; }", "switch (i) { case A: i = 2; }", ("case range",)),
    "elvis": ("i = a[i] ?: 3;", "i = a[i] ? __boathull_condition : 3;", ()),
    "elvis in a call": ("g(1, p->x ?: 3);", "g(1, p->x ? __boathull_condition : 3);", ()),
    "elvis of a call": ("i = g(i) ?: 3;", "i = g(i) ? __boathull_condition : 3;", ()),
    "statement expression": ("i = ({ int y = i; y + 1; });", None, ()),
    "wide integers": ("__uint128_t k = 1; unsigned __int128 l = k;", None, ()),
    "small floats": ("_Float16 k = 1.0f16;", "_Float16 k = (_Float16) 1.0;", ()),
    "big floats": ("__float128 k = 2.0Q;", "__float128 k = (__float128) 2.0;", ()),
    "imaginary": ("float _Complex k = 2.0iF;", "float _Complex k = (float _Complex) 2.0;", ()),
    "old designators": ("struct s k = { x: 1, y: 2 };", "struct s k = { .x = 1, .y = 2 };", ()),
    "range designators": ("int k[] = { [0 ... 9] = 1 };", "int k[] = { [9] = 1 };", ("range designator",)),
    "labels stay labels": ("{ again: i = 3; }", None, ()),
    "static assert": ('_Static_assert(sizeof(int) == 4, "x"); i = 1;', "i = 1;", ()),
    "generic": ("i = _Generic(i, int: 1, default: 2);", None, ()),
    "expect": ("if (__builtin_expect(!!(i > 3), 0)) i = 1;", "if (!(!(i > 3))) i = 1;", ()),
    "unpredictable": ("if (__builtin_unpredictable(i > 3)) i = 1;", "if (i > 3) i = 1;", ()),
    "assume aligned": ("int *q = __builtin_assume_aligned(a, 32);", "int *q = a;", ()),
    "types compatible": (
        "i = __builtin_types_compatible_p(int, struct s *);",
        "i = 0;",
        ("__builtin_types_compatible_p",),
    ),
    "choose": ("i = __builtin_choose_expr(1, i, 2);", "i = (1) ? (i) : (2);", ("__builtin_choose_expr",)),
    "known constant": ("i = __builtin_constant_p((12));", "i = 1;", ()),
    "no known constant": ("i = __builtin_constant_p(n++);", "i = 0;", ()),
    "constant of a cast": ("i = __builtin_constant_p((short)(n));", None, ()),
    "perhaps a constant": ("i = __builtin_constant_p(n + 1);", None, ()),
    "label as a value": ("void *l = &&out;", "void *l = __boathull_computed;", ("label as a value",)),
    "and is no label": ("if (i && a[i] && (i) && b[0]) i = 1;", None, ()),
    "computed goto": ("goto *p;", "goto __boathull_computed;", ("computed goto",)),
    "local label": ("{ __label__ l; l: i = 1; }", "{ l: i = 1; }", ()),
    "atomic": ("_Atomic int k = 0; _Atomic(long) l; k++;", None, ()),
    "alignas": ("_Alignas(16) char k; _Alignas(double) char l;", None, ()),
    "thread": ("static __thread int k;", "static _Thread_local int k;", ()),
    "restrict": ("int *__restrict k = a; int *__restrict__ l;", "int *restrict k = a; int *restrict l;", ()),
    "alignof an object": ("i = __alignof__(p);", "i = sizeof(p);", ("_Alignof an expression",)),
    "alignof a type": ("i = __alignof__(struct s);", "i = _Alignof(struct s);", ()),
    "offsetof": ("i = __builtin_offsetof(struct s, x);", "i = offsetof(struct s, x);", ()),
    "compound literal": ("*p = (struct s){ x: 1 };", "*p = (struct s){ .x = 1 };", ()),
    "name of its type": ("{ T *T = g(sizeof(*T)); }", "{ T *T; T = g(sizeof(*T)); }", ()),
    "va_arg": ("i = __builtin_va_arg(l, int);", None, ()),
    "volatile": ("__volatile__ int k; k = i;", "volatile int k; k = i;", ()),
    "signed": ("__signed__ char k; k = i;", "signed char k; k = i;", ()),
}

FRAME = """
struct s {{ int x, y; }};
typedef struct t {{ int z; }} T;
enum {{ A = 1, B = 4 }};
static void tidy(int *x) {{ *x = 0; }}
void *g();
void f(int n, int *a, int *b, struct s *p, __builtin_va_list l) {{
  for (int i = 0; i < n; i++) {{ {0} }}
out:;
}}
"""


@pytest.mark.parametrize(("text", "expected", "guesses"), STATEMENTS.values(), ids=STATEMENTS.keys())
def test_statement(load: Loader, text: str, expected: str | None, guesses: tuple[str, ...]) -> None:
    unit = load(FRAME.format(text))
    plain = load(FRAME.format(text if expected is None else expected))
    assert plain.diagnostics == ()
    assert [d.rule for d in unit.diagnostics] == [findings.GUESS] * bool(guesses)
    function, wanted = (next(d for d in u.functions if d.name == "f") for u in (unit, plain))
    assert CGenerator().visit(function.node) == CGenerator().visit(wanted.node)
    assert function.guesses == guesses


@pytest.mark.parametrize("operand", ["sizeof(n++)", "1 ? 3 : n++", "f(&n)", "(*f)(n)", "f[1](n) + 2"])
def test_what_asks_for_a_constant_does_not_evaluate_its_operand(load: Loader, operand: str) -> None:
    unit = load(FRAME.format(f"i = __builtin_constant_p({operand});"))
    function = next(d for d in unit.functions if d.name == "f")
    assert re.search(r"i = __builtin_constant_p\(\d+\);", CGenerator().visit(function.node))
    assert function.guesses == ()


FUNCTIONS = {
    "old style": "f(a, n) double *a; int n; { for (;;) a[n] = 0; }",
    "old style with a type": "static double *f(a, n, c) double *a; int n; char **c; { for (;;) return a; }",
    "implicit int": "f(void) { for (;;) ; }",
    "static implicit int": "static f(int n) { for (;;) ; }",
    "attribute before": "__attribute__((noinline)) void f(int n) { for (;;) ; }",
    "attribute between": 'void __attribute__((noinline, section("x"))) f(int n) { for (;;) ; }',
    "declspec": "__declspec(dllexport) void f(int n) { for (;;) ; }",
    "inline": "static __inline__ void f(int n) { for (;;) ; }",
    "pointer to function": "void (*f(int n))(int) { for (;;) ; }",
    "array parameters": "void f(int n, double a[n][n], double b[restrict static 3], int c[const]) { for (;;) ; }",
    "attribute of a parameter": "void f(int n __attribute__((unused)), int *restrict a) { for (;;) ; }",
    "name in parentheses": "void (f)(int n) { for (;;) ; }",
    "variable arguments": "void f(int n, ...) { for (;;) ; }",
    "pragma inside": "void f(int n)\n{\n#pragma omp parallel for\nfor (;;)\n#pragma unroll\n;\n}",
    "pragma operator": 'void f(int n) { _Pragma("omp parallel for") for (;;) ; }',
    "no newline": "void f(int n) { for (;;) ; } // end",
    "unicode": "void f(int größe) { for (;;) größe--; }",
    "wide string": 'void f(int n) { for (;;) f(L"a"[0] + u8"b"[0] + U\'c\'); }',
    "digit suffixes": "void f(int n) { for (;;) n += 0x1p-3 + 1e+5f + 0b11u + 07 + 1.e3L + .5; }",
}


@pytest.mark.parametrize("text", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_function_head(load: Loader, text: str) -> None:
    unit = load(text)
    assert unit.diagnostics == ()
    assert [(d.name, d.node is not None, d.guesses) for d in unit.functions] == [("f", True, ())]


def test_a_nested_function_loses_its_function_with_the_reason(load: Loader) -> None:
    unit = load("void g(int n) { int h(int x) { return x; } for (;;) h(n); }\nvoid f(void) { for (;;) ; }\n")
    assert [(d.name, d.node is None) for d in unit.functions] == [("g", True), ("f", False)]
    assert [(d.rule, d.message) for d in unit.diagnostics] == [
        (findings.SYNTAX, "function g was left out: it uses a nested function")
    ]


def test_assembly_outside_of_functions_is_no_code(load: Loader) -> None:
    unit = load('asm(".globl x");\nint y asm("z");\nint h(int) __asm__("k");\nvoid f(void) { for (;;) y = h(3); }\n')
    assert unit.diagnostics == ()
    assert [d.guesses for d in unit.functions] == [()]


@pytest.mark.parametrize("depth", [500, 3000])
def test_deep_parentheses_are_read_or_reported(load: Loader, depth: int) -> None:
    unit = load(f"void f(int n) {{ for (;;) n = {'(' * depth}n{')' * depth}; }}\nvoid g(void) {{ for (;;) ; }}\n")
    assert [d.name for d in unit.functions] == ["f", "g"]
    assert unit.functions[1].node is not None
    assert (unit.functions[0].node is None) == bool(unit.diagnostics)
    assert unit.functions[0].node is not None or depth > 500
