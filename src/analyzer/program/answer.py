"""Placement of the loops of a program: the answer for the report, or why there is none."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from models.catalogue import MissingFigureError
from models.quantity import Range

from ..advise import Context
from ..advise.modelling import MODELS
from .expansion import Expansion, TooLargeError
from .gains import EXACT, gain
from .items import HostStep, Item, LoopTask
from .linking import DEFAULT_ENTRY, EntryError, entries, link
from .outline import Outline, calls, open_sizes
from .times import Times

if TYPE_CHECKING:  # most runs are of no whole program: they end without a placement
    from models.placement import Copy, Decision, Plan

MOST_NAMED = 5


class Placed(Struct, frozen=True):
    """One loop of one call: times are of all executions, in seconds. `alone`: the device that the loop alone would
    choose; `reason`: why it is elsewhere. `today_s` None: not known. `arrays`: names of the arrays it uses, `deep`: of
    those that are not one block of memory, as the function names them. `ends`, `today_ends`: of the ranges of `time_s`
    and `today_s`, as parts of what is likely."""

    loop: str
    function: str
    path: str
    line: int
    end_line: int
    calls: tuple[str, ...]
    device: str
    candidate: str
    executions: float
    time_s: float | None
    today_s: float | None
    alone: str
    reason: str
    arrays: tuple[str, ...]
    deep: tuple[str, ...]
    ends: Range = EXACT
    today_ends: Range = EXACT


class Copied(Struct, frozen=True):
    """`times` copies of `bytes` each, `time_s` in all. `after`, `before`: the loop that wrote it, the one that needs it
    (ids, None: no loop); `cause`: who needs it, in words."""

    array: str
    source: str
    target: str
    bytes: float
    times: float
    after: str | None
    before: str | None
    cause: str
    time_s: float


class Answer(Struct, frozen=True):
    """`entry`: the functions it starts from. `not_timed`: what has no known time, on the host before and after.
    `barriers`: calls that are not followed. `per_loop_s`: if every loop decided alone and copied for itself.
    `globals_`: names of arrays that are global; `gain`: how much faster the program gets."""

    entry: str
    loops: tuple[Placed, ...]
    copies: tuple[Copied, ...]
    before_s: float
    after_s: float
    lower_s: float
    gap: float
    per_loop_s: float
    not_timed: tuple[str, ...]
    barriers: tuple[str, ...]
    assumptions: tuple[str, ...]
    globals_: frozenset[str]
    gain: Range


class NoAnswer(Struct, frozen=True):
    """Why nothing can be said of the program as a whole, and what to do."""

    reason: str


def answer(
    outlines: Iterable[Outline],
    context: Context,
    given: Mapping[tuple[str, str], Mapping[str, int]],
    entry: str | None = None,
) -> Answer | NoAnswer:
    """The placement of the program that `outlines` (of all files) are, starting from `entry`.

    `given`: sizes that the user gave, by (path, function). Without main and `entry`, every function that no other one
    calls is an entry. Never raises for lack of knowledge: that is a NoAnswer.
    Example: `answer(outlines, Context(host, (h200,)), {}).after_s`."""
    devices = tuple(d for d in context.targets if d.kind != "cpu")
    if not devices:
        return NoAnswer("no accelerator is among the targets")
    listed = tuple(outlines)
    if entry is None and not any(o.name == DEFAULT_ENTRY for o in listed):
        refusal = _open_sizes(listed, given)
        if refusal is not None:
            return refusal
    from models.placement import place

    from .placing import places, program

    linked = link(listed)
    try:
        starts = entries(linked, entry)
        here = places(context.host, devices, context.model, context.resident)
    except EntryError as error:
        return NoAnswer(str(error))
    except MissingFigureError as error:
        return NoAnswer(f"{error}: how long copies take is not known")
    is_main = [o.name for o in starts] == [entry or DEFAULT_ENTRY] == [DEFAULT_ENTRY]
    expansion = Expansion(linked, Times(context, tuple(d.id for d in devices)), given)
    try:
        items = tuple(item for start in starts for item in expansion.entry(start, is_main=is_main))
    except TooLargeError:
        return NoAnswer("with every call followed it has too many loops; give a smaller part with --entry FUNCTION")
    names = ", ".join(o.name for o in starts[:MOST_NAMED]) + (", ..." if len(starts) > MOST_NAMED else "")
    refusal = _refusal(expansion, items, names)
    if refusal is not None:
        return refusal
    made, globals_ = program(items, expansion.found, here, ends=is_main)
    links = {device.id: MODELS[context.model].copying(device).ends for device in devices}
    return _answer(names, expansion, items, place(made, here), globals_, links)


def _open_sizes(outlines: tuple[Outline, ...], given: Mapping[tuple[str, str], Mapping[str, int]]) -> NoAnswer | None:
    """Without a main that passes them, most sizes are open: that is seen before anything is linked."""
    called = {name for outline in outlines for name in calls(outline.body)}
    for outline in outlines:
        if outline.name in called:
            continue
        missing = open_sizes(outline.facts, given.get((outline.path, outline.name), {}))
        if missing:
            return _unknown_sizes({f"{outline.path}:{outline.name}": missing})
    return None


def _refusal(expansion: Expansion, items: tuple[Item, ...], names: str) -> NoAnswer | None:
    from .placing import flat

    if expansion.found.unknown:
        return _unknown_sizes(expansion.found.unknown)
    if not any(isinstance(item, LoopTask) for item in flat(items)):
        return NoAnswer(f"no loop can be reached from {names}() by calls that are understood")
    return None


def _unknown_sizes(unknown: Mapping[str, set[str]]) -> NoAnswer:
    where, sizes = next(iter(sorted(unknown.items())))
    function = where.rpartition(":")[2]
    shown = " ".join(f"--size '{function}:{name}=VALUE'" for name in sorted(sizes)[:3])
    others = len(unknown) - 1
    more = f" (and in {others} more function{'s' if others > 1 else ''})" if others else ""
    return NoAnswer(f"a size is not known in {function}(){more}; give {shown}")


def _answer(
    names: str, expansion: Expansion, items: tuple[Item, ...], plan: "Plan", globals_: frozenset[str],
    links: Mapping[str, Range],
) -> Answer:  # fmt: skip
    from .placing import flat

    found = expansion.found
    by_name = {item.name: item for item in flat(items)}
    decisions = {d.task: d for d in plan.decisions}
    host, *devices = plan.places
    tasks = [item for item in flat(items) if isinstance(item, LoopTask)]
    loops = tuple(_placed(item, decisions[item.name], host, devices) for item in tasks)
    copies = tuple(_copied(copy, by_name) for copy in plan.copies if copy.seconds > 0)
    return Answer(
        entry=names,
        loops=loops,
        copies=copies,
        before_s=plan.before_s,
        after_s=plan.after_s,
        lower_s=plan.lower_s,
        gap=plan.gap,
        per_loop_s=plan.per_task_s,
        not_timed=tuple(dict.fromkeys(found.uncounted)),
        barriers=tuple(f"{name}(), {reason}" for name, reason in found.barriers.items()),
        assumptions=tuple(found.assumptions),
        globals_=globals_,
        gain=gain(loops, copies, links),
    )


def _placed(item: LoopTask, decision: "Decision", host: str, devices: Sequence[str]) -> Placed:
    timed = item.timed
    is_host = decision.place == host
    return Placed(
        loop=timed.facts.id,
        function=timed.facts.function,
        path=timed.facts.place.path,
        line=timed.facts.place.line,
        end_line=timed.facts.end_line,
        calls=item.calls,
        device=decision.place,
        candidate=timed.host_candidate if is_host else "target",
        executions=decision.executions,
        time_s=None if is_host and timed.host_s is None else decision.time_s,
        today_s=None if timed.today_s is None else decision.executions * timed.today_s,
        alone=decision.alone,
        reason=decision.reason,
        arrays=decision.arrays,
        deep=tuple(a.name for a in timed.facts.arrays if not a.contiguous),
        ends=timed.host_ends if is_host else timed.device_ends[devices.index(decision.place)],
        today_ends=timed.today_ends,
    )


def _copied(copy: "Copy", by_name: Mapping[str, LoopTask | HostStep]) -> Copied:
    return Copied(
        array=copy.array,
        source=copy.source,
        target=copy.target,
        bytes=copy.bytes,
        times=copy.times,
        after=_loop_of(by_name.get(copy.after or "")),
        before=_loop_of(by_name.get(copy.before or "")),
        cause=_words(copy.before, by_name.get(copy.before or "")),
        time_s=copy.seconds,
    )


def _loop_of(item: LoopTask | HostStep | None) -> str | None:
    return item.timed.facts.id if isinstance(item, LoopTask) else None


def _words(task: str | None, item: LoopTask | HostStep | None) -> str:
    """Who needs a copy."""
    match item:
        case None:
            return "the caller" if task is None else task
        case HostStep():
            return item.text
        case LoopTask():
            return f"line {item.timed.facts.place.line} in {item.timed.facts.function}()"
