"""The trip from a file to facts: front end, then what is known of each function (`function_facts`) and its directives.

The driver is a list of calls; what each decides is in its module. An error of ours loses one function, never the file.
"""

import os
from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ..base.places import Place
from ..base.recursion import deep_recursion
from ..base.regex import regex
from ..facts.directives import CheckedDirective
from ..facts.loop import FileFacts, FunctionFacts
from ..program.settled import may_settle
from ..selection.changes import Lines, touches
from ..settings.options import AnalysisOptions, SourceOptions
from ..sizes.symbols import size_symbols
from ..source.findings import INTERNAL_ERROR, LIMIT
from ..source.unit import Definition, Diagnostic, Unit
from .garbage_collection import no_collections
from .readings import Asked, Needs
from .remembered import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..program import Outline
    from .stated import Stated

_PRAGMA = regex(r"#\s*pragma\s+(?:omp|acc)\b|_Pragma")
"""That may let code run at once."""


class Analysed(Struct, frozen=True):
    """The facts of a file, and the outlines of all its functions, headers' included, where the program as a whole is
    asked for. `stated`: what became of what the user says; `needs`: of its loops, asked for later."""

    facts: FileFacts
    outlines: "tuple[Outline, ...]" = ()
    stated: "tuple[Stated, ...]" = ()
    needs: Needs = {}


def analyze_file(
    path: Path,
    source: SourceOptions,
    options: AnalysisOptions,
    root: Path | None = None,
    text: str | None = None,
) -> FileFacts:
    """Every loop of one C file and of the project headers it includes, with everything known about it.

    `root` is the repository root that paths are relative to; `text` replaces the file's content (standard input).
    Raises InputError when the file cannot be read at all; any other trouble is a diagnostic of the result.
    Example: `analyze_file(Path("blas.c"), SourceOptions(), AnalysisOptions()).functions[0].loops[0].parallelism`.
    """
    return analyzed(path, source, options, root, text).facts


@no_collections()
@deep_recursion()
def analyzed(
    path: Path,
    source: SourceOptions,
    options: AnalysisOptions,
    root: Path | None = None,
    text: str | None = None,
    only: Mapping[str, Lines] | None = None,
    memory: Memory | None = None,
) -> Analysed:
    """As `analyze_file`, with the outlines that `source.entry` asks for. `only`: lines by path, where functions without
    any of them are passed over (None: none is). `memory`: of what was worked out for this file before."""
    from ..clauses import Program
    from ..source import load_unit

    unit = load_unit(path, source, root, text)
    by_path: dict[str, list[Definition]] = defaultdict(list)
    for definition in unit.functions:
        if definition.own:
            by_path[definition.place.path].append(definition)
    elsewhere = sum(len(ds) for path_, ds in by_path.items() if path_ != unit.path)
    own = _on(by_path.pop(unit.path, []), only)
    asked = Asked(Program(unit), options, memory)
    main = _file_facts(asked, unit.path, own, unit.functions_total - elsewhere)
    headers = tuple(_file_facts(asked, p, _on(ds, only), len(ds)) for p, ds in sorted(by_path.items()))
    found = replace(main, headers=headers, inputs=unit.inputs, failed=main.failed or any(h.failed for h in headers))
    found = _with_directives(unit, found, partial(load_unit, path, root=root, text=text), source, only)
    if source.entry is None or (source.sizes_only and not may_settle(unit, (main, *headers))):
        return Analysed(found, (), _what_became(unit, found, only), asked.needs)
    from ..program.reading import open_trips, outlines

    if not source.sizes_only:
        found = replace(found, symbols=tuple(dict.fromkeys((*found.symbols, *open_trips(main)))))
    is_all = source.is_all and not unit.directives
    every = outlines(unit, (main, *headers), is_all=is_all, sizes_only=source.sizes_only)
    return Analysed(found, every, _what_became(unit, found, only), asked.needs)


