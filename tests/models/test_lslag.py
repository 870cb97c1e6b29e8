"""LSLAG: costs on architectures, recovery of known parameters, tau-b, and what a CSV of samples may hold."""

import contextlib
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from models.cli import main
from models.errors import InputError
from models.lslag.architecture import (
    Architecture,
    ArchitectureError,
    Element,
    Token,
    communication,
    cost,
    offloading,
    printed,
    wall_time,
)
from models.lslag.fidelity import ceiling, kendall_tau_b
from models.lslag.fitting import FitError, evaluate, fit
from models.lslag.protocol import gammas, profiled, protocol, sizes
from models.lslag.samples import SampleError, Samples, load_samples, read_samples
from models.published import tables

PAPER = tables("lslag")
ROWS = [row["id"] for row in PAPER["parameters"].rows]
quick = settings(derandomize=True, max_examples=80, deadline=None)
few = settings(derandomize=True, max_examples=15, deadline=None)
parameter = st.floats(0, 10)
pairs = st.tuples(parameter, parameter)


SIZES, GAMMAS = sizes(), gammas()


def test_the_protocol_of_the_paper() -> None:
    assert SIZES == (512, 1024, 2048, 4096, 8192, 16384)
    assert GAMMAS == (8, 16, 32, 64, 128, 256)
    samples = profiled(printed("B1"))
    assert len(samples) == len(set(zip(samples.gamma, samples.size, strict=True))) * 10 == 360
    assert samples == profiled(printed("B1"), seed=1), "without noise there is no chance"
    assert profiled(printed("B1"), noise=0.05) != profiled(printed("B1"), noise=0.05, seed=1)


# --- architectures


def test_wall_time_is_the_sum_of_equations_3_to_5() -> None:
    b2 = printed("B2")
    gamma, size = 8, 1024
    expected = ((0.005 / gamma + 0.049) + (0.002 / gamma + 0.003) + (0.060 / gamma + 0.000)) * size
    assert wall_time(b2, gamma, size) == pytest.approx(expected)


def test_in_b2_the_kernel_dominates_whatever_the_text_says() -> None:
    """published_tables.md, C6, at gamma = 8: t_k = .0496 S, t_c = .0075 S, t_1 = .0033 S."""
    times = {e.name: e.time(8, 1) for e in printed("B2").elements}
    assert times == pytest.approx({"k": 0.0496, "c": 0.0075, "1": 0.0033}, abs=5e-5)


def test_unknown_rows_of_table_2_are_refused() -> None:
    with pytest.raises(InputError, match=r"no rows for id M2; it has B1"):
        printed("M2")


def test_lambda_weighs_communication_only() -> None:
    plain, weighed = (Architecture(printed("B1").elements, printed("B1").links, scale) for scale in (1.0, 2.5))
    activity = [Token("k", 8, 512), Token("1", 8, 512), Token("c", 8, 512), Token("c", 16, 100)]
    link = plain.element("c").time(8, 512) + plain.element("c").time(16, 100)
    assert cost(weighed, activity) - cost(plain, activity) == pytest.approx(1.5 * link)


def octa_core() -> Architecture:
    """Eight cores in two clusters with a node each and a third between them, as LSLA's model of the Odroid XU3."""
    cores = [Element(f"{cluster}{i}", "processing", 0.0, 1.0) for cluster in ("big", "small") for i in range(4)]
    nodes = [Element(name, "communication", 0.0, beta) for name, beta in (("cb", 0.1), ("cs", 0.2), ("cm", 0.5))]
    links = [(core.name, "cb" if core.name.startswith("big") else "cs") for core in cores]
    return Architecture((*cores, *nodes), (*links, ("cb", "cm"), ("cm", "cs")))


