"""Programs of C text, placed as a whole: files by name, the answer as short tuples."""

from collections.abc import Mapping
from pathlib import Path

from analyzer.advise import Context
from analyzer.driver.analysis import analyzed
from analyzer.program import Answer, NoAnswer, answer
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import find_device

CONTEXT = Context(find_device("xeon6248"), (find_device("h200"),))


def place(
    folder: Path,
    files: Mapping[str, str],
    *,
    entry: str | None = None,
    sizes: Mapping[tuple[str, str], Mapping[str, int]] | None = None,
    context: Context = CONTEXT,
    defines: tuple[str, ...] = (),
) -> Answer | NoAnswer:
    """The answer for the program that `files` (text by name) are."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    source = SourceOptions(entry=entry or "main", defines=defines)
    units = [analyzed(folder / n, source, AnalysisOptions(), folder) for n in files if n.endswith(".c")]
    return answer((o for unit in units for o in unit.outlines), context, sizes or {}, entry)


def placed(folder: Path, files: Mapping[str, str], **choices: object) -> Answer:
    found = place(folder, files, **choices)  # type: ignore[arg-type]
    assert isinstance(found, Answer), found
    return found


def runs(found: Answer) -> list[tuple[str, float]]:
    """(function:line, executions) of every loop, in the order of execution."""
    return [(f"{p.function}:{p.line}", p.executions) for p in found.loops]


def where(found: Answer) -> dict[str, str]:
    return {f"{p.function}:{p.line}": p.device for p in found.loops}


def copies(found: Answer) -> list[tuple[str, str, float, float]]:
    """(array, to, bytes, times)"""
    return [(c.array, c.target, c.bytes, c.times) for c in found.copies]
