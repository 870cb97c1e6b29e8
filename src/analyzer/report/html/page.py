"""The document as a page: shell, content security policy, data blocks.

The policy allows the page's one script and its one style sheet by their hashes and nothing else: no network, no inline
handlers, no style attributes, no forms.
"""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from models.plots import picture
from models.units import steps

from ...advise.gains import MEASURED_GAIN
from ..cleaning import whole
from ..codec import plain
from ..conditions import MEANINGS
from ..document import Document, LoopEntry
from ..lean import lean
from ..next_step import on_file, typed
from ..repeated import said_once
from ..verdict_words import VERDICTS
from ..wording import HIDDEN_WORK
from . import blocks, listing
from .rows import COLUMNS, rows
from .summary import ASSUMED, roofs, summary
from .timeline import stretches

CHUNK = 64
"""Loops of one packed block: some hundred kilobytes once it is unpacked."""
SCRIPTS = (
    "text.js", "formulas.js", "mathml.js", "chart.js", "times.js", "figures.js", "surfaces.js", "table.js", "words.js",
    "source.js", "sizes.js", "terms.js", "sensitivity.js", "loop.js", "timeline.js", "main.js",
)  # fmt: skip
_FOLDER = Path(__file__).parent
_PICTURES = Path(picture.__file__).parent


def _seen(value: object) -> object:
    """What the template inserts: code may bring signs that cannot be seen. Scripts and styles are ours."""
    return whole(value) if type(value) is str else value


def render(document: Document) -> str:
    """The page, in ASCII but for what the analysed code brings, which is escaped.

    Not for a document whose texts were cut for people (`cleaning`): the page shows formulas of any length and marks
    what cannot be seen by itself. Without sources no line of the code is in the page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_seen,
    )  # fmt: skip
    script, style = _script(), _style()
    loops = (_told(loop, document) for file in document.files for loop in file.loops)
    short = said_once(lean(document))
    return environment.get_template("page.j2").render(
        policy=(
            f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        ),
        script=script,
        style=style,
        tool=document.tool,
        summary=summary(short),
        data=blocks.harmless(_index(short)),
        inks=blocks.harmless(picture.INKS),
        chunks=[blocks.packed(blocks.chunk(part)) for part in _parts(loops)],
        sources=_sources(document),
    )


def _script() -> str:
    """All scripts as one, after that of the models' pictures, which draws surfaces and reads charts out."""
    drawing = (_PICTURES / "page.js").read_text(encoding="utf-8")
    own = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return drawing + own


def _style() -> str:
    return (_FOLDER / "page.css").read_text(encoding="utf-8") + picture.dark_style()


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _index(document: Document) -> dict[str, object]:
    """What the table and the size controls need, and the devices' figures."""
    return {
        "columns": COLUMNS,
        "rows": list(rows(document)),
        "files": [file.path for file in document.files],
        **_commands(document),
        "sources": sorted(document.sources or ()),
        "chunk": CHUNK,
        "host": document.host,
        "targets": document.targets,
        "model": document.options.model,
        "minSpeedup": document.options.min_speedup,
        "gain": {"low": MEASURED_GAIN.low, "high": MEASURED_GAIN.high},
        "strictFp": document.options.strict_fp,
        "copies": "without copies" if document.options.resident else "transfers included",
        "devices": plain(document.devices),
        "symbols": [[s.scope, s.name, s.value, s.source] for s in document.symbols if s.source != "macro"],
        "verdicts": [words.name for words in VERDICTS],
        "assumed": ASSUMED | MEANINGS,
        "hiddenWork": sorted(HIDDEN_WORK),
        "roofs": plain(tuple(roofs(document))),
        "timeline": None if document.program is None else stretches(document.program),
        "units": {unit: steps(unit) for unit in ("s", "B", "B/s", "Hz")} | {"op/s": ((1e12, "Top/s"), *steps("op/s"))},
    }


def _commands(document: Document) -> dict[str, object]:
    """The commands that analyse the files once more, and which of them each file's is, with its path as it is typed."""
    every = [on_file(document, file.path) for file in document.files]
    numbers = {command: number for number, command in enumerate(dict.fromkeys(every))}
    paths = [typed(file.path) for file in document.files]
    return {"commands": list(numbers), "commandOf": [numbers[one] for one in every], "typed": paths}


def _parts(loops: Iterator[LoopEntry]) -> Iterator[list[LoopEntry]]:
    while part := list(islice(loops, CHUNK)):
        yield part


def _told(loop: LoopEntry, document: Document) -> LoopEntry:
    """The loop without the text of its source where that is to be left out."""
    if document.sources is not None:
        return loop
    reason = None if loop.reason is None else replace(loop.reason, accesses=None)
    return replace(loop, idioms=tuple(replace(i, code="") for i in loop.idioms), pragmas=(), reason=reason)


def _sources(document: Document) -> list[str]:
    found = sorted((document.sources or {}).items())
    return [blocks.packed(listing.lines(text)) for _, text in found]
