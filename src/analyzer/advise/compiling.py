"""`--cflags`: how the host's code is compiled, as far as it decides about vectors.

gcc's rules: vectors from -O3 on, or with -ftree-vectorize, of 128 bits unless -m... says more; floats are added in
another order with -Ofast, -ffast-math, -funsafe-math-optimizations or -fassociative-math, and computed in a vector for
iterations that would not compute them with -Ofast, -ffast-math, -funsafe-math-optimizations or -fno-trapping-math. The
last of several flags counts. *Does not see* pragmas, `target` attributes, and what -O2 of gcc 12 makes vectors of.
"""

from models.extended.incore import Vectors

from ..base.errors import InputError
from ..settings.options import HOST_FLAGS

_ON, _OFF = ("-ftree-vectorize", "-ftree-loop-vectorize", "-fvectorize"), ("-fno-tree-vectorize", "-fno-vectorize")
_REORDER = ("-ffast-math", "-funsafe-math-optimizations", "-fassociative-math")
_KEEP = ("-fno-fast-math", "-fno-unsafe-math-optimizations", "-fno-associative-math")
_QUIET, _TRAP = (*_REORDER[:2], "-fno-trapping-math"), (*_KEEP[:2], "-ftrapping-math")
_BITS = {"-msse": 128, "-mavx": 256, "-mavx2": 256, "-mfma": 256, "-mavx512f": 512}
_LEVELS = {"x86-64": 128, "x86-64-v2": 128, "x86-64-v3": 256, "x86-64-v4": 512}


def vectors_by_flags(flags: str) -> Vectors:
    """What a compiler makes of loops with these flags. InputError for a text that is no list of flags.

    >>> vectors_by_flags("-O3 -march=native"), vectors_by_flags("-Ofast").allowed, vectors_by_flags("-O1").allowed
    (Vectors(allowed='compiled', bits=None, traps=True), 'reordered', 'none')
    """
    words = flags.split()
    wrong = next((word for word in words if not word.startswith("-")), None)
    if wrong is not None or not words:
        raise InputError(f"--cflags: {wrong or flags!r} is no flag of a compiler; give them as '{HOST_FLAGS}'")
    on, reorder, traps = False, False, True
    bits: int | None = 128
    for word in words:
        if word.startswith("-O"):
            on, reorder = word in ("-O3", "-Ofast"), reorder or word == "-Ofast"
            traps = traps and word != "-Ofast"
        on = (on or word in _ON) and word not in _OFF
        reorder = (reorder or word in _REORDER) and word not in _KEEP
        traps = (traps or word in _TRAP) and word not in _QUIET
        name, _, value = word.partition("=")
        if name in ("-march", "-mcpu"):
            bits = _LEVELS.get(value)
        elif name == "-mprefer-vector-width" and value.isdecimal():
            bits = int(value)
        elif word in _BITS:
            bits = None if bits is None else max(bits, _BITS[word])
    return Vectors("none" if not on else "reordered" if reorder else "compiled", bits, traps)
