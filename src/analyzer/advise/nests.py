"""Which level of a nest to move: the one with the least predicted time for the whole nest.

For a loop worth moving, its time elsewhere stands against that of its children, each at its own best place, with what
the loop does besides them left on the host. The loser says `children-better`, or `parent-better` for everything inside
a loop that moves as a whole.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..facts.loop import LoopFacts
from ..ir.reasons import ReasonCode
from .recommendation import Recommendation

MOVES = ("offload", "host-parallel")


class Level(Struct, frozen=True):
    """One loop of a nest: its recommendation taken alone, and likely times of all its entries in seconds, on the host
    and where the recommendation puts it (None: not known)."""

    loop: LoopFacts
    alone: Recommendation
    host_s: float | None
    moved_s: float | None


def weigh(levels: Mapping[str, Level]) -> dict[str, Recommendation]:
    """The recommendations of all loops of a function, weighed against those of the loops around and inside."""
    children: dict[str | None, list[str]] = {}
    for key, level in levels.items():
        children.setdefault(level.loop.parent, []).append(key)
    decided: dict[str, Recommendation] = {key: level.alone for key, level in levels.items()}

    def settle(key: str) -> tuple[float | None, bool]:
        """The best time for everything in a loop, and whether anything in it moves; decides those inside."""
        level = levels[key]
        inner = [settle(child) for child in children.get(key, ())]
        any_moves = any(moves for _, moves in inner)
        apart = _apart(level, [levels[c] for c in children.get(key, ())], [t for t, _ in inner])
        if level.alone.verdict in MOVES and level.moved_s is not None:
            if not any_moves or apart is None or level.moved_s <= apart:
                for child in _inside(key, children):
                    decided[child] = _with_parent(decided[child], level)
                return level.moved_s, True
            decided[key] = _with_children(level)
            return apart, True
        if any_moves and level.alone.verdict in ("host", "cannot-model"):
            decided[key] = _with_children(level)
            return apart if apart is not None else level.host_s, True
        return level.host_s, any_moves

    for root in children.get(None, ()):
        settle(root)
    return decided


def _apart(level: Level, children: list[Level], best: list[float | None]) -> float | None:
    """The time with the loop itself on the host and each child at its best place."""
    if level.host_s is None or any(t is None for t in best) or any(c.host_s is None for c in children):
        return None
    own = level.host_s - sum(c.host_s for c in children if c.host_s is not None)
    return max(own, 0.0) + sum(t for t in best if t is not None)


def _inside(key: str, children: Mapping[str | None, list[str]]) -> list[str]:
    found: list[str] = []
    for child in children.get(key, ()):
        found += [child, *_inside(child, children)]
    return found


def _with_parent(own: Recommendation, parent: Level) -> Recommendation:
    message = f"it runs inside the loop of line {parent.loop.place.line}, which moves as a whole"
    return Recommendation("host", ReasonCode.PARENT_BETTER, message, own.device, own.candidate, own.speedup)


def _with_children(level: Level) -> Recommendation:
    blocked = level.alone.verdict in ("host", "cannot-model")
    why = f"this loop does not move ({level.alone.code})" if blocked else "that is faster than moving all of it"
    return replace(level.alone, verdict="host", code=ReasonCode.CHILDREN_BETTER, message=f"move loops inside it: {why}")
