"""The extended model: what each effect does, where it does nothing, and what a prediction says of itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from models import extended
from models.catalogue import Device, find_device
from models.classes import Operand, Pattern
from models.expr import evaluate, num, sym
from models.extended import EVERYTHING, TERM_NAMES, Terms
from models.extended.figures import ESTIMATES, figure
from models.figures import OPTIONAL
from models.prediction import Prediction
from models.quantity import exactly
from models.variables import IncompleteWorkloadError
from models.workload import ArrayUse, ElementType, Workload, from_class

GTX470, GTS250, H200 = find_device("gtx470"), find_device("gts250"), find_device("h200")
XEON = find_device("xeon6248")
ELEMENTS = "{0}|element → {0}|element"


def on(
    text: str, device: Device = GTX470, kind: ElementType = "fp32", terms: Terms = EVERYTHING, f: int = 1
) -> Prediction:
    """On a device that has the data."""
    found = extended.predict_target(from_class(text, f, element_type=kind), device, terms=terms, resident=True)
    assert isinstance(found, Prediction)
    return found


def likely(p: Prediction) -> float:
    assert p.time is not None
    return p.time.likely


def without(name: str) -> Terms:
    return replace(EVERYTHING, **{name: False})


# --- large and simple: the roofline


def test_a_large_stream_takes_its_bytes_over_the_bandwidth() -> None:
    p = on(ELEMENTS.format(2**26))
    assert likely(p) == pytest.approx(2 * 4 * 2**26 / 95e9, rel=0.01)
    assert p.bound == "memory"
    assert p.effects == ()


def test_arithmetic_takes_its_instructions() -> None:
    p = on(ELEMENTS.format(2**24), f=1000)
    assert likely(p) == pytest.approx(2**24 * 1000 / (1089e9 / 2), rel=0.05)  # no multiply-adds: half of the peak
    assert p.bound == "compute"


# --- effects


def test_starting_a_kernel_takes_time_and_a_reduction_starts_two() -> None:
    one, two = on(ELEMENTS.format(64)), on("64|element → 1|shared")
    assert one.launch is not None
    assert two.launch is not None
    assert two.launch.likely == 2 * one.launch.likely == pytest.approx(2 * 7.56e-6)
    assert on(ELEMENTS.format(64), terms=without("launch")).launch.likely == 0  # type: ignore[union-attr]


def test_the_paper_s_maximum_is_three_times_slower_than_the_boat_hull_says() -> None:
    """262 144 elements are too few to hide what starting two kernels takes: measured 3 x 0.011 ms."""
    assert 2 * 0.011e-3 < likely(on("262144|element → 1|shared", kind="int32")) < 4 * 0.011e-3


def test_few_work_units_hide_little_latency() -> None:
    """1024 work-units that read a column each: Little's law, not the bandwidth, says how long that takes."""
    columns = "1024x1024|tile(1024x1) → 1024|element"
    few, plain = on(columns), on(columns, terms=without("occupancy"))
    assert likely(few) > 1.5 * likely(plain)
    wide = "256x1048576|tile(256x1) → 1048576|element"
    assert likely(on(wide)) == pytest.approx(likely(on(wide, terms=without("occupancy"))), rel=0.01)


def test_double_precision_has_its_own_rate() -> None:
    work = Workload(
        from_class(ELEMENTS.format(2**24), 1).algorithm, "fp64", 8, flops_fp64=exactly(2**24), flops_fp32=exactly(2**33)
    )
    mixed, one_rate = (
        extended.predict_target(work, find_device("gtx750"), resident=True, terms=t)
        for t in (EVERYTHING, without("precision"))
    )
    assert isinstance(mixed, Prediction)
    assert isinstance(one_rate, Prediction)
    assert likely(one_rate) > 10 * likely(mixed)  # fp32 work at the fp64 rate is 32 times slower


