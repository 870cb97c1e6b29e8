"""Preprocessing without a compiler: pcpp over the bundled stand-in headers, printed as a compiler would."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from pcpp.preprocessor import Action, OutputDirective, Preprocessor

from .abi import ABIS, predefined
from .flags import Flags
from .headers import STANDINS

_MOST_TOKENS = 30_000
"""Tokens that the macros of one line may make; more is a macro that explodes."""
_MOST_DEPTH = 200
_MOST_OPENED = 50
"""How often one file is included: lists that are read with other macros each time are, ten times or twenty."""

_PREDEFINED = (
    *("__STDC__ 1", "__STDC_VERSION__ 201710L", "__STDC_HOSTED__ 1", "__GNUC__ 12", "__GNUC_MINOR__ 2"),
    *("__linux__ 1", "__unix__ 1", "__INT_MAX__ 2147483647", "__ELF__ 1", '__VERSION__ "12"'),
)


class BuiltinOutput(Struct):
    """`text` has line markers, `#define` and `#pragma` lines as `cc -E -dD` prints them."""

    text: str
    missing: dict[str, tuple[str, int]] = field(default_factory=dict)
    errors: list[tuple[str, int, str]] = field(default_factory=list)
    exploded: bool = False
    read: set[str] = field(default_factory=set)


class _ExplosionError(Exception):
    """Macros made more text than any program has."""


class _Builtin(Preprocessor):  # type: ignore[misc]
    def __init__(self, output: BuiltinOutput) -> None:
        self.made = 0
        self.opened = Counter[str]()
        self.found = output
        super().__init__()

    def expand_macros(self, tokens: list[Any], expanding_from: list[str] = []) -> list[Any]:  # noqa: B006
        self.made = self.made + len(tokens) if expanding_from else 0
        if self.made > _MOST_TOKENS or len(expanding_from) > _MOST_DEPTH:
            raise _ExplosionError
        expanded: list[Any] = super().expand_macros(tokens, expanding_from)
        return expanded

    def on_include_not_found(self, malformed: bool, system: bool, directory: str, path: str) -> None:
        source, line = getattr(self, "at", ("", 0))
        self.found.missing.setdefault(path, (source, line))
        raise OutputDirective(Action.IgnoreAndRemove)

    def on_directive_handle(self, directive: Any, toks: Any, passthru: bool, preceding: Any) -> Any:
        self.at = (directive.source, directive.lineno)
        return (
            None
            if directive.value in ("define", "undef")
            else super().on_directive_handle(directive, toks, passthru, preceding)
        )

    def on_file_open(self, system: bool, path: str) -> Any:
        self.opened[path] += 1
        if self.opened[path] > _MOST_OPENED:
            raise _ExplosionError
        self.found.read.add(path)
        return open(path, encoding="utf-8", errors="surrogateescape")

    def on_error(self, file: str, line: int, message: str) -> None:
        self.found.errors.append((file, line, message))

    def on_comment(self, token: Any) -> bool:
        return False


def preprocess_builtin(
    path: Path, text: str, flags: Flags, directories: Iterable[str], abi: str | None
) -> BuiltinOutput:
    """Preprocesses `text` with the bundled headers. Never fails; a macro that explodes ends the output."""
    output = BuiltinOutput("")
    engine = _Builtin(output)
    names = [*predefined(ABIS[abi or "lp64"]), *_PREDEFINED]
    if (abi or "lp64") == "lp64":
        names.append("__x86_64__ 1")
    given = [define.replace("=", " ", 1) if "=" in define else f"{define} 1" for define in flags.defines]
    for name in names + given:
        engine.define(name)
    for name in flags.undefines:
        engine.undef(engine.tokenize(name))
    for directory in (*flags.directories, *directories, str(STANDINS)):
        engine.add_path(directory)
    engine.rewrite_paths = []  # files keep their own names
    head = [f'# 0 "{path}"', '# 0 "<built-in>"', *(f"#define {n}" for n in names)]
    head += ['# 0 "<command-line>"', *(f"#define {n}" for n in given)]
    written = StringIO()
    written.write("\n".join(head) + "\n")
    forced = "".join(f'#include "{file}"\n' for file in flags.forced)
    engine.parse(f'{forced}#line 1 "{path}"\n{text}' if forced else text, str(path))
    try:
        for piece in _printed(engine, str(path)):
            written.write(piece)
    except (_ExplosionError, RecursionError):
        output.exploded = True
    except Exception:  # pcpp takes some directives for granted that are cut off: `#define` alone
        _, line = getattr(engine, "at", ("", 1))
        message = "the built-in preprocessor does not understand a directive behind this line; the rest is lost"
        output.errors.append((str(path), line, message))
    output.text = written.getvalue()
    return output


def _printed(engine: _Builtin, main: str) -> Iterator[str]:
    """The tokens with a line marker wherever file or line changes; directives that pass through keep their line."""
    stack = [main]
    line = 0
    verbatim = at_start = False
    while (token := engine.token()) is not None:
        value = token.value
        blank = not value.strip()
        if verbatim:
            yield value
            if "\n" in value:
                verbatim, at_start, line = False, True, -1
            continue
        if blank:
            at_start = at_start or "\n" in value
            yield " "
            continue
        source = token.source or stack[-1]
        if source != stack[-1]:
            yield from _entered(stack, source)
            line = -1
        if token.lineno != line:
            line = token.lineno
            yield f'\n# {line} "{stack[-1]}"{_system(stack[-1])}\n'
            at_start = True
        verbatim = at_start and value == "#"
        yield value
        at_start = False


def _entered(stack: list[str], source: str) -> Iterator[str]:
    """Markers for entering a file, or for going back to one."""
    if source not in stack:
        stack.append(source)
        yield f'\n# 1 "{source}" 1{_system(source)}\n'
    while stack[-1] != source:
        stack.pop()
        yield f'\n# 1 "{stack[-1]}" 2{_system(stack[-1])}\n'


def _system(path: str) -> str:
    return " 3" if path.startswith((str(STANDINS) + os.sep, "/usr/")) else ""
