"""A run: files in, one document out. Files are independent of each other, so they may go to several processes.

Two boundaries keep one bad input from costing the rest: around each file here (and around each function in `analysis`
and below), where any exception of ours becomes a finding; and in the command.
"""

import os
from collections.abc import Iterable, Iterator
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from models.catalogue import Device

from . import __version__
from .advise import Advice, Context, Recommendation, advise
from .analysis import NO_COUNTS, analyze_file
from .directives import ignores
from .errors import InputError
from .facts import Communication, FileFacts, FunctionFacts, LoopFacts
from .fingerprints import Spot, fingerprints
from .options import AnalysisOptions, SourceOptions
from .profiles.counted import LoopCount
from .profiles.model import Profile
from .program.outline import Outline
from .report.advised import NO_ADVICE, advised
from .report.build import Communicated, count_entry, device_used, file_entry, loop_entry, summary, symbol_entries
from .report.document import (
    SCHEMA_VERSION,
    CommunicationEntry,
    DiagnosticEntry,
    Document,
    FileEntry,
    IgnoreEntry,
    LoopEntry,
    Options,
    ProfiledEntry,
    ProjectionEntry,
    SymbolEntry,
    Tool,
)
from .report.findings import unused_ignores
from .report.program_entries import ProgramEntry
from .rules import DISOBEYED, INTERNAL_ERROR, UNREADABLE
from .sizes import Size, refuse_unmatched, sizes_of, values_of

if TYPE_CHECKING:
    from models.communication.roofs import System

FILES_WORTH_PROCESSES = 8
"""Starting worker processes costs about as much as analysing a few files."""


class Plan(Struct, frozen=True):
    """Everything that is the same for all files of a run."""

    source: SourceOptions
    analysis: AnalysisOptions
    context: Context
    sizes: tuple[Size, ...] = ()
    root: Path | None = None
    paths: tuple[str, ...] = ()
    network: "System | None" = None
    ranks: int | None = None
    """System and number of processes of MPI programs."""
    profile: Profile | None = None
    entry: str | None = None
    """Where the program starts; None: main, or every function that no other one calls."""


class Input(Struct, frozen=True):
    """A file, with its text where it is not on disk (standard input)."""

    path: Path
    text: str | None = None


class Result(Struct, frozen=True):
    """One input analysed: its own entry and those of project headers with functions.

    `symbols`: names by (path, function), `macros`: by path, to check `--size` against. `trouble`: what the exit code
    has to say: "input" (could not be read), "bug" (an error of ours). `outlines`, `given`: for the program as a whole,
    its functions and the sizes that hold in them, by (path, function)."""

    files: tuple[FileEntry, ...]
    symbols: tuple[SymbolEntry, ...]
    sources: dict[str, str]
    trouble: frozenset[str] = frozenset()
    outlines: tuple[Outline, ...] = ()
    given: dict[tuple[str, str], dict[str, int]] = {}


# --- one file


def analyse(item: Input, plan: Plan) -> Result:
    """Facts, advice and entries of one file. Never raises but for a directive that cannot be read (InputError)."""
    try:
        facts = analyze_file(item.path, plan.source, plan.analysis, plan.root, item.text)
    except InputError as error:
        return _lost(item, UNREADABLE, error.message, "input", error.place.path if error.place else None)
    except (Exception, RecursionError, MemoryError) as error:
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        return _lost(item, INTERNAL_ERROR, f"internal error ({type(error).__name__}: {error}); please report it", "bug")
    results = [_file_result(file, plan, item.path, facts.outlines) for file in (facts, *facts.headers)]
    return Result(
        files=tuple(f for r in results for f in r.files),
        symbols=tuple(s for r in results for s in r.symbols),
        sources={path: text for r in results for path, text in r.sources.items()},
        trouble=frozenset().union(*(r.trouble for r in results)),
        outlines=(*(o for r in results for o in r.outlines), *_of_others(facts)),
        given={key: values for r in results for key, values in r.given.items()},
    )


