"""The token pass: GNU C and later standards, as far as pycparser refuses them, written as C that it reads.

Nothing that changes meaning is dropped. Inline assembly becomes a call of `__boathull_asm`, `cleanup` one of
`__boathull_cleanup`; attributes that change a type or a layout are kept beside the tokens, by offset; what has to be
replaced by something that may differ is named in `guesses`, and whatever depends on the declaration is assumed.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct, field
from pycparser.c_lexer import Token

from .attributes import CLEANUP, HARMLESS, LAYOUT, Attribute, attribute_list
from .braces import STATEMENT_START, Brace, opened
from .brackets import closing, find, split
from .inline_asm import asm_call
from .lexemes import IDENTIFIER
from .literals import plain_number, signed_constant
from .tokens import token

CLEANUP_CALL = "__boathull_cleanup"
COMPUTED_LABEL = "__boathull_computed"
CONDITION_VALUE = "__boathull_condition"

_WIDEST_CASE_RANGE = 256
_ENDS_DECLARATOR = frozenset(",;=:){")
_BEFORE_OPERAND = frozenset((*"(,=[{;?:!+-", "return", "&&", "||", "==", "!=", "+=", "-="))
_DROPPED = frozenset(("__extension__", "__cdecl", "__stdcall", "__fastcall", "__vectorcall", "__w64", "__unaligned"))


class Rewritten(Struct):
    """Tokens for pycparser. `attributes` maps the offset of a declared name (or of a record's tag or brace, or of
    the word `enum`) to the attributes that change its type; `guesses` names what was replaced by something that may
    differ."""

    tokens: list[Token] = field(default_factory=list)
    attributes: dict[int, list[Attribute]] = field(default_factory=dict)
    guesses: list[str] = field(default_factory=list)


def rewrite(tokens: list[Token], is_function: bool = False) -> Rewritten:
    """Rewrites the tokens of one top-level declaration."""
    return _Pass(tokens, is_function).run()


_Handler: TypeAlias = Callable[["_Pass", int], int]
"""Takes the index of a token, writes what stands for it, and gives the index to go on from."""


class _Pass:
    def __init__(self, tokens: list[Token], is_function: bool) -> None:
        self.tokens, self.is_function = tokens, is_function
        self.result = Rewritten()
        self.out = self.result.tokens
        self.braces: list[Brace] = []
        self.closed_record = -1
        """Offset of the record or enumeration whose brace was just closed: attributes behind it are its own."""
        self.name: Token | None = None
        """The last identifier outside of brackets: the declarator that attributes behind it belong to."""
        self.waiting: list[Attribute] = []
        """Attributes of the specifiers, for every declarator up to the semicolon."""
        self.cleanups: list[tuple[list[Token], Token]] = []
        self.waiting_cleanups: list[list[Token]] = []
        """Functions that the specifiers name, for every declarator up to the semicolon."""
        self.in_value = False
        """Between the `=` of a declarator and its end."""
        self.nesting = 0

    def run(self) -> Rewritten:
        if self.is_function and self.after(0) == "(" and self.tokens[0].value not in _HANDLERS:
            self.out.append(token("int", self.tokens[0].column))
        index = 0
        while index < len(self.tokens):
            handler = _HANDLERS.get(self.tokens[index].value)
            index = handler(self, index) if handler else self.plain(index)
        return self.result

    @property
    def before(self) -> str:
        return self.out[-1].value if self.out else ";"

    def after(self, index: int) -> str:
        return self.tokens[index + 1].value if index + 1 < len(self.tokens) else ";"

    def emit(self, words: list[str], offset: int) -> None:
        self.out.extend(token(word, offset) for word in words)

    def guess(self, what: str) -> None:
        if what not in self.result.guesses:
            self.result.guesses.append(what)

    @property
    def in_block(self) -> bool:
        return bool(self.braces) and self.braces[-1].kind == "block"

    # --- tokens that stay

    def plain(self, index: int) -> int:
        item = self.tokens[index]
        if item.type == "ILLEGAL":
            return self.odd_spelling(index)
        if item.type == "ID" and self.nesting == 0:
            self.name = item
            self.closed_record = -1
        self.out.append(item)
        return index + 1

    def odd_spelling(self, index: int) -> int:
        """Constants with GNU suffixes: `1.0i`, `2.0Q`."""
        item = self.tokens[index]
        known = plain_number(item.value)
        if known is None:
            self.out.append(item)
        else:
            value, words = known
            self.emit(["(", "(", *words, ")", value, ")"], item.column)
        return index + 1

    def open(self, index: int) -> int:
        self.nesting += 1
        self.out.append(self.tokens[index])
        return index + 1

    def close(self, index: int) -> int:
        self.nesting = max(0, self.nesting - 1)
        self.out.append(self.tokens[index])
        return index + 1

    def open_brace(self, index: int) -> int:
        brace = opened(self.out, self.braces, self.tokens[index].column)
        if brace.nested_function:
            self.guess("a nested function")
        self.braces.append(brace)
        self.nesting = 0
        self.out.append(self.tokens[index])
        return index + 1

    def close_brace(self, index: int) -> int:
        brace = self.braces.pop() if self.braces else Brace("block")
        self.closed_record = brace.key
        self.nesting = 0
        self.out.append(self.tokens[index])
        return index + 1

    def end_declarator(self, index: int) -> int:
        """`,` and `=`: the name before it is complete."""
        if self.nesting == 0:
            self.attach_waiting()
            if self.in_block:
                self.in_value = self.tokens[index].value == "="
            if self.tokens[index].value == "=" and self.hides_its_type():
                name = self.out[-1]
                self.emit([";", name.value], name.column)
        self.out.append(self.tokens[index])
        return index + 1

    def hides_its_type(self) -> bool:
        """`T *T = f(sizeof(*T))`: pycparser learns too late that T is an object, so the value is assigned apart."""
        last = [t.value for t in self.out[-4:]]
        return len(last) == 4 and last[1:] == [last[3], "*", last[3]] and last[0] in (";", "{", "}") and self.in_block

    def colon(self, index: int) -> int:
        """`field: value` in an initializer is `.field = value`."""
        initializer = bool(self.braces) and self.braces[-1].kind == "initializer"
        if initializer and [t.value for t in self.out[-2:-1]] in (["{"], [","]) and self.out[-1].type == "ID":
            name = self.out.pop()
            self.out += [token(".", name.column), name, token("=", name.column)]
            return index + 1
        return self.end_declarator(index)

    def semicolon(self, index: int) -> int:
        offset = self.tokens[index].column
        if self.nesting == 0:
            self.attach_waiting()
            self.waiting, self.name = [], None
            self.waiting_cleanups, self.in_value = [], False
        self.out.append(self.tokens[index])
        for function, name in self.cleanups if self.nesting == 0 else ():
            words = [CLEANUP_CALL, "(", *function, ",", "&", name, ")", ";"]
            self.out += [token(w, offset) if isinstance(w, str) else w for w in words]
        self.cleanups = [] if self.nesting == 0 else self.cleanups
        return index + 1

    # --- attributes

    def attach_waiting(self) -> None:
        if self.name is not None and not self.in_value and self.in_block:
            self.cleanups += [(function, self.name) for function in self.waiting_cleanups]
        if self.name is not None and self.waiting:
            self.result.attributes.setdefault(self.name.column, []).extend(self.waiting)

    def attribute(self, index: int) -> int:
        if self.after(index) != "(":
            return index + 1
        end = closing(self.tokens, index + 1)
        for item in attribute_list(self.tokens[index + 2 : end]):
            self.place_attribute(item, end)
        return end + 1

    def place_attribute(self, item: Attribute, end: int) -> None:
        name, following = item[0].strip("_"), self.after(end)
        ends = self.name is not None and (following in _ENDS_DECLARATOR or following in _ATTRIBUTES)
        if name == CLEANUP:
            if self.name is not None and ends:
                self.cleanups.append((item[1], self.name))
            else:
                self.waiting_cleanups.append(item[1])
        elif name in LAYOUT:
            if self.before == "enum":
                self.result.attributes.setdefault(int(self.out[-1].column), []).append(item)
            elif self.before in ("struct", "union"):
                self.result.attributes.setdefault(self.tag_offset(end), []).append(item)
            elif self.before == "}" and self.closed_record >= 0:
                self.result.attributes.setdefault(self.closed_record, []).append(item)
            elif self.name is not None and ends:
                self.result.attributes.setdefault(self.name.column, []).append(item)
            else:
                self.waiting.append(item)
        elif name not in HARMLESS:
            self.guess(f"__attribute__(({name}))")

    def tag_offset(self, end: int) -> int:
        """Where the tag or brace of `struct __attribute__((..)) tag {` stands."""
        position = end + 1
        while position < len(self.tokens) and self.tokens[position].value in _ATTRIBUTES:
            position = closing(self.tokens, position + 1) + 1
        return int(self.tokens[min(position, len(self.tokens) - 1)].column)

    def standard_attribute(self, index: int) -> int:
        """C23's `[[...]]`, of which `[[gnu::packed]]` is GNU's; a subscript otherwise."""
        if self.after(index) != "[":
            return self.open(index)
        end = closing(self.tokens, index)
        for part in split(self.tokens[index + 2 : end - 1], ","):
            words = [t for t in part if t.value not in (":", "::")]
            if len(words) > 1 and words[0].value.strip("_") == "gnu":
                self.place_attribute((words[1].value, words[3:-1]), end)
        return end + 1

    # --- what has no counterpart in pycparser's C

    def drop(self, index: int) -> int:
        return index + 1

    def drop_with_arguments(self, index: int) -> int:
        return closing(self.tokens, index + 1) + 1 if self.after(index) == "(" else index + 1

    def static_assert(self, index: int) -> int:
        return min(find(self.tokens, index, frozenset(";")) + 1, len(self.tokens))

    def label_declaration(self, index: int) -> int:
        return find(self.tokens, index, frozenset(";")) + 1

    def asm(self, index: int) -> int:
        """A statement in a block; outside of one the symbol's name, or assembly of its own that touches no C."""
        opening = index
        while opening < len(self.tokens) and self.tokens[opening].value != "(":
            opening += 1
        if opening == len(self.tokens):
            return opening
        if self.in_block and self.before in STATEMENT_START:
            call, end = asm_call(self.tokens, index, opening)
            self.out += call
            return end
        if self.braces:
            self.guess("asm register")
        return closing(self.tokens, opening) + 1

    def auto_type(self, index: int) -> int:
        """`__auto_type x = e` is `typeof(e) x = e`."""
        start = find(self.tokens, index, frozenset("="))
        end = find(self.tokens, start + 1, frozenset(",;"))
        offset = self.tokens[index].column
        self.emit(["typeof", "("], offset)
        self.out += rewrite(self.tokens[start + 1 : end]).tokens
        self.emit([")"], offset)
        return index + 1

    def auto(self, index: int) -> int:
        """`auto x = e` of C23 has no other type; `auto int x` says where it is."""
        names_variable = index + 2 < len(self.tokens) and self.tokens[index + 1].type == "ID"
        is_type = names_variable and self.tokens[index + 2].value == "="
        return self.auto_type(index) if is_type else self.plain(index)

    def case(self, index: int) -> int:
        """`case 'a' ... 'z':` as one label per value; a range of unknown ends keeps its first."""
        end = find(self.tokens, index + 1, frozenset((":", "...")))
        if end >= len(self.tokens) or self.tokens[end].value == ":":
            return self.plain(index)
        colon = find(self.tokens, end, frozenset(":"))
        ends = self.tokens[index + 1 : end], self.tokens[end + 1 : colon]
        low, high = (signed_constant([t.value for t in part]) for part in ends)
        offset = self.tokens[index].column
        if low is None or high is None or not 0 <= high - low < _WIDEST_CASE_RANGE:
            self.guess("case range")
            self.out += [self.tokens[index], *self.tokens[index + 1 : end]]
            return colon
        for value in range(low, high + 1):
            self.emit(["case", str(value)] if value >= 0 else ["case", "-", str(-value)], offset)
            self.emit([":"] if value < high else [], offset)
        return colon

    def question(self, index: int) -> int:
        """`a ?: b`: a marker says that the middle operand is the value of the condition, evaluated once."""
        self.out.append(self.tokens[index])
        if self.after(index) == ":":
            self.emit([CONDITION_VALUE], self.tokens[index].column)
        return index + 1

    def ellipsis(self, index: int) -> int:
        """`[0 ... 9] = x` in an initializer: the last index decides the length."""
        if self.nesting and self.braces and self.braces[-1].kind == "initializer":
            while self.out and self.before != "[":
                self.out.pop()
            self.guess("range designator")
            return index + 1
        return self.plain(index)

    def address_of_label(self, index: int) -> int:
        """`&&label` has no operand to its left."""
        if self.before in _BEFORE_OPERAND and IDENTIFIER.match(self.after(index)):
            self.guess("label as a value")
            self.emit([COMPUTED_LABEL], self.tokens[index].column)
            return index + 2
        return self.plain(index)

    def goto(self, index: int) -> int:
        if self.after(index) != "*":
            return self.plain(index)
        self.guess("computed goto")
        self.emit(["goto", COMPUTED_LABEL], self.tokens[index].column)
        return find(self.tokens, index, frozenset(";"))

    # --- built-in functions of the compiler

    def first_argument(self, index: int) -> int:
        """`__builtin_expect(e, c)` and the like have the value of their first argument."""
        if self.after(index) != "(":
            return self.plain(index)
        end = closing(self.tokens, index + 1)
        arguments = split(self.tokens[index + 2 : end], ",")
        self.tokens[index + 1 : end + 1] = [self.tokens[index + 1], *arguments[0], self.tokens[end]]
        return index + 1

    def is_constant(self, index: int) -> int:
        """`__builtin_constant_p(e)` evaluates nothing: it is 1 of a literal, 0 of what changes something, and of
        anything else what the compiler makes of it. Of a call, and of a change that may never be made (`1 ? 3 : n++`),
        only that is left: the place stands for the operand."""
        if self.after(index) != "(":
            return self.plain(index)
        end = closing(self.tokens, index + 1)
        inside = [t for t in self.tokens[index + 2 : end] if t.value not in ("(", ")")]
        words = {t.value for t in inside}
        changes, calls = not words.isdisjoint(_CHANGING), self.may_call(index + 2, end)
        if len(inside) == 1 and inside[0].type.startswith(_LITERALS):
            known = ["1"]
        elif calls or (changes and not words.isdisjoint(_PERHAPS)):
            known = [self.tokens[index].value, "(", str(self.tokens[index].column), ")"]
        elif changes:
            known = ["0"]
        else:
            return self.plain(index)
        self.emit(known, self.tokens[index].column)
        return self.drop_with_arguments(index)

    def may_call(self, first: int, end: int) -> bool:
        """Whether brackets follow a name, or one that ends in brackets: `f(x)`, `(*f)(x)`, `f[1](x)`, and casts by the
        name of a type."""
        opens = (at for at in range(first + 1, end) if self.tokens[at].value == "(")
        return any(self.ends_in_name(at - 1) for at in opens)

    def ends_in_name(self, at: int) -> bool:
        while self.tokens[at].value == ")":
            at -= 1
        return self.tokens[at].value == "]" or bool(self.tokens[at].type == "ID")

    def types_compatible(self, index: int) -> int:
        self.guess(self.tokens[index].value)
        self.emit(["0"], self.tokens[index].column)
        return self.drop_with_arguments(index)

    def choose_expression(self, index: int) -> int:
        """`__builtin_choose_expr(c, a, b)` has the type of the chosen one; `c ? a : b` a common type."""
        if self.after(index) != "(":
            return self.plain(index)
        end = closing(self.tokens, index + 1)
        arguments = split(self.tokens[index + 2 : end], ",")
        if len(arguments) != 3:
            return self.plain(index)
        self.guess(self.tokens[index].value)
        offset = self.tokens[index].column
        parts: list[Token] = []
        for word, part in zip("(?:", arguments, strict=True):
            parts += [token(word, offset), token("(", offset), *part, token(")", offset)]
        self.tokens[index : end + 1] = [*parts, token(")", offset)]
        return index

    def alignment_of(self, index: int) -> int:
        """pycparser wants a type; of an expression the size is the better guess."""
        if self.after(index) == "(" and self.tokens[index + 2].type not in ("ID",):
            return self.plain(index)
        self.guess("_Alignof an expression")
        self.emit(["sizeof"], self.tokens[index].column)
        return index + 1


