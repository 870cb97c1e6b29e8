"""C on the left, the loop IR on the right."""

import pytest

from analyzer.ir import nodes as ir

from .picture import lowered, picture

PARAMETERS = "int n, int m, double *a, double *b, int *idx, struct g *s, double **R"
PROLOGUE = "struct g { int n; double *d; double v[10]; };\ndouble A[100][200];\nvoid ext(void); double sqrt(double);\n"


def body(c: str) -> list[str]:
    """The picture of a body, without the empty loop that keeps a function without loops from being skipped."""
    lines = picture(f"{PROLOGUE}void f({PARAMETERS}) {{ {c} for (;0;); }}")
    return lines[:-1] if lines[-1] == "loop ?" else lines


def loops_of(c: str) -> list[ir.Loop]:
    return list(ir.loops(lowered(f"{PROLOGUE}void f({PARAMETERS}) {{ {c} }}").body))


@pytest.mark.parametrize(
    ("c", "trip", "access"),
    [
        pytest.param("for (int i = 0; i < n; i++) a[i] = 0;", "n", "a[k1]", id="up"),
        pytest.param("for (int i = 1; i <= n; ++i) a[i] = 0;", "n", "a[k1+1]", id="inclusive"),
        pytest.param("for (int i = n - 1; i >= 0; i--) a[i] = 0;", "n", "a[n-k1-1]", id="down"),
        pytest.param("for (int i = n; i > 0; i -= 2) a[i] = 0;", "n ceil 2", "a[n-2*k1]", id="down by two"),
        pytest.param("for (int i = 0; n > i; i = i + 3) a[i] = 0;", "n ceil 3", "a[3*k1]", id="reversed test"),
        pytest.param("for (int i = 0; i != n; i++) a[i] = 0;", "n", "a[k1]", id="not equal"),
        pytest.param("int i = 2; while (i < n) { a[i] = 0; i++; }", "n-2", "a[k1+2]", id="counting while"),
        pytest.param("int i = n; while (i--) a[i] = 0;", "n", "a[n-k1-1]", id="countdown in the test"),
        pytest.param("for (unsigned long i = n; i-- > 0;) a[i] = 0;", "n", "a[n-k1-1]", id="size_t countdown"),
        pytest.param("int i = 0; do { a[i] = 0; i++; } while (i < n);", "n", "a[k1]", id="do"),
        pytest.param("double *p = a; while (p < a + n) *p++ = 0;", "n", "a[k1]", id="pointer walk"),
        pytest.param("for (double *p = a; p != a + n; p += 2) p[1] = 0;", "?", "a[2*k1+1]", id="pointer step"),
        pytest.param("int k = 3; for (int i = 0; i < n; i++, k += 2) a[k] = 0;", "n", "a[2*k1+3]", id="comma step"),
        pytest.param("for (int i = 0; i < s->n; i++) a[i] = 0;", "(s->n)", "a[k1]", id="member bound"),
        pytest.param("for (int i = 0; i < n && i < m; i++) a[i] = 0;", "n min m", "a[k1]", id="two bounds"),
        pytest.param("for (int i = 0; i < n && b[i] > 0; i++) a[i] = 0;", "n at most", "a[k1]", id="data in the test"),
        pytest.param("for (int i = 1; i < n; i *= 2) a[i] = 0;", "?", "a[i]", id="geometric"),
        pytest.param(
            "for (int i = 0; i < n; i++) { if (b[i] > 0) break; a[i] = 0; }", "n at most", "a[k1]", id="break"
        ),
    ],
)
def test_loop_forms(c: str, trip: str, access: str) -> None:
    lines = body(c)
    assert f"loop {trip}" in lines
    assert any(line.strip().startswith(f"{access} = ") for line in lines)


def test_zero_is_not_confused_with_a_missing_step() -> None:
    loop = loops_of("for (int i = 0; i < 10; i += 4) a[i] = 0;")[0]
    assert (str(loop.first), str(loop.last), str(loop.step)) == ("0", "8", "4")


