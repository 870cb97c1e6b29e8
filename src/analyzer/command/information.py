"""Output that needs no analysis: lists, rule pages, settings, shell completion."""

import argparse
import difflib

from .. import __version__
from ..base.errors import InputError
from ..settings.config import Settings
from .arguments import parser


def answer(arguments: argparse.Namespace, settings: Settings) -> str | None:
    """The text an information option asks for; None where an analysis is wanted."""
    if arguments.version:
        return f"analyze {__version__}\n"
    if arguments.list_targets:
        return targets()
    if arguments.list_models:
        return models(settings["model"])
    if arguments.list_rules:
        return rules_json() if settings["format"] == ("json",) else rules()
    if arguments.explain is not None:
        return rule_page(arguments.explain)
    if arguments.show_config:
        return configuration(settings)
    if arguments.completion is not None:
        return completion(arguments.completion)
    return None


def targets() -> str:
    from models.catalogue import DEFAULT_HOST, device_ids, find_device

    devices = [find_device(name) for name in device_ids()]
    width = max(len(d.id) for d in devices)
    marked = {DEFAULT_HOST: "  (default host)"}
    return "".join(f"{d.id:<{width}}  {d.kind}  {d.name}{marked.get(d.id, '')}\n" for d in devices)


def models(chosen: str) -> str:
    from ..advise import DEFAULT_MODEL, MODELS

    mark = {DEFAULT_MODEL: "*"}
    lines = [f"{mark.get(name, ' ')} {name}  {model.summary}\n" for name, model in MODELS.items()]
    return "".join(lines) + "* default\n" + (f"configured: {chosen}\n" if chosen != DEFAULT_MODEL else "")


def rules() -> str:
    from ..rules.catalogue import RULES

    return "".join(f"{r.id}  {r.level:<7}  {r.title}\n" for r in RULES)


def rules_json() -> str:
    """The rules as a JSON array: id, family, level, title, code (of the reason; null for others), why, fix."""
    import json

    from ..rules.catalogue import RULES

    listed = [
        {"id": r.id, "family": r.id[:3], "level": r.level, "title": r.title, "code": r.code, "why": r.why, "fix": r.fix}
        for r in RULES
    ]
    return json.dumps(listed, indent=1, ensure_ascii=False) + "\n"


def rule_page(name: str) -> str:
    from ..rules.catalogue import BY_ID, explain

    rule = BY_ID.get(name.upper())
    if rule is None:
        near = difflib.get_close_matches(name.upper(), BY_ID, n=3, cutoff=0.4)
        offer = f"; did you mean {', '.join(near)}?" if near else "; see --list-rules"
        raise InputError(f"unknown rule {name!r}{offer}")
    return explain(rule)


def configuration(settings: Settings) -> str:
    from ..report.cleaning import visible

    width = max(map(len, settings.values))
    said = (f"{name:<{width}}  {_shown(value)}  ({settings.origin[name]})" for name, value in settings.values.items())
    return "".join(f"{visible(line, len(line) * 6)}\n" for line in said)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(_entry(item) for item in value) or "-"
    return "-" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _entry(item: object) -> str:
    """One of several values; of `per-path-ignores` a pattern and its rules."""
    match item:
        case (pattern, tuple() as rules):
            return f"{pattern} = {' '.join(map(str, rules))}"
        case _:
            return str(item)


def completion(shell: str) -> str:
    """A script that completes options, the values of those that have a list, and paths."""
    import shtab

    top, values = parser(), _values()
    for action in top._actions:
        for option in (*action.option_strings, action.dest):
            if option in values:
                action.choices = values[option]
            if option in _PATHS:
                action.complete = getattr(shtab, _PATHS[option])  # type: ignore[attr-defined]
    script: str = shtab.complete(top, shell=shell)
    return script + "\n"


_PATHS = {
    "paths": "FILE", "-I": "DIRECTORY", "-p": "DIRECTORY", "--cache-dir": "DIRECTORY", "--cc": "FILE",
    "--profile": "FILE", "--from-json": "FILE", "--compare": "FILE", "--baseline": "FILE", "--write-baseline": "FILE",
}  # fmt: skip
"""What completes a path: files or directories."""


def _values() -> dict[str, list[str]]:
    """By option, the values that there are."""
    from models.catalogue import device_ids, find_device
    from models.communication import systems

    from ..advise import MODELS
    from ..rules.catalogue import BY_ID, FAMILIES
    from .arguments import FORMATS

    devices, rules = list(device_ids()), sorted(BY_ID)
    return {
        "--target": devices,
        "--host": [name for name in devices if find_device(name).kind == "cpu"],
        "--model": list(MODELS),
        "--network": list(systems()),
        "--format": list(FORMATS),
        "--explain": rules,
        "--select": [*sorted(FAMILIES), *rules],
        "--ignore": [*sorted(FAMILIES), *rules],
    }
