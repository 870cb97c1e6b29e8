"""One nest in another form, as edits of its text.

    exchange        perfectly nested loops trade their headers; else what stands beside the loops inside gets loops of
                    its own, and scalars that lead from one to the other become arrays
    distribution    a loop for each piece of the body
    fusion          the bodies one behind the other, in the first loop
"""

from collections.abc import Iterator
from itertools import pairwise

from ...base.regex import regex
from ...report.loop_entries import AlternativeEntry, PlanEntry
from ..chosen import assumed
from ..edits import Edit, comment, edited
from ..loop_change import REST, first_include
from ..names import Names
from ..refused import RefusedError
from ..text import Text, UnreadableError

SMALL_ARRAY = 4096
"""Elements of an array that is declared in the function; larger ones are allocated."""

_COMMENT = regex(r"/\*(?s:.*?)\*/|//[^\r\n]*")
_ABOUT_LOOPS = regex(r"(omp|acc|GCC|clang|ivdep|simd|loop|(no)?unroll\w*|(no)?vector)\b")
"""Pragmas of compilers that say something of the loop behind them."""

Span = tuple[int, int]
"""The first token of a statement, and the one behind it."""


def written(text: Text, names: Names, way: AlternativeEntry, path: str) -> list[Edit]:
    """The edits for a form with a plan. RefusedError where it cannot be written; UnreadableError for text that is no
    loop as far as its tokens tell.

    Example: see the module."""
    assert way.plan is not None
    if any(place.path != path for place in way.plan.loops):
        raise RefusedError("its loops stand in several files")
    loops = [text.at(place.line, place.column) for place in way.plan.loops]
    if not all(text.is_at(k, "for") for k in loops):
        raise RefusedError("a macro or another loop than `for` counts its iterations")
    writer = _Writer(text, names, way.plan, loops)
    match way.kind:
        case "interchange":
            return writer.exchanged()
        case "distribution":
            return writer.divided()
        case _:
            return writer.fused()