def test_rows_waste_sectors_only_where_no_cache_keeps_them() -> None:
    rows = "1024x1024|tile(1x1024) → 1024|element"
    assert "sectors" in dict(on(rows, GTS250).effects)
    assert "sectors" not in dict(on(rows, GTX470).effects)
    assert likely(on(rows, GTS250)) > 2 * likely(on(rows, GTS250, terms=without("sectors")))


def test_accesses_without_order_fetch_a_sector_each() -> None:
    n = 2**26
    p = on(f"unordered {n}|element → {n}|element")
    assert p.memory is not None
    assert p.memory.likely == pytest.approx((4 * n + 32 * n) / 95e9, rel=0.01)


@pytest.mark.parametrize(("few", "many"), [(1, 64), (64, 4096)])
def test_updates_of_fewer_elements_wait_longer(few: int, many: int) -> None:
    def updates(bins: int) -> float:
        return likely(on(f"{2**24}|element → {bins + 1}|shared", H200))

    assert updates(few) > updates(many)
    p = on(f"{2**24}|element → 2|shared", H200, terms=without("atomics"))
    assert likely(p) < updates(1)


def test_a_neighbourhood_is_read_again_where_no_cache_keeps_it() -> None:
    blur = f"{2**13}x{2**13}|neighbourhood(7x7) → {2**13}x{2**13}|element"
    on_old, on_new = on(blur, GTS250), on(blur, H200)
    assert on_old.memory is not None
    assert on_new.memory is not None
    data = 2 * 4 * 2**26
    assert on_old.memory.likely > 1.4 * data / 56e9  # the halo of 16 x 16 blocks
    assert on_new.memory.likely == pytest.approx(data / 3534e9, rel=0.01)


# --- what GPUs keep and share

H100 = find_device("h100")


def parallel(*arrays: ArrayUse, n: int, side: int = 1) -> Prediction:
    """One that only moves data, of n independent iterations."""
    work = Workload(None, "fp32", parallel_iterations=num(n), arrays=arrays, side=side)
    found = extended.predict_target(work, H100, resident=True)
    assert isinstance(found, Prediction)
    return found


def test_data_in_half_of_the_last_cache_comes_from_there() -> None:
    cache, rate = (H100.figure(key).value for key in ("cache.l2", "memory.coalesced"))
    faster = figure(H100, "cache.l2_rate").value

    def memory(elements: int) -> float:
        found = on(ELEMENTS.format(elements), H100)
        assert found.memory is not None
        return found.memory.likely

    fits, too_large = int(0.4 * cache / 8), int(0.6 * cache / 8)
    assert memory(fits) == pytest.approx(8 * fits / faster, rel=0.01)
    assert memory(too_large) == pytest.approx(8 * too_large / rate, rel=0.01)


def test_stores_apart_take_the_cache_a_sector_each() -> None:
    n = 2**26
    stored = ArrayUse("x", 4, "w", "strided(16)", num(0), num(64 * n), num(0), num(64 * n), accesses=num(16 * n))
    apart = replace(stored, sectors=num(2 * n), stores_apart=num(16 * n))
    beside = replace(stored, coalescing="unit")
    assert apart.coalescing != beside.coalescing
    slow, fast = (parallel(each, n=n) for each in (apart, beside))
    assert slow.memory is not None
    assert fast.memory is not None
    assert slow.memory.likely == pytest.approx(32 * 16 * n / figure(H100, "cache.store_rate").value, rel=0.01)
    assert fast.memory.likely == pytest.approx(64 * n / H100.figure("memory.coalesced").value, rel=0.01)


def test_sectors_that_were_counted_replace_one_for_each_access() -> None:
    n = 2**26
    read = ArrayUse("x", 4, "r", "strided(64)", num(16 * n), num(0), num(256 * n), num(0), accesses=num(4 * n))
    one_each, counted = parallel(read, n=n), parallel(replace(read, sectors=num(n)), n=n)
    assert one_each.memory is not None
    assert counted.memory is not None
    assert one_each.memory.likely > 1.9 * counted.memory.likely


