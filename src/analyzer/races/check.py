"""The answer for each directive of a file."""

from msgspec.structs import replace

from ..base.places import Place
from ..facts.directives import RACE, SLOW, CheckedDirective
from ..settings.options import SourceOptions
from .conflict import REPORTED, Conflict
from .constructs import Construct, Role
from .marked import NUMBERS
from .reading import FEW, Found, Load, Reading
from .recorded import Step

OPENMP = 201511
"""The value of `_OPENMP` that most compilers have (4.5)."""


def checked(load: Load, options: SourceOptions) -> tuple[CheckedDirective, ...]:
    """The answer for every directive of a file that lets code run at once, in source order. `load`: reads the file with
    options, as compilers do that know OpenMP, and a change of its listing (`source.load_unit`).

    Example: `#pragma omp parallel for` above `for (i = 1; i < n; i++) a[i] = a[i - 1];` has a race between `a[i]` and
    `a[i - 1]`."""
    reading = Reading(load, _with_openmp(options))
    answers = _answers(reading, [*reading.holding])
    open_ = [c for c, answer in answers.items() if answer.answer == "unknown" and c.role is Role.TEAM]
    asked_again = [name for name, constructs in reading.holding.items() if any(c in open_ for c in constructs)]
    asked_again = reading.numbered(asked_again)  # of the others nothing changes with their number
    if asked_again:
        few = _answers(Reading(load, reading.options, FEW), asked_again)
        answers = {c: _better(a, few.get(c), f", with {FEW} threads") for c, a in answers.items()}
    if any(answer.answer == "unknown" for answer in answers.values()) and reading.is_recursive:
        deeper = _answers(Reading(load, reading.options, again=True), [*reading.holding])
        answers = {c: _better(a, deeper.get(c)) for c, a in answers.items()}
    return tuple(sorted(answers.values(), key=lambda each: each.place))


def _better(answer: CheckedDirective, other: CheckedDirective | None, where: str = "") -> CheckedDirective:
    """What is found at first; a race that shows otherwise where nothing is known."""
    if answer.answer != "unknown" or other is None or other.answer != "race":
        return answer
    return replace(other, message=f"{other.message}{where}")


def _answers(reading: Reading, names: list[str]) -> dict[Construct, CheckedDirective]:
    found = reading.found(names)
    reported = [c for c in reading.constructs.values() if c.role in REPORTED]
    answers = {c: _answer(c, found.get(c.key, Found())) for c in reported}
    outer = {c.of: answers.pop(c) for c in reported if c.of is not None}
    return {c: _worse(answer, outer.get(c.key)) for c, answer in answers.items()}


def _worse(answer: CheckedDirective, outer: CheckedDirective | None) -> CheckedDirective:
    """Of the two parts of a directive."""
    order = ("no-race", "unknown", "race")
    return outer if outer is not None and order.index(outer.answer) > order.index(answer.answer) else answer


def _with_openmp(options: SourceOptions) -> SourceOptions:
    """As compilers read a file that know OpenMP; with what its `main` gives to other functions."""
    given = any(d.partition("=")[0] == "_OPENMP" for d in options.defines)
    defines = options.defines if given else (*options.defines, f"_OPENMP={OPENMP}")
    return replace(options, defines=defines, entry=options.entry or "main")


def _answer(construct: Construct, found: Found) -> CheckedDirective:
    place, text = Place(construct.path, construct.line), construct.directive.text
    own = found.of(construct)
    sure = next((c for c in own if c.sure), None)
    lacks = tuple(dict.fromkeys(found.lacks))
    remarks = tuple((k.rule, f"{k.why}: {k.clause} is missing") for k in lacks)
    slow = tuple((SLOW, why) for why in dict.fromkeys(found.advice))
    if sure is not None:
        clauses = tuple(dict.fromkeys(m for c in own if c.sure for m in c.missing))
        mends = f"; {', '.join(clauses)} {'is' if len(clauses) == 1 else 'are'} missing" if clauses else ""
        answer = CheckedDirective(place, text, "race", f"{_said(sure)}{mends}", _texts(sure), clauses)
        remarks = ((RACE, answer.message), *remarks)
    else:
        answer = _without_race(construct, found, own, CheckedDirective(place, text, "no-race", ""))
    missing = tuple(dict.fromkeys((*answer.missing, *(k.clause for k in lacks))))
    said = "; ".join([*(m for rule, m in remarks if rule != RACE), *([answer.message] if answer.message else [])])
    return replace(answer, message=said, missing=missing, findings=(*remarks, *slow))


def _without_race(
    construct: Construct, found: Found, own: list[Conflict], answer: CheckedDirective
) -> CheckedDirective:
    """The answer where no race is certain."""
    if construct.is_of_one_thread or construct.is_empty or construct.role is Role.TARGET:
        return replace(answer, message="one thread runs it" if construct.is_of_one_thread else "")
    if not found.outcomes:
        return replace(answer, answer="unknown", message="the code below it is not understood")
    if own:
        return replace(answer, answer="unknown", message=own[0].why or _said(own[0]), accesses=_texts(own[0]))
    if construct.directive.family == "acc" and construct.directive.has("async"):
        return replace(answer, answer="unknown", message="what runs beside its queue is not looked at")
    needed = sorted({f"{a.kind}({a.text})" for o in found.outcomes for a in o.assumptions})
    return replace(answer, message=f"if {', '.join(needed)}" if needed else "")


def _texts(c: Conflict) -> tuple[str, ...]:
    return () if c.why else (_text(c.a), _text(c.b))


def _text(step: Step) -> str:
    """The access as the program writes it."""
    text = step.occurrence.access.text
    for call in sorted(NUMBERS, key=lambda each: len(NUMBERS[each]), reverse=True):
        text = text.replace(NUMBERS[call], f"{call}()")
    return text


def _said(c: Conflict) -> str:
    """In words, what is done at once."""
    can = "can" if c.sure else "may"
    one = "iteration" if c.construct is not None and c.construct.role is Role.LANES else "thread"
    store, other = (c.a, c.b) if c.a.occurrence.write else (c.b, c.a)
    x, y = _text(store), _text(other)
    if store.call is not None:
        return f"two {one}s {can} call `{x}` (line {store.line}), which keeps state between its calls, at once"
    if not other.occurrence.write:
        same = "it" if x == y else f"the same place as `{y}`"
        return f"one {one} {can} store to `{x}` (line {store.line}) while another reads {same} (line {other.line})"
    if x == y:
        lines = f"line {store.line}" if store.line == other.line else f"lines {store.line} and {other.line}"
        return f"two {one}s {can} store to `{x}` ({lines}) at once"
    return f"two {one}s {can} store to one place, as `{x}` (line {store.line}) and `{y}` (line {other.line}), at once"
