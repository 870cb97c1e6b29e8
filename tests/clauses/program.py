"""One file with changed copies of its functions and a calling program: compiled, run, compared."""

import dataclasses
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from analyzer.change.cuda.kernel import Kernel
from analyzer.report.loop_entries import LoopEntry

from .driver import Callers, Copy
from .kernels import as_program
from .patches import Trial
from .rewriting import Changed, Edit, edited

HERE = Path(__file__).parent
COMMON = ("-w", "-O1", "-fno-strict-aliasing", "-ffp-contract=off", "-fwrapv", "-no-pie")
PARALLEL = (*COMMON, "-fopenmp", "-ftrivial-auto-var-init=zero")
WATCHED = (*PARALLEL, "-O0", "-fsanitize=thread")
"""Compiled for ThreadSanitizer with every access that the text has, and linked with races.c in place of its library."""
WRAPPED = (
    *("GOMP_barrier", "GOMP_atomic_start", "GOMP_atomic_end", "GOMP_parallel", "GOMP_parallel_loop_runtime"),
    *("GOMP_parallel_loop_nonmonotonic_runtime", "GOMP_parallel_loop_maybe_nonmonotonic_runtime"),
    *(
        f"GOMP_loop_{wide}{kind}runtime_{part}"
        for wide in ("", "ull_")
        for kind in ("", "nonmonotonic_", "maybe_nonmonotonic_")
        for part in ("start", "next")
    ),
    *("memcpy", "memmove", "memset", "free"),
)
_MOVABLE = tuple(flag for flag in COMMON if flag != "-no-pie")
CHECKED = (
    *("-w", "-O1", "-fno-strict-aliasing", "-ffp-contract=off", "-no-pie", "-ftrivial-auto-var-init=pattern"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)
ERROR = re.compile(r"(?m)^[^\n:]*\.c:(\d+):(?:\d+:)? (?:error|internal compiler error|sorry, unimplemented): (.*)$")
UNLINKED = re.compile(r"in function `\w+__(\d+)':\n(.*undefined reference to .*)")
IN_KERNEL = re.compile(r"In function .*?(?:void )?(\w+)_(\d+)_(?:iteration|kernel|gpu)\(.*\n.*error: (.*)")
UNDEFINED = re.compile(r"undefined reference to `(\w+)'")
REDECLARED = re.compile(r"(?m)^[^\n:]*\.c:.* conflicting types for built-in function .(\w+)")
ENVIRONMENT = {
    "OMP_WAIT_POLICY": "passive",
    "OMP_DYNAMIC": "false",
    "ASAN_OPTIONS": "detect_leaks=0",
    "PATH": "/usr/bin:/bin",
}
DEVICE_ENVIRONMENT = {
    **ENVIRONMENT,
    **{"OMP_TARGET_OFFLOAD": "MANDATORY", "MALLOC_PERTURB_": "165", "KMP_TASKING": "0"},
}
"""No construct stays on the host unseen, and memory of the device begins with garbage. Without tasks, as an assertion
of LLVM's run time fails where one construct stays on the host by its `if`, and the next one does not."""
REPORT = 66
"""What a program ends with of which ThreadSanitizer has a report."""
ARCHER_ENVIRONMENT = {
    **ENVIRONMENT,
    "TSAN_OPTIONS": f"ignore_noninstrumented_modules=1 halt_on_error=1 atexit_sleep_ms=0 exitcode={REPORT}",
}


class Build(NamedTuple):
    """How a changed program is compiled by `command`, linked with the object `calling`, and run."""

    command: tuple[str, ...]
    calling: str
    environment: Mapping[str, str]


_BY_CLANG = (
    *("-ftrivial-auto-var-init=zero", "-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang"),
)
BUILDS: dict[Trial | None, Build] = {
    "openmp-target": Build(
        ("clang", *_MOVABLE, "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", *_BY_CLANG),
        "serial.o",
        DEVICE_ENVIRONMENT,
    ),
    "openacc": Build(
        ("gcc", *_MOVABLE, "-fopenacc", "-ftrivial-auto-var-init=zero"), "serial.o", DEVICE_ENVIRONMENT
    ),
    "archer": Build(
        ("clang", *COMMON, "-O0", "-fopenmp", "-fsanitize=thread", *_BY_CLANG), "archer.o", ARCHER_ENVIRONMENT
    ),
}
"""Others than gcc with races.c. With clang, what a target construct does runs in this process, with memory of its own;
gcc without a device runs it on the host: what it takes is tried, but no copies. `archer`: clang's ThreadSanitizer, to
which Archer, a part of LLVM's run time, says how OpenMP orders threads."""
MINUTES = 20


class NotCompiledError(Exception):
    """The file as it stands is refused by the compiler or the linker."""


@dataclass
class Outcome:
    """Numbers of copies, with what became of each: `runs` (0: no valid input), what `differs`, who was `refused`."""

    runs: dict[int, int] = field(default_factory=dict)
    differs: dict[int, str] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    invalid: dict[str, str] = field(default_factory=dict)
    """Why the original of a function has no valid run."""


def _first(complaint: str) -> str:
    """The first thing that the compiler, or the linker, says is wrong."""
    found = ERROR.search(complaint)
    lines = [x for x in complaint.splitlines() if ": in function" not in x.lower()]
    return found[2] if found else lines[0] if lines else "failed"


def objects(folder: Path) -> None:
    """The part of the calling program that is the same for all files."""
    parts = (("runtime.c", "runtime.o", PARALLEL), ("races.c", "races.o", PARALLEL), ("runtime.c", "serial.o", COMMON))
    for source, name, flags in parts:
        subprocess.run(["gcc", *flags, "-c", HERE / source, "-o", folder / name], check=True, timeout=120)
    command = ["gcc", "-O1", "-fsanitize=address", "-c", HERE / "runtime.c", "-o", folder / "checked.o"]
    subprocess.run(command, check=True, timeout=120)
    if shutil.which("clang") is not None:
        command = ["clang", *COMMON, "-fopenmp", "-DARCHER", "-c", HERE / "runtime.c", "-o", folder / "archer.o"]
        subprocess.run(command, check=True, timeout=120)


class Program:
    """A file: its text, the functions to call, and their copies."""

    def __init__(
        self,
        includes: Path,
        text: str,
        callers: Callers,
        cases: Sequence[str],
        folder: Path,
        *,
        form: Trial | None = None,
    ) -> None:
        self.includes, self.text, self.callers, self.cases, self.folder = includes, text, callers, cases, folder
        self.stubs, self.form = "", form
        self.kernels: list[tuple[Kernel, LoopEntry]] = []

    def _written(self, copies: Sequence[tuple[Copy, Changed]]) -> tuple[str, dict[int, tuple[int, int]]]:
        """The whole text, and the lines of each copy."""
        edits = [Edit(c.end, c.end, f"\n{c.text}\n") for _, c in copies]
        text = edited(self.text, edits)
        lines, added = {}, 0
        for copy, c in sorted(copies, key=lambda x: x[1].end):
            begin = text.count("\n", 0, c.end + added) + 1
            added += len(c.text) + 2
            lines[copy.number] = (begin, text.count("\n", 0, c.end + added) + 1)
        driver = self.callers.program(self.cases, [copy for copy, _ in copies])
        return f"{text}\n{self.stubs}\n{driver}", lines

    def _compiled(self, text: str, name: str, checked: bool = False) -> str:
        """What the compiler complains of."""
        source, own = self.folder / f"{name}.c", self.folder / f"{name}.o"
        source.write_text(text)
        if self.kernels and name == "changed":
            return self._with_kernels(own)
        if self.form in BUILDS and (name == "changed" or (name == "before" and self.form == "archer")):
            parts = [BUILDS[self.form].calling, "-no-pie", "-o", name, "-lm"]
            command = [*BUILDS[self.form].command, "-Dmain=clz_user_main", f"-I{self.includes}", source.name, *parts]
            found = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=self.folder)
            return "" if found.returncode == 0 else found.stderr
        command = ["gcc", *(CHECKED if checked else WATCHED), "-Dmain=clz_user_main", f"-I{self.includes}", "-c"]
        found = subprocess.run([*command, source, "-o", own], capture_output=True, text=True, timeout=300)
        if found.returncode == 0:
            parts = ["checked.o"] if checked else ["runtime.o", "races.o", *(f"-Wl,--wrap={x}" for x in WRAPPED)]
            flags = CHECKED if checked else PARALLEL
            command = ["gcc", *flags, own.name, *parts, "-o", name, "-lm"]
            found = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=self.folder)
        return "" if found.returncode == 0 else found.stderr

    def _with_kernels(self, own: Path) -> str:
        """The program with kernels, compiled for the processor."""
        source = self.folder / "changed.c"
        (self.folder / "kernels.cc").write_text(as_program(self.text, "changed.c", *zip(*self.kernels, strict=True)))
        flags = [flag for flag in COMMON if flag != "-no-pie"]
        includes = [f"-I{self.includes}", f"-I{HERE}"]
        commands = (
            ["gcc", *flags, "-ftrivial-auto-var-init=zero", "-Dmain=clz_user_main", *includes, "-c", source, "-o", own],
            ["g++", "-std=c++20", *flags, *includes, "-c", "kernels.cc", "-o", "kernels.o"],
            ["g++", own.name, "kernels.o", "serial.o", "-o", "changed", "-lm", "-lpthread", "-no-pie"],
        )
        for command in commands:
            found = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=self.folder)
            if found.returncode != 0:
                return found.stderr
        return ""

    def _redeclared(self) -> set[str]:
        """Functions that have the name of one of the C library, and another type: the library has no body for them."""
        source = self.folder / "declared.c"
        source.write_text(self.text)
        command = ["gcc", "-fsyntax-only", f"-I{self.includes}", source]
        complaint = subprocess.run(command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT).stderr
        return set(REDECLARED.findall(complaint)) & self.callers.prototypes.keys()

    def _checked(self) -> None:
        complaint = self._compiled(self._written(())[0], "original", checked=True)
        missing = set(UNDEFINED.findall(complaint)) | self._redeclared()
        if missing:
            self.stubs = self.callers.missing(sorted(missing))
            complaint = self._compiled(self._written(())[0], "original", checked=True)
        if complaint:
            raise NotCompiledError(_first(complaint))

    def outcome(self, copies: Sequence[tuple[Copy, Changed]]) -> Outcome:
        """NotCompiledError where the original is refused."""
        self._checked()
        result = Outcome()
        good = self._run("original", "check")
        self._note_invalid(good, result)
        (self.folder / "good").write_text(good)
        if self._accepted([x for x in copies if not x[1].elsewhere], result):
            self._note_runs(self._run("changed", "run", str(self.folder / "good")), result)
        for copy, change in copies:
            if change.elsewhere:
                self._alone(copy, change, good, result)
        return result

    def _alone(self, copy: Copy, change: Changed, good: str, result: Outcome) -> None:
        """A change of more than one function, in a program of its own; the original gives its results to a file."""
        number = self.cases.index(copy.function)
        mine = [f"good 0 {rest}" for rest in re.findall(rf"(?m)^good {number} (.*)$", good)]
        (self.folder / "good").write_text("\n".join(mine) + "\n")
        (self.folder / "results").unlink(missing_ok=True)
        plain = f"{self.text}\n{self.stubs}\n{self.callers.program([copy.function], [])}"
        text = edited(self.text, [*change.elsewhere, Edit(change.begin, change.end, change.text)])
        # Here the copy has taken the place and the name of the original.
        text = re.sub(rf"\b{copy.function}__{copy.number}\b", copy.function, text)
        driver = self.callers.program([copy.function], [dataclasses.replace(copy, number=0)])
        complaint = self._compiled(plain, "before")
        complaint = complaint or self._compiled(f"{text}\n{self.stubs}\n{driver}", "changed")
        if complaint:
            result.refused[copy.number] = _first(complaint)
            return
        files = (str(self.folder / "good"), str(self.folder / "results"))
        self._run("before", "dump", *files)
        said = self._run("changed", "against", *files)
        self._note_runs(re.sub(r"(?m)^(differs|variant) 0 ", rf"\1 {copy.number} ", said), result)

    def _note_runs(self, said: str, result: Outcome) -> None:
        result.runs.update({int(k): int(n) for k, n in re.findall(r"(?m)^variant (\d+) (-?\d+)$", said)})
        result.differs.update({int(k): text for k, text in re.findall(r"(?m)^differs (\d+) (.*)$", said)})

    def _note_invalid(self, good: str, result: Outcome) -> None:
        valid = {int(k) for k in re.findall(r"(?m)^good (\d+) ", good)}
        bad: dict[int, list[str]] = defaultdict(list)
        for k, why in re.findall(r"(?m)^bad (\d+) \d+ (.*)$", good):
            bad[int(k)].append(why)
        for k in bad.keys() - valid:
            result.invalid[self.cases[k]] = max(set(bad[k]), key=bad[k].count)

    def _accepted(self, copies: list[tuple[Copy, Changed]], result: Outcome) -> list[tuple[Copy, Changed]]:
        """The copies that the compiler takes; the program is built with them."""
        while copies:
            text, lines = self._written(copies)
            self.kernels = [c.kernel for _, c in copies if c.kernel is not None]
            complaint = self._compiled(text, "changed")
            if not complaint:
                return copies
            before = len(result.refused)
            for line, message in ERROR.findall(complaint):
                for number, (begin, end) in lines.items():
                    if begin <= int(line) <= end:
                        result.refused.setdefault(number, message)
            for function, line, message in IN_KERNEL.findall(complaint):
                for copy, c in copies:
                    if c.kernel is not None and c.kernel[0].name in (f"{function}_{line}",):
                        result.refused.setdefault(copy.number, message)
            for number, message in UNLINKED.findall(complaint):
                result.refused.setdefault(int(number), message)
            if len(result.refused) == before:
                raise NotCompiledError(_first(complaint))
            copies = [c for c in copies if c[0].number not in result.refused]
        return copies

    def _run(self, program: str, *arguments: str) -> str:
        found = subprocess.run(
            [str(self.folder / program), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            env=BUILDS[self.form].environment if self.form in BUILDS and program == "changed" else ENVIRONMENT,
            timeout=60 * MINUTES,
        )
        return found.stdout
