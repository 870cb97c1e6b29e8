"""Directives as C: the program in which each of them is a mark that the analysis of loops can see.

    #pragma omp parallel            if (!__omp_1) ; else for (__omp_1t = 0; __omp_1t < __omp_threads; __omp_1t++) ...
    { #pragma omp for               {   if (!__omp_2) ; else
      for (i...) ...                    for (i...) ...
      #pragma omp barrier               __omp_3 = 1;
    }                               }

Whatever stands under a condition on a mark is in that construct, in functions that are called there as well. A team of
threads is a loop over their numbers: what two of its iterations do, two threads may do at once. Lines stay as they are.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..base.regex import regex
from ..source.extent import statement_end
from ..source.listing import Listing, MacroEvent, Segment
from ..source.selection import MARK as MARK
from ..source.unit import Pragma
from .constructs import POINTS, STARTS_THREADS, Construct, Role, role_of, target_task
from .depend_objects import objects, with_objects
from .directive import Directive, read_directive
from .item_texts import ITEM as ITEM
from .item_texts import evaluations, kept
from .lock_marks import TRIED, lock_marks
from .metadirective import meant
from .once_more import once_more
from .set_threads import with_threads

THREAD, THREADS = f"{MARK}thread", f"{MARK}threads"
TEAM, TEAMS = f"{MARK}team", f"{MARK}teams"
NUMBERS = {
    "omp_get_thread_num": THREAD,
    "omp_get_num_threads": THREADS,
    "omp_get_team_num": TEAM,
    "omp_get_num_teams": TEAMS,
}
"""What stands for calls that ask for numbers."""

_EACH = f"{MARK}each"
"""How many threads each team of a league has."""

_CALL = regex(r"(?<!int )\b(omp_get_(?:thread_num|num_threads|team_num|num_teams))[ \t]*\([ \t]*\)")
_NAME = regex(r"[A-Za-z_]\w*")
_MOST_MACROS = 10
"""In one another."""

_NOTHING = regex(r"\s*(?:;|\{[\s;]*\})")


class Marked(Struct, frozen=True):
    """`constructs` by the names of their marks; `on_device`: names that directives give to a device that run nothing
    there; `numbered`: the lines, of whatever file, on which the program asks for the numbers of threads."""

    listing: Listing
    constructs: Mapping[str, Construct]
    on_device: frozenset[str] = frozenset()
    numbered: frozenset[int] = frozenset()


def marked(
    listing: Listing, pragmas: Iterable[tuple[int, Pragma]], threads: int | None = None, again: bool = False
) -> Marked:
    """The listing with a mark for each directive. `pragmas`: each with the offset of the code that it stands before;
    `threads`: how many a team has (None: any number); `again`: functions that call themselves stand there once
    more (`once_more`)."""
    directives = _directives(listing, pragmas)
    threads = _number_of_threads(directives) or threads
    number = None if threads is None else str(threads)
    asked = {call: number or mark if mark in (THREADS, TEAMS) else mark for call, mark in NUMBERS.items()}
    numbered = frozenset(listing.line(call.start()) for call in _CALL.finditer(listing.code))
    found: dict[str, Construct] = {}
    on_device: set[str] = set()
    inserted: list[tuple[int, Pragma, str]] = []
    places: list[str] = []
    for offset, pragma, directive in directives:
        role = role_of(directive)
        on_device |= _named(directive)
        if role is None:
            continue
        task = target_task(directive)
        if task is not None:
            named = replace(task, text=pragma.text)
            outer = Construct(len(found) + 1, Role.TASK, named, pragma.path, of=len(found) + 2)
            found[f"{MARK}{outer.key}"] = outer
            read = evaluations(outer.key, task)
            inserted.append((offset, pragma, _written(outer, number, kept(read))))
            places += read
        key = len(found) + 1
        around = role in (Role.TEAM, Role.TEAM_SECTIONS) or (role is Role.TEAM_LOOP and bool(numbered))
        construct = Construct(key, role, replace(directive, text=pragma.text), pragma.path, around)
        if role is Role.TASK and _NOTHING.match(listing.code, offset):
            construct = replace(construct, is_empty=True)
        if construct.is_of_one_thread and role is Role.TASK and directive.has("depend"):
            construct = replace(construct, role=Role.TASK_WAIT)  # nothing goes on before it is done
        found[f"{MARK}{key}"] = construct
        if construct.is_of_one_thread and construct.role is not Role.TASK_WAIT:
            continue
        read = evaluations(key, directive) if construct.role in (Role.TASK, Role.TASK_WAIT) else {}
        inserted.append((offset, pragma, _written(construct, number, kept(read))))
        places += read
    if not found:
        return Marked(listing, found)

    locks = lock_marks(listing, len(found) + 1)
    found |= locks.constructs
    inserted += locks.inserted
    places += locks.places
    code = _CALL.sub(lambda call: asked[call[1]].ljust(len(call[0])), locks.code)
    counters = (f"{name}t" for name, construct in found.items() if construct.threads)
    marks = ", ".join((*NUMBERS.values(), _EACH, *found, *counters, *places))
    declared = f"static volatile int {TRIED}; static int {marks};"
    first = (0, Pragma(1, "", listing.segments[0].path), declared)
    every = [first, *sorted(inserted, key=lambda each: each[0])]
    result = _with(replace(listing, code=code), every)
    if again:
        result = _with(*once_more(result))
    return Marked(result, found, frozenset(on_device), numbered)


def _directives(
    listing: Listing, pragmas: Iterable[tuple[int, Pragma]]
) -> list[tuple[int, Pragma, Directive]]:
    """What the pragmas mean, in the order of the program."""
    found: list[tuple[int, Pragma, Directive]] = []
    for offset, pragma in sorted(pragmas, key=lambda each: (each[0], each[1].line)):
        directive = meant(read_directive(_expanded(pragma.text, listing, offset), pragma.line))
        if directive is not None:
            found.append((offset, pragma, directive))
    made = objects(directive for _, _, directive in found)
    found = _with_kernels(found, listing)
    meant_by = with_threads(listing.code, ((offset, with_objects(directive, made)) for offset, _, directive in found))
    return [(offset, pragma, each) for (offset, pragma, _), each in zip(found, meant_by, strict=True)]


def _with_kernels(
    directives: list[tuple[int, Pragma, Directive]], listing: Listing
) -> list[tuple[int, Pragma, Directive]]:
    """The directives, where `loop` in the block of `kernels` says what `kernels loop` does: that its iterations are
    independent, or nothing (OpenACC 3.3 2.9.7)."""
    found: list[tuple[int, Pragma, Directive]] = []
    end = -1
    for offset, pragma, directive in directives:
        if directive.family == "acc" and directive.name == ("kernels",):
            end = statement_end(listing.code, offset)
        inside = directive.family == "acc" and directive.name == ("loop",) and offset <= end
        found.append((offset, pragma, replace(directive, name=("kernels", "loop")) if inside else directive))
    return found


def _number_of_threads(directives: list[tuple[int, Pragma, Directive]]) -> int | None:
    """How many threads each team has, where all directives that start some say the same number."""
    teams = [d for _, _, d in directives if role_of(d) in STARTS_THREADS and "parallel" in d.name]
    numbers = {d.number("num_threads") for d in teams if not Construct(0, Role.TEAM, d).is_of_one_thread}
    return next(iter(numbers)) if len(numbers) == 1 and not any("teams" in d.name for d in teams) else None


def _expanded(text: str, listing: Listing, offset: int) -> str:
    """The text of a pragma with the macros in it that take no arguments."""
    for _ in range(_MOST_MACROS):
        expanded = _NAME.sub(lambda name: _body(listing.macro_at(name[0], offset)) or name[0], text)
        if expanded == text:
            break
        text = expanded
    return text


def _body(event: MacroEvent | None) -> str:
    text = "" if event is None else event.text or ""
    return "" if text.startswith("(") else text.strip()


def _named(directive: Directive) -> set[str]:
    """The names that `target data`, `enter data`, `declare target` and their like give to a device."""
    if not {"data", "update", "declare"} & {*directive.name}:
        return set()
    named = {name for clause in directive.clauses for name in clause.names}
    return named | {name.strip() for name in (directive.argument or "").split(",")}


def _written(construct: Construct, threads: str | None, places: str = "") -> str:
    """`threads`: how many, as a number; `places`: reads of those that it names."""
    name = f"{MARK}{construct.key}"
    if construct.role in POINTS:
        return f"{places}{name} = 1;"
    if construct.role is Role.MASTER and not construct.directive.has("filter"):
        return f"if (!{name} || {THREAD}) ; else"
    enters = f"!{name}" if construct.condition is None else f"!{name} || !({construct.condition})"
    if not construct.threads:
        return f"if ({places}{enters}) ; else"
    words = {*construct.directive.name}
    own, every = (TEAM, TEAMS) if "teams" in words and "parallel" not in words else (THREAD, THREADS)
    each = _EACH if threads is None else str(int(threads) // 2)
    number = f"{name}t % {each}" if {"teams", "parallel"} <= words else f"{name}t"  # a team counts its own threads
    one = f" || {THREAD}" if {"master", "masked"} & words else ""
    over = f"for ({name}t = 0; {name}t < {threads or every}; {name}t++)"
    return f"if ({enters}) ; else {over} if (({own} = {number}) < 0{one}) ; else"


def _with(listing: Listing, inserted: list[tuple[int, Pragma, str]]) -> Listing:
    """The listing with lines before those at the offsets, each of which stands where its pragma does."""
    pieces: list[str] = []
    segments: list[Segment] = []
    ends = [*(s.start for s in listing.segments[1:]), len(listing.code)]
    at = length = index = 0

    def copy(end: int) -> None:
        """What is between the last place and `end`, by segments."""
        nonlocal at, length, index
        while at < end:
            while ends[index] <= at:
                index += 1
            stop = min(end, ends[index])
            text = listing.code[at:stop]
            segments.append(replace(listing.segments[index], start=length, line=listing.line(at)))
            pieces.append(text)
            length, at = length + len(text), stop

    shifts: list[tuple[int, int]] = [(0, 0)]
    for offset, pragma, text in inserted:
        copy(offset)
        around = listing.segment(min(offset, len(listing.code) - 1))
        lead = "\n" if pieces and not pieces[-1].endswith("\n") else ""
        pieces.append(f"{lead}{text}\n")
        segments.append(replace(around, start=length, line=pragma.line - len(lead)))
        length += len(pieces[-1])
        shifts.append((offset, length - at))
    copy(len(listing.code))

    def moved(offset: int) -> int:
        return offset + shifts[bisect_left(shifts, offset + 1, key=lambda each: each[0]) - 1][1]

    code = "".join(pieces)
    macros = {n: [replace(e, offset=moved(e.offset)) for e in events] for n, events in listing.macros.items()}
    pragmas = tuple(replace(p, offset=moved(p.offset)) for p in listing.pragmas)
    breaks = [found.start() for found in re.finditer("\n", code)]
    starts = [s.start for s in segments]
    return Listing(code, tuple(segments), macros, pragmas, listing.files, starts, breaks)
