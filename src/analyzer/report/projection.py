"""The projection of the whole application, for people: a table by idiom, the best device of each block, the sum."""

from collections.abc import Iterator

from ..base.amounts import factor
from .document import BlockEntry, Options, ProjectionEntry

MOST_BLOCKS = 12
LEAST_REST = 1e-6


def lines(entry: ProjectionEntry, made: Options) -> Iterator[str]:
    """At most a screen of text; JSON has all blocks."""
    source = "the profile's times" if entry.measured else "predicted host times, since the profile has none"
    copies = "without copies" if made.resident else "transfers included"
    yield f"Projection  coverage from {source};"
    yield f"            speedups by the model {made.model}, {copies}"
    devices = list(dict.fromkeys(name for gain in entry.idioms for name in gain.speedups))
    yield _row("idiom", "coverage", *devices)
    for gain in entry.idioms:
        factors = (factor(float(gain.speedups[name])) if name in gain.speedups else "-" for name in devices)
        yield _row(gain.idiom, _percent(float(gain.coverage)), *factors)
    yield _row("block", "coverage", "best")
    for block in entry.blocks[:MOST_BLOCKS]:
        yield _row(_place(block), _percent(float(block.coverage)), _best(block))
    for function in (entry.functions or ())[:MOST_BLOCKS]:
        yield _row(f"{function.function}()", _percent(float(function.coverage)), "which loop?")
    if len(entry.blocks) > MOST_BLOCKS:
        yield f"  and {len(entry.blocks) - MOST_BLOCKS} more, which -f json lists"
    whole = "no time remains" if entry.speedup is None else f"{float(entry.speedup):.3g}x"
    if not entry.measured:
        yield f"  all blocks together: {whole}"
    else:
        rest = 1 - float(entry.covered)
        most = f"{1 / rest:.3g}x" if rest > LEAST_REST else "unlimited"
        yield f"  the program as a whole: {whole}; were the blocks infinitely fast: {most}"


def _row(name: str, *cells: str) -> str:
    return (f"  {name:<32}" + "".join(f"{cell:>18}" for cell in cells)).rstrip()


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _place(block: BlockEntry) -> str:
    path, function, line, *_ = block.loop.rsplit(":", 3)
    return f"{path.rsplit('/', 1)[-1]}:{line} {function}()"


def _best(block: BlockEntry) -> str:
    return "host" if block.speedup == 1 else f"{block.device} {factor(float(block.speedup))}"
