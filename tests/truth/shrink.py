"""Makes a finding small: statements are removed, conditions dropped and bounds simplified while it stays."""

from collections.abc import Iterator
from dataclasses import replace

from . import nest as n
from .judge import Finding, Judge, Tally, answers


def shrunk(finding: Finding) -> Finding:
    """The same kind of finding in a nest from which nothing more can be taken."""
    changed = True
    while changed:
        changed = False
        for body in _smaller(finding.nest.body):
            again = _again(replace(finding.nest, body=body), finding) if _complete(finding.nest, body) else None
            if again is not None:
                finding, changed = again, True
                break
    return finding


def _complete(nest: n.Nest, body: tuple[n.Stmt, ...]) -> bool:
    """Whether every variable that the statements name is still declared."""
    known = n.declared(body) | {v.name for v in (*nest.params, *nest.globals_)}
    known |= {s.name for s in nest.storage if s.scope != "local"}
    return {v.name for v in n.walk_all(body) if isinstance(v, n.Var)} <= known


def _again(nest: n.Nest, finding: Finding) -> Finding | None:
    tally = Tally()
    try:
        Judge(nest, answers([nest])[nest.name], tally).judge()
    except Exception:  # whatever goes wrong, this is not a smaller form of the same finding
        return None
    subject = _subject(finding)
    return next((f for f in tally.of(finding.kind) if _subject(f) == subject), None)


def _subject(finding: Finding) -> str:
    """Which count is wrong, of what shape a missed loop is, or nothing."""
    match finding.kind:
        case "count":
            return finding.text.split(" = ")[0]
        case "missed":
            return finding.text.split(":")[0]
        case _:
            return ""


def _smaller(body: tuple[n.Stmt, ...]) -> Iterator[tuple[n.Stmt, ...]]:
    for k, s in enumerate(body):
        before, after = body[:k], body[k + 1 :]
        yield (*before, *after)
        match s:
            case n.If(then=then, otherwise=otherwise):
                yield (*before, *then, *after)
                for inner in _smaller(then):
                    yield (*before, replace(s, then=inner), *after)
                for inner in _smaller(otherwise):
                    yield (*before, replace(s, otherwise=inner), *after)
            case n.Loop(body=own):
                for inner in _smaller(own):
                    yield (*before, replace(s, body=inner), *after)
                if isinstance(s.init, n.Bin):
                    yield (*before, replace(s, init=s.init.a), *after)
            case n.Assign(value=value):
                for e in _simpler(value):
                    yield (*before, replace(s, value=e), *after)
            case _:
                pass


def _simpler(e: n.Expr) -> Iterator[n.Expr]:
    match e:
        case n.Bin(a=a, b=b) | n.Cond(a=a, b=b):
            yield a
            yield b
        case n.Un(a=a) | n.Cast(a=a):
            yield a
        case _:
            pass
