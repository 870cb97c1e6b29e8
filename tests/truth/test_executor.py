"""The executor itself: its arithmetic against the compiler's, and claims that are known to be false."""

import shutil
from pathlib import Path

import pytest

from . import nest as n
from .generate import generate
from .machine import TooLongError, UndefinedError
from .native import COUNTS, Native, live, result_of
from .permute import ORDERS, Claim, EarlyExitError, Runner
from .trace import FLOW, Recorder

NESTS = 120


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc (statement expressions)")
def test_the_interpreter_computes_what_the_compiled_program_does(tmp_path: Path) -> None:
    nests = [generate(f"executor-{k}") for k in range(NESTS)]
    jobs, runs = [], []
    for k, nest in enumerate(nests):
        recorder = Recorder(nest)
        for sizes in nest.sizes:
            try:
                runs.append((recorder, recorder.run(sizes, "native")))
                jobs.append((k, sizes, "native"))
            except (UndefinedError, TooLongError):
                continue
    assert len(jobs) > 4 * NESTS, "most runs must be valid"
    native = Native(nests, tmp_path, "gcc")
    for (k, sizes, _), (recorder, run), (result, counts, memory) in zip(jobs, runs, native.run(jobs), strict=True):
        nest, where = nests[k], f"{nests[k].seed} at {sizes}"
        expected = result_of(nest, run)
        assert result == expected or (result != result and expected != expected), where
        assert counts == {name: run.totals[name] for name in COUNTS}, where
        assert live(nest, recorder.machine, memory) == live(nest, recorder.machine, run.memory), where


# --- hand-made nests whose truth is known

K, A, S, T, N = (n.Var("i", n.INT), n.Var("A", n.Ptr(n.INT)), n.Var("s", n.INT), n.Var("t", n.INT), n.Var("n", n.INT))


def _at(e: n.Expr) -> n.Spot:
    return n.Spot(A, (n.Index(e),))


def _nest(*body: n.Stmt, result: n.Expr | None = None) -> n.Nest:
    loop = n.Loop(0, "for", K, True, n.Const(0), n.Bin("<", K, N), (n.Assign(K, "+", n.Const(1)),), body)
    outside = (n.Declare(S, n.Const(0)), n.Declare(T, n.Const(0)))
    ending = (n.Return(result),) if result is not None else ()
    return n.Nest(
        "f",
        "by hand",
        (N, A),
        (n.Storage("A", n.INT, 64, 16),),
        (),
        (),
        (*outside, loop, *ending),
        n.INT if result is not None else None,
        ({"n": 9},),
    )


def _survives(nest: n.Nest, claim: Claim) -> bool:
    """Whether the claim holds in every order."""
    truth = Recorder(nest).run({"n": 9}, "x")
    runner = Runner(nest, n.loops(nest.body)[0], claim)
    outcomes = [runner.run({"n": 9}, "x", order) for order in ORDERS]
    return all(outcome == (truth.result, truth.memory) for outcome in outcomes)


NOTHING = Claim()
SHIFT = n.Assign(_at(K), "", n.Load(_at(n.Bin("-", K, n.Const(1)))))
SUM = n.Assign(S, "+", n.Load(_at(K)))
LARGEST = n.If(n.Bin(">", n.Load(_at(K)), S), (n.Assign(S, "", n.Load(_at(K))),))
TEMPORARY = (n.Assign(T, "", n.Load(_at(K))), n.Assign(_at(K), "", n.Bin("+", T, T)))
CARRIED = (n.Assign(_at(K), "", T), n.Assign(T, "", K))
MAYBE = (n.If(n.Bin(">", n.Load(_at(K)), n.Const(0)), (n.Assign(T, "", K),)), n.Assign(_at(K), "", T))


def _if_larger(left: n.Expr, than: int) -> tuple[n.Stmt, ...]:
    """`if (left > than) t = A[i];  A[i] = t + i;`"""
    condition = n.Bin(">", left, n.Const(than))
    return (n.If(condition, (n.Assign(T, "", n.Load(_at(K))),)), n.Assign(_at(K), "", n.Bin("+", T, K)))


ALL, NONE, LATE = _if_larger(N, 5), _if_larger(N, 100), _if_larger(K, 4)
FIRST, LAST = Claim(first_private=frozenset({"t"})), Claim(last_private=frozenset({"t"}))
BOTH = Claim(first_private=frozenset({"t"}), last_private=frozenset({"t"}))


