"""The kept answers for single files: key, lookup, storing. Whoever analyses a file asks here first.

Key: this program and its surroundings (`identity`), everything chosen for the run, the file's path and content (or the
text that is analysed in its place). Kept with the answer: the facts about all else that it was made from, which must
hold still (`facts`).

What is kept is the finished answer, advice and times included, not the loop analysis alone: to read that back and to
ask the models again costs more than a third of a new analysis, each time, to save the rest when the target changes.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from ..base.encoding import NotAValueError, decode, encode
from ..source.inputs import Inputs
from ..source.project import project_of
from .facts import ChangedError, Facts, Present, at_rest, content
from .identity import identity, is_changed, program
from .store import Store, digest

Answer = TypeVar("Answer")


class Chosen(Struct, frozen=True):
    """What a run's answers are kept for. `folder` of the answers, `base`: the hash of everything that is the same for
    all files; `program`: of what runs here, which a worker process must run, too; `compiler` and `build_dir` as asked
    for; `trees`: directories that the run was given."""

    folder: str
    base: str
    program: str
    compiler: str | None = None
    build_dir: str | None = None
    trees: tuple[str, ...] = ()


class Kept(Struct, frozen=True):
    """An answer, and what it rests on (None: not known, so it was not kept). `trouble`: why nothing can be kept."""

    answer: Any
    facts: Facts | None
    from_cache: bool = False
    trouble: str = ""


def chosen(
    folder: str, choices: object, compiler: str | None, build_dir: str | None, trees: tuple[str, ...]
) -> Chosen:
    """`choices`: a frozen value of everything that a user can choose, of which each part may change an answer."""
    store = Store(folder)
    return Chosen(folder, digest(identity(store), repr(choices)), program(store), compiler, build_dir, trees)


def kept(path: Path, run: Chosen, kind: type[Answer], now: Present, text: str | None = None) -> Kept | None:
    """The answer for one file, where one is kept and still holds. `text`: what stands for its content."""
    source = content(str(path)) if text is None else _of_text(text)
    found = None if source is None else Store(run.folder).read(_key(path, run, source))
    if found is None or not now.holds(found[0]):
        return None
    try:
        answer = decode(found[1])
    except NotAValueError:
        return None
    return Kept(answer, found[0], from_cache=True) if isinstance(answer, kind) else None


def keep(
    path: Path,
    run: Chosen,
    work: "Callable[[], tuple[Any, Inputs | None]]",
    text: str | None = None,
    is_passing: bool = False,
) -> Kept:
    """Does the work for one file and keeps its answer. The work says what it read; None where its answer is not to be
    kept. Nothing is kept of a file that changes meanwhile. `text`: what stands for the file's content; of one that
    `is_passing`, as it is typed, it is only said what its answer rests on."""
    from .gathering import gathered

    since_ns = time.time_ns()
    before = content(str(path)) if text is None else _of_text(text)
    answer, read = work()
    store = Store(run.folder)
    if read is None or read.stopped or before is None or program(store) != run.program or is_changed():
        return Kept(answer, None)
    try:
        source = at_rest(str(path), since_ns) if text is None else None
        if source is not None and source[0] != before:
            return Kept(answer, None)
        facts = gathered(path, read, run.compiler, run.build_dir, since_ns, store, text)
        if source is not None:
            facts["files"][os.path.abspath(path)] = source
        if not is_passing:
            store.write(_key(path, run, before), facts, encode(answer))
    except (ChangedError, NotAValueError, RecursionError):
        return Kept(answer, None)
    return Kept(answer, facts, trouble=store.trouble)


def _key(path: Path, run: Chosen, source: str) -> str:
    searched = project_of(path, None, run.trees).trees
    return digest("file", run.base, str(path), os.path.realpath(path), source, *searched)


def _of_text(text: str) -> str:
    """What tells one text from another, and from the content of any file."""
    return digest("text", text)
