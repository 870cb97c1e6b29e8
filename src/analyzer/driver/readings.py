"""How a function is read: lowered, and asked for the answers of its loops; again where its open loops may be parallel
under conditions."""

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ..base.places import Place
from ..facts.loop import Parallelism, Verdict
from ..ir.reasons import ReasonCode
from ..settings.options import AnalysisOptions
from ..source.unit import Definition, Unit
from .remembered import Memory, ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..clauses import Node, Program
    from ..facts.on_device import OnDevice
    from ..ir.nodes import Function, Loop

Nest: TypeAlias = "tuple[Loop, tuple[Loop, ...]]"
"""A loop, and those around it from the outermost on."""

Listing: TypeAlias = "list[tuple[str, Place, Node]]"
"""Identity, place and syntax of each loop of a function, in source order."""


Needs: TypeAlias = "dict[str, Callable[[], OnDevice | None]]"
"""By loop, what a device needs to run it, worked out when it is asked for: of few loops it is shown."""


class Asked(Struct, frozen=True):
    """What is asked of each function of a file. `memory`: of what was worked out for the text before; `needs` is added
    to."""

    program: "Program"
    options: AnalysisOptions
    memory: Memory | None = None
    needs: Needs = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        return self.program.unit

    def answers(self, function: "Function", wanted: frozenset[int] | None = None) -> dict[int, Parallelism]:
        """By key, of all its loops; or of those in the nests of some that are `wanted`."""
        from ..dependence import parallelism

        options, keys = self.options, None if wanted is None else sorted(wanted)
        return ask(self.memory, "answers", (function, options, keys), lambda: parallelism(function, options, wanted))


class Reading(Struct, frozen=True, dict=True):
    """A lowered function and the answers for its loops, by key: for all of them, or for those in the nests that were
    asked about. `groups`: the keys of each loop of the text."""

    function: "Function"
    groups: "Mapping[str, tuple[int, ...]]"
    answers: dict[int, Parallelism]

    @cached_property
    def nests(self) -> "dict[int, Nest]":
        """By key, each loop with those around it."""
        from ..ir.blocks import nests

        return {loop.key: (loop, around) for loop, around in nests(self.function.body)}

    def loop(self, identity: str) -> "Nest":
        return self.nests[self.groups[identity][0]]

    def answer(self, identity: str) -> Parallelism | None:
        keys = self.groups.get(identity)
        return None if keys is None else self.answers.get(keys[0])


Places: TypeAlias = list[tuple[str, Place]]
"""Identity and place of each loop of a function."""


def read(
    asked: Asked,
    definition: Definition,
    places: Places,
    supposing: bool = False,
    not_followed: frozenset[int] = frozenset(),
    wanted: Collection[str] | None = None,
) -> Reading:
    """The function as it is written or, `supposing`, as it is where no error path is taken and calls that are not seen
    do no more than conditions say. `not_followed`: calls, by `id`, that are taken to be of that kind. `wanted`: the
    loops about whose nests is asked; None: all."""
    from ..dependence.macro_copies import copies
    from ..dependence.premises import settled
    from ..loops import lower_function

    function = settled(lower_function(asked.unit, definition, supposing, not_followed))
    return _asked_about(asked, function, copies(function, places), wanted)


def _asked_about(
    asked: Asked, function: "Function", groups: "Mapping[str, tuple[int, ...]]", wanted: Collection[str] | None
) -> Reading:
    from ..dependence.macro_copies import agreed

    if wanted is None or any(len(keys) > 1 for keys in groups.values()):  # copies of one loop are of several nests
        return Reading(function, groups, agreed(asked.answers(function), groups.values()))
    keys = frozenset(key for identity in wanted for key in groups.get(identity, ()))
    return Reading(function, groups, asked.answers(function, keys))


SUPPOSABLE = frozenset(
    (
        *(ReasonCode.MAY_ALIAS, ReasonCode.UNKNOWN_CALL, ReasonCode.NON_AFFINE_ACCESS, ReasonCode.EARLY_EXIT),
        *(ReasonCode.CARRIED_DEPENDENCE, ReasonCode.SIDE_EFFECT, ReasonCode.UNKNOWN_TRIP_COUNT, ReasonCode.VOLATILE),
    )
)
"""Reasons of an open answer that conditions may settle."""

OPEN_IF_SHOWN = (ReasonCode.SIDE_EFFECT, ReasonCode.EARLY_EXIT, ReasonCode.UNKNOWN_TRIP_COUNT)
"""Reasons of a `no` that they may settle: what an error path does, and what calls that are not seen may set."""


def under_conditions(
    asked: Asked, definition: Definition, listing: Listing, seen: Reading
) -> tuple[dict[str, Reading], Reading]:
    """The reading under conditions, by identity of each loop of which the answer was open, and that is parallel under
    some, and of those in its nest that are parallel anyway; and the first reading, with the reason of a loop that stays
    open being what no condition settles. The function is read a second time only if a loop of it is open of which the
    iterations can be counted."""
    from ..loops.suppositions import is_open_to

    if asked.options.assume == "none":
        return {}, seen
    answers = ((identity, node, seen.answer(identity)) for identity, _, node in listing)
    loops = [(i, node) for i, node, answer in answers if answer is not None and _is_open(answer)]
    open_ = [i for i, node in loops if _may_be_counted(seen.loop(i)[0]) and is_open_to(asked.unit, node)]
    if not open_:
        return {}, seen
    places = [(i, place) for i, place, _ in listing]
    found = read(asked, definition, places, supposing=True, wanted=open_)
    settled = _settled(found, open_)
    left = [(i, node) for i, node in loops if i in open_ and i not in settled]
    calls = _told_apart_by_calls(asked.unit, found, left)
    if calls:
        again = read(asked, definition, places, supposing=True, not_followed=calls, wanted=open_)
        if settled < (more := _settled(again, open_)):
            found, settled = again, more
    chosen = dict.fromkeys(settled | _beside(seen, found, settled), found)
    elsewhere = [i for i in open_ if i not in settled and (_says(found, i) or i not in found.groups)]
    if elsewhere:  # by what is supposed elsewhere in the function, and cannot be said of the loop; or left out by that
        asked_again = _asked_again(asked, seen, elsewhere)
        more = _settled(asked_again, elsewhere)
        chosen = dict.fromkeys(more | _beside(seen, asked_again, more), asked_again) | chosen
        settled |= more
    return chosen, _saying_more(seen, found, set(open_) - settled)


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


def _asked_again(asked: Asked, reading: Reading, wanted: Collection[str]) -> Reading:
    """The same function, asked for answers under conditions that say nothing of calls and branches."""
    return _asked_about(asked, replace(reading.function, conditional=True), reading.groups, wanted)


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
