"""The front end as a list of steps: a file goes in, a `Unit` comes out."""

import os
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from msgspec.structs import replace
from pycparser import c_ast
from pycparser.c_lexer import Token

from ..base.errors import InputError
from ..base.places import Place
from ..base.recursion import deep_recursion
from ..base.regex import regex
from ..settings.facts import Fact
from ..settings.options import SourceOptions
from . import findings
from .constant_tables import numbers, value
from .declarations import Declaration, cut, only_tags
from .directives import facts_in, read_directives
from .extent import Closings, statement_end
from .guarded_pragmas import guarded_pragmas
from .initializers import without_long_table
from .integral import integral_types, numeric_types
from .keywords import as_c11, keywords
from .lexemes import addressed_names
from .listing import Listing, MacroEvent, PragmaLine, Segment
from .literals import Number
from .macros import integer_macros
from .nodes import is_per_thread, nodes
from .packing import packing
from .parse import Parser, Refusal
from .positions import Positions
from .preprocess import Preprocessed, preprocess
from .project import Project, project_of
from .read_files import ReadFile, read_file
from .recovery import opaque_types, readings
from .replaceable import is_replaceable
from .resolver import Resolver
from .rewrite import Rewritten, rewrite
from .selection import INLINE_DEPTH, select
from .standard_types import standard_type, undeclared
from .thread_private import thread_private
from .tokens import token, tokenize
from .unit import Definition, Diagnostic, Directive, Elsewhere, Expansion, Level, Pragma, Unit

MOST_TIMES = 16
"""A function whose file is included with other macros each time is many; so many are a file that includes itself."""

_CODE = regex(r"\S")
_WEAK = Elsewhere("may be replaced by the linker (a weak symbol or an alias)", changes=False)

_RECURSION = 40_000
"""Frames that pycparser may use: some 500 nested parentheses need 10 000."""

AS_OPAQUE = "is not declared; taken as opaque: one type without qualifiers, of unknown size"
AS_INTEGER = "is not declared; it is used as an integer: taken for a signed one, in memory of unknown size"

_LOOP_PRAGMAS = (
    "omp", "acc", "ivdep", "simd", "vector", "novector", "unroll", "nounroll", "parallel", "GCC", "clang", "loop"
)  # fmt: skip


Change: TypeAlias = Callable[[Listing, list[tuple[int, Pragma]]], Listing]
"""From a listing, and its pragmas with the offsets of the code that they stand before, to another one."""

Held = TypeVar("Held")


def load_unit(
    path: Path,
    options: SourceOptions,
    root: Path | None = None,
    text: str | None = None,
    change: Change | None = None,
) -> Unit:
    """Preprocesses, parses and types one C file.

    `root`: the directory from which paths are shown and in which headers are looked for (default: the working
    directory, and the repository that holds the file). `text`: the source itself, where it is not in the file.
    `change`: what is done to the preprocessed text before it is parsed.
    Raises InputError if the input cannot be read as text. Everything else that goes wrong is a diagnostic of the unit,
    and the rest is kept: a missing header, a syntax error, a macro that explodes.
    """
    path = _resolved(path)
    project = project_of(path, root, options.trees)
    if text is None:
        file = read_file(path, options, root)
    else:
        done = preprocess(path, text, True, options, project)
        file = ReadFile(text, done, tuple(cut(done.listing.code)))
    if change is not None:
        file = _changed(path, project, file, change)
    with deep_recursion(_RECURSION):
        return _Loader(path, project, file).unit(options, root)


def _changed(path: Path, project: Project, file: ReadFile, change: Change) -> ReadFile:
    done = file.done
    listing = change(done.listing, [*_Loader(path, project, file).pragmas_at])
    done = Preprocessed(listing, done.abi, done.diagnostics, done.inputs, done.incomplete)
    return ReadFile(file.source, done, tuple(cut(listing.code)))


def _resolved(path: Path) -> Path:
    message = "is a symbolic link that leads back to itself; give the path of a C source file"
    try:
        found = path.resolve()
    except (OSError, RuntimeError):
        raise InputError(message, Place(str(path), 0)) from None
    if found.is_symlink():  # from Python 3.13 on nothing is raised
        raise InputError(message, Place(str(path), 0))
    return found


