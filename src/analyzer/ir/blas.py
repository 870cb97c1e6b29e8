"""What the Basic Linear Algebra Subprograms write: all other arguments they only read.

*Decides*: `written(name)`: the arguments of a call, from 0 on, whose memory it may change; of the names that Fortran
gives (`dgemm_`, arguments by address) and of the C interface (`cblas_dgemm`).
*Source*: the reference BLAS, netlib.org/blas; CBLAS has the order of the elements as first argument from level 2 on.

    >>> written("dgemm_"), written("cblas_dgemm"), written("dgemm")
    (frozenset({11}), frozenset({12}), None)
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


def written(name: str) -> frozenset[int] | None:
    """See the module; None: it is none of them."""
    in_c = name.startswith("cblas_")
    stem = name.removeprefix("cblas_") if in_c else name.removesuffix("_")
    if stem == name or stem[:1] not in ("s", "d", "c", "z"):
        return None
    found = _VECTORS.get(stem[1:])
    if found is not None:
        return frozenset(found)
    found = _MATRICES.get(stem[1:])
    return None if found is None else frozenset(k + in_c for k in found)
