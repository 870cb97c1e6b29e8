"""What a compiler makes of loops by its flags, and what that does to times."""

from pathlib import Path

import pytest

from analyzer.advise import Context, advise
from analyzer.advise.compiling import vectors_by_flags
from analyzer.base.errors import InputError
from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import HOST_FLAGS, AnalysisOptions, SourceOptions
from models.catalogue import find_device
from models.extended import Vectors

XEON = find_device("xeon6248")

FLAGS = {
    HOST_FLAGS: Vectors("compiled", None),
    "-O3": Vectors("compiled", 128),
    "-O3 -march=x86-64-v3": Vectors("compiled", 256),
    "-O3 -mavx2 -mfma": Vectors("compiled", 256),
    "-O3 -march=skylake-avx512 -mprefer-vector-width=256": Vectors("compiled", 256),
    "-Ofast -march=native": Vectors("reordered", None, traps=False),
    "-O3 -ffast-math -fno-associative-math -march=native": Vectors("compiled", None, traps=False),
    "-O3 -fno-trapping-math -march=native": Vectors("compiled", None, traps=False),
    "-Ofast -ftrapping-math -march=native": Vectors("reordered", None),
    "-O2 -march=native": Vectors("none", None),
    "-O2 -ftree-vectorize -march=native": Vectors("compiled", None),
    "-O3 -fno-tree-vectorize": Vectors("none", 128),
    "-O3 -O0": Vectors("none", 128),
    "-g -Wall": Vectors("none", 128),
}


@pytest.mark.parametrize("flags", FLAGS)
def test_flags(flags: str) -> None:
    assert vectors_by_flags(flags) == FLAGS[flags]


@pytest.mark.parametrize("flags", ["", "O3", "-O3 native"])
def test_what_is_no_flag_is_refused(flags: str) -> None:
    with pytest.raises(InputError, match="--cflags"):
        vectors_by_flags(flags)


def host_time(folder: Path, body: str, flags: str) -> float:
    """Of `for (i < 4000) body`, which stays in the first caches."""
    source = folder / "a.c"
    source.write_text(f"""
    double f(double *restrict a, const double *restrict b) {{
        double s = 0;
        for (int i = 0; i < 1000; i++) {{ {body} }}
        return s;
    }}""", encoding="utf-8")  # fmt: skip
    (function,) = analyze_file(source, SourceOptions(), AnalysisOptions(), folder).functions
    context = Context(XEON, (), compiled=vectors_by_flags(flags))
    (loop,) = function.loops
    p = next(p for p in advise(function, context, {})[loop.id].predictions if p.candidate == "host")
    assert p.time is not None
    return p.time.likely


def test_vectors_are_as_wide_as_the_flags_say(tmp_path: Path) -> None:
    wide, narrow, none = (
        host_time(tmp_path, "double v = b[i]; a[i] = ((v * v + 1) * v + 2) * v + 3;", flags)
        for flags in ("-O3 -march=native", "-O3 -march=x86-64-v3", "-O1")
    )
    assert wide < narrow < none


def test_a_sum_has_vectors_only_where_it_may_be_added_in_another_order(tmp_path: Path) -> None:
    in_order, unordered = (host_time(tmp_path, "s += b[i];", flags) for flags in (HOST_FLAGS, "-Ofast -march=native"))
    assert in_order > 5 * unordered
    assert host_time(tmp_path, "s += b[i];", "-O1") == pytest.approx(in_order, rel=0.1)
