"""Git, asked so that it runs nothing that a repository configures."""

from typing import TYPE_CHECKING

from ..base.errors import InputError

if TYPE_CHECKING:
    from ..source.process import Outcome

# A repository's own configuration could name programs to run at these places.
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "diff.external=")


def git(folder: str, *arguments: str) -> "Outcome":
    """What git does in a folder. InputError where it cannot be run. Example: `git(".", "rev-parse", "HEAD").output`."""
    from ..source.process import run

    try:
        return run(["git", *_SAFE, *arguments], folder)
    except OSError as error:
        said = f"git cannot be run ({error.strerror}); --changed-since, --staged and --hook need it"
        raise InputError(said) from None
