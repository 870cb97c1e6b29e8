"""Results of single files merged into one document: entries of one path become one, and the whole program is placed."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from msgspec.structs import replace

from .. import __version__
from ..base.errors import InputError
from ..base.near_names import near_names
from ..base.packing import Packed, Part, part, parts_of, unpacked
from ..report.answer import answered
from ..report.build import device_used, diagnostic_entry, summary
from ..report.document import (
    SCHEMA_VERSION,
    Document,
    FileEntry,
    LoopEntry,
    Options,
    ProjectionEntry,
    SymbolEntry,
    Tool,
)
from ..report.program_entries import ProgramEntry
from ..selection.repository import repository_entry, top_of
from ..settings.options import HOST_FLAGS
from ..sizes.values import FACT, Size, unmatched
from ..source.findings import SYNTAX, UNKNOWN_TYPE
from ..source.unit import Diagnostic
from . import stated

if TYPE_CHECKING:
    from .run import Plan, Result


def document(results: Iterable["Result"], plan: "Plan", *, keep_sources: bool) -> Document:
    """All results as one document, files in the order of their paths, whatever the order of the results. InputError
    for an `--entry` that is no function of them."""
    found = [(parts_of(result.files, lambda file: file.path), result) for result in results]
    found.sort(key=lambda pair: [one.name for one in pair[0]])
    collected = [result for _, result in found]
    parts = _merged(one for parts, _ in found for one in parts)
    parts = _with_diagnostics(parts, stated.remarks((s for r in collected for s in r.stated), plan.source.facts))
    files: Sequence[FileEntry] = Packed(parts) if plan.context.details else tuple(map(unpacked, parts))
    top = top_of([os.path.abspath(one.name) for one in parts])
    symbols = sorted({s for r in collected for s in r.symbols}, key=lambda s: (s.scope, s.name))
    sources = {path: text for r in collected for path, text in r.sources.items()}
    context = plan.context
    program, no_program = _program(collected, plan)
    made = Document(
        schema_version=SCHEMA_VERSION,
        tool=Tool("analyze", __version__),
        options=_options(plan),
        host=context.host.id,
        targets=tuple(device.id for device in context.targets),
        answer=None,
        devices={device.id: device_used(device) for device in (context.host, *context.targets)},
        symbols=tuple(symbols),
        sources=dict(sorted(sources.items())) if keep_sources else None,
        files=files,
        program=program,
        no_program=no_program,
        summary=summary(files),
        projection=_projection(plan, files),
        repository=repository_entry(top) if plan.root is None else None,
    )
    return answered(made)


def _program(results: list["Result"], plan: "Plan") -> tuple[ProgramEntry | None, str | None]:
    """The placement of the program as a whole, or why there is none (neither: it was not asked for)."""
    if plan.source.entry is None or plan.source.sizes_only:
        return None, None
    if plan.shard is not None:
        return None, f"this is part {plan.shard} of the files; one run over all of them places the program"
    from ..program import NoAnswer, answer, lives
    from ..report.program import program_entry

    outlines = [outline for result in results for outline in result.outlines]
    if plan.entry is not None and all(outline.name != plan.entry for outline in outlines):
        near = near_names(plan.entry, (outline.name for outline in outlines))
        raise InputError(f"--entry {plan.entry}: no such function was read{near}")
    given = {key: values for result in results for key, values in result.given.items()}
    try:
        found = answer(outlines, plan.context, given, plan.entry)
        if isinstance(found, NoAnswer):
            return None, found.reason
        return program_entry(found, lives(outlines, plan.entry) if plan.context.details else None), None
    except (Exception, RecursionError, MemoryError) as error:  # the loops and their verdicts are kept
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        return None, f"internal error ({type(error).__name__}: {error}); please report it"


def _projection(plan: "Plan", files: Sequence[FileEntry]) -> ProjectionEntry | None:
    if plan.profile is None:
        return None
    from ..profiles.coverage import coverage, refuse_foreign
    from ..report.application import projection

    refuse_foreign(plan.profile, files)
    shares = coverage(plan.profile, files)
    loops = (loop for file in files for loop in file.loops)
    return projection(loops, shares.loops, shares.functions, measured=shares.measured)


_CAUTION = ("no", "unknown", "conditional", "yes")
_UNREAD = frozenset((UNKNOWN_TYPE, SYNTAX))
"""Of a text that is not all C as it stands."""


def _merged(parts: Iterable[Part]) -> tuple[Part, ...]:
    """One entry per path: a header that several files include lists each of its loops once."""
    by_path: dict[str, list[Part]] = {}
    for one in parts:
        by_path.setdefault(one.name, []).append(one)
    return tuple(
        of[0] if len(of) == 1 else part(joined(list(map(unpacked, of))), path) for path, of in sorted(by_path.items())
    )


def _most_cautious(left: Sequence[LoopEntry], right: Sequence[LoopEntry]) -> Iterator[LoopEntry]:
    """The loops of both, those last that are to be listed: of a function that macros make another one in two files that
    include it, those of the file in which less is parallel."""

    def answers(loops: Sequence[LoopEntry]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for loop in loops:
            found.setdefault(loop.function, []).append(_CAUTION.index(loop.parallel))
        return found

    ours, theirs = answers(left), answers(right)
    kept = {name for name in ours if name not in theirs or sorted(ours[name]) <= sorted(theirs[name])}
    yield from (loop for loop in left if loop.function not in kept)
    yield from right
    yield from (loop for loop in left if loop.function in kept)


def _with_diagnostics(parts: tuple[Part, ...], more: Iterable[tuple[str, Diagnostic]]) -> tuple[Part, ...]:
    """With more to say of files; the first one has what is about none of them."""
    by_path: dict[str, list[Diagnostic]] = {}
    paths = {one.name for one in parts}
    for path, diagnostic in more:
        by_path.setdefault(path if path in paths else parts[0].name, []).append(diagnostic)

    def with_own(one: Part) -> Part:
        if one.name not in by_path:
            return one
        file: FileEntry = unpacked(one)
        own = (diagnostic_entry(one.name, d) for d in by_path[one.name])
        every = sorted((*file.diagnostics, *own), key=lambda d: (d.line, d.column, d.rule, d.message))
        return part(replace(file, diagnostics=tuple(every)), one.name)

    return tuple(map(with_own, parts))


def joined(readings: Sequence[FileEntry]) -> FileEntry:
    """What several readings of one file say of it: by itself, and in each file that includes it. Where some know all
    types, the others say nothing of loops that those have, too: a template is no file of its own."""
    known = {id(file) for file in readings if all(d.rule not in _UNREAD for d in file.diagnostics)}
    places = {place for file in readings if id(file) in known for place in _places(file)}
    said = [file if id(file) in known or not _places(file) <= places else _without_loops(file) for file in readings]
    return reduce(_union, said)


def _places(file: FileEntry) -> set[tuple[int, int]]:
    return {(loop.line, loop.column) for loop in file.loops}


def _without_loops(file: FileEntry) -> FileEntry:
    return replace(file, functions_total=0, functions_analyzed=0, loops_total=0, diagnostics=(), loops=())


def _union(left: FileEntry, right: FileEntry) -> FileEntry:
    """What two readings of one file say of it."""
    loops = {loop.id: loop for loop in _most_cautious(left.loops, right.loops)}
    ordered = tuple(sorted(loops.values(), key=lambda loop: (loop.line, loop.column, loop.id)))
    diagnostics = tuple(dict.fromkeys((*left.diagnostics, *right.diagnostics)))
    return FileEntry(
        path=left.path,
        functions_total=max(left.functions_total, right.functions_total),
        functions_analyzed=max(left.functions_analyzed, right.functions_analyzed),
        loops_total=len(ordered),
        diagnostics=tuple(sorted(diagnostics, key=lambda d: (d.line, d.column, d.rule, d.message))),
        loops=ordered,
        ignored=tuple(dict.fromkeys((*left.ignored, *right.ignored))),
        communication=tuple({c.function: c for c in (*right.communication, *left.communication)}.values()),
    )


def remarks(document: Document, plan: "Plan") -> Iterator[str]:
    """Options of the command line that had nothing to act on. InputError for a `--size` that is a macro."""
    yield from _idle_sizes(plan.sizes, document.symbols)
    asked = plan.ranks is not None or plan.network is not None
    if asked and not any(f.communication or any(loop.network for loop in f.loops) for f in document.files):
        yield f"{'--ranks' if plan.ranks is not None else '--network'}: no function of these files calls MPI"


def _idle_sizes(settings: tuple[Size, ...], symbols: Iterable[SymbolEntry]) -> Iterator[str]:
    known: dict[tuple[str, str], list[str]] = {}
    macros: dict[str, list[str]] = {}
    for symbol in symbols:
        path, _, function = symbol.scope.rpartition(":") if symbol.source != "macro" else (symbol.scope, "", "")
        if symbol.source == "macro":
            macros.setdefault(path, []).append(symbol.name)
        else:
            known.setdefault((path, function), []).append(symbol.name)
    yield from unmatched(settings, known, macros)


def _options(plan: "Plan") -> Options:
    source, analysis = plan.source, plan.analysis
    files = sorted({fact.said.path for fact in source.facts if fact.said.line})
    allocators = tuple(fact.text for fact in source.facts if not fact.said.line)
    return Options(
        paths=plan.paths,
        model=plan.context.model,
        assume=analysis.assume,
        strict_fp=analysis.strict_fp,
        count_as=analysis.count_as,
        min_speedup=plan.context.min_speedup,
        sizes=tuple(size.written for size in plan.sizes if size.source != FACT),
        defines=source.defines,
        undefines=source.undefines,
        includes=source.includes,
        standard=source.standard,
        abi=source.abi,
        network=None if plan.network is None else plan.network.id,
        ranks=plan.ranks,
        entry=plan.entry,
        facts=tuple(files) or None,
        alloc=allocators or None,
        detail=plan.detail,
        resident=plan.context.resident or None,
        mapping="naive" if plan.context.mapping == "naive" else None,
        cflags=None if plan.context.cflags == HOST_FLAGS else plan.context.cflags,
    )
