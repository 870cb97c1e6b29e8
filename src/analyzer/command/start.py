"""Where the command `analyze` starts: the answer of an earlier run where nothing has changed since, else the program.

Nothing else is imported before that is known: the start of the program takes longer than such an answer may.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False  # `typing` alone takes as long to load as all the rest
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command with `argv` (default: the process's arguments) and returns its exit code."""
    from ..cache.replay import answered

    try:
        code = answered(argv)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever reads the report has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if code is not None:
        return code
    gc.disable()  # files that are analysed see to it themselves, where there are several (`driver.garbage_collection`)
    from .cli import main as command

    gc.freeze()  # what was imported stays to the end
    atexit.register(gc.freeze)  # or the interpreter looks through all that is left before it frees it
    return command(argv)
