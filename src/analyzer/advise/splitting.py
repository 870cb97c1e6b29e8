"""CPU and GPU together on one loop: its iterations are divided so that both finish at once.

PerDome's data partitioning (p-DP): performances add, P = P_CPU + P_GPU. With a time on the GPU that has a part l which
does not shrink with its share (launch), a share x of the iterations for the CPU, and T_C, T_G for all of them,

    x T_C = (1 - x) (T_G - l) + l,   so   x = T_G / (T_C + T_G - l)   and   T = x T_C

Data is copied in proportion, reductions of both are combined at the end, which costs nothing here. A split is worth
saying only where it is faster than the better of the two alone by WORTH, since it is much more to write.
"""

from models.prediction import Prediction, Refusal, Term
from models.quantity import Range
from models.values import Ends

WORTH = 1.25
SOURCE = "PerDome, equation 20 (p-DP)"


def split(cpu: Prediction | Refusal | None, target: Prediction | Refusal) -> Prediction | None:
    """The prediction for both at once, called `split`, on the target's device; None where a time is not known, the
    target shares no work with the host, or it is not worth it.

    Example: 3 ms on the CPU and 1 ms on the GPU, 0.1 ms of it for the launch, are 0.77 ms together."""
    if not isinstance(cpu, Prediction) or not isinstance(target, Prediction) or target.transfer is None:
        return None
    if cpu.time is None or target.time is None or target.launch is None:
        return None
    time = Range(
        _together(cpu.time.low, target.time.low, target.launch.low),
        _together(cpu.time.likely, target.time.likely, target.launch.likely),
        _together(cpu.time.high, target.time.high, target.launch.high),
    )
    if time.likely * WORTH > min(cpu.time.likely, target.time.likely):
        return None
    share = time.likely / cpu.time.likely
    terms = (
        Term("T_C", "the time with all threads of the host", cpu.time.likely, "s", f"the prediction for {cpu.device}"),
        Term("T_G", "the time on the target", target.time.likely, "s", f"the prediction for {target.device}"),
        Term("l", "what the target needs for any share", target.launch.likely, "s", "launch"),
        Term("x", "T_G/(T_C + T_G - l)", share, "1", f"the CPU's share, {SOURCE}"),
        Term("T", "x T_C", time.likely, "s", SOURCE),
    )
    return Prediction(
        device=target.device,
        model=target.model,
        candidate="split",
        time=time,
        compute=None,
        memory=None,
        transfer=None,
        launch=None,
        bound=None,
        total=Ends(time.low, time.likely, time.high),
        arithmetic=terms,
        mapping=target.mapping,
        assumptions=(*target.assumptions, f"{share:.0%} of the iterations on {cpu.device}"),
    )


def _together(cpu_s: float, gpu_s: float, fixed_s: float) -> float:
    both = cpu_s + gpu_s - fixed_s
    return min(cpu_s, gpu_s, cpu_s * gpu_s / both) if both > 0 else 0.0
