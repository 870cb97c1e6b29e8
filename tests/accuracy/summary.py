"""What docs/accuracy.md says of times, made of the data: the weakest result opens the page, tables follow.

The page has two places for it, between comments that say so; everything around is written by hand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from .choices import Judged, judged
from .join import Compared, Statistics, statistics
from .joined import Joined

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
WITHIN, RIGHT = 1.6, 0.95
"""The goals: nine of ten times within this factor, this share of the choices right."""
_PLACE = r"(<!-- {name}: made by python -m tests\.accuracy -->\n).*?(<!-- end -->)"
PARTS = {"judge": "own kernels, judged", "PolyBench": "PolyBench/C 4.2.1, large"}


class Result(Struct, frozen=True):
    """Times of one kind: what, where it is written down, and how they came out."""

    name: str
    page: str
    of: Statistics

    @property
    def shortfall(self) -> float:
        """How many times farther off nine of ten are than wanted."""
        return self.of.ninety / WITHIN


class Decisions(Struct, frozen=True):
    name: str
    page: str
    of: Judged

    @property
    def shortfall(self) -> float:
        """How many times as many are wrong as may be."""
        return (1 - self.of.right) / (1 - RIGHT)


def results(machines: Sequence[Joined], published: Iterable[Compared]) -> Iterator[Result]:
    """Of all that was not tuned on."""
    for m in machines:
        for what, everything in (("one thread", m.found), ("all threads", [c for _, c in m.ways])):
            for part, name in PARTS.items():
                if own := [c for c in everything if c.part == part]:
                    yield Result(f"{name}, {what}, {m.name}", "accuracy.md", statistics(own))
    if own := [c for c in published if c.part == "judge"]:
        yield Result("published times of GPUs, judged", "published.md", statistics(own))


def decisions(machines: Sequence[Joined]) -> Iterator[Decisions]:
    for m in machines:
        for part, name in PARTS.items():
            if own := [c for c, _ in m.ways if c.part == part]:
                yield Decisions(f"{name}, {m.name}", "accuracy.md", judged(own))


def weakest(found: Iterable[Result | Decisions]) -> str:
    """The sentence that the page opens with."""
    worst = max(found, key=lambda r: r.shortfall)
    link = f"[validation/{worst.page}](../validation/{worst.page})"
    match worst:
        case Result(of=s):
            said = f"nine of ten are within a factor of {s.ninety:.2f} (wanted {WITHIN:g}), half within {s.factor:.2f}"
        case Decisions(of=j):
            ways = "one thread, vectors or all threads"
            said = f"{ways}: {j.right:.0%} of {j.number} choices are right (wanted {RIGHT:.0%})"
    return f"**The weakest result of what was measured: {worst.name}.** Of these, {said} ({link})."


def tables(times: Iterable[Result], chosen: Iterable[Decisions]) -> str:
    """Markdown."""
    lines = [
        "| times | measured | median error factor | 90 % within | within 1.6 | inside the range | Kendall's tau |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for r in times:
        s = r.of
        shares = f"{s.factor:.2f} | {s.ninety:.2f} | {s.within:.0%} | {s.inside:.0%} | {s.tau:.2f}"
        lines.append(f"| [{r.name}](../validation/{r.page}) | {s.number} | {shares} |")
    lines += [
        "",
        "| one thread, vectors or all threads | choices | right | regret | gain on all threads, median error factor |",
        "| --- | --- | --- | --- | --- |",
    ]
    for d in chosen:
        j = d.of
        shares = f"{j.right:.1%} | {j.regret:.1%} | {j.gain:.2f}"
        lines.append(f"| [{d.name}](../validation/{d.page}) | {j.number} | {shares} |")
    return "\n".join(lines)


def written(text: str, times: list[Result], chosen: list[Decisions]) -> str:
    """The page with both places filled anew. ValueError where it lacks one."""
    for name, said in (("weakest", weakest((*times, *chosen))), ("times", tables(times, chosen))):
        text, number = re.subn(
            _PLACE.format(name=name), lambda m, said=said: f"{m[1]}{said}\n{m[2]}", text, flags=re.DOTALL
        )
        if number != 1:
            raise ValueError(f"{PAGE.name}: {number} places for {name!r}")
    return text
