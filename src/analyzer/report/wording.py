"""How a loop and its places are named in text meant for people."""

import re

from ..base.amounts import factor, time
from ..ir.reasons import ReasonCode
from . import amounts
from .document import SETTLED, AloneEntry, AlternativeEntry, Document, InductionEntry, LoopEntry, PredictionEntry

HIDDEN_WORK = frozenset({ReasonCode.UNKNOWN_CALL, ReasonCode.SIDE_EFFECT, ReasonCode.INLINE_ASM})
"""Reasons that leave out of all counts, and of the time, work which cannot be seen."""


def name(loop: LoopEntry) -> str:
    """`for i`, `loop (macro EACH)`"""
    said = f"for {loop.variable}" if loop.variable else "loop"
    return f"{said} (macro {loop.expansion.macro})" if loop.expansion else said


def heading(loop: LoopEntry) -> str:
    """With how often it runs: `for i × n`"""
    trip = loop.trip_count
    if trip is None or trip.expr is None or (trip.value is None and trip.abridged is not None):
        return name(loop)
    often = str(trip.value) if trip.value is not None else amounts.formula(trip.expr)
    return f"{name(loop)} × {'' if trip.exact else '~'}{often}"


def place(device: str | None, candidate: str | None) -> str:
    """Where a loop runs, in a word or three: `h200`, `all threads`, `vectors`, `h200 and threads`, `host`."""
    named = {
        "host": "host",
        "host-threads": "all threads",
        "host-vector": "vectors",
        "split": f"{device} and threads",
    }
    return named.get(candidate or "", device or "")


def left_to_do(loop: LoopEntry) -> str:
    """What the advised time needs besides the suggested directive; empty where it is all of it.

    Example: "no directive divides the loop: this one gives 7.94 ms on all threads, 17x faster"."""
    change = loop.change
    if change is None and loop.advised is not None and loop.advised.mapping is not None:
        return f"the time is of a kernel that no directive says: {loop.advised.mapping}"
    if change is None:
        more = f"needs more than a directive: {loop.rewrites[0].text}" if loop.rewrites else ""
        return more or "--suggest says why it writes no directive"
    alone = "" if change.alone is None else f"gives {_by_itself(loop, change.alone)}"
    if change.unsaid is not None:
        by_compiler = f"alone it {alone}" if alone else "what a compiler makes of the directive alone is not predicted"
        return f"the time is of a kernel that does more than the directive says: {change.unsaid}; {by_compiler}"
    return f"no directive divides the loop: this one {alone}" if alone else ""


def _by_itself(loop: LoopEntry, alone: AloneEntry) -> str:
    """What a directive does by itself: "7.94 ms on all threads, 17x faster"."""
    today, after = loop.today_s, alone.time_s.likely
    said = f"{time(after)} on {place(alone.device, alone.candidate)}"
    if today is None or not after:
        return said
    return f"{said}, {factor(today / after)} faster" if after < today else f"{said}, slower than today"


def timed(loop: LoopEntry) -> tuple[PredictionEntry, ...]:
    """The predictions with a time; none where the time would leave out work that cannot be seen."""
    if loop.reason is not None and loop.reason.code in HIDDEN_WORK:
        return ()
    return tuple(p for p in loop.predictions if p.time_s is not None)


def mappings(loop: LoopEntry) -> list[str]:
    """How the nest becomes threads of the targets, where a time is shown for one.

    Example: "gtx470, h200: collapse i and j after exchanging j and k"."""
    devices: dict[str, list[str]] = {}
    for p in timed(loop):
        if p.candidate == "target" and p.mapping is not None:
            devices.setdefault(p.mapping, []).append(p.device)
    return [f"{', '.join(names)}: {text}" for text, names in devices.items()]


def gained(way: AlternativeEntry) -> list[str]:
    """How much faster the nest is in another form, at each place where that is known.

    Example: ["one thread likely 4.1x (2.4x to 4.6x): 2.1 s against 8.6 s"]."""
    names = {"host": "one thread", "host-threads": "all threads"}
    said = []
    for g in way.gains or ():
        span = f"{factor(g.speedup.low)} to {factor(g.speedup.high)}"
        times = f"{time(g.after_s.likely)} against {time(g.before_s.likely)}"
        said.append(f"{names[g.candidate]} likely {factor(g.speedup.likely)} ({span}): {times}")
    return said


def induction(found: InductionEntry) -> str:
    """What a loop needs for a variable that steps evenly: `k = 2*i (after the loop: 2*n)`. A variable of the header has
    a value after the loop only; nothing where no formula is known. In a formula its own name means the value that the
    header, or what is before the loop, gives it, which has a name of its own here, as all iterations need it:
    `k = k_before + 2*i (before the loop: k_before = k)`."""
    if found.value is None:
        return f"{found.variable} = {found.after} after the loop" if found.after is not None else ""
    own = re.compile(rf"(?<![\w.>]){re.escape(found.variable)}\b")
    before = "_".join(re.findall(r"\w+", found.variable)) + "_before"
    notes = [f"before the loop: {before} = {found.start}"] if own.search(found.value) else []
    if found.after is not None:
        notes.append(f"after the loop: {own.sub(before, found.after)}")
    return f"{found.variable} = {own.sub(before, found.value)}" + (f" ({'; '.join(notes)})" if notes else "")


def settled_sizes(document: Document) -> dict[tuple[str, str], str]:
    """By path and function, the sizes that the program settles itself: `m = 2, n = 3 passed by each call, as at a:9`"""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for symbol in document.symbols:
        if symbol.source.startswith(SETTLED) and symbol.value is not None:
            path, function = symbol.scope.rsplit(":", 1)
            sizes = found.setdefault((path, function), {})
            sizes.setdefault(symbol.source, []).append(f"{symbol.name} = {symbol.value}")
    return {key: "; ".join(f"{', '.join(each)} {how}" for how, each in sizes.items()) for key, sizes in found.items()}