@pytest.mark.parametrize(
    ("nest", "claim", "holds"),
    [
        (_nest(n.Assign(_at(K), "+", n.Const(1))), NOTHING, True),
        (_nest(SHIFT), NOTHING, False),
        (_nest(SUM, result=S), Claim(reductions={"s": "+"}), True),
        (_nest(SUM, result=S), NOTHING, False),
        (_nest(SUM, result=S), Claim(reductions={"s": "*"}), False),
        (_nest(LARGEST, result=S), Claim(reductions={"s": "max"}), True),
        (_nest(LARGEST, result=S), Claim(reductions={"s": "+"}), False),
        (_nest(SUM, n.Assign(_at(n.Bin("+", K, n.Const(20))), "", S)), Claim(reductions={"s": "+"}), False),
        (_nest(*TEMPORARY), Claim(private=frozenset({"t"})), True),
        (_nest(*TEMPORARY, result=T), Claim(private=frozenset({"t"})), False),
        (_nest(*TEMPORARY, result=T), Claim(last_private=frozenset({"t"})), True),
        (_nest(*CARRIED), Claim(private=frozenset({"t"})), False),
        (_nest(*MAYBE), Claim(private=frozenset({"t"})), False),
        (_nest(*MAYBE), FIRST, False),
        (_nest(*CARRIED), FIRST, False),
        (_nest(*ALL), FIRST, True),
        (_nest(*NONE), FIRST, True),
        (_nest(*NONE), Claim(private=frozenset({"t"})), False),
        (_nest(*ALL, result=T), FIRST, False),
        (_nest(*ALL, result=T), BOTH, True),
        (_nest(*NONE, result=T), BOTH, True),
        (_nest(*NONE, result=T), LAST, False),
        (_nest(*LATE), FIRST, False),
        (_nest(n.Assign(_at(n.Const(0)), "+", K)), Claim(cells=((_at(n.Const(0)), "first_last_private"),)), False),
        (_nest(n.Assign(_at(n.Const(0)), "", K)), Claim(cells=((_at(n.Const(0)), "first_last_private"),)), True),
        (_nest(n.Assign(_at(n.Const(0)), "", K)), Claim(cells=((_at(n.Const(0)), "first_private"),)), False),
        (_nest(n.Assign(_at(n.Const(0)), "+", K)), NOTHING, True),
        (_nest(n.Assign(_at(n.Const(0)), "+", K)), Claim(cells=((_at(n.Const(0)), "+"),)), True),
        (_nest(n.Assign(_at(n.Const(0)), "+", K)), Claim(cells=((_at(n.Const(0)), "last_private"),)), False),
        (_nest(n.Assign(_at(n.Const(0)), "", K)), Claim(cells=((_at(n.Const(0)), "last_private"),)), True),
        (_nest(n.Assign(_at(n.Const(0)), "", K)), Claim(cells=((_at(n.Const(0)), "private"),)), False),
        (_nest(n.Assign(_at(n.Const(0)), "", K)), NOTHING, False),
    ],
)
def test_false_claims_do_not_survive_and_true_ones_do(nest: n.Nest, claim: Claim, holds: bool) -> None:
    assert _survives(nest, claim) is holds


def test_the_trace_sees_the_dependence_that_no_order_reveals() -> None:
    """Adding to one cell in any order gives the same sum: only the conflict itself shows that it is no free loop."""
    run = Recorder(_nest(n.Assign(_at(n.Const(0)), "+", K))).run({"n": 9}, "x")
    assert FLOW in next(iter(run.entries[0].conflicts["A"].values()))


def test_counts_and_footprints_of_a_run() -> None:
    entry = Recorder(_nest(SHIFT)).run({"n": 9}, "x").entries[0]
    assert (entry.trips, entry.counts["loads"], entry.counts["stores"]) == (9, 9, 9)
    assert entry.footprint == {"A": (36, 36, 40)}


def test_leaving_a_loop_that_is_called_parallel_is_noticed() -> None:
    nest = _nest(n.If(n.Bin(">", K, n.Const(3)), (n.Break(),)))
    with pytest.raises(EarlyExitError):
        Runner(nest, n.loops(nest.body)[0], NOTHING).run({"n": 9}, "x", "forward")


def test_undefined_behaviour_is_refused() -> None:
    far = _nest(n.Assign(_at(n.Const(100)), "", K))
    with pytest.raises(UndefinedError):
        Recorder(far).run({"n": 9}, "x")
    huge = _nest(n.Assign(_at(K), "", n.Bin("*", n.Const(2**30), n.Const(4))))
    with pytest.raises(UndefinedError):
        Recorder(huge).run({"n": 9}, "x")


def test_generation_depends_on_the_seed_alone() -> None:
    assert generate("1-5") == generate("1-5") != generate("1-6")
