"""The pragma that the public JSON of a loop stands for."""

from .answers import Loop


def pragma(loop: Loop, also_private: tuple[str, ...] = (), without: frozenset[str] = frozenset()) -> str:
    """`without`: variables that a rewrite has replaced. The schedule is chosen by the calling program, but for loops
    that count down: gcc 12 runs none of their iterations where the counter is unsigned, and the schedule not static."""
    clauses = [
        _clause("private", (*loop.private, *also_private), without),
        _clause("firstprivate", loop.first_private, without),
        _clause("lastprivate", loop.last_private, without),
        *(f"reduction({r.operator}: {r.variable})" for r in loop.reductions if r.variable not in without),
        "schedule(static,1)" if (loop.step or "").startswith("-") else "schedule(runtime)",
    ]
    return " ".join(["#pragma omp parallel for", *filter(None, clauses)])


def _clause(name: str, variables: tuple[str, ...], without: frozenset[str]) -> str:
    listed = [x for x in variables if x not in without]
    return f"{name}({', '.join(listed)})" if listed else ""