def _lost(item: Input, rule: str, message: str, trouble: str, name: str | None = None) -> Result:
    path = name or os.path.relpath(item.path).replace(os.sep, "/")
    entry = FileEntry(path, 0, 0, 0, (DiagnosticEntry(rule, "error", message, 1, 1),), ())
    return Result((entry,), (), {}, frozenset({trouble}))


def _file_result(file: FileFacts, plan: Plan, on_disk: Path, outlines: tuple[Outline, ...]) -> Result:
    counted: dict[str, LoopCount] = {}
    run_sizes: dict[str, dict[str, int]] = {}
    if plan.profile is not None:
        from .profiles.using import used

        told = used(plan.profile, file, on_disk)
        file, run_sizes, counted = told.facts, told.sizes, told.loops
    loops: list[LoopEntry] = []
    communication: list[CommunicationEntry] = []
    extra: list[DiagnosticEntry] = []
    settings: dict[str, dict[str, Size]] = {}
    for function in file.functions:
        found = _of_run(run_sizes.get(function.function.name, {})) | sizes_of(file, function, plan.sizes)
        settings[function.function.name] = found
        try:
            if plan.ranks is not None:
                found = settings[function.function.name] = _with_ranks(function, found, plan.ranks)
            loops += _function_loops(function, plan, found)
            if function.communication is not None:
                communication.append(_communication(function, function.communication, plan, found))
        except (Exception, RecursionError, MemoryError) as error:
            if os.environ.get("BOATHULL_DEBUG"):
                raise
            place, name = function.function.place, function.function.name
            message = f"internal error in function {name} ({type(error).__name__}: {error}); please report it"
            extra.append(DiagnosticEntry(INTERNAL_ERROR, "error", message, place.line, place.column))
            loops += [_failed_loop(loop, error) for loop in function.loops]
    loops = [_with_counts(loop, counted.get(loop.id)) for loop in loops]
    prints = fingerprints(file.source_text, (Spot(e.id, e.function, e.line, e.column) for e in loops))
    entry = file_entry(file, (replace(loop, fingerprint=prints[loop.id]) for loop in loops))
    entry = replace(
        entry,
        diagnostics=tuple(sorted((*entry.diagnostics, *extra), key=lambda d: (d.line, d.column))),
        ignored=tuple(IgnoreEntry(i.line, i.rule, i.reason) for i in ignores(file.directives)),
        communication=tuple(communication),
    )
    unused = (DiagnosticEntry(DISOBEYED, "note", said, line, 1) for line, said in unused_ignores(entry))
    entry = replace(entry, diagnostics=tuple(sorted((*entry.diagnostics, *unused), key=lambda d: (d.line, d.column))))
    sources = {file.path: file.source_text} if file.source_text else {}
    failed = file.failed or bool(extra)
    sizes = {name: values_of(found) for name, found in settings.items()}
    given = {(file.path, name): values for name, values in sizes.items()}
    trouble = frozenset({"bug"} if failed else ())
    known = advised(outlines, file, loops, sizes)
    return Result((entry,), symbol_entries(file, settings), sources, trouble, known, given)


def _of_others(facts: FileFacts) -> tuple[Outline, ...]:
    """Outlines of functions that are not reported: those of system headers."""
    reported = {file.path for file in (facts, *facts.headers)}
    return tuple(o for o in facts.outlines if o.path not in reported)


def _function_loops(function: FunctionFacts, plan: Plan, settings: dict[str, Size]) -> list[LoopEntry]:
    values = values_of(settings)
    ranges = {name: (size.value, size.last) for name, size in settings.items() if size.last is not None}
    advice = advise(function, plan.context, values, ranges)
    return [loop_entry(loop, advice[loop.id], values, _loop_network(loop, plan, values)) for loop in function.loops]


# --- profiles


def _of_run(sizes: dict[str, int]) -> dict[str, Size]:
    return {name: Size(name, value, None, None, "profile", "--profile") for name, value in sizes.items()}


