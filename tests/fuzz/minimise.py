"""A text that shows a defect, cut down: lines first, then words, each left out as long as the same is shown."""

from collections.abc import Callable
from typing import TypeAlias

from .mutate import words_of
from .running import Job, Run, run

MOST_RUNS = 150
MOST_SECONDS = 60.0
"""CPU of all runs: a text that takes ten seconds each time is not cut down far."""

Shows: TypeAlias = Callable[[list[str]], bool]


def minimised(job: Job, found: Run) -> str:
    """The smallest text met that ends with the same defect in the same place."""
    text, left = job.text, [MOST_RUNS, MOST_SECONDS]

    def shows(parts: list[str]) -> bool:
        left[0] -= 1
        again = run(Job("".join(parts), job.options, job.builtin))
        left[1] -= again.cpu_s
        return (again.defect, again.place) == (found.defect, found.place)

    for split in (lambda t: t.splitlines(keepends=True), words_of):
        parts = split(text)
        size = max(1, len(parts) // 2)
        while left[0] > 0 and left[1] > 0:
            parts = _without(parts, size, shows, left)
            if size == 1:
                break
            size //= 2
        text = "".join(parts)
    return text


def _without(parts: list[str], size: int, shows: Shows, left: list[float]) -> list[str]:
    """The parts without each run of `size` of them that is not needed."""
    at = 0
    while at < len(parts) and left[0] > 0 and left[1] > 0:
        fewer = parts[:at] + parts[at + size :]
        if fewer and shows(fewer):
            parts = fewer
        else:
            at += size
    return parts
