"""Conditions that hold because the user says so: `// analyze: holds injective(place)`, or a fact of a facts file.

*Decides*: whether what is said is a condition, and whether it says at least as much as one that an answer needs.
*Errs toward* no: names are compared as they are written, blanks aside.

    distinct(a,b,c)      is enough for  distinct(a,b)
    at-most(n<=48)       is enough for  at-most(n<=64), as at-least(m>=3) is for at-least(m>=1)
    rising(ptr)          is enough for  monotone(ptr), injective(ptr)
    cold(12,40)          is enough for  cold(40)
    injective(row)       is enough for  injective((row,column))
"""

import difflib
import re
from collections.abc import Iterable

from ..base.regex import regex
from ..facts.loop import Assumption
from ..ir.reasons import CONDITIONS, AssumptionKind
from .condition_groups import IN_RISING, names, of_pair

_CONDITION = regex(r"([a-z-]+)\s*\((.+)\)\Z", re.DOTALL)
_BOUND = regex(r"(.+?)(<=|>=)((?:[^<>=]|->)+)\Z", re.DOTALL)
_BOUNDS = {AssumptionKind.AT_MOST: "<=", AssumptionKind.AT_LEAST: ">="}


def condition(text: str) -> tuple[AssumptionKind, tuple[str, ...]] | None:
    """Kind and parts of what is said; None where it is no condition. Example: `condition("distinct(a, b)")`."""
    found = _CONDITION.match(text.strip())
    kind = next((k for k in CONDITIONS if found is not None and k == found[1]), None)
    if found is None or kind is None:
        return None
    parts = tuple("".join(name.split()) for name in names(found[2]))
    if not all(parts) or (kind is AssumptionKind.DISTINCT and len(parts) < 2):
        return None
    if kind in _BOUNDS and not all((b := _BOUND.match(p)) is not None and b[2] == _BOUNDS[kind] for p in parts):
        return None
    return None if kind in OF_LINES and not all(p.isdigit() for p in parts) else (kind, parts)


def not_a_condition(text: str) -> str:
    """What is said of a text that is none."""
    kinds = sorted(map(str, CONDITIONS))
    word = re.match(r"[\w-]*", text.strip())
    if word is not None and word[0] in kinds:
        bounds = {kind: f"n{sign}64" for kind, sign in _BOUNDS.items()}
        forms = {AssumptionKind.DISTINCT: "a,b"} | bounds | dict.fromkeys(OF_LINES, "12")
        return f"`holds {text}` is not understood; write {word[0]}({forms.get(AssumptionKind(word[0]), 'name')})"
    near = difflib.get_close_matches(word[0] if word is not None else "", kinds, n=1, cutoff=0.5)
    offer = f"did you mean {near[0]}?" if near else f"known: {', '.join(kinds)}"
    return f"`holds {text}` is no condition; {offer}"


OF_LINES = (AssumptionKind.COLD, AssumptionKind.NO_EXIT)
"""Conditions that name lines of a function."""


def is_held(wanted: Assumption, said: Iterable[str]) -> bool:
    """Whether a condition that an answer needs is among those that are said to hold."""
    needed = condition(str(wanted))
    enough = (wanted.kind, AssumptionKind.RISING) if wanted.kind in IN_RISING else (wanted.kind,)
    found = [c for c in map(condition, said) if c is not None and c[0] in enough]
    if needed is None or not found:
        return False
    parts = set(needed[1])
    match wanted.kind:
        case AssumptionKind.DISTINCT:
            return any(parts <= set(known) for _, known in found)
        case AssumptionKind.AT_MOST | AssumptionKind.AT_LEAST:
            return all(any(_says_as_much(k, part) for _, known in found for k in known) for part in parts)
        case _:
            known = {name for _, listed in found for name in listed}
            return all(part in known or not known.isdisjoint(of_pair(part)) for part in parts)


def _says_as_much(said: str, wanted: str) -> bool:
    a, b = _BOUND.match(said), _BOUND.match(wanted)
    if a is None or b is None or a[1] != b[1]:
        return False
    if not (a[3].isdigit() and b[3].isdigit()):
        return a[3] == b[3]
    return int(a[3]) <= int(b[3]) if b[2] == "<=" else int(a[3]) >= int(b[3])
