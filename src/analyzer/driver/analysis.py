"""The trip from a file to facts: front end, lowering, then one question after the other per loop.

The driver is a list of calls; what each decides is in its module. An error of ours loses one function, never the file.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..base.places import Place
from ..base.recursion import deep_recursion
from ..facts.directives import CheckedDirective
from ..facts.loop import (
    Counts,
    FileFacts,
    FunctionFacts,
    LoopFacts,
    Parallelism,
    Reason,
    Verdict,
)
from ..ir.reasons import ReasonCode
from ..selection.changes import Lines, touches
from ..settings.options import AnalysisOptions, SourceOptions
from ..sizes.symbols import size_symbols
from ..source.findings import INTERNAL_ERROR, LIMIT
from ..source.unit import Definition, Diagnostic, Unit
from .garbage_collection import no_collections

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..clauses import Node, Program
    from ..ir.nodes import Function, Loop
    from ..polyhedra.effort import Shared
    from ..program import Outline
    from .stated import Stated

NO_COUNTS = Counts()

_PRAGMA = re.compile(r"#\s*pragma\s+(?:omp|acc)\b|_Pragma")
"""That may let code run at once."""

Nest: TypeAlias = "tuple[Loop, tuple[Loop, ...]]"


class Analysed(Struct, frozen=True):
    """The facts of a file, and the outlines of all its functions, headers' included, where the program as a whole is
    asked for. `stated`: what became of what the user says."""

    facts: FileFacts
    outlines: "tuple[Outline, ...]" = ()
    stated: "tuple[Stated, ...]" = ()


def analyze_file(
    path: Path,
    source: SourceOptions,
    options: AnalysisOptions,
    root: Path | None = None,
    text: str | None = None,
) -> FileFacts:
    """Every loop of one C file and of the project headers it includes, with everything known about it.

    `root` is the repository root that paths are relative to; `text` replaces the file's content (standard input).
    Raises InputError when the file cannot be read at all; any other trouble is a diagnostic of the result.
    Example: `analyze_file(Path("blas.c"), SourceOptions(), AnalysisOptions()).functions[0].loops[0].parallelism`.
    """
    return analyzed(path, source, options, root, text).facts


@no_collections()
@deep_recursion()
def analyzed(
    path: Path,
    source: SourceOptions,
    options: AnalysisOptions,
    root: Path | None = None,
    text: str | None = None,
    only: Mapping[str, Lines] | None = None,
) -> Analysed:
    """As `analyze_file`, with the outlines that `source.entry` asks for. `only`: lines by path, where functions without
    any of them are passed over (None: none is)."""
    from ..source import load_unit

    unit = load_unit(path, source, root, text)
    by_path: dict[str, list[Definition]] = defaultdict(list)
    for definition in unit.functions:
        if definition.own:
            by_path[definition.place.path].append(definition)
    elsewhere = sum(len(ds) for path_, ds in by_path.items() if path_ != unit.path)
    own = _on(by_path.pop(unit.path, []), only)
    main = _file_facts(unit, unit.path, own, options, unit.functions_total - elsewhere)
    headers = tuple(_file_facts(unit, p, _on(ds, only), options, len(ds)) for p, ds in sorted(by_path.items()))
    found = replace(main, headers=headers, inputs=unit.inputs, failed=main.failed or any(h.failed for h in headers))
    found = _with_directives(unit, found, partial(load_unit, path, root=root, text=text), source, only)
    if source.entry is None:
        return Analysed(found, stated=_what_became(unit, found, only))
    from ..program.reading import open_trips, outlines

    symbols = dict.fromkeys((*found.symbols, *open_trips(main)))
    is_all = source.is_all and not unit.directives
    found = replace(found, symbols=tuple(symbols))
    return Analysed(found, outlines(unit, (main, *headers), is_all=is_all), _what_became(unit, found, only))


def _with_directives(
    unit: Unit,
    facts: FileFacts,
    load: "Callable[..., Unit]",
    source: SourceOptions,
    only: Mapping[str, Lines] | None,
) -> FileFacts:
    """The facts with what is found of the directives that the file and its headers have."""
    if not _PRAGMA.search(unit.source_text) and not any(p.text.startswith(("omp", "acc")) for p in unit.pragmas):
        return facts
    from ..races import checked

    try:
        found = [c for c in checked(load, source) if only is None or _touches(only, c.place)]
    except (Exception, RecursionError, MemoryError) as error:
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        message = f"internal error in the check of directives ({type(error).__name__}: {error}); please report it"
        failure = Diagnostic(INTERNAL_ERROR, "error", message, Place(unit.path, 1))
        return replace(facts, diagnostics=(*facts.diagnostics, failure), failed=True)
    return _with_checked(replace(facts, headers=tuple(_with_checked(h, found) for h in facts.headers)), found)


def _touches(only: Mapping[str, Lines], place: Place) -> bool:
    return touches(only.get(place.path, ()), place.line, place.line)


def _with_checked(facts: FileFacts, found: list[CheckedDirective]) -> FileFacts:
    from ..rules.catalogue import BY_ID

    own = tuple(c for c in found if c.place.path == facts.path)
    if not own:
        return facts
    every = ((c, rule, text) for c in own for rule, text in c.findings)
    said = [Diagnostic(rule, BY_ID[rule].level, f"`#pragma {c.text}`: {text}", c.place) for c, rule, text in every]
    return replace(facts, checked=own, diagnostics=(*facts.diagnostics, *said))


def _what_became(unit: Unit, found: FileFacts, only: Mapping[str, Lines] | None) -> "tuple[Stated, ...]":
    """Of what the user says; nothing is known of that where not all of the file is looked at."""
    if only is not None or not unit.facts:
        return ()
    from .stated import stated

    return tuple(one for file in (found, *found.headers) for one in stated(unit, file))


def _on(definitions: list[Definition], lines: Mapping[str, Lines] | None) -> list[Definition]:
    """Those with a line among `lines`."""
    if lines is None:
        return definitions
    return [d for d in definitions if touches(lines.get(d.place.path, ()), d.place.line, d.end_line)]


def _file_facts(
    unit: Unit, path: str, definitions: list[Definition], options: AnalysisOptions, total: int
) -> FileFacts:
    """The facts of one path: `total` functions are defined there, of which `definitions` could be parsed."""
    from ..clauses import Program

    is_main = path == unit.path
    diagnostics = list(unit.diagnostics) if is_main else []
    functions: list[FunctionFacts] = []
    analyzed = failed = 0
    program = Program(unit)
    for definition in definitions:
        try:
            facts = _function_facts(program, definition, options)
            analyzed += definition.skipped or (definition.node is not None and facts.function.complete)
            functions.append(facts)
            refused = _refused_whole(facts.function)
            if refused is not None:
                diagnostics.append(Diagnostic(LIMIT, "warning", f"{refused[1]}: split it", definition.place))
        except (Exception, RecursionError, MemoryError) as error:
            if os.environ.get("BOATHULL_DEBUG"):
                raise
            failed += 1
            diagnostics.append(_internal_error(definition, error))
            functions.append(_failed_function(unit, definition, error))
    found = FileFacts(
        path=path,
        functions_total=total,
        functions_analyzed=analyzed,
        diagnostics=tuple(diagnostics),
        directives=tuple(d for d in unit.directives if d.path == path),
        functions=tuple(functions),
        symbols=size_symbols(unit, functions),
        source_text=unit.source_text if is_main else "",
        failed=failed > 0,
    )
    return _with_complaints(found) if found.directives else found


def _with_complaints(facts: FileFacts) -> FileFacts:
    from ..sizes.directives import complaints

    return replace(facts, diagnostics=(*facts.diagnostics, *complaints(facts)))


def _internal_error(definition: Definition, error: BaseException) -> Diagnostic:
    kind = type(error).__name__
    message = f"internal error in function {definition.name} ({kind}: {error}); please report it with this function"
    return Diagnostic(INTERNAL_ERROR, "error", message, definition.place)


# --- one function


def _function_facts(program: "Program", definition: Definition, options: AnalysisOptions) -> FunctionFacts:
    from ..access.nest_limits import is_countable
    from ..clauses import clauses
    from ..clauses.site import Site
    from ..dependence.macro_copies import alike
    from ..ir import nodes as ir
    from ..polyhedra import effort
    from .inlined_loops import with_inlined_loops
    from .nest_facts import worked_out

    unit = program.unit
    listing = list(_identities(unit, definition))
    places = [(identity, place) for identity, place, _ in listing]
    if definition.node is not None and not places and not _names_mpi(unit):
        # where it is called it is lowered with the caller
        return FunctionFacts(ir.Function(definition.name, definition.place, (), (), True), ())
    reading = _read(unit, definition, places, options)
    under_conditions, reading = _under_conditions(unit, definition, listing, options, reading)
    function, answers = reading.function, reading.answers
    talks = _talks(unit, function)
    facts = []
    efforts: dict[tuple[bool, int], Shared] = {}
    for identity, place, node in listing:
        chosen = under_conditions.get(identity, reading)
        if identity in chosen.groups:
            loop, around = chosen.loop(identity)
            found = _loop_facts(chosen, identity, loop, around)
            found = replace(found, clauses=clauses(program, definition, node, chosen.function, loop, found.parallelism))
            again = chosen.groups[identity]
            if found.unclassified is None and len(again) > 1 and not alike(chosen.nests[key][0] for key in again):
                found = _unlike(found)
            if found.unclassified is None:
                nest = (chosen.function.supposing, (*around, loop)[0].key)
                shared = efforts.setdefault(nest, effort.Shared(effort.MOST_STEPS))
                abi = unit.abi if talks else None
                site = Site(program, definition, node, chosen.function, loop)
                found = worked_out(shared, found, chosen.function, around, chosen.answers, options, abi, site)
                found = with_inlined_loops(shared, found, chosen.function, around, chosen.answers, options)
            facts.append(found)
        else:
            facts.append(_missing_loop(definition, identity, place, *_why_missing(function)))
    communication = None
    if talks and is_countable(function.body):
        from ..mpi.analysis import of_function

        communication = of_function(function, unit.abi, answers, definition.end_line)
    supposed = next((r.function for r in under_conditions.values() if r.function.supposing), None)
    return FunctionFacts(function, tuple(facts), communication, supposed)


class Reading(Struct, frozen=True, dict=True):
    """A lowered function and the answers for its loops, by key. `groups`: the keys of each loop of the text."""

    function: "Function"
    groups: "Mapping[str, tuple[int, ...]]"
    answers: dict[int, Parallelism]

    @cached_property
    def nests(self) -> "dict[int, Nest]":
        """By key, each loop with those around it."""
        return {loop.key: (loop, around) for loop, around in _nests(self.function.body, ())}

    def loop(self, identity: str) -> "Nest":
        return self.nests[self.groups[identity][0]]

    def answer(self, identity: str) -> Parallelism | None:
        keys = self.groups.get(identity)
        return None if keys is None else self.answers[keys[0]]


Places: TypeAlias = list[tuple[str, Place]]
"""Identity and place of each loop of a function."""


def _read(
    unit: Unit,
    definition: Definition,
    places: Places,
    options: AnalysisOptions,
    supposing: bool = False,
    not_followed: frozenset[int] = frozenset(),
) -> Reading:
    from ..dependence import parallelism
    from ..dependence.macro_copies import agreed, copies
    from ..dependence.premises import settled
    from ..loops import lower_function

    function = settled(lower_function(unit, definition, supposing, not_followed))
    groups = copies(function, places)
    return Reading(function, groups, agreed(parallelism(function, options), groups.values()))


SUPPOSABLE = frozenset(
    (
        *(ReasonCode.MAY_ALIAS, ReasonCode.UNKNOWN_CALL, ReasonCode.NON_AFFINE_ACCESS, ReasonCode.EARLY_EXIT),
        *(ReasonCode.CARRIED_DEPENDENCE, ReasonCode.SIDE_EFFECT, ReasonCode.UNKNOWN_TRIP_COUNT, ReasonCode.VOLATILE),
    )
)
"""Reasons of an open answer that conditions may settle."""

OPEN_IF_SHOWN = (ReasonCode.SIDE_EFFECT, ReasonCode.EARLY_EXIT, ReasonCode.UNKNOWN_TRIP_COUNT)
"""Reasons of a `no` that they may settle: what an error path does, and what calls that are not seen may set."""


def _under_conditions(
    unit: Unit,
    definition: Definition,
    listing: "list[tuple[str, Place, Node]]",
    options: AnalysisOptions,
    seen: Reading,
) -> tuple[dict[str, Reading], Reading]:
    """The reading under conditions, by identity of each loop of which the answer was open, and that is parallel under
    some, and of those in its nest that are parallel anyway; and the first reading, with the reason of a loop that stays
    open being what no condition settles. The function is read a second time only if a loop of it is open of which the
    iterations can be counted."""
    from ..loops.suppositions import is_open_to

    if options.assume == "none":
        return {}, seen
    answers = ((identity, node, seen.answer(identity)) for identity, _, node in listing)
    asked = [(i, node) for i, node, answer in answers if answer is not None and _is_open(answer)]
    open_ = [i for i, node in asked if _may_be_counted(seen.loop(i)[0]) and is_open_to(unit, node)]
    if not open_:
        return {}, seen
    places = [(i, place) for i, place, _ in listing]
    found = _read(unit, definition, places, options, supposing=True)
    settled = _settled(found, open_)
    calls = _told_apart_by_calls(unit, found, [(i, node) for i, node in asked if i in open_ and i not in settled])
    if calls:
        again = _read(unit, definition, places, options, supposing=True, not_followed=calls)
        if settled < (more := _settled(again, open_)):
            found, settled = again, more
    under_conditions = dict.fromkeys(settled | _beside(seen, found, settled), found)
    elsewhere = [i for i in open_ if i not in settled and (_says(found, i) or i not in found.groups)]
    if elsewhere:  # by what is supposed elsewhere in the function, and cannot be said of the loop; or left out by that
        asked_again = _asked_again(seen, options)
        more = _settled(asked_again, elsewhere)
        under_conditions = dict.fromkeys(more | _beside(seen, asked_again, more), asked_again) | under_conditions
        settled |= more
    return under_conditions, _saying_more(seen, found, set(open_) - settled)


def _settled(reading: Reading, open_: list[str]) -> set[str]:
    """Those of the loops of which the answer is one under conditions."""
    return {i for i in open_ if (a := reading.answer(i)) is not None and (a.conditions or a.held)}


def _told_apart_by_calls(unit: Unit, reading: Reading, open_: "list[tuple[str, Node]]") -> frozenset[int]:
    """The calls in loops that stay open because of memory that functions get to, by `id`, which may be supposed to be
    independent: of what these store it is not known where."""
    from ..loops.suppositions import closed_calls

    undecided = (ReasonCode.MAY_ALIAS, ReasonCode.NON_AFFINE_ACCESS, ReasonCode.TOO_COMPLEX)
    found = ((node, reading.answer(i)) for i, node in open_)
    loops = [node for node, a in found if a is not None and a.reason is not None and a.reason.code in undecided]
    return frozenset(key for node in loops for key in closed_calls(unit, node))


def _beside(seen: Reading, found: Reading, settled: set[str]) -> set[str]:
    """The loops in the nests of those that are parallel anyway."""
    nests = {_outermost(found, identity) for identity in settled}
    return {i for i in found.groups if _says(seen, i) and _says(found, i) and _outermost(found, i) in nests}


def _asked_again(reading: Reading, options: AnalysisOptions) -> Reading:
    """The same function, asked for answers under conditions that say nothing of calls and branches."""
    from ..dependence import parallelism
    from ..dependence.macro_copies import agreed

    function = replace(reading.function, conditional=True)
    return Reading(function, reading.groups, agreed(parallelism(function, options), reading.groups.values()))


def _may_be_counted(loop: "Loop") -> bool:
    """Whether the iterations are counted, or would be if calls that are not seen set nothing in the test."""
    from ..ir.conditions import SWAPPED, truth
    from ..ir.nodes import Call, Evaluate, Operation, evaluated, statements

    if loop.trip is not None:
        return True
    tests = (truth(s.value) for s in loop.body if isinstance(s, Evaluate) and s.control)
    if not any(isinstance(test, Operation) and test.operator in SWAPPED for test in tests):
        return False
    return any(isinstance(e, Call) and e.unseen for s in statements(loop.body) for e in evaluated(s))


def _saying_more(seen: Reading, found: Reading, open_: set[str]) -> Reading:
    """The reading in which the reason of an open answer is what keeps it open under all conditions, too: once that is
    settled, it is parallel under some. (What an error path does is none of it.) Where the order shows although calls do
    no more, and no error path is taken, there is nothing to settle: the loop may run so."""
    answers = dict(seen.answers)
    for identity in open_:
        first, second = seen.answer(identity), found.answer(identity)
        if first is None or second is None or first.verdict is not Verdict.UNKNOWN or second.reason is None:
            continue
        verdict = Verdict.NO if second.verdict is Verdict.NO and second.reason.accesses else Verdict.UNKNOWN
        answers |= {key: replace(first, verdict=verdict, reason=second.reason) for key in seen.groups[identity]}
    return replace(seen, answers=answers)


def _says(reading: Reading, identity: str) -> bool:
    """Whether the answer is yes: such a loop is read as the nest around it is."""
    answer = reading.answer(identity)
    return answer is not None and answer.verdict is Verdict.YES


def _outermost(reading: Reading, identity: str) -> int:
    loop, around = reading.loop(identity)
    return (*around, loop)[0].key


def _is_open(answer: Parallelism) -> bool:
    """Whether the answer may be another one under conditions. A `no` for what only an error path does is: that it is
    not taken says more; and so is one for sizes of which some are small enough."""
    if answer.reason is None:
        return False
    if answer.verdict is Verdict.NO:
        names = {text.partition("[")[0] for text in answer.reason.accesses or ()}
        distance = answer.reason.distance or "1"
        open_distance = distance == "*" or (len(names) > 1 and not distance.isdigit())  # parts of one array
        some_sizes = answer.reason.code is ReasonCode.CARRIED_DEPENDENCE and open_distance
        return some_sizes or answer.reason.code in OPEN_IF_SHOWN
    return answer.reason.code in SUPPOSABLE


def _why_missing(function: "Function") -> tuple[ReasonCode, str]:
    refused = _refused_whole(function)
    if refused is not None:
        return refused
    return ReasonCode.UNPARSED, "this code is never reached, or what leads to it is not understood"


def _refused_whole(function: "Function") -> tuple[ReasonCode, str] | None:
    """Code and message, where nothing of a function could be lowered."""
    from ..ir import nodes as ir

    match function.body:
        case (ir.Refused(code=ReasonCode.TOO_COMPLEX as code, message=message),):
            return code, message
        case _:
            return None


def _names_mpi(unit: Unit) -> bool:
    return any(name.startswith("MPI_") for name in unit.prototypes)


def _talks(unit: Unit, function: "Function") -> bool:
    """Whether the function calls MPI: asked only where the file names it at all."""
    if not _names_mpi(unit):
        return False
    from ..mpi.analysis import talks

    return talks(function)


def _identities(unit: Unit, definition: Definition) -> "Iterator[tuple[str, Place, Node]]":
    """Identity, place and syntax of every loop of a function in source order (definitions.md, "Loops")."""
    from ..loops import syntax
    from ..source.nodes import nodes

    if definition.node is None:
        return
    seen: dict[Place, int] = defaultdict(int)
    for node in nodes(definition.node.body, *syntax.LOOPS):
        if not syntax.is_once(node):
            place = unit.place(node)
            seen[place] += 1
            suffix = f"#{seen[place]}" if seen[place] > 1 else ""
            yield f"{place.path}:{definition.name}:{place.line}:{place.column}{suffix}", place, node


def _nests(body: tuple[object, ...], around: "tuple[Loop, ...]") -> Iterator[Nest]:
    from ..ir import nodes as ir

    for statement in body:
        match statement:
            case ir.Loop():
                yield statement, around
                yield from _nests(statement.body, (*around, statement))
            case ir.Branch():
                yield from _nests(statement.then, around)
                yield from _nests(statement.otherwise, around)
            case _:
                pass


# --- one loop


def _loop_facts(reading: Reading, identity: str, loop: "Loop", around: "tuple[Loop, ...]") -> LoopFacts:
    from ..access.nest_limits import uncountable
    from ..ir import nodes as ir
    from ..loops.formula_text import bounds_text

    answers = reading.answers
    by_key = {keys[0]: name for name, keys in reading.groups.items()}
    own_around = [o for o in around if o.key in by_key]
    inside = [i for i in ir.loops(loop.body) if i.key in by_key]
    nest = (identity, *(by_key[i.key] for i in inside))
    parallel = tuple(by_key[n.key] for n in (loop, *inside) if answers[n.key].is_parallel)
    lower, upper, step = bounds_text(loop, around)
    facts = LoopFacts(
        id=identity,
        function=reading.function.name,
        place=loop.place,
        end_line=loop.end_line,
        parent=by_key[own_around[-1].key] if own_around else None,
        depth=len(own_around),
        nest=nest,
        parallel_loops=parallel,
        loop=loop,
        lower=lower,
        upper=upper,
        step=step,
        parallelism=answers[loop.key],
        supposing=reading.function.supposing,
    )
    message = uncountable(loop, around)
    if message is None:
        return facts
    return replace(facts, unclassified=Reason(ReasonCode.TOO_COMPLEX, message, loop.place.line))


def _unlike(facts: LoopFacts) -> LoopFacts:
    """A loop that control reaches in several ways, to do something else in each."""
    line = facts.place.line
    message = "this loop is reached in several ways, with other bounds or other places in memory in each"
    reason = Reason(ReasonCode.IRREGULAR_CONTROL_FLOW, message, line)
    return replace(facts, lower=None, upper=None, step=None, unclassified=reason)


def _missing_loop(definition: Definition, identity: str, place: Place, code: ReasonCode, message: str) -> LoopFacts:
    """A loop that is in the source but not in the IR."""
    from ..ir import nodes as ir
    from ..ir.symbols import program

    counter = program(0, "k", ir.Counter(0), 0)
    loop = ir.Loop(0, counter, "for", place, place.line, None, False, None, None, None, None, ())
    return LoopFacts(
        id=identity,
        function=definition.name,
        place=place,
        end_line=place.line,
        parent=None,
        depth=0,
        nest=(identity,),
        parallel_loops=(),
        loop=loop,
        lower=None,
        upper=None,
        step=None,
        parallelism=Parallelism(Verdict.UNKNOWN, reason=Reason(code, message, place.line)),
    )


def _failed_function(unit: Unit, definition: Definition, error: BaseException) -> FunctionFacts:
    from ..ir import nodes as ir

    function = ir.Function(definition.name, definition.place, (), (), False)
    message = f"internal error ({type(error).__name__}); the loop is not analysed"
    code = ReasonCode.INTERNAL_ERROR
    loops = [_missing_loop(definition, i, place, code, message) for i, place, _ in _identities(unit, definition)]
    return FunctionFacts(function, tuple(loops))
