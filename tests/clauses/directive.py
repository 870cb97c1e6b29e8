"""The pragma that the public JSON of a loop stands for."""

from .answers import Loop


def pragma(loop: Loop, also_private: tuple[str, ...], construct: str, schedule: str | None) -> str:
    """With the clauses of the answer. A `runtime` schedule is chosen by the calling program; None: the compiler's."""
    clauses = [
        _clause("private", (*loop.private, *also_private)),
        _clause("firstprivate", loop.first_private),
        _clause("lastprivate", loop.last_private),
        *(f"reduction({r.operator}: {r.variable})" for r in loop.reductions),
        f"schedule({schedule})" if schedule is not None else "",
    ]
    return " ".join([f"#pragma omp {construct}", *filter(None, clauses)])


def _clause(name: str, variables: tuple[str, ...]) -> str:
    return f"{name}({', '.join(variables)})" if variables else ""
