"""Why a change is not written."""

from .text import UnreadableError


class RefusedError(Exception):
    """Why nobody but a person can write this change."""


def why(error: RefusedError | UnreadableError) -> str:
    """Why a change cannot be written, in words."""
    return f"the text around it cannot be read: {error}" if isinstance(error, UnreadableError) else str(error)
