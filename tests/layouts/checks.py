"""What must hold of a run over any source tree, seen from outside: from its reports and exit codes alone."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from .generated import Layout

Run = Callable[..., tuple[int, str, str]]
"""Runs the command in a directory: (directory, arguments) to exit code, standard output, standard error."""

OPTIONS = ("-t", "h200", "--model", "boat-hull", "--no-cache")


def troubles(made: Layout, given: Sequence[Path], directories: Sequence[Path], run: Run) -> Iterator[str]:
    """One line for each thing that is wrong with what the command says of the given paths, from each directory."""
    answers = []
    kept = made.top / "known.json"
    for turn, directory in enumerate(directories):
        typed = [_typed(path, directory) for path in (given if turn % 2 == 0 else reversed(given))]
        outputs = {name: made.top.parent / f"report.{name}" for name in ("sarif", "gitlab", "text")}
        formats = [word for name, path in outputs.items() for word in ("-f", f"{name}={path}")]
        known = ("--baseline" if turn else "--write-baseline", _typed(kept, directory))
        code, out, err = run(directory, *typed, *OPTIONS, "-f", "json", "--no-source", *formats, *known)
        if code != 0:
            yield f"{directory}: exit {code}: {err}"
            return
        report = json.loads(out)
        text, sarif, gitlab = (outputs[name].read_text(encoding="utf-8") for name in ("text", "sarif", "gitlab"))
        yield from _listed(made, list(given), directory, report)
        yield from _for_services(directory, report, json.loads(sarif), json.loads(gitlab), known=turn > 0)
        if turn == 0:
            yield from _next(directory, text, run)
        elif "not found any more" in err:
            yield f"{directory}: the baseline does not hold: {err}"
        answers.append(_answers(report, directory))
    if any(answer != answers[0] for answer in answers):
        yield f"answers depend on the directory or on the order of paths: {answers}"


def _typed(path: Path, directory: Path) -> str:
    name = os.path.relpath(path, directory)
    return f"./{name}" if name.startswith("-") else name


def _loops(report: Any) -> Iterator[tuple[str, Any]]:
    return ((file["path"], loop) for file in report["files"] for loop in file["loops"])


def _listed(made: Layout, given: list[Path], directory: Path, report: Any) -> Iterator[str]:
    paths = [file["path"] for file in report["files"]]
    ids = [loop["id"] for _, loop in _loops(report)]
    yield from (f"{directory}: {name} twice" for name, n in Counter([*paths, *ids]).items() if n > 1)
    yield from (f"{directory}: {path} does not open" for path in paths if not (directory / path).is_file())
    found = Counter((str((directory / p).resolve()), loop["function"], loop["line"]) for p, loop in _loops(report))
    expected = made.expected(given)
    if given != [made.top]:  # a header elsewhere may be out of reach, or foreign
        expected = {loop for loop in expected if loop[0].endswith(".c")}
        found = Counter({loop: n for loop, n in found.items() if loop[0].endswith(".c")})
    yield from (f"{directory}: lost {loop}" for loop in sorted(expected - found.keys()))
    yield from (f"{directory}: not there {loop}" for loop in sorted(found.keys() - expected))
    yield from (f"{directory}: {n} times {loop}" for loop, n in found.items() if n > 1)


def _answers(report: Any, directory: Path) -> list[tuple[Any, ...]]:
    return sorted(
        (str((directory / path).resolve()), loop["line"], loop["parallel"], loop["recommendation"]["verdict"])
        for path, loop in _loops(report)
    )


def _for_services(directory: Path, report: Any, sarif: Any, gitlab: Any, *, known: bool) -> Iterator[str]:
    """SARIF and GitLab: paths that exist below the root of the repository, one for each file. Where a baseline of
    another directory is given, everything is known."""
    results = sarif["runs"][0]["results"]
    named = {unquote(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for r in results}
    listed = {issue["location"]["path"] for issue in gitlab}
    if (listed != named) if not known else listed:
        yield f"{directory}: GitLab is shown {listed}, SARIF {named}"
    root = directory / report.get("repository", {"root": "."})["root"]
    yield from (f"{directory}: {path} is not in {root}" for path in sorted(named) if not (root / path).is_file())
    if len({(root / path).resolve() for path in named}) != len(named) or not named:
        yield f"{directory}: two names for one file: {named}"
    new = [result for result in results if known and result["baselineState"] != "unchanged"]
    yield from (f"{directory}: the baseline does not know {result['locations']}" for result in new)


def _next(directory: Path, text: str, run: Run) -> Iterator[str]:
    line = next(line for line in text.splitlines() if line.startswith("Next "))
    command = shlex.split(line.removeprefix("Next "))
    if "--why" not in command:
        return
    code, out, err = run(directory, *command[1:], "--no-cache")
    wanted = command[command.index("--why") + 1].removeprefix("./")
    if code != 0 or not out.startswith(f"{wanted}:"):
        yield f"{directory}: {line}: exit {code}: {err}{out[:80]}"
