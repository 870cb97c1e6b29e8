"""The command `boathull`: the models from a class string or numbers, without any C code.

Exit codes: 0 done, 2 usage (bad class, unknown device, bad file), 3 a bug of ours, 130 interrupted.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from .commands import COMMANDS, command
from .errors import InputError
from .tables import printable


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command with `argv` (default: the process's arguments) and returns its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = parser(words).parse_args(words)
        return int(command(arguments.command).run(arguments))
    except InputError as error:
        print(printable(f"boathull: {_seen(str(error))}", sys.stderr.encoding), file=sys.stderr)
        return 2
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader has seen enough, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        print(f"boathull: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        return 3


def _seen(text: str) -> str:
    """A message with what cannot be seen written out: names of files and their text may hold commands of a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """All commands by name and help; only the chosen one's module is imported for its arguments."""
    top = argparse.ArgumentParser(prog="boathull", description=__doc__.splitlines()[0], allow_abbrev=False)
    top.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    subparsers = top.add_subparsers(metavar="COMMAND", dest="command", required=True)
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, summary in COMMANDS.items():
        if name == chosen:
            command(name).add(subparsers)
        else:
            subparsers.add_parser(name, help=summary)
    return top


class _ShowVersion(argparse.Action):
    """Looks the version up only when it is asked for: that costs more than a prediction."""

    def __call__(self, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"boathull {version('boathull')}")
        except PackageNotFoundError:
            print("boathull (not installed)")
        raise SystemExit(0)
