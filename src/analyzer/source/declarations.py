"""Cuts a listing into its top-level declarations and says what each of them defines and uses.

No grammar: braces, strings and semicolons are enough to cut, and a short walk over the words finds the declared names.
Everything that needs the grammar is pycparser's, and only for the declarations that matter.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from ..base.regex import regex
from .lexemes import ATTRIBUTE, LEXEME, STRUCTURE, without_attributes, without_texts

_WORD = regex(r"[A-Za-z_$][\w$]*")
_CALL = regex(r"(?<![\w.>])([A-Za-z_$][\w$]*)\s*\(")
_LOOP = regex(r"\b(?:for|while|do)\b")
_EMPTY_LOOP = regex(r"\bwhile\s*\(\s*0\s*\)")
_PROTOTYPE = regex(
    r"\s*+(?:(?!struct\b|union\b|enum\b|typeof\b|__typeof)[A-Za-z_]\w*+(?:\s++|(?=\*))|\*\s*+)*?"
    r"([A-Za-z_]\w*+)\s*+\((?!\s*[*^])[^()]*+\)"
    rf"(?:\s*+{ATTRIBUTE})*+\s*+;\s*+\Z"
)
"""Words and stars, a name before its parameters, attributes: what most declarations of headers look like."""
_TAGGED = regex(r"\b(?:struct|union|enum)\s+([A-Za-z_]\w*)")
_RECORD = regex(r"\b(?:struct|union|enum)\b")
_FIRST_COLUMN = regex(
    r"^(?:[A-Za-z_][\w \t*]*\([^;{}]*\)\s*\{|(?:static|extern|typedef|struct|union|enum|inline|void|int|double)\b)",
    re.MULTILINE,
)
_MOST_RESTARTS = 200
"""Unclosed braces in one listing beyond which the rest is taken as one piece: each costs a walk to the end."""
_WRAPPER = regex(
    r"\s*(?:(?:static|extern|inline|const|[A-Z][A-Z0-9_]*+)\s+)*([A-Za-z_]\w*)\s*+\((?:[^()]++|\([^()]*+\))*+\)"
    r"((?:\s*+(?:\*|[A-Za-z_]\w*+))+\s*+\([^;]*)\Z"
)
"""A macro call before a name with parameters: no type stands before it."""
_TRAILED = regex(r"\)\s*[A-Z_][A-Z0-9_]*(?:\s*\([^()]*\))?\Z")
"""`int f(void) NOTHROW`: a macro behind the parameters."""
_ATTRIBUTED_TAG = regex(r"\b(?:struct|union|enum)\s+\w+\s*\([^()]*\)\s*\w+\Z")
"""`struct PACKED(1) s`: no function."""
_MADE_NAME = regex(r"\b([A-Za-z_]\w*)\s*\(\s*([A-Za-z_]\w*)\s*\)\s*\((?!\s*\*)")
"""`NAME(f)(int a)`: a macro makes the name."""
_OLD_STYLE = regex(r"\)\s*[A-Za-z_]")

KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
    while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn _Static_assert _Thread_local
    __attribute__ __asm__ asm __asm __extension__ __inline __inline__ __restrict __restrict__ __const
    __volatile__ __volatile __signed__ typeof __typeof__ __typeof __thread _Float16 __int128 __alignof__
    __builtin_offsetof __builtin_va_arg""".split()  # noqa: SIM905
)


_BEFORE_TYPES = frozenset(
    ("static", "extern", "inline", "__inline", "__inline__", "const", "_Noreturn", "__extension__")
)
"""What may stand before the type of a function."""