def _with_directives(
    unit: Unit,
    facts: FileFacts,
    load: "Callable[..., Unit]",
    source: SourceOptions,
    only: Mapping[str, Lines] | None,
) -> FileFacts:
    """The facts with what is found of the directives that the file and its headers have."""
    if not _PRAGMA.search(unit.source_text) and not any(p.text.startswith(("omp", "acc")) for p in unit.pragmas):
        return facts
    from ..races import checked

    try:
        found = [c for c in checked(load, source) if only is None or _touches(only, c.place)]
    except (Exception, RecursionError, MemoryError) as error:
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        message = f"internal error in the check of directives ({type(error).__name__}: {error}); please report it"
        failure = Diagnostic(INTERNAL_ERROR, "error", message, Place(unit.path, 1))
        return replace(facts, diagnostics=(*facts.diagnostics, failure), failed=True)
    return _with_checked(replace(facts, headers=tuple(_with_checked(h, found) for h in facts.headers)), found)


def _touches(only: Mapping[str, Lines], place: Place) -> bool:
    return touches(only.get(place.path, ()), place.line, place.line)


def _with_checked(facts: FileFacts, found: list[CheckedDirective]) -> FileFacts:
    from ..rules.catalogue import BY_ID

    own = tuple(c for c in found if c.place.path == facts.path)
    if not own:
        return facts
    every = ((c, rule, text) for c in own for rule, text in c.findings)
    said = [Diagnostic(rule, BY_ID[rule].level, f"`#pragma {c.text}`: {text}", c.place) for c, rule, text in every]
    return replace(facts, checked=own, diagnostics=(*facts.diagnostics, *said))


def _what_became(unit: Unit, found: FileFacts, only: Mapping[str, Lines] | None) -> "tuple[Stated, ...]":
    """Of what the user says; nothing is known of that where not all of the file is looked at."""
    if only is not None or not unit.facts:
        return ()
    from .stated import stated

    return tuple(one for file in (found, *found.headers) for one in stated(unit, file))


def _on(definitions: list[Definition], lines: Mapping[str, Lines] | None) -> list[Definition]:
    """Those with a line among `lines`."""
    if lines is None:
        return definitions
    return [d for d in definitions if touches(lines.get(d.place.path, ()), d.place.line, d.end_line)]


def _file_facts(asked: Asked, path: str, definitions: list[Definition], total: int) -> FileFacts:
    """The facts of one path: `total` functions are defined there, of which `definitions` could be parsed."""
    from .function_facts import failed_function, function_facts, refused_whole

    unit = asked.unit
    is_main = path == unit.path
    diagnostics = list(unit.diagnostics) if is_main else []
    functions: list[FunctionFacts] = []
    analyzed = failed = 0
    for definition in definitions:
        try:
            facts = function_facts(asked, definition)
            analyzed += definition.skipped or (definition.node is not None and facts.function.complete)
            functions.append(facts)
            refused = refused_whole(facts.function)
            if refused is not None:
                diagnostics.append(Diagnostic(LIMIT, "warning", f"{refused[1]}: split it", definition.place))
        except (Exception, RecursionError, MemoryError) as error:
            if os.environ.get("BOATHULL_DEBUG"):
                raise
            failed += 1
            diagnostics.append(_internal_error(definition, error))
            functions.append(failed_function(unit, definition, error))
    found = FileFacts(
        path=path,
        functions_total=total,
        functions_analyzed=analyzed,
        diagnostics=tuple(diagnostics),
        directives=tuple(d for d in unit.directives if d.path == path),
        functions=tuple(functions),
        symbols=size_symbols(unit, functions),
        source_text=unit.source_text if is_main else "",
        failed=failed > 0,
    )
    return _with_complaints(found) if found.directives else found


def _with_complaints(facts: FileFacts) -> FileFacts:
    from ..sizes.directives import complaints

    return replace(facts, diagnostics=(*facts.diagnostics, *complaints(facts)))


def _internal_error(definition: Definition, error: BaseException) -> Diagnostic:
    kind = type(error).__name__
    message = f"internal error in function {definition.name} ({kind}: {error}); please report it with this function"
    return Diagnostic(INTERNAL_ERROR, "error", message, definition.place)

