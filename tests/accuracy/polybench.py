"""PolyBench/C 4.2.1 as it is, with the large data set: what `kernel_...` takes, and what the program says of it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import Device

from .measure import FLAGS, LONGEST_S, Measured
from .predict import Predicted, time_of

GROUP = "polybench"
TIMER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double start;
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
void polybench_timer_start(void) { start = now(); }
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
    """Each kernel `rounds` times, interleaved."""
    timer = folder / "timer.c"
    timer.write_text(TIMER)
    sources = list(programs(suite))
    for source in sources:
        include = [f"-I{suite / 'utilities'}", f"-I{source.parent}"]
        defined = ["-DLARGE_DATASET", "-DPOLYBENCH_TIME"]
        command = ["cc", *FLAGS, *defined, *include, "-o", str(folder / source.stem), str(source), str(timer), "-lm"]
        subprocess.run(command, check=True, capture_output=True)
    samples: dict[str, list[float]] = {source.stem: [] for source in sources}
    for _ in range(rounds):
        for source in sources:
            command = [str(folder / source.stem)]
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONGEST_S)
            samples[source.stem].append(float(done.stdout.split()[-1]))
    return [Measured(f"{GROUP}:{name}", {}, tuple(found)) for name, found in samples.items()]


def predicted(suite: Path, name: str, host: Device) -> Predicted | None:
    """Of the function that the suite times."""
    source = next(path for path in programs(suite) if path.stem == name)
    options = SourceOptions(
        defines=("LARGE_DATASET", "POLYBENCH_USE_SCALAR_LB"), includes=(str(suite / "utilities"), str(source.parent))
    )
    facts = analyze_file(source.resolve(), options, AnalysisOptions(), suite)
    return time_of(next(f for f in facts.functions if f.function.name.startswith("kernel_")), host, {})
