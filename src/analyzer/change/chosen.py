"""Which loops of a run are changed, with what, and why others are not.

*Decides*: of the loops that pay on threads or vectors of the host, or on a device, those where the directive goes: the
level of the nest that the recommendation names, the outermost where a size decides; none where a directive divides the
work already, within the loop or around it. Where the sizes are not known, an `if` clause says from which on it pays.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from ..base.regex import regex
from ..ir.reasons import AssumptionKind, ReasonCode
from ..report.conditions import condition_words
from ..report.document import FileEntry
from ..report.loop_entries import ON_TARGETS, AssumptionEntry, BreakEvenEntry, LoopEntry, RecommendationEntry
from .collapsing import collapsed
from .conditions import with_sections
from .form import CONSTRUCT, Form, is_on_device
from .loop_change import AS_IT_WAS
from .refused import RefusedError
from .text import Text, UnreadableError
from .wanted import Wanted

ON_THREADS, ON_VECTORS = "host-threads", "host-vector"
_DIVIDES = regex(
    r"omp\b.*\b(parallel|for|simd|task\w*|target|teams|distribute|sections?|loop|single|master|masked)\b|acc\b"
)
_TUNES = regex(r"GCC\s+(ivdep|unroll|novector)|clang\s+loop|ivdep|(no)?unroll|(no)?vector\b|simd\b|loop\b")
MOST_REMARKED = 3
"""Assumptions that a comment names."""
_SETS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--")
APART = 4.0
"""Break-evens of several sizes that lie no further apart, as products, are one."""

_MEANT = {
    AssumptionKind.PARAMS_DISTINCT: "{} do not overlap",
    AssumptionKind.MEMBERS_DISTINCT: "{} do not overlap",
    AssumptionKind.ROWS_DISTINCT: "rows of {} do not overlap",
    AssumptionKind.IN_BOUNDS: "subscripts of {} stay in their rows",
    AssumptionKind.BOUND_INVARIANT: "{} stays the same in the loop",
    AssumptionKind.NO_OVERFLOW: "{} does not overflow",
    AssumptionKind.FP_REORDER: "{} may be rounded otherwise",
    AssumptionKind.USER: "{} (stated)",
}


def pays(loop: LoopEntry, form: Form) -> bool:
    """Whether threads or vectors of the host, or a device, are worth it, at the sizes that are known or from some size
    on."""
    r, alone = loop.recommendation, loop.alone
    places = ON_TARGETS if is_on_device(form) else (ON_THREADS, ON_VECTORS)
    if not loop.is_parallel or not {r.candidate, alone and alone.candidate}.intersection(places):
        return False
    from_some_size = any(b.value_likely is not None for b in r.break_even)
    is_open = r.verdict == "depends" and r.reason.code == ReasonCode.UNKNOWN_SIZE
    return r.verdict in ("host-parallel", "offload") or (is_open and from_some_size)


def chosen(file: FileEntry, form: Form = "openmp", placed: frozenset[str] = frozenset()) -> Iterator[LoopEntry]:
    """The loops of a file that pay, or are `placed` there, and are in no other one that does, in order. Where nobody
    knows the sizes, a loop whose threads would have to wait for each other's updates gives way to one inside it that
    needs none."""
    by_id = {loop.id: loop for loop in file.loops}
    paying = {loop.id for loop in file.loops if (pays(loop, form) or loop.id in placed) and loop.unlisted is None}
    free = {loop.id for loop in file.loops if loop.id in paying and not _waits(loop)}
    for loop in file.loops:
        if loop.id in paying - free and loop.recommendation.verdict == "depends" and free & set(loop.nest):
            paying.remove(loop.id)
    for loop in file.loops:
        if loop.id in paying and not any(around.id in paying for around in _around(by_id, loop)):
            yield loop


def _around(by_id: Mapping[str, LoopEntry], loop: LoopEntry) -> Iterator[LoopEntry]:
    """The loops around one, from inside out."""
    around = by_id.get(loop.parent or "")
    while around is not None:
        yield around
        around = by_id.get(around.parent or "")


def _waits(loop: LoopEntry) -> bool:
    return any(r.kind == "atomic" and r.clause != "write" for r in loop.rewrites)


def wanted(
    text: Text, loop: LoopEntry, form: Form = "openmp", loops: Sequence[LoopEntry] = (), *, asked: bool = False
) -> Wanted:
    """What to write at a loop. RefusedError where it should not be written; `asked`: somebody named this loop, so that
    conditions which nothing tests become a comment, and no size is too small. `loops`: all of the file."""
    if _is_left_for(text, loop):
        raise RefusedError("it is what a change has left for when its conditions do not hold")
    if loop.expansion is not None:
        raise RefusedError(f"the macro {loop.expansion.macro} makes it: the change belongs into the macro")
    if not loop.is_parallel:
        why = loop.reason.message if loop.reason is not None else "its iterations may need each other"
        raise RefusedError(f"not parallel: {why}")
    _refuse_divided(text, loop)
    _refuse_tuned(text, loop)
    untested = [c for c in loop.requires if c.check is None]
    if untested and not asked:
        raise RefusedError(f"nothing tests {condition_words(untested[0])}")
    tested = tuple(c.check for c in loop.requires if c.check is not None)
    searched = [c for c in loop.requires if (c.check or "").startswith("({")]
    remarks = (
        *assumed(loop.assumptions),
        *(f"Only if {condition_words(c)}." for c in untested),
        *(f"Tested: {condition_words(c)}." for c in searched),
    )
    r = loop.recommendation
    if is_on_device(form):
        condition = _worth_it(text, loop, r) if r.candidate in ON_TARGETS else None
        remarks = (*remarks, *_of_sections(loop))
        count = collapsed(text, loops, loop)
        staying = _worth_it(text, loop, r, resident=True) if r.candidate in ON_TARGETS else None
        return Wanted(
            CONSTRUCT[form],
            with_sections(text, loop, condition),
            remarks,
            tested,
            form,
            count,
            staying=with_sections(text, loop, staying),
        )
    construct = "parallel for" if _waits(loop) else loop.construct or "parallel for"
    if r.candidate == ON_VECTORS and r.verdict in ("host-parallel", "depends"):
        if _waits(loop):
            raise RefusedError("it pays with vectors, and its updates would have to be atomic")
        return Wanted("simd", None, remarks, tested)
    return Wanted(construct, _worth_it(text, loop, r), remarks, tested)


def _of_sections(loop: LoopEntry) -> tuple[str, ...]:
    """What is taken for granted of memory that goes to the device as a whole, though the loop may use less of it."""
    maps = loop.maps
    bounds = [f"{m.name}[{m.first}:{m.length}]" for m in maps if not m.exact and m.length is not None]
    return (f"Assumes: it uses {', '.join(bounds)}, and all of that is there.",) if bounds else ()


def _is_left_for(text: Text, loop: LoopEntry) -> bool:
    k = text.at(loop.line, loop.column)
    starts = (text.first_from(found.end()) for found in re.finditer(re.escape(AS_IT_WAS), text.text))
    return any(first <= k < text.after(first) for first in starts)


def _refuse_divided(text: Text, loop: LoopEntry) -> None:
    if any(_DIVIDES.match(pragma.text) for pragma in loop.pragmas):
        raise RefusedError("a directive divides its iterations already")
    k = text.at(loop.line, loop.column)
    begin, end = text.tokens[k].begin, text.tokens[text.after(k) - 1].end
    for word in {t.text for t in text.tokens[k : text.after(k)]}:
        if "_Pragma" in (text.macro(word) or ""):
            raise RefusedError(f"the macro {word}, which stands in it, holds a pragma")
    for pragma in text.pragmas:
        if begin < pragma.end < end and re.match(r"(omp|acc)\b", pragma.words):
            raise RefusedError(f"`#pragma {pragma.words}` on line {text.line(pragma.end)} stands in it")
        first = text.first_from(pragma.end)
        try:
            inside = _DIVIDES.match(pragma.words) is not None and first < k < text.after(first)
        except UnreadableError:
            continue
        if inside:
            raise RefusedError(f"it stands in what `#pragma {pragma.words}` on line {text.line(pragma.end)} runs")


def _refuse_tuned(text: Text, loop: LoopEntry) -> None:
    """Pragmas of compilers stand right in front of a loop, and so does OpenMP's."""
    k = text.at(loop.line, loop.column)
    behind = text.tokens[k - 1].end if k else 0
    for pragma in text.pragmas:
        if behind < pragma.end <= text.tokens[k].begin and _TUNES.match(pragma.words):
            raise RefusedError(f"`#pragma {pragma.words}` has to stand right in front of it: take it away first")


