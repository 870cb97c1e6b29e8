"""Dependences of a nest by isl: which instances touch the same element, at least one writing, and in which order.

    Flow    (Write . Read^-1)  * (Schedule << Schedule)
    Anti    (Read  . Write^-1) * (Schedule << Schedule)
    Output  (Write . Write^-1) * (Schedule << Schedule)

in iscc's notation, each split by the loop that carries it. These are memory-based dependences: all pairs, also those
with another write in between. With accesses that may happen they are computed twice, from what is certain and from
everything; the difference is what may depend.
"""

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..ir.nodes import Loop
from .relations import Statement

if TYPE_CHECKING:
    import islpy

MAX_OPERATIONS = 20_000_000
"""isl's own unit; some seconds. Beyond it the dependences are left out, and the page says so."""


class Piece(Struct, frozen=True):
    """One dependence between two statements that one loop carries (None: it stays within one iteration of all common
    loops). `text`: the piece of the relation; `distance` over the common loops, `*` where it is not one number."""

    text: str
    source: str
    sink: str
    carrier: Loop | None
    distance: tuple[str, ...]


def meeting(first: "islpy.UnionMap", second: "islpy.UnionMap", context: "islpy.Set") -> "islpy.UnionMap":
    """Pairs of instances, in whatever order: the first touches in `first` what the second touches in `second`."""
    return first.apply_range(second.reverse()).intersect_params(context).coalesce()


def pieces(found: "islpy.UnionMap", statements: tuple[Statement, ...], context: "islpy.Set") -> list[Piece]:
    """The pairs of which the first runs before the second, by the loop that carries them: outer carriers first, then in
    the order of the statements. (The schedule is not needed for that, only the loops that two statements share.)"""
    by_name = {s.name: s for s in statements}
    order = {s.name: n for n, s in enumerate(statements)}
    result: list[tuple[tuple[int, int, int], Piece]] = []
    maps: list[Any] = []
    found.foreach_map(maps.append)
    for each in maps:
        source, sink = (by_name[_name(each, side)] for side in ("in_", "out"))
        common = _common(source, sink)
        inside = source.order[len(common) - 1] < sink.order[len(common) - 1]
        for depth, part in _by_carrier(each, len(common), inside):
            carrier = common[depth] if depth < len(common) else None
            text = braced(str(part.coalesce().gist_params(context)))
            piece = Piece(text, source.name, sink.name, carrier, _distance(part, len(common)))
            result.append(((depth, order[source.name], order[sink.name]), piece))
    return [piece for _, piece in sorted(result, key=lambda pair: pair[0])]


def _name(each: Any, side: str) -> str:
    import islpy

    name: str = each.get_tuple_name(getattr(islpy.dim_type, side))
    return name


def _common(a: Statement, b: Statement) -> tuple[Loop, ...]:
    shared = []
    for x, y in zip(a.loops, b.loops, strict=False):
        if x.key != y.key:
            break
        shared.append(x)
    return tuple(shared)


def _by_carrier(each: Any, common: int, inside: bool) -> list[tuple[int, Any]]:
    """The parts of a map by the first common loop whose iterations differ; `common` for those within one iteration, if
    the source stands before the sink (`inside`)."""
    import islpy

    in_, out = islpy.dim_type.in_, islpy.dim_type.out
    parts, rest = [], each
    for depth in range(common):
        parts.append((depth, rest.order_lt(in_, depth, out, depth)))
        rest = rest.equate(in_, depth, out, depth)
    parts += [(common, rest)] if inside else []
    return [(depth, part) for depth, part in parts if not part.is_empty()]


def braced(text: str) -> str:
    """What stands between the braces of a set or relation."""
    return text[text.index("{") + 1 : text.rindex("}")].strip()


def _distance(part: Any, common: int) -> tuple[str, ...]:
    """The distance in each common loop: a number, `>=1`, `1..3` or `*`."""
    import islpy

    in_, out, all_ = islpy.dim_type.in_, islpy.dim_type.out, islpy.dim_type.set
    short = part.project_out(in_, common, part.dim(in_) - common).project_out(out, common, part.dim(out) - common)
    deltas = short.reset_tuple_id(in_).reset_tuple_id(out).deltas()
    deltas = deltas.project_out(islpy.dim_type.param, 0, deltas.dim(islpy.dim_type.param))
    said = []
    for k in range(common):
        one = deltas.project_out(all_, k + 1, common - k - 1).project_out(all_, 0, k)
        low, high = str(one.dim_min_val(0)), str(one.dim_max_val(0))
        said.append(_range(low, high))
    return tuple(said)


def _range(low: str, high: str) -> str:
    if low == high:
        return low
    if low == "-infty":
        return "*" if high == "infty" else f"<={high}"
    return f">={low}" if high == "infty" else f"{low}..{high}"
