"""All of an array, as a map clause names it in the function that has it.

    static double a[N][M];                              ->  a
    double (*a)[n][m] = ...;       used as `*a`         ->  a[0:1]
    double *a = malloc(n * sizeof(double));             ->  a[0:n]

*Refuses*: names of several variables, pointers that are set more than once, or by something else than an allocator, and
sizes whose variables change.
"""

import re
from collections.abc import Iterator

from ..base.regex import regex
from ..report.program_entries import LifeEntry
from .refused import RefusedError
from .text import Text

SETS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))
_SIZE_OF = regex(r"sizeof (?:\( (?P<type>\w+(?: \w+)*) \)|(?:\( )?\* (?P<by>\w+)(?: \))?|\( (?P<at>\w+) \[ 0 \] \))")
_TYPES = frozenset(("size_t", "int", "long", "unsigned", "char", "short", "float", "double", "sizeof", "const"))


def all_of_array(text: Text, life: LifeEntry, first: int, stop: int) -> str:
    """The item of a map for the statements from token `first` to before `stop`. RefusedError where there is none.
    Example: see the module."""
    function = text.function(first)
    if function is None:
        raise RefusedError(f"`{life.name}` is used in no function")
    places = list(_places(text, life.name, text.declaration(function[0]), function[1]))
    _refuse_scope(text, life, places, function, first, stop)
    if life.shape == "array":
        return life.name
    for k in places:
        address = text.is_at(k - 1, "&") and not text.is_at(k + 1, "[", "->")
        if address or (first <= k < stop and (text.is_at(k + 1, *SETS) or text.is_at(k - 1, "++", "--"))):
            raise RefusedError(f"`{life.name}` may be set elsewhere")
    if life.shape == "block":
        if any(text.is_at(k + 1, "[") for k in places):
            raise RefusedError(f"how many arrays `{life.name}` leads to is not known")
        return f"{life.name}[0:1]"
    return f"{life.name}[0:{_allocated(text, life.name, places, first, stop)}]"


def _places(text: Text, name: str, begin: int, end: int) -> Iterator[int]:
    return (k for k in range(begin, end) if text.is_at(k, name) and not text.is_at(k - 1, ".", "->"))


def _refuse_scope(
    text: Text, life: LifeEntry, places: list[int], function: tuple[int, int], first: int, stop: int
) -> None:
    """Where the name stands for something else, or for nothing, at the statements."""
    declared = [k for k in places if text.declares(k)]
    if len(declared) > 1:
        raise RefusedError(f"several variables are called `{life.name}`")
    of_file = any(block(text, k) is None for k in _places(text, life.name, 0, text.declaration(function[0])))
    if life.shape == "array" and not declared and of_file and not _may_declare(text, life.name, function):
        if any(_is_pointed_to(text, k) for k in _places(text, life.name, 0, len(text.tokens))):
            raise RefusedError(f"a pointer leads to `{life.name}` from the beginning")
        return
    inside = [k for k in places if function[0] < k]
    if not inside or not _reaches(text, inside[0], first, stop):
        raise RefusedError(f"`{life.name}` has no name there")


def _may_declare(text: Text, name: str, function: tuple[int, int]) -> bool:
    """Whether the function may have a variable of this name behind a comma: `double a[N], name[N]`."""
    places = (k for k in _places(text, name, *function) if text.is_at(k - 1, ",") and text.is_at(k + 1, "["))
    return any(not _is_in_brackets(text, k) for k in places)


def _is_pointed_to(text: Text, k: int) -> bool:
    """Whether token k is an array in the initialiser of a variable of the file."""
    is_declared = text.is_at(k + 1, "[") and not text.is_at(k - 1, "&", "=", "{", "(", "+")
    return not is_declared and text.function(k) is None


def _is_in_brackets(text: Text, k: int) -> bool:
    """Whether token k stands in brackets of its statement."""
    depth = 0
    while k and not (depth == 0 and text.is_at(k, ";", "{", "}")):
        k -= 1
        depth += text.is_at(k, ")", "]", "}") - text.is_at(k, "(", "[", "{")
        if depth < 0:
            return not text.is_at(k, "{")
    return False


def _reaches(text: Text, k: int, first: int, stop: int) -> bool:
    """Whether what token k declares is known from `first` to before `stop`."""
    brace = block(text, k)
    return brace is not None and k < first and stop <= text.closing(brace)


def block(text: Text, k: int) -> int | None:
    """The brace of the innermost block that token k stands in."""
    depth = 0
    for j in range(k - 1, -1, -1):
        depth += text.is_at(j, "}") - text.is_at(j, "{")
        if depth < 0:
            return j
    return None


def _allocated(text: Text, name: str, places: list[int], first: int, stop: int) -> str:
    """How many elements the allocator was asked for, as C."""
    sets = [k for k in places if text.is_at(k + 1, "=") and not _is_store(text, k)]
    if len(sets) != 1 or not _reaches(text, sets[0], first, stop):
        raise RefusedError(f"how much there is of `{name}` is not known")
    k = sets[0] + 2
    while text.is_at(k, "("):  # a cast
        k = text.closing(k) + 1
    called, end = text.tokens[k].text, text.closing(k + 1) if text.is_at(k + 1, "(") else k
    if called not in ("malloc", "calloc", "aligned_alloc") or not text.is_at(end + 1, ";", ","):
        raise RefusedError(f"how much there is of `{name}` is not known")
    arguments = list(_arguments(text, k + 2, end))
    _refuse_changes(text, name, sets[0], range(k + 2, end))
    factors = arguments if called == "calloc" else arguments[-1:]
    return _elements(name, _element(text, sets[0]), factors)


