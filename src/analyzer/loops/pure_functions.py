"""Functions whose result depends on nothing but their arguments, and that do nothing else.

*Decides*: for a function with a visible body, whether it only computes with scalars and arrays of its own and with
constant tables: no other memory, no globals, no `static` or volatile variables, and no calls but to such functions,
itself among them, and to those of <math.h>.
*Errs toward* no: what is not named here is refused.

    int is_prime(int n) { for (int i = 2; i * i <= n; i++) if (n % i == 0) return 0; return 1; }       ->  yes
    int next(void) { static int n; return n++; }                                                       ->  no
"""

from collections.abc import Callable

from pycparser import c_ast

from ..ir import c_library as library
from ..ir import library_memory
from ..source.ctypes import Array, Complex, CType, Floating, Function, Integer, Void
from ..source.unit import Definition, Unit
from . import syntax

HARMLESS = (
    c_ast.Assignment,
    c_ast.BinaryOp,
    c_ast.Break,
    c_ast.Case,
    c_ast.Cast,
    c_ast.Compound,
    c_ast.Constant,
    c_ast.Continue,
    c_ast.DeclList,
    c_ast.Default,
    c_ast.DoWhile,
    c_ast.EmptyStatement,
    c_ast.ExprList,
    c_ast.For,
    c_ast.Goto,
    c_ast.IdentifierType,
    c_ast.If,
    c_ast.InitList,
    c_ast.Label,
    c_ast.Return,
    c_ast.Switch,
    c_ast.TernaryOp,
    c_ast.TypeDecl,
    c_ast.Typename,
    c_ast.While,
)
"""Syntax that touches nothing by itself."""


def is_closed(unit: Unit, definition: Definition) -> bool:
    """Whether a call only gives a value made from its arguments (see the module): the function and all that it leads
    to, each looked at once. Example: `is_closed(unit, unit.definitions["is_prime"])`."""
    return is_all_along(unit, definition, _calls_of_closed)


def is_all_along(
    unit: Unit, definition: Definition, calls: Callable[[Unit, Definition], frozenset[str] | None]
) -> bool:
    """Whether `calls` has an answer, the functions that are called, for the function and all that it leads to, each
    looked at once. Example: `is_all_along(unit, f, calls)` is false where f calls g, and `calls(unit, g)` is None."""
    seen, pending = {definition.name}, [definition]
    while pending:
        called = calls(unit, pending.pop())
        if called is None:
            return False
        pending += [unit.definitions[name] for name in sorted(called - seen)]
        seen |= called
    return True


def _calls_of_closed(unit: Unit, definition: Definition) -> frozenset[str] | None:
    """The functions of this unit that a function calls, where it does nothing by itself that a closed one may not."""
    known: dict[str, frozenset[str] | None] = unit.__dict__.setdefault("_calls_of_closed", {})
    if definition.name not in known:
        known[definition.name] = _harmless_calls(unit, definition)
    return known[definition.name]


def _harmless_calls(unit: Unit, definition: Definition) -> frozenset[str] | None:
    node = definition.node
    if node is None or not _is_scalar(unit, node.decl.type.type):
        return None
    declared = syntax.parameter_declarations(node)
    if not all(isinstance(p, c_ast.Decl) and _is_scalar(unit, p.type) for p in declared):
        return None
    called: set[str] = set()
    names = {p.name for p in declared}
    arrays: set[str] = set()
    pending: list[c_ast.Node] = [node.body]
    while pending:
        each = pending.pop()
        match each:
            case c_ast.Decl(storage=[] | ["auto"] | ["register"]) if _is_own(unit, each):
                names.add(each.name)
            case c_ast.Decl(storage=[] | ["auto"] | ["register"]) if _is_own_array(unit, each):
                arrays.add(each.name)
                pending += [each.init] if each.init is not None else []
                continue
            case c_ast.ID() if each.name in names:
                pass
            case c_ast.ArrayRef() if (found := _element_of(each)) is not None:
                name, subscripts = found
                if name not in arrays and (name in names or not _is_constant_table(unit, name)):
                    return None
                pending += subscripts
                continue
            case c_ast.UnaryOp() if each.op not in ("&", "*", "&&"):
                pass
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name not in names and _may_be_called(unit, name):
                called |= {name} & unit.definitions.keys()
                pending += each.args.exprs if each.args is not None else []
                continue
            case _ if not isinstance(each, HARMLESS):
                return None
        pending += [child for _, child in reversed(each.children())]
    return frozenset(called)


