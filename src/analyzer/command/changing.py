"""`--suggest`, `--suggest-at`, `--apply` and `-f patch`: the change of the source, shown or made."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..base.errors import InputError
from ..settings.config import Settings

if TYPE_CHECKING:
    from ..change import Patched
    from ..change.form import Form
    from ..report.document import Document

_WITHOUT_CUDA = frozenset(("AMD", "Intel", "ARM", "Apple", "Qualcomm", "Imagination"))
"""Makers of GPUs, as names of devices begin."""
_BOM = b"\xef\xbb\xbf"


def suggests(arguments: argparse.Namespace) -> bool:
    """Whether a change of the source is asked for."""
    formats = arguments.format or ()
    asked = arguments.suggest is not None or arguments.suggest_at is not None or arguments.apply
    return asked or any(item.partition("=")[0] == "patch" for item in formats)


def of_changes(arguments: argparse.Namespace, chosen: Settings) -> Settings:
    """The settings with the format that a change is shown in, where none was asked for. InputError for `--apply` where
    nothing says what to apply."""
    if arguments.apply and arguments.suggest is None and arguments.suggest_at is None:
        raise InputError("--apply: say what to apply, as in --suggest openmp --apply")
    if chosen.origin["format"] != "default":
        return chosen
    return replace(chosen, values={**chosen.values, "format": () if arguments.apply else ("patch",)})


def is_alone(arguments: argparse.Namespace, outputs: "Sequence[tuple[str, Path | None]]") -> bool:
    """Whether the run shows nothing but the change."""
    return arguments.why is None and all(name == "patch" for name, _ in outputs)


def is_of_host(arguments: argparse.Namespace) -> bool:
    """Whether the change is for the threads of the host, where targets play no part."""
    return arguments.suggest in (None, "openmp", "loops")


def with_places(arguments: argparse.Namespace, chosen: Settings) -> Settings:
    """The settings of a run that asks for the places of the change alone: OpenMP's threads are the host's own.
    InputError where a device is asked for, and none is named."""
    if is_of_host(arguments):
        return replace(chosen, values={**chosen.values, "target": ()})
    if not chosen["target"]:
        raise InputError(f"--suggest {arguments.suggest}: name the device, as in --target h200 (--list-targets)")
    return chosen


def changes_of(
    document: "Document", arguments: argparse.Namespace, say: Callable[[str], None]
) -> "tuple[Patched, ...]":
    """The changes of all files. Says what is not changed, and why. InputError for a saved report of other places."""
    from ..change import patched, rearranged

    form: Form = arguments.suggest or "openmp"
    at: str | None = arguments.suggest_at
    if is_of_host(arguments) and document.targets:
        raise InputError("--suggest openmp: the saved report is about targets, too; save one without --target")
    if not is_of_host(arguments) and not document.targets:
        raise InputError(f"--suggest {form}: the saved report is about no target; save one with --target")
    if not is_of_host(arguments):
        _refuse_devices(document, form)
    found = tuple(rearranged(document, at) if arguments.suggest == "loops" else patched(document, form, at))
    for file in found:
        for loop in file.refused:
            say(f"analyze: {loop.path}:{loop.line} is not changed: {loop.why}")
    if not any(file.changed for file in found):
        places = document.host if is_of_host(arguments) else " or ".join(document.targets)
        other = "that is known to be faster in another form"
        pays = other if arguments.suggest == "loops" else f"that pays on {places}"
        say(f"analyze: nothing to change: no loop{'' if at is None else ' there'} {pays}")
    beside = [file.path for file in found if file.changed and _is_beside(file.path)]
    if beside and not arguments.apply:
        why = "is not below this folder: `patch` takes no such name; go to one around it, or --apply"
        say(f"analyze: {beside[0]} {why}")
    return found


def _is_beside(path: str) -> bool:
    """Whether a file is outside of the current folder, so that no patch for it applies here."""
    return path.startswith("../") or os.path.isabs(path)


def _refuse_devices(document: "Document", form: str) -> None:
    """InputError where no target runs what is written."""
    used = {key: document.devices[key] for key in document.targets if key in document.devices}
    gpus = {key: device for key, device in used.items() if device.kind == "gpu"}
    if used and not gpus:
        key, device = next(iter(used.items()))
        other = "; --suggest openmp is for the threads of the host" if device.kind == "cpu" else ""
        raise InputError(f"--suggest {form}: {key} ({device.name}) is no GPU{other}")
    if form == "cuda" and gpus and all(device.name.split(maxsplit=1)[0] in _WITHOUT_CUDA for device in gpus.values()):
        key, device = next(iter(gpus.items()))
        others = "openmp-target and openacc are for it, too"
        raise InputError(f"--suggest cuda: {key} ({device.name}) does not run CUDA; {others}")


def applied(changes: "Sequence[Patched]") -> Iterator[str]:
    """Writes the changed files, and yields a line for each loop. InputError where a file is no longer what was
    analysed, or cannot be written; nothing is written then."""
    changed = (file for file in changes if file.after != file.before)
    todo = [(Path(file.path) if file.is_new else _target(file.path), file) for file in changed]
    for path, file in todo:
        if file.is_new and path.exists():
            raise InputError(f"{file.path}: there is such a file already: nothing is applied")
        if not file.is_new and _text(path) != file.before:
            raise InputError(f"{file.path}: changed since it was analysed: nothing is applied")
    for path, file in todo:
        _write(path, file.after)
        for loop, directive in file.changed:
            yield f"{file.path}:{loop.line}: {directive}\n"


def _target(path: str) -> Path:
    if not os.path.isfile(path):
        raise InputError(f"{path}: no file that could be changed")
    return Path(os.path.realpath(path))


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig", "surrogateescape")


def _write(path: Path, text: str) -> None:
    """All of the file or nothing: no half of it is ever there."""
    import shutil
    import tempfile

    is_new = not path.exists()
    mark = _BOM if not is_new and path.read_bytes().startswith(_BOM) else b""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(mark + text.encode("utf-8", "surrogateescape"))
        if is_new:
            os.chmod(name, 0o644)
        else:
            shutil.copymode(path, name)
        os.replace(name, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
