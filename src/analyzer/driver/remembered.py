"""What was worked out for the functions of a text, used again for the next text, in which few of them have changed.

*Method*: a step makes a value of values, always the same of the same. Its arguments are told apart by their bytes
(`pickle`): the same bytes are the same values, so that nothing is ever answered with what was made of others. Values of
which parts are known by identity (syntax trees) have no bytes that say what they are; of these nothing is remembered.
*Does not handle* other processes than copies of one: the bytes are of this program as it was loaded, and are trusted.
"""

import pickle
from collections.abc import Callable, Mapping
from hashlib import blake2b
from io import BytesIO
from typing import Any, NoReturn, TypeVar

from ..source.nodes import KINDS

Result = TypeVar("Result")


MOST_BYTES = 64 << 20
"""What is kept of results; those not used for longest go first."""


class Memory:
    """`known`: results of runs before, by key, those not used for longest first.

    Example: `Memory().ask("square", 3, lambda: 9)` is 9; a memory made with its `kept()` does not ask for it again."""

    def __init__(self, known: Mapping[bytes, bytes] | None = None) -> None:
        self._known = known or {}
        self._used: dict[bytes, bytes] = {}

    def ask(self, step: str, arguments: object, work: Callable[[], Result]) -> Result:
        """What `work` makes of the arguments, which are all that it depends on. What it raises is not remembered."""
        key = _key(step, arguments)
        if key is None:
            return work()
        made = self._used.get(key) or self._known.get(key)
        if made is None:
            result = work()
            made = _bytes(result)
            if made is None:
                return result
        self._used[key] = made
        found: Result = pickle.loads(made)  # the first time, too: bytes also tell which parts are one object
        return found

    def kept(self) -> dict[bytes, bytes]:
        """For the next run: also what this one did not use. Half of a function is typed with its braces open, and what
        stands below is no function meanwhile."""
        found = {key: made for key, made in self._known.items() if key not in self._used} | self._used
        too_many = sum(map(len, found.values())) - MOST_BYTES
        for key in list(found):
            if too_many <= 0:
                break
            too_many -= len(found.pop(key))
        return found


def ask(memory: Memory | None, step: str, arguments: object, work: Callable[[], Result]) -> Result:
    """The same, where there may be no memory."""
    return work() if memory is None else memory.ask(step, arguments, work)


def _key(step: str, arguments: object) -> bytes | None:
    made = _bytes(arguments)
    return None if made is None else blake2b(step.encode() + b":" + made, digest_size=20).digest()


class _NotAValueError(Exception):
    """A part of a syntax tree."""


def _refuse(_: object) -> NoReturn:
    raise _NotAValueError


_REFUSED: dict[type, Any] = dict.fromkeys(KINDS, _refuse)


def _bytes(value: object) -> bytes | None:
    out = BytesIO()
    pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REFUSED
    try:
        pickler.dump(value)
    except (_NotAValueError, RecursionError):
        return None
    return out.getvalue()
