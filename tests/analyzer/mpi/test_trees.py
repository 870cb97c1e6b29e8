"""How many messages each process sends in the stated algorithms, against what every algorithm must do in all."""

import pytest

from analyzer.facts.network import Tree
from analyzer.mpi.trees import messages, stages

SIZES = (*range(1, 20), 31, 32, 33, 100)


def _all(kind: Tree, p: int) -> list[int]:
    return [messages(kind, v, p) for v in range(p)]


@pytest.mark.parametrize("p", SIZES)
def test_stages_double_what_is_reached(p: int) -> None:
    assert 2 ** stages(p) >= p
    assert p == 1 or 2 ** (stages(p) - 1) < p


@pytest.mark.parametrize("p", SIZES)
def test_everyone_but_the_root_gets_a_broadcast_once_and_the_root_sends_in_every_stage(p: int) -> None:
    assert sum(_all("children", p)) == p - 1
    assert messages("children", 0, p) == max(_all("children", p)) == stages(p)
    assert _all("once", p) == [0] + [1] * (p - 1)


@pytest.mark.parametrize("p", SIZES)
def test_parts_pass_every_process_on_their_way(p: int) -> None:
    below = {v: {v} for v in range(p)}
    for k in reversed(range(stages(p))):  # v + 2^k hands all it has to v < 2^k
        for v in range(1 << k, min(2 << k, p)):
            below[v - (1 << k)] |= below[v]
    assert _all("forwarded", p) == [len(below[v]) - 1 for v in range(p)]
    assert _all("subtree", p) == [len(below[v]) if v else 0 for v in range(p)]
    assert messages("forwarded", 0, p) == p - 1
    assert sum(_all("forwarded", p)) == sum(_all("subtree", p))


@pytest.mark.parametrize("p", SIZES)
def test_the_busiest_of_an_exchange_sends_in_every_stage(p: int) -> None:
    assert max(_all("exchange", p)) == stages(p)
    assert (p & (p - 1) == 0) == (len(set(_all("exchange", p))) == 1)


@pytest.mark.parametrize("p", SIZES)
def test_a_scan_sends_as_far_as_there_are_processes(p: int) -> None:
    reached = [{v} for v in range(p)]
    for k in range(stages(p)):
        reached = [reached[v] | (reached[v - (1 << k)] if v >= 1 << k else set()) for v in range(p)]
    assert reached == [set(range(v + 1)) for v in range(p)]
    assert sum(_all("scan", p)) == sum(max(0, p - (1 << k)) for k in range(stages(p)))
    assert messages("scan", 0, p) == stages(p)
