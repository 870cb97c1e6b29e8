"""The values of variables that one iteration of a loop assigns and a later one reads, as it runs."""

from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct, field

from .arithmetic import Number, StuckError


class CarriedValues(Struct):
    """The values of variables that one iteration of a loop reads and an earlier one assigned."""

    before: dict[int, Number] = field(default_factory=dict)
    """What variables that this iteration assigns held as it began, by their keys."""
    lines: dict[int, int] = field(default_factory=dict)
    """Where they were assigned last."""
    changed: dict[int, int] = field(default_factory=dict)
    """Where earlier iterations assigned other values than before."""
    found: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Where such a value was assigned, and where it is read."""

    def begins(self, variables: dict[int, Number]) -> None:
        """Another iteration begins."""
        other = {key: self.lines[key] for key, value in self.before.items() if variables.get(key) != value}
        self.changed.update(other)
        self.before.clear()

    def writes(self, key: int, line: int, value: Callable[[], Number]) -> None:
        self.lines[key] = line
        if key not in self.before:
            with suppress(StuckError):
                self.before[key] = value()

    def reads(self, key: int, line: int) -> None:
        if key in self.changed and key not in self.before:
            self.found.setdefault(key, (self.changed[key], line))
