"""How many messages a process sends in a collective operation, by the algorithms that are counted (docs/mpi.md).

P processes, v = (rank - root) mod P the process counted from the root. All take ceil(log2 P) stages, as the
communication-aware roofline has it (Cardwell 2019, section 2.3.3, after Thakur and Gropp 2003); in stage k = 0, 1, ...:

    children    Bcast      every v < 2^k sends the message to v + 2^k
    once        Reduce     the same tree backwards: every v but the root sends its partial result once
    subtree     Gather     the same tree backwards: every v but the root sends the parts of all below it at once
    forwarded   Scatter    every v < 2^k sends to v + 2^k the parts of all below that
    exchange    Allreduce  2^floor(log2 P) processes exchange partial results with v xor 2^k; where P is no power of
                           two, the even ones of the first processes hand theirs to their neighbours before, and get
                           the result after
    scan        Scan       v sends its partial result to v + 2^k

Allgather (in stage k at most 2^k parts go to v - 2^k) and Alltoall (one part to each other process) send P - 1 parts
from every process. Numbers are of messages, of parts where the operation has one part per process.
"""

from collections.abc import Callable

from ..facts.network import Tree


def stages(processes: int) -> int:
    """ceil(log2 P). Example: `stages(5)` is 3."""
    return (processes - 1).bit_length()


def messages(kind: Tree, v: int, processes: int) -> int:
    """Messages or parts that process v of `processes` sends. Example: `messages("children", 0, 8)` is 3."""
    return _KINDS[kind](v, processes)


def _children(v: int, p: int) -> int:
    return sum(v + (1 << k) < p for k in range(v.bit_length(), stages(p)))


def _below(v: int, p: int) -> int:
    """Processes of the subtree of v, itself included: those w < P with w mod 2^bits = v."""
    return -((v - p) // (1 << v.bit_length()))


def _exchange(v: int, p: int) -> int:
    whole = p.bit_length() - 1
    rest = p - (1 << whole)
    if v >= 2 * rest:
        return whole
    return 1 if v % 2 == 0 else whole + 1


_KINDS: dict[Tree, Callable[[int, int], int]] = {
    "stages": lambda v, p: stages(p),
    "children": _children,
    "once": lambda v, p: int(v > 0),
    "subtree": lambda v, p: _below(v, p) if v else 0,
    "forwarded": lambda v, p: _below(v, p) - 1,
    "exchange": _exchange,
    "scan": lambda v, p: sum(v + (1 << k) < p for k in range(stages(p))),
}
