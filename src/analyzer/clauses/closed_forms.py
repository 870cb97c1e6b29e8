"""Induction variables of a loop as formulas that each iteration can work out by itself.

*Decides*: for the variables that a loop moves on evenly, their value in an iteration and after the loop as C, in the
loop's counter where OpenMP takes the loop as it is, else in the number of the iteration.
*Errs toward* no formula (None), which is a rewrite of the kind `other`.

    for (i = 0; i < n; i++) { a[k] = b[i]; k += 2; }     ->  k = k + 2*i, after the loop k + 2*(n > 0 ? n : 0)
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct, structs
from pycparser import c_ast

from ..facts import Clauses, ClosedForm, Rewrite, Separated
from ..loops import ir
from ..loops.headers import Header, header
from ..loops.rendering import c_text
from ..loops.syntax import assigned_names, items, names_in
from ..places import Place
from ..polyhedra.poly import ZERO, Poly, number
from ..source.ctypes import Floating, Integer, Pointer
from ..source.nodes import nodes
from .canonical import Canonical, canonical, surely_runs
from .site import Site, Where
from .texts import WIDE, at_least, begins_sum, product, reads_memory, sum_of
from .texts import names_in as names_in_text
from .written import Writer


class Counting(Struct, frozen=True):
    """How iterations are numbered: `iteration` is the number of the current one from 0 on, `trip` how many there are,
    as C. `own`: the variable of the loop, where OpenMP takes it as it is."""

    iteration: str
    trip: str | None
    own: str | None = None


def closed_forms(site: Site, writer: Writer, loop: ir.Loop, counters: Iterable[Separated]) -> Clauses:
    """The inductions of a loop, the clauses for its own variable, and the rewrites that they take."""
    moving = {i.variable: i for i in loop.inductions}
    wanted = [s for s in counters if s.target in moving]
    form = canonical(site, loop)
    found = None
    if isinstance(form, Canonical):
        found = _as_written(site, writer, loop, form, wanted, moving)
        shared = any(site.where(v) is Where.SHARED and v.name == form.variable for v in moving)
        form = "functions that it calls use its variable" if shared else "the number of the iteration is needed"
    if found is None:
        found = _rewritten(site, writer, loop, form, wanted, moving)
    return structs.replace(found, rewrites=(*found.rewrites, *_by_address(site, moving)))


def _by_address(site: Site, moving: Iterable[ir.Variable]) -> Iterator[Rewrite]:
    """Pointers from before the loop lead to the one variable that was there before it, and to no copy."""
    for variable in moving:
        named = variable.addressed and site.where(variable) in (Where.NAMED, Where.SHARED)
        for pointer in site.pointers_to(variable.name) if named else ():
            name = variable.name
            text = f"use `{name}` itself where the loop uses `{pointer}`, which leads to no copy of `{name}`"
            yield Rewrite("other", name, text, clause="induction")


# --- a loop that stays as it is


def _as_written(
    site: Site,
    writer: Writer,
    loop: ir.Loop,
    form: Canonical,
    wanted: list[Separated],
    moving: dict[ir.Variable, ir.Induction],
) -> Clauses | None:
    own = next((v for v in moving if v.name == form.variable and _is_own(site, v, form)), None)
    if own is None:
        return None
    iteration = _iteration(form, moving[own])
    trip = trip_text(writer, loop)
    counting = Counting(iteration or "", trip, form.variable)
    found: list[ClosedForm] = []
    last: tuple[str, ...] = ()
    rewrites: list[Rewrite] = []
    for each in wanted:
        assert isinstance(each.target, ir.Variable)
        if each.target == own:
            if each.live and not form.declared:
                if surely_runs(loop):
                    last = (own.name,)
                    continue
                formula = _of_own(site, writer, form, moving[own], counting)
                found += [formula]
                if formula.after is None or not _is_stable(site, formula, own.name):
                    return None
            continue
        if site.where(each.target) is Where.STATIC:
            rewrites.append(_static(site, each.target))
            continue
        formula = _formula(site, writer, each, moving[each.target], counting, loop)
        if iteration is None or not _is_stable(site, formula, form.variable):
            return None
        found.append(formula)
        rewrites += _beside(site, each.target)
    return Clauses(last_private=last, inductions=tuple(found), rewrites=tuple(rewrites))


def _is_own(site: Site, variable: ir.Variable, form: Canonical) -> bool:
    return form.declared or site.where(variable) is Where.NAMED


def _iteration(form: Canonical, induction: ir.Induction) -> str | None:
    """The number of the iteration in the variable of the loop."""
    step = induction.step.constant
    known = induction.start.constant if induction.start is not None else None
    start = str(known) if known is not None else c_text(form.start)
    if step is None or "…" in start or any(isinstance(n, c_ast.FuncCall | c_ast.Assignment) for n in nodes(form.start)):
        return None
    plain = start if start.isidentifier() or start.isdigit() else f"({start})"
    if step < 0:
        distance = f"{plain} - {form.variable}" if known is not None else f"{WIDE}{plain} - {form.variable}"
    elif known is not None and known >= 0:
        distance = f"{form.variable} - {plain}" if known else form.variable
    else:
        distance = f"{WIDE}{form.variable} - {plain}"
    if abs(step) == 1:
        return distance
    return f"({distance})/{abs(step)}" if not distance.isidentifier() else f"{distance}/{abs(step)}"


def _of_own(site: Site, writer: Writer, form: Canonical, induction: ir.Induction, counting: Counting) -> ClosedForm:
    """What the loop's own variable is after the loop: no clause says it where there may be no iteration."""
    start = induction.start.constant if induction.start is not None else None
    first = str(start) if start is not None else c_text(form.start)
    step = _step(site, writer, induction)
    after = None if step is None or counting.trip is None else _moved(first, step, counting.trip)
    return ClosedForm(form.variable, first, step, None, after, type_text(site, induction.variable))


