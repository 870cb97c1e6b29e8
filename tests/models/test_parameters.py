"""w, m, o, d, c and u by rule, and the eleven rows of Table 1."""

import pytest

from models.classes import ClassError
from models.expr import Expr, as_expr, parse, substitute
from models.notation import parse_class
from models.parameters import gpu_parameters, on_cpu
from models.table1 import ROWS, Row, matching_row, printed_parameters

SAMPLE = {"A": 96, "B": 64, "U": 4, "V": 8, "N": 5, "M": 3, "C": 10}
BY_DEFINITION = {  # rows whose printed variables contradict the paper's definitions
    "scale-down": {"d": "A*B + A*B/(U*V)", "c": "A*B + A*B/(U*V)"},
    "enlarge": {"w": "A*B", "d": "A*B*(1 + U*V)", "c": "A*B*(1 + U*V)"},
}


def expected(row: Row, name: str) -> Expr:
    text = BY_DEFINITION.get(row.name, {}).get(name, getattr(row, name))
    return substitute(parse(text), SAMPLE)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rules_give_the_rows_of_table_1(row: Row) -> None:
    concrete = parse_class(row.algorithm)
    found = gpu_parameters(concrete)
    for name in ("w", "m", "o", "d"):
        assert substitute(getattr(found, name), SAMPLE) == expected(row, name), name
    if not row.name.startswith("neighbourhood"):
        for name in ("c", "u"):
            assert substitute(getattr(found, name), SAMPLE) == expected(row, name), name
    assert found.scattered == row.scattered


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_matches_its_own_class(row: Row) -> None:
    found = matching_row(parse_class(row.algorithm))
    assert found is not None
    assert found[0] is row


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_only_rows_that_differ_are_said_to_differ(row: Row) -> None:
    algorithm = parse_class(row.algorithm)
    printed, rule = printed_parameters(algorithm), gpu_parameters(algorithm)
    assert printed is not None
    same = all(getattr(printed, n) == getattr(rule, n) for n in ("w", "m", "o", "d", "c", "u"))
    assert same == (not row.difference or row.name.startswith(("neighbourhood", "shared-array")))


def test_y_projection_is_an_instance_of_scale_down() -> None:
    found = matching_row(parse_class("1024x1024|tile(1024x1) → 1024|element"))
    assert found is not None
    assert found[0].name == "scale-down"


def test_row_letters_must_agree() -> None:
    assert matching_row(parse_class("64x32|element → 32x64|element")) is None
    assert matching_row(parse_class("8x8|tile(3x3) → 2x2|element")) is None
    assert printed_parameters(parse_class("N|element ∧ M|full → N|element")) is None


@pytest.mark.parametrize(
    ("text", "w", "m", "o", "d", "c", "u"),
    [
        pytest.param(
            "NxM|tile(1xM) ∧ M|full → N|element",
            "N", "M", "4*M", "N*M+M+N", "N*M+M+N", "0", id="matrix-vector",
        ),
        pytest.param(
            "NxK|tile(1xK) ∧ KxM|tile(Kx1) → NxM|element",
            "N*M", "K", "4*K", "N*K+K*M+N*M", "N*K+K*M+N*M", "0", id="matrix-matrix",
        ),
        pytest.param("N|element ∧ N|full → N|element", "N", "N", "32", "3*N", "3*N", "0", id="all pairs"),
        pytest.param("void → N|element", "N", "1", "16", "N", "N", "0", id="no input"),
        pytest.param("N|element ∧ N|element → 1|shared", "N", "1", "32", "2*N+1", "2*N", "1", id="dot product"),
        pytest.param("NxMxK|element → NxMxK|element", "N*M*K", "1", "16", "2*N*M*K", "2*N*M*K", "0", id="3 dimensions"),
        pytest.param("N|element → N|element ∧ N|element", "N", "1", "16", "3*N", "3*N", "0", id="two outputs"),
        pytest.param("10|tile(3) → 4|element", "4", "3", "12", "14", "14", "0", id="tiles that do not divide"),
    ],
)  # fmt: skip
def test_rules_for_classes_beyond_table_1(text: str, w: str, m: str, o: str, d: str, c: str, u: str) -> None:
    found = gpu_parameters(parse_class(text))
    assert [str(getattr(found, n)) for n in "wmodcu"] == [str(parse(t)) for t in (w, m, o, d, c, u)]


def test_offset_of_a_shared_scalar_counts_its_inputs() -> None:
    assert gpu_parameters(parse_class("N|element → 1|shared")).o == as_expr(16)


def test_halo_by_hand() -> None:
    """Blocks of 16 x 16 load 22 x 22 for a 7 x 7 neighbourhood: 6 rows of 22, and 6 columns of 16."""
    found = gpu_parameters(parse_class("1024x1024|neighbourhood(7x7) → 1024x1024|element"))
    blocks = (1024 // 16) ** 2
    assert found.c == as_expr(2 * 1024 * 1024 + blocks * 6 * 22)
    assert found.u == as_expr(blocks * 6 * 16)
    assert blocks * (6 * 22 + 6 * 16) + 1024 * 1024 == blocks * 22 * 22


def test_halo_of_a_vector_and_of_outer_dimensions() -> None:
    vector = gpu_parameters(parse_class("1024|neighbourhood(3) → 1024|element"))
    assert (vector.c, vector.u) == (as_expr(2048), as_expr(4 * 2))
    volume = gpu_parameters(parse_class("8x64x64|neighbourhood(3x1x1) → 8x64x64|element"))
    assert (volume.c, volume.u) == (volume.d, as_expr(0))


def test_widths_scale_the_data() -> None:
    algorithm = parse_class("N|element → 1|shared")
    assert gpu_parameters(algorithm, 8).d == 8 * gpu_parameters(algorithm).d
    mixed = gpu_parameters(algorithm, ((1,), (4,)))
    assert (str(mixed.c), str(mixed.u)) == ("N", "4")
    with pytest.raises(ClassError, match="element width"):
        gpu_parameters(algorithm, ((4, 4), (4,)))


def test_cpus_have_one_kind_of_access() -> None:
    found = on_cpu(gpu_parameters(parse_class("1024x1024|element → 256|shared")))
    assert found.o == as_expr(4)
    assert found.c == found.d
    assert found.u == as_expr(0)
    assert not found.scattered


def test_a_class_without_work_units_is_refused() -> None:
    with pytest.raises(ClassError, match="work-units"):
        gpu_parameters(parse_class("N|full → 1|shared"))
