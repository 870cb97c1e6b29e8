"""How many threads teams have by a call of the program: `omp_set_num_threads(4)`.

*Decides*: for the directives of `main` behind the one such call of a file, which `main` always makes, the number that
it gives, as if they said it themselves. *Errs toward* any number: of several calls, of one under a condition, in other
functions.

    int main(void) { omp_set_num_threads(1);  ...  #pragma omp parallel        ->  #pragma omp parallel num_threads(1)
"""

from collections.abc import Iterable

from msgspec.structs import replace

from ..base.regex import regex
from ..source.declarations import cut
from .directive import Clause, Directive

_CALL = regex(r"(?<=[;{}])\s*omp_set_num_threads\s*\(\s*(\d+)\s*\)\s*;")
_NAME = "omp_set_num_threads"


def with_threads(code: str, directives: Iterable[tuple[int, Directive]]) -> list[Directive]:
    """The directives, each given with its offset in the code. Example: see the module."""
    found = _CALL.search(code)
    if found is None:
        return [each for _, each in directives]
    main = next((d for d in cut(code) if d.is_function and d.names == ("main",)), None)
    if main is None or not main.body < found.start() < main.end or _depth(code, main.body, found.start()) != 1:
        return [each for _, each in directives]
    others = code.count(_NAME) - code.count(f"void {_NAME}")
    behind = range(found.end(), main.end) if others == 1 else range(0)
    return [_with(each, found[1]) if at in behind else each for at, each in directives]


def _depth(code: str, begin: int, end: int) -> int:
    """How many braces are open."""
    return code.count("{", begin, end) - code.count("}", begin, end)


def _with(directive: Directive, number: str) -> Directive:
    if "parallel" not in directive.name or directive.family != "omp" or directive.has("num_threads"):
        return directive
    if "target" in directive.name or "teams" in directive.name:  # a device, or a team of a league, has its own number
        return directive
    return replace(directive, clauses=(*directive.clauses, Clause("num_threads", number)))