def _is_stable(site: Site, formula: ClosedForm, counter: str) -> bool:
    """Whether the names in the formulas have the same values in the loop, and after it, as before it."""
    if formula.value is None and formula.after is None:
        return False
    named = names_in_text(formula.value or "") - {counter}
    if ((named | names_in_text(formula.after or "")) - {formula.variable}) & site.changed:
        return False
    return not site.stores or not (reads_memory(formula.value or "") or reads_memory(formula.after or ""))


# --- a loop that is written anew


def _rewritten(
    site: Site,
    writer: Writer,
    loop: ir.Loop,
    why: str,
    wanted: list[Separated],
    moving: dict[ir.Variable, ir.Induction],
) -> Clauses:
    node = site.node
    head = header(node)
    counter = next(name for name in ("it", "it_", "iteration_") if name not in site.mentioned | site.changed)
    trip = trip_text(writer, loop)
    inline = trip is not None and site.keeps(trip)
    counting = Counting(counter, trip if inline else None if trip is None else "trip")
    if inline and not loop.at_least:
        trip = _one_ratio(writer, loop) or trip  # that it may be negative does no harm there
    found, rewrites = [], []
    for each in wanted:
        assert isinstance(each.target, ir.Variable)
        if site.where(each.target) is Where.STATIC:
            rewrites.append(_static(site, each.target))
            continue
        formula = _formula(site, writer, each, moving[each.target], counting, loop)
        if formula.value is None or not _is_stable(site, formula, counter):
            formula = ClosedForm(formula.variable, formula.start, formula.step, None, None, formula.type)
            rewrites.append(_unknown_form(formula.variable))
        found.append(formula)
        rewrites += _beside(site, each.target)
    rewrites += _other_effects(node, head, {v.name for v in moving})
    many = "a number of iterations that is worked out first" if trip is None else f"`{counter} < {trip}`"
    text = f"write the loop as `for (long long {counter} = 0; ...; {counter}++)` with {many}: {why}"
    if trip is not None:
        bound = trip if inline else "trip"
        text = f"write the loop as `for (long long {counter} = 0; {counter} < {bound}; {counter}++)`: {why}"
        text = text if inline else f"work out `long long trip = {trip};` first, and {text}"
    tests = tuple(_tests_in_body(site, head))
    if tests:
        text += f", without the test on line {tests[0].line}"
    rewrite = Rewrite("canonical-loop", loop.variable or "", text, counter=counter, trip=trip, places=tests)
    return Clauses(inductions=tuple(found), rewrites=(rewrite, *rewrites))


