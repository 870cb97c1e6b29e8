"""`boathull fit`: LSLAG and LSLA parameters from profiled samples, with their fidelity and the error at every point."""

import argparse
from pathlib import Path

from ..lslag.fitting import MODELS, Fitted, Model, Point, Report, evaluate
from ..lslag.samples import Samples, load_samples
from ..tables import aligned
from ..units import readable, units_of
from . import Subparsers, new_parser
from .arguments import add_format, add_picture, json_text, number, write

_SHOWN = 50  # points in the text; JSON has all


def add(subparsers: Subparsers) -> None:
    parser = new_parser(subparsers, "fit", "LSLAG and LSLA parameters from profiled samples, with their fidelity.")
    parser.add_argument(
        "file", metavar="CSV", type=Path, help="columns gamma, S, t_w and t_NAME per measured element, such as t_k, t_1"
    )
    parser.add_argument("--unit", choices=units_of("time"), default="s", help="of all times in the file (default: s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the division into training and test")
    parser.add_argument(
        "--test-share",
        type=number,
        default=0.2,
        metavar="X",
        help="of the samples (default: 0.2, 72 of 360)",
    )
    add_picture(parser, "draw model and samples")
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    samples = load_samples(arguments.file, arguments.unit)
    report = evaluate(samples, seed=arguments.seed, test_share=float(arguments.test_share))
    if arguments.plot is not None:
        from ..plots.files import save
        from ..plots.lslag import meshes

        save("--plot", arguments.plot, f"LSLAG and LSLA: {arguments.file.name}", meshes(report))
    document = arguments.format == "json"
    write(json_text(_document(samples, report)) if document else _text(arguments.file, samples, report))
    return 0


# --- text


def _text(file: Path, samples: Samples, report: Report) -> str:
    gammas, sizes = sorted(set(samples.gamma)), sorted(set(samples.size))
    lines = [
        f"{file.name}: {len(samples)} samples at {len(report.points)} points, gamma {gammas[0]:g} .. {gammas[-1]:g}, "
        f"S {sizes[0]:g} .. {sizes[-1]:g}; {report.training} to fit, {report.test} to test (seed {report.seed})"
    ]
    if samples.negative:
        lines.append(f"in {samples.negative} samples the measured parts exceed t_w: the rest, t_c, is negative there")
    lines += ["", "t = (alpha / gamma + beta) * S", *_parameters(report)]
    lines += ["", "fidelity of t_w, Kendall's tau-b", *_fidelity(report)]
    lines += ["", "t_w at every point, mean of all samples, and errors of the models", *_points(report)]
    return "\n".join(lines)


def _parameters(report: Report) -> list[str]:
    rows = [
        (name.upper(), e.name, e.kind, f"{e.alpha:.6g}", f"{e.beta:.6g}")
        for name, fitted in report.models.items()
        for e in fitted.architecture.elements
    ]
    return _indented((("model", "element", "kind", "alpha, s per S", "beta, s per S"), *rows))


def _fidelity(report: Report) -> list[str]:
    rows = [
        (name.upper(), _tau(fitted.training_tau), _tau(fitted.test_tau), _tau(fitted.ceiling))
        for name, fitted in report.models.items()
    ]
    head = ("model", "training", "test", "test at most (equal predictions cannot be ordered)")
    return _indented((head, *rows))


def _points(report: Report) -> list[str]:
    shown = report.points if len(report.points) <= _SHOWN else _worst(report)
    rows = [
        (f"{p.gamma:g}", f"{p.size:g}", str(p.repeats), readable(p.measured_s, "s"), *(_percent(p, m) for m in MODELS))
        for p in shown
    ]
    lines = _indented((("gamma", "S", "samples", "t_w", *(model.upper() for model in MODELS)), *rows))
    if len(shown) < len(report.points):
        lines.append(f"  the {len(shown)} points of {len(report.points)} with the largest errors (all: -f json)")
    for model in MODELS:
        mean, worst = _errors(report, model)
        if mean is not None and worst is not None:
            lines.append(f"  {model.upper()}: mean error {100 * mean:.2f} %, largest {100 * worst:.2f} %")
    return lines


def _worst(report: Report) -> tuple[Point, ...]:
    return tuple(sorted(report.points, key=lambda point: -abs(point.error("lslag") or 0))[:_SHOWN])


def _errors(report: Report, model: Model) -> tuple[float | None, float | None]:
    """Mean and largest absolute error over the points."""
    errors = [abs(error) for point in report.points if (error := point.error(model)) is not None]
    return (sum(errors) / len(errors), max(errors)) if errors else (None, None)


def _indented(rows: tuple[tuple[str, ...], ...]) -> list[str]:
    return ["  " + line for line in aligned(rows)]


def _tau(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _percent(point: Point, model: Model) -> str:
    error = point.error(model)
    return "-" if error is None else f"{100 * error:+.2f} %"


# --- JSON


def _document(samples: Samples, report: Report) -> object:
    return {
        "samples": len(samples),
        "training": report.training,
        "test": report.test,
        "seed": report.seed,
        "negative_remainders": samples.negative,
        "models": {name: _model(report, name, fitted) for name, fitted in report.models.items()},
        "points": [
            {
                "gamma": point.gamma,
                "S": point.size,
                "samples": point.repeats,
                "measured_s": point.measured_s,
                "predicted_s": point.predicted_s,
                "relative_error": {model: point.error(model) for model in MODELS},
            }
            for point in report.points
        ],
    }


def _model(report: Report, name: Model, fitted: Fitted) -> object:
    mean, worst = _errors(report, name)
    elements = fitted.architecture.elements
    return {
        "elements": [
            {"name": e.name, "kind": e.kind, "alpha_s_per_size": e.alpha, "beta_s_per_size": e.beta} for e in elements
        ],
        "tau_b": {"training": fitted.training_tau, "test": fitted.test_tau, "ceiling": fitted.ceiling},
        "mean_relative_error": mean,
        "largest_relative_error": worst,
    }
