"""From the formulas of the advice to their entry: texts that `models.expr.text` reads."""

from collections import deque
from collections.abc import Iterator
from typing import Literal

from models.expr import Expr, to_text
from models.prediction import Prediction, Shares, Term, Terms
from models.values import Tree, Value, size
from models.writing import ATOM, Known, Shared, shared, written

from ..advise.formulas import Formulas, Hull
from .formula_entries import FormulasEntry, HullEntry, PartsEntry, RefusalEntry, TimeEntry

End = Literal["low", "likely", "high"]
ENDS: tuple[End, ...] = ("low", "likely", "high")
OUT_OF_PROPORTION = 40
SUMS = frozenset({"extended", "roofline", "perdome"})
"""Models whose time is max(compute, memory) + transfer + launch at each end."""


def formulas_entry(found: Formulas, longest: int | None = None) -> FormulasEntry | None:
    """The formulas as texts; None where these have more than `longest` characters in all, or a page, which writes out
    what they share, would make OUT_OF_PROPORTION times as much of them."""
    values = [value for p in found.predictions for end in ENDS for value in _values(p, end)]
    if longest is not None and 2 * sum(map(size, values)) > OUT_OF_PROPORTION * longest:
        return None
    texts = shared(values)
    written = iter(texts.texts)
    entry = FormulasEntry(
        times=tuple(_time(p, written) for p in found.predictions),
        units=None if found.units is None else to_text(found.units),
        hull=None if found.hull is None else _hull(found.hull),
        today=None if found.today == "serial" else found.today,
        refusals=tuple(RefusalEntry(r.device, r.code, r.message) for r in found.refusals) or None,
        parts=texts.parts or None,
    )
    return entry if longest is None or _characters(entry, texts) <= longest else None


def _values(p: Prediction, end: End) -> Iterator[Value | Expr]:
    """In the order in which `_parts` takes their texts: the time, unless it is made of the parts, and these."""
    if not _is_sum(p):
        yield getattr(p.total, end)
    for name in Shares.__struct_fields__:
        yield 0.0 if p.shares is None else getattr(getattr(p.shares, name), end)


def _is_sum(p: Prediction) -> bool:
    return p.model in SUMS and p.shares is not None


def _time(p: Prediction, written: Iterator[str]) -> TimeEntry:
    low, likely, high = (_parts(p, written) for _ in ENDS)
    return TimeEntry(p.device, p.candidate, likely, None if low == likely else low, None if high == likely else high)


def _parts(p: Prediction, written: Iterator[str]) -> PartsEntry:
    time = None if _is_sum(p) else next(written)
    parts = {name: next(written) for name in Shares.__struct_fields__}
    return PartsEntry(time, **{name: text for name, text in parts.items() if text != "0"})


def _characters(entry: FormulasEntry, texts: Shared) -> int:
    hull = () if entry.hull is None else (getattr(entry.hull, name) for name in HullEntry.__struct_fields__)
    written = (*texts.texts, *texts.parts, entry.units or "", *(text for text in hull if isinstance(text, str)))
    return sum(map(len, written))


def _hull(hull: Hull) -> HullEntry:
    p = hull.variables
    w, m, o, d, c, u, f = map(to_text, (p.w, p.m, p.o, p.d, p.c, p.u, hull.complexity))
    return HullEntry(hull.element_type, w=w, m=m, o=o, d=d, c=c, u=u, f=f, floor=p.scattered)


def term_formulas(shown: Terms, open_: Terms) -> tuple[str | None, ...]:
    """The formula of each term of `shown`; `open_` are the terms of the same time with no size known. None where a
    term depends on no size.

    A term that an earlier one is part of is written in it as `#k`, the k-th of `shown` from 0: with all of them
    written out the formulas of a time were as long as its square."""
    waiting: dict[tuple[str, str], deque[Term]] = {}
    for one in open_:
        waiting.setdefault((one.name, one.source), deque()).append(one)
    known: Known = {}
    found: list[str | None] = []
    for place, one in enumerate(shown):
        same = waiting.get((one.name, one.source))
        amount = same.popleft().amount if same else None
        found.append(None if amount is None else written(amount, known))
        if isinstance(amount, Tree):
            known[id(amount)] = (amount, (f"`#{place}`", ATOM))
    return tuple(found)