class Declaration(Struct, frozen=True, dict=True):
    """`code[start:end]`; `body` is the offset of the opening brace of a function definition, -1 for anything else."""

    code: str
    start: int
    end: int
    body: int

    @property
    def is_function(self) -> bool:
        return self.body >= 0

    @cached_property
    def text(self) -> str:
        return self.code[self.start : self.end]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier and keyword in it."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The objects, functions, types, tags and enumerators it declares; of a function definition, its name."""
        if self.is_function:
            name = function_name(self.code[self.start : self.body])
            return (name,) if name else ()
        return tuple(declared_names(self.text))

    @cached_property
    def calls(self) -> frozenset[str]:
        body = self.code[self.body : self.end]
        return frozenset(_CALL.findall(without_texts(without_attributes(body)))) - KEYWORDS

    @cached_property
    def has_loop(self) -> bool:
        """A loop other than the `do { } while (0)` of macros stands in the body."""
        found = _LOOP.findall(self.code, self.body, self.end)
        if not found:
            return False
        empty = len(_EMPTY_LOOP.findall(self.code, self.body, self.end))
        return len(found) != 2 * empty or found.count("do") != empty

    @property
    def first(self) -> int:
        """Offset of its first character that is not white space."""
        text = self.text
        return self.start + len(text) - len(text.lstrip())


def function_name(head: str) -> str | None:
    """The name before the parameter list that ends the head of a definition: `static int f(int a)` is `f`, and so are
    `GLOBAL(int) f(int a)` and `size_t (f)(int a)`; `int NAME(f)(int a)` has a name that a macro makes."""
    bare = without_attributes(head)
    wrapped = _WRAPPER.match(bare)
    if wrapped is not None and wrapped[1] not in KEYWORDS:
        bare = wrapped[2]
    made = _MADE_NAME.search(bare)
    if made is not None and made[1] not in KEYWORDS:
        typed = any(word not in _BEFORE_TYPES for word in _WORD.findall(bare[: made.start()]))
        return f"{made[1]}_{made[2]}" if typed else made[2]
    for match in re.finditer(r"([A-Za-z_$][\w$]*)\s*\)*\s*\(", bare):
        if match[1] not in KEYWORDS:
            return match[1]
    return None


def _is_function_head(head: str) -> bool:
    if ")" not in head or "=" in head:
        return False
    bare = without_attributes(head).rstrip()
    return bare.endswith(")") or (_TRAILED.search(bare) is not None and _ATTRIBUTED_TAG.search(bare) is None)


def cut(code: str, start: int = 0) -> list[Declaration]:
    """The top-level declarations of `code` from `start` on, in order; together they cover it.

    Where braces do not match, a line that begins like a function at its first column begins a declaration."""
    found: list[Declaration] = []
    for _ in range(_MOST_RESTARTS):
        start = _cut_from(code, start, found)
        if start >= len(code):
            return found
    found.append(Declaration(code, start, len(code), -1))
    return found


def _cut_from(code: str, start: int, found: list[Declaration]) -> int:
    """Adds the declarations from `start` on; the offset to go on from after an unclosed brace, else the length."""
    opened, body, depth = start, -1, 0
    for match in STRUCTURE.finditer(code, start):
        mark = match[0]
        if mark == "{":
            if depth == 0:
                head = start
                start = _old_style_start(code, found, start, match.start())
                opened = match.start()
                body = opened if start != head or _is_function_head(code[start:opened]) else -1
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth < 0 or (depth == 0 and (body >= 0 or not _goes_on(code[start:opened]))):
                found.append(Declaration(code, start, match.end(), body if depth == 0 else -1))
                start, body, depth = match.end(), -1, 0
        elif mark == ";" and depth == 0:
            found.append(Declaration(code, start, match.end(), -1))
            start, body = match.end(), -1
    again = _FIRST_COLUMN.search(code, opened + 1) if depth > 0 else None
    end = again.start() if again else len(code)
    if code[start:end].strip():
        found.append(Declaration(code, start, end, body))
    return end


def _goes_on(head: str) -> bool:
    """After the closing brace more may come: `struct s { } x;`, `int a[] = { };`."""
    return "=" in head or _RECORD.search(head) is not None


def _old_style_start(code: str, found: list[Declaration], start: int, brace: int) -> int:
    """`int f(a) int a; {`: the parameter declarations looked like declarations of their own; takes them back."""
    if code[start:brace].strip():
        return start
    for back in range(1, min(len(found), 40) + 1):
        candidate = found[-back]
        if candidate.is_function:
            return start
        if _OLD_STYLE.search(without_attributes(candidate.text)):
            del found[-back:]
            return candidate.start
    return start


