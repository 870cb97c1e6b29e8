"""Arrays that each iteration fills from the start, as a stack or a list: `n = 0; ... list[n++] = i; ... list[k] ...`.

*Decides*: whether an iteration reads only elements that it has stored itself, of a local array or of memory that the
function allocated, wherever functions that it calls store them or count. *Method*: an index that
the iteration sets to 0 before anything else, that goes up only behind a store to the element it selects, and down: so
all elements below it were stored in this iteration. Reads are below it: at the index as it was lowered, at one less,
or in a loop from 0 to the index. *Errs toward* no: any other use of the array or the index.

    top = 0; stack[top++] = root; while (top > 0) { k = stack[--top]; ... stack[top++] = left[k]; }         ->  yes
    n = collect(v, list); for (k = 0; k < n; k++) s += x[list[k]];      with list[n++] = ... in collect     ->  yes
    if (first) top = 0; ...                                                                                 ->  no
"""

from collections import Counter
from collections.abc import Iterator

from ..ir.nodes import (
    Access,
    Address,
    Allocated,
    Assign,
    Branch,
    Call,
    Declared,
    Evaluate,
    Expression,
    Literal,
    Load,
    Loop,
    Operation,
    Refused,
    Statement,
    Use,
    Variable,
    accesses_of,
    evaluated,
    is_use,
    statements,
    unconverted,
)
from ..ir.polynomials import ZERO, Poly, number, symbol
from ..source.ctypes import Integer, Pointer


def is_filled_from_the_start(body: tuple[Statement, ...], array: Declared | Allocated) -> bool:
    """Whether each iteration of a loop with this body reads only what it has stored. Example: see the module."""
    local = isinstance(array, Allocated) or array.variable.scope == "local"
    if not local or any(isinstance(s, Refused) for s in statements(body)) or _is_handed_out(body, array):
        return False
    touched = [a for s in statements(body) for a in accesses_of(s) if a.object == array]
    if len({(a.field, a.offset, a.size, a.type) for a in touched}) != 1 or any(a.bits for a in touched):
        return False  # members may be stored one by one
    return any(_Filled(array, index).by(body) for index in _indices(body, array))


def _is_handed_out(body: tuple[Statement, ...], array: Declared | Allocated) -> bool:
    """Whether something else may get to the array than the accesses that are seen: by its address, if that is more than
    the pointer that a function gets which is followed."""
    for s in statements(body):
        for e in evaluated(s):
            kept = isinstance(s, Assign) and isinstance(s.target, Variable) and unconverted(s.value) == e
            if isinstance(e, Address) and e.object == array and not kept:
                return True
            if isinstance(e, Call) and array in e.pointers:
                return True
    return False


def _indices(body: tuple[Statement, ...], array: Declared | Allocated) -> Iterator[Variable]:
    """The variables that select where something is stored."""
    seen: set[int] = set()
    for s in statements(body):
        for e in _places(s.index) if isinstance(s, Assign) and _is_to(s, array) else ():
            if isinstance(e, Use) and e.variable.key not in seen:
                seen.add(e.variable.key)
                yield e.variable


def _is_to(s: Assign, array: Declared | Allocated) -> bool:
    return not isinstance(s.target, Variable) and s.target.object == array


