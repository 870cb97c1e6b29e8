"""The counts of a loop against those of its runs, wherever exactness is claimed."""

from collections.abc import Iterator

from analyzer.facts.loop import Count, LoopFacts
from models.expr import UnboundSymbolError, evaluate

from . import nest as n
from .mathematics import UNCLEAR
from .trace import Entry


def expected(nest: n.Nest, facts: LoopFacts, entry: Entry) -> Iterator[tuple[str, Count | None, int]]:
    """Name, claim and truth of every count of one entry of the loop."""
    c, found = facts.counts, entry.counts
    yield "trip_count", c.trip_count, entry.trips
    yield "iterations", c.iterations, found["iterations"]
    if not found[UNCLEAR]:
        yield "flops_fp32", c.flops_fp32, found["f"]
        yield "flops_fp64", c.flops_fp64, found["d"]
        yield "fp_other", c.fp_other, found["o"]
    yield "loads", c.loads, found["loads"]
    yield "stores", c.stores, found["stores"]
    if not found["j"]:
        yield "int_ops", c.int_ops, found["i"]
    touched = [sum(x[k] for x in entry.footprint.values()) for k in range(3)]
    yield "read_footprint", c.read_footprint, touched[0]
    yield "write_footprint", c.write_footprint, touched[1]
    yield "footprint", c.footprint, touched[2]
    if nest.alias:  # what an array has, and which name it goes by, is then not the same
        return
    plain = {x.name for x in nest.storage if x.role in ("data", "index") and "cell" not in repr(x.type)}
    known = {x.name for x in nest.storage}
    for array in facts.arrays:
        # A row named after a local pointer is part of some array's footprint: then no row says all of its own.
        if array.name in plain and all(a.name in known for a in facts.arrays):
            bytes_ = entry.footprint.get(array.name, (0, 0, 0))
            yield f"read_footprint of {array.name}", array.read_footprint, bytes_[0]
            yield f"write_footprint of {array.name}", array.write_footprint, bytes_[1]


def claimed(count: Count | None) -> bool:
    """Whether this says that it is exact."""
    return count is not None and count.expr is not None and count.exact


def bounds_of(count: Count | None, names: dict[str, int]) -> tuple[int | float, int | float] | None:
    """The least and the greatest that a count which is not exact claims to be; None where it claims nothing."""
    if count is None or count.exact or count.low is None or count.high is None:
        return None
    try:
        return evaluate(count.low, names), evaluate(count.high, names)
    except (UnboundSymbolError, ZeroDivisionError):  # of what memory held, or where nothing runs
        return None


def value_of(count: Count, names: dict[str, int]) -> int | float | None:
    """The claim at these values; None when it speaks of what memory held at the entry (`idx[i]`): that is not recorded.
    UnboundSymbolError for a symbol that is no value of the program where the loop stands."""
    assert count.expr is not None
    try:
        return evaluate(count.expr, names)  # type: ignore[no-any-return]
    except UnboundSymbolError as error:
        name = str(error.args[0])
        if "#" in name or name.isidentifier():
            raise
        return None
    except ZeroDivisionError:  # of a quotient that the program, where nothing runs, does not compute
        return None
