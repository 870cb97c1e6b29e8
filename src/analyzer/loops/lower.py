"""One function from syntax to IR: parameters, then statements."""

from collections.abc import Iterator, Mapping
from itertools import count

from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.reasons import ReasonCode
from ..source.ctypes import Array, CType, Floating, Integer, Pointer, Record, element
from ..source.held import held
from ..source.literals import wrap
from ..source.nodes import depth
from ..source.unit import Definition, Unit
from . import (
    effort,
    entered_loops,
    error_flags,
    gotos,
    handed_pointers,
    kept_results,
    one_reading,
    parameters,
    statements,
    status_variables,
    syntax,
)
from . import invalidation as forgetting
from .context import Context, Region
from .lasting_pointers import lasting_pointers
from .later_addresses import LaterAddresses
from .leaving import failures
from .lent_addresses import lent_names
from .predicates import only_answers
from .shifted_arguments import shared_arrays
from .shifted_globals import shared_globals
from .shifted_members import shared_members
from .thread_states import thread_states

SUPPOSED = 1 << 24
"""Keys of what is lowered under suppositions count from here, so that no loop of the one reading is taken for a loop of
the other."""


def lower_definition(
    unit: Unit,
    definition: Definition,
    supposing: bool = False,
    not_followed: frozenset[int] = frozenset(),
    called: bool = False,
) -> ir.Function:
    """See `lower_function`. A definition whose body was skipped (nothing in it matters) has no statements; one
    that is nested too deeply is refused as a whole. `called`: as a loop of a caller calls it, so that what is supposed
    of such a loop is supposed of all of it."""
    node = definition.node
    if node is None:
        return ir.Function(definition.name, definition.place, (), (), True, definition.guesses)
    if syntax.is_too_deep(node.body):
        return _refused(definition, f"is nested {depth(node.body)} levels deep, more than the analysis follows")
    body = gotos.structured(node.body)
    if effort.is_too_large(body):
        size = effort.written_out(body)
        return _refused(definition, f"has {size} nodes with its jumps written as branches: more than is looked into")
    ctx = _context(unit, definition, node, body)
    if supposing:
        ctx.supposing, ctx.called, ctx.keys, ctx.not_followed = True, called, count(SUPPOSED), not_followed
    if supposing and not called:
        ctx.flags = error_flags.flags(unit, node)
        ctx.failures = frozenset() if only_answers(unit, node) else failures(body)
        ctx.keeping, ctx.statuses = kept_results.ends(body), status_variables.status_variables(unit, node)
    variables = tuple(parameters.declare_parameter(ctx, p) for p in syntax.parameter_declarations(node))
    changed = syntax.assigned_names(body) | syntax.addressed_names(body)
    ctx.unchanged = {v.key: ctx.values.get(v.key) for v in variables if v.name not in changed}
    statements.lower_list(ctx, syntax.items(body), tail=True)
    ctx.flush()
    return _lowered(ctx, node, variables, entered_loops.without_maxima(ctx, one_reading.united(ctx, tuple(ctx.out))))


def _refused(definition: Definition, reason: str) -> ir.Function:
    """As a whole."""
    refused = ir.Refused(ReasonCode.TOO_COMPLEX, f"{definition.name} {reason}", definition.place)
    return ir.Function(definition.name, definition.place, (refused,), (), False, definition.guesses)


def _context(unit: Unit, definition: Definition, node: c_ast.FuncDef, body: c_ast.Compound) -> Context:
    """What the text of a function says of its names, before its statements are read; `body`: without jumps."""
    ctx = Context(
        unit, definition, index_names=syntax.index_names(node.body), row_names=syntax.row_names(node.body)
    )  # fmt: skip
    ctx.own_names, ctx.own_names_again = (syntax.declared_names(node, times) for times in (1, 2))
    ctx.effort.once = effort.written_out(body)
    ctx.addressed = syntax.escaping_names(node, ctx.defines)
    ctx.later_addresses = LaterAddresses(body) if ctx.addressed else None
    ctx.members_addressed = syntax.names_with_addressed_members(node)
    ctx.structures = syntax.structures(node)
    ctx.handed = handed_pointers.set_by_calls(unit, node)
    ctx.released = handed_pointers.only_released(unit, node)
    ctx.lent = lent_names(unit, node)
    ctx.lasting = lasting_pointers(unit, node)
    ctx.labels = {n.name: ctx.place(n) for n in syntax.labels_used(body)}
    ctx.entered = syntax.labels_entered(body) if ctx.labels else frozenset()
    ctx.staying = syntax.jumps_that_stay(body) if ctx.labels else {}
    ctx.regions.append(Region("return"))
    return ctx


