"""Compiles an instrumented program, runs it, and says where its scalars are."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from .claims import Program
from .instrument import SYMBOLS, Symbols, instrumented

HERE = Path(__file__).parent
ATTEMPTS = 12
OTHER_FILES = {".h", ".c", ".inc", ".def"}
"""What is copied beside the sources, since they may include it."""
COMPILE = ("-w", "-g", "-O0", "-no-pie", "-fno-pie", "-fno-builtin", "-fsanitize=thread", "-include")
"""Without optimisation and builtins every access that C evaluates is one call of a hook, and no other is."""


class BuildError(Exception):
    """The compiler or the linker refused the program for a reason that is not ours to mend."""


def build(program: Program, sources: Sequence[Path], flags: Sequence[str], work: Path) -> tuple[Path, Symbols]:
    """The executable, and the symbols whose values it writes."""
    for path in sorted(program.root.rglob("*")):
        if path.suffix in OTHER_FILES and path.is_file():
            copy = work / path.relative_to(program.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    names = [str(s.relative_to(program.root)) for s in sources]
    symbols = Symbols()
    for _ in range(ATTEMPTS):
        symbols.numbers.clear()
        for file in program.texts:
            (work / file).write_text(instrumented(program, file, symbols), errors="surrogateescape")
        complaints = "".join(_compile(work, k, name, flags) for k, name in enumerate(names))
        if not complaints:
            return _link(program, len(names), flags, work), symbols
        if not _heeded(complaints, symbols):
            break
    raise BuildError(complaints)


def _compile(work: Path, number: int, name: str, flags: Sequence[str]) -> str:
    command = ["gcc", *COMPILE, str(HERE / "runtime.h"), *flags, "-c", name, "-o", f"unit{number}.o"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})
    return done.stderr if done.returncode else ""


def _heeded(complaints: str, symbols: Symbols) -> bool:
    """Leaves out the symbols that the compiler objects to; false where it objects to anything else."""
    errors = re.findall(r"(?m)^([^:\n]+):(\d+):\d+: error: (?:'(\w+)' undeclared)?", complaints)
    for file, line, undeclared in errors:
        if file != SYMBOLS:
            return False
        symbols.leave_out(int(line), undeclared or None)
    return bool(errors)


def _link(program: Program, units: int, flags: Sequence[str], work: Path) -> Path:
    loops = f"-DRECORDED_LOOPS={len(program.claims)}"
    runtime = ["gcc", "-w", "-O2", "-fno-omit-frame-pointer", "-fno-pie", loops, "-c", str(HERE / "runtime.c")]
    objects = [f"unit{k}.o" for k in range(units)]
    libraries = [f for f in flags if f.startswith(("-l", "-L"))]
    link = ["gcc", "-no-pie", *objects, "runtime.o", "-o", "program", *libraries, "-lm"]
    for command in ([*runtime, "-o", "runtime.o"], link):
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"{shlex.join(command)}\n{done.stderr}")
    return work / "program"


def execute(executable: Path, arguments: Sequence[str], seconds: float, work: Path) -> tuple[Path, str]:
    """The recording, and how the program ended: after a failure with the last line of what it printed."""
    log, scalars = work / "recording", work / "scalars"
    dump = ["readelf", "--debug-dump=info", str(executable)]
    debug = subprocess.run(dump, capture_output=True, text=True, check=True, env=os.environ | {"LC_ALL": "C"}).stdout
    scalars.write_text("".join(f"{at} {size}\n" for at, size in sorted(set(scalars_of(debug)))))
    environment = os.environ | {"RECORDED_LOG": str(log), "RECORDED_SCALARS": str(scalars)}
    with (work / "output").open("wb") as output:
        try:
            done = subprocess.run(
                [str(executable), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return log, f"stopped after {seconds:g} s"
    last = (work / "output").read_bytes().decode(errors="replace").splitlines()[-1:] if done.returncode else []
    return log, "; ".join([f"exit status {done.returncode}", *last])


_ENTRY = re.compile(r"<([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)")
_VALUE = re.compile(r"DW_AT_(type|byte_size|specification)\s*: <?(?:0x)?([0-9a-f]+)>?")
_ADDRESS = re.compile(r"DW_AT_location .*\(DW_OP_addr: ([0-9a-f]+)\)")
_PLAIN = {"base_type", "pointer_type", "enumeration_type"}
_NAMES = {"typedef", "const_type", "volatile_type", "restrict_type", "atomic_type"}


def scalars_of(debug: str) -> Iterator[tuple[int, int]]:
    """Addresses and sizes of the variables of static storage that are no arrays and no structures."""
    entries: dict[int, dict[str, int | str]] = {}
    entry: dict[str, int | str] = {}
    for line in debug.splitlines():
        if found := _ENTRY.search(line):
            entry = entries[int(found[1], 16)] = {"tag": found[2]}
        elif found := _VALUE.search(line):
            entry[found[1]] = int(found[2], 10 if found[1] == "byte_size" else 16)
        elif found := _ADDRESS.search(line):
            entry["address"] = int(found[1], 16)
    for variable in entries.values():
        if "address" not in variable:
            continue
        declared = entries.get(int(variable.get("specification", -1)), {})
        held = entries.get(int(variable.get("type", declared.get("type", -1))), {})
        while held.get("tag") in _NAMES:
            held = entries.get(int(held.get("type", -1)), {})
        if held.get("tag") in _PLAIN:
            yield int(variable["address"]), int(held.get("byte_size", 8))
