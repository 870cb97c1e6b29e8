"""The conditions of an answer in words."""

from ..ir.reasons import AssumptionKind
from .loop_entries import ConditionEntry

MEANINGS: dict[str, str] = {
    AssumptionKind.DISTINCT: "what the loop writes through one of the pointers it touches through no other",
    AssumptionKind.INJECTIVE: "no value occurs twice in the part that is used",
    AssumptionKind.MONOTONE: "no value is smaller than the one before",
    AssumptionKind.RISING: "each value is larger than the one before",
    AssumptionKind.SLICES: "what an iteration touches from there on lies before the places at which later ones begin",
    AssumptionKind.COLOURS: "the rows that the loop selects by the list are different, and none uses what belongs to "
    "another one",
    AssumptionKind.SCRATCH: "what an iteration does, and what comes after the loop, is the same whatever earlier ones "
    "have left there: each sets what it reads",
    AssumptionKind.AT_LEAST: "no size is smaller: each iteration has elements, or rows, of its own",
    AssumptionKind.AT_MOST: "no size, offset or value that is used is larger",
    AssumptionKind.PURE: "what is called only gives a value, and reads nothing that the loop writes",
    AssumptionKind.INDEPENDENT: "what is called reports no error, changes no index, bound or pointer that the loop "
    "uses, nothing that another iteration touches, and uses nothing that another one changes; of what each has a copy, "
    "it sets what it reads",
    AssumptionKind.COLD: "errors are reported there or end the program, progress or a trace is printed, or a flag is "
    "set that stops the loop: that is not done",
    AssumptionKind.NO_EXIT: "the loop is not left there",
}


def condition_words(condition: ConditionEntry) -> str:
    """Example: "injective(idx): no value occurs twice in the part that is used"."""
    named = f"{condition.kind}({condition.text})"
    meaning = MEANINGS.get(condition.kind or "")
    if condition.kind == AssumptionKind.INJECTIVE and (condition.text or "").startswith("("):
        several = "pair" if (condition.text or "").count(",") == 1 else "combination"
        meaning = f"no {several} of values occurs twice in the parts that are used"
    return f"{named}: {meaning}" if meaning else named
