"""Dependences in sentences that a C programmer understands at once."""

from .pairs import Dependence


def sentence(d: Dependence, shown: bool) -> str:
    """One sentence: which line does what to which element, and how many iterations lie between."""
    a, b = d.source, d.sink
    x, y = f"`{a.access.text}`", f"`{b.access.text}`"
    if d.code == "may-alias":
        return f"{x} (line {a.line}) and {y} (line {b.line}) may be the same memory"
    if not shown:
        return f"{x} (line {a.line}) and {y} (line {b.line}) may be the same element in different iterations"
    apart = iterations(d.distance)
    match d.kind:
        case "flow":
            return f"line {b.line} reads {y}, which line {a.line} writes as {x} {apart} earlier"
        case "anti":
            return f"line {a.line} reads {x}, which line {b.line} overwrites as {y} {apart} later"
        case "output":
            return (
                f"line {b.line} writes {y} again {apart} after line {a.line} wrote it as {x}: "
                "the order decides which value stays"
            )


def iterations(distance: str) -> str:
    """`one iteration`, `3 iterations`, `n iterations`, `some iterations`."""
    if distance == "1":
        return "one iteration"
    if distance == "*":
        return "some iterations"
    return f"{distance} iterations" if distance.isdigit() else f"`{distance}` iterations"
