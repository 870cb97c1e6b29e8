"""Reductions that no clause names: their updates stay where they are, one at a time.

*Decides*: whether `atomic` or `critical` can guard all that the loop does to an object, and what that takes.
*Errs toward* partial results that a person has to add up.

    h[k] += 2;                            ->  `#pragma omp atomic` before it
    x = (h[k] += 2, 5);                   ->  the same, before a statement of its own
    h[k] += 2;  of a complex number       ->  `#pragma omp critical` before it
    if (h[k] < x) h[k] = x;               ->  partial results, combined by `max`
    seen[k] = 1;                          ->  `#pragma omp atomic write` before it
"""

import re
from collections.abc import Iterator

from ..base.lists import listed
from ..facts.loop import Clauses, Rewrite, Separated
from ..ir import nodes as ir
from ..reductions.best_pairs import best_pair
from ..source.ctypes import Complex, Floating, Integer
from .lone_updates import AtomicUpdate, around, atomic_form, declares
from .site import Site

ATOMIC = {"+", "-", "*", "&", "|", "^"}
"""Operators of reductions that are made of such updates."""


def folded_in_place(site: Site, loop: ir.Loop, each: Separated) -> Clauses:
    """The rewrite for a reduction of something that the loop cannot name in a clause. Example: see the module."""
    stores = [s for s in _stores(loop, each) if s.within is None]
    if not stores and any(_stores(loop, each)):
        return Clauses()  # the code guards all of them itself
    updates = [u for s in stores if _is_number(s) and (u := atomic_form(site, s)) is not None]
    copied = any(_is_copy(site, s) for s in stores)
    if each.operator not in ATOMIC or not stores or len(updates) < len(stores) or copied:
        return _rewrite("other", each, each.text, _combined(each))
    directive = "critical" if any(isinstance(s.target.type, Complex) for s in stores) else "atomic"
    places = tuple(dict.fromkeys(u.place for u in updates if u.place is not None))
    named = listed(_named(site, s) for s in stores)
    named = f"{'the' if len({(s.place, s.text) for s in stores}) == 1 else 'each'} update of {named}"
    if any(u.place is None for u in updates):
        return _rewrite("other", each, _text(stores[0]), _on_its_own(directive, named, updates))
    text = f"put `#pragma omp {directive}` before {named}"
    if directive == "critical":
        return _rewrite("other", each, _text(stores[0]), text)
    found = Rewrite("atomic", _text(stores[0]), text, "reduction", each.operator, places=places)
    return Clauses(rewrites=(found,))


def stored_by_all(site: Site, loop: ir.Loop, each: Separated) -> Clauses:
    """The rewrite for memory to which iterations store the same at once: stores that cannot tear."""
    stores = [s for s in _stores(loop, each) if _text(s) == each.text]
    if stores and all(s.within is not None for s in stores):
        return Clauses()
    writes = [u for s in stores if (u := atomic_form(site, s, writes=True)) is not None and u.place is not None]
    names = tuple(dict.fromkeys(_named(site, s) for s in stores))
    which = "the" if len(names) == 1 else "each"
    text = f"put `#pragma omp atomic write` before {which} store to {listed(names)}"
    if not stores or len(writes) < len(stores):
        return Clauses(rewrites=(Rewrite("other", each.text, f"{text}, as a statement of its own", clause="write"),))
    places = tuple(dict.fromkeys(u.place for u in writes if u.place is not None))
    return Clauses(rewrites=(Rewrite("atomic", each.text, text, "write", places=places),))


def best_of_threads(loop: ir.Loop, each: Separated) -> Clauses:
    """The rewrite for a best value and its position."""
    found = best_pair(loop.body, each.target) if isinstance(each.target, ir.Variable) else None
    if found is None:
        return Clauses()
    names = listed(f"`{v.name}`" for v in found.kept)
    less, greater = ("less", "greater") if found.smallest else ("greater", "less")
    than = f"{less} than" if found.first else f"no {greater} than"
    text = (
        f"let each thread keep its own {names} over consecutive iterations (`schedule(static)`), beginning with what "
        "is there before the loop; after it, in the order of the threads, take those of a thread that stored any if "
        f"its `{found.best}` is {than} the one so far"
    )
    return Clauses(rewrites=(Rewrite("other", ", ".join(v.name for v in found.kept), text, clause="reduction"),))


def _stores(loop: ir.Loop, each: Separated) -> Iterator[ir.Assign]:
    for s in ir.statements(loop.body):
        if isinstance(s, ir.Assign) and each.target == (
            s.target if isinstance(s.target, ir.Variable) else s.target.object
        ):
            yield s


def _is_copy(site: Site, s: ir.Assign) -> bool:
    """Whether the text of a store is that of a function which updates its copy of a structure and returns it: it names
    a variable of that function, and behind it the members of the structure that is updated, not those on the way to
    what a pointer leads to (`view.p[k]`)."""
    if isinstance(s.target, ir.Variable) or not isinstance(s.target.object, ir.Declared) or site.is_own(s.place):
        return False
    name, dot, members = _without_subscripts(s.target.text).partition(".")
    same = bool(dot) and dot + members == s.target.field
    return same and any(declares(d, name) for d in around(site, s.place))


def _without_subscripts(text: str) -> str:
    while (shorter := re.sub(r"\[[^][]*\]", "", text)) != text:
        text = shorter
    return text


def _is_number(s: ir.Assign) -> bool:
    """Whether the place is a number, and no bit-field, which has no address."""
    plain = isinstance(s.target.type, Integer | Floating) and not s.target.type.atomic
    bits = isinstance(s.target, ir.Access) and s.target.bits is not None
    return (plain or isinstance(s.target.type, Complex)) and not bits


def _text(s: ir.Assign) -> str:
    return s.target.name if isinstance(s.target, ir.Variable) else s.target.text


def _named(site: Site, s: ir.Assign) -> str:
    file = "" if s.place.path == site.unit.path else f" of {s.place.path}"
    return f"`{_text(s)}` (line {s.place.line}{file})"


def _on_its_own(directive: str, named: str, updates: list[AtomicUpdate]) -> str:
    where = " at the end of each iteration" if any(u.in_header for u in updates) else ""
    return f"write {named} as a statement of its own{where}, with `#pragma omp {directive}` before it"


def _combined(each: Separated) -> str:
    if each.operator in ("+", "-"):
        verb = f"add up `{each.text}`"
    else:
        verb = f"combine the updates of `{each.text}` by `{each.operator}`"
    return f"{verb} per thread, and the results of the threads after the loop: no clause can name it"


def _rewrite(kind: str, each: Separated, object_: str, text: str) -> Clauses:
    return Clauses(rewrites=(Rewrite(kind, object_, text, clause="reduction", operator=each.operator),))
