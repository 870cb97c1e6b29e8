"""Memory that was stored to as a whole: structures that are copied, and what `memset` clears.

*Decides*: whether a scalar that is read there is 0, or not known.
*Errs toward* not known: what a copied structure holds.

    memset(p, 0, sizeof *p); if (p->n)      ->  p->n is 0
"""

from msgspec import Struct, field

from .arithmetic import Number, StuckError
from .machine import Cell


class Block(Struct, frozen=True):
    """Bytes from a cell on. `cleared`: they are 0."""

    start: Cell
    size: int
    cleared: bool

    def holds(self, cell: Cell) -> bool:
        x, rows, byte = self.start
        return cell[0] == x and cell[1][: len(rows)] == rows and byte <= cell[2] < byte + self.size


class Blocks(Struct):
    """The blocks of a run, the last one last."""

    stored: list[Block] = field(default_factory=list)

    def copy(self) -> "Blocks":
        return Blocks(list(self.stored))

    def store(self, start: Cell, size: int, cleared: bool, memory: dict[Cell, Number]) -> None:
        """Stores to a block: what was in memory there is gone."""
        block = Block(start, size, cleared)
        for cell in [cell for cell in memory if block.holds(cell)]:
            del memory[cell]
        self.stored.append(block)

    def holds(self, cell: Cell) -> bool:
        """Whether some block covers a cell. Raises `StuckError` where it is not known what that holds."""
        last = next((block for block in reversed(self.stored) if block.holds(cell)), None)
        if last is not None and not last.cleared:
            raise StuckError("copied as a whole")
        return last is not None
