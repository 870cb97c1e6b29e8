"""Which loops are parallel in truth, said by their runs alone: nothing here knows the analyser."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from . import nest as n
from .machine import TooLongError, UndefinedError
from .trace import OBJECT, Entry, Recorder, Run, Use

UNUSED = Use()
TRIPS = 3
"""A loop that never ran for so many iterations has shown nothing."""


def shown_parallel(nest: n.Nest, loop: n.Loop, entries: Iterable[Entry]) -> bool:
    """Whether in all these runs every iteration could have come first, with the variables and objects that each
    iteration writes before it reads them private, accumulations as reductions and inductions computed; and whether the
    last iteration leaves what is read after the loop. The same privatisation must do for all runs."""
    entries = [e for e in entries if e.trips > 1]
    if max((e.trips for e in entries), default=0) < TRIPS:
        return False
    free, after = _inductions(loop), _outside(nest, loop)
    names = {name for e in entries for name in e.uses} - free
    objects = {s.name + OBJECT for s in nest.storage}
    return all(
        _free([e.uses.get(name, UNUSED) for e in entries], name in objects, _live(nest, name, after)) for name in names
    )


def exercised(loop: n.Loop, runs: Iterable[Run]) -> bool:
    """Whether, in some valid run, the loop ran for several iterations and each loop inside it did so, too: what never
    runs without undefined behaviour shows nothing."""
    inner = [s.id for s in n.loops(loop.body)]
    for run in runs:
        trips = Counter[int]()
        for e in run.entries:
            trips[e.loop] += e.trips
        if all(trips[k] > 1 for k in inner) and any(e.loop == loop.id and e.trips >= TRIPS for e in run.entries):
            return True
    return False


def _free(uses: list[Use], is_object: bool, live: bool) -> bool:
    """Whether no order of the iterations matters for this object or variable."""
    if any(u.ordered for u in uses):
        return False
    written = [u for u in uses if u.written]
    copied = [u for u in written if u.shared]
    if is_object and not copied:
        return True
    if is_object and (len(copied) < len(written) or any(u.shared > 1 and u.exposed for u in copied)):
        return False
    exposed = not is_object and written and any(u.exposed for u in uses)
    kept = not is_object and copied and len(written) < len(uses)  # the copy of a last iteration that assigns nothing
    return not exposed and not (live and (kept or any(u.left for u in written)))


def further_runs(nest: n.Nest, count: int = 40) -> Iterator[Run]:
    """Runs at other sizes and with other contents than the nest's own: sizes near zero and large ones side by side,
    because a pitch of 0 or 1 makes rows overlap and a long loop reaches what lies far away."""
    recorder = Recorder(replace(nest, ticks=4 * nest.ticks))
    rng = random.Random(nest.seed)
    tops = {0: (12, 40, 90), 1: (12, 40, 90), 2: (9, 16, 34)}.get(_depth(nest.body), (6, 11, 26))
    for k in range(count):
        sizes = {name: _size(rng, name, tops[k % 3]) for name in nest.sizes[0]}
        if "narrow" in nest.features and len(sizes) > 0 and rng.random() < 0.5:
            sizes[rng.choice(list(sizes))] = 270
        try:
            yield recorder.run(sizes, str(rng.random()))
        except (UndefinedError, TooLongError):
            continue


def _size(rng: random.Random, name: str, top: int) -> int:
    kind = rng.random()
    if kind < 0.3 or (name in ("k", "w") and kind < 0.7):
        return rng.randrange(4)
    return rng.randrange(2, 9) if kind < 0.5 else rng.randrange(3, top)


def _depth(body: tuple[n.Stmt, ...]) -> int:
    """How deep loops are nested."""
    inner = {n.If: lambda s: _depth(s.then + s.otherwise), n.Loop: lambda s: 1 + _depth(s.body)}
    return max((inner[type(s)](s) for s in body if type(s) in inner), default=0)


def _live(nest: n.Nest, name: str, after: set[str]) -> bool:
    storage = next((s for s in nest.storage if s.name + OBJECT == name), None)
    return name.removesuffix(OBJECT) in after if storage is None or storage.scope == "local" else True


def _outside(nest: n.Nest, loop: n.Loop) -> set[str]:
    """The names that are read anywhere but in the loop (global scalars are read by others)."""
    total, inside = (_uses(x) for x in (nest.body, (loop,)))
    return {name for name in total if total[name] > inside[name]} | {g.name for g in nest.globals_}


def _uses(nodes: tuple[n.Stmt, ...]) -> Counter[str]:
    found = Counter(x.name for x in n.walk_all(nodes) if isinstance(x, n.Var))
    for x in n.walk_all(nodes):
        match x:
            case n.Declare(var=var) | n.Assign(target=n.Var() as var, op=""):
                found[var.name] -= 1
            case _:
                pass
    return found


def _inductions(s: n.Loop) -> set[str]:
    """Variables that every iteration of the loop moves on by the same amount, besides the loop's own."""
    found = {s.var.name} | {a.target.name for a in s.step if isinstance(a.target, n.Var)}
    changes: Counter[str] = Counter()
    for x in n.walk_all(s.body):
        match x:
            case n.Assign(target=n.Var(name=name)) | n.Step(var=n.Var(name=name)) | n.Loop(var=n.Var(name=name)):
                changes[name] += 1
            case n.Spot(base=n.Var(name=name), post=post) if post:
                changes[name] += 1
            case _:
                pass
    for x in s.body:
        match x:
            case n.Assign(target=n.Var(name=name, type=n.Num(floating=True))) if name not in found:
                pass  # adding up rounds
            case n.Assign(target=n.Var(name=name), op="+" | "-", value=n.Const()) if changes[name] == 1:
                found.add(name)
            case n.Assign():
                found |= {
                    y.base.name for y in n.walk(x) if isinstance(y, n.Spot) and y.post and changes[y.base.name] == 1
                }
            case _:
                pass
    return found
