"""Whether OpenMP takes a loop as it is written.

*Decides*: the canonical loop nest form (OpenMP 5.2, 4.4.1), as gcc accepts it for C: one variable that the header
starts, compares with something invariant, and moves on by something invariant; no test that only wrapping ends.
*Errs toward* no, with the reason.

    for (i = n; i > 0; i -= 2)          ->  yes
    for (i = 0; i < n; i++, p++)        ->  no: the update changes more than one variable
"""

from functools import partial

from msgspec import Struct
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.arithmetic import value_range
from ..ir.polynomials import number
from ..loops.c_text import c_text
from ..loops.headers import header
from ..loops.pure_functions import is_pure
from ..loops.syntax import addressed_names, assigned_names, has_effects, names_in
from ..source.ctypes import Integer, Pointer
from .site import Site
from .texts import WIDE, at_least

FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}
LARGEST_SIGNED = 1 << 31


class Canonical(Struct, frozen=True):
    """The variable of the loop, and where it starts. `declared`: by the header."""

    variable: str
    start: c_ast.Node
    declared: bool


def canonical(site: Site, loop: ir.Loop) -> Canonical | str:
    """The canonical form, or why the loop has none. Example: see the module."""
    node = site.node
    if not isinstance(node, c_ast.For):
        return "a `while` loop" if isinstance(node, c_ast.While) else "a `do` loop"
    started = _started(node.init)
    if started is None:
        return "its header sets no variable to begin with, or several"
    name = started.variable
    type_ = _type(site, node, name)
    if not isinstance(type_, Integer | Pointer) or type_.volatile or getattr(type_, "atomic", False):
        return f"`{name}` is no plain integer or pointer"
    if isinstance(type_, Integer) and type_.is_enumeration:
        return f"`{name}` is an enumeration, with which gcc 12 compiles no such loop"
    if has_effects(started.start, partial(is_pure, site.unit)):
        return f"what `{name}` begins with has an effect, which each thread would repeat"
    compared = _compared(node.cond, name)
    if compared is None:
        return f"the test is no comparison of `{name}` with a bound"
    step = _step(node.next, name)
    if step is None:
        return f"the update does more than to move `{name}` on"
    relation, bound = compared
    if name in assigned_names(node.stmt) | addressed_names(node.stmt):
        return f"the body changes `{name}`"
    if (set(names_in(bound)) | set(names_in(step)) | set(names_in(started.start))) & (site.changed | {name}):
        return "the loop changes what its header uses"
    if header(node).test is not node.cond:
        return "the test is in the body"
    induction = next((i for i in loop.inductions if i.variable.name == name), None)
    if induction is None:
        return f"`{name}` wraps"
    known = induction.step.constant
    written = _literal(step)
    if isinstance(type_, Integer) and None not in (written, known) and abs(known or 0) != written:
        return f"the body changes `{name}` by its address"
    if relation == "!=" and not _meets(loop, induction, type_):
        return "the test is met by steps of 1 only, without wrapping"
    if known is not None and relation != "!=" and (known > 0) != (relation in ("<", "<=")):
        return "it ends by wrapping"
    forward = induction.step if relation in ("<", "<=") else -induction.step
    if known is None and not site.never_negative(forward - 1):
        text, sign = c_text(step), ">" if (relation in ("<", "<=")) != _subtracts(node.next) else "<"
        why = f"`{text}` may be 0, by which OpenMP divides even where there is no iteration"
        return f"{why}; `if ({text} {sign} 0)` around the loop is enough, too"
    if isinstance(type_, Integer) and not _keeps_bound(site, induction, type_, relation):
        return f"`{c_text(bound)}` may be no `{type_.name}`, to which OpenMP converts it"
    start = induction.start.constant if induction.start is not None else None
    if start is not None and start < 0 and _is_unsigned(site, bound):
        return "a negative value is compared as an unsigned one"
    return started


def trip_of_header(site: Site, form: Canonical) -> str | None:
    """How often a loop in canonical form runs that counts by 1, from what its header says. None where that is no plain
    C. Example: `(10LL - i + 1 > 0 ? 10LL - i + 1 : 0)` of `for (l = i; l <= 10; l++)`."""
    compared, step = _compared(site.node.cond, form.variable), _step(site.node.next, form.variable)
    by_one = isinstance(step, c_ast.Constant) and step.value == "1"
    if compared is None or not by_one or not isinstance(_type(site, site.node, form.variable), Integer):
        return None
    (relation, bound), start = compared, form.start
    texts = {c_text(bound), c_text(start)}
    if relation == "!=" or not (site.is_plain(bound) and site.is_plain(start)) or any("…" in t for t in texts):
        return None
    first, last = (start, bound) if relation in ("<", "<=") else (bound, start)
    distance = f"{WIDE}({c_text(last)}) - ({c_text(first)})" + (" + 1" if relation.endswith("=") else "")
    return at_least(distance, 0)


def reached_bound(site: Site, form: Canonical) -> str | None:
    """The bound that the variable takes, too, as C: the iterations may be one more than a number of its size tells, and
    of such loops clang 14 makes no vectors once threads divide them (it does of `simd` alone). None where it tells
    that: the smaller end is a number from 1 on, and the variable has a sign, or both ends are numbers.

    Example: `m - 1` of `for (k = first; k <= m - 1; k++)`, None of `for (k = 1; k <= m; k++)`."""
    compared, type_ = _compared(site.node.cond, form.variable), _type(site, site.node, form.variable)
    if compared is None or compared[0] not in ("<=", ">="):
        return None
    relation, bound = compared
    first, last = map(_literal, (form.start, bound) if relation == "<=" else (bound, form.start))
    is_told = isinstance(type_, Integer) and type_.signed and first is not None and first >= 1
    return None if is_told or None not in (first, last) else c_text(bound)


