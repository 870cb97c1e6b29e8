"""Tables of pointers: the memory in which pointers are kept, and which table leads to an object."""

from typing import TypeAlias

from msgspec.structs import replace

from ..ir.nodes import Access, Object, Rows

Table: TypeAlias = tuple[Object, str]
"""Where pointers are stored: object and member."""


def table_of(access: Access) -> Table:
    return unversioned(access.object), access.field


def unversioned(x: Object) -> Object:
    """The object, whenever the pointers that lead to it are read."""
    return replace(x, base=unversioned(x.base), version=0) if isinstance(x, Rows) else x


def table_behind(x: Object) -> Table | None:
    """The table whose entries lead to an object."""
    return (unversioned(x.base), x.field) if isinstance(x, Rows) else None
