"""C library functions whose effect and cost are known: pure functions of their arguments.

*Decides*: whether a call may be treated as arithmetic (`is_known`), how many operations it counts for
(`cost`) and what it returns. A known function reads and writes no memory of the program (`errno` and the
floating-point status flags are not counted as such, the C library keeps them per thread) and always
returns. Everything else is an unknown call; for some of those `effect` says in words why they cannot be
moved.

*Costs and their sources* (one number each, so that two people count alike):

- `sqrt` 1, `exp` 30, `pow(x, k)` with a constant integer k: k - 1 multiplications, min/max/absolute value:
  one `fp_other`: definitions of this project; 30 for an exponential is what the published errors of the
  parameterised DNN roofline (chapter 3 of the communication-aware roofline thesis, sigmoid) imply.
- Every other elementary transcendental function (`sin`, `log`, `atan`, `cbrt` ...) is given the 30 of `exp`
  by analogy: all are argument reduction plus a polynomial of about ten terms (as in fdlibm, Sun
  Microsystems 1993, whose `exp` has 24 operations and `sin` 16 without reduction). This is an estimate, not
  a measurement.
- Functions built from these are sums: `pow(x, y)` = exp(y * log(x)) = 61, `tanh` = one exponential, two
  additions and a division, `hypot` = two products, a sum and a root.
- Complex functions are the sums of the real ones in their definitions (C11 7.3): `cexp` = one exponential, a sine, a
  cosine and two products, `cabs` = `hypot`, `clog` = `log`, `hypot` and `atan2`, `cpow` = `cexp` of a product with
  `clog`, `csqrt` = `hypot`, two roots, two sums and two divisions. Parts and conjugates are one `fp_other` at most.
- Roundings, classifications and sign changes (`floor`, `isnan`, `copysign`) are one `fp_other` each.

*Blocks of memory* (`BLOCKS`): functions that read or write the bytes from a pointer on, and nothing else (C11 7.24,
string handling; POSIX.1-2017 for `bzero`, `strnlen`, `strcasecmp`, `strncasecmp`). They are written out as the loops
that they are: an element copied is one load and one store, an element set one store, a byte compared one load each
and one integer comparison. Where the contents end the walk (`strcmp`), the length is the most there can be.

*Other memory*: functions that use what their pointers lead to in another way have a table of their own
(`ir.library_memory`).

*Does not handle*: `strtok`, complex trigonometric functions, wide characters.

    >>> cost("pow", exponent=3)
    Cost(flops=2, fp_other=0, int_ops=0)
"""

import re
from enum import Enum
from typing import Literal

from msgspec import Struct

from ..base.regex import regex

Precision = Literal["float", "double", "long double"]
Result = Literal[
    "float",
    "double",
    "long double",
    "float _Complex",
    "double _Complex",
    "long double _Complex",
    "int",
    "long",
    "long long",
    "unsigned short",
    "unsigned int",
    "unsigned long long",
    "void",
]


class Cost(Struct, frozen=True):
    """Operations of one call: `flops` floating additions, multiplications, divisions and their
    equivalents."""

    flops: int = 0
    fp_other: int = 0
    int_ops: int = 0


class Known(Struct, frozen=True):
    """One pure function. `precision`: in which its floating operations are done (None: it has none)."""

    cost: Cost
    precision: Precision | None
    result: Result


EXPONENTIAL = 30
"""exp: definitions of this project (see above); the same figure for all elementary transcendental
functions."""

_COSTS: dict[str, Cost] = {
    "sqrt": Cost(1),
    "fma": Cost(2),
    "fdim": Cost(1, 1),
    "hypot": Cost(4),
    "fmod": Cost(3, 1),
    "remainder": Cost(3, 1),
    "pow": Cost(2 * EXPONENTIAL + 1),
    "sinh": Cost(EXPONENTIAL + 3),
    "cosh": Cost(EXPONENTIAL + 3),
    "tanh": Cost(EXPONENTIAL + 3),
    **dict.fromkeys(
        (
            *("exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt"),
            *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh"),
            *("erf", "erfc", "tgamma"),
        ),
        Cost(EXPONENTIAL),
    ),
    **dict.fromkeys(
        (
            *("fabs", "fmin", "fmax", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "copysign"),
            *("ldexp", "scalbn", "scalbln", "logb", "nextafter"),
        ),
        Cost(0, 1),
    ),
}
"""Functions of <math.h> by their double name; the `f` and `l` variants cost the same in their precision."""

