"""A run: files in, one document out. Files are independent of each other, so they may go to several processes.

Two boundaries keep one bad input from costing the rest: around each file here (and around each function in `analysis`
and below), where any exception of ours becomes a finding; and in the command.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ..advise import Advice, Context, Recommendation, advise
from ..base.errors import InputError
from ..base.packing import packed
from ..base.recursion import deep_recursion
from ..facts.loop import NO_COUNTS, Communication, FileFacts, FunctionFacts, LoopFacts
from ..profiles.counted import LoopCount
from ..profiles.model import Profile
from ..program.outline import Outline
from ..program.passed import passed
from ..program.settled import Settled, settled
from ..report.advised import NO_ADVICE, advised
from ..report.brief import brief_count
from ..report.build import Communicated, count_entry, file_entry, loop_entry, on_device_entry, symbol_entries
from ..report.document import (
    ASSIGNED,
    PASSED,
    CommunicationEntry,
    DiagnosticEntry,
    FileEntry,
    IgnoreEntry,
    LoopEntry,
    ProfiledEntry,
    SymbolEntry,
)
from ..report.findings import unused_ignores
from ..report.loop_entries import ON_TARGETS
from ..rules.catalogue import DISOBEYED, INTERNAL_ERROR, UNREADABLE
from ..selection.changes import Lines
from ..selection.fingerprints import Spot, fingerprints
from ..selection.shards import Shard, in_shard
from ..settings.options import AnalysisOptions, Detail, SourceOptions
from ..sizes.directives import ignores
from ..sizes.symbols import settable
from ..sizes.values import FACT, Size, sizes_of, values_of
from ..source.inputs import Inputs
from ..source.project import shown
from .analysis import Analysed, analyze_file, analyzed
from .engines import LOCAL, each
from .garbage_collection import no_collections
from .joining import document
from .readings import Needs
from .remembered import Memory, ask
from .stated import Stated, against, differ

if TYPE_CHECKING:
    from models.communication.roofs import System

    from ..cache.results import Chosen, Kept

__all__ = ["Input", "Plan", "Result", "analyse", "document", "dump", "run"]

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
    only: Mapping[str, Lines] | None = None
    """The lines that anything is wanted of, by path; None: all."""
    detail: Detail = "brief"
    changes: bool = False
    """Whether loops hold what `--suggest openmp` writes at them."""
    needs_of_all: bool = True
    """Whether data formats say of all loops what a device needs, or of those that move."""
    shard: Shard | None = None
    """The part of the inputs that is analysed; functions of all of them are followed."""


class Input(Struct, frozen=True):
    """A file, with its text where it is not on disk (standard input)."""

    path: Path
    text: str | None = None


class Result(Struct, frozen=True):
    """One input analysed: its own entry and those of project headers with functions.

    `symbols`: names by (path, function), `macros`: by path, to check `--size` against. `trouble`: what the exit code
    has to say: "input" (could not be read), "bug" (an error of ours). `outlines`, `given`: for the program as a whole,
    its functions and the sizes that hold in them, by (path, function). `inputs`: what the front end read (None: the
    result is not to be kept); `kept`: whether and how the cache has it. Files and outlines are packed on the way to the
    document (`packing`)."""

    files: Sequence[FileEntry]
    symbols: tuple[SymbolEntry, ...]
    sources: dict[str, str]
    trouble: frozenset[str] = frozenset()
    outlines: Sequence[Outline] = ()
    given: dict[tuple[str, str], dict[str, int]] = {}
    inputs: Inputs | None = None
    kept: "Kept | None" = None
    stated: tuple[Stated, ...] = ()
    """What became of what the user says of the program, in these files."""


# --- one file


@no_collections()
def analyse(item: Input, plan: Plan, memory: Memory | None = None) -> Result:
    """Facts, advice and entries of one file. Never raises but for a directive that cannot be read (InputError).
    `memory`: of what was worked out for it before."""
    try:
        found = analyzed(item.path, plan.source, plan.analysis, plan.root, item.text, plan.only, memory)
    except InputError as error:
        return _lost(item, UNREADABLE, error.message, "input", error.place.path if error.place else None)
    except (Exception, RecursionError, MemoryError) as error:
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        return _lost(item, INTERNAL_ERROR, f"internal error ({type(error).__name__}: {error}); please report it", "bug")
    files = (found.facts, *found.facts.headers)
    with deep_recursion():
        results = [_file_result(file, plan, item.path, found, memory) for file in files]
    reported = {file.path for file in files}
    trouble = frozenset[str]().union(*(r.trouble for r in results))
    return Result(
        files=tuple(f for r in results for f in r.files),
        symbols=tuple(s for r in results for s in r.symbols),
        sources={path: text for r in results for path, text in r.sources.items()},
        trouble=trouble,
        # those of functions that are not reported are of system headers
        outlines=(*(o for r in results for o in r.outlines), *(o for o in found.outlines if o.path not in reported)),
        given={key: values for r in results for key, values in r.given.items()},
        inputs=None if trouble else found.facts.inputs,
        stated=(*found.stated, *(s for r in results for s in r.stated)),
    )


def _lost(item: Input, rule: str, message: str, trouble: str, name: str | None = None) -> Result:
    path = name or shown(item.path)
    entry = FileEntry(path, 0, 0, 0, (DiagnosticEntry(rule, "error", message, 1, 1),), ())
    return Result((entry,), (), {}, frozenset({trouble}))


def _file_result(file: FileFacts, plan: Plan, on_disk: Path, analysed: Analysed, memory: Memory | None) -> Result:
    outlines = analysed.outlines
    counted: dict[str, LoopCount] = {}
    run_sizes: dict[str, dict[str, int]] = {}
    if plan.profile is not None:
        from ..profiles.using import used

        told = used(plan.profile, file, on_disk)
        file, run_sizes, counted = told.facts, told.sizes, told.loops
    loops: list[LoopEntry] = []
    communication: list[CommunicationEntry] = []
    extra: list[DiagnosticEntry] = []
    settings: dict[str, dict[str, Size]] = {}
    stated: list[Stated] = []
    own = _of_whole_file(file, outlines) if outlines else {}
    for function in file.functions:
        name = function.function.name
        of_program, given = _of_program(file, own.get(name, {})), sizes_of(file, function, plan.sizes)
        wrong = {n: s for n, s in given.items() if s.source == FACT and n in of_program and differ(s, of_program[n])}
        stated += [against(plan.source.facts, s, file.path, of_program[n].source) for n, s in wrong.items()]
        found = of_program | _of_run(run_sizes.get(name, {})) | {n: s for n, s in given.items() if n not in wrong}
        settings[function.function.name] = found
        try:
            if plan.ranks is not None:
                found = settings[function.function.name] = _with_ranks(function, found, plan.ranks)
            known = _function_loops(function, plan, found, memory)
            loops += [_with_needs(entry, analysed.needs, plan) for entry in known]
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
    printed = [replace(loop, fingerprint=prints[loop.id]) for loop in loops]
    paths = _paths_of_nests(file)
    entry = file_entry(file, (loop for loop in printed if paths[loop.id] == file.path))
    entry = replace(
        entry,
        diagnostics=tuple(sorted((*entry.diagnostics, *extra), key=lambda d: (d.line, d.column))),
        ignored=tuple(IgnoreEntry(i.line, i.rule, i.reason) for i in ignores(file.directives)),
        communication=tuple(communication),
    )
    if plan.changes and file.source_text:
        from ..change import entries

        changes = entries(entry, file.source_text)
        entry = replace(entry, loops=tuple(replace(x, change=changes.get(x.id)) for x in entry.loops))
    unused = (DiagnosticEntry(DISOBEYED, "note", said, line, 1) for line, said in unused_ignores(entry))
    entry = replace(entry, diagnostics=tuple(sorted((*entry.diagnostics, *unused), key=lambda d: (d.line, d.column))))
    sources = {file.path: file.source_text} if file.source_text else {}
    failed = file.failed or bool(extra)
    sizes = {name: values_of(found) for name, found in settings.items()}
    given_sizes = {(file.path, name): values for name, values in sizes.items()}
    trouble = frozenset({"bug"} if failed else ())
    placed = advised(outlines, file, loops, sizes, is_profiled=plan.profile is not None)
    symbols = symbol_entries(file, settings)
    included = _of_included((loop for loop in printed if paths[loop.id] != file.path), paths)
    return Result((entry, *included), symbols, sources, trouble, placed, given_sizes, stated=tuple(stated))


def _paths_of_nests(file: FileFacts) -> dict[str, str]:
    """The file that the outermost loop of each nest stands in, by loop: not that of its function where a part of the
    function's body is included."""
    loops = {loop.id: loop for function in file.functions for loop in function.loops}

    def outermost(loop: LoopFacts) -> LoopFacts:
        while loop.parent is not None and loop.parent in loops:
            loop = loops[loop.parent]
        return loop

    return {key: outermost(loop).place.path for key, loop in loops.items()}