def _with_counts(loop: LoopEntry, count: LoopCount | None) -> LoopEntry:
    if count is None:
        return loop
    trip, mean = loop.trip_count, count.trip_count
    if trip is not None and trip.value is None and mean is not None:
        trip = replace(trip, value=int(mean) if mean == int(mean) else mean, exact=False)
    return replace(loop, trip_count=trip, profile=ProfiledEntry(count.entries, count.iterations, mean))


def _projection(plan: Plan, files: tuple[FileEntry, ...]) -> ProjectionEntry | None:
    if plan.profile is None:
        return None
    from .advise.projection import projection
    from .profiles.coverage import blocks, coverage, refuse_foreign

    refuse_foreign(plan.profile, files)
    shares = coverage(plan.profile, files)
    return projection((b for f in files for b in blocks(f.loops)), shares.loops, measured=shares.measured)


# --- communication of MPI programs


def _with_ranks(function: FunctionFacts, sizes: dict[str, Size], ranks: int) -> dict[str, Size]:
    """The sizes with the number of processes, under the name that formulas of this function have for it."""
    from .mpi.processes import world

    networks = [loop.network for loop in function.loops]
    if function.communication is not None:
        networks.append(function.communication.network)
    names = {world(network)[0] for network in networks if network is not None}
    return sizes | {name: Size(name, ranks, None, None, "option", f"--ranks {ranks}") for name in names}


def _loop_network(loop: LoopFacts, plan: Plan, values: dict[str, int]) -> Communicated | None:
    if loop.network is None:
        return None
    from .advise.network import bounded
    from .counts.totals import plus
    from .report.network import entries

    c = loop.counts
    flops = plus((c.flops_fp32, c.flops_fp64))
    advice = bounded(loop.network, flops, plus((c.read_footprint, c.write_footprint)), plan.network, values)
    return entries(loop.network, flops, advice, values)


def _communication(
    function: FunctionFacts, found: Communication, plan: Plan, sizes: dict[str, Size]
) -> CommunicationEntry:
    from .advise.network import bounded
    from .report.network import entries

    values = {name: size.value for name, size in sizes.items()}
    advice = bounded(found.network, found.flops, found.memory, plan.network, values)
    bytes_, intensity, entry = entries(found.network, found.flops, advice, values)
    flops, memory = count_entry(found.flops, values), count_entry(found.memory, values)
    place = function.function.place
    return CommunicationEntry(function.function.name, place.line, flops, memory, bytes_, intensity, entry)


def _failed_loop(loop: LoopFacts, error: BaseException) -> LoopEntry:
    """A loop whose advice failed keeps its place and its answer; what may have caused the failure is left out."""
    message = f"internal error ({type(error).__name__}); no advice is given"
    bare = replace(loop, counts=NO_COUNTS, arrays=(), conditions=())
    return loop_entry(bare, Advice((), Recommendation("cannot-model", NO_ADVICE, message)), {})


def dump(inputs: Iterable[Input], plan: Plan, wanted: str) -> str:
    """The nest that `wanted` names (an id, or FILE:LINE) in isl syntax, without any advice. InputError where none of
    the inputs has it, or one cannot be read."""
    from .inside import dump as inside
    from .lookup import find

    found: dict[str, tuple[FunctionFacts, LoopFacts]] = {}
    for item in inputs:
        facts = analyze_file(item.path, plan.source, plan.analysis, plan.root, item.text)
        functions = (function for file in (facts, *facts.headers) for function in file.functions)
        found |= {loop.id: (function, loop) for function in functions for loop in function.loops}
        if wanted in found:
            break
    places = ((key, loop.place.path, loop.place.line) for key, (_, loop) in found.items())
    return inside(*found[find("--dump nest", wanted, places)])


# --- many files