def is_pure(unit: Unit, name: str) -> bool:
    """Whether a name is that of a library function which only computes: nothing in the unit says that it is another
    one. `void log(const char *, ...)` and `int pow(int, int)` are."""
    if not library.is_known(name) or name in unit.definitions or name in library.HANDLER_SETTERS:
        return False
    match unit.prototypes.get(name):
        case None:
            return True
        case Function(result=result, parameters=parameters, variadic=variadic):
            wanted = (library.KNOWN[name].result, *library.parameters(name))
            return not variadic and tuple(map(type_name, (result, *parameters))) == wanted
        case _:
            return False


def is_understood(unit: Unit, name: str) -> bool:
    """Whether a function without a body changes nothing but what its call says."""
    if is_pure(unit, name) or library.block(name) is not None or library_memory.touching(name) is not None:
        return True
    if name in library.ALLOCATORS or name in library.ERRNO or name == library.THROUGH_A_POINTER:
        return True
    if name in library.HANDLER_SETTERS:
        return True
    return name.startswith(("__builtin_", "MPI_"))


def type_name(type_: CType) -> str:
    """Of a number, or of none, as the tables of the C library have it; empty for another type."""
    match type_:
        case Integer(name=name) | Floating(name=name):
            return name
        case Complex(part=Floating(name=name)):
            return f"{name} _Complex"
        case Void():
            return "void"
        case _:
            return ""


def _may_be_called(unit: Unit, name: str) -> bool:
    """Whether a function that is called is one of this unit, or only computes."""
    return name in unit.definitions or is_pure(unit, name)


def _is_own(unit: Unit, declared: c_ast.Decl) -> bool:
    """Whether a name always means the variable declared here: none of that name is outside."""
    return _is_scalar(unit, declared.type) and declared.name not in unit.globals_


def _is_own_array(unit: Unit, declared: c_ast.Decl) -> bool:
    """An array of numbers, its lengths known, whose name means nothing outside."""
    type_ = declared.type
    while isinstance(type_, c_ast.ArrayDecl):
        if type_.dim is None or unit.constant(type_.dim) is None:
            return False
        type_ = type_.type
    return type_ is not declared.type and _is_scalar(unit, type_) and declared.name not in unit.globals_


def _element_of(node: c_ast.ArrayRef) -> tuple[str, list[c_ast.Node]] | None:
    """The name and the subscripts of an element of an array that is named."""
    subscripts, base = list[c_ast.Node](), node
    while isinstance(base, c_ast.ArrayRef):
        subscripts.append(base.subscript)
        base = base.name
    return (base.name, subscripts) if isinstance(base, c_ast.ID) else None


def _is_constant_table(unit: Unit, name: str) -> bool:
    """Whether the elements of an array outside of all functions never change."""
    type_ = unit.globals_.get(name)
    while isinstance(type_, Array):
        type_ = type_.element
    return isinstance(type_, Integer | Floating) and type_.const and not type_.volatile


def _is_scalar(unit: Unit, type_: c_ast.Node) -> bool:
    """Whether a declared type is that of numbers, and its objects ordinary ones."""
    if not isinstance(type_, c_ast.TypeDecl):
        return False
    found = unit.type_of(type_)
    return isinstance(found, Integer | Floating) and not found.volatile and not found.atomic
