"""Frozen values as JSON and back, equal parts once: a table in which each row refers to earlier ones.

    Table ::= {"classes": [name], "rows": [row]}          the last row is the value
    row   ::= null | bool | number | string | [kind, row number*]
    kind  ::= 0 tuple | 1 list | 2 dict (key, value, ...) | 3 frozenset | 4 set | 5 fraction | 6 + index into classes

Classes are those of this program that hold values (Struct, Enum), found by name in its own packages: what is read can
make values, and nothing else. Example: `decode(encode((1, 2))) == (1, 2)`.
"""

import json
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import Struct

_TUPLE, _LIST, _DICT, _FROZENSET, _SET, _FRACTION, _FIRST_CLASS = range(7)
_PACKAGES = (__name__.partition(".")[0], "models")


class NotAValueError(Exception):
    """Something that is no value of this program, or no table."""


def encode(value: Any) -> bytes:
    """NotAValueError for anything but frozen values and Python's own; RecursionError where they are nested too deep."""
    table = _Table()
    table.row(value)
    return json.dumps({"classes": list(table.classes), "rows": table.rows}, separators=(",", ":")).encode("ascii")


def decode(data: bytes) -> Any:
    """NotAValueError for anything that `encode` does not write."""
    try:
        table = json.loads(data)
        classes = [_class(name) for name in table["classes"]]
        values: list[Any] = []
        for row in table["rows"]:
            values.append(_value(row, values, classes) if type(row) is list else row)
        return values[-1]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise NotAValueError(str(error)) from error


class _Table:
    def __init__(self) -> None:
        self.classes: dict[str, int] = {}
        self.rows: list[Any] = []
        self.known: dict[Any, int] = {}
        self.seen: dict[int, int] = {}
        """Rows by identity: a part that is met again is not taken apart again. The value outlives its table."""

    def row(self, value: Any) -> int:
        """The number of the row that holds the value."""
        kind = type(value)
        if value is None or kind is str or kind is int or kind is bool or kind is float:
            key: Any = (kind, repr(value) if kind is float else value)
            found = self.known.get(key)
            return self._add(key, value) if found is None else found
        found = self.seen.get(id(value))
        if found is None:
            row = self._parts(value)
            key = tuple(row)
            found = self.known.get(key)
            if found is None:
                found = self._add(key, row)
            self.seen[id(value)] = found
        return found

    def _parts(self, value: Any) -> list[int]:
        kind, row = type(value), self.row
        if kind is tuple:
            return [_TUPLE, *map(row, value)]
        members = _members(kind)
        if members is not None:
            return [self._class(kind), *[row(getattr(value, name)) for name in members]]
        match value:
            case list():
                return [_LIST, *map(row, value)]
            case dict():
                return [_DICT, *(row(part) for pair in value.items() for part in pair)]
            case frozenset():
                return [_FROZENSET, *sorted(map(row, value))]
            case set():
                return [_SET, *sorted(map(row, value))]
            case Fraction():
                return [_FRACTION, row(value.numerator), row(value.denominator)]
        raise NotAValueError(f"{kind.__name__} is no value")

    def _class(self, kind: type) -> int:
        return _FIRST_CLASS + self.classes.setdefault(_name(kind), len(self.classes))

    def _add(self, key: Any, row: Any) -> int:
        self.rows.append(row)
        self.known[key] = len(self.rows) - 1
        return self.known[key]


def _members(kind: type) -> tuple[str, ...] | None:
    """The members that a value of the class is made from; None for what is none of ours."""
    if kind not in _KNOWN_MEMBERS:
        found = kind.__struct_fields__ if issubclass(kind, Struct) else None
        _KNOWN_MEMBERS[kind] = ("value",) if issubclass(kind, Enum) else found
    return _KNOWN_MEMBERS[kind]


_KNOWN_MEMBERS: dict[type, tuple[str, ...] | None] = {}


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _value(row: list[int], values: list[Any], classes: list[Any]) -> Any:
    kind, *refer = row
    parts = [values[number] for number in refer]
    match kind:
        case 0:
            return tuple(parts)
        case 1:
            return parts
        case 2:
            return dict(zip(parts[::2], parts[1::2], strict=True))
        case 3:
            return frozenset(parts)
        case 4:
            return set(parts)
        case 5:
            return Fraction(*parts)
    return classes[kind - _FIRST_CLASS](*parts)


@cache
def _class(name: str) -> Any:
    """A class of values of this program. NotAValueError for any other name."""
    module, _, qualified = name.partition(":")
    if module.partition(".")[0] not in _PACKAGES or not qualified.isidentifier():
        raise NotAValueError(name)
    try:
        found = getattr(import_module(module), qualified)
    except (ImportError, AttributeError, ValueError) as error:
        raise NotAValueError(name) from error
    if not isinstance(found, type) or found.__module__ != module:
        raise NotAValueError(name)
    if not issubclass(found, Struct | Enum):
        raise NotAValueError(name)
    return found
