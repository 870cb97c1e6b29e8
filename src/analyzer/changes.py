"""Which lines of a working copy changed: asked of git, which runs nothing that the repository configures.

Lines are those of the new side: of the files on disk, or of the index. A place where lines were only taken away counts
as the two lines around it.
"""

import ast
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from .errors import InputError

Lines: TypeAlias = tuple[tuple[int, int], ...]
"""First and last line of each changed stretch, in order."""

WHOLE: Lines = ((1, 2**31),)

_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
# A repository's own configuration could name programs to run at these places.
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "diff.external=")
_DIFF = ("diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/")


def changed_since(start: Path, ref: str) -> Mapping[str, Lines]:
    """Lines by path (from the top of the repository) that differ between `ref` and the files on disk; files that git
    does not know are changed as a whole. InputError outside of a repository and for a ref that does not exist."""
    _refuse_options(ref)
    found = dict(hunks(_git(start, *_DIFF, ref, "--")))
    unknown = _git(start, "ls-files", "--others", "--exclude-standard", "--full-name", "-z").split("\0")
    return found | {path: WHOLE for path in unknown if path}


def changed_between(start: Path, before: str, after: str) -> Mapping[str, Lines]:
    """Lines by path that differ between two commits, as the second has them."""
    _refuse_options(before)
    _refuse_options(after)
    return dict(hunks(_git(start, *_DIFF, f"{before}...{after}", "--")))


def staged(start: Path) -> Mapping[str, Lines]:
    """Lines by path that differ between the last commit and the index, as the index has them. Before the first commit
    all of them do."""
    return dict(hunks(_git(start, *_DIFF, "--cached", "--")))


def for_hook(start: Path) -> Mapping[str, Lines] | None:
    """What a pre-commit hook is to look at: between the two commits that pre-commit names; else what is staged; None,
    all lines, where nothing is staged (a run over all files)."""
    before, after = (os.environ.get(f"PRE_COMMIT_{name}_REF") for name in ("FROM", "TO"))
    if before and after:
        return changed_between(start, before, after)
    return staged(start) or None


def touches(lines: Lines, first: int, last: int) -> bool:
    """Whether a stretch from `first` to `last` holds a changed line."""
    return any(begin <= last and first <= end for begin, end in lines)


def hunks(diff: str) -> Iterator[tuple[str, Lines]]:
    """Changed lines of the new side of a diff without context, by path; a file that is gone has none.

    Example: the hunk `@@ -3,0 +4,2 @@` says that lines 4 and 5 are new."""
    path: str | None = None
    found: list[tuple[int, int]] = []
    header = False
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            if path is not None:
                yield path, tuple(found)
            path, found, header = None, [], True
        elif header and line.startswith("+++ "):
            path = _path(line[4:])
        elif match := _HUNK.match(line):
            header = False
            first, count = int(match[1]), int(match[2] or 1)
            found.append((first, first + count - 1) if count else (first, first + 1))
    if path is not None:
        yield path, tuple(found)


def _path(written: str) -> str | None:
    """The path of a `+++` line, which git writes like a string of C where it has to; None for /dev/null."""
    name = written.rstrip("\t")
    if name.startswith('"'):
        name = ast.literal_eval(f"b{name}").decode("utf-8", "surrogateescape")
    return name[2:] if name.startswith("b/") else None


def _refuse_options(ref: str) -> None:
    if not ref or ref.startswith("-"):
        raise InputError(f"{ref or 'an empty text'!r} names no commit")


def _git(start: Path, *arguments: str) -> str:
    from .source.process import run

    directory = start if start.is_dir() else start.parent
    top: Sequence[str] = ("git", *_SAFE, "rev-parse", "--show-toplevel")
    try:
        found = run(list(top), str(directory))
        if found.code == 0:
            root = os.fsdecode(found.output).rstrip("\n")
            found = run(["git", *_SAFE, *arguments], root)
    except OSError as error:
        raise InputError(f"git cannot be run ({error.strerror}); --changed-since and --staged need it") from None
    if found.code != 0 or found.stopped:
        said = os.fsdecode(found.errors).strip().splitlines()
        raise InputError(f"git: {said[0] if said else 'it was stopped at a limit'}")
    return found.output.decode("utf-8", "surrogateescape")
