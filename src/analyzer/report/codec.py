"""Documents to JSON and back. The classes of `document` are the one description of the format.

Integers beyond 2^53, which other readers of JSON would round, are written as decimal strings. A member that the
reader does not know is ignored, so that a later minor version can be read; one that is missing is an error.
"""

import json
import types
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from ..errors import InputError
from .document import SCHEMA_VERSION, Document

LARGEST_EXACT = 2**53


def to_json(document: Document) -> str:
    """The document as indented JSON text with a final newline: what holds nothing that holds something (a count, a
    term, a figure) stands on one line, so that a report is a fifth smaller than with a line for each number."""
    return _laid_out(plain(document), "\n") + "\n"


_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _laid_out(value: Any, margin: str) -> str:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any(isinstance(member, dict | list) and member for member in members):
        return _LINE(value)
    inner = margin + " "
    if isinstance(value, list):
        return "[" + inner + ("," + inner).join(_laid_out(item, inner) for item in value) + margin + "]"
    parts = (f"{_LINE(key)}: {_laid_out(item, inner)}" for key, item in value.items())
    return "{" + inner + ("," + inner).join(parts) + margin + "}"


def plain(value: Any) -> Any:
    """The value in JSON's own types."""
    if isinstance(value, Struct):
        document: Any = value
        members = ((field, name, getattr(document, field)) for field, name in _names(document.__class__))
        left_out = _left_out(document.__class__)
        return {name: plain(v) for field, name, v in members if v is not None or field not in left_out}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        return written_integer(value)
    return value


def written_integer(value: int) -> int | str:
    """As text where other readers of JSON would round it."""
    return value if -LARGEST_EXACT <= value <= LARGEST_EXACT else str(value)


def from_json(text: str, name: str) -> Document:
    """The document in `text`; InputError says what is wrong with it, `name` where it came from."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InputError(f"{name}: not JSON: {error}") from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != SCHEMA_VERSION:
        found = "none" if version is None else repr(version)
        raise InputError(f'{name}: expected a report with schema_version "{SCHEMA_VERSION}", found {found}')
    try:
        document: Document = _read(Document, data, "report")
    except _MalformedError as error:
        raise InputError(f"{name}: {error}") from None
    return document


class _MalformedError(Exception):
    """A part of the document that has the wrong shape; the message holds its path."""


def _read(wanted: Any, data: Any, where: str) -> Any:
    if get_origin(wanted) in (Union, types.UnionType):
        return _read_union(get_args(wanted), data, where)
    if wanted is types.NoneType and data is None:
        return None
    if get_origin(wanted) is Literal:
        if data in get_args(wanted):
            return data
    elif isinstance(wanted, type) and issubclass(wanted, Struct) and isinstance(data, dict):
        return _read_object(wanted, data, where)
    elif get_origin(wanted) is tuple and isinstance(data, list):
        item = get_args(wanted)[0]
        return tuple(_read(item, part, f"{where}[{i}]") for i, part in enumerate(data))
    elif get_origin(wanted) is dict and isinstance(data, dict):
        item = get_args(wanted)[1]
        return {key: _read(item, part, f"{where}.{key}") for key, part in data.items()}
    elif wanted is int and isinstance(data, str) and data.lstrip("-").isdigit():
        return int(data)
    elif isinstance(wanted, type) and type(data) is wanted:
        return data
    raise _MalformedError(f"{where} cannot be {_shown(data)}")


def _read_union(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    if data is None and types.NoneType in choices:
        return None
    kinds = [c for c in choices if c is not types.NoneType]
    exact = [c for c in kinds if isinstance(c, type) and type(data) is c]
    for choice in exact or kinds:
        try:
            return _read(choice, data, where)
        except _MalformedError as error:
            failure = error
    raise failure


def _read_object(wanted: Any, data: dict[str, Any], where: str) -> Any:
    hints = _hints(wanted)
    values = {}
    for field, name in _names(wanted):
        if name not in data and field not in _left_out(wanted):
            raise _MalformedError(f"{where}.{name} is missing")
        values[field] = _read(hints[field], data.get(name), f"{where}.{name}")
    return wanted(**values)


@cache
def _hints(wanted: Any) -> dict[str, Any]:
    return get_type_hints(wanted)


@cache
def _names(wanted: Any) -> tuple[tuple[str, str], ...]:
    """(field, name in JSON) of a class of `document`, in order."""
    return tuple((name, name.rstrip("_")) for name in wanted.__struct_fields__)


@cache
def _left_out(wanted: Any) -> frozenset[str]:
    """Members that are absent, and not null, when they have no value."""
    return getattr(wanted, "LEFT_OUT", frozenset())


def _shown(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
