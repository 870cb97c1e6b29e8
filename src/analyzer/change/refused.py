"""Why a change is not written."""


class RefusedError(Exception):
    """Why nobody but a person can write this change."""
