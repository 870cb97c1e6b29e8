"""`--dump nest`: every line is isl's, the dependences are those of the printed relations, and they fit the answers."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.analyzer.report.covering import tried

from analyzer.driver.analysis import analyze_file
from analyzer.inside import dump
from analyzer.ir import nodes as ir
from analyzer.memory.alias import c_text
from analyzer.settings.options import AnalysisOptions, SourceOptions

from .relations_of import assignments, outside, pieces, points, read, relation

islpy = pytest.importorskip("islpy")

ROOT = Path(__file__).resolve().parents[3]
SMALL = 4
KINDS = {"Flow": ("Write", "Read"), "Anti": ("Read", "Write"), "Output": ("Write", "Write")}


@cache
def _pages(path: Path) -> dict[str, tuple[str, Any]]:
    """Page and facts by loop id."""
    facts = analyze_file(path, SourceOptions(), AnalysisOptions(), ROOT)
    found = [(function, loop) for function in facts.functions for loop in function.loops]
    return {loop.id: (dump(function, loop), loop) for function, loop in found if loop.loop.body}


def _of(code: str, tmp_path: Path) -> str:
    """The page of the first loop of some code."""
    path = tmp_path / "x.c"
    path.write_text(code)
    return next(iter(_pages.__wrapped__(path).values()))[0]


def _context(found: dict[str, str]) -> Any:
    return islpy.Set(found["Context"])


def _before(found: dict[str, str]) -> Any:
    schedule = relation(found, "Schedule").intersect_domain(islpy.UnionSet(found["Domain"]))
    return schedule.lex_lt_union_map(schedule)


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.name)
def test_every_line_is_read_by_isl(path: Path) -> None:
    for page, _ in _pages(path).values():
        assert all(line.startswith("#") for line in outside(page)), outside(page)
        found = assignments(page)
        assert {"Context", "Domain", "Schedule", "Read", "Write", "Flow", "Anti", "Output"} <= set(found), page
        for name, text in found.items():
            if name != "Context":
                assert sum(not read(piece).is_empty() for piece in pieces(text)) >= len(list(_maps(read(text))))


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.name)
def test_dependences_are_those_of_the_printed_relations(path: Path) -> None:
    for identity, (page, loop) in _pages(path).items():
        if loop.depth:
            continue  # an inner nest is part of the outer one
        found = assignments(page)
        before = _before(found)
        for kind, (first, second) in KINDS.items():
            sources, sinks = relation(found, first, f"May{first}"), relation(found, second, f"May{second}")
            wanted = sources.apply_range(sinks.reverse()).intersect(before).intersect_params(_context(found))
            printed = relation(found, kind, f"May{kind}").intersect_params(_context(found))
            assert wanted.is_equal(printed), (identity, kind)
            sure = relation(found, first).apply_range(relation(found, second).reverse()).intersect(before)
            printed = relation(found, kind).intersect_params(_context(found))
            assert sure.intersect_params(_context(found)).is_equal(printed), (identity, kind)


def _at(text: str, values: dict[str, int]) -> Any:
    """A relation or set with its parameters fixed."""
    found = read(text)
    if not values:
        return found
    equal = " and ".join(f"{name} = {value}" for name, value in values.items())
    found = found.intersect_params(islpy.Set(f"[{', '.join(values)}] -> {{ : {equal} }}"))
    return found.project_out(islpy.dim_type.param, 0, len(values))


def _allowed(found: dict[str, str], values: dict[str, int]) -> bool:
    """Whether the context holds for these values."""
    context = _context(found)
    for name, value in values.items():
        position = context.find_dim_by_name(islpy.dim_type.param, name)
        context = context.fix_val(islpy.dim_type.param, position, value)
    return not context.is_empty()


def _parameters(found: dict[str, str]) -> list[str]:
    head, arrow, _ = found["Domain"].partition("->")
    return re.findall(r"\w+", head) if arrow and "{" not in head else []


def _is_small(page: str) -> bool:
    """Whether a nest can be enumerated: few parameters, small constants, nothing that may be anywhere."""
    found = assignments(page)
    anywhere = "not affine" in page or "data decide" in page
    large = re.search(r"(?<![A-Za-z_\d])\d{2,}", found["Domain"])
    return len(_parameters(found)) <= 3 and not anywhere and not large


@pytest.mark.parametrize("name", ["triangular.c", "stencils.c", "layouts.c", "blas.c"])
def test_dependences_are_those_of_a_run(name: str) -> None:
    """Instances in the order of their schedule at small sizes; the pairs that touch one element, by loops in Python."""
    found_any = 0
    for identity, (page, _) in _pages(ROOT / "fixtures" / "c" / name).items():
        found = assignments(page)
        parameters = _parameters(found)
        for numbers in product((0, 2, SMALL), repeat=len(parameters)) if _is_small(page) else ():
            values = dict(zip(parameters, numbers, strict=True))
            if not _allowed(found, values):
                continue
            fixed = {k: _at(v, values) for k, v in found.items() if k != "Context"}
            times = {s: time for s, (_, time) in points(fixed["Schedule"].intersect_domain(fixed["Domain"]))}
            touched = {n: points(fixed[n]) for n in ("Read", "Write")}
            for kind, (first, second) in KINDS.items():
                pairs = ((s, t) for s, x in touched[first] for t, y in touched[second] if x == y)
                wanted = {(s, t) for s, t in pairs if times[s] < times[t]}
                assert set(points(fixed[kind])) == wanted, (identity, kind, values)
                found_any += len(wanted)
    assert found_any >= 10


LONGEST_PAGE = 500
"""Lines: isl takes up to half a minute to compose the relations of longer ones, of matrices that are written out."""


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.name)
def test_a_parallel_loop_carries_nothing_but_what_its_answer_names(path: Path) -> None:
    """Of nests that are exact: no dependence but through private and reduced memory where the answer is yes, and one
    where it shows one."""
    for identity, (page, loop) in _pages(path).items():
        if page.count("\n") > LONGEST_PAGE:
            continue
        found, answer = assignments(page), loop.parallelism
        shown = answer.verdict.value == "no" and answer.reason.code == "carried-dependence"
        if answer.verdict.value != "yes" and not shown:
            continue
        widened = any(name.startswith("May") for name in found)
        used = [a for s in ir.statements(loop.loop.body) for a in ir.accesses_of(s)]
        values = (*(r.numerator for r in loop.loop.trip or ()), *(s.index for a in used for s in a.subscripts))
        chosen = (s.origin for value in values for s in value.symbols)
        if any(isinstance(o, ir.Computed) and isinstance(o.meaning, ir.Either | ir.Outermost) for o in chosen):
            continue  # which of two values a branch gave is not in these relations
        if widened or "may overlap" in page or "a product is" in page or "not in these relations" in page:
            continue
        reduced = [r.variable for r in answer.reductions]
        behind = {a.text: c_text(a.object) for a in used}
        others = [s.text for s in answer.separated if s.role in ("same", "best", "counter")]
        others += [r.variable.name for r in loop.loop.recurrences]
        said = (*answer.private, *answer.first_private, *answer.last_private, *reduced, *others)
        named = {re.split(r"\W", behind.get(n, n))[0] for n in said}
        carried = _carried_arrays(found, () if shown else tuple(named))
        assert next(carried, None) is not None if shown else set(carried) == set(), identity


def _carried_arrays(found: dict[str, str], named: tuple[str, ...]) -> Iterator[str]:
    """Arrays through which the outermost loop carries a dependence, one after another; none whose name begins with one
    of these."""
    before = _before(found)
    for first, second in KINDS.values():
        for each in _maps(relation(found, first)):
            array = each.get_tuple_name(islpy.dim_type.out)
            if named and array.startswith(named):
                continue
            pairs = islpy.UnionMap.from_map(each).apply_range(relation(found, second).reverse())
            pairs = pairs.intersect(before).intersect_params(_context(found))
            if any(not m.order_lt(islpy.dim_type.in_, 0, islpy.dim_type.out, 0).is_empty() for m in _maps(pairs)):
                yield array


def _maps(found: Any) -> list[Any]:
    listed: list[Any] = []
    (found.foreach_map if hasattr(found, "foreach_map") else found.foreach_set)(listed.append)
    return listed


# --- one thing each


def test_carrier_and_distance(tmp_path: Path) -> None:
    loops = "for (int i = 2; i < n; i++)\nfor (int j = 1; j < n; j++)\n"
    code = f"void f(int n, double a[100][100]) {{\n{loops}a[i][j] = a[i-2][j+1];\n}}"
    page = _of(code, tmp_path)
    assert "carried by the loop over i at line 2, distance (2, -1)" in page
    assert "within one iteration" not in page


def test_a_dependence_within_one_iteration_has_no_carrier(tmp_path: Path) -> None:
    page = _of(
        "void f(int n, double *a, double *b) {\nfor (int i = 0; i < n; i++) { a[i] = 1; b[i] = a[i]; }\n}", tmp_path
    )
    assert "# S1_L2 -> S2_L2: within one iteration" in page
    assert "carried" not in page
    assert "params-distinct(a,b)" in page


def test_what_is_not_affine_is_said(tmp_path: Path) -> None:
    page = _of("void f(int n, double *a, int *b) {\nfor (int i = 0; i < n; i++) a[b[i]] = i;\n}", tmp_path)
    found = assignments(page)
    assert "`a[b[i]]` has the subscript (b[i]), which is not affine: any element of a" in page
    assert "a[" not in found["Write"]
    assert "a[" in found["MayWrite"]
    assert "Flow" in found
    assert "MayOutput" in found


def test_a_condition_on_data_makes_an_upper_bound(tmp_path: Path) -> None:
    page = _of("void f(int n, double *a) {\nfor (int i = 1; i < n; i++) if (a[i] > 0) a[i - 1] = 0;\n}", tmp_path)
    assert "S2_L2: data decide which instances run" in page
    assert "a[" in assignments(page)["MayWrite"]


@pytest.mark.parametrize(("leave", "named"), [("break", "break"), ("return", "return"), ("goto out", "break")])
def test_a_jump_out_makes_upper_bounds(leave: str, named: str, tmp_path: Path) -> None:
    body = f"{{ a[i] = a[i - 1]; if (a[i] > 9) {leave}; }}"
    page = _of(f"void f(int n, double *a) {{\nfor (int i = 1; i < n; i++) {body}\nout: ;\n}}", tmp_path)
    assert f"the {named} may end iterations early; domains are upper bounds" in page
    assert not re.search(r"\S", assignments(page)["Write"].partition("{")[2].rstrip("}"))
    assert "a[i]" in assignments(page)["MayWrite"]
    assert "S1_L2" in assignments(page)["MayFlow"]


def test_truncating_division_is_exact(tmp_path: Path) -> None:
    page = _of("int a[99];\nvoid f(void) {\nfor (int i = -3; i < 4; i++) a[i / 2 + 1] = i % 3;\n}", tmp_path)
    cells = {p[0][1][0]: p[1][1][0] for p in points(read(assignments(page)["Write"]))}
    assert cells == {i: int(i / 2) + 1 for i in range(-3, 4)}


def test_union_members_are_compared_as_bytes(tmp_path: Path) -> None:
    union = "union u { float f[8]; unsigned char b[32]; } u;\n"
    code = f"{union}void f(void) {{\nfor (int i = 0; i < 7; i++) u.b[4 * i] = u.f[i + 1] > 0;\n}}"
    page = _of(code, tmp_path)
    writes = {(p[0][1][0], p[1][1][0]) for p in points(read(assignments(page)["Write"]))}
    assert writes == {(i, 4 * i) for i in range(7)}
    reads = {(p[0][1][0], p[1][1][0]) for p in points(read(assignments(page)["Read"]))}
    assert reads == {(i, 4 * i + 4 + b) for i in range(7) for b in range(4)}
    assert "Anti" in assignments(page)


def test_an_array_in_an_element_has_both_subscripts(tmp_path: Path) -> None:
    struct = "struct cell { double x; double v[4]; } c[9];\n"
    page = _of(f"{struct}void f(int k) {{\nfor (int i = 0; i < 9; i++) c[i].v[k] = i;\n}}", tmp_path)
    assert "[i, k]" in assignments(page)["Write"]
    assert "in-bounds(c.v)" in page
    assert "carried" not in page


def test_overlapping_members_of_one_shape_are_bytes(tmp_path: Path) -> None:
    union = "union u { struct { int a[4]; } s; struct { int pad, b[3]; } t; } u;\n"
    page = _of(f"{union}void f(void) {{\nfor (int i = 0; i < 3; i++) u.s.a[i] = u.t.b[i];\n}}", tmp_path)
    assert "carried by the loop over i at line 3, distance (1)" in page


def test_linearised_rows_are_an_assumption(tmp_path: Path) -> None:
    page = _of(
        "void f(int n, int m, double *a) {\n"
        "for (int i = 0; i < n; i++)\nfor (int j = 0; j < m; j++) a[i*m + j] = 0;\n}",
        tmp_path,
    )
    assert "in-bounds(a)" in page
    assert re.search(r"a\[i, j\]", assignments(page)["Write"])


def test_a_local_is_new_in_every_iteration(tmp_path: Path) -> None:
    page = _of(
        "void f(int n, double *a) {\nfor (int i = 0; i < n; i++) { double t = a[i]; a[i] = t * t; }\n}", tmp_path
    )
    assert "t[i]" in assignments(page)["Write"]
    assert "carried" not in page


def test_loops_around_are_parameters(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(
        "void f(int n, double a[100][100]) {\n"
        "for (int i = 0; i < n; i++)\nfor (int j = 1; j < i; j++)\na[i][j] = a[i][j-1];\n}"
    )
    page = next(page for page, loop in _pages.__wrapped__(path).values() if loop.place.line == 3)
    assert "S1_L4[j]" in assignments(page)["Domain"]
    assert _context(assignments(page)).is_equal(islpy.Set("[i, n] -> { : 0 <= i < n }"))
    assert "carried by the loop over j at line 3, distance (1)" in page


def test_conditions_around_are_in_the_context(tmp_path: Path) -> None:
    """Without `m >= n` the loop would carry a dependence."""
    loop = "for (int i = 1; i < n; i++) a[i] = a[i + m] + 1;"
    page = _of(f"void f(int n, int m, int *a) {{\nif (m >= n)\n{loop}\n}}", tmp_path)
    assert _context(assignments(page)).is_equal(islpy.Set("[n, m] -> { : m >= n }"))
    assert "carried" not in page
    page = _of(f"void f(int n, int m, int *a) {{\nif (m > 0)\n{loop}\n}}", tmp_path)
    assert "carried" in page


def test_a_product_of_sizes_is_a_parameter_and_said(tmp_path: Path) -> None:
    loop = "for (unsigned long i = 0; i < m * k; i++) a[i] = a[i + 1];"
    page = _of(f"void f(unsigned long m, unsigned long k, double *a) {{\n{loop}\n}}", tmp_path)
    assert "m_k is `m * k`" in page
    assert "m_k: a product is a parameter of its own, also with values that no sizes give" in page
    assert _context(assignments(page)).is_subset(islpy.Set("[m_k] -> { : m_k >= 0 }"))
