"""Induction variables of a loop as formulas that each iteration can work out by itself.

*Decides*: for the variables that a loop moves on evenly, their value in an iteration and after the loop as C, in the
loop's counter where OpenMP takes the loop as it is, else in the number of the iteration.
*Errs toward* no formula (None), which is a rewrite of the kind `other`.

    for (i = 0; i < n; i++) { a[k] = b[i]; k += 2; }     ->  k = k + 2*i, after the loop k + 2*(n > 0 ? n : 0)
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct, structs
from pycparser import c_ast

from ..base.places import Place
from ..facts.loop import Clauses, ClosedForm, Rewrite, Separated
from ..ir import nodes as ir
from ..ir.polynomials import Poly, symbol
from ..loops.c_text import c_text
from ..loops.headers import Header, header
from ..loops.syntax import assigned_names, declared_names, items, names_in
from ..reductions.wrap_around import handed_on
from ..source.ctypes import Floating, Integer
from ..source.nodes import nodes
from .canonical import Canonical, canonical, surely_runs, trip_of_header
from .previous import Previous, numbered, text_of
from .recurring import recurring
from .site import Site, Where
from .texts import WIDE, begins_sum, product, reads_memory, sum_of
from .texts import names_in as names_in_text
from .trip_counts import in_elements, one_ratio, trip_text
from .written import Writer

Moving: TypeAlias = dict[ir.Variable, ir.Induction | ir.Recurrence | Previous]
"""The variables that a loop moves on by a rule, and the rule."""


class Counting(Struct, frozen=True):
    """How iterations are numbered: `iteration` is the number of the current one from 0 on, `trip` how many there are,
    as C. `own`: the variable of the loop and its value, where OpenMP takes it as it is."""

    iteration: str
    trip: str | None
    own: tuple[str, Poly] | None = None


def closed_forms(site: Site, writer: Writer, loop: ir.Loop, counters: Iterable[Separated]) -> Clauses:
    """The inductions of a loop, the clauses for its own variable, and the rewrites that they take."""
    moving: Moving = {i.variable: i for i in loop.inductions}
    moving |= {r.variable: r for r in loop.recurrences}
    moving |= dict(_previous(loop, moving, counters := [*counters]))
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


def _previous(
    loop: ir.Loop, known: Moving, counters: Iterable[Separated]
) -> Iterator[tuple[ir.Variable, Previous]]:
    """The variables that hold a value of the iteration before."""
    for target in (s.target for s in counters):
        if isinstance(target, ir.Variable) and target not in known:
            value = handed_on(loop, target)
            if value is not None:
                yield target, Previous(target, value)


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
    moving: Moving,
) -> Clauses | None:
    own = next((v for v in moving if v.name == form.variable and _is_own(site, v, form)), None)
    counted = moving.get(own) if own is not None else None
    if own is None or not isinstance(counted, ir.Induction):
        return None
    iteration = _iteration(site, form, counted)
    trip = trip_text(writer, loop) or (trip_of_header(site, form) if loop.exact_trip else None)
    value = None if counted.start is None else counted.start + symbol(loop.counter) * counted.step
    counting = Counting(iteration or "", trip, None if value is None else (form.variable, value))
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
                formula = _of_own(site, writer, form, counted, counting)
                found += [formula]
                if formula.after is None or not _is_stable(site, formula, own.name):
                    return None
            continue
        if site.where(each.target) is Where.STATIC:
            rewrites.append(_static(site, each.target))
            continue
        formula = _formula(site, writer, each, moving[each.target], counting, loop)
        of_memory = isinstance(moving[each.target], Previous)
        if iteration is None or not _is_stable(site, formula, form.variable, of_memory) or _is_lost(each, formula):
            return None
        found.append(formula)
        rewrites += _beside(site, each.target)
    return Clauses(last_private=last, inductions=tuple(found), rewrites=tuple(rewrites))


def _is_own(site: Site, variable: ir.Variable, form: Canonical) -> bool:
    return form.declared or site.where(variable) is Where.NAMED


def _iteration(site: Site, form: Canonical, induction: ir.Induction) -> str | None:
    """The number of the iteration in the variable of the loop."""
    step = induction.step.constant
    known = induction.start.constant if induction.start is not None else None
    start = str(known) if known is not None else c_text(form.start)
    if step is None or "…" in start or not site.is_plain(form.start):
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


def _is_stable(site: Site, formula: ClosedForm, counter: str, of_memory: bool = False) -> bool:
    """Whether the names in the formulas have the same values in the loop, and after it, as before it. `of_memory`: they
    are known to read nothing that the loop stores."""
    if formula.value is None and formula.after is None:
        return False
    named = names_in_text(formula.value or "") - {counter}
    if ((named | names_in_text(formula.after or "")) - {formula.variable}) & site.changed:
        return False
    return of_memory or not site.stores or not (reads_memory(formula.value or "") or reads_memory(formula.after or ""))


def _is_lost(each: Separated, formula: ClosedForm) -> bool:
    """Whether the value behind the loop is read there, and no C text is known for it."""
    return each.live and formula.after is None


# --- a loop that is written anew


def _rewritten(
    site: Site,
    writer: Writer,
    loop: ir.Loop,
    why: str,
    wanted: list[Separated],
    moving: Moving,
) -> Clauses:
    node = site.node
    head = header(node)
    counter = next(name for name in ("it", "it_", "iteration_") if name not in site.mentioned | site.changed)
    trip = trip_text(writer, loop)
    inline = trip is not None and site.keeps(trip)
    counting = Counting(counter, trip if inline else None if trip is None else "trip")
    if inline and not loop.at_least:
        trip = one_ratio(writer, loop) or trip  # that it may be negative does no harm there
    found, rewrites = [], []
    for each in wanted:
        assert isinstance(each.target, ir.Variable)
        if site.where(each.target) is Where.STATIC:
            rewrites.append(_static(site, each.target))
            continue
        formula = _formula(site, writer, each, moving[each.target], counting, loop)
        of_memory = isinstance(moving[each.target], Previous)
        if formula.value is None or not _is_stable(site, formula, counter, of_memory) or _is_lost(each, formula):
            formula = ClosedForm(formula.variable, formula.start, formula.step, None, None, formula.type)
            rewrites.append(_unknown_form(formula.variable, moving[each.target]))
        found.append(formula)
        rewrites += _beside(site, each.target)
    rewrites += _other_effects(node, head, {v.name for v in moving})
    many = "a number of iterations that is worked out first" if trip is None else f"`{counter} < {trip}`"
    text = f"write the loop as `for (long long {counter} = 0; ...; {counter}++)` with {many}: {why}"
    if trip is not None:
        bound = trip if inline else "trip"
        text = f"write the loop as `for (long long {counter} = 0; {counter} < {bound}; {counter}++)`: {why}"
        text = text if inline else f"work out `long long trip = {trip};` first, and {text}"
    before = _set_besides(node, {v.name for v in moving})
    if before:
        text += f", with `{before}` in front of it"
    tests = tuple(_tests_in_body(site, head))
    if tests:
        text += f", without the test on line {tests[0].line}"
    name = loop.variable or ""
    rewrite = Rewrite("canonical-loop", name, text, counter=counter, trip=trip, before=before, places=tests)
    return Clauses(inductions=tuple(found), rewrites=(rewrite, *rewrites))


def _set_besides(node: c_ast.Node, moving: set[str]) -> str | None:
    """What the beginning of a `for` sets or declares besides the variables that count, as C; all of it where that
    takes their values."""
    init = getattr(node, "init", None)
    parts = getattr(init, "decls", None) or getattr(init, "exprs", None) or [init]
    sets = [part for part in parts if isinstance(part, c_ast.Assignment | c_ast.Decl)]
    more = [part for part in sets if not isinstance(part, c_ast.Decl) and not isinstance(part.lvalue, c_ast.ID)]
    more += [part for part in sets if part not in more and _target(part) not in moving]
    used = set(names_in(node.stmt)) if more else set[str]()
    for part in reversed(more):  # what is declared for the header alone goes with it
        if isinstance(part, c_ast.Decl) and part.name not in used:
            more = [other for other in more if other is not part]
        else:
            used |= set(names_in(part))
    if not more:
        return None
    used = {name for part in more for name in names_in(part)}
    counting = {_target(part) for part in sets if part not in more}
    kept = (part for part in sets if used & counting or part in more)
    return " ".join(f"{_as_statement(part)};" for part in kept)


def _target(part: c_ast.Node) -> str:
    """The variable that is set, or declared; nothing for memory."""
    if isinstance(part, c_ast.Decl):
        return str(part.name)
    return part.lvalue.name if isinstance(part.lvalue, c_ast.ID) else ""


def _as_statement(part: c_ast.Node) -> str:
    from pycparser.c_generator import CGenerator

    return " ".join(CGenerator().visit(part).split())


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
        stores = nodes(part, c_ast.Assignment)
        if any(not isinstance(n.lvalue, c_ast.ID) for n in stores):
            yield Rewrite("other", "", f"the header of the loop stores to memory: write that part of it {where}")
    steps = [n for n in nodes(init, c_ast.UnaryOp) if n.op in ("++", "--", "p++", "p--")] if init is not None else []
    if steps:
        yield Rewrite("other", "", "the header of the loop steps a variable as it begins: do so before it")
    if init is not None and nodes(init, c_ast.FuncCall):
        yield Rewrite("other", "", "the header of the loop calls a function as it begins: do so before it")


def _unknown_form(name: str, found: ir.Induction | ir.Recurrence | Previous) -> Rewrite:
    text = f"work out `{name}` in each iteration from its number: no C text is known for what it grows by"
    if isinstance(found, Previous):
        text = f"work out `{name}` in each iteration but the first: it is what the iteration before gives to it"
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
    site: Site,
    writer: Writer,
    each: Separated,
    induction: ir.Induction | ir.Recurrence | Previous,
    counting: Counting,
    loop: ir.Loop,
) -> ClosedForm:
    variable = induction.variable
    if isinstance(induction, ir.Recurrence):
        return recurring(writer, induction, counting.iteration, counting.trip, each.live, type_text(site, variable))
    if isinstance(induction, Previous):
        return _of_previous(site, writer, each, induction, counting, loop)
    step = _step(site, writer, induction)
    start = _start(site, writer, induction)
    type_ = type_text(site, variable)
    tested = in_elements(site, induction, induction.tested) if induction.tested is not None else None
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


def _of_previous(
    site: Site, writer: Writer, each: Separated, found: Previous, counting: Counting, loop: ir.Loop
) -> ClosedForm:
    name, type_ = found.variable.name, type_text(site, found.variable)
    value = text_of(writer, found, numbered(counting.iteration, counting.own))
    trip = one_ratio(writer, loop) or counting.trip
    after = text_of(writer, found, numbered(trip)) if each.live and trip is not None else None
    value = None if each.live and after is None else value
    return ClosedForm(name, _start(site, writer, found), None, value, after, type_)


def _moved(base: str, step: str, count: str) -> str:
    """Where so many steps lead. From 0 or more on upwards no product is larger than what the variable holds."""
    return sum_of(base, product(step, count, fits=base.isdigit() and not step.startswith("-")))


def _base(site: Site, name: str, start: str) -> str:
    """What a formula begins with: where the header sets the variable, what it is set to, if that is the same whenever
    it is worked out; else its name, which stands for its value before the first iteration."""
    if start.lstrip("-").isdigit():
        return start
    init = getattr(site.node, "init", None)
    value = None if init is None else _initial(init, name)
    plain = value is None or site.is_plain(value)
    return start if plain and site.keeps(start) and name not in names_in_text(start) and begins_sum(start) else name


def _start(site: Site, writer: Writer, induction: ir.Induction | Previous) -> str | None:
    """The value as the first iteration begins, as C before the loop."""
    name = induction.variable.name
    if induction.start is not None and induction.start.constant is not None:
        return str(induction.start.constant)
    init = getattr(site.node, "init", None)
    if init is None or name not in assigned_names(init) | declared_names(init):
        return name
    return (None if induction.start is None else writer.text(induction.start)) or _initial_text(init, name)


def _initial(init: c_ast.Node, name: str) -> c_ast.Node | None:
    """What the header of a `for` gives to a variable."""
    for node in nodes(init):
        match node:
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=set_), rvalue=value) if set_ == name:
                return value
            case c_ast.Decl(name=set_, init=value) if set_ == name:
                return value
    return None


def _initial_text(init: c_ast.Node, name: str) -> str | None:
    """The same as C, if the header sets nothing that it uses."""
    value = _initial(init, name)
    if value is None or set(names_in(value)) & (assigned_names(init) | declared_names(init)) or "…" in c_text(value):
        return None
    return c_text(value)


def _step(site: Site, writer: Writer, induction: ir.Induction) -> str | None:
    step = in_elements(site, induction, induction.step)
    return None if step is None else writer.text(step)


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
