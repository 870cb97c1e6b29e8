"""What the front end says of several files, said once: one missing header is one warning, whoever includes it.

JSON has every place. What a choice of the user leaves out (`selection.filters`) stands for nothing here.
"""

from collections import Counter

from msgspec.structs import replace

from .document import DiagnosticEntry, Document, FileEntry
from .findings import is_shown

OF_THE_RUN = frozenset(("SRC002", "SRC003", "SRC004", "SRC009"))
"""Rules about what is around the code: types and names that nothing declares, headers that are not found, or found
where nobody said. The same words are the same matter, wherever they are said."""
REPEATED = "repeated"
"""`unlisted`, of what was said of a file before."""


def said_once(document: Document, *, counted: bool = True) -> Document:
    """The document with what was said of a file before it marked; `counted`: the one that is listed says how many more
    files that are. Where nothing repeats the document itself.

    Example: "header gsl.h is missing (give -I to find it); so in 55 more files"."""
    listed = ({_key(d) for d in file.diagnostics if is_shown(file, d)} for file in document.files)
    often = Counter(key for keys in listed for key in keys)
    if all(n == 1 for n in often.values()):
        return document
    first: dict[object, FileEntry] = {}

    def marked(file: FileEntry, d: DiagnosticEntry) -> DiagnosticEntry:
        key = _key(d)
        if not is_shown(file, d) or often[key] == 1:
            return d
        if first.setdefault(key, file) is not file:
            return replace(d, unlisted=REPEATED)
        more = often[key] - 1
        return replace(d, message=f"{d.message}; so in {more} more file{'s'[: more > 1]}") if counted else d

    files = (replace(file, diagnostics=tuple(marked(file, d) for d in file.diagnostics)) for file in document.files)
    return replace(document, files=tuple(files))


def _key(d: DiagnosticEntry) -> tuple[object, ...]:
    """What says the same of another file: of the run, or of one line of a header; anything else is of its own place."""
    if d.rule in OF_THE_RUN:
        return d.rule, d.message
    return (d.rule, d.message, d.header, d.line) if d.header is not None else (id(d),)