def assumed(assumptions: Iterable[AssumptionEntry]) -> tuple[str, ...]:
    """What an answer takes for granted, in one comment. Example: "Assumes: x and y do not overlap."."""
    said = list(dict.fromkeys(_meant(AssumptionKind(a.kind), a.text) for a in assumptions))
    if not said:
        return ()
    more = len(said) - MOST_REMARKED
    tail = f"; {more} more (analyze --why)" if more > 0 else ""
    return (f"Assumes: {'; '.join(said[:MOST_REMARKED])}{tail}.",)


def _meant(kind: AssumptionKind, text: str) -> str:
    """An assumption in words. Example: "x and y do not overlap" of `params-distinct` and `x,y`."""
    parts = [part.strip() for part in text.split(",")]
    is_pair = len(parts) == 2 and all(part.count("(") == part.count(")") for part in parts)
    if kind in (AssumptionKind.PARAMS_DISTINCT, AssumptionKind.MEMBERS_DISTINCT) and not is_pair:
        return f"nothing else leads to what {text} leads to"
    return _MEANT.get(kind, "{}").format(" and ".join(parts) if is_pair else text)


def _worth_it(text: Text, loop: LoopEntry, r: RecommendationEntry, *, resident: bool = False) -> str | None:
    """From which sizes on it pays and nothing is faster, as C at the loop; None where that is no question, or has no
    name there. `resident`: with its data there already."""
    if r.verdict != "depends":
        return None
    where = (b.resident_likely if resident else b.fastest_from for b in r.break_even)
    r = replace(r, break_even=tuple(replace(b, value_likely=at) for b, at in zip(r.break_even, where, strict=True)))
    known = [b for b in r.break_even if b.value_likely is not None]
    symbols = sorted(b.symbol for b in known)
    if not known or len(known) != len(r.break_even) or not all(is_in_scope(text, loop, s) for s in symbols):
        return None
    if len(known) == 1 and not known[0].given:
        return f"{symbols[0]} >= {rounded(known[0].value_likely)}" if (known[0].value_likely or 0) > 1 else None
    others = (value for b in known for name, value in (b.given or {}).items() if name not in symbols)
    products = [_product(b) for b in known]
    if any(value != 1 for value in others) or min(products) * APART < max(products):
        return None
    return f"{'(double)' * (len(symbols) > 1)}{' * '.join(symbols)} >= {rounded(max(products))}"


