"""A dynamic race detector: ThreadSanitizer with Archer, both of clang 14.

Archer sees what runs: a race that no run has is not reported. `//~` in a program is a place where a thread may wait a
little, so that further runs have other orders.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

OPTIONS = "ignore_noninstrumented_modules=1 exitcode=66 history_size=5 report_signal_unsafe=0"
FLAGS = ("-fopenmp", "-fsanitize=thread", "-g", "-O0", "-w")
"""Without optimisation, which would remove stores that nothing reads."""
PAUSE = "//~"
_JITTER = """#include <stdlib.h>
#include <unistd.h>
static _Thread_local unsigned jitter_state;
__attribute__((no_sanitize("thread"), noinline)) void jitter(void)
{
    const char *most = getenv("JITTER");
    if (!most)
        return;
    if (!jitter_state)
        jitter_state = (unsigned)(size_t)&jitter_state ^ (unsigned)getpid() * 2654435761u;
    jitter_state = jitter_state * 1664525u + 1013904223u;
    if (jitter_state >> 31)
        usleep((jitter_state >> 8) % (unsigned)atoi(most));
}
"""
ARGUMENT = "ARGUMENT"
USUAL: tuple[Mapping[str, str], ...] = ({}, {"JITTER": "300", ARGUMENT: "25"}, {"JITTER": "2000"})
MORE: tuple[Mapping[str, str], ...] = (
    *({"JITTER": str(most), "OMP_NUM_THREADS": str(team)} for most in (50, 1000, 5000) for team in (2, 3, 4, 8)),
    {"JITTER": "50", "OMP_NUM_THREADS": "32"},
    *({"JITTER": "500", ARGUMENT: n} for n in ("23", "25", "22", "40")),
    *({"JITTER": "500", "OMP_SCHEDULE": schedule} for schedule in ("static,1", "dynamic,1", "guided")),
)
"""Settings of runs: variables of the environment, and the argument of the program."""


class Reported(Struct, frozen=True):
    """`lines`: of the accesses of each race; `failure`: why the program did not run to its end."""

    lines: frozenset[int] = frozenset()
    failure: str = ""
    text: str = ""



@cache
def archer() -> str:
    """The library of Archer that belongs to clang."""
    done = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True, check=True)
    return str(Path(done.stdout.strip()).resolve().parents[1] / "libarcher.so")


def compiled(text: str, folder: Path) -> Path:
    """The program, instrumented. Raises CalledProcessError where the compiler refuses it."""
    source, jitter, program = folder / "program.c", folder / "jitter.c", folder / "program"
    source.write_text('void jitter(void);\n#line 1 "program.c"\n' + text.replace(PAUSE, "jitter();"))
    jitter.write_text(_JITTER)
    files = [str(source), str(jitter), "-o", str(program), "-lm"]
    subprocess.run(["clang", *FLAGS, *files], check=True, capture_output=True, text=True)
    return program


def detected(text: str, folder: Path, settings: tuple[Mapping[str, str], ...] = USUAL, until: bool = False) -> Reported:
    """The races of some runs; `until`: of the first one that has any."""
    program = compiled(text, folder)
    lines: set[int] = set()
    texts: list[str] = []
    for setting in settings:
        found = _run(program, setting)
        if found.failure:
            return found
        lines |= found.lines
        texts.append(found.text)
        if until and lines:
            break
    return Reported(frozenset(lines), "", "\n".join(t for t in texts if t))


def _run(program: Path, setting: Mapping[str, str]) -> Reported:
    teams = {"OMP_NUM_THREADS": "4", "OMP_MAX_ACTIVE_LEVELS": "2"}
    beside = {**teams, "OMP_TOOL_LIBRARIES": archer(), "TSAN_OPTIONS": OPTIONS}
    try:
        done = subprocess.run(
            [program, *([setting[ARGUMENT]] if ARGUMENT in setting else [])],
            env={**os.environ, **beside, **setting},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Reported(failure="too long")
    if done.returncode not in (0, 66):
        return Reported(failure=f"exit code {done.returncode}: {done.stderr[:300]}")
    return Reported(frozenset(_lines(done.stderr)), "", done.stderr if done.returncode else "")


_ACCESS = re.compile(r"^  (?:Previous )?(?:atomic )?(?:read|write) of size.*\n((?:    #.*\n)+)", re.M | re.I)
_PLACE = re.compile(r"program\.c:(\d+)")


def _lines(report: str) -> Iterator[int]:
    for access in _ACCESS.finditer(report):
        place = _PLACE.search(access[1])
        if place:
            yield int(place[1])
