"""The two notations of algorithm classes as text, and back.

    class    = ["unordered"] side ARROW side               ARROW: "→" or "->"
    side     = "void" | operand {AND operand}              AND: "∧" or "^"
    operand  = lengths "|" pattern ["(" lengths ")"]       1024x1024|neighbourhood(7x7)
    lengths  = LENGTH {"x" LENGTH}

    species  = side ARROW side
    operand  = NAME "[" ranges "]" "|" pattern ["(" ranges ")"]   A[0:N-1,0:M-1]|chunk(0:0,0:M-1)
    ranges   = LOW ":" HIGH {"," LOW ":" HIGH}             inclusive

An empty side is also written `0:0|void` or `0|void`. `chunk` is the species' name of `tile`; `neighb` and
every longer beginning of neighbourhood (or neighborhood) is accepted. A LENGTH is a number, a symbol or a
formula of `models.expr` (`A/U`, `A·U`); a sum stands in parentheses. `x` is taken as the cross between
numbers, parentheses and capitals (`AxB`, `1024xM`); between other symbols it stands free: `s->nx x s->ny`.
Species: Nugteren, Corvino and Corporaal, 2013.
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from msgspec import Struct

from .classes import WITH_EXTENT, AlgorithmClass, ClassError, Operand, Pattern, check
from .expr import Div, Expr, ExprSyntaxError, Mul, Num, Sym, add, parse, to_text

Range: TypeAlias = tuple[Expr, Expr]
T = TypeVar("T")

_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]*(?:x[A-Z0-9][A-Z0-9_]*)+")
_PIECE = re.compile(r"`[^`]*`|(?P<number>\d+)|(?P<word>[A-Za-z_][\w]*(?:(?:->|\.)[A-Za-z_]\w*|@@?\d+)*)|(?P<cross>×)|.")
_MARK = re.compile(r"`[^`]*`|->|\w+|\S")
_OPENING, _CLOSING = ("(", "["), (")", "]")


class ClassSyntaxError(ClassError):
    """Text that is no class; `column` counts from 1."""

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(f"{message} at column {position + 1} of {text!r}")
        self.column = position + 1


class NamedOperand(Struct, frozen=True):
    """One array of a species: the inclusive ranges of what is touched, and of what a work-unit touches of
    it."""

    name: str
    domain: tuple[Range, ...]
    pattern: Pattern
    extent: tuple[Range, ...] = ()


class Species(Struct, frozen=True):
    """An algorithmic species: arrays by name with inclusive ranges."""

    inputs: tuple[NamedOperand, ...]
    outputs: tuple[NamedOperand, ...]

    def __str__(self) -> str:
        return species_text(self)


# --- writing


def class_text(algorithm: AlgorithmClass) -> str:
    """`1024x1024|element → 256|shared`"""
    sides = [" ∧ ".join(map(_operand_text, side)) or "void" for side in (algorithm.inputs, algorithm.outputs)]
    return ("unordered " if algorithm.unordered else "") + " → ".join(sides)


def species_text(species: Species) -> str:
    """`A[0:N-1]|neighbourhood(-1:1) -> B[1:N-2]|element`"""
    sides = [" ^ ".join(map(_named_text, side)) or "0:0|void" for side in (species.inputs, species.outputs)]
    return " -> ".join(sides)


def _operand_text(operand: Operand) -> str:
    extent = f"({_lengths_text(operand.extent)})" if operand.extent else ""
    return f"{_lengths_text(operand.dims)}|{operand.pattern.value}{extent}"


def _lengths_text(lengths: tuple[Expr, ...]) -> str:
    texts = [_length_text(length) for length in lengths]
    tight = all(re.fullmatch(r"\d+|[A-Z][A-Z0-9_]*|\(.*\)|[A-Z][A-Z0-9_]*[*/][A-Z0-9_]+", t) for t in texts)
    return ("x" if tight else " x ").join(texts)


def _length_text(length: Expr) -> str:
    text = to_text(length)
    match length:
        case Num(int()):
            return text
        case Sym(name):
            return f"`{name}`" if name == "x" or _CAPITALS.fullmatch(name) else text
        case Mul() | Div() if re.fullmatch(r"[A-WYZ][A-WYZ0-9_]*[*/][A-WYZ0-9_]+", text):
            return text
        case _:
            return f"({text})"


def _named_text(operand: NamedOperand) -> str:
    name = operand.pattern.value.replace("tile", "chunk")
    extent = f"({_ranges_text(operand.extent)})" if operand.extent else ""
    return f"{operand.name}[{_ranges_text(operand.domain)}]|{name}{extent}"


def _ranges_text(ranges: tuple[Range, ...]) -> str:
    return ",".join(f"{_tight(low)}:{_tight(high)}" for low, high in ranges)


def _tight(expr: Expr) -> str:
    """Without the blanks around operators; quoted names keep theirs."""
    parts = re.split(r"(`[^`]*`)", to_text(expr))
    return "".join(part if part.startswith("`") else part.replace(" ", "") for part in parts)


# --- reading


def parse_class(text: str) -> AlgorithmClass:
    """The class written in `text`; ClassSyntaxError names the column, ClassError what makes no sense."""
    start = re.match(r"\s*(unordered\s+)?", text)
    assert start is not None  # every part is optional
    left, right = _sides(text, start.end())
    inputs, outputs = (tuple(_operands(text, *side, _operand)) for side in (left, right))
    return check(AlgorithmClass(inputs, outputs, unordered=start.group(1) is not None))


def parse_species(text: str) -> Species:
    """The species written in `text`; raises like `parse_class`."""
    left, right = _sides(text, 0)
    species = Species(*(tuple(_operands(text, *side, _named_operand)) for side in (left, right)))
    to_class(species)
    return species


def to_class(species: Species) -> AlgorithmClass:
    """The class of a species: lengths instead of names and ranges."""
    inputs, outputs = (tuple(map(_without_name, side)) for side in (species.inputs, species.outputs))
    return check(AlgorithmClass(inputs, outputs))


def _without_name(operand: NamedOperand) -> Operand:
    return Operand(_lengths(operand.domain), operand.pattern, _lengths(operand.extent))


def _lengths(ranges: tuple[Range, ...]) -> tuple[Expr, ...]:
    return tuple(add(high, -low, 1) for low, high in ranges)


Span: TypeAlias = tuple[int, int]


def _sides(text: str, start: int) -> tuple[Span, Span]:
    cuts = list(_arrows(text, start))
    if len(cuts) != 1:
        message = "expected an arrow (→ or ->)" if not cuts else "a class has one arrow, found another"
        raise ClassSyntaxError(message, text, cuts[1][0] if cuts else len(text.rstrip()))
    position, width = cuts[0]
    return (start, position), (position + width, len(text))


def _arrows(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Position and width of each arrow between sides. C's member arrow stands inside brackets, or in front of
    the `|` of an operand; the arrow of a class stands behind a pattern or `void`."""
    depth, complete = 0, False
    for found in _MARK.finditer(text, start):
        mark = found.group()
        depth += (mark in _OPENING) - (mark in _CLOSING)
        if mark == "→" or (mark == "->" and depth == 0 and complete):
            yield found.start(), len(mark)
        if mark in ("|", "void"):
            complete = True
        elif mark in ("→", "->", "∧", "^"):
            complete = False


