"""Figures in a file, in the format of its suffix."""

from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError, reason
from .page import Figure, page, picture
from .picture import stacked, svg

SUFFIXES = (".svg", ".png", ".html")


def require_suffix(path: Path, others: Sequence[str] = ()) -> None:
    """InputError for a file that has none of the suffixes."""
    known = (*SUFFIXES, *others)
    if path.suffix not in known:
        raise InputError(f"{path} is neither {', '.join(known[:-1])} nor {known[-1]}")


def save(option: str, path: Path, title: str, figures: Sequence[Figure]) -> None:
    """Writes the figures one below the other; InputError where the file cannot be written."""
    require_suffix(path)
    if path.suffix == ".html":
        _write(option, path, page(title, figures))
        return
    whole = stacked(title, [picture(figure) for figure in figures])
    if path.suffix == ".svg":
        _write(option, path, svg(whole))
        return
    from .png import write_png

    write_png(path, whole)


def _write(option: str, path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{option}: {path}: {reason(error)}") from error
