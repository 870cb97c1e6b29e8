"""Names of functions that say they change what they get.

*Decides*: whether a word of a name is one for a change of state: taking, adding, stepping, drawing a random number.
*Errs toward* yes: where a name is all that is known of a function, one that may be such a word counts.

    queue_pop, rngUniform, iter_next, set_mode   ->  yes
    axis_length, getSize0, thread_count           ->  no (`thread` is no `read`)
"""

import re

from ..base.regex import regex

_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        accept acquire add advance alloc allocate append assign attach begin bump change clear close commit consume
        copy create dec decrement delete dequeue destroy draw drop emit empty enqueue erase eval evaluate exchange
        execute fetch fill flush free gen generate getc gets inc increment init initialize insert iterate join link
        load lock lookup make mark merge modify move new next noise normal open parse peek permute poll pop prev
        previous process produce pull push put putc rand random read realloc receive record recv refresh register
        release remove reset resize restore rewind rng rnd run sample save scan seed seek send set shift shuffle sort
        step stop store swap take tick toggle trylock uniform unlock unread update wait walk write
        """,
    )
)

_PARTS = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def says_it_changes(name: str) -> bool:
    """Whether a word of the name says so. Example: see the module."""
    return any(word.lower() in _WORDS for word in _PARTS.findall(name))