def test_communication_puts_a_token_on_every_node_of_the_way() -> None:
    board = octa_core()
    assert [t.element for t in communication(board, "big0", "big3", 1, 10)] == ["cb"]
    across = communication(board, "big0", "small2", 1, 10)
    assert [t.element for t in across] == ["cb", "cm", "cs"]
    assert cost(board, across) == pytest.approx(10 * (0.1 + 0.5 + 0.2))
    assert communication(board, "big0", "big0", 1, 10) == ()


def test_communication_takes_the_cheapest_way_and_never_through_a_processor() -> None:
    elements = [Element(name, "processing", 0, 0) for name in ("p", "q", "r")]
    elements += [Element(name, "communication", 0, b) for name, b in (("dear", 9), ("cheap", 1), ("next", 2), ("x", 0))]
    links = [("p", "dear"), ("dear", "q"), ("p", "cheap"), ("cheap", "next"), ("next", "q"), ("p", "x"), ("x", "r")]
    net = Architecture(tuple(elements), tuple(links))
    assert [t.element for t in communication(net, "p", "q", 1, 1)] == ["cheap", "next"]
    with pytest.raises(ArchitectureError, match="from r to q"):
        communication(net, "r", "q", 1, 1)  # only by way of p


def test_no_way_is_refused() -> None:
    apart = Architecture((Element("p", "processing", 0, 1), Element("q", "processing", 0, 1)))
    with pytest.raises(ArchitectureError, match="no communication node leads from p to q"):
        communication(apart, "p", "q", 1, 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Element("k", "processing", -1, 0), "alpha of k is -1"),
        (lambda: Element("k", "processing", 0, math.nan), "beta of k is nan"),
        (lambda: Architecture(printed("B1").elements * 2), "two elements have one name"),
        (lambda: Architecture(printed("B1").elements, (("k", "1"),)), "k and 1 are processing elements"),
        (lambda: Architecture(printed("B1").elements, (("k", "x"),)), "no element x; it has k, 1, c"),
        (lambda: Architecture((), scale=-1), "lambda is -1"),
        (lambda: wall_time(printed("B1"), 0, 1), "gamma is 0"),
        (lambda: wall_time(printed("B1"), 8, -1), "S is -1"),
        (lambda: wall_time(printed("B1"), 8, math.nan), "S is nan"),
        (lambda: wall_time(printed("B1"), numpy.array([8, 0]), 1), "gamma is 0"),
        (lambda: cost(printed("B1"), [Token("gpu", 8, 1)]), "no element gpu"),
    ],
)
def test_what_cannot_be_is_refused(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()  # type: ignore[operator]


@quick
@given(pairs, pairs, pairs, st.floats(0.1, 1e4), st.floats(0, 1e6), st.floats(1, 100))
def test_time_rises_with_size_and_falls_with_parallelism(
    k: tuple[float, float], host: tuple[float, float], link: tuple[float, float], gamma: float, size: float, more: float
) -> None:
    machine = offloading(k, host, link)
    here = wall_time(machine, gamma, size)
    assert 0 <= here <= wall_time(machine, gamma, size * more) * (1 + 1e-12)
    assert wall_time(machine, gamma * more, size) <= here * (1 + 1e-12)
    asymptote = sum(e.beta for e in machine.elements) * size
    assert here >= asymptote * (1 - 1e-12)


@quick
@given(st.permutations(["k", "1", "c", "c", "k"]))
def test_the_order_of_tokens_does_not_matter(order: list[str]) -> None:
    sizes = {"k": 100, "1": 3, "c": 17}
    activity = [Token(name, 8, sizes[name]) for name in order]
    b1 = printed("B1")
    expected = cost(b1, [Token(name, 8, sizes[name]) for name in ("k", "k", "1", "c", "c")])
    assert cost(b1, activity) == pytest.approx(expected)


def test_a_million_sizes_at_once() -> None:
    sizes = numpy.linspace(0, 1e6, 1_000_000)
    times = wall_time(printed("M3"), 64, sizes)
    assert times[1000] == pytest.approx(wall_time(printed("M3"), 64, sizes[1000]))


# --- fidelity


def test_tau_b_by_hand() -> None:
    assert kendall_tau_b([1, 2, 3, 4], [10, 20, 30, 40]) == 1
    assert kendall_tau_b([1, 2, 3, 4], [40, 30, 20, 10]) == -1
    assert kendall_tau_b([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(5 / math.sqrt(5 * 6))
    assert kendall_tau_b([1, 1], [1, 2]) is None
    assert kendall_tau_b([], []) is None
    with pytest.raises(InputError, match="2 predictions for 1"):
        kendall_tau_b([1, 2], [1])
    with pytest.raises(InputError, match="NaN"):
        kendall_tau_b([1, math.nan], [1, 2])


numbers = st.one_of(st.integers(0, 5).map(float), st.floats(-1e3, 1e3))
lists = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=40)


@quick
@given(lists)
def test_tau_b_is_scipys(drawn: list[tuple[float, float]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    x, y = map(list, zip(*drawn, strict=True))
    ours, theirs = kendall_tau_b(x, y), stats.kendalltau(x, y, variant="b").statistic
    assert ours == pytest.approx(theirs) if ours is not None else math.isnan(theirs)


@quick
@given(lists)
def test_tau_b_is_its_definition(drawn: list[tuple[float, float]]) -> None:
    """Every pair looked at, in place of sorting."""
    x, y = zip(*drawn, strict=True)

    def signs(values: tuple[float, ...]) -> list[int]:
        return [(a > b) - (a < b) for i, a in enumerate(values) for b in values[:i]]

    left, right = signs(x), signs(y)
    norm = sum(map(abs, left)) * sum(map(abs, right))
    ours = kendall_tau_b(x, y)
    if norm == 0:
        assert ours is None
    else:
        assert ours == pytest.approx(sum(a * b for a, b in zip(left, right, strict=True)) / math.sqrt(norm))


@quick
@given(lists, st.randoms(use_true_random=False))
def test_tau_b_neither_depends_on_the_order_nor_on_the_unit(drawn: list[tuple[float, float]], dice: object) -> None:
    x, y = zip(*drawn, strict=True)
    shuffled = list(drawn)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    u, v = zip(*shuffled, strict=True)
    assert kendall_tau_b(x, y) == kendall_tau_b(u, v) == kendall_tau_b(y, x)
    assert kendall_tau_b([4 * value for value in x], y) == kendall_tau_b(x, y)


def test_lslas_ceiling_on_72_samples_is_919() -> None:
    """models.md, section 5: twelve test samples of each of six S, all measured differently."""
    groups = [size for size in SIZES for _ in range(12)]
    assert ceiling(groups, list(range(72))) == pytest.approx(0.919, abs=0.0005)
    assert ceiling([1, 1], [1, 2]) is None


@quick
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1000)), min_size=3, max_size=30, unique_by=lambda p: p[1]))
def test_no_prediction_of_sizes_exceeds_the_ceiling(drawn: list[tuple[int, int]]) -> None:
    groups, measured = zip(*drawn, strict=True)
    bound, reached = ceiling(groups, measured), kendall_tau_b(groups, measured)
    assert (bound is None) == (reached is None)
    if bound is not None and reached is not None:
        assert reached <= bound + 1e-12
    ordered = sorted(measured)
    assert kendall_tau_b(sorted(groups), ordered) == (bound if bound is None else pytest.approx(bound))


