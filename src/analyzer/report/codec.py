"""Documents to JSON and back. The classes of `document` are the one description of the format.

Integers beyond 2^53, which other readers of JSON would round, are written as decimal strings. A member that the
reader does not know is ignored, so that a later minor version can be read; one that is missing is an error.
"""

import json
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from ..base.errors import InputError
from ..base.packing import Packed
from .document import SCHEMA_VERSION, Document, FileEntry
from .formula import Formula

LARGEST_EXACT = 2**53


def to_json(document: Document) -> str:
    """The document as indented JSON text with a final newline: what holds nothing that holds something (a count, a
    term, a figure) stands on one line, so that a report is a fifth smaller than with a line for each number."""
    return "".join(written(document))


def written(document: Document) -> Iterator[str]:
    """The text of `to_json` in pieces, of which each takes as much memory as one file."""
    between = "{"
    for field, name in _names(Document):
        value = getattr(document, field)
        if value is None and field in Document.LEFT_OUT:
            continue
        yield f"{between}\n {_LINE(name)}: "
        yield from _listed(value) if field == "files" else (_laid_out(plain(value), "\n "),)
        between = ","
    yield "\n}\n"


def _listed(files: Sequence[FileEntry]) -> Iterator[str]:
    """As `_laid_out` has a list of objects."""
    between = "["
    for file in files:
        yield f"{between}\n  {_laid_out(plain(file), _INSIDE)}"
        between = ","
    yield "\n ]" if files else "[]"


_INSIDE = "\n  "
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
    kind = value.__class__
    if kind in _AS_IT_IS:
        return value
    if kind is int:
        return written_integer(value)
    if kind is tuple:
        return [plain(item) for item in value]
    if kind is dict:
        return {key: plain(item) for key, item in value.items()}
    if kind is Formula:
        return value.text
    if issubclass(kind, Struct):
        found = {}
        for field, name, is_left_out in _members(kind):
            member = getattr(value, field)
            if member is not None or not is_left_out:
                found[name] = plain(member)
        return found
    return [plain(item) for item in value] if isinstance(value, tuple | Packed) else value


_AS_IT_IS = frozenset((str, float, bool, type(None)))


@cache
def _members(kind: Any) -> tuple[tuple[str, str, bool], ...]:
    """Of a class of the document: each field, its name in JSON, and whether it is left out where it is None."""
    left_out = _left_out(kind)
    return tuple((field, name, field in left_out) for field, name in _names(kind))


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
        document: Document = _reader(Document)(data)
    except _MalformedError as error:
        raise InputError(f"{name}: report{error.path}{error}") from None
    return document


class _MalformedError(Exception):
    """A part of the document that has the wrong shape; `path` grows on the way out of it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.path = ""


def _refused(data: object) -> _MalformedError:
    return _MalformedError(f" cannot be {_shown(data)}")


Reader: TypeAlias = Callable[[Any], Any]


@cache
def _reader(wanted: Any) -> Reader:
    """What reads values of a type; made once for each, since a report has a hundred thousand of them."""
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _union_reader(get_args(wanted))
    if origin is Literal:
        return _plain_reader(frozenset(get_args(wanted)).__contains__)
    if origin in (tuple, Sequence):
        return _list_reader(_reader(get_args(wanted)[0]))
    if origin is dict:
        return _dict_reader(_reader(get_args(wanted)[1]))
    if issubclass(wanted, Formula):
        return _read_formula
    if issubclass(wanted, Struct):
        return _object_reader(wanted)
    return _read_int if wanted is int else _plain_reader(lambda data: data.__class__ is wanted)


def _plain_reader(is_right: Callable[[Any], bool]) -> Reader:
    def read(data: Any) -> Any:
        if data.__class__ in (dict, list) or not is_right(data):
            raise _refused(data)
        return data

    return read


def _read_int(data: Any) -> int:
    if data.__class__ is int:
        return data
    if data.__class__ is str and data.lstrip("-").isdigit():
        return int(data)
    raise _refused(data)


def _read_formula(data: Any) -> Formula:
    if data.__class__ is str:
        return Formula(data)
    raise _refused(data)


def _list_reader(item: Reader) -> Reader:
    def read(data: Any) -> tuple[Any, ...]:
        if data.__class__ is not list:
            raise _refused(data)
        found: list[Any] = []
        try:
            for part in data:
                found.append(item(part))
        except _MalformedError as error:
            error.path = f"[{len(found)}]{error.path}"
            raise
        return tuple(found)

    return read


def _dict_reader(item: Reader) -> Reader:
    def read(data: Any) -> dict[str, Any]:
        if data.__class__ is not dict:
            raise _refused(data)
        found: dict[str, Any] = {}
        for key, part in data.items():
            try:
                found[key] = item(part)
            except _MalformedError as error:
                error.path = f".{key}{error.path}"
                raise
        return found

    return read


def _union_reader(choices: tuple[Any, ...]) -> Reader:
    """Of a value whose very type is among the choices, that one; else the first that takes it."""
    nothing = types.NoneType in choices
    kinds = [(choice, _reader(choice)) for choice in choices if choice is not types.NoneType]
    exact = {choice: reader for choice, reader in kinds if isinstance(choice, type)}

    def read(data: Any) -> Any:
        if data is None and nothing:
            return None
        own = exact.get(data.__class__)
        if own is not None:
            return own(data)
        for _, reader in kinds:
            try:
                return reader(data)
            except _MalformedError as error:
                failure = error
        raise failure

    return read


def _object_reader(wanted: Any) -> Reader:
    hints, left_out = get_type_hints(wanted), _left_out(wanted)
    members = [(field, name, _reader(hints[field]), field in left_out) for field, name in _names(wanted)]
    later = frozenset(f.name for f in fields(wanted) if f.default not in (NODEFAULT, None))

    def read(data: Any) -> Any:
        if data.__class__ is not dict:
            raise _refused(data)
        values = {}
        for field, name, reader, optional in members:
            if name not in data and not optional:
                if field in later:  # not yet in the report of an earlier version
                    continue
                raise _MalformedError(f".{name} is missing")
            try:
                values[field] = reader(data.get(name))
            except _MalformedError as error:
                error.path = f".{name}{error.path}"
                raise
        return wanted(**values)

    return read


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
