"""Integer arithmetic that must not wrap: proved from ranges, else assumed by name, else refused."""

from ..facts import Assumption
from ..loops.ir import Wrap
from ..polyhedra.system import System, at_least, proves
from .finding import Finding, problem


def obligation(context: System, wrap: Wrap, code: str) -> Finding:
    """Nothing when `low <= value <= high` is proved in `context`; the assumption `no-overflow` for arithmetic that
    merely might wrap; a problem with this `code` for a narrowing that the program asks for."""
    if proves(context, at_least(wrap.value - wrap.low)) and proves(context, at_least(-wrap.value + wrap.high)):
        return Finding()
    line = wrap.place.line
    if wrap.explicit:
        message = f"`{wrap.text}` is taken modulo its type, and may leave the range {wrap.low} .. {wrap.high}"
        return problem(code, message, line)
    return Finding(assumptions=frozenset({Assumption("no-overflow", wrap.text, line)}))