class _Filled:
    """An array, and the index below which it is filled."""

    def __init__(self, array: Declared | Allocated, index: Variable) -> None:
        self.array, self.index = array, index
        self.ends = frozenset({index})
        """The variables that say, once it is filled, how much there is."""

    def by(self, body: tuple[Statement, ...]) -> bool:
        type_ = self.index.type  # a narrow one may come round below 0
        plain = isinstance(type_, Integer) and type_.size >= 4 and self.index.scope in ("local", "parameter")
        first = next((k for k, s in enumerate(body) if self._concerns(s)), None)
        if not plain or self.index.addressed or first is None or not self._is_reset(body[first]):
            return False
        self.ends |= self._copies(body)
        return self._keeps(body[first:], ())

    def _copies(self, body: tuple[Statement, ...]) -> frozenset[Variable]:
        """The variables that get the index where it is set no more, and nothing else: what a function returns."""
        made = Counter(s.target for s in statements(body) if isinstance(s, Assign) and isinstance(s.target, Variable))
        last = max((k for k, s in enumerate(body) if any(map(self._sets, statements((s,))))), default=0)
        found = {self.index}
        for s in body[last + 1 :]:
            value = unconverted(s.value) if isinstance(s, Assign) else None
            if isinstance(s, Assign) and isinstance(s.target, Variable) and made[s.target] == 1:
                found |= {s.target} if isinstance(value, Use) and value.variable in found else set()
        return frozenset(found)

    def _concerns(self, s: Statement) -> bool:
        """Whether a statement sets the index or touches the array, or holds one that does."""
        return any(self._sets(t) or self._touches(t) for t in statements((s,)))

    def _sets(self, s: Statement) -> bool:
        return isinstance(s, Assign) and s.target == self.index

    def _touches(self, s: Statement) -> bool:
        stored = isinstance(s, Assign) and _is_to(s, self.array)
        return stored or any(isinstance(e, Load) and e.access.object == self.array for e in evaluated(s))

    def _is_reset(self, s: Statement) -> bool:
        zero = unconverted(s.value) if isinstance(s, Assign) else None
        return self._sets(s) and isinstance(zero, Literal) and zero.value == 0

    def _moves(self, s: Statement, operator: str) -> bool:
        """Whether the index goes up (`+`) or down by one."""
        match unconverted(s.value) if isinstance(s, Assign) and self._sets(s) else None:
            case Operation(operator=found, arguments=(a, b)):
                one = unconverted(b)
                return found == operator and is_use(a, self.index) and isinstance(one, Literal) and one.value == 1
            case _:
                return False

    def _keeps(self, block: tuple[Statement, ...], around: tuple[Loop, ...]) -> bool:
        """Whether every statement leaves all elements below the index stored."""
        for k, s in enumerate(block):
            match s:
                case Branch(then=then, otherwise=otherwise):
                    if not (self._keeps(then, around) and self._keeps(otherwise, around)):
                        return False
                case Loop(body=inner):
                    if not self._keeps(inner, (*around, s)):
                        return False
                case _:
                    pass
            if self._sets(s) and not (self._is_reset(s) or self._moves(s, "-") or self._is_stored_at(block, k)):
                return False
            if isinstance(s, Assign) and _is_to(s, self.array) and not self._is_push(block, k):
                return False
            lowered = k > 0 and self._moves(block[k - 1], "-")
            reads = [e for e in evaluated(s) if isinstance(e, Load) and e.access.object == self.array]
            if not all(self._is_below(e, lowered and not self._sets(s), around) for e in reads):
                return False
        return True

    def _is_at_index(self, access: Access, index: tuple[Expression, ...]) -> bool:
        places = _places(index)
        return len(places) == 1 and is_use(places[0], self.index) and _counts_from_the_start(access, places[0])

    def _is_push(self, block: tuple[Statement, ...], k: int) -> bool:
        """Whether what is stored at the index is counted next."""
        s = block[k]
        if not isinstance(s, Assign) or isinstance(s.target, Variable) or not self._is_at_index(s.target, s.index):
            return False
        for after in block[k + 1 :]:
            if self._moves(after, "+"):
                return True
            if not isinstance(after, Assign | Evaluate) or self._sets(after):
                return False
        return False

    def _is_stored_at(self, block: tuple[Statement, ...], k: int) -> bool:
        """Whether the index goes up behind a store to the element that it selects."""
        if not self._moves(block[k], "+"):
            return False
        for before in reversed(block[:k]):
            if isinstance(before, Assign) and not isinstance(before.target, Variable) and _is_to(before, self.array):
                return self._is_at_index(before.target, before.index)
            if not isinstance(before, Assign | Evaluate) or self._sets(before):
                return False
        return False

    def _is_below(self, read: Load, lowered: bool, around: tuple[Loop, ...]) -> bool:
        """Whether an element is below the index."""
        places = _places(read.index)
        if len(places) != 1 or not _counts_from_the_start(read.access, places[0]):
            return False
        match unconverted(places[0]):
            case Use(variable=variable) if variable == self.index:
                return lowered
            case Operation(operator="-", arguments=(a, b)):
                one = unconverted(b)
                return is_use(a, self.index) and isinstance(one, Literal) and one.value == 1
            case Use(variable=variable):
                place = read.access.subscripts[0].index
                return any(place == symbol(loop.counter) and self._counts_up_to(loop, variable) for loop in around)
            case _:
                return False

    def _counts_up_to(self, loop: Loop, variable: Variable) -> bool:
        """Whether a loop goes from 0 to the index, or to what has got it, which it does not change."""
        if loop.variable != variable.name or loop.first != ZERO or loop.step != number(1) or loop.kind == "do":
            return False
        own = any(i.variable == variable for i in loop.inductions)
        if not own or any(self._sets(s) for s in statements(loop.body)):
            return False
        tests = (s.value for s in loop.body if isinstance(s, Evaluate) and s.control)
        return any(self._is_end(t, variable) for t in tests)

    def _is_end(self, test: Expression, variable: Variable) -> bool:
        match unconverted(test):
            case Operation(operator="<", arguments=(a, b)):
                return is_use(a, variable) and self._is_length(b)
            case Operation(operator=">", arguments=(a, b)):
                return is_use(b, variable) and self._is_length(a)
            case _:
                return False

    def _is_length(self, e: Expression) -> bool:
        return any(is_use(e, variable) for variable in self.ends)


def _places(index: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """The subscripts among what is evaluated to find an element."""
    plain = map(unconverted, index)
    return tuple(e for e in plain if not (isinstance(e, Use) and isinstance(e.type, Pointer)))


def _counts_from_the_start(access: Access, index: Expression) -> bool:
    """Whether a subscript of the program says which element that is: not behind a pointer that was moved on."""
    if len(access.subscripts) != 1:
        return False
    match unconverted(index):
        case Use(value=Poly() as value):
            return access.subscripts[0].index == value
        case Operation(operator="-", arguments=(Use(value=Poly() as value), Literal(value=1))):
            return access.subscripts[0].index == value - 1
        case _:
            return False
