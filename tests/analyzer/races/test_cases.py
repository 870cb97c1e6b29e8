"""Directives that are wrong, and their twins that are right: `cases/*.c`, by the names of the functions."""

from functools import cache, partial
from pathlib import Path

import pytest

from analyzer.facts.directives import CheckedDirective
from analyzer.races import checked
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

CASES = Path(__file__).with_name("cases")


@cache
def _answers(file: str) -> dict[str, tuple[CheckedDirective, ...]]:
    """The answers for the directives of each function."""
    load = partial(load_unit, CASES / file)
    functions = load(SourceOptions()).functions
    found: dict[str, tuple[CheckedDirective, ...]] = {}
    for each in checked(load, SourceOptions()):
        name = next(f.name for f in functions if f.place.line <= each.place.line <= f.end_line)
        found[name] = (*found.get(name, ()), each)
    return found


def _named(beginning: str) -> list[tuple[str, str]]:
    files = sorted(path.name for path in CASES.glob("*.c"))
    return [(file, name) for file in files for name in _answers(file) if name.startswith(beginning)]


@pytest.mark.parametrize(("file", "function"), _named("wrong_"))
def test_a_planted_race_is_found(file: str, function: str) -> None:
    races = [each for each in _answers(file)[function] if each.answer == "race"]
    assert races
    assert all(each.message and each.accesses for each in races)


@pytest.mark.parametrize(
    ("function", "racy"),
    [
        ("wrong_gangs_of_vectors", "acc parallel loop gang copy(a[0 : 64])"),
        ("wrong_behind_vectors", "acc parallel loop gang copy(a[0 : 64], b[0 : 64])"),
        ("wrong_around_lanes", "omp parallel for"),
    ],
)
def test_the_directive_is_named_whose_iterations_meet(function: str, racy: str) -> None:
    assert [each.text for each in _answers("devices.c")[function] if each.answer == "race"] == [racy]


@pytest.mark.parametrize(("file", "function"), _named("right_"))
def test_its_twin_is_silent(file: str, function: str) -> None:
    assert [each for each in _answers(file)[function] if each.answer != "no-race"] == []


@pytest.mark.parametrize(("file", "function"), _named("lacks_"))
def test_a_copy_without_a_value_is_found(file: str, function: str) -> None:
    assert [rule for each in _answers(file)[function] for rule, _ in each.findings] == ["RAC002"]


@pytest.mark.parametrize(("file", "function"), _named("has_"))
def test_a_copy_with_a_value_is_silent(file: str, function: str) -> None:
    assert [each.findings for each in _answers(file)[function] if each.findings] == []


@pytest.mark.parametrize(("file", "function"), _named("unmapped_"))
def test_data_that_a_device_lacks_are_found(file: str, function: str) -> None:
    assert {rule for each in _answers(file)[function] for rule, _ in each.findings} == {"RAC003"}


@pytest.mark.parametrize(("file", "function"), _named("mapped_"))
def test_data_that_a_device_has_are_silent(file: str, function: str) -> None:
    assert [each.findings for each in _answers(file)[function] if each.findings] == []


@pytest.mark.parametrize(("file", "function"), _named("slow_"))
def test_threads_that_wait_for_each_other_are_told(file: str, function: str) -> None:
    assert {rule for each in _answers(file)[function] for rule, _ in each.findings} == {"RAC004"}


@pytest.mark.parametrize(("file", "function"), _named("fast_"))
def test_threads_that_do_not_wait_are_silent(file: str, function: str) -> None:
    assert [each.findings for each in _answers(file)[function] if each.findings] == []


def test_there_are_as_many_twins_as_mistakes() -> None:
    wrong, right = ({name.partition("_")[2] for _, name in _named(kind)} for kind in ("wrong_", "right_"))
    assert wrong == right
    assert len(wrong) >= 60