# --- fitting


def scipy() -> None:
    pytest.importorskip("scipy.optimize")


def worst_error(fitted: Architecture, truth: Architecture) -> float:
    return max(abs(wall_time(fitted, g, s) / wall_time(truth, g, s) - 1) for g in GAMMAS for s in SIZES)


@pytest.mark.parametrize("row", ROWS)
def test_parameters_are_recovered_from_samples_without_noise(row: str) -> None:
    """models.md, section 5, check: relative error of t_w below 1e-6, tau-b = 1."""
    scipy()
    truth = printed(row)
    samples = profiled(truth)
    assert len(samples) == protocol("samples")
    report = evaluate(samples)
    assert (report.training, report.test) == (protocol("training samples"), protocol("test samples"))
    fitted = report.models["lslag"]
    assert worst_error(fitted.architecture, truth) < 1e-6
    assert (fitted.training_tau, fitted.test_tau) == (1, 1)
    for element, known in zip(fitted.architecture.elements, truth.elements, strict=True):
        assert (element.name, element.kind) == (known.name, known.kind)
        assert (element.alpha, element.beta) == pytest.approx((known.alpha, known.beta), abs=1e-9)


@pytest.mark.parametrize("row", ROWS)
def test_with_5_percent_noise_times_are_recovered_within_5_percent(row: str) -> None:
    scipy()
    for seed in range(5):
        report = evaluate(profiled(printed(row), noise=0.05, seed=seed), seed=seed)
        assert worst_error(report.models["lslag"].architecture, printed(row)) < 0.05


