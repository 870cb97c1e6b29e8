"""Whether a profile is of the source as it is now: a profile of other code is refused, with the way to refresh it.

Signs that it is not: the source was changed after the profile was made; a line that was executed is no longer there, is
blank or a comment; a function stands elsewhere.
"""

import os
from collections.abc import Mapping

from ..base.errors import InputError
from . import gcov, gprof, perf
from .model import Profile, SourceCounts


def refuse_stale(profile: Profile, path: str, on_disk: str, text: str, functions: Mapping[str, int]) -> None:
    """InputError where the profile cannot be of the source `text` that reports call `path`.

    `on_disk`: where it lies; `functions`: the line on which each function is named."""
    counts = profile.of(path)
    if counts is None and not any(s.function in functions for s in profile.samples):
        return
    refresh = gcov.REFRESH if counts is not None else f"{perf.REFRESH}, or {gprof.REFRESH}"
    why = _newer(profile, on_disk) or (_moved(counts, text, functions) if counts is not None else None)
    if why is not None:
        raise InputError(f"--profile {', '.join(profile.names)}: stale for {path}: {why}; to refresh it {refresh}")


def _newer(profile: Profile, on_disk: str) -> str | None:
    try:
        changed = os.stat(on_disk).st_mtime
    except OSError:
        return None
    return "the source was changed after the profile was made" if changed > profile.made else None


def _moved(counts: SourceCounts, text: str, functions: Mapping[str, int]) -> str | None:
    lines = text.splitlines()
    for number in sorted(counts.lines):
        if number > len(lines):
            return f"line {number} was executed, and the source ends at line {len(lines)}"
        code = lines[number - 1].strip()
        if not code or code.startswith("//"):
            return f"line {number} was executed, and there is no code on it"
    for name, (start, _) in counts.functions.items():
        if name in functions and functions[name] != start:
            return f"{name}() was in line {start} and is in line {functions[name]}"
    if counts.functions and functions and not counts.functions.keys() & functions.keys():
        return "none of its functions is in the source"
    return None