_TO_REAL: dict[str, Cost] = {
    "cabs": Cost(4),
    "carg": Cost(EXPONENTIAL),
    "creal": Cost(),
    "cimag": Cost(),
}
_TO_COMPLEX: dict[str, Cost] = {
    "cexp": Cost(3 * EXPONENTIAL + 2),
    "clog": Cost(2 * EXPONENTIAL + 4),
    "cpow": Cost(5 * EXPONENTIAL + 12),
    "csqrt": Cost(10),
    "conj": Cost(0, 1),
}
"""Functions of <complex.h>, as above."""

_TO_INTEGER: dict[str, Result] = {
    "lround": "long",
    "lrint": "long",
    "llround": "long long",
    "llrint": "long long",
    "ilogb": "int",
}

_PRECISIONS: dict[str, Precision] = {"": "double", "f": "float", "l": "long double"}
_COMPLEX: dict[Precision, Result] = {
    "float": "float _Complex",
    "double": "double _Complex",
    "long double": "long double _Complex",
}

_CLASSIFY = (
    "isnan",
    "isinf",
    "isfinite",
    "isnormal",
    "signbit",
    "__isnan",
    "__isinf",
    "__finite",
    "__signbit",
)

_INTEGER: dict[str, Result] = {"abs": "int", "labs": "long", "llabs": "long long"}

_CHARACTER = (
    *("isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint"),
    *("ispunct", "isspace", "isupper", "isxdigit", "tolower", "toupper"),
)

_COMPARES = ("isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered", "isinf_sign")
_SWAPS: dict[str, Result] = {"bswap16": "unsigned short", "bswap32": "unsigned int", "bswap64": "unsigned long long"}
_CONSTANTS = ("nan", "nans", "inf", "huge_val")
_NETWORK: dict[str, Result] = {
    **dict.fromkeys(("htons", "ntohs"), "unsigned short"),
    **dict.fromkeys(("htonl", "ntohl"), "unsigned int"),
}

_BITS = ("clz", "ctz", "popcount", "parity", "ffs", "clrsb")


def _table() -> dict[str, Known]:
    table: dict[str, Known] = {}
    for name, cost_ in _COSTS.items():
        table[name] = Known(cost_, "double", "double")
        table[name + "f"] = Known(cost_, "float", "float")
        table[name + "l"] = Known(cost_, "long double", "long double")
    for name, cost_ in {**_TO_REAL, **_TO_COMPLEX}.items():
        for suffix, part in _PRECISIONS.items():
            result: Result = _COMPLEX[part] if name in _TO_COMPLEX else part
            table[name + suffix] = Known(cost_, part, result)
    for name, result in _TO_INTEGER.items():
        table[name] = Known(Cost(0, 1), "double", result)
        table[name + "f"] = Known(Cost(0, 1), "float", result)
        table[name + "l"] = Known(Cost(0, 1), "long double", result)
    for name in _CLASSIFY:
        table[name] = Known(Cost(0, 1), "double", "int")
    for name in ("__isnanf", "__isinff", "__finitef", "__signbitf"):
        table[name] = Known(Cost(0, 1), "float", "int")
    for name, result in _INTEGER.items():
        table[name] = Known(Cost(0, 0, 1), None, result)
    for name in _CHARACTER:
        table[name] = Known(Cost(0, 0, 1), None, "int")
    for name, result in _NETWORK.items():
        table[name] = Known(Cost(0, 0, 1), None, result)
    for name in _BITS:
        for suffix in ("", "l", "ll"):
            table[f"__builtin_{name}{suffix}"] = Known(Cost(0, 0, 1), None, "int")
    for name in tuple(table):
        if not name.startswith("__"):
            table[f"__builtin_{name}"] = table[name]
    for name in _COMPARES:
        table[f"__builtin_{name}"] = Known(Cost(0, 1), "double", "int")
    for name, result in _SWAPS.items():
        table[f"__builtin_{name}"] = Known(Cost(0, 0, 1), None, result)
    for name in _CONSTANTS:
        for suffix, part in _PRECISIONS.items():
            table[f"__builtin_{name}{suffix}"] = Known(Cost(), part, part)
    table["__builtin_expect"] = Known(Cost(), None, "long")
    table["__builtin_constant_p"] = Known(Cost(), None, "int")
    table[COMPLEX_OF_PARTS] = Known(Cost(), None, "double _Complex")
    table |= dict.fromkeys(OF_THREADS, Known(Cost(), None, "int"))
    table |= dict.fromkeys(TEAM_SETTERS, Known(Cost(), None, "void"))
    table |= dict.fromkeys(HANDLER_SETTERS, Known(Cost(), None, "void"))
    table |= dict.fromkeys(TIMERS, Known(Cost(), None, "double"))
    table["__builtin_prefetch"] = Known(Cost(), None, "int")  # of an address that need not exist
    return table


