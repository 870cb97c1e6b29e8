"""Private copies and partial results: what a clause can name, and what takes a rewrite.

*Decides*: for each variable and object that the answer separates between the iterations, the clause in which OpenMP
takes its name at the loop, or the rewrite that does the same.
*Errs toward* a rewrite: what no other kind fits is of the kind `other`.

    double buf[8];               for (...) ... buf ...        ->  private(buf)
    double buf[8], *w = buf;     for (...) ... w ...          ->  a copy per thread, to which w leads
    double *w = malloc(...);     for (...) ... w ...          ->  a copy per thread of what w leads to
"""

from msgspec.structs import replace

from ..base.regex import regex
from ..facts.loop import Clauses, Reduction, Rewrite, Separated
from ..ir import nodes as ir
from ..ir.polynomials import Poly
from ..ir.same import location_of
from ..source.ctypes import Array, Complex, CType, Floating, Integer, element
from .canonical import surely_runs
from .elements import bytes_of, element_name
from .extents import accesses, extent
from .partial_results import folded_in_place
from .reached import is_there
from .site import Site, Where
from .texts import calls, names_in
from .written import Writer

COMBINED = {"private": "private", "first": "firstprivate", "last": "first_last", "first_last": "first_last"}
"""Roles as the field `clause` of a rewrite names them: what the last iteration does not write keeps its value."""

NEUTRAL = {
    **dict.fromkeys(("+", "|", "^", "||"), "0"),
    **dict.fromkeys(("*", "&&"), "1"),
    "&": "~0",
    "min": "the largest number of its type",
    "max": "the smallest number of its type",
}
"""What partial results begin with."""

LARGEST_COPY = 1 << 20
"""Bytes that a thread is asked to hold on its stack."""

_IDENTIFIER = regex(r"[A-Za-z_]\w*")


def of_role(role: str, name: str, whole: bool) -> Clauses:
    """A name in the clauses of its role. `whole`: the last iteration sets all of it, and there is one."""
    match role:
        case "private":
            return Clauses(private=(name,))
        case "first":
            return Clauses(first_private=(name,))
        case "last" if whole:
            return Clauses(last_private=(name,))
        case _:
            return Clauses(first_private=(name,), last_private=(name,))


def storage(site: Site, writer: Writer, loop: ir.Loop, each: Separated, together: tuple[Separated, ...]) -> Clauses:
    """The clauses and rewrites for one variable or object. `together`: all that the answer separates; where members of
    a variable are all that the loop uses of it, and alike, the variable stands for them. Example: see the module."""
    match each.target:
        case ir.Variable() as variable:
            return _of_variable(site, loop, each, variable)
        case ir.Declared(variable=variable):
            alike = {s.text for s in together if s.target == each.target and s.role == each.role != "reduction"}
            if {a.text for a in _to(loop, each.target)} <= alike:
                each = replace(each, text=variable.name)
            return _of_declared(site, writer, loop, each, variable)
        case object_:
            return _of_pointed_to(site, writer, loop, each, object_)


# --- scalars


def _of_variable(site: Site, loop: ir.Loop, each: Separated, variable: ir.Variable) -> Clauses:
    where = site.where(variable)
    led_to = site.pointers_at(variable.name) if variable.addressed and where is Where.NAMED else ()
    if led_to:
        return _copied(site, each, variable.name, "1", led_to)
    found = _elsewhere(site, loop, each, variable)
    if found is not None:
        return found
    if each.role == "reduction":
        if not isinstance(variable.type, Integer | Floating | Complex):
            return folded_in_place(site, loop, each)
        return Clauses(reductions=(Reduction(variable.name, each.operator, each.reorders_fp),))
    return of_role(each.role, variable.name, surely_runs(loop))


