"""Arithmetic on numbers and arrays alike; numpy is imported for arrays only."""

import math
import subprocess
import sys

import numpy
import pytest

from models.elementwise import (
    Values,
    all_true,
    ceil,
    floor,
    greatest,
    least,
    log2,
    nonnegative,
    positive,
    quotient,
    sqrt,
)
from models.errors import InputError

ARRAY = numpy.array([1.0, 4.0, 10.0])


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (least(3, ARRAY), [1, 3, 3]),
        (greatest(3, ARRAY, 5), [5, 5, 10]),
        (log2(ARRAY), [0, 2, math.log2(10)]),
        (sqrt(ARRAY), [1, 2, math.sqrt(10)]),
        (ceil(ARRAY / 3), [1, 2, 4]),
        (floor(ARRAY / 3), [0, 1, 3]),
        (quotient(ARRAY, 2), [0.5, 2, 5]),
        (quotient(2, ARRAY - 1), [math.inf, 2 / 3, 2 / 9]),
    ],
)
def test_arrays_element_by_element(found: Values, expected: list[float]) -> None:
    assert list(found) == pytest.approx(expected)


def test_numbers_stay_numbers() -> None:
    assert (least(3, 2), greatest(3, 2), log2(8), sqrt(9), ceil(1.2), floor(1.8)) == (2, 3, 3, 3, 2, 1)
    assert quotient(1, 0) == math.inf
    assert math.isnan(quotient(0, 0))
    assert all_true(ARRAY > 0)
    assert not all_true(ARRAY > 1)


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, -math.inf, 10**400, "x", None])
def test_what_is_no_amount(bad: object) -> None:
    for check in (nonnegative, positive):
        with pytest.raises(InputError, match="work is"):
            check("work", bad)


def test_zero_is_an_amount_but_not_a_rate() -> None:
    assert nonnegative("work", 0) == 0
    with pytest.raises(InputError, match="rate is 0, which is not above 0"):
        positive("rate", 0)
    with pytest.raises(InputError, match="rate is 0"):
        positive("rate", numpy.array([1.0, 0.0]))
    with pytest.raises(InputError, match="work is nan"):
        nonnegative("work", numpy.array([1.0, math.nan]))


@pytest.mark.parametrize(
    "command",
    [
        ["partition", "--intensity", "1.7", "--cpu", "i7-2600k", "--gpu", "gtx750", "--printed"],
        ["scale", "summa", "--size", "N=242..61952", "-P", "121"],
        ["dnn", "paper", "-b", "32"],
    ],
)
def test_commands_import_nothing_heavy(command: list[str]) -> None:
    script = (
        f"import sys; from models.cli import main; code = main({command!r}); "
        "print(code, *sorted({'numpy', 'networkx', 'scipy', 'matplotlib'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["0"]