THREAD_NUMBER = "omp_get_thread_num"
"""Which thread of its team this is (OpenMP 5.0, 3.2.4): the same in all iterations of a loop that one thread runs."""

OF_TEAM = (THREAD_NUMBER, "omp_get_num_threads", "omp_in_parallel", "omp_get_level", "omp_get_team_size")
"""What a loop gives other values for once several threads run it (OpenMP 5.0, 3.2.2, 3.2.4, 3.2.6, 3.2.17)."""

OF_THREADS = (*OF_TEAM, "omp_get_max_threads", "omp_get_num_procs", "omp_get_thread_limit")
"""Queries of the OpenMP runtime that change nothing."""

TEAM_SETTERS = ("omp_set_num_threads", "omp_set_dynamic", "omp_set_nested", "omp_set_max_active_levels")
"""Functions of OpenMP that say how many threads later teams have: nothing that a loop computes depends on it."""

HANDLER_SETTERS = ("gsl_set_error_handler_off",)
"""Functions of GSL after which the library gives error numbers instead of ending the program: once or again and again
is the same, where the handler before it, which they return, is not asked for."""

TIMERS = ("omp_get_wtime", "omp_get_wtick")
"""Times in seconds, of each thread for itself (OpenMP 5.0, 3.4.1): who asks for one never expects the same again."""

COMPLEX_OF_PARTS = "__builtin_complex"
"""What `CMPLX` of <complex.h> stands for: of the precision of its arguments."""

KNOWN: dict[str, Known] = _table()

class Block(Struct, frozen=True):
    """A function that walks over memory. `reads`, `writes`: positions of the arguments it reads and writes through;
    `length`: position of the number of bytes, None: to the end of the string. `stops`: contents may end it before.
    `overlaps`: what it reads and writes may overlap. `pads`: it reads a string and writes the whole length."""

    arguments: int
    reads: tuple[int, ...]
    writes: int | None
    length: int | None
    result: Literal["first", "inside", "length", "int", "nothing"]
    stops: bool = False
    overlaps: bool = False
    pads: bool = False

    @property
    def pointers(self) -> tuple[int, ...]:
        return self.reads if self.writes is None else (self.writes, *self.reads)


BLOCKS: dict[str, Block] = {
    "memcpy": Block(3, (1,), 0, 2, "first"),
    "memmove": Block(3, (1,), 0, 2, "first", overlaps=True),
    "memset": Block(3, (), 0, 2, "first"),
    "bzero": Block(2, (), 0, 1, "nothing"),
    "strcpy": Block(2, (1,), 0, None, "first"),
    "strncpy": Block(3, (1,), 0, 2, "first", pads=True),
    "memcmp": Block(3, (0, 1), None, 2, "int", stops=True),
    "memchr": Block(3, (0,), None, 2, "inside", stops=True),
    "strlen": Block(1, (0,), None, None, "length"),
    "strnlen": Block(2, (0,), None, 1, "length", stops=True),
    "strcmp": Block(2, (0, 1), None, None, "int", stops=True),
    "strncmp": Block(3, (0, 1), None, 2, "int", stops=True),
    "strcasecmp": Block(2, (0, 1), None, None, "int", stops=True),
    "strncasecmp": Block(3, (0, 1), None, 2, "int", stops=True),
    "strchr": Block(2, (0,), None, None, "inside", stops=True),
    "strrchr": Block(2, (0,), None, None, "inside", stops=True),
}
"""Functions that walk over memory; `__builtin_` before the name means the same."""


