"""What the whole application gains: coverage and speedup of each idiom, the best device of each block, Amdahl.

PMaC paper, section VII.B (`advise.projection`). Times are those of the chosen model, transfers included, where the
paper leaves them out. *Does not handle* transfers that several blocks share: placement does.
"""

from collections.abc import Iterable, Mapping

from ..advise.projection import projected
from .document import BlockEntry, FunctionShare, IdiomGain, LoopEntry, ProjectionEntry

PLACES = {"host-threads": "all threads", "host-vector": "vectors"}
"""Names of places on the host; any other candidate is called by its device."""

STAYS = "host"
NO_IDIOM = "none"


def projection(
    loops: Iterable[LoopEntry],
    shares: Mapping[str, float],
    functions: Mapping[tuple[str, str], float] = {},
    *,
    measured: bool,
) -> ProjectionEntry:
    """The projection over the loops that have a share of the time; those without a time stay as they are, and so do
    `functions` (by path and name) of which nobody knows whose loop's the time is."""
    found = [_block(loop, shares[loop.id]) for loop in loops if shares.get(loop.id, 0) > 0]
    unshared = (FunctionShare(path, function, share) for (path, function), share in functions.items() if share > 0)
    result = projected((b.coverage, b.speedup) for b in found)
    return ProjectionEntry(
        measured=measured,
        covered=result.limit,
        blocks=tuple(sorted(found, key=lambda b: (-b.coverage, b.loop))),
        idioms=_idioms(found),
        remaining=result.remaining,
        speedup=result.speedup if result.remaining else None,
        functions=tuple(sorted(unshared, key=lambda f: (-f.coverage, f.path, f.function))) or None,
    )


def _block(loop: LoopEntry, share: float) -> BlockEntry:
    host = loop.prediction("host")
    speedups: dict[str, float | int] = {}
    if host is not None and host.time_s is not None:
        for p in loop.predictions:
            if p is not host and p.time_s is not None and p.time_s.likely > 0 and p.candidate != "host":
                name = PLACES.get(p.candidate, p.device)
                speedups[name] = max(speedups.get(name, 0.0), host.time_s.likely / p.time_s.likely)
    best = max(speedups, key=lambda name: speedups[name], default=STAYS)
    if best == STAYS or speedups[best] <= 1:
        best = STAYS
    idiom = loop.idioms[0].idiom if loop.idioms else NO_IDIOM
    return BlockEntry(loop.id, idiom, share, best, speedups.get(best, 1.0), speedups)


def _idioms(found: list[BlockEntry]) -> tuple[IdiomGain, ...]:
    """Coverage by idiom, and its time on the host over that with a device; blocks without a time there stay."""
    gains = []
    for idiom in dict.fromkeys(b.idiom for b in found):
        mine = [b for b in found if b.idiom == idiom]
        covered = sum(b.coverage for b in mine)
        devices = dict.fromkeys(name for b in mine for name in b.speedups)
        speedups = {name: covered / sum(b.coverage / b.speedups.get(name, 1.0) for b in mine) for name in devices}
        gains.append(IdiomGain(idiom, len(mine), covered, speedups))
    return tuple(sorted(gains, key=lambda g: -g.coverage))
