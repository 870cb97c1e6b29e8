"""What a pragma above a loop promises (`--assume pragmas`): whoever divided its iterations among threads or over a
device said that they are independent.

*Decides*: which pragmas promise that of all iterations. OpenMP: `for`, `distribute`, `taskloop` and `loop`, alone or in
a combined directive, but for `ordered`; OpenACC: `parallel loop`, and `loop` with `independent`, but for `seq` and
`auto`.
*Errs toward* no promise: `simd` alone speaks of neighbours, `kernels` leaves it to the compiler, `ivdep` to the cache.

    #pragma omp parallel for private(t) schedule(static)        ->  "#pragma omp parallel for"
"""

from msgspec.structs import replace

from ..base.regex import regex
from ..ir.nodes import Loop

_OPENMP = regex(r"omp\s+(?:\w+\s+)*?(?:for|distribute|taskloop|loop)\b")
_OPENACC = regex(r"acc\s+(?:parallel\s+loop\b|(?:kernels\s+)?loop\b(?=.*\bindependent\b))")
_TAKEN_BACK = regex(r"\b(?:ordered|seq|auto)\b(?!\s*:)")
_BRACKETS = regex(r"\([^()]*\)")


def promise(loop: Loop) -> str:
    """The directive above the loop that says its iterations are independent, without clauses; empty if none does."""
    for _, text in loop.pragmas:
        found = _OPENMP.match(text) or _OPENACC.match(text)
        if found is not None and _TAKEN_BACK.search(_without_arguments(text)) is None:
            return f"#pragma {' '.join(found[0].split())}"
    return ""


def _without_arguments(text: str) -> str:
    """The words of the directive and its clauses."""
    bare = _BRACKETS.sub(" ", text)
    return bare if bare == text else _without_arguments(bare)


def believed(loop: Loop) -> Loop:
    """The loop with its pragma as the user's word, where the user says nothing else of it."""
    said = promise(loop)
    return loop if loop.independent else replace(loop, independent=said, said_by=said)
