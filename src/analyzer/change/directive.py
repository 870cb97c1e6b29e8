"""A directive of OpenMP with its clauses, as a person writes it."""

from collections.abc import Iterable

from msgspec import Struct

WIDTH = 100
"""Columns that lines of a directive take at most, where they can be broken."""


class Directive(Struct, frozen=True):
    """`parallel for` and the like, and what its clauses say. `reductions`: operator and variable. `condition`: C that
    says whether it is worth it, or right."""

    construct: str
    condition: str | None = None
    private: tuple[str, ...] = ()
    first_private: tuple[str, ...] = ()
    last_private: tuple[str, ...] = ()
    reductions: tuple[tuple[str, str], ...] = ()
    schedule: str | None = None

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
        by_operator: dict[str, list[str]] = {}
        for operator, variable in self.reductions:
            by_operator.setdefault(operator, []).append(variable)
        return (
            *(() if self.condition is None else (f"if({self.condition})",)),
            *(f"{name}({', '.join(dict.fromkeys(names))})" for name, names in lists.items() if names),
            *(f"reduction({operator}: {', '.join(names)})" for operator, names in by_operator.items()),
            *(() if self.schedule is None else (f"schedule({self.schedule})",)),
        )

    def lines(self, indentation: str) -> list[str]:
        """The lines of the directive, each but the last one ended by a backslash."""
        found = [f"{indentation}#pragma omp {self.construct}"]
        for clause in self.clauses():
            if len(found[-1]) + 1 + len(clause) > WIDTH - 2 and found[-1].strip():
                found[-1] += " \\"
                found.append(f"{indentation}        {clause}")
            else:
                found[-1] += f" {clause}"
        return found

    def __str__(self) -> str:
        return " ".join([f"#pragma omp {self.construct}", *self.clauses()])


def merged(*names: Iterable[str]) -> tuple[str, ...]:
    """Names of several lists, each once."""
    return tuple(dict.fromkeys(name for each in names for name in each))