class Effect(Enum):
    """What a call does beyond its result that any iteration order could change, in words."""

    PRINTS = "writes to standard output"
    WRITES = "writes to a file"
    OPENS = "opens or moves a file"
    READS = "reads a file"
    KEEPS_STATE = "keeps state between calls"
    NO_RETURN = "may not return"
    READS_CLOCK = "reads the clock"
    RELEASES = "releases memory"
    WAITS = "waits"

    @property
    def is_output(self) -> bool:
        return self in (Effect.PRINTS, Effect.WRITES)

    @property
    def keeps_values(self) -> bool:
        """Whether variables keep their values, and pointers in memory lead to where they did: nothing is stored in what
        the program made, and none of its functions is called before the call returns (C11 7.1.4)."""
        return self not in (Effect.READS, Effect.READS_CLOCK)

    @property
    def shows_order(self) -> bool:
        """Whether somebody can see in which order the calls were made."""
        return self not in (Effect.NO_RETURN, Effect.RELEASES, Effect.WAITS)

    def in_words(self, name: str) -> str:
        """What the order of its calls has to do with a function. Example: "`rand` keeps state between calls: ..."."""
        if self is Effect.WAITS:
            return f"`{name}` waits: iterations that run at the same time would wait at the same time"
        return f"`{name}` {self.value}: in another order of its calls that would differ"


STREAMS_IN_MEMORY = frozenset(("open_memstream", "open_wmemstream", "fmemopen", "setvbuf", "setbuf", "setbuffer"))
"""Functions after which what is written to a stream is written to memory of the program."""

RANDOM = {
    "rand": "int",
    "random": "long",
    "drand48": "double",
    "lrand48": "long",
    "srand": "void",
    "srandom": "void",
}
"""What the random numbers of the C library are (C11 7.22.2, POSIX): programs have functions of these names, too."""

EFFECTS: dict[str, Effect] = {
    **dict.fromkeys(("printf", "puts", "putchar", "vprintf"), Effect.PRINTS),
    **dict.fromkeys(("fprintf", "fputs", "fputc", "putc", "fwrite", "fflush", "perror", "write"), Effect.WRITES),
    **dict.fromkeys(("fopen", "fclose", "open", "close", "fseek", "rewind"), Effect.OPENS),
    **dict.fromkeys(
        ("scanf", "fscanf", "getchar", "fgets", "fgetc", "getc", "getline", "fread", "read"), Effect.READS
    ),
    **dict.fromkeys(RANDOM, Effect.KEEPS_STATE),
    **dict.fromkeys(("exit", "abort", "_exit", "_Exit", "quick_exit", "longjmp", "siglongjmp"), Effect.NO_RETURN),
    **dict.fromkeys(
        ("__assert_fail", "__assert_rtn", "__builtin_unreachable", "__builtin_trap"), Effect.NO_RETURN
    ),
    **dict.fromkeys(("time", "clock", "gettimeofday", "clock_gettime"), Effect.READS_CLOCK),
    **dict.fromkeys(("free", "realloc"), Effect.RELEASES),
    **dict.fromkeys(("sleep", "usleep", "sched_yield"), Effect.WAITS),
}


_RELEASES = regex(r"(?:free|release|destroy)(?![a-z])|(?:Free|Release|Destroy)(?![a-z])|FREE|RELEASE|DESTROY")


def says_it_releases(name: str) -> bool:
    """Whether a function says by its name that it releases what it gets. Example: `grid_free`, not `freeze`."""
    return _RELEASES.search(name) is not None


_TRACES = regex(r"debug|dbg|trace(?!d)|verbose", re.IGNORECASE)


def says_it_traces(name: str) -> bool:
    """Whether a function says by its name that its texts are those that are asked for where something is wrong.
    Example: `G_debug`, not `retraced`."""
    return _TRACES.search(name) is not None


