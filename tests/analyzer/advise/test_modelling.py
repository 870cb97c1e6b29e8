"""Every model through the whole chain: verdict, break-even, arithmetic, sensitivity, placement, formulas."""

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.advise import MODELS
from models.expr import evaluate, parse

ROOT = Path(__file__).resolve().parents[3]
PERDOME = ROOT / "fixtures" / "c" / "perdome.c"

STREAM = """void axpy(int n, float *restrict y, const float *restrict x) {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + y[i];
}
"""
SUM = """float sum(int n, const float *x) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}
"""
NAMES = list(MODELS)


def loop_of(analyze: Any, *options: object) -> dict[str, Any]:
    ran = analyze("a.c", "-t", "h200", "-f", "json", *options)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)["files"][0]["loops"][0]
    return found


def test_the_default_comes_first_and_is_marked(analyze: Any) -> None:
    lines = analyze("--list-models").out.splitlines()
    assert lines[0].startswith("* extended ")
    assert [line.split()[0] for line in lines[1:-1]] == NAMES[1:]


@pytest.mark.parametrize("name", NAMES)
def test_a_known_size_has_times_and_a_verdict(analyze: Any, source: Any, name: str) -> None:
    source(STREAM)
    loop = loop_of(analyze, "--model", name, "--size", "n=1e8")
    assert {p["model"] for p in loop["predictions"]} == {name}
    assert {"host", "host-threads", "target"} <= {p["candidate"] for p in loop["predictions"]}
    assert all(0 < p["time_s"]["low"] <= p["time_s"]["likely"] <= p["time_s"]["high"] for p in loop["predictions"])
    assert loop["recommendation"]["verdict"] in ("host-parallel", "offload")
    target = next(p for p in loop["predictions"] if p["candidate"] == "target")
    assert target["transfer_s"] > 0
    assert all(term["source"] and term["unit"] for term in target["terms"])


@pytest.mark.parametrize("name", NAMES)
def test_the_break_even_is_where_the_formulas_meet(analyze: Any, source: Any, name: str) -> None:
    source(STREAM)
    loop = loop_of(analyze, "--model", name)
    recommendation = loop["recommendation"]
    assert recommendation["reason"]["code"] == "unknown-size"
    (point,) = recommendation["break_even"]
    here, there = (
        next(parse(p["formula"]) for p in loop["predictions"] if (p["device"], p["candidate"]) == which)
        for which in (("xeon6248", "host"), (recommendation["device"], recommendation["candidate"]))
    )
    n = point["value_likely"]
    assert evaluate(here, {"n": n}) > evaluate(there, {"n": n})


