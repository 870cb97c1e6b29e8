"""A child process for questions that nothing else can stop: it is killed once it has used its share of CPU time.

barvinok's `card` heeds no limit of isl and no Python signal handler. So it runs in a child of this process, forked
when the first question is asked and kept for the following ones; before each it winds a timer of its own CPU time
whose signal nobody handles, so that the kernel ends it even inside a library.

    ask(card, "[n] -> { [i, j] : 0 <= i < n and 0 <= j < i }")        the answer, or None when it was too much

*Does not handle*: systems without `fork`; there every answer is None."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO, TypeAlias

from msgspec import Struct

BUDGET_S = 0.5
"""CPU seconds of one question. A sum that barvinok can do at all takes it a hundredth of that."""

START_S = 1.0
"""CPU seconds of the first one, which imports the library (0.15) as well."""

Work: TypeAlias = Callable[[str], str]
"""From one line of text to another."""


class _Child(Struct):
    process: int
    parent: int
    work: Work
    questions: BinaryIO
    answers: BinaryIO


_child: list[_Child] = []


def ask(work: Work, question: str) -> str | None:
    """What `work(question)` returns, computed by the child; None when it exceeded its CPU time or died otherwise."""
    if not hasattr(os, "fork"):
        return None
    child = _running(work)
    try:
        child.questions.write(question.encode() + b"\n")
        child.questions.flush()
        answer = child.answers.readline()
    except OSError:
        answer = b""
    if answer:
        return answer.decode().rstrip("\n")
    stop()
    return None


def stop() -> None:
    """Ends the child, if there is one; the next question starts another."""
    for child in _child:
        for pipe in (child.questions, child.answers):
            with contextlib.suppress(OSError):
                pipe.close()
        if child.parent == os.getpid():
            with contextlib.suppress(OSError):
                os.kill(child.process, signal.SIGKILL)
                os.waitpid(child.process, 0)
    _child.clear()


def _running(work: Work) -> _Child:
    if _child and (_child[0].parent != os.getpid() or _child[0].work is not work):
        stop()
    if not _child:
        _child.append(_start(work))
    return _child[0]


def _start(work: Work) -> _Child:
    questions_out, questions_in = os.pipe()
    answers_out, answers_in = os.pipe()
    parent = os.getpid()
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            os.dup2(questions_out, 0)
            os.dup2(answers_in, 1)
            os.closerange(3, 256)
            _serve(work)
        finally:
            os._exit(0)  # nothing of the parent's may be flushed or run twice
    os.close(questions_out)
    os.close(answers_in)
    return _Child(process, parent, work, os.fdopen(questions_in, "wb"), os.fdopen(answers_out, "rb"))


def _serve(work: Work) -> None:
    """One line in, one line out, until the parent is gone."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    budget = START_S
    with os.fdopen(0, "rb") as questions, os.fdopen(1, "wb") as answers:
        while line := questions.readline():
            signal.setitimer(signal.ITIMER_PROF, budget)
            answer = work(line.decode().rstrip("\n"))
            signal.setitimer(signal.ITIMER_PROF, 0)
            answers.write(answer.encode() + b"\n")
            answers.flush()
            budget = BUDGET_S
