"""Cutting a listing into declarations, and the names each of them introduces."""

import pytest

from analyzer.source.declarations import Declaration, cut, declared_names, function_name

NAMES = {
    "extern size_t (length) (struct list *l, int k);": ["length"],
    "const char *(text)(int k), (other);": ["text", "other"],
    "int x;": ["x"],
    "int x, *y, z[3] = {1, 2, 3}, w = 4;": ["x", "y", "z", "w"],
    "extern unsigned long int x;": ["x"],
    "int f(int a, double b);": ["f"],
    "int *f(void), g(int x), h;": ["f", "g", "h"],
    "typedef unsigned long size_t;": ["size_t"],
    "typedef int (*compare)(const void *, const void *);": ["compare"],
    "typedef int row[10];": ["row"],
    "void (*signal(int number, void (*handler)(int)))(int);": ["signal"],
    "int (*table[4])(int), (*one)(void);": ["table", "one"],
    "struct s;": ["s"],
    "struct s { int a; struct t *b; };": ["s", "t"],
    "struct s { int a; } x, *y;": ["s", "x", "y"],
    "typedef struct { int a, b; } pair;": ["pair"],
    "typedef struct node { struct node *next; } node;": ["node", "node", "node"],
    "enum { A, B = 3, C = B + D };": ["A", "B", "C"],
    "enum colour { RED, GREEN } c;": ["colour", "RED", "GREEN", "c"],
    "struct s { enum { P, Q } kind; union u { int i; } v; };": ["s", "P", "Q", "u"],
    "int x __attribute__((aligned(8))), y;": ["x", "y"],
    'int f(int) __attribute__((alias("g"), nonnull(1)));': ["f"],
    'int f(int) __asm__("g");': ["f"],
    "__extension__ typedef struct { long q; } lldiv_t;": ["lldiv_t"],
    'static const struct { int a; const char *b; } list[] = { { 1, "x;y" }, { 2, 0 } };': ["list"],
    "typedef __typeof__(sizeof(int)) size;": ["size"],
    '_Static_assert(sizeof(int) == 4, "x");': [],
    "char s[] = \"{\", c = '}';": ["s", "c"],
}


@pytest.mark.parametrize(("text", "names"), NAMES.items())
def test_declared_names(text: str, names: list[str]) -> None:
    assert list(declared_names(text)) == names


HEADS = {
    "extern size_t (length) (struct list *l, int k) ": "length",
    "const char *(text)(int k) ": "text",
    "int f(int a)": "f",
    "static inline int *f(void)": "f",
    "void (*f(int n))(int)": "f",
    "__attribute__((noinline)) void f()": "f",
    "f(a, b) int a; long b;": "f",
    "struct s *f(struct s (*g)(int))": "f",
    "void (f)(int n)": "f",
}


@pytest.mark.parametrize(("head", "name"), HEADS.items())
def test_function_name(head: str, name: str) -> None:
    assert function_name(head) == name


def pieces(code: str) -> list[tuple[bool, str]]:
    found = cut(code)
    assert "".join(d.text for d in found) + code[found[-1].end :] == code
    return [(d.is_function, d.text.strip()) for d in found]


CUTS = {
    "int x; int f(void) { ; } int y;": [(False, "int x;"), (True, "int f(void) { ; }"), (False, "int y;")],
    "struct s { int a; } x; void f() { }": [(False, "struct s { int a; } x;"), (True, "void f() { }")],
    "int a[] = { 1, 2 }; int b;": [(False, "int a[] = { 1, 2 };"), (False, "int b;")],
    "f(a) int a; char *b; { x; } int y;": [(True, "f(a) int a; char *b; { x; }"), (False, "int y;")],
    "int x; f(a) int a; { }": [(False, "int x;"), (True, "f(a) int a; { }")],
    "struct __attribute__((packed)) s { int a; };": [(False, "struct __attribute__((packed)) s { int a; };")],
    "void f() { g(\"}\"); c = '{'; } int y;": [(True, "void f() { g(\"}\"); c = '{'; }"), (False, "int y;")],
    "void f() { } } void g() { }": [(True, "void f() { }"), (False, "}"), (True, "void g() { }")],
    "void f() { if (x) {\n}\nvoid g() { }\nint y;": [
        (True, "void f() { if (x) {\n}"),
        (True, "void g() { }"),
        (False, "int y;"),
    ],
    "int f(int a { b; }\nvoid g() { }": [(False, "int f(int a { b; }"), (True, "void g() { }")],
    "int x": [(False, "int x")],
}


@pytest.mark.parametrize(("code", "expected"), CUTS.items())
def test_cut(code: str, expected: list[tuple[bool, str]]) -> None:
    assert pieces(code) == expected


LOOPS = {
    "for (;;) ;": True,
    "while (x) ;": True,
    "do x--; while (x);": True,
    "x = y;": False,
    "do { x; } while (0);": False,
    "do { x; } while (0); while (x) ;": True,
    "do { do { x; } while ( 0 ); y; } while (0);": False,
    "do { x; } while (0); for (;;) ;": True,
    "forge(); whileaway();": False,
}


@pytest.mark.parametrize(("body", "loop"), LOOPS.items())
def test_a_loop_is_seen_but_not_the_do_once_of_macros(body: str, loop: bool) -> None:
    code = f"void f(void) {{ {body} }}"
    assert Declaration(code, 0, len(code), code.index("{")).has_loop is loop
