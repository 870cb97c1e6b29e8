"""The executor against the C compiler: the counting C text of many nests, compiled at once and run on the same memory.

Memory, results and counts must be equal bit for bit; then Python's arithmetic and control flow are C's.
"""

import struct
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from . import nest as n
from .emit_c import LIBRARY, Writer, structs
from .machine import Machine
from .trace import Run

COUNTS = ("loads", "stores", "d", "f", "iterations")

_PRELUDE = """
static long cnt[5];
static int leaf[64];
#define LD(x) (*({ cnt[0]++; &(x); }))
#define ST(x) (*({ cnt[1]++; &(x); }))
#define UP(x) (*({ cnt[0]++; cnt[1]++; &(x); }))
#define F64(x) ({ __auto_type v_ = (x); cnt[2]++; v_; })
#define F32(x) ({ __auto_type v_ = (x); cnt[3]++; v_; })
#define IT(k) cnt[4] += leaf[k]
"""

_MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
    long head[4];
    while (fread(head, sizeof(long), 4, in) == 4) {
        char *M = malloc(head[1]);
        long *at = malloc(8 * head[2] + 8), *arg = malloc(8 * head[3] + 8);
        if (fread(M, 1, head[1], in) != head[1] || fread(at, 8, head[2], in) != head[2]) return 1;
        if (fread(arg, 8, head[3], in) != head[3]) return 1;
        for (long k = 0; k < head[2]; k++) *(char **)(M + at[k]) += (long)M;
        memset(cnt, 0, sizeof cnt);
        double result = 0;
        switch (head[0]) {
%s        }
        for (long k = 0; k < head[2]; k++) *(char **)(M + at[k]) -= (long)M;
        fwrite(&result, 8, 1, out);
        fwrite(cnt, 8, 5, out);
        fwrite(M, 1, head[1], out);
        free(M); free(at); free(arg);
    }
    return fclose(out);
}
"""


def _case(number: int, nest: n.Nest, machine: Machine) -> str:
    lines = [f"leaf[{s.id}] = {int(not n.loops(s.body))};" for s in n.loops(nest.body)]
    held = [s for s in nest.storage if s.scope == "global"]
    lines += [f"memcpy({s.name}, M + {machine.start[s.name]}, sizeof {s.name});" for s in held]
    lines += [f"{g.name} = {'0.75' if _floating(g) else '3'};" for g in nest.globals_]
    arguments = []
    for k, p in enumerate(nest.params):
        match p.type:
            case n.Ptr():
                arguments.append(_pointer(p.name, nest, machine))
            case n.Num(floating=True):
                arguments.append("0.75")
            case _:
                arguments.append(f"arg[{k}]")
    call = f"{nest.name}({', '.join(arguments)});"
    lines.append(f"result = {call}" if nest.result is not None else call)
    lines += [f"memcpy(M + {machine.start[s.name]}, {s.name}, sizeof {s.name});" for s in held]
    lines += [f"result += {g.name};" for g in nest.globals_]
    return f"        case {number}: " + " ".join(lines) + " break;\n"


def _pointer(name: str, nest: n.Nest, machine: Machine) -> str:
    """Where a parameter points: into the memory of the run, or to a global that it overlaps."""
    for one, other, _ in nest.alias:
        if one == name and any(s.name == other and s.scope == "global" for s in nest.storage):
            return f"(void *)((char *){other} + {machine.address(name) - machine.address(other)})"
    return f"(void *)(M + {machine.address(name)})"


def _floating(v: n.Var) -> bool:
    return isinstance(v.type, n.Num) and v.type.floating


class Native:
    """Many nests in one program."""

    def __init__(self, nests: Sequence[n.Nest], folder: Path, compiler: str) -> None:
        self.nests, self.folder = nests, folder
        self.machines = [Machine(nest) for nest in nests]
        cases = "".join(_case(k, nest, m) for k, (nest, m) in enumerate(zip(nests, self.machines, strict=True)))
        text = LIBRARY + structs() + _PRELUDE + "\n".join(Writer(counted=True).nest(x) for x in nests) + _MAIN % cases
        source = folder / "nests.c"
        source.write_text(text)
        subprocess.run(
            [
                compiler,
                "-w",
                "-O0",
                "-ffp-contract=off",
                "-fno-strict-aliasing",
                str(source),
                "-o",
                str(folder / "nests"),
                "-lm",
            ],
            check=True,
            timeout=300,
        )

    def run(self, jobs: Iterable[tuple[int, dict[str, int], str]]) -> Iterator[tuple[float, dict[str, int], bytes]]:
        """Result, counts and memory of each job (number of the nest, sizes, seed of the contents)."""
        jobs = list(jobs)
        with (self.folder / "jobs").open("wb") as out:
            for number, sizes, seed in jobs:
                machine = self.machines[number]
                machine.fill(seed, sizes)
                values = [sizes.get(p.name, 3) for p in self.nests[number].params]
                out.write(struct.pack("<4q", number, machine.size, len(machine.pointers), len(values)))
                out.write(machine.memory)
                out.write(struct.pack(f"<{len(machine.pointers)}q", *machine.pointers))
                out.write(struct.pack(f"<{len(values)}q", *values))
        subprocess.run(
            [str(self.folder / "nests"), str(self.folder / "jobs"), str(self.folder / "out")], check=True, timeout=60
        )
        with (self.folder / "out").open("rb") as found:
            for number, _, _ in jobs:
                (result,) = struct.unpack("<d", found.read(8))
                counts = dict(zip(COUNTS, struct.unpack("<5q", found.read(40)), strict=True))
                yield result, counts, found.read(self.machines[number].size)


def live(nest: n.Nest, machine: Machine, memory: bytes) -> bytes:
    """Memory without the function's own arrays."""
    parts = bytearray(memory)
    for s in nest.storage:
        if s.scope == "local":
            begin, end = machine.extent(s.name)
            parts[begin:end] = bytes(end - begin)
    return bytes(parts)


def result_of(nest: n.Nest, run: Run) -> float:
    """The one number that the compiled program reports."""
    own = float(run.result[0]) if nest.result is not None and run.result[0] is not None else 0.0
    for value in run.result[1:]:
        own += value
    return own
