"""From a file on disk to a listing: flags, headers, compiler, and what to do when any of them is missing."""

import os
from collections.abc import Collection
from pathlib import Path

from msgspec import Struct, field

from ..base.errors import InputError
from ..base.places import Place
from ..base.regex import regex
from ..settings.options import SourceOptions
from . import findings
from .abi import abi_of
from .compiler import Complaint, complaints, find_compiler, run_preprocessor
from .features import Features
from .flags import Flags, find_database, flags_of
from .generated import Maker, guards
from .headers import STANDINS, HeaderPlan, plan_headers, write_headers
from .inputs import Inputs
from .listing import Listing, read_listing
from .process import OUTPUT_LIMIT_BYTES, WALL_LIMIT_S, Outcome
from .project import Project
from .templates import line_marker
from .tree import build_files
from .unit import Abi, Diagnostic, Level

MISSING = "<missing>"
"""Begins the path of an empty file that stands for a missing header."""

_MOST_RUNS = 30
_KEPT_BYTES = 1 << 20
"""How much of the output is read on when the preprocessor was stopped."""
_UNIVERSAL = regex(r"\\U(000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})")
"""gcc writes the letters of names beyond ASCII like this."""
_MOST_COMPLAINTS = 20
_LONGEST_LINE = 1 << 20
"""Characters of one preprocessed line beyond which it is a macro that explodes, not a program."""


class Preprocessed(Struct):
    """`incomplete`: a header is missing, so undeclared names may be its types."""

    listing: Listing
    abi: Abi
    diagnostics: list[Diagnostic] = field(default_factory=list)
    inputs: Inputs = Inputs()
    incomplete: bool = False


class _Job(Struct):
    path: Path
    text: str
    given: bool
    """The text was handed over (standard input) and is not what the file holds."""
    options: SourceOptions
    project: Project
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def say(self, rule: str, level: Level, message: str, path: str, line: int, column: int = 0) -> None:
        self.diagnostics.append(Diagnostic(rule, level, message, Place(self.project.name(path), line, column)))


def preprocess(path: Path, text: str, given: bool, options: SourceOptions, project: Project) -> Preprocessed:
    """Preprocesses one file. What cannot be done is a diagnostic, and the rest is kept; InputError only where the
    compiler does not know the language standard that is asked for."""
    job = _Job(path, text, given, options, project)
    flags = flags_of(path, options)
    for reason in flags.dropped:
        job.say(findings.DROPPED_FLAG, "note", reason, str(path), 1)
    compiler = find_compiler(options.compiler)
    maker = Maker(project, Features(compiler is not None, options.abi))
    plan = plan_headers(path, text, flags.directories, project, compiler is not None, maker.make)
    plan.read |= maker.read
    _say_configured(flags, plan, project.searched)
    output = _with_compiler(job, compiler, flags, plan) if compiler else None
    if output is None:
        output = _without_compiler(job, flags, plan, compiler)
    listing = read_listing(_without_explosions(job, output))
    _explain_headers(job, plan, listing)
    incomplete = bool(plan.made) or any(f.startswith(MISSING) for f in listing.files) or any(
        d.rule in (findings.MISSING_HEADER, findings.PREPROCESSOR) for d in job.diagnostics
    )
    inputs = _inputs(job, compiler, flags, plan, listing, maker.features.tested)
    abi = abi_of(listing.macros, options.abi, flags.short_enums)
    return Preprocessed(listing, abi, job.diagnostics, inputs, incomplete)


def _say_configured(flags: Flags, plan: HeaderPlan, tree: str) -> None:
    """Defines `HAVE_CONFIG_H` and its like, as a build does that has made its headers. Where a database says what the
    build gives, it gives that."""
    told = {word.split("=")[0] for word in (*flags.defines, *flags.undefines)}
    names = plan.made.keys() | (plan.configured if build_files(tree) else set())
    for guard in guards(names) if not flags.of_build else ():
        if guard not in told:
            flags.add("-D", f"{guard}=1")


def _inputs(
    job: _Job, compiler: str | None, flags: Flags, plan: HeaderPlan, listing: Listing, tested: set[str]
) -> Inputs:
    database = find_database(job.path, job.options.build_dir)
    read = {f for f in listing.files if not f.startswith("<")} | plan.read
    placed = {os.path.join(here, f) for f in read for here in (job.path.parent, os.getcwd())}
    return Inputs(
        files=tuple(sorted(placed - {str(job.path)})),
        directories=tuple(dict.fromkeys((*flags.directories, *plan.directories))),
        compiler=compiler,
        machine=tuple(a for a in flags.arguments if a.startswith("-m")),
        names=tuple(sorted({*plan.missing, *plan.made, *tested})),
        database=None if database is None else str(database),
        trees=job.project.trees,
        tree_names=tuple(sorted({*plan.asked_at, *plan.configured})),
        stopped=any(d.rule == findings.LIMIT for d in job.diagnostics),
    )