@pytest.mark.parametrize(
    ("c", "access"),
    [
        pytest.param("A[n][m] = 0;", "A[n][m]", id="multi-dimensional"),
        pytest.param("a[n * m + 2] = 0;", "a[n*m+2]", id="linearised"),
        pytest.param("*(a + n - 1) = 0;", "a[n-1]", id="pointer arithmetic"),
        pytest.param("R[n][m] = 0;", "R[][n][m]", id="row pointer"),
        pytest.param("s->d[n] = 0;", "s.d[0][n]", id="pointer member"),
        pytest.param("s[n].v[m] = 0;", "s[n][m].v", id="array member"),
        pytest.param("n[a] = 0;", "a[n]", id="index first"),
        pytest.param("(&a[n])[m] = 0;", "a[n+m]", id="address of an element"),
        pytest.param("double *row = &A[n][0]; row[m] = 0;", "A[n][m]", id="pointer into a row"),
        pytest.param("((float *)a)[n] = 0;", "a[n]", id="cast"),
        pytest.param("a[idx[n]] = 0;", "a[(idx[n])]", id="indirect"),
        pytest.param("a[n / 2] = 0;", "a[(n/2)]", id="quotient"),
        pytest.param("a[n & 7] = 0;", "a[(n&7)]", id="mask"),
        pytest.param("a[2 * n >> 1] = 0;", "a[n]", id="exact shift"),
    ],
)
def test_accesses(c: str, access: str) -> None:
    assert any(line.startswith(f"{access} = ") for line in body(c)), body(c)


def test_a_pointer_to_the_start_of_a_matrix_walks_through_all_of_it() -> None:
    assert "  A[k1] = 0.0" in body("double *p = &A[0][0]; for (int i = 0; i < n; i++) *p++ = 0;")
    assert "  A[n][k1] = 0.0" in body("double *p = A[n]; for (int i = 0; i < m; i++) *p++ = 0;")


def test_several_induction_variables_advance_together() -> None:
    assert body("int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) a[k++] = b[j];") == [
        "k = 0",
        "i = 0",
        "loop n",
        "  j = 0",
        "  loop 4",
        "    a[4*k1+k2] = b[k2]",
    ]


@pytest.mark.parametrize(
    "c",
    [
        pytest.param("if (b[i] > 0) k++;", id="only sometimes"),
        pytest.param("if (b[i] > 0) { if (b[i] > 1) continue; b[i] = 2; } k++;", id="skipped by continue"),
        pytest.param("k += i * i;", id="growing step"),
        pytest.param("k = idx[k];", id="from memory"),
    ],
)
def test_variables_that_do_not_step_evenly_stay_unknown(c: str) -> None:
    lines = body(f"int k = 0; for (int i = 0; i < n; i++) {{ {c} a[k] = 1; }}")
    stores = [line.strip() for line in lines if line.strip().startswith("a[")]
    assert stores
    assert all(set(line.split(" = ")[0].replace("k1", "")) & set("kx") for line in stores)


def test_a_global_first_met_in_a_loop_is_a_size() -> None:
    c = "int n, m; void f(int *a) { for (int i = 0; i < 9; i++) for (int j = 0; j < n; j++) a[m * i + j] = n; }"
    assert picture(c)[2:] == ["  j = 0", "  loop n", "    a[m*k1+k2] = n"]


def test_array_lengths_that_a_missing_header_would_define_are_symbols() -> None:
    c = "static double u[4][NX / 2 * 2 + 1][NY];\nvoid f(void) { for (int i = 0; i < NX; i++) u[1][i][i] = 0; }"
    loop = next(ir.loops(lowered(c).body))
    store = next(s for s in loop.body if isinstance(s, ir.Assign) and isinstance(s.target, ir.Access))
    extents = [str(s.extent) for s in store.target.subscripts]  # type: ignore[union-attr]
    assert extents == ["4", "2*(NX / 2) + 1", "NY"]
    assert str(loop.last) == "NX - 1"


