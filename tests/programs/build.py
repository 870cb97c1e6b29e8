"""A generated program with changed copies of its functions: compiled, linked with what calls them, and run."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.clauses.program import ENVIRONMENT, ERROR, WRAPPED
from tests.clauses.program import HERE as CLAUSES
from tests.clauses.rewriting import Changed, Edit, edited

from .generate import Kernel, Program

HERE = Path(__file__).parent
SYSTEM = HERE / "system"
"""Small headers of the C library."""
COMMON = ("-w", "-O0", "-fno-strict-aliasing", "-ffp-contract=off", "-fwrapv", "-no-pie", "-fopenmp")
WATCHED = (*COMMON, "-ftrivial-auto-var-init=zero", "-fsanitize=thread")
LINKER = ("-fuse-ld=gold",) if shutil.which("ld.gold") else ()
"""Takes half the time of the usual one."""
OBJECTS = {"runtime.o": HERE / "runtime.c", "races.o": CLAUSES / "races.c"}


class NotCompiledError(Exception):
    """The program as it stands is refused by the compiler or the linker."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A changed copy of a function, with the number of its loop. `file`, `name`: of the function; `kernel`: itself, or
    one that leads to it."""

    number: int
    kernel: Kernel
    reorders: bool
    changed: Changed
    file: str
    name: str

    @property
    def of_helper(self) -> bool:
        return self.name != self.kernel.name


@dataclass(frozen=True, slots=True)
class Run:
    """One input of one copy. `original`: 1 where the call returned. `held`, `failed`: how often the loop was reached
    with its conditions true, or not; `reached`: how often a copy of a helper was called; `forced`: parallel whatever
    they say."""

    loop: int
    input: int
    broken: int
    original: int
    errors: int
    held: int
    failed: int
    reached: int
    guarded: str
    forced: str = ""


@dataclass
class Outcome:
    runs: list[Run] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)


def objects(folder: Path) -> None:
    """The parts of a program that are the same for all."""
    for name, source in OBJECTS.items():
        command = ["gcc", *COMMON, "-O1", "-c", source, "-o", folder / name]
        subprocess.run(command, check=True, timeout=120)


def outcome(program: Program, copies: Sequence[Copy], folder: Path) -> Outcome:
    """What runs of these copies show. `folder` has the objects. NotCompiledError where the program is refused."""
    found = Outcome()
    together = [c for c in copies if not c.changed.elsewhere]
    for group in [together, *([c] for c in copies if c.changed.elsewhere)]:
        accepted = _accepted(program, group, folder, found)
        if accepted:
            found.runs += _runs(folder)
    return found


def _accepted(program: Program, copies: Sequence[Copy], folder: Path, found: Outcome) -> Sequence[Copy]:
    """The copies that the compiler takes; the program is built with them."""
    while copies:
        complaint, lines = _built(program, copies, folder)
        if not complaint:
            return copies
        bad = {}
        for file, line, message in re.findall(r"(?m)^([^\n:]*\.c):(\d+):(?:\d+:)? error: (.*)$", complaint):
            for number, (where, begin, end) in lines.items():
                if where == Path(file).name and begin <= int(line) <= end:
                    bad.setdefault(number, message)
        if not bad:
            first = ERROR.search(complaint)
            raise NotCompiledError(first[0] if first else complaint.strip().splitlines()[0])
        found.refused |= bad
        copies = [c for c in copies if c.number not in bad]
    return copies


def _built(
    program: Program, copies: Sequence[Copy], folder: Path
) -> tuple[str, dict[int, tuple[str, int, int]]]:
    """What the compiler complains of, and the file and lines of each copy."""
    lines: dict[int, tuple[str, int, int]] = {}
    (folder / "h.h").write_text(program.header)
    for number, (name, text) in enumerate(program.files.items()):
        mine = [c for c in copies if c.file == name]
        edits = [e for c in mine for e in (*c.changed.elsewhere, *(_dispatch(text, c) if c.of_helper else ()))]
        whole = edited(text, edits) + _registers(program, name, number)
        for copy in mine:
            begin = whole.count("\n") + 1
            whole += f"\n{copy.changed.text}\n"
            lines[copy.number] = (name, begin, whole.count("\n") + 1)
        if number == 0:  # in a file of their own they would cost another start of the compiler
            whole += _callers(program, copies, name)
        (folder / name).write_text(f"int clz_decide(int, int), clz_on(int);\n#line 1\n{whole}")
    sources = [*program.files]
    if program.hidden:
        (folder / "hidden.c").write_text(program.hidden)
        sources.append("hidden.c")
    wrapped = [f"-Wl,--wrap={x}" for x in WRAPPED]
    stems = [Path(s).stem for s in sources]
    compiled = _gcc([*WATCHED, "-isystem", str(SYSTEM), f"-I{HERE}", "-c", *sources], folder)
    parts = [*(f"{s}.o" for s in stems), *OBJECTS, *wrapped]
    return compiled or _gcc([*COMMON, *LINKER, *parts, "-o", "program", "-lm"], folder), lines


def _gcc(arguments: Sequence[str], folder: Path) -> str:
    found = subprocess.run(["gcc", *arguments], capture_output=True, text=True, cwd=folder, timeout=120, check=False)
    return found.stderr if found.returncode else ""


def _registers(program: Program, file: str, number: int) -> str:
    """A function that tells where the static variables of a file are; the analyser does not see it."""
    lines = [f'    clz_region((void *)&{v}, sizeof {v}, "{file}:{v}");' for v in program.own[file]]
    head = f"\nvoid clz_region(void *, unsigned long, const char *);\nvoid clz_own_{number}(void)\n"
    return "\n".join([head + "{", *lines, "}", ""])


def _callers(program: Program, copies: Sequence[Copy], file: str) -> str:
    """What stands at the end of a file and calls the functions of all."""
    places = {k.name: number for number, k in enumerate(program.kernels)}
    lines = ['#include "runtime.h"']
    for number in range(len(program.files)):
        lines.append(f"void clz_own_{number}(void);")
    calls = "".join(f" clz_own_{k}();" for k in range(len(program.files)))
    lines.append(f"void clz_own_variables(void) {{{calls} }}")
    for kernel in program.kernels:
        lines += _caller(kernel, kernel.name, kernel.file == file)
    for copy in (c for c in copies if not c.of_helper):
        lines += _caller(copy.kernel, f"{copy.kernel.name}__{copy.number}", copy.file == file)
    originals = ", ".join(f"call_{k.name}" for k in program.kernels)
    lines.append(f"void (*const clz_originals[])(void) = {{{originals}}};")
    rows = [
        f"{{{c.number}, {places[c.kernel.name]}, {int(c.reorders)}, call_{_called(c)}}}"
        for c in sorted(copies, key=lambda c: places[c.kernel.name])
    ]
    lines.append(f"const struct clz_variant clz_variants[] = {{{', '.join(rows) or '{0}'}}};")
    lines.append(f"const int clz_number_of_variants = {len(rows)};")
    return "\n".join(lines) + "\n"


def _called(copy: Copy) -> str:
    """A helper is called by a function that it stands in for."""
    return copy.kernel.name if copy.of_helper else f"{copy.name}__{copy.number}"


def _dispatch(text: str, copy: Copy) -> list[Edit]:
    """What makes a helper call its copy, where that is tried."""
    begin, body = copy.changed.begin, text.index("{", copy.changed.begin)
    head = text[begin:body].strip()
    result, parameters = head.split(f"{copy.name}(")
    names = [p.split()[-1].lstrip("*") for p in parameters.rstrip(")").split(",")]
    name = f"{copy.name}__{copy.number}"
    call = f"{name}({', '.join(n for n in names if n != 'void')})"
    leave = f"{{ {call}; return; }}" if result.split()[-1] == "void" else f"return {call};"
    prototype = f"{result}{name}({parameters};\n"
    return [Edit(begin, begin, prototype), Edit(body + 1, body + 1, f" if (clz_on({copy.number})) {leave}")]


def _caller(kernel: Kernel, name: str, here: bool) -> list[str]:
    """`here`: the function is defined above, perhaps for pointers to what is constant."""
    head = kernel.prototype.replace(f" {kernel.name}(", f" {name}(")
    result = "clz_result = " if kernel.returns else ""
    given = ", ".join(f"clz_{p}" for p in kernel.parameters)
    return [*([] if here else [f"{head};"]), f"static void call_{name}(void) {{ {result}{name}({given}); }}"]


def _runs(folder: Path) -> list[Run]:
    command = [str(folder / "program")]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=600, check=True)
    return [_run(line.split()) for line in done.stdout.splitlines()]


def _run(words: Sequence[str]) -> Run:
    said = dict(w.split("=", 1) for w in words[3:])
    numbers = {k: int(said[k]) for k in ("broken", "original", "errors", "held", "failed", "reached")}
    return Run(int(words[1]), int(words[2]), guarded=said["guarded"], forced=said.get("forced", ""), **numbers)