def _literal(node: c_ast.Node) -> int | None:
    return int(node.value) if isinstance(node, c_ast.Constant) and node.value.isdigit() else None


def surely_runs(loop: ir.Loop) -> bool:
    """Whether the numbers alone say that there is an iteration. Of a loop without any, `lastprivate` leaves whatever
    the copies hold."""
    return loop.at_least > 0 or (loop.trip is not None and all((r.numerator.constant or 0) > 0 for r in loop.trip))


def _started(init: c_ast.Node | None) -> Canonical | None:
    match init:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=start):
            return Canonical(name, start, declared=False)
        case c_ast.DeclList(decls=[c_ast.Decl(name=name, init=start)]) if start is not None:
            return Canonical(name, start, declared=True)
        case _:
            return None


def _type(site: Site, node: c_ast.For, name: str) -> object:
    if isinstance(node.init, c_ast.DeclList):
        return site.unit.type_of(node.init.decls[0])
    return site.type_of(name)


def _compared(test: c_ast.Node | None, name: str) -> tuple[str, c_ast.Node] | None:
    match test:
        case c_ast.BinaryOp(op=op, left=c_ast.ID(name=tested), right=bound) if tested == name and op in FLIPPED:
            return op, bound
        case c_ast.BinaryOp(op=op, left=bound, right=c_ast.ID(name=tested)) if tested == name and op in FLIPPED:
            return FLIPPED[op], bound
        case _:
            return None


def _step(update: c_ast.Node | None, name: str) -> c_ast.Node | None:
    """What the variable moves on by; the variable itself for 1."""
    match update:
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=moved)) if moved == name:
            return c_ast.Constant("int", "1")
        case c_ast.Assignment(op="+=" | "-=", lvalue=c_ast.ID(name=moved), rvalue=step) if moved == name:
            return step
        case c_ast.Assignment(
            op="=",
            lvalue=c_ast.ID(name=moved),
            rvalue=c_ast.BinaryOp(op="+" | "-", left=c_ast.ID(name=old), right=step),
        ) if moved == name == old:
            return step
        case c_ast.Assignment(
            op="=", lvalue=c_ast.ID(name=moved), rvalue=c_ast.BinaryOp(op="+", left=step, right=c_ast.ID(name=old))
        ) if moved == name == old:
            return step
        case _:
            return None


def _subtracts(update: c_ast.Node) -> bool:
    match update:
        case c_ast.Assignment(op="-=") | c_ast.Assignment(rvalue=c_ast.BinaryOp(op="-")):
            return True
        case _:
            return False


def _meets(loop: ir.Loop, induction: ir.Induction, type_: Integer | Pointer) -> bool:
    """Whether `!=` is met by counting up or down by 1, and not by starting again at the other end of the type: behind
    `for (size_t i = n - 1; i != -1; i--)`, i would be n - 1 - n."""
    step = induction.step.constant
    if step not in (1, -1) or loop.trip is None or len(loop.trip) != 1:
        return False
    trip = loop.trip[0].numerator
    behind = None if induction.start is None else (induction.start + trip * step).constant
    if isinstance(type_, Integer) and behind is not None:
        low, high = value_range(type_)
        if not low <= behind <= high:
            return False
    wraps = any(isinstance(s.origin, ir.Remainder | ir.Computed) for s in ir.nested_symbols(trip.symbols))
    return not wraps and abs(trip.constant_term) < LARGEST_SIGNED and trip != number(0)


def _keeps_bound(site: Site, induction: ir.Induction, type_: Integer, relation: str) -> bool:
    """Whether the bound is the same number in the type of the variable: behind `for (unsigned char j = 0; j < m - 3;
    j++)`, m - 3 may be -1, and 255 as an unsigned char. A bound that the variable never passes is none: the loop would
    not end."""
    loop = site.loop
    compared, other = _operands(loop, induction.variable)
    if compared is None or other is None or relation == "!=":
        return True
    if (compared.size, compared.signed) == (type_.size, type_.signed):
        return True  # so does C
    low, high = value_range(type_)
    other_low, other_high = value_range(other)
    if low <= other_low and other_high <= high:
        return True
    if induction.start is None or loop.trip is None or len(loop.trip) != 1:
        return False
    bound = loop.trip[0]
    ahead = bound.steps.distance if bound.steps else bound.numerator
    if relation in ("<", "<="):
        return low <= other_low or site.never_negative(induction.start + ahead - (relation == "<=") - low)
    return other_high <= high or site.never_negative(number(high) - induction.start + ahead - (relation == ">="))


def _operands(loop: ir.Loop, variable: ir.Variable) -> tuple[Integer | None, Integer | None]:
    """The type in which the test of a loop compares its variable, and the one that its bound has before."""
    match loop.body[:1]:
        case (ir.Evaluate(control=True, value=ir.Operation(type=Integer() as compared, arguments=(a, b))),):
            mine, bound = (a, b) if ir.is_use(a, variable) else (b, a)
            plain = bound.argument if isinstance(bound, ir.Convert) else bound
            type_ = getattr(plain, "type", None)
            return (compared, type_) if ir.is_use(mine, variable) and isinstance(type_, Integer) else (None, None)
        case _:
            return None, None


def _is_unsigned(site: Site, bound: c_ast.Node) -> bool:
    """Whether a bound may have an unsigned type as wide as int."""
    types = [site.type_of(name) for name in names_in(bound)]
    return not all(isinstance(t, Integer) and (t.signed or t.size < 4) for t in types)
