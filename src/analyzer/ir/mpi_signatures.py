"""The functions of MPI and what each of their arguments is for, one word per argument (MPI 4.0, chapters 3 to 12).

What a call sends, and what it may change, is read off these words; nothing is known of an MPI function that is not
here, which is then an unknown call. Not here: files, dynamic processes, windows other than Put, Get and Accumulate,
neighbour collectives, the calls with large counts (`MPI_Send_c`).

    buf     memory that is sent             out     memory that is received into before the call returns
    count type                              of what is sent; rcount rtype: of what is received, where they differ
    counts  one count for each process      later   memory that is received into after the call has returned
    dest source root                        ranks in `comm`
    size rank newcomm newtype int           where a value is stored; status request: records of the library
"""

_CALLS = """
Send Ssend Bsend Rsend      buf count type dest tag comm
Isend Issend Ibsend Irsend  buf count type dest tag comm request
Recv                        out count type source tag comm status
Irecv                       later count type source tag comm request
Mrecv                       out count type message status
Sendrecv                    buf count type dest tag out rcount rtype source rtag comm status
Sendrecv_replace            out count type dest tag source rtag comm status
Put                         buf count type dest displacement rcount rtype window
Get                         later count type source displacement rcount rtype window
Accumulate                  buf count type dest displacement rcount rtype op window
Barrier                     comm
Bcast                       out count type root comm
Gather                      buf count type out rcount rtype root comm
Gatherv                     buf count type out counts displacements rtype root comm
Scatter                     buf count type out rcount rtype root comm
Scatterv                    buf counts displacements type out rcount rtype root comm
Allgather                   buf count type out rcount rtype comm
Allgatherv                  buf count type out counts displacements rtype comm
Alltoall                    buf count type out rcount rtype comm
Alltoallv                   buf counts displacements type out rcounts rdisplacements rtype comm
Alltoallw                   buf counts displacements types out rcounts rdisplacements rtypes comm
Reduce                      buf out count type op root comm
Allreduce Scan Exscan       buf out count type op comm
Reduce_scatter_block        buf out count type op comm
Reduce_scatter              buf out counts type op comm
Ibarrier                    comm request
Ibcast                      later count type root comm request
Igather                     buf count type later rcount rtype root comm request
Igatherv                    buf count type later counts displacements rtype root comm request
Iscatter                    buf count type later rcount rtype root comm request
Iscatterv                   buf counts displacements type later rcount rtype root comm request
Iallgather                  buf count type later rcount rtype comm request
Iallgatherv                 buf count type later counts displacements rtype comm request
Ialltoall                   buf count type later rcount rtype comm request
Ialltoallv                  buf counts displacements type later rcounts rdisplacements rtype comm request
Ireduce                     buf later count type op root comm request
Iallreduce Iscan Iexscan    buf later count type op comm request
Ireduce_scatter_block       buf later count type op comm request
Ireduce_scatter             buf later counts type op comm request
Comm_size                   comm size
Comm_rank                   comm rank
Comm_dup                    comm newcomm
Comm_split                  comm color key newcomm
Comm_split_type             comm kind key info newcomm
Comm_create                 comm group newcomm
Comm_free                   comms
Cart_create                 comm dimensions sizes periods reorder newcomm
Cart_sub                    comm kept newcomm
Cart_shift                  comm direction distance int int
Cart_coords                 comm of dimensions out
Cart_rank                   comm coordinates int
Dims_create                 nodes dimensions out
Type_contiguous             count oldtype newtype
Type_vector                 count length stride oldtype newtype
Type_create_hvector         count length stride oldtype newtype
Type_create_indexed_block   count length displacements oldtype newtype
Type_indexed                count lengths displacements oldtype newtype
Type_create_struct          count lengths displacements types newtype
Type_create_subarray        dimensions sizes subsizes starts order oldtype newtype
Type_create_resized         oldtype lower extent newtype
Type_dup                    oldtype newtype
Type_commit                 committed
Type_free                   types
Type_size                   oldtype int
Get_count                   status type int
Probe                       source tag comm status
Iprobe                      source tag comm int status
Initialized Finalized       int
Init                        argc argv
Init_thread                 argc argv required int
Finalize
Abort                       comm code
Wtime Wtick
Get_processor_name          out int
"""

PREFIX = "MPI_"


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in _CALLS.strip().splitlines():
        names, roles = line[:28].split(), tuple(line[28:].split())
        table |= {PREFIX + name: roles for name in names}
    return table


ROLES: dict[str, tuple[str, ...]] = _table()
"""What the arguments of each function are for, in order. Wait, Test and their kin are left out on purpose: what a
pending receive stores becomes visible there, so they may change anything."""

STORES = frozenset({"out", "size", "rank", "newcomm", "newtype", "int", "status", "request", "comms", "types"})
"""Arguments through which a call stores something before it returns, and keeps no address of."""


def forgets(name: str, position: int) -> bool:
    """Whether MPI has no use for the address in this argument once the call has returned."""
    roles = ROLES.get(name, ())
    if position >= len(roles) or name in ("MPI_Init", "MPI_Init_thread"):
        return False
    pending = name.removeprefix(PREFIX)[:1] == "I" and "request" in roles
    return roles[position] != "later" and not (pending and roles[position] == "request")
