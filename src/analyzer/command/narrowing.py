"""What the command line asks to list: from options and settings to a selection, baseline files read and written."""

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from ..base.errors import InputError
from ..report.document import Document
from ..selection import baseline, changes
from ..selection.filters import Names, Selection, check_rules, filtered
from ..selection.repository import kept_from, on_disk, seen_from, top_of
from ..settings.config import Settings, settings
from ..source.project import repository_around, shown

Lines: TypeAlias = Mapping[str, changes.Lines]
"""Lines by path."""


class Baselines(Struct, frozen=True):
    """The files of known findings that are read and written."""

    read: str | None
    write: str | None


CANDIDATES = ("OFF001", "PAR001")
"""What a hook looks for."""


def as_hook(arguments: argparse.Namespace) -> bool:
    """What `--hook` stands for, where the command line does not say otherwise, and whether there is anything to look
    at. Headers count with the files that include them, so alone they are nothing."""
    arguments.paths = [path for path in arguments.paths if Path(path).suffix == ".c"]
    arguments.select = arguments.select or list(CANDIDATES)
    arguments.fail_on = "never" if arguments.hook == "advice" else arguments.fail_on or "warning"
    arguments.format = arguments.format or ["concise"]
    if arguments.paths:
        excluded = settings(arguments, Path(arguments.paths[0]).parent)["exclude"]
        arguments.paths = _without_excluded(arguments.paths, excluded)
    return bool(arguments.paths)


def _without_excluded(paths: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """The paths of a hook that no pattern of `exclude` names: pre-commit gives files one by one, not their folder."""
    if not patterns:
        return list(paths)
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(patterns)
    return [path for path in paths if not spec.match_file(Path(os.path.relpath(path)).as_posix())]


def selection_of(arguments: argparse.Namespace, chosen: Settings, start: Path) -> Selection:
    """What is to be listed; `start` is where the repository is. InputError for unknown rules, a broken baseline, and
    what git refuses."""
    named = chosen["baseline"]
    return Selection(
        select=check_rules(chosen["select"], "--select"),
        ignore=check_rules(chosen["ignore"], "--ignore"),
        per_path=tuple((p, check_rules(names, "per-path-ignores")) for p, names in chosen["per-path-ignores"]),
        folder=os.path.dirname(os.path.abspath(chosen.origin["per-path-ignores"])),
        changed=_changed(arguments, start),
        repository=repository_around(os.path.realpath(start)),
        known=frozenset() if named is None else baseline.read(Path(named)),
        has_baseline=named is not None,
    )


def lists_only(arguments: argparse.Namespace, chosen: Settings) -> bool:
    """Whether only loops are listed, and nothing is shown of the program as a whole: a hook that is left as it is."""
    return bool(arguments.hook) and arguments.select == list(CANDIDATES) and chosen["format"] == ("concise",)


def wanted_lines(arguments: argparse.Namespace, chosen: Settings, selection: Selection | None) -> Lines | None:
    """The lines of which anything is to be known, by the name of the file in reports; None: all. A hook needs no loop
    on other lines, unless what it finds there is written to a baseline, or sizes and profiles have to be checked
    against all functions."""
    others = (arguments.write_baseline, arguments.profile, arguments.size)
    if selection is None or selection.changed is None or any(others) or not lists_only(arguments, chosen):
        return None
    return {shown(path): lines for path, lines in selection.changed.items()}


def narrowed(
    document: Document,
    selection: Selection,
    files: Baselines,
    say: Callable[[str], None],
    *,
    saved: bool = False,
    partly: bool = False,
) -> Document:
    """The document with what is not to be listed marked. Writes a baseline where one is wanted; `say` takes messages
    for the user: how many findings that holds, and which known ones are not found any more. `saved`: the document is
    of an earlier run, which may have been elsewhere. `partly`: it has some of the functions of its files, and of
    others nothing is known."""
    top = top_of([] if saved else [os.path.abspath(file.path) for file in document.files])
    place = on_disk(document, top)
    places = [place(file.path) for file in document.files]

    def naming(kept: str) -> tuple[str, baseline.Naming]:
        folder = kept_from(kept, places, top)
        seen = seen_from(folder)
        return folder, lambda path: seen(place(path))

    names = Names(place, naming(files.read)[1] if files.read is not None else str)
    if selection.known and files.read is not None:
        _say_foreign(files.read, selection, naming(files.read)[0], say)
    if selection.changed is not None:
        _say_not_asked(selection.repository, places, say)
    gone = baseline.stale(selection.known, document, names.in_baseline)
    if partly:
        looked_at = {(names.in_baseline(file.path), loop.function) for file in document.files for loop in file.loops}
        gone = [known for known in gone if (known.path, known.function) in looked_at]
    if gone:
        first = f"{gone[0].path} {gone[0].function}() {gone[0].rule}"
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        say(f"analyze: the baseline holds what is not found any more: {first}{more}; --write-baseline renews it")
    if files.write is not None:
        path = Path(files.write)
        folder, name = naming(files.write)
        entries = baseline.renewed(baseline.read(path) if path.exists() else (), document, name, folder)
        baseline.write(path, entries)
        say(f"analyze: {path} holds {len(entries)} finding{'' if len(entries) == 1 else 's'}")
    return filtered(document, selection, names)


def _say_foreign(name: str, selection: Selection, folder: str, say: Callable[[str], None]) -> None:
    """A baseline that names no file that is there is of other code, or of another folder."""
    if not any(os.path.exists(os.path.join(folder, entry.path)) for entry in selection.known):
        first = min(selection.known).path
        say(f"analyze: warning: --baseline {name}: no file that it names is there, as {first} in {folder}")


def _say_not_asked(asked: str | None, places: Iterable[str], say: Callable[[str], None]) -> None:
    """Changed lines are those of one repository: of files in another one nothing is listed."""
    tops = {top for place in places if (top := repository_around(os.path.dirname(place))) is not None and top != asked}
    if tops:
        shown_tops = ", ".join(shown(top) for top in sorted(tops))
        say(f"analyze: warning: changes in {shown_tops} were not asked for: run there, too, since it is a repository")


def _changed(arguments: argparse.Namespace, start: Path) -> Mapping[str, changes.Lines] | None:
    """The lines that findings are wanted for; None for all."""
    if arguments.changed_since is not None:
        if arguments.staged:
            raise InputError("--changed-since and --staged: give one of the two")
        return changes.changed_since(start, arguments.changed_since)
    if not (arguments.staged or arguments.hook):
        return None
    return changes.staged(start) if arguments.staged else changes.for_hook(start)