def _tests_in_body(site: Site, head: Header) -> Iterator[Place]:
    """The statement `if (i >= n) break;` that ends a loop in place of a test in its header."""
    body = items(site.node.stmt)
    for statement in body[:1] + body[-1:]:
        if isinstance(statement, c_ast.If) and head.test is not None and len(items(head.body)) < len(body):
            yield site.unit.place(statement)
            return


def _other_effects(node: c_ast.Node, head: Header, moving: set[str]) -> Iterator[Rewrite]:
    """What the header does besides counting, which is lost where it is written anew."""
    if head.test is not None and head.test is not node.cond:
        yield Rewrite("other", "", "take the test that leaves the loop out of the body: the trip count stands for it")
    init = getattr(node, "init", None)
    for part, where in ((head.test, "at the beginning of the body"), (head.update, "at the end of the body")):
        if part is None:
            continue
        for name in sorted(assigned_names(part) - moving):
            yield Rewrite("other", name, f"the header of the loop sets `{name}`: write that part of it {where}")
        stores = (n for n in nodes(part) if isinstance(n, c_ast.Assignment))
        if any(not isinstance(n.lvalue, c_ast.ID) for n in stores):
            yield Rewrite("other", "", f"the header of the loop stores to memory: write that part of it {where}")
    if init is not None and any(isinstance(n, c_ast.FuncCall) for n in nodes(init)):
        yield Rewrite("other", "", "the header of the loop calls a function as it begins: do so before it")


def _unknown_form(name: str) -> Rewrite:
    text = f"work out `{name}` in each iteration from its number: it moves on evenly, by what no C text is known for"
    return Rewrite("other", name, text)


# --- formulas


def _beside(site: Site, variable: ir.Variable) -> Iterator[Rewrite]:
    """What else a formula takes: a variable that functions use by themselves is one for all threads."""
    if site.where(variable) is Where.SHARED:
        name = variable.name
        text = f"make `{name}` threadprivate, as functions that the loop calls use it, and set it first in the body"
        yield Rewrite("threadprivate", name, text, clause="induction")


def _static(site: Site, variable: ir.Variable) -> Rewrite:
    owner = site.owner(variable)
    text = f"make the static variable `{variable.name}` of `{owner}` a parameter, worked out from the iteration"
    return Rewrite("static-local", f"{owner}::{variable.name}", text, clause="induction")


def _formula(
    site: Site, writer: Writer, each: Separated, induction: ir.Induction, counting: Counting, loop: ir.Loop
) -> ClosedForm:
    variable = induction.variable
    step = _step(site, writer, induction)
    start = _start(site, writer, induction)
    type_ = type_text(site, variable)
    tested = _scaled(site, induction, induction.tested) if induction.tested is not None else None
    offset = None if tested is None else writer.text(tested)
    if step is None or start is None or offset is None:
        return ClosedForm(variable.name, start, step, None, None, type_)
    base = _base(site, variable.name, start)
    value = sum_of(_moved(base, step, counting.iteration), offset)
    after = None
    if each.live and counting.trip is not None:
        after = _moved(base, step, counting.trip)
        after = after if loop.kind == "do" else sum_of(after, offset)
    return ClosedForm(variable.name, start, step, value, after, type_)


def _moved(base: str, step: str, count: str) -> str:
    """Where so many steps lead. From 0 or more on upwards no product is larger than what the variable holds."""
    return sum_of(base, product(step, count, fits=base.isdigit() and not step.startswith("-")))


def _base(site: Site, name: str, start: str) -> str:
    """What a formula begins with: where the header sets the variable, what it is set to; else its name."""
    if start.lstrip("-").isdigit():
        return start
    return start if site.keeps(start) and name not in names_in_text(start) and begins_sum(start) else name


def _start(site: Site, writer: Writer, induction: ir.Induction) -> str | None:
    """The value as the first iteration begins, as C before the loop."""
    name = induction.variable.name
    if induction.start is not None and induction.start.constant is not None:
        return str(induction.start.constant)
    init = getattr(site.node, "init", None)
    if init is None or name not in assigned_names(init) | _declared(init):
        return name
    return (None if induction.start is None else writer.text(induction.start)) or _initial_text(init, name)


def _initial_text(init: c_ast.Node, name: str) -> str | None:
    """What the header of a `for` gives to a variable, if it is all that it does."""
    for node in nodes(init):
        match node:
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=set_), rvalue=value) if set_ == name:
                pass
            case c_ast.Decl(name=set_, init=value) if set_ == name and value is not None:
                pass
            case _:
                continue
        used = set(names_in(value))
        return None if used & (assigned_names(init) | _declared(init)) or "…" in c_text(value) else c_text(value)
    return None


