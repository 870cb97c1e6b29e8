"""C files as syntax trees whose loops are marked, and the text of such a tree.

A loop carries its mark, the name of its function and its place in it, where pycparser keeps coordinates: copies of a
tree keep it, and loops that a rewrite adds have none.
"""

import subprocess
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from pycparser import c_ast, c_generator
from tests.truth.parts import parsed

from analyzer.selection.changes import Lines

from .scene import Mark
from .syntax import LOOPS, block, walk

HEADERS = Path(__file__).resolve().parents[2] / "src" / "analyzer" / "source" / "standins"
EMPTY = ("__attribute__(x)=", "__extension__=", "__restrict=restrict", "__restrict__=restrict", "__inline=inline")

def read(path: Path, includes: Iterable[Path] = ()) -> c_ast.FileAST:
    """The file after its preprocessing, without what pycparser does not read; every loop has its mark.

    CalledProcessError where the preprocessor refuses the file."""
    folders = [f"-I{x}" for x in (path.parent, *includes)]
    defines = [f"-D{x}" for x in EMPTY]
    command = ["gcc", "-E", "-P", "-w", "-nostdinc", *folders, f"-isystem{HEADERS}", *defines, str(path)]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    file = parsed(text, path.name)
    for node in walk(file):
        node.coord = None
        if isinstance(node, c_ast.If):
            node.iftrue, node.iffalse = block(node.iftrue), node.iffalse and block(node.iffalse)
        elif isinstance(node, LOOPS):
            node.stmt = block(node.stmt)
    for function in functions(file):
        for k, loop in enumerate(loops(function)):
            loop.coord = (function.decl.name, k)
    return file


def functions(file: c_ast.FileAST) -> list[c_ast.FuncDef]:
    return [x for x in file.ext if isinstance(x, c_ast.FuncDef)]


def loops(function: c_ast.FuncDef) -> Iterator[c_ast.Node]:
    """In the order of the text; `do … while (0)` is none."""
    return (x for x in walk(function.body) if isinstance(x, LOOPS) and not _once(x))


def _once(loop: c_ast.Node) -> bool:
    return isinstance(loop, c_ast.DoWhile) and isinstance(loop.cond, c_ast.Constant) and loop.cond.value == "0"


def marks(file: c_ast.FileAST) -> dict[str, list[Mark | None]]:
    """The marks of the loops of each function, in the order of the text."""
    return {f.decl.name: [x.coord for x in loops(f)] for f in functions(file)}


def text_of(file: c_ast.FileAST, only: Container[str] | None = None) -> tuple[str, Lines]:
    """The text of the file, and the first and last lines of these functions (None: of all)."""
    pieces, lines, at = [], [], 1
    for x in file.ext:
        text: str = c_generator.CGenerator().visit(c_ast.FileAST([x]))
        after = at + text.count("\n")
        if isinstance(x, c_ast.FuncDef) and (only is None or x.decl.name in only):
            lines.append((at, after))
        pieces.append(text)
        at = after
    return "".join(pieces), tuple(lines)
