"""The change of a loop as `analyze --suggest` writes it, for a run that is compared with the original."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec.structs import replace

from analyzer.change.chosen import wanted
from analyzer.change.conditions import with_sections
from analyzer.change.cuda import started
from analyzer.change.form import Form
from analyzer.change.loop_change import Change
from analyzer.change.names import Names
from analyzer.change.refused import RefusedError
from analyzer.change.text import Text
from analyzer.change.wanted import Wanted
from analyzer.change.writing import change
from analyzer.report.codec import from_json
from analyzer.report.document import FileEntry
from analyzer.report.loop_entries import LoopEntry

from .rewriting import CannotRewriteError, Changed, Edit, edited, renamed
from .tokens import Source

Entries = Mapping[str, tuple[FileEntry, LoopEntry]]
"""Loops as the program knows them, by id, with their file."""


def entries(report: bytes) -> Entries:
    """All loops of a report in JSON."""
    document = from_json(report.decode("utf-8", "surrogateescape"), "answers")
    return {loop.id: (file, loop) for file in document.files for loop in file.loops}


Trial: TypeAlias = Form | Literal["simd", "archer"]
"""What is tried: `simd` is OpenMP with vectors of one thread, which else pay at few sizes, and `archer` OpenMP under
clang's ThreadSanitizer."""


def patched(text: str, file: FileEntry, loop: LoopEntry, name: str, trial: Trial) -> Changed:
    """The function around the loop, called `name`, with the change of the program in it: in whatever schedule the
    calling program chooses, and for all sizes."""
    form: Form = "openmp" if trial in ("simd", "archer") else trial
    counts_down = (loop.step or "").startswith("-") and not any(r.kind == "canonical-loop" for r in loop.rewrites)
    copies_back = any(r.clause in ("lastprivate", "first_last") for r in loop.rewrites)
    vectors = loop.construct == "parallel for simd"  # which hands its counter over
    hands_over = loop.last_private or copies_back or vectors
    told = replace(loop, schedule="static,1" if counts_down and not hands_over else "runtime")
    try:
        said = wanted(Text(text), loop, form, file.loops, asked=True)
        if trial == "simd":
            said = Wanted("simd", None, said.remarks, said.tested)
        elif form == "openmp":
            said = Wanted(loop.construct or "parallel for", None, said.remarks, said.tested)
        else:
            said = replace(said, condition=with_sections(Text(text), loop, None))
        if form == "cuda":
            return _with_kernel(text, file, loop, name, said)
        new = change(Text(text), Names(text), told, said, file.path)
    except RefusedError as error:
        raise CannotRewriteError(str(error)) from None
    return _written(text, loop, name, new)


def _written(text: str, loop: LoopEntry, name: str, new: Change) -> Changed:
    source = Source(text)
    around = source.function(source.offset(loop.line, loop.column))
    if around is None:
        raise CannotRewriteError("no function around the loop")
    begin, end = source.tokens[around[0]].begin, source.tokens[around[1]].end
    edits = [Edit(e.begin, e.end, e.text) for e in new.edits]
    inside = [e for e in edits if begin <= e.begin < end]
    whole = edited(text, [renamed(source, around[0], loop.function, name), *inside], begin, end)
    return Changed(begin, end, whole, tuple(e for e in edits if e not in inside))


def _with_kernel(text: str, file: FileEntry, loop: LoopEntry, name: str, said: Wanted) -> Changed:
    """The function with the call of a kernel in it, for a compiler that is told nothing."""
    found = started(Text(text), Names(text), loop, said, file)
    *inside, _ = found.change.edits
    made = _written(text, loop, name, replace(found.change, edits=tuple(inside)))
    code = re.sub(r"(?m)^#ifdef USE_CUDA$", "#if 1", made.text)
    return dataclasses.replace(made, text=f"{found.kernel.prototype()};\n{code}", kernel=(found.kernel, loop))