def _operands(text: str, start: int, end: int, read: Callable[[str, int, int], T]) -> Iterator[T]:
    if re.fullmatch(r"\s*(?:0(?::0)?\s*\|\s*)?void\s*", text[start:end]):
        return
    for first, last in _split(text, start, end, lambda found: found in "∧^"):
        yield read(text, first, last)


def _split(text: str, start: int, end: int, separates: Callable[[str], bool]) -> Iterator[Span]:
    """The spans between separators outside parentheses, brackets and backticks."""
    depth, first = 0, start
    for found in _PIECE.finditer(text, start, end):
        piece = found.group()
        depth += (piece in _OPENING) - (piece in _CLOSING)
        if depth == 0 and separates(piece):
            yield first, found.start()
            first = found.end()
    yield first, end


def _operand(text: str, start: int, end: int) -> Operand:
    bar = _find(text, "|", start, end)
    pattern, extent = _pattern(text, bar + 1, end)
    lengths = tuple(_expr(text, *span) for span in _crossed(text, *extent)) if extent else ()
    return Operand(tuple(_expr(text, *span) for span in _crossed(text, start, bar)), pattern, lengths)


def _named_operand(text: str, start: int, end: int) -> NamedOperand:
    bar = _find(text, "|", start, end)
    head = re.fullmatch(r"\s*(`[^`]+`|[^\[`]+?)\s*\[(.*)\]\s*", text[start:bar])
    if head is None:
        raise ClassSyntaxError("expected NAME[low:high,...]", text, _first(text, start, bar))
    pattern, extent = _pattern(text, bar + 1, end)
    domain = (start + head.start(2), start + head.end(2))
    ranges = tuple(_ranges(text, *extent)) if extent else ()
    return NamedOperand(head.group(1), tuple(_ranges(text, *domain)), pattern, ranges)