class _Writer:
    """`loops`: tokens that the loops of the plan begin with. `arrays`: by scalar, the array in its place; `renamed`: by
    token, the name in its place."""

    def __init__(self, text: Text, names: Names, plan: PlanEntry, loops: list[int]) -> None:
        self.text, self.names, self.plan, self.loops = text, names, plan, loops
        self.begin, self.stop = text.tokens[loops[0]].begin, text.after(loops[0])
        self.indentation = text.indentation(self.begin)
        self.step = "\t" if "\t" in self.indentation else "    "
        self.arrays: dict[str, str] = {}
        self.renamed: dict[int, str] = {}
        self.moved: dict[int, list[str]] = {}
        self.end = text.tokens[self.stop - 1].end

    # --- the three forms

    def exchanged(self) -> list[Edit]:
        self._refuse_directives(self.loops[0], self.stop)
        outer, *over = self.loops
        for a, b in pairwise(over):
            if [span[0] for span in self._statements(a)] != [b]:
                raise RefusedError("the loops inside do not stand right in each other")
        body = self._statements(outer)
        at = next((i for i, span in enumerate(body) if span[0] == over[0]), None)
        if at is None:
            raise RefusedError("something stands around the loop inside")
        if len(body) == 1 and not self.plan.expanded:
            return self._traded((*over, outer))
        self._refuse_declared([body[:at], body[at : at + 1], body[at + 1 :]])
        declared = self._declare()
        leaf = self._body(over[-1])
        lines = [*self._loop(outer, body[:at])]
        lines += [comment for k in over for comment in self._above((k, k))]
        for depth, k in enumerate((*over, outer)):
            lines.append(self.step * depth + self._header(k))
        lines += self._moved_in(leaf, len(over) + 1)
        lines += self._loop(outer, body[at + 1 :])
        return self._in_place(self.stop, "Exchanged: the loop over {} is the innermost.", declared, lines)

    def _traded(self, order: tuple[int, ...]) -> list[Edit]:
        """The headers of the loops in another order, with what that rests on above them."""
        start = self.begin - len(self.indentation)
        said = "".join(f"{self.indentation}{line}{self.text.newline}" for line in self._assumed())
        headers = zip(self.loops, map(self._header, order), strict=True)
        edits = [Edit(self.text.tokens[k].begin, self._end_of_header(k), new) for k, new in headers]
        return [Edit(start, start, said), *edits] if said else edits

    def divided(self) -> list[Edit]:
        self._refuse_directives(self.loops[0], self.stop)
        body = self._statements(self.loops[0])
        starts = [0, *(self._holding(body, line) for line in self.plan.cuts), len(body)]
        if any(a >= b for a, b in pairwise(starts)):
            raise RefusedError("several of its statements stand on one line")
        pieces = [body[a:b] for a, b in pairwise(starts)]
        self._refuse_declared(pieces)
        declared = self._declare()
        lines = [line for piece in pieces for line in self._loop(self.loops[0], piece)]
        remark = "Divided: what has to wait for earlier iterations, and what has not."
        return self._in_place(self.stop, remark, declared, lines)

    def fused(self) -> list[Edit]:
        stop = self.text.after(self.loops[-1])
        self.end = self.text.tokens[stop - 1].end
        self._refuse_directives(self.loops[0], stop)
        if any(self.text.after(a) != b for a, b in pairwise(self.loops)):
            raise RefusedError("something stands between the loops")
        for k in self.loops[1:]:
            self._rename(k)
        bodies = [self._statements(k) for k in self.loops]
        declared = [{name for span in body if (name := self._declares(span))} for body in bodies]
        if any(a & b for i, a in enumerate(declared) for b in declared[i + 1 :]):
            raise RefusedError("two of the bodies declare the same name")
        for own, body in zip(declared, bodies, strict=True):
            others = [span for other in bodies if other is not body for span in other]
            if any(self.text.tokens[k].text in own for a, b in others for k in range(a, b)):
                raise RefusedError("one body declares a name that means something else in another one")
        self.moved = {body[0][0]: self._above((k, k)) for k, body in zip(self.loops[1:], bodies[1:], strict=True)}
        lines = self._loop(self.loops[0], [span for body in bodies for span in body])
        return self._in_place(stop, "Fused: one pass over what these loops share.", [], lines)

    def _rename(self, k: int) -> None:
        """Gives the variable of a loop the name that the first one's has. RefusedError where they count in other words
        besides."""
        names = [self.text.tokens[self.text.next(each + 2, "=") - 1].text for each in (self.loops[0], k)]
        headers = [range(each, self.text.closing(each + 1) + 1) for each in (self.loops[0], k)]
        words = [[self.text.tokens[j].text for j in header] for header in headers]
        if words[0] != [names[0] if word == names[1] else word for word in words[1]]:
            raise RefusedError("the loops count in different words: give them the same header first")
        body = range(*self._body(k))
        if names[0] != names[1] and any(self.text.is_at(j, names[0]) for j in body):
            raise RefusedError(f"`{names[0]}` means something else in the loop over {names[1]}")
        own = (j for j in body if self.text.is_at(j, names[1]) and not self.text.is_at(j - 1, ".", "->"))
        self.renamed |= dict.fromkeys(own, names[0])

    # --- what is refused

    def _refuse_directives(self, first: int, stop: int) -> None:
        text, behind = self.text, self.text.tokens[first - 1].end if first else 0
        begin, end = text.tokens[first].begin, text.tokens[stop - 1].end
        if any(begin < at < end for at in text.conditionals):
            raise RefusedError("`#if` stands in it")
        for pragma in text.pragmas:
            if begin < pragma.end < end or (behind < pragma.end < begin and _ABOUT_LOOPS.match(pragma.words)):
                where = f"`#pragma {pragma.words}` on line {text.line(pragma.end)}"
                raise RefusedError(f"{where} is about the loops as they are")
        if not text.begins_line(begin):
            raise RefusedError("something stands in front of it on its line")

    def _refuse_declared(self, groups: list[list[Span]]) -> None:
        """Where a name that one group declares stands in another one, and gets no array."""
        expanded = {each.name for each in self.plan.expanded}
        for group in groups:
            own = {name for span in group if (name := self._declares(span))} - expanded
            for other in groups:
                if other is not group and any(self.text.tokens[k].text in own for a, b in other for k in range(a, b)):
                    raise RefusedError("a variable that is declared in one part of the body is used in another one")

    # --- the pieces of the text

    def _end_of_header(self, k: int) -> int:
        return self.text.tokens[self.text.closing(k + 1)].end

    def _header(self, k: int) -> str:
        return self.text.text[self.text.tokens[k].begin : self._end_of_header(k)]

    def _body(self, k: int) -> Span:
        return self.text.closing(k + 1) + 1, self.text.after(k)

    def _statements(self, k: int) -> list[Span]:
        """Those directly in the body of a loop."""
        first, stop = self._body(k)
        if not self.text.is_at(first, "{"):
            return [(first, stop)]
        found, at = [], first + 1
        while at < stop - 1:
            after = self.text.after(at)
            found.append((at, after))
            at = after
        last = self.text.tokens[stop - 2].end
        if _COMMENT.search(self.text.text, self._rest(last), self.text.tokens[stop - 1].begin):
            raise RefusedError("a comment stands behind the last statement of a body")
        return found

    def _holding(self, body: list[Span], line: int) -> int:
        """The number of the statement that a line belongs to."""
        for i, (a, b) in enumerate(body):
            if self.text.line(self.text.tokens[a].begin) <= line <= self.text.line(self.text.tokens[b - 1].begin):
                return i
        raise UnreadableError(f"no statement stands on line {line}")

    def _declares(self, span: Span) -> str | None:
        """The name that a statement declares; RefusedError where there are several."""
        a, b = span
        k = a
        while self.text.tokens[k].text.isidentifier() or self.text.is_at(k, "*"):
            k += 1
        named = k - 1 > a and self.text.tokens[k - 1].text.isidentifier() and self.text.is_at(k, "=", ";", "[", ",")
        if not named or not self.text.declares(k - 1):
            return None
        depth = 0
        for j in range(k, b):
            depth += self.text.is_at(j, "(", "[", "{") - self.text.is_at(j, ")", "]", "}")
            if not depth and self.text.is_at(j, ","):
                raise RefusedError("one statement declares several names")
        return self.text.tokens[k - 1].text

    def _written(self, span: Span) -> str:
        """A statement with elements of arrays in place of scalars; nothing of a declaration without a value."""
        a, b = span
        tokens = self.text.tokens
        elements = {
            k: f"{self.arrays[tokens[k].text]}[{self.plan.index}]"
            for k in range(a, b)
            if tokens[k].text in self.arrays and not self.text.is_at(k - 1, ".", "->")
        }
        new = {**elements, **{k: name for k, name in self.renamed.items() if a <= k < b}}
        edits = [Edit(tokens[k].begin, tokens[k].end, name) for k, name in sorted(new.items())]
        name = self._declares(span) if self.arrays else None
        if name is not None and name in self.arrays:
            if self.text.is_at(b - 2, name):
                return ""
            first = next(e for e in edits if e.end == tokens[self._named(span, name)].end)
            return edited(self.text.text, edits, first.begin, tokens[b - 1].end)
        return edited(self.text.text, edits, tokens[a].begin, tokens[b - 1].end)

    def _named(self, span: Span, name: str) -> int:
        return next(k for k in range(*span) if self.text.tokens[k].text == name)

    # --- the new text

    def _declare(self) -> list[str]:
        """Lines that make the arrays."""
        count, lines = self.plan.count, list[str]()
        for each in self.plan.expanded:
            if count is None or self.plan.index is None:
                raise RefusedError(f"how many elements `{each.name}` needs has no name in front of the loop")
            name = self.arrays[each.name] = self.names.new(f"{each.name}_of")
            if count.isdigit() and int(count) <= SMALL_ARRAY:
                lines.append(f"{each.type} {name}[{count}];")
            else:
                number = count if count.isalnum() else f"({count})"
                lines.append(f"{each.type} *{name} = malloc({number} * sizeof *{name});")
        return lines

    def _loop(self, k: int, spans: list[Span]) -> list[str]:
        """A loop with the header of loop k around statements."""
        inside = [line for span in spans for line in self._moved_in(span, 1)]
        if not inside:
            return []
        if len(spans) == 1 and self._declares(spans[0]) in (None, *self.arrays):
            return [self._header(k), *inside]
        return [f"{self._header(k)} {{", *inside, "}"]

    def _moved_in(self, span: Span, depth: int) -> list[str]:
        """The lines of a statement with so many steps of indentation, and the comments in it."""
        code, end = self._written(span), self.text.tokens[span[1] - 1].end
        beside = _COMMENT.findall(self.text.text[end : self._rest(end)]) if end < self.end else []
        was = self.text.indentation(self.text.tokens[span[0]].begin)
        lines = [line.removeprefix(was) for line in code.split(self.text.newline)] if code else []
        if lines and beside:
            lines[-1] += " " + " ".join(beside)
            beside = []
        above = (*self.moved.get(span[0], ()), *self._above(span))
        return [self.step * depth + line for line in (*above, *lines, *beside)]

    def _rest(self, offset: int) -> int:
        """Where the line of a place ends, if nothing but comments follows there."""
        rest = REST.match(self.text.text, offset)
        return offset if rest is None else rest.end()

    def _above(self, span: Span) -> list[str]:
        """The comments between a statement and what is before it, but those that stand beside that."""
        before, begin = self.text.tokens[span[0] - 1], self.text.tokens[span[0]].begin
        start = self._rest(before.end) if before.text in (";", "}") else before.end
        found = _COMMENT.findall(self.text.text[start:begin])
        return [line.strip() for comment in found for line in comment.split(self.text.newline)]

    def _in_place(self, stop: int, remark: str, declared: list[str], lines: list[str]) -> list[Edit]:
        """The edits that put lines where the statements up to token `stop` stand."""
        lines = list(self._allocated(declared, lines))
        if not self.text.is_at(self.loops[0] - 1, ";", "{", "}") and not declared:
            lines = ["{", *(self.step + line for line in lines), "}"]
        lines = [comment(remark.format(self.plan.index)), *self._assumed(), *lines]
        new = f"{self.text.newline}{self.indentation}".join(lines)
        found = [Edit(self.begin, self.text.tokens[stop - 1].end, new)]
        if any("malloc(" in line for line in declared) and not self.text.words & {"malloc", "calloc", "free"}:
            at = first_include(self.text.text)
            found.append(Edit(at, at, f"#include <stdlib.h>{self.text.newline}"))
        return found

    def _assumed(self) -> Iterator[str]:
        """What the form rests on, as a comment."""
        return map(comment, assumed(self.plan.assumptions))

    def _allocated(self, declared: list[str], lines: list[str]) -> Iterator[str]:
        if not declared:
            yield from lines
            return
        made = [name for name in self.arrays.values() if any(f"*{name} = malloc" in line for line in declared)]
        yield "{"
        yield from (self.step + line for line in (*declared, *lines, *(f"free({name});" for name in made)))
        yield "}"