@pytest.mark.parametrize("name", NAMES)
def test_a_page_can_compute_the_times_again(analyze: Any, source: Any, name: str) -> None:
    source(STREAM)
    loop = loop_of(analyze, "--model", name, "--size", "n=1e6")
    by_place = {(p["device"], p["candidate"]): p["time_s"]["likely"] for p in loop["predictions"]}
    values: dict[str, float] = {"n": 10**6}
    for k, part in enumerate(loop["formulas"].get("parts", ())):
        values[f"#{k}"] = float(evaluate(parse(part), values))
    for entry in loop["formulas"]["times"]:
        parts = {key: evaluate(parse(text), values) for key, text in entry["likely"].items() if text}
        total = parts.get("time")
        if total is None:
            kernel = max(parts.get("compute", 0), parts.get("memory", 0))
            total = kernel + parts.get("transfer", 0) + parts.get("launch", 0)
        assert float(total) == pytest.approx(by_place[entry["device"], entry["candidate"]], rel=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_why_shows_the_arithmetic_and_what_would_change_it(analyze: Any, source: Any, name: str) -> None:
    source(STREAM)
    out = analyze("a.c", "-t", "h200", "--model", name, "--size", "n=3e5", "--why", "a.c:2").out
    assert f"target on h200 ({name})" in out
    assert "What would change the verdict" in out
    assert "link." in out


@pytest.mark.parametrize("name", NAMES)
def test_placement_counts_copies_as_the_model_does(analyze: Any, source: Any, name: str) -> None:
    source("static float x[4194304], y[4194304];\n" + STREAM + "int main(void) { axpy(4194304, y, x); return 0; }\n")
    ran = analyze("a.c", "-t", "h200", "--model", name, "-f", "json")
    program = json.loads(ran.out)["program"]
    assert 0 < program["after_s"] <= program["before_s"]


def test_only_models_of_both_together_divide_the_iterations(analyze: Any, source: Any) -> None:
    source(STREAM)
    fast = [x for key in ("rate", "pageable") for x in ("--set", f"h200.link.{key}=100GB/s")]
    for name in NAMES:
        loop = loop_of(analyze, "--model", name, "--size", "n=1e8", *fast)
        split = [p for p in loop["predictions"] if p["candidate"] == "split"]
        assert bool(split) == MODELS[name].splits


def test_a_cpu_as_target_is_not_divided_with_the_host(analyze: Any, source: Any) -> None:
    source(STREAM)
    ran = analyze("a.c", "-t", "epyc9654", "--model", "perdome", "--size", "n=1e8", "-f", "json")
    loop = json.loads(ran.out)["files"][0]["loops"][0]
    assert "split" not in {p["candidate"] for p in loop["predictions"]}


def test_data_that_is_read_and_written_must_fit_once(analyze: Any, source: Any) -> None:
    """128 GB in two arrays, one of them read and written: the memory of an H200 has room for it, and not for 192."""
    source(STREAM.replace("int", "long"))
    for name in ("extended", "roofline", "pmac", "perdome"):
        loop = loop_of(analyze, "--model", name, "--size", "n=16e9")
        assert "target" in {p["candidate"] for p in loop["predictions"]}, name
        loop = loop_of(analyze, "--model", name, "--size", "n=24e9")
        assert "target" not in {p["candidate"] for p in loop["predictions"]}, name


# --- what each one says


def test_the_roofline_takes_the_longer_of_arithmetic_and_traffic(analyze: Any, source: Any) -> None:
    source(STREAM)
    options = [f"h200.{key}" for key in ("memory.coalesced=1GB/s", "link.rate=2GB/s", "compute.fp32=1Gop/s")]
    loop = loop_of(analyze, "--model", "roofline", "--size", "n=1000", *(x for o in options for x in ("--set", o)))
    target = next(p for p in loop["predictions"] if p["candidate"] == "target")
    assert target["compute_s"] == pytest.approx(2 * 1000 / 1e9)
    assert target["memory_s"] == pytest.approx(3 * 4000 / 1e9)
    assert target["transfer_s"] == pytest.approx(3 * 4000 / 2e9)
    assert target["time_s"]["likely"] == pytest.approx(12e-6 + 6e-6)
    assert (target["bound"], target["launch_s"]) == ("memory", 0)


def test_an_idiom_that_nobody_measured_is_refused(analyze: Any, source: Any) -> None:
    source(SUM)
    loop = loop_of(analyze, "--model", "pmac", "--size", "n=1e6")
    assert loop["recommendation"]["verdict"] == "cannot-model"
    assert loop["recommendation"]["reason"]["code"] == "no-device-figure"
    assert "reduction on xeon6248" in loop["recommendation"]["reason"]["message"]


def test_a_stream_has_the_rate_of_the_level_that_holds_its_data(analyze: Any, source: Any) -> None:
    source(STREAM)
    rates = []
    for size in ("1e3", "5e4", "1e6", "1e8"):
        loop = loop_of(analyze, "--model", "pmac", "--size", f"n={size}")
        host = next(p for p in loop["predictions"] if p["candidate"] == "host")
        rates.append(3 * 4 * float(size) / host["time_s"]["likely"])
    assert rates == sorted(rates, reverse=True)
    assert len(set(map(round, rates))) == 4


def test_the_paper_s_kernel_has_its_intensities_and_its_bound(analyze: Any) -> None:
    lines = PERDOME.read_text(encoding="utf-8").splitlines()
    start = next(k for k, text in enumerate(lines) if "pow_add_and_vec_add_single(void)" in text)
    line = next(k for k in range(start, len(lines)) if lines[k].strip().startswith("for")) + 1
    options = ("-t", "gtx750", "--host", "i7-2600k", "--model", "perdome", "--count-as", "perdome")
    out = analyze(PERDOME, *options, "--why", f"perdome.c:{line}").out
    shown = {text.split()[0]: text.split()[1] for text in out.splitlines() if text.startswith(("  I", "  P CP"))}
    assert (shown["I"], shown["I_C"], shown["I_G"]) == ("1.697", "0.08333", "2")
    (bound,) = (text for text in out.splitlines() if text.startswith("  P CP "))
    assert bound.split()[2:4] == ["136.2", "Gop/s"]


def test_without_the_counting_of_the_paper_bytes_are_compulsory(analyze: Any) -> None:
    out = analyze(PERDOME, "-t", "gtx750", "--host", "i7-2600k", "--model", "perdome", "-f", "json").out
    loops = {loop["function"]: loop for loop in json.loads(out)["files"][0]["loops"] if loop["depth"] == 0}
    target = next(p for p in loops["vec_add"]["predictions"] if p["candidate"] == "target")
    terms = {term["name"]: term["value"] for term in target["terms"]}
    assert terms["I"] == pytest.approx(1 / 12)
    assert "I_C" not in terms


STEPS = """float x[1000], y[1000];
void steps(void) {
    for (int t = 0; t < 1000; t++) {
        for (int i = 0; i < 1000; i++) y[i] = 2 * x[i] * x[i] * x[i] + 1;
        for (int i = 0; i < 1000; i++) x[i] = y[i];
    }
}
"""


def test_a_sequential_loop_computes_as_long_as_what_is_in_it(analyze: Any, source: Any) -> None:
    source(STEPS)
    found = json.loads(analyze("a.c", "-t", "h200", "-f", "json").out)["files"][0]["loops"]
    outer, *inner = (next(p["compute_s"] for p in x["predictions"] if p["candidate"] == "host") for x in found)
    assert outer == pytest.approx(1000 * sum(inner), rel=0.2)  # vectors in both
