"""Conditions written without quotients: never fewer points than with them, and the same points where that is said."""

import random
from itertools import product

from analyzer.counts.quotients import without_quotients
from analyzer.ir.nodes import Counter, Quotient, Remainder
from analyzer.ir.polynomials import Poly, Symbol, symbol
from analyzer.ir.symbols import program
from analyzer.polyhedra.signs import Region

ROW, COLUMN = program(1, "i", Counter(1), 0), program(2, "j", Counter(2), 0)
SIZE = 12
SAME_AT_LEAST = 60


def _c_division(a: int, b: int, floor: bool) -> int:
    return a // b if floor else int(a / b)


def _value(poly: Poly, values: dict[Symbol, int]) -> int:
    known = dict(values)
    for s in poly.symbols:
        match s.origin:
            case Quotient(value=value, divisor=d, floor=floor):
                known[s] = _c_division(_value(value, values), d, floor)
            case Remainder(value=value, divisor=d, floor=floor):
                inner = _value(value, values)
                known[s] = inner - d * _c_division(inner, d, floor)
            case _:
                pass
    return poly.evaluate(known)


def _holds(region: Region, values: dict[Symbol, int]) -> bool:
    return all(_value(c, values) >= 0 for c in region.constraints)


def _condition(rng: random.Random, key: int) -> Poly:
    """One quotient or remainder of something in i, compared with something in i and j."""
    inner = symbol(ROW) * rng.choice((1, 1, 2)) + rng.choice((-4, 0, 0, 3)) + symbol(COLUMN) * rng.choice((0, 0, -1))
    kind, divisor, floor = rng.choice((Quotient, Quotient, Remainder)), rng.randint(2, 5), rng.random() < 0.5
    part = symbol(program(key, "q", kind(inner, divisor, floor)))
    return part * rng.choice((1, -1, 1, -1, 2, -3)) + symbol(COLUMN) * rng.choice((1, -1, 0)) + rng.randint(-3, 6)


def test_points_are_kept() -> None:
    rng = random.Random("quotients")
    box = (symbol(ROW), -symbol(ROW) + SIZE, symbol(COLUMN), -symbol(COLUMN) + SIZE)
    same = 0
    for key in range(10, 310):
        region = Region((ROW, COLUMN), (*box, _condition(rng, key)))
        plain, equal = without_quotients(region)
        assert not any(isinstance(s.origin, Quotient | Remainder) for c in plain.constraints for s in c.symbols)
        for i, j in product(range(SIZE + 1), repeat=2):
            before, after = (_holds(r, {ROW: i, COLUMN: j}) for r in (region, plain))
            assert after or not before, (region, i, j)
            assert before == after or not equal, (region, i, j)
        same += equal
    assert same > SAME_AT_LEAST


def test_a_region_without_quotients_is_left_alone() -> None:
    region = Region((ROW,), (symbol(ROW), -symbol(ROW) + SIZE))
    assert without_quotients(region) == (region, True)
