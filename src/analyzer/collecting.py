"""When Python's collector of cycles looks for garbage while a file is analysed: seldom."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

COLLECT_AFTER = (100_000, 20, 100)
"""Objects made before the collector of cycles looks at them, and how many such looks before it goes through all."""


@contextmanager
def few_collections() -> Iterator[None]:
    """Values that only point to older ones make no cycles, and the syntax tree stays to the end: Python's collector of
    cycles would look through all of it again and again, for nothing (a tenth of the time of a file, more of a large
    one). While a file is read it is off; from then on it leaves alone what was read (`spare_what_is_read`)."""
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def spare_what_is_read() -> None:
    """From here to the end of `few_collections`, what exists now is no garbage."""
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
