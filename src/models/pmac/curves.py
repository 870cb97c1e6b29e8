"""Bandwidth of an idiom on a device as a function of the data footprint.

    bandwidth(x) = a_i ln(x) + b_i    for  x_(i-1) < x <= x_i        bytes/s, x the data footprint in bytes

(PMaC paper, equation 2: one logarithmic piece, then a plateau, a = 0). A curve holds from its first to its last size;
outside it there is no number. Only one curve is printed, stream on the Convey HC-1; others come from measuring a device
(`through`), none is guessed here.
"""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from ..catalogue import Kind
from ..elementwise import Values, is_array
from ..errors import InputError, reason
from ..units import UnitError, readable, to_base

Idiom: TypeAlias = Literal[
    "stream", "transpose", "gather", "scatter", "reduction", "stencil", "matrix-matrix", "matrix-vector"
]
IDIOMS: tuple[Idiom, ...] = get_args(Idiom)
Access: TypeAlias = Idiom | Literal["transfer"]
"""What a curve is of: an idiom, or copying between host and device."""

_PRINTED = Path(__file__).parents[1] / "data" / "curves" / "pmac.toml"


class CurveError(InputError):
    """A curve that cannot be: a bandwidth that is not positive, sizes that do not rise."""


class SizeError(InputError):
    """A data size outside the curve's range."""


class Piece(Struct, frozen=True):
    """slope · ln(bytes) + intercept, in bytes/s, up to `last_bytes`."""

    slope: float
    intercept: float
    last_bytes: float = math.inf

    def at(self, footprint_bytes: float) -> float:
        if self.slope == 0:
            return self.intercept
        return self.slope * math.log(footprint_bytes) + self.intercept


class Curve(Struct, frozen=True):
    """`spread`: the part of the bandwidth by which the true one may be off on either side. CurveError for an impossible
    curve.

    Example: the printed curve has `bandwidth(4_194_304)` 48.0e9 and `bandwidth(4_194_305)` 53.0e9 bytes/s."""

    device: str
    idiom: Access
    first_bytes: float
    pieces: tuple[Piece, ...]
    kind: Kind
    source: str
    spread: float = 0.0
    note: str = ""

    def __post_init__(self) -> None:
        name = f"curve of {self.idiom} on {self.device}"
        if not (0 < self.first_bytes < math.inf and self.pieces):
            raise CurveError(f"{name}: first_bytes must be positive and there must be a piece")
        if not 0 <= self.spread < 1:
            raise CurveError(f"{name}: spread is {self.spread:g}; it is a part of the bandwidth, 0 to below 1")
        for first, piece in zip(self._starts, self.pieces, strict=True):
            if not first < piece.last_bytes:
                raise CurveError(f"{name}: sizes must rise, {piece.last_bytes:g} B follows {first:g} B")
            if not all(0 < piece.at(end) < math.inf for end in (first, piece.last_bytes)):
                sizes = f"{first:g} .. {piece.last_bytes:g} B"
                raise CurveError(f"{name}: the bandwidth is not positive and finite all over {sizes}")

    @property
    def last_bytes(self) -> float:
        return self.pieces[-1].last_bytes

    @property
    def _starts(self) -> tuple[float, ...]:
        return (self.first_bytes, *(piece.last_bytes for piece in self.pieces[:-1]))

    def bandwidth(self, footprint_bytes: Values) -> Values:
        """Bytes/s at a data footprint in bytes (a number or a numpy array); SizeError where it, or an element of it, is
        outside the curve's range; NaN and infinity always are."""
        if is_array(footprint_bytes):
            return self._bandwidths(footprint_bytes)
        return self.piece(footprint_bytes).at(footprint_bytes)

    def piece(self, footprint_bytes: float) -> Piece:
        """The piece that holds at a data footprint; SizeError outside the curve's range."""
        if not (self.first_bytes <= footprint_bytes <= self.last_bytes and footprint_bytes < math.inf):
            raise SizeError(self._outside(footprint_bytes))
        return next(piece for piece in self.pieces if footprint_bytes <= piece.last_bytes)

    def _bandwidths(self, footprints_bytes: Values) -> Values:
        import numpy as np

        sizes = np.asarray(footprints_bytes, dtype=float)
        outside = ~((sizes >= self.first_bytes) & (sizes <= self.last_bytes) & np.isfinite(sizes))
        if outside.any():
            raise SizeError(self._outside(float(sizes[outside][0])))
        slopes, intercepts, ends = np.array([(p.slope, p.intercept, p.last_bytes) for p in self.pieces]).T
        piece = np.searchsorted(ends, sizes, side="left")
        return slopes[piece] * np.log(sizes) + intercepts[piece]

    def _outside(self, footprint_bytes: float) -> str:
        last = "any size" if self.last_bytes == math.inf else readable(self.last_bytes, "B")
        return (
            f"{self.idiom} on {self.device}: {footprint_bytes:.12g} B is outside the curve's range, "
            f"{self.first_bytes:.12g} B to {last} ({self.kind}, {self.source})"
        )


