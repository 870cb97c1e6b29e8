"""What a tree's build files say in so many words: values that are set without asking the machine, and which header is
made from which template. They are read as text; nothing in them is run, and what stands in an `if` is not believed."""

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache

from ..base.regex import regex

_MOST_BYTES = 1 << 20
BUILD_FILES = ("CMakeLists.txt", "meson.build", "configure.ac", "configure.in")

_COMMAND = regex(
    r"^[ \t]*(?P<word>set|option|project|(?:end)?(?:if|foreach|while|function|macro))"
    r"[ \t]*\((?P<inside>[^()]*)\)",
    re.IGNORECASE | re.MULTILINE,
)
_ARGUMENT = regex(r'"((?:[^"\\]|\\.)*)"|([^\s"]+)')
_MAKES = regex(r'\bconfigure_file\s*\(\s*"?([^\s")]+)"?\s+"?([^\s")]+)"?', re.IGNORECASE)
_MESON = regex(r"\bconfigure_file\s*\((?P<inside>[^()]*)", re.DOTALL)
_INPUT = regex(r"\binput\s*:\s*'([^'\n]+)'")
_OUTPUT = regex(r"\boutput\s*:\s*'([^'\n]+)'")
_AUTOCONF = regex(r"\bAC_CONFIG_HEADERS?\s*\(\s*\[?([^\])]*)")
_AC_INIT = regex(r"\bAC_INIT\s*\(\s*\[?([\w .+-]+)\]?\s*,\s*\[?([\w.+-]+)\]?")
_VALUE = regex(r"[\w.+-]*\Z")
_NUMBERS = ("MAJOR", "MINOR", "PATCH", "TWEAK")


def text_of(path: str) -> str:
    """The text of a build file; "" where it is none, or is too long to be one."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _MOST_BYTES:
            return ""
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


@cache
def _sets(path: str) -> Mapping[str, str]:
    return dict(_values(text_of(path)))


def values_of(paths: tuple[str, ...]) -> dict[str, str]:
    """Names and their values by the build files given; the first that sets a name decides."""
    found: dict[str, str] = {}
    for path in paths:
        found = {**_sets(path), **found}
    return found


def _values(text: str) -> Iterator[tuple[str, str]]:
    depth = 0
    seen: dict[str, str | None] = {}
    for match in _COMMAND.finditer(text):
        word = match["word"].lower()
        if word.startswith("end"):
            depth -= 1
        elif word in ("set", "option", "project"):
            for name, value in _assigned(word, [a or b for a, b in _ARGUMENT.findall(match["inside"])]):
                known = seen.get(name, value)
                seen[name] = value if depth <= 0 and known == value and _VALUE.match(value) else None
        else:
            depth += 1
    init = _AC_INIT.search(text)
    if init is not None:
        seen |= {"PACKAGE": init[1], "PACKAGE_NAME": init[1], "VERSION": init[2], "PACKAGE_VERSION": init[2]}
    yield from ((name, value) for name, value in seen.items() if value is not None)


def _assigned(word: str, arguments: list[str]) -> Iterator[tuple[str, str]]:
    match word, arguments:
        case "set", [name, value]:
            yield name, value
        case "set", [name, value, "CACHE", *_]:
            yield name, value
        case "option", [name, _]:
            yield name, "OFF"
        case "option", [name, _, value]:
            yield name, value
        case "project", [name, *rest] if "VERSION" in rest[:-1]:
            version = rest[rest.index("VERSION") + 1]
            for prefix in ("PROJECT", name, "CMAKE_PROJECT"):
                yield f"{prefix}_VERSION", version
                yield from ((f"{prefix}_VERSION_{n}", v) for n, v in zip(_NUMBERS, version.split("."), strict=False))
        case _:
            pass


@cache
def templates_named(path: str) -> tuple[tuple[str, str], ...]:
    """Of one build file: the header that is made, and the template it is made from, both as far as they are known."""
    text = text_of(path)
    pairs = list(_MAKES.findall(text))
    for match in _MESON.finditer(text):
        made, template = _OUTPUT.search(match["inside"]), _INPUT.search(match["inside"])
        if made is not None and template is not None:
            pairs.append((template[1], made[1]))
    for match in _AUTOCONF.finditer(text):
        for pair in match[1].split():
            output, _, source = pair.partition(":")
            pairs.append((source.split(":")[0] or f"{output}.in", output))
    return tuple((_known_part(made), _known_part(source)) for source, made in pairs)


def _known_part(name: str) -> str:
    """`${CMAKE_CURRENT_BINARY_DIR}/a/b.h` is `a/b.h`."""
    return re.sub(r".*\}/?|\A\./", "", name)
