"""Accesses through two parameters, or a parameter and a variable of the program, that some call leads into one array,
or through two such variables that assignments lead there, read as accesses through one of them.

*Decides*: what the second access is, in words of the first one, for each such call or assignment
(`ir.Function.shared`).
*Errs toward* none: for elements that are not the numbers which the parameter counts.

    void smooth(double *a, const double *b, int n) { ... a[i] = b[i]; }     smooth(v + 1, v, n);
    ->  a[i] = a[i - 1]
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ..ir.nodes import Access, Declared, Object, Pointee, SharedArray, Variable
from ..ir.polynomials import Poly, number


def shared_with(calls: Iterable[SharedArray], a: Access, b: Access) -> Iterator[tuple[SharedArray, Access]]:
    """The second access as one to the object of the first one, for each of them. Example: see the module."""
    for call in calls:
        for first, second, behind in ((call.first, call.second, call.behind), (call.second, call.first, -call.behind)):
            if _leads(a.object, first) and _leads(b.object, second):
                moved = _moved(a, b, behind, number(call.element))
                if moved is not None:
                    yield call, moved


def _leads(x: Object, variable: Variable | str) -> bool:
    """Whether memory is what a variable is, or leads to: a parameter, or one of the program by its name."""
    if isinstance(variable, Variable):
        return isinstance(x, Pointee) and x.variable.key == variable.key
    return isinstance(x, Pointee | Declared) and x.variable.scope == "global" and x.variable.name == variable


def _moved(a: Access, b: Access, by: int, element: Poly) -> Access | None:
    """The second access in the array of the first one, if both count the elements that the parameter leads to."""
    if not (a.subscripts and b.subscripts and a.subscripts[0].stride == b.subscripts[0].stride == element):
        return None
    first, *rest = b.subscripts
    return replace(b, object=a.object, subscripts=(replace(first, index=first.index + number(by)), *rest))
