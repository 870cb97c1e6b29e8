"""Loops exchanged so that the innermost one goes through memory element by element.

*Decides*: for a loop that stands around others, and along which arrays lie side by side that the innermost loop walks
through column by column, the nest with that loop innermost. *Legal* where it is parallel: no two of its iterations
conflict, so that what conflicts is in one of them, and stays in its order. What stands before and behind the loops
inside gets a loop of its own (distribution), and a scalar that leads from one to the other an element for each
iteration (scalar expansion).
*Refuses* triangles, exits, branches around loops, several loops side by side, values but floating ones that would need
elements. *Source*: Allen, Kennedy, "Automatic loop interchange" (1984).

    for j { s = 0; for k s += a[i][k] * b[k][j]; c[i][j] = s; }
    for j s_[j] = 0;  for k for j s_[j] += a[i][k] * b[k][j];  for j c[i][j] = s_[j];
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from ..counts.covering import together
from ..counts.nest import Nest
from ..counts.paces import families, pattern_along
from ..dependence.chain import direct_loops
from ..dependence.function_facts import surroundings_of
from ..facts.loop import Parallelism, Separated, Verdict
from ..incore.unrolling import is_unrolled
from ..ir.nodes import (
    Assign,
    Declared,
    Function,
    Loop,
    Statement,
    Variable,
    all_loops,
    loops,
    stands_in,
    statements,
)
from ..ir.polynomials import Symbol, symbol
from ..mapping.arrangements import Answers
from ..mapping.rearranged import Body, begun, hoisted, inner, is_rearrangeable, named, replaced, with_inner
from ..source.ctypes import Floating
from .elements import LARGEST, Expansion, array_of, copy_of

FAR = 8
"""What an access of a column costs, in those of a row: a line of memory holds so many doubles."""


class Exchanged(Struct, frozen=True):
    """`loop` becomes the innermost of the loops `over`, which stood in it, outer ones first. `expanded`: scalars of
    which each of its iterations gets an element. `function`, `answers`: with all that done. `reorders`: sums of floats
    that are added in another order."""

    loop: Loop
    over: tuple[Loop, ...]
    expanded: tuple[Variable, ...]
    parted: bool
    function: Function
    roots: tuple[Loop, ...]
    answers: Answers
    better: tuple[str, ...]
    reorders: tuple[str, ...]


def exchanged(nest: Nest, answers: Answers) -> Iterator[Exchanged]:
    """The exchanges of a nest, each of them alone, where they promise something. Example: see the module."""
    for loop in all_loops(nest.loop):
        over = _inside(loop)
        if over and not any(map(is_unrolled, (loop, *over))) and _is_free(loop, answers):
            better = _better(nest, loop, over[-1])
            made = _made(nest, loop, over, answers) if better else None
            if made is not None:
                yield replace(made, better=better)


def _inside(loop: Loop) -> tuple[Loop, ...]:
    """The loops inside of a loop, where each is the only one, under no condition, and from the second on all there
    is."""
    found: list[Loop] = []
    body = loop.body
    while len(within := direct_loops(body)) == 1:
        (only,) = within
        if not any(s is only for s in body):
            return ()
        if found and [s for s in inner(found[-1]) if s is not only] != list(begun(inner(found[-1]), only)):
            return ()
        found.append(only)
        body = only.body
    return () if within else tuple(found)


def _is_free(loop: Loop, answers: Answers) -> bool:
    """Whether its iterations may run in any order, and none leaves anything behind by a name."""
    answer = answers.get(loop.key)
    if answer is None or answer.verdict is not Verdict.YES or not is_rearrangeable(loop):
        return False
    if any(each.inlined or answers.get(each.key) is None for each in all_loops(loop)):
        return False
    counters = [s for each in all_loops(loop) for s in answers[each.key].separated if s.role == "counter"]
    return not any(s.live for s in counters) and all(map(_may_move, answer.separated))


def _may_move(s: Separated) -> bool:
    match s.role:
        case "private":
            return isinstance(s.target, Variable)
        case "reduction" | "counter" | "same":
            return True
        case _:
            return False


def _better(nest: Nest, loop: Loop, innermost: Loop) -> tuple[str, ...]:
    """The arrays that lie side by side along `loop`, and far apart along the innermost one; none where the accesses in
    there lie worse, all in all. What is irregular stays so."""
    found: list[tuple[str, int, int]] = []
    for touch in families(nest, together(nest)):
        if innermost.counter in touch.scope.counters:
            now, then = (pattern_along(nest, touch, each.counter) for each in (innermost, loop))
            after = FAR if now == "irregular" else _cost(then)
            found.append((str(touch.access.object), _cost(now), after))
    if 2 * sum(then for _, _, then in found) > sum(now for _, now, _ in found):
        return ()
    return tuple(dict.fromkeys(name for name, now, then in found if now > max(1, then)))


def _cost(pattern: str) -> int:
    kind, _, step = pattern.partition("(")
    match kind:
        case "broadcast":
            return 0
        case "unit":
            return 1
        case _:
            step = step.removesuffix(")")
            return min(FAR, int(step)) if step.isdigit() else FAR


def _made(nest: Nest, loop: Loop, over: tuple[Loop, ...], answers: Answers) -> Exchanged | None:
    function = nest.function
    before, middle, behind = _groups(loop, over[0])
    if any(not isinstance(s, Assign) or not stands_in(loop, s) for s in (*before, *behind)):
        return None
    expanded = _expanded(loop, (before, middle, behind), answers, over[-1])
    if expanded is None:
        return None
    around = {v.key: Declared(array_of(v, loop)) for v in expanded}
    change = Expansion({}, arrays=around, at=symbol(loop.counter))
    start = begun(function.body, loop)
    if not start or not begun(middle, over[0]):
        return None
    varies = surroundings_of(function).scope(loop).varies
    parts: list[Statement] = []
    for group in (before, middle, behind):
        if not group:
            continue
        changed = with_inner(loop, change.body(group))
        if group is not middle:
            parts += [*start, copy_of(changed, LARGEST + len(parts))]
            continue
        sunk = _sunk((*start, changed), over, varies)
        if sunk is None:
            return None
        parts += sunk
    changed_function = replace(function, body=replaced(function.body, loop.key, tuple(parts)))
    own = tuple(Separated("private", x, str(x)) for x in around.values())
    new = {key: replace(a, separated=(*a.separated, *own)) for key, a in answers.items()}
    new |= {each.key: _of_outer(answers[each.key], expanded) for each in over}
    new |= {LARGEST + at: answers[loop.key] for at in range(len(parts))}
    return Exchanged(
        loop,
        over,
        expanded,
        bool(before or behind),
        changed_function,
        tuple(s for s in parts if isinstance(s, Loop)) if loop is nest.loop else _root(changed_function, nest.loop),
        new,
        (),
        tuple(s.text for s in answers[loop.key].separated if s.role == "reduction" and s.reorders_fp),
    )


def _root(function: Function, loop: Loop) -> tuple[Loop, ...]:
    """The nest with the loop in it that changed."""
    return tuple(each for each in loops(function.body) if each.key == loop.key)


def _groups(loop: Loop, first: Loop) -> tuple[Body, Body, Body]:
    """What a loop does before the loop inside, that one, and what is behind it."""
    body = inner(loop)
    at = next(i for i, s in enumerate(body) if s is first)
    start = at - len(begun(body, first))
    return body[:start], body[start : at + 1], body[at + 1 :]


def _expanded(
    loop: Loop, groups: tuple[Body, Body, Body], answers: Answers, innermost: Loop
) -> tuple[Variable, ...] | None:
    """The scalars that lead from one group to another, or from one iteration of the loops inside to the next; None
    where that is something else than a floating one."""
    own = {s.target for s in answers[loop.key].separated if s.role == "private"}
    set_ = {s.target for s in statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, Variable)}
    counts = {i.variable for each in all_loops(loop) for i in each.inductions}
    anew = {s.target for s in answers[innermost.key].separated if s.role == "private"}
    used = [{x for s in statements(g) for x in named(s) if isinstance(x, Variable)} - counts for g in groups]
    found: list[Variable] = []
    for v in sorted(set_ - counts, key=lambda v: v.key):
        is_own = v in own or loop.key in v.loops
        stays = innermost.key in v.loops or v in anew or v not in used[1]
        if sum(v in names for names in used) > 1 or (is_own and not stays):
            if not is_own or not isinstance(v.type, Floating) or v.addressed:
                return None
            found.append(v)
    arrays = {x.variable for s in statements(loop.body) for x in named(s) if isinstance(x, Declared)}
    if any(loop.key in v.loops and innermost.key not in v.loops for v in arrays):
        return None
    return tuple(found)


def _sunk(body: Body, over: tuple[Loop, ...], varies: Callable[[Symbol], bool]) -> Body | None:
    """A loop, with what begins it before it, right inside of the last of the loops that stand in it."""
    if not over:
        return body
    move = hoisted(body, direct_loops(direct_loops(body)[0].body)[0], varies, alone=True)
    if move is None:
        return None
    found = _sunk(inner(move.loop), over[1:], varies)
    return None if found is None else (*move.before, with_inner(move.loop, found))


def _of_outer(answer: Parallelism, expanded: tuple[Variable, ...]) -> Parallelism:
    """Of a loop that stands around the exchanged one now: it adds up elements where it added up a scalar."""
    return replace(
        answer,
        separated=tuple(replace(s, array=True) if s.target in expanded else s for s in answer.separated),
    )
