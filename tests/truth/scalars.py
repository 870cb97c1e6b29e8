"""What the text of a nest says of a loop's control flow and of the use of its scalars."""

from collections.abc import Iterator

from . import nest as n


def has_continue(loop: n.Loop) -> bool:
    """Whether a `continue` of this loop itself is in its body."""

    def own(body: tuple[n.Stmt, ...]) -> bool:
        return any(
            isinstance(s, n.Continue) or (isinstance(s, n.If) and (own(s.then) or own(s.otherwise))) for s in body
        )

    return own(loop.body)


def subscript_scalars(body: tuple[n.Stmt, ...]) -> set[str]:
    """Scalars in subscripts or loop control, or in what is assigned to such ones: arithmetic on them need not be
    arithmetic on data."""
    found: set[str] = set()
    for node in n.walk_all(body):
        match node:
            case n.Index(at=at):
                found |= {v.name for v in n.walk(at) if isinstance(v, n.Var)}
            case n.PtrAdd(by=by):
                found |= {v.name for v in n.walk(by) if isinstance(v, n.Var)}
            case n.Loop(test=test, init=init, var=var):
                found |= {v.name for e in (test, init) for v in n.walk(e) if isinstance(v, n.Var)} | {var.name}
            case _:
                pass
    while len(more := found | set(_sources(body, found))) > len(found):
        found = more
    return found


def _sources(body: tuple[n.Stmt, ...], of: set[str]) -> Iterator[str]:
    """The scalars in what is assigned to these."""
    for node in n.walk_all(body):
        match node:
            case n.Declare(var=n.Var(name=name), init=value) | n.Assign(target=n.Var(name=name), value=value):
                if name in of and value is not None:
                    yield from (v.name for v in n.walk(value) if isinstance(v, n.Var))
            case _:
                pass
