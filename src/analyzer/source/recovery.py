"""Names that nothing declares (their header is missing), recognised by where they stand: types, specifiers, macros."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise

from pycparser.c_lexer import Token

from .brackets import closing
from .tokens import token
from .unknown_macros import spelled_out, untrailed, unwrapped

_STARTS = frozenset((";", "{", "}", "(", ",", "static", "extern", "const", "register", "inline", "volatile", "typedef"))
_AFTER_NAME = frozenset((";", "=", ",", "[", ")", "(", ":"))
_OPERATORS = frozenset(("__real__", "__imag__", "__real", "__imag"))
"""Words of GNU C that stand where a type may: `__real__ z = 1;` assigns."""


def opaque_types(tokens: Sequence[Token], is_known: Callable[[str], bool]) -> Iterator[Token]:
    """Identifiers that can only be types, although no object, function or type that `is_known` has their name.

    `foo_t x`, `foo_t *x;` at the start of a statement, parameter or member; `(foo_t *)x`. Does not see `sizeof(foo_t)`
    and `(foo_t)(x)`, which may be expressions."""
    for index, item in enumerate(tokens):
        if item.type != "ID" or is_known(item.value) or item.value in _OPERATORS:
            continue
        before = tokens[index - 1].value if index else ";"
        if before in _STARTS and _starts_declaration(tokens, index, before):
            yield item


def _starts_declaration(tokens: Sequence[Token], index: int, before: str) -> bool:
    position = index + 1
    while position < len(tokens) and tokens[position].value in ("*", "const", "restrict", "volatile"):
        position += 1
    if position >= len(tokens):
        return False
    stars = position - index - 1
    here = tokens[position]
    if before == "(" and here.value == ")":
        return stars > 0 or _is_cast(tokens, position)
    if here.type != "ID" or (stars and before in ("(", ",") and not _in_head(tokens, index)):
        return False
    after = tokens[position + 1].value if position + 1 < len(tokens) else ";"
    return after in _AFTER_NAME and not _is_assigned_element(tokens, position + 1)


def _is_assigned_element(tokens: Sequence[Token], position: int) -> bool:
    """`[i] = x` behind a name: an array is not declared with a number as its value, so something else stands before."""
    end = position
    while end < len(tokens) and tokens[end].value == "[":
        end = closing(tokens, end) + 1
    if end == position or end + 1 >= len(tokens) or tokens[end].value != "=":
        return False
    return tokens[end + 1].value != "{" and "STRING" not in tokens[end + 1].type


def _is_cast(tokens: Sequence[Token], closing: int) -> bool:
    """`(name) x` and `(name) 3` are casts; `f(name)` and `if (name) x` are not."""
    opening = closing - 2
    head = tokens[opening - 1] if opening > 0 else None
    if head is None or head.type in ("ID", "IF", "WHILE", "SWITCH", "SIZEOF", "FOR") or head.value in (")", "]"):
        return False
    after = tokens[closing + 1] if closing + 1 < len(tokens) else None
    return after is not None and (after.type == "ID" or ("CONST" in after.type and after.type != "CONST"))


def _in_head(tokens: Sequence[Token], index: int) -> bool:
    """In a parameter list outside of any body, where `a * b` is no product."""
    return not any(t.value == "{" for t in tokens[:index])


def readings(
    tokens: Sequence[Token], types: Collection[str], known: Collection[str], guessed: Collection[str]
) -> Iterator[tuple[list[Token], list[str]]]:
    """Other readings of a declaration that cannot be parsed, the mildest first, each with the names in it that are
    taken for macros. `types` are those of `known` that are types, `guessed` what was taken for a type elsewhere."""
    head, wrapper = unwrapped(tokens, lambda name: name not in known)
    head, trailing = untrailed(head, lambda name: name not in known)
    empty = [*empty_specifiers(head, types, known), *stray_names(head, known), *stray_qualifiers(head, known)]
    places = {id(t) for t in empty}
    rest = [t for t in ended_statements(head, known) if id(t) not in places]
    names = list(dict.fromkeys([*([] if wrapper is None else [wrapper]), *trailing, *(t.value for t in empty)]))
    if len(rest) != len(tokens) or names:
        yield rest, names
    likely = {*types, *guessed, *(t.value for t in opaque_types(rest, known.__contains__))}
    spelled = spelled_out(rest, lambda name: name not in known, lambda name: name in likely)
    if spelled.macros:
        yield spelled.tokens, list(dict.fromkeys([*names, *spelled.macros]))


def stray_qualifiers(tokens: Sequence[Token], known: Collection[str]) -> Iterator[Token]:
    """`RESTRICT` in `double * RESTRICT a`: a name between a star and the name that is declared."""
    for before, item, name, after in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        words = item.type == name.type == "ID" and item.value not in known
        if words and before.value == "*" and after.value in _AFTER_NAME:
            yield item


_STORAGE = frozenset(("static", "extern", "inline", "const", "volatile", "register", "_Noreturn"))
_CONVENTIONS = frozenset(("CALLBACK", "WINAPI", "APIENTRY", "STDCALL", "CDECL", "PASCAL", "FAR", "NEAR", "JNICALL"))
"""How functions are called, by names of Windows and Java: never a type."""
_TYPES = frozenset(
    "void char short int long float double signed unsigned struct union enum _Bool".split()  # noqa: SIM905
)


def empty_specifiers(tokens: Sequence[Token], types: Collection[str], known: Collection[str]) -> list[Token]:
    """Identifiers among the specifiers of a declaration that nothing in `known` has the name of, `types` being those
    of `known` that are types: macros such as INLINE or API, of which a declaration loses nothing that counts here.
    Where nothing else can be its type, the last of them is."""
    head: list[Token] = []
    for item in tokens:
        if item.value not in _STORAGE | _TYPES and (item.type != "ID" or item.value in known):
            break
        head.append(item)
    tags = [b for a, b in pairwise(head) if a.value in ("struct", "union", "enum")]
    unknown = [t for t in head if t.type == "ID" and t not in tags]
    conventions = [t for t in unknown if t.value in _CONVENTIONS]
    if conventions:
        unknown = [t for t in unknown if t.value not in _CONVENTIONS]
        typed = any(t.value in _TYPES for t in head) or not unknown
        return [*conventions, *(unknown if typed else unknown[:-1])]
    typed = any(t.value in _TYPES for t in head) or any(t.value in types for t in tokens[len(head) : len(head) + 1])
    return unknown if typed else unknown[:-1]


def stray_names(tokens: Sequence[Token], known: Collection[str]) -> Iterator[Token]:
    """Identifiers that nothing in `known` has the name of, where C allows none: before a case without a semicolon
    (`FALLTHROUGH case 2:`), and beside a string (`"version " VERSION`)."""
    for before, item, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type != "ID" or item.value in known:
            continue
        alone = before.value in (";", "{", "}", ":") and after.value in ("case", "default")
        if alone or before.type == "STRING_LITERAL" or after.type == "STRING_LITERAL":
            yield item


def ended_statements(tokens: Sequence[Token], known: Collection[str]) -> Iterator[Token]:
    """The tokens, with a semicolon behind a name at the end of a block that nothing in `known` has (`{ x = 1; STEP }`):
    a macro that brings its own, and may do anything."""
    for before, item, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        yield item
        alone = item.type == "ID" and item.value not in known
        if alone and before and after and before.value in (";", "{", "}", ":") and after.value == "}":
            yield token(";", item.column)
