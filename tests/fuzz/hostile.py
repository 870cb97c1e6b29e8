"""Texts whose size is one number: what grows faster than it is a defect.

Each is a shape that programs have, taken to an extreme: nested, chained, doubled, or many beside each other.
`SHAPES["doubling calls"](22)` is a unit of 22 functions that each call the one before twice.
"""

from collections.abc import Callable
from typing import TypeAlias

Shape: TypeAlias = Callable[[int], str]

HEAD = "void f(int n, int m, double *restrict a, const double *restrict b, const int *restrict p)\n"
LOOP = "    for (int i = 0; i < n; i++)\n        a[i] = {0};\n"


def _function(body: str, before: str = "") -> str:
    return f"{before}{HEAD}{{\n{body}}}\n"


def _loop(value: str, before: str = "") -> str:
    return _function(LOOP.format(value), before)


# --- nested


def _nested_loops(n: int) -> str:
    heads = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++)\n" for k in range(n))
    return _function(f"{heads}a[i0] += b[i{n - 1}];\n")


def _nested_whiles(n: int) -> str:
    heads = "".join(f"while (m < n + {k}) {{ m++;\n" for k in range(n))
    return _function(f"{heads}a[m] += b[m];\n{'}' * n}\n")


def _triangle(n: int) -> str:
    heads = "".join(f"for (int i{k} = 0; i{k} < i{k - 1}; i{k}++)\n" for k in range(1, n))
    return _function(f"for (int i0 = 0; i0 < n; i0++)\n{heads}a[i{n - 1}] += b[i0];\n")


def _nested_ifs(n: int) -> str:
    heads = "".join(f"if (p[i] > {k}) {{\n" for k in range(n))
    return _function(f"for (int i = 0; i < n; i++) {{ {heads} a[i] = b[i]; {'}' * n} }}\n")


def _else_ifs(n: int) -> str:
    arms = "else ".join(f"if (p[i] == {k}) a[i] = {k};\n" for k in range(n))
    return _function(f"for (int i = 0; i < n; i++) {{ {arms} }}\n")


def _else_ifs_outside(n: int) -> str:
    arms = "else ".join(f"if (m == {k}) {{ a[{k}] = {k}; }}\n" for k in range(n))
    return _function(f"{arms}{LOOP.format('b[i]')}")


def _nested_switches(n: int) -> str:
    heads = "".join(f"switch (p[i + {k}]) {{ case {k}: a[i] = {k}; break; default:\n" for k in range(n))
    return _function(f"for (int i = 0; i < n; i++) {{ {heads} a[i] = b[i]; {'}' * n} }}\n")


# --- chained


def _chained(operator: str) -> Shape:
    return lambda n: _loop(f" {operator} ".join(f"b[i + {k}]" for k in range(n)))


def _chained_conditions(operator: str) -> Shape:
    def text(n: int) -> str:
        terms = f" {operator} ".join(f"p[i + {k}] > {k}" for k in range(n))
        return _function(f"for (int i = 0; i < n; i++) if ({terms}) a[i] = b[i];\n")

    return text


def _chained_calls(n: int) -> str:
    calls = [f"static int g{k}(int x) {{ return g{k - 1}(x + {k}); }}\n" for k in range(1, n)]
    return _loop(f"g{n - 1}(i)", "static int g0(int x) { return x; }\n" + "".join(calls))


def _doubling_calls(n: int) -> str:
    calls = [f"static double g{k}(double x) {{ return g{k - 1}(x) + g{k - 1}(x + 1); }}\n" for k in range(1, n)]
    return _loop(f"g{n - 1}(b[i])", "static double g0(double x) { return x; }\n" + "".join(calls))


def _doubling_procedures(n: int) -> str:
    calls = [f"static void g{k}(double *x) {{ g{k - 1}(x); g{k - 1}(x + 1); }}\n" for k in range(1, n)]
    before = "static void g0(double *x) { *x += 1; }\n" + "".join(calls)
    return _function(f"for (int i = 0; i < n; i++) g{n - 1}(a + i);\n", before)


