"""A directive of OpenMP or OpenACC with its clauses, as a person writes it.

    #pragma omp target teams distribute parallel for collapse(2) map(to: a[0:n]) map(from: b[0:n])
    #pragma acc parallel loop collapse(2) copyin(a[0:n]) copyout(b[0:n])
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

WIDTH = 100
"""Columns that lines of a directive take at most, where they can be broken."""


Family: TypeAlias = Literal["omp", "acc"]

_OPENACC = {"to": "copyin", "from": "copyout", "tofrom": "copy", "alloc": "create", "release": "delete"}
"""What OpenACC calls the directions of OpenMP."""


class Directive(Struct, frozen=True):
    """`parallel for` and the like, and what its clauses say. `reductions`: operator and variable. `condition`: C that
    says whether it is worth it, or right. `maps`: direction, as OpenMP calls it, and what is mapped. `collapse`: so
    many loops are one. `updates`: the clause, and what is copied."""

    construct: str
    condition: str | None = None
    private: tuple[str, ...] = ()
    first_private: tuple[str, ...] = ()
    last_private: tuple[str, ...] = ()
    reductions: tuple[tuple[str, str], ...] = ()
    schedule: str | None = None
    family: Family = "omp"
    maps: tuple[tuple[str, str], ...] = ()
    collapse: int = 1
    updates: tuple[tuple[str, str], ...] = ()

    @property
    def copies(self) -> bool:
        """Whether a clause gives threads variables of their own."""
        return bool(self.private or self.first_private or self.last_private or self.reductions)

    def clauses(self) -> tuple[str, ...]:
        """In the order in which the standard names them, each name once.

        >>> Directive("for", private=("t",), reductions=(("+", "s"), ("+", "r"))).clauses()
        ('private(t)', 'reduction(+: s, r)')
        """
        lists = {"private": self.private, "firstprivate": self.first_private, "lastprivate": self.last_private}
        return (
            *((f"collapse({self.collapse})",) if self.collapse > 1 else ()),
            *(() if self.condition is None else (f"if({self.condition})",)),
            *self._maps(),
            *(f"{clause}({', '.join(items)})" for clause, items in _grouped(self.updates)),
            *(f"{name}({', '.join(dict.fromkeys(names))})" for name, names in lists.items() if names),
            *(f"reduction({operator}: {', '.join(names)})" for operator, names in _grouped(self.reductions)),
            *(() if self.schedule is None else (f"schedule({self.schedule})",)),
        )

    def _maps(self) -> Iterable[str]:
        for direction in _OPENACC:
            items = ", ".join(dict.fromkeys(item for each, item in self.maps if each == direction))
            if items:
                yield f"{_OPENACC[direction]}({items})" if self.family == "acc" else f"map({direction}: {items})"

    def lines(self, indentation: str) -> list[str]:
        """The lines of the directive, each but the last one ended by a backslash."""
        found = [f"{indentation}#pragma {self.family} {self.construct}"]
        for clause in self.clauses():
            if len(found[-1]) + 1 + len(clause) > WIDTH - 2 and found[-1].strip():
                found[-1] += " \\"
                found.append(f"{indentation}        {clause}")
            else:
                found[-1] += f" {clause}"
        return found

    def __str__(self) -> str:
        return " ".join([f"#pragma {self.family} {self.construct}", *self.clauses()])


def _grouped(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, list[str]]]:
    """The second members by the first ones."""
    found: dict[str, list[str]] = {}
    for key, item in pairs:
        found.setdefault(key, []).append(item)
    return found.items()


def merged(*names: Iterable[str]) -> tuple[str, ...]:
    """Names of several lists, each once."""
    return tuple(dict.fromkeys(name for each in names for name in each))
