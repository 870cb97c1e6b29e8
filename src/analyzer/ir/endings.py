"""Statements that end the program: a call of a function that never returns, as `exit(1)` and what a failed `assert`
calls."""

from . import c_library as library
from .nodes import Call, Evaluate, Statement


def ends_program(body: tuple[Statement, ...] | list[Statement]) -> bool:
    """Whether the last of these statements ends the program. Example: `{ puts("too small"); exit(1); }`."""
    match body[-1] if body else None:
        case Evaluate(value=Call(name=name, known=False)):
            return library.never_returns(name)
        case _:
            return False