# --- CPUs


def host(text: str, threads: str = "one", vectorised: bool = True, terms: Terms = EVERYTHING) -> Prediction:
    found = extended.predict_host(
        from_class(text, 1), XEON, threads=threads, vectorised=vectorised, terms=terms  # type: ignore[arg-type]
    )
    assert isinstance(found, Prediction)
    return found


def test_a_stencil_whose_rows_fit_no_cache_reads_each_row_again() -> None:
    """Layer condition: 7 rows of 2^20 floats are 29 MB, more than the last cache has for them."""
    fits, too_wide = (f"{r}x{c}|neighbourhood(7x1) → {r}x{c}|element" for r, c in ((2**16, 2**10), (2**6, 2**20)))
    short, long = (next(t.value for t in host(text).arithmetic() if t.name == "T_m") for text in (fits, too_wide))
    assert short is not None
    assert long == pytest.approx(short * (7 + 1) / 2, rel=0.01)


def test_data_in_a_cache_does_not_come_from_memory() -> None:
    small = host(ELEMENTS.format(2**14))
    assert small.time is not None
    assert small.time.likely < 2 * 4 * 2**14 / 15.21e9
    assert likely(host(ELEMENTS.format(2**14), terms=without("caches"))) >= 2 * 4 * 2**14 / 15.21e9


def test_all_threads_have_to_be_started_and_are_no_use_to_few_work_units() -> None:
    wide, narrow = host(ELEMENTS.format(2**26), "all"), host("4x4194304|tile(1x4194304) → 4|element", "all")
    assert wide.launch is not None
    assert wide.launch.likely == 5e-6
    assert wide.candidate == "host-threads"
    assert likely(narrow) > 4 * 2**24 / 85.41e9 * 1.3  # four cores move 4 x 15.21 GB/s


def test_atomic_updates_wait_for_the_lines_that_others_have() -> None:
    def threads(n: int, bins: int, atomic: bool) -> float:
        w = replace(from_class(f"{n}|element → {bins}|shared", 1, element_type="int32"), atomic=atomic)
        p = extended.predict_host(w, XEON, threads="all")
        assert isinstance(p, Prediction)
        assert p.compute is not None
        return p.compute.likely

    own, shared = (figure(XEON, key).value for key in ("core.atomic", "threads.atomic"))
    n, cores = 10**8, figure(XEON, "cores").value
    assert threads(n, 256, atomic=True) - threads(n, 256, atomic=False) == pytest.approx(n * shared, rel=0.01)
    assert threads(n, 10**6, atomic=True) - threads(n, 10**6, atomic=False) == pytest.approx(n * own / cores, rel=0.05)
    one = [replace(from_class(f"{n}|element → 256|shared", 1, element_type="int32"), atomic=a) for a in (False, True)]
    alone = [extended.predict_host(w, XEON) for w in one]
    assert likely(alone[0]) == likely(alone[1])  # type: ignore[arg-type]


def test_without_vectors_a_lane_s_share_of_the_rate() -> None:
    fast, slow = (
        extended.predict_host(from_class(ELEMENTS.format(2**10), 1000), XEON, vectorised=v) for v in (True, False)
    )
    assert isinstance(fast, Prediction)
    assert isinstance(slow, Prediction)
    assert likely(slow) == pytest.approx(16 * likely(fast), rel=0.01)


# --- copies


def test_pinned_memory_is_copied_faster_and_unified_memory_slower() -> None:
    work = from_class(ELEMENTS.format(2**24), 1)
    times = [extended.predict_target(work, H200, memory=m) for m in ("pinned", "pageable", "unified")]  # type: ignore[arg-type]
    copies = [t.transfer.likely for t in times]  # type: ignore[union-attr]
    assert copies == sorted(copies)
    assert copies[0] == pytest.approx(2 * 4 * 2**24 / 52e9 + 2 * 8e-6, rel=0.01)


