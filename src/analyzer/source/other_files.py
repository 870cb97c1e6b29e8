"""The other files of a run, preprocessed where one of them may define a function that is called here."""

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..base.errors import InputError
from ..settings.options import SourceOptions
from .borrowed import MOST_CANDIDATES, Text
from .declarations import cut
from .inputs import Inputs
from .packing import packing
from .preprocess import preprocess
from .project import project_of
from .where_defined import allocators, candidates

MOST_KEPT = 64
"""Preprocessed files that are kept at a time: the files of a program borrow from the same few."""


class _Read(Struct, frozen=True):
    text: Text
    inputs: Inputs


class OtherFiles:
    """Where the functions `wanted`, which the file at `path` calls, may be defined. `candidates`: by name, the files
    that seem to define it; `allocators`: those that seem to give new memory."""

    def __init__(self, path: Path, options: SourceOptions, root: Path | None, wanted: Iterable[str]) -> None:
        self.options = replace(options, together=(), entry=None, is_all=False)
        self.root, self.called = root, set(wanted)
        self.files = tuple(file for file in options.together if file != str(path))
        self.candidates = candidates(self.called, self.files)
        self.allocators = allocators(self.called, self.files)
        self.read: dict[str, _Read | None] = {}

    def texts(self, name: str) -> list[Text]:
        """The files that may define a function, preprocessed; none where they are too many, or one cannot be read."""
        self.called.add(name)
        files = self.candidates.get(name) or candidates((name,), self.files).get(name, ())
        if len(files) > MOST_CANDIDATES:
            return []
        for file in files:
            if file not in self.read:
                self.read[file] = _read(file, self.options, self.root, *_state(file))
        found = [read.text for file in files if (read := self.read[file]) is not None]
        return found if len(found) == len(files) else []

    def added_to(self, inputs: Inputs) -> Inputs:
        """What the text of the unit was made from, these files included."""
        parts = [inputs, *(read.inputs for read in self.read.values() if read is not None)]
        return replace(
            inputs,
            files=_union((*(p.files for p in parts), tuple(self.read))),
            directories=_union(p.directories for p in parts),
            names=_union(p.names for p in parts),
            trees=_union(p.trees for p in parts),
            tree_names=_union(p.tree_names for p in parts),
            stopped=any(p.stopped for p in parts),
            sources=tuple(sorted(self.read)),
            called=tuple(sorted(self.called)),
            together=(*self.files,),
        )


def _union(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for part in parts for item in part))


def _state(file: str) -> tuple[int, int]:
    try:
        seen = os.stat(file)
    except OSError:
        return 0, 0
    return seen.st_mtime_ns, seen.st_size


@lru_cache(maxsize=MOST_KEPT)
def _read(file: str, options: SourceOptions, root: Path | None, _changed: int, _size: int) -> _Read | None:
    """None for what cannot be read."""
    path = Path(file)
    project = project_of(path, root, options.trees)
    try:
        source = path.read_bytes().decode("utf-8-sig", "surrogateescape")
        done = preprocess(path, source, False, options, project)
    except (InputError, OSError):
        return None
    declarations = tuple(cut(done.listing.code))
    pack_at = packing(done.listing.pragmas)
    return _Read(Text(project.name(file), done.listing, declarations, done.abi, done.incomplete, pack_at), done.inputs)
