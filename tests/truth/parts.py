"""A C file without those of its declarations and functions that pycparser does not read."""

import re
from collections.abc import Iterator

from pycparser import c_ast, c_parser

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[{};()]|[^"\'{};()]+')


def parsed(text: str, name: str) -> c_ast.FileAST:
    """The file, after its preprocessing; where it cannot be read as a whole, declaration by declaration."""
    try:
        return _parse(text, name)
    except c_parser.ParseError:
        pass
    declarations: list[str] = []
    kept: list[str] = []
    for part in parts(text):
        try:
            found = _parse("\n".join((*declarations, part)), name)
        except c_parser.ParseError:
            continue
        kept.append(part)
        if not any(isinstance(x, c_ast.FuncDef) for x in found.ext):
            declarations.append(part)
    return _parse("\n".join(kept), name)


def _parse(text: str, name: str) -> c_ast.FileAST:
    return c_parser.CParser().parse(text, name)


def parts(text: str) -> Iterator[str]:
    """The text of each declaration and function: up to a `;`, or to the brace that closes what follows a `)`."""
    part, depth, function = "", 0, False
    for token in TOKEN.findall(text):
        if token in ("{", "("):
            function = (part.rstrip().endswith(")") and token == "{") if depth == 0 and token == "{" else function
            depth += 1
        elif token in ("}", ")"):
            depth -= 1
        part += token
        if depth == 0 and (token == ";" or (token == "}" and function)):
            yield part
            part, function = "", False