_ATTRIBUTES = frozenset(("__attribute__", "__attribute"))
_LITERALS = ("INT_CONST", "FLOAT_CONST", "CHAR_CONST", "STRING_LITERAL")
_CHANGING = frozenset("++ -- = += -= *= /= %= <<= >>= &= ^= |=".split())  # noqa: SIM905
_PERHAPS = frozenset("? && || sizeof _Alignof __alignof__ __alignof _Generic".split())  # noqa: SIM905

_HANDLERS: dict[str, _Handler] = {
    "(": _Pass.open,
    ")": _Pass.close,
    "[": _Pass.standard_attribute,
    "]": _Pass.close,
    "{": _Pass.open_brace,
    "}": _Pass.close_brace,
    ",": _Pass.end_declarator,
    "=": _Pass.end_declarator,
    ":": _Pass.colon,
    ";": _Pass.semicolon,
    "__attribute__": _Pass.attribute,
    "__attribute": _Pass.attribute,
    "__declspec": _Pass.drop_with_arguments,
    "_Pragma": _Pass.drop_with_arguments,
    "asm": _Pass.asm,
    "__asm__": _Pass.asm,
    "__asm": _Pass.asm,
    "__auto_type": _Pass.auto_type,
    "auto": _Pass.auto,
    "case": _Pass.case,
    "?": _Pass.question,
    "...": _Pass.ellipsis,
    "&&": _Pass.address_of_label,
    "goto": _Pass.goto,
    "__label__": _Pass.label_declaration,
    "_Static_assert": _Pass.static_assert,
    "static_assert": _Pass.static_assert,
    "_Alignof": _Pass.alignment_of,
    "__builtin_expect": _Pass.first_argument,
    "__builtin_expect_with_probability": _Pass.first_argument,
    "__builtin_unpredictable": _Pass.first_argument,
    "__builtin_assume_aligned": _Pass.first_argument,
    "__builtin_constant_p": _Pass.is_constant,
    "__builtin_types_compatible_p": _Pass.types_compatible,
    "__builtin_choose_expr": _Pass.choose_expression,
    **dict.fromkeys(_DROPPED, _Pass.drop),
}
