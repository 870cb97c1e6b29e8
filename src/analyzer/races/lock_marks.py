"""Calls that take a lock, or give it back, as marks.

    omp_set_lock(&l);                             __omp_8=1;
    while (!omp_test_lock(&l)) ;                  __omp_8=1;
    if (omp_test_lock(&l)) { ... }                if (__tried) { __omp_8 = 1; ... }
    while (!omp_test_lock(&l)) { wait(); }        while (!__tried) { wait(); } __omp_8 = 1;
    if (!omp_test_lock(&l)) continue;             if (!__tried) continue; __omp_8 = 1;
    omp_test_lock(&l);                            0;        -- who does not ask what it says holds nothing for certain

*Errs toward* a call that is not followed: of a function that tries to get a lock, anywhere else.
"""

import re

from msgspec import Struct, field

from ..base.regex import regex
from ..source.extent import statement_end
from ..source.listing import Listing
from ..source.selection import MARK
from ..source.unit import Pragma
from .constructs import Construct, Role
from .directive import Directive
from .item_texts import kept, of_lock
from .spin_locks import with_locks

TRIED = "__tried"
"""Stands for what a call says that tries to get a lock: another value each time."""

_WAITING = regex(
    r"\bwhile[ \t]*\([ \t]*![ \t]*omp_test((?:_nest)?)_lock[ \t]*\(([^();\n]*)\)[ \t]*\)\s*(?:;|\{[\s;]*\})"
)
"""A loop that does nothing but to try to get a lock."""

_TRYING = regex(
    r"\b(?:(if)[ \t]*\([ \t]*|while[ \t]*\([ \t]*![ \t]*)"
    r"(omp_test(?:_nest)?_lock[ \t]*\(([^();\n]*)\))(?:[ \t]*[!>][ \t]*=?[ \t]*0)?[ \t]*\)\s*(?=\{)"
)
"""A block for the case that a lock was got, or a loop until it is."""

_GIVING_UP = regex(
    r"(?<=[;{}])\s*if[ \t]*\([ \t]*![ \t]*(omp_test(?:_nest)?_lock[ \t]*\(([^();\n]*)\))[ \t]*\)"
    r"\s*(?:(?:continue|break|return[^;{}]*);|\{\s*(?:continue|break|return[^;{}]*);\s*\})"
)
"""A way out for the case that a lock was not got."""

_UNASKED = regex(r"(?<=[;{}])(\s*)(omp_test(?:_nest)?_lock[ \t]*\([^();\n]*\))(?=[ \t]*;)")
"""A call as a statement."""

_LOCK = regex(r"(?<!void )\bomp_(set|unset|init|destroy)(?:_nest)?_lock[ \t]*\(((?:[^();\n]|\([^();\n]*\))*)\)")


class LockMarks(Struct):
    """`code`: that of the listing, as long; `inserted`: what comes before the code at offsets; `places`: names of marks
    that keep places."""

    listing: Listing
    next: int
    code: str = ""
    constructs: dict[str, Construct] = field(default_factory=dict)
    inserted: list[tuple[int, Pragma, str]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def made(self, role: Role, argument: str, text: str, at: int) -> str:
        """The name of a new mark, for a call at an offset."""
        key, self.next = self.next, self.next + 1
        directive = Directive("omp", (role.name.lower(),), argument.strip(), (), text, self.listing.line(at))
        self.constructs[f"{MARK}{key}"] = Construct(key, role, directive, self.listing.segment(at).path)
        return f"{MARK}{key}"

    def insert(self, at: int, key: int, argument: str, then: str = "") -> None:
        """Before the code at an offset: what reads the place of the lock, and `then`."""
        read = of_lock(key, argument.strip())
        if read or then:
            pragma = Pragma(self.listing.line(at), "", self.listing.segment(at).path)
            self.inserted.append((at, pragma, f"{kept(read)}{then}"))
            self.places += read

    def taken(self, call: re.Match[str]) -> str:
        """Taking a lock, or giving it back, is a mark of its own; preparing one says nothing."""
        if call[1] in ("init", "destroy"):
            return "0".ljust(len(call[0]))
        key = self.next
        mark = self.made(Role.LOCK if call[1] == "set" else Role.UNLOCK, call[2], call[0], call.start())
        if _is_a_statement(self.code, call.start()):
            self.insert(call.start(), key, call[2])
        return f"{mark}=1".ljust(len(call[0]))

    def tried(self, call: re.Match[str]) -> str:
        """The lock is taken where the block begins, or the loop ends."""
        at = call.end() + 1 if call[1] else statement_end(self.code, call.end()) + 1
        key = self.next
        mark = self.made(Role.LOCK, call[3], call[2], at)
        self.insert(at, key, call[3], f"{mark} = 1;")
        return call[0].replace(call[2], TRIED.ljust(len(call[2])))

    def tried_or_left(self, call: re.Match[str]) -> str:
        """The lock is taken behind the way out."""
        key = self.next
        mark = self.made(Role.LOCK, call[2], call[1], call.end())
        self.insert(call.end(), key, call[2], f"{mark} = 1;")
        return call[0].replace(call[1], TRIED.ljust(len(call[1])))


def lock_marks(listing: Listing, first: int) -> LockMarks:
    """`first`: the key of the first mark. Example: see the module."""
    marks = LockMarks(listing, first, _WAITING.sub(_waiting, with_locks(listing.code)))
    marks.code = _TRYING.sub(marks.tried, marks.code)
    marks.code = _GIVING_UP.sub(marks.tried_or_left, marks.code)
    marks.code = _UNASKED.sub(lambda call: f"{call[1]}{'0'.ljust(len(call[2]))}", marks.code)
    marks.code = _LOCK.sub(marks.taken, marks.code)
    return marks


def _waiting(tried: re.Match[str]) -> str:
    """The call that waits for a lock, in place of a loop that does."""
    call = f"omp_set{tried[1]}_lock({tried[2]})"
    blank = re.sub(r"[^\n]", " ", tried[0])
    return f"{call}{blank[len(call) : -1]};" if "\n" not in blank[: len(call)] else tried[0]


def _is_a_statement(code: str, at: int) -> bool:
    """Whether a statement begins there, or what a comma may follow."""
    before = code[:at].rstrip()
    return before[-1:] in (";", "{", "}", ")", ":", "(", ",") or before.endswith(("else", "do"))
