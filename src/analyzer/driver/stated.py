"""Whether what the user says is about anything that is there, and whether an answer rests on it.

*Decides*: for each fact and each file that it may be about: that the function, the loop and the names in it exist, that
an answer needs it, or that a dependence is shown against it. What one file has no use for, another one may need: what
is to be said of a fact is only known when all files of a run are there (`remarks`). *Does not handle*: facts about
files that the run does not read, which are left alone as long as the files exist.
"""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from ..base.near_names import near_names
from ..base.places import Place
from ..dependence.held_conditions import condition, is_held
from ..facts.loop import FileFacts, LoopFacts, Verdict
from ..ir.reasons import ReasonCode
from ..loops.allocations import why_no_allocator
from ..rules.catalogue import DISOBEYED
from ..settings.facts import Fact
from ..sizes.values import Size
from ..source.nodes import identifiers
from ..source.project import shown
from ..source.unit import Diagnostic, Unit

Standing: TypeAlias = Literal["used", "against", "idle", "name", "loop", "function"]
"""An answer rests on it, or nothing is known against it; a dependence is shown against it; no answer needs it; a name
in it, its loop, or its function is not there. From the best to the worst of what several files say."""

_ORDER: tuple[Standing, ...] = ("against", "used", "idle", "name", "loop", "function")


class Stated(Struct, frozen=True):
    """What became of a fact in one file. `why`: what stands against it, or which name is not there; `known`: the names
    that are."""

    fact: Fact
    path: str
    standing: Standing
    why: str = ""
    known: tuple[str, ...] = ()


def stated(unit: Unit, file: FileFacts) -> tuple[Stated, ...]:
    """What became of the facts that may be about this file."""
    facts = (fact for fact in unit.facts if fact.path in (None, file.path))
    return tuple(found for fact in facts if (found := _stated(unit, file, fact)) is not None)


def _stated(unit: Unit, file: FileFacts, fact: Fact) -> Stated | None:
    defined = tuple(d.name for d in unit.functions if d.own and d.place.path == file.path)
    if fact.function is not None and fact.function not in defined:
        return Stated(fact, file.path, "function", fact.function, defined)
    if fact.kind == "alloc":
        return _allocator(unit, file, fact)
    if fact.kind == "size":
        return _size(unit, file, fact)
    loops = [p for f in file.functions if fact.function in (None, f.function.name) for p in f.loops]
    meant = [p for p in loops if fact.loop in (None, p.loop.variable, p.place.line)]
    if not meant and fact.loop is not None:
        if fact.path == fact.said.path:
            return None  # of a comment, `sizes.directives` says so
        known = dict.fromkeys(str(p.loop.variable or p.place.line) for p in loops)
        return Stated(fact, file.path, "loop", str(fact.loop), tuple(known))
    if fact.kind == "independent":
        return _independent(file, fact, meant)
    inside = {identity for p in meant for identity in p.nest}
    return _condition(unit, file, fact, [p for p in loops if p.id in inside])


def _allocator(unit: Unit, file: FileFacts, fact: Fact) -> Stated:
    calls = frozenset[str]().union(*(d.calls for d in unit.functions))
    known = {*unit.prototypes, *unit.definitions, *calls}
    if fact.text not in known:
        return Stated(fact, file.path, "name", fact.text, tuple(sorted(known)))
    why = why_no_allocator(unit, fact.text)
    return Stated(fact, file.path, "against" if why else "used", why)


def _size(unit: Unit, file: FileFacts, fact: Fact) -> Stated:
    name = fact.text.rpartition("=")[0].strip()
    scopes = {s.scope for s in file.symbols if s.name == name}
    if fact.function in scopes or (fact.function is None and scopes - {"file"}):
        return Stated(fact, file.path, "used")
    if "file" in scopes:
        return Stated(fact, file.path, "against", "it is a macro; use `define`")
    known = {s.name for s in file.symbols if fact.function in (None, s.scope) and s.scope != "file"}
    if name in _identifiers(unit, fact):
        return Stated(fact, file.path, "idle")  # the code says which value it has, or nothing depends on that
    return Stated(fact, file.path, "name", name, tuple(sorted(known)))


def differ(said: Size, settled: Size) -> bool:
    """Whether a size, or a range of it, is not what the program settles."""
    return not said.value <= settled.value <= (said.value if said.last is None else said.last)


