"""What the trace alone says of hand-made loops whose truth is known, and how regular they are."""

import pytest

from . import nest as n
from .oracle import shown_parallel
from .shape import shape
from .test_executor import CARRIED, LARGEST, MAYBE, SHIFT, SUM, TEMPORARY, A, K, S, T, _at, _nest
from .trace import Recorder

NEXT = n.Assign(_at(K), "", n.Bin("+", n.Load(_at(n.Bin("+", K, n.Const(2)))), n.Load(_at(K))))
CELL = _at(n.Const(20))


def _shown(nest: n.Nest) -> bool:
    run = Recorder(nest).run({"n": 9}, "x")
    return shown_parallel(nest, n.loops(nest.body)[0], run.entries)


@pytest.mark.parametrize(
    ("nest", "parallel"),
    [
        (_nest(n.Assign(_at(K), "+", n.Const(1))), True),
        (_nest(SHIFT), False),
        # The writing iteration reads the element, too: the read of an earlier one must not be forgotten.
        (_nest(NEXT), False),
        (_nest(SUM, result=S), True),
        (_nest(LARGEST, result=S), True),
        (_nest(n.Assign(CELL, "+", n.Load(_at(K)))), True),
        (_nest(n.Assign(CELL, "+", n.Load(CELL))), False),
        (_nest(n.Assign(CELL, "", K)), True),
        (_nest(n.Assign(_at(n.Bin("/", K, n.Const(2))), "", K)), False),
        (_nest(*TEMPORARY), True),
        (_nest(*TEMPORARY, result=T), True),
        (_nest(*CARRIED), False),
        (_nest(*MAYBE), False),
        (_nest(n.If(n.Bin("<", K, n.Const(3)), (n.Assign(T, "", K),)), result=T), False),
        (_nest(n.If(n.Bin("<", K, n.Const(3)), (n.Assign(T, "", K),))), True),
    ],
)
def test_parallel_in_truth(nest: n.Nest, parallel: bool) -> None:
    assert _shown(nest) is parallel


@pytest.mark.parametrize(
    ("subscript", "expected"),
    [
        (n.Bin("-", n.Bin("*", n.Const(2), K), n.Const(1)), "affine"),
        (n.Bin("*", n.Var("n", n.INT), K), "linearised"),
        (n.Bin("%", K, n.Const(3)), "quasi"),
        (n.Bin("*", K, K), "other"),
        (n.Load(n.Spot(A, (n.Index(K),))), "other"),
    ],
)
def test_shapes(subscript: n.Expr, expected: str) -> None:
    nest = _nest(n.Assign(_at(subscript), "", n.Const(1)))
    assert shape(nest, n.loops(nest.body)[0]) == expected
