"""Finds the C compiler and preprocesses with it. It reads headers; it is never asked to compile, link or load."""

import re
import shutil
from pathlib import Path

from msgspec import Struct

from ..base.regex import regex
from .headers import STANDINS
from .process import Outcome, run

_MISSING = regex(
    r"^(.+?):(\d+):(?:(\d+):)? fatal error: (?:'([^']+)' file not found|(.+?): No such file)", re.MULTILINE
)
_MESSAGE = regex(r"^(.+?):(\d+):(?:(\d+):)? (fatal error|error): ([^\n]*)$", re.MULTILINE)


_CPU_S = 4
_MEMORY_BYTES = 448 << 20
"""What one run of the preprocessor may take: many times what the largest programs need, and less than the analysis."""

_READ_BYTES = 1 << 18
"""How much of the messages is read."""


class Complaint(Struct, frozen=True):
    """An error of the preprocessor; `header` is set when it is a header that was not found."""

    path: str
    line: int
    column: int
    message: str
    header: str | None


def find_compiler(wanted: str | None) -> str | None:
    """The path of the compiler to use: the one asked for, else the first of cc, gcc, clang on the search path."""
    for name in (wanted,) if wanted else ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            return found
    return None


_PLAIN = ("-D__NO_CTYPE=",)
"""Leaves `isalpha(c)` the call that it is, which glibc would replace by an element of a table. It has no value, so that
it is no size of the program."""


def run_preprocessor(compiler: str, path: Path, flags: list[str], stdin: str | None = None) -> Outcome:
    """Runs `compiler -E -dD`. With `stdin` (a file) the text comes from there, and `path` only says where it stands.

    Raises OSError if the compiler cannot be started."""
    directory = str(path.parent)
    source = ["-iquote", directory, "-"] if stdin else [str(path)]
    arguments = [compiler, "-E", "-dD", "-w", *_PLAIN, *flags, "-idirafter", str(STANDINS), "-x", "c", *source]
    return run(arguments, directory, stdin, _CPU_S, _MEMORY_BYTES)


def complaints(errors: bytes) -> list[Complaint]:
    """What the preprocessor could not take, read from its messages."""
    text = errors[:_READ_BYTES].decode(errors="replace")
    missing = {m.start(): m[4] or m[5] for m in _MISSING.finditer(text)}
    return [Complaint(m[1], int(m[2]), int(m[3] or 0), m[5], missing.get(m.start())) for m in _MESSAGE.finditer(text)]
