"""From what the front end says it read (`source.inputs`) to facts that can be checked without it."""

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from ..base.regex import regex
from ..source.flags import find_database
from ..source.headers import STANDINS, includes, system_directories
from ..source.inputs import Inputs
from ..source.process import run
from ..source.project import MARKS
from .facts import Facts, Present, at_rest, content, defined, flags, place, program, tree
from .facts import compiler as chosen_compiler
from .store import Store, digest

_ASKED_FOR = regex(r'__has_include(?:_next)?\s*\(\s*[<"]([^>"\n]+)[>"]')
_DATABASES = ("compile_commands.json", "build/compile_commands.json")
_PROGRAM = regex(r'^ "?(/[^\s"]+)"? .*(?:-quiet|-cc1)', re.MULTILINE)
"""The program behind the driver, in what `cc -v` says it runs."""
_ABSENT = regex(r'ignoring nonexistent directory "([^"\n]+)"')
_LONGEST_NAME = 255


def gathered(
    given: Path,
    read: Inputs,
    wanted: str | None,
    build_dir: str | None,
    since_ns: int,
    store: Store,
    text: str | None = None,
) -> Facts:
    """What the text of a file rests on, the file itself left out; `since_ns`: when its analysis began. `wanted` and
    `build_dir`: the compiler and the database asked for; `text`: what was analysed in place of the file's content.
    ChangedError where a file changed meanwhile."""
    path = given.resolve()
    behind, built_in = _behind(read.compiler, read.machine, store)
    folders = tuple(dict.fromkeys((*read.directories, *built_in)))
    files = {file: at_rest(file, since_ns) for file in read.files if not file.startswith(str(STANDINS))}
    asked = [["compiler", [wanted], chosen_compiler(wanted)], ["place", [str(given)], place(str(given))]]
    wanted_names = [os.path.normpath(name) for name in read.tree_names]
    asked += [["tree", [top, name], tree(top, name)] for top in read.trees for name in wanted_names]
    if read.database is not None:
        source = [read.database, *at_rest(read.database, since_ns)]
        asked.append(["flags", [read.database, str(path)], flags(read.database, str(path)), source])
    for other in read.sources:
        database = find_database(Path(other), build_dir)
        if database is not None:
            source = [str(database), *at_rest(str(database), since_ns)]
            asked.append(["flags", [str(database), other], flags(str(database), other), source])
    if read.called:
        called, together = list(read.called), list(read.together)
        asked.append(["defined", [called, str(path), together], defined(called, str(path), together)])
    programs = (read.compiler, *behind) if read.compiler is not None else ()
    return {
        "files": files,
        "lookups": _lookups(path, read, folders, text)
        + [found for near in (path, *map(Path, read.sources)) for found in _surroundings(near, build_dir)],
        "programs": {name: program(name) for name in programs},
        "asked": asked,
    }


def _lookups(path: Path, read: Inputs, folders: tuple[str, ...], text: str | None) -> list[list[object]]:
    """For each header that was asked for, in which of the folders that are searched there is one."""
    names = set(read.names)
    near: dict[str, set[str]] = {}
    for file in (str(path), *read.files):
        asked, quoted = _asked_for(file, content(file)) if text is None or file != str(path) else _asked_in(text)
        names |= asked
        near.setdefault(os.path.dirname(file), set()).update(quoted)
        names |= {file[len(folder) + 1 :] for folder in folders if file.startswith(folder + os.sep)}
    now = Present()
    return [
        [list(where), {name: now.mask(list(where), name) for name in sorted(what) if len(name) <= _LONGEST_NAME}]
        for where, what in ((folders, names), *(((folder,), quoted) for folder, quoted in near.items()))
    ]


@cache
def _asked_for(file: str, _: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """The headers that a text names, whatever the conditions around, and those in quotes among them."""
    try:
        return _asked_in(Path(file).read_bytes().decode("utf-8", "surrogateescape"))
    except OSError:
        return frozenset(), frozenset()


def _asked_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    found = list(includes(text))
    tested = _ASKED_FOR.findall(text)
    return frozenset([name for name, _, _ in found] + tested), frozenset(
        [name for name, quoted, _ in found if quoted] + tested
    )


def _surroundings(path: Path, build_dir: str | None) -> list[list[object]]:
    """What says where the project begins, and where its compilation database is."""
    above = [str(path.parent), *map(str, path.parent.parents)]
    now = Present()

    def lookup(folders: list[str], names: Iterable[str]) -> list[object]:
        return [folders, {name: now.mask(folders, name) for name in names}]

    return [
        lookup(above, (*MARKS, *_DATABASES)),
        lookup([os.path.abspath(build_dir) if build_dir is not None else os.getcwd()], _DATABASES),
    ]


# --- the compiler


def _behind(compiler: str | None, machine: tuple[str, ...], store: Store) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The programs that a compiler's driver runs to preprocess, and the folders of headers it knows by itself. Asked of
    the compiler once, and kept."""
    if compiler is None:
        return (), ()
    environment = [os.environ.get(name, "") for name in ("CPATH", "C_INCLUDE_PATH", "SDKROOT")]
    key = digest("compiler", compiler, repr(program(compiler)), *machine, *environment)
    known = store.read(key)
    if known is None or [program(name) for name in known[0]["programs"]] != known[0]["stamps"]:
        programs, folders = _asked(compiler, machine)
        header: dict[str, Any] = {"programs": programs, "folders": folders}
        header["stamps"] = [program(name) for name in programs]
        store.write(key, header)
        known = header, b""
    return tuple(known[0]["programs"]), tuple(known[0]["folders"])


def _asked(compiler: str, machine: tuple[str, ...]) -> tuple[list[str], list[str]]:
    try:
        said = run([compiler, "-v", "-E", *machine, "-x", "c", os.devnull], "/").errors.decode(errors="replace")
    except OSError:
        said = ""
    programs = [name for name in dict.fromkeys(_PROGRAM.findall(said)) if os.path.isfile(name)]
    _, _, after = said.partition("search starts here:")
    listed, _, _ = after.partition("End of search list")
    folders = [*(line.strip() for line in listed.splitlines() if line.startswith(" ")), *_ABSENT.findall(said)]
    return programs, [*dict.fromkeys((*map(os.path.normpath, folders), *system_directories()))]
