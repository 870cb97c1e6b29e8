"""Writes into the text of a program where its loops begin, iterate and end, and what their symbols are at entry.

Each symbol stands on a line of its own in a file SYMBOLS that does not exist, under a number: what the compiler says
against it names the symbol, and the next attempt leaves it out.
"""

import itertools
import re
from collections.abc import Callable, Iterator

from .claims import Claim, Program

SYMBOLS = "symbols"
_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|.', re.S)
_SPACE = re.compile(r"(?:\s|\\\n|/\*.*?\*/|//[^\n]*)*", re.S)
_KEYWORD = re.compile(r"(for|while|do)\b")


class Symbols:
    """The symbols that can be read, by number; `out` those that cannot, as (number of the loop, name)."""

    def __init__(self) -> None:
        self.numbers: list[tuple[Claim, str]] = []
        self.out: set[tuple[int, str]] = set()

    def of(self, claim: Claim) -> list[str]:
        return [name for name in claim.symbols if (claim.number, name) not in self.out]

    def objects(self, claim: Claim) -> Iterator[str]:
        """In the form that the compiler takes: an array becomes a pointer by itself, a structure needs an `&`. A
        pointer must have none, or it would be in memory itself."""
        for name in claim.objects:
            forms = (f for f in (name, f"&{name}") if (claim.number, f) not in self.out)
            yield from itertools.islice(forms, 1)

    def number(self, claim: Claim, name: str) -> int:
        self.numbers.append((claim, name))
        return len(self.numbers)

    def leave_out(self, number: int, undeclared: str | None) -> None:
        """The compiler names what is undeclared once for each function: it goes from all of its loops."""
        claim, name = self.numbers[number - 1]
        self.out.add((claim.number, name))
        for other, text in self.numbers if undeclared else ():
            same = (other.file, other.facts.function) == (claim.file, claim.facts.function)
            if same and re.search(rf"\b{undeclared}\b", other.symbols.get(text, text)):
                self.out.add((other.number, text))


def instrumented(program: Program, file: str, symbols: Symbols) -> str:
    """The text of a file; claims whose loops cannot be found in it are marked."""
    text = program.texts[file]
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    edits: list[tuple[int, int, str]] = []
    for claim in program.of(file):
        place = claim.facts.place
        found = _edits(text, starts[place.line - 1] + place.column - 1, claim, symbols, program.unit(file))
        edits += found
        claim.instrumented = bool(found)
        if not (claim.instrumented and claim.tested):
            _broken(program, claim)
    for at, _, new in sorted(edits, key=lambda e: (-e[0], -e[1])):
        text = text[:at] + new + text[at:]
    return f'#line 1 "{file}"\n{text}'


def _broken(program: Program, claim: Claim) -> None:
    """Iterations of a loop that is not recorded are missing from all loops around it."""
    around: str | None = claim.facts.id
    by_id = {c.facts.id: c for c in program.of(claim.file)}
    while around in by_id:
        by_id[around].whole = False
        around = by_id[around].facts.parent


def _edits(text: str, at: int, claim: Claim, symbols: Symbols, unit: int) -> list[tuple[int, int, str]]:
    """Insertions, as (offset, order among those at one offset, text); none where the loop is not found as text."""
    keyword = _KEYWORD.match(text, at)
    if "#" in claim.facts.id or keyword is None:
        return []
    number = claim.number
    head = _past_space(text, keyword.end())
    iteration = f"recorded_iteration({number}, {int(claim.innermost)})"
    edits = [(at, 0, _entry(claim, symbols, unit))]
    if keyword[1] == "for":
        semicolon = _find(text, head, lambda token, depth: token == ";" and depth == 1)
        if semicolon is None:
            return []
        empty = text[_past_space(text, semicolon)] == ";"
        claim.tested = not empty
        edits.append((semicolon, 0, f" recorded_first({number}){'' if empty else ', '}"))
    body = head
    if keyword[1] != "do":
        end = _find(text, head, lambda token, depth: token == ")" and depth == 0)
        if end is None:
            return []
        body = _past_space(text, end)
        if keyword[1] == "while" and re.fullmatch(r"\(\s*(1|true)\s*\)", text[head:end]):
            claim.tested = False
    if text[body] == "{":
        return [*edits, (body + 1, 1, f" {iteration}; ")]
    return [*edits, (body, -1, f" if (!{iteration}) {{}} else ")]


def _entry(claim: Claim, symbols: Symbols, unit: int) -> str:
    """A loop of one iteration around the loop, which is one statement, as the loop is."""
    lines = ["recorded_quiet(),"]
    for name in symbols.of(claim):
        value = f"(__builtin_setjmp(recorded_jump) ? RECORDED_NONE : (long long)({claim.symbols[name]}))"
        lines += [f'#line {symbols.number(claim, name)} "{SYMBOLS}"', f"recorded_value({value}),"]
    for form in symbols.objects(claim):
        lines += [f'#line {symbols.number(claim, form)} "{SYMBOLS}"', f"(void)(long long)({form}),"]
    n = claim.number
    back = f'#line {claim.facts.place.line} "{claim.file}"'
    values = "\n".join(lines)
    begin, again = f"({values}\n{back}\nrecorded_enter({n}, {unit}))", f"recorded_leave({n})"
    return f"for (int recorded_{n} = {begin}; recorded_{n}; recorded_{n} = {again})\n{back}\n"


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _find(text: str, at: int, wanted: Callable[[str, int], bool]) -> int | None:
    """Behind the first token that is wanted, given how many parentheses are open after it; None before any brace."""
    depth = 0
    while at < len(text) and (token := _TOKEN.match(text, at)):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if token[0] in "{}":
            return None
        if wanted(token[0], depth):
            return token.end()
        at = token.end()
    return None
