"""From the formulas of the advice to their entry: texts that `models.expr.text` reads."""

from collections import deque
from typing import Literal

from models.expr import to_text
from models.prediction import Prediction, Shares, Term, Terms
from models.values import Tree
from models.writing import ATOM, Known, written

from ..advise.formulas import Formulas, Hull
from .formula_entries import FormulasEntry, HullEntry, PartsEntry, RefusalEntry, TimeEntry

End = Literal["low", "likely", "high"]
SUMS = frozenset({"extended", "roofline", "perdome"})
"""Models whose time is max(compute, memory) + transfer + launch at each end."""


def formulas_entry(found: Formulas) -> FormulasEntry:
    return FormulasEntry(
        times=tuple(_time(p) for p in found.predictions),
        units=None if found.units is None else to_text(found.units),
        hull=None if found.hull is None else _hull(found.hull),
        today=None if found.today == "serial" else found.today,
        refusals=tuple(RefusalEntry(r.device, r.code, r.message) for r in found.refusals) or None,
    )


def _time(p: Prediction) -> TimeEntry:
    known: Known = {}
    low, likely, high = (_parts(p, end, known) for end in ("low", "likely", "high"))
    return TimeEntry(p.device, p.candidate, likely, None if low == likely else low, None if high == likely else high)


def _parts(p: Prediction, end: End, known: Known) -> PartsEntry:
    parts = {name: _part(p.shares, name, end, known) for name in Shares.__struct_fields__}
    is_sum = p.model in SUMS and p.shares is not None
    return PartsEntry(None if is_sum else written(getattr(p.total, end), known), **parts)


def _part(shares: Shares | None, name: str, end: End, known: Known) -> str | None:
    text = "0" if shares is None else written(getattr(getattr(shares, name), end), known)
    return None if text == "0" else text


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
