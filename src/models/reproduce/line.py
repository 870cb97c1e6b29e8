"""One published number beside the computed one."""

from msgspec import Struct


class Line(Struct, frozen=True):
    """`published` and `computed` in `unit`, as the paper prints them; `published` is None for what the paper only draws
    or leaves to its formula, `computed` for what is an input or cannot be computed (`inputs`)."""

    paper: str
    table: str
    row: str
    quantity: str
    unit: str
    published: float | None
    computed: float | None
    note: str = ""

    @property
    def difference(self) -> float | None:
        """computed - published"""
        return None if self.published is None or self.computed is None else self.computed - self.published

    @property
    def percent(self) -> float | None:
        """The difference relative to what is published; None where that is 0, unknown, or a percentage itself."""
        if self.unit == "%" or not self.published or self.difference is None:
            return None
        return 100 * self.difference / abs(self.published)

    @property
    def agrees(self) -> bool:
        """Within 1 % of what is published; percentages within half a point, to which most are rounded."""
        if self.published is None or self.difference is None:
            return False
        return abs(self.difference) <= (0.5 if self.unit == "%" else 0.01 * abs(self.published))
