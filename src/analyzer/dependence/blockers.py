"""What keeps a loop's iterations from being separate pieces of work, whatever they read and write.

*Decides*: exits from the loop, unknown numbers of iterations, calls with unknown effects, input and output, volatile
and atomic accesses, inline assembly, and C that the IR could not hold.
*Errs toward* blocking. Each blocker prevents a `yes`; `shown` ones (the order of an effect is visible) make it a `no`.
"""

from collections.abc import Iterator

from .. import library
from ..facts import Reason
from ..loops.calls import ALLOCATORS
from ..loops.ir import (
    Access,
    Address,
    Allocated,
    Assign,
    Branch,
    Call,
    Exit,
    Expression,
    Literal,
    Load,
    Loop,
    Refused,
    Statement,
    Text,
    Use,
    Variable,
    expressions,
    loops,
    statements,
    walk,
)
from ..source.ctypes import CType
from .finding import Finding, Problem

ASSEMBLY = "__boathull_asm"

ORDERED = ("writes", "keeps state", "reads a file", "opens", "reads the clock")
"""Effects of library functions (`library.EFFECTS`) that show in which order the calls were made."""

def blockers(loop: Loop) -> Finding:
    """Everything that blocks the loop."""
    return Finding((*_exits(loop), *_trip(loop), *_statements(loop, loop.body, True)))


def _blocked(code: str, message: str, line: int, shown: bool = False) -> Problem:
    return Problem(Reason(code, message, line), shown)


def _exits(loop: Loop) -> Iterator[Problem]:
    inner = {each.key for each in loops(loop.body)}
    for statement in statements(loop.body):
        match statement:
            case Exit(kind="continue", leaves=leaves) if leaves in inner or leaves == loop.key:
                pass
            case Exit(kind="break", leaves=leaves) if leaves in inner:
                pass
            case Exit(kind=kind, place=place):
                yield _blocked("early-exit", f"`{kind}` can leave the loop before its last iteration", place.line)
            case _:
                pass


def _trip(loop: Loop) -> Iterator[Problem]:
    line = loop.place.line
    if loop.trip is None:
        yield _blocked("unknown-trip-count", "the number of iterations is not known when the loop starts", line)
    elif not loop.exact_trip and not any(True for _ in _exits(loop)):
        yield _blocked("unknown-trip-count", "the test can end the loop before the counted iterations are done", line)


def _statements(loop: Loop, body: tuple[Statement, ...], certain: bool) -> Iterator[Problem]:
    for statement in body:
        match statement:
            case Refused(code=code, message=message, place=place):
                yield _blocked(code, message, place.line)
            case Assign(target=target):
                yield from _target(target)
            case _:
                pass
        for expression in expressions(statement):
            yield from _expression(loop, expression, certain)
        match statement:
            case Branch(then=then, otherwise=otherwise):
                yield from _statements(loop, then, False)
                yield from _statements(loop, otherwise, False)
            case Loop(body=inner):
                yield from _statements(loop, inner, certain)
            case _:
                pass


def _target(target: Variable | Access) -> Iterator[Problem]:
    if isinstance(target, Access):
        yield from _access(target)
    else:
        yield from _qualified(target.type, target.name, target.place.line)


def _access(access: Access) -> Iterator[Problem]:
    line = access.place.line
    if access.volatile:
        yield _blocked("volatile", f"`{access.text}` is volatile: its accesses must stay in order", line)
    if access.atomic:
        yield _blocked("side-effect", f"`{access.text}` is atomic: other threads may see in which order", line)


def _qualified(type_: CType, name: str, line: int) -> Iterator[Problem]:
    if getattr(type_, "volatile", False):
        yield _blocked("volatile", f"`{name}` is volatile: its accesses must stay in order", line)
    if getattr(type_, "atomic", False):
        yield _blocked("side-effect", f"`{name}` is atomic: other threads may see in which order", line)


def _expression(loop: Loop, expression: Expression, certain: bool) -> Iterator[Problem]:
    for e in walk(expression):
        match e:
            case Load(access=access):
                yield from _access(access)
            case Use(variable=variable, type=type_):
                yield from _qualified(type_, variable.name, variable.place.line)
            case Call(name="free", pointers=(Allocated(loops=counters),)) if loop.counter in counters:
                pass  # what this iteration allocated
            case Call(known=False):
                yield from _call(e, certain)
            case _:
                pass


def _call(call: Call, certain: bool) -> Iterator[Problem]:
    name, line = call.name, call.place.line
    effect = library.effect(name)
    if name == ASSEMBLY or ("asm" in name and name.startswith("__boathull")):
        yield _blocked("inline-asm", "inline assembly may do anything", line)
    elif name in ALLOCATORS:
        return
    elif effect is None:
        yield _blocked("unknown-call", f"`{name}` is not visible here: it may do anything", line)
    elif effect == "may not return":
        yield _blocked("early-exit", f"`{name}` may not return", line)
    else:
        varied = not all(_fixed(a) for a in call.arguments) or not effect.startswith("writes")
        shown = certain and varied and effect.startswith(ORDERED)
        yield _blocked("side-effect", f"`{name}` {effect}: the order of its calls shows", line, shown)


def _fixed(argument: Expression) -> bool:
    return all(
        isinstance(e, Literal) or (isinstance(e, Address) and isinstance(e.object, Text)) for e in walk(argument)
    )
