"""Dependences in sentences that a C programmer understands at once."""

from .outcome import Dependence


def sentence(d: Dependence, shown: bool) -> str:
    """One sentence: which line does what to which element, how many iterations lie between, and for which size only."""
    return f"if `{d.at_zero}` is 0, {_meeting(d, shown)}" if d.at_zero else _meeting(d, shown)


def _meeting(d: Dependence, shown: bool) -> str:
    a, b = d.source, d.sink
    x, y = f"`{a.access.text}`", f"`{b.access.text}`"
    unsized = next((o for o in (a, b) if not shown and not o.access.size), None)
    if unsized is not None:
        return f"the type of `{unsized.access.text}` (line {unsized.line}) is not declared here: its size is not known"
    if d.why:
        both = f"{x} (line {a.line})" if (x, a.line) == (y, b.line) else f"{x} (line {a.line}) and {y} (line {b.line})"
        return f"{both} may be the same memory in different iterations: {d.why}"
    if d.code == "may-alias":
        return f"{x} (line {a.line}) and {y} (line {b.line}) may be the same memory"
    if not shown:
        return f"{x} (line {a.line}) and {y} (line {b.line}) may be the same element in different iterations"

    def apart(direction: str) -> str:
        return iterations(d.distance, direction)

    match d.kind:
        case "flow":
            return f"line {b.line} reads {y}, which line {a.line} writes as {x} {apart('earlier')}"
        case "anti":
            return f"line {a.line} reads {x}, which line {b.line} overwrites as {y} {apart('later')}"
        case "output":
            return (
                f"line {a.line} writes {x}, which line {b.line} writes again as {y} {apart('later')}: "
                "the order decides which value stays"
            )


def iterations(distance: str, direction: str) -> str:
    """`one iteration later`, `3 iterations earlier`, `` `n` iterations later``, `in a later iteration`."""
    if distance == "*":
        return f"in {'an' if direction[0] in 'aeiou' else 'a'} {direction} iteration"
    if distance == "1":
        return f"one iteration {direction}"
    return f"{distance if distance.isdigit() else f'`{distance}`'} iterations {direction}"
