"""Parameters behind which a function with a body only reads numbers, whatever their types say.

*Decides*: of which arrays that a call gets the function and what it calls read elements, and do nothing else: C that is
not strict about `const` passes a position or a matrix as `double x[4]`.
*Errs toward* no: pointers that are kept, moved, compared, or given to a function that is not seen and may write there;
structures; functions that call themselves.

    double length(double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }      ->  x
    void scale(double x[3], double by) { x[0] *= by; }                                        ->  none
"""

from collections.abc import Collection

from pycparser import c_ast

from ..source.ctypes import Array, CType, Floating, Function, Integer, Pointer, Void
from ..source.nodes import nodes
from ..source.unit import Definition, Unit
from .syntax import parameter_declarations

NONE: frozenset[int] = frozenset()


def only_read(unit: Unit, definition: Definition, above: tuple[str, ...] = ()) -> frozenset[int]:
    """The numbers of such parameters. Example: see the module."""
    known: dict[str, frozenset[int]] = unit.__dict__.setdefault("_only_read", {})
    name = definition.name
    if name in above or definition.node is None:
        return NONE
    if name not in known:
        known[name] = _found(unit, definition.node, (*above, name))
    return known[name]


def _found(unit: Unit, function: c_ast.FuncDef, above: tuple[str, ...]) -> frozenset[int]:
    parameters = list(enumerate(parameter_declarations(function)))
    inner = {str(d.name) for d in nodes(function.body, c_ast.Decl)}
    hidden = inner | {str(getattr(p, "name", "")) for _, p in parameters}
    depths = {k: (str(p.name), _depth(unit.type_of(p))) for k, p in parameters if isinstance(p, c_ast.Decl)}
    return frozenset(
        k
        for k, (name, depth) in depths.items()
        if depth and name not in inner and _is_only_read(unit, function.body, name, depth, hidden, above)
    )


def _depth(type_: CType) -> int:
    """How many subscripts lead from a pointer or array to a number; 0 if others than arrays are on the way."""
    steps = 0
    while isinstance(type_, Array) or (isinstance(type_, Pointer) and not steps):
        type_ = type_.element if isinstance(type_, Array) else type_.target
        steps += 1
    return steps if _is_number(type_) else 0


def _is_only_read(
    unit: Unit, body: c_ast.Node, name: str, depth: int, hidden: Collection[str], above: tuple[str, ...]
) -> bool:
    used = [n for n in nodes(body, c_ast.ID) if n.name == name]
    calls = nodes(body, c_ast.FuncCall)
    read = {id(n) for n in _elements(body, name, depth)}
    read |= {id(a) for call in calls for a in _given_to_readers(unit, call, name, hidden, above)}
    return all(id(n) in read for n in used)


def _elements(body: c_ast.Node, name: str, depth: int) -> list[c_ast.Node]:
    """Where the name stands for an array of which one element is read."""
    changed = [n.lvalue for n in nodes(body, c_ast.Assignment)]
    changed += [n.expr for n in nodes(body, c_ast.UnaryOp) if n.op not in ("-", "+", "!", "~", "*", "sizeof")]
    places = {id(place) for place in changed}
    found = []
    for node in nodes(body, c_ast.ArrayRef, c_ast.UnaryOp):
        base, steps = node, 0
        while isinstance(base, c_ast.ArrayRef) or (isinstance(base, c_ast.UnaryOp) and base.op == "*"):
            base, steps = base.name if isinstance(base, c_ast.ArrayRef) else base.expr, steps + 1
        if steps == depth and isinstance(base, c_ast.ID) and base.name == name and id(node) not in places:
            found.append(base)
    return found


def _given_to_readers(
    unit: Unit, call: c_ast.FuncCall, name: str, hidden: Collection[str], above: tuple[str, ...]
) -> list[c_ast.Node]:
    """The arguments that are the array itself, for functions that only read it."""
    given = [(k, a) for k, a in enumerate(call.args.exprs if call.args else ()) if isinstance(a, c_ast.ID)]
    mine = [(k, a) for k, a in given if a.name == name]
    if not mine or not isinstance(call.name, c_ast.ID) or call.name.name in hidden:
        return []
    definition = unit.seen(call.name.name)
    if definition is not None:
        reads = only_read(unit, definition, above)
        return [a for k, a in mine if k in reads]
    type_ = unit.prototypes.get(call.name.name)
    if not isinstance(type_, Function) or not _gives_no_pointer(type_):
        return []
    return [a for k, a in mine if k < len(type_.parameters) and _is_constant(type_.parameters[k])]


def _gives_no_pointer(function: Function) -> bool:
    """Whether a function tells nobody where what it gets is, so that others would write there: unlike `strchr`, and
    `strtol` by its second parameter."""
    taken = all(_is_number(p) or _is_constant(p) or _leads_to_numbers(p) for p in function.parameters)
    return taken and (_is_number(function.result) or isinstance(function.result, Void))


def _leads_to_numbers(type_: CType) -> bool:
    return isinstance(type_, Pointer) and _is_number(type_.target)


def _is_number(type_: CType) -> bool:
    return isinstance(type_, Integer | Floating)


def _is_constant(type_: CType) -> bool:
    return isinstance(type_, Pointer) and bool(getattr(type_.target, "const", False))
