"""Where `#pragma omp atomic` can be placed.

*Decides*: of an update, whether OpenMP's `atomic` takes its form (OpenMP 5.2, 15.8.4), and where in the source the
statement begins that is nothing but this update.
*Method*: by the syntax tree that it is a statement; by the words of the source where that begins.
*Errs toward* none: text of other files, of macros that are not defined in this one, and what is put in brackets.

    h[k] += 2;                 (*p)++;                   ADD(h[k], 2);  of  #define ADD(x, y) (x) += (y)     ->  yes
    x = (h[k] += 2, 5);        for (; ; h[k]++)          ADD(h[k], 2);  of  do { (x) += (y); } while (0)     ->  no
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from pycparser import c_ast

from ..base.places import Place
from ..base.regex import regex
from ..ir import nodes as ir
from ..loops.c_text import LONGEST, c_text
from ..source.nodes import nodes
from ..source.original import Word, logical_lines
from ..source.unit import Definition, Unit
from .function_text import nesting
from .site import Program, Site

TAKEN = frozenset("+-*/&|^") | {"<<", ">>"}
UPDATING = frozenset(f"{o}=" for o in TAKEN) | {"++", "--"}
GOES_ON = UPDATING | {"=", "[", ".", "->"}
"""What may follow a macro that stands for the updated place alone."""

_NAME = regex(r"[^\W\d]\w*\Z")


class AtomicUpdate(Struct, frozen=True):
    """An update of a form that `atomic` takes. `place`: where it begins, if it is a statement of its own."""

    place: Place | None
    in_header: bool = False
    """Whether it is what the loop's own header does at the end of each iteration."""


def atomic_form(site: Site, statement: ir.Assign, writes: bool = False) -> AtomicUpdate | None:
    """The update that an assignment is, or (`writes`) the plain store; None for a form that `atomic` does not take.
    Example: see the module."""
    taken = _is_plain if writes else _is_taken
    for definition in around(site, statement.place):
        assert definition.node is not None
        named = site.program.assignments(definition.node).get(statement.text, ())
        here = [n for n in named if site.unit.place(n) == statement.place]
        if not here or not all(map(taken, here)):
            continue
        step = site.node.next if isinstance(site.node, c_ast.For) else None
        in_header = step is not None and any(n is here[0] for n in nodes(step))
        return AtomicUpdate(_beginning(site.program, definition, here), in_header)
    return None


def around(site: Site, place: Place) -> Iterator[Definition]:
    """The functions in whose text a place may be."""
    for d in (site.definition, *site.callees):
        if d.node is not None and d.place.path == place.path and d.place.line <= place.line <= d.end_line:
            yield d


def declares(function: Definition, name: str) -> bool:
    """Whether a function has a parameter or a variable of this name."""
    return function.node is not None and any(isinstance(n, c_ast.Decl) and n.name == name for n in nodes(function.node))


def _is_taken(node: c_ast.Node) -> bool:
    """Whether it is x++, ++x, x op= e, x = x op e or x = e op x."""
    match node:
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            return True
        case c_ast.Assignment(op="=", lvalue=place, rvalue=c_ast.BinaryOp(op=op, left=left, right=right)):
            text = c_text(place)
            return op in TAKEN and len(text) < LONGEST and text in (c_text(left), c_text(right))
        case c_ast.Assignment(op=op):
            return op in UPDATING
        case _:
            return False


def _is_plain(node: c_ast.Node) -> bool:
    """Whether it is x = e, whose value nobody uses: `a = b = 1` is two stores."""
    return isinstance(node, c_ast.Assignment) and node.op == "=" and not isinstance(node.rvalue, c_ast.Assignment)


def _beginning(program: Program, definition: Definition, here: list[c_ast.Node]) -> Place | None:
    """Where the statement begins that these nodes, of one text and place, are; None where they are parts of others."""
    assert definition.node is not None
    unit = program.unit
    place = unit.place(here[0])
    if len(here) != 1 or place.path != unit.path:
        return None
    alone = program.statements(definition.node)
    if id(here[0]) not in alone:
        return None
    expansion = unit.expansion(here[0])
    if expansion is not None and sum(unit.place(s) == place for s in alone.values()) > 1:
        return None  # the macro makes more of it
    found = program.text(definition).statement(place)
    if found is None or _is_wrapped(found.words):
        return None
    if expansion is not None and found.at == 0 and not _begins_plainly(unit, found.words, expansion.line):
        return None
    return Place(place.path, found.words[0].line, found.words[0].column)


# --- brackets


def _closing(words: Sequence[Word], opening: int) -> int:
    """The number of the word that closes a bracket."""
    depth = 0
    for k in range(opening, len(words)):
        depth += nesting(words[k].text)
        if depth == 0:
            return k
    return len(words)


def _is_wrapped(words: Sequence[Word]) -> bool:
    """Whether one pair of brackets is around all of it: gcc takes no `(x += 2);`."""
    return bool(words) and words[0].text == "(" and _closing(words, 0) == len(words) - 1


# --- macros


def _begins_plainly(unit: Unit, words: Sequence[Word], line: int) -> bool:
    """Whether a statement that begins with a macro has nothing before the update, and no brackets around it. `line`:
    where the macro is defined."""
    called = len(words) > 1 and words[1].text == "("
    behind = _closing(words, 1) + 1 if called else 1
    if behind < len(words):
        return words[behind].text in GOES_ON
    body = _body(unit, words[0].text, line)
    updates = any(w.text in UPDATING | {"="} for w in body)
    return updates and not _is_wrapped(body) and body[0].text != "else"


def _body(unit: Unit, macro: str, line: int) -> tuple[Word, ...]:
    """What a macro of this file stands for, without a semicolon at its end; nothing where that is not seen."""
    lines = unit.source_text.split("\n")[line - 1 :] if line else []
    last = next((k for k, text in enumerate(lines) if not text.rstrip("\r").endswith("\\")), 0)
    definition = "\n".join(lines[: last + 1])
    found = re.match(rf"\s*#\s*define\s+{re.escape(macro)}(?:\([^()]*\)|(?=\s))", definition)
    if found is None:
        return ()
    words = tuple(w for group in logical_lines(definition[found.end() :]) for w in group.words)
    return words[:-1] if words and words[-1].text == ";" else words
