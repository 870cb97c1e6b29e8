"""What is asked for at a loop."""

from msgspec import Struct

from .form import Form


class Wanted(Struct, frozen=True):
    """What is asked for besides the answer: the construct, and when it pays (`condition`). `remarks`: what the change
    rests on, in words. `tested`: C that says whether it is right. `collapse`: so many loops are one.
    `staying`: the condition where its data is on the device already. `pointers`: members, and variables that lead where
    they do."""

    construct: str
    condition: str | None = None
    remarks: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    form: Form = "openmp"
    collapse: int = 1
    pointers: tuple[tuple[str, str], ...] = ()
    staying: str | None = None
