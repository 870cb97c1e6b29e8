"""Are the directives right that a program has? Races among the threads that they make, and clauses that are missing.

*Question*: for each directive of OpenMP or OpenACC that lets code run at once: do two threads get to one place at once,
one of them to store? *Method*: directives become marks in the program (`marked`), which is lowered like any other; then
pair by pair of accesses (`conflicts`). *Errs toward* not known.
"""

from .check import checked

__all__ = ["checked"]