def test_sections_are_copied_where_they_are_known() -> None:
    array = ArrayUse("x", 4, "r", "unit", num(4 * 2**20), num(0), num(4), num(0))
    work = replace(
        from_class(f"{2**20}|element → 1|shared", 1), arrays=(array,), transfer_in=num(4), transfer_out=num(0)
    )
    p = extended.predict_target(work, H200)
    assert isinstance(p, Prediction)
    assert p.transfer is not None
    assert p.transfer.likely == pytest.approx(8e-6, rel=0.01)


# --- what is refused


@pytest.mark.parametrize(
    ("text", "device", "kind", "code"),
    [
        pytest.param(ELEMENTS.format(2**40), GTX470, "fp32", "exceeds-memory", id="too large"),
        pytest.param(ELEMENTS.format(8), GTS250, "fp64", "unsupported-precision", id="no double precision"),
    ],
)
def test_refusals(text: str, device: Device, kind: ElementType, code: str) -> None:
    answer = extended.predict_target(from_class(text, 1, element_type=kind), device)
    assert not isinstance(answer, Prediction)
    assert answer.code == code


def test_a_gpu_is_no_host() -> None:
    answer = extended.predict_host(from_class(ELEMENTS.format(8), 1), GTX470)
    assert not isinstance(answer, Prediction)
    assert answer.code == "no-device-figure"


def test_without_work_units_or_footprints_there_is_no_time() -> None:
    with pytest.raises(IncompleteWorkloadError):
        extended.predict_target(Workload(None, "fp32"), H200)
    unknown = ArrayUse("x", 4, "r", "irregular", None, num(0), None, None)
    with pytest.raises(IncompleteWorkloadError):
        extended.predict_target(Workload(None, "fp32", parallel_iterations=num(8), arrays=(unknown,)), H200)


# --- what a prediction says


CLASSES = (
    "N|element → N|element",
    "NxN|neighbourhood(3x3) → NxN|element",
    "NxN|tile(1xN) → N|element",
    "N|element → 256|shared",
    "unordered N|element ∧ N|element → N|element",
)


@given(st.sampled_from(CLASSES), st.sampled_from([GTX470, GTS250, H200]), st.integers(1, 10**6), st.booleans())
def test_formulas_and_numbers_agree(text: str, device: Device, n: int, here: bool) -> None:
    work = from_class(text, 3)
    open_ = extended.predict_host(work, XEON) if here else extended.predict_target(work, device)
    known = (
        extended.predict_host(work, XEON, sizes={"N": n})
        if here
        else extended.predict_target(work, device, sizes={"N": n})
    )
    if not isinstance(known, Prediction):
        return
    assert isinstance(open_, Prediction)
    assert open_.time is None
    assert known.time is not None
    ends = (open_.formulas.low, open_.formulas.likely, open_.formulas.high)
    low, middle, high = (float(evaluate(end, {"N": n})) for end in ends)
    assert (min(low, middle), middle, max(middle, high)) == pytest.approx(
        (known.time.low, known.time.likely, known.time.high), rel=1e-9
    )


@given(st.sampled_from(CLASSES), st.integers(1, 10**7), st.sampled_from(TERM_NAMES))
def test_ends_are_in_order_whatever_is_switched_off(text: str, n: int, name: str) -> None:
    answer = extended.predict_target(from_class(text, 2), H200, sizes={"N": n}, terms=without(name))
    if isinstance(answer, Prediction):
        assert answer.time is not None
        assert 0 <= answer.time.low <= answer.time.likely <= answer.time.high


