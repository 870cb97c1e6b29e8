"""Systems taken apart, and alternatives that numbers alone settle: the same answers, from less work."""

import random

from analyzer.base.places import Place
from analyzer.ir.nodes import Computed
from analyzer.ir.polynomials import Poly, Symbol, number, symbol
from analyzer.ir.symbols import program
from analyzer.polyhedra.parts import about, parts
from analyzer.polyhedra.propagation import settled
from analyzer.polyhedra.system import Constraint, Feasibility, System, Work, at_least, either, equal, feasible, proves

X, Y, Z = (program(k, name, Computed(name, Place("", 0))) for k, name in enumerate("xyz", 1))
x, y, z = map(symbol, (X, Y, Z))


def test_parts_share_no_symbol() -> None:
    found = parts(System((at_least(x - y), at_least(z)), (((at_least(y),), (at_least(-y),)),)))
    assert [sorted(str(c) for c in part.constraints) for part in found] == [["z >= 0"], ["x - y >= 0"]]


def test_about_keeps_what_is_related() -> None:
    context = System((at_least(x - y), at_least(z), at_least(y - 1)))
    assert about(context, System((at_least(x),))).constraints == (at_least(x - y), at_least(y - 1))
    assert not about(context, System((at_least(x),))).exact
    assert about(context, System((at_least(x + z),))).exact


def test_a_value_settles_choices() -> None:
    left = settled((equal(x - 7),), (((at_least(x - 4),), (at_least(-x + 2),)), ((at_least(x - 8),), (at_least(y),))))
    assert left == ((equal(x - 7), at_least(y)), ())


def test_no_alternative_is_left() -> None:
    assert settled((equal(x - 7),), (((at_least(x - 8),), (at_least(-x + 2),)),)) is None


def test_many_choices_about_different_symbols_cost_little() -> None:
    many = [symbol(program(100 + k, f"v{k}", Computed("v", Place("", 0)))) for k in range(20)]
    work = Work()
    free = sum((either((at_least(v - 1),), (at_least(-v - 1),)) for v in many), System())
    assert feasible(free, work) is Feasibility.NONEMPTY
    assert work.done < 200
    bound = sum((System((at_least(v), at_least(-v + 1))) for v in many), free)
    assert feasible(bound + System((equal(many[-1]),)), work) is Feasibility.EMPTY


def test_what_was_decided_costs_nothing_again_and_nothing_is_decided_without_means() -> None:
    apart = System((equal(x * 2 - 1), at_least(y)))
    work = Work()
    assert feasible(apart, work) is Feasibility.EMPTY
    spent = work.limit = work.done
    assert spent > 0
    assert feasible(apart, work) is Feasibility.EMPTY
    assert feasible(System((at_least(x), at_least(-x - 1))), work) is Feasibility.TOO_COMPLEX
    assert not proves(System((at_least(x),)), at_least(x + y * y), work)
    assert work.done == spent


def test_large_systems_count_as_many() -> None:
    many = [symbol(program(200 + k, f"w{k}", Computed("w", Place("", 0)))) for k in range(30)]
    pairs = [at_least(a * 2 + b * 3 - 4) for a in many for b in many[:8] if a != b]
    large, small = Work(), Work()
    feasible(System((*pairs, *(at_least(-v + 9) for v in many))), large)
    feasible(System(tuple(pairs[:2])), small)
    assert small.done == 1
    assert large.done > 5


def test_looking_at_the_cases_of_a_long_switch_costs_something() -> None:
    cases = sum((either((at_least(x - k - 1),), (at_least(-x + k - 1),)) for k in range(300)), System())
    work = Work()
    assert feasible(cases + System((at_least(x), at_least(-x + 299))), work) is Feasibility.EMPTY
    assert work.done > 10


def test_against_trying_all_points() -> None:
    rng = random.Random(7)
    for _ in range(300):
        box = System(tuple(c for v in (x, y) for c in (at_least(v + 3), at_least(-v + 3))))
        made = [_made(rng) for _ in range(6)]
        choices = tuple(((a,), (b,)) for a, b in zip(made[::2], made[1::2], strict=True))
        wanted = box + System(choices=choices)
        points = [{X: number(i), Y: number(j)} for i in range(-3, 4) for j in range(-3, 4)]
        some = any(all(any(_true(a[0], p) for a in choice) for choice in choices) for p in points)
        assert (feasible(wanted) is not Feasibility.EMPTY) == some, wanted


def _made(rng: random.Random) -> Constraint:
    value = x * rng.randint(-2, 2) + y * rng.randint(-2, 2) + rng.randint(-6, 3)
    return equal(value) if rng.random() < 0.3 else at_least(value)


def _true(constraint: Constraint, point: dict[Symbol, Poly]) -> bool:
    value = constraint.value.substitute(point).constant
    return value is not None and (value == 0 if constraint.equal else value >= 0)