def _of_included(loops: Iterable[LoopEntry], paths: Mapping[str, str]) -> list[FileEntry]:
    """Entries for the loops of functions of other files."""
    by_path: dict[str, list[LoopEntry]] = {}
    for loop in loops:
        by_path.setdefault(paths[loop.id], []).append(loop)
    return [
        FileEntry(path, 0, 0, len(of), (), tuple(sorted(of, key=lambda loop: (loop.line, loop.column, loop.id))))
        for path, of in by_path.items()
    ]


def _function_loops(
    function: FunctionFacts, plan: Plan, settings: dict[str, Size], memory: Memory | None
) -> list[LoopEntry]:
    arguments = (function, plan.context, plan.network, plan.detail, settings)
    return ask(memory, "advice", arguments, lambda: _advised(function, plan, settings))


def _advised(function: FunctionFacts, plan: Plan, settings: dict[str, Size]) -> list[LoopEntry]:
    values = values_of(settings)
    ranges = {name: (size.value, size.last) for name, size in settings.items() if size.last is not None}
    advice = advise(function, plan.context, values, ranges)
    own = [settable(values, loop) for loop in function.loops]
    return [
        loop_entry(loop, advice[loop.id], sizes, _loop_network(loop, plan, sizes), _detail(loop, plan))
        for loop, sizes in zip(function.loops, own, strict=True)
    ]


