"""The performance of one workload partition, which partitions exist, and the best of them (equations 1 to 20)."""

from msgspec import Struct

from ..elementwise import Values, all_true, floor, greatest, is_array, least, nonnegative, positive, quotient
from ..errors import InputError


class PartitionError(InputError):
    """A workload partition that cannot exist."""


class Times(Struct, frozen=True):
    """Seconds per flop and seconds per byte of one processor."""

    flop: float
    byte: float

    def __post_init__(self) -> None:
        positive("the time per flop", self.flop)
        positive("the time per byte", self.byte)


# --- the execution models


def single(processor: Times, intensity: Values) -> Values:
    """Flops per second of one processor that does everything: 1 / max(t_f, t_b / I), equation 3.

    Example: `single(Times(73.5e-12, 65.9e-12), 4.4)` is 13.61e9, DA on the i7."""
    byte = quotient(processor.byte, nonnegative("the intensity", intensity))
    return 1 / greatest(processor.flop, byte)


def performance(
    cpu: Times, gpu: Times, intensity: Values, cpu_flops: Values, cpu_bytes: Values, data_sets: int | None = None
) -> Values:
    """Flops per second where the CPU has these shares of flops and bytes (equation 11). With `data_sets` the two run as
    stages of a pipeline that is filled and drained once.

    PartitionError for shares outside 0 to 1.
    Example: SA with all of VecAdd on the i7, `performance(i7, gtx750, 129 / 76, 1 / 129, 12 / 76)`, is 136.2e9."""
    positive("the intensity", intensity)
    for name, share in (("flops", cpu_flops), ("bytes", cpu_bytes)):
        if not all_true((share >= 0) & (share <= 1)):
            raise PartitionError(f"the CPU's share of the {name} is {share}, which is not between 0 and 1")
    return _performance(cpu, gpu, intensity, cpu_flops, cpu_bytes, data_sets)


def data_partition(cpu: Times, gpu: Times, intensity: Values, data_sets: int | None = None) -> Values:
    """Flops per second with the data divided at best: exactly (p-DP), or in whole ones of `data_sets` equal sets.

    Example: SA (1.7 flop/B) on i7 and GTX 750: 13.6e9 + 114.9e9 = 128.5e9."""
    on_cpu, on_gpu = single(cpu, intensity), single(gpu, intensity)
    if data_sets is None:
        return on_cpu + on_gpu
    share = data_share(cpu, gpu, intensity, data_sets)
    return 1 / greatest(share / on_cpu, (1 - share) / on_gpu)


def data_share(cpu: Times, gpu: Times, intensity: Values, data_sets: int | None = None) -> Values:
    """The CPU's share of the data at best."""
    on_cpu, on_gpu = single(cpu, positive("the intensity", intensity)), single(gpu, intensity)
    ideal = on_cpu / (on_cpu + on_gpu)
    if data_sets is None:
        return ideal
    below = floor(ideal * _whole(data_sets)) / data_sets
    above = least(below + 1 / data_sets, 1.0)
    slower = greatest(above / on_cpu, (1 - above) / on_gpu) >= greatest(below / on_cpu, (1 - below) / on_gpu)
    return above + (below - above) * slower


def code_partition(
    cpu: Times,
    gpu: Times,
    intensity: float,
    cpu_intensity: Values,
    gpu_intensity: Values,
    data_sets: int | None = None,
) -> Values:
    """Flops per second where CPU and GPU run different code (equation 19). With `data_sets` they depend on each other
    and work in turns (CP-dependent), without they run freely, or there are many data sets.

    Where all three intensities are equal the code is not divided: the bound is that of p-DP. For arrays NaN marks
    partitions that do not exist; for numbers PartitionError says why.
    Example: SA on i7 and GTX 750, `code_partition(i7, gtx750, 1.7, 0.1, 2.0)`, is 136.4e9."""
    positive("the intensity", intensity)
    if not (is_array(cpu_intensity) or is_array(gpu_intensity)):
        require_partition(intensity, cpu_intensity, gpu_intensity)
        if cpu_intensity == gpu_intensity:
            return data_partition(cpu, gpu, intensity)
        flops, traffic = _shares(intensity, cpu_intensity, gpu_intensity)
        return _performance(cpu, gpu, intensity, flops, traffic, data_sets)
    import numpy

    nonnegative("the CPU's intensity", cpu_intensity)
    nonnegative("the GPU's intensity", gpu_intensity)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        flops, traffic = _shares(intensity, cpu_intensity, gpu_intensity)
        found = _performance(cpu, gpu, intensity, flops, traffic, data_sets)
    found = numpy.where(partition_exists(intensity, cpu_intensity, gpu_intensity), found, numpy.nan)
    undivided = (cpu_intensity == intensity) & (gpu_intensity == intensity)
    return numpy.where(undivided, data_partition(cpu, gpu, intensity), found)