def _doubling_outside(n: int) -> str:
    calls = [f"void g{k}(double *x) {{ g{k - 1}(x); g{k - 1}(x + 1); }}\n" for k in range(1, n)]
    before = "void g0(double *x) { for (int k = 0; k < 9; k++) x[k] += 1; }\n" + "".join(calls)
    return f"{before}int main(void) {{ static double x[999]; g{n - 1}(x); return 0; }}\n"


def _doubling_loops(n: int) -> str:
    calls = [
        f"static void g{k}(int n, double *x) {{ for (int i = 0; i < n; i++) g{k - 1}(n, x); g{k - 1}(n, x); }}\n"
        for k in range(1, n)
    ]
    return _function(f"g{n - 1}(n, a);\n", "static void g0(int n, double *x) { x[n]++; }\n" + "".join(calls))


def _doubling_arguments(n: int) -> str:
    text = "i"
    for _ in range(n):
        text = f"g(g0({text}))"
    return _loop(text, "static int g0(int x) { return x + x; }\nstatic int g(int x) { return g0(x) + g0(x); }\n")


def _recursive(n: int) -> str:
    heads = "".join(f"int g{k}(int x);\n" for k in range(n))
    calls = "".join(f"int g{k}(int x) {{ return x ? g{(k + 1) % n}(x - 1) : g{(k * 7) % n}(x); }}\n" for k in range(n))
    return _loop("g0(i)", heads + calls)


# --- types


def _doubling_structures(n: int) -> str:
    types = [f"struct s{k} {{ struct s{k - 1} a, b; }};\n" for k in range(1, n)]
    path = ".a" * (n - 1)
    before = "struct s0 { double x, y; };\n" + "".join(types)
    return _function(
        f"struct s{n - 1} *q = (struct s{n - 1} *)a, w = *q, *r = (void *)b;\n"
        f"for (int i = 0; i < n; i++) {{ q[i]{path}.x = b[i]; q[i] = r[i]; w = q[i]; }}\n",
        before,
    )


def _doubling_unions(n: int) -> str:
    types = [f"union u{k} {{ union u{k - 1} a, b; struct {{ union u{k - 1} c, d; }}; }};\n" for k in range(1, n)]
    return _function(
        f"static union u{n - 1} q[4]; for (int i = 0; i < n; i++) q[i]{'.a' * (n - 1)}.x = b[i];\n",
        "union u0 { double x; int y; };\n" + "".join(types),
    )


def _anonymous_doubling(n: int) -> str:
    text = "double x{0};"
    for k in range(n):
        text = f"struct {{ {text.replace('x', f'x{k}_')} struct {{ {text.replace('x', f'y{k}_')} }}; }};"
    text = text.replace("{0}", "")
    return _function(
        "struct s *q = (void *)a; for (int i = 0; i < n; i++) q[i] = q[n - i];\n", f"struct s {{ {text} }};\n"
    )


def _doubling_typedefs(n: int) -> str:
    types = [f"typedef t{k - 1} t{k}[2];\n" for k in range(1, n)]
    return _function(
        f"static t{n - 1} q; double *x = (double *)q; for (int i = 0; i < n; i++) x[i] = sizeof q;\n",
        "typedef double t0;\n" + "".join(types),
    )


def _doubling_functions(n: int) -> str:
    types = [f"typedef t{k - 1} *t{k}(t{k - 1} *, t{k - 1} *);\n" for k in range(1, n)]
    return _function(
        f"extern t{n - 1} q; for (int i = 0; i < n; i++) a[i] = sizeof(t{n - 1} *);\n",
        "typedef double t0(double);\n" + "".join(types),
    )


def _pointers(n: int) -> str:
    return _function(f"double {'*' * n}q = 0; for (int i = 0; i < n; i++) a[i] = {'*' * n}q;\n")


def _dimensions(n: int) -> str:
    return _function(f"static double q{'[2]' * n}; for (int i = 0; i < 2; i++) q{'[i]' * n} = b[i];\n")


