"""Calls of macros that nothing defines (their header is missing), where no function could be called: without a
semicolon, before a block, with a type among the arguments, around the head of a function. They stay calls of something
unknown, so that nothing is proved over them; only what C needs is written around them."""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field
from pycparser.c_lexer import Token

from .brackets import closing, split
from .tokens import token

_TYPE_WORDS = frozenset(
    "void char short int long float double signed unsigned struct union enum _Bool const volatile".split()  # noqa: SIM905
)
_HEAD_WORDS = frozenset(("static", "extern", "inline", "const", "volatile", "_Noreturn", "register"))
_BEFORE_NAME = _TYPE_WORDS | _HEAD_WORDS | {"*"}
_STATEMENT_ENDS = frozenset((";", "{", "}", ":", "else", "do"))
_STARTS = frozenset(
    "if for while do switch return break continue goto else case default static const register".split()  # noqa: SIM905
)


class Spelled(Struct):
    """`tokens` with what C needs around the macros, whose names are `macros`."""

    tokens: list[Token] = field(default_factory=list)
    macros: list[str] = field(default_factory=list)


def spelled_out(tokens: Sequence[Token], is_macro: Callable[[str], bool], is_type: Callable[[str], bool]) -> Spelled:
    """Writes calls of unknown macros as statements and expressions.

    `STEP(x)` before another statement gets its semicolon. `EACH(p, list) { }` becomes `while (EACH(&p, &list)) { }`: a
    loop of unknown length, in which the macro may change what it is given. `CAST(char *, p)` becomes
    `CAST(sizeof(char *), p)`: a value of which nothing is known. `VECTOR(int) v;` becomes `VECTOR_int v;`, of
    an unknown type."""
    return _Speller(list(tokens), is_macro, is_type).run()


class _Speller:
    def __init__(self, tokens: list[Token], is_macro: Callable[[str], bool], is_type: Callable[[str], bool]) -> None:
        self.tokens, self.is_macro, self.is_type = tokens, is_macro, is_type
        self.result = Spelled()

    def run(self) -> Spelled:
        out, index, depth = self.result.tokens, 0, 0
        while index < len(self.tokens):
            item = self.tokens[index]
            depth += (item.value == "{") - (item.value == "}")
            called = index + 1 < len(self.tokens) and self.tokens[index + 1].value == "("
            unknown = called and item.type == "ID" and self.is_macro(item.value)
            if unknown and depth:
                index = self.call(index)
            elif unknown and (end := self.makes_name(index)):
                self.made(index, end)
                index = end + 1
            else:
                out.append(item)
                index += 1
        return self.result

    def makes_name(self, index: int) -> int:
        """Where a name ends that a macro makes in the head of a function (`NAME(f)(int a)`, `NAME(t) *a`), or 0."""
        end = closing(self.tokens, index + 1)
        following = self.tokens[end + 1].value if end + 1 < len(self.tokens) else ";"
        words = all(t.type == "ID" for t in self.tokens[index + 2 : end])
        return end if words and (following == "(" or self.declares(index, end)) else 0

    def made(self, index: int, end: int) -> None:
        """`NAME(f)` as one name."""
        item = self.tokens[index]
        self.note(item)
        words = (t.value for t in self.tokens[index:end] if t.value != "(")
        self.write([re.sub(r"\W+", "_", "_".join(words))], item.column)

    def call(self, index: int) -> int:
        """Writes the call that begins at `index`; where to go on."""
        end = closing(self.tokens, index + 1)
        if end >= len(self.tokens):
            self.result.tokens += self.tokens[index:]
            return len(self.tokens)
        item, inner = self.tokens[index], self.tokens[index + 2 : end]
        following = self.tokens[end + 1] if end + 1 < len(self.tokens) else None
        starts = self.starts_statement(index)
        if self.declares(index, end):
            self.made(index, end)
        elif starts and following is not None and following.value == "{":
            self.note(item)
            written = [w for argument in split(inner, ",") for w in [",", *self.changed(argument)]][1:]
            self.write(["while", "(", item, "(", *written, ")", ")"], item.column)
        elif starts and following is not None and self.begins_statement(following):
            self.note(item)
            self.write([item, "(", *self.arguments(item, inner), ")", ";"], item.column)
        else:
            self.write([item, "(", *self.arguments(item, inner), ")"], item.column)
        return end + 1

    def declares(self, index: int, end: int) -> bool:
        """`VECTOR(int) v;`, `VECTOR(int) *v = x;`: a type made by a macro, before a name that is not there yet."""
        if index and self.tokens[index - 1].value not in (*_STATEMENT_ENDS, *_HEAD_WORDS, "(", ","):
            return False
        name = end + 1
        while name < len(self.tokens) and self.tokens[name].value in ("*", "const"):
            name += 1
        if name + 1 >= len(self.tokens) or self.tokens[name].type != "ID":
            return False
        new = all(t.value != self.tokens[name].value for t in self.tokens[:index])
        return new and self.tokens[name + 1].value in (";", "=", ",", "[", ")")

    def note(self, item: Token) -> None:
        if item.value not in self.result.macros:
            self.result.macros.append(item.value)

    def write(self, words: Sequence[str | Token], offset: int) -> None:
        self.result.tokens += [token(word, offset) if isinstance(word, str) else word for word in words]

    def starts_statement(self, index: int) -> bool:
        """Behind the end of a statement, or the condition of an `if`."""
        if index and self.tokens[index - 1].value in _STATEMENT_ENDS:
            return True
        if not index or self.tokens[index - 1].value != ")":
            return False
        depth = 0
        for position in range(index - 1, -1, -1):
            depth += (self.tokens[position].value == ")") - (self.tokens[position].value == "(")
            if depth == 0 and position and self.tokens[position - 1].value in ("if", "while", "for", "switch"):
                return True
            if depth == 0:
                break
        return bool(self.result.tokens[-1].value == ";")  # the macro before got it just now

    @staticmethod
    def begins_statement(following: Token) -> bool:
        return following.value in (*_STARTS, *_TYPE_WORDS, "}") or following.type == "ID"

    def arguments(self, item: Token, inner: list[Token]) -> Iterator[str | Token]:
        """The arguments, with the size of a type in the place of a type."""
        for number, argument in enumerate(split(inner, ",") if inner else ()):
            if number:
                yield ","
            if argument and self.names_type(argument):
                self.note(item)
                yield from ("sizeof", "(", *argument, ")")
            else:
                nested = spelled_out([token("{", 0), *argument], self.is_macro, self.is_type)
                self.result.macros += [m for m in nested.macros if m not in self.result.macros]
                yield from nested.tokens[1:]

    def names_type(self, argument: list[Token]) -> bool:
        words = [t for t in argument if t.value != "*"]
        stars = len(argument) - len(words)
        if not words or any(t.type != "ID" and t.value not in _TYPE_WORDS for t in words):
            return False
        if argument[: len(words)] != words:
            return False
        tagged = words[0].value in ("struct", "union", "enum") and len(words) == 2
        known = all(t.value in _TYPE_WORDS or self.is_type(t.value) for t in words)
        return tagged or known or (stars > 0 and len(words) == 1)

    def changed(self, argument: list[Token]) -> list[str | Token]:
        """A variable is handed over by its address: the macro may set it."""
        if len(argument) == 1 and argument[0].type == "ID" and not self.is_macro(argument[0].value):
            return ["&", argument[0]]
        return list(argument)


