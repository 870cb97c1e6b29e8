"""Whether what a loop stores can be seen after it.

*Decides*: memory behind parameters, globals, statics and unknown pointers is always live. A local array is
live when the function reads it, passes it on or takes its address anywhere after the loop, or anywhere in a
loop around it.
*Errs toward* live.
"""

from ..loops.ir import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Call,
    Declared,
    Function,
    Load,
    Loop,
    Object,
    Pointee,
    Rows,
    Statement,
    Text,
    expressions,
    statements,
    walk,
)


def is_live_after(function: Function, loop: Loop, around: tuple[Loop, ...], object_: Object) -> bool:
    """Whether a value stored to `object_` in `loop` may be read once the loop has ended."""
    match object_:
        case Declared(variable=variable):
            if variable.scope != "local":
                return True
        case Allocated():
            pass
        case Rows(base=base):
            return is_live_after(function, loop, around, base)
        case Pointee() | Text() | Anything():
            return True
    if around and any(_uses(s, object_) for s in _outside(around[0].body, loop)):
        return True
    seen = False
    inside: set[int] = {id(s) for s in statements((loop,))}
    for statement in statements(function.body):
        if statement is loop:
            seen = True
        elif seen and id(statement) not in inside and _uses(statement, object_):
            return True
    return _escapes(function, object_)


def _outside(body: tuple[Statement, ...], loop: Loop) -> list[Statement]:
    inside = {id(s) for s in statements((loop,))}
    return [s for s in statements(body) if id(s) not in inside]


def _uses(statement: Statement, object_: Object) -> bool:
    """Whether a statement reads the object or lets its address out."""
    for expression in expressions(statement):
        for part in walk(expression):
            match part:
                case Load(access=Access(object=found)) if _same(found, object_):
                    return True
                case Call(pointers=pointers) if any(_same(p, object_) for p in pointers):
                    return True
                case Address(object=found) if found is not None and _same(found, object_):
                    return True
                case _:
                    pass
    return False


def _same(found: Object, object_: Object) -> bool:
    return found == object_ or (isinstance(found, Rows) and _same(found.base, object_))


def _escapes(function: Function, object_: Object) -> bool:
    """Whether the address of an object is stored somewhere or passed to a function anywhere."""
    for statement in statements(function.body):
        for expression in expressions(statement):
            for part in walk(expression):
                if isinstance(part, Call) and any(_same(p, object_) for p in part.pointers):
                    return True
        if isinstance(statement, Assign) and isinstance(statement.value, Address):
            found = statement.value.object
            if found is not None and _same(found, object_):
                return True
    return False
