"""Lists in a sentence."""

from collections.abc import Iterable


def listed(names: Iterable[str]) -> str:
    """Each of them once. Example: "i, j and k"."""
    once = list(dict.fromkeys(names))
    return once[0] if len(once) == 1 else f"{', '.join(once[:-1])} and {once[-1]}"