def _elsewhere(site: Site, loop: ir.Loop, each: Separated, variable: ir.Variable) -> Clauses | None:
    """What a variable takes that is no name of the loop's own; None where it is one."""
    name = variable.name
    match site.where(variable):
        case Where.NAMED:
            return None
        case Where.OWN:
            return Clauses()
        case Where.SHARED if each.role == "reduction":
            return folded_in_place(site, loop, each)
        case Where.SHARED if led_to := site.pointers_to(name):
            text = f"make `{name}` threadprivate, and let `{led_to[0]}` lead to the copy of each thread{_values(each)}"
            return _rewrite("other", name, text, clause=COMBINED[each.role])
        case Where.SHARED:
            where = "" if name in site.unit.statics else " in every file that declares it"
            text = f"make `{name}` threadprivate{where}, or a parameter: functions that the loop calls use it"
            text += _values(each)
            return _rewrite("threadprivate", name, text, clause=COMBINED[each.role])
        case Where.STATIC if each.role == "reduction":
            return folded_in_place(site, loop, each)
        case Where.STATIC:
            owner = site.owner(variable)
            if variable.addressed or site.returns_pointer(owner) or not site.calls_once(owner):
                text = f"make the static variable `{name}` of `{owner}` a parameter, one for each thread{_values(each)}"
                return _rewrite("other", f"{owner}::{name}", text, clause=COMBINED[each.role])
            text = f"make the static variable `{name}` of `{owner}` automatic, or a parameter{_values(each)}"
            return _rewrite("static-local", f"{owner}::{name}", text, clause=COMBINED[each.role])
        case Where.HIDDEN:
            text = f"`{name}` means another variable at the loop: give this one a name of its own"
            return _rewrite("other", name, text, clause=COMBINED.get(each.role, each.role))
        case Where.NAMELESS:
            literal = f"the compound literal of line {variable.place.line}"
            text = f"each thread needs a copy of {literal}: make that a variable, and analyse again"
            return _rewrite("other", literal, text, clause=COMBINED.get(each.role, each.role))


def _values(each: Separated) -> str:
    match each.role:
        case "first":
            return "; each copy begins with the old value"
        case "last" | "first_last":
            return "; each copy begins with the old value, and that of the last iteration is what remains"
        case "reduction":
            operator = "+" if each.operator == "-" else each.operator
            combined = f"the old value and all copies are combined by `{operator}` after the loop"
            return f"; each copy begins with {NEUTRAL[operator]}, and {combined}"
        case _:
            return ""


# --- declared arrays and structures


def _of_declared(site: Site, writer: Writer, loop: ir.Loop, each: Separated, variable: ir.Variable) -> Clauses:
    found = _elsewhere(site, loop, each, variable)
    if found is not None:
        return found
    if not _IDENTIFIER.fullmatch(each.text):
        return _of_place(site, loop, each, variable.name)
    led_to = site.pointers_to(variable.name)
    if each.role == "reduction":
        whole = isinstance(element(variable.type), Integer | Floating | Complex) and not led_to
        if whole and _fits(site, variable.type):
            return Clauses(reductions=(Reduction(variable.name, each.operator, each.reorders_fp, each.array),))
        return folded_in_place(site, loop, each)
    if led_to or not _fits(site, variable.type):
        return _copied(site, each, variable.name, _length(writer, variable.type), led_to)
    return of_role(each.role, variable.name, whole=False)


def _fits(site: Site, type_: CType) -> bool:
    return (bytes_of(site.unit, type_) or 0) <= LARGEST_COPY


def _length(writer: Writer, type_: CType) -> str | None:
    """The elements of a declared array; 1 of anything else."""
    match type_:
        case Array(length=int(length)):
            return str(length)
        case Array():
            return None
        case _:
            return "1"


# --- memory behind pointers


