"""One input through the command `analyze`, in a process of its own that is forked from this one: everything is imported
there already, so that it costs a few milliseconds, and the kernel measures and limits each run by itself.

    run(Job(text, ("-t", "h200")))          Run(code=0, cpu_s=0.08, peak_mb=21, said="", place="")
"""

import ctypes
import faulthandler
import os
import re
import resource
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from msgspec import Struct

CPU_LIMIT_S = 10
"""Of one input, children (the compiler) included; the kernel stops the process itself there."""
MEMORY_LIMIT_MB = 400
"""Of one input, beside what is imported (less than 100 MB): 500 MB in all."""
_MOST_MEMORY = 3 << 30
_WALL_LIMIT_S = 300
_OUR_ERROR = re.compile(r"internal error|error of ours|please report it")
_LOOPS = re.compile(r"(\d+) loops? in ")
_FRAME = re.compile(r'File "([^"]+)", line (\d+),? in (\S+)')


class Job(Struct, frozen=True):
    """A text with the options that it is analysed with. `builtin`: without a C compiler."""

    text: str
    options: tuple[str, ...] = ()
    builtin: bool = False


class Run(Struct, frozen=True):
    """What became of a job. `peak_mb`: its memory, beside what it holds as it begins; `said`: of an
    error of ours, or of a run that was stopped, the stack; `place`: its innermost function of ours."""

    code: int
    cpu_s: float
    peak_mb: float
    said: str = ""
    place: str = ""
    loops: int = 0

    @property
    def defect(self) -> str:
        """`crash`, `time`, `memory`, or nothing."""
        if self.code == -signal.SIGXCPU or self.cpu_s > CPU_LIMIT_S:
            return "time"
        if self.code not in (0, 1, 2):
            return "crash"
        return "memory" if self.peak_mb > MEMORY_LIMIT_MB else ""


def run(job: Job) -> Run:
    """The command on this text, as a user would run it, but for BOATHULL_DEBUG: an error of ours ends it."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder, "t.c")
        path.write_text(job.text, encoding="utf-8", errors="surrogateescape")
        _give_back()
        process = os.fork()
        if process == 0:
            _child(job, Path(folder))
        _, status, used = os.wait4(process, 0)
        said = Path(folder, "errors").read_text(encoding="utf-8", errors="replace")
        shown = Path(folder, "output").read_text(encoding="utf-8", errors="replace")
        held = float(Path(folder, "held").read_text(encoding="utf-8"))
    code = os.waitstatus_to_exitcode(status)
    ours = _OUR_ERROR.search(shown)
    if code in (0, 1, 2) and ours is not None:
        code, said = 3, shown[max(0, ours.start() - 200) : ours.end() + 300]
    cpu_s = used.ru_utime + used.ru_stime
    peak_mb = max(0, used.ru_maxrss / 1024 - held)
    if code in (0, 1, 2):
        loops = _LOOPS.search(said)
        return Run(code, cpu_s, peak_mb, loops=int(loops[1]) if loops else 0)
    return Run(code, cpu_s, peak_mb, said, place(said))


def _give_back() -> None:
    """Free memory of this process goes back to the system: a child that takes it again would seem to need none."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _resident_mb() -> float:
    """What this process holds now. A child asks as it begins: it holds less than its parent, which also maps files."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * resource.getpagesize() / (1 << 20) if statm.exists() else 0


def place(said: str) -> str:
    """The innermost function of ours in a traceback (Python writes it last, a fatal signal first)."""
    frames = [f"{Path(p).parent.name}/{Path(p).name}:{name}" for p, _, name in _FRAME.findall(said) if "analyzer/" in p]
    frames = frames or [f"models/{Path(p).name}:{name}" for p, _, name in _FRAME.findall(said) if "models/" in p]
    kind = said.strip().rsplit("\n", 1)[-1].partition(":")[0] if "Traceback" in said else "stopped"
    return f"{kind} in {frames[-1 if 'Traceback' in said else 0]}" if frames else said.strip()[-200:]


def _child(job: Job, folder: Path) -> None:
    """Runs the command with its streams in files, and ends this process."""
    code = 3
    try:
        _limited(folder)
        os.environ["BOATHULL_DEBUG"] = "1"
        if job.builtin:
            os.environ["PATH"] = ""
        os.chdir(folder)
        from analyzer.command.cli import main

        code = main(["t.c", "--no-cache", "-j", "1", *job.options])
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        code = 3
    finally:
        sys.stderr.flush()
        os._exit(code)


def _limited(folder: Path) -> None:
    (folder / "held").write_text(str(_resident_mb()), encoding="utf-8")
    for stream, name in ((1, "output"), (2, "errors")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), stream)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 (to the end of the process)
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S + 2))
    faulthandler.enable(all_threads=False)
    faulthandler.register(signal.SIGXCPU, all_threads=False, chain=True)
    signal.alarm(_WALL_LIMIT_S)


def warm() -> None:
    """Imports what runs import, so that each need not."""
    from analyzer.command.arguments import FORMATS
    from analyzer.command.cli import main

    text = "void f(int n, float *a, float *b) { for (int i = 0; i < n; i++) { a[i] = b[i] * 2; } }\n"
    output = os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder, "t.c")
        path.write_text(text)
        sys.stdout.flush()
        for stream in (1, 2):
            os.dup2(nothing, stream)
        try:
            for name in FORMATS:
                main([str(path), "--no-cache", "-t", "h200", "-f", f"{name}={folder}/out"])
        finally:
            for stream, kept in enumerate(output, 1):
                os.dup2(kept, stream)
                os.close(kept)
            os.close(nothing)
