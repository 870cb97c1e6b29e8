"""A nest that would take minutes to count exactly: it gets a bound, says so, and costs little."""

from time import process_time

from analyzer import counts
from analyzer.counts.nest import build
from models.expr import evaluate

from ..c_text import answers, functions, loops

C = """
void f(int n, int m, double *A) {
    for (int i = 0; i < n; i += 3)
        for (int j = 0; 5 * j < m - 7 * i; j++)
            for (int k = j; 17 * k < 11 * i + 13 * j; k++)
                for (int q = k; 19 * q < m * 3 + k * 5 - i; q++)
                    for (int r = 0; 23 * r < i + q * 9 - 4 * j && 29 * r < k + m; r++) A[r] += 1;
}
"""


def truth(n: int, m: int) -> int:
    return sum(
        23 * r < i + q * 9 - 4 * j and 29 * r < k + m
        for i in range(0, n, 3)
        for j in range(max(0, -(-(m - 7 * i) // 5)))
        for k in range(j, max(j, -(-(11 * i + 13 * j) // 17)))
        for q in range(k, max(k, -(-(m * 3 + k * 5 - i) // 19)))
        for r in range(9 * m)
    )


def test_a_nest_too_complex_for_an_exact_count_has_a_bound() -> None:
    function = functions(C)["f"]
    loop, around = loops(function)[0]
    before = process_time()
    found = counts.count(build(function, loop, around), answers(function)).iterations
    assert process_time() - before < 4
    assert found is not None
    assert not found.exact
    assert any("too-complex" in text for text in found.assumptions)
    assert found.high is not None
    for n, m in ((2, 3), (5, 20), (8, 40)):
        most = evaluate(found.high, {"n": n, "m": m})
        assert isinstance(most, int)
        assert truth(n, m) <= most
