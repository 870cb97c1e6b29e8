"""Reads from a copy: every dependence goes from a read to a later write of the element.

*Decides*: whether no iteration reads what an earlier one has stored, so that a copy of the array, made before the loop,
has all values that the loop reads. *Errs toward* no.

    for (i...) a[i] = a[i+1] + b[i];         ->  read a[i+1] from a copy
    for (i...) a[i] = a[i-1] + b[i];         ->  none: the value of the iteration before
"""

from ..access.accesses import Occurrence
from ..dependence.outcome import Dependence, Independent
from ..dependence.pairs import between, may_meet_in_one_iteration
from ..facts.loop import Alternative, LoopFacts
from ..ir.nodes import Expression, statements
from ..ir.reasons import ReasonCode
from ..memory.alias import c_text
from .variant import Variants, are_parallel, given, loads


def found(variants: Variants, facts: LoopFacts) -> tuple[Alternative, ...]:
    """That a copy makes the loop parallel, if it does. Example: see the module."""
    reason = facts.parallelism.reason
    if reason is None or reason.code is not ReasonCode.CARRIED_DEPENDENCE or variants.loop.trip is None:
        return ()
    scope = variants.scope
    early: dict[int, Occurrence] = {}
    for write in scope.writes:
        for read in scope.occurrences:
            of_one = not read.write and read.access.object == write.access.object
            if of_one and isinstance(between(scope, read, write, show=False), Dependence):
                early[id(read.access)] = read
    if not early or any(not _reads_old_values(variants, read) for read in early.values()):
        return ()
    reads: list[Expression] = [e for s in statements(variants.loop.body) for e in loads(s) if id(e.access) in early]
    answers = variants.answers(variants.without(reads))
    if not are_parallel(answers):
        return ()
    names = sorted({c_text(read.access.object) for read in early.values()})
    texts = sorted({read.access.text for read in early.values()})
    which = ", ".join(f"`{text}`" for text in texts)
    arrays = ", ".join(f"`{name}`" for name in names)
    text = f"a copy: read {which} from a copy of {arrays} made before the loop: its iterations are parallel then"
    legality = "no iteration reads what an earlier one stored, so the copy has all values: the results are equal"
    return (Alternative("copy", text, legality + given(answers)),)


def _reads_old_values(variants: Variants, read: Occurrence) -> bool:
    """Whether what is read was there before the loop."""
    scope = variants.scope
    for write in scope.writes:
        if write.access.object != read.access.object:
            continue
        if not isinstance(between(scope, write, read, show=False), Independent):
            return False
        inner = len(write.loops) > 1 and len(read.loops) > 1 and write.loops[:2] == read.loops[:2]
        later = read.position > write.position or inner
        if later and may_meet_in_one_iteration(scope, write, read):
            return False
    return True