@few
@given(pairs, pairs, pairs, st.sampled_from([1e-12, 1e-3, 1.0, 1e9]))
def test_any_parameters_are_recovered_in_any_unit(
    k: tuple[float, float], host: tuple[float, float], link: tuple[float, float], unit: float
) -> None:
    scipy()
    scaled = [(unit * alpha, unit * beta) for alpha, beta in (k, host, link)]
    truth = offloading(*scaled)
    fitted = fit(profiled(truth))
    top = unit * max(1e-9, *k, *host, *link)
    for element, known in zip(fitted.elements, truth.elements, strict=True):
        assert (element.alpha, element.beta) == pytest.approx((known.alpha, known.beta), abs=1e-8 * top)


@few
@given(
    st.lists(st.tuples(st.sampled_from(GAMMAS), st.sampled_from(SIZES), st.floats(-1, 1)), min_size=12, max_size=30),
    st.randoms(use_true_random=False),
)
def test_parameters_are_never_negative_and_no_others_fit_better(
    drawn: list[tuple[int, int, float]], dice: object
) -> None:
    """Any times, even negative remainders; the order of samples does not matter."""
    scipy()
    gamma, size, time = zip(*drawn, strict=True)
    assume(len(set(gamma)) > 1)
    samples = Samples(gamma, size, time, {"c": time}, {"c": "communication"})
    (element,) = fit(samples).elements
    assert min(element.alpha, element.beta) >= 0

    def squares(alpha: float, beta: float) -> float:
        return sum(((alpha / g + beta) * s - t) ** 2 for g, s, t in drawn)

    least = squares(element.alpha, element.beta)
    for da, db in ((1e-4, 0), (-1e-4, 0), (0, 1e-6), (0, -1e-6)):
        assert least <= squares(max(0, element.alpha + da), max(0, element.beta + db)) * (1 + 1e-9)
    order = list(range(len(samples)))
    dice.shuffle(order)  # type: ignore[attr-defined]
    (again,) = fit(samples.only(order)).elements
    assert (again.alpha, again.beta) == pytest.approx((element.alpha, element.beta), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("row", ROWS)
def test_lsla_orders_as_s_does_and_stays_below_its_ceiling(row: str) -> None:
    scipy()
    samples = profiled(printed(row), noise=0.05)
    lsla = evaluate(samples).models["lsla"]
    assert all(element.alpha == 0 for element in lsla.architecture.elements)
    assert lsla.test_tau is not None
    assert lsla.ceiling is not None
    assert lsla.test_tau <= lsla.ceiling + 1e-12
    whole = evaluate(samples, test_share=0.5).models["lsla"]
    assert whole.ceiling == pytest.approx(0.915, abs=0.01)


def test_any_number_of_elements_is_fitted() -> None:
    scipy()
    board = Architecture(tuple(e for e in octa_core().elements))
    fitted = fit(profiled(board))
    assert len(fitted.elements) == 11
    assert worst_error(fitted, board) < 1e-6


def test_what_determines_no_model_is_refused() -> None:
    scipy()
    same = read_samples("gamma,S,t_w,t_k\n" + "8,512,3,1\n" * 12)
    with pytest.raises(FitError, match="all samples have gamma 8"):
        fit(same)
    assert fit(same, "lsla").elements[0].beta == pytest.approx(1 / 512)
    with pytest.raises(FitError, match="9 samples are too few"):
        evaluate(same.only(list(range(9))))
    for share in (0, 1, 0.01, 0.99, math.nan):
        with pytest.raises(FitError, match="fewer than two samples"):
            evaluate(profiled(printed("B1")).only(list(range(0, 360, 30))), test_share=share)


def test_numbers_whose_squares_cannot_be_summed_are_refused() -> None:
    top = (1.7e308, 1.7e308)
    huge = Samples((1, 2), top, top, {"c": top}, {"c": "communication"})
    with pytest.raises(FitError, match="too large"):
        fit(huge)


def test_without_scipy_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(FitError, match=r"fitting needs scipy: install boathull\[fit\]"):
        fit(profiled(printed("B1")))


# --- CSV


GOOD = "gamma,S,t_w,t_k,t_1\n8,512,9,5,1\n16,512,8,4,1\n"


def test_the_rest_of_the_wall_clock_is_communication() -> None:
    samples = read_samples(GOOD, "ms")
    assert samples.wall_s == pytest.approx((9e-3, 8e-3))
    assert samples.elements_s["c"] == pytest.approx((3e-3, 3e-3))
    assert dict(samples.kinds) == {"k": "processing", "1": "processing", "c": "communication"}


def test_a_measured_link_and_further_nodes() -> None:
    samples = read_samples("γ , s, t_c, c_x, t_k\n\n# by hand\n8, 512, 3, 2, 1\n")
    assert samples.wall_s == (6,)
    assert dict(samples.kinds) == {"c": "communication", "x": "communication", "k": "processing"}


def test_negative_remainders_are_counted_until_they_are_the_rule() -> None:
    assert read_samples(GOOD + "8,512,5,5,1\n").negative == 1
    with pytest.raises(SampleError, match=r"t_k \+ t_1 exceed t_w on average: are all times in one unit"):
        read_samples(GOOD + "8,512,0.009,5,1\n" * 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"line 1: the column gamma is missing"),
        ("gamma,S,t_w,t_k\n", r"line 1: no sample follows"),
        ("gamma,t_w,t_k\n", r"line 1: the column S is missing"),
        ("gamma,S,t_k\n", r"line 1: neither t_w nor t_c is there"),
        ("gamma,S,t_w\n", r"line 1: no element was measured"),
        ("gamma,S,t_w,kernel\n", r"line 1, column 4: 'kernel' is no column"),
        ("gamma,S,t_w,t_\n", r"line 1, column 4: 't_' is no column"),
        ("gamma,S,t_w,t_k,t_k\n", r"line 1, column 5: k is there twice"),
        ("gamma,S,t_w,t_k,c_k\n", r"line 1, column 5: k is there twice"),
        ("gamma,S,size,t_w,t_k\n", r"line 1, column 3: S is there twice"),
        (GOOD + "8,512,9\n", r"line 4, column 4: t_k is missing; the header has 5 columns"),
        (GOOD + "8,512,9,5,1,7\n", r"line 4, column 6: '7' is too much; the header has 5 columns"),
        (GOOD + "8,512,9,fast,1\n", r"line 4, column 4 \(t_k\): 'fast' is no finite number"),
        (GOOD + "\n# note\n8,512,9,5 ms,1\n", r"line 6, column 4 \(t_k\): '5 ms' is no finite number"),
        (GOOD + "8,512,nan,5,1\n", r"line 4, column 3 \(t_w\): 'nan' is no finite number"),
        (GOOD + "8,512,inf,5,1\n", r"line 4, column 3 \(t_w\): 'inf' is no finite number"),
        (GOOD + "8,512,1_0,5,1\n", r"line 4, column 3 \(t_w\): '1_0' is no finite number"),
        (GOOD + "8,512,,5,1\n", r"line 4, column 3 \(t_w\): '' is no finite number"),
        (GOOD + "8,512,9,5,-1\n", r"line 4, column 5 \(t_1\): -1 is not at least 0"),
        (GOOD + "0,512,9,5,1\n", r"line 4, column 1 \(gamma\): 0 is not above 0"),
        (GOOD + "8,-512,9,5,1\n", r"line 4, column 2 \(S\): -512 is not above 0"),
        (GOOD + '8,512,"9"x,5,1\n', r"line 4: "),
    ],
)
def test_bad_rows_are_answered_with_line_and_column(text: str, message: str) -> None:
    with pytest.raises(SampleError, match=f"^{message}"):
        read_samples(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match=r"none\.csv: No such file"):
        load_samples(tmp_path / "none.csv")
    path = tmp_path / "samples.csv"
    path.write_bytes(b"gamma,S,\xff")
    with pytest.raises(SampleError, match=r"samples\.csv: byte 8 is not UTF-8"):
        load_samples(path)
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert len(load_samples(path)) == 2


