"""C library functions that use memory behind their pointers, other than walking over it as `c_library.BLOCKS` do.

*Decides*: `touching(name)`: which memory a call reads and writes, by argument, and what it returns. They touch nothing
else that a program can see (`errno` is kept per thread; a locale is not changed while loops run), and always return.

*Sources*: C11 7.12 (`frexp`, `modf`, `remquo`), 7.21 (`snprintf`, `sprintf`), 7.22 (conversions, `bsearch`, `qsort`,
`div`), 7.24 (`strcat`, `strspn` ...); POSIX.1-2017 for `rand_r`, `erand48`, `localtime_r` and their like; glibc for
`sincos`; OpenMP 5.1, 3.9.1 and 3.9.2, for locks.

    >>> touching("rand_r").writes
    (Span(argument=0, length='one'),)
"""

from typing import Literal

from msgspec import Struct

from ..base.regex import regex


class Span(Struct, frozen=True):
    """Memory from an argument on: `one` object of the parameter's type, a `string` to its end, `some` bytes, or as many
    as the product of these arguments."""

    argument: int
    length: Literal["one", "string", "some"] | tuple[int, ...]


class Touching(Struct, frozen=True):
    """`arguments`: how many it has, at least so many if `variadic`: those are numbers, and strings that are read.
    `inside`: the argument into whose memory the result leads. `compares`: the argument that is a function which only
    reads two elements; else it is not known what the call does. `format`: the argument that says what is done with the
    rest. `leads`: where a pointer into the first argument is stored, if it is not null. `resumes`: where the first one
    is null, that pointer is meant."""

    arguments: int
    reads: tuple[Span, ...] = ()
    writes: tuple[Span, ...] = ()
    variadic: bool = False
    inside: int | None = None
    compares: int | None = None
    format: int | None = None
    leads: int | None = None
    resumes: bool = False


def _one(argument: int) -> tuple[Span]:
    return (Span(argument, "one"),)


def _string(*arguments: int) -> tuple[Span, ...]:
    return tuple(Span(a, "string") for a in arguments)


def _variants(stem: str, found: Touching) -> dict[str, Touching]:
    return {stem + suffix: found for suffix in ("", "f", "l")}


_TOUCHING: dict[str, Touching] = {
    "rand_r": Touching(1, _one(0), _one(0)),
    **dict.fromkeys(("erand48", "nrand48", "jrand48"), Touching(1, (Span(0, "some"),), (Span(0, "some"),))),
    **dict.fromkeys(("localtime_r", "gmtime_r"), Touching(2, _one(0), _one(1), inside=1)),
    **dict.fromkeys(("omp_init_lock", "omp_init_nest_lock"), Touching(1, (), _one(0))),
    **dict.fromkeys(("omp_destroy_lock", "omp_destroy_nest_lock"), Touching(1, _one(0), _one(0))),
    **dict.fromkeys(("div", "ldiv", "lldiv"), Touching(2)),
    **_variants("frexp", Touching(2, (), _one(1))),
    **_variants("modf", Touching(2, (), _one(1))),
    **_variants("remquo", Touching(3, (), _one(2))),
    **_variants("sincos", Touching(3, (), (*_one(1), *_one(2)))),
    **_variants("lgamma_r", Touching(2, (), _one(1))),
    **dict.fromkeys(("atoi", "atol", "atoll", "atof"), Touching(1, _string(0))),
    **dict.fromkeys(("strtod", "strtof", "strtold"), Touching(2, _string(0), _one(1), leads=1)),
    **dict.fromkeys(("strtol", "strtoul", "strtoll", "strtoull"), Touching(3, _string(0), _one(1), leads=1)),
    **dict.fromkeys(("strspn", "strcspn"), Touching(2, _string(0, 1))),
    **dict.fromkeys(("strpbrk", "strstr"), Touching(2, _string(0, 1), inside=0)),
    "strtok_r": Touching(3, _string(0, 1), (Span(0, "some"), *_one(2)), inside=0, leads=2, resumes=True),
    "strcat": Touching(2, _string(0, 1), (Span(0, "some"),), inside=0),
    "strncat": Touching(3, _string(0, 1), (Span(0, "some"),), inside=0),
    "snprintf": Touching(3, _string(2), (Span(0, (1,)),), variadic=True, format=2),
    "sprintf": Touching(2, _string(1), (Span(0, "some"),), variadic=True, format=1),
    "pthread_spin_init": Touching(2, (), _one(0)),
    "pthread_mutex_init": Touching(2, _one(1), _one(0)),
    **dict.fromkeys(("pthread_spin_destroy", "pthread_mutex_destroy"), Touching(1, (), _one(0))),
    "qsort": Touching(4, (Span(0, (1, 2)),), (Span(0, (1, 2)),), compares=3),
    "bsearch": Touching(5, (Span(0, (3,)), Span(1, (2, 3))), inside=1, compares=4),
}


class Printing(Struct, frozen=True):
    """What a function that writes text reads: `strings`, by argument; `format`: the argument that says which of those
    behind it are strings as well."""

    strings: tuple[int, ...] = ()
    format: int | None = None


PRINTING = {
    **dict.fromkeys(("puts", "fputs", "perror"), Printing((0,))),
    "printf": Printing(format=0),
    "fprintf": Printing(format=1),
}

_CONVERSION = regex(r"%(?:%|[-+ #0']*(\*|\d*)(?:\.(\*|\d*))?(?:hh|h|ll|l|[qLjzt])?([a-zA-Z]))")


def strings_of(format: str) -> tuple[int, ...]:
    """The arguments behind a format that it takes for strings, from 0 on.

    >>> strings_of("%d %-*s %s%%")
    (2, 3)
    """
    found: list[int] = []
    at = 0
    for width, precision, letter in _CONVERSION.findall(format):
        at += (width == "*") + (precision == "*")
        found += [at] * (letter == "s")
        at += bool(letter)
    return tuple(found)


def touching(name: str) -> Touching | None:
    """Which memory a call of a library function uses; None: nothing is known of that. Example: `touching("atoi").reads`
    is one string."""
    return _TOUCHING.get(name)
