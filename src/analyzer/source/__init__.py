"""The front end: C text in, a typed translation unit out."""

from .load import load_unit

__all__ = ["load_unit"]