class _Loader:
    """Holds what the steps after preprocessing share; `unit` runs them."""

    def __init__(self, path: Path, project: Project, file: ReadFile) -> None:
        done = file.done
        self.path, self.source, self.project, self.own = path, file.source, project, file.declarations
        self.listing, self.abi, self.inputs = done.listing, done.abi, done.inputs
        self.incomplete = done.incomplete
        self.declared: frozenset[str] = frozenset()
        self.keywords: frozenset[str] = frozenset()
        self.standard: dict[str, int] = {}
        """Names of the C library's types that nothing declares, and where each of them is used first."""
        self.guessed: set[str] = set()
        """Types that nothing declares."""
        self.statics: set[str] = set()
        self.per_thread = set(thread_private(p.text for p in done.listing.pragmas))
        self.initial: dict[str, tuple[str, ...]] = {}
        self.tables: dict[str, tuple[int, ...]] = {}
        self.values: dict[str, Number] = {}
        self.diagnostics = list(done.diagnostics)
        self.parser = Parser()
        self.resolver = Resolver(self.abi, pack_at=packing(self.listing.pragmas))
        self.length = len(self.listing.code)
        """Of the file itself; what follows is borrowed."""
        self.elsewhere: dict[str, Elsewhere] = {}
        self.foreign = frozenset[str]()
        self.addressed_elsewhere = frozenset[str]()
        self.defined_elsewhere = frozenset[str]()
        self.place_at = cache(self._place_at)
        self.closings: Closings = {}
        self.times = Counter[Place]()

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.listing, self._original)

    # --- whose code it is, and where it stands

    def is_own_path(self, path: str, system: bool) -> bool:
        return not system and (self._is_main(path) or (not path.startswith("<") and self.project.holds(path)))

    def _is_main(self, path: str) -> bool:
        return path in (str(self.path), "<stdin>")

    def is_own_segment(self, segment: Segment) -> bool:
        return self._is_main(segment.entered_as) or self.is_own_path(segment.path, segment.system)

    def is_own(self, declaration: Declaration) -> bool:
        return self.is_own_segment(self.listing.segment(declaration.first))

    def is_own_macro(self, event: MacroEvent) -> bool:
        return event.path == "<command-line>" or self.is_own_path(event.path, event.system)

    def _original(self, path: str) -> str | None:
        """The text of a file of the project, for its columns."""
        if self._is_main(path):
            return self.source
        place = self.project.located(path)
        if not self.project.holds(place) or not os.path.isfile(place):
            return None
        return Path(place).read_bytes().decode("utf-8-sig", "surrogateescape")

    def _place_at(self, offset: int) -> Place:
        segment = self.listing.segment(max(0, offset))
        name = self.project.name(str(self.path) if self._is_main(segment.path) else segment.path)
        if not self.is_own_segment(segment):
            return Place(name, self.listing.line(max(0, offset)))
        position = self.positions.at(max(0, offset))
        return Place(name, position.line, position.column)

    def place(self, node: c_ast.Node) -> Place:
        return self.place_at(_offset(node))

    def expansion(self, node: c_ast.Node) -> Expansion | None:
        offset = _offset(node)
        if offset < 0 or not self.is_own_segment(self.listing.segment(offset)):
            return None
        return self.positions.at(offset).expansion

    def pragmas_above(self, node: c_ast.Node) -> tuple[Pragma, ...]:
        return self._pragmas_by_offset.get(_offset(node), ())

    def end_line(self, node: c_ast.Node) -> int:
        return self.place_at(self._end(max(0, _offset(node)))).line

    # --- the steps

    def unit(self, options: SourceOptions, root: Path | None) -> Unit:
        declarations = [*self.own]
        chosen = select(declarations, self.is_own, options.entry)
        behind = self._borrow(declarations, options, root)
        if behind:
            own = frozenset(name for d in declarations for name in d.names)
            self.foreign = frozenset(name for d in behind for name in d.names) - own
            declarations += behind
            chosen = select(declarations, self.is_own, options.entry)
        self.declared = frozenset(name for d in declarations for name in d.names)
        if self.incomplete:
            self.declared -= only_tags(declarations)
        self.keywords = keywords(self.listing.macros, self.declared)
        functions: list[Definition] = []
        for index, declaration in enumerate(declarations):
            if index in chosen.whole and not (declaration.is_function and self._is_too_often(declaration)):
                nodes, guesses = self._take(declaration)
                if declaration.is_function:
                    functions.append(self._definition(declaration, nodes, guesses))
            elif declaration.is_function and (index in chosen.heads or self.is_own(declaration)):
                if index in chosen.heads:
                    self._take_head(declaration)
                functions.append(self._skipped(declaration))
        self._say_standard()
        return self._assemble(tuple(functions), options)

    def _borrow(self, declarations: list[Declaration], options: SourceOptions, root: Path | None) -> list[Declaration]:
        """The declarations of other files of the run that stand behind those of this one from now on."""
        from .loop_calls import Calls, wanted

        own = [d for d in declarations if d.is_function and d.has_loop and self.is_own(d)]
        calls = Calls(declarations, self._system_names(declarations).__contains__, INLINE_DEPTH)
        loops = calls.of_loops(own, self._end)
        called = calls.of_functions(own)
        self.inputs = replace(self.inputs, called=tuple(sorted(called)))
        if not options.together or not called:
            return []
        from .borrowed import Text, borrowed, extended
        from .other_files import OtherFiles

        others = OtherFiles(self.path, options, root, called)
        shown, pack_at = self.project.name(str(self.path)), self.resolver.pack_at
        home = Text(shown, self.listing, tuple(declarations), self.abi, self.incomplete, pack_at)
        self.defined_elsewhere = frozenset(name for name, files in others.candidates.items() if files)
        asked = frozenset(wanted(loops, others.candidates)) | others.managers
        outside = others.managers.difference(*loops)
        loan = borrowed(home, asked, INLINE_DEPTH, others.texts, outside)
        self.inputs, self.elsewhere = others.added_to(self.inputs), loan.refused
        self.addressed_elsewhere = frozenset[str]().union(*(piece.text.addressed for piece in loan.pieces))
        self.per_thread |= thread_private(p.text for piece in loan.pieces for p in piece.text.listing.pragmas)
        self.listing = extended(self.listing, loan.pieces)
        return cut(self.listing.code, self.length)

    def _system_names(self, declarations: list[Declaration]) -> frozenset[str]:
        """What headers of the system declare."""
        found = (d for d in declarations if not d.is_function and self.listing.segment(d.first).system)
        return frozenset(name for d in found for name in d.names)

    def _end(self, offset: int) -> int:
        """Of the statement that begins there."""
        return statement_end(self.listing.code, offset, self.closings)

    def _is_too_often(self, declaration: Declaration) -> bool:
        """Whether a function is one of very many that stand in the same place: its file is included again and again."""
        offset = self._name_offset(declaration)
        place = self.place_at(offset)
        self.times[place] += 1
        if self.times[place] == MOST_TIMES + 1 and self.is_own(declaration):
            message = f"{self._described_as(declaration)} is included more than {MOST_TIMES} times; no more are read"
            self._say(findings.LIMIT, "warning", message, offset)
        return self.times[place] > MOST_TIMES

    def _assemble(self, functions: tuple[Definition, ...], options: SourceOptions) -> Unit:
        resolver, directives = self.resolver, tuple(self._directives(functions))
        replaceable, addressed = self._replaceable(functions), addressed_names(self.listing.code)
        if resolver.unknown_types:
            parsed = [f.node for f in functions if f.node is not None]
            integral = integral_types(parsed, resolver.type_of)
            numeric = integral | numeric_types(parsed, resolver.type_of, resolver.layouts)
            self.diagnostics = [_as_integer(d, integral) for d in self.diagnostics]
        else:
            integral = numeric = frozenset()
        return Unit(
            path=self.project.name(str(self.path)),
            abi=self.abi,
            functions=functions,
            globals_=resolver.globals,
            statics=frozenset(self.statics),
            per_thread=thread_private(p.text for _, p in self._guarded_pragmas).union(self.per_thread),
            prototypes=resolver.prototypes,
            constants=resolver.constants,
            macros=integer_macros(self.listing.macros, self.is_own_macro, self._evaluate),
            layouts=resolver.layouts,
            diagnostics=tuple(sorted(self.diagnostics, key=lambda d: (d.place, d.rule))),
            directives=directives,
            place=cache(self.place),
            expansion=cache(self.expansion),
            type_of=cache(resolver.type_of),
            constant=cache(resolver.constant),
            source_text=self.source,
            functions_total=sum(f.own for f in functions),
            inputs=self.inputs,
            pragmas=tuple(self._pragmas.values()),
            pragmas_above=self.pragmas_above,
            end_line=cache(self.end_line),
            integral=integral,
            numeric=numeric,
            initial=self.initial,
            tables=self._lasting(self.tables),
            values={name: value.value for name, value in self._lasting(self.values).items()},
            elsewhere={**self.elsewhere, **dict.fromkeys(replaceable, _WEAK)},
            addressed=addressed | self.addressed_elsewhere,
            defined_elsewhere=self.defined_elsewhere,
            replaceable=replaceable,
            foreign=self.foreign,
            unaddressed=frozenset(self.statics) - addressed - (self.addressed_elsewhere & self.foreign),
            facts=(*facts_in(directives), *self._facts(options)),
            by_clang="__clang__" in self.listing.macros,
        )

    def _directives(self, functions: tuple[Definition, ...]) -> Iterator[Directive]:
        """The comments for us in the file, and in the headers of the project that functions stand in."""
        trees: dict[str, list[c_ast.FuncDef]] = {}
        for function in functions:
            if function.own and function.node is not None:
                trees.setdefault(function.place.path, []).append(function.node)
        for path in self._own_paths():
            name = self.project.name(path)
            text = self._original(path) if name in trees or path == str(self.path) else None
            if text is not None and "analyze:" in text:
                made = (n for tree in trees.get(name, ()) for n in nodes(tree, c_ast.For, c_ast.While, c_ast.DoWhile))
                yield from read_directives(text, name, {self.place(n).line for n in made})

    def _facts(self, options: SourceOptions) -> Iterator[Fact]:
        """What is said elsewhere of this file or its headers; paths as they are shown."""
        for fact in options.facts:
            yield fact if fact.path is None else replace(fact, path=self.project.name(fact.path))

    @cached_property
    def _knowing_values(self) -> Resolver:
        """For initialisers at file scope: it shares with the other one what that finds out later."""
        return self.resolver.knowing(self.values)

    def _lasting(self, values: Mapping[str, Held]) -> dict[str, Held]:
        """Those of constants for which the linker takes no others."""
        pragmas, declared = self.listing.pragmas, self._declared(values)
        return {name: v for name, v in values.items() if not is_replaceable(name, declared.get(name, ()), pragmas)}

    def _declared(self, names: Container[str]) -> dict[str, list[Declaration]]:
        """The declarations of the file by those of their names."""
        found: dict[str, list[Declaration]] = {}
        for declaration in self.own:
            for name in declaration.names:
                if name in names:
                    found.setdefault(name, []).append(declaration)
        return found

    def _replaceable(self, functions: tuple[Definition, ...]) -> frozenset[str]:
        """Functions for which the linker may take those of other files."""
        if re.search(r"\b(?:__)?(?:weak|alias|ifunc)", self.listing.code) is None and not self.listing.pragmas:
            return frozenset()
        pragmas, declared = self.listing.pragmas, self._declared({f.name for f in functions})
        return frozenset(f.name for f in functions if is_replaceable(f.name, declared.get(f.name, ()), pragmas))

    @cached_property
    def _pragmas(self) -> dict[PragmaLine, Pragma]:
        return {
            p: Pragma(p.line, p.text, self.project.name(str(self.path) if self._is_main(p.path) else p.path))
            for p in self.listing.pragmas
            if p.text.split("(")[0].split()[:1] and p.text.split("(")[0].split()[0] in _LOOP_PRAGMAS
            if self.is_own_path(p.path, p.system)
        }

    @cached_property
    def _pragmas_by_offset(self) -> dict[int, tuple[Pragma, ...]]:
        """By the offset of the code behind them."""
        found: dict[int, tuple[Pragma, ...]] = {}
        for offset, pragma in self.pragmas_at:
            behind = _CODE.search(self.listing.code, offset)
            if behind is not None:
                found[behind.start()] = (*found.get(behind.start(), ()), pragma)
        return found

    @cached_property
    def pragmas_at(self) -> tuple[tuple[int, Pragma], ...]:
        """Each with an offset before the code that it stands before."""
        return *self._guarded_pragmas, *((line.offset, pragma) for line, pragma in self._pragmas.items())

    @cached_property
    def _guarded_pragmas(self) -> tuple[tuple[int, Pragma], ...]:
        return tuple(self._left_out())

    def _left_out(self) -> Iterator[tuple[int, Pragma]]:
        """Those that the preprocessor left out (`guarded_pragmas`), with the offset of the line of code behind them."""
        known = {(p.path, p.line) for p in self._pragmas.values()}
        for path in self._own_paths():
            name, text = self.project.name(path), self._original(path)
            for line, said, behind in guarded_pragmas(text) if text is not None else ():
                names = (path, "<stdin>") if self._is_main(path) else (path,)
                if (name, line) not in known:
                    yield from ((at, Pragma(line, said, name)) for n in names for at in self.listing.offsets(n, behind))

    def _own_paths(self) -> tuple[str, ...]:
        """The file, and the headers of the project."""
        segments = (s for s in self.listing.segments if self.is_own_segment(s) and not self._is_main(s.path))
        return (str(self.path), *dict.fromkeys(s.path for s in segments))

    def _evaluate(self, expression: str) -> int | None:
        nodes = self.parser.parse(self._tokens(f"int x = {expression};", 0, len(expression) + 9))
        return None if isinstance(nodes, Refusal) else self.resolver.constant(nodes[0].init)

    # --- one declaration

    def _say(self, rule: str, level: Level, message: str, offset: int) -> None:
        self.diagnostics.append(Diagnostic(rule, level, message, self.place_at(offset)))

    def _tokens(self, text: str, start: int, end: int) -> list[Token]:
        return list(as_c11(tokenize(text, start, end), self.keywords))

    def _rewritten(self, start: int, end: int, is_function: bool) -> Rewritten:
        rewritten = rewrite(self._tokens(self.listing.code, start, end), is_function)
        self.resolver.attributes.update(rewritten.attributes)
        return rewritten

    def _take(self, declaration: Declaration) -> tuple[list[c_ast.Node], tuple[str, ...]]:
        """Parses one declaration and tells the resolver of it; no nodes if that cannot be done. Also what was guessed
        in it. An error of ours costs this declaration only."""
        try:
            return self._parsed(declaration)
        except Exception as error:
            message = f"{self._described_as(declaration)} was left out: error of ours ({type(error).__name__})"
            self._say(findings.INTERNAL_ERROR, "error", message, declaration.first)
            return [], ()

    def _declare_standard(self, tokens: list[Token]) -> None:
        """Declares the types of the C library that are used here, and declared nowhere."""
        as_types = partial(self._opaque, tokens)
        for name, item in undeclared(tokens, self._is_declared, as_types).items():
            text = f"typedef {standard_type(name, self.abi)} {name};"
            nodes = self.parser.parse(list(tokenize(text, 0, len(text))))
            for node in nodes if not isinstance(nodes, Refusal) else ():
                self.resolver.declare(node)
            self.standard[name] = item.column

    def _is_declared(self, name: str) -> bool:
        return name in self.parser.typedefs or name in self.declared

    def _say_standard(self) -> None:
        if self.standard:
            names = ", ".join(sorted(self.standard))
            message = f"nothing declares {names}; taken as the C library has them"
            self._say(findings.UNKNOWN_TYPE, "note", message, min(self.standard.values()))

    def _parsed(self, declaration: Declaration) -> tuple[list[c_ast.Node], tuple[str, ...]]:
        rewritten = self._rewritten(declaration.start, declaration.end, declaration.is_function)
        self._declare_standard(rewritten.tokens)
        tokens = rewritten.tokens if declaration.is_function else without_long_table(rewritten.tokens)
        guesses = tuple(rewritten.guesses)
        opaque = self._opaque(tokens) if self.incomplete else {}
        self.parser.typedefs |= opaque.keys()
        nodes = self.parser.parse(tokens)
        if isinstance(nodes, Refusal) and not opaque:
            opaque = self._opaque(tokens)
            self.parser.typedefs |= opaque.keys()
            nodes = self.parser.parse(tokens) if opaque else nodes
        if isinstance(nodes, Refusal):
            self.parser.typedefs -= opaque.keys()
            nodes, opaque = self._otherwise(declaration, tokens) or (nodes, opaque)
        if isinstance(nodes, Refusal):
            self._refuse(declaration, nodes, guesses)
            return [], guesses
        self.guessed |= opaque.keys()
        own = self.is_own(declaration)
        for name, item in opaque.items() if own else ():
            message = f"type {name} {AS_OPAQUE}"
            self._say(findings.UNKNOWN_TYPE, "warning", message, item.column)
        if guesses and own:
            self._say(findings.GUESS, "note", f"replaced by a guess: {', '.join(guesses)}", declaration.first)
        for node in nodes:
            self.resolver.declare(node)
            if isinstance(node, c_ast.Decl) and "static" in (node.storage or ()):
                self.statics.add(node.name)
            if isinstance(node, c_ast.Decl) and is_per_thread(node):
                self.per_thread.add(node.name)
            if isinstance(node, c_ast.Decl) and node.init is not None:
                self.initial[node.name] = tuple(_names(node.init))
                table = numbers(node, self.resolver.constant)
                if table is not None:
                    self.tables[node.name] = table
                held = value(node, self.resolver.globals.get(node.name), self._knowing_values)
                if held is not None:
                    self.values[node.name] = held
            if isinstance(node, c_ast.FuncDef):
                self.resolver.enter_function(node)
        return nodes, guesses

    def _otherwise(
        self, declaration: Declaration, tokens: list[Token]
    ) -> tuple[list[c_ast.Node], dict[str, Token]] | None:
        """The declaration as it may be meant, if names that nothing declares are macros of a missing header, with the
        types that it takes. Where no header is missing, only names in capitals are."""
        types = self.parser.typedefs - self.guessed
        known = types | self.declared
        if not self.incomplete:
            known |= {t.value for t in tokens if not t.value.isupper()}
        for reading, macros in readings(tokens, types, known, self.guessed):
            opaque = self._opaque(reading)
            self.parser.typedefs |= opaque.keys()
            nodes = self.parser.parse(reading)
            if isinstance(nodes, Refusal):
                self.parser.typedefs -= opaque.keys()
                continue
            if macros and self.is_own(declaration):
                message = f"{', '.join(macros)}: not declared here; taken for a macro of which nothing is known"
                self._say(findings.GUESS, "note", message, declaration.first)
            return nodes, opaque
        return None

    def _opaque(self, tokens: list[Token]) -> dict[str, Token]:
        """Names that can only be types, but that nothing declares, with their first occurrence."""
        found: dict[str, Token] = {}
        for item in opaque_types(tokens, self._is_declared):
            found.setdefault(item.value, item)
        return found

    def _take_head(self, declaration: Declaration) -> None:
        """Only the type of a function whose body does not matter."""
        tokens = self._rewritten(declaration.start, declaration.body, True).tokens
        self._declare_standard(tokens)
        nodes = self.parser.parse([*tokens, token(";", -1)])
        for node in nodes if not isinstance(nodes, Refusal) else ():
            self.resolver.declare(node)

    def _described_as(self, declaration: Declaration) -> str:
        """Names outside of the user's own code are not repeated."""
        named = declaration.is_function and declaration.names and self.is_own(declaration)
        return f"function {declaration.names[0]}" if named else "a declaration"

    def _refuse(self, declaration: Declaration, refusal: Refusal, guesses: tuple[str, ...]) -> None:
        offset = declaration.first if refusal.offset is None else refusal.offset
        own = self.is_own(declaration)
        what = self._described_as(declaration)
        cause = f"it uses {', '.join(guesses)}" if guesses else f"syntax not understood{refusal.where}"
        message = f"{what} was left out: {cause}" if own else f"{what} was left out"
        self._say(findings.SYNTAX, "warning" if own else "note", message, offset)

    def _definition(self, declaration: Declaration, nodes: list[c_ast.Node], guesses: tuple[str, ...]) -> Definition:
        node = next((n for n in nodes if isinstance(n, c_ast.FuncDef)), None)
        start = _offset(node) if node is not None else self._name_offset(declaration)
        return self._described(declaration, start, node, False, guesses)

    def _skipped(self, declaration: Declaration) -> Definition:
        return self._described(declaration, self._name_offset(declaration), None, True, ())

    def _described(
        self, declaration: Declaration, start: int, node: c_ast.FuncDef | None, skipped: bool, guesses: tuple[str, ...]
    ) -> Definition:
        name = declaration.names[0] if declaration.names else "?"
        end = self.listing.line(declaration.end - 1)
        own = self.is_own(declaration)
        borrowed = declaration.start >= self.length
        return Definition(name, self.place_at(start), end, node, own, declaration.calls, skipped, guesses, borrowed)

    def _name_offset(self, declaration: Declaration) -> int:
        found = self.listing.code.find(declaration.names[0], declaration.start) if declaration.names else -1
        return found if found >= 0 else declaration.first


def _as_integer(diagnostic: Diagnostic, integral: frozenset[str]) -> Diagnostic:
    """What is said of an undeclared type that turned out to be an integer."""
    name = diagnostic.message.removeprefix("type ").removesuffix(f" {AS_OPAQUE}")
    if diagnostic.rule != findings.UNKNOWN_TYPE or name not in integral:
        return diagnostic
    return replace(diagnostic, message=f"type {name} {AS_INTEGER}")


def _names(node: c_ast.Node) -> Iterator[str]:
    if isinstance(node, c_ast.ID):
        yield node.name
    for child in node:
        yield from _names(child)


def _offset(node: c_ast.Node) -> int:
    """Nodes carry the offset of their token in the listing as pycparser's column."""
    return node.coord.column if node.coord is not None and node.coord.column is not None else -1