def _with_needs(entry: LoopEntry, needs: Needs, plan: Plan) -> LoopEntry:
    """With what a device needs, where that is of use: for data formats always, for others where a change is written
    with it."""
    r, asked = entry.recommendation, needs.get(entry.id)
    moves = r.verdict == "offload" or (plan.context.details and r.candidate in ON_TARGETS)
    found = asked() if asked is not None and (moves or (plan.context.details and plan.needs_of_all)) else None
    return entry if found is None else replace(entry, on_device=on_device_entry(found))


def _detail(loop: LoopFacts, plan: Plan) -> Detail:
    return "full" if plan.context.is_asked(loop) else plan.detail


# --- profiles


def _of_run(sizes: dict[str, int]) -> dict[str, Size]:
    return {name: Size(name, value, None, None, "profile", "--profile") for name, value in sizes.items()}


def _of_whole_file(file: FileFacts, outlines: Sequence[Outline]) -> dict[str, dict[str, Settled]]:
    """By function, the sizes that the file settles itself."""
    by_call, assigned = passed(file, outlines), settled(file, outlines)
    return {name: by_call.get(name, {}) | assigned.get(name, {}) for name in by_call.keys() | assigned.keys()}


def _of_program(file: FileFacts, sizes: dict[str, Settled]) -> dict[str, Size]:
    """Sizes that the program settles itself, with the place where it does."""
    return {
        name: Size(
            name, found.value, None, None, f"{PASSED if found.by_call else ASSIGNED} {file.path}:{found.line}", ""
        )
        for name, found in sizes.items()
    }


