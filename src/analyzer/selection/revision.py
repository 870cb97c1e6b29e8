"""Which commit the analysed files are of: asked of git, in ways in which it runs nothing that a repository configures
(no filters, no file monitor, no transport for objects that are missing).

*Does not decide* whether other files of the tree are as in the commit: only those that were analysed.
"""

import hashlib
import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from ..base.errors import InputError
from ..report.document import RevisionEntry
from ..source.project import is_below
from .git import git
from .repository import seen_from

_WITHOUT_TRANSPORT = ("-c", "protocol.allow=never")
_MOST_NAMES = 100_000
"""Bytes of names on one command line; where there are more, git lists the whole tree."""


def revision(top: str, paths: Iterable[str]) -> RevisionEntry | None:
    """The commit that is checked out at the top of a repository, and which of the files are not as it has them; None
    where there is none, no git, or none of the files is there. A path that leads out of the repository is of no commit.

    Example: `revision("/src", ["/src/a.c"])` is `RevisionEntry("1f0c...", ())` if nothing was changed in a.c since."""
    names = _names(top, paths)
    known = {name for name in names.values() if name is not None}
    said = _asked(top, "rev-parse", "--verify", "--end-of-options", "HEAD^{commit}") if known else b""
    commit = said.decode("ascii", "replace").strip()
    if not commit:
        return None
    listed = dict(_blobs(top, commit, known))
    changed = (path for path, name in names.items() if not _is_as(path, listed.get(name or "")))
    return RevisionEntry(commit, tuple(sorted(changed)))


def says_which(top: str) -> list[str]:
    """The files that say which commit is checked out at the top of a repository: while they are the same, so is it."""
    link = Path(top, ".git")
    folder = link
    if link.is_file():  # of a further work tree, or of a submodule
        folder = Path(top, _text(link).removeprefix("gitdir:").strip())
    common = Path(folder, _text(folder / "commondir").strip())
    head = _text(folder / "HEAD")
    branch = [common / head.removeprefix("ref:").strip()] if head.startswith("ref:") else []
    named = [folder / "HEAD", folder / "commondir", common / "packed-refs", *branch]
    return [*map(str, named), *([str(link)] if folder != link else [])]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def _names(top: str, paths: Iterable[str]) -> dict[str, str | None]:
    """The names that git has for files, None for one elsewhere."""
    folder = os.path.realpath(top)
    seen, real = seen_from(folder), {path: os.path.realpath(path) for path in paths}
    return {path: seen(place) if is_below(place, folder) else None for path, place in real.items()}


def _blobs(top: str, commit: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Name and hash of files in a commit: of these, perhaps of others, too."""
    few = sorted(names) if sum(map(len, names)) < _MOST_NAMES else []
    listed = _asked(top, "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", *few)
    for entry in os.fsdecode(listed).split("\0"):
        head, _, name = entry.partition("\t")
        if name:
            yield name, head.split()[-1]


def _is_as(path: str, known: str | None) -> bool:
    """Whether a file holds what the commit has, line ends as the one or the other system has them."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    kind = "sha1" if known is not None and len(known) == 40 else "sha256"
    return known in {_hash(kind, content), _hash(kind, content.replace(b"\r\n", b"\n"))}


def _hash(kind: str, content: bytes) -> str:
    return hashlib.new(kind, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _asked(top: str, *words: str) -> bytes:
    """What git says; nothing where it fails, or there is none."""
    if shutil.which("git") is None:
        return b""
    try:
        found = git(top, *_WITHOUT_TRANSPORT, *words)
    except InputError:
        return b""
    return found.output if found.code == 0 and not found.stopped else b""
