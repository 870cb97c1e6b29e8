"""A mapping as an instruction to the person who ports the nest."""

from ..base.lists import listed
from ..ir.nodes import Loop
from .arrangements import Arrangement
from .rearranged import Hoisted


def described(a: Arrangement, form: str = "plain", shared: tuple[Loop, ...] = (), sums: tuple[Loop, ...] = ()) -> str:
    """What becomes of the loops, and what has to be done for it first.

    Example: "collapse i and j after exchanging j and k"; "a thread block for each i, its threads sum over j"."""
    names = listed(_name(each) for each in a.threads)
    if form == "plain":
        return _said(a, f"collapse {names}" if len(a.threads) > 1 else f"a thread for each {names}")
    who = "a thread block" if form == "block" else "a column of 32 threads"
    inside = listed(_name(each) for each in shared)
    does = f"sum over {inside} in a tree" if sums else f"share the iterations of {inside}"
    return _said(a, f"{who} for each {names}", f", its threads {does}")


def tiled(a: Arrangement, side: int, arrays: tuple[str, ...]) -> str:
    """Example: "collapse i and j, 4 x 4 of them for each thread, with tiles of A and B in shared memory"."""
    names = listed(_name(each) for each in a.threads)
    rest = f", {side} x {side} elements for each thread, tiles of {listed(arrays)} in shared memory"
    return _said(a, f"collapse {names}", rest)


def staged(a: Arrangement, arrays: tuple[str, ...]) -> str:
    """Example: "collapse i and j, tiles of A in shared memory"."""
    names = listed(_name(each) for each in a.threads)
    return _said(a, f"collapse {names}", f", tiles of {listed(arrays)} in shared memory")


def _said(a: Arrangement, first: str, rest: str = "") -> str:
    moves = [each for move in a.moves for each in _moved(move)]
    after = f" after {' and '.join(moves)}" if moves else ""
    summed = [s.text for s in a.answers[a.threads[0].key].separated if s.role == "reduction" and s.array]
    updates = f"; {listed(summed)} updated atomically" if summed else ""
    return f"{first}{after}{rest}{updates}"


def _moved(move: Hoisted) -> list[str]:
    name = _name(move.loop)
    said = []
    if move.crossed:
        said.append(f"exchanging {listed([name, *(_name(each) for each in move.crossed)])}")
    if move.taken > 1:
        said.append(f"fusing the {move.taken} loops over {name}")
    return said


def _name(loop: Loop) -> str:
    return loop.variable or f"the loop of line {loop.place.line}"
