"""Work in processes of their own, each a copy of one that has loaded everything and has not begun anything.

A run takes the world to stand still: what it has once read of headers and of the build it does not read again. So each
text gets a run of its own, in a new process, which also may be stopped half-way or crash. A new process that has to
load the program takes longer than most texts; a copy (fork) of one that has loaded it takes milliseconds.

*Method*: the copied process is made before this one has any threads. Each piece of work has a socket of its own: one
end goes to the copy, and when the other end is closed (nobody waits any more, or this process is gone) the copy ends.
*Does not handle* systems without `fork`: there work is done in a thread, and cannot be stopped.
"""

import asyncio
import gc
import importlib
import os
import pickle
import select
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Generic, NoReturn, TypeVar

Question = TypeVar("Question")
Reply = TypeVar("Reply")
_LENGTH = struct.Struct("!Q")


class LostError(Exception):
    """The process that worked on an answer ended without one."""


class Forks(Generic[Question, Reply]):
    """Made before anything starts a thread. `modules`: what is loaded in advance, while nobody asks.

    Example: `await Forks(len).ask("four")` is 4."""

    def __init__(self, work: Callable[[Question], Reply], modules: Iterable[str] = ()) -> None:
        self._work = work
        self._control: socket.socket | None = None
        if not hasattr(os, "fork"):
            return
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            ours.close()
            _serve(theirs, work, modules)
        theirs.close()
        self._control = ours

    async def ask(self, question: Question) -> Reply:
        """The reply. LostError where the process that works on it ends before. Where this is cancelled, so is the
        work."""
        if self._control is None:
            return await asyncio.to_thread(self._work, question)
        ours, theirs = socket.socketpair()
        with theirs:
            _hand_over(self._control, ours, theirs)
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(_packed(question))
            await writer.drain()
            length = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))[0]
            reply: Reply = pickle.loads(await reader.readexactly(length))
        except (asyncio.IncompleteReadError, OSError) as error:
            raise LostError("the process that analysed this text ended before it was done") from error
        finally:
            writer.close()
        return reply

    def close(self) -> None:
        """Nothing can be asked any more."""
        if self._control is not None:
            self._control.close()


def _hand_over(control: socket.socket, ours: socket.socket, theirs: socket.socket) -> None:
    """LostError where the process to be copied is gone."""
    try:
        socket.send_fds(control, [b"f"], [theirs.fileno()])
    except OSError as error:
        ours.close()
        raise LostError("the process that answers is gone; start the server again") from error


def _packed(value: object) -> bytes:
    data = pickle.dumps(value)
    return _LENGTH.pack(len(data)) + data


# --- in the process that is copied


def _serve(control: socket.socket, work: Callable[[Question], Reply], modules: Iterable[str]) -> NoReturn:
    """Loads, and makes copies of itself, until the other end is closed."""
    try:
        _leave_streams()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted closes the other end
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that copies that ended are gone
        for module in modules:
            while select.select([control], [], [], 0)[0]:
                _copy(control, work)
            with suppress(ImportError):  # one that is installed on request
                importlib.import_module(module)
        gc.collect()
        gc.freeze()  # what is never looked at is never copied
        while True:
            _copy(control, work)
    finally:
        os._exit(1)


def _leave_streams() -> None:
    """Standard input and output are the protocol's: nothing else may read or write there."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    os.close(nothing)


def _copy(control: socket.socket, work: Callable[[Question], Reply]) -> None:
    """Waits for a piece of work, and begins it in a copy of this process."""
    received, ends, _, _ = socket.recv_fds(control, 1, 1)
    if not received:
        os._exit(0)
    with socket.socket(fileno=ends[0]) as end:
        if os.fork() == 0:
            control.close()
            _answer(end, work)


def _answer(end: socket.socket, work: Callable[[Question], Reply]) -> NoReturn:
    """Answers one question in a copy, which then ends."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        length = _LENGTH.unpack(_received(end, _LENGTH.size))[0]
        question: Question = pickle.loads(_received(end, length))
        threading.Thread(target=_end_with, args=(end,), daemon=True).start()
        end.sendall(_packed(work(question)))
    finally:
        os._exit(0)


def _received(end: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        piece = end.recv(length - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return bytes(data)


def _end_with(end: socket.socket) -> None:
    """Ends this process when the other end is closed: nothing is ever sent from there any more."""
    with suppress(OSError):
        end.recv(1)
    os._exit(0)
