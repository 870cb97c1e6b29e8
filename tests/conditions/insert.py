"""Writes into the text of a program a recorder for each condition of its conditional loops.

The recorder of a loop is the head of another loop, of one iteration, around it: one statement, as the loop is, so that
it may stand wherever the loop does. It evaluates the checks whenever the loop is reached; its variable ends when the
loop is left, however that happens. It stands above the pragmas of the loop.

    for (int conditions_1 __attribute__((cleanup(conditions_leave))) = (conditions_begin(1),
         conditions_test(1, (CHECK) != 0), conditions_enter(1)); conditions_1 > 0; conditions_1 = -conditions_1)
    #pragma omp parallel for
    for (i = 0; i < n; i++) y[idx[i]] = x[i];

A line that is not to be reached (`cold`, `no-exit`) tells the recorder when it is: the jump there, the branch of the
`if`, `else` or `case` there, an `assert` that does not hold, or an assignment that changes its flag. Each check stands
on a line of its own of a file CHECKS that does not exist, under its number: what the compiler says names it.
*Does not handle*: loops and lines that macros make, choices by `?:`, error paths of a function that is
called in the line; lines of other files; C before C99.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from tests.clauses.rewriting import Edit, edited
from tests.clauses.tokens import Source

from .answers import Condition, Loop

CHECKS = "conditions"
DECLARED = (
    "extern void conditions_begin(int), conditions_test(int, int), conditions_leave(int *); "
    "extern int conditions_enter(int), conditions_reach(int);"
)
_DIRECTIVE = re.compile(r"(?m)^[ \t]*#[ \t]*(\w*)(?:\\.|/\*.*?\*/|[^\n])*", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


class NotInsertedError(Exception):
    """The text does not have what the answer names."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A loop with its number, and the number of its first condition: the others follow."""

    loop: Loop
    number: int
    first: int

    @property
    def numbers(self) -> range:
        return range(self.first, self.first + len(self.loop.required))


@dataclass(frozen=True, slots=True)
class Recorded:
    """A text with its recorders, the conditions that have some, and why one, or a line of it, has none."""

    text: str
    watched: frozenset[int]
    missing: dict[int, str]


def recorded(text: str, file: str, loops: Sequence[Numbered], refused: Set[int] = frozenset()) -> Recorded:
    """The text with all recorders but those of the checks that the compiler `refused`."""
    source, missing, watched = Source(text), dict[int, str](), set[int]()
    edits = [Edit(0, 0, f'{DECLARED}\n#line 1 "{file}"\n')]
    for numbered in loops:
        try:
            edits.append(_entry(source, file, numbered, refused))
        except NotInsertedError as error:
            missing.update(dict.fromkeys(numbered.numbers, str(error)))
            continue
        for number, condition in zip(numbered.numbers, numbered.loop.required, strict=True):
            lines = _lines(source, condition, number, missing)
            edits += lines
            if lines or condition.check is not None:
                watched.add(number)
            else:
                missing.setdefault(number, "no test")
    return Recorded(edited(text, edits), frozenset(watched), missing)


def _lines(source: Source, condition: Condition, number: int, missing: dict[int, str]) -> list[Edit]:
    """The recorders of the lines of a condition; the reason where one has none."""
    edits: list[Edit] = []
    for line in condition.lines:
        try:
            edits.append(_reach(source, line, number))
        except NotInsertedError as error:
            missing[number] = f"line {line}: {error}"
    return edits


def _entry(source: Source, file: str, numbered: Numbered, refused: Set[int]) -> Edit:
    loop, name = numbered.loop, f"conditions_{numbered.number}"
    offset = source.offset(loop.line, loop.column)
    place = source.at(offset)
    token = source.tokens[place]
    if loop.expansion is not None or token.begin != offset or token.text not in ("for", "while", "do"):
        raise NotInsertedError("made by a macro")
    begin = _above_pragmas(source, place)
    back = f'\n#line {source.line(begin)} "{file}"\n'
    tests = [
        f"conditions_begin({number}), conditions_test({number},\n"
        f'#line {number} "{CHECKS}"\n({condition.check}) != 0{back}), '
        for number, condition in zip(numbered.numbers, loop.required, strict=True)
        if condition.check is not None and number not in refused
    ]
    kept = f"int {name} __attribute__((cleanup(conditions_leave)))"
    entered = f"({''.join(tests)}conditions_enter({numbered.number}))"
    return Edit(begin, begin, f"for ({kept} = {entered}; {name} > 0; {name} = -{name}){back}")


