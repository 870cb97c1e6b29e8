"""What a type is made of, in time that grows with the declarations and not with the members of members of members.

    struct s { double x; };  struct t { struct s a, b; };        held(struct t): struct t, struct s, double
"""

from collections.abc import Iterator, Mapping

from .ctypes import Array, CType, Layout, Record


def held(type_: CType, layouts: Mapping[str, Layout]) -> Iterator[CType]:
    """The type itself, the elements of its arrays and the types of its members at any depth; each record once. What
    pointers lead to is not held. A structure that holds itself, which no compiler takes, comes to an end, too."""
    seen: set[str] = set()
    pending = [type_]
    while pending:
        each = pending.pop()
        match each:
            case Array(element=element):
                pending.append(element)
            case Record(key=key) if key in seen:
                continue
            case Record(key=key):
                seen.add(key)
                layout = layouts.get(key)
                pending += [m.type for m in reversed(layout.members)] if layout is not None else []
            case _:
                pass
        yield each