def _members(n: int) -> str:
    types = "".join(f"double x{k};" for k in range(n))
    body = "".join(f"q[i].x{k} = b[i + {k}];\n" for k in range(n))
    return _function(
        f"struct s *q = (void *)a; for (int i = 0; i < n; i++) {{ {body} }}\n", f"struct s {{ {types} }};\n"
    )


# --- many beside each other


def _repeated(line: str, loop: str = LOOP.format("b[i]"), before: str = "") -> Shape:
    return lambda n: _function(before + "".join(f"    {line.format(k)}\n" for k in range(n)) + loop)


def _chained_declarations(n: int) -> str:
    lines = "".join(f"int x{k} = x{k - 1} + 1;\n" for k in range(1, n))
    return _function(f"int x0 = m;\n{lines}{LOOP.format(f'b[i + x{n - 1}]')}")


def _chained_pointers(n: int) -> str:
    body = "q = q->next;\n" * n
    return _function(
        f"struct s *q = (struct s *)a; {body} for (int i = 0; i < n; i++) q->x[i] = b[i];\n",
        "struct s { struct s *next; double x[9]; };\n",
    )


def _inside(line: str) -> Shape:
    def text(n: int) -> str:
        lines = "".join(f"        {line.format(k)}\n" for k in range(n))
        return _function(f"    for (int i = 0; i < n; i++) {{\n{lines}    }}\n")

    return text


def _parameters(n: int) -> str:
    heads = ", ".join(f"double *p{k}" for k in range(n))
    body = "".join(f"p{k}[i] = p{(k + 1) % n}[i];\n" for k in range(n))
    return f"void f(int n, {heads}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}\n"


def _called_with(n: int) -> str:
    heads = ", ".join(f"int x{k}" for k in range(n))
    return _loop(f"g({', '.join('i' for _ in range(n))})", f"static int g({heads}) {{ return x0 + x{n - 1}; }}\n")


def _gotos(n: int) -> str:
    body = "".join(f"l{k}: m++; if (m > {k}) goto l{(k * 7 + 3) % n};\n" for k in range(n))
    return _function(f"{body}{LOOP.format('b[i]')}")


def _forward_gotos(n: int) -> str:
    body = "".join(f"if (m == {k}) goto l{k};\n" for k in range(n))
    labels = "".join(f"l{k}: m += {k};\n" for k in range(n))
    return _function(f"{body}{LOOP.format('b[i]')}{labels}")


def _goto_loops(n: int) -> str:
    body = "".join(f"m = 0; l{k}: a[m] += {k}; if (++m < n) goto l{k};\n" for k in range(n))
    return _function(body)


def _switch(n: int) -> str:
    cases = "".join(f"case {k}: a[i] = {k}; break;\n" for k in range(n))
    return _function(f"for (int i = 0; i < n; i++) switch (p[i]) {{ {cases} }}\n")


def _falling_switch(n: int) -> str:
    cases = "".join(f"case {k}: a[i] += {k};\n" for k in range(n))
    return _function(f"for (int i = 0; i < n; i++) switch (p[i]) {{ {cases} }}\n")


def _functions(n: int) -> str:
    return "".join(f"void f{k}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] = {k}; }}\n" for k in range(n))


def _globals(n: int) -> str:
    names = "".join(f"double g{k}[100];\n" for k in range(n))
    body = "".join(f"g{k}[i] = g{(k + 1) % n}[i];\n" for k in range(n))
    return f"{names}void f(int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}\n"


def _macro_doubling(n: int) -> str:
    macros = "".join(f"#define M{k} M{k - 1} M{k - 1}\n" for k in range(1, n))
    return _loop(f"b[i] M{n - 1}", "#define M0 + 1\n" + macros)


def _initialised(n: int) -> str:
    return _loop("t[i]", f"static const int t[] = {{ {', '.join(str(k) for k in range(n))} }};\n")


def _loops(n: int) -> str:
    return _function(LOOP.format("b[i]") * n)


