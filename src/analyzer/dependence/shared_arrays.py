"""Accesses through two parameters, or a parameter and a variable of the program, that some call leads into one array,
or through two such variables, or two members of one structure, that assignments lead there, read as accesses through
one of them.

*Decides*: what the second access is, in words of the first one, for each such call or assignment
(`ir.Function.shared`).
*Errs toward* none: for elements that are not those which the parameter counts.

    void smooth(double *a, const double *b, int n) { ... a[i] = b[i]; }     smooth(v + 1, v, n);
    ->  a[i] = a[i - 1]
    void turn(int n, double a[n][n], double b[n][n]) { ... a[i][j] = b[j][i]; }     turn(n, v, v);
    ->  a[i][j] = a[j][i]
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
            if _leads(a.object, first) and _leads(b.object, second) and _are_alike(a.object, b.object):
                moved = _moved(a, b, behind, number(call.element))
                if moved is not None:
                    yield call, moved


def _leads(x: Object, variable: Variable | str) -> bool:
    """Whether memory is what a parameter, a variable of the program or a member, by its name, is or leads to, or what
    pointers lead to that are found there: `p->data[i]`, `p[j][i]`."""
    match x:
        case Rows(field=field) if isinstance(variable, str):
            return field == variable
        case Rows(base=base):
            return _leads(base, variable)
        case Pointee(variable=named) | Declared(variable=named) if isinstance(variable, Variable):
            return named.key == variable.key
        case Pointee(variable=named) | Declared(variable=named):
            return named.scope == "global" and named.name == variable
        case _:
            return False


def _moved(a: Access, b: Access, by: int, element: Poly) -> Access | None:
    """The second access in the array of the first one, if both count the elements that the parameter leads to."""
    if _are_found(a.object, b.object):
        moved = [replace(row, index=row.index + number(by)) for row in row_part(b)[:1]]
        subscripts = (*moved, *b.subscripts[len(moved) :])
        return replace(b, object=a.object, subscripts=subscripts) if moved or not by else None
    elements = element_part(a), element_part(b)
    if not all(elements):
        return None
    one, other = (part[0].stride for part in elements)
    if one != other or (by and one != element):
        return None
    first, *rest = elements[1]
    return replace(b, object=a.object, subscripts=(*row_part(b), replace(first, index=first.index + number(by)), *rest))


def _are_found(x: Object, y: Object) -> bool:
    """Whether pointers in what two parameters are or lead to are followed to both, by the same members."""
    if isinstance(x, Rows) and isinstance(y, Rows):
        of_two = isinstance(x.base, Pointee | Declared) and x.base != y.base
        return (x.field, x.version) == (y.field, y.version) and (of_two or _are_found(x.base, y.base))
    return False


def _are_alike(x: Object, y: Object) -> bool:
    """Whether two members are of one structure, as it is at one time, or of two that may be one; also where neither is
    a member."""
    if not isinstance(x, Rows) or not isinstance(y, Rows):
        return True
    return (x.base, x.version) == (y.base, y.version) or _are_found(x, y)
