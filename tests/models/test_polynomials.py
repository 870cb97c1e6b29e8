"""Where polynomials of one size change their sign."""

import random

from models.polynomials import Polynomial, sign, sign_changes

LAST = 2**40


def halved(p: Polynomial) -> int:
    """The size before the one sign change up to LAST, by bisection alone."""
    low, high = 1, LAST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if (sign(p, middle) >= 0) == (sign(p, 1) >= 0) else (low, middle)
    return low


def test_a_straight_line_changes_its_sign_where_bisection_finds_it() -> None:
    chance = random.Random(1)
    for _ in range(2000):
        slope = chance.choice((1, -1)) * chance.uniform(0.1, 10) * 10 ** chance.randint(-20, 3)
        at = chance.choice((chance.uniform(1, 50), chance.uniform(1, LAST), float(chance.randint(1, 1000))))
        p = (-slope * at, slope)
        changes = (sign(p, 1) >= 0) != (sign(p, LAST) >= 0)
        assert sign_changes(p, 1, LAST) == ([halved(p)] if changes else [])


def test_a_line_too_flat_to_cross_changes_no_sign() -> None:
    assert sign_changes((1e300, -1e-300), 1, LAST) == []
