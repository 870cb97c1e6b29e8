"""Reading profiles: the format is told from the content, and several files are one profile.

Counts of gcov add up, as those of several runs and units do. Times come from one kind of tool: of several files each
stands for an equal part of the whole.
"""

from collections.abc import Sequence
from pathlib import Path

from ..base.errors import InputError
from . import gcov, gprof, perf
from .model import Profile, Sample, SourceCounts

MOST_HEAD = 1 << 16
"""Characters in which a profile has said what it is."""
KNOWN = "gcov -b --json-format, perf report --stdio -t, and gprof -b -p are understood"


def read_profiles(names: Sequence[str]) -> Profile | None:
    """One profile of all files (in folders: those that are profiles); None for no names. InputError for what cannot
    be read, or is of no known format."""
    paths = [path for name in names for path in _files(name)]
    if not paths:
        return None
    sources: dict[str, SourceCounts] = {}
    timed: list[tuple[Sample, ...]] = []
    seconds: list[float] = []
    made = []
    for path in paths:
        try:
            content = path.read_bytes()
            made.append(path.stat().st_mtime)
        except OSError as error:
            raise InputError(f"--profile {path}: cannot be read ({error.strerror})") from None
        if gcov.is_gcov(path, content[:2]):
            for source in gcov.read(path, content):
                known = sources.get(source.path)
                sources[source.path] = source if known is None else gcov.merged(known, source)
            continue
        text = content.decode("utf-8", "replace")
        if perf.is_perf(text):
            timed.append(perf.read(path, text))
        elif gprof.is_gprof(text):
            samples, total = gprof.read(path, text)
            timed.append(samples)
            seconds.append(total)
        else:
            raise InputError(f"--profile {path}: unknown format; {KNOWN}")
    shares = tuple(Sample(s.function, s.share / len(timed), s.file, s.line) for part in timed for s in part)
    total_s = sum(seconds) if seconds and len(seconds) == len(timed) else None
    return Profile(tuple(names), min(made), tuple(sources.values()), shares, total_s)


def _files(name: str) -> list[Path]:
    path = Path(name)
    if not path.is_dir():
        return [path]
    found = sorted(inside for inside in path.rglob("*") if _is_profile(inside))
    if not found:
        wanted = ".gcov.json.gz, or .csv and .txt of perf or gprof"
        raise InputError(f"--profile {name}: no profile in this folder ({wanted}); {gcov.REFRESH}")
    return found


def _is_profile(path: Path) -> bool:
    """In a folder, where other files are to be expected."""
    if gcov.is_gcov(path, b""):
        return True
    if path.suffix not in (".csv", ".txt") or not path.is_file():
        return False
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(MOST_HEAD)
    except OSError:
        return False
    return perf.is_perf(head) or gprof.is_gprof(head)
