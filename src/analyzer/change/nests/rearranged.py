"""Which loops of a run get another form, and the files with them."""

from collections.abc import Iterator

from ...base.errors import InputError
from ...report.document import Document, FileEntry
from ...report.loop_entries import AlternativeEntry, LoopEntry
from ..edits import Edit, edited
from ..files import Patched, Refusal
from ..names import Names
from ..patch import stands
from ..refused import RefusedError, why
from ..shared import is_same_text, others
from ..text import Text, UnreadableError
from .written import written

WORDS = {"interchange": "loops exchanged", "distribution": "loop divided", "fusion": "loops fused"}


def rearranged(document: Document, at: str | None = None) -> Iterator[Patched]:
    """Every file with a nest that another form makes faster. `at`: only the loop at FILE:LINE, be the gain known or
    not. InputError where no loop stands there, or the texts were left out.

    Example: of `for (j...) for (i...) a[i][j] = 0;` the file with the headers of both loops exchanged."""
    if document.sources is None:
        raise InputError("the source text was left out (--no-source): nothing can be changed")
    if at is not None and not any(stands(file, loop, at) for file in document.files for loop in file.loops):
        raise InputError(f"--suggest-at {at}: no loop begins there")
    found = {
        loop.id: way
        for file in document.files
        for loop in file.loops
        if (at is None or stands(file, loop, at)) and (way := best(loop, asked=at is not None)) is not None
    }
    first = sorted(found, key=lambda key: _saved(found[key]), reverse=True)[: document.options.top]
    for file in document.files:
        todo = [(loop, found[loop.id]) for loop in file.loops if loop.id in first]
        if todo and file.path in document.sources:
            yield _of_file(file, document.sources[file.path], todo)


def best(loop: LoopEntry, *, asked: bool = False) -> AlternativeEntry | None:
    """The form that gains most; one without a known gain only where somebody asks for this loop."""
    found = [way for way in loop.alternatives or () if way.plan is not None and (way.gains or asked)]
    return max(found, key=_gain, default=None)


def _saved(way: AlternativeEntry) -> float:
    """Seconds, at the place that saves most."""
    return max((g.before_s.likely - g.after_s.likely for g in way.gains or ()), default=0.0)


def _gain(way: AlternativeEntry) -> float:
    return max((g.speedup.likely for g in way.gains or ()), default=0.0)


def _of_file(file: FileEntry, before: str, todo: list[tuple[LoopEntry, AlternativeEntry]]) -> Patched:
    """Of two forms of the same text the one that saves more is written: the other may be asked for afterwards."""
    text, names = Text(before), Names(before)
    edits: list[Edit] = []
    taken: list[tuple[int, int]] = []
    done: list[tuple[LoopEntry, str]] = []
    refused: list[Refusal] = []
    for loop, way in sorted(todo, key=lambda each: -_saved(each[1])):
        if any(is_same_text(loop, each) for each, _ in done):
            continue
        try:
            _refuse_others(file, loop, way)
            new = written(text, names, way, file.path)
            begin, end = new[0].begin, max(e.end for e in new)
            if any(begin < last and first < end for first, last in taken):
                raise RefusedError("another form changes the same text: ask again when that is written")
        except (RefusedError, UnreadableError) as error:
            refused.append(Refusal(file.path, loop.line, why(error)))
        else:
            edits += [e for e in new if e not in edits]
            taken.append((begin, end))
            done.append((loop, WORDS[way.kind]))
    done.sort(key=lambda each: each[0].line)
    refused = sorted(dict.fromkeys(refused), key=lambda each: each.line)
    return Patched(file.path, before, edited(before, edits), tuple(done), tuple(refused))


def _refuse_others(file: FileEntry, loop: LoopEntry, way: AlternativeEntry) -> None:
    """RefusedError where another loop of this text may not have this form."""
    for other in others(file, loop):
        if all((each.kind, each.plan) != (way.kind, way.plan) for each in other.alternatives or ()):
            raise RefusedError(f"its text is that of a loop of {other.function}(), too, which has no such form")
