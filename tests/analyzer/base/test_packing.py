"""What waits for its report takes few bytes, and reads like the values themselves."""

import sys

import pytest
from msgspec import Struct
from msgspec.structs import replace

from analyzer.base.packing import Packed, packed, part, unpacked
from analyzer.driver.run import Input, Plan, Result, document, run
from analyzer.report.codec import from_json, to_json
from analyzer.report.document import Document
from analyzer.report.formats import RENDERERS, render
from analyzer.report.text import Style
from analyzer.report.text import render as text_of
from analyzer.settings.options import AnalysisOptions, SourceOptions

from ..program.placed import CONTEXT

CODE = """
void {0}(int n, int m, int p, double *a, const double *b, const double *c)
{{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < p; k++)
                a[i * m + j] += b[i * p + k] * c[k * m + j];
}}
"""
VARIABLE_LENGTH = """
void {0}(int n, int m, double a[n][m], const double b[n][m])
{{
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = 2.0 * b[i][j];
}}
"""
LARGEST_FILE = 40_000
"""Bytes that wait for the report of a file with eleven loops, all figures in it."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Result], Plan]:
    tmp_path = tmp_path_factory.mktemp("parts")
    plan = Plan(SourceOptions(entry="main"), AnalysisOptions(), CONTEXT, root=tmp_path)
    inputs = []
    for number in range(3):
        path = tmp_path / f"part{number}.c"
        path.write_text("".join(CODE.format(f"f{number}_{i}") for i in range(3)) + VARIABLE_LENGTH.format(f"g{number}"))
        inputs.append(Input(path))
    return list(run(inputs, plan, 1)), plan


def bytes_of(value: object) -> int:
    """Of the value and all that it holds; what is shared counts again."""
    if isinstance(value, Packed):
        return bytes_of(value.parts)
    inside = [getattr(value, name) for name in value.__struct_fields__] if isinstance(value, Struct) else []
    inside += value if isinstance(value, tuple) else value.items() if isinstance(value, dict) else []
    return sys.getsizeof(value) + sum(map(bytes_of, inside))


def test_a_file_waits_for_its_report_in_few_bytes(results: tuple[list[Result], Plan]) -> None:
    for result in results[0]:
        assert isinstance(result.files, Packed)
        assert isinstance(result.outlines, Packed)
        assert all(one.data is not None for one in (*result.files.parts, *result.outlines.parts))
        assert bytes_of(result) < LARGEST_FILE
        assert bytes_of(tuple(result.files)) > 10 * bytes_of(result.files)  # the measure sees what is inside


def test_a_document_does_not_hold_its_files(results: tuple[list[Result], Plan]) -> None:
    one, three = (document(results[0][:n], results[1], keep_sources=False) for n in (1, 3))
    assert bytes_of(three) - bytes_of(one) < 2 * LARGEST_FILE
    assert three.files[0].loops
    assert three.files[0] is not three.files[0]


def test_reports_are_the_same_from_packed_files(results: tuple[list[Result], Plan]) -> None:
    made = document(*results, keep_sources=True)
    held = replace(made, files=tuple(made.files))
    assert isinstance(made.files, Packed)
    assert made == held
    assert [render(made, name) for name in RENDERERS] == [render(held, name) for name in RENDERERS]
    assert text_of(made, Style()) == text_of(held, Style())
    assert from_json(to_json(made), "saved") == held


def test_json_in_pieces_of_a_document_without_files(results: tuple[list[Result], Plan]) -> None:
    empty: Document = document([], results[1], keep_sources=False)
    assert '"files": [],' in to_json(empty)
    assert from_json(to_json(empty), "saved") == replace(empty, files=())


def test_packed_values() -> None:
    made = packed((1, "two", (3.0, None)), str)
    assert tuple(made) == (1, "two", (3.0, None)) == made
    assert made != (1, "two")
    assert made[1:] == ("two", (3.0, None))
    assert len(made) == 3
    assert packed(made, str) is made


def test_what_is_no_plain_value_stays_as_it_is() -> None:
    other = object()
    assert unpacked(part((other,), "odd")) == (other,)
