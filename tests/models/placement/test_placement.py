"""Placements of programs small enough to work out by hand, and random ones against every placement, executed."""

import random

import pytest

from models.errors import InputError
from models.placement import (
    Array,
    Branch,
    Machine,
    Node,
    Place,
    Plan,
    Program,
    Repeat,
    Task,
    Use,
    barrier,
    executions,
    place,
)

from .campaign import judge
from .programs import random_program

HOST, GPU = Place("host"), Place("gpu", 1.0, 1.0)
PLACES = (HOST, GPU)


def task(name: str, host_s: float, gpu_s: float | None, *uses: Use) -> Task:
    return Task(name, (host_s, gpu_s), uses)


def where(plan: Plan) -> dict[str, str]:
    return {d.task: d.place for d in plan.decisions}


def copied(plan: Plan) -> list[tuple[str, str, str, float, float]]:
    return [(c.array, c.source, c.target, c.bytes, c.times) for c in plan.copies]


@pytest.mark.parametrize("seed", range(60))
def test_cost_is_that_of_the_best_placement_executed(seed: int) -> None:
    plan, _ = judge(random_program(random.Random(f"test/{seed}"), most_tasks=9), (HOST, Place("gpu", 1.0, 1.5, 2.0)))
    assert plan.optimal


@pytest.mark.parametrize("seed", range(25))
def test_with_two_accelerators_the_bound_and_the_claims_hold(seed: int) -> None:
    places = (HOST, Place("d1", 1.0, 1.5, 2.0), Place("d2", 2.0, 0.5))
    plan, missed = judge(random_program(random.Random(f"two/{seed}"), most_tasks=6, places=3), places)
    assert missed <= plan.gap + 1e-9
    assert plan.optimal  # so few tasks are eliminated one after the other


def test_where_memory_is_short_the_cost_without_its_limit_bounds_the_gap() -> None:
    places = (HOST, Place("d1", 1.0, 1.5, 2.0, capacity_bytes=10), Place("d2", 2.0, 0.5, capacity_bytes=10))
    limited = 0
    for seed in range(12):
        made = random_program(random.Random(f"small/{seed}"), most_tasks=6, places=3)
        free, plan = place(made, (HOST, Place("d1", 1.0, 1.5, 2.0), Place("d2", 2.0, 0.5))), place(made, places)
        assert free.after_s * (1 - 1e-9) <= plan.lower_s <= plan.after_s * (1 + 1e-9)
        limited += plan.after_s > free.after_s
    assert limited


def test_one_array_with_three_readers_is_copied_once() -> None:
    a = Array("a", 28, at_end=False)
    readers = tuple(task(f"t{i}", 100, 1, Use("a", 28)) for i in range(3))
    plan = place(Program((a,), readers), PLACES)
    assert copied(plan) == [("a", "host", "gpu", 28, 1)]
    assert plan.after_s == 31


def test_a_loop_that_loses_alone_wins_where_its_data_is() -> None:
    """The second one gains 2 s there and would pay 20 s to copy; its array is there and stays there."""
    body = (
        task("fill", 100, 1, Use("a", writes="whole")),
        task("scale", 3, 1, Use("a", 10, "whole")),
        task("use", 100, 1, Use("a", 10)),
    )
    plan = place(Program((Array("a", 10, at_end=False),), body), PLACES)
    assert where(plan) == {"fill": "gpu", "scale": "gpu", "use": "gpu"}
    assert plan.copies == ()
    scale = plan.decisions[1]
    assert scale.alone == "host"
    assert scale.reason == "alone it would stay on host, but a is on gpu already"
    assert plan.after_s == 3
    assert plan.per_task_s == (1 + 10) + 3 + (1 + 10)