@pytest.mark.parametrize(
    ("declarations", "stride"),
    [
        pytest.param("typedef int row[m]; m += 3; row *p = (row *)a;", "4*m", id="typedef"),
        pytest.param("m += 3; typedef int row[m]; row *p = (row *)a;", "4*m + 12", id="typedef behind the change"),
        pytest.param("typedef int row[m++]; row *p = (row *)a;", "4*m", id="typedef with an effect"),
        pytest.param("typedef int (*rows)[m]; m += 3; rows p = (rows)a;", "4*m", id="typedef of a pointer"),
        pytest.param("int x[m]; m += 3; typeof(x) *p = (typeof(x) *)a;", "4*m", id="typeof an object"),
        pytest.param("int x[m]; m += 3; typeof(int[m]) *p = (void *)a;", "4*m + 12", id="typeof a type name"),
        pytest.param("typedef int row[m]; m += 3; int s = sizeof(row), (*p)[m] = 0;", "4*m + 12", id="declarator"),
    ],
)
def test_a_length_is_what_it_was_where_it_is_declared(declarations: str, stride: str) -> None:
    function = lowered(f"void f(int n, int m, int *a) {{ {declarations} for (int i = 0; i < n; i++) p[i][1] = 0; }}")
    store = next(s for s in next(ir.loops(function.body)).body if isinstance(s, ir.Assign) and s.text.startswith("p["))
    assert [str(s.stride) for s in store.target.subscripts] == [stride, "4"]  # type: ignore[union-attr]


def test_a_call_forgets_globals_and_addressed_variables() -> None:
    c = (
        "int g; void ext(int *);\n"
        "void f(int n, int *a) { int z = 0; for (int i = 0; i < n; i++) { ext(&z); a[z] = g; } }"
    )
    assert "  a[(z@2)] = (g@2)" in picture(c)


def test_a_break_path_keeps_the_value_unknown_after_the_loop() -> None:
    lines = body("int found = 0; for (int i = 0; i < n; i++) if (b[i] > 0) { found = 1; break; } a[found] = 0;")
    assert lines[-1] == "a[(found@4)] = 0.0"


def test_swapped_pointers_are_followed_no_further() -> None:
    lines = body("double *x = a, *y = b; for (int t = 0; t < 9; t++) { x[0] = y[1]; double *z = x; x = y; y = z; }")
    assert "  x[0] = y[1]" in lines
    stores = [s for s in ir.statements(loops_of("double *x = a, *y = b; for (;;) { x[0] = 1; x = y; }")[0].body)]
    targets = [s.target for s in stores if isinstance(s, ir.Assign) and isinstance(s.target, ir.Access)]
    assert targets
    assert all(isinstance(t.object, ir.Anything) for t in targets)


def test_continue_becomes_the_other_branch() -> None:
    assert body("for (int i = 0; i < n; i++) { if (b[i] > 0) continue; a[i] = 1; }") == [
        "i = 0",
        "loop n",
        "  if data",
        "  else",
        "    a[k1] = 1.0",
    ]


def test_switch_is_a_chain_of_branches_and_falls_through() -> None:
    c = "switch (n) { case 1: case 2: a[0] = 1; case 3: a[1] = 2; break; default: a[2] = 3; }"
    assert body(c)[1:] == [
        "if (n-1 == 0 or n-2 == 0)",
        "  a[0] = 1.0",
        "  a[1] = 2.0",
        "else",
        "  if (n-3 == 0)",
        "    a[1] = 2.0",
        "  else",
        "    a[2] = 3.0",
    ]


