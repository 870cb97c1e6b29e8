"""From a file on disk to a listing: flags, headers, compiler, and what to do when any of them is missing."""

import os
import re
from pathlib import Path

from msgspec import Struct, field

from ..errors import InputError
from ..options import SourceOptions
from ..places import Place
from . import findings
from .abi import abi_of
from .compiler import Complaint, complaints, find_compiler, run_preprocessor
from .flags import Flags, find_database, flags_of
from .headers import STANDINS, HeaderPlan, empty_headers, plan_headers
from .inputs import Inputs
from .listing import Listing, read_listing
from .process import OUTPUT_LIMIT_BYTES, WALL_LIMIT_S, Outcome
from .project import Project
from .unit import Abi, Diagnostic, Level

MISSING = "<missing>"
"""Begins the path of an empty file that stands for a missing header."""

_MOST_RUNS = 30
_KEPT_BYTES = 1 << 20
"""How much of the output is read on when the preprocessor was stopped."""
_UNIVERSAL = re.compile(r"\\U(000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})")
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
    plan = plan_headers(path, text, flags.directories, project, compiler is not None)
    output = _with_compiler(job, compiler, flags, plan) if compiler else None
    if output is None:
        output = _without_compiler(job, flags, plan, compiler)
    listing = read_listing(_without_explosions(job, output))
    _explain_headers(job, plan, listing)
    incomplete = any(f.startswith(MISSING) for f in listing.files) or any(
        d.rule in (findings.MISSING_HEADER, findings.PREPROCESSOR) for d in job.diagnostics
    )
    inputs = _inputs(job, compiler, flags, plan, listing)
    return Preprocessed(listing, abi_of(listing.macros, options.abi), job.diagnostics, inputs, incomplete)


def _inputs(job: _Job, compiler: str | None, flags: Flags, plan: HeaderPlan, listing: Listing) -> Inputs:
    database = find_database(job.path, job.options.build_dir)
    read = {f for f in listing.files if not f.startswith("<")} | plan.read
    placed = {os.path.join(here, f) for f in read for here in (job.path.parent, os.getcwd())}
    return Inputs(
        files=tuple(sorted(placed - {str(job.path)})),
        directories=tuple(dict.fromkeys((*flags.directories, *plan.directories))),
        compiler=compiler,
        machine=tuple(a for a in flags.arguments if a.startswith("-m")),
        names=tuple(sorted(plan.missing)),
        database=None if database is None else str(database),
        tree=str(job.project.searched),
        tree_names=tuple(sorted(plan.asked_at)),
        stopped=any(d.rule == findings.LIMIT for d in job.diagnostics),
    )


def _with_compiler(job: _Job, compiler: str, flags: Flags, plan: HeaderPlan) -> str | None:
    """The compiler's output; None if this is no compiler that preprocesses."""
    try:
        return _preprocessed(job, compiler, flags, plan)
    except OSError:
        return None


def _preprocessed(job: _Job, compiler: str, flags: Flags, plan: HeaderPlan) -> str | None:
    arguments = [*flags.arguments, *(f"-I{d}" for d in plan.directories)]
    if not job.given:
        outcome = _run(job, compiler, arguments, None)
        found = complaints(outcome.errors)
        if outcome.code > 0 and not outcome.output and not found:
            _refuse_standard(job, compiler, outcome)
            return None
        if not any(c.header for c in found):
            return _text(job, outcome, found)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="boathull-") as folder:
        return _with_folder(job, compiler, arguments, plan, os.path.realpath(folder))


def _refuse_standard(job: _Job, compiler: str, outcome: Outcome) -> None:
    """InputError where the compiler does not know the standard that the user asks for."""
    wanted = job.options.standard
    said = (line for line in outcome.errors.decode(errors="replace").splitlines() if f"-std={wanted}" in line)
    words = next(said, None) if wanted else None
    if words is not None:
        place = Place(job.project.name(str(job.path)), 0)
        raise InputError(f"--std {wanted}: {os.path.basename(compiler)} says: {words}", place)


def _with_folder(job: _Job, compiler: str, arguments: list[str], plan: HeaderPlan, folder: str) -> str:
    """Preprocesses again and again until every missing header has an empty stand-in in `folder`."""
    stdin = _as_file(job, folder) if job.given else None
    empty = set(plan.missing)
    for _ in range(_MOST_RUNS):
        directory = empty_headers(empty, folder)
        outcome = _run(job, compiler, [*arguments, "-idirafter", directory], stdin)
        found = complaints(outcome.errors)
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
    output = outcome.output[: _KEPT_BYTES if outcome.stopped or outcome.code < 0 else None]
    text = output.decode("utf-8", "surrogateescape")
    return _UNIVERSAL.sub(lambda m: chr(int(m[1], 16)), text) if "\\U" in text else text


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
    elif outcome.code < 0 or b"terminated program" in outcome.errors or b"out of memory" in outcome.errors:
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
        message = f"found {', '.join(shown)} in {job.project.name(directory)}; give -I or -p if it is another one"
        job.say(findings.CHOSEN_HEADER, "note", message, file, line)
    absent = [os.path.normpath(f) for f in used if f.startswith(MISSING)]
    for header, (file, line) in plan.missing.items():
        if any(f.endswith(os.path.normpath("/" + header)) for f in absent):
            message = f"header {header} is missing; names it defines stay symbols (give -I to find it)"
            job.say(findings.MISSING_HEADER, "warning", message, file, line)
    bundled = [os.path.relpath(f, STANDINS) for f in listing.files if f.startswith(str(STANDINS))]
    if bundled and not any(d.rule == findings.NO_COMPILER for d in job.diagnostics):
        message = f"bundled stand-ins were used for headers that are not installed: {', '.join(sorted(bundled))}"
        job.say(findings.CHOSEN_HEADER, "note", message, str(job.path), 1)


def _without_compiler(job: _Job, flags: Flags, plan: HeaderPlan, broken: str | None) -> str:
    from .builtin import preprocess_builtin

    reason = f"{broken} does not preprocess" if broken else "no C compiler was found"
    message = f"{reason}; the built-in preprocessor and headers were used (give --cc to choose one)"
    job.say(findings.NO_COMPILER, "note", message, str(job.path), 1)
    result = preprocess_builtin(job.path, job.text, flags, [*plan.directories], job.options.abi)
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
