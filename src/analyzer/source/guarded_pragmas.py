"""Pragmas that the preprocessor leaves out, though nothing but a switch for OpenMP or OpenACC stands around them.

    #ifdef _OPENMP                            #if defined(HAVE_OPENMP)
    #pragma omp parallel for                  #pragma omp parallel for
    #endif                                    #else
    for (i = 0; i < n; i++) a[i] = 0;         #pragma GCC ivdep
                                              #endif

A `#pragma omp` without such lines is read whatever the program is built with; so is this one: the lines hold no code,
so that the program is the same otherwise.

*Decides*: by text, which pragmas stand under a condition that names OpenMP or OpenACC, with no code beside them, and
the line of the code behind. *Errs toward* none: conditions that are negated, and groups that hold anything else.
"""

import re
from collections.abc import Iterator

from ..base.regex import regex

_COMMENT = regex(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_SWITCH = regex(r"[ \t]*#[ \t]*if(?:def)?\b(?P<condition>.*(?:openmp|openacc).*)", re.IGNORECASE)
_PRAGMA = regex(r"[ \t]*#[ \t]*pragma[ \t]+(?P<text>(?:omp|acc)\b.*)")
_DIRECTIVE = regex(r"[ \t]*#[ \t]*(?P<word>\w+)")


def guarded_pragmas(text: str) -> Iterator[tuple[int, str, int]]:
    """Line and text of each such pragma, and the line of the code that follows. Example: see the module."""
    if "pragma" not in text:
        return
    lines = _without_comments(text)
    at = 0
    while at < len(lines):
        switch = _SWITCH.match(lines[at])
        if switch is None or "!" in switch["condition"]:
            at += 1
            continue
        found, behind = _group(lines, at + 1)
        code = next((k for k in range(behind, len(lines)) if _is_code(lines[k])), None)
        if code is not None:
            yield from ((line + 1, said, code + 1) for line, said in found)
        at += 1


def _group(lines: list[str], start: int) -> tuple[list[tuple[int, str]], int]:
    """The pragmas of the first branch of a condition, and the line behind its end; none where there is code in it, or
    another condition."""
    found: list[tuple[int, str]] = []
    is_first = True
    for k in range(start, len(lines)):
        directive = _DIRECTIVE.match(lines[k])
        pragma = _PRAGMA.match(lines[k])
        word = "" if directive is None else directive["word"]
        if pragma is not None and is_first:
            found.append((k, " ".join(pragma["text"].split())))
        elif word in ("else", "elif"):
            is_first = False
        elif word == "endif":
            return found, k + 1
        elif word != "pragma" and lines[k].strip():
            break
    return [], start


def _is_code(line: str) -> bool:
    return bool(line.strip()) and _DIRECTIVE.match(line) is None


def _without_comments(text: str) -> list[str]:
    """The lines of the text, as many as there are: what is joined stands on the first of them."""
    lines = _COMMENT.sub(lambda found: " " + "\n" * found[0].count("\n"), text).split("\n")
    start = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and _is_continued(lines[end - 1]):
            continue
        if end - start > 1:
            joined = " ".join((*(line.removesuffix("\r")[:-1] for line in lines[start : end - 1]), lines[end - 1]))
            lines[start:end] = [joined, *[""] * (end - start - 1)]
        start = end
    return lines


def _is_continued(line: str) -> bool:
    return line.endswith(("\\", "\\\r"))