def refuse_around(file: FileEntry, loop: LoopEntry) -> None:
    """RefusedError where a directive divides a loop around it, whatever writes that, and where its text is not that of
    the file."""
    if not loop.id.startswith(f"{file.path}:"):
        raise RefusedError("it stands in a file that is included here")
    for around in _around({each.id: each for each in file.loops}, loop):
        if any(_DIVIDES.match(pragma.text) for pragma in around.pragmas):
            raise RefusedError(f"a directive divides the loop around it, on line {around.line}")


def is_in_scope(text: Text, loop: LoopEntry, name: str) -> bool:
    """Whether the loop uses a variable of this name, which it does not declare itself, and which nothing in front of it
    has given another value than the one it was declared with; of a member or an element, `s->n`, whether its header
    reads it."""
    first = text.at(loop.line, loop.column)
    if not name.isidentifier():
        return _reads(text, first, name)
    function = text.function(first)
    for k in range(function[0] if function is not None else 0, first):
        set_ = text.is_at(k + 1, *_SETS) or text.is_at(k - 1, "++", "--", "&")
        if text.is_at(k, name) and set_ and not text.is_at(k - 1, ".", "->") and not text.declares(k):
            return False
    used = [k for k in range(first, text.after(first)) if text.is_at(k, name) and not text.is_at(k - 1, ".", "->")]
    again = any(not text.is_at(k - 1, "*") and text.declares(k) for k in used)
    return not again and (bool(used) or _is_parameter(text, function, name))


def _reads(text: Text, loop: int, name: str) -> bool:
    """Whether the header of the loop at a token reads what C calls `name`, and sets nothing of that name."""
    if not text.is_at(loop, "for") or not text.is_at(loop + 1, "("):
        return False
    parts = re.findall(r"\w+|->|\S", name)
    found = [k for k in range(loop + 2, text.closing(loop + 1)) if _stands(text, k, parts)]
    return bool(found) and not any(text.is_at(k + len(parts), *_SETS, ".", "->", "[", "(") for k in found)


def _stands(text: Text, first: int, parts: Sequence[str]) -> bool:
    """Whether these tokens stand from one on, and are no end of a longer name, nor counted up or down."""
    whole = all(text.is_at(first + k, part) for k, part in enumerate(parts))
    return whole and not text.is_at(first - 1, ".", "->", "++", "--", "&")


def _is_parameter(text: Text, function: tuple[int, int] | None, name: str) -> bool:
    """Whether a function has a parameter of this name, which a macro in the loop may stand for (`_PB_N`)."""
    k = function[0] - 1 if function is not None else -1
    while k > 0 and not text.is_at(k, ";", "}"):
        if text.is_at(k, name) and text.is_at(k + 1, ",", ")"):
            return True
        k -= 1
    return False


def _product(b: BreakEvenEntry) -> float:
    """All sizes at a break-even, multiplied: how much there is to do."""
    return (b.value_likely or 0) * math.prod((b.given or {}).values())


def rounded(value: float | None) -> int:
    """To two digits, upwards: more would say more than is known.

    >>> rounded(43926), rounded(7)
    (44000, 7)
    """
    number = math.ceil(value or 0)
    step: int = 10 ** max(len(str(number)) - 2, 0)
    return math.ceil(number / step) * step
