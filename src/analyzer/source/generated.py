"""Headers that a build makes and a checkout lacks: which of them can be had from a template, and what they hold."""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from msgspec import Struct, field

from ..base.regex import regex
from .build_files import BUILD_FILES, values_of
from .features import Features, usual_names
from .headers import CONFIGURATION, Made
from .project import Project
from .templates import Filled, filled
from .tree import build_files, templates

_MOST_BYTES = 1 << 18
_FOREIGN = regex(
    r"(?:^|[\W_])(?:win(?:32|64|dows|ce)?|msvc\d*|vc\d*|vs\d*|vcpp|nmake|vms|os2|dos|msdos|djgpp|mac(?:os)?|amiga|atari|"
    r"android|ios|symbian|beos|riscos|wince|watcom|borland|bcb\d*|xcode|nintendo|psp|freertos)(?:[\W_]|$)",
    re.IGNORECASE,
)
_BUILT = regex(r"(?:^|[\W_])(?:build|out|obj|debug|release)(?:[\W_]|$)", re.IGNORECASE)
"""Where the results of a configured build lie."""
_EXPORT = regex(r"(\w+)[_-]export\.h\Z")
_COMPLETE = (".generic", ".prebuilt")
"""What is shipped for those who cannot run the build: a header as it stands."""


class Maker(Struct):
    """Makes headers for the files of one translation unit. `read`: the files that were read for it; `tested`: system
    headers that were asked for."""

    project: Project
    features: Features
    read: set[str] = field(default_factory=set)

    def make(self, header: str, near: str, holder: str | None) -> Made | None:
        """A header of that name, asked for in folder `near`; None if nothing is known of it, or the one that lies in
        `holder` is the better one: it is, unless it is of another platform, or a template lies nearer."""
        root = self.project.searched
        found = sorted(templates(root, header), key=lambda path: _rank(path, header, near))
        if holder is not None and not _is_foreign(holder, near):
            nearer = found and _distance(os.path.dirname(found[0]), near) < _distance(holder, near)
            if not nearer or _BUILT.search(os.path.relpath(holder, near)):
                return None
        for index, path in enumerate(found):
            text = self._text(path)
            if text is not None:
                done = self._filled(path, text)
                return Made(done.text, path, len(found) - index - 1, len(done.answered), len(done.open))
        return self._usual(header, root)

    def _filled(self, path: str, text: str) -> Filled:
        if path.endswith(_COMPLETE):
            return Filled(text)
        above = tuple(self._build_files_above(path))
        self.read.update(above)
        return filled(text, path, self.features, values_of(above))

    def _build_files_above(self, path: str) -> Iterator[str]:
        folder = os.path.dirname(path)
        root = self.project.searched
        while folder.startswith(root):
            yield from (p for p in (os.path.join(folder, name) for name in BUILD_FILES) if os.path.isfile(p))
            folder = os.path.dirname(folder)

    def _text(self, path: str) -> str | None:
        """What a template holds, if it is a text of the project of a reasonable size."""
        real = os.path.realpath(path)
        if not self.project.holds(real) or not os.path.isfile(real) or os.path.getsize(real) > _MOST_BYTES:
            return None
        self.read.add(path)
        with open(real, "rb") as file:
            data = file.read(_MOST_BYTES)
        return None if b"\0" in data else data.decode("utf-8-sig", "surrogateescape")

    def _usual(self, header: str, root: str) -> Made | None:
        """A header without a template: a configuration, or the macros of CMake's `generate_export_header`."""
        name = os.path.basename(header)
        if not build_files(root):
            return None
        if CONFIGURATION.match(name):
            done = filled("\n".join(f"#undef {n}" for n in usual_names()), f"<{name}>", self.features, {})
            return Made(done.text, "", 0, len(done.answered), 0)
        export = _EXPORT.match(name)
        if export is None:
            return None
        macros = ("EXPORT", "NO_EXPORT", "DEPRECATED", "DEPRECATED_EXPORT", "DEPRECATED_NO_EXPORT")
        return Made("".join(f"#define {export[1].upper()}_{macro}\n" for macro in macros))


def _is_foreign(path: str, near: str) -> bool:
    """Whether it lies in a folder, elsewhere than `near`, of a platform that has no configure."""
    return _FOREIGN.search(os.path.relpath(path, near)) is not None


def _distance(folder: str, near: str) -> int:
    way = os.path.relpath(folder, near).split(os.sep)
    return 0 if way == ["."] else len(way)


def guards(headers: Iterable[str]) -> list[str]:
    """The macros by which a build says that it made a header: `HAVE_CONFIG_H`."""
    return [f"HAVE_{re.sub(r'[^A-Za-z0-9]', '_', os.path.basename(name)).upper()}" for name in sorted(headers)]


def _rank(path: str, header: str, near: str) -> tuple[bool, bool, int, int, str]:
    """The nearest first; a complete header before a template."""
    folders = zip(_reversed(os.path.dirname(path)), _reversed(os.path.dirname(header)), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], folders))
    distance = _distance(os.path.dirname(path), near)
    return _is_foreign(path, near), not path.endswith(_COMPLETE), -same, distance, path


def _reversed(folder: str) -> list[str]:
    return [part for part in folder.split("/")[::-1] if part and part != ".."]