def _with_compiler(job: _Job, compiler: str, flags: Flags, plan: HeaderPlan) -> str | None:
    """The compiler's output; None if this is no compiler that preprocesses."""
    try:
        return _preprocessed(job, compiler, flags, plan)
    except OSError:
        return None


def _preprocessed(job: _Job, compiler: str, flags: Flags, plan: HeaderPlan) -> str | None:
    if not job.given and not plan.made:
        outcome = _run(job, compiler, [*flags.arguments, *(f"-I{d}" for d in plan.directories)], None)
        found = complaints(outcome.errors)
        if outcome.code > 0 and not outcome.output and not found:
            _refuse_standard(job, compiler, outcome)
            return None
        if not any(c.header for c in found):
            return _text(job, outcome, found)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="boathull-") as folder:
        return _with_folder(job, compiler, flags, plan, os.path.realpath(folder))


def _write_made(plan: HeaderPlan, folder: str, empty: Collection[str]) -> list[str]:
    """`-I` for the headers that the build would make, as they are where those of the names in `empty` are not there
    (but have an empty file to be read). They come before what the project has elsewhere by the same names."""
    texts = {}
    for name, made in plan.made.items():
        text = made.text
        for absent in empty:
            text = text.replace(f"__has_include(<{absent}>)", "0")
        texts[name] = f"{line_marker(1, made.template or f'<{name}>')}\n{text}"
    return [f"-I{write_headers(texts, os.path.join(folder, 'made'))}"] if texts else []


def _refuse_standard(job: _Job, compiler: str, outcome: Outcome) -> None:
    """InputError where the compiler does not know the standard that the user asks for."""
    wanted = job.options.standard
    said = (line for line in outcome.errors.decode(errors="replace").splitlines() if f"-std={wanted}" in line)
    words = next(said, None) if wanted else None
    if words is not None:
        place = Place(job.project.name(str(job.path)), 0)
        raise InputError(f"--std {wanted}: {os.path.basename(compiler)} says: {words}", place)


def _with_folder(job: _Job, compiler: str, flags: Flags, plan: HeaderPlan, folder: str) -> str:
    """Preprocesses again and again until every missing header has an empty stand-in in `folder`."""
    stdin = _as_file(job, folder) if job.given else None
    empty = set(plan.missing)
    for _ in range(_MOST_RUNS):
        directory = write_headers(dict.fromkeys(empty, ""), folder)
        arguments = [*flags.arguments, *_write_made(plan, folder, empty), *(f"-I{d}" for d in plan.directories)]
        outcome = _run(job, compiler, [*arguments, "-idirafter", directory], stdin)
        found = complaints(outcome.errors)
        if outcome.is_cut:
            break
        missing = {c.header: (c.path, c.line) for c in found if c.header}
        if missing.keys() <= empty:
            break
        for header, place in missing.items():
            plan.missing.setdefault(header, place)
        empty |= missing.keys()
    return _text(job, outcome, found).replace(folder, MISSING)


def _text(job: _Job, outcome: Outcome, found: list[Complaint]) -> str:
    for complaint in list(dict.fromkeys(found))[:_MOST_COMPLAINTS]:
        _report(job, complaint)
    if outcome.code > 0 and not found and not any(d.rule == findings.LIMIT for d in job.diagnostics):
        job.say(findings.PREPROCESSOR, "warning", "the preprocessor failed; code may be missing", str(job.path), 1)
    output = outcome.output[: _KEPT_BYTES if outcome.is_cut else None]
    text = output.decode("utf-8", "surrogateescape")
    return _UNIVERSAL.sub(lambda m: chr(int(m[1], 16)), text) if "\\U" in text else text


_KILLED = (b"terminated program", b"out of memory", b"memory exhausted")
"""What compilers say whose own process the system has stopped."""


def _as_file(job: _Job, folder: str) -> str:
    """The text that was handed over, as a file that says where it belongs."""
    name = os.path.join(folder, "stdin")
    quoted = str(job.path).replace("\\", "\\\\").replace('"', '\\"')
    with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f'# 1 "{quoted}"\n{job.text}')
    return name


def _run(job: _Job, compiler: str, arguments: list[str], stdin: str | None) -> Outcome:
    outcome = run_preprocessor(compiler, job.path, arguments, stdin)
    if outcome.stopped:
        limit = f"{OUTPUT_LIMIT_BYTES >> 20} MiB of output" if outcome.stopped == "output" else f"{WALL_LIMIT_S} s"
        message = f"preprocessing was stopped after {limit}; look for a macro or an #include that multiplies"
        job.say(findings.LIMIT, "error", message, str(job.path), 1)
    elif outcome.code < 0 or any(words in outcome.errors for words in _KILLED):
        message = (
            "preprocessing was stopped at its limit of time or memory; look for a macro or an #include that multiplies"
        )
        job.say(findings.LIMIT, "error", message, str(job.path), 1)
    return outcome


