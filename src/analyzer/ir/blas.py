"""What the Basic Linear Algebra Subprograms write: all other arguments they only read.

*Decides*: `written(name)`: the arguments of a call, from 0 on, whose memory it may change; of the names that Fortran
gives (`dgemm_`, arguments by address) and of the C interface (`cblas_dgemm`).
`added_to(name)`: of those that add to what they write, which argument that is, and which one says by what the old value
is multiplied before (None: by 1, always).
*Source*: the reference BLAS, netlib.org/blas; CBLAS has the order of the elements as first argument from level 2 on.

    >>> written("dgemm_"), written("cblas_dgemm"), written("dgemm")
    (frozenset({11}), frozenset({12}), None)
    >>> added_to("dgemm_"), added_to("cblas_daxpy"), added_to("dtrsm_")
    ((11, 10), (4, None), None)
"""

_VECTORS = {
    "swap": (1, 3), "scal": (2,), "copy": (3,), "axpy": (4,), "rot": (1, 3),
    "dot": (), "dotu": (), "dotc": (), "nrm2": (), "asum": (),
}  # fmt: skip
_MATRICES = {
    "gemv": (9,), "gbmv": (11,), "symv": (8,), "hemv": (8,), "trmv": (6,), "trsv": (6,), "ger": (7,), "geru": (7,),
    "gerc": (7,), "syr": (5,), "her": (5,), "syr2": (7,), "her2": (7,), "gemm": (11,), "symm": (10,), "hemm": (10,),
    "syrk": (8,), "herk": (8,), "syr2k": (10,), "her2k": (10,), "trmm": (9,), "trsm": (9,),
}  # fmt: skip


_ADDED = {
    "axpy": (4, None), "gemv": (9, 8), "gbmv": (11, 10), "symv": (8, 7), "hemv": (8, 7), "ger": (7, None),
    "geru": (7, None), "gerc": (7, None), "syr": (5, None), "her": (5, None), "syr2": (7, None), "her2": (7, None),
    "gemm": (11, 10), "symm": (10, 9), "hemm": (10, 9), "syrk": (8, 7), "herk": (8, 7), "syr2k": (10, 9),
    "her2k": (10, 9),
}  # fmt: skip


def written(name: str) -> frozenset[int] | None:
    """See the module; None: it is none of them."""
    stem, in_c = _stem(name)
    found = _VECTORS.get(stem)
    if found is not None:
        return frozenset(found)
    found = _MATRICES.get(stem)
    return None if found is None else frozenset(k + in_c for k in found)


def added_to(name: str) -> tuple[int, int | None] | None:
    """See the module; None: it is none of them."""
    stem, in_c = _stem(name)
    if stem not in _ADDED:
        return None
    target, factor = _ADDED[stem]
    moved = in_c and stem in _MATRICES
    return target + moved, None if factor is None else factor + moved


def _stem(name: str) -> tuple[str, bool]:
    """What it is called for all types, and whether it is of the C interface: `gemm` of `dgemm_`; nothing of others."""
    in_c = name.startswith("cblas_")
    stem = name.removeprefix("cblas_") if in_c else name.removesuffix("_")
    return (stem[1:], in_c) if stem != name and stem[:1] in ("s", "d", "c", "z") else ("", in_c)