def test_the_terms_lead_to_the_time_and_each_has_a_source() -> None:
    p = extended.predict_target(from_class("1024x1024|element → 256|shared", 1), GTX470)
    assert isinstance(p, Prediction)
    assert all(t.source and t.value is not None for t in p.terms)
    value = {t.name: t.value or 0.0 for t in p.terms}
    assert value["t_a"] == pytest.approx(
        value["U"] * value["q"] / value["P_atomic"] + 8 * value["C"] * value["n_mp"] / value["B"]
    )
    assert value["t_0"] == pytest.approx(value["D"] / value["B_link"] + 2 * value["L_link"])
    assert value["compute"] == max(value["t_c"], value["t_a"])
    kernel = max(value["compute"], value["t_m"], value["t_w"])
    assert likely(p) == pytest.approx(kernel + value["launch"] + value["t_0"])


def test_with_unknown_sizes_the_terms_are_formulas() -> None:
    p = extended.predict_target(from_class("N|element → N|element", 1), GTX470)
    assert isinstance(p, Prediction)
    (units,) = (t for t in p.terms if t.name == "w")
    assert (units.expr, units.value) == ("N", None)
    assert p.symbols == {"N"}
    assert "8.42105263157894" in str(p.formula)  # 8 N bytes at 95 GB/s


# --- figures


def test_every_estimate_is_a_figure_that_files_may_have_and_says_what_it_rests_on() -> None:
    assert set(ESTIMATES) == set(OPTIONAL)
    for key in ("latency.memory", "threads.resident", "rate.atomic", "link.pageable"):
        found = figure(H200, key)
        assert found.low <= found.value <= found.high
        assert found.kind == "estimated"
        assert len(found.source) > 20


def test_a_device_s_own_figure_goes_before_the_estimate() -> None:
    assert figure(XEON, "cache.l2_rate.core").kind == "measured"
    assert figure(GTX470, "link.pageable").value == 5.1e9


def test_symbols_stay_open_in_neighbourhoods_of_arrays() -> None:
    n = sym("n")
    array = ArrayUse(
        "x", 4, "r", "unit", 4 * n, num(0), 4 * n, num(0), True, 3 * n, Operand((n,), Pattern.NEIGHBOURHOOD, (num(3),))
    )
    p = extended.predict_target(Workload(None, "fp32", parallel_iterations=n, arrays=(array,)), H200)
    assert isinstance(p, Prediction)
    assert p.symbols == {"n"}


# --- several cores


def passing(p: object, name: str) -> float:
    assert isinstance(p, Prediction)
    found = next(t.value for t in p.terms if t.name == name)
    assert found is not None
    return found


@pytest.mark.parametrize("columns", [1000, 20_000, 200_000, 4_000_000])
def test_each_core_must_hold_the_rows_that_it_goes_through(columns: int) -> None:
    """A private cache keeps of a stencil what one core's cache would, however many cores there are: three rows of
    20 000 doubles fit into no first cache, though all first caches together are larger. A shared cache must hold the
    rows of all cores."""
    work = from_class(f"2000x{columns}|neighbourhood(3x3) → 2000x{columns}|element", 9, element_bytes=8)
    one = extended.predict_host(work, XEON, threads="one")
    every = extended.predict_host(work, XEON, threads="all")
    for name in ("T_L2", "T_L3"):
        assert passing(one, name) == passing(every, name), name
    assert passing(one, "T_m") <= passing(every, "T_m")


def test_what_all_cores_read_is_in_each_private_cache_and_once_in_a_shared_one() -> None:
    """A vector of 4 MB that every row is multiplied with: each core's second cache is too small for it, and all of them
    together are not; the last cache has room for it, though not for one copy per core."""
    text = "4000x1000000|tile(1x1000000) ∧ 1000000|full → 4000|element"
    one = extended.predict_host(from_class(text, 2), XEON, threads="one")
    every = extended.predict_host(from_class(text, 2), XEON, threads="all")
    for name in ("T_L2", "T_L3", "T_m"):
        assert passing(one, name) == passing(every, name), name
