"""What a run over many files takes of memory: the peak of the process itself, and of the largest of its workers.

    python benchmarks/memory.py [FILES ...] [--jobs 1 2] [--formats text json] [--target gtx470]

Writes programs of 10, 20 and 40 files (or as many as asked for) into a temporary folder, each file of 110 lines with
twenty loops, in names of its own; runs `analyze` over them without a cache; prints a Markdown table with the peak of
resident memory in MB (VmHWM of Linux, looked at every 50 ms; compilers that are started are left out) and how much each
further file adds to the process itself. Prints figures; asserts nothing, since allocators differ.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ANALYZE = "import sys; from analyzer.command.cli import main; sys.exit(main(sys.argv[1:]))"

STENCIL = """
void {name}_relax(int n, int m, double {name}_new[n][m], const double {name}_old[n][m], double {name}_w)
{{
    for (int i = 1; i < n - 1; i++) {{
        for (int j = 1; j < m - 1; j++) {{
            double sides = {name}_old[i - 1][j] + {name}_old[i + 1][j];
            double ends = {name}_old[i][j - 1] + {name}_old[i][j + 1];
            {name}_new[i][j] = (1.0 - {name}_w) * {name}_old[i][j]
                + 0.25 * {name}_w * (sides + ends);
        }}
    }}
}}
"""
PRODUCT = """
void {name}_product(int n, int m, int p, double *{name}_c, const double *{name}_a, const double *{name}_b)
{{
    for (int i = 0; i < n; i++) {{
        for (int j = 0; j < m; j++) {{
            double sum = 0.0;
            for (int k = 0; k < p; k++)
                sum += {name}_a[i * p + k] * {name}_b[k * m + j];
            {name}_c[i * m + j] = sum;
        }}
    }}
}}
"""
GATHER = """
double {name}_gather(int n, const int *{name}_index, const double *{name}_x, double *{name}_y, double {name}_limit)
{{
    double total = 0.0;
    for (int i = 0; i < n; i++) {{
        double value = {name}_x[{name}_index[i]];
        if (value > {name}_limit)
            value = {name}_limit;
        {name}_y[i] = 2.0 * value;
    }}
    for (int i = 0; i < n; i++)
        total += {name}_y[i] * {name}_y[i];
    return total;
}}
"""
SWEEP = """
void {name}_sweep(int n, float *{name}_u, float *{name}_v, float {name}_k)
{{
    for (int i = 1; i < n; i++)
        {name}_u[i] = {name}_u[i - 1] + {name}_k * {name}_v[i];
    for (int i = 0; i < n; i++) {{
        {name}_v[i] = {name}_u[i] * {name}_u[i] + {name}_k;
        if ({name}_v[i] < 0.0f)
            {name}_v[i] = 0.0f;
    }}
}}
"""
PARTS = (STENCIL, PRODUCT, GATHER, SWEEP)


def text(number: int) -> str:
    """One file: nine functions."""
    return "".join(PARTS[i % len(PARTS)].format(name=f"f{number}_{i}") for i in range(9))


def write(folder: Path, files: int) -> None:
    for number in range(files):
        (folder / f"part{number:03}.c").write_text(text(number))


def peaks(command: list[str]) -> tuple[int, int]:
    """Peak of resident memory of the process, and of the largest that it started and that runs Python, in kB."""
    found: dict[int, int] = {}
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while running.poll() is None:
        for pid in family(running.pid):
            found[pid] = max(found.get(pid, 0), peak(pid))
        time.sleep(0.05)
    own = found.pop(running.pid)
    return own, max(found.values(), default=0)


def family(pid: int) -> list[int]:
    """The process and all that it started, directly or not."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(one for child in children for one in family(int(child)))]


def peak(pid: int) -> int:
    """Largest resident memory so far in kB; 0 of what does not run Python, or is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields.get("VmHWM", "0 kB").split()[0]) if "python" in fields["Name"] else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=int, default=[10, 20, 40])
    parser.add_argument("--jobs", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--formats", nargs="+", default=["text", "json"])
    parser.add_argument("--target", default="gtx470")
    chosen = parser.parse_args()
    files = sorted(chosen.files)
    print(f"| format | jobs | {' | '.join(f'{n} files' for n in files)} | per file |")
    print("|---|---|" + "---|" * (len(files) + 1))
    for format_ in chosen.formats:
        for jobs in chosen.jobs:
            row: list[tuple[int, int]] = []
            for number in files:
                with tempfile.TemporaryDirectory() as folder:
                    write(Path(folder), number)
                    words = [folder, "-f", format_, "-j", str(jobs), "--no-cache", "--target", chosen.target]
                    row.append(peaks([sys.executable, "-c", ANALYZE, *words]))
            shown = " | ".join(f"{own / 1024:.0f}" + f", {worker / 1024:.0f}" * (jobs > 1) for own, worker in row)
            added = (row[-1][0] - row[0][0]) / max(1, files[-1] - files[0]) / 1024
            print(f"| {format_} | {jobs} | {shown} | {added:.2f} |", flush=True)


if __name__ == "__main__":
    main()
