"""Names in formulas that are not those of C: made and recognised here only.

    p@12  exit@12       weights: how often the condition in line 12 holds, or the loop there is left early
    trip@12             the mean trip count of the loop in line 12
    length@x            how many elements of `x` there are to use, where nothing declares that
    iteration@12        the number of its iteration, where it has no variable
    n@12                what `n` is from line 12 on; `p@@12` of a variable that is called as what stands above
"""

from ..base.regex import regex
from .symbols import Kind

_STEMS = {Kind.BRANCH: "p", Kind.TRIP: "trip", Kind.EXIT: "exit", Kind.SHARE: "share"}
_TAKEN = frozenset((*_STEMS.values(), "iteration", "length"))
_WEIGHT = regex(r"(?:p|exit)@[^@]")
_TRIP = regex(r"trip@(\d+)")
_LENGTH = "length@"
_VERSION = regex(r"(.+?)(@@?)(\d+)")


def weight(kind: Kind, where: int | str) -> str:
    """Of one of `symbols.WEIGHTS`, for a line or for all `others`."""
    return f"{_STEMS[kind]}@{where}"


def is_weight(name: str) -> bool:
    """Whether it is a number from 0 to 1 that is taken as one half where nobody knows it."""
    return _WEIGHT.match(name) is not None


def mean_trip(line: int) -> str:
    return weight(Kind.TRIP, line)


def line_of_trip(name: str) -> int | None:
    """The line of the loop of which it is the mean trip count; None of any other name."""
    found = _TRIP.fullmatch(name)
    return int(found[1]) if found else None


def length_of(array: str) -> str:
    """Of the part of an array from its first element on that an index may select from."""
    return f"{_LENGTH}{array}"


def array_of_length(name: str) -> str | None:
    """The array of which it is the length; None of any other name."""
    return name.removeprefix(_LENGTH) if name.startswith(_LENGTH) else None


def iteration(line: int) -> str:
    return f"iteration@{line}"


def version(text: str, line: int) -> str:
    """What C calls `text`, from that line on."""
    return f"{text}{_between(text)}{line}"


def version_of(name: str) -> tuple[str, int | None]:
    """The name in C, and from which line on. Example: `version_of("n@12") == ("n", 12)`."""
    found = _VERSION.fullmatch(name)
    return (found[1], int(found[3])) if found and found[2] == _between(found[1]) else (name, None)


def _between(text: str) -> str:
    return "@@" if text in _TAKEN else "@"


def without_brackets(text: str) -> str:
    """The text of a formula without the brackets around single names that C text of sizes has.

    Example: `without_brackets("(m->tda) >= (n - 1)")` is "m->tda >= (n - 1)"."""
    return _BRACKETED.sub(r"\1", text)


_BRACKETED = regex(r"(?<![\w)])\((-?[\w.]+(?:->[\w.]+)*)\)")