def through(
    device: str, idiom: Access, points: Iterable[tuple[float, float]], *, source: str, spread: float = 0.0
) -> Curve:
    """The curve through measured `points` (footprint in bytes, bytes/s), linear in ln(bytes) between two neighbours; it
    holds from the smallest to the largest measured size. CurveError for fewer than two points, two of one size, or
    figures that are not positive."""
    known = sorted(points)
    if len(known) < 2:
        raise CurveError(f"curve of {idiom} on {device}: it takes two measured sizes")
    if not all(0 < number < math.inf for point in known for number in point):
        raise CurveError(f"curve of {idiom} on {device}: sizes and bandwidths must be positive numbers")
    pieces = []
    for (x0, y0), (x1, y1) in pairwise(known):
        if x0 == x1:
            raise CurveError(f"curve of {idiom} on {device}: {x0:g} B was given twice")
        slope = (y1 - y0) / math.log(x1 / x0)
        pieces.append(Piece(slope, y0 - slope * math.log(x0), x1))
    return Curve(device, idiom, known[0][0], tuple(pieces), "measured", source, spread)


# --- files


class _FilePiece(Struct, forbid_unknown_fields=True):
    slope: float
    intercept: float
    last_bytes: float = math.inf


class _FileCurve(Struct, forbid_unknown_fields=True):
    device: str
    idiom: Access
    unit: str
    first_bytes: float
    kind: Kind
    source: str
    piece: list[_FilePiece]
    spread: float = 0.0
    note: str = ""


class _File(Struct, forbid_unknown_fields=True):
    curve: list[_FileCurve]


Curves: TypeAlias = Mapping[tuple[str, Access], Curve]
"""Curves by device and idiom."""


@cache
def printed_curves() -> Curves:
    """The curves that the paper prints."""
    return load_curves(_PRINTED)


def load_curves(path: Path) -> Curves:
    """The curves of a TOML file laid out as `data/curves/pmac.toml`; CurveError says what is wrong in which file."""
    import tomllib

    import msgspec

    try:
        content = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
        curves = [_curve(entry) for entry in content.curve]
    except (OSError, ValueError) as error:  # tomllib's, msgspec's and our own errors are all ValueErrors
        raise CurveError(f"{path}: {reason(error)}") from error
    found = {(curve.device, curve.idiom): curve for curve in curves}
    if len(found) < len(curves):
        raise CurveError(f"{path}: two curves of one idiom on one device")
    return found


def _curve(entry: _FileCurve) -> Curve:
    def in_base(value: float) -> float:
        try:
            return to_base(value, entry.unit, "data rate")
        except UnitError as error:
            raise CurveError(f"curve of {entry.idiom} on {entry.device}: unit {error}") from error

    if not entry.source.strip():
        raise CurveError(f"curve of {entry.idiom} on {entry.device}: source is empty")
    pieces = tuple(Piece(in_base(p.slope), in_base(p.intercept), p.last_bytes) for p in entry.piece)
    return Curve(
        device=entry.device,
        idiom=entry.idiom,
        first_bytes=entry.first_bytes,
        pieces=pieces,
        kind=entry.kind,
        source=entry.source,
        spread=entry.spread,
        note=entry.note,
    )