def against(facts: Iterable[Fact], size: Size, path: str, why: str) -> Stated:
    """The fact that a size is from, which the program contradicts."""
    scope = size.written, size.function, size.path
    fact = next(f for f in facts if f.kind == "size" and (f.text, f.function, f.path) == scope)
    return Stated(fact, path, "against", f"it is {why}")


def _independent(file: FileFacts, fact: Fact, loops: list[LoopFacts]) -> Stated:
    shown_against = None if fact.path == fact.said.path else _dependence(loops)
    if shown_against is None:
        return Stated(fact, file.path, "used")
    return Stated(fact, file.path, "against", shown_against)


def _condition(unit: Unit, file: FileFacts, fact: Fact, loops: list[LoopFacts]) -> Stated | None:
    if condition(fact.text) is None:
        return None  # of a comment, `sizes.directives` says so
    if any(is_held(needed, (fact.text,)) for p in loops for needed in p.parallelism.held):
        return Stated(fact, file.path, "used")
    names = _identifiers(unit, fact)
    known = names | unit.macros.keys() | unit.definitions.keys()
    missing = next((n for n in re.findall(r"[A-Za-z_]\w*", fact.text.partition("(")[2]) if n not in known), None)
    if missing is not None:
        return Stated(fact, file.path, "name", missing, tuple(sorted(names)))
    shown_against = _dependence(loops)
    if shown_against is not None:
        return Stated(fact, file.path, "against", shown_against)
    return Stated(fact, file.path, "idle")


def _identifiers(unit: Unit, fact: Fact) -> frozenset[str]:
    """The names in the functions that a fact is of."""
    trees = (d.node for d in unit.functions if fact.function in (None, d.name))
    return frozenset[str]().union(*(identifiers(tree) for tree in trees if tree is not None))


def _dependence(loops: list[LoopFacts]) -> str | None:
    """A dependence that is shown in one of the loops."""
    for p in loops:
        reason = p.parallelism.reason
        if p.parallelism.verdict is Verdict.NO and reason is not None and reason.code is ReasonCode.CARRIED_DEPENDENCE:
            return f"the loop in line {p.place.line} is not parallel: {reason.message}"
    return None


# --- all files of a run


def remarks(found: Iterable[Stated], given: Iterable[Fact]) -> Iterator[tuple[str, Diagnostic]]:
    """What is to be said of facts, each with the path of the file that it is about. `given`: those that no comment
    makes."""
    by_fact: dict[Fact, list[Stated]] = {}
    real = {fact.path: shown(fact.path) for fact in given if fact.path is not None}
    for one in found:
        by_fact.setdefault(one.fact, []).append(one)
    for all_of_it in by_fact.values():
        best = min(all_of_it, key=lambda s: _ORDER.index(s.standing))
        message = _message(best, all_of_it)
        if message is not None:
            level, text = message
            said = best.fact.said if best.fact.said.line else Place(best.path, 1, 1)
            yield best.path, Diagnostic(DISOBEYED, level, text, said)
    for path in sorted(path for path in real if not os.path.exists(path)):
        fact = next(fact for fact in given if fact.path == path)
        text = f"there is no file {real[path]}{near_names(os.path.basename(path), _beside(path))}"
        yield "", Diagnostic(DISOBEYED, "warning", text, fact.said)


def _beside(path: str) -> list[str]:
    try:
        return [name for name in os.listdir(os.path.dirname(path)) if name.endswith((".c", ".h"))]
    except OSError:
        return []


def _message(best: Stated, all_of_it: list[Stated]) -> tuple[Literal["note", "warning"], str] | None:
    fact = best.fact
    said = f"`{fact.kind} {fact.text}`" if fact.said.line else f"`{fact.source}`"
    known = {name for one in all_of_it if one.standing == best.standing for name in one.known}
    where = f"`{fact.function}`" if fact.function is not None else best.path if fact.path else "the files of this run"
    match best.standing:
        case "used":
            return None
        case "against":
            return "warning", f"{said} is not believed: {best.why}"
        case "idle":
            return "note", f"no answer needs {said}"
        case "name":
            return "warning", f"{said}: there is no `{best.why}` in {where}{near_names(best.why, known)}"
        case "loop":
            return "warning", f"there is no loop of `{best.why}` in {where}{near_names(best.why, known)}"
        case "function":
            where = best.path if fact.path else "the files of this run"
            return "warning", f"there is no function `{best.why}` in {where}{near_names(best.why, known)}"
