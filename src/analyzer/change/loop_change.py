"""The change that makes one loop parallel with OpenMP or OpenACC: edits of the text as it was written.

*Decides*: from the answer about a loop (`report.loop_entries.LoopEntry`), which characters of its file change: the
directive above it with its clauses, induction variables as formulas, another header where OpenMP does not take the one
there is, local variables in place of expressions, `atomic`, memory of each thread. Everything else stays as it is,
macros, comments and line endings included.
*Refuses*, with the reason, what is not mechanical, what a macro has made, and text that does not end where the parser
found its end.

An answer that rests on conditions is tested where the loop begins: in an `if` clause where the directive changes no
variable, else in an `if` with the loop as it was behind `else`.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ..base.regex import regex
from ..ir.c_library import is_known
from ..report.loop_entries import InductionEntry, LoopEntry, PositionEntry, RewriteEntry
from ..source.features import is_of_c_library
from .conditions import all_of
from .directive import Directive, merged
from .edits import Edit, comment, edited
from .form import family
from .names import Names, as_name, exchanged, mentions, occurrences
from .refused import RefusedError
from .text import Text, UnreadableError
from .wanted import Wanted

REST = regex(r"[ \t]*(?:/\*(?:(?!\*/)[^\n\r])*\*/[ \t]*)*(?://(?:\\\r?\n|[^\n\r])*)?(?=\r?\n|\Z)")
"""Nothing on a line any more but comments."""
AS_IT_WAS = "/* as it was */"
"""Stands in front of a loop that runs where the conditions of its change do not hold."""
_HELPER = regex(r"\b[a-z]+_\b")
"""Variables of the C that tests conditions."""
_CONDITIONAL = regex(r"^[ \t]*#[ \t]*(include|if\w*|endif)\b", re.MULTILINE)
_STEPS_BY_ONE = regex(r"it|[A-Za-z_]\w* \+ it")
"""Values that are as large as the variable itself."""
_COUNTERS = ("int", "long", "long long")
_NUMBER = regex(r"(?<![\w.])\d+(?![\w.])")
_CONSTANT = regex(r"_*[A-Z][A-Z0-9_]+")
"""Names as macros have them. (One that a header defines is not in the text.)"""
_PLAIN_TYPE = regex(r"[A-Za-z_][\w ]*[ *]*")
"""A type whose name can stand in front of that of a variable, and means the same twice."""
_WORDS_OF_TESTS = frozenset(
    (*("if", "for", "while", "sizeof", "long", "int", "char", "short", "unsigned", "signed", "double", "float"),
     *("const", "volatile", "struct", "union", "void", "size_t", "break", "else"))
)  # fmt: skip
_KEYWORDS = frozenset(("if", "for", "while", "switch", "return", "sizeof", "do", "else"))
_TAKES = ("for", "while", "do")


class Change(Struct, frozen=True):
    """`directive` as it stands above the loop, and the `edits`, from the first one on."""

    directive: str
    edits: tuple[Edit, ...]


class LoopWriter:
    """One loop being changed: `before` and `behind` are lines around it, `head` those that its body begins with,
    `region` what each thread begins with, `released` how it ends. `declares`: the lines before it hold names that it
    had for itself. `declarations`: edits of those of variables, which get a value there. `guard`: C that says whether
    the loop runs at all, where it `reaches` for memory that need not be there else; `trips`: how often it runs;
    `counter`: of the iterations, which `is_new` or of the program."""

    def __init__(self, text: Text, names: Names, loop: LoopEntry, wanted: Wanted, path: str) -> None:
        self.text, self.names, self.loop, self.wanted, self.path = text, names, loop, wanted, path
        self.first = text.at(loop.line, loop.column)
        if not text.is_at(self.first, *_TAKES):
            raise UnreadableError("no loop begins there")
        self.stop = text.after(self.first)
        self.begin, self.end = text.tokens[self.first].begin, text.tokens[self.stop - 1].end
        if text.line(self.end - 1) != loop.end_line:
            raise UnreadableError("a macro or `#if` moves the end of the loop")
        if text.is_at(self.stop, "else") and not text.is_at(self.first - 1, ")", "else"):
            raise UnreadableError("a macro holds an `if` whose `else` is behind it")
        self.indentation = text.indentation(self.begin)
        self.before: list[str] = []
        self.head: list[str] = []
        self.behind: list[str] = []
        self.region: list[str] = []
        self.released: list[str] = []
        self.inner: list[Edit] = []
        self.elsewhere: list[Edit] = []
        self.declarations: list[Edit] = []
        self.trip: str | None = None
        self.counter, self.is_new = "it", True
        self.declares = False
        self.guard: str | None = None
        self.reaches = False
        self.trips = ""
        self.directive = Directive(
            wanted.construct,
            private=loop.private,
            first_private=merged(loop.first_private, self._pointers()),
            last_private=loop.last_private,
            reductions=tuple((r.operator, r.variable) for r in loop.reductions),
            schedule=loop.schedule if wanted.form == "openmp" and self._has_threads() else None,
            family=family(wanted.form),
            collapse=wanted.collapse,
        )
        if self._has_threads():
            self._give_values()

    def _give_values(self) -> None:
        """To variables that compilers would warn of, for want of one that they see."""
        for found in self.loop.unset or ():
            if found.variable in self.directive.private:
                d = self.directive
                kept = tuple(name for name in d.private if name != found.variable)
                self.directive = replace(d, private=kept, first_private=(*d.first_private, found.variable))
            if found.declared is not None and found.declared.path == self.path:
                self._set_where_declared(found.variable, found.declared)

    def _set_where_declared(self, name: str, place: PositionEntry) -> None:
        """Unless a macro declares it, or there is more to its declaration."""
        try:
            k = self.text.at(place.line, place.column)
        except UnreadableError:
            return
        while self.text.is_at(k, "*", "restrict", "volatile"):
            k += 1
        if self.text.is_at(k, name) and self.text.is_at(k + 1, ",", ";"):
            token = self.text.tokens[k]
            self.declarations.append(Edit(token.begin, token.end, f"{name} = 0"))

    def _has_threads(self) -> bool:
        """Whether iterations are divided: one thread alone makes vectors, and has no clauses for several."""
        return self.wanted.construct != "simd"

    def _refuse_threads(self, directive: Directive) -> None:
        """Vectors of one thread have no variables that begin with a value, and no memory for each thread."""
        if directive.first_private or self.region:
            why = f"`{directive.first_private[0]}` begins with a value in each" if directive.first_private else "memory"
            raise RefusedError(f"it pays with vectors, and `simd` has no clause for what threads need: {why}")

    def _pointers(self) -> tuple[str, ...]:
        """Of which each thread wants its own, where vectors make sums."""
        return (self.loop.pointers or ()) if self.wanted.construct == "parallel for simd" else ()

    def change(self) -> Change:
        made = self._change()
        return replace(made, edits=tuple(sorted((*made.edits, *self.declarations), key=lambda e: e.begin)))

    def _change(self) -> Change:
        own = self._own()
        self._prepare()
        for rewrite in self.loop.rewrites:
            self._rewrite(rewrite)
        self._inductions(own)
        if self.reaches:
            self.guard = self._runs()
        if not self._adds_nothing() and any(self.begin < at < self.end for at in self.text.conditionals):
            raise RefusedError("`#if` stands in it, and its lines would have to change")
        if not self.wanted.tested:
            return self._written()
        asked = (self.wanted.condition, *self.wanted.tested)
        lines, test = self._tested([test for test in asked if test is not None])
        self.wanted = replace(self.wanted, condition=None)
        if not self._takes_tests():
            return self._either(self._written(), lines, test)
        self.before = lines
        self.directive = replace(self.directive, condition=test)
        return self._written()

    def _tested(self, tests: Iterable[str]) -> tuple[list[str], str]:
        """Lines in front of the loop, which work out what takes a loop of its own if the rest holds, and C that says
        whether all holds."""
        known = sorted(tests, key=lambda test: test.startswith("({"))
        lines, short = list[str](), [test for test in known if not test.startswith("({")]
        for test in known[len(short) :]:
            taken = {t.text for t in self.text.tokens} & set(_HELPER.findall(test))
            used = {n for n in re.findall(r"(?<![\w.>])[A-Za-z]\w*", test) if not n.endswith("_")}
            nameless = used - _WORDS_OF_TESTS - {t.text for t in self.text.tokens}
            if nameless:
                raise RefusedError(f"`{min(nameless)}`, which tests the conditions, has no name in the source")
            if taken:
                raise RefusedError(f"`{min(taken)}` is the name of a variable here, and in what tests the conditions")
            name = self.names.new("holds")
            lines += laid_out(f"int {name} = {all_of([*short, test])};")
            short = [name]
        return lines, all_of(short)

    def _adds_nothing(self) -> bool:
        """Whether nothing but the directive is new."""
        new = (self.before, self.head, self.behind, self.inner, self.elsewhere, self.region)
        return not any(new) and self.trip is None

    def _is_plain(self) -> bool:
        """Whether, besides, no variable is another one with it."""
        return self._adds_nothing() and not self.directive.copies

    # --- what else a place asks for than threads of the host do

    def _prepare(self) -> None:
        """Before anything is rewritten."""

    def _finished(self, directive: Directive) -> Directive:
        """The directive when all is known."""
        return directive

    def _takes_tests(self) -> bool:
        """Whether an `if` clause that does not hold leaves the loop as it was."""
        return self._is_plain()

    # --- the pieces put together

    def _written(self) -> Change:
        directive = self._finished(
            replace(self.directive, condition=self.directive.condition or self._worth_it())
        )
        if not self._has_threads():
            self._refuse_threads(directive)
        above = self._above(directive)
        edits = [self._in_front(above), *self._of_header(), *self._of_body(), *self.inner, *self.elsewhere]
        behind = [*self.released, *(["}"] if self.region else []), *self.behind]
        behind += ["}"] * self._braces()
        if behind:
            edits.append(self._at_end_of_line(self.end, [f"{self.indentation}{line}" for line in behind]))
        return Change(str(directive), tuple(sorted(edits, key=lambda e: e.begin)))

    def _worth_it(self) -> str | None:
        """From which sizes on threads pay. Vectors pay before (and clang 14 breaks off where it has to write a body
        with labels twice, with and without them)."""
        condition = self.wanted.condition
        with_vectors = condition is not None and self.wanted.construct == "parallel for simd"
        return f"parallel: {condition}" if with_vectors else condition

    def _braces(self) -> int:
        """How many pairs of braces of its own the loop needs, with what stands before and behind it."""
        several = self.guard is not None or self.before or self.behind or self.region
        alone = self.declares or (several and not self._is_in_a_block())
        return bool(alone) + (self.guard is not None)

    def _is_in_a_block(self) -> bool:
        return self.text.is_at(self.first - 1, ";", "{", "}")

    def _above(self, directive: Directive) -> list[str]:
        """The lines in front of the loop."""
        opening = ["{"] * self._braces()
        if self.guard is not None:
            opening[-1] = f"if ({self.guard}) {{"
        lines = [f"{self.indentation}{line}" for line in (*self._remarks(), *opening, *self.before)]
        if not self.region:
            return [*lines, *directive.lines(self.indentation)]
        divided = replace(directive, construct=directive.construct.removeprefix("parallel "), condition=None)
        around = Directive("parallel", condition=directive.condition)
        body = [f"{self.indentation}{line}" for line in ("{", *self.region)]
        return [*lines, *around.lines(self.indentation), *body, *divided.lines(self.indentation)]

    def _remarks(self) -> Iterable[str]:
        return map(comment, (*self.wanted.remarks, *self._worked_out()))

    def _worked_out(self) -> Iterator[str]:
        """That lines which are new have numbers that do not stand in the loop, where it has macros: those may be of
        their values, and another build may have others."""
        tokens = [t.text for t in self.text.tokens[self.first : self.stop]]
        new = set(_NUMBER.findall("\n".join((*self.head, *self.behind, *self.before)))) - {"0", "1", *tokens}
        constants = (word for word in dict.fromkeys(tokens) if _CONSTANT.fullmatch(word))
        words = [word for word in constants if word not in ("NULL", "EOF")]
        if new and words:
            numbers = ", ".join(sorted(new, key=int))
            yield f"With {', '.join(words)} as defined where this was written ({numbers}): change both or none."

    def _in_front(self, lines: list[str]) -> Edit:
        """Lines above the loop; where something stands before it on its line, the loop comes to a line of its own."""
        new = self.text.newline
        if self.text.begins_line(self.begin):
            start = self.begin - len(self.indentation)
            return Edit(start, start, "".join(f"{line}{new}" for line in lines))
        return self._on_a_line_of_its_own(self.begin, lines)

    def _on_a_line_of_its_own(self, offset: int, lines: list[str]) -> Edit:
        """Breaks a line where something stands before this place, with more lines in between."""
        new = self.text.newline
        blanks = len(self.text.text[:offset]) - len(self.text.text[:offset].rstrip(" \t"))
        in_front = new + "".join(f"{line}{new}" for line in lines) + self.text.indentation(offset)
        return Edit(offset - blanks, offset, in_front)

    def _at_end_of_line(self, offset: int, lines: list[str]) -> Edit:
        """Lines behind a place: behind the comment that its line ends with, if nothing else follows there."""
        rest = REST.match(self.text.text, offset)
        at = offset if rest is None else rest.end()
        new = self.text.newline
        more = "" if rest is not None else new + self.indentation
        return Edit(at, at, "".join(f"{new}{line}" for line in lines) + more)

    def _of_header(self) -> list[Edit]:
        """The header that OpenMP takes."""
        if self.trip is None:
            return []
        type_ = "long long " if self.is_new else ""
        header = f"for ({type_}{self.counter} = 0; {self.counter} < {self.trip}; {self.counter}++)"
        tokens = self.text.tokens
        if not self.text.is_at(self.first, "do"):
            return [Edit(self.begin, tokens[self.text.closing(self.first + 1)].end, header)]
        behind_body = tokens[self.text.after(self.first + 1) - 1].end
        return [Edit(self.begin, tokens[self.first].end, header), Edit(behind_body, self.end, "")]

    def _body(self) -> tuple[int, int]:
        """First token of the body, and the one behind it."""
        if self.text.is_at(self.first, "do"):
            return self.first + 1, self.text.after(self.first + 1)
        return self.text.closing(self.first + 1) + 1, self.stop

    def _of_body(self) -> list[Edit]:
        """The lines that the body begins with; one that is no block becomes a block."""
        if not self.head:
            return []
        first, stop = self._body()
        tokens, new = self.text.tokens, self.text.newline
        inside = self._inside(first)
        lines = [f"{inside}{line}" for line in self.head]
        if self.text.is_at(first, "{"):
            return [self._at_end_of_line(tokens[first].end, lines)]
        in_front, last = tokens[first - 1].end, tokens[stop - 1].end
        if self.text.line(in_front) == self.text.line(tokens[first].begin):
            lines.append(inside + self.text.text[in_front : tokens[first].begin].strip())
            opening = Edit(in_front, tokens[first].begin, " {" + "".join(f"{new}{line}" for line in lines))
        else:
            opening = Edit(in_front, in_front, " {" + "".join(f"{new}{line}" for line in lines))
        return [opening, self._at_end_of_line(last, [self.indentation + "}"])]

    def _inside(self, first: int) -> str:
        """The indentation of the statements of the body."""
        tokens = self.text.tokens
        inner = tokens[first + 1 if self.text.is_at(first, "{") else first].begin
        found = self.text.indentation(inner)
        if self.text.begins_line(inner) and len(found) > len(self.indentation):
            return found
        return self.indentation + ("\t" if self.indentation.endswith("\t") else "    ")

    def _either(self, written: Change, lines: list[str], test: str) -> Change:
        """The change where the conditions hold, else the loop as it is."""
        if self.elsewhere:
            raise RefusedError("a statement outside of the loop changes with it, which the conditions do not cover")
        self._refuse_twice()
        start = min(self.begin, *(e.begin for e in written.edits))
        stop = max(self.end, *(e.end for e in written.edits))
        new, pad = self.text.newline, self.indentation
        changed = edited(self.text.text, written.edits, start, stop).removesuffix(new)
        as_it_was = self.text.text[self.begin : self.end]
        first, last = ([], []) if self._is_in_a_block() else (["{"], [f"{new}{pad}}}"])
        head = "".join(f"{pad}{line}{new}" for line in (*first, *lines, f"if ({test}) {{"))
        body = head + changed + f"{new}{pad}}} else {{ {AS_IT_WAS}{new}{pad}{as_it_was}{new}{pad}}}" + "".join(last)
        return Change(written.directive, (Edit(start, stop, body),))

    def _refuse_twice(self) -> None:
        """What cannot stand in the text two times: labels, and variables that keep their values."""
        for k in range(self.first, self.stop - 1):
            label = self.text.is_at(k - 1, "{", "}", ";", ":") and self.text.is_at(k + 1, ":")
            if self.text.is_at(k, "static") or (label and self.text.tokens[k].text not in ("default", "case")):
                raise RefusedError("a label or a static variable stands in it, and it would stand there twice")

    # --- what the answer asks for

    def _own(self) -> set[str]:
        """The variables that the header of the loop declares."""
        tokens, k = self.text.tokens, self.first + 2
        if not self.text.is_at(self.first, "for") or not re.match(r"[A-Za-z_]", tokens[k].text):
            return set()
        end = self.text.next(k, ";")
        words = tokens[k:end]
        if len(words) < 2 or not (re.match(r"[A-Za-z_]", words[1].text) or words[1].text == "*"):
            return set()
        if words[1].text == "*" and self.loop.variable != words[2].text:
            return set()
        found, depth = set(), 0
        for here, following in zip(words, tokens[k + 1 : end + 1], strict=True):
            depth += (here.text in "([{") - (here.text in ")]}")
            if not depth and re.match(r"[A-Za-z_]", here.text) and following.text in ("=", ",", ";", "["):
                found.add(here.text)
        return found

    def _inductions(self, own: set[str]) -> None:
        """Variables that step evenly, as formulas of the counter."""
        counting = self._counting(own) if self.trip is not None else None
        if counting is not None:
            self.counter, self.is_new = counting, False
        counted = {"it": self.counter, "trip": self.trip or "trip"}
        values = [i.value for i in self.loop.inductions if i.value is not None]
        behind = [i.after for i in self.loop.inductions if i.after is not None]
        saved: dict[str, str] = {}
        for i in self.loop.inductions:
            if i.value is None and i.after is None:
                raise RefusedError(f"no formula is known for `{i.variable}`, which each iteration moves on")
            told = [*behind, *(values if i.value is not None else [])]  # the header still moves the others on
            if any(mentions(f, i.variable) for f in told) and i.variable.isidentifier():
                saved[i.variable] = self.names.new(f"{i.variable}_before")
        moved = {i.variable for i in self.loop.inductions if i.value is not None}
        inside = {**counted, **{name: before for name, before in saved.items() if name in moved}}
        for i in self.loop.inductions:
            self._induction(i, {**counted, **saved}, inside, own)
        self.before += self._begins(saved)

    def _counting(self, own: set[str]) -> str | None:
        """The variable of the function that counts the iterations, and that the body does not name: it goes on to do
        so, since nothing else may use it."""
        function, body = self.text.function(self.first), range(*self._body())
        if function is None or self._has_macros(body):
            return None
        for i in self.loop.inductions:
            counts = i.value == "it" and i.type in _COUNTERS and i.variable not in own
            places = (k for k in range(function[0], self.first) if self.text.is_at(k, i.variable))
            is_named = any(self.text.is_at(k, i.variable) for k in body)
            if counts and not is_named and any(map(self.text.declares, places)):
                return i.variable
        return None

    def _begins(self, saved: dict[str, str]) -> Iterator[str]:
        """What variables hold before the loop, of those for which the change asks."""
        written = "\n".join((*self.head, *self.behind))
        for i in self.loop.inductions:
            if i.variable in saved and mentions(written, saved[i.variable]):
                start = i.variable if i.start is None else i.start
                type_ = i.type if i.type is not None and _PLAIN_TYPE.fullmatch(i.type) else f"__typeof__({i.variable})"
                yield f"{declared(type_, saved[i.variable])} = {start};"
                if self.wanted.construct == "parallel for simd" and (i.type or "").endswith("*"):  # as `pointers` are
                    own = merged(self.directive.first_private, (saved[i.variable],))
                    self.directive = replace(self.directive, first_private=own)

    def _induction(self, i: InductionEntry, told: dict[str, str], inside: dict[str, str], own: set[str]) -> None:
        """`told`, `inside`: names for other names, in what is said behind the loop and in its body."""
        if not i.variable.isidentifier():
            raise RefusedError(f"`{i.variable}` is moved on by each iteration, and is no variable")
        is_own = i.variable in own
        first, stop = self._body()
        again = any(self.text.is_at(k, i.variable) and self.text.declares(k) for k in range(first, stop))
        if is_own and again:
            raise RefusedError(f"`{i.variable}` is declared again in its body")
        if is_own and (i.type is None or not _PLAIN_TYPE.fullmatch(i.type)):
            raise RefusedError(f"the type of `{i.variable}` is not known")
        if i.value is not None:
            self._value_in_iteration(i, self._in_body(i.value, inside), is_own, range(first, stop))
        if i.after is not None and not is_own:
            self.behind.append(f"{i.variable} = {exchanged(i.after, told)};")

    def _in_body(self, value: str, names: dict[str, str]) -> str:
        """A formula of the number of the iteration with other names; it may be larger than a counter of the program
        can be."""
        if self.is_new or _STEPS_BY_ONE.fullmatch(value):
            return exchanged(value, names)
        return exchanged(value.replace("(long long)it", "it"), {**names, "it": f"(long long){self.counter}"})

    def _value_in_iteration(self, i: InductionEntry, value: str, is_own: bool, body: range) -> None:
        """Nothing for one that the header alone needs."""
        if not any(self.text.is_at(k, i.variable) for k in body) and (is_own or not self._has_macros(body)):
            return
        self.head.append(f"{declared(i.type, i.variable) if is_own and i.type else i.variable} = {value};")
        if not is_own:
            self.directive = replace(self.directive, private=merged(self.directive.private, (i.variable,)))

    def _has_macros(self, body: range) -> bool:
        """Whether macros may name variables in it."""
        words = [self.text.tokens[k].text for k in body]
        called = {word for word, following in pairwise(words) if following == "("} - _KEYWORDS
        names = (word for word in dict.fromkeys(words) if word.isidentifier() and word not in _KEYWORDS)
        return any(self.text.macro(n) is not None or (n in called and not self._is_function(n)) for n in names)

    def _rewrite(self, r: RewriteEntry) -> None:
        match r.kind:
            case "canonical-loop" if r.trip is not None:
                self.counter = self.names.new(r.counter or "it")
                self.trip, self.trips = self.names.new("trip"), r.trip
                self.before.append(f"long long {self.trip} = {r.trip};")
                if r.before is not None:
                    self.before.append(r.before)
                    self.declares = bool(self._own())
            case "scalar-temporary" if r.type is not None:
                self._temporary(r, r.type)
            case "atomic":
                self._atomic(r)
            case "thread-copy" if r.extent is not None and not r.pointers:
                self._thread_copy(r, r.extent)
            case "exit" if r.clause == "continue":
                self._skip(r)
            case _:
                raise RefusedError(f"it needs a hand: {r.text}")

    def _temporary(self, r: RewriteEntry, type_: str) -> None:
        """A local variable in place of an expression. Memory that the loop does not reach need not be there: what is
        read before it, and written behind, is where it runs at all."""
        self._refuse_hidden(r.object)
        self.reaches |= r.clause != "private" and re.search(r"\*|->|\[", r.object) is not None
        name = self.names.new(f"own_{as_name(r.object)}")
        self._in_place_of(r.object, name)
        begins = "" if r.clause == "private" else f" = {r.object}"
        self.before.append(f"{declared(type_, name)}{begins};")
        d = self.directive
        match r.clause:
            case "reduction" if r.operator is not None:
                self.directive = replace(d, reductions=(*d.reductions, (r.operator, name)))
                self.behind.append(f"{r.object} = {name};")
            case "private":
                self.directive = replace(d, private=(*d.private, name))
            case "firstprivate":
                self.directive = replace(d, first_private=(*d.first_private, name))
            case "lastprivate" | "first_last":
                both = {"first_private": (*d.first_private, name), "last_private": (*d.last_private, name)}
                self.directive = replace(d, **both)
                self.behind.append(f"{r.object} = {name};")
            case _:
                raise RefusedError(f"it needs a hand: {r.text}")

    def _refuse_hidden(self, expression: str) -> None:
        """Macros may name the expression where the text does not."""
        parts = {t.text for t in Text(expression).tokens if t.text.isidentifier()}
        for k in range(self.first, self.stop):
            a_pointer = self.text.is_at(k - 1, "*") and expression.startswith("*")
            again = self.text.declares(k) and (a_pointer or not self.text.is_at(k - 1, "*"))
            if self.text.tokens[k].text in parts and again and not self.text.is_at(k - 1, ".", "->"):
                raise RefusedError(f"`{self.text.tokens[k].text}` is declared again in it")
        tokens = self.text.tokens[self.first : self.stop + 1]
        words = dict.fromkeys(t.text for t in tokens[:-1] if t.text.isidentifier() and t.text not in _KEYWORDS)
        called = {t.text for t, following in pairwise(tokens) if following.text == "("}
        for word in words:
            defined = self.text.macro(word)
            if defined is not None and (word in called or parts & set(re.findall(r"\w+", defined))):
                raise RefusedError(f"the macro {word} may name `{expression}`, too")
            if defined is None and word in called and not self._is_function(word):
                raise RefusedError(f"`{word}` may be a macro that names `{expression}`, too")

    def _is_function(self, name: str) -> bool:
        """Whether a name that is called is a function as far as this file tells, or one of the C library."""
        declared = re.search(rf"\w[\s*]+{re.escape(name)}\s*\([^;{{}}]*\)\s*[;{{]", self.text.text)
        return is_known(name) or is_of_c_library(name) or declared is not None

    def _runs(self) -> str:
        """C that says in front of the loop whether it has an iteration."""
        if any(i.after is not None for i in self.loop.inductions):
            raise RefusedError("what it counts is read after it, also where it does not run")
        if self.trips:
            return f"{self.trips} > 0"
        tokens, close = self.text.tokens, self.text.closing(self.first + 1)
        first = self.text.next(self.first + 2, ";")
        second = self.text.next(first + 1, ";")
        name, init = self.loop.variable, tokens[self.first + 2 : first]
        starts = [k for k, t in enumerate(init) if t.text == "=" and k and init[k - 1].text == name]
        if not self.text.is_at(self.first, "for") or len(starts) != 1 or name is None or second > close:
            raise RefusedError("nothing says in front of it whether it runs at all")
        start = self.text.text[init[starts[0] + 1].begin : init[-1].end]
        test = self.text.text[tokens[first + 1].begin : tokens[second - 1].end]
        return exchanged(test, {name: start if start.isalnum() else f"({start})"})

    def _in_place_of(self, expression: str, name: str) -> None:
        """The name wherever the loop has the expression."""
        tokens = self.text.tokens
        found = occurrences(self.text, expression, self.first, self.stop)
        found = [(k, stop) for k, stop in found if not any(e.begin <= tokens[k].begin < e.end for e in self.inner)]
        if not found:
            raise RefusedError(f"`{expression}` is written otherwise in the loop")
        self.inner += [Edit(tokens[k].begin, tokens[stop - 1].end, name) for k, stop in found]

    def _atomic(self, r: RewriteEntry) -> None:
        directive = "atomic write" if r.clause == "write" else "atomic"
        directive = f"{family(self.wanted.form)} {directive}"
        for place in r.places or ():
            if place.path != self.path:
                raise RefusedError(f"`{r.object}` is updated in another file, {place.path}:{place.line}")
            at = self.text.tokens[self.text.at(place.line, place.column)].begin
            pad = self.text.indentation(at)
            line = f"{pad}#pragma {directive}"
            edit = Edit(at - len(pad), at - len(pad), line + self.text.newline)
            if not self.text.begins_line(at):
                edit = self._on_a_line_of_its_own(at, [line])
            (self.inner if self.begin <= at < self.end else self.elsewhere).append(edit)

    def _skip(self, r: RewriteEntry) -> None:
        """The next iteration in place of what leaves the loop."""
        for place in r.places or ():
            token = self.text.tokens[self.text.at(place.line, place.column)]
            if place.path != self.path or token.text != r.object:
                raise RefusedError(f"it needs a hand: {r.text}")
            self.inner.append(Edit(token.begin, token.end, "continue"))

    def _thread_copy(self, r: RewriteEntry, extent: str) -> None:
        """Memory of each thread in place of what all would write to."""
        if r.clause != "private" or not r.object.isidentifier():
            raise RefusedError(f"it needs a hand: {r.text}")
        name = self.names.new(f"own_{r.object}")
        self._in_place_of(r.object, name)
        self.region.append(f"__typeof__({r.object}[0]) *{name} = malloc(({extent}) * sizeof *{name});")
        self.released.insert(0, f"free({name});")
        if not {t.text for t in self.text.tokens} & {"malloc", "calloc", "free"} and not self.elsewhere:
            at = first_include(self.text.text)
            self.elsewhere.append(Edit(at, at, f"#include <stdlib.h>{self.text.newline}"))


def first_include(text: str) -> int:
    """Where the line of the first `#include` begins that no `#if` is around; 0 without one.

    >>> first_include('#define X\\n#ifdef X\\n#include "a.h"\\n#endif\\n#include "b.h"\\n')
    41
    """
    depth = 0
    for found in _CONDITIONAL.finditer(text):
        if found[1] == "include" and not depth:
            return found.start()
        depth += found[1].startswith("if") - (found[1] == "endif")
    return 0


def declared(type_: str, name: str) -> str:
    """The start of a declaration. Example: `double *p` of `double *` and `p`."""
    return f"{type_}{name}" if type_.endswith("*") else f"{type_} {name}"


def laid_out(code: str) -> list[str]:
    """Statements in C, one a line; what stands in brackets is not broken.

    >>> laid_out("int ok = ({ int k; for (k = 0; k < 9; k++) { f(k); } k > 3; });")
    ['int ok = ({', '    int k;', '    for (k = 0; k < 9; k++) {', '        f(k);', '    }', '    k > 3;', '});']
    """
    lines, line, depth, rounds = list[str](), "", 0, [0]
    for at, letter in enumerate(code):
        if letter == "}":
            lines, line, depth = ([*lines, "    " * depth + line.strip()] if line.strip() else lines), "", depth - 1
            rounds.pop()
        line += letter
        rounds[-1] += (letter == "(") - (letter == ")")
        if letter == "{":
            lines, line, depth = [*lines, "    " * depth + line.strip()], "", depth + 1
            rounds.append(0)
        elif (letter == ";" and not rounds[-1]) or (letter == "}" and code[at + 1 : at + 2] != ")"):
            lines, line = [*lines, "    " * depth + line.strip()], ""
    return lines
