"""What a user can choose about an analysis: frozen values, made by the command line and passed down."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from ..base.errors import InputError
from ..base.regex import regex
from .facts import Fact

CountAs: TypeAlias = Literal["definitions", "textual", "references", "perdome"]
"""Ways of counting; counts/views.py says what they are."""


_MACRO = regex(r"(?!\d)\w+(\([\w\s,.]*\))?\Z")
"""What stands before `=`: a name, with its parameters perhaps."""


def check_macros(option: str, texts: Iterable[str]) -> None:
    """InputError for what no preprocessor takes for a macro: `-D 3x` (`option`: the one it was given with)."""
    for text in texts:
        if not _MACRO.match(text.partition("=")[0] if option == "-D" else text):
            form = "NAME or NAME=VALUE" if option == "-D" else "NAME"
            raise InputError(f"{option} {text}: no name of a macro (letters, digits and _); give {form}")

HOST_FLAGS = "-O3 -march=native"
"""How the host's code is compiled, where nobody says it."""


class SourceOptions(Struct, frozen=True):
    """How a file is preprocessed and parsed: the compiler's own options, and where to look for its flags.

    `defines` as NAME or NAME=VALUE, `compiler` a path or name (None: the first of cc, gcc, clang found on the search
    path; without one the built-in preprocessor is used), `abi` lp64, llp64, ilp32 or None (ask the compiler),
    `build_dir` the folder of compile_commands.json (None: search), `entry` the function that the program starts from,
    where sizes that the program fixes itself are asked for (else None), and its placement, too, unless `sizes_only`;
    `is_all` whether the file is all of it, and
    no size is given outside of it; `trees` the real paths of the directories that the run was given, `together` those
    of its C files, which are taken for one program: what one of them calls, another may define. `run`: another text for
    each run, between which headers may change (`source.read_files`)."""

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    standard: str | None = None
    compiler: str | None = None
    abi: str | None = None
    build_dir: str | None = None
    entry: str | None = None
    sizes_only: bool = False
    is_all: bool = False
    trees: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    run: str = ""
    facts: tuple[Fact, ...] = ()
    """What the user says of the program, beside its source."""


Mapping: TypeAlias = Literal["best", "naive"]
"""How a nest is mapped to the threads of a device (`advise.Context`)."""

Assume: TypeAlias = Literal["all", "none", "members", "pragmas"]
"""What may be assumed (definitions.md): every kind but `user` where it is needed, or none. `members` is `all`: that
arrays behind members are apart had to be asked for once. `pragmas`: `all`, and `user` where a pragma divides the
iterations of a loop (`dependence.pragmas`)."""


Detail: TypeAlias = Literal["brief", "full"]
"""How much a report holds of each loop; report/brief.py says what `brief` leaves out."""


class AnalysisOptions(Struct, frozen=True):
    """`assume` and `strict_fp` as in definitions.md; `count_as` names the way of counting. `mapped`: whether it is
    asked how nests are mapped to the threads of a GPU (`LoopFacts.mappings`), which takes as long as all counts do."""

    assume: Assume = "all"
    strict_fp: bool = False
    count_as: CountAs = "definitions"
    mapped: bool = True
