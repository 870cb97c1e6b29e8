"""The command `analyze`: from arguments to reports and an exit code. The only module that prints.

Exit codes, the highest wins: 0 done, 1 findings at or above --fail-on, 2 usage, configuration or input, 3 a bug of
ours, 130 interrupted. Standard output carries only the report.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..base.errors import InputError
from ..cache.replay import Recording, folder_of
from ..report.formats import RENDERERS, written
from ..settings.config import Settings, settings
from .arguments import FORMATS, much_of, narrows, parse
from .changing import applied, changes_of, is_alone, is_of_host, of_changes, suggests, with_places

if TYPE_CHECKING:
    from ..cache.basis import Made
    from ..change import Patched
    from ..driver.run import Result
    from ..report.document import Document
    from ..selection.changes import Lines

DONE, FOUND, INPUT, BUG, INTERRUPTED = 0, 1, 2, 3, 130
TROUBLE = {"input": INPUT, "bug": BUG}
ON_TERMINALS = ("text", "concise")
SHOWING_COMMITS = ("html", "json", "jsonl")
SHOWING_PATCHES = ("html",)
"""Formats that say which commit the files are of."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command with `argv` (default: the process's arguments) and returns its exit code."""
    try:
        return _command(argv)
    except InputError as error:
        _say(f"analyze: error: {error}")
        return INPUT
    except SystemExit as done:  # --help
        return done.code if isinstance(done.code, int) else INPUT
    except KeyboardInterrupt:
        _say("analyze: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever reads the report has seen enough; flushing at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        _say(f"analyze: internal error: {type(error).__name__}: {error}; please report it")
        return BUG


def _command(argv: Sequence[str] | None) -> int:
    words = sys.argv[1:] if argv is None else argv
    folder, arguments = folder_of(words), parse(argv)
    if arguments.lsp:
        from .serving import serve

        return serve(arguments, folder)
    if arguments.hook:
        from .narrowing import as_hook

        if not as_hook(arguments):
            return DONE
    start = _start(arguments.paths)
    chosen = settings(arguments, start)
    if suggests(arguments):
        chosen = of_changes(arguments, chosen)
    code = _without_report(arguments, chosen)
    return _with_report(arguments, chosen, start, words, folder) if code is None else code


def _with_report(
    arguments: argparse.Namespace, chosen: Settings, start: Path, words: Sequence[str], folder: str | None
) -> int:
    """Analyses, or reads again what was saved, and writes the reports; gives the exit code. `folder`: where the answer
    is kept for the same `words` of a later run."""
    recording = Recording()
    say = recording.says(_print)

    def tell(message: str) -> None:
        say(_plain(message))

    outputs = _outputs(chosen["format"])
    selection = only = None
    if narrows(arguments, chosen):
        from .narrowing import Baselines, narrowed, selection_of, wanted_lines

        selection = selection_of(arguments, chosen, start)
        only = wanted_lines(arguments, chosen, selection)
    is_change = suggests(arguments) and is_alone(arguments, outputs)
    if _is_reread(arguments):
        made = _reread(arguments)
    else:
        made = _analysed(arguments, with_places(arguments, chosen) if is_change else chosen, folder, only, tell)
    document = _shortened(made.document, arguments.top)
    if selection is not None:
        baselines = Baselines(chosen["baseline"], arguments.write_baseline)
        reread, partly = _is_reread(arguments), only is not None
        document = narrowed(document, selection, baselines, tell, saved=reread, partly=partly)
    changes: tuple[Patched, ...] = ()
    if suggests(arguments):
        placed = document if is_change else _placed(document, arguments, chosen, folder, only)
        changes = changes_of(placed, arguments, tell)
    if arguments.apply:
        _write(map(_printable, applied(changes)), None)
        folder = None  # what a run changes is no answer to be given again
    named = zip(chosen["format"], outputs, strict=True)
    _write_reports(document, changes, arguments, named, None if folder is None else recording)
    found = _found(document, chosen["fail-on"])
    code = found if arguments.hook else max(made.code, found)  # a file that cannot be parsed must not stop a commit
    if made.facts is not None and folder is not None:
        from ..cache.basis import keep

        keep(recording, words, folder, replace(made, code=code), arguments, chosen, start, selection)
    return code


def _placed(
    document: "Document",
    arguments: argparse.Namespace,
    chosen: Settings,
    folder: str | None,
    only: "Mapping[str, Lines] | None",
) -> "Document":
    """The document with the places on the host, where the changes are for it and the report is about a device."""
    if _is_reread(arguments) or not (chosen["target"] and is_of_host(arguments)):
        return document
    places = with_places(arguments, chosen)
    return _analysed(arguments, places, folder, only, lambda _: None, again=True).document


def _write_reports(
    document: "Document",
    changes: "tuple[Patched, ...]",
    arguments: argparse.Namespace,
    outputs: Iterable[tuple[str, tuple[str, Path | None]]],
    recording: Recording | None,
) -> None:
    """Every report to its place; the answer of --why takes that of the report on standard output. `outputs`: as it was
    asked for, with format and path."""
    for item, (name, path) in outputs:
        if arguments.why is not None and path is None:
            continue
        overheard = None if recording is None else recording.output(item.partition("=")[2] or None)
        encoding = "utf-8" if name in RENDERERS and RENDERERS[name].utf8 else None
        if name == "patch":
            _write(_unified(changes), path, "utf-8", overheard, "surrogateescape")
        else:
            _write(_rendered(document, name, path, arguments), path, encoding, overheard)
    if arguments.why is not None:
        from ..report.why import render

        _write([_printable(render(document, arguments.why))], None)


def _without_report(arguments: argparse.Namespace, chosen: Settings) -> int | None:
    """Answers what needs no report of sources (information, --compare, --dump) and gives the exit code; None where a
    report is wanted."""
    from .information import answer

    text = answer(arguments, chosen)
    if text is not None:
        _write([text], None)
        return DONE
    if arguments.compare is not None:
        from ..report.compare import compared

        if arguments.paths:
            raise InputError("--compare reads two saved reports; leave out the paths")
        comparison = compared(*map(_saved, arguments.compare))
        _write([_printable(comparison.text)], None)
        return _found(comparison.news, chosen["fail-on"])
    if arguments.dump is not None:
        _write([_printable(_dumped(arguments, chosen))], None)
        return DONE
    return None


def _start(paths: Sequence[str]) -> Path:
    """Where the search for a configuration file begins: at the first path."""
    first = Path(paths[0]) if paths and paths[0] != "-" else Path()
    return first if first.is_dir() else first.parent


# --- analysing


def _reread(arguments: argparse.Namespace) -> "Made":
    """What an earlier run saved as JSON, to be shown again."""
    from ..cache.basis import Made

    if arguments.paths:
        option = "--from-json renders a saved report" if arguments.from_json else "--merge reads saved reports"
        raise InputError(f"{option}; leave out the paths")
    if arguments.merge is None:
        return Made(_saved(arguments.from_json), DONE, "", None, None)
    from ..driver.merging import merged

    return Made(merged([_saved(name) for name in arguments.merge], arguments.merge), DONE, "", None, None)


def _is_reread(arguments: argparse.Namespace) -> bool:
    return arguments.from_json is not None or arguments.merge is not None


def _shortened(document: "Document", top: int | None) -> "Document":
    if top is None:
        return document
    if top < 1:
        raise InputError(f"--top {top}: give the number of loops, 1 or more")
    return replace(document, options=replace(document.options, top=top))


def _analysed(
    arguments: argparse.Namespace,
    chosen: Settings,
    folder: str | None,
    only: "Mapping[str, Lines] | None",
    say: Callable[[str], None],
    *,
    again: bool = False,
) -> "Made":
    """The document of a run. `again`: it has been told already what was read."""
    from ..cache.basis import Made, from_cache
    from ..driver.engines import scheduler
    from ..driver.joining import remarks
    from ..driver.run import document, run
    from ..report.verdict_words import counted, files
    from ..selection.shards import shard
    from .checks import check_paths, taken
    from .narrowing import lists_only
    from .planning import from_entry, plan_of, with_trees

    started = time.perf_counter()
    if not arguments.paths:
        raise InputError("no input; give .c files or directories, as in `analyze src/ --target gtx470`")
    part = None if arguments.shard is None else shard(arguments.shard)
    plan = replace(plan_of(chosen), paths=tuple(arguments.paths), only=only, shard=part)
    if suggests(arguments):
        plan = replace(plan, context=replace(plan.context, details=True))  # from which sizes on something pays
    plan = from_entry(plan, arguments.entry, sizes_only=lists_only(arguments, chosen))
    if arguments.why is not None:
        plan = replace(plan, context=replace(plan.context, details=True, why=arguments.why))
    scheduler(chosen["engine"])
    if chosen["jobs"] is not None and chosen["jobs"] < 1:
        raise InputError("--jobs needs at least 1 process")
    asked = taken(arguments, chosen, say)
    inputs = list(asked.inputs)
    check_paths(chosen, inputs, say, hook=bool(arguments.hook))
    plan = with_trees(plan)
    running = run(inputs, plan, chosen["jobs"], folder, chosen["engine"])
    results = list(running if arguments.quiet else _with_progress(running, len(inputs)))
    made = document(results, plan, keep_sources=not chosen["no-source"])
    if any(name in SHOWING_COMMITS for name, _ in _outputs(chosen["format"])):
        made = _with_revision(made)
    if any(name in SHOWING_PATCHES for name, _ in _outputs(chosen["format"])):
        made = _with_patch(made)
    for remark in remarks(made, plan):
        say(f"analyze: warning: {remark}")
    took = time.perf_counter() - started
    loops = counted("loop", made.summary.loops_total)
    summary = f"{files(made)}, {loops}{'' if only is None else ' in changed functions'}"
    known = [r.kept for r in results if r.kept is not None]
    if not again and not arguments.quiet:
        _say(f"analyze: {summary} in {took:.2f} s{from_cache(sum(k.from_cache for k in known), len(results))}")
    trouble = next((k.trouble for k in known if k.trouble), None)
    if trouble is not None:
        _say(f"analyze: answers cannot be kept in {folder} ({trouble}); choose a --cache-dir, or give --no-cache")
    facts = tuple(k.facts for k in known if k.facts is not None)
    kept = facts if folder and len(facts) == len(results) else None
    code = max((TROUBLE[t] for r in results for t in r.trouble), default=DONE)
    return Made(made, code, "" if arguments.quiet else summary, asked.found, kept)


def _with_revision(document: "Document") -> "Document":
    """The document with the commit that its files are of."""
    from ..selection.repository import top_of_document
    from ..selection.revision import revision

    found = revision(top_of_document(document), [file.path for file in document.files])
    return replace(document, revision=found)


def _with_patch(document: "Document") -> "Document":
    """The document with the directives that its program as a whole asks for."""
    program = document.program
    if program is None or document.sources is None or all(p.candidate != "target" for p in program.sequence):
        return document
    from ..change import patched, unified
    from ..report.document import PatchEntry

    files = tuple(patched(document, "openmp-target"))
    refused = tuple(f"{loop.path}:{loop.line}: {loop.why}" for file in files for loop in file.refused)
    return replace(document, program=replace(program, patch=PatchEntry("".join(unified(files)), refused)))


def _dumped(arguments: argparse.Namespace, chosen: Settings) -> str:
    from ..driver.run import dump
    from .checks import check_paths, taken
    from .planning import plan_of, with_trees

    kind, wanted = arguments.dump
    if kind != "nest":
        raise InputError(f"--dump {kind}: only `--dump nest ID` is known")
    if not arguments.paths:
        raise InputError("no input; give the file of the loop, as in `analyze a.c --dump nest a.c:12`")
    from ..report.cleaning import visible_lines

    plan = with_trees(replace(plan_of(chosen), paths=tuple(arguments.paths)))
    inputs = taken(arguments, chosen, _say).inputs
    check_paths(chosen, inputs, _say)
    return visible_lines(dump(inputs, plan, wanted))


def _with_progress(results: "Iterator[Result]", total: int) -> "Iterator[Result]":
    """Several files on a terminal get a progress bar, on standard error."""
    if total < 2 or not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(results, "analysing", total=total, console=Console(stderr=True), transient=True)


def _saved(name: str) -> "Document":
    from ..report.codec import from_json

    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: cannot be read ({error})") from None
    return from_json(text, name)


def _found(document: "Document", fail_on: str) -> int:
    if fail_on == "never":
        return DONE
    from ..report.findings import findings, worst
    from ..report.lean import lean
    from ..rules.catalogue import LEVELS

    level = worst(findings(lean(document)))
    return FOUND if level is not None and LEVELS.index(level) >= LEVELS.index(fail_on) else DONE


# --- writing


def _outputs(formats: Sequence[str]) -> list[tuple[str, Path | None]]:
    """Format and path of each report; None: standard output, which takes one."""
    outputs = [_output(item) for item in formats]
    if sum(path is None for _, path in outputs) > 1:
        raise InputError("only one report can go to standard output; give the others a path, as in -f json=report.json")
    return outputs


def _output(item: str) -> tuple[str, Path | None]:
    name, equals, path = item.partition("=")
    if name not in FORMATS:
        raise InputError(f"-f {item}: unknown format; use {', '.join(FORMATS)}")
    if equals and not path:
        raise InputError(f"-f {item}: the path is missing")
    return name, Path(path) if path else None


def _rendered(document: "Document", name: str, path: Path | None, arguments: argparse.Namespace) -> Iterable[str]:
    """The text of a report, in pieces where it may be long."""
    format_ = RENDERERS.get(name)
    if format_ is None or not format_.escapes:
        from ..report.cleaning import cleaned
        from ..report.lean import lean
        from ..report.repeated import said_once

        document = cleaned(said_once(lean(document)))
    if name in ON_TERMINALS:
        return [_styled(document, name, path, arguments)]
    pieces = written(document, name)
    return pieces if path is not None or RENDERERS[name].utf8 else map(_printable, pieces)


def _styled(document: "Document", name: str, path: Path | None, arguments: argparse.Namespace) -> str:
    """What looks as the terminal does that it is written to; in a file it has no colours."""
    from ..report import concise, text
    from ..report.terminal import Style, style_of

    render = text.render if name == "text" else concise.render
    much = much_of(arguments)
    if path is not None:
        return render(document, Style(much=much))
    return _printable(render(document, style_of(sys.stdout.isatty(), arguments.color or "auto", much)))


def _unified(changes: "Iterable[Patched]") -> Iterator[str]:
    from ..change import unified

    return unified(changes)


def _printable(text: str) -> str:
    """The text in what standard output can show: the papers' signs become ASCII where they must."""
    from ..report.ascii import to_encoding

    return to_encoding(text, sys.stdout.encoding or "ascii")


def _write(
    pieces: Iterable[str],
    path: Path | None,
    encoding: str | None = None,
    overheard: Callable[[bytes], None] | None = None,
    errors: str = "replace",
) -> None:
    """To a file as UTF-8; to standard output in `encoding`, its own where None. `overheard` takes what was written.
    `errors`: what becomes of characters that have no bytes there."""
    encoding = "utf-8" if path is not None else encoding or sys.stdout.encoding or "ascii"
    with _refused(path):
        file = sys.stdout.buffer if path is None else path.open("wb")
    with nullcontext(file) if path is None else file:
        for piece in pieces:
            data = piece.encode(encoding, errors)
            with _refused(path):
                file.write(data)
            if overheard is not None:
                overheard(data)
        with _refused(path):
            file.flush()


@contextmanager
def _refused(path: Path | None) -> Iterator[None]:
    """What the file system refuses is the user's to mend, unlike an error of ours while a report is made."""
    try:
        yield
    except OSError as error:
        if path is None:
            raise
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def _say(message: str) -> None:
    _print(_plain(message))


def _print(line: str) -> None:
    print(line, file=sys.stderr)


def _plain(message: str) -> str:
    """A message of one line: names of files are in it, and may hold anything."""
    from ..report.cleaning import visible

    encoding = sys.stderr.encoding or "ascii"
    return visible(message, 2000).encode(encoding, "replace").decode(encoding)