def test_a_loop_that_wins_alone_stays_where_its_data_would_go_back_and_forth() -> None:
    """Alone it copies the 2 bytes that it writes; the rest of the array, which it leaves as it was, moves as well."""
    part = Task("part", (20, 1), (Use("a", 0, "part"),), alone_s=(20, 3))
    plan = place(Program((Array("a", 30),), (Repeat(10, (part, task("log", 1, None, Use("a", 30, "part")))),)), PLACES)
    decision = plan.decisions[0]
    assert (decision.place, decision.alone) == ("host", "gpu")
    assert decision.reason.startswith("alone it would move to gpu")
    assert plan.per_task_s == 10 * 3 + 10


def test_data_stays_on_the_device_over_time_steps() -> None:
    """In once before the first step, out once after the last; the first iteration and the others differ."""
    step = (
        task("sweep", 50, 1, Use("u", 10), Use("v", writes="whole")),
        task("copy", 50, 1, Use("v", 10), Use("u", writes="whole")),
    )
    plan = place(Program((Array("u", 10), Array("v", 10, at_end=False)), (Repeat(1000, step),)), PLACES)
    assert copied(plan) == [("u", "host", "gpu", 10, 1), ("u", "gpu", "host", 10, 1)]
    assert plan.after_s == 2 * 1000 + 20
    assert [(c.after, c.before) for c in plan.copies] == [(None, "sweep"), ("copy", None)]


def test_what_the_host_reads_in_every_step_comes_back_in_every_step() -> None:
    step = (task("sweep", 50, 1, Use("u", 10, "whole")), task("watch", 1, None, Use("u", 2)))
    plan = place(Program((Array("u", 10),), (Repeat(100, step),)), PLACES)
    assert copied(plan) == [("u", "host", "gpu", 10, 1), ("u", "gpu", "host", 2, 99), ("u", "gpu", "host", 10, 1)]


def test_parts_of_one_array_cost_no_more_than_the_whole() -> None:
    readers = tuple(task(f"t{i}", 100, 1, Use("a", 6)) for i in range(3))
    plan = place(Program((Array("a", 10, at_end=False),), readers), PLACES)
    assert [c.bytes for c in plan.copies] == [10]
    assert plan.after_s == 13


def test_small_parts_are_copied_by_themselves() -> None:
    readers = tuple(task(f"t{i}", 100, 1, Use("a", 2)) for i in range(3))
    plan = place(Program((Array("a", 10, at_end=False),), readers), PLACES)
    assert [c.bytes for c in plan.copies] == [2, 2, 2]


def test_every_copy_pays_for_its_start() -> None:
    """Three copies of 2 bytes would start three times; one of all 10 starts once."""
    readers = tuple(task(f"t{i}", 100, 1, Use("a", 2)) for i in range(3))
    plan = place(Program((Array("a", 10, at_end=False),), readers), (HOST, Place("gpu", 1.0, 1.0, latency_s=5.0)))
    assert [(c.bytes, c.seconds) for c in plan.copies] == [(10, 15)]


def test_a_branch_pays_by_its_weight() -> None:
    body: tuple[Node, ...] = (Branch(0.25, (task("rare", 100, 1, Use("a", 10)),)), task("last", 1, 5, Use("a", 10)))
    plan = place(Program((Array("a", 10, at_end=False),), body), PLACES)
    assert where(plan) == {"rare": "gpu", "last": "host"}
    assert plan.after_s == 0.25 * 11 + 1
    assert copied(plan) == [("a", "host", "gpu", 10, 0.25)]


def test_a_random_branch_in_a_million_steps_needs_no_million_steps() -> None:
    """The chance that an array was needed at all in n steps is 1 - (1 - p)^n."""
    body = (Branch(1e-6, (task("rare", 1e9, 1, Use("a", 10)),)),)
    plan = place(Program((Array("a", 10, at_end=False),), (Repeat(1e6, body),)), PLACES)
    (copy,) = plan.copies
    assert copy.times == pytest.approx(1 - (1 - 1e-6) ** 1e6)


