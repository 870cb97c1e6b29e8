"""Why an answer is not the better one: the closed list of reason codes (docs/json.md), and what assumptions are of.

Findings have a rule for each code worth telling (`rules.catalogue`), which says why it matters and what to do about it.
"""

from enum import StrEnum


class ReasonCode(StrEnum):
    """Its value is what reports print. Reports of later versions may have codes that are not here."""

    # it pays
    FASTER_ON_TARGET = "faster-on-target"
    """Some target is likely faster than the host, transfers included, and surely not slower."""
    FASTER_ON_HOST_THREADS = "faster-on-host-threads"
    """All host threads meet that test, and no target is faster."""

    # open
    UNKNOWN_SIZE = "unknown-size"
    """The better place depends on a size that is not known."""
    UNCERTAIN = "uncertain"
    """The ranges of the two times overlap."""

    # cannot be modelled
    UNPARSED = "unparsed"
    """The front end did not understand the code, or a type."""
    UNKNOWN_TRIP_COUNT = "unknown-trip-count"
    """The number of iterations is not known when the loop starts."""
    NON_AFFINE_ACCESS = "non-affine-access"
    """A subscript is no affine form of loop variables and sizes."""
    UNKNOWN_CALL = "unknown-call"
    """A called function is not visible."""
    SIDE_EFFECT = "side-effect"
    """Input, output, atomic accesses, communication: the order of effects matters."""
    VOLATILE = "volatile"
    """Accesses of volatile objects stay in order."""
    INLINE_ASM = "inline-asm"
    """What inline assembly does is not read."""
    EARLY_EXIT = "early-exit"
    """A statement may leave the loop before its last iteration."""
    IRREGULAR_CONTROL_FLOW = "irregular-control-flow"
    """Jumps that the loop IR does not hold."""
    MAY_ALIAS = "may-alias"
    """Two pointers may lead to one object."""
    TOO_COMPLEX = "too-complex"
    """The exact answer needs more work than is allowed, or has no closed form."""
    UNSUPPORTED_PRECISION = "unsupported-precision"
    """The device cannot compute with a type of the loop."""
    NO_DEVICE_FIGURE = "no-device-figure"
    """The model needs a figure that the device file does not have."""
    EXCEEDS_MEMORY = "exceeds-memory"
    """The data do not fit in the memory of the device."""
    DEEP_COPY = "deep-copy"
    """Pointers in the data would have to be copied one by one."""
    INTERNAL_ERROR = "internal-error"
    """An error of this program."""

    # does not pay, or not now
    CARRIED_DEPENDENCE = "carried-dependence"
    """An iteration needs what an earlier one computed, or must not overtake it."""
    FP_ORDER = "fp-order"
    """A floating-point reduction may not be reordered (--strict-fp)."""
    TRANSFER_BOUND = "transfer-bound"
    """Transfers take the gain."""
    LAUNCH_BOUND = "launch-bound"
    """Launches take the gain."""
    TOO_SMALL = "too-small"
    """There is too little work to divide."""
    PARENT_BETTER = "parent-better"
    """A loop around it moves, and this one with it."""
    CHILDREN_BETTER = "children-better"
    """Loops inside it move."""
    HOST_FASTER = "host-faster"
    """No other place is faster than the host today."""
    ALREADY_PARALLEL = "already-parallel"
    """A pragma divides or moves it already."""


class AssumptionKind(StrEnum):
    """What an answer rests on. Its value is what reports print: `params-distinct(a,b)`."""

    PARAMS_DISTINCT = "params-distinct"
    """Two pointer parameters, or globals, lead to different objects."""
    MEMBERS_DISTINCT = "members-distinct"
    """The members of a structure lead to different objects."""
    ROWS_DISTINCT = "rows-distinct"
    """Pointers in memory lead to rows that do not overlap."""
    IN_BOUNDS = "in-bounds"
    """A subscript stays in its row."""
    BOUND_INVARIANT = "bound-invariant"
    """A bound that is read from memory does not change while the loop runs."""
    NO_OVERFLOW = "no-overflow"
    """Integer arithmetic does not wrap around."""
    FP_REORDER = "fp-reorder"
    """A floating-point reduction may be reordered."""
    USER = "user"
    """The user's word: a comment in the source, or an option."""

    # conditions: never made silently, the answer is `conditional`
    DISTINCT = "distinct"
    """What the loop touches through two pointers does not overlap."""
    INJECTIVE = "injective"
    """An index array has no value twice in the range that is used."""
    MONOTONE = "monotone"
    """The values of an array do not fall: ranges between neighbours are disjoint."""
    RISING = "rising"
    """Each value of an array is larger than the one before: no range between neighbours is empty."""
    SLICES = "slices"
    """What an iteration touches from a place on, which a value or a variable says, lies before the places of later
    iterations."""
    COLOURS = "colours"
    """Rows of a list, in ranges of which no two rows need each other."""
    SCRATCH = "scratch"
    """What an iteration does is the same whatever earlier ones have left in an array of the function."""
    AT_LEAST = "at-least"
    """A stride is not smaller than a number."""
    AT_MOST = "at-most"
    """A size, an offset, or each value of an array that is used, is not larger than a number."""
    PURE = "pure"
    """A function that cannot be seen only gives a value, and reads nothing that the loop writes."""
    INDEPENDENT = "independent"
    """A function that cannot be seen, or followed, changes no index, bound or pointer that the loop uses, nothing that
    another iteration touches, and uses nothing that another one changes."""
    COLD = "cold"
    """The error path at a line is not taken; the flag that a line sets to what a call says stays as it is."""
    NO_EXIT = "no-exit"
    """The loop is not left at a line."""

    @property
    def is_condition(self) -> bool:
        """Whether answers that need it are `conditional`."""
        return self in CONDITIONS


CONDITIONS = frozenset(
    (
        *(AssumptionKind.DISTINCT, AssumptionKind.INJECTIVE, AssumptionKind.MONOTONE),
        *(AssumptionKind.AT_LEAST, AssumptionKind.AT_MOST),
        *(AssumptionKind.RISING, AssumptionKind.SLICES, AssumptionKind.SCRATCH, AssumptionKind.COLOURS),
        *(AssumptionKind.PURE, AssumptionKind.INDEPENDENT),
        *(AssumptionKind.COLD, AssumptionKind.NO_EXIT),
    )
)
