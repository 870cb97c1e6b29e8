"""What a person writes to run the iterations of a parallel loop at once: clauses, closed forms, rewrites.

The answer (`dependence`) speaks of variables and objects of the IR. Here these become C: names that OpenMP takes in its
clauses at the loop, formulas for induction variables, and, where C or OpenMP has neither, the rewrite that does it. The
answer itself does not change. `names` and `site`: what can be named at a loop. `written`: values as C.
`canonical` and `closed_forms`: how the iterations are numbered. `storage`, `extents` and `elements`: copies.
`partial_results` and `lone_updates`: reductions without a name. `truth_values`: what `&&` and `||` begin with.
`exits`: jumps out of the loop. `flag_stores`: flags that stop the loop. `thread_numbers`: memory of threads.
`schedules`: which iterations a thread takes. `followed_pointers`: what threads want of their own for vectors.
`vectors_of_clang`: where these are not enough. `unset`: variables that compilers warn of.
"""

from typing import TypeAlias

from msgspec.structs import replace
from pycparser import c_ast

from ..facts.loop import Clauses, Parallelism
from ..ir.nodes import Function, Loop, Variable
from ..loops.headers import header
from ..loops.syntax import assigned_names
from ..source.unit import Definition
from .canonical import Canonical, canonical
from .closed_forms import closed_forms
from .exits import exits
from .flag_stores import flag_stores
from .followed_pointers import followed
from .partial_results import best_of_threads, stored_by_all
from .schedules import schedule
from .site import Program, Site
from .storage import storage
from .texts import names_in
from .thread_numbers import thread_numbers
from .thread_variables import of_one_thread
from .truth_values import LOGICAL, leaves_truth, normalised
from .unset import unset
from .vectors_of_clang import unlike_gcc, unlike_gcc_divided
from .written import Writer

Node: TypeAlias = c_ast.Node


def clauses(
    program: Program, definition: Definition, node: Node, function: Function, loop: Loop, answer: Parallelism
) -> Clauses:
    """What to write at one loop; of a loop that is not parallel, the names of the answer.

    Example: for `for (i...) { t = a[i]; a[k] = t; k += 2; }` private t, and k = k + 2*i."""
    if not answer.is_parallel:
        return Clauses(answer.private, answer.first_private, answer.last_private, answer.reductions)
    site = Site(program, definition, node, function, loop)
    writer = Writer(site, loop)
    of_header = _of_header(site, loop)
    counters, total = [], Clauses()
    for each in answer.separated:
        if each.role == "counter":
            counters.append(each)
        elif isinstance(each.target, Variable) and each.target.name in of_header:
            counters.append(replace(each, live=True))  # a sum of nothing but steps
        elif each.role == "same":
            total = joined(total, stored_by_all(site, loop, each))
        elif each.role == "of_one":
            total = joined(total, of_one_thread(site, each))
        elif each.role == "best":
            total = joined(total, best_of_threads(loop, each))
        elif each.operator in LOGICAL and not leaves_truth(function, loop, each):
            total = joined(total, normalised(each))
        else:
            total = joined(total, storage(site, writer, loop, each, answer.separated))
    total = joined(closed_forms(site, writer, loop, counters), total)
    rest = (*exits(site), *flag_stores(site, loop), *thread_numbers(loop))
    in_turn = schedule(loop)
    total = joined(total, Clauses(rewrites=rest, schedule=() if in_turn is None else (in_turn,)))
    if any(each.role == "reduction" for each in answer.separated):
        elsewhere = frozenset[str]().union(*(names_in(r.object) for r in total.rewrites))
        own = tuple(name for name in followed(site) if name not in elsewhere)
        total = replace(total, pointers=own, unlike_gcc_divided=unlike_gcc_divided(site, loop))
    total = _consistent(total)
    return replace(total, unset=unset(site, total), unlike_gcc=unlike_gcc(site, loop, answer))


def _of_header(site: Site, loop: Loop) -> frozenset[str]:
    """Induction variables that are moved on by a header which OpenMP does not take, and which is written anew."""
    if isinstance(canonical(site, loop), Canonical):
        return frozenset()
    head = header(site.node)
    moving = {i.variable.name for i in loop.inductions} | {r.variable.name for r in loop.recurrences}
    return frozenset(moving & assigned_names(*(p for p in (head.test, head.update) if p is not None)))


def joined(a: Clauses, b: Clauses) -> Clauses:
    """Both, each thing once."""
    return Clauses(*(tuple(dict.fromkeys((*getattr(a, f), *getattr(b, f)))) for f in Clauses.__struct_fields__))


def _consistent(found: Clauses) -> Clauses:
    """A variable stands in one clause only, but for first and last."""
    copied = {*found.first_private, *found.last_private}
    return replace(found, private=tuple(name for name in found.private if name not in copied))


__all__ = ["Node", "Program", "clauses"]