def _above_pragmas(source: Source, place: int) -> int:
    """Where the first of the pragmas above a loop begins, with the `#if` around it."""
    tokens = source.tokens
    begin = tokens[place].begin
    while place > 3 and tokens[place - 1].text == ")" and tokens[place - 4].text == "_Pragma":
        place -= 4
        begin = tokens[place].begin
    least = tokens[place - 1].end
    depth = 0
    for found in reversed([m for m in _DIRECTIVE.finditer(source.text, least, begin) if _is_in_text(source, m, least)]):
        depth += {"endif": 1, "if": -1, "ifdef": -1, "ifndef": -1}.get(found[1], 0)
        if depth < 0 or found[1] not in ("pragma", "endif", "if", "ifdef", "ifndef", "else", "elif"):
            break
        if depth == 0:
            begin = found.start()
    return begin


def _is_in_text(source: Source, found: re.Match[str], least: int) -> bool:
    """Whether this is no part of a comment."""
    return not any(c.start() < found.start() < c.end() for c in _COMMENT.finditer(source.text, least, found.end()))


def _reach(source: Source, line: int, number: int) -> Edit:
    """The recorder of a line that is not to be reached."""
    tokens = source.tokens
    every = [k for k, t in enumerate(tokens) if source.line(t.begin) == line]
    told = f" if (conditions_reach({number})) {{}} else "
    match [k for k in every if tokens[k].text in ("return", "goto", "break", "continue", "if")]:
        case [k, *others] if tokens[k].text != "if" and not others:
            return Edit(tokens[k].begin, tokens[k].begin, told)
        case [k, *others] if tokens[k].text == "if" and not any(tokens[x].text == "if" for x in others):
            behind = source.closing(k + 1) + 1
            return Edit(tokens[behind].begin, tokens[behind].begin, told)
        case []:
            return _other(source, every, number)
        case _:
            raise NotInsertedError("more than one branch in the line")


def _other(source: Source, every: Sequence[int], number: int) -> Edit:
    """Of a line without a jump: the branch behind `else`, the statements of a `case`, a check that is to hold
    (`assert`), or `flag = call();` which is to leave the flag as it is."""
    tokens = source.tokens
    reach = f"conditions_reach({number})"
    for k in every:
        at = tokens[k].begin
        if tokens[k - 1].text == "else":
            return Edit(at, at, f" if ({reach}) {{}} else ")
        if tokens[k].text in ("case", "default"):
            end = source.colon(k)
            return Edit(tokens[end].end, tokens[end].end, f" (void){reach}; ")
        if tokens[k - 1].text not in (";", "{", "}", ")", ":"):
            continue
        if "assert" in tokens[k].text.lower() and tokens[k + 1].text == "(":
            told = source.text[tokens[k + 1].begin : tokens[source.closing(k + 1)].end]
            return Edit(at, at, f"if (!{told} && {reach}) {{}} else ")
        if k + 1 < len(tokens) and tokens[k + 1].text == "=" and _is_asked_first(source, k):
            flag, old = tokens[k].text, f"conditions_old_{number}"
            head = f"for (long {old} = (long)({flag}), {old}_on = 1; {old}_on; "
            head += f"{old}_on = 0, {old} != (long)({flag}) ? {reach} : 0) "
            return Edit(at, at, head)
    raise NotInsertedError("no branch is seen in the line")


def _is_asked_first(source: Source, flag: int) -> bool:
    """Whether iterations that find this flag set do nothing: `if (flag == 0) continue;` before it in the function. A
    pointer that is NULL is no flag."""
    tokens = source.tokens
    name, around = tokens[flag].text, source.function(tokens[flag].begin)
    for k in range(around[0] if around else 0, flag):
        if tokens[k].text == "if" and tokens[k + 1].text == "(":
            end = source.closing(k + 1)
            behind = next((t.text for t in tokens[end + 1 : end + 3] if t.text != "{"), "")
            asked = {t.text for t in tokens[k + 2 : end]}
            if behind == "continue" and name in asked and "NULL" not in asked:
                return True
    return False


def refused_checks(printed: str) -> dict[int, str]:
    """The checks that a compiler refused, and what it said, by what it printed.

    Example: `conditions:3:5: error: 'n' undeclared` is {3: "'n' undeclared"}."""
    found = re.finditer(rf"(?m)^{CHECKS}:(\d+):(?:\d+:)? (?:error: |note: in (?=expansion))(.*)$", printed)
    return {int(match[1]): match[2] for match in found}
