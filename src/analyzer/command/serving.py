"""`--lsp`: each text that is open in an editor is a run of its own, as of that file on standard input."""

import argparse
import os
import pkgutil
import sys
import time
import traceback
from collections.abc import Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from .. import __version__
from ..base.errors import InputError
from ..driver.remembered import Memory
from ..rules.catalogue import INTERNAL_ERROR
from ..settings.config import Settings, settings
from ..settings.discovery import OTHER_LANGUAGES
from ..source.project import shown
from ..source.read_files import MOST_BYTES
from .arguments import narrows
from .changing import is_of_host, with_places
from .narrowing import Baselines, narrowed, selection_of
from .planning import from_entry, plan_of

if TYPE_CHECKING:
    from ..cache.facts import Facts
    from ..change.form import Form
    from ..lsp.answers import Answer, Asked, Reply
    from ..report.document import Document

INSTALL = "pip install 'boathull[lsp]'"
OLDEST = 2
"""The first pygls whose names are those used here."""
IDLE = (
    *("paths", "stdin_filename", "format", "from_json", "merge", "compare", "dump", "why", "top", "shard", "engine"),
    *("quiet", "verbose", "color", "suggest_at", "apply", "hook", "staged", "changed_since", "write_baseline"),
    *("fail_on", "jobs", "exclude", "detail", "no_source", "entry", "profile"),
)
"""Arguments about the files that a run is given, the program as a whole, or the report."""
FORMS = ("openmp", "openmp-target", "openacc")
_LOADED = ("networkx", "islpy")
"""Libraries that are loaded in advance, besides the modules of this program."""
_NOT_LOADED = ("command", "html", "messages", "server", "__main__")


def serve(arguments: argparse.Namespace, folder: str | None) -> int:
    """Serves an editor on standard input and output, and gives the exit code. `folder`: where results are kept.
    InputError for arguments that mean nothing here or name what is not there."""
    _check(arguments)
    _check_library()
    if sys.stdin.isatty():
        raise InputError("--lsp: an editor talks to it on standard input, which is a terminal here (docs/editors.md)")
    from ..lsp.forks import Forks

    forks = Forks(partial(answered, arguments, folder), _modules())  # before anything starts a thread
    from ..lsp.server import serve

    return serve(forks, __version__)


def _check_library() -> None:
    """InputError without a pygls that is new enough. It is not loaded: what is loaded now is copied for each text."""
    try:
        found = version("pygls")
    except PackageNotFoundError:
        raise InputError(f"--lsp needs pygls, which is not installed: {INSTALL}") from None
    if int(found.partition(".")[0]) < OLDEST:
        raise InputError(f"--lsp needs pygls {OLDEST} or newer, and not {found}: {INSTALL}")


def _check(arguments: argparse.Namespace) -> None:
    """What would be refused at every text is refused at once."""
    for name in IDLE:
        if getattr(arguments, name):
            option = "PATH" if name == "paths" else f"--{name.replace('_', '-')}"
            raise InputError(f"--lsp: an editor opens the files and shows the results; leave out {option}")
    if arguments.suggest not in (None, *FORMS):
        raise InputError(f"--lsp --suggest {arguments.suggest}: an editor is offered {', '.join(FORMS)}")
    from .checks import check_paths

    chosen = settings(arguments, Path())
    plan_of(chosen)
    if arguments.suggest is not None:
        with_places(arguments, chosen)
    check_paths(chosen, (), lambda _: None)


def _modules() -> Iterator[str]:
    """What a run may need."""
    from .. import __name__ as package
    from .. import __path__ as folders

    yield from _LOADED
    for found in pkgutil.walk_packages(folders, f"{package}."):
        if not any(part in _NOT_LOADED for part in found.name.split(".")):
            yield found.name


# --- one text


