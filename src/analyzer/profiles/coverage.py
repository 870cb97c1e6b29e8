"""Coverage: the share of the run's time that each loop had.

A block is an outermost loop; where that is not parallel, the loops inside it, and so on. Times by line (perf with
`srcline`) are those of the block around the line; outside of blocks, of the innermost loop around it. Times by
function (gprof, perf without lines) are shared by its loops in proportion to `work`, where that is known of all of
them; else they are those of its only nest, or of nobody: a loop that no model can time may be the one that takes it
all. Without times, as with gcov alone, the shares are those of `work` among all blocks, an estimate.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from msgspec import Struct

from ..base.errors import InputError
from ..report.blocks import blocks
from ..report.document import FileEntry, LoopEntry
from ..report.wording import timed
from .model import Profile, Sample

MOST_NAMES = 3


class Coverage(Struct, frozen=True):
    """Shares of the time of the program, 0 to 1, by loop id; `functions`: those of which nobody knows whose loop's they
    are, by path and name; `measured`: by a profile of times."""

    loops: Mapping[str, float]
    functions: Mapping[tuple[str, str], float]
    measured: bool


def work(loop: LoopEntry) -> float:
    """Predicted seconds on the host of all entries of a loop; 0 where they are not known."""
    host = next((p for p in timed(loop) if p.candidate == "host"), None)
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
    """The shares of all loops of the files."""
    if not profile.samples:
        estimated = {loop.id: work(loop) for file in files for loop in blocks(file.loops)}
        total = sum(estimated.values())
        return Coverage({key: part / total for key, part in estimated.items() if total}, {}, False)
    by_loop: dict[str, float] = defaultdict(float)
    by_function: dict[tuple[str, str], float] = defaultdict(float)
    for file in files:
        own = {block.id for block in blocks(file.loops)}
        for sample in profile.samples:
            shares = _shared(sample, file, own)
            for key, share in shares.items():
                by_loop[key] += share
            if not shares and not sample.line and any(loop.function == sample.function for loop in file.loops):
                by_function[file.path, sample.function] += sample.share
    return Coverage(by_loop, by_function, True)


def _shared(sample: Sample, file: FileEntry, own: Set[str]) -> dict[str, float]:
    """The loops of a file that the time of one sample belongs to; `own`: its blocks. A line is what counts where it is
    known: at -O2 the function is often one that this one was inlined into."""
    if sample.line:
        if _name(file.path) != _name(sample.file):
            return {}
        around = [loop for loop in file.loops if loop.line <= sample.line <= max(loop.end_line, loop.line)]
        found = next((loop for loop in around if loop.id in own), None) or max(around, key=_depth, default=None)
        return {} if found is None else {found.id: sample.share}
    return _of_function([loop for loop in file.loops if loop.function == sample.function], own, sample.share)


def _depth(loop: LoopEntry) -> int:
    return loop.depth


def _of_function(loops: Sequence[LoopEntry], own: Set[str], share: float) -> dict[str, float]:
    """The time of a function shared by its blocks, and by the nests around them for what these do besides."""
    nests = [loop for loop in loops if loop.parent is None]
    if len(nests) == 1 and nests[0].id in own:
        return {nests[0].id: share}
    known = all(work(loop) for loop in loops if loop.id in own or loop.parent is None)
    if not known:
        return {nests[0].id: share} if len(nests) == 1 else {}
    parts = {loop.id: work(loop) for loop in loops if loop.id in own}
    for nest in nests:
        if nest.id not in own:
            parts[nest.id] = max(work(nest) - sum(parts[i] for i in nest.nest if i in parts), 0.0)
    total = sum(parts.values())
    return {key: share * part / total for key, part in parts.items() if part} if total else {}


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