def _with_counts(loop: LoopEntry, count: LoopCount | None) -> LoopEntry:
    if count is None:
        return loop
    trip, mean = loop.trip_count, count.trip_count
    if trip is not None and trip.value is None and mean is not None:
        trip = replace(trip, value=int(mean) if mean == int(mean) else mean, exact=False)
    return replace(loop, trip_count=trip, profile=ProfiledEntry(count.entries, count.iterations, mean))


# --- communication of MPI programs


def _with_ranks(function: FunctionFacts, sizes: dict[str, Size], ranks: int) -> dict[str, Size]:
    """The sizes with the number of processes, under the name that formulas of this function have for it."""
    from ..mpi.processes import world

    networks = [loop.network for loop in function.loops]
    if function.communication is not None:
        networks.append(function.communication.network)
    names = {world(network)[0] for network in networks if network is not None}
    return sizes | {name: Size(name, ranks, None, None, "option", f"--ranks {ranks}") for name in names}


def _loop_network(loop: LoopFacts, plan: Plan, values: dict[str, int]) -> Communicated | None:
    if loop.network is None:
        return None
    from ..advise.network import bounded
    from ..counts.totals import plus
    from ..report.network import entries

    c = loop.counts
    flops = plus((c.flops_fp32, c.flops_fp64))
    advice = bounded(loop.network, flops, plus((c.read_footprint, c.write_footprint)), plan.network, values)
    return entries(loop.network, flops, advice, values)


def _communication(
    function: FunctionFacts, found: Communication, plan: Plan, sizes: dict[str, Size]
) -> CommunicationEntry:
    from ..advise.network import bounded
    from ..report.network import entries

    values = {name: size.value for name, size in sizes.items()}
    advice = bounded(found.network, found.flops, found.memory, plan.network, values)
    bytes_, intensity, entry = entries(found.network, found.flops, advice, values)
    place = function.function.place
    flops, memory = count_entry(found.flops, values), count_entry(found.memory, values)
    if plan.detail == "brief":
        name = function.function.name
        flops, memory = brief_count(flops, f"flops of {name}"), brief_count(memory, f"memory_bytes of {name}")
    return CommunicationEntry(function.function.name, place.line, flops, memory, bytes_, intensity, entry)


def _failed_loop(loop: LoopFacts, error: BaseException) -> LoopEntry:
    """A loop whose advice failed keeps its place and its answer; what may have caused the failure is left out."""
    message = f"internal error ({type(error).__name__}); no advice is given"
    bare = replace(loop, counts=NO_COUNTS, arrays=(), conditions=())
    return loop_entry(bare, Advice((), Recommendation("cannot-model", NO_ADVICE, message)), {})


def dump(inputs: Iterable[Input], plan: Plan, wanted: str) -> str:
    """The nest that `wanted` names (an id, or FILE:LINE) in isl syntax, without any advice. InputError where none of
    the inputs has it, or one cannot be read."""
    from ..facts.lookup import find
    from ..inside import dump as inside

    found: dict[str, tuple[FunctionFacts, LoopFacts]] = {}
    inputs = list(inputs)
    plan = _together(plan, inputs)
    for item in inputs:
        facts = analyze_file(item.path, plan.source, plan.analysis, plan.root, item.text)
        functions = (function for file in (facts, *facts.headers) for function in file.functions)
        found |= {loop.id: (function, loop) for function in functions for loop in function.loops}
        if wanted in found:
            break
    places = ((key, loop.place.path, loop.place.line) for key, (_, loop) in found.items())
    return inside(*found[find("--dump nest", wanted, places)])


# --- many files


def run(
    inputs: list[Input],
    plan: Plan,
    jobs: int | None = None,
    folder: str | None = None,
    engine: str = LOCAL,
    memory: Memory | None = None,
) -> Iterator[Result]:
    """The results in the order of the inputs, whatever the number of processes (None: as many as are worth it).
    `folder`: where results are kept; files whose result is there are not analysed, and those of the others are kept
    (not those with a profile, which depend on when a file was changed). `memory`: of what was worked out for the
    functions of these files before; with it they are analysed in this process."""
    if len(inputs) == 1 and plan.entry is None and not plan.sizes and plan.profile is None and plan.ranks is None:
        plan = replace(plan, source=replace(plan.source, is_all=True))
    plan = _together(plan, inputs)
    if plan.shard is not None:
        own = in_shard([item.path for item in inputs], plan.shard)
        inputs = [item for item in inputs if item.path in own]
    cache = None if folder is None or plan.profile is not None else _chosen(folder, plan)
    known = {} if cache is None else _kept(inputs, plan, cache)
    asked = [item for item in inputs if item not in known]
    fresh = _analysed(asked, plan, 1 if memory is not None else jobs, cache, engine, memory)
    yield from (known[item] if item in known else next(fresh) for item in inputs)


