"""What the text of a translation unit was made from besides its own file: what a kept answer has to be checked
against."""

from msgspec import Struct


class Inputs(Struct, frozen=True):
    """`files`: headers that were read, and those that were looked into for what they include. `directories`: where
    headers were looked for, by flags and of our own choice. `machine`: flags that choose the compiler's own
    directories. `names`: headers that were asked for and are known by name only (missing ones). `trees`: the
    directories below which headers were looked for, if any were, and `tree_names` which. `stopped`: a limit of time or
    size cut the text short, so that another run may see more. `sources`: other files of the run that were read for
    functions of theirs; `called`: functions that were looked for there, and `together` in which files."""

    files: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    compiler: str | None = None
    machine: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    database: str | None = None
    trees: tuple[str, ...] = ()
    tree_names: tuple[str, ...] = ()
    stopped: bool = False
    sources: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