def run(inputs: list[Input], plan: Plan, jobs: int | None = None) -> Iterator[Result]:
    """The results in the order of the inputs, whatever the number of processes (None: as many as are worth it)."""
    if jobs is None:
        jobs = (os.cpu_count() or 1) if len(inputs) >= FILES_WORTH_PROCESSES else 1
    if jobs <= 1 or len(inputs) <= 1:
        if len(inputs) == 1 and plan.entry is None and not plan.sizes and plan.profile is None and plan.ranks is None:
            plan = replace(plan, source=replace(plan.source, is_all=True))
        yield from (analyse(item, plan) for item in inputs)
        return
    from joblib import Parallel, delayed

    yield from Parallel(n_jobs=min(jobs, len(inputs)), return_as="generator")(
        delayed(analyse)(item, plan) for item in inputs
    )


def document(results: Iterable[Result], plan: Plan, *, keep_sources: bool) -> Document:
    """All results as one document, files in the order of their paths. InputError for a `--size` that fits nowhere."""
    collected = list(results)
    files = _merged(file for result in collected for file in result.files)
    symbols = sorted({s for r in collected for s in r.symbols}, key=lambda s: (s.scope, s.name))
    _check_sizes(plan.sizes, symbols)
    sources = {path: text for r in collected for path, text in r.sources.items()}
    context = plan.context
    program, no_program = _program(collected, plan)
    return Document(
        schema_version=SCHEMA_VERSION,
        tool=Tool("analyze", __version__),
        options=_options(plan),
        host=context.host.id,
        targets=tuple(device.id for device in context.targets),
        devices={device.id: device_used(device) for device in _devices(context)},
        symbols=tuple(symbols),
        sources=dict(sorted(sources.items())) if keep_sources else None,
        files=files,
        program=program,
        no_program=no_program,
        summary=summary(files),
        projection=_projection(plan, files),
    )


def _program(results: list[Result], plan: Plan) -> tuple[ProgramEntry | None, str | None]:
    """The placement of the program as a whole, or why there is none (neither: it was not asked for)."""
    if plan.source.entry is None:
        return None, None
    from .program import NoAnswer, answer
    from .report.program import program_entry

    outlines = (outline for result in results for outline in result.outlines)
    given = {key: values for result in results for key, values in result.given.items()}
    try:
        found = answer(outlines, plan.context, given, plan.entry)
    except (Exception, RecursionError, MemoryError) as error:  # the loops and their verdicts are kept
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        return None, f"internal error ({type(error).__name__}: {error}); please report it"
    return (None, found.reason) if isinstance(found, NoAnswer) else (program_entry(found), None)


def _devices(context: Context) -> tuple[Device, ...]:
    return (context.host, *context.targets)


def _merged(files: Iterable[FileEntry]) -> tuple[FileEntry, ...]:
    """One entry per path: a header that several files include lists each of its loops once."""
    by_path: dict[str, list[FileEntry]] = {}
    for file in files:
        by_path.setdefault(file.path, []).append(file)
    return tuple(reduce(_union, by_path[path]) for path in sorted(by_path))


def _union(left: FileEntry, right: FileEntry) -> FileEntry:
    loops = {loop.id: loop for loop in (*right.loops, *left.loops)}
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


def _check_sizes(settings: tuple[Size, ...], symbols: list[SymbolEntry]) -> None:
    known: dict[tuple[str, str], list[str]] = {}
    macros: dict[str, list[str]] = {}
    for symbol in symbols:
        path, _, function = symbol.scope.rpartition(":") if symbol.source != "macro" else (symbol.scope, "", "")
        if symbol.source == "macro":
            macros.setdefault(path, []).append(symbol.name)
        else:
            known.setdefault((path, function), []).append(symbol.name)
    refuse_unmatched(settings, known, macros)


def _options(plan: Plan) -> Options:
    source, analysis = plan.source, plan.analysis
    return Options(
        paths=plan.paths,
        model=plan.context.model,
        assume=analysis.assume,
        strict_fp=analysis.strict_fp,
        count_as=analysis.count_as,
        min_speedup=plan.context.min_speedup,
        sizes=tuple(size.written for size in plan.sizes),
        defines=source.defines,
        undefines=source.undefines,
        includes=source.includes,
        standard=source.standard,
        abi=source.abi,
        network=None if plan.network is None else plan.network.id,
        ranks=plan.ranks,
        entry=plan.entry,
    )
