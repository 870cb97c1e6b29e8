"""Which options the preprocessor gets: the user's, and from a compilation database only what cannot do harm.

The allow-list is closed: `-D -U -I -isystem -iquote -include -std -m* -f(un)signed-char -f(no-)short-enums -fopenmp
-fopenacc` (which define `_OPENMP` and `_OPENACC`; also under the names of other compilers). Everything else could run
programs (`-wrapper`, `-fplugin`, `-specs`, `-B`), write files (`-o`, `-MF`), or means nothing to a
preprocessor.
"""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct, field

from ..settings.options import SourceOptions

_WITH_PATH = ("-I", "-isystem", "-iquote", "-include")
_WITH_VALUE = ("-D", "-U")
_SHORT_ENUMS = ("-fno-short-enums", "-fshort-enums")
_WHOLE = ("-funsigned-char", "-fsigned-char", "-fno-unsigned-char", "-fno-signed-char", *_SHORT_ENUMS)
_DIRECTIVES = {
    **dict.fromkeys(("-fopenmp", "-qopenmp", "-openmp", "-xopenmp", "-mp", "/openmp"), ("-fopenmp", "_OPENMP=201511")),
    **dict.fromkeys(("-fopenacc", "-acc"), ("-fopenacc", "_OPENACC=201711")),
}
"""Options under which directives are read, and the values with which the built-in preprocessor defines it (OpenMP 4.5,
OpenACC 2.6)."""
# Options whose value is the next argument: dropped together with it.
_TAKES_NEXT = (
    *("-o", "-MF", "-MT", "-MQ", "-x", "-wrapper", "-Xpreprocessor", "-Xassembler", "-Xlinker", "-Xclang"),
    *("-imacros", "-idirafter", "-iprefix", "-isysroot", "--sysroot", "-B", "-T", "-u", "-z", "-aux-info", "-arch"),
    *("-specs", "--param", "-L", "-l", "-target", "-iwithprefix", "-iwithprefixbefore", "-plugin", "-framework"),
)
_HARMLESS = ("-g", "-O", "-W", "-f", "-pedantic")
_SILENT = frozenset(
    """-c -S -E -w -v -pipe -pthread -ansi -MD -MMD -MP -MM -M -MF -MT -MQ -o -x -L -l -arch -isysroot --sysroot -target
    -s -static -shared -rdynamic -nostdlib -nostdinc -p -pg --""".split()  # noqa: SIM905
)
"""Dropped without a word: they say nothing about the text of the program."""
_NOT_HARMLESS = (
    "-fplugin",
    "-Wp,",
    "-Wa,",
    "-Wl,",
    "-fdump",
    "-fopt-info",
    "-fprofile",
    "-fcallgraph",
    "-fstack-usage",
)
_MOST_BYTES = 64 << 20


class Flags(Struct):
    """`arguments` for the preprocessor, the include `directories` among them, `defines` and `undefines` alone (for the
    built-in preprocessor), `forced` files of `-include`, and one sentence per option that was `dropped`. `of_build`:
    some come from a compilation database."""

    arguments: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    undefines: list[str] = field(default_factory=list)
    forced: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    of_build: bool = False

    @property
    def short_enums(self) -> bool | None:
        """What `-fshort-enums` or its opposite says last; None where there is neither."""
        said = [a for a in self.arguments if a in _SHORT_ENUMS]
        return said[-1] == "-fshort-enums" if said else None

    def without(self, argument: str, define: str) -> None:
        """Takes back what an option before has switched on."""
        self.arguments = [a for a in self.arguments if a != argument]
        self.defines = [d for d in self.defines if d != define]

    def add(self, option: str, value: str) -> None:
        target = {"-D": self.defines, "-U": self.undefines, "-include": self.forced}.get(option, self.directories)
        target.append(value)
        self.arguments += [option + value] if option in ("-D", "-U", "-I") else [option, value]


