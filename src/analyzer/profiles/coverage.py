"""Coverage: the share of the run's time that each block of loops had.

A block is an outermost loop; where that is not parallel, the loops inside it, and so on. Times by line (perf with
`srcline`) are those of the block around the line. Times by function (gprof, perf without lines) are shared by the
function's blocks in proportion to `work`; a function with one block gives it all its time. Without times, as with gcov
alone, the shares are those of `work` among all blocks, an estimate.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..base.errors import InputError
from ..report.document import FileEntry, LoopEntry
from .model import Profile, Sample

MOST_NAMES = 3


class Coverage(Struct, frozen=True):
    """Shares of the time of the program, 0 to 1, by loop id; `measured`: by a profile of times."""

    loops: Mapping[str, float]
    measured: bool


def blocks(loops: Sequence[LoopEntry]) -> Iterator[LoopEntry]:
    """The blocks of one file: the outermost loops that are parallel, and loops without others inside."""
    children: dict[str | None, list[LoopEntry]] = {}
    for loop in loops:
        children.setdefault(loop.parent, []).append(loop)
    waiting = list(children.get(None, ()))
    while waiting:
        loop = waiting.pop(0)
        inside = children.get(loop.id, [])
        if loop.is_parallel or not inside:
            yield loop
        else:
            waiting = inside + waiting


def work(loop: LoopEntry) -> float:
    """Predicted seconds on the host of all entries of a loop; 0 where they are not known."""
    host = loop.prediction("host")
    if host is None or host.time_s is None:
        return 0.0
    entries = loop.executions.value if loop.executions is not None else None
    if loop.profile is not None and loop.profile.entries is not None:
        entries = loop.profile.entries
    return host.time_s.likely * float(entries or 0)


def refuse_foreign(profile: Profile, files: Sequence[FileEntry]) -> None:
    """InputError where a profile is of none of the files: it would say nothing, and nobody would know."""
    functions = {loop.function for file in files for loop in file.loops}
    counted = any(profile.of(file.path) is not None for file in files)
    if not counted and not any(s.function in functions for s in profile.samples):
        about = sorted({s.path for s in profile.sources} or {f"{s.function}()" for s in profile.samples})
        shown = ", ".join(about[:MOST_NAMES]) + (", ..." if len(about) > MOST_NAMES else "")
        raise InputError(f"--profile {', '.join(profile.names)}: it is of other code than what is analysed: {shown}")


def coverage(profile: Profile, files: Sequence[FileEntry]) -> Coverage:
    """The shares of all blocks of the files."""
    if not profile.samples:
        estimated = {loop.id: work(loop) for file in files for loop in blocks(file.loops)}
        total = sum(estimated.values())
        return Coverage({key: part / total for key, part in estimated.items() if total}, False)
    by_loop: dict[str, float] = {}
    for file in files:
        found = list(blocks(file.loops))
        for sample in profile.samples:
            for key, share in _shared(sample, file.path, found).items():
                by_loop[key] = by_loop.get(key, 0.0) + share
    return Coverage(by_loop, True)


def _shared(sample: Sample, path: str, found: Sequence[LoopEntry]) -> dict[str, float]:
    """The blocks of a file that the time of one sample belongs to. A line is what counts where it is known: at -O2 the
    function is often one that this one was inlined into."""
    if sample.line:
        if _name(path) != _name(sample.file):
            return {}
        around = [loop for loop in found if loop.line <= sample.line <= max(loop.end_line, loop.line)]
        return {around[0].id: sample.share} if around else {}
    mine = [loop for loop in found if loop.function == sample.function]
    if len(mine) == 1:
        return {mine[0].id: sample.share}
    total = sum(map(work, mine))
    return {loop.id: sample.share * work(loop) / total for loop in mine} if total else {}


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
