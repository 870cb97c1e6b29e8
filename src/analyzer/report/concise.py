"""One line per finding: `path:line:column: RULE message`, for editors and grep."""

from .document import Document
from .findings import findings


def render(document: Document) -> str:
    lines = (f"{f.path}:{max(f.line, 1)}:{max(f.column, 1)}: {f.rule} {f.message}" for f in findings(document))
    return "".join(" ".join(line.split()) + "\n" for line in lines)
