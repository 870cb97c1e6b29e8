"""The parts of a loop, whatever keywords it is written with.

*Decides*: what the test, the update and the body of a loop are (`header`). A loop without a test, whose body begins or
ends with one, is a `while` or a `do`:

    for (;;) { if (i >= n) break; a[i++] = 0; }       is  while (!(i >= n)) { a[i++] = 0; }
    while (1) { a[i++] = 0; if (i == n) break; }      is  do { a[i++] = 0; } while (!(i == n));
    do { a[i++] = 0; if (i == n) break; } while (1);  and so is this

Not handled: a test in the middle of the body, which stays a `break`.
"""

from typing import Literal, TypeAlias

from msgspec import Struct
from pycparser import c_ast

from ..source.nodes import nodes
from .syntax import continues, items, names_in

Kind: TypeAlias = Literal["for", "while", "do"]


class Header(Struct, frozen=True):
    """`kind` says when the test is made: before the body, or after it (`do`)."""

    kind: Kind
    test: c_ast.Node | None
    update: c_ast.Node | None
    body: c_ast.Node

    @property
    def parts(self) -> tuple[c_ast.Node, ...]:
        return tuple(part for part in (self.test, self.update, self.body) if part is not None)


def header(node: c_ast.Node) -> Header:
    """The parts of a loop statement, without the beginning of a `for`. Example: for `while (1) { if (c) break; f(); }`
    the test is `!c`, the body `{ f(); }`."""
    written = _written(node)
    if not _always(written.test):
        return written
    return _tested_at_top(written) or _tested_at_end(written) or written


def _written(node: c_ast.Node) -> Header:
    match node:
        case c_ast.For(cond=test, next=update, stmt=body):
            return Header("for", test, update, body)
        case c_ast.While(cond=test, stmt=body):
            return Header("while", test, None, body)
        case _:
            return Header("do", node.cond, None, node.stmt)


def _always(test: c_ast.Node | None) -> bool:
    return test is None or (isinstance(test, c_ast.Constant) and test.value.strip("uUlL") in ("1", "true"))


def _tested_at_top(written: Header) -> Header | None:
    match items(written.body):
        case [first, *rest] if (test := _staying(first)) is not None:
            kind: Kind = "for" if written.kind == "for" else "while"
            return Header(kind, test, written.update, c_ast.Compound(rest, written.body.coord))
        case _:
            return None


def _tested_at_end(written: Header) -> Header | None:
    """Only where nothing else leads to the next iteration, and the test names nothing that the body declares."""
    match items(written.body):
        case [*rest, last] if written.update is None and (test := _staying(last)) is not None:
            body = c_ast.Compound(rest, written.body.coord)
            declared = {n.name for n in nodes(body, c_ast.Decl)}
            if continues(body) or declared & set(names_in(test)):
                return None
            return Header("do", test, None, body)
        case _:
            return None


def _staying(statement: c_ast.Node) -> c_ast.Node | None:
    """`!c` of `if (c) break;`."""
    match statement:
        case c_ast.If(cond=leaving, iftrue=then, iffalse=None):
            match items(then):
                case [c_ast.Break()]:
                    return c_ast.UnaryOp("!", leaving, leaving.coord)
                case _:
                    return None
        case _:
            return None
