"""The program of a run as immutable values: where each loop runs, which arrays are copied, what comes of it."""

from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct

from .loop_entries import RangeEntry

Number: TypeAlias = int | float


class PlacedEntry(Struct, frozen=True):
    """One loop of one call (`calls`: the functions around it, from the entry on). Times are of all executions,
    transfers apart; null: not known. `alone`: the device that the loop alone would choose; `reason`: why it is
    elsewhere."""

    loop: str
    device: str
    candidate: str
    executions: Number
    time_s: Number | None
    today_s: Number | None
    alone: str
    reason: str | None
    calls: tuple[str, ...]
    arrays: tuple[str, ...]


class TransferEntry(Struct, frozen=True):
    """`times` copies of `bytes` each, `time_s` in all. `after_loop`: the loop that wrote the array last (null: none
    did, or no loop), `before_loop`: the one that needs it; `cause`: who needs it, in words."""

    array: str
    from_: str
    to: str
    bytes: Number
    times: Number
    after_loop: str | None
    before_loop: str | None
    cause: str
    time_s: Number


class GroupEntry(Struct, frozen=True):
    """Loops to port together, since they share arrays; `saved_s` over the whole program, copies taken off. `globals`:
    arrays that are global, `deep_copies`: arrays that are not one block of memory, `lines`: of C in the loops."""

    loops: tuple[str, ...]
    device: str
    saved_s: Number
    functions: tuple[str, ...]
    arrays: tuple[str, ...]
    globals_: tuple[str, ...]
    deep_copies: tuple[str, ...]
    lines: int


class UseEntry(Struct, frozen=True):
    """What a line of a function does with an array: `kind` says that it reads or writes it, that the array `ends` there
    (or what its variable leads to, or what is known of it), or that the function may be left. `within`: lines of the
    loops and branches of the function around it; `loops`: around the use, from outside, those of the functions that are
    called there included."""

    line: int
    kind: Literal["reads", "writes", "ends", "leaves"]
    within: tuple[int, ...]
    loops: tuple[str, ...]


class LifeEntry(Struct, frozen=True):
    """An array of the program in the function below which all its uses are: the variable `name` is it, or a `pointer`
    to it, one to a `block` as a whole (`double (*p)[8][9]`). `is_empty`: it holds nothing at first; `outlasts`: it may
    be read after the function. `given_by`: the function, not followed, that gave it (null: another one, or none)."""

    path: str
    function: str
    line: int
    name: str
    shape: Literal["array", "pointer", "block"]
    is_empty: bool
    outlasts: bool
    given_by: str | None
    uses: tuple[UseEntry, ...]


class PatchEntry(Struct, frozen=True):
    """What `--suggest openmp-target` writes for the program as a whole, as a unified diff. `refused`: loops that it
    leaves alone, FILE:LINE and why."""

    text: str
    refused: tuple[str, ...]


class ProgramEntry(Struct, frozen=True):
    """`sequence` in the order of execution. `before_s`: everything on the host as today; `after_s`: with every loop
    where `sequence` has it, transfers included; `speedup_range` (absent in reports of earlier versions): with the
    ranges of its loops and links. `gap`: the best placement is at most this share cheaper (0: it is the best).
    `per_loop_choice_s`: if every loop chose for itself, with copies of its own. `not_timed`: what has no known time, on
    the host before and after, and is in no total. `barriers`: calls that are not followed. `lives`: of the arrays that
    loops use, where only text is made absent. `patch` (absent where nothing moves to a GPU, and where no page is made):
    the directives for what moves and for the copies."""

    LEFT_OUT: ClassVar = frozenset({"speedup_range", "lives", "patch"})

    entry: str
    sequence: tuple[PlacedEntry, ...]
    transfers: tuple[TransferEntry, ...]
    before_s: Number
    after_s: Number
    speedup: Number
    gap: Number
    per_loop_choice_s: Number
    groups: tuple[GroupEntry, ...]
    not_timed: tuple[str, ...]
    barriers: tuple[str, ...]
    assumptions: tuple[str, ...]
    speedup_range: RangeEntry | None = None
    lives: tuple[LifeEntry, ...] | None = None
    patch: PatchEntry | None = None