def _loops_in_loop(n: int) -> str:
    inner = "".join(f"for (int j{k} = 0; j{k} < i; j{k}++) a[j{k}] += b[i];\n" for k in range(n))
    return _function(f"for (int i = 0; i < n; i++) {{ {inner} }}\n")


def _swaps(n: int) -> str:
    body = "".join(f"t = x{k}; x{k} = x{(k + 1) % n}; x{(k + 1) % n} = t + x{k};\n" for k in range(n))
    names = ", ".join(f"x{k} = {k}" for k in range(n))
    return _function(f"int t, {names}; {body}{LOOP.format('x0')}")


def _doubling_values(n: int) -> str:
    body = "".join(f"int x{k} = x{k - 1} * x{k - 1} + m;\n" for k in range(1, n))
    return _function(f"int x0 = n + m; {body} for (int i = 0; i < x{n - 1}; i++) a[i] = b[i + x{n - 1}];\n")


def _doubling_sums(n: int) -> str:
    body = "".join(f"x{k} = x{k - 1} + x{k - 2};\n" for k in range(2, n))
    names = ", ".join(f"x{k} = n" for k in range(n))
    return _function(f"int {names}; {body} for (int i = 0; i < x{n - 1}; i++) a[i + x{n - 1}] = b[i];\n")


def _branching_values(n: int) -> str:
    body = "".join(f"if (p[{k}]) x += {k}; else x -= m;\n" for k in range(n))
    return _function(f"int x = 0; {body} for (int i = 0; i < x; i++) a[i + x] = b[i];\n")


def _maxima(n: int) -> str:
    body = "".join(f"x = x > p[{k}] ? x : p[{k}];\n" for k in range(n))
    return _function(f"int x = 0; {body} for (int i = 0; i < x; i++) a[i + x] = b[i];\n")


def _conditions(n: int) -> str:
    body = "".join(f"if (i + {k} < m) a[i + {k}] += b[i];\n" for k in range(n))
    return _function(f"for (int i = 0; i < n; i++) {{ {body} }}\n")


def _symbols(n: int) -> str:
    heads = ", ".join(f"int n{k}" for k in range(n))
    terms = " + ".join(f"n{k} * i" for k in range(n))
    return f"void f({heads}, double *a) {{ for (int i = 0; i < n0; i++) a[{terms}] = 1; }}\n"


def _power(n: int) -> str:
    return _function(f"for (int i = 0; i < {' * '.join(['n'] * n)}; i++) a[{' * '.join(['(i + m)'] * n)}] = 1;\n")


def _stencil(n: int) -> str:
    terms = " + ".join(f"b[(i + {k}) * m + j - {k}]" for k in range(n))
    return _function(f"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] = {terms};\n")


def _wrapped(before: str, after: str, middle: str = "i") -> Shape:
    return lambda n: _loop(before * n + middle + after * n)


