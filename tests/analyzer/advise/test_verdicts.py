"""Each verdict and each reason of definitions.md, from times and answers made by hand."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from analyzer.advise import Context, Recommendation
from analyzer.advise.candidates import Candidates, Today
from analyzer.advise.gains import on_one_machine, speedup
from analyzer.advise.verdicts import recommend
from analyzer.facts.loop import Count, Verdict
from models.catalogue import find_device
from models.expr import parse, sym
from models.extended.residuals import GAIN
from models.prediction import Prediction, Refusal
from models.quantity import Range

from .answers import YES, loop, refused, takes

CONTEXT = Context(find_device("xeon6248"), (find_device("gtx470"), find_device("h200")))
HOST = takes("host", 8e-3, 10e-3, 12e-3)
SLOW_THREADS = takes("host-threads", 20e-3, 20e-3, 20e-3)


def verdict(
    *targets: Prediction | Refusal,
    host: Prediction | Refusal = HOST,
    threads: Prediction | None = SLOW_THREADS,
    now: Today = "serial",
    context: Context = CONTEXT,
) -> Recommendation:
    return recommend(loop(), Candidates(host, threads, targets), now, context, {})


# --- what the analysis decides


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(refused(Verdict.NO, "carried-dependence"), ("host", "carried-dependence"), id="recurrence"),
        pytest.param(refused(Verdict.NO, "fp-order"), ("host", "fp-order"), id="strict floats"),
        pytest.param(refused(Verdict.NO, "side-effect"), ("cannot-model", "side-effect"), id="output"),
        pytest.param(refused(Verdict.NO, "early-exit"), ("cannot-model", "early-exit"), id="early exit"),
        pytest.param(refused(Verdict.UNKNOWN, "may-alias"), ("cannot-model", "may-alias"), id="aliases"),
        pytest.param(
            refused(Verdict.UNKNOWN, "carried-dependence"), ("cannot-model", "carried-dependence"), id="maybe"
        ),
    ],
)
def test_a_loop_that_is_not_known_to_be_parallel_never_moves(answer: object, expected: tuple[str, str]) -> None:
    fast = takes("target", 1e-6, 1e-6, 1e-6)
    found = recommend(loop(answer=answer), Candidates(HOST, None, (fast,)), "serial", CONTEXT, {})  # type: ignore[arg-type]
    assert (found.verdict, found.code) == expected


@pytest.mark.parametrize(
    ("trip_count", "sizes"),
    [("1", {}), ("n", {"n": 1}), ("n", {"n": 0}), ("n - 5", {"n": 3}), ("n/m", {"n": 8, "m": 8})],
)
def test_a_loop_that_runs_once_has_nothing_to_divide(trip_count: str, sizes: dict[str, int]) -> None:
    fast = takes("target", 1e-6, 1e-6, 1e-6)
    once = replace(loop(), counts=replace(loop().counts, trip_count=Count(parse(trip_count))))
    found = recommend(once, Candidates(HOST, None, (fast,)), "serial", CONTEXT, sizes)
    assert (found.verdict, found.code, found.message[:22]) == ("host", "too-small", "it runs at most once: ")


def test_without_counts_there_is_no_time() -> None:
    found = recommend(loop(answer=YES), Candidates(None), "serial", CONTEXT, {})
    assert (found.verdict, found.code) == ("cannot-model", "too-complex")


# --- times


def test_ends_go_together_on_one_machine() -> None:
    found = on_one_machine(Range(0.5, 1, 4), Range(0.25, 0.5, 1))
    assert (found.low, found.likely, found.high) == (2 * GAIN["low"], 2, 4 * GAIN["high"])
    assert speedup(Range(0.5, 1, 4), Range(0.25, 0.5, 1)).low == 0.5


def test_speedup_sets_worst_against_best() -> None:
    assert speedup(Range(2, 3, 4), Range(1, 1.5, 8)) == Range(2 / 8, 3 / 1.5, 4 / 1)


def test_offload() -> None:
    found = verdict(takes("target", 2e-3, 4e-3, 8e-3))
    assert (found.verdict, found.code, found.device) == ("offload", "faster-on-target", "gtx470")
    assert found.speedup is not None
    assert found.speedup.low == 1
    assert found.speedup.likely == 2.5


@pytest.mark.parametrize(
    ("likely", "moves"), [pytest.param(10e-3 / 1.5, True, id="at"), pytest.param(10e-3 / 1.49, False, id="below")]
)
def test_the_threshold_of_the_likely_speedup(likely: float, moves: bool) -> None:
    found = verdict(takes("target", likely, likely, likely))
    assert (found.verdict == "offload") == moves
    assert moves or found.code == "host-faster"


def test_the_threshold_is_the_users() -> None:
    context = Context(CONTEXT.host, CONTEXT.targets, min_speedup=4)
    assert verdict(takes("target", 3e-3, 4e-3, 5e-3), context=context).verdict == "host"


def test_a_likely_gain_that_may_be_a_loss_is_uncertain_and_names_the_term() -> None:
    found = verdict(takes("target", 1e-3, 5e-3, 9e-3))
    assert (found.verdict, found.code) == ("depends", "uncertain")
    assert "the memory time on gtx470 decides" in found.message


def test_a_likely_loss_that_may_be_a_gain_is_uncertain() -> None:
    assert verdict(takes("target", 1e-3, 9e-3, 17e-3)).code == "uncertain"


def test_the_faster_of_two_sure_places_wins() -> None:
    threads = takes("host-threads", 1e-3, 1e-3, 1e-3)
    assert verdict(takes("target", 2e-3, 2e-3, 2e-3), threads=threads).verdict == "host-parallel"
    found = verdict(
        takes("target", 2e-4, 2e-4, 2e-4), takes("target", 1e-4, 1e-4, 1e-4, device="h200"), threads=threads
    )
    assert (found.verdict, found.device) == ("offload", "h200")


def test_a_sure_gain_goes_before_an_uncertain_one() -> None:
    threads = takes("host-threads", 3e-3, 3e-3, 3e-3)
    assert verdict(takes("target", 1e-4, 1e-3, 20e-3), threads=threads).verdict == "host-parallel"


# --- why a loop stays


def test_transfer_bound() -> None:
    found = verdict(takes("target", 15e-3, 15e-3, 15e-3, transfer=14e-3, bound="transfer"))
    assert (found.verdict, found.code) == ("host", "transfer-bound")


def test_a_slow_kernel_is_not_blamed_on_the_transfer() -> None:
    assert verdict(takes("target", 15e-3, 15e-3, 15e-3, transfer=1e-3)).code == "host-faster"


def test_too_small_to_start_anything() -> None:
    host = takes("host", 1e-7, 1e-7, 1e-7)
    found = verdict(takes("target", 1e-9, 1e-9, 1e-9), host=host, threads=takes("host-threads", 1e-8, 1e-8, 1e-8))
    assert (found.verdict, found.code) == ("host", "too-small")


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        pytest.param(8, ("host", "too-small"), id="fewer than the multiprocessors and the cores"),
        pytest.param(15, ("offload", "faster-on-target"), id="enough for the 14 multiprocessors of the target"),
        pytest.param(1000, ("host-parallel", "faster-on-host-threads"), id="enough for everything"),
        pytest.param(None, ("host-parallel", "faster-on-host-threads"), id="not known"),
    ],
)
def test_places_that_would_stand_idle_are_no_choice(units: float | None, expected: tuple[str, str]) -> None:
    found = Candidates(HOST, takes("host-threads", 1e-3, 1e-3, 1e-3), (takes("target", 2e-3, 2e-3, 2e-3),), units)
    answer = recommend(loop(), found, "serial", CONTEXT, {})
    assert (answer.verdict, answer.code) == expected


def test_a_loop_divided_by_a_pragma_stays_unless_a_target_wins() -> None:
    slow, fast = takes("target", 20e-3, 20e-3, 20e-3), takes("target", 1e-3, 1e-3, 1e-3)
    assert verdict(slow, threads=None, now="threads").code == "already-parallel"
    assert verdict(fast, threads=None, now="threads").verdict == "offload"


def test_nothing_more_is_asked_inside_a_loop_that_is_divided_already() -> None:
    assert verdict(takes("target", 1e-9, 1e-9, 1e-9), threads=None, now="threads-around").code == "already-parallel"


def test_a_loop_that_a_pragma_moves_already() -> None:
    assert verdict(takes("target", 1e-3, 1e-3, 1e-3), now="device").code == "already-parallel"


@pytest.mark.parametrize("code", ["unsupported-precision", "no-device-figure", "exceeds-memory"])
def test_a_refusal_of_the_model_is_the_reason(code: str) -> None:
    refusal = Refusal("gtx470", code, "because")  # type: ignore[arg-type]
    found = verdict(refusal)
    assert (found.verdict, found.code) == ("cannot-model", code)
    fast_threads = takes("host-threads", 1e-3, 1e-3, 1e-3)
    assert verdict(refusal, threads=fast_threads).verdict == "host-parallel"
    assert verdict(refusal, takes("target", 1e-3, 1e-3, 1e-3, device="h200")).verdict == "offload"


# --- unknown sizes

N = sym("n")


def test_an_unknown_size_invents_no_time() -> None:
    host = takes("host", N * 1e-6, N * 1e-6, N * 2e-6)
    target = takes("target", 1e-3, 1e-3 + N * 1e-8, 2e-3 + N * 1e-8)
    found = recommend(loop(), Candidates(host, None, (target,)), "serial", CONTEXT, {})
    assert (found.verdict, found.code, found.speedup) == ("depends", "unknown-size", None)
    (point,) = found.break_even
    assert (point.symbol, point.likely, point.safe) == ("n", 1011, 2021)
    assert "gtx470 wins from n = 1100 (surely from 2100)" in found.message


def test_two_unknown_sizes_are_named() -> None:
    host = takes("host", 0, N * sym("m") * 1e-6, N * sym("m") * 1e-6)
    found = recommend(loop(), Candidates(host, None, (takes("target", 1, 1, 1),)), "serial", CONTEXT, {})
    assert found.code == "unknown-size"
    assert [(p.symbol, p.likely, p.given) for p in found.break_even] == [
        ("m", 1001, (("n", 1000),)),
        ("n", 1001, (("m", 1000),)),
    ]
    assert "m, n are unknown; were they equal, gtx470 wins from 1100" in found.message


def test_what_wins_at_no_size_leaves_the_loop_on_the_host() -> None:
    host, target = takes("host", N * 1e-9, N * 1e-9, N * 1e-9), takes("target", N * 2e-9, N * 2e-9, N * 2e-9)
    found = recommend(loop(), Candidates(host, None, (target,)), "serial", CONTEXT, {})
    assert (found.verdict, found.code) == ("host", "host-faster")
    assert found.message == "the host is the fastest at every size"
    beside = recommend(loop(), Candidates(host, None, (target, Refusal("h200", "deep-copy", "rows"))), "serial",
                       CONTEXT, {})  # fmt: skip
    assert beside.message == "the host is the fastest at every size; not on h200: rows"


def test_a_place_that_wins_at_no_size_is_said_beside_one_that_does() -> None:
    host, target = takes("host", N * 1e-9, N * 1e-9, N * 1e-9), takes("target", N * 2e-9, N * 2e-9, N * 2e-9)
    faster = replace(takes("target", 1e-3, 1e-3, 1e-3), device="h200")
    found = recommend(loop(), Candidates(host, None, (target, faster)), "serial", CONTEXT, {})
    assert (found.verdict, found.code, found.device) == ("depends", "unknown-size", "h200")
    assert "gtx470 wins at no size" in found.message
    threads = takes("host-threads", N * 2e-9, N * 2e-9, N * 2e-9)
    both = recommend(loop(), Candidates(host, threads, (target, faster)), "serial", CONTEXT, {})
    assert "gtx470, all threads of xeon6248 win at no size" in both.message


def test_what_wins_where_one_of_two_sizes_is_large_depends() -> None:
    host = takes("host", *[N * 1e-9 + sym("m") * 1e-9] * 3)
    target = takes("target", *[N * 2e-9 + sym("m") * 1e-10] * 3)
    assert recommend(loop(), Candidates(host, None, (target,)), "serial", CONTEXT, {}).verdict == "depends"


def test_a_mean_trip_count_is_no_name_in_the_program() -> None:
    host, target = takes("host", *[sym("trip@7") * 1e-6] * 3), takes("target", 1e-3, 1e-3, 1e-3)
    found = recommend(loop(), Candidates(host, None, (target,)), "serial", CONTEXT, {})
    assert "the mean trip count of the loop in line 7 is unknown; gtx470 wins from 1100 (surely)" in found.message
    assert found.break_even[0].symbol == "trip@7"


@pytest.mark.parametrize(
    ("declared", "verdict", "says"),
    [
        ("unsigned char n", "host", "the host is the fastest at every size (n is at most 255)"),
        ("short n", "host", "the host is the fastest at every size (n is at most 32767)"),
        ("unsigned short n", "depends", "from n = 40000"),
        ("int n", "depends", "from n = 40000"),
    ],
)
def test_no_size_is_larger_than_its_variable_can_hold(
    declared: str, verdict: str, says: str, analyze: Any, source: Any
) -> None:
    copies = "for (int i = 0; i < n; i++) a[i] = b[i];"
    source(f"void f({declared}, double *restrict a, const double *restrict b) {{ {copies} }}\n")
    (loop,) = json.loads(analyze("a.c", "-f", "json").out)["files"][0]["loops"]
    assert loop["recommendation"]["verdict"] == verdict
    assert says in loop["recommendation"]["reason"]["message"]


def test_no_size_is_waited_for_where_no_other_place_has_a_time(analyze: Any, source: Any) -> None:
    divided = "void f(int n, double *a) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] *= 0.5;\n}\n"
    rows = "struct box { int n; double *v; };\nvoid g(int n, struct box *b, int *restrict h) {\n"
    rows += "#pragma omp parallel for\nfor (int i = 0; i < n; i++) h[i] = b[i].v[0] > 0.5;\n}\n"
    source(divided + rows)
    found = json.loads(analyze("a.c", "-f", "json").out)["files"][0]["loops"]
    assert [one["recommendation"]["reason"]["code"] for one in found] == ["already-parallel", "already-parallel"]
    _, deep = json.loads(analyze("a.c", "-t", "h200", "-f", "json").out)["files"][0]["loops"]
    said = deep["recommendation"]
    assert (said["verdict"], said["reason"]["code"]) == ("cannot-model", "deep-copy")
