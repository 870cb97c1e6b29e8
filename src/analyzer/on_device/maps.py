"""Which memory a loop needs on a device, in which direction it moves, and what C calls it.

*Decides*: for each object that the nest touches, the name that the loop's text has for it, the elements that are used,
and whether their values are needed (`to`), come back (`from`), both, or neither (`alloc`).
*Method*: the transfers that are counted (`counts.arrays`). What is not stored as a whole comes along first, so that
the rest of it comes back as it was.
*Refuses*, in words: rows behind pointers, sections that data decides, memory that the loop's text names in two ways.

    for (i = 1; i < n - 1; i++) b[i] = a[i-1] + a[i+1];         map(to: a[0:n]) map(from: b[1:n-2])
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from models.expr import num

from ..clauses.site import Site, Where
from ..clauses.texts import names_in
from ..clauses.written import Writer
from ..counts.arrays import by_object
from ..counts.nest import Nest, Touch
from ..counts.pointers_in_c import begin
from ..counts.sections import Section, declared_bytes
from ..counts.shapes import has_all_bounds
from ..facts.loop import ArrayFacts, Parallelism
from ..facts.on_device import Direction, Mapped
from ..ir.nodes import Anything, Declared, Object, Text, Variable
from ..ir.polynomials import ZERO, Poly, number, symbol
from ..memory.alias import c_text
from ..polyhedra.signs import Region, is_nonnegative
from ..source.ctypes import Array, Floating, Integer, Pointer, Record, unqualified
from ..source.layout import size_of
from .elements import first_stride, is_filled, stride, used


class RefusedError(Exception):
    """Why a person has to decide what goes to the device."""


class Maps(Struct, frozen=True):
    """`positive`: C that has to be greater than 0 for the sections to be what they say."""

    maps: tuple[Mapped, ...]
    positive: tuple[str, ...]


def maps(site: Site, nest: Nest, answer: Parallelism, arrays: tuple[ArrayFacts, ...]) -> Maps:
    """The memory of one loop. RefusedError where that cannot be written. Example: see the module."""
    made = _Making(site, nest, answer)
    for (object_, touches), facts in zip(by_object(nest).items(), arrays, strict=True):
        made.add(object_, touches, facts)
    for each in answer.separated:
        if each.role == "same" and isinstance(each.target, Variable) and site.where(each.target) is Where.NAMED:
            made.found.setdefault(each.target.name, Mapped(each.target.name, "tofrom"))
    _refuse_loaded_pointers(site, nest, made.found)
    _refuse_other_names(site, made.found)
    return Maps(tuple(made.found.values()), tuple(dict.fromkeys(made.positive)))


class _Making:
    def __init__(self, site: Site, nest: Nest, answer: Parallelism) -> None:
        self.site, self.nest, self.answer = site, nest, answer
        self.writer = Writer(site, nest.loop)
        self.found: dict[str, Mapped] = {}
        self.positive: list[str] = []

    def add(self, object_: Object, touches: list[Touch], facts: ArrayFacts) -> None:
        if isinstance(object_, Text) or self._is_own(object_):
            return
        if self.answer.is_private(object_):
            raise RefusedError(f"each thread needs memory of its own for what `{c_text(object_)}` leads to")
        name = self._name(object_, touches)
        if name in self.found:
            raise RefusedError(f"`{name}` leads to more than one thing")
        self.found[name] = self._mapped(name, object_, touches, facts)

    def _is_own(self, object_: Object) -> bool:
        """Whether each iteration has one of its own: declared in the loop, or a copy."""
        match object_:
            case Declared(variable=variable):
                copied = any(s.role in ("private", "first") and s.is_of(object_) for s in self.answer.separated)
                return copied or self.site.where(variable) is Where.OWN
            case _:
                return False

    def _name(self, object_: Object, touches: list[Touch]) -> str:
        if isinstance(object_, Declared):
            return self._of_variable(object_.variable)
        if any(self.nest.variance.moves(x) for t in touches for s in _rows(t) for x in s.symbols):
            raise RefusedError(f"rows of `{c_text(object_)}` lie behind pointers, which a device has to get one by one")
        if isinstance(object_, Anything) and self.nest.moves(object_):
            raise RefusedError(f"what `{c_text(object_)}` leads to changes in the loop")
        found = begin(self.nest, (t.access for t in touches))
        if found is None:
            raise RefusedError(f"no name is known for where `{c_text(object_)}` begins")
        return found

    def _of_variable(self, variable: Variable) -> str:
        match self.site.where(variable):
            case Where.NAMED:
                return variable.name
            case Where.SHARED:
                raise RefusedError(f"functions that it calls use `{variable.name}` by themselves")
            case _:
                raise RefusedError(f"`{variable.name}` has no name at the loop")

    def _mapped(self, name: str, object_: Object, touches: list[Touch], facts: ArrayFacts) -> Mapped:
        is_variable = isinstance(object_, Declared)
        if is_variable and not isinstance(self._type(name), Array):
            return Mapped(name, _direction(facts, filled=False))
        size = self._size(name, touches)
        section = None if size is None else used(self.nest, touches, size) or _whole(touches, size)
        if section is not None and not section.exact and not self._is_inside(section, touches):
            section = None
        texts = None if section is None else self._section(section)
        if size is None or section is None or texts is None:
            if is_variable:
                return Mapped(name, _direction(facts, filled=False))
            raise RefusedError(f"how much of `{name}` is used is not known before the loop")
        direction = _direction(facts, filled=is_filled(self.nest, touches, section, size))
        if is_variable and self._is_all(name, section):
            return Mapped(name, direction, exact=section.exact)
        return Mapped(name, direction, *texts, section.exact, _element(touches))

    def _is_inside(self, section: Section, touches: list[Touch]) -> bool:
        """Whether a section of which less may be used neither begins before the object nor ends behind it, as far as
        can be told: nothing is lost but conditions on data."""
        known = is_nonnegative(section.low, self.nest.scopes.facts.also(*section.conditions))
        return known and all(has_all_bounds(t) and len({c.constraints for c in t.scope.cases}) == 1 for t in touches)

    def _size(self, name: str, touches: list[Touch]) -> Poly | None:
        """Bytes of what the name leads to, where accesses take it for an array of that; of an expression that is as it
        is written."""
        found = stride(touches)
        match self._type(name):
            case Pointer(target=element) | Array(element=element):
                known = size_of(element, self.site.unit.layouts)
                if found is None and all(first_stride(t) is None for t in touches):
                    return None if known is None else number(known)
                return found if known is None or found == number(known) else None
            case _:
                return found

    def _section(self, section: Section) -> tuple[str, str] | None:
        """The first element, and how many, as C; None without one."""
        length = section.high - section.low
        first, many = self._text(section.low), self._text(length)
        if first is None or many is None:
            return None
        known = self.nest.scopes.facts
        for value in (*(c + 1 for c in section.conditions), length, section.low + 1):
            known = self._ask(value, known)
        return first, many

    def _text(self, value: Poly) -> str | None:
        """A number of elements as C: as it is greater than 0, what is taken away from a size makes nothing overflow."""
        text = self.writer.text(value)
        return None if text is None else re.sub(r"^\(long long\)(?=[\w.>-]+ - \d+$)", "", text)

    def _ask(self, value: Poly, known: Region) -> Region:
        """Asks that a value is greater than 0, where that is not known, and can be said; with it, what is known."""
        if is_nonnegative(value - 1, known):
            return known
        factors = [value]
        if len(value.terms) == 1 and value.terms[0][1] > 0:
            factors = [symbol(s) for s in dict.fromkeys(value.terms[0][0])]
        texts = [self._text(factor) for factor in factors]
        if None in texts:
            return known
        self.positive += [text for text in texts if text is not None]
        return known.also(*(factor - 1 for factor in factors))

    def _is_all(self, name: str, section: Section) -> bool:
        type_ = self._type(name)
        length = type_.length if isinstance(type_, Array) else None
        return isinstance(length, int) and (section.low, section.high) == (ZERO, number(length))

    def _type(self, name: str) -> object:
        return self.site.type_of(name) if name.isidentifier() else None


def _rows(touch: Touch) -> Iterator[Poly]:
    return (s.index for s in touch.access.subscripts if s.row_pointer)


def _element(touches: list[Touch]) -> str | None:
    """The type of the elements in C, where that is a number."""
    found = {unqualified(t.access.type) for t in touches}
    type_ = found.pop() if len(found) == 1 else None
    if not isinstance(type_, Integer | Floating) or type_.atomic:
        return None
    if any(t.access.volatile or number(type_.size) != first_stride(t) for t in touches):
        return None
    return type_.name if any(t.writes for t in touches) else f"const {type_.name}"


def _whole(touches: list[Touch], size: Poly) -> Section | None:
    """All elements that an object has by its declaration, or by what its allocator was asked for."""
    every = None if size.constant is None else declared_bytes(touches)
    length = None if every is None else every.divided_by(size.constant or 1)
    return None if length is None else Section(ZERO, length, (), False)


def _direction(facts: ArrayFacts, *, filled: bool) -> Direction:
    """`filled`: the transfers that are counted are of all that is mapped."""
    comes, goes = facts.transfer_in.expr != num(0), facts.transfer_out.expr != num(0)
    if not goes:
        return "to" if comes else "alloc"
    return "tofrom" if comes or not filled else "from"


def _refuse_loaded_pointers(site: Site, nest: Nest, found: Mapping[str, Mapped]) -> None:
    """Pointers that the loop reads from memory, or stores there: on a device they lead nowhere, but for members of
    which local pointers take the place."""
    touched = (t.access for t in nest.touches if isinstance(t.access.type, Pointer))
    texts = [*(a.text for a in touched if a.text not in found or not site.is_own(a.place)), *site.loaded_pointers]
    for text in texts:
        if text not in found:
            raise RefusedError(f"it uses the pointer `{text}` in memory, which leads nowhere on a device")


def _refuse_other_names(site: Site, found: Mapping[str, Mapped]) -> None:
    """Pointers in the loop's text from before it that are not those by which memory goes to the device."""
    mapped = frozenset(found) | frozenset(n for name in found if not name.isidentifier() for n in names_in(name))
    for name in sorted(site.mentioned_in_iterations - mapped - site.functions):
        if site.is_pointer(name) or _holds_pointers(site, name):
            raise RefusedError(f"`{name}` leads to memory that the device gets by another name, or not at all")


def _holds_pointers(site: Site, name: str) -> bool:
    match site.type_of(name):
        case Array(element=Pointer()):
            return True
        case Record(key=key):
            layout = site.unit.layouts.get(key)
            return layout is not None and any(isinstance(m.type, Pointer) for m in layout.members)
        case _:
            return False


__all__ = ["Maps", "RefusedError", "maps"]