def _declared(init: c_ast.Node) -> frozenset[str]:
    return frozenset(n.name for n in nodes(init) if isinstance(n, c_ast.Decl) and n.name)


def _step(site: Site, writer: Writer, induction: ir.Induction) -> str | None:
    step = _scaled(site, induction, induction.step)
    return None if step is None else writer.text(step)


def _scaled(site: Site, induction: ir.Induction, value: Poly) -> Poly | None:
    """In units of what the variable counts: of a pointer, the elements that it points to."""
    if induction.start is not None or value == ZERO:
        return value
    type_ = induction.variable.type
    size = site.size_of(type_.target) if isinstance(type_, Pointer) else None
    if size is None or induction.stride is None:
        return None
    return (value * induction.stride).divided_by(size)


def trip_text(writer: Writer, loop: ir.Loop) -> str | None:
    """How many iterations there are, as C before the loop."""
    if loop.trip is None or not loop.exact_trip:
        return None
    return _counted(writer, loop) or _between_pointers(writer.site, loop)


def _between_pointers(site: Site, loop: ir.Loop) -> str | None:
    """`e - p` for `while (p != e)`, where p moves on by one element; `p - e` where it moves back."""
    match header(site.node).test:
        case c_ast.BinaryOp(op="!=" | "<" | ">" as op, left=c_ast.ID(name=walker), right=c_ast.ID(name=end)):
            pass
        case _:
            return None
    moved = next((i for i in loop.inductions if i.variable.name == walker and i.start is None), None)
    if moved is None or loop.kind == "do" or moved.tested != ZERO or end in site.changed:
        return None
    step = _scaled(site, moved, moved.step)
    init = getattr(site.node, "init", None)
    if step is None or (init is not None and walker in assigned_names(init) | _declared(init)):
        return None
    if step.constant == 1 and op != ">":
        return f"({end} - {walker})"
    return f"({walker} - {end})" if step.constant == -1 and op != "<" else None


def _counted(writer: Writer, loop: ir.Loop) -> str | None:
    assert loop.trip is not None
    parts = [_ratio(writer, r) for r in loop.trip]
    if any(p is None for p in parts):
        return None
    known = [p for p in parts if p is not None]
    found = known[0]
    for part in known[1:]:
        a, b = f"(long long)({found})", f"(long long)({part})"
        found = f"({a} < {b} ? {a} : {b})"
    if len(loop.trip) == 1 and _is_at_least(loop.trip[0].numerator, loop.at_least):
        return found
    return at_least(found, loop.at_least)


def _one_ratio(writer: Writer, loop: ir.Loop) -> str | None:
    return _ratio(writer, loop.trip[0]) if loop.trip is not None and len(loop.trip) == 1 else None


def _ratio(writer: Writer, ratio: ir.Ratio) -> str | None:
    known = ratio.numerator.constant
    if known is not None:
        return str(-(-known // ratio.denominator))
    if ratio.denominator == 1:
        return writer.text(ratio.numerator)
    text = writer.text(ratio.numerator + (ratio.denominator - 1))
    if text is None:
        return None
    return f"{text}/{ratio.denominator}" if text.isidentifier() else f"({text})/{ratio.denominator}"


def _is_at_least(value: Poly, least: int) -> bool:
    """Whether the bounds of its symbols alone keep a value from being smaller."""
    low = number(0).constant or 0
    for monomial, factor in value.terms:
        if not monomial:
            low += factor
        elif factor < 0 or any((s.low or 0) < 0 or s.low is None for s in monomial):
            return False
    return low >= least


def type_text(site: Site, variable: ir.Variable) -> str | None:
    """The declared type of a variable, without its name."""
    from pycparser.c_generator import CGenerator

    declared = site.visible.get(variable.name)
    init = getattr(site.node, "init", None)
    for node in nodes(init) if init is not None else ():
        if isinstance(node, c_ast.Decl) and node.name == variable.name:
            declared = node
    if declared is None:
        return variable.type.name if isinstance(variable.type, Integer | Floating) else None
    return " ".join(CGenerator()._generate_type(declared.type, emit_declname=False).split())
