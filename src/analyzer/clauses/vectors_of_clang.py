"""Where clang makes no vectors of what iterations add up, though `simd` lets it; gcc does.

*Decides*: what keeps clang 14 from it, which warns there (-Wpass-failed). In any loop, that there are loops in it, the
largest or smallest of floats, sums that are more than sums, and memory that is prefetched; where threads divide it,
also pointers in memory that the iterations follow, and a counter that takes its bound as well.
*Method*: the compiler of a file is the one that preprocessed it. Of pointers in memory all files are asked: clang makes
wrong vectors of them with -O1, too.
*Errs toward* no vectors.

    for (...) if (a[i] > m) m = a[i];                               ->  `m` is the largest of floats
    for (...) { y = a[i] - c; t = s + y; c = (t - s) - y; s = t; }  ->  `c` and `s` are compensated
    for (...) s += v->a[i];                                         ->  `v->a` is read from memory
    for (k = first; k <= last; k++) s += a[k];                      ->  `k` may take `last`, too
"""

from collections.abc import Iterator

from pycparser import c_ast

from ..facts.loop import Parallelism, Separated
from ..ir.nodes import Assign, Call, Declared, Load, Loop, Use, Variable, evaluated, statements
from ..source.ctypes import Complex, Floating
from ..source.nodes import nodes
from .canonical import Canonical, canonical, reached_bound
from .site import Site

PREFETCH = "__builtin_prefetch"


def unlike_gcc(site: Site, loop: Loop, answer: Parallelism) -> tuple[str, ...]:
    """What keeps the compiler from vectors of one thread. Example: see the module."""
    return tuple(dict.fromkeys((*_of_loops(loop), *_of_sums(loop, answer)))) if site.unit.by_clang else ()


def unlike_gcc_divided(site: Site, loop: Loop) -> tuple[str, ...]:
    """What keeps compilers besides from vectors of threads. Example: see the module."""
    in_memory = (f"`{pointer}` is read from memory" for pointer in sorted(site.loaded_pointers))
    of_clang = (*_of_callees(site), *_of_counter(site, loop)) if site.unit.by_clang else ()
    return tuple(dict.fromkeys((*in_memory, *of_clang)))


def _of_callees(site: Site) -> Iterator[str]:
    for callee in site.callees:
        if callee.node is not None and any(True for _ in nodes(callee.node.body, c_ast.StructRef, c_ast.ArrayRef)):
            yield f"`{callee.name}` may follow pointers in memory"


def _of_counter(site: Site, loop: Loop) -> Iterator[str]:
    form = canonical(site, loop)
    bound = reached_bound(site, form) if isinstance(form, Canonical) else None
    if isinstance(form, Canonical) and bound is not None:
        yield f"`{form.variable}` may take `{bound}`, too"


def _of_loops(loop: Loop) -> Iterator[str]:
    if any(isinstance(s, Loop) for s in statements(loop.body)):
        yield "there are loops in it"


def _of_sums(loop: Loop, answer: Parallelism) -> Iterator[str]:
    for each in answer.separated:
        if each.role == "reduction" and each.operator in ("min", "max") and _is_of_floats(each):
            yield f"`{each.text}` is the largest or smallest of floats"
        elif each.role == "reduction" and _is_read_besides(loop, each):
            yield f"`{each.text}` is more than a sum"
    every = (e for s in statements(loop.body) for e in evaluated(s))
    if any(isinstance(e, Call) and e.name == PREFETCH for e in every):
        yield "memory is prefetched"


def _is_of_floats(each: Separated) -> bool:
    target = each.target
    declared = target.variable if isinstance(target, Declared) else target
    return not isinstance(declared, Variable) or isinstance(declared.type, Floating | Complex)


def _is_read_besides(loop: Loop, each: Separated) -> bool:
    """Whether statements that do not set the variable, or the place, read it."""
    every = list(statements(loop.body))
    read = sum(any(_is(e, each) for e in evaluated(s)) for s in every)
    return read > sum(isinstance(s, Assign) and _is(s.target, each) for s in every)


def _is(part: object, each: Separated) -> bool:
    match part:
        case Use(variable=variable) | (Variable() as variable):
            return variable == each.target
        case Load(access=access):
            return each.is_of(access.object)
        case _:
            return getattr(part, "object", None) == each.target