def answered(arguments: argparse.Namespace, folder: str | None, asked: "Asked") -> "Reply":
    """What is shown of one text. Never raises: what the command would refuse, and errors of ours, are answers, too."""
    from ..cache.facts import Present
    from ..lsp.answers import Answer, Reply, trouble

    language = OTHER_LANGUAGES.get(asked.path.suffix.lower())
    if language is not None:
        return Reply(Answer(said=(f"{asked.path.name}: {language} is not read; only C is",)))
    if asked.known is not None and Present().holds(asked.known):
        return Reply(None)
    try:
        run = _Run(arguments, folder, _readable(asked))
        return Reply(run.answer(), run.rests_on(), run.memory.kept())
    except InputError as error:
        return Reply(trouble(str(error)))
    except (Exception, RecursionError, MemoryError) as error:
        message = f"internal error ({type(error).__name__}: {error}); please report it"
        return Reply(replace(trouble(message, INTERNAL_ERROR), said=(f"{asked.path}: {traceback.format_exc()}",)))


def _readable(asked: "Asked") -> "Asked":
    """The text without a byte order mark, each character where it was. InputError for what is no text."""
    if "\0" in asked.text or not _has_bytes(asked.text):
        raise InputError("this is not text; open C source")
    if len(asked.text) > MOST_BYTES:
        raise InputError(f"this is larger than {MOST_BYTES >> 20} MiB; split it")
    return replace(asked, text=f" {asked.text[1:]}") if asked.text.startswith("\ufeff") else asked


def _has_bytes(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character: JSON can say it
        return False
    return True


class _Run:
    """The run of one text, as of a file. `said`: its messages; `facts`: what its results rest on."""

    def __init__(self, arguments: argparse.Namespace, folder: str | None, asked: "Asked") -> None:
        self.since_ns = time.time_ns()
        self.arguments, self.folder, self.asked = arguments, folder, asked
        self.chosen = settings(arguments, asked.path.parent)
        self.said: list[str] = []
        self.facts: list[Facts | None] = []
        self.memory = Memory(asked.memory)

    def answer(self) -> "Answer":
        from ..change import ADVISED
        from ..lsp.answering import answer, changes_of

        name = shown(self.asked.path)
        document = self._document(self.chosen)
        if self.arguments.suggest is None:
            changes = changes_of(document, self.asked, name, ADVISED)
        else:
            form: Form = self.arguments.suggest
            is_other = is_of_host(self.arguments) and self.chosen["target"]
            places = self._document(with_places(self.arguments, self.chosen)) if is_other else document
            changes = changes_of(places, self.asked, name, (form,))
        return answer(document, self.asked, name, changes, tuple(dict.fromkeys(self.said)))

    def rests_on(self) -> "Facts | None":
        """Of the answer; None where it is not known, or something changed meanwhile."""
        from ..cache.basis import files_read
        from ..cache.facts import ChangedError, at_rest, merged

        known = [facts for facts in self.facts if facts is not None]
        if len(known) < len(self.facts):
            return None
        names = files_read(self.asked.path.parent, self.chosen)
        try:
            files = {os.path.abspath(name): at_rest(name, self.since_ns) for name in names}
        except ChangedError:
            return None
        return merged([*known, {"files": files, "lookups": [], "programs": {}, "asked": []}])

    def _document(self, chosen: Settings) -> "Document":
        from ..driver.joining import document, remarks
        from ..driver.run import Input, run

        path = self.asked.path
        plan = from_entry(replace(plan_of(chosen), paths=(str(path),), needs_of_all=False), None)
        plan = replace(plan, context=replace(plan.context, details=True))  # a change says from which sizes on it pays
        results = list(run([Input(path, self.asked.text)], plan, 1, self.folder, memory=self.memory))
        self.facts += [None if result.kept is None else result.kept.facts for result in results]
        made = document(results, plan, keep_sources=False)
        made = replace(made, files=tuple(made.files))  # unpacked, for all that look at it
        self.said += (f"warning: {remark}" for remark in remarks(made, plan))
        if not narrows(self.arguments, chosen):
            return made
        selection, files = selection_of(self.arguments, chosen, path.parent), Baselines(chosen["baseline"], None)
        return narrowed(made, selection, files, self.said.append)