def _of_pointed_to(site: Site, writer: Writer, loop: ir.Loop, each: Separated, object_: ir.Object) -> Clauses:
    if isinstance(object_, ir.Rows):
        return _of_place(site, loop, each, each.text) if each.role == "reduction" else _of_member(site, each, object_)
    of_call = isinstance(object_, ir.Anything) and site.is_pointer(each.text)  # known by the variable that holds it
    name = each.text if of_call else str(object_)
    if each.text != name:
        return _of_place(site, loop, each, name)
    if not site.is_pointer(name) or (name not in site.mentioned and name not in site.of_callees):
        return folded_in_place(site, loop, each) if each.role == "reduction" else _unnamed(each)
    led_to = tuple(p for p in site.pointers_to(name) if not _leads_elsewhere(site, loop, p, object_))
    unit = bytes_of(site.unit, site.element_of(name))
    if each.role == "reduction":
        length = extent(writer, loop, object_, unit, none=1)  # a section of no elements is none for gcc
        plain = not led_to and name not in site.of_callees and name not in site.changed
        own = all(site.is_own(a.place) and not a.field and len(a.subscripts) == 1 for a in _to(loop, object_))
        numbers = all(isinstance(a.type, Integer | Floating | Complex) for a in _to(loop, object_))
        if length is not None and plain and own and numbers:
            return Clauses(reductions=(Reduction(f"{name}[0:{length}]", each.operator, each.reorders_fp, True),))
        return folded_in_place(site, loop, each)
    if name in site.of_callees and not site.visible.get(name):
        text = f"let `{name}` lead to memory of each thread; functions that the loop calls use it: make it a parameter"
        return _rewrite("other", name, text, clause=COMBINED[each.role])
    length = extent(writer, loop, object_, unit) or _allocated(site, writer, name, object_, unit)
    return _copied(site, each, name, length, led_to, "leads to")


def _allocated(site: Site, writer: Writer, name: str, object_: ir.Object, unit: int | None) -> str | None:
    """All elements of memory that the function allocates, where the variable leads to its beginning."""
    match object_:
        case ir.Allocated(size=Poly() as size, loops=()) if unit and (length := size.divided_by(unit)) is not None:
            every = [s for s in ir.statements(site.function.body) if isinstance(s, ir.Assign)]
            own = (s.value for s in every if isinstance(s.target, ir.Variable) and s.target.name == name)
            return writer.text(length) if all(_begins(ir.unconverted(value), object_) for value in own) else None
        case _:
            return None


def _begins(value: ir.Expression, object_: ir.Object) -> bool:
    """Whether it is the call that gives the memory, or no pointer to it."""
    return isinstance(value, ir.Literal) or (isinstance(value, ir.Call) and value.made == object_)


def _leads_elsewhere(site: Site, loop: ir.Loop, pointer: str, object_: ir.Object) -> bool:
    """Whether all that the loop reaches by a pointer is another object: apart from this one, if only by an assumption
    or a condition of the answer."""
    reached = [a.object for a, _, _ in accesses(loop.body, (), False) if _is_by(site, a, pointer)]
    return bool(reached) and object_ not in reached


def _is_by(site: Site, access: ir.Access, pointer: str) -> bool:
    first = _IDENTIFIER.search(access.text)
    return first is not None and first[0] == pointer and site.is_own(access.place)


def _of_member(site: Site, each: Separated, object_: ir.Rows) -> Clauses:
    text = f"let each thread work on a copy of what `{each.text}` leads to{_values(each)}"
    return _rewrite("other", each.text, text, clause=COMBINED[each.role])


def _copied(
    site: Site, each: Separated, name: str, length: str | None, led_to: tuple[str, ...], verb: str = "holds"
) -> Clauses:
    """A copy per thread of what a variable holds, or leads to."""
    size = f" of {length} elements" if length not in (None, "1") else ""
    text = f"give each thread a copy{size} of what `{name}` {verb}"
    unmovable = [p for p in led_to if not site.is_pointer(p) or site.visible.get(p) is None]
    if unmovable:
        text += f", which functions or structures reach by way of `{unmovable[0]}`"
        return _rewrite("other", name, text + _values(each), clause=_clause(each))
    through = [p for p in led_to if site.leads_through(p, name)]
    if through:
        text += f", and of the pointer to it that `{through[0]}` leads to, and let `{through[0]}` lead to that"
        return _rewrite("other", name, text + _values(each), clause=_clause(each))
    if led_to:
        text += f", and let {' and '.join(f'`{p}`' for p in led_to)} lead there"
    found = Rewrite(
        "thread-copy",
        name,
        text + _values(each),
        clause=_clause(each),
        operator=each.operator or None,
        extent=length,
        pointers=led_to,
    )
    return Clauses(rewrites=(found,))


def _clause(each: Separated) -> str:
    return COMBINED.get(each.role, each.role)


# --- single places