def _is_alone(tokens: Sequence[Token], index: int, is_macro: Callable[[str], bool]) -> bool:
    """A macro before other words of a head: `BEGIN_DECLS int f(void)`."""
    item, after = tokens[index], tokens[index + 1]
    words = after.type == "ID" or after.value in (*_TYPE_WORDS, *_HEAD_WORDS)
    return words and item.type == "ID" and is_macro(item.value)


def untrailed(tokens: Sequence[Token], is_macro: Callable[[str], bool]) -> tuple[list[Token], list[str]]:
    """The head of a function without macros in capitals behind its parameters and behind the name of one:
    `int f(int n UNUSED, char **v ATTR(1)) NOTHROW {`. Also their names."""
    kept: list[Token] = []
    names: list[str] = []
    index = 0
    while index < len(tokens) and tokens[index].value != "{":
        item = tokens[index]
        capitals = item.type == "ID" and item.value.isupper() and is_macro(item.value)
        called = index + 1 < len(tokens) and tokens[index + 1].value == "("
        end = closing(tokens, index + 1) if called else index
        following = tokens[end + 1].value if end + 1 < len(tokens) else ";"
        if capitals and _is_behind(kept, following):
            names.append(item.value)
            index = end + 1
        else:
            kept.append(item)
            index += 1
    return [*kept, *tokens[index:]], names


def _is_behind(kept: Sequence[Token], following: str) -> bool:
    """Behind the parameters, or behind a type and a name."""
    if len(kept) < 3 or following not in (",", ")", "{"):
        return False
    last, before = kept[-1], kept[-2]
    typed = before.type == "ID" or before.value == "*" or before.value in _TYPE_WORDS - {"const", "volatile"}
    return last.value == ")" if following == "{" else last.type == "ID" and typed


def unwrapped(tokens: Sequence[Token], is_macro: Callable[[str], bool]) -> tuple[list[Token], str | None]:
    """The head of a function without the macro call that stands before its name: `GLOBAL(int) f(int a)` is
    `int f(int a)`, `DEPRECATED("no") int f(int a)` as well. Also the name of the macro, if there was one."""
    if len(tokens) > 1 and tokens[0].column == tokens[1].column:
        tokens = tokens[1:]  # the `int` of a function without a type, written by the token pass
    index = 0
    while index + 1 < len(tokens) and (tokens[index].value in _HEAD_WORDS or _is_alone(tokens, index, is_macro)):
        index += 1
    if index + 1 >= len(tokens) or tokens[index].type != "ID" or tokens[index + 1].value != "(":
        return list(tokens), None
    end = closing(tokens, index + 1)
    after = end + 1
    while after < len(tokens) and (tokens[after].type == "ID" or tokens[after].value in _BEFORE_NAME):
        after += 1
    behind = tokens[end + 1 : after]
    if not any(t.type == "ID" for t in behind) or after >= len(tokens) or tokens[after].value != "(":
        return list(tokens), None
    if not is_macro(tokens[index].value):
        return list(tokens), None
    inner = list(tokens[index + 2 : end])
    is_type = bool(inner) and all(t.type == "ID" or t.value in (*_TYPE_WORDS, "*") for t in inner)
    typed = sum(t.type == "ID" or t.value in _TYPE_WORDS for t in behind) > 1
    kept = inner if is_type and not typed else []
    return [*tokens[:index], *kept, *tokens[end + 1 :]], tokens[index].value
