"""Kernels of `analyze --suggest cuda` as a program for the processor, to be run beside the original."""

import re
from collections.abc import Sequence
from pathlib import Path

from analyzer.change.cuda.kernel import Kernel
from analyzer.change.cuda.starter import file_of_kernels
from analyzer.change.text import Text
from analyzer.report.loop_entries import LoopEntry

HERE = Path(__file__).parent
_LAUNCH = re.compile(r"(\w+_kernel)<<<(\w+), (\w+)>>>\((.*)\);")
_INCLUDE = re.compile(r"(?m)^#include <(?:cmath|cstdio|cstdlib|cstring|type_traits)>\n")
THREADS = 4
"""Of a block: few, so that there are several blocks."""


def as_program(text: str, path: str, kernels: Sequence[Kernel], loops: Sequence[LoopEntry]) -> str:
    """The file of kernels in C++ without CUDA, in which launches are calls."""
    code = file_of_kernels(Text(text), path, kernels, loops)
    few = f"BLOCK_THREADS = {THREADS}, GRID_BLOCKS = 5"
    code = _INCLUDE.sub("", code).replace("BLOCK_THREADS = 256, GRID_BLOCKS = 1024", few)
    waiting = {k.name for k in kernels if any(p.kind == "sum" for p in k.parameters)}
    return f'#include "cuda_on_host.h"\n{_LAUNCH.sub(lambda found: _launched(found, waiting), code)}'


def _launched(found: re.Match[str], waiting: set[str]) -> str:
    how = "clz_launch_together" if found[1].removesuffix("_kernel") in waiting else "clz_launch"
    return f"{how}({found[2]}, {found[3]}, [&] {{ {found[1]}({found[4]}); }});"