def declared_names(text: str, tags: bool = True) -> Iterator[str]:
    """Names that a declaration without a body introduces, enumerators and (if asked for) tags included."""
    prototype = _PROTOTYPE.match(text)
    if prototype is not None and prototype[1] not in KEYWORDS:
        yield prototype[1]
        return
    items = LEXEME.findall(without_attributes(text))
    index, depth, named, initializer = 0, 0, False, False
    while index < len(items):
        item = items[index]
        after = items[index + 1] if index + 1 < len(items) else ";"
        if item == "{":
            if initializer:
                index = _skip(items, index, "{", "}")
            else:
                end = _skip(items, index, "{", "}")
                yield from _inner_names(items, index, end, tags)
                index = end
        elif item in ("struct", "union", "enum"):
            if _WORD.match(after):
                if tags:
                    yield after
                index += 1
        elif item == "(" and named:
            index = _skip(items, index, "(", ")")
        elif item in ("typeof", "__typeof__", "__typeof") and after == "(":
            index = _skip(items, index + 1, "(", ")")
        elif item == "=":
            initializer = named = True
        elif item in (",", ";") and depth == 0:
            named = initializer = False
        elif item == "(":
            depth += 1
        elif item == ")":
            depth = max(0, depth - 1)
        elif not named and _WORD.match(item) and item not in KEYWORDS and _ends_declarator(items, index, after):
            yield item
            named = True
            depth = 0
            while index + 1 < len(items) and items[index + 1] == ")":
                index += 1
        index += 1


def _ends_declarator(items: list[str], index: int, after: str) -> bool:
    """Whether a word is the name that is declared; of `size_t (length)(list *l)`, which keeps a macro of the name from
    standing in for it, it is the one in brackets."""
    if after == "(":
        inside = items[index + 2 : index + 5]
        if len(inside) == 3 and _WORD.match(inside[0]) and inside[0] not in KEYWORDS and inside[1:] == [")", "("]:
            return False
        return index + 2 >= len(items) or items[index + 2] not in ("*", "^")
    return after in (";", ",", "=", "[", ")", ":")


def _skip(items: list[str], index: int, opening: str, closing: str) -> int:
    """Index of the bracket that closes the one at `index`."""
    depth = 0
    for position in range(index, len(items)):
        if items[position] == opening:
            depth += 1
        elif items[position] == closing:
            depth -= 1
            if depth == 0:
                return position
    return len(items)


def _inner_names(items: list[str], start: int, end: int, tags: bool) -> Iterator[str]:
    """Tags and enumerators inside the braces of a struct, union or enum: they belong to the enclosing scope."""
    kinds = [_brace_kind(items, start)]
    for index in range(start + 1, end):
        item, before = items[index], items[index - 1]
        if item == "{":
            kinds.append(_brace_kind(items, index))
        elif item == "}":
            kinds.pop()
        elif kinds[-1] == "enum":
            if before in ("{", ",") and _WORD.match(item):
                yield item
        elif tags and before in ("struct", "union", "enum") and _WORD.match(item):
            yield item


def only_tags(declarations: Sequence[Declaration]) -> frozenset[str]:
    """Tags of structures that are no other names besides: `struct list` does not say what `list` is."""
    tagged = {d: frozenset(d.names) & frozenset(_TAGGED.findall(d.text)) for d in declarations if not d.is_function}
    found = frozenset().union(*tagged.values())
    others = (n for d in declarations if found.intersection(d.names) for n in _other_names(d))
    return found.difference(others)


def _other_names(declaration: Declaration) -> Iterator[str]:
    return iter(declaration.names) if declaration.is_function else declared_names(declaration.text, tags=False)


def _brace_kind(items: list[str], brace: int) -> str:
    """`enum {` and `enum tag {` hold enumerators."""
    return "enum" if "enum" in items[max(0, brace - 2) : brace] else "record"
