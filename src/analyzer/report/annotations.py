"""Findings as comments in the pull request: GitHub's workflow commands, GitLab's code quality report."""

import hashlib
import json
from typing import Any

from ..rules.catalogue import BY_ID, LEVELS
from .cleaning import visible
from .document import Document
from .findings import Finding, findings, identities, is_listed, ranked
from .lean import lean
from .paths import in_repository
from .repeated import said_once

SHOWN_BY_GITHUB = 10
"""Annotations of one level that GitHub shows for one step of a job (its documentation of limits)."""

_GITHUB = {"note": "notice", "warning": "warning", "error": "error"}
_GITLAB = {"note": "info", "warning": "minor", "error": "major"}


def github(document: Document) -> str:
    """One command per line, the most important of each level; the last of a level says how many are left out."""
    found = list(findings(document))
    lines: list[str] = []
    for level in reversed(LEVELS):
        of_level = ranked(f for f in found if f.level == level)
        kept = of_level if len(of_level) <= SHOWN_BY_GITHUB else of_level[: SHOWN_BY_GITHUB - 1]
        lines += [_command(finding, in_repository(document, finding.path)) for finding in kept]
        if len(kept) < len(of_level):
            more = f"{len(of_level) - len(kept)} more findings of level {level} are not shown"
            lines.append(f"::{_GITHUB[level]} title=analyze::{more}")
    return "".join(f"{line}\n" for line in lines)


def _command(finding: Finding, path: str) -> str:
    last = finding.loop.end_line if finding.loop else finding.line
    properties = {
        "file": path,
        "line": max(finding.line, 1),
        "endLine": max(last, finding.line, 1),
        "col": max(finding.column, 1),
        "title": f"{finding.rule} {BY_ID[finding.rule].title}",
    }
    if properties["endLine"] != properties["line"]:
        del properties["col"]  # GitHub refuses columns for several lines
    written = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_GITHUB[finding.level]} {written}::{_data(finding.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def gitlab(document: Document) -> str:
    """A JSON array with one issue per finding; `fingerprint` stays when code around it moves."""
    once = said_once(lean(document), counted=False)  # what a result says is part of what it is known by
    listed = ((f, identity) for f, identity in identities(once) if is_listed(f))
    issues = [_issue(f, in_repository(document, f.path), identity) for f, identity in listed]
    return json.dumps(issues, ensure_ascii=False, indent=1) + "\n"


def _issue(finding: Finding, path: str, identity: str) -> dict[str, Any]:
    return {
        "description": visible(finding.message),
        "check_name": finding.rule,
        "fingerprint": _unique(path, identity),
        "severity": _GITLAB[finding.level],
        "location": {"path": path, "lines": {"begin": max(finding.line, 1)}},
    }


def _unique(path: str, identity: str) -> str:
    return hashlib.sha256(f"{path}\0{identity}".encode("utf-8", "replace")).hexdigest()
