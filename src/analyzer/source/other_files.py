"""The other files of a run, preprocessed where one of them may define a function that is called here."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..base.errors import InputError
from ..settings.options import SourceOptions
from .borrowed import MOST_CANDIDATES, Text
from .inputs import Inputs
from .packing import packing
from .project import project_of
from .read_files import read_file
from .where_defined import candidates, managers


class _Read(Struct, frozen=True):
    text: Text
    inputs: Inputs


class OtherFiles:
    """Where the functions `wanted`, which the file at `path` calls, may be defined. `candidates`: by name, the files
    that seem to define it; `managers`: those that seem to give new memory, or to release it."""

    def __init__(self, path: Path, options: SourceOptions, root: Path | None, wanted: Iterable[str]) -> None:
        self.options, self.root, self.called = options, root, set(wanted)
        self.files = tuple(file for file in options.together if file != str(path))
        self.candidates = candidates(self.called, self.files)
        self.managers = managers(self.called, self.files)
        self.read: dict[str, _Read | None] = {}

    def texts(self, name: str) -> list[Text]:
        """The files that may define a function, preprocessed; none where they are too many, or one cannot be read."""
        self.called.add(name)
        files = self.candidates.get(name) or candidates((name,), self.files).get(name, ())
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
    done = file.done
    shown, pack_at = project_of(path, root, options.trees).name(str(path)), packing(done.listing.pragmas)
    return _Read(Text(shown, done.listing, file.declarations, done.abi, done.incomplete, pack_at), done.inputs)
