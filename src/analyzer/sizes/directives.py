"""Our own comments in the source: what they ask for, and whether it could be done.

    // analyze: independent [why]       the loop below is parallel on the user's word, unless a dependence is shown
    // analyze: ignore[RULE, ...] why   no finding of these rules (or families: `DEP`) for the line below, or its own

    // analyze: holds injective(place)   a condition that holds for the loop below, and those inside of it

`size` is read in `sizes`. Comments of headers speak of the functions that stand there, whoever includes them.
"""

import difflib
from collections.abc import Iterable, Iterator

from msgspec import Struct

from ..base.places import Place
from ..base.regex import regex
from ..dependence.held_conditions import condition, not_a_condition
from ..facts.loop import FileFacts
from ..rules.catalogue import BY_ID, DISOBEYED, FAMILIES
from ..source.directives import KINDS
from ..source.unit import Diagnostic, Directive

_IGNORE = regex(r"\[([^\]]*)\]\s*(.*)")


class Ignore(Struct, frozen=True):
    """Findings of `rule` (an id, or a family) on `line` are not wanted, for this reason."""

    line: int
    rule: str
    reason: str


def ignores(directives: Iterable[Directive]) -> Iterator[Ignore]:
    """What is to be ignored, one for each rule that is named and known."""
    for directive in directives:
        for rule in _rules(directive):
            if rule in BY_ID or rule in FAMILIES:
                yield Ignore(directive.target, rule, _reason(directive))


def _rules(directive: Directive) -> list[str]:
    match = _IGNORE.match(directive.text) if directive.kind == "ignore" else None
    return [name.strip().upper() for name in match[1].split(",") if name.strip()] if match else []


def _reason(directive: Directive) -> str:
    match = _IGNORE.match(directive.text)
    return match[2] if match else ""


def complaints(file: FileFacts) -> Iterator[Diagnostic]:
    """A diagnostic for every directive that asks for nothing that is there."""
    loops = {loop.place.line for function in file.functions for loop in function.loops}
    for directive in file.directives:
        problem = _problem(directive, loops)
        if problem:
            yield Diagnostic(DISOBEYED, "warning", problem, Place(file.path, directive.line, 1))


def _problem(directive: Directive, loops: set[int]) -> str | None:
    match directive.kind:
        case "unknown":
            (near,) = difflib.get_close_matches(directive.text.lower(), KINDS, n=1)
            return f"`analyze: {directive.text}` is not known; did you mean {near}?"
        case "independent" | "holds" as kind if directive.target not in loops:
            return f"`analyze: {kind}` belongs above a loop; there is none on the next line of code"
        case "holds" if condition(directive.text) is None:
            return not_a_condition(directive.text)
        case "ignore":
            return _bad_ignore(_rules(directive))
        case _:
            return None


def _bad_ignore(rules: list[str]) -> str | None:
    if not rules:
        return "`analyze: ignore` names no rule; write `analyze: ignore[DEP001] reason`"
    unknown = [rule for rule in rules if rule not in BY_ID and rule not in FAMILIES]
    if not unknown:
        return None
    near = difflib.get_close_matches(unknown[0], BY_ID, n=1, cutoff=0.4)
    return f"`analyze: ignore` names no rule {unknown[0]!r}" + (f"; did you mean {near[0]}?" if near else "")
