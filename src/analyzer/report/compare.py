"""What changed between two analyses: verdicts, likely times, loops that are new or gone.

Loops are known again by path and fingerprint, so that moving code is no change; a loop whose own code changed is known
by path, function and how-many-th loop of the function it is.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..base.amounts import factor, time
from ..ir.reasons import ReasonCode
from .cleaning import cleaned
from .document import Document, LoopEntry
from .paths import in_repository

NOTICED = 1.1
"""A likely time that changed by less than this factor is the same."""

ASKED = (
    "model", "assume", "strict_fp", "count_as", "min_speedup", "sizes", "defines", "undefines", "includes", "standard",
    "abi", "network", "ranks", "resident", "mapping", "cflags",
)  # fmt: skip
"""Options that change answers."""

Loops: TypeAlias = dict[tuple[str, str], LoopEntry]


class Comparison(Struct, frozen=True):
    """What to say of two documents, and the new one with all loops marked (`unlisted`) that are as they were."""

    text: str
    news: Document


def compared(old: Document, new: Document) -> Comparison:
    """The changes, one loop per line, and a last line that counts them.

    Example of a line: `a.c:12 in f(): host -> offload to h200 (4.1 ms -> 310 us, 13x faster)`."""
    old, new = cleaned(old), cleaned(new)
    before, after = _matched(old, new)
    lines = list(_differences(old, new))
    changes = {key: line for key in after if key in before and (line := _change(key[0], before[key], after[key]))}
    added = [f"new   {_place(key[0], loop)}: {_advice(loop)}" for key, loop in after.items() if key not in before]
    gone = [f"gone  {_place(key[0], loop)}: {_advice(loop)}" for key, loop in before.items() if key not in after]
    same = len(after) - len(added) - len(changes)
    lines += [*changes.values(), *added, *gone]
    lines.append(f"{len(changes)} changed, {len(added)} new, {len(gone)} gone, {same} the same")
    kept = {loop.id for key, loop in after.items() if key in before and key not in changes}
    return Comparison("\n".join(lines) + "\n", _without(new, kept))


def _without(document: Document, known: set[str]) -> Document:
    """The document with the loops marked that `known` names by id, and without diagnostics."""
    files = (
        replace(
            file,
            diagnostics=(),
            loops=tuple(replace(e, unlisted="baseline") if e.id in known else e for e in file.loops),
        )
        for file in document.files
    )
    return replace(document, files=tuple(files))


def _differences(old: Document, new: Document) -> Iterator[str]:
    """What was asked differently: then a change need not come from the code."""
    pairs = [
        ("host", old.host, new.host),
        ("target", ", ".join(old.targets), ", ".join(new.targets)),
        ("version", old.tool.version, new.tool.version),
        *((name.replace("_", "-"), getattr(old.options, name), getattr(new.options, name)) for name in ASKED),
    ]
    for name, before, after in pairs:
        if before != after:
            yield f"note: {name} was {_shown(before)}, is {_shown(after)}"
    for device in sorted(old.devices.keys() & new.devices.keys()):
        if old.devices[device] != new.devices[device]:
            yield f"note: the figures of {device} are not the same"


def _shown(value: object) -> str:
    return (", ".join(map(str, value)) if isinstance(value, tuple) else str(value)) or "none"


def _matched(old: Document, new: Document) -> tuple[Loops, Loops]:
    """The loops of both by a key that is equal for the same loop: by fingerprint, else by order in the function."""
    before, after = _by_fingerprint(old), _by_fingerprint(new)
    common = before.keys() & after.keys()
    rest_before, rest_after = (_by_order(loops, common) for loops in (before, after))
    return (
        {**{key: before[key] for key in before if key in common}, **rest_before},
        {**{key: after[key] for key in after if key in common}, **rest_after},
    )


def _by_fingerprint(document: Document) -> Loops:
    """By the path in the repository: the two may have been made in different directories."""
    places = ((in_repository(document, file.path), loop) for file in document.files for loop in file.loops)
    return {(path, loop.fingerprint or loop.id): loop for path, loop in places}


def _by_order(loops: Loops, matched: set[tuple[str, str]]) -> Loops:
    """The loops that are not `matched`, by function and the how-many-th of the unmatched ones there."""
    seen: Counter[tuple[str, str]] = Counter()
    found = {}
    for (path, key), loop in loops.items():
        if (path, key) not in matched:
            seen[path, loop.function] += 1
            found[path, f"{loop.function}() {seen[path, loop.function]}"] = loop
    return found


def _change(path: str, old: LoopEntry, new: LoopEntry) -> str | None:
    advice = [_advice(loop) for loop in (old, new)]
    parallel = f"parallel {old.parallel} -> {new.parallel}" if old.parallel != new.parallel else ""
    times = "" if new.recommendation.reason.code == ReasonCode.PARENT_BETTER else _times(old, new)  # said of that one
    if advice[0] == advice[1] and not times and not parallel:
        return None
    said = advice[1] if advice[0] == advice[1] else " -> ".join(advice)
    more = ", ".join(part for part in (parallel, times) if part)
    return f"{_place(path, new)}: {said}" + (f" ({more})" if more else "")


def _advice(loop: LoopEntry) -> str:
    r = loop.recommendation
    if r.verdict == "offload":
        return f"offload to {r.device}"
    return f"{r.verdict} [{r.reason.code}]"


def _place(path: str, loop: LoopEntry) -> str:
    return f"{path}:{loop.line} in {loop.function}()"


def _times(old: LoopEntry, new: LoopEntry) -> str:
    """The likely time where the advice puts the loop, if it is known in both and differs."""
    before, after = _likely(old), _likely(new)
    if before is None or after is None or min(before, after) <= 0:
        return ""
    ratio = before / after
    if 1 / NOTICED < ratio < NOTICED:
        return ""
    gain = f"{factor(ratio)} faster" if ratio > 1 else f"{factor(1 / ratio)} slower"
    return f"{time(before)} -> {time(after)}, {gain}"


def _likely(loop: LoopEntry) -> float | None:
    r = loop.recommendation
    there = loop.advised if r.verdict in ("offload", "host-parallel") else loop.prediction("host")
    return float(there.time_s.likely) if there is not None and there.time_s is not None else None
