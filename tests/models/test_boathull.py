"""The boat hull's equations, ranges, floors and refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from models.boathull import predict_host, predict_target
from models.catalogue import Device, Figure, device_ids, find_device
from models.expr import as_expr, evaluate, parse, sym
from models.prediction import Prediction, Refusal
from models.quantity import Range, between, exactly
from models.variables import IncompleteWorkloadError
from models.workload import ArrayUse, Workload, from_class

N = sym("N")
quick = settings(derandomize=True, max_examples=60, deadline=None)


def told(answer: Prediction | Refusal) -> Prediction:
    assert isinstance(answer, Prediction)
    return answer


def time_of(answer: Prediction | Refusal) -> Range:
    time = told(answer).time
    assert time is not None
    return time


def with_figure(device: Device, key: str, **changes: float) -> Device:
    figure = replace(device.figures[key], **changes)  # type: ignore[arg-type]
    return replace(device, figures={**device.figures, key: figure})


def vector(n: int = 1 << 20, f: float = 1, **more: object) -> Workload:
    return replace(from_class(f"{n}|element → {n}|element", f), **more)  # type: ignore[arg-type]


# --- GPU


def test_gpu_equations_by_hand() -> None:
    gtx = find_device("gtx470")
    answer = told(predict_target(vector(1000, 100), gtx, transfer="none"))
    c0 = 1000 * (100 * 1 + 16) / 1089e9
    m0 = 2 * 1000 * 4 / 95e9
    assert time_of(answer).low == pytest.approx(max(c0, m0))
    assert time_of(answer).high == pytest.approx(max(2 * c0, m0))
    assert time_of(answer).likely == pytest.approx((max(c0, m0) + max(2 * c0, m0)) / 2)
    assert {t.name: t.value for t in answer.terms}["c1"] == pytest.approx(2 * c0)


def test_offset_runs_at_the_integer_rate_and_the_operator_at_its_own() -> None:
    gtx = find_device("gtx470")
    answer = time_of(predict_target(vector(1000, 100, element_type="fp64", widths=8), gtx, transfer="none"))
    assert answer.low == pytest.approx(1000 * 100 / 136.1e9 + 1000 * 16 / 1089e9)


def test_no_fma_raises_the_low_end_only() -> None:
    gtx = find_device("gtx470")
    free, bound = (time_of(predict_target(vector(f=500), gtx, fma=fma)) for fma in ("possible", "none"))
    assert bound.low > free.low
    assert bound.high == free.high


def test_counted_multiply_adds_decide_what_fma_can_do() -> None:
    gtx = find_device("gtx470")
    counted_none = vector(f=500, multiply_adds=exactly(0))
    assert predict_target(counted_none, gtx) == predict_target(counted_none, gtx, fma="none")
    counted_some = vector(f=500, multiply_adds=exactly(7))
    assert predict_target(counted_some, gtx) == predict_target(counted_some, gtx, fma="possible")


def test_scattered_floor_comes_from_the_class_or_from_the_analysis() -> None:
    gtx = find_device("gtx470")
    ordered = time_of(predict_target(vector(), gtx, transfer="none"))
    unordered = from_class("unordered 1048576|element → 1048576|element", 1)
    scattered = 2 * 4 * 2**20 / 5.9e9
    assert ordered.high < scattered
    assert time_of(predict_target(unordered, gtx, transfer="none")).high == pytest.approx(scattered)
    gathered = ArrayUse("a", 4, "r", "irregular", N, N, N, N)
    assert time_of(predict_target(vector(arrays=(gathered,)), gtx, transfer="none")).high == pytest.approx(scattered)


def test_transfer_of_sections_instead_of_the_class() -> None:
    gtx = find_device("gtx470")
    workload = vector(transfer_in=as_expr(5100), transfer_out=as_expr(0))
    assert told(predict_target(workload, gtx, transfer="sections")).transfer == Range(1e-6, 1e-6, 1e-6)
    unknown = vector(transfer_in=None)
    moved = told(predict_target(unknown, gtx, transfer="sections")).transfer
    assert moved == told(predict_target(unknown, gtx, transfer="class")).transfer


def test_launch_latency_is_added_on_demand() -> None:
    h200 = find_device("h200")
    without, with_launch = (time_of(predict_target(vector(), h200, launch=on)) for on in (False, True))
    assert with_launch.likely - without.likely == pytest.approx(2.52e-6)


def test_uncertain_figures_widen_the_range_on_their_side() -> None:
    gtx = find_device("gtx470")
    plain = time_of(predict_target(vector(), gtx, transfer="none"))
    wider = time_of(
        predict_target(vector(), with_figure(gtx, "memory.coalesced", low=50e9, high=190e9), transfer="none")
    )
    assert wider.low == pytest.approx(plain.low / 2)
    assert wider.likely == plain.likely
    assert wider.high == pytest.approx(plain.high * 95 / 50)


def test_weighted_complexity_reaches_the_range() -> None:
    gtx = find_device("gtx470")
    workload = vector(complexity=between(0, 500, 1000))
    ends = [time_of(predict_target(vector(f=f), gtx)) for f in (0, 500, 1000)]
    assert time_of(predict_target(workload, gtx)) == Range(ends[0].low, ends[1].likely, ends[2].high)


def test_mixed_element_widths() -> None:
    gtx = find_device("gtx470")
    workload = replace(from_class("1000000|element → 256|shared", 1), widths=((1,), (4,)))
    memory = told(predict_target(workload, gtx)).memory
    assert memory is not None
    assert memory.likely == pytest.approx(1_000_000 / 5.9e9 + 256 * 4 / 95e9)


# --- CPU


def test_cpu_as_target_spans_from_c0_to_c3() -> None:
    i7 = find_device("i7-930")
    time = time_of(predict_target(vector(f=1000), i7))
    c0 = 2**20 * (1000 + 4) / 90e9
    exact = with_figure(with_figure(i7, "compute.fp32.one_core", high=11.25e9), "compute.int32.one_core", high=11.25e9)
    assert time.low == pytest.approx(c0)
    assert time.high == pytest.approx(c0 * 4 * 8)
    assert time_of(predict_target(vector(f=1000), exact)).high == pytest.approx(c0 * 4 * 8)


@pytest.mark.parametrize(
    ("threads", "vectorised", "factor"), [("all", True, 1), ("all", False, 4), ("one", True, 4), ("one", False, 16)]
)
def test_host_floors_of_the_q8300(threads: str, vectorised: bool, factor: int) -> None:
    q8300 = find_device("q8300")
    answer = told(predict_host(vector(f=1000), q8300, threads=threads, vectorised=vectorised))  # type: ignore[arg-type]
    c0 = 2**20 * (1000 + 4) / 40e9
    assert answer.compute is not None
    assert answer.compute.likely == pytest.approx(factor * c0)
    assert answer.candidate == ("host-threads" if threads == "all" else "host")


def test_one_thread_has_the_memory_rate_of_one_core() -> None:
    xeon = find_device("xeon6248")
    one, everyone = (told(predict_host(vector(), xeon, threads=threads)).memory for threads in ("one", "all"))  # type: ignore[arg-type]
    assert one is not None
    assert everyone is not None
    assert one.likely == pytest.approx(2 * 4 * 2**20 / 15.21e9)
    assert everyone.likely == pytest.approx(2 * 4 * 2**20 / 85.41e9)


def test_host_moves_and_launches_nothing() -> None:
    answer = told(predict_host(vector(), find_device("xeon6248")))
    assert answer.transfer == answer.launch == Range(0, 0, 0)


def test_a_core_that_fuses_may_find_nothing_to_fuse() -> None:
    xeon = find_device("xeon6248")
    open_range = told(predict_host(vector(f=1000), xeon)).compute
    none_fused = told(predict_host(vector(f=1000, multiply_adds=exactly(0)), xeon)).compute
    integers = told(predict_host(vector(f=1000, element_type="int32"), xeon)).compute
    assert open_range is not None
    assert none_fused is not None
    assert integers is not None
    assert none_fused.low == pytest.approx(2 * open_range.low)
    assert none_fused.high == pytest.approx(open_range.high)
    assert integers.high / integers.low == pytest.approx(124.8 / 51.2)


# --- workloads without a class


def test_counts_stand_in_for_a_missing_class() -> None:
    arrays = (
        ArrayUse("a", 8, "r", "unit", 8 * N, None, 8 * N, None),
        ArrayUse("b", 8, "rw", "strided(4)", 8 * N, 8 * N, 8 * N, 8 * N),
    )
    known = tuple(replace(a, write_footprint=a.write_footprint or as_expr(0)) for a in arrays)
    workload = Workload(None, "fp64", flops_fp64=exactly(6 * N), parallel_iterations=N, arrays=known)
    answer = told(predict_target(workload, find_device("gtx470"), transfer="none", sizes={"N": 1000}))
    values = {t.name: t.value for t in answer.terms}
    assert (values["w"], values["f"], values["c"], values["u"], values["d"]) == (1000, 6, 8000, 16000, 24000)
    assert "m1" in values
    host = told(predict_host(workload, find_device("xeon6248"), sizes={"N": 1000}))
    assert {t.name: t.value for t in host.terms}["c"] == 24000


def test_a_workload_without_class_and_counts_is_refused() -> None:
    with pytest.raises(IncompleteWorkloadError):
        predict_target(Workload(None, "fp32"), find_device("gtx470"))


def test_complexity_follows_from_the_counted_operations() -> None:
    workload = replace(from_class("NxM|tile(1xM) → N|element", 1), complexity=None, flops_fp32=exactly(parse("2*N*M")))
    answer = told(predict_target(workload, find_device("gtx470")))
    assert {t.name: t.expr for t in answer.terms}["f"] == "2"


# --- refusals and unknown sizes


def test_a_missing_precision_is_no_number() -> None:
    answer = predict_target(vector(element_type="fp64"), find_device("gts250"))
    assert isinstance(answer, Refusal)
    assert answer.code == "unsupported-precision"
    assert "fp64" in answer.message


def test_a_missing_figure_is_named() -> None:
    gtx = find_device("gtx470")
    lacking = replace(gtx, figures={k: f for k, f in gtx.figures.items() if k != "memory.uncoalesced"})
    answer = predict_target(vector(), lacking)
    assert isinstance(answer, Refusal)
    assert (answer.code, "memory.uncoalesced" in answer.message) == ("no-device-figure", True)
    on_gpu = predict_host(vector(), gtx)
    assert isinstance(on_gpu, Refusal)
    assert on_gpu.code == "no-device-figure"


def test_data_larger_than_the_device() -> None:
    answer = predict_target(vector(1 << 30), find_device("gtx470"))
    assert isinstance(answer, Refusal)
    assert answer.code == "exceeds-memory"


def test_unknown_sizes_leave_formulas_and_no_number() -> None:
    workload = from_class("N|element → N|element", 3)
    gtx = find_device("gtx470")
    answer = told(predict_target(workload, gtx))
    assert answer.time is None
    assert answer.bound is None
    assert answer.formulas.symbols == {"N"}
    known = time_of(predict_target(workload, gtx, sizes={"N": 5000}))
    assert float(evaluate(answer.formulas.likely, {"N": 5000})) == pytest.approx(known.likely)
    assert known == time_of(predict_target(vector(5000, 3), gtx))


# --- properties


@quick
@given(
    st.sampled_from([d for d in device_ids() if not find_device(d).unsupported]),
    st.sampled_from(["fp32", "fp64", "int32"]),
    st.integers(1, 10**7),
    st.integers(0, 5000),
)
def test_ranges_are_ordered_and_times_grow(device_id: str, element_type: str, n: int, f: int) -> None:
    device = find_device(device_id)
    width = 8 if element_type == "fp64" else 4
    times = [
        time_of(predict_target(vector(size, work, element_type=element_type, widths=width), device))
        for size, work in ((n, f), (2 * n, f), (n, 2 * f))
    ]
    for time in times:
        assert 0 < time.low <= time.likely <= time.high
    for other in times[1:]:
        assert all(getattr(other, end) >= getattr(times[0], end) for end in ("low", "likely", "high"))


CLASSES = (
    "4096x4096|element → 256|shared",
    "4096x4096|tile(1x4096) → 4096|element",
    "unordered 512x512|element → 512x512|element",
    "1024x1024|neighbourhood(5x5) → 1024x1024|element",
    "64|full ∧ 65536|element → 65536|element",
)
RATES = [
    (name, key)
    for name in ("gtx470", "h200", "mi210", "i7-930", "xeon6248", "epyc7763")
    for key in find_device(name).figures
    if key.startswith(("compute.", "memory.", "link.")) and key != "memory.capacity"
]


@quick
@given(st.sampled_from(RATES), st.sampled_from(CLASSES), st.floats(0, 1e4), st.floats(1, 100))
def test_times_never_fall_when_a_rate_shrinks(rate: tuple[str, str], text: str, f: float, factor: float) -> None:
    device, key = find_device(rate[0]), rate[1]
    known: Figure = device.figures[key]
    slower = with_figure(device, key, value=known.value / factor, low=known.low / factor, high=known.high / factor)
    workload = from_class(text, f)
    pairs = [(predict_target(workload, device, launch=True), predict_target(workload, slower, launch=True))]
    if device.kind == "cpu":
        ways = [(threads, vectorised) for threads in ("one", "all") for vectorised in (True, False)]
        pairs += [
            tuple(predict_host(workload, d, threads=threads, vectorised=vectorised) for d in (device, slower))  # type: ignore[arg-type,misc]
            for threads, vectorised in ways
        ]
    for before, after in pairs:
        for end in ("low", "likely", "high"):
            assert getattr(time_of(after), end) >= getattr(time_of(before), end) * (1 - 1e-12)


@quick
@given(st.sampled_from(device_ids()), st.sampled_from(CLASSES), st.floats(0, 1e4))
def test_the_range_of_a_figure_reaches_the_time(name: str, text: str, f: float) -> None:
    """At its ends every time is that of a device that has the better or the worse end of every figure."""
    device = find_device(name)
    answer = predict_target(from_class(text, f), device)
    if isinstance(answer, Refusal):
        return
    for end, rates, times in (("low", "high", "low"), ("high", "low", "high")):
        sure = {
            key: replace(
                figure,
                **dict.fromkeys(("low", "value", "high"), getattr(figure, times if figure.unit == "s" else rates)),
            )
            for key, figure in device.figures.items()
            if key.startswith(("compute.", "memory.", "link.", "launch."))
        }
        certain = replace(device, figures={**device.figures, **sure})
        assert getattr(time_of(predict_target(from_class(text, f), certain)), end) == pytest.approx(
            getattr(time_of(answer), end)
        )
