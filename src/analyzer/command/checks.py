"""Validation of the command line against the files, loops and rules that exist: unknown names are refused or reported.

A name that decides what the code is (`-p`, `--cc`, `--entry`) must be right: without its flags a file is another one.
What only narrows or adds (`-I`, `--exclude`, `--size`) is said on standard error, and the run goes on.
"""

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ..base.errors import InputError
from ..base.near_names import MOST, listed, near_names
from ..settings.config import Settings
from ..settings.discovery import STDIN, Found, find_files

if TYPE_CHECKING:
    from ..driver.run import Input

Say: TypeAlias = Callable[[str], None]
DATABASE = "compile_commands.json"
_COMPILERS = ("cc", "gcc", "clang", "tcc", "icx", "icc", "pgcc", "nvc")


class Taken(Struct, frozen=True):
    """The files of a run, and what the search for them found (None: nothing on disk was asked for)."""

    inputs: "tuple[Input, ...]"
    found: Found | None


def taken(arguments: argparse.Namespace, chosen: Settings, say: Say) -> Taken:
    """The inputs; standard input stands for the file that it is named after. InputError where there is none, or the
    name is taken."""
    from ..driver.run import Input

    on_disk = [path for path in arguments.paths if path != STDIN]
    found = find_files(on_disk, chosen["exclude"], chosen.folder("exclude")) if on_disk else None
    inputs = [] if found is None else [Input(path) for path in found.files]
    if found is not None:
        for remark in found.remarks():
            say(f"analyze: {remark}")
        if found.idle and chosen.origin["exclude"] == "command line" and not arguments.hook:
            say(f"analyze: warning: --exclude {', '.join(found.idle)}: no file or directory is left out by that")
    if STDIN in arguments.paths:
        inputs = _with_stdin(inputs, arguments.stdin_filename, say)
    elif arguments.stdin_filename is not None:
        say("analyze: warning: --stdin-filename names standard input; give - as a path to read that")
    return Taken(tuple(inputs), found)


def _with_stdin(inputs: "Sequence[Input]", name: str | None, say: Say) -> "list[Input]":
    from ..driver.run import Input

    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    if "\0" in text:
        raise InputError("standard input is not text; give C source")
    path = Path(name or "stdin.c")
    others = [item for item in inputs if os.path.realpath(item.path) != os.path.realpath(path)]
    if len(others) < len(inputs):
        if name is None:
            raise InputError(f"{path} is the name of standard input; give it another one with --stdin-filename")
        say(f"analyze: standard input is taken for {path}")
    return [*others, Input(path, text)]


def check_paths(chosen: Settings, inputs: "Iterable[Input]", say: Say, *, hook: bool = False) -> None:
    """InputError for a compiler or a compilation database that is not there, or of other code; `hook`: a new file must
    not stop a commit."""
    if chosen["cc"] is not None:
        _check_compiler(chosen["cc"])
    for folder in chosen["include"]:
        if not os.path.isdir(folder):
            say(f"analyze: warning: -I {folder}: no such directory{_near_path(folder)}")
    if chosen["build-dir"] is not None:
        _check_database(chosen["build-dir"], [os.path.realpath(item.path) for item in inputs], say, hook)


def _check_compiler(wanted: str) -> None:
    from ..source.compiler import find_compiler
    from ..source.process import run

    found = find_compiler(wanted)
    if found is None:
        there = [name for name in _COMPILERS if find_compiler(name)]
        near = _near_path(wanted) if os.sep in wanted else near_names(os.path.basename(wanted), there)
        raise InputError(f"--cc {wanted}: no such compiler{near}")
    try:
        done = run([found, "-E", "-x", "c", os.devnull], os.getcwd())
    except OSError as error:
        raise InputError(f"--cc {wanted}: cannot be run ({error.strerror})") from None
    if done.code != 0 or b"#" not in done.output:
        raise InputError(f"--cc {wanted}: does not preprocess C (`{wanted} -E -x c FILE` fails)")


def _check_database(folder: str, files: Collection[str], say: Say, hook: bool) -> None:
    from ..source.flags import find_database, is_database, read_database

    path = find_database(Path(), folder)
    if path is None:
        near = _databases_near(folder)
        offer = f"there is one in {', '.join(near)}" if near else "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes it"
        raise InputError(f"-p {folder}: no {DATABASE} there; {offer}")
    if not is_database(str(path)):
        raise InputError(f"-p {folder}: {path} is no compilation database, a JSON array of commands")
    entries = read_database(str(path))
    missing = [file for file in files if file not in entries]
    if not missing:
        return
    if len(missing) == len(files) and not hook:
        wanted = {os.path.basename(file) for file in files}
        near = [name for name in entries if os.path.basename(name) in wanted] or list(entries)
        raise InputError(f"-p {folder}: its {DATABASE} has none of these files; it has {listed(near)}")
    some = f"{len(missing)} of {len(files)} files are" if len(files) > 1 else f"{listed(missing)} is"
    say(f"analyze: warning: -p {folder}: {some} not in its {DATABASE}; their flags are not known")


def _databases_near(folder: str) -> list[str]:
    """Directories with a compilation database: here, above the one that was given, and one level below both."""
    from ..source.flags import is_database

    tops = dict.fromkeys((os.getcwd(), os.path.abspath(folder), os.path.dirname(os.path.abspath(folder))))
    places = [place for top in tops for place in (top, *_folders(top))]
    found = [place for place in dict.fromkeys(places) if is_database(os.path.join(place, DATABASE))]
    return [os.path.relpath(place) for place in found[:MOST]]


def _folders(top: str) -> list[str]:
    try:
        return sorted(entry.path for entry in os.scandir(top) if entry.is_dir())
    except OSError:
        return []


def _near_path(path: str) -> str:
    """Names beside a path that is not there."""
    parent, name = os.path.split(os.path.normpath(path))
    try:
        there = sorted(os.listdir(parent or "."))
    except OSError:
        return ""
    near = difflib.get_close_matches(name, there, n=MOST, cutoff=0.6)
    return f"; did you mean {', '.join(os.path.join(parent, name) for name in near)}?" if near else ""
