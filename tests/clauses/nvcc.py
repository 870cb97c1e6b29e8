"""Compiles the kernels of all parallel loops of C files with nvcc: `python -m tests.clauses.nvcc fixtures/c/*.c`."""

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from analyzer.change.chosen import wanted
from analyzer.change.cuda import file_of_kernels, started
from analyzer.change.cuda.starter import Started
from analyzer.change.names import Names
from analyzer.change.refused import RefusedError
from analyzer.change.text import Text, UnreadableError
from analyzer.report.document import FileEntry
from analyzer.report.loop_entries import LoopEntry

from .answers import report
from .patches import entries


def kernels(text: str, loops: Sequence[tuple[FileEntry, LoopEntry]]) -> Iterator[tuple[LoopEntry, Started]]:
    """Those that can be written."""
    for file, loop in loops:
        try:
            said = wanted(Text(text), loop, "cuda", file.loops, asked=True)
            yield loop, started(Text(text), Names(text), loop, said, file)
        except (RefusedError, UnreadableError):
            continue


def compiled(path: Path, loops: Sequence[tuple[FileEntry, LoopEntry]]) -> tuple[int, str]:
    """How many kernels a file has, and what nvcc complains of."""
    text = path.read_text(errors="surrogateescape")
    found = list(kernels(text, loops))
    if not found:
        return 0, ""
    code = file_of_kernels(Text(text), path.name, [s.kernel for _, s in found], [loop for loop, _ in found])
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernels.cu")
        source.write_text(code)
        flags = ["-DCOMPARE_WITH_HOST", "-Wno-deprecated-gpu-targets", f"-I{path.parent}", "-w"]
        command = ["nvcc", *flags, "-c", source, "-o", source.with_suffix(".o")]
        ran = subprocess.run(command, capture_output=True, text=True)
    return len(found), "" if ran.returncode == 0 else ran.stdout + ran.stderr


def main(arguments: Sequence[str]) -> int:
    paths = [Path(name).resolve() for name in arguments]
    by_path: dict[Path, list[tuple[FileEntry, LoopEntry]]] = {path: [] for path in paths}
    for file, loop in entries(report(paths, ["--no-cache"])).values():
        by_path.get(Path(file.path).resolve(), []).append((file, loop))
    total: Counter[str] = Counter()
    for path, loops in by_path.items():
        number, complaint = compiled(path, loops)
        total.update(files=bool(number), kernels=number, refused=bool(complaint))
        if complaint:
            print(f"{path.name}: {complaint[:1500]}", flush=True)
    print(*(f"{name} {number}" for name, number in total.items()))
    return int(total["refused"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
