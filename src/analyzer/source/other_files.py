"""The other files of a run, preprocessed where one of them may define a function that is called here."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..base.errors import InputError
from ..settings.options import SourceOptions
from .borrowed import MOST_CANDIDATES, Text
from .inputs import Inputs
from .packing import packing
from .project import project_of
from .read_files import MOST_KEPT, ReadFile, read_file
from .where_defined import WhereDefined


class _Read(Struct, frozen=True):
    text: Text
    inputs: Inputs


class OtherFiles:
    """Where the functions `wanted`, which the file at `path` calls, may be defined. `candidates`: by name, the files
    that seem to define it; `managers`: those that seem to give new memory, or to release it."""

    def __init__(self, path: Path, options: SourceOptions, root: Path | None, wanted: Iterable[str]) -> None:
        self.options, self.root, self.called = options, root, set(wanted)
        self.files = tuple(file for file in options.together if file != str(path))
        self.defined = WhereDefined(self.files)
        self.candidates = self.defined.candidates(self.called)
        self.managers = self.defined.managers(self.called)
        self.read: dict[str, _Read | None] = {}

    def texts(self, name: str) -> list[Text]:
        """The files that may define a function, preprocessed; none where they are too many, or one cannot be read."""
        self.called.add(name)
        files = self.defined.of(name)
        if len(files) > MOST_CANDIDATES:
            return []
        for file in files:
            if file not in self.read:
                self.read[file] = _read(Path(file), self.options, self.root)
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


def _read(path: Path, options: SourceOptions, root: Path | None) -> _Read | None:
    """None for what cannot be read."""
    try:
        file = read_file(path, options, root)
    except (InputError, OSError):
        return None
    return _named(file, project_of(path, root, options.trees).name(str(path)))


@lru_cache(maxsize=MOST_KEPT)
def _named(file: ReadFile, shown: str) -> _Read:
    """What is found in a file once is found for all that borrow from it."""
    done = file.done
    text = Text(shown, done.listing, file.declarations, done.abi, done.incomplete, packing(done.listing.pragmas))
    return _Read(text, done.inputs)
