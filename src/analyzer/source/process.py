"""Runs a child process that reads untrusted input: no shell, bounded time, processor, memory and output."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from functools import cache, partial
from typing import IO, Literal

from msgspec import Struct

OUTPUT_LIMIT_BYTES = 64 << 20
CPU_LIMIT_S = 10
WALL_LIMIT_S = 30
MEMORY_LIMIT_BYTES = 2 << 30

# Variables that tell a compiler where headers and its own parts are, and git which index the commit at hand is made of
# (`git commit -a` has one of its own). The others stay behind: some make a compiler write files (DEPENDENCIES_OUTPUT)
# or run other programs (GCC_EXEC_PREFIX, COMPILER_PATH, LD_PRELOAD).
_KEPT = (
    "PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "SDKROOT",
    "GIT_INDEX_FILE",
)  # fmt: skip

_NOT_STARTED = (126, 127)
"""Codes with which `prlimit` says that it could not become the program."""

Stop = Literal["", "output", "time"]


class Outcome(Struct, frozen=True):
    """`stopped` names the limit that ended the run, '' when it ended by itself."""

    output: bytes
    errors: bytes
    code: int
    stopped: Stop

    @property
    def is_cut(self) -> bool:
        """Whether it was ended by a limit, its own or one of the system."""
        return bool(self.stopped) or self.code < 0


def _limits(cpu_s: int, memory_bytes: int) -> dict[str, int]:
    """By the name of what is limited. A limit that is in force for this process, and lower, stays."""
    import resource

    wanted = {
        "cpu": min(cpu_s, CPU_LIMIT_S),
        "as": min(memory_bytes, MEMORY_LIMIT_BYTES),
        "fsize": OUTPUT_LIMIT_BYTES,
        "core": 0,
    }
    in_force = {what: resource.getrlimit(getattr(resource, f"RLIMIT_{what.upper()}")) for what in wanted}
    return {what: min((limit, *(now for now in in_force[what] if now >= 0))) for what, limit in wanted.items()}


def _set(limits: dict[str, int]) -> None:
    import resource

    for what, amount in limits.items():
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(getattr(resource, f"RLIMIT_{what.upper()}"), (amount, amount))


@cache
def _limiter(path: str | None) -> str | None:
    """The program of Linux that sets limits and becomes another one. Without it this process is copied to set them in
    the copy: the larger it is, the longer that takes."""
    return shutil.which("prlimit", path=path) if sys.platform == "linux" else None


def _kill_group(child: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


class _Reader(threading.Thread):
    """Reads a pipe of a child to its end. A child that writes more than it may is `full`, and killed."""

    def __init__(self, child: "subprocess.Popen[bytes]", pipe: IO[bytes] | None) -> None:
        super().__init__(daemon=True)
        assert pipe is not None
        self.child, self.pipe, self.chunks, self.full = child, pipe, list[bytes](), False

    def run(self) -> None:
        left = OUTPUT_LIMIT_BYTES
        while data := os.read(self.pipe.fileno(), 1 << 20):
            self.chunks.append(data)
            left -= len(data)
            if left < 0:
                self.full = True
                _kill_group(self.child)
                return


def _collect(child: "subprocess.Popen[bytes]", deadline: float) -> tuple[bytes, bytes, Stop]:
    """Reads both pipes until they close or a limit is passed: each in a thread, since selectors take no pipes on
    Windows."""
    readers = [_Reader(child, pipe) for pipe in (child.stdout, child.stderr)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(max(0.0, deadline - time.monotonic()))
    late = any(reader.is_alive() for reader in readers)
    if late:
        _kill_group(child)  # which closes the pipes
        for reader in readers:
            reader.join(1.0)
    output, errors = (b"".join(reader.chunks) for reader in readers)
    return output, errors, "output" if any(reader.full for reader in readers) else "time" if late else ""


def run(
    arguments: list[str],
    directory: str,
    stdin: str | None = None,
    cpu_s: int = CPU_LIMIT_S,
    memory_bytes: int = MEMORY_LIMIT_BYTES,
) -> Outcome:
    """Runs a program to its end or to a limit; the whole process group is gone afterwards.

    `stdin` is the path of a file to read, None for none. Raises OSError if the program cannot be started.
    """
    limiter = _limiter(os.environ.get("PATH"))
    outcome = _run(arguments, directory, stdin, (cpu_s, memory_bytes), limiter)
    if limiter is not None and outcome.errors.startswith(b"prlimit: failed to set"):
        return _run(arguments, directory, stdin, (cpu_s, memory_bytes), None)  # as far as the system lets this process
    return outcome


def _run(
    arguments: list[str], directory: str, stdin: str | None, most: tuple[int, int], limiter: str | None
) -> Outcome:
    with open(stdin or os.devnull, "rb") as source:
        child = _started(arguments, directory, source, most, limiter)
    with child:
        try:
            output, errors, stopped = _collect(child, time.monotonic() + WALL_LIMIT_S)
            if not stopped:
                child.wait(WALL_LIMIT_S)
        except subprocess.TimeoutExpired:
            stopped = "time"
        finally:
            _kill_group(child)
    if child.returncode in _NOT_STARTED and errors.startswith(b"prlimit: "):
        raise FileNotFoundError(errors.decode(errors="replace").strip())
    return Outcome(output, errors, child.returncode, stopped)


def _started(
    arguments: list[str], directory: str, stdin: IO[bytes], most: tuple[int, int], limiter: str | None
) -> "subprocess.Popen[bytes]":
    """`most`: seconds of processor and bytes of memory."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"LC_ALL": "C"}
    posix = os.name == "posix"
    limits = _limits(*most) if posix else {}
    if limiter is not None:
        arguments = [limiter, *(f"--{what}={amount}:{amount}" for what, amount in limits.items()), *arguments]
    return subprocess.Popen(
        arguments,
        cwd=directory,
        env=environment,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=posix,
        preexec_fn=partial(_set, limits) if posix and limiter is None else None,
    )