def _together(plan: Plan, inputs: list[Input]) -> Plan:
    """The plan with the files of the run, as they are on disk: one may call what another defines."""
    files = sorted({os.path.realpath(item.path) for item in inputs if item.text is None})
    together = tuple(files) if len(files) > 1 else ()
    return replace(plan, source=replace(plan.source, together=together, run=os.urandom(8).hex() if together else ""))


def _chosen(folder: str, plan: Plan) -> "Chosen":
    """What results are kept for: all of the plan, but for what only the document holds."""
    from ..cache.results import chosen

    source = plan.source
    choices = replace(plan, paths=(), entry=None, shard=None, source=replace(source, trees=(), together=(), run=""))
    return chosen(folder, choices, source.compiler, source.build_dir, source.trees)


def _kept(inputs: list[Input], plan: Plan, cache: "Chosen") -> dict[Input, Result]:
    """Those that need no analysis."""
    from ..cache.facts import Present
    from ..cache.results import kept

    now = Present(plan.source.together)
    found = {item: kept(item.path, cache, Result, now, item.text) for item in inputs}
    return {
        item: _waiting(plan, inputs, replace(known.answer, kept=replace(known, answer=None)))
        for item, known in found.items()
        if known is not None
    }


def _analysed(
    inputs: list[Input],
    plan: Plan,
    jobs: int | None,
    cache: "Chosen | None",
    engine: str,
    memory: Memory | None,
) -> Iterator[Result]:
    if engine != LOCAL:  # its compilers and headers may be others, so that what it says is not kept here
        yield from each(engine, 0, partial(_sent, plan, None), inputs)
        return
    if jobs is None:
        jobs = (os.cpu_count() or 1) if len(inputs) >= FILES_WORTH_PROCESSES else 1
    if jobs <= 1 or len(inputs) <= 1:
        yield from (_waiting(plan, inputs, _analysed_and_kept(plan, cache, item, memory)) for item in inputs)
        return
    yield from each(engine, min(jobs, len(inputs)), partial(_sent, plan, cache), inputs)


def _waiting(plan: Plan, inputs: Sequence[Input], result: Result) -> Result:
    """As it waits for those of all other files: without details a document holds all of them unpacked."""
    return _packed(result) if plan.context.details and len(inputs) > 1 else result


def _sent(plan: Plan, cache: "Chosen | None", item: Input) -> Result:
    """As it goes from one process to another."""
    return _packed(_analysed_and_kept(plan, cache, item))


def _packed(result: Result) -> Result:
    outlines = packed(result.outlines, lambda outline: outline.name)
    return replace(result, files=packed(result.files, lambda file: file.path), outlines=outlines)


def _is_on_disk(item: Input) -> bool:
    """Whether its text is what the file holds."""
    try:
        return item.path.read_text(encoding="utf-8", errors="surrogateescape") == item.text
    except OSError:
        return False


def _analysed_and_kept(plan: Plan, cache: "Chosen | None", item: Input, memory: Memory | None = None) -> Result:
    if cache is None:
        return replace(analyse(item, plan, memory), inputs=None)
    from ..cache.results import keep

    def work() -> tuple[Result, Inputs | None]:
        found = analyse(item, plan, memory)
        return replace(found, inputs=None), found.inputs

    is_typed = memory is not None and item.text is not None and not _is_on_disk(item)
    known = keep(item.path, cache, work, item.text, is_typed)
    found: Result = known.answer
    return replace(found, kept=replace(known, answer=None))
