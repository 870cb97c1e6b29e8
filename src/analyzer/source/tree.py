"""The headers that lie somewhere in a source tree, and the templates of such as are made by a build, by their base
names."""

import os
from collections.abc import Iterator
from functools import cache

from .build_files import BUILD_FILES, templates_named

SUFFIXES = (".h", ".inc", ".def", ".hh", ".hpp", ".c", ".x")
_BEHIND = (
    *(".in", ".cmake", ".cmake.in", ".cmakein", ".in.cmake", ".meson", ".meson.in", ".in.meson"),
    *(".generic", ".prebuilt", ".template", ".tmpl"),
)
_BEFORE = (".in.h", ".cmake.h.in", "-cmake.h.in", "_cmake.h.in", ".meson.h.in", "-meson.h.in")
"""What a template is called besides the header that is made of it: `config.h.in`, `config.cmake.h.in`."""
_MOST_ENTRIES = 50_000


def ending_with(root: str, header: str) -> list[str]:
    """Files below `root` that `#include "header"` could mean, given the right `-I`."""
    return [file for file in _index(root).get(os.path.basename(header), ()) if file.endswith(os.sep + header)]


def templates(root: str, header: str) -> list[str]:
    """Files below `root` of which a build would make `header`, by their names or by what the build files say."""
    base = os.path.basename(header)
    stem = base.removesuffix(".h")
    names = [base + end for end in _BEHIND] + ([stem + end for end in _BEFORE] if stem != base else [])
    found = [path for name in names for path in _index(root).get(name, ())]
    for file in build_files(root):
        found += [
            source
            for made, template in templates_named(file)
            if os.path.basename(made) == base and os.path.isfile(source := _beside(file, template))
        ]
    return list(dict.fromkeys(path for path in found if os.path.basename(path) != base))


def build_files(root: str) -> list[str]:
    """The descriptions of a build below `root`."""
    return [path for name in BUILD_FILES for path in _index(root).get(name, ())]


def _beside(file: str, name: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(file), name))


@cache
def _index(root: str) -> dict[str, list[str]]:
    """Files below `root` that may be included, by base name. Links to directories are not followed."""
    found: dict[str, list[str]] = {}
    for file in _files(root):
        found.setdefault(os.path.basename(file), []).append(file)
    return found


def _files(root: str) -> Iterator[str]:
    seen = 0
    for directory, subdirectories, names in os.walk(root):
        subdirectories[:] = sorted(d for d in subdirectories if not d.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIXES) or ".h." in name or name in BUILD_FILES:
                yield os.path.join(directory, name)
        seen += len(names) + len(subdirectories)
        if seen > _MOST_ENTRIES:
            return