SHAPES: dict[str, tuple[Shape, int]] = {
    "nested loops": (_nested_loops, 120),
    "nested whiles": (_nested_whiles, 120),
    "triangle": (_triangle, 16),
    "nested ifs": (_nested_ifs, 2000),
    "else ifs": (_else_ifs, 2000),
    "else ifs outside": (_else_ifs_outside, 2000),
    "nested switches": (_nested_switches, 200),
    "sum": (_chained("+"), 10_000),
    "product": (_chained("*"), 4_000),
    "comparisons": (_chained("<"), 4_000),
    "shifts": (_chained("<<"), 2_000),
    "commas": (_chained(","), 4_000),
    "ands": (_chained_conditions("&&"), 4_000),
    "ors": (_chained_conditions("||"), 4_000),
    "chained calls": (_chained_calls, 2_000),
    "doubling calls": (_doubling_calls, 40),
    "doubling procedures": (_doubling_procedures, 40),
    "doubling outside": (_doubling_outside, 40),
    "doubling loops": (_doubling_loops, 40),
    "doubling arguments": (_doubling_arguments, 200),
    "recursive": (_recursive, 500),
    "doubling structures": (_doubling_structures, 40),
    "doubling unions": (_doubling_unions, 40),
    "doubling anonymous": (_anonymous_doubling, 8),
    "doubling typedefs": (_doubling_typedefs, 70),
    "doubling functions": (_doubling_functions, 40),
    "pointers": (_pointers, 2_000),
    "dimensions": (_dimensions, 200),
    "members": (_members, 1_000),
    "assignments": (_repeated("m = n + {0};"), 10_000),
    "increments": (_repeated("m += {0};"), 4_000),
    "increments from memory": (_repeated("m += p[{0}];"), 4_000),
    "stores": (_repeated("a[{0}] = m;"), 4_000),
    "chained declarations": (_chained_declarations, 4_000),
    "chained loads": (_repeated("m = p[m];", LOOP.format("b[i + m]")), 4_000),
    "chained quotients": (_repeated("m = m / 3 + 7;", LOOP.format("b[i + m]")), 4_000),
    "chained remainders": (_repeated("m = m * 5 % 7;", LOOP.format("b[i + m]")), 4_000),
    "chained pointers": (_chained_pointers, 4_000),
    "accumulated": (_repeated("t = t + b[{0}];", LOOP.format("t"), "    double t = 0;\n"), 4_000),
    "accumulated products": (_repeated("m += p[{0}] * n;", LOOP.format("b[i + m]")), 4_000),
    "counting loops": (_repeated("for (int i = 0; i < n; i++) m += i;"), 300),
    "declarations": (_repeated("int x{0} = n + {0};"), 4_000),
    "calls": (_repeated("g({0});"), 4_000),
    "blocks": (_repeated("{{ int x = {0}; a[x] = n; }}"), 4_000),
    "conditional returns": (_repeated("if (m == {0}) return;"), 2_000),
    "statements in a loop": (_inside("a[i + {0}] = b[i];"), 4_000),
    "assignments in a loop": (_inside("int x{0} = p[i + {0}];"), 4_000),
    "scalars in a loop": (_inside("m = m * 3 + {0};"), 4_000),
    "conditions in a loop": (_inside("if (p[i] == {0}) a[i] = {0};"), 2_000),
    "continues in a loop": (_inside("if (p[i] == {0}) continue;"), 1_000),
    "breaks in a loop": (_inside("if (p[i] == {0}) break;"), 1_000),
    "parameters": (_parameters, 500),
    "arguments": (_called_with, 1_000),
    "gotos": (_gotos, 500),
    "forward gotos": (_forward_gotos, 500),
    "goto loops": (_goto_loops, 500),
    "switch": (_switch, 2_000),
    "falling switch": (_falling_switch, 500),
    "functions": (_functions, 200),
    "globals": (_globals, 300),
    "doubling macros": (_macro_doubling, 40),
    "initialised": (_initialised, 100_000),
    "loops": (_loops, 500),
    "loops in a loop": (_loops_in_loop, 300),
    "swaps": (_swaps, 300),
    "doubling values": (_doubling_values, 40),
    "doubling sums": (_doubling_sums, 2_000),
    "branching values": (_branching_values, 1_000),
    "maxima": (_maxima, 500),
    "conditions": (_conditions, 500),
    "symbols": (_symbols, 300),
    "power": (_power, 60),
    "stencil": (_stencil, 200),
    "parentheses": (_wrapped("(", ")"), 2_000),
    "minus": (_wrapped("- ", ""), 2_000),
    "nots": (_wrapped("!", ""), 2_000),
    "casts": (_wrapped("(int)", ""), 2_000),
    "ternaries": (_wrapped("i > n ? m : ", ""), 1_000),
    "ternaries in conditions": (_wrapped("(", "? i : m)", "i > 3"), 300),
    "subscripts": (_wrapped("p[", "]"), 500),
    "calls in calls": (_wrapped("g(", ")"), 1_000),
    "assignments in assignments": (_wrapped("m = ", ""), 1_000),
    "additions in parentheses": (_wrapped("(1 + ", ")"), 2_000),
    "sizeofs": (_wrapped("sizeof(", ")"), 500),
}
"""Name, text for a size, and the size that is a hundred times what programs have."""