def _lowered(
    ctx: Context, node: c_ast.FuncDef, variables: tuple[ir.Variable, ...], body: tuple[ir.Statement, ...]
) -> ir.Function:  # fmt: skip
    """The function of these statements, with what is known of the memory that they use."""
    unit, definition = ctx.unit, ctx.definition
    every = tuple(ir.statements(body))
    structures = _structures(unit, every)
    met = (*structures, *_led_to(unit, every))
    return ir.Function(
        name=definition.name,
        place=definition.place,
        body=body,
        parameters=variables,
        complete=not any(isinstance(s, ir.Refused) for s in every),
        guesses=tuple(sorted({*definition.guesses, *ctx.guesses})),
        ranges=tuple(dict.fromkeys((first[0], last[0]) for first, last, _ in ctx.ranges)),
        initial=tuple(ctx.initial_pointers),
        supposing=ctx.supposing,
        parts={t.key: frozenset(_scalars(unit, t)) for t in structures},
        plain=unit.numeric | {t.key for t in met if not forgetting.holds_pointers(unit, t)},
        tables=(*_tables(unit, every), *_own_tables(ctx.listed, every)),
        initialised=frozenset(ctx.initialised),
        thread_states=thread_states(unit, node),
        shared=(*shared_arrays(unit, definition.name, variables), *shared_globals(unit), *shared_members(unit)),
        zeroed=frozenset(v.key for v, parts in ctx.listed.items() if all(map(ir.is_null, parts))),
    )


def _tables(unit: Unit, every: tuple[ir.Statement, ...]) -> Iterator[tuple[ir.Variable, tuple[int, ...]]]:
    """See `ir.Function.tables`."""
    loads = (e.access.object for s in every for e in ir.evaluated(s) if isinstance(e, ir.Load))
    for x in dict.fromkeys(x for x in loads if isinstance(x, ir.Declared) and x.variable.scope == "global"):
        held = element(x.variable.type)
        if x.variable.name in unit.tables and isinstance(held, Integer) and held.const:
            yield x.variable, tuple(wrap(v, held) for v in unit.tables[x.variable.name])


def _own_tables(
    listed: Mapping[ir.Variable, tuple[ir.Expression, ...]], every: tuple[ir.Statement, ...]
) -> Iterator[tuple[ir.Variable, tuple[int | float, ...]]]:
    """Arrays of numbers that the function declares with constants, and does nothing with but read their elements."""
    numbers = {v: values for v, values in ((v, _numbers(v, parts)) for v, parts in listed.items()) if values}
    for s in every if numbers else ():
        stored = [s.target.object] if isinstance(s, ir.Assign) and isinstance(s.target, ir.Access) else []
        named = (e.object for e in ir.evaluated(s) if isinstance(e, ir.Address))
        given = (x for e in ir.evaluated(s) if isinstance(e, ir.Call) for x in e.pointers)
        for x in (*stored, *named, *given):
            if isinstance(x, ir.Declared):
                numbers.pop(x.variable, None)
    yield from numbers.items()


def _numbers(variable: ir.Variable, parts: tuple[ir.Expression, ...]) -> tuple[int | float, ...]:
    """The constants in a list for an array of numbers; none where some part is no constant."""
    held = variable.type.element if isinstance(variable.type, Array) else None
    found = [_number(e) for e in parts]
    match held:
        case Floating():
            return tuple(x for x in found if x is not None) if None not in found else ()
        case Integer():
            whole = [wrap(x, held) for x in found if isinstance(x, int)]
            return tuple(whole) if len(whole) == len(found) else ()
        case _:
            return ()


def _number(e: ir.Expression) -> int | float | None:
    match e:
        case ir.Literal(value=value):
            return value
        case ir.Operation(operator="neg", arguments=(ir.Literal(value=value),)):
            return -value
        case _:
            return None


def _scalars(unit: Unit, structure: Record) -> Iterator[CType]:
    return (part for part in held(structure, unit.layouts) if not isinstance(part, Record | Array))


def _led_to(unit: Unit, every: tuple[ir.Statement, ...]) -> Iterator[Record]:
    """The structures that pointers in memory lead to."""
    read = (e.access.type for s in every for e in ir.evaluated(s) if isinstance(e, ir.Load))
    behind = {element(t.target) for t in read if isinstance(t, Pointer)}
    yield from (t for t in behind if isinstance(t, Record) and t.key in unit.layouts)


def _structures(unit: Unit, every: tuple[ir.Statement, ...]) -> tuple[Record, ...]:
    """Those that are copied as a whole, and of which the members are known."""
    stored = (s.target.type for s in every if isinstance(s, ir.Assign))
    read = (e.access.type for s in every for e in ir.evaluated(s) if isinstance(e, ir.Load))
    return tuple(dict.fromkeys(t for t in (*stored, *read) if isinstance(t, Record) and t.key in unit.layouts))
