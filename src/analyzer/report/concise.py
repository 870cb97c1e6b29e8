"""One line per finding: `path:line:column: RULE message`, for editors and grep."""

from .document import Document
from .findings import findings


def render(document: Document) -> str:
    lines = (f"{f.path}:{f.line}:{f.column}: {f.rule} {' '.join(f.message.split())}\n" for f in findings(document))
    return "".join(lines)
