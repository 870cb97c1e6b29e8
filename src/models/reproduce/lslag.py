"""Tables II and III of the LSLAG paper, as far as they can be computed without its samples."""

from collections.abc import Iterator

from ..lslag.architecture import printed
from ..lslag.fidelity import ceiling
from ..published import tables
from .line import Line

PAPER = "lslag"
MOST_PARALLEL, LEAST_PARALLEL = 256, 8
PARTS = {"k": "t_k", "c": "t_c", "1": "t_1"}


def lines() -> Iterator[Line]:
    yield from _protocol()
    yield from _work_sizes()
    yield from _parts()
    yield from _fidelity()


def _protocol() -> Iterator[Line]:
    value = {row["of"]: row["value"] for row in tables("lslag")["protocol"].rows}
    sizes, gammas = (_powers_of_two(value[f"smallest {of}"], value[f"largest {of}"]) for of in ("S", "gamma"))
    samples = sizes * gammas * value["repeats"]
    yield Line(PAPER, "§VI, protocol", "samples", "per application", "1", value["samples"], samples)
    together = value["training samples"] + value["test samples"]
    yield Line(PAPER, "§VI, protocol", "samples", "training and test", "1", value["samples"], together)


def _work_sizes() -> Iterator[Line]:
    for row in tables("lslag")["work_size"].rows:
        for gamma in (LEAST_PARALLEL, MOST_PARALLEL):
            name, size = f"{row['application']}, gamma {gamma}", row["per_gamma"] * gamma
            note = f"{row['per_gamma']} · gamma, as printed"
            yield Line(PAPER, "§VI, protocol", name, "global work size", "1", None, size, note)


def _powers_of_two(first: float, last: float) -> int:
    """How many there are from the first to the last, both counted."""
    return int(last / first).bit_length()


def _parts() -> Iterator[Line]:
    """t_x / S at both ends of gamma: what dominates."""
    note = "alpha / gamma + beta"
    for row in tables("lslag")["parameters"].rows:
        architecture = printed(row["id"])
        for gamma in (LEAST_PARALLEL, MOST_PARALLEL):
            for element, name in PARTS.items():
                computed = architecture.element(element).time(gamma, 1)
                said = "the text has communication dominate B2; its parameters say the kernel does"
                remark = said if row["id"] == "B2" and element == "k" else note
                yield Line(PAPER, "Table II", f"{row['id']}, gamma {gamma}", f"{name} / S", "1", None, computed, remark)


def _fidelity() -> Iterator[Line]:
    data = tables("lslag")
    means = {
        model: sum(row[model] for row in data["fidelity"].rows) / len(data["fidelity"].rows)
        for model in ("lslag", "lsla")
    }
    published = data["mean_fidelity"].rows[0]["lslag"]
    note = "mean of Table III; 93 % is printed, cut off"
    yield Line(PAPER, "Table III", "mean", "fidelity of LSLAG", "%", published, 100 * means["lslag"], note)
    yield Line(PAPER, "Table III", "mean", "fidelity of LSLA", "%", None, 100 * means["lsla"], "mean of Table III")
    test = {row["of"]: row["value"] for row in data["protocol"].rows}["test samples"]
    groups = [index % 6 for index in range(int(test))]
    measured = [float(group * test + index) for index, group in enumerate(groups)]
    most = ceiling(groups, measured)
    assert most is not None
    note = "one prediction per S: the most that LSLA can reach on 72 samples of six S, while .92 is printed for B2, M3"
    yield Line(PAPER, "Table III", "LSLA, B2 and M3", "ceiling of tau-b", "1", 0.92, most, note)
