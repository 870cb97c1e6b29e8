"""Pointers that walk along links: where they come from.

*Decides*: for pointer variables, the named memory that all their values start in: each leads there, or to what is
reached from there by following pointers.
*Method*: the variables of which every assignment is null, an address in named memory, or read from memory behind such
memory or such a variable; a step (`p++`) is made of the variable itself.
*Errs toward* none: what calls give, and what is computed otherwise, may lead anywhere.

    for (p = list[i]; p; p = p->next) out[i] += p->value;       ->  p comes from `list`
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from ..ir.nodes import Address, Anything, Choice, Expression, Held, Literal, Load, Object, Pointee, Use, unconverted
from ..ir.pointer_roots import root

_Source: TypeAlias = Object | int
"""Memory, or the key of the variable that holds the pointer."""


def walks(
    made: Mapping[int, Sequence[tuple[Expression, Object | None]]],
    own: Mapping[int, Pointee],
    unknown: Collection[int],
) -> Mapping[int, frozenset[Object]]:
    """By the keys of variables. `made`: the values that are assigned to each, and what those lead to that are read from
    memory; `own`: what parameters lead to at first; `unknown`: variables that somebody else may set."""
    first: dict[int, tuple[_Source, ...]] = {key: (pointee,) for key, pointee in own.items() if key not in unknown}
    sources = dict(first)
    for key, values in made.items():
        parts = [_sources(value, read) for value, read in values]
        sources[key] = tuple({s: None for part in parts for s in part or ()} | dict.fromkeys(first.get(key, ())))
        if key in unknown or None in parts:
            del sources[key]
    while lost := [key for key, found in sources.items() if not all(s in sources for s in found if isinstance(s, int))]:
        sources = {key: found for key, found in sources.items() if key not in lost}
    return {key: _starts(key, sources) for key in sources}


def _sources(value: Expression, read: Object | None) -> tuple[_Source, ...] | None:
    """What a value is made of; None: of something else."""
    match unconverted(value):
        case Address(object=Anything(pointer=Held(variable=variable))) | Use(variable=variable):
            return (variable.key,)
        case Address(object=found) if found is not None and not isinstance(found, Anything):
            return (found,)
        case Literal(value=0):
            return ()
        case Choice(then=then, otherwise=otherwise):
            arms = (_sources(then, None), _sources(otherwise, None))
            return None if None in arms else tuple(s for arm in arms for s in arm or ())
        case Load() if read is not None:
            match root(read):
                case Anything(pointer=Held(variable=variable)):
                    return (variable.key,)
                case Anything():
                    return None
                case _:
                    return (read,)
        case _:
            return None


def _starts(key: int, sources: Mapping[int, tuple[_Source, ...]]) -> frozenset[Object]:
    found, seen, todo = set[Object](), set[int](), [key]
    while todo:
        each = todo.pop()
        if each not in seen:
            seen.add(each)
            for s in sources[each]:
                if isinstance(s, int):
                    todo.append(s)
                else:
                    found.add(s)
    return frozenset(found)
