"""What each communicating call sends: the definitions by which network bytes are counted (docs/mpi.md).

    message   bytes that the call names: count times MPI_Type_size
    model     messages on the longest way through the operation, for every process alike: what the communication-aware
              roofline charges (`models.communication.network_bytes`, stages as in its text)
    sent      messages that this process sends, by the algorithms of `trees`; "=" where that is `model` for all of them

A call that is not here and not silent has no rule, and what it sends is left out, with a word.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..facts.network import Tree
from ..ir.c_library import effect, is_known
from ..ir.mpi_signatures import PREFIX

Model: TypeAlias = Literal["one", "stages", "others", "none"]


class Rule(Struct, frozen=True):
    """`model`: one message, one per stage, one per other process. `received`: the message is what is received (the same
    for all processes, and there also where MPI_IN_PLACE stands in place of what is sent). `gathers`: the parts travel
    together, in the stages of a tree."""

    model: Model
    sent: Tree | Literal["="] = "="
    received: bool = False
    gathers: bool = False

    @property
    def waits(self) -> Model:
        """Messages that come one after the other."""
        return "stages" if self.gathers else self.model


RULES: dict[str, Rule] = {
    **dict.fromkeys(
        ("Send", "Ssend", "Bsend", "Rsend", "Sendrecv", "Sendrecv_replace", "Put", "Accumulate"), Rule("one")
    ),
    **dict.fromkeys(("Recv", "Mrecv", "Barrier"), Rule("none")),
    "Bcast": Rule("stages", "children"),
    "Reduce": Rule("stages", "once"),
    "Allreduce": Rule("stages", "exchange"),
    "Scan": Rule("stages", "scan"),
    "Exscan": Rule("stages", "scan"),
    "Gather": Rule("others", "subtree", gathers=True),
    "Scatter": Rule("others", "forwarded", gathers=True),
    "Gatherv": Rule("one", "once"),
    "Allgather": Rule("others", received=True, gathers=True),
    "Alltoall": Rule("others", received=True),
    "Allgatherv": Rule("others"),
    "Reduce_scatter_block": Rule("others"),
}

_SILENT = (
    *("Wait", "Test", "Comm_", "Cart_", "Graph_", "Topo_", "Type_", "Group_", "Info_", "Op_", "Error_", "Errhandler_"),
    *(
        "Get_",
        "Init",
        "Final",
        "Abort",
        "Wtime",
        "Wtick",
        "Dims_",
        "Probe",
        "Iprobe",
        "Buffer_",
        "Alloc_mem",
        "Free_mem",
    ),
    *("Request_", "Status_", "Address", "Pack", "Unpack", "Attr_", "Keyval_", "Query_", "Is_thread_main", "Cancel"),
    *("Win_", "Aint_", "Pcontrol"),
)


def rule(name: str) -> Rule | None:
    """The rule of `MPI_Send`, `MPI_Isend`, `MPI_Iallreduce` ...; None where there is none."""
    stem = name.removeprefix(PREFIX)
    blocking = stem[1:].capitalize() if stem[:1] == "I" and stem[1:2].islower() else stem
    return RULES.get(stem) or RULES.get(blocking)


_LOCAL = frozenset(
    (
        *("atoi", "atol", "atoll", "atof", "strtol", "strtoll", "strtoul", "strtoull", "strtod", "strtof", "qsort"),
        *("bsearch", "getenv", "setenv", "system", "malloc", "calloc", "realloc", "free", "aligned_alloc"),
        *(
            "posix_memalign",
            "alloca",
            "valloc",
            "memalign",
            "memcpy",
            "memmove",
            "memset",
            "memcmp",
            "memchr",
            "strlen",
        ),
        *("strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strncat", "strchr", "strrchr", "strstr", "strtok"),
        *("strdup", "strerror", "sprintf", "snprintf", "vsprintf", "vsnprintf", "sscanf", "fscanf", "scanf", "vprintf"),
        *("vfprintf", "frexp", "modf", "sincos", "gettimeofday", "clock_gettime", "clock", "time", "localtime"),
        *("gmtime", "strftime", "ctime", "difftime", "sleep", "usleep", "nanosleep", "getpid", "getopt", "getopt_long"),
        *("signal", "atexit", "remove", "rename", "tmpfile", "setvbuf", "ftell", "fgetpos", "feof", "ferror"),
        *("omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads", "omp_set_num_threads", "omp_get_wtime"),
    )
)
"""Functions of the C library and its neighbours beside those of `ir.c_library`: none sends a message."""


def stays_here(name: str) -> bool:
    """Whether a function is known to send nothing, whatever else it does."""
    return name in _LOCAL or is_known(name) or effect(name) is not None or name.startswith("__b")


def is_silent(name: str) -> bool:
    """Whether the call is not counted as communication: set-up, waiting, asking."""
    return name.removeprefix(PREFIX).startswith(_SILENT)