@quick
@given(st.text(alphabet='gamS,t_wk12.5e-\n"#x', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for content in (text, GOOD + text):
        with contextlib.suppress(SampleError):
            assert len(read_samples(content)) > 0


# --- the command


def written(samples: Samples, unit: float = 1.0) -> str:
    columns = zip(
        samples.gamma, samples.size, samples.wall_s, samples.elements_s["k"], samples.elements_s["1"], strict=True
    )
    rows = (",".join(map(repr, (gamma, size, *(unit * t for t in times)))) for gamma, size, *times in columns)
    return "\n".join(("gamma,S,t_w,t_k,t_1", *rows, ""))


def test_fit_prints_parameters_fidelity_and_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scipy()
    path = tmp_path / "samples.csv"
    path.write_text(written(profiled(printed("B2"), noise=0.05), unit=1000), encoding="utf-8")
    assert main(["fit", str(path), "--unit", "ms", "--seed", "3"]) == 0
    out = capsys.readouterr().out
    assert "360 samples at 36 points" in out
    assert "288 to fit, 72 to test (seed 3)" in out
    for words in (["LSLAG", "k", "processing"], ["LSLA", "c", "communication"], ["256", "16384", "10"]):
        assert any(line.split()[:3] == words for line in out.splitlines())
    assert main(["fit", str(path), "--unit", "ms", "--seed", "3", "-f", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    fitted = {e["name"]: e for e in document["models"]["lslag"]["elements"]}
    assert fitted["k"]["beta_s_per_size"] == pytest.approx(0.049, rel=0.05)
    assert document["models"]["lsla"]["tau_b"]["test"] <= document["models"]["lsla"]["tau_b"]["ceiling"] + 1e-12
    assert len(document["points"]) == 36
    assert document["models"]["lslag"]["largest_relative_error"] == max(
        abs(point["relative_error"]["lslag"]) for point in document["points"]
    )


def test_fit_refuses_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "samples.csv"
    path.write_text(GOOD + "8,x,9,5,1\n", encoding="utf-8")
    assert main(["fit", str(path)]) == 2
    assert capsys.readouterr().err == f"boathull: {path}: line 4, column 2 (S): 'x' is no finite number\n"


def test_modules_import_nothing_heavy() -> None:
    script = (
        "import sys, models.lslag.fitting, models.lslag.samples, models.commands.fit, models.pmac.blocks; "
        "print(*sorted({'numpy', 'networkx', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
