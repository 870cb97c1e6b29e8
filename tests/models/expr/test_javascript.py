"""The JavaScript of an expression has Python's values. Needs node; without it only the form is tested."""

import json
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import find, settings
from hypothesis import strategies as st

from models.expr import Expr, evaluate, floordiv, maximum, minimum, mod, parse, piecewise, sym, to_javascript

SIZES = {"N": 7, "M": 3, "s->n": 11}
NODE = shutil.which("node")


def script(expr: Expr) -> str:
    return to_javascript(expr, lambda name: f"v[{json.dumps(name)}]")


def test_symbols_are_looked_up() -> None:
    assert script(2 * sym("s->n")) == '(2 * v["s->n"])'


def test_form_of_every_node() -> None:
    n = sym("n")
    text = to_javascript(
        maximum(minimum(n * n / 2, 9), floordiv(n, 3)) + mod(n, 5) + piecewise(((n - 4, n),), 1) + 1 / (n + 1), str
    )
    for part in ("Math.max(", "Math.min(", "Math.floor(n / 3)", "(n * n / 2)", ">= 0 ? n : 1", "(1 / (n + 1))"):
        assert part in text


def random_expressions(count: int) -> list[Expr]:
    """Expressions from a fixed seed, grown from integers and symbols."""
    leaves = st.one_of(st.integers(-9, 9).map(lambda v: parse(str(v))), st.sampled_from(list(SIZES)).map(sym))

    def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        pair = st.tuples(inner, inner)
        return st.one_of(
            pair.map(lambda p: p[0] + p[1]),
            pair.map(lambda p: p[0] * p[1]),
            pair.map(lambda p: minimum(*p)),
            pair.map(lambda p: maximum(*p)),
            pair.map(lambda p: p[0] / (p[1] * p[1] + 1)),
            st.tuples(st.sampled_from(list(SIZES)).map(sym), st.integers(2, 5)).map(lambda p: floordiv(p[0] + 4, p[1])),
            st.tuples(st.sampled_from(list(SIZES)).map(sym), st.integers(2, 5)).map(lambda p: mod(3 * p[0] + 1, p[1])),
            st.tuples(inner, inner, inner).map(lambda t: piecewise(((t[0], t[1]),), t[2])),
        )

    found: list[Expr] = []

    def collect(expr: Expr) -> bool:
        found.append(expr)
        return len(found) >= count

    find(st.recursive(leaves, grow, max_leaves=12), collect, settings=settings(derandomize=True, max_examples=count))
    return found


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_node_computes_what_python_computes() -> None:
    expressions = random_expressions(200)
    program = f"const v = {json.dumps(SIZES)}; console.log(JSON.stringify([{','.join(map(script, expressions))}]))"
    done = subprocess.run([str(NODE), "-e", program], capture_output=True, text=True, check=True)
    values: list[Any] = json.loads(done.stdout)
    for expr, value in zip(expressions, values, strict=True):
        assert value == pytest.approx(float(evaluate(expr, SIZES)), rel=1e-12, abs=1e-12), str(expr)
