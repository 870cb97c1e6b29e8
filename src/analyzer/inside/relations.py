"""Domains, schedule and accesses of a nest as isl text, one piece per statement or access."""

from collections.abc import Iterator

from msgspec import Struct

from ..ir.nodes import Access, Loop, Object, Predicate
from ..ir.polynomials import Poly
from .affine import RELAXED, Formula, Space
from .instances import Body, Instance, Touch
from .layout import Layout, layouts, place, where


class Statement(Struct, frozen=True):
    """One statement. `certain`: its domain is exact, so that it runs at every point of it. `order`: its position, and
    that of the loops around it, among their siblings."""

    name: str
    text: str
    line: int
    loops: tuple[Loop, ...]
    order: tuple[int, ...]
    tuple_: str
    domain: Formula
    schedule: str
    certain: bool


class AccessRelation(Struct, frozen=True):
    """`text`: the piece `S[i] -> a[i] : ...`. `certain`: every instance in it touches exactly that element."""

    text: str
    write: bool
    certain: bool


class Nest(Struct, frozen=True):
    """A nest ready to be handed to isl; `notes`: what its relations leave out or widen, in words."""

    space: Space
    context: str
    statements: tuple[Statement, ...]
    accesses: tuple[AccessRelation, ...]
    notes: tuple[str, ...]


def nest_of(body: Body, space: Space, around: tuple[Loop, ...], under: tuple[Predicate, ...]) -> Nest:
    """The relations of these instances over `space`, inside the loops `around` and `under` conditions."""
    found = body.instances
    layout = layouts(found)
    depth = max((len(i.loops) for i in found), default=0)
    statements, accesses, notes = [], [], []
    for number, instance in enumerate(found, 1):
        statement = _statement(f"S{number}_L{instance.line}", instance, space, depth, not body.leaves)
        statements.append(statement)
        for touch in instance.touches:
            made, note = _access(statement, touch, layout, space)
            accesses.append(made)
            notes += [f"{statement.name}: {note}"] if note else []
        if not statement.certain and not body.leaves:
            notes.append(f"{statement.name}: data decide which instances run: its domain is an upper bound")
    notes += [_in_rows(text, radix) for text, radix in _linearised(layout)]
    context = space.context(around, under)
    if space.products:
        listed = ", ".join(space.products)
        notes.append(f"{listed}: a product is a parameter of its own, also with values that no sizes give")
    return Nest(space, context, tuple(statements), tuple(dict.fromkeys(accesses)), tuple(dict.fromkeys(notes)))


def _statement(name: str, i: Instance, space: Space, depth: int, certain: bool) -> Statement:
    dims = [space.dimensions[loop.key] for loop in i.loops]
    domain = Formula(exact=certain)
    for loop in i.loops:
        domain &= space.running(loop, once_more=i.test and loop is i.loops[-1])
    for predicate in i.under:
        domain &= space.holds(predicate)
    tuple_ = f"{name}[{', '.join(dims)}]"
    times = [part for dim, order in zip(dims, i.order, strict=True) for part in (dim, str(order))]
    times += ["0"] * (2 * depth - len(times))
    schedule = f"{tuple_} -> [{', '.join(times)}]"
    return Statement(name, i.text, i.line, i.loops, i.order, tuple_, domain, schedule, domain.exact)


def _access(s: Statement, touch: Touch, layout: dict[Object, Layout], space: Space) -> tuple[AccessRelation, str]:
    """The relation of one access, and what is to be said of it."""
    spot = where(touch.target, layout[place(touch.target)], s.loops)
    name = space.names.of(*spot.array)
    formula, note = s.domain, ""
    for predicate in touch.under:
        formula &= space.holds(predicate)
    index = [space.dimensions[loop.key] for loop in spot.own]
    for k, value in enumerate(spot.index):
        found, bytes_ = space.affine(value), spot.size if k == len(spot.index) - 1 else 0
        plain = found is not None and not found.unknowns and bytes_ < 2
        index.append(found.text if found is not None and plain else f"a{k}")
        if found is None:
            formula &= RELAXED
            note = f"`{_text(touch)}` has the subscript {space.text(value)}, which is not affine: any element of {name}"
        elif not plain:
            formula &= found.formula(f"{found.text} <= a{k} <= {found.text} + {max(bytes_, 1) - 1}")
    if not spot.certain:
        formula &= RELAXED
        note = f"`{_text(touch)}`: {name} is seen in several ways that cannot be compared: it counts as one cell"
    condition = f" : {formula.text}" if formula.text else ""
    return AccessRelation(f"{s.tuple_} -> {name}[{', '.join(index)}]{condition}", touch.write, formula.exact), note


def _text(touch: Touch) -> str:
    return touch.target.text if isinstance(touch.target, Access) else touch.target.name


def _linearised(layout: dict[Object, Layout]) -> Iterator[tuple[str, str]]:
    for each, kind in layout.items():
        if kind.kind == "rows":
            yield str(each), " * ".join(map(_length, reversed(kind.radix)))


def _length(row: Poly) -> str:
    return f"({row})" if len(row.terms) > 1 else str(row)


def _in_rows(text: str, radix: str) -> str:
    return f"{text} is written with rows of {radix}, every subscript taken to stay in its row: in-bounds({text})"
