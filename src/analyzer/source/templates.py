"""From the template of a header that the build would make to a header: autoheader's `#undef NAME`, CMake's
`#cmakedefine NAME`, meson's `#mesondefine NAME`, `@NAME@` and `${NAME}`.

A template is text of a stranger: it is read, never run, and what it becomes is read like any header of the tree.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from ..base.regex import regex
from .features import Answer, Features

_DEFINE = regex(
    r"[ \t]*#[ \t]*(?P<how>cmakedefine01|cmakedefine|mesondefine|undef)[ \t]+(?P<name>\w+)[ \t]*(?P<rest>.*)\Z"
)
_PLAIN = regex(r"(?P<head>[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+)(?P<rest>.*)\Z")
_SLOT = regex(r"@(\w[\w.-]*)@|\$\{(\w[\w.-]*)\}")
_SIZE_LINE = regex(r"[ \t]*@(SIZEOF_\w+)_CODE@[ \t]*\Z")
_IN_STRING = regex(r'"(?:[^"\\]|\\.)*"')
_VERSION = regex(r"VERSION|MAJOR|MINOR|MICRO|PATCH|REVISION|RELEASE|BUILD|DATE|YEAR|TWEAK", re.IGNORECASE)
_EMPTY = regex(r"HIDDEN|EXPORT|IMPORT|VISIBILITY|RESTRICT|NORETURN|ATTRIBUTE|DLL|_API\Z|LINKAGE", re.IGNORECASE)
_TEXTS = regex(
    r"(?!.*(?:HAVE|USE|ENABLE|WITH|NO)_)(?:\w+_)?"
    r"(?:PACKAGE(?:_(?:NAME|VERSION|STRING|TARNAME|URL|BUGREPORT))?|VERSION|LT_OBJDIR)\Z"
)
"""Names whose value is text, whatever it says."""
_WORD = regex(r"(?:\A|_)(INLINE|THREAD_LOCAL|TLS|RESTRICT)\Z", re.IGNORECASE)
_WORDS = {"INLINE": "inline", "THREAD_LOCAL": "__thread", "TLS": "__thread", "RESTRICT": "__restrict"}
_COMMENT = regex(r"/\*.*?(?:\*/|\Z)|//.*")
_LONGEST_LINE = 1 << 14
"""Characters; in a longer line nothing is filled in: it is no line of a header."""
_OFF = frozenset(("", "0", "OFF", "FALSE", "NO", "N", "IGNORE"))
_ON = frozenset(("1", "ON", "TRUE", "YES", "Y"))


class Filled(Struct):
    """`text`: the header. `answered`: the names that are defined, or would be on another machine; `open`: those of
    which nothing is known, left undefined."""

    text: str = ""
    answered: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


def filled(template: str, shown_as: str, features: Features, values: Mapping[str, str]) -> Filled:
    """The header that a template becomes. Its lines keep the numbers they have in the template, and its name
    (`shown_as`). `values`: what the build files set names to without asking the machine.

    Example: `#undef HAVE_STDINT_H` becomes a definition where the compiler has that header; `#undef WITH_FOO` stays."""
    return _Filler(template, shown_as, features, values).run()


def line_marker(line: int, path: str) -> str:
    """The directive that says where the next line stands."""
    name = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {line} "{name}"'


class _Filler:
    def __init__(self, template: str, shown_as: str, features: Features, values: Mapping[str, str]) -> None:
        self.template, self.features, self.values = template, features, values
        self.shown_as = shown_as
        self.of_cmake = "cmakedefine" in template or "mesondefine" in template
        self.result = Filled()

    def run(self) -> Filled:
        lines: list[str] = []
        for number, line in enumerate(self.template.splitlines(), 1):
            made = list(self.line(line))
            lines += made
            if len(made) != 1:
                lines.append(line_marker(number + 1, self.shown_as))
        self.result.text = "\n".join(lines) + "\n"
        return self.result

    def line(self, line: str) -> Iterator[str]:
        define = _DEFINE.match(line)
        size = _SIZE_LINE.match(line)
        plain = _PLAIN.match(line) if "@" in line or "${" in line else None
        if define is not None and (define["how"] != "undef" or self.is_asked(define)):
            yield from self.defined(define["name"], define["how"], define["rest"])
        elif size is not None:
            yield from self.defined(size[1], "undef", "")
        elif plain is not None:
            yield from self.assigned(plain["name"], plain["head"], plain["rest"])
        else:
            yield self.substituted(line, in_condition=line.lstrip().startswith("#"))

    def is_asked(self, define: re.Match[str]) -> bool:
        """`#undef X` alone, in a template of autoheader: elsewhere it means what it says."""
        return not self.of_cmake and not _COMMENT.sub("", define["rest"]).strip()

    def defined(self, name: str, how: str, rest: str) -> Iterator[str]:
        """The lines for a name that is defined or not."""
        answer = self.answer(name, rest)
        if answer is None:
            self.result.open.append(name)
            yield f"#define {name} 0" if how == "cmakedefine01" or "HAVE_DECL_" in name else ""
            return
        self.result.answered.append(name)
        value = self.value(how, rest, answer)
        otherwise = how == "cmakedefine01" or "HAVE_DECL_" in name
        if answer.condition in ("0", "1"):
            define = f"#define {name} {value}".rstrip()
            yield define if answer.condition == "1" else f"#define {name} 0" if otherwise else ""
            return
        yield f"#if {answer.condition}"
        yield f"#ifndef {name}"
        yield f"#define {name} {value}".rstrip()
        yield "#endif"
        if otherwise:
            yield "#else"
            yield f"#define {name} 0"
        yield "#endif"

    def answer(self, name: str, rest: str) -> Answer | None:
        known = self.features.answer(name)
        if known is not None:
            return known
        if name in self.values:
            value = self.values[name]
            return None if value.upper() in _OFF else Answer("1", "1" if value.upper() in _ON else value)
        slot = _SLOT.fullmatch(rest.strip())
        if slot is not None:
            other = slot[1] or slot[2]
            return self.answer(other, "") if other != name else None
        if _TEXTS.search(name) and (not self.of_cmake or _SLOT.search(rest)):
            return Answer("1", '"0"' if not self.of_cmake else "")
        return None

    def value(self, how: str, rest: str, answer: Answer) -> str:
        if how in ("cmakedefine01", "mesondefine", "undef"):
            return answer.value
        return self.substituted(rest, False) if rest and answer.value in ("", "1") else rest and answer.value

    def assigned(self, name: str, head: str, rest: str) -> Iterator[str]:
        """`#define NAME @VALUE@`."""
        slot = _SLOT.fullmatch(rest.strip())
        if slot is None:
            yield head + self.substituted(rest, False)
            return
        word = slot[1] or slot[2]
        value = self.known(word)
        if value is None:
            value = self.known(name)
        if value is not None:
            self.result.answered.append(name)
            yield head + value
            return
        answer = self.features.answer(name) or self.features.answer(word)
        if answer is not None:
            self.result.answered.append(name)
            if answer.condition in ("0", "1"):
                yield head + (answer.value if answer.condition == "1" else "0")
            else:
                yield from (f"#if {answer.condition}", head + answer.value, "#else", f"{head}0", "#endif")
            return
        self.result.open.append(name)
        yield ""

    def known(self, name: str) -> str | None:
        """What stands for `@NAME@`; None if that is not known."""
        if name in self.values:
            value = self.values[name]
            return "1" if value.upper() in _ON else "0" if value.upper() in _OFF else value
        word = _WORD.search(name)
        if word is not None:
            return _WORDS[word[1].upper()]
        if _EMPTY.search(name):
            return ""
        if _VERSION.search(name):
            return "0"
        size = self.features.size(name.removeprefix("SIZEOF_").lower())
        return size if name.upper() == name else None

    def substituted(self, line: str, in_condition: bool) -> str:
        """The line with a value for each slot: text in a string, a number in a condition, else a name."""
        if ("@" not in line and "${" not in line) or len(line) > _LONGEST_LINE:
            return line
        if line.lstrip().startswith("@"):
            return ""
        strings = [match.span() for match in _IN_STRING.finditer(line)]

        def one(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            value = self.known(name)
            if value is not None:
                return value or ("0" if in_condition else "")
            if any(start <= match.start() < end for start, end in strings):
                return "0"
            answer = self.features.answer(name)
            if in_condition:
                return "0" if answer is None else f"({answer.condition})"
            self.result.open.append(name)
            return re.sub(r"\W", "_", name)

        return _SLOT.sub(one, line)
