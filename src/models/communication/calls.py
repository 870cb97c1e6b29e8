"""Network bytes of MPI calls and the stages of their trees (Cardwell 2019, section 2.3.3)."""

from typing import Literal, TypeAlias

from ..elementwise import Values, ceil, log2, nonnegative, positive
from ..errors import InputError

Stages: TypeAlias = Literal["table", "text"]

_TREES = {"Bcast", "Reduce", "Allreduce", "Scan", "Exscan"}
_PARTS = {"Gather", "Scatter", "Allgather", "Alltoall", "Reduce_scatter_block"}
_MESSAGES = {"Send", "Ssend", "Bsend", "Rsend", "Recv"}


def tree_stages(processes: Values, rule: Stages) -> Values:
    """Stages of a tree over the processes: log2 P as in Table 2.4, or ceil(log2 P) as in section 2.3.3."""
    exact = log2(processes)
    return exact if rule == "table" else ceil(exact)


def network_bytes(call: str, message: Values, processes: Values, rule: Stages = "text") -> Values:
    """Bytes that an MPI call moves over the network for the process with the most of them (section 2.3.3).

    `message` is count times the size of the datatype as the call names it: of all data for Bcast, Reduce, Allreduce and
    scans, of one process's part for Gather, Scatter, Allgather, Alltoall. The former pass it on in every stage of a
    tree; for the latter the parts of all others arrive at, or leave, one process (as Table 2.4 has it for the Allgather
    of DGEMV). Sendrecv counts both directions. Nonblocking calls count as their blocking ones. InputError for calls
    that have no rule, such as those with a different count for each process.

    Example: `network_bytes("MPI_Allreduce", 8, 128)` is 56, seven stages of one double."""
    name = _blocking(call)
    positive("the number of processes", processes)
    nonnegative("the message", message)
    if name in _TREES:
        return message * tree_stages(processes, rule)
    if name in _PARTS:
        return message * (processes - 1)
    if name in _MESSAGES:
        return message
    if name in ("Sendrecv", "Sendrecv_replace"):
        return 2 * message
    if name in ("Barrier", "Wait", "Waitall"):
        return 0 * message
    known = sorted({*_TREES, *_PARTS, *_MESSAGES, "Sendrecv", "Barrier"})
    raise InputError(f"no rule for the network bytes of {call}; known: {', '.join('MPI_' + name for name in known)}")


def _blocking(call: str) -> str:
    """`MPI_Isend` and `Send` are both Send."""
    name = call.removeprefix("MPI_")
    return name[1:].capitalize() if name.startswith("I") and name[1:2].islower() else name
