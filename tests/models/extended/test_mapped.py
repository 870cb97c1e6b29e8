"""Of several mappings the fastest is taken, and kernels add up."""

import pytest
from msgspec.structs import replace

from models import extended
from models.catalogue import find_device
from models.expr import num
from models.extended.amounts import prepare
from models.extended.mapped import Kernel, Mapped, fastest
from models.extended.sheet import Parts, in_turn
from models.prediction import Prediction
from models.workload import Workload, from_class

H200 = find_device("h200")
WORK = from_class("1024x1024|element → 1024x1024|element", 4)


def kernel(text: str, threads: int, kept: int = 2 * 1024 * 1024) -> Kernel:
    workload = replace(WORK, threads=num(threads), kept=num(kept))
    return Kernel(text, workload, prepare(workload, {}))


def alone(workload: Workload, mapped: Mapped | None = None, *, resident: bool = True) -> float:
    found = extended.predict_target(workload, H200, resident=resident, mapped=mapped)
    assert isinstance(found, Prediction)
    assert found.time is not None
    return found.time.likely


def test_more_threads_are_faster() -> None:
    few, many = kernel("few", 1000), kernel("many", 1_000_000)
    found = fastest([[[few, many]]], H200, {}, 1000)
    assert found is not None
    assert found.text == "many"
    assert alone(WORK, Mapped((few,))) > 5 * alone(WORK, found)


def test_simpler_code_comes_first() -> None:
    first, second = kernel("first", 1_000_000), kernel("second", 1_000_000, kept=2 * 1024 * 1024 - 1)
    found = fastest([[[first, second]]], H200, {}, 1000)
    assert found is not None
    assert found.text == "first"


def test_kernels_add_up_and_what_is_copied_is_copied_once() -> None:
    one = kernel("one", 1_000_000)
    two = Mapped((one, one))
    assert two.text == "2 kernels: (1) one; (2) one"
    assert alone(WORK, two) == pytest.approx(2 * alone(WORK, Mapped((one,))))
    moved = alone(WORK, resident=False) - alone(WORK)
    assert alone(WORK, two, resident=False) == pytest.approx(alone(WORK, two) + moved)


def test_two_kernels_are_taken_where_they_are_faster() -> None:
    found = fastest([[[kernel("one", 100)]], [[kernel("a", 1_000_000)], [kernel("b", 1_000_000)]]], H200, {}, 1000)
    assert found is not None
    assert len(found.kernels) == 2
    assert fastest([], H200, {}, 1000) is None


def test_each_kernel_takes_the_larger_of_its_parts() -> None:
    found = in_turn((Parts(3.0, 1.0, 0.0, 0.1), Parts(1.0, 2.0, 0.0, 0.1)), 5.0)
    assert found.total == pytest.approx(3 + 2 + 0.2 + 5)
    assert found.compute == pytest.approx(5)  # there is more of it
    assert found.memory == pytest.approx(3)


def test_the_arithmetic_is_that_of_the_time() -> None:
    mapped = Mapped((kernel("one", 1_000_000), kernel("two", 2_000)))
    found = extended.predict_target(WORK, H200, resident=True, mapped=mapped)
    assert isinstance(found, Prediction)
    assert found.mapping == mapped.text
    kernels = [t for t in found.terms if t.name == "w"]
    assert [t.value for t in kernels] == [1_000_000, 2_000]
