"""`boathull reproduce`: published tables recomputed, published beside computed, and what cannot be recomputed."""

import argparse
from collections.abc import Iterable, Sequence
from itertools import groupby

from ..reproduce import PAPERS, Line, errata, lines, missing
from ..tables import aligned
from . import Subparsers, new_parser
from .arguments import json_text, write

HEAD = ("row", "quantity", "unit", "published", "computed", "difference", "%", "note")


def add(subparsers: Subparsers) -> None:
    parser = new_parser(subparsers, "reproduce", "The papers' tables and numbers, recomputed by the shipped models.")
    papers = ", ".join(PAPERS)
    parser.add_argument("paper", metavar="PAPER", nargs="*", help=f"of {papers}; default: all")
    parser.add_argument("-f", "--format", choices=("text", "json", "markdown"), default="text")


def run(arguments: argparse.Namespace) -> int:
    papers = tuple(arguments.paper) or tuple(PAPERS)
    found = lines(papers)
    match arguments.format:
        case "json":
            write(json_text([line_document(line) for line in found]))
        case "markdown":
            write(markdown(papers, found))
        case _:
            write(plain(papers, found))
    return 0


def line_document(line: Line) -> dict[str, object]:
    """A line as JSON; `difference` is computed - published in `unit`; null where there is none."""
    return {
        "paper": line.paper,
        "table": line.table,
        "row": line.row,
        "quantity": line.quantity,
        "unit": line.unit,
        "published": line.published,
        "computed": line.computed,
        "difference": line.difference,
        "note": line.note,
    }


def plain(papers: Iterable[str], found: Sequence[Line]) -> str:
    parts = []
    for paper in papers:
        parts.append(f"{paper}: {PAPERS[paper]}")
        for table, rows in _by_table(paper, found):
            parts.append("\n".join((table, *("  " + text for text in aligned((HEAD, *map(_cells, rows)))))))
        wrong = aligned((("where", "printed", "instead"), *(row[1:] for row in errata([paper]))))
        parts.append("\n".join(("errata", *("  " + text for text in wrong))))
        absent = [f"  {what}: {why}" for _, what, why in missing([paper])]
        parts.append("\n".join(("not reproduced", *absent)))
    parts.append(_summary(found))
    return "\n\n".join(parts)


def markdown(papers: Iterable[str], found: Sequence[Line]) -> str:
    """The page `docs/reproduced.md`."""
    parts = [
        "# Published figures, recomputed",
        "Every table and number of the five documents that can be computed, by the shipped models from shipped data. "
        "This page is what `boathull reproduce -f markdown` writes. Where there is no published figure the paper only "
        "draws it or leaves it to a formula; where there is no computed one it is an input or cannot be computed, and "
        "the note says which. The difference is computed minus published, % relative to the published "
        "figure (empty for percentages).",
        _summary(found),
    ]
    for paper in papers:
        parts.append(f"## {PAPERS[paper]}")
        for table, rows in _by_table(paper, found):
            grid = [HEAD, ("---",) * len(HEAD), *map(_cells, rows)]
            parts.append("\n".join((f"### {table}", "", *(f"| {' | '.join(map(_escaped, row))} |" for row in grid))))
        grid = [("where", "printed", "instead"), ("---",) * 3, *(row[1:] for row in errata([paper]))]
        parts.append("\n".join(("### Errata", "", *(f"| {' | '.join(map(_escaped, row))} |" for row in grid))))
        parts.append("\n".join(("### Not reproduced", "", *(f"- {what}: {why}." for _, what, why in missing([paper])))))
    return "\n\n".join(parts)


def _summary(found: Sequence[Line]) -> str:
    computed = [line for line in found if line.computed is not None]
    published = [line for line in computed if line.published is not None]
    agree = sum(line.agrees for line in published)
    return (
        f"{len(computed)} figures computed; {len(published)} of them are published, {agree} of these are met within "
        "1 % (percentages: within half a point). The notes say why others are not. "
        f"{len(found) - len(computed)} printed figures are not computed: inputs, and what lacks its data."
    )


def _by_table(paper: str, found: Sequence[Line]) -> Iterable[tuple[str, list[Line]]]:
    own = [line for line in found if line.paper == paper]
    order = list(dict.fromkeys(line.table for line in own))
    for table, rows in groupby(sorted(own, key=lambda line: order.index(line.table)), key=lambda line: line.table):
        yield table, list(rows)


def _cells(line: Line) -> tuple[str, ...]:
    percent = "" if line.percent is None else _rounded(f"{line.percent:.2f}")
    numbers = (_number(line.published), _number(line.computed), _number(line.difference), percent)
    return (line.row, line.quantity, line.unit, *numbers, line.note)


def _number(value: float | None) -> str:
    """Whole numbers in full, others with five digits; rounding errors of a zero difference are 0."""
    if value is None:
        return ""
    nearest = round(value)
    return str(nearest) if abs(value - nearest) < 1e-9 * max(1, abs(value)) else f"{value:.5g}"


def _rounded(text: str) -> str:
    return "0.00" if text == "-0.00" else text


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
