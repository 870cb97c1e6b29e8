"""Locks that are variables, taken and given back by atomic calls, as calls of OpenMP's locks.

    while (__sync_lock_test_and_set(&l, 1)) ;         omp_set_lock(&l);
    while (!__sync_bool_compare_and_swap(&l, 0, 1)) { sched_yield(); }
    while (__atomic_exchange_n(&l, 1, 2)) ;
    while (__atomic_test_and_set(&l, 2)) ;            (what `atomic_flag_test_and_set` is)

    __sync_lock_release(&l);                          omp_unset_lock(&l);
    __atomic_store_n(&l, 0, 3);
    __atomic_clear(&l, 3);                            (what `atomic_flag_clear` is)

*Errs toward* accesses like any other ones: of a variable that is mentioned anywhere else than where it is declared,
that is not 0 at first, or a part of something; of an order that lets other memory be seen later.
"""

import re

from ..base.regex import regex

_PLACE = r"[(\s]*&[(\s]*([A-Za-z_]\w*)[)\s]*"
_TAKING = r",[(\s]*(?:[245]|memory_order_(?:acquire|acq_rel|seq_cst))[)\s]*"
_GIVING = r",[(\s]*(?:[35]|memory_order_(?:release|seq_cst))[)\s]*"
_IDLE = r"\)\s*(?:;|\{\s*(?:(?:sched_yield|__builtin_ia32_pause|_mm_pause)\s*\(\s*\)\s*;\s*)*\})"
_TAKEN = regex(
    r"\bwhile\s*\(\s*(?:"
    rf"__sync_lock_test_and_set\s*\({_PLACE},[(\s]*1[)\s]*\)"
    rf"|!\s*__sync_bool_compare_and_swap\s*\({_PLACE},[(\s]*0[)\s]*,[(\s]*1[)\s]*\)"
    rf"|__atomic_exchange_n\s*\({_PLACE},[(\s]*1[)\s]*{_TAKING}\)"
    rf"|__atomic_test_and_set\s*\({_PLACE}{_TAKING}\)"
    rf")\s*{_IDLE}"
)
_GIVEN_BACK = regex(
    rf"\b(?:__sync_lock_release\s*\({_PLACE}\)"
    rf"|__atomic_store_n\s*\({_PLACE},[(\s]*0[)\s]*{_GIVING}\)"
    rf"|__atomic_clear\s*\({_PLACE}{_GIVING}\))"
)
_DECLARED = regex(r"\s*(?:=\s*\{?\s*0?\s*\}?\s*)?[;,]")
"""Behind the name, where the variable is 0 at first, or nothing is said of that."""


def with_locks(code: str) -> str:
    """The code with such calls written as those of OpenMP's locks; every line stays where it is. Example: see the
    module."""
    calls = [*_TAKEN.finditer(code), *_GIVEN_BACK.finditer(code)]
    locks = {name for name in {_name(c) for c in calls} if _is_lock(code, name, calls)}
    code = _TAKEN.sub(lambda c: _as(c, "omp_set_lock", ";", locks), code)
    return _GIVEN_BACK.sub(lambda c: _as(c, "omp_unset_lock", "", locks), code)


def _name(call: re.Match[str]) -> str:
    return next(name for name in call.groups() if name is not None)


def _is_lock(code: str, name: str, calls: list[re.Match[str]]) -> bool:
    """Whether nothing but these calls, and a declaration, mentions the variable."""
    inside = sum(_name(call) == name for call in calls)
    mentioned = [*re.finditer(rf"\b{name}\b", code)]
    beside = [m for m in mentioned if not any(c.start() <= m.start() < c.end() for c in calls)]
    return len(mentioned) == inside + 1 and len(beside) == 1 and _DECLARED.match(code, beside[0].end()) is not None


def _as(call: re.Match[str], function: str, end: str, locks: set[str]) -> str:
    if _name(call) not in locks:
        return call[0]
    written = f"{function}(&{_name(call)}){end}"
    lines = re.sub(r"[^\n]", " ", call[0]).split("\n")  # macros of system headers stand on several
    wide = next((k for k, line in enumerate(lines) if len(line) >= len(written)), None)
    if wide is None:
        return call[0]
    lines[wide] = written.ljust(len(lines[wide]))
    return "\n".join(lines)