def test_visible_functions_are_inlined_with_their_early_returns() -> None:
    c = (
        "static double clip(double x, double *p) { if (x < 0) return 0; *p = x; return x * x; }\n"
        "void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = clip(b[i], &b[i + 1]); }"
    )
    assert picture(c) == [
        "i = 0",
        "loop n",
        "  x = b[k1]",
        "  p = &b",
        "  if data",
        "    clip_2 = 0.0",
        "  else",
        "    b[k1+1] = x",
        "    clip_2 = (x * x)",
        "  a[k1] = clip_2",
    ]


def test_recursion_ends_in_a_call() -> None:
    c = "int r(int n) { return n ? r(n - 1) : 0; }\nvoid f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = r(i); }"
    assert "  r_2 = (k1 ?: r((k1 - 1)) : 0)" in picture(c)


def test_effects_behind_a_short_circuit_are_conditional() -> None:
    lines = body("int k = 0; for (int i = 0; i < n; i++) if (b[i] > 0 && a[k++] > 1) a[i] = 2;")
    branch = next(i for i, line in enumerate(lines) if line.strip() == "if data")
    assert any(line.strip().startswith("k =") for line in lines[branch + 1 :])


def test_the_condition_of_an_elvis_is_evaluated_once() -> None:
    c = "void f(int n, int *a, int *b) { for (int i = 0; i < n; i++) a[i] = b[i] ?: 7; }"
    assert "  value_1 = b[k1]" in picture(c)
    assert sum("b[k1]" in line for line in picture(c)) == 1


def test_a_narrow_cast_is_a_remainder() -> None:
    loop = loops_of("for (int i = 0; i < n; i++) a[(unsigned char)i] = 0;")[0]
    store = next(s for s in loop.body if isinstance(s, ir.Assign) and isinstance(s.target, ir.Access))
    (index,) = store.target.subscripts[0].index.symbols  # type: ignore[union-attr]
    assert index.origin == ir.Remainder(ir.Poly((((loop.counter,), 1),)), 256, True)


def test_an_unsigned_difference_carries_its_wrap() -> None:
    loop = loops_of("for (unsigned i = 0; i < (unsigned)n; i++) a[i - 1] = 0;")[0]
    store = next(s for s in loop.body if isinstance(s, ir.Assign) and isinstance(s.target, ir.Access))
    assert any((w.low, w.high) == (0, 2**32 - 1) for w in store.target.wraps)  # type: ignore[union-attr]


@pytest.mark.parametrize("type_", ["unsigned char", "unsigned short", "signed char"])
def test_a_narrow_loop_variable_must_stay_in_range(type_: str) -> None:
    loop = loops_of(f"for ({type_} c = 0; c < n; c++) a[c] = 0;")[0]
    assert any(w.text == "c" and not w.explicit for w in loop.wraps)


def test_do_while_zero_is_no_loop() -> None:
    assert body("do { a[0] = 1; } while (0);") == ["a[0] = 1.0"]


def test_goto_out_is_an_exit_and_back_is_refused() -> None:
    loop = "for (int i = 0; i < n; i++) { if (b[i] > 0) goto out; a[i] = 1; }"
    assert "    goto" in body(f"{loop} b[0] = 2; out: a[0] = 2;")
    assert "    break" in body(f"{loop} out: a[0] = 2;")
    assert "refused irregular-control-flow" in body("again: a[n] = 0; if (b[0] > 0) goto again;")[-1].strip()


def test_every_symbol_of_a_store_after_a_store_is_fresh() -> None:
    """idx[0] read before and after a store to idx is not the same value."""
    lines = lowered(f"{PROLOGUE}void f({PARAMETERS}) {{ a[idx[0]] = 1; idx[0] = n; a[idx[0]] = 2; for (;0;); }}").body
    stores = [s.target for s in lines if isinstance(s, ir.Assign) and isinstance(s.target, ir.Access)]
    first, _, second = (t.subscripts[0].index for t in stores)
    assert first != second


def counted_operators(c: str) -> list[str]:
    """Operators that count as arithmetic on data, in source order."""
    found = []
    for statement in ir.statements(lowered(c).body):
        for expression in ir.expressions(statement):
            if not (isinstance(statement, ir.Assign) and statement.induction):
                found += [e.operator for e in ir.walk(expression) if isinstance(e, ir.Operation) and not e.address]
    return found


