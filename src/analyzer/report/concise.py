"""One line per finding, as compilers write it, for editors and grep: `path:line:column: level: message [RULE]`."""

from ..rules.catalogue import Level
from .document import Document
from .findings import Finding, findings
from .terminal import Style

LEVEL_COLORS: dict[Level, str] = {"note": "1;36", "warning": "1;35", "error": "1;31"}
"""Those of gcc and clang."""


def render(document: Document, style: Style | None = None) -> str:
    return "".join(f"{_line(finding, style or Style())}\n" for finding in findings(document))


def _line(f: Finding, style: Style) -> str:
    place = style.paint(f"{f.path}:{max(f.line, 1)}:{max(f.column, 1)}:", "1")
    said = f"{place} {style.paint(f'{f.level}:', LEVEL_COLORS[f.level])} {f.message} [{f.rule}]"
    return " ".join(said.split())
