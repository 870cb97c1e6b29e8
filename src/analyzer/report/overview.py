"""A run of many loops in few lines: which loops are worth a move, which a size decides, and what each file holds.

Loops are listed with the reason in one sentence; `-v` lists all of them with their counts and times.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from .document import DiagnosticEntry, Document, FileEntry, LoopEntry
from .findings import is_shown, saved_s
from .move_change import hows
from .ranking import open_inside, open_loops
from .terminal import COLORS, Style, clipped, wrapped
from .verdict_words import VERDICTS, Placement, counted, headline, open_words, placements

FEW = 40
"""Loops that are listed one by one, of at most `FEW_FILES`; those of a single file, up to `FEW_OF_A_FILE`."""
FEW_FILES = 10
FEW_OF_A_FILE = 120

MOST_MOVES, MOST_OPEN, MOST_FILES, MOST_NOTES, MOST_REASONS = 5, 3, 8, 3, 6
MOST_LINES = 4
"""Of one sentence, which names as many things as the code has."""
MOST_OF_PROGRAM = 1
"""Loops, copies and remarks of one kind that are listed of the placement of the whole program."""

Found = tuple[FileEntry, LoopEntry]


def is_short_enough(document: Document) -> bool:
    """Whether all loops of a run are listed one by one, unless less or more is asked for. A header with loops of its
    own, or with something to be said of it, is a file like others."""
    loops = _listed(document)
    files = {file.path for file, _ in loops}
    files |= {file.path for file in document.files if any(is_shown(file, d) for d in file.diagnostics)}
    return len(files) <= FEW_FILES and len(loops) <= (FEW_OF_A_FILE if len(files) == 1 else FEW)


def overview(document: Document, style: Style) -> Iterator[str]:
    """What a run of many loops comes to, without the totals of the run."""
    placed = placements(document.program)
    found = _listed(document)
    moves = sorted((one for one in found if _moves(one[1], placed)), key=_by_gain)
    yield from _moving(document, moves, len(found), placed, style)
    yield from _open(document, style)
    yield from _by_file(document, style)
    yield from _noted(document, style)


def _listed(document: Document) -> list[Found]:
    return [(file, loop) for file in document.files for loop in file.loops if loop.unlisted is None]


# --- moves


def _moves(loop: LoopEntry, placed: Mapping[str, Placement]) -> bool:
    placement = placed.get(loop.id)
    return bool(placement and placement.to) or loop.recommendation.verdict in ("offload", "host-parallel")


def _by_gain(found: Found) -> tuple[float, float]:
    """Those that save most first, as on the page; of those whose time is not known, those that gain most."""
    _, loop = found
    gain = loop.recommendation.speedup
    return -saved_s(loop), -(gain.likely if gain is not None else 1.0)


def _moving(
    document: Document, moves: Sequence[Found], of: int, placed: Mapping[str, Placement], style: Style
) -> Iterator[str]:
    if not moves:
        return
    said = f"{len(moves)} of {counted('loop', of)}, the largest saving first"
    yield from ("", f"{style.paint('Worth a move', '1')}  {said}")
    shown = [(file, loop, placed.get(loop.id)) for file, loop in moves[:MOST_MOVES]]
    for (file, loop, placement), how in zip(shown, hows(document, shown, style.width - 6), strict=True):
        color = COLORS["offload" if placement is not None and placement.moves else loop.recommendation.verdict]
        yield f"  {_place(file, loop)}"
        yield f"      {style.paint(headline(loop, placement), color)}"
        if loop.requires:
            conditions = ", ".join(f"{c.kind}({c.text})" for c in loop.requires)
            yield from clipped(f"{'':6}{'if':<8}", conditions, style, MOST_LINES)
        yield from (" " * 6 + line for line in how)
    yield from _more(len(moves) - MOST_MOVES)


def _place(file: FileEntry, loop: LoopEntry) -> str:
    return f"{file.path}:{loop.line}:{loop.column} in {loop.function}()"


def _more(left: int) -> Iterator[str]:
    if left > 0:
        yield f"  ... and {left} more, which -v lists"


# --- what is open


def _open(document: Document, style: Style) -> Iterator[str]:
    """The loops that a size or overlapping ranges decide, those first that run most often."""
    waiting = open_loops(document)
    if not waiting:
        return
    inside = open_inside(document)
    said = counted("loop", len(waiting)) + (f" and {inside} inside them" if inside else "")
    yield from ("", f"{style.paint('Open', '1')}  {said}, those first that run most often")
    for file, loop in waiting[:MOST_OPEN]:
        yield f"  {_place(file, loop)}"
        yield from clipped(" " * 6, open_words(loop.recommendation), style, MOST_LINES)
    yield from _more(len(waiting) - MOST_OPEN)


# --- files


def _by_file(document: Document, style: Style) -> Iterator[str]:
    """The files with the most loops that are worth a move, then those with the most that are open."""
    verdicts = [(file, _verdicts(file)) for file in document.files]
    holding = [(file, each) for file, each in verdicts if each]
    if not holding:
        return
    holding.sort(key=lambda pair: tuple(-pair[1][words.name] for words in VERDICTS))
    yield from ("", f"{style.paint('By file', '1')}")
    for file, each in holding[:MOST_FILES]:
        yield from wrapped(f"  {file.path}  ", _counts(each), style)
    rest = holding[MOST_FILES:]
    if rest:
        total = sum((each for _, each in rest), Counter[str]())
        yield from wrapped(f"  {len(rest)} more  ", _counts(total), style)


def _verdicts(file: FileEntry) -> Counter[str]:
    return Counter[str](loop.recommendation.verdict for loop in file.loops if loop.unlisted is None)


def _counts(verdicts: Mapping[str, int]) -> str:
    return ", ".join(f"{verdicts[words.name]} {words.name}" for words in VERDICTS if verdicts.get(words.name))


# --- diagnostics


def _noted(document: Document, style: Style) -> Iterator[str]:
    """What was noticed while the files were read, each message once."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for file in document.files:
        for d in file.diagnostics:
            if is_shown(file, d):
                found.setdefault((d.level, d.message, d.rule), []).append(_where(file, d))
    if not found:
        return
    yield from ("", style.paint("Noted", "1"))
    worst_first = sorted(found.items(), key=lambda each: ("error", "warning", "note").index(each[0][0]))
    for (level, message, rule), places in worst_first[:MOST_NOTES]:
        also = f", and {counted('more place', len(places) - 1)}" if len(places) > 1 else ""
        yield from clipped("  ", f"{places[0]}: {level}: {message} [{rule}]{also}", style, MOST_LINES)
    yield from _more(len(found) - MOST_NOTES)


def _where(file: FileEntry, d: DiagnosticEntry) -> str:
    return f"{d.header or file.path}:{d.line}"
