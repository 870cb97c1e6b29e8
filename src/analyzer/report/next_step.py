"""The next useful command after a run: the one thing that would make its answer better."""

from collections import Counter

from .document import Document, LoopEntry


def next_step(document: Document) -> str | None:
    """One command with what it brings; None for a run without loops."""
    loops = [(file, loop) for file in document.files for loop in file.loops]
    if not loops:
        return None
    paths = [file.path for file in document.files]
    again = f"analyze {paths[0]}" + (" ..." if len(paths) > 1 else "")
    if not document.targets:
        return f"{again} --target h200 compares with a device (analyze --list-targets)"
    target = f" -t {','.join(document.targets)}"
    worth = [(file, loop) for file, loop in loops if loop.recommendation.verdict in ("offload", "host-parallel")]
    missing = _missing_size(document)
    if missing is not None:
        return f"{again}{target} --size {missing}=VALUE decides loops whose size is unknown"
    if worth:
        file, loop = max(worth, key=lambda pair: _gain(pair[1]))
        return f"{again}{target} --why {file.path}:{loop.line} shows the arithmetic"
    return f"{again}{target} -f concise lists one line per finding; analyze --explain RULE says more"


def _missing_size(document: Document) -> str | None:
    """The symbol that most undecided loops wait for."""
    waiting: Counter[str] = Counter()
    for file in document.files:
        for loop in file.loops:
            for point in loop.recommendation.break_even:
                waiting[point.symbol] += 1
    return waiting.most_common(1)[0][0] if waiting else None


def _gain(loop: LoopEntry) -> float:
    speedup = loop.recommendation.speedup
    return 0.0 if speedup is None else float(speedup.likely)
