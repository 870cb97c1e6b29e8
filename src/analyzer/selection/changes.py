"""Which lines of a working copy changed: asked of git, which runs nothing that the repository configures.

Lines are those of the new side: of the files on disk, or of the index. A place where lines were only taken away counts
as the two lines around it.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..base.errors import InputError
from ..base.regex import regex
from .git import git

if TYPE_CHECKING:
    from ..source.process import Outcome

Lines: TypeAlias = tuple[tuple[int, int], ...]
"""First and last line of each changed stretch, in order."""

WHOLE: Lines = ((1, 2**31),)

_HUNK = regex(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_DIFF = (
    "diff", "--unified=0", "--inter-hunk-context=0", "--submodule=short", "--no-color", "--no-ext-diff",
    "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


def changed_since(start: Path, ref: str) -> Mapping[str, Lines]:
    """Lines by absolute path that differ between the files on disk and the commit at which the
    branch left `ref`, so that what others did there since is not taken for a change; files that git does not know are
    changed as a whole. InputError outside of a repository and for a ref that does not exist."""
    _refuse_options(ref)
    top = _top(start)
    found = dict(hunks(_git(top, *_DIFF, _merge_base(top, ref, "HEAD") or ref, "--")))
    unknown = _git(top, "ls-files", "--others", "--exclude-standard", "--full-name", "-z").split("\0")
    return _placed(top, found | {path: WHOLE for path in unknown if path})


def changed_between(start: Path, before: str, after: str) -> Mapping[str, Lines]:
    """Lines by absolute path that differ between two commits, as the second has them, since it left the first; directly
    where nothing in common is known of them, as in a shallow clone. (So does pre-commit.)"""
    _refuse_options(before)
    _refuse_options(after)
    top = _top(start)
    return _placed(top, dict(hunks(_git(top, *_DIFF, _merge_base(top, before, after) or before, after, "--"))))


def staged(start: Path) -> Mapping[str, Lines]:
    """Lines by absolute path that differ between the last commit and the index, as the index has them. Before the first
    commit all of them do."""
    top = _top(start)
    return _placed(top, dict(hunks(_staged(top))))


def _staged(top: str) -> str:
    return _git(top, *_DIFF, "--cached", "--")


def _placed(top: str, found: Mapping[str, Lines]) -> Mapping[str, Lines]:
    return {os.path.normpath(os.path.join(top, path)): lines for path, lines in found.items()}


def _merge_base(top: str, before: str, after: str) -> str | None:
    """The commit at which one left the other; None where git knows of none, or does not know them."""
    found = git(top, "merge-base", before, after)
    return os.fsdecode(found.output).strip() if found.code == 0 else None


def for_hook(start: Path) -> Mapping[str, Lines] | None:
    """What a pre-commit hook is to look at: between the two commits that pre-commit names; else what is staged; None,
    all lines, where nothing at all is staged (a run over all files). A file that is only renamed is staged, and has no
    changed line."""
    before, after = (os.environ.get(f"PRE_COMMIT_{name}_REF") for name in ("FROM", "TO"))
    if before and after:
        return changed_between(start, before, after)
    top = _top(start)
    diff = _staged(top)
    return _placed(top, dict(hunks(diff))) if diff else None


def touches(lines: Lines, first: int, last: int) -> bool:
    """Whether a stretch from `first` to `last` holds a changed line."""
    return any(begin <= last and first <= end for begin, end in lines)


def hunks(diff: str) -> Iterator[tuple[str, Lines]]:
    """Changed lines of the new side of a diff without context, by path; a file that is gone has none.

    Example: the hunk `@@ -3,0 +4,2 @@` says that lines 4 and 5 are new."""
    path: str | None = None
    found: list[tuple[int, int]] = []
    header = False
    for line in diff.split("\n"):  # other signs that end a line may stand in names and in the code
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
        raw = name[1:-1].encode("utf-8", "surrogateescape")
        name = _ESCAPED.sub(_meant, raw).decode("utf-8", "surrogateescape")
    return name[2:] if name.startswith("b/") else None


def _meant(escape: re.Match[bytes]) -> bytes:
    sign = escape[1]
    return bytes([int(sign, 8)]) if len(sign) == 3 else _ESCAPES.get(sign, sign)


def _refuse_options(ref: str) -> None:
    if not ref or ref.startswith("-"):
        raise InputError(f"{ref or 'an empty text'!r} names no commit")


def _top(start: Path) -> str:
    """The top of the repository that `start` is in. InputError where there is none, or no git."""
    found = git(str(start if start.is_dir() else start.parent), "rev-parse", "--show-toplevel")
    if found.code != 0:
        raise InputError(f"git: {_said(found)}; --changed-since, --staged and --hook look at a repository of git")
    return os.fsdecode(found.output).rstrip("\n")


def _git(top: str, *arguments: str) -> str:
    found = git(top, *arguments)
    if found.code != 0 or found.stopped:
        said = _said(found)
        shallow = "bad revision" in said and git(top, "rev-parse", "--is-shallow-repository").output == b"true\n"
        raise InputError(f"git: {said}" + ("; this clone is shallow: try git fetch --unshallow" if shallow else ""))
    return found.output.decode("utf-8", "surrogateescape")


def _said(found: "Outcome") -> str:
    if found.stopped:
        return f"it was stopped at a limit of {found.stopped}"
    return next(iter(os.fsdecode(found.errors).strip().splitlines()), f"it ended with code {found.code}")
