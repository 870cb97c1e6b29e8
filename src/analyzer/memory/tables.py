"""Tables of pointers: the memory in which pointers are kept, and which table leads to an object."""

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from models.expr.nodes import remembered

from ..ir.nodes import Access, Object, Rows
from ..source.ctypes import Pointer
from ..source.effective_types import Target, target_of

Table: TypeAlias = tuple[Object, str]
"""Where pointers are stored: object and member."""


def table_of(access: Access) -> Table:
    return unversioned(access.object), access.field


def unversioned(x: Object) -> Object:
    """The object, whenever the pointers that lead to it are read."""
    return _unversioned(x) if isinstance(x, Rows) else x


@remembered("_unversioned")
def _unversioned(x: Rows) -> Rows:
    return replace(x, base=unversioned(x.base), version=0)


def tables_to(x: Object) -> Iterator[Table]:
    """The tables of pointers that are followed to an object, the last one first."""
    while isinstance(x, Rows):
        yield unversioned(x.base), x.field
        x = x.base


def table_behind(x: Object) -> Table | None:
    """The table whose entries lead to an object."""
    return (unversioned(x.base), x.field) if isinstance(x, Rows) else None


def pointers_followed(access: Access) -> Iterator[tuple[Table, Target]]:
    """Where each pointer stands that is followed to an access, the last one first, and what kind of thing that leads to
    (`effective_types.Target`; empty where that may be anything)."""
    x, kind = access.object, ("structure",) if access.field else target_of(Pointer(access.type, 0))
    while isinstance(x, Rows):
        yield (x.base, x.field), kind
        kind = ("structure",) if x.field else ("pointer",)
        x = x.base