def _is_store(text: Text, k: int) -> bool:
    """Whether `*name = ...` stores, and declares nothing, as `double *name = ...` and `double *a, *name = ...` do."""
    return text.is_at(k - 1, "*") and not text.declares(k) and not text.is_at(k - 2, ",")


def _arguments(text: Text, k: int, end: int) -> Iterator[str]:
    """The arguments from token k to before `end`, each as its tokens with blanks between them."""
    begin = k
    while k < end:
        if text.is_at(k, ","):
            yield " ".join(t.text for t in text.tokens[begin:k])
            begin = k + 1
        k = (text.closing(k) if text.is_at(k, "(", "[") else k) + 1
    yield " ".join(t.text for t in text.tokens[begin:end])


def _element(text: Text, k: int) -> str | None:
    """The type behind `double *a`, and `double *b, *a`, where token k is `a`."""
    if not text.is_at(k - 1, "*"):
        return None
    first = k - 2
    while first >= 0 and not text.is_at(first, ";", "{", "}"):
        first -= 1
    words = []
    for token in text.tokens[first + 1 : k]:
        if not token.text.isidentifier():
            break
        words.append(token.text)
    return " ".join(word for word in words if word not in ("const", "static")) or None


def _elements(name: str, element: str | None, factors: list[str]) -> str:
    """The bytes that several factors make, as a number of elements."""
    for at, factor in enumerate(factors):
        count = _without_size(factor, name, element)
        if count is not None:
            left = [*factors[:at], *filter(None, (count,)), *factors[at + 1 :]]
            return _compact(left[0]) if len(left) == 1 else " * ".join(map(_factor, left)) or "1"
    return f"{' * '.join(map(_factor, factors))} / sizeof(*{name})"


def _without_size(factor: str, name: str, element: str | None) -> str | None:
    """The number of elements that bytes are: "" for the bytes of one; None where that is not seen."""
    for found in _SIZE_OF.finditer(factor):
        is_element = found["type"] == element if found["type"] else (found["by"] or found["at"]) == name
        before, behind = factor[: found.start()], factor[found.end() :]
        if not is_element or (before and behind):
            continue
        if not before and not behind:
            return ""
        count = before.removesuffix(" * ") if before.endswith(" * ") else behind.removeprefix(" * ")
        if count not in (before, behind) and _is_product(count):
            return count
    return None


def _is_product(code: str) -> bool:
    """Whether C text, with blanks between its tokens, binds as a factor."""
    depth = 0
    for word in code.split():
        depth -= word in (")", "]")
        if not depth and not re.fullmatch(r"\w+|[*()\[\]]", word):
            return False
        depth += word in ("(", "[")
    return True


def _factor(code: str) -> str:
    compact = _compact(code)
    return compact if re.fullmatch(r"\w+", compact) else f"({compact})"


def _compact(code: str) -> str:
    """C text without the blanks inside of brackets."""
    return re.sub(r"([(\[]) | ([)\]])", r"\1\2", re.sub(r"(\w) (?=[(\[])", r"\1", code))


def _refuse_changes(text: Text, name: str, set_at: int, size: range) -> None:
    """Where a variable of the size is not, or may not be, what it was."""
    function = text.function(set_at)
    assert function is not None
    names = {text.tokens[k].text for k in size if text.tokens[k].text.isidentifier() and not text.is_at(k + 1, "(")}
    called = {text.tokens[k].text for k in size if text.is_at(k + 1, "(")} - {"sizeof", "*", "/", "+", "-", "(", ","}
    why = f"how much there is of `{name}` may be another number by then"
    if any(word.isidentifier() for word in called) or any(text.is_at(k, "->", ".") for k in size):
        raise RefusedError(why)
    for word in names - _TYPES - {name}:
        places = list(_places(text, word, text.declaration(function[0]), function[1]))
        declared = [k for k in places if text.declares(k)]
        later = [k for k in places if k > set_at]
        moved = any(text.is_at(k + 1, *SETS) or text.is_at(k - 1, "++", "--", "&") for k in later)
        if moved or len(declared) > 1 or (not declared and not _is_constant(text, word)):
            raise RefusedError(why)


def _is_constant(text: Text, word: str) -> bool:
    """Whether a name that the function does not declare is that of a number, as far as the file tells."""
    defined = text.macro(word)
    if defined is not None:
        return all(_is_constant(text, w) for w in re.findall(r"\b[A-Za-z_]\w*", re.sub(r"\b\d[\w.]*", "", defined)))
    places = list(_places(text, word, 0, len(text.tokens)))
    return word.isupper() and not any(text.is_at(k + 1, *SETS) or text.declares(k) for k in places)