def flags_of(path: Path, options: SourceOptions) -> Flags:
    """The flags for one file: those of the compilation database that pass, then the user's own."""
    flags = Flags()
    database = find_database(path, options.build_dir)
    if database is not None:
        entry = read_database(str(database)).get(str(path.resolve()))
        if entry is not None:
            admit(flags, entry[1], entry[0])
            flags.of_build = True
    for name in options.defines:
        flags.add("-D", name)
    for name in options.undefines:
        flags.add("-U", name)
    for directory in options.includes:
        flags.add("-I", os.path.abspath(directory))
    if options.standard:
        flags.arguments.append(f"-std={options.standard}")
    if options.abi == "ilp32":
        flags.arguments.append("-m32")
    return flags


def admit(flags: Flags, arguments: list[str], directory: str) -> None:
    """Adds those of a compiler's arguments that are on the allow-list; relative paths belong to `directory`."""
    rest = iter(arguments)
    odd: list[str] = []
    for argument in rest:
        option = next((o for o in (*_WITH_PATH, *_WITH_VALUE) if argument.startswith(o)), None)
        directives = _DIRECTIVES.get(argument.partition("=")[0])
        if directives is not None:
            flags.arguments.append(directives[0])
            flags.defines.append(directives[1])
        elif argument == "-fno-openmp":
            flags.without(*_DIRECTIVES["-fopenmp"])
        elif argument in _WHOLE or (
            argument.startswith(("-std=", "-m")) and not argument.startswith(("-mllvm", "-mlinker"))
        ):
            flags.arguments.append(argument)
        elif option is not None:
            value = argument[len(option) :] or next(rest, "")
            if option in _WITH_PATH:
                value = os.path.normpath(os.path.join(directory, value))
            if value:
                flags.add(option, value)
        else:
            if argument in _TAKES_NEXT:
                next(rest, None)
            if not _is_harmless(argument):
                odd.append(argument.split("=")[0].split(",")[0])
    if odd:
        shown = ", ".join(sorted(set(odd)))
        flags.dropped.append(f"options of compile_commands.json were not passed on: {shown}")


def _is_harmless(argument: str) -> bool:
    """Nothing to tell the user about: a file name, or an option that does not change what is preprocessed."""
    if not argument.startswith(("-", "@")) or argument in _SILENT or argument.startswith(("-L", "-l")):
        return True
    return argument.startswith(_HARMLESS) and not argument.startswith(_NOT_HARMLESS)


def find_database(path: Path, build_dir: str | None) -> Path | None:
    """The `compile_commands.json` asked for, else the nearest in the directories of the file upwards and their
    `build` folders."""
    if build_dir is not None:
        wanted = Path(build_dir) / "compile_commands.json"
        return wanted.resolve() if wanted.is_file() else None
    return _nearest_database(path.resolve().parent)


@cache
def _nearest_database(directory: Path) -> Path | None:
    for place in (Path.cwd(), directory, *directory.parents):
        for candidate in (place / "compile_commands.json", place / "build" / "compile_commands.json"):
            if candidate.is_file():
                return candidate
        if (place / ".git").exists() and place != Path.cwd():
            break
    return None


def is_database(path: str) -> bool:
    """Whether a file can be read as a compilation database: a JSON array."""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            return os.path.getsize(path) <= _MOST_BYTES and isinstance(json.load(file), list)
    except (OSError, ValueError, RecursionError):
        return False


@cache
def read_database(path: str) -> dict[str, tuple[str, list[str]]]:
    """Directory and arguments of each file of a compilation database; {} if it cannot be read."""
    import json

    try:
        if os.path.getsize(path) > _MOST_BYTES:
            return {}
        with open(path, encoding="utf-8") as file:
            return dict(_entries(json.load(file), os.path.dirname(path)))
    except (OSError, ValueError, RecursionError):
        return {}


def _entries(data: object, folder: str) -> Iterator[tuple[str, tuple[str, list[str]]]]:
    import shlex

    for entry in data if isinstance(data, list) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            continue
        directory = os.path.join(folder, str(entry.get("directory", ".")))
        arguments = entry.get("arguments")
        if not isinstance(arguments, list):
            try:
                arguments = shlex.split(str(entry.get("command", "")))
            except ValueError:
                continue
        words = [str(a) for a in arguments[1:]]
        file = os.path.realpath(os.path.join(directory, entry["file"]))
        yield file, (directory, [w for w in words if os.path.realpath(os.path.join(directory, w)) != file])
