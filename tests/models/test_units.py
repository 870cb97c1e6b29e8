"""Units: files and output have prefixes, the program has none."""

import pytest

from models.units import UnitError, base_unit, readable, to_base, units_of


@pytest.mark.parametrize(
    ("value", "unit", "dimension", "base"),
    [
        (5.1, "GB/s", "data rate", 5.1e9),
        (2.52, "us", "time", 2.52e-6),
        (32, "KiB", "data", 32768),
        (32, "kB", "data", 32000),
        (1089, "Gop/s", "operation rate", 1.089e12),
        (128, "bit", "bits", 128),
    ],
)
def test_values_become_si(value: float, unit: str, dimension: str, base: float) -> None:
    assert to_base(value, unit, dimension) == pytest.approx(base)  # type: ignore[arg-type]
    assert base_unit(dimension) in units_of(dimension)  # type: ignore[arg-type]


def test_a_unit_of_another_dimension_is_refused() -> None:
    with pytest.raises(UnitError, match="'GB' is no unit of a data rate; use one of B/s"):
        to_base(1, "GB", "data rate")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00071106, "s", "711.1 us"),
        (2.5, "s", "2.5 s"),
        (3e-12, "s", "3e-12 s"),
        (5.1e9, "B/s", "5.1 GB/s"),
        (33450e9, "op/s", "33450 Gop/s"),
        (4195328, "B", "4.195 MB"),
        (1048576, "work-units", "1048576 work-units"),
        (7, "1", "7"),
        (0, "s", "0 s"),
    ],
)
def test_printed_values_have_a_fitting_prefix(value: float, unit: str, text: str) -> None:
    assert readable(value, unit) == text
