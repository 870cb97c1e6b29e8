"""`#pragma pack`: the largest alignment of members, as it changes along the listing."""

from bisect import bisect_right
from collections.abc import Callable, Iterable

from ..base.regex import regex
from .listing import PragmaLine

_PACK = regex(r"pack\s*\(\s*(?:(push|pop)\b\s*,?)?\s*(?:[A-Za-z_]\w*\s*,?)?\s*(\d+)?\s*\)")

_WIDTHS = {"0": 0, "1": 1, "2": 2, "4": 4, "8": 8, "16": 16}
"""What compilers take; another one changes nothing."""


def packing(pragmas: Iterable[PragmaLine]) -> Callable[[int], int]:
    """A function from an offset in the listing to the packing in force there, in bytes (0: none)."""
    offsets, values = [-1], [0]
    stack: list[int] = []
    for pragma in pragmas:
        match = _PACK.match(" ".join(pragma.text.split()))
        if not match:
            continue
        current = values[-1]
        if match[1] == "push":
            stack.append(current)
        elif match[1] == "pop":
            current = stack.pop() if stack else 0
        elif match[2] is None:
            current = 0
        offsets.append(pragma.offset)
        values.append(_WIDTHS.get(match[2], current))
    return lambda offset: values[bisect_right(offsets, offset) - 1]
