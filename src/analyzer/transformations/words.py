"""A form as an instruction to the person who writes it, and why the program stays equal."""

from collections.abc import Iterable

from ..base.lists import listed
from ..facts.loop import Assumption, Verdict
from ..ir.nodes import Loop, statements
from ..ir.reasons import AssumptionKind
from .distribution import Distributed
from .exchange import Exchanged
from .fusion import Fused


def of_exchange(made: Exchanged) -> tuple[str, str]:
    """What to write, and why that is right.

    Example: "move the loop over j (line 4) right inside the loop over k (line 5): neighbouring iterations then use
    neighbouring elements of b and c"."""
    loop, inner = _named(made.loop), _named(made.over[-1])
    inside = "" if len(made.over) == 1 else " and those around it"
    text = f"move the loop over {loop} right inside the loop over {inner}{inside}"
    if made.parted:
        text += f", with what stands beside that in loops over {made.loop.variable or 'the same'} of their own"
    if made.expanded:
        names = listed([f"`{v.name}`" for v in made.expanded])
        text += f" and an element of {names} for each iteration"
    text += f": neighbouring iterations then use neighbouring elements of {listed(list(made.better))}"
    over = f"the loop over {made.loop.variable}" if made.loop.variable else "it"
    legality = f"the iterations of {over} are independent: all that conflicts stays in its order"
    return text, (_rounded(made.reorders) or legality) + _given(made.answers[made.loop.key].assumptions)


def _rounded(reorders: tuple[str, ...]) -> str:
    """Of sums in another order; nothing where there are none."""
    verb = "is" if len(reorders) == 1 else "are"
    return f"equal but for rounding: {listed(list(reorders))} {verb} added up in another order" if reorders else ""


def of_fusion(made: Fused) -> tuple[str, str]:
    """Example: "make one loop of those in lines 4 and 8: what one brings of a is there for the next"."""
    lines = listed([str(loop.place.line) for loop in made.loops])
    brought = listed(list(made.shared))
    text = f"make one loop of those in lines {lines}: what one brings of {brought} is there for the next"
    legality = _rounded(made.reorders) or "what conflicts is in one iteration, and stays in its order"
    return text, legality + _given(made.answers[made.loop.key].assumptions)


def of_distribution(made: Distributed) -> tuple[str, str]:
    """Example: "divide the loop into one for line 4 (independent iterations) and one for line 5 (in order)"."""
    parts = []
    for piece, part in zip(made.pieces, made.parts, strict=True):
        lines = sorted({s.place.line for s in statements(piece)})
        where = f"line {lines[0]}" if lines[0] == lines[-1] else f"lines {lines[0]} to {lines[-1]}"
        free = made.answers[part.key].verdict is Verdict.YES
        parts.append(f"one for {where} ({'independent iterations' if free else 'in order'})")
    text = f"divide the loop into {listed(parts)}"
    if made.expanded:
        text += f", with an element of {listed([f'`{v.name}`' for v in made.expanded])} for each iteration"
    legality = "nothing leads from a later one to an earlier one: the results are equal"
    free_of = (a for part in made.parts for a in made.answers[part.key].assumptions)
    return text, legality + _given((*made.given, *free_of))


def _given(assumptions: Iterable[Assumption]) -> str:
    """What it rests on; a sum in another order is said otherwise."""
    names = sorted({str(a) for a in assumptions if a.kind is not AssumptionKind.FP_REORDER})
    return f"; given {', '.join(names)}" if names else ""


def _named(loop: Loop) -> str:
    return f"{loop.variable or '?'} (line {loop.place.line})"
