"""The answer of a run in one sentence: how many loops pay where, how many are open, what the program gains."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from .document import Document, RecommendationEntry
from .program import faster
from .verdict_words import counted, placements


def answer(document: Document) -> str:
    """Example: "Of 126 loops, each by itself, 17 pay most on the threads or vectors of xeon6248, none on h200; 45 are
    open, as a size decides or ranges overlap. Placed together, 9 move to h200, and the program gets 66x faster (20x to
    180x)."."""
    verdicts = [loop.recommendation for file in document.files for loop in file.loops]
    if not verdicts:
        return "No loops were found."
    by_itself = ", each by itself," if document.program is not None else ""
    alone = f"Of {counted('loop', len(verdicts))}{by_itself} {'; '.join(_alone(document, verdicts))}."
    return " ".join((alone, *_together(document)))


def answered(document: Document) -> Document:
    """The document with its answer."""
    return replace(document, answer=answer(document))


def _alone(document: Document, verdicts: Sequence[RecommendationEntry]) -> Iterator[str]:
    """What pays by itself, place by place. A loop counts where it pays most, though other places may pay, too."""
    threads = f"the threads or vectors of {document.host}"
    on = Counter(r.device for r in verdicts if r.verdict == "offload")
    pays = {target: on[target] for target in document.targets}
    pays[threads] = sum(r.verdict == "host-parallel" for r in verdicts)
    most = " most" if len(pays) > 1 else ""
    said = "; ".join(f"{n} {_verb(n, 'pay')}{most} on {place}" for place, n in pays.items() if n)
    without = _either([f"on {place}" for place, n in pays.items() if not n])
    yield ", none ".join(filter(None, (said, without))) if said else f"none pays {without}"
    open_ = sum(r.verdict == "depends" for r in verdicts)
    if open_:
        yield f"{open_} {'is' if open_ == 1 else 'are'} open, as a size decides or ranges overlap"


def _either(places: Sequence[str]) -> str:
    """Example: `on gtx470, on h200 or on the threads of xeon6248`."""
    *first, last = places or ("",)
    return " or ".join(filter(None, (", ".join(first), last)))


def _together(document: Document) -> Iterator[str]:
    """What the program gains with every loop where its neighbours let it be."""
    program = document.program
    moves = Counter(p.to for p in placements(program).values() if p.to)
    if program is None or not moves:
        return
    to = " and ".join(f"{n} {_verb(n, 'move')} to {where}" for where, n in sorted(moves.items()))
    yield f"Placed together, {to}, and the program gets {faster(program)}."


def _verb(number: int, word: str) -> str:
    return f"{word}s" if number == 1 else word
