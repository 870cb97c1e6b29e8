"""What is known of one function: its loops as they are read (`readings`), and then one question after the other."""

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ..base.places import Place
from ..facts.loop import FunctionFacts, LoopFacts, Parallelism, Reason, Verdict
from ..facts.on_device import OnDevice
from ..ir.reasons import ReasonCode
from ..settings.options import AnalysisOptions
from ..source.unit import Abi, Definition, Unit
from .readings import Asked, Nest, Reading, read, under_conditions
from .remembered import ask

if TYPE_CHECKING:
    from ..clauses import Node, Program
    from ..ir.nodes import Function, Loop
    from ..polyhedra.effort import Shared


def function_facts(asked: Asked, definition: Definition) -> FunctionFacts:
    """What is known of a function of the file and of each of its loops, in source order.

    Example: `function_facts(Asked(Program(unit), AnalysisOptions()), unit.functions[0]).loops[0].parallelism`."""
    from ..access.nest_limits import is_countable
    from ..ir import nodes as ir

    unit = asked.unit
    listing = list(identities(unit, definition))
    if definition.node is not None and not listing and not _names_mpi(unit):
        # where it is called it is lowered with the caller
        return FunctionFacts(ir.Function(definition.name, definition.place, (), (), True), ())
    reading = read(asked, definition, [(identity, place) for identity, place, _ in listing])
    conditional, reading = under_conditions(asked, definition, listing, reading)
    function = reading.function
    talks = _talks(unit, function)
    loops = [_Listed(i, place, node, conditional.get(i, reading)) for i, place, node in listing]
    facts = _worked_out(asked, definition, loops, unit.abi if talks else None)
    communication = None
    if talks and is_countable(function.body):
        from ..mpi.analysis import of_function

        communication = of_function(function, unit.abi, reading.answers, definition.end_line)
    supposed = next((r.function for r in conditional.values() if r.function.supposing), None)
    return FunctionFacts(function, facts, communication, supposed)


class _Listed(Struct, frozen=True):
    """A loop of the text, and the reading that its answer is of."""

    identity: str
    place: Place
    node: "Node"
    reading: Reading

    @property
    def is_read(self) -> bool:
        """Whether the loop is in the reading: one that is never reached is not."""
        return self.identity in self.reading.groups

    @property
    def nest(self) -> Nest:
        return self.reading.loop(self.identity)


def _worked_out(
    asked: Asked, definition: Definition, loops: list[_Listed], abi: Abi | None
) -> tuple[LoopFacts, ...]:
    """All that is known of the loops. What takes long is made of values alone, so that it can be remembered: readings
    and what is known of the loops by then."""
    bare = [_answered(asked.program, definition, loop) for loop in loops]
    readings = list({id(loop.reading): loop.reading for loop in loops}.values())
    values = [(reading.function, reading.groups, reading.answers) for reading in readings]
    of_which = [next(k for k, r in enumerate(readings) if r is loop.reading) for loop in loops]
    arguments = (values, of_which, bare, asked.options, abi)
    found = ask(asked.memory, "loops", arguments, lambda: _counted(loops, bare, asked.options, abi))
    for loop, facts in zip(loops, found, strict=True):
        if loop.is_read:
            asked.needs[loop.identity] = partial(_needs, asked.program, definition, loop, facts)
    return tuple(found)


def _answered(program: "Program", definition: Definition, listed: _Listed) -> LoopFacts:
    """What is known of a loop before anything is counted: its answer, and what is to be written at it."""
    from ..clauses import clauses
    from ..dependence.macro_copies import alike

    reading = listed.reading
    if not listed.is_read:
        return _missing_loop(definition, listed.identity, listed.place, *_why_missing(reading.function))
    loop, around = listed.nest
    found = _loop_facts(reading, listed.identity, loop, around)
    written = clauses(program, definition, listed.node, reading.function, loop, found.parallelism)
    found = replace(found, clauses=written)
    again = reading.groups[listed.identity]
    if found.unclassified is None and len(again) > 1 and not alike(reading.nests[key][0] for key in again):
        return _unlike(found)
    return found


def _counted(
    loops: list[_Listed], bare: list[LoopFacts], options: AnalysisOptions, abi: Abi | None
) -> list[LoopFacts]:
    """The facts with class, idioms, counts and what else is worked out of nests, which share their effort."""
    from ..polyhedra import effort
    from .inlined_loops import with_inlined_loops
    from .nest_facts import worked_out

    efforts: dict[tuple[bool, int], Shared] = {}
    made = []
    for listed, facts in zip(loops, bare, strict=True):
        if facts.unclassified is None and listed.is_read:
            function, answers = listed.reading.function, listed.reading.answers
            loop, around = listed.nest
            nest = (function.supposing, (*around, loop)[0].key)
            shared = efforts.setdefault(nest, effort.Shared(effort.MOST_STEPS))
            facts = worked_out(shared, facts, function, around, answers, options, abi)
            facts = with_inlined_loops(shared, facts, function, around, answers, options)
        made.append(facts)
    return made


def _needs(program: "Program", definition: Definition, listed: _Listed, facts: LoopFacts) -> OnDevice | None:
    """What a device needs, which is looked up in the source around the loop."""
    from ..clauses.site import Site
    from .nest_facts import needs_of

    function = listed.reading.function
    loop, around = listed.nest
    return needs_of(facts, Site(program, definition, listed.node, function, loop), function, around)


def _why_missing(function: "Function") -> tuple[ReasonCode, str]:
    refused = refused_whole(function)
    if refused is not None:
        return refused
    return ReasonCode.UNPARSED, "this code is never reached, or what leads to it is not understood"


def refused_whole(function: "Function") -> tuple[ReasonCode, str] | None:
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


def identities(unit: Unit, definition: Definition) -> "Iterator[tuple[str, Place, Node]]":
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


def failed_function(unit: Unit, definition: Definition, error: BaseException) -> FunctionFacts:
    from ..ir import nodes as ir

    function = ir.Function(definition.name, definition.place, (), (), False)
    message = f"internal error ({type(error).__name__}); the loop is not analysed"
    code = ReasonCode.INTERNAL_ERROR
    loops = [_missing_loop(definition, i, place, code, message) for i, place, _ in identities(unit, definition)]
    return FunctionFacts(function, tuple(loops))
