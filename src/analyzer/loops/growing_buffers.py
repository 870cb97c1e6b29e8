"""Branches that make memory larger where it is too small, by their syntax.

*Decides*: whether a branch is entered for that alone: its test says that more is needed than there is room for, and it
sets that room, and a pointer to new memory of that size. Such a buffer is there for what each iteration does with it;
where it is large enough from the start, the branch is not entered.
*Errs toward* no: branches that do anything besides, or leave the loop; pointers in variables, which lead nowhere else
before the first of them is entered.

    if (n > b->room) { free(b->data); b->room = n; b->data = malloc(n); }                            ->  yes
    if (s->room < n) { s->room = 2 * n; s->p = realloc(s->p, s->room); if (!s->p) fail("no memory"); }   ->  yes
    if (n > b->room) { b->room = n; b->p = realloc(b->p, n); sum += n; }                             ->  no
    if (n > b->most) { b->most = n; b->name = copy_alloc(name[i]); }                                 ->  no
"""

from collections.abc import Callable
from functools import partial

from pycparser import c_ast

from ..ir import c_library as library
from ..source.ctypes import Function, Integer
from ..source.nodes import nodes
from ..source.unit import Unit
from .c_text import c_text
from .pure_functions import is_pure
from .syntax import has_effects, items, without_casts

IsReport = Callable[[c_ast.Node | None], bool]


def makes_larger(unit: Unit, node: c_ast.If | c_ast.TernaryOp, is_report: IsReport) -> bool:
    """Whether an `if` does nothing but to make memory larger (see the module). `is_report`: of what is done where there
    is none."""
    compared = _compared(node.cond)
    if compared is None or not isinstance(node, c_ast.If) or node.iffalse is not None:
        return False
    needed, room = compared
    steps = _steps(node.iftrue)
    assigned = [s for s in steps if isinstance(s, c_ast.Assignment) and s.op == "="]
    sizes = [s for s in assigned if c_text(s.lvalue) == c_text(room)]
    if len(sizes) != 1 or has_effects(sizes[0].rvalue, partial(_gives_a_number, unit)):
        return False
    named = {c_text(without_casts(each)) for each in (needed, room, sizes[0].rvalue)}
    pointers = [s for s in assigned if _is_new_memory(unit, s, named)]
    others = [s for s in steps if all(s is not each for each in (*sizes, *pointers))]
    return bool(pointers) and all(_is_besides(unit, s, is_report) for s in others)


def _compared(test: c_ast.Node) -> tuple[c_ast.Node, c_ast.Node] | None:
    """What is needed, and the place that says how much there is."""
    match test:
        case c_ast.BinaryOp(op=">" | ">=", left=needed, right=room) | c_ast.BinaryOp(
            op="<" | "<=", left=room, right=needed
        ) if isinstance(room, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef):
            return needed, room
        case _:
            return None


def _steps(node: c_ast.Node | None) -> list[c_ast.Node]:
    """The statements of a branch, those of blocks in it among them, and of what macros put into `do { } while (0)`."""
    found = []
    for each in items(node):
        match each:
            case c_ast.DoWhile(cond=c_ast.Constant(value="0"), stmt=inner):
                found += _steps(inner)
            case c_ast.Compound():
                found += _steps(each)
            case c_ast.ExprList(exprs=parts):
                found += (step for part in parts for step in _steps(part))
            case _:
                found.append(each)
    return found


def _is_new_memory(unit: Unit, made: c_ast.Assignment, named: set[str]) -> bool:
    """Whether a pointer that is kept in memory is set to new memory, of one of the sizes that are named."""
    call = without_casts(made.rvalue)
    kept = isinstance(made.lvalue, c_ast.StructRef | c_ast.ArrayRef)
    if not kept or not isinstance(call, c_ast.FuncCall) or not isinstance(call.name, c_ast.ID) or call.args is None:
        return False
    name = call.name.name
    allocates = name in library.ALLOCATORS or library.says_it_allocates(name)
    sized = any(c_text(each) in named for argument in call.args.exprs for each in nodes(argument))
    return allocates and not _gives_a_number(unit, name) and sized


def _gives_a_number(unit: Unit, name: str) -> bool:
    """Whether a function makes a number of numbers: `over_alloc(n)` is the room that is asked for."""
    match unit.prototypes.get(name):
        case Function(result=Integer(), parameters=parameters, variadic=False):
            return all(isinstance(p, Integer) for p in parameters)
        case _:
            return is_pure(unit, name)


def _is_besides(unit: Unit, node: c_ast.Node, is_report: IsReport) -> bool:
    """Whether a step releases what there was, or reports that there is no memory: `assert(b->data)`."""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return library.says_it_releases(name) or is_report(node)
        case c_ast.If(cond=test, iftrue=one, iffalse=two) | c_ast.TernaryOp(cond=test, iftrue=one, iffalse=two):
            steps = [step for arm in (one, two) if not is_report(arm) for step in _steps(arm)]
            return not has_effects(test, partial(is_pure, unit)) and all(_is_besides(unit, s, is_report) for s in steps)
        case c_ast.EmptyStatement():
            return True
        case c_ast.Cast():
            return not has_effects(node, partial(is_pure, unit))
        case _:
            return is_report(node)