def says_it_allocates(name: str) -> bool:
    """Whether a function says by its name that it allocates what it gives. Example: `grid_alloc`."""
    return "alloc" in name.lower()


ALLOCATORS = frozenset(
    ("malloc", "calloc", "aligned_alloc", "alloca", "__builtin_alloca", "valloc", "memalign")
)
"""Functions that give new memory, with no pointer in it."""

GIVE_NEW = frozenset(
    ("realloc", "reallocarray", "strdup", "strndup", "wcsdup", "fopen", "fdopen", "popen", "tmpfile", "opendir")
)
"""Others of the C library whose result is no part of what was there before, and given to nobody else."""

ON_STACK = frozenset(("alloca", "__builtin_alloca"))
"""Those that give memory of the function that calls them: it is gone when that returns."""

THROUGH_A_POINTER = "posix_memalign"
"""The one that stores the pointer where its first argument says."""

ERRNO = frozenset(("__errno_location", "__errno", "___errno", "__error", "_errno"))
"""Functions that give the address of `errno` (glibc and musl, bionic and newlib, Solaris, BSD and macOS, Windows)."""


IS_JUMPED_TO = frozenset(("setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "__builtin_setjmp"))
"""Those of them behind which nobody knows what automatic variables hold that were changed since (C11 7.13.2.1p3)."""
RETURNS_TWICE = IS_JUMPED_TO | {"savectx", "vfork", "getcontext"}
"""Functions to whose calls the program comes back later: what is written before them in the text may run again."""


def is_known(name: str) -> bool:
    """Whether `name` is a pure library function of the table. Example: `is_known("sqrtf")` is True, `rand`
    False."""
    return name in KNOWN


def cost(name: str, exponent: int | None = None) -> Cost:
    """Operations of one call of a known function; `exponent`: the second argument of `pow` when it is a
    constant integer k: |k| - 1 multiplications and, for k < 0, a division (none for k = 0 and 1). KeyError
    for unknown names. What a function of `BLOCKS` does is counted where it is written out: its call costs nothing."""
    if name.removeprefix("__builtin_") in BLOCKS:
        return Cost()
    if exponent is not None and name.removeprefix("__builtin_") in ("pow", "powf", "powl"):
        return Cost(max(0, abs(exponent) - 1) + (exponent < 0))
    return KNOWN[name].cost


_TWO = ("pow", "fdim", "hypot", "fmod", "remainder", "atan2", "fmin", "fmax", "copysign", "nextafter", "cpow")
_EXPONENTS = {"ldexp": "int", "scalbn": "int", "scalbln": "long"}


def parameters(name: str) -> tuple[str, ...]:
    """The types of the parameters with which the C library declares a known function (C11 7.4, 7.12, 7.3, 7.22.6).
    KeyError for unknown names. Example: `parameters("ldexpf")` is ("float", "int")."""
    known = KNOWN[name]
    if name in OF_THREADS or name in TIMERS:
        return ("int",) if name == "omp_get_team_size" else ()
    if known.precision is None:
        return ("int",) if name in _CHARACTER or name in TEAM_SETTERS else (known.result,)
    stem = name.removeprefix("__builtin_")
    stem = stem if stem in (*_TWO, *_EXPONENTS, *_COSTS, *_TO_REAL, *_TO_COMPLEX, *_TO_INTEGER) else stem[:-1]
    if stem in _EXPONENTS:
        return (known.precision, _EXPONENTS[stem])
    part = _COMPLEX[known.precision] if stem in _TO_REAL or stem in _TO_COMPLEX else known.precision
    return (part,) * (3 if stem == "fma" else 2 if stem in _TWO else 1)


def block(name: str) -> Block | None:
    """How a function walks over memory. Example: `block("memset").writes` is 0; None for `strtok`."""
    return BLOCKS.get(name.removeprefix("__builtin_"))


def effect(name: str) -> Effect | None:
    """What a function that is not in the table is known to do besides returning a value; None: nothing is
    known."""
    return EFFECTS.get(name)


def never_returns(name: str) -> bool:
    """Whether a function ends the program, or jumps away. Example: `never_returns("abort")` is True."""
    return effect(name) is Effect.NO_RETURN
