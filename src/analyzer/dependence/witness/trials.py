"""What is tried where an answer is open, one after the other: runs of small instances, trials from some state."""

from ..finding import Finding
from ..function_facts import Surroundings
from ..scope import Scope
from .carried_memory import carried_memory
from .carried_pointers import carried_pointers
from .decided import decided
from .ended import ended
from .executed import executed
from .ordered_calls import ordered_calls


def witnessed(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """The finding with what runs of two iterations and more show of it; as it is where that is nothing."""
    total = ended(around, scope, executed(around, scope, total))
    total = carried_pointers(around, scope, total)
    if not scope.supposing:  # whatever is supposed: how the loop ends was asked before
        total = decided(around, scope, total)
    return ordered_calls(around, scope, carried_memory(around, scope, total))
