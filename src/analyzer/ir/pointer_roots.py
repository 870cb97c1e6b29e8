"""The roots of an object: where the pointers start that were followed to get to it."""

from msgspec.structs import replace

from .nodes import Object, Rows


def root(x: Object) -> Object:
    """The object whose pointers were followed to get to this one."""
    while isinstance(x, Rows):
        x = x.base
    return x


def rooted(x: Object, base: Object) -> Object:
    """The object that is reached the same way from another one."""
    return replace(x, base=rooted(x.base, base)) if isinstance(x, Rows) else base
