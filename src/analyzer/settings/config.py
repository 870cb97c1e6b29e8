"""Settings from the command line and the configuration file: `[tool.analyze]` in pyproject.toml, or analyze.toml.

The file nearest to the first path, upwards, counts; the command line wins over it. It lies in the analysed tree, so it
may choose what is computed but not what is run or written: compiler, build directory and output paths are refused.
"""

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..base.errors import InputError
from .facts import nearest
from .options import HOST_FLAGS

FILES = ("analyze.toml", "pyproject.toml")

KEYS: dict[str, str] = {
    "target": "list",
    "host": "str",
    "model": "str",
    "set": "list",
    "min-speedup": "float",
    "define": "list",
    "undefine": "list",
    "include": "list",
    "std": "str",
    "abi": "str",
    "size": "list",
    "facts": "list",
    "alloc": "list",
    "assume": "str",
    "strict-fp": "bool",
    "resident": "bool",
    "mapping": "str",
    "cflags": "str",
    "count-as": "str",
    "exclude": "list",
    "format": "list",
    "no-source": "bool",
    "detail": "str",
    "fail-on": "str",
    "network": "str",
    "select": "list",
    "ignore": "list",
    "baseline": "str",
    "per-path-ignores": "table",
}
PATHS = ("baseline", "include", "target", "host", "facts")
COMMAND_LINE_ONLY = ("cc", "build-dir", "jobs", "cache-dir", "no-cache", "engine", "output")
CHOICES = {
    "abi": ("lp64", "llp64", "ilp32"),
    "assume": ("all", "none", "members", "pragmas"),
    "count-as": ("definitions", "textual", "references", "perdome"),
    "detail": ("brief", "full"),
    "mapping": ("best", "naive"),
    "fail-on": ("never", "note", "warning", "error"),
}
DEFAULTS: dict[str, Any] = {
    "target": (),
    "host": "xeon6248",
    "model": "extended",
    "set": (),
    "min-speedup": 1.5,
    "define": (),
    "undefine": (),
    "include": (),
    "std": None,
    "abi": None,
    "size": (),
    "facts": (),
    "alloc": (),
    "assume": "all",
    "strict-fp": False,
    "resident": False,
    "mapping": "best",
    "cflags": HOST_FLAGS,
    "count-as": "definitions",
    "exclude": (),
    "format": ("text",),
    "no-source": False,
    "detail": "brief",
    "fail-on": "never",
    "profile": (),
    "network": None,
    "ranks": None,
    "select": (),
    "ignore": (),
    "baseline": None,
    "per-path-ignores": (),
    "cc": None,
    "build-dir": None,
    "jobs": None,
    "engine": "local",
    "cache-dir": None,
    "no-cache": False,
}
FOUND = "found beside the files"
"""The origin of a facts file that nobody named."""


class Settings(Struct, frozen=True):
    """What a run is to do, by option name without dashes in front; `origin` says where each value comes from."""

    values: Mapping[str, Any]
    origin: Mapping[str, str]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def folder(self, name: str) -> str | None:
        """The folder of the configuration file that a setting is from; None: it is typed, or a default."""
        origin = self.origin[name]
        return None if origin in ("default", "command line", FOUND) else os.path.dirname(os.path.abspath(origin))


def settings(arguments: argparse.Namespace, start: Path) -> Settings:
    """Command line over configuration file over defaults. InputError for a file that breaks the rules."""
    path, table = find_config(start)
    values, origin = dict(DEFAULTS), dict.fromkeys(DEFAULTS, "default")
    for key, value in table.items():
        values[key], origin[key] = _beside(path, key, value), str(path)
    for key in DEFAULTS:
        typed = getattr(arguments, key.replace("-", "_"), None)
        if typed is not None:
            values[key], origin[key] = tuple(typed) if isinstance(typed, list) else typed, "command line"
    for key in ("target", "alloc"):
        values[key] = tuple(name.strip() for text in values[key] for name in text.split(",") if name.strip())
    found = nearest(start) if not values["facts"] else None
    if found is not None:
        values["facts"], origin["facts"] = (os.path.relpath(found),), FOUND
    return Settings(values, origin)


def _beside(path: Path | None, key: str, value: Any) -> Any:
    """Paths in a configuration file are meant from its folder, wherever the command is run."""
    if path is None or key not in PATHS:
        return value
    if isinstance(value, tuple):
        return tuple(_beside(path, key, item) for item in value)
    if key in ("target", "host") and not value.endswith(".toml"):
        return value  # a device of the catalogue
    try:
        return os.path.relpath(path.parent / value)
    except ValueError:  # another drive
        return str(path.parent / value)


def find_config(start: Path) -> tuple[Path | None, dict[str, Any]]:
    """The nearest configuration file from `start` upwards, and its checked values."""
    folder = start.resolve()
    for here in (folder, *folder.parents):
        for name in FILES:
            path = here / name
            if path.is_file():
                table = _table(path)
                if table is not None:
                    return path, _checked(path, table)
    return None, {}


def _table(path: Path) -> dict[str, Any] | None:
    try:
        text = path.read_text(encoding="utf-8")
        if path.name == "pyproject.toml" and "analyze" not in text:
            return None  # known without reading it as TOML
        import tomllib

        content = tomllib.loads(text)
    except (OSError, ValueError) as error:
        if path.name == "pyproject.toml":
            return None  # somebody else's file, perhaps for another tool's reader
        raise InputError(f"{path}: {error}") from None
    if path.name != "pyproject.toml":
        return content
    table = content.get("tool", {}).get("analyze")
    return table if isinstance(table, dict) else None


def _checked(path: Path, table: Mapping[str, Any]) -> dict[str, Any]:
    checked = {}
    for key, value in table.items():
        name = key.replace("_", "-")
        if name in COMMAND_LINE_ONLY:
            raise InputError(f"{path}: {key} can only be given on the command line, since the file may be untrusted")
        if name not in KEYS:
            raise InputError(f"{path}: unknown key {key!r}{_near(name)}")
        checked[name] = _READERS[KEYS[name]](path, key, value)
        if name in CHOICES and checked[name] not in CHOICES[name]:
            raise InputError(f"{path}: {key} is one of {', '.join(CHOICES[name])}, not {value!r}")
        if name == "format" and any("=" in item for item in checked[name]):
            raise InputError(f"{path}: format takes no output path here; give it on the command line")
    return checked


def _near(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, KEYS, n=1, cutoff=0.0)
    return f"; did you mean {near[0]}?" if near else ""


def _text(path: Path, key: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{path}: {key} must be a string")
    return value


def _list(path: Path, key: str, value: object) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise InputError(f"{path}: {key} must be a list of strings")
    return tuple(items)


def _flag(path: Path, key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{path}: {key} must be true or false")
    return value


def _number(path: Path, key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{path}: {key} must be a number")
    return float(value)


def _table_of_lists(path: Path, key: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise InputError(f'{path}: {key} must be a table, as in {key} = {{"old/" = ["OFF"]}}')
    return tuple((pattern, _list(path, f"{key}.{pattern}", names)) for pattern, names in value.items())


_READERS: dict[str, Callable[[Path, str, object], Any]] = {
    "table": _table_of_lists,
    "str": _text,
    "list": _list,
    "bool": _flag,
    "float": _number,
}
