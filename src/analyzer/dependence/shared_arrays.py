"""Accesses through two parameters, or a parameter and a variable of the program, that some call leads into one array,
or through two such variables, or two members of one structure, that assignments lead there, read as accesses through
one of them.

*Decides*: what the second access is, in words of the first one, for each such call or assignment
(`ir.Function.shared`).
*Errs toward* none: for elements that are not the numbers which the parameter counts.

    void smooth(double *a, const double *b, int n) { ... a[i] = b[i]; }     smooth(v + 1, v, n);
    ->  a[i] = a[i - 1]
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ..ir.members import element_part, row_part
from ..ir.nodes import Access, Declared, Object, Pointee, Rows, SharedArray, Variable
from ..ir.polynomials import Poly, number


def shared_with(calls: Iterable[SharedArray], a: Access, b: Access) -> Iterator[tuple[SharedArray, Access]]:
    """The second access as one to the object of the first one, for each of them. Example: see the module."""
    for call in calls:
        for first, second, behind in ((call.first, call.second, call.behind), (call.second, call.first, -call.behind)):
            if _leads(a.object, first) and _leads(b.object, second) and _of_one_structure(a.object, b.object):
                moved = _moved(a, b, behind, number(call.element))
                if moved is not None:
                    yield call, moved


def _leads(x: Object, variable: Variable | str) -> bool:
    """Whether memory is what a parameter, a variable of the program or a member, by its name, is or leads to."""
    if isinstance(x, Rows):
        return x.field == variable
    if isinstance(variable, Variable):
        return isinstance(x, Pointee) and x.variable.key == variable.key
    return isinstance(x, Pointee | Declared) and x.variable.scope == "global" and x.variable.name == variable


def _moved(a: Access, b: Access, by: int, element: Poly) -> Access | None:
    """The second access in the array of the first one, if both count the elements that the parameter leads to."""
    elements = element_part(a), element_part(b)
    if not all(elements) or any(part[0].stride != element for part in elements):
        return None
    first, *rest = elements[1]
    return replace(b, object=a.object, subscripts=(*row_part(b), replace(first, index=first.index + number(by)), *rest))


def _of_one_structure(x: Object, y: Object) -> bool:
    """Whether two members are of one structure, as it is at one time; also where neither is a member."""
    return not isinstance(x, Rows) or not isinstance(y, Rows) or (x.base, x.version) == (y.base, y.version)
