"""How moves are made, in few lines: the block to paste above the loop, or the command that writes it.

A block is shown where it is all of the change, and there is room for it; a pragma that is too long goes on behind a
backslash, so that it can be pasted. A command is never broken: it is there to be copied, too.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence

from .document import Document, FileEntry, LoopEntry
from .next_step import on_file, typed
from .terminal import UNBROKEN
from .verdict_words import Placement
from .wording import left_to_do

Move = tuple[FileEntry, LoopEntry, Placement | None]

LINES_EACH = 2
"""Lines of a move on average: those that save most may take more than the others leave them."""


def hows(document: Document, moves: Sequence[Move], width: int) -> Iterator[list[str]]:
    """For each move its lines, of at most `width` characters where they can be broken, the last one what is left to be
    done, if there is room for it.

    Example: `["#pragma omp parallel for"]`, `["analyze a.c --suggest-at a.c:12"]`"""
    room = LINES_EACH * len(moves)
    for waiting, move in zip(reversed(range(len(moves))), moves, strict=True):
        block = _block(move[1], width)
        lines = block if block and len(block) <= room - waiting else [writing(document, *move)]
        left = left_to_do(move[1]) if move[1].change is not None and len(lines) < room - waiting else ""
        lines += [left if len(left) <= width else f"{left[: width - 1]}…"] if left else []
        room -= len(lines)
        yield lines


def _block(loop: LoopEntry, width: int) -> list[str]:
    """What is put above the loop; empty where something else is to be changed, too, or it is not known."""
    edits = loop.change.edits if loop.change is not None else ()
    if len(edits) != 1 or (edits[0].line, edits[0].column) != (edits[0].end_line, edits[0].end_column):
        return []
    if edits[0].line != loop.line:
        return []
    whole = re.sub(r"\s*\\\n\s*", " ", edits[0].text).strip()
    lines = [part for line in whole.splitlines() for part in _continued(line.strip(), width)]
    return lines if all(len(line) <= width for line in lines) else []


def _continued(line: str, width: int) -> Sequence[str]:
    """A line in pieces that a compiler takes for one, broken between clauses; a comment stays whole."""
    if len(line) <= width or not line.startswith("#"):
        return [line]
    whole = re.sub(r"\(.*?\)(?=\s|$)", lambda clause: clause[0].replace(" ", UNBROKEN), line)
    pieces = textwrap.wrap(whole, width - 2, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)
    *first, last = (piece.replace(UNBROKEN, " ") for piece in pieces)
    return [*(f"{piece} \\" for piece in first), last]


def writing(document: Document, file: FileEntry, loop: LoopEntry, placement: Placement | None = None) -> str:
    """The command that writes the change of this loop, whether it pays alone or in the program.

    Example: `analyze a.c -I include -t h200 --suggest openmp-target --suggest-at a.c:12`."""
    verdict, command = loop.recommendation, on_file(document, file.path)
    gpus = [name for name in document.targets if document.devices[name].kind == "gpu"]
    is_of_host = loop.change is not None and loop.change.form == "openmp"  # what `--suggest-at` writes by itself
    if verdict.verdict == "offload" and verdict.device in gpus and not is_of_host:
        command += f" -t {typed(verdict.device)} --suggest openmp-target"
    elif placement is not None and placement.moves and gpus and not is_of_host:
        command += f" -t {typed(','.join(gpus))} --suggest openmp-target"
    return f"{command} --suggest-at {typed(file.path)}:{loop.line}"
