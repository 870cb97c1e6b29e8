"""PolyBench/C 4.2.1 as it is, with the large data set: what `kernel_...` takes, and what the program says of it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.clauses.answers import answers

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FileFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import Device

from .measure import FLAGS, OPENMP, Measured, interleaved, run
from .predict import Predicted, time_of
from .versions import WAYS, Way, version

GROUP = "polybench"
TIMER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double start;
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
void polybench_timer_start(void)
{
#ifdef _OPENMP
    double since = now(); /* a team is made once in a program, and its threads need some time until each has a core */
    while (now() - since < 0.05) {
#pragma omp parallel
        __asm__ volatile("" ::: "memory");
    }
#endif
    start = now();
}
void polybench_timer_stop(void) { start = now() - start; }
void polybench_timer_print(void) { printf("%.9f\\n", start); }
void *polybench_alloc_data(unsigned long long n, int size)
{
    void *found = NULL;
    if (posix_memalign(&found, 4096, (size_t)n * (size_t)size) != 0) exit(3);
    return found;
}
"""
"""In place of the suite's own timer, which takes the time of the wall."""


def programs(suite: Path) -> Iterator[Path]:
    """The kernels that the suite lists."""
    for line in (suite / "utilities" / "benchmark_list").read_text().split():
        yield suite / line


def measured(suite: Path, folder: Path, rounds: int = 3) -> list[Measured]:
    """Each kernel as it is `rounds` times, interleaved, by the time that its thread runs."""
    return _repeated([(source.stem, "host", _built(suite, source, folder)) for source in programs(suite)], rounds)


def measured_ways(suite: Path, folder: Path, rounds: int = 2) -> list[Measured]:
    """Each kernel that has another version than the one on the host, in all its versions, by the time of the wall."""
    built: list[tuple[str, Way, Path]] = []
    for source in programs(suite):
        said = answers([source], ("--no-cache", *_flags(suite, source)))[source.name]
        timed = next((each.function for each in said if each.function.startswith("kernel_")), "")
        text = source.read_text()
        found = {way: made for way in WAYS if (made := version(text, said, timed, way)) is not None}
        if len(found) > 1:
            built += ((source.stem, way, _built(suite, source, folder, way, made)) for way, made in found.items())
    return _repeated(built, rounds)


def _flags(suite: Path, source: Path) -> list[str]:
    return ["-DLARGE_DATASET", "-DPOLYBENCH_TIME", f"-I{suite / 'utilities'}", f"-I{source.parent}"]


def _built(suite: Path, source: Path, folder: Path, way: Way = "host", text: str | None = None) -> Path:
    """The program; measured by the wall where it is a version of the text."""
    program = folder / f"{source.stem}.{way}"
    timer, version = program.with_suffix(f".{way}.timer.c"), program.with_suffix(f".{way}.c")
    timer.write_text(TIMER)
    version.write_text(source.read_text() if text is None else text)
    clock = "CLOCK_THREAD_CPUTIME_ID" if text is None else "CLOCK_MONOTONIC"
    flags = [*FLAGS, *OPENMP[way], f"-DCLOCK={clock}", *_flags(suite, source)]
    run(["cc", *flags, "-o", str(program), str(version), str(timer), "-lm"])
    return program


def _repeated(built: list[tuple[str, Way, Path]], rounds: int) -> list[Measured]:
    found = interleaved([[str(program)] for _, _, program in built], rounds)
    return [Measured(f"{GROUP}:{name}", {}, s, way) for (name, way, _), s in zip(built, found, strict=True)]


def predicted(suite: Path, name: str, host: Device, way: Way = "host") -> Predicted | None:
    """Of the function that the suite times."""
    timed = next(f for f in _facts(suite, name).functions if f.function.name.startswith("kernel_"))
    return time_of(timed, host, {}, way)


@cache
def _facts(suite: Path, name: str) -> FileFacts:
    source = next(path for path in programs(suite) if path.stem == name)
    options = SourceOptions(
        defines=("LARGE_DATASET", "POLYBENCH_USE_SCALAR_LB"), includes=(str(suite / "utilities"), str(source.parent))
    )
    return analyze_file(source.resolve(), options, AnalysisOptions(), suite)
