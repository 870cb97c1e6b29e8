"""What the text of a nest says of a loop's control flow and of the use of its scalars."""

from . import nest as n


def has_continue(loop: n.Loop) -> bool:
    """Whether a `continue` of this loop itself is in its body."""

    def own(body: tuple[n.Stmt, ...]) -> bool:
        return any(
            isinstance(s, n.Continue) or (isinstance(s, n.If) and (own(s.then) or own(s.otherwise))) for s in body
        )

    return own(loop.body)


def subscript_scalars(body: tuple[n.Stmt, ...]) -> set[str]:
    """Scalars that occur in subscripts or loop control: arithmetic on them need not be arithmetic on data."""
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
    return found
