"""Whether a name of file scope means the same in two translation units, by the text of its declarations.

*Decides*: `means_the_same` of the declarations that each unit has for a name.
*Errs toward* another meaning: texts are compared, not types. Variables of which each file has its own are not the same.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from models.expr.nodes import remembered

from .declarations import KEYWORDS, Declaration
from .lexemes import IDENTIFIER, LEXEME, without_attributes

_RECORDS = frozenset(("struct", "union", "enum"))
_QUALIFIERS = frozenset(("const", "volatile", "restrict", "__restrict", "__restrict__", "register"))
_WITH_BRACKETS = frozenset(("_Alignas", "_Atomic", "typeof", "__typeof__", "__typeof"))
"""In front of brackets that are of a type."""
_NOT_THE_TYPE = frozenset(("extern", "__extension__"))


def means_the_same(here: Sequence[Declaration], there: Sequence[Declaration]) -> bool:
    """Whether the two units declare a name alike: with equal texts, or, for functions and variables that are linked,
    with one type in common (`extern double a[];` here and `double a[] = {1, 2};` behind the same line there).
    A function may have the name of a structure, which has to be the same one, too."""
    first, second = (frozenset(texts(side)) for side in (here, there))
    if any(is_own_variable(d) for d in (*here, *there)):
        return False
    if first == second:
        return True
    types = [frozenset(texts(filter(declares_type, side))) for side in (here, there)]
    linked = [[d for d in side if not declares_type(d)] for side in (here, there)]
    if types[0] != types[1] or any(is_static(d) for side in linked for d in side):
        return False
    return bool({_type_text(d) for d in linked[0]} & {_type_text(d) for d in linked[1]})


def completing(name: str, here: Sequence[Declaration], there: Sequence[Declaration]) -> tuple[Declaration, ...]:
    """The members of a structure that the first unit only knows by name: all that the other one has beside the same
    declarations. Empty where that is not all that differs."""
    known, other = frozenset(texts(here)), frozenset(texts(there))
    more = tuple(d for d in there if other.intersection(texts((d,))) - known)
    return more if known < other and all(_has_members(name, d) for d in more) else ()


def is_opaque(tag: str, user: Declaration, here: Sequence[Declaration]) -> bool:
    """Whether a declaration only names a structure by its tag, of which this unit has the members."""
    return _only_uses_tag(tag, user) and all(_has_members(tag, d) for d in here if any(texts((d,))))


def _has_members(tag: str, declaration: Declaration) -> bool:
    """Whether it gives a tag its members, and declares nothing else."""
    lexemes = _lexemes(declaration)
    return lexemes[0] in _RECORDS - {"enum"} and lexemes[1:3] == [tag, "{"] and lexemes[-2:] == ["}", ";"]


def defining(name: str, side: Sequence[Declaration]) -> tuple[Declaration, ...]:
    """Those that say what a name is: not those that only use it as a tag, as the type of a member behind a pointer."""
    return tuple(d for d in side if d.is_function or not _only_uses_tag(name, d))


def _only_uses_tag(name: str, declaration: Declaration) -> bool:
    lexemes = (";", *_lexemes(declaration), ";")
    at = [index for index, word in enumerate(lexemes) if word == name]
    return all(lexemes[index - 1] in _RECORDS and lexemes[index + 1] != "{" for index in at)


def texts(side: Iterable[Declaration]) -> Iterator[str]:
    """Their lexemes, a line each; those that only announce a structure left out."""
    return filter(None, map(_text, side))


@remembered("_text_to_compare")
def _text(declaration: Declaration) -> str:
    """One object for all equal texts: the files of a program declare what their headers say, each for itself."""
    lexemes = LEXEME.findall(declaration.text)
    announces = len(lexemes) == 3 and lexemes[0] in _RECORDS
    return "" if announces else sys.intern("\n".join(lexemes))


def _lexemes(declaration: Declaration) -> list[str]:
    return _text(declaration).split("\n") if _text(declaration) else LEXEME.findall(declaration.text)


@remembered("_is_static")
def is_static(declaration: Declaration) -> bool:
    """Whether other files cannot name it: `[static n]` of a parameter says something else."""
    depth = 0
    for found in LEXEME.finditer(declaration.code, declaration.start, _end_of_head(declaration)):
        word = found[0]
        depth += (word in "([") - (word in ")]")
        if not depth and word in ("static", "="):
            return word == "static"
    return False


def is_variable(declaration: Declaration) -> bool:
    """Neither a function, defined or announced (`double j1(double);`), nor a type."""
    announced = declaration.is_function or declares_type(declaration) or not _text(declaration)
    return not announced and not _is_prototype(declaration)


def is_own_variable(declaration: Declaration) -> bool:
    """A variable that each file has for itself, and that may change (one with a `*` may, whatever is `const`)."""
    if declaration.is_function or not is_static(declaration):
        return False
    declarator = declaration.text.partition("=")[0]
    return not _is_prototype(declaration) and ("const" not in declaration.words or "*" in declarator)


@remembered("_declares_type")
def declares_type(declaration: Declaration) -> bool:
    """A typedef, or the members of a structure, union or enumeration."""
    if declaration.is_function:
        return False
    lexemes = _lexemes(declaration)
    records = _RECORDS.intersection(lexemes)
    return "typedef" in lexemes or bool(records and "{" in lexemes[: lexemes.index("=") if "=" in lexemes else None])


def _end_of_head(declaration: Declaration) -> int:
    return declaration.body if declaration.is_function else declaration.end


def _is_prototype(declaration: Declaration) -> bool:
    lexemes = LEXEME.findall(without_attributes(declaration.text))
    if "=" in lexemes or "{" in lexemes:
        return False
    opening = (at for at, word in enumerate(lexemes) if word == "(" and lexemes[at - 1] not in _WITH_BRACKETS)
    first = next(opening, None)
    return first is not None and lexemes[first + 1] != "*"


def _type_text(declaration: Declaration) -> tuple[str, ...]:
    """What a declaration says of the type: `extern`, initialiser and names of parameters left out."""
    head = without_attributes(declaration.code[declaration.start : _end_of_head(declaration)])
    lexemes = [w for w in LEXEME.findall(head) if w not in _NOT_THE_TYPE]
    while lexemes and lexemes[-1] == ";":
        lexemes.pop()
    if "=" in lexemes:
        return tuple(lexemes[: lexemes.index("=")])
    if not lexemes or lexemes[-1] != ")":
        return tuple(lexemes)
    opening = _opening(lexemes)
    return (*lexemes[:opening], "(", *_unnamed(lexemes[opening + 1 : -1]), ")")


def _opening(lexemes: Sequence[str]) -> int:
    """Of the parenthesis that closes at the end."""
    depth = 0
    for index in range(len(lexemes) - 1, -1, -1):
        depth += (lexemes[index] == ")") - (lexemes[index] == "(")
        if depth == 0:
            return index
    return 0


def parameter_names(declaration: Declaration) -> list[str]:
    """The names of the parameters in the head of a definition, or where a function is announced."""
    if not declaration.is_function and not _is_prototype(declaration):
        return []
    head = LEXEME.findall(without_attributes(declaration.code[declaration.start : _end_of_head(declaration)]))
    while head and head[-1] == ";":
        head.pop()
    if not head or head[-1] != ")":
        return []
    inside = [[]]  # type: list[list[str]]
    depth = 0
    for word in head[_opening(head) + 1 : -1]:
        depth += (word in "([") - (word in ")]")
        if word == "," and depth == 0:
            inside.append([])
        else:
            inside[-1].append(word)
    return [p[at] for p in inside if (at := _name_at(p)) is not None]


def _unnamed(parameters: Sequence[str]) -> Iterator[str]:
    """Parameters without their names, arrays as the pointers that they are."""
    depth, one = 0, list[str]()
    for word in (*parameters, ","):
        depth += (word in "([") - (word in ")]")
        if word == "," and depth == 0:
            yield from _adjusted(one)
            yield ","
            one = []
        else:
            one.append(word)


def _adjusted(parameter: list[str]) -> list[str]:
    """`double y[]`, `double y[3]` and `double *y` are one type of a parameter: `double *` (C11 6.7.6.3p7)."""
    opening = parameter.index("[") if "[" in parameter else None
    if opening is None or "(" in parameter or parameter.index("]") != len(parameter) - 1:
        return _without_name(parameter)
    return [*_without_name(parameter[:opening]), "*"]


def _without_name(parameter: list[str]) -> list[str]:
    at = _name_at(parameter)
    return parameter if at is None else parameter[:at] + parameter[at + 1 :]


def _name_at(parameter: list[str]) -> int | None:
    """The place of the name: the first word that ends a declarator behind what is a type already."""
    for at, (word, after) in enumerate(pairwise((*parameter, ")"))):
        if after in (")", "[") and IDENTIFIER.match(word) and word not in KEYWORDS:
            before = [w for w in parameter[:at] if w not in _QUALIFIERS]
            return at if before and before[-1] not in _RECORDS else None
    return None
