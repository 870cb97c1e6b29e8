"""alpha and beta of every element from profiled samples, and how well the fitted model orders and predicts times.

    minimise  sum over samples of ((alpha / gamma + beta) S - t)^2    with alpha >= 0, beta >= 0

for each element on its own (LSLAG paper, §VI: Matlab's `lsqlin` with a positive solution); LSLA fits beta alone. The
samples are divided at random, 4 : 1, the fit sees the first part, its fidelity is tau-b of t_w on the second. Absolute
errors are minimised, so large S weigh most. Needs scipy (extra `fit`).
"""

import math
import random
from collections import defaultdict
from importlib import import_module
from types import ModuleType
from typing import Literal, TypeAlias

from msgspec import Struct

from ..errors import InputError
from .architecture import Architecture, Element, wall_time
from .fidelity import ceiling, kendall_tau_b
from .samples import Samples

Model: TypeAlias = Literal["lslag", "lsla"]
MODELS: tuple[Model, ...] = ("lslag", "lsla")
FEWEST = 10
"""Samples below which a fifth of them is no test set."""


class FitError(InputError):
    """Samples that determine no model, or scipy that is not there."""


class Fitted(Struct, frozen=True):
    """A fitted model with tau-b of t_w (None: undefined) on training and test samples; `ceiling` is what its ties leave
    of tau-b on the test samples."""

    model: Model
    architecture: Architecture
    training_tau: float | None
    test_tau: float | None
    ceiling: float | None


class Point(Struct, frozen=True):
    """The mean of all samples at one gamma and S beside both predictions of t_w, in seconds."""

    gamma: float
    size: float
    repeats: int
    measured_s: float
    predicted_s: dict[Model, float]

    def error(self, model: Model) -> float | None:
        """(predicted - measured) / measured; None where nothing was measured but 0."""
        return (self.predicted_s[model] - self.measured_s) / self.measured_s if self.measured_s else None


class Report(Struct, frozen=True):
    training: int
    test: int
    seed: int
    models: dict[Model, Fitted]
    points: tuple[Point, ...]


def fit(samples: Samples, model: Model = "lslag") -> Architecture:
    """alpha and beta in seconds per unit of S, every element linked to `c` where there is one.

    FitError where all samples have one gamma, so that alpha and beta cannot be told apart, and without scipy."""
    if model == "lslag" and len(set(samples.gamma)) < 2:
        raise FitError(f"all samples have gamma {samples.gamma[0]:g}: alpha and beta cannot be told apart")
    scaled = [size / gamma for gamma, size in zip(samples.gamma, samples.size, strict=True)]
    columns = [scaled, list(samples.size)] if model == "lslag" else [list(samples.size)]
    elements = []
    for name, times in samples.elements_s.items():
        *alpha, beta = _nonnegative_least_squares(columns, times)
        elements.append(Element(name, samples.kinds[name], alpha[0] if alpha else 0.0, beta))
    links = tuple((e.name, "c") for e in elements if e.name != "c") if "c" in samples.elements_s else ()
    return Architecture(tuple(elements), links)


def evaluate(samples: Samples, *, seed: int = 0, test_share: float = 0.2) -> Report:
    """LSLAG and LSLA fitted to a random part of the samples, and their fidelity on the rest (the paper: 288 of 360
    and 72). FitError for fewer than ten samples and for a share that leaves fewer than two to test or to fit."""
    if len(samples) < FEWEST:
        raise FitError(f"{len(samples)} samples are too few to fit and to test; it takes {FEWEST}")
    count = round(len(samples) * test_share) if 0 < test_share < 1 else 0
    if not 2 <= count <= len(samples) - 2:
        raise FitError(f"a share of {test_share:g} for the test leaves fewer than two samples to test or to fit")
    order = list(range(len(samples)))
    random.Random(seed).shuffle(order)
    training, test = samples.only(order[count:]), samples.only(order[:count])
    models = {model: _fitted(model, training, test) for model in MODELS}
    return Report(len(training), len(test), seed, models, _points(samples, models))


def predicted(architecture: Architecture, samples: Samples) -> list[float]:
    """t_w of every sample, in seconds."""
    return [float(wall_time(architecture, *at)) for at in zip(samples.gamma, samples.size, strict=True)]


def _fitted(model: Model, training: Samples, test: Samples) -> Fitted:
    architecture = fit(training, model)
    trained, tested = (kendall_tau_b(predicted(architecture, part), part.wall_s) for part in (training, test))
    keys = test.size if model == "lsla" else tuple(zip(test.gamma, test.size, strict=True))
    return Fitted(model, architecture, trained, tested, ceiling(keys, test.wall_s))


def _points(samples: Samples, models: dict[Model, Fitted]) -> tuple[Point, ...]:
    measured: dict[tuple[float, float], list[float]] = defaultdict(list)
    for gamma, size, wall in zip(samples.gamma, samples.size, samples.wall_s, strict=True):
        measured[gamma, size].append(wall)
    return tuple(
        Point(
            gamma,
            size,
            len(times),
            math.fsum(times) / len(times),
            {name: float(wall_time(fitted.architecture, gamma, size)) for name, fitted in models.items()},
        )
        for (gamma, size), times in sorted(measured.items())
    )


def _nonnegative_least_squares(columns: list[list[float]], times: tuple[float, ...]) -> list[float]:
    """x >= 0 with the least |columns x - times|. Columns and times are scaled to length 1 first: the solver's tolerance
    knows nothing of units."""
    lengths = [math.hypot(*column) for column in columns]
    height = math.hypot(*times)
    if not all(map(math.isfinite, (*lengths, height))):
        raise FitError("the numbers are too large to be summed up")
    if height == 0:
        return [0.0] * len(columns)
    rows = [[value / length for value, length in zip(row, lengths, strict=True)] for row in zip(*columns, strict=True)]
    solution, _ = _scipy().nnls(rows, [time / height for time in times])
    return [float(value) * height / length for value, length in zip(solution, lengths, strict=True)]


def _scipy() -> ModuleType:
    try:
        return import_module("scipy.optimize")
    except ImportError as error:
        raise FitError("fitting needs scipy: install boathull[fit]") from error
