"""Which memory is one array in the whole program: the pointers of all calls, put together where they may be the same.

A key is a frame (one call of one function; 0: none) and a pointer of that function. Joining is without order: what is
joined anywhere is one array everywhere. Members of what is joined are joined as well.
"""

from collections.abc import Iterator
from typing import TypeAlias

from .outline import Part, Pointer

Key: TypeAlias = tuple[int, Pointer]

ROOTS = {"text": 1, "local": 3, "pointer": 3}
"""Parts of a pointer that say where it is from, where they are not two; the rest are members."""


class Memory:
    """Finds the representative of a key."""

    def __init__(self) -> None:
        self.parents: dict[Key, Key] = {}
        self.joined = False

    def key(self, frame: int, path: str, pointer: Pointer) -> Key:
        """A pointer of one call: globals are the same in all of them, static ones in those of one file."""
        match pointer[0]:
            case "global" | "pointed":
                return self.known((0, pointer))
            case "static":
                return self.known((0, ("static", f"{path}:{pointer[1]}", *pointer[2:])))
            case _:
                return self.known((frame, pointer))

    def known(self, key: Key) -> Key:
        self.parents.setdefault(key, key)
        return key

    def join(self, left: Key, right: Key) -> None:
        a, b = self.find(left), self.find(right)
        if a != b:
            self.parents[max(a, b, key=_order)] = min(a, b, key=_order)
            self.joined = True

    def find(self, key: Key) -> Key:
        root = self.known(key)
        while self.parents[root] != root:
            root = self.parents[root]
        while key != root:
            self.parents[key], key = root, self.parents[key]
        return root

    def settle(self) -> None:
        """Joins the members of what was joined, until nothing changes."""
        self.joined = True
        while self.joined:
            self.joined = False
            seen: dict[tuple[Key, Part], Key] = {}
            for key in list(self.parents):
                for base, member in _members(key):
                    self.join(seen.setdefault((self.find(base), member), key), key)

    def classes(self) -> dict[Key, list[Key]]:
        """All keys by representative."""
        found: dict[Key, list[Key]] = {}
        for key in self.parents:
            found.setdefault(self.find(key), []).append(key)
        return found


def _members(key: Key) -> Iterator[tuple[Key, Part]]:
    """The key of what holds a member, and the member; nothing for a key that is no member."""
    frame, pointer = key
    if is_member(pointer):
        yield (frame, pointer[:-1]), pointer[-1]


def is_member(pointer: Pointer) -> bool:
    """Whether the last part of the pointer is a member that was followed."""
    kind = str(pointer[0])
    return len(pointer) > ROOTS.get(kind, 2)


def _order(key: Key) -> tuple[int, int, str]:
    """Names that mean something outside come first."""
    frame, pointer = key
    kinds = ("global", "static", "pointed", "local", "pointer", "heap", "parameter", "result", "unknown", "text")
    return frame, kinds.index(str(pointer[0])), str(pointer)
