"""The front end as a list of steps: a file goes in, a `Unit` comes out."""

from pathlib import Path

from pycparser import c_ast

from ..errors import InputError
from ..options import SourceOptions
from ..places import Place
from .compiler import complaints, find_compiler, flags_of, preprocess
from .declarations import Declaration, cut
from .listing import Listing, read_listing
from .parse import Parser, Refusal
from .resolver import Resolver
from .rewrite import rewrite
from .tokens import tokenize
from .unit import Abi, Definition, Diagnostic, Expansion, Pragma, Unit


def load_unit(path: Path, options: SourceOptions, root: Path | None = None, text: str | None = None) -> Unit:
    """Step one of the front end."""
    source_text = text if text is not None else _read(path)
    compiler = find_compiler(options.compiler)
    assert compiler
    outcome = preprocess(compiler, path.resolve(), flags_of(options))
    listing = read_listing(outcome.output.decode("utf-8", "surrogateescape"))
    return _Loader(path, listing, source_text, root).unit()


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", Place(str(path), 0)) from error
    if b"\0" in data:
        raise InputError("is not text; give the path of a C source file", Place(str(path), 0))
    return data.decode("utf-8", "surrogateescape")


class _Loader:
    def __init__(self, path: Path, listing: Listing, source_text: str, root: Path | None) -> None:
        self.path, self.listing, self.source_text = path, listing, source_text
        self.root = root or path.resolve().parent
        self.parser = Parser()
        self.resolver = Resolver(Abi())
        self.diagnostics: list[Diagnostic] = []

    def place_at(self, offset: int) -> Place:
        segment = self.listing.segment(offset)
        name = Path(segment.path)
        try:
            shown = name.relative_to(self.root.resolve()).as_posix()
        except ValueError:
            shown = segment.path
        return Place(shown, self.listing.line(offset), 0)

    def place(self, node: c_ast.Node) -> Place:
        return self.place_at(node.coord.column if node.coord else 0)

    def unit(self) -> Unit:
        functions = []
        for declaration in cut(self.listing.code):
            nodes = self.parse(declaration)
            for node in nodes:
                self.resolver.declare(node)
                if isinstance(node, c_ast.FuncDef):
                    self.resolver.enter_function(node)
            if declaration.is_function:
                functions.append(self.definition(declaration, nodes))
        own = [f for f in functions if f.own]
        r = self.resolver
        return Unit(
            path=self.place_at(0).path if not self.path else str(self.path),
            abi=r.abi,
            functions=tuple(own),
            globals_=r.globals,
            prototypes=r.prototypes,
            constants=r.constants,
            macros=self.macros(),
            layouts=r.layouts,
            diagnostics=tuple(self.diagnostics),
            directives=(),
            place=self.place,
            expansion=self.expansion,
            type_of=r.type_of,
            constant=r.constant,
            source_text=self.source_text,
            functions_total=len(own),
            pragmas=tuple(Pragma(p.line, p.text) for p in self.listing.pragmas if not p.system),
        )

    def expansion(self, node: c_ast.Node) -> Expansion | None:
        return None

    def macros(self) -> dict[str, int]:
        found = {}
        for name, events in self.listing.macros.items():
            body = events[-1].text
            if body and not events[-1].system and body.strip().isdigit():
                found[name] = int(body)
        return found

    def parse(self, declaration: Declaration) -> list[c_ast.Node]:
        rewritten = rewrite(list(tokenize(self.listing.code, declaration.start, declaration.end)))
        self.resolver.attributes.update(rewritten.attributes)
        result = self.parser.parse(rewritten.tokens)
        if isinstance(result, Refusal):
            offset = declaration.first if result.offset is None else result.offset
            self.diagnostics.append(Diagnostic("SRC001", "warning", result.message, self.place_at(offset)))
            return []
        return result

    def definition(self, declaration: Declaration, nodes: list[c_ast.Node]) -> Definition:
        name = declaration.names[0] if declaration.names else "?"
        node = next((n for n in nodes if isinstance(n, c_ast.FuncDef)), None)
        own = not self.listing.segment(declaration.first).system
        place = self.place(node) if node else self.place_at(declaration.first)
        end = self.listing.line(declaration.end - 1)
        return Definition(name, place, end, node, own, declaration.calls)
