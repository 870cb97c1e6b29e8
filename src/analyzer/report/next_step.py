"""The next useful command after a run: the one that would improve its answer most."""

import os
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ..base.regex import regex
from ..ir.reasons import ReasonCode
from ..settings.config import DEFAULTS
from ..settings.facts import FACTS
from ..source.project import shown
from .cleaning import visible
from .document import Document, LoopEntry
from .ranking import decisive_sizes, is_size, open_loops, ranking

MOST_SIZES = 3
MOST_PATHS = 4
_ESCAPE = regex(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")
"""What `visible` writes for signs that cannot be seen: a document for people has them already."""


class Step(Struct, frozen=True):
    """`command` as it can be typed (sizes to fill in say VALUE), and what it `brings`."""

    command: str
    brings: str

    def __str__(self) -> str:
        return f"{self.command} {self.brings}"


def next_step(document: Document) -> Step | None:
    """The command, and what it brings; None for a run without loops."""
    loops = [(file, loop) for file in document.files for loop in file.loops]
    if not loops:
        return None
    paths = list(document.options.paths) or [file.path for file in document.files]
    command = again(document, paths)
    if not document.targets and any(loop.recommendation.verdict == "host-parallel" for _, loop in loops):
        return Step(f"{command} --suggest openmp", "writes the directives; --apply puts them into the files")
    if not document.targets:
        return Step(f"{command} --target h200", "compares with a device (analyze --list-targets)")
    target = f" -t {','.join(document.targets)}"
    worth = [(file, loop) for file, loop in loops if loop.recommendation.verdict in ("offload", "host-parallel")]
    missing = _missing_sizes(document)
    if missing:
        sizes = " ".join(f"--size {name}=VALUE" for name in missing)
        return Step(f"{command}{target} {sizes}", "decides loops whose size is unknown")
    if worth:
        file, loop = max(worth, key=lambda pair: _gain(pair[1]))
        command = again(document, holding(file.path, paths) or paths)
        return Step(f"{command}{target} --why {typed(file.path)}:{loop.line}", "shows the arithmetic")
    return Step(f"{command}{target} -f concise", "lists one line per finding; analyze --explain RULE says more")


def again(document: Document, paths: Sequence[str]) -> str:
    """The command for the same analysis of these paths, but for the targets."""
    made = document.options
    switches = [("-D", made.defines), ("-U", made.undefines), ("-I", made.includes), ("--size", made.sizes)]
    named = tuple(path for path in made.facts or () if os.path.basename(path) != FACTS)
    switches += [("--facts", named), ("--alloc", made.alloc or ())]
    words = [word for name, values in switches for value in values for word in (name, value)]
    words += ["--host", document.host] if _is_named(document.host) else []
    words += ["--std", made.standard] if made.standard else []
    words += ["--strict-fp"] if made.strict_fp else []
    words += ["--resident"] if made.resident else []
    words += ["--mapping", made.mapping] if made.mapping else []
    words += [f"--cflags={made.cflags}"] if made.cflags else []
    words_typed = " ".join((*map(typed, paths[:MOST_PATHS]), *(_quoted(word) for word in words)))
    return f"analyze {words_typed}" + (" ..." if len(paths) > MOST_PATHS else "")


def _is_named(host: str) -> bool:
    """Whether a host is another one than the usual, and has a name to be asked for (one of a file has none)."""
    from models.catalogue import NATIVE, device_ids

    return host != DEFAULTS["host"] and (host == NATIVE or host in device_ids())


def on_file(document: Document, path: str) -> str:
    """The command for the same analysis of one file of the document, or of the directory that it came with."""
    given = document.options.paths
    return again(document, holding(path, given) or given or (path,))


def holding(path: str, given: Iterable[str]) -> list[str]:
    """The first of the given paths that is the file, or a directory around it."""
    for one in given:
        place = shown(one)
        if (place in (path, ".") and not path.startswith("../")) or path.startswith(f"{place}/"):
            return [one]
    return []


def typed(path: str) -> str:
    """A path as a shell and the command take it: whoever copies the line runs nothing that a file's name says."""
    return _quoted(f"./{path}" if path.startswith("-") and path != "-" else path)


def _quoted(word: str) -> str:
    """A word of a command line; what cannot be seen is written as bash and zsh read it."""
    from shlex import quote

    plain = visible(word, len(word) * 6)
    if plain == word and not _ESCAPE.search(word):
        return quote(word)
    return "$'" + plain.replace("'", "\\'") + "'"


def _missing_sizes(document: Document) -> list[str]:
    """The unknown sizes of the first of the open loops, in the order of the lists; where loops are ranked, those that
    decide most of the first ones."""
    if document.options.top is not None:
        first = ranking(document).items[: document.options.top]
        return [_as_size(name) for name in decisive_sizes(document, first)][:MOST_SIZES]
    for file, loop in open_loops(document):
        if loop.recommendation.reason.code == ReasonCode.UNKNOWN_SIZE:
            scope = f"{file.path}:{loop.function}"
            needed = {name for p in loop.predictions for name in p.symbols or ()}
            open_ = {s.name for s in document.symbols if s.scope == scope and s.value is None}
            return [_as_size(name) for name in sorted(needed & open_) if is_size(name)][:MOST_SIZES]
    return []


def _as_size(name: str) -> str:
    return name if name.isidentifier() else f"'{name}'"


def _gain(loop: LoopEntry) -> float:
    speedup = loop.recommendation.speedup
    return 0.0 if speedup is None else float(speedup.likely)
