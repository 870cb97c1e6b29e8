"""The front end: C text in, a typed translation unit out."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .load import load_unit

__all__ = ["load_unit"]


def __getattr__(name: str) -> Any:
    """The parser is loaded when it is asked for, so that the smaller parts of the package can be had without it."""
    if name != "load_unit":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .load import load_unit

    return load_unit
