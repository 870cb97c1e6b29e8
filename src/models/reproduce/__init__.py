"""The published tables and numbers of the five documents, recomputed by the shipped models from shipped data.

One module per paper gives `Line`s, published beside computed; `inputs` has the printed figures that no model computes,
`missing` says what cannot be recomputed and why, `errata` where the papers contradict themselves.
"""

from collections.abc import Iterable
from importlib import import_module

from ..errors import InputError
from ..figures import suggestion
from ..published import tables
from .inputs import inputs
from .line import Line

PAPERS: dict[str, str] = {
    "boat-hull": "Nugteren, Corporaal: The Boat Hull Model (2012)",
    "perdome": "Tang, Hu, Barrett: PerDome",
    "pmac": "Meswani et al.: Performance of HPC Applications on Hardware Accelerators (PMaC idioms)",
    "lslag": "Payvar et al.: Extending Architecture Modeling for Signal Processing towards GPUs (2019)",
    "communication": "Cardwell: Performance Models for Distributed-Memory Systems and DNNs (2019), chapter 2",
    "dnn": "Cardwell: Performance Models for Distributed-Memory Systems and DNNs (2019), chapter 3",
}

__all__ = ["PAPERS", "Line", "errata", "lines", "missing"]


def lines(papers: Iterable[str] = PAPERS) -> tuple[Line, ...]:
    """All lines of the papers: what is computed in the order of the papers' tables, then the inputs. InputError for a
    paper that is not in `PAPERS`.

    Example: `lines(["dnn"])[0].published` is 143, the predicted us of fc1 with batch 32 on Carbonate."""
    found: list[Line] = []
    for paper in papers:
        if paper not in PAPERS:
            raise InputError(f"unknown paper {paper!r}{suggestion(paper, PAPERS)}")
        found.extend(import_module(f".{paper.replace('-', '_')}", __name__).lines())
        found.extend(inputs(paper))
    return tuple(found)


def errata(papers: Iterable[str] = PAPERS) -> tuple[tuple[str, str, str, str], ...]:
    """(paper, where, what is printed there, what is taken instead) of the papers' contradictions."""
    wanted = set(papers)
    rows = tables("errata")["errata"].rows
    return tuple((row["paper"], row["where"], row["printed"], row["instead"]) for row in rows if row["paper"] in wanted)


def missing(papers: Iterable[str] = PAPERS) -> tuple[tuple[str, str, str], ...]:
    """(paper, what, why) of what cannot be recomputed."""
    wanted = set(papers)
    rows = tables("not_reproduced")["missing"].rows
    return tuple((row["paper"], row["what"], row["why"]) for row in rows if row["paper"] in wanted)
