"""Runs a child process that reads untrusted input: no shell, bounded time, processor, memory and output."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from typing import Literal

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

Stop = Literal["", "output", "time"]


class Outcome(Struct, frozen=True):
    """`stopped` names the limit that ended the run, '' when it ended by itself."""

    output: bytes
    errors: bytes
    code: int
    stopped: Stop


def _limits() -> None:
    import resource

    for what, amount in (
        (resource.RLIMIT_CPU, CPU_LIMIT_S),
        (resource.RLIMIT_AS, MEMORY_LIMIT_BYTES),
        (resource.RLIMIT_FSIZE, OUTPUT_LIMIT_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (amount, amount))


def _kill_group(child: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


def _collect(child: "subprocess.Popen[bytes]", deadline: float) -> tuple[bytes, bytes, Stop]:
    """Reads both pipes until they close or a limit is passed."""
    assert child.stdout
    assert child.stderr
    chunks: dict[int, list[bytes]] = {child.stdout.fileno(): [], child.stderr.fileno(): []}
    sizes = dict.fromkeys(chunks, 0)
    stopped: Stop = ""
    with selectors.DefaultSelector() as selector:
        for descriptor in chunks:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map() and not stopped:
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready and time.monotonic() >= deadline:
                stopped = "time"
            for key, _ in ready:
                data = os.read(key.fd, 1 << 20)
                if not data:
                    selector.unregister(key.fd)
                chunks[key.fd].append(data)
                sizes[key.fd] += len(data)
                if sizes[key.fd] > OUTPUT_LIMIT_BYTES:
                    stopped = "output"
    return b"".join(chunks[child.stdout.fileno()]), b"".join(chunks[child.stderr.fileno()]), stopped


def run(arguments: list[str], directory: str, stdin: str | None = None) -> Outcome:
    """Runs a program to its end or to a limit; the whole process group is gone afterwards.

    `stdin` is the path of a file to read, None for none. Raises OSError if the program cannot be started.
    """
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"LC_ALL": "C"}
    posix = os.name == "posix"
    with open(stdin or os.devnull, "rb") as source:
        child = subprocess.Popen(
            arguments,
            cwd=directory,
            env=environment,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=posix,
            preexec_fn=_limits if posix else None,
        )
    with child:
        try:
            output, errors, stopped = _collect(child, time.monotonic() + WALL_LIMIT_S)
            if not stopped:
                child.wait(WALL_LIMIT_S)
        except subprocess.TimeoutExpired:
            stopped = "time"
        finally:
            _kill_group(child)
    return Outcome(output, errors, child.returncode, stopped)