def _of_place(site: Site, loop: ir.Loop, each: Separated, name: str) -> Clauses:
    """A place that does not move, and has no name of its own: `q->sum`, `la[2]`, `*s`."""
    each = replace(each, text=element_name(site.unit, _to(loop, each.target), each.text))
    here = [a for a in _to(loop, each.target) if _is_of(a, each.text) or not site.is_own(a.place)]
    texts, places = {a.text for a in here}, {location_of(a) for a in here}  # `k` of a callee is another one
    apart = texts == {each.text} and len(places) == 1 and all(site.is_own(a.place) for a in here)
    others = [a for a in _to(loop, each.target) if a not in here]
    meet = any(_may_meet(a, b) for a in here for b in others)
    bits = any(a.bits for a in here)
    named = names_in(each.text)
    called = calls(each.text)
    steady = named <= site.mentioned and not named & site.changed and not called
    alone = apart and not meet and not _is_handed(loop, each.target)
    there = alone and is_there(site.function, loop, here[0])
    if there and steady and _is_written(site, each.text):
        text = f"use a local variable in place of `{each.text}` in the loop"
        if each.role == "reduction":
            text += f", with reduction({each.operator}:...); it begins with the value of `{each.text}`, and is assigned"
            text += " to it after the loop"
        else:
            text += _values(each)
        type_ = _type_text(here[0].type) if not bits else "__typeof__(0)"
        clause = COMBINED.get(each.role, each.role)
        return _rewrite("scalar-temporary", each.text, text, clause, each.operator or None, type_)
    if each.role == "reduction":
        return folded_in_place(site, loop, each)
    why = ", which the loop reaches in several ways"
    if called:
        why = ", and call all that is called now as often as now"
    elif alone and not there:
        why = ", which need not exist where the loop does not reach it"
    text = f"let each iteration work on a copy of `{each.text}`{why}{_values(each)}"
    return _rewrite("other", each.text, text, clause=COMBINED[each.role])


def _is_handed(loop: ir.Loop, target: ir.Variable | ir.Object) -> bool:
    """Whether a call in the loop gets the address of the object: it knows the place by that."""
    calls = (e for s in ir.statements(loop.body) for e in ir.evaluated(s) if isinstance(e, ir.Call))
    return any(target in call.pointers for call in calls)


def _to(loop: ir.Loop, target: ir.Variable | ir.Object) -> list[ir.Access]:
    return [a for a, _, _ in accesses(loop.body, (), False) if a.object == target]


def _is_of(access: ir.Access, text: str) -> bool:
    return "".join(access.text.split()) == "".join(text.split())


def _may_meet(a: ir.Access, b: ir.Access) -> bool:
    """Whether two accesses of one object may touch the same bytes: neither another member nor another number."""
    if a.offset + a.size <= b.offset or b.offset + b.size <= a.offset:
        return len(a.subscripts) != len(b.subscripts) and not (a.field and b.field)
    pairs = zip(a.subscripts, b.subscripts, strict=False)
    return not any((x.index - y.index).constant for x, y in pairs)


def _is_written(site: Site, text: str) -> bool:
    """Whether the source has this text in the loop, as it stands: it is none that a macro makes."""
    first, last = site.unit.place(site.node).line, site.unit.end_line(site.node)
    lines = "".join("".join(line.split()) for line in site.unit.source_lines[first - 1 : last])
    return site.unit.place(site.node).path == site.unit.path and "".join(text.split()) in lines


def _type_text(type_: CType) -> str | None:
    match type_:
        case Integer(name=name) | Floating(name=name):
            return name
        case Complex(part=part):
            return f"{part.name} _Complex"
        case _:
            return None


def _unnamed(each: Separated) -> Clauses:
    text = f"give each thread a copy of `{each.text}`, which has no name at the loop{_values(each)}"
    return _rewrite("other", each.text, text, clause=_clause(each), operator=each.operator or None)


def _rewrite(
    kind: str, object_: str, text: str, clause: str | None = None, operator: str | None = None, type_: str | None = None
) -> Clauses:
    return Clauses(rewrites=(Rewrite(kind, object_, text, clause=clause, operator=operator, type=type_),))
