"""The table of known functions: the figures the definitions fix, and what must not be in it."""

import pytest

from analyzer.ir import c_library as library
from analyzer.ir.c_library import Cost


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sqrt", Cost(1)),
        ("sqrtf", Cost(1)),
        ("exp", Cost(30)),
        ("fabs", Cost(0, 1)),
        ("fminf", Cost(0, 1)),
        ("fmax", Cost(0, 1)),
        ("floor", Cost(0, 1)),
        ("abs", Cost(0, 0, 1)),
        ("cexp", Cost(92)),
        ("cpowf", Cost(92 + 6 + 64)),
        ("cabsl", Cost(4)),
        ("conj", Cost(0, 1)),
        ("creal", Cost()),
        ("__builtin_sqrt", Cost(1)),
    ],
)
def test_costs_fixed_by_the_definitions(name: str, expected: Cost) -> None:
    assert library.cost(name) == expected


@pytest.mark.parametrize(
    ("exponent", "multiplications"),
    [(16, 15), (2, 1), (1, 0), (0, 0), (3, 2), (-1, 1), (-2, 2)],
)
def test_pow_with_a_constant_exponent_is_multiplications(exponent: int, multiplications: int) -> None:
    # x^-2 is one multiplication and one division: two operations
    assert library.cost("pow", exponent) == Cost(multiplications)


def test_pow_with_any_exponent_is_exp_and_log() -> None:
    assert library.cost("powf") == Cost(61)


def test_an_exponent_changes_nothing_for_other_functions() -> None:
    assert library.cost("fmod", 2) == library.cost("fmod")


@pytest.mark.parametrize(
    "name", ["printf", "rand", "malloc", "modf", "frexp", "sincos", "csin", "strlen", "memcpy", "user"]
)
def test_functions_with_memory_or_effects_are_not_known(name: str) -> None:
    assert not library.is_known(name)


def test_result_and_precision_follow_the_suffix() -> None:
    assert (library.KNOWN["sinf"].precision, library.KNOWN["sinf"].result) == ("float", "float")
    assert (library.KNOWN["lround"].precision, library.KNOWN["lround"].result) == ("double", "long")
    assert library.KNOWN["abs"].precision is None


def test_no_name_is_both_pure_and_effectful() -> None:
    assert not set(library.KNOWN) & set(library.EFFECTS)
    assert library.effect("printf") is library.Effect.PRINTS
    assert library.effect("user") is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sqrt", ("double",)),
        ("powf", ("float", "float")),
        ("fmal", ("long double", "long double", "long double")),
        ("ldexpf", ("float", "int")),
        ("scalbln", ("double", "long")),
        ("lroundf", ("float",)),
        ("cabsf", ("float _Complex",)),
        ("isdigit", ("int",)),
        ("llabs", ("long long",)),
    ],
)
def test_parameters_as_the_library_declares_them(name: str, expected: tuple[str, ...]) -> None:
    assert library.parameters(name) == expected


def test_every_known_function_has_parameters() -> None:
    queries = {*library.OF_THREADS, *library.TIMERS}
    assert all(library.parameters(name) for name in library.KNOWN if name not in queries)
    assert library.parameters(library.THREAD_NUMBER) == library.parameters("omp_get_wtime") == ()
    assert library.parameters("omp_get_team_size") == ("int",)


def test_a_function_that_waits_keeps_values_and_shows_no_order() -> None:
    waits = library.effect("usleep")
    assert waits is not None
    assert (waits.keeps_values, waits.shows_order, waits.is_output) == (True, False, False)
    assert waits.in_words("usleep").startswith("`usleep` waits: iterations that run at the same time")
