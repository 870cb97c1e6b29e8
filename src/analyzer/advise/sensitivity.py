"""What would change a verdict: which one figure, by how much, the nearest first.

Sizes, figures of the devices and weights of branches are varied one at a time, everything else as it is. A verdict is
taken to change once when a figure grows, and once when it shrinks, within a factor of FURTHEST: bisection finds where.
Assumptions come last: without one that the answer needs, nothing would be moved.
"""

from collections.abc import Callable, Iterator
from math import exp, log

from msgspec import Struct
from msgspec.structs import replace

from models.catalogue import PRECISIONS, Device, MissingFigureError, UnsupportedPrecisionError
from models.extended.figures import figure
from models.figures import Figure
from models.quantity import End, Sizes
from models.units import readable

from ..facts.loop import LoopFacts
from .context import Context
from .modelling import MODELS
from .recommendation import Recommendation

FURTHEST = 64.0
STEPS = 12
Decide = Callable[[Context, Sizes, End], Recommendation]
"""The recommendation in another context, for other sizes, and with branches on data never (low) or always (high)
taken."""


class Flip(Struct, frozen=True):
    """`then`: the nearest value of `what` at which the verdict is another one."""

    what: str
    now: str
    then: str
    verdict: str
    factor: float


def flips(loop: LoopFacts, context: Context, sizes: Sizes, decide: Decide) -> tuple[Flip, ...]:
    """The figures that decide, the nearest first. Example: `link.pageable of h200`, 14 GB/s now, another verdict from
    31.2 GB/s."""
    now = _key(decide(context, sizes, "likely"))
    if now[0] == "cannot-model":
        return ()
    found = [*_of_sizes(context, sizes, decide, now), *_of_figures(context, sizes, decide, now)]
    found += _of_weights(loop, context, sizes, decide, now)
    found.sort(key=lambda flip: abs(log(flip.factor)))
    if now[0] in ("offload", "host-parallel"):
        said = dict.fromkeys(f"{a.kind}({a.text})" for a in loop.parallelism.assumptions)
        found += [Flip(f"assumption {text}", "made", "not made", "cannot-model", FURTHEST) for text in said]
    return tuple(found)


def _key(r: Recommendation) -> tuple[str, str | None]:
    return r.verdict, r.device if r.verdict == "offload" else None


def _said(r: Recommendation) -> str:
    return f"{r.verdict} to {r.device}" if r.verdict == "offload" else f"{r.verdict} ({r.code})"


def _of_sizes(context: Context, sizes: Sizes, decide: Decide, now: tuple[str, str | None]) -> Iterator[Flip]:
    for name, value in sizes.items():
        if value < 1:
            continue

        def at(factor: float, name: str = name, value: float = value) -> Recommendation:
            return decide(context, {**sizes, name: max(1, round(value * factor))}, "likely")

        for factor, other in _nearest(at, now):
            yield Flip(f"size {name}", f"{value:g}", f"{max(1, round(value * factor)):g}", _said(other), factor)


def _of_figures(context: Context, sizes: Sizes, decide: Decide, now: tuple[str, str | None]) -> Iterator[Flip]:
    devices = {device.id: device for device in (context.host, *context.targets)}
    for device in devices.values():
        for key in _keys(device, context):
            known = _figure(device, key)
            if known is None:
                continue

            def at(factor: float, device: Device = device, key: str = key, known: Figure = known) -> Recommendation:
                return decide(_changed(context, device, key, known, factor), sizes, "likely")

            for factor, other in _nearest(at, now):
                then = readable(known.value * factor, known.unit)
                yield Flip(f"{key} of {device.id}", readable(known.value, known.unit), then, _said(other), factor)


def _keys(device: Device, context: Context) -> tuple[str, ...]:
    """The figures of a device that times rest on."""
    rates = tuple(f"compute.{precision}" for precision in PRECISIONS)
    if device.kind == "cpu":
        rates = tuple(f"{rate}.{cores}" for rate in rates for cores in ("one_core", "all_cores"))
    return (*MODELS[context.model].figures[device.kind], *rates)


def _figure(device: Device, key: str) -> Figure | None:
    try:
        return figure(device, key)
    except (MissingFigureError, UnsupportedPrecisionError):  # the device has none, so no time rests on it
        return None


def _changed(context: Context, device: Device, key: str, known: Figure, factor: float) -> Context:
    """The context with one figure multiplied, its range with it."""
    scaled = replace(known, value=known.value * factor, low=known.low * factor, high=known.high * factor, rule="")
    other = replace(device, figures={**device.figures, key: scaled})
    targets = tuple(other if target is device else target for target in context.targets)
    return replace(context, host=other if context.host is device else context.host, targets=targets)


def _of_weights(
    loop: LoopFacts, context: Context, sizes: Sizes, decide: Decide, now: tuple[str, str | None]
) -> Iterator[Flip]:
    if not any(c.source == "assumed" for c in loop.conditions):
        return
    ends: tuple[tuple[End, str], ...] = (("low", "never taken"), ("high", "always taken"))
    for end, then in ends:
        other = decide(context, sizes, end)
        if _key(other) != now:
            lines = ", ".join(str(c.line) for c in loop.conditions)
            yield Flip(f"branches in line {lines}", "taken half the time (assumed)", then, _said(other), 2.0)


def _nearest(
    at: Callable[[float], Recommendation], now: tuple[str, str | None]
) -> Iterator[tuple[float, Recommendation]]:
    """The nearest factor above 1 and below 1 at which the verdict is another."""
    for end in (FURTHEST, 1 / FURTHEST):
        other = at(end)
        if _key(other) == now:
            continue
        near, far = 0.0, log(end)
        for _ in range(STEPS):
            middle = (near + far) / 2
            found = at(exp(middle))
            if _key(found) == now:
                near = middle
            else:
                far, other = middle, found
        yield exp(far), other