def test_a_barrier_brings_everything_home_and_may_change_it() -> None:
    a, b = Array("a", 10), Array("b", 5, at_end=False)
    uses = (Use("a", 10, "whole"), Use("b", 5, "whole"))
    body = (task("before", 100, 1, *uses), barrier("call", (a, b), 2), task("after", 100, 1, *uses))
    plan = place(Program((a, b), body), PLACES)
    assert where(plan) == {"before": "gpu", "call": "host", "after": "gpu"}
    assert sum(c.bytes * c.times for c in plan.copies) == 15 + 15 + 15 + 10


def test_contents_that_mean_nothing_are_not_copied() -> None:
    body = (task("part", 100, 1, Use("a", 0, "part")), task("use", 100, 1, Use("a", 10)))
    empty = Program((Array("a", 10, "nowhere", at_end=False),), body)
    assert place(empty, PLACES).copies == ()
    assert copied(place(Program((Array("a", 10, at_end=False),), body), PLACES)) == [("a", "host", "gpu", 10, 1)]


def test_a_device_too_small_for_all_keeps_what_gains_most() -> None:
    arrays = (Array("a", 10, "nowhere", False), Array("b", 10, "nowhere", False))
    body = (
        Repeat(10, (task("f", 10, 1, Use("a", writes="whole")),)),
        Repeat(10, (task("g", 20, 1, Use("b", writes="whole")),)),
    )
    plan = place(Program(arrays, body), (HOST, Place("gpu", 1.0, 1.0, capacity_bytes=15)))
    assert where(plan) == {"f": "host", "g": "gpu"}
    assert plan.lower_s == 20
    assert plan.gap == pytest.approx((110 - 20) / 110)
    assert not plan.optimal


def test_data_goes_from_one_accelerator_to_another_by_way_of_the_host() -> None:
    a = Array("a", 10, "nowhere", at_end=False)
    body = (
        Task("f", (1000, 1, None), (Use("a", writes="whole"),)),
        Task("g", (1000, None, 1), (Use("a", 10),)),
        Task("h", (1, None, None), (Use("a", 10),)),
    )
    plan = place(Program((a,), body), (HOST, Place("d1"), Place("d2")))
    assert copied(plan) == [("a", "d1", "host", 10, 1), ("a", "host", "d2", 10, 1)]


def test_the_machine_prices_any_placement() -> None:
    body = (task("f", 8, 1, Use("a", writes="whole")), task("g", 8, 1, Use("a", 10)))
    machine = Machine(Program((Array("a", 10, at_end=False),), body), (HOST, Place("gpu", 5.0, 2.0)))
    assert [machine.cost(p) for p in ((0, 0), (0, 1), (1, 0), (1, 1))] == [16, 8 + 2 + 1, 1 + 5 + 8, 2]


def test_executions_multiply_loops_and_weights() -> None:
    t = task("t", 1, 1)
    assert [n for _, n in executions((Repeat(3, (Branch(0.5, (t,), (t,)), t)), t))] == [1.5, 1.5, 3, 1]


def test_no_task_and_no_accelerator() -> None:
    assert place(Program((), ()), PLACES).after_s == 0
    only_host = place(Program((), (Task("t", (2.0,)),)), (HOST,))
    assert (only_host.after_s, only_host.gap) == (2, 0)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (Program((Array("a", 1), Array("a", 1)), ()), "the same name"),
        (Program((), (task("t", 1, 1, Use("x", 1)),)), "no array is called x"),
        (Program((Array("a", 1),), (task("t", 1, 1, Use("a", 2)),)), "reads 2 of 1 bytes"),
        (Program((Array("a", 1),), (task("t", 1, 1, Use("a"), Use("a")),)), "listed twice"),
        (Program((), (task("t", 1, 1), task("t", 1, 1))), "two tasks are called t"),
        (Program((), (Task("t", (None, 1.0)),)), "the host's known"),
        (Program((), (Branch(1.5, ()),)), "weight 1.5"),
        (Program((), (Repeat(-1, ()),)), "-1 times"),
    ],
)
def test_programs_that_make_no_sense_are_refused(program: Program, message: str) -> None:
    with pytest.raises(InputError, match=message):
        place(program, PLACES)
