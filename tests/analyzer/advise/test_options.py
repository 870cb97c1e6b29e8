"""Options about sizes, figures and one loop, through the command."""

import json
from pathlib import Path
from typing import Any

import pytest

AXPY = """void axpy(int n, float *restrict y, const float *restrict x) {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + y[i];
}
double dot(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i] * x[i] * x[i] * x[i] * x[i] * x[i];
    return s;
}
void heat(int n, int m, double a[restrict n][m], double b[restrict n][m]) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
}
"""


def report(analyze: Any, *options: str) -> dict[str, dict[str, Any]]:
    ran = analyze("a.c", "-t", "h200", "-f", "json", *options)
    assert ran.code == 0, ran.err
    loops = json.loads(ran.out)["files"][0]["loops"]
    return {loop["function"]: loop for loop in loops if loop["depth"] == 0}


# --- ranges


def test_a_range_leaves_the_size_open_and_shows_the_times_along_it(analyze: Any, source: Any) -> None:
    source(AXPY)
    loop = report(analyze, "--size", "axpy:n=1e3..1e7")["axpy"]
    assert loop["recommendation"]["reason"]["code"] == "unknown-size"
    sweep = loop["sweep"]
    assert (sweep["symbol"], sweep["values"][0], sweep["values"][-1]) == ("n", 1000, 10**7)
    assert sweep["values"] == sorted(sweep["values"])
    fixed = report(analyze, "--size", f"axpy:n={sweep['values'][6]}")["axpy"]
    for times in sweep["times"]:
        (same,) = (
            p for p in fixed["predictions"] if (p["device"], p["candidate"]) == (times["device"], times["candidate"])
        )
        assert times["seconds"][6] == pytest.approx(same["time_s"]["likely"])
    assert "along" in analyze("a.c", "-t", "h200", "--size", "axpy:n=1e3..1e7").out
    assert "sweep" not in fixed


@pytest.mark.parametrize("text", ["n=5..5", "n=9..3", "n=0..9", "n=1..2..3", "n=1..x"])
def test_what_is_no_range(analyze: Any, source: Any, text: str) -> None:
    source(AXPY)
    assert analyze("a.c", "-t", "h200", "--size", text).code == 2


# --- break-even


def test_break_even_with_and_without_copies(analyze: Any, source: Any) -> None:
    source(AXPY)
    (point,) = report(analyze, "--model", "extended")["axpy"]["recommendation"]["break_even"]
    assert set(point) >= {"symbol", "value_likely", "value_safe"}
    ran = analyze("a.c", "-t", "h200").out
    said = " ".join(ran.split())
    assert "h200 wins at no size if the data has to be copied, and from n = " in said
    assert " if it is there already" in said


def test_several_sizes_one_at_a_time(analyze: Any, source: Any) -> None:
    source(AXPY)
    points = report(analyze)["heat"]["recommendation"]["break_even"]
    assert [(p["symbol"], p["given"]) for p in points] == [("m", {"n": 1000}), ("n", {"m": 1000})]


# --- figures


def test_a_faster_link_changes_the_verdict(analyze: Any, source: Any) -> None:
    source(AXPY)
    size = ("--size", "axpy:n=20000000")
    slow = report(analyze, *size, "--set", "h200.link.pageable=1GB/s")["axpy"]["recommendation"]
    fast = report(analyze, *size, "--set", "h200.link.pageable=400GB/s")["axpy"]["recommendation"]
    assert (slow["verdict"], fast["verdict"]) == ("host-parallel", "offload")


def test_a_figure_of_a_device_that_is_not_asked_for_is_refused(analyze: Any, source: Any) -> None:
    source(AXPY)
    ran = analyze("a.c", "-t", "h200", "--set", "gtx470.link.rate=1GB/s")
    assert ran.code == 2
    assert "the host and targets are xeon6248, h200" in ran.err


# --- candidates


def test_sums_of_floats_may_be_worth_vectors(analyze: Any, source: Any) -> None:
    """20 kB stay in a cache: too little for threads, but without vectors the sum is bound by its arithmetic."""
    source(AXPY)
    loop = report(analyze, "--size", "dot:n=100000")["dot"]
    found = {p["candidate"] for p in loop["predictions"]}
    assert {"host", "host-vector", "host-threads", "target"} <= found
    assert "host-vector" not in {p["candidate"] for p in report(analyze)["axpy"]["predictions"]}


DIVIDED = ("--size", "axpy:n=20000000", "--set", "h200.link.pageable=80GB/s")


def test_a_verdict_is_for_one_place_and_says_what_dividing_the_iterations_would_give(
    analyze: Any, source: Any
) -> None:
    """No directive divides a loop between a device and the threads of the host."""
    source(AXPY)
    loop = report(analyze, *DIVIDED)["axpy"]
    r = loop["recommendation"]
    assert (r["verdict"], r["candidate"]) == ("host-parallel", "host-threads")
    assert "if the program divides it between h200 and all threads (62% of the iterations on xeon6248)" in (
        r["reason"]["message"]
    )
    times = {p["candidate"]: p["time_s"]["likely"] for p in loop["predictions"]}
    assert times["host-threads"] < times["target"]
    assert times["split"] * 1.25 <= times["host-threads"]


def test_a_split_is_an_offload_where_neither_place_alone_is_fast_enough(analyze: Any, source: Any) -> None:
    source(AXPY)
    r = report(analyze, *DIVIDED, "--min-speedup", "8")["axpy"]["recommendation"]
    assert (r["verdict"], r["candidate"], r["reason"]["code"]) == ("offload", "split", "faster-on-target")
    assert "of the iterations on xeon6248" in r["reason"]["message"]


# --- why


def test_why_says_what_would_change_the_verdict_and_that_it_does(analyze: Any, source: Any) -> None:
    source(AXPY)
    size = ("--size", "axpy:n=20000000")
    ran = analyze("a.c", "-t", "h200", *size, "--why", "a.c:2").out
    lines = ran[ran.index("What would change the verdict") :].splitlines()[1:]
    (link,) = (line for line in lines if line.strip().startswith("link.pageable of h200"))
    then = link.rsplit(" at ", 1)[1].replace(" ", "")
    now = report(analyze, *size)["axpy"]["recommendation"]["verdict"]
    assert report(analyze, *size, "--set", f"h200.link.pageable={then}")["axpy"]["recommendation"]["verdict"] != now


def test_the_arithmetic_of_a_text_report_is_left_out(analyze: Any, source: Any) -> None:
    source(AXPY)
    analyze("a.c", "-t", "h200", "-f", "text=a.txt")
    assert "L_launch" in analyze("a.c", "-t", "h200", "--size", "axpy:n=9", "--why", "a.c:2").out


def test_two_cpus_share_no_loop(analyze: Any, source: Any) -> None:
    source(AXPY)
    ran = analyze("a.c", "-t", "epyc7763", "-f", "json", "--size", "axpy:n=20000000")
    loops = json.loads(ran.out)["files"][0]["loops"]
    assert all(p["candidate"] != "split" for loop in loops for p in loop["predictions"])


def test_a_nest_that_is_empty_at_the_sizes_given_is_no_error_of_ours(analyze: Any) -> None:
    fixture = Path(__file__).resolve().parents[3] / "fixtures" / "c" / "blas.c"
    sizes = [option for name in ("n", "m", "lda") for option in ("--size", f"{name}=0")]
    ran = analyze(fixture, "-t", "h200", "--model", "boat-hull", "-f", "concise", *sizes)
    assert ran.code == 0
    assert "SRC900" not in ran.out
    assert "internal" not in ran.out
