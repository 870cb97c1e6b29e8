"""The result of testing two accesses in different iterations of a loop."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..access.accesses import Occurrence
from ..facts.loop import Assumption
from ..ir.reasons import ReasonCode
from ..reductions.updates import Update


class Independent(Struct, frozen=True):
    assumptions: frozenset[Assumption] = frozenset()


class Dependence(Struct, frozen=True):
    """`source` in an iteration before that of `sink`. `distance` in iterations, as text; `code` says why it stands:
    carried-dependence, may-alias, non-affine-access or too-complex."""

    source: Occurrence
    sink: Occurrence
    code: ReasonCode
    distance: str = "*"
    shown: bool = False
    of_contents: bool = False
    """Shown for chosen contents of memory."""
    only_if: str = ""
    """Which size has to be 0, or small, for the two to meet: "`incy` is 0" for `y[i*incy]`."""
    why: str = ""
    """In words, on what it rests that they may meet: pointers that the function itself sets, values in an index list,
    rows of a length that nothing says."""
    of_short_rows: bool = False
    """Only in rows that nobody means, shorter than what the loop touches in them."""
    same_value: bool = False
    """Both store the same number, in whatever order."""
    otherwise: frozenset[Assumption] | None = None
    """What keeps two such stores apart, a condition among it, if something does."""
    where: str = ""
    """Of one that is shown: which steady values have to be equal: "`a` equals `b`" for `T[a][i]` and `T[b][i]`."""

    @property
    def kind(self) -> Literal["flow", "anti", "output"]:
        if not self.source.write:
            return "anti"
        return "output" if self.sink.write else "flow"


class Fold(Struct, frozen=True):
    """Both fold a value into the same accumulator by the same operator; `moving`: into one of several elements."""

    update: Update
    moving: bool


Outcome: TypeAlias = Independent | Dependence | Fold
