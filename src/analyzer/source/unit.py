"""What the front end hands over: one translation unit, ready to be lowered.

Nothing behind this value looks at text, preprocessors or files again.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Literal, TypeAlias

from msgspec import Struct, field
from pycparser import c_ast

from ..base.places import Place
from ..settings.facts import Fact
from .ctypes import CType, Layout
from .inputs import Inputs

Level = Literal["note", "warning", "error"]


class Diagnostic(Struct, frozen=True):
    """Something the front end could not take or had to guess. `rule` is of the `SRC` family."""

    rule: str
    level: Level
    message: str
    place: Place


class Abi(Struct, frozen=True):
    """Sizes in bytes and conventions of the target of compilation."""

    name: str = "lp64"
    sizes: Mapping[str, int] = field(
        default_factory=lambda: {
            "_Bool": 1,
            "char": 1,
            "short": 2,
            "int": 4,
            "long": 8,
            "long long": 8,
            "__int128": 16,
            "_Float16": 2,
            "float": 4,
            "double": 8,
            "long double": 16,
            "__float128": 16,
            "pointer": 8,
        }
    )
    char_signed: bool = True
    little_endian: bool = True
    alignments: Mapping[str, int] = field(default_factory=dict)
    """Alignment in bytes inside records where it is not the size (`double` on i386: 4)."""
    short_enums: bool = False
    """Every enumeration is as small as its values allow (`-fshort-enums`)."""


class Expansion(Struct, frozen=True):
    """The macro whose expansion produced a piece of code, and the line where the macro is defined (0: unknown)."""

    macro: str
    line: int


class Pragma(Struct, frozen=True):
    """A pragma that says something about loops (`omp`, `acc`, `ivdep` ...): text after `#pragma`, original line."""

    line: int
    text: str
    path: str = ""


DirectiveKind: TypeAlias = Literal["ignore", "size", "independent", "holds", "unknown"]


class Directive(Struct, frozen=True):
    """A comment of ours in the source: `// analyze: ignore[RULE] reason`, `size N=4096`, `independent reason`,
    `holds injective(place)`. `text`: what follows its kind (of an unknown one the word itself), `target`: the line of
    code that it is about, `path`: the file that it is in, which may be a header."""

    line: int
    kind: DirectiveKind
    text: str
    target: int = 0
    path: str = ""


class Definition(Struct, frozen=True):
    """One function definition. `skipped`: nothing in it matters (no loop, not needed by a loop), so its body was
    not parsed and only the calls it makes are known. `guesses`: names in it whose meaning was replaced by a guess.
    `borrowed`: it is of another file of the run (`source.borrowed`)."""

    name: str
    place: Place
    end_line: int
    node: c_ast.FuncDef | None
    own: bool
    calls: frozenset[str]
    skipped: bool = False
    guesses: tuple[str, ...] = ()
    borrowed: bool = False


class Elsewhere(Struct, frozen=True):
    """A function that another file of the run defines and that is not read with this one. `why` goes on from its name:
    "is defined in b.c, where ..."; `changes`: it is seen to change variables; `ends`: it is seen to end the program."""

    why: str
    changes: bool
    ends: bool = False


class Unit(Struct, frozen=True, dict=True):
    """A translation unit after preprocessing, parsing and typing.

    `functions` holds every function definition of the file and of project headers, in source order (`own` is false
    for those of a system header, kept only so that they can be inlined). `globals_` and `prototypes` give the type of
    every file-scope object and function that a kept function names; `constants` the value of enumerators.
    `macros` maps object-like macros of the file and project headers with an integer value to that value.
    The methods answer per syntax node, and never fail: `place` the original position, `expansion` the macro a node
    came from, `type_of` the C type of a declarator or type name, `constant` the value of a constant expression or
    None, `end_line` the last original line of a statement, `pragmas_above` those that a statement begins right behind,
    whatever the source has in between (comments, `#endif`). `pragmas` lists all of the file and of project headers in
    source order; the syntax trees have none. `statics`: names at file scope that other files cannot see. `per_thread`:
    objects at file scope of which each thread has its own. `integral`: undeclared types that are integers; `numeric`:
    these, and those that are other numbers (`integral`). `initial`: the names in the initialiser of each file-scope
    object.
    `tables`: what tables of integers at file scope hold at first, as far as they are initialised; `values`: what
    constant integers do.
    `foreign`: names that only other files declare, of which functions are read here.
    `unaddressed`: those of the `statics`, and of what is read here with other files, whose addresses nothing takes.
    `addressed`: names of which an address is taken, here or in what is read here of other files.
    `elsewhere`: by name, functions that other files of the run define and that are not read here (`borrowed`).
    `defined_elsewhere`: functions that are called here and that other files of the run seem to define.
    `replaceable`: functions of the file for which the linker may take others (weak ones).
    `directives`: comments of ours in the file and in headers with functions; `facts`: what the user says of its loops
    and functions, in these comments or elsewhere.
    `in_full`: what functions do themselves is asked about, whatever they call besides.
    `by_clang`: the compiler that preprocessed it, and so compiles it, is clang or one that says so.
    """

    path: str
    abi: Abi
    functions: tuple[Definition, ...]
    globals_: Mapping[str, CType]
    prototypes: Mapping[str, CType]
    constants: Mapping[str, int]
    macros: Mapping[str, int]
    layouts: Mapping[str, Layout]
    diagnostics: tuple[Diagnostic, ...]
    directives: tuple[Directive, ...]
    place: Callable[[c_ast.Node], Place]
    expansion: Callable[[c_ast.Node], Expansion | None]
    type_of: Callable[[c_ast.Node], CType]
    constant: Callable[[c_ast.Node], int | None]
    source_text: str
    functions_total: int
    assumptions: tuple[str, ...] = ()
    inputs: Inputs = Inputs()
    pragmas: tuple[Pragma, ...] = ()
    end_line: Callable[[c_ast.Node], int] = lambda node: 0
    pragmas_above: Callable[[c_ast.Node], tuple[Pragma, ...]] = lambda node: ()
    statics: frozenset[str] = frozenset()
    per_thread: frozenset[str] = frozenset()
    integral: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    initial: Mapping[str, tuple[str, ...]] = {}
    tables: Mapping[str, tuple[int, ...]] = {}
    values: Mapping[str, int] = {}
    elsewhere: Mapping[str, Elsewhere] = {}
    addressed: frozenset[str] = frozenset()
    defined_elsewhere: frozenset[str] = frozenset()
    replaceable: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()
    unaddressed: frozenset[str] = frozenset()
    facts: tuple[Fact, ...] = ()
    in_full: bool = False
    by_clang: bool = False

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Functions by name, as calls of them find them: of several the first that has a syntax tree; none for which
        another one may be called."""
        parsed = (f for f in self.functions if f.node is not None)
        return {f.name: f for f in reversed((*parsed, *self.functions)) if f.name not in self.replaceable}

    def seen(self, name: str) -> Definition | None:
        """The definition of a function that can be looked into: its body was parsed."""
        found = self.definitions.get(name)
        return found if found is not None and found.node is not None else None

    @cached_property
    def source_lines(self) -> list[str]:
        return self.source_text.splitlines()
