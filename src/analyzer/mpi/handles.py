"""Bytes of the datatypes of a function: the predefined ones, and those that it makes of them."""

from collections.abc import Iterator

from ..ir.mpi_signatures import ROLES
from ..ir.nodes import Call, Declared, Function, Known, Object, evaluated, statements
from ..ir.polynomials import Poly, number
from ..source.unit import Abi
from .datatypes import numbered, predefined


class Types:
    """Sizes by handle. A derived type has the size of what it takes, not of the gaps between: `MPI_Type_vector(n, 1, m,
    MPI_DOUBLE, &column)` is 8*n bytes."""

    def __init__(self, function: Function, abi: Abi) -> None:
        self._abi = abi
        self._made: dict[Object | Poly, Poly] = {}
        for call in _calls(function):
            self._add(call)

    def size(self, handle: Known) -> Poly | None:
        """Bytes of one element; None where the type is not known."""
        match handle:
            case Declared(variable=variable):
                found = predefined(variable.name, self._abi)
            case Poly() if handle.constant is not None:
                found = numbered(handle.constant)
            case _:
                found = None
        if found is not None:
            return number(found)
        return None if handle is None else self._made.get(handle)  # type: ignore[arg-type]

    def _add(self, call: Call) -> None:
        values = dict(zip(ROLES[call.name], call.values, strict=True))
        made, old = values.get("newtype"), self.size(values.get("oldtype"))
        count, length = values.get("count"), values.get("length", number(1))
        if made is None or old is None:
            return
        match call.name:
            case (
                "MPI_Type_contiguous" | "MPI_Type_vector" | "MPI_Type_create_hvector" | "MPI_Type_create_indexed_block"
            ):
                if isinstance(count, Poly) and isinstance(length, Poly):
                    self._made[made] = count * length * old  # type: ignore[index]
            case "MPI_Type_dup" | "MPI_Type_create_resized":
                self._made[made] = old  # type: ignore[index]
            case _:
                pass


def _calls(function: Function) -> Iterator[Call]:
    """Those that make datatypes, in source order."""
    for statement in statements(function.body):
        for e in evaluated(statement):
            if isinstance(e, Call) and e.values and "newtype" in ROLES.get(e.name, ()):
                yield e
