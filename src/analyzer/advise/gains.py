"""How much faster a loop gets in another place, and from which time on it can pay to move it there."""

from models.extended.residuals import GAIN
from models.prediction import Prediction
from models.quantity import Range

from .context import SHORTEST_WORTH_THREADS_S, Context
from .recommendation import ON_THE_HOST

MEASURED_GAIN = Range(GAIN["low"], GAIN["likely"], GAIN["high"])
"""Of ways to run a loop on the same cores: measured over likely gain."""

LEAST_S = 1e-9
"""What a time of 0 counts as."""


def speedup(host: Range, other: Range) -> Range:
    """Of `other` over `host`, worst against best and best against worst."""
    return Range(
        max(host.low, LEAST_S) / max(other.high, LEAST_S),
        max(host.likely, LEAST_S) / max(other.likely, LEAST_S),
        max(host.high, LEAST_S) / max(other.low, LEAST_S),
    )


def on_one_machine(host: Range, other: Range) -> Range:
    """Of another way to run the same loop on the same cores: what makes one time longer than is likely makes the other
    one longer, too, so their ends go together. How far measured gains lie from likely ones is `residuals.GAIN`.

    Example: of 1 s (0.5 to 2 s) and 0.5 s (0.25 to 1 s), twice as fast, but for these residuals."""
    ratios = [max(getattr(host, end), LEAST_S) / max(getattr(other, end), LEAST_S) for end in ("low", "likely", "high")]
    return Range(min(ratios) * MEASURED_GAIN.low, ratios[1], max(ratios) * MEASURED_GAIN.high)


def is_on_one_machine(host: Prediction, p: Prediction) -> bool:
    return p.device == host.device and p.candidate in ON_THE_HOST


def shortest(prediction: Prediction, context: Context) -> float:
    """The host time below which a move there cannot pay: starting it takes longer."""
    if prediction.candidate in ("host-threads", "host-vector"):
        return SHORTEST_WORTH_THREADS_S
    device = next(d for d in context.targets if d.id == prediction.device)
    latency = device.figures.get("launch.latency")
    return SHORTEST_WORTH_THREADS_S if latency is None else latency.value
