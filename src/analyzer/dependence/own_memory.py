"""Memory of the function's own, from outside of a loop, of which each iteration may have a copy.

*Decides*: whether an object is an array or a structure that the function declares, memory that it allocates (itself, or
by a function that says so by its name), what a pointer leads to that may be NULL otherwise, or a row of such memory
behind a table that the function fills, one and the same in all iterations: `rows[thread]`. And whether a row of a table
that others fill is that of the thread (`is_of_thread`).
*Errs toward* no: what iterations get anew; memory to which two pointers lead; tables that somebody else may have
filled.

    double *w = checked_malloc(n);  for (i...) ... w[j]                                   ->  w
    for (t...) rows[t] = malloc(n);  for (i...) { k = omp_get_thread_num(); ... rows[k][j] }    ->  rows[k]
    for (t...) rows[t] = malloc(n);  for (i...) ... rows[i][j]                            ->  none
"""

from models.expr.nodes import remembered

from ..access.liveness import is_read_behind, is_row_live_after
from ..base.places import Place
from ..ir.c_library import THREAD_NUMBER
from ..ir.members import row_part
from ..ir.nodes import (
    Allocated,
    Anything,
    Assign,
    Call,
    Computed,
    Declared,
    Function,
    Held,
    Object,
    Returned,
    Rows,
    Variable,
    every_statement,
    nested_symbols,
    unconverted,
)
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..memory.points_to import says_it_allocates
from ..memory.tables import table_behind
from ..source.ctypes import Array, Record, element
from .function_facts import Surroundings
from .liveness import is_read_later
from .made_inside import is_made_inside
from .scope import Scope


def is_own(scope: Scope, x: Object) -> bool:
    """Whether memory is the function's own. Example: see the module."""
    match x:
        case Declared(variable=variable):
            return is_of_function(scope, variable)
        case Allocated():
            return not is_made_inside(scope, x)
        case Anything(pointer=Returned(function=name)):  # which keeps what was there where it makes memory larger
            return says_it_allocates(x) and "realloc" not in name.lower() and not scope.fresh(x)
        case Anything(pointer=Held()):
            led = scope.known.targets(x)
            own = x not in led and not scope.fresh(x) and all(is_own(scope, each) for each in led)
            return own and _leads_alone(scope, x, led)
        case Rows():
            return _is_own_row(scope, x)
        case _:
            return False


def is_of_function(scope: Scope, variable: Variable) -> bool:
    """Whether a variable is an array or a structure that the function declares outside of the loop, and may change."""
    whole = isinstance(variable.type, Array | Record) and not getattr(element(variable.type), "const", False)
    return whole and variable.scope == "local" and scope.loop.key not in variable.loops


def is_of_thread(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether memory is what each thread has for itself, of what the caller keeps, by the number of the thread:
    `own = buffers[omp_get_thread_num()]`. It is one and the same in all iterations of a loop that one thread runs."""
    if not isinstance(x, Rows) or not scope.is_steady(x):
        return False
    ways = {tuple(s.index for s in row_part(o.access)) for o in scope.accesses_to(x)}
    kept = _thread_numbers(around.function)
    return len(ways) == 1 and any(_selects_by_thread(index, kept) for way in ways for index in way)


@remembered("_thread_numbers")
def _thread_numbers(function: Function) -> frozenset[tuple[str, Place]]:
    """The variables that a function sets to the number of the thread, by name, and where it asks for that."""
    sets = (s for s in every_statement(function) if isinstance(s, Assign) and isinstance(s.target, Variable))
    asked = ((s.target, unconverted(s.value)) for s in sets)
    return frozenset(
        (variable.name, call.place)
        for variable, call in asked
        if isinstance(variable, Variable) and isinstance(call, Call) and call.name == THREAD_NUMBER
    )


def _selects_by_thread(index: Poly, kept: frozenset[tuple[str, Place]]) -> bool:
    """Whether two threads have two values of it: it is the number of the thread, or so many times that, and more.
    `kept`: variables that hold the number."""
    numbers = [s for s in index.symbols if _is_of_thread(s, kept)]
    step = index.coefficient(numbers[0]).constant if len(numbers) == 1 else None
    return bool(step) and not {numbers[0]} & nested_symbols((index - symbol(numbers[0]) * number(step or 0)).symbols)


def _is_of_thread(s: Symbol, kept: frozenset[tuple[str, Place]]) -> bool:
    match s.origin:
        case Computed(reason=reason, place=place, meaning=None):
            name, _, _ = reason.partition("@")  # one of several variables or values of a name has its line behind it
            return reason == f"{THREAD_NUMBER}()" or (name, place) in kept
        case _:
            return False


def is_own_read_later(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether somebody may read after the loop what it left in such memory."""
    if isinstance(x, Rows):
        read_later = is_row_live_after if is_own(scope, x) else is_read_behind
        return read_later(around.function, scope.loop, x)
    return is_read_later(around, scope, x)


def _leads_alone(scope: Scope, x: Object, led: frozenset[Object]) -> bool:
    """Whether no other pointer of the loop leads to memory behind a variable: there would be two copies of it."""
    others = {o.access.object for o in scope.occurrences} - {x}
    return all(led.isdisjoint(scope.known.targets(other)) for other in others)


def _is_own_row(scope: Scope, x: Rows) -> bool:
    """Whether all accesses are to one row of a table that the function allocates, with a row of its own for each entry,
    and to which the loop stores no pointer."""
    table, led = table_behind(x), scope.known.new_rows(x)
    if table is None or led is None or not is_own(scope, table[0]) or scope.known.may_repeat(x):
        return False
    ways = {tuple(s.index for s in row_part(o.access)) for o in scope.accesses_to(x)}
    return len(ways) == 1 and scope.is_steady(x) and not scope.moves_pointers and _leads_alone(scope, x, led)
