"""Values for size symbols: `--size` of the command line and `// analyze: size` in the source.

    size = [[PATH ":"] FUNCTION ":"] NAME "=" NUMBER        N=4096   axpy:n=1e6   src/blas.c:axpy:n=4096

A range, `N=1e3..1e7`, leaves the size open and asks for the times along it.

The most specific one wins; the command line and the configuration file win over the source. What the configuration
file says is about a project: a run over a part of it may have no use for a size. A directive holds in the function
around it, or in the whole file when it stands outside of functions that have loops.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..base.errors import InputError
from ..base.regex import regex
from ..facts.loop import FileFacts, FunctionFacts
from ..settings.facts import Fact
from ..source.project import names_file

# Not NAME "=" ..., since a symbol may be any C expression: everything up to the last `=`.
_SIZE = regex(r"(?:(?:(?P<path>[^:=]+):)?(?P<function>[A-Za-z_]\w*):)?(?P<name>[^=]+)=(?P<value>[^=]*)\Z")


FACT = "fact"
"""The source of sizes from a facts file."""

_STRENGTH = {"directive": 0, FACT: 1}
"""Less than that of an option, or of the configuration."""


class Size(Struct, frozen=True):
    """One setting. `function` and `path` None: everywhere; `written` is what the user typed; `last` the end of a
    range."""

    name: str
    value: int
    function: str | None
    path: str | None
    source: str
    written: str
    last: int | None = None

    def applies(self, path: str, function: str) -> bool:
        return self.function in (None, function) and (self.path is None or names_file(self.path, path))

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """A higher one wins."""
        return (_STRENGTH.get(self.source, 2), self.path is not None, self.function is not None)


def parse_size(text: str, source: str = "option") -> Size:
    """The setting written in `text`; InputError says what is wrong. Example: `parse_size("axpy:n=1e6").value`."""
    found = _SIZE.match(text.strip())
    if found is None:
        raise InputError(f"--size {text}: expected NAME=VALUE, FUNCTION:NAME=VALUE or FILE:FUNCTION:NAME=VALUE")
    first, dots, last = found["value"].strip().partition("..")
    size = Size(
        name=found["name"].strip(),
        value=_whole_number(first.strip(), text),
        function=found["function"],
        path=found["path"],
        source=source,
        written=text,
        last=_whole_number(last.strip(), text) if dots else None,
    )
    if size.last is not None and not 0 < size.value < size.last:
        raise InputError(f"--size {text}: a range goes from a size above 0 to a larger one")
    return size


def sizes_in(facts: Iterable[Fact]) -> Iterator[Size]:
    """The sizes among facts. InputError with the place of one that cannot be read."""
    for fact in facts:
        if fact.kind != "size":
            continue
        try:
            size = parse_size(fact.text, FACT)
        except InputError as error:
            raise InputError(error.message.replace("--size", "size"), fact.said) from None
        if size.function is not None or size.path is not None:
            raise InputError(f"size {fact.text}: write NAME=VALUE, and of what in `file` and `function`", fact.said)
        yield replace(size, function=fact.function, path=fact.path)


def values_of(found: Mapping[str, Size]) -> dict[str, int]:
    """The sizes that have one value."""
    return {name: size.value for name, size in found.items() if size.last is None}


def _whole_number(value: str, text: str) -> int:
    try:
        number = int(value, 0) if re.match(r"0[xXoObB]", value) else float(value)
    except ValueError:
        raise InputError(f"--size {text}: {value!r} is not a number") from None
    if number < 0 or number != number or number in (float("inf"),) or int(number) != number:
        raise InputError(f"--size {text}: a size is a whole number, 0 or more")
    return int(value) if value.isdigit() else int(number)


def sizes_of(file: FileFacts, function: FunctionFacts, settings: Iterable[Size]) -> dict[str, Size]:
    """The setting that counts for each symbol of one function, directives of the file included."""
    found: dict[str, Size] = {}
    for size in (*_directives(file, function), *settings):
        known = found.get(size.name)
        applies = size.applies(file.path, function.function.name)
        if applies and (known is None or size.rank >= known.rank):
            found[size.name] = size
    return found


def _directives(file: FileFacts, function: FunctionFacts) -> list[Size]:
    """The size directives that hold in `function`. Raises InputError with the place of one that cannot be read."""
    directives = [d for d in file.directives if d.kind == "size"]
    holders = [(f, _extent(f)) for f in file.functions if f.loops] if directives else []
    found = []
    for directive in directives:
        holder = next((f for f, (first, last) in holders if first <= directive.line <= last), None)
        if holder is None or holder is function:
            try:
                size = parse_size(directive.text, "directive")
            except InputError as error:
                message = error.message.replace("--size", "// analyze: size")
                raise InputError(f"{file.path}:{directive.line}: {message}") from None
            scope = None if holder is None else function.function.name
            found.append(Size(size.name, size.value, scope, None, "directive", size.written))
    return found


def _extent(function: FunctionFacts) -> tuple[int, int]:
    """Lines from the name of a function to the end of its last loop: where a directive can matter to it."""
    return function.function.place.line, max(loop.end_line for loop in function.loops)


def unmatched(
    settings: Iterable[Size],
    known: Mapping[tuple[str, str], Iterable[str]],
    macros: Mapping[str, Iterable[str]],
) -> Iterator[str]:
    """What is to be said of each `--size` of the command line that fits nowhere. InputError for one that is a macro.

    `known`: the symbols per (path, function); `macros`: the names of macros per path."""
    for size in settings:
        names = {name for (path, function), found in known.items() if size.applies(path, function) for name in found}
        if size.name in names or size.source in ("configuration", FACT):
            continue
        where = (found for path, found in macros.items() if size.path is None or names_file(size.path, path))
        here = {name for found in where for name in found}
        if size.name in here:
            raise InputError(f"--size {size.written}: {size.name} is a macro; use -D {size.name}={size.value}")
        elsewhere = sorted({function for (_, function), found in known.items() if size.name in found})
        owners = f"; {size.name} is one of {', '.join(elsewhere[:3])}"
        near = owners if elsewhere else _near(size.name, names or _all(known))
        yield f"--size {size.written}: no such size symbol{near}"


def _all(known: Mapping[tuple[str, str], Iterable[str]]) -> set[str]:
    return {name for found in known.values() for name in found}


def _near(wanted: str, names: Iterable[str]) -> str:
    candidates = sorted(names)
    near = difflib.get_close_matches(wanted, candidates, n=3, cutoff=0.5)
    if near:
        return f"; did you mean {', '.join(near)}?"
    if not candidates:
        return "; every size of these files is known"
    shown = ", ".join(candidates[:8]) + (", ..." if len(candidates) > 8 else "")
    return f"; known: {shown}"