def _ranges(text: str, start: int, end: int) -> Iterator[Range]:
    for first, last in _split(text, start, end, lambda found: found == ","):
        colon = _find(text, ":", first, last)
        yield _expr(text, first, colon), _expr(text, colon + 1, last)


def _find(text: str, sign: str, start: int, end: int) -> int:
    first, *others = (last for _, last in _split(text, start, end, lambda found: found == sign))
    if len(others) != 1:
        message = f"a second {sign!r}" if others else f"expected {sign!r}"
        raise ClassSyntaxError(message, text, others[0] if others else first)
    return first


def _pattern(text: str, start: int, end: int) -> tuple[Pattern, Span | None]:
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\)\s*)?", text[start:end])
    if found is None:
        raise ClassSyntaxError("expected a pattern", text, _first(text, start, end))
    pattern = _pattern_of(found.group(1))
    if pattern is None:
        names = ", ".join(p.value for p in Pattern)
        raise ClassSyntaxError(f"unknown pattern {found.group(1)!r} (known: {names})", text, start + found.start(1))
    has_extent = found.group(2) is not None
    if has_extent != (pattern in WITH_EXTENT):
        message = (
            f"{pattern.value} takes no extent" if has_extent else f"{pattern.value} needs an extent in parentheses"
        )
        raise ClassSyntaxError(message, text, start + (found.start(2) - 1 if has_extent else found.end(1)))
    return pattern, (start + found.start(2), start + found.end(2)) if has_extent else None


def _pattern_of(word: str) -> Pattern | None:
    if word == "chunk":
        return Pattern.TILE
    if len(word) >= len("neighb") and ("neighbourhood".startswith(word) or "neighborhood".startswith(word)):
        return Pattern.NEIGHBOURHOOD
    return next((p for p in Pattern if p.value == word), None)


def _crossed(text: str, start: int, end: int) -> Iterator[Span]:
    """The spans between crosses."""
    depth, first = 0, start
    before = ""
    for found in _PIECE.finditer(text, start, end):
        piece = found.group()
        depth += (piece in _OPENING) - (piece in _CLOSING)
        for cut in _crosses(found, before) if depth == 0 else ():
            yield first, found.start() + cut
            first = found.start() + cut + 1
        before = piece
    yield first, end


def _crosses(found: re.Match[str], before: str) -> Iterator[int]:
    """Offsets of the crosses inside one piece of text."""
    piece = found.group()
    if found.group("cross") or piece == "x":
        yield 0
    elif found.group("word") is not None:
        glued = before.endswith(")") or before.isdigit()
        # A length in front stands for `)` or a number, one behind for a `(`: the pieces between are then capitals.
        follows = "A" if found.string[found.end() : found.end() + 1] == "(" else ""
        if _CAPITALS.fullmatch(("A" if glued else "") + piece + follows):
            yield from (i for i, sign in enumerate(piece) if sign == "x")


def _expr(text: str, start: int, end: int) -> Expr:
    try:
        return parse(text[start:end].replace("·", "*"))
    except ExprSyntaxError as error:
        raise ClassSyntaxError(str(error).split(" at column ")[0], text, start + error.column - 1) from None


def _first(text: str, start: int, end: int) -> int:
    """Position of the first sign that is no blank."""
    return start + len(text[start:end]) - len(text[start:end].lstrip())
