"""The forms that a change is written in, and their words."""

from typing import Literal, TypeAlias, get_args

from .directive import Family

Form: TypeAlias = Literal["openmp", "openmp-target", "openacc", "cuda"]
FORMS: tuple[Form, ...] = get_args(Form)


def family(form: Form) -> Family:
    """What begins its pragmas. Example: `acc` of `openacc`."""
    return "acc" if form == "openacc" else "omp"


def is_on_device(form: Form) -> bool:
    """Whether it moves the loop to a device with memory of its own."""
    return form != "openmp"


def is_by_directives(form: Form) -> bool:
    """Whether directives do it, which may share data that stays on the device."""
    return form in ("openmp-target", "openacc")


CONSTRUCT: dict[Form, str] = {
    "openmp": "parallel for",
    "openmp-target": "target teams distribute parallel for",
    "openacc": "parallel loop",
    "cuda": "",
}
"""Of a parallel loop; on threads of the host an answer may ask for another one."""