@pytest.mark.parametrize(
    ("statement", "operators"),
    [
        pytest.param("a[i] = b[i] * 2 + 1;", ["+", "*"], id="data"),
        pytest.param("a[2 * i + 1] = 0;", [], id="subscript"),
        pytest.param("int k = 2 * i + 1; a[k] = b[k];", [], id="variable for a subscript"),
        pytest.param("int v = b[i] + 1; a[i] = v;", ["+"], id="variable for data"),
        pytest.param("if (i + 1 < n) a[i] = 0;", [], id="index condition"),
        pytest.param("if (b[i] + 1 < n) a[i] = 0;", ["<", "+"], id="data condition"),
        pytest.param("a[i] = 2 * i;", ["*"], id="index as data"),
        pytest.param("*(a + i + 1) = 0;", [], id="pointer arithmetic"),
        pytest.param("a[b[i] >> 4]++;", ["+"], id="subscript from data"),
    ],
)
def test_address_arithmetic_is_told_from_data(statement: str, operators: list[str]) -> None:
    c = f"void f(int n, int *a, int *b) {{ for (int i = 0; i < n; i++) {{ {statement} }} }}"
    assert counted_operators(c) == operators


@pytest.mark.parametrize(
    ("store", "presumed"),
    [
        pytest.param("a[i] = 1;", [("n", 2)], id="integers may be the bound"),
        pytest.param("d[i] = 1;", [], id="doubles are not"),
        pytest.param("own[i] = 1;", [], id="nor is an array of its own"),
    ],
)
def test_a_store_through_a_pointer_is_taken_to_spare_a_global_bound(
    store: str, presumed: list[tuple[str, int]]
) -> None:
    c = f"int n, own[9];\nvoid f(int *a, double *d) {{ for (int i = 0; i < n; i++) {{ {store} }} }}"
    loop = next(ir.loops(lowered(c).body))
    assert loop.exact_trip
    assert list(loop.presumed) == presumed


@pytest.mark.parametrize(
    ("body_", "operators"),
    [
        pytest.param("for (int j = n - 1; j >= 1; j--) a[0] *= j;", ["*"], id="init of a for"),
        pytest.param("int i = 0; while (i < n) { a[2] = i; i++; }", [], id="update of a while"),
        pytest.param("int s = 0; for (int i = 0; i < n; i++) s = s & (b[i] + 1);", ["&", "+"], id="never read"),
        pytest.param("int k = 0; for (int i = 0; i < n; i++) { a[i] = k; k += 2; }", [], id="second induction"),
    ],
)
def test_loop_control_is_told_from_data(body_: str, operators: list[str]) -> None:
    assert counted_operators(f"void f(int n, int *a, int *b) {{ {body_} }}") == operators


def test_a_jump_into_a_loop_is_refused() -> None:
    lines = body("if (n > 3) goto in; for (int i = 0; i < n; i++) { a[i] = 0; in: b[i] = 1; }")
    assert "  refused irregular-control-flow" in lines


def test_a_float_store_to_a_union_forgets_its_integers() -> None:
    c = (
        "union u { int i; float f; };\n"
        "void f(union u *p, int *a, float x) { a[p->i] = 1; p->f = x; a[p->i] = 2; for (;0;); }"
    )
    stores = [s.target for s in lowered(c).body if isinstance(s, ir.Assign) and isinstance(s.target, ir.Access)]
    first, _, second = (t.subscripts[0].index for t in stores)
    assert first != second


def test_a_number_divided_by_a_size_is_left_out_of_a_difference_with_itself() -> None:
    c = "void f(unsigned k, int *a) { unsigned n = 3 + 31 / k; for (unsigned i = 0; i < n - 31 / k; i++) a[i] = i; }"
    assert "loop 3" in picture(c)
