"""Sizes that every call of a function passes with one value.

    static void solve(int n) { ... }   ...   int main(void) { int n = 400; solve(n); }   in solve(), n is 400

*Decides*: an integer parameter of a `static` function has one value on entry if each line of the file's text that names
the function defines it, declares it, or holds one call of it that was read, and all of these pass that value: a
constant, or a formula of the caller's own parameters that are settled so.
*Errs toward* saying nothing: a second name on a line, a name in a macro, in code that is not compiled or without a call
(a pointer to the function) is enough to give up.
*Does not handle*: functions that other files can call, values that follow from integers at file scope, ranges.
"""

import re
from collections.abc import Iterable

from msgspec import Struct

from models.expr import evaluate, free_symbols

from ..facts.loop import FileFacts
from .outline import Invoke, Outline, every
from .settled import LARGEST, Settled, code_of

Values = dict[str, dict[str, Settled]]


class _Calls(Struct, frozen=True):
    """Every call of a function, each with the name of the function that it stands in."""

    callee: Outline
    found: tuple[tuple[str, Invoke], ...]


def passed(file: FileFacts, outlines: Iterable[Outline]) -> Values:
    """By function and parameter of `file`, the values that all calls agree on; `outlines`: of its functions.

    Example: `{"solve": {"n": Settled("n", 400, 12, by_call=True)}}`."""
    listed = list(outlines)
    asked = {(s.scope, s.name) for s in file.symbols}
    static = [o for o in listed if o.is_static and o.path == file.path and o.parameters]
    if not any((o.name, p) in asked for o in static for p in o.parameters):
        return {}
    text = code_of(file.source_text)
    every = [calls for o in static if (calls := _calls_of(o, listed, text)) is not None]
    known: Values = {}
    while any([_settle(calls, known) for calls in every]):  # one function may pass on what another one is given
        pass
    wanted = {name: {p: v for p, v in found.items() if (name, p) in asked} for name, found in known.items()}
    return {name: found for name, found in wanted.items() if found}


def _calls_of(callee: Outline, outlines: list[Outline], text: str) -> _Calls | None:
    """None where the text has a mention of the function that is none of its calls."""
    made = [(o, s) for o in outlines for s in every(o.body) if isinstance(s, Invoke) and s.name == callee.name]
    if not made or any(step.indirect or o.path != callee.path for o, step in made):
        return None
    found = tuple((o.name, step) for o, step in made)
    lines = [text.count("\n", 0, m.start()) + 1 for m in re.finditer(rf"\b{re.escape(callee.name)}\b", text)]
    declared = _declarations(callee.name, text)
    called = {step.line for _, step in found}
    is_plain = len(set(lines)) == len(lines) and set(lines) - declared == called
    return _Calls(callee, found) if is_plain and not called & declared else None


def _declarations(name: str, text: str) -> set[int]:
    """Lines on which the function is declared or defined: its name behind a type, its parameters before `;` or `{`."""
    head = rf"(?:^|[;}}]|\n)\s*(?:[A-Za-z_]\w*[\s*]+)+?({re.escape(name)})\s*\([^;{{}}]*\)\s*[;{{]"
    heads = [m for m in re.finditer(head, text) if m[0].lstrip(";}\n\t ").split(None, 1)[0] not in ("return", "else")]
    return {text.count("\n", 0, m.start(1)) + 1 for m in heads}


def _settle(calls: _Calls, known: Values) -> bool:
    """Whether a parameter is known now that was not before."""
    own = known.setdefault(calls.callee.name, {})
    new = {
        name: value
        for k, name in enumerate(calls.callee.parameters)
        if name not in own and (value := _agreed(calls, k, name, known)) is not None
    }
    own |= new
    return bool(new)


def _agreed(calls: _Calls, position: int, name: str, known: Values) -> Settled | None:
    values = {_value(caller, step, position, known) for caller, step in calls.found}
    if len(values) != 1 or (value := values.pop()) is None:
        return None
    return Settled(name, value, calls.found[0][1].line, by_call=True)


def _value(caller: str, call: Invoke, position: int, known: Values) -> int | None:
    """What a call passes there; None where that is not known."""
    given = call.arguments[position].value if position < len(call.arguments) else None
    own = known.get(caller, {})
    if given is None or not free_symbols(given) <= own.keys():
        return None
    value = evaluate(given, {name: own[name].value for name in free_symbols(given)})
    return int(value) if value == int(value) and 0 <= value <= LARGEST else None