def shares(intensity: float, cpu_intensity: float, gpu_intensity: float) -> tuple[float, float]:
    """The CPU's shares of the flops and of the bytes (equations 15-18); PartitionError where no partition has these
    intensities or, where all are equal, every one has.

    Example: `shares(1.7, 0.1, 2.0)` is (0.0093, 0.1579)."""
    require_partition(intensity, cpu_intensity, gpu_intensity)
    if cpu_intensity == gpu_intensity:
        raise PartitionError("equal intensities leave the shares open: it is data that is partitioned, not code")
    flops, traffic = _shares(intensity, cpu_intensity, gpu_intensity)
    return min(1.0, float(flops)), min(1.0, float(traffic))  # rounding may end just above 1


def best(cpu: Times, gpu: Times, intensity: Values) -> Values:
    """Flops per second of the best of all partitions: the roofline of both processors together (ours)."""
    flop, byte = (1 / cpu.flop + 1 / gpu.flop), (1 / cpu.byte + 1 / gpu.byte)
    return least(flop, byte * nonnegative("the intensity", intensity))


def best_intensities(cpu: Times, gpu: Times, intensity: Values) -> tuple[Values, Values]:
    """I_C and I_G of a best partition, the one with both pairs of times in balance: x = t_fG / (t_fC + t_fG) of the
    flops and y = t_bG / (t_bC + t_bG) of the bytes on the CPU."""
    flops, traffic = balanced(cpu, gpu)
    return intensity * flops / traffic, intensity * (1 - flops) / (1 - traffic)


# --- the lemmas


def partition_exists(intensity: Values, cpu_intensity: Values, gpu_intensity: Values) -> Values:
    """Whether some partition has these intensities (lemmas 1 and 2): one above I and the other below, all equal, or one
    processor unused (intensity 0) and the other at I."""
    cpu_side, gpu_side = cpu_intensity - intensity, gpu_intensity - intensity
    around = cpu_side * gpu_side < 0
    cpu_whole = (cpu_side == 0) & ((gpu_side == 0) | (gpu_intensity == 0))
    gpu_whole = (gpu_side == 0) & ((cpu_side == 0) | (cpu_intensity == 0))
    return around | cpu_whole | gpu_whole


def require_partition(intensity: float, cpu_intensity: float, gpu_intensity: float) -> None:
    """PartitionError with the lemma that these intensities break; InputError for what is no intensity."""
    positive("the intensity", intensity)
    nonnegative("the CPU's intensity", cpu_intensity)
    nonnegative("the GPU's intensity", gpu_intensity)
    if partition_exists(intensity, cpu_intensity, gpu_intensity):
        return
    given = f"I = {intensity:g}, I_C = {cpu_intensity:g}, I_G = {gpu_intensity:g}"
    if intensity in (cpu_intensity, gpu_intensity):
        raise PartitionError(
            f"no such partition ({given}): where one processor has the kernel's intensity, the other has it as well or "
            "is unused, 0 (lemma 1)"
        )
    side = "above" if cpu_intensity > intensity else "below"
    raise PartitionError(f"no such partition ({given}): both intensities are {side} the kernel's (lemma 2)")


def times(cpu: Times, gpu: Times, intensity: Values, cpu_flops: Values, cpu_bytes: Values) -> tuple[Values, ...]:
    """The four times of equation 11, in seconds per flop of the kernel."""
    return (
        cpu_flops * cpu.flop,
        cpu_bytes * cpu.byte / intensity,
        (1 - cpu_flops) * gpu.flop,
        (1 - cpu_bytes) * gpu.byte / intensity,
    )


def _performance(
    cpu: Times, gpu: Times, intensity: Values, cpu_flops: Values, cpu_bytes: Values, data_sets: int | None
) -> Values:
    terms = times(cpu, gpu, intensity, cpu_flops, cpu_bytes)
    on_cpu, on_gpu = greatest(*terms[:2]), greatest(*terms[2:])
    filling = 0 if data_sets is None else least(on_cpu, on_gpu) / _whole(data_sets)
    return 1 / (greatest(on_cpu, on_gpu) + filling)


def _shares(intensity: Values, cpu_intensity: Values, gpu_intensity: Values) -> tuple[Values, Values]:
    """Equations 16 and 18, divided by N_b and by N_f."""
    traffic = (intensity - gpu_intensity) / (cpu_intensity - gpu_intensity)
    return traffic * cpu_intensity / intensity, traffic


def balanced(cpu: Times, gpu: Times) -> tuple[float, float]:
    """The CPU's shares of flops and bytes of a best partition, both pairs of times in balance."""
    return gpu.flop / (cpu.flop + gpu.flop), gpu.byte / (cpu.byte + gpu.byte)


def _whole(data_sets: int) -> int:
    if data_sets < 1:
        raise InputError(f"the number of data sets is {data_sets}, which is not above 0")
    return data_sets
