"""The text of a directive of OpenMP or OpenACC: its name and its clauses.

Grammar (OpenMP 5.2 2.1, OpenACC 3.3 2.1):

    directive ::= ("omp" | "acc") word+ [ "(" argument ")" ] clause*
    clause    ::= name [ "(" argument ")" ]            -- commas between clauses mean nothing

The name is the longest one that is known.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import product

from msgspec import Struct

from ..base.regex import regex

_PARTS = (
    ("target",),
    ("teams",),
    ("distribute",),
    ("parallel",),
    ("for", "loop", "sections", "master", "masked", "taskloop", "master taskloop", "masked taskloop"),
    ("simd",),
)
"""Of combined constructs, in their order; each may be missing."""

_OTHERS = (
    "section, single, scope, workshare, critical, atomic, ordered, barrier, taskwait, taskyield, taskgroup, task, "
    "flush, cancel, cancellation point, scan, depobj, requires, allocate, tile, unroll, error, nothing, assume, "
    "assumes, begin assumes, end assumes, metadirective, interop, dispatch, threadprivate, target data, "
    "target enter data, target exit data, target update, declare simd, declare target, begin declare target, "
    "end declare target, declare reduction, declare mapper, declare variant"
)
_OPENACC = (
    "parallel, kernels, serial, parallel loop, kernels loop, serial loop, loop, data, enter data, exit data, "
    "host_data, cache, atomic, update, wait, routine, declare, init, shutdown, set"
)


def _names(listed: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(name.split()) for name in listed.split(","))


NAMES = {
    "omp": _names(_OTHERS) | {tuple(" ".join(p).split()) for p in product(*(("", *part) for part in _PARTS))} - {()},
    "acc": _names(_OPENACC),
}
"""The names of directives, each as its words."""

_LONGEST = max(len(name) for names in NAMES.values() for name in names)

_WORD = regex(r"\s*,?\s*([A-Za-z_]\w*)\s*")


class Clause(Struct, frozen=True, dict=True):
    """`argument`: what stands in its brackets; None where there are none."""

    name: str
    argument: str | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables that it lists, without what stands before a colon, and without the sections of arrays.

        >>> Clause("reduction", "+: sum, hist[:n]").names
        ('sum', 'hist')
        """
        return tuple(item.partition("[")[0].strip() for item in self.items)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """What it lists behind a colon that is outside of brackets.

        >>> Clause("depend", "out: a[i], b").items
        ('a[i]', 'b')
        """
        return tuple(_listed(self._halves[1]))

    @property
    def modifier(self) -> str:
        """What stands before the colon: `+` of `reduction(+: sum)`."""
        return self._halves[0]

    @property
    def rest(self) -> str:
        """What stands behind the colon, or all where there is none."""
        return self._halves[1].strip()

    @cached_property
    def _halves(self) -> tuple[str, str]:
        text = self.argument or ""
        at = next((i for i, letter, depth in _outside(text) if letter == ":" and not depth), None)
        if self.name == "linear" or at is None:
            return "", text[:at]
        return text[:at].strip(), text[at + 1 :]


class Directive(Struct, frozen=True):
    """`family`: omp or acc; `name`: its words; `argument`: what stands in brackets behind it (`critical(name)`)."""

    family: str
    name: tuple[str, ...]
    argument: str | None
    clauses: tuple[Clause, ...]
    text: str
    line: int = 0

    def has(self, *names: str) -> bool:
        return any(c.name in names for c in self.clauses)

    def named(self, *names: str) -> Iterator[Clause]:
        return (c for c in self.clauses if c.name in names)

    def lists(self, *names: str) -> frozenset[str]:
        """The variables in all clauses of these names."""
        return frozenset(variable for clause in self.named(*names) for variable in clause.names)

    def number(self, name: str) -> int | None:
        """The constant in a clause such as `collapse(2)`; None where there is none, or it is not known."""
        found = next((c.argument for c in self.named(name)), None)
        return None if found is None else constant(found)


def is_of_device(directive: Directive) -> bool:
    """Whether it runs code on a device."""
    return "target" in directive.name or (directive.family == "acc" and directive.name[0] in ("parallel", "serial"))


_SUM = regex(r"[\d\s()+*/-]+")


def constant(text: str) -> int | None:
    """The value of a sum, product or quotient of numbers; None where it is anything else.

    >>> constant("1 + 7 / 2"), constant("n")
    (4, None)
    """
    import ast

    if not _SUM.fullmatch(text):
        return None
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def _value(node: object) -> int:
    import ast

    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _value(left) + _value(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _value(left) - _value(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _value(left) * _value(right)
        case ast.BinOp(left=left, op=ast.Div(), right=right) if _value(right):
            quotient = abs(_value(left)) // abs(_value(right))  # towards zero, as in C
            return quotient if _value(left) * _value(right) >= 0 else -quotient
        case _:
            raise ValueError


def read_directive(text: str, line: int = 0) -> Directive | None:
    """The directive in what follows `#pragma`; None where it is none of OpenMP or OpenACC.

    >>> found = read_directive("omp parallel for private(i, j) reduction(+: s) nowait")
    >>> found.name, [c.name for c in found.clauses]
    (('parallel', 'for'), ['private', 'reduction', 'nowait'])
    """
    family, _, rest = text.strip().partition(" ")
    if family not in NAMES:
        return None
    words = list(_words(rest))
    alone = next((i + 1 for i, (_, brackets) in enumerate(words) if brackets is not None), len(words))
    sizes = range(min(alone, _LONGEST), 0, -1)
    size = next((n for n in sizes if tuple(word for word, _ in words[:n]) in NAMES[family]), 0)
    if not size:
        return None
    name, argument = tuple(word for word, _ in words[:size]), words[size - 1][1]
    return Directive(family, name, argument, tuple(Clause(*each) for each in words[size:]), text.strip(), line)


def _words(text: str) -> Iterator[tuple[str, str | None]]:
    """Each word with what stands in brackets behind it."""
    at = 0
    while found := _WORD.match(text, at):
        at = found.end()
        if at < len(text) and text[at] == "(":
            end = next((i for i, letter, depth in _outside(text[at:]) if letter == ")" and not depth), len(text) - at)
            yield found[1], text[at + 1 : at + end]
            at += end + 1
        else:
            yield found[1], None


def _outside(text: str) -> Iterator[tuple[int, str, int]]:
    """Each letter with the number of brackets that are open around it; a closing one is outside of its own."""
    depth = 0
    for i, letter in enumerate(text):
        depth -= letter in ")]}"
        yield i, letter, depth
        depth += letter in "([{"


def _listed(text: str) -> Iterator[str]:
    """The parts between commas that are outside of brackets."""
    start = 0
    for i, letter, depth in _outside(text):
        if letter == "," and not depth:
            yield text[start:i].strip()
            start = i + 1
    if text[start:].strip():
        yield text[start:].strip()