def _report(job: _Job, complaint: Complaint) -> None:
    """An error of the preprocessor. Text of files outside the project may stand in it and is not repeated."""
    path = str(job.path) if complaint.path.startswith("<") else complaint.path
    path = os.path.join(job.path.parent, path)
    inside = job.project.holds(path)
    message = complaint.message if inside else "the preprocessor reports an error in this file"
    job.say(findings.PREPROCESSOR, "warning", message, path, complaint.line, complaint.column if inside else 0)


def _without_explosions(job: _Job, text: str) -> str:
    """Takes out lines that a macro blew up; what stands before and after them is kept."""
    if len(text) < _LONGEST_LINE:
        return text
    kept: list[str] = []
    for line in text.split("\n"):
        if len(line) > _LONGEST_LINE:
            message = "a macro expands to more than 1 MiB here; this line was left out"
            listing = read_listing("\n".join(kept[-5000:]) + "\n;\n")
            last = max(0, len(listing.code) - 2)
            job.say(findings.LIMIT, "error", message, listing.segment(last).path, listing.line(last))
            kept.append(";")
        else:
            kept.append(line)
    return "\n".join(kept)


def _explain_headers(job: _Job, plan: HeaderPlan, listing: Listing) -> None:
    """Says which headers were found by searching, which are bundled stand-ins, which are missing."""
    used = set(listing.files)
    for directory, names in plan.directories.items():
        shown = [n for n in dict.fromkeys(names) if os.path.normpath(os.path.join(directory, n)) in used]
        if not shown:
            continue
        file, line = plan.asked_at.get(shown[0], (str(job.path), 1))
        message = f"found {', '.join(shown)} in {job.project.in_tree(directory)}; give -I or -p if it is another one"
        job.say(findings.CHOSEN_HEADER, "note", message, file, line)
    absent = [os.path.normpath(f) for f in used if f.startswith(MISSING)]
    _explain_made(job, plan, used)
    for header, (file, line) in plan.missing.items():
        if any(f.endswith(os.path.normpath("/" + header)) for f in absent):
            message = f"header {header} is missing; names it defines stay symbols (give -I to find it)"
            job.say(findings.MISSING_HEADER, "warning", message, file, line)
    bundled = [os.path.relpath(f, STANDINS) for f in listing.files if f.startswith(str(STANDINS))]
    if bundled and not any(d.rule == findings.NO_COMPILER for d in job.diagnostics):
        message = f"bundled stand-ins were used for headers that are not installed: {', '.join(sorted(bundled))}"
        job.say(findings.CHOSEN_HEADER, "note", message, str(job.path), 1)


def _explain_made(job: _Job, plan: HeaderPlan, used: set[str]) -> None:
    """Says, in one note, which headers the build would make, and where the ones that were read come from."""
    said, answered, left = [], 0, 0
    for name, made in plan.made.items():
        if (made.template or f"<{name}>") in used:
            others = f", the nearest of {made.others + 1} templates" if made.others else ""
            origin = f"from {job.project.name(made.template)}{others}" if made.template else "from what is usual"
            said.append(f"{name} {origin}")
            answered, left = answered + made.answered, left + made.open
    if not said:
        return
    file, line = plan.asked_at.get(next(iter(plan.made)), (str(job.path), 1))
    names = f"; {answered} names are answered by this machine's headers, functions and sizes" if answered else ""
    rest = f", {left} left undefined" if left else ""
    message = f"made here, since the build that makes them has not run: {', '.join(said)}{names}{rest} (give -p or -I)"
    job.say(findings.CHOSEN_HEADER, "note", message, file, line)


def _without_compiler(job: _Job, flags: Flags, plan: HeaderPlan, broken: str | None) -> str:
    from tempfile import TemporaryDirectory

    from .builtin import preprocess_builtin

    reason = f"{broken} does not preprocess" if broken else "no C compiler was found"
    message = f"{reason}; the built-in preprocessor and headers were used (give --cc to choose one)"
    job.say(findings.NO_COMPILER, "note", message, str(job.path), 1)
    with TemporaryDirectory(prefix="boathull-") as folder:
        folder = os.path.realpath(folder)
        made = write_headers({name: made.text for name, made in plan.made.items()}, folder)
        directories = [*([made] if plan.made else []), *plan.directories]
        result = preprocess_builtin(job.path, job.text, flags, directories, job.options.abi)
    for name, stands_for in plan.made.items():
        result.text = result.text.replace(os.path.join(made, name), stands_for.template or f"<{name}>")
    result.read = {file for file in result.read if not file.startswith(folder)}
    plan.read.update(result.read)
    for header, (file, line) in result.missing.items():
        plan.missing.setdefault(header, (file, line))
        message = f"header {header} is missing; names it defines stay symbols (give -I to find it)"
        job.say(findings.MISSING_HEADER, "warning", message, file or str(job.path), line)
    if result.exploded:
        message = "preprocessing was stopped: macros expand to more than any program; the rest of the file is lost"
        job.say(findings.LIMIT, "error", message, str(job.path), 1)
    for path, line, message in result.errors:
        job.say(findings.PREPROCESSOR, "warning", message, path, line)
    return result.text
