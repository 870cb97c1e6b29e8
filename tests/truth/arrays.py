"""The arrays of a generated nest: how each is declared, laid out and subscripted."""

from collections.abc import Callable
from dataclasses import dataclass

from . import nest as n

SPAN, LEAD, FIXED, SIDE, EDGE = 1280, 64, 320, 24, 12


@dataclass(frozen=True, slots=True)
class Array:
    """Something with one to three dimensions that can be subscripted. `spot` makes the lvalue of given subscripts."""

    name: str
    element: n.Num
    dimensions: int
    kind: str
    spot: Callable[[tuple[n.Expr, ...]], n.Spot]
    params: tuple[n.Var, ...]
    storage: tuple[n.Storage, ...]


def _indexed(base: n.Var) -> Callable[[tuple[n.Expr, ...]], n.Spot]:
    return lambda at: n.Spot(base, tuple(n.Index(e) for e in at))


def _member(base: n.Var, member: str) -> Callable[[tuple[n.Expr, ...]], n.Spot]:
    def spot(at: tuple[n.Expr, ...]) -> n.Spot:
        steps: list[n.Index | n.Field] = [n.Index(at[0]), n.Field(member)]
        return n.Spot(base, (*steps, *(n.Index(e) for e in at[1:])))

    return spot


def flat(name: str, element: n.Num, restrict: bool = False) -> Array:
    """A pointer parameter into the middle of a large object."""
    base = n.Var(name, n.Ptr(element, restrict))
    return Array(
        name,
        element,
        1,
        "restrict" if restrict else "flat",
        _indexed(base),
        (base,),
        (n.Storage(name, element, SPAN, LEAD),),
    )


def index(name: str, element: n.Num = n.INT) -> Array:
    base = n.Var(name, n.Ptr(element))
    return Array(name, element, 1, "index", _indexed(base), (base,), (n.Storage(name, element, SPAN, LEAD, "index"),))


def global_line(name: str, element: n.Num) -> Array:
    t = n.Arr(element, FIXED)
    return Array(name, element, 1, "global", _indexed(n.Var(name, t)), (), (n.Storage(name, t, 1, scope="global"),))


def global_square(name: str, element: n.Num) -> Array:
    t = n.Arr(n.Arr(element, SIDE), SIDE)
    return Array(name, element, 2, "global", _indexed(n.Var(name, t)), (), (n.Storage(name, t, 1, scope="global"),))


def global_cube(name: str, element: n.Num) -> Array:
    t = n.Arr(n.Arr(n.Arr(element, EDGE), EDGE), EDGE)
    return Array(name, element, 3, "global", _indexed(n.Var(name, t)), (), (n.Storage(name, t, 1, scope="global"),))


def local_line(name: str, element: n.Num, count: int = SIDE) -> Array:
    t = n.Arr(element, count)
    return Array(name, element, 1, "local", _indexed(n.Var(name, t)), (), (n.Storage(name, t, 1, scope="local"),))


def pitched(name: str, element: n.Num, pitch: int | str) -> Array:
    """`T A[][24]`, or `T A[][m]` with a parameter m."""
    base = n.Var(name, n.Ptr(n.Arr(element, pitch)))
    return Array(name, element, 2, "pitched", _indexed(base), (base,), (n.Storage(name, element, SPAN, LEAD),))


def rows(name: str, element: n.Num) -> Array:
    """`T **A`: pointers to rows that lie in any order."""
    base = n.Var(name, n.Ptr(n.Ptr(element)))
    kept = (n.Storage(name, n.Ptr(element), 24, 4, "rows"), n.Storage(f"{name}_rows", element, 24 * 40))
    return Array(name, element, 2, "rows", _indexed(base), (base,), kept)


def cells(name: str, member: str, scope: str) -> Array:
    """One member of an array of structures, through a pointer or declared."""
    held, _ = n.CELL.member(member)
    element = held.of if isinstance(held, n.Arr) else held
    assert isinstance(element, n.Num)
    t = n.Ptr(n.CELL) if scope == "param" else n.Arr(n.CELL, SIDE)
    base = n.Var(name, t)
    storage = n.Storage(name, n.CELL, 400, 16) if scope == "param" else n.Storage(name, t, 1, scope="global")
    params = (base,) if scope == "param" else ()
    dimensions = 2 if isinstance(held, n.Arr) else 1
    return Array(name, element, dimensions, "cells", _member(base, member), params, (storage,))


def vector(name: str) -> Array:
    """`v->data[i]` with its length in `v->n`."""
    base = n.Var(name, n.Ptr(n.VECTOR))

    def spot(at: tuple[n.Expr, ...]) -> n.Spot:
        return n.Spot(base, (n.Field("data"), *(n.Index(e) for e in at)))

    kept = (n.Storage(name, n.VECTOR, 1, 0, "vector"), n.Storage(f"{name}_data", n.DOUBLE, SPAN, LEAD))
    return Array(name, n.DOUBLE, 1, "vector", spot, (base,), kept)
