"""SARIF 2.1.0 (OASIS standard), as code scanning services take it.

One run, one result per finding; rules with their pages as help. Paths are relative to `%SRCROOT%`. The fingerprint
`boathullLoop/v1` stays when code around a loop moves. What a comment in the source asks to ignore is there, marked as
suppressed, and so is what a baseline knows, as unchanged. No more results than GitHub keeps: the most important stay,
new ones first, and a notification says how many do not.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from ..ir.reasons import ReasonCode
from ..rules.catalogue import RULES, Rule
from .cleaning import visible
from .document import ChangeEntry, Document, LoopEntry
from .findings import Finding, identities, is_listed, ranked
from .lean import lean
from .paths import in_repository
from .repeated import said_once
from .rulepage import markdown

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "boathullLoop/v1"
MOST_RESULTS = 5000
"""Results of one run that GitHub keeps (its documentation, "SARIF results exceed one or more limits": up to 25 000 are
taken, the top 5000 are kept)."""

_INDEX = {rule.id: index for index, rule in enumerate(RULES)}


def render(document: Document) -> str:
    """The log as indented JSON with a final newline."""
    once = said_once(lean(document), counted=False)  # what a result says is part of what it is known by
    found = [(f, identity) for f, identity in identities(once) if f.unlisted in (None, "baseline")]
    kept = {id(f) for f in sorted(ranked(f for f, _ in found), key=is_listed, reverse=True)[:MOST_RESULTS]}
    compared = any(f.unlisted == "baseline" for f, _ in found)
    results = [
        _result(f, in_repository(document, f.path), identity, compared) for f, identity in found if id(f) in kept
    ]
    run = {
        "tool": {"driver": _driver(document)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "the root of the repository"}}},
        "automationDetails": {"id": f"{document.tool.name}/"},
        "invocations": [_invocation(document, len(found) - len(results))],
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


# --- the tool and its rules


def _driver(document: Document) -> dict[str, Any]:
    version = document.tool.version
    rules = [_rule(rule) for rule in RULES]
    return {"name": document.tool.name, "organization": "boathull", "version": version, "rules": rules}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in (rule.code or rule.title).replace("-", " ").split()),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.why} {rule.fix}"},
        "help": {"text": f"{rule.why}\n\n{rule.fix}", "markdown": markdown(rule)},
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": ["performance"]},
    }


def _invocation(document: Document, left_out: int) -> dict[str, Any]:
    failed = document.summary.reasons.get(ReasonCode.INTERNAL_ERROR, 0) > 0
    invocation: dict[str, Any] = {"executionSuccessful": not failed}
    if left_out:
        text = f"{left_out} findings are left out: a run holds at most {MOST_RESULTS}; the most important are kept"
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    return invocation


# --- one result


def _result(finding: Finding, path: str, identity: str, compared: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": _INDEX[finding.rule],
        "level": finding.level,
        "message": {"text": _plain(finding.message)},
        "locations": [_location(finding, path)],
        "partialFingerprints": {FINGERPRINT: identity},
    }
    if finding.loop is not None:
        related = list(_related(path, finding.loop))
        result |= {"relatedLocations": related} if related else {}
        result["properties"] = _properties(finding.loop)
        if finding.rule.startswith(("PAR", "OFF")) and finding.loop.change is not None:
            result["fixes"] = [_fix(finding.loop.change, path)]
    if compared:
        result["baselineState"] = "unchanged" if finding.unlisted == "baseline" else "new"
    if finding.ignored is not None:
        said = {"justification": visible(finding.ignored)} if finding.ignored else {}
        result["suppressions"] = [{"kind": "inSource", "status": "accepted", **said}]
    return result


def _fix(change: ChangeEntry, path: str) -> dict[str, Any]:
    """What editors and services offer to write (3.55)."""
    replacements = [
        {
            "deletedRegion": {
                "startLine": e.line,
                "startColumn": e.column,
                "endLine": e.end_line,
                "endColumn": e.end_column,
            },
            "insertedContent": {"text": e.text.encode("utf-8", "replace").decode()},
        }
        for e in change.edits
    ]
    changes = [{"artifactLocation": _artifact(path), "replacements": replacements}]
    return {"description": {"text": _plain(change.directive)}, "artifactChanges": changes}


def _plain(text: str) -> str:
    """A message without links: SARIF reads `[text](target)` as one (3.11.6), and C may hold it, as in `call[i](x)`."""
    return visible(text).replace("](", "] (")


def _location(finding: Finding, path: str) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(finding.line, 1), "startColumn": max(finding.column, 1)}
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(path), "region": region}}
    if finding.loop is not None:
        region["endLine"] = max(finding.loop.end_line, region["startLine"])
        location["logicalLocations"] = [{"name": finding.loop.function, "kind": "function"}]
    return location


def _artifact(path: str) -> dict[str, str]:
    """An absolute path has no root to be relative to."""
    if path.startswith("/"):
        return {"uri": f"file://{_quoted(path)}"}
    return {"uri": _quoted(path), "uriBaseId": "%SRCROOT%"}


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def _related(path: str, loop: LoopEntry) -> Iterator[dict[str, Any]]:
    """The two accesses of the dependence that keeps the loop from being parallel."""
    reason = loop.reason
    if reason is None or reason.accesses is None:
        return
    lines = reason.access_lines or (reason.line, reason.line)
    for number, (text, line) in enumerate(zip(reason.accesses, lines, strict=True)):
        yield {
            "id": number,
            "message": {"text": _plain(text)},
            "physicalLocation": {"artifactLocation": _artifact(path), "region": {"startLine": max(line, 1)}},
        }


def _properties(loop: LoopEntry) -> dict[str, Any]:
    """What readers that know the tool may want besides the message."""
    r = loop.recommendation
    said: dict[str, Any] = {"loop": loop.id, "verdict": r.verdict, "reason": r.reason.code, "parallel": loop.parallel}
    if loop.class_ is not None:
        said["class"] = loop.class_
    if r.speedup is not None:
        said |= {"device": r.device, "candidate": r.candidate, "speedup": float(r.speedup.likely)}
    return said
