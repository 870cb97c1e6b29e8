"""Changes of the source text of one loop, as its JSON asks for them: the pragma, inductions and rewrites.

A loop becomes a block: what is saved before it, the pragma, a header, a body that begins with the values of its
inductions, and what is set behind it. Only `threadprivate` and `static-local` change text outside the function.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.change.cuda.kernel import Kernel
    from analyzer.report.loop_entries import LoopEntry

from .answers import Induction, Loop, Rewrite
from .directive import pragma
from .tokens import Source

PRAGMA = re.compile(r'((?m:^)[ \t]*#[ \t]*pragma[ \t]+|_Pragma[ \t]*\([ \t]*")(?:omp|acc)\b')


LEFT = 75
"""A program ends with it whose loop would have been left: see runtime.c."""
FLAG = "int clz_left = 0;"


class CannotRewriteError(Exception):
    """The JSON, or the text, does not say how the loop is written."""


@dataclass(frozen=True, slots=True)
class Edit:
    begin: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit], begin: int = 0, end: int | None = None) -> str:
    """This part of a text with its edits; of several at one place the first one stands first."""
    pieces, at = [], begin
    for e in sorted(edits, key=lambda e: e.begin):
        pieces += [text[at : e.begin], e.text]
        at = max(at, e.end)
    return "".join(pieces) + text[at : len(text) if end is None else end]


def without_pragmas(text: str) -> str:
    """The text in which no loop is parallel yet; every place is where it was."""
    return PRAGMA.sub(lambda m: m[1] + "was", text)


@dataclass(frozen=True, slots=True)
class Changed:
    """The text of a function in which one loop is parallel; `elsewhere`: what changes in the rest of the file.
    `kernel`: what runs it, of the loop as the program knows it."""

    begin: int
    end: int
    text: str
    elsewhere: tuple[Edit, ...] = ()
    kernel: "tuple[Kernel, LoopEntry] | None" = None


def changed(
    source: Source, loop: Loop, *others: Loop, name: str, construct: str | None = None, compared: bool = True
) -> Changed:
    """The function around the loops (none of them within another), called `name`, with the pragma and all rewrites in
    it. `construct`: by default the one of the answer. `compared`: for a run that is compared with others, which chooses
    the schedule; else the answer does."""
    places = [_place(source, each) for each in (loop, *others)]
    around = source.function(source.tokens[places[0]].begin)
    if around is None:
        raise CannotRewriteError("no function around the loop")
    first, last = source.tokens[around[0]], source.tokens[around[1]]
    written = [
        _Rewritten(source, each, place, construct or each.construct or "parallel for", compared)
        for each, place in zip((loop, *others), places, strict=True)
    ]
    edits = [renamed(source, around[0], loop.function, name), *(w.edit() for w in written)]
    elsewhere = tuple(edit for w in written for edit in w.elsewhere)
    return Changed(first.begin, last.end, edited(source.text, edits, first.begin, last.end), elsewhere)


def _place(source: Source, loop: Loop) -> int:
    """The token that the loop begins with."""
    offset = source.offset(loop.line, loop.column)
    place = source.at(offset)
    if source.tokens[place].begin != offset or source.tokens[place].text not in ("for", "while", "do"):
        raise CannotRewriteError("no loop stands where the JSON says")
    return place


def renamed(source: Source, first: int, function: str, name: str) -> Edit:
    for k in range(first, len(source.tokens) - 1):
        token = source.tokens[k]
        if token.text == "{":
            break
        if token.text == function and source.tokens[k + 1].text in ("(", ")"):
            return Edit(token.begin, token.end, name)
    raise CannotRewriteError("the name of the function is made by a macro")


def word(text: str) -> str:
    """A part of a name that tells this text: `q->sum` as `q_sum`."""
    return re.sub(r"\W+", "_", text).strip("_")


@dataclass
class _Rewritten:
    """One loop being written anew."""

    source: Source
    loop: Loop
    place: int
    construct: str
    compared: bool
    before: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    """Text in the loop, and what stands for it now."""
    inner: list[Edit] = field(default_factory=list)
    elsewhere: list[Edit] = field(default_factory=list)
    trip: str | None = None
    counter: str = "it"

    def edit(self) -> Edit:
        """The change, where the conditions of the answer hold; where not, the loop as it is: clauses and rewrites are
        right under the conditions alone."""
        change = self._change()
        if not self.loop.required:
            return change
        begin, end = self.source.tokens[self.place].begin, self._end()
        loop = self.source.text[begin:end]
        tests = " && ".join(f"({c.check})" for c in self.loop.required if c.check) or "1"
        changed_loop = change.text + (loop if change.end == begin else "")
        return Edit(begin, end, f"if ({tests}) {{\n{changed_loop}\n}} else {{\n{loop}\n}}")

    def _change(self) -> Edit:
        for rewrite in self.loop.rewrites:
            self._rewrite(rewrite)
        for induction in self.loop.inductions:
            self._induction(induction)
        begin, end = self.source.tokens[self.place].begin, self._end()
        header, body = self._parts()
        if self.tail:
            body = f"do {body} while (0);"
        directive = " ".join([pragma(self.loop, tuple(self.private), self.construct, self._schedule()), *self.clauses])
        if not (self.before or self.head or self.tail or self.behind or self.renamed or self.inner or self.trip):
            return Edit(begin, begin, f"\n{directive}\n")
        if self.trip is not None:
            header = f"for (long long {self.counter} = 0; {self.counter} < trip; {self.counter}++)"
            self.before.append(f"long long trip = {self.trip};")
            self.before[:0] = [r.before for r in self.loop.rewrites if r.before]
        lines = ["{", *self.before, directive, f"{header} {{", *self.head, body, *self.tail, "}", *self.behind, "}"]
        return Edit(begin, end, "\n".join(lines))

    def _schedule(self) -> str | None:
        """gcc 12 runs no iteration of a loop that counts an unsigned variable down, but with a static schedule. With
        that nobody sees when a thread hands its last values over, and they would be taken for races."""
        if not self.compared:
            return self.loop.schedule
        counts_down = (self.loop.step or "").startswith("-") and self.trip is None
        hands_over = self.loop.last_private or any("lastprivate" in clause for clause in self.clauses)
        return "static,1" if counts_down and not hands_over else "runtime"

    # --- the text of the loop

    def _end(self) -> int:
        return self.source.tokens[self.source.after(self.place) - 1].end

    def _parts(self) -> tuple[str, str]:
        """The header and the body as a block, with names exchanged."""
        tokens, k = self.source.tokens, self.place
        if tokens[k].text == "do":
            if self.trip is None:
                return "", self._text(k, self.source.after(k))
            return "", f"{{ {self._text(k + 1, self.source.after(k + 1))} }}"
        close = self.source.closing(k + 1)
        return self._text(k, close + 1), f"{{ {self._text(close + 1, self.source.after(k))} }}"

    def _text(self, first: int, behind: int) -> str:
        tokens = self.source.tokens
        edits = list(self.inner)
        for old, new in self.renamed.items():
            parts = [t.text for t in Source(old).tokens]
            for k in range(first, behind - len(parts) + 1):
                if [t.text for t in tokens[k : k + len(parts)]] == parts and self._whole(k, parts):
                    edits.append(Edit(tokens[k].begin, tokens[k + len(parts) - 1].end, new))
        begin, end = tokens[first].begin, tokens[behind - 1].end
        return edited(self.source.text, [e for e in edits if begin <= e.begin < end], begin, end)

    def _whole(self, k: int, parts: Sequence[str]) -> bool:
        """Whether these tokens are an operand of their own there: no member of something else, no product."""
        before, after = self.source.tokens[k - 1].text, self.source.tokens[k + len(parts)].text
        if before in (".", "->"):
            return False
        if parts[0] == "*":
            operand = before[-1].isalnum() or before in ("_", "]") or (before == ")" and not self._header_ends(k - 1))
            return not operand and after not in ("[", ".", "->", "++", "--")
        return True

    def _header_ends(self, k: int) -> bool:
        """Whether a statement begins behind this bracket."""
        opening = next(j for j in range(k, -1, -1) if self.source.tokens[j].text == "(" and self.source.closing(j) == k)
        return self.source.tokens[opening - 1].text in ("if", "while", "for", "switch")

    # --- what the JSON asks for

    def _rewrite(self, r: Rewrite) -> None:
        match r.kind:
            case "canonical-loop" if r.trip is not None:
                self.trip, self.counter = r.trip, r.counter
            case "scalar-temporary":
                self._temporary(r)
            case "threadprivate":
                self._threadprivate(r)
            case "static-local":
                self._static_local(r)
            case "thread-copy" if r.extent is not None:
                self._thread_copy(r)
            case "of-one-thread":
                self._of_one_thread(r)
            case "atomic":
                for p in r.places or ():
                    at = self.source.offset(p.line, p.column)
                    here = self.source.tokens[self.place].begin <= at < self._end()
                    directive = "atomic write" if r.clause == "write" else "atomic"
                    (self.inner if here else self.elsewhere).append(Edit(at, at, f"\n#pragma omp {directive}\n"))
            case "exit":
                self._exit(r)
            case _:
                raise CannotRewriteError(f"no mechanical rewrite: {r.kind} of {r.object}")

    def _exit(self, r: Rewrite) -> None:
        """What leaves the loop sets a flag in place of that; a run in which it is set is none that is compared. One
        thread ends at once: an iteration behind that one may end the program, and nobody would see that it was left."""
        ends = f"{{ extern void _exit(int); _exit({LEFT}); }}"
        if not self.before.count(FLAG):
            self.before.append(FLAG)
            self.tail.insert(0, "clz_next: ;")
            self.behind.append(f"if (clz_left) {ends}")
        alone = f"extern int omp_get_num_threads(void); if (omp_get_num_threads() == 1) {ends}"
        for p in r.places or ():
            at = self.source.offset(p.line, p.column)
            end = self.source.text.index(";", at) + 1
            self.inner.append(Edit(at, end, f'{{ {alone} _Pragma("omp atomic write") clz_left = 1; goto clz_next; }}'))

    def _of_one_thread(self, r: Rewrite) -> None:
        name, by_pointer = f"clz_{r.object}", r.clause == "pointer"
        place = f"&{r.object}" if by_pointer else r.object
        self.before.append(f"__typeof__({place}) {name} = {place};")
        self.renamed[r.object] = f"(*{name})" if by_pointer else name

    def _temporary(self, r: Rewrite) -> None:
        name = self.renamed[r.object] = f"clz_{word(r.object)}"
        type_ = f"__typeof__({r.object})"
        self.before.append(f"{type_} {name};" if r.clause == "private" else f"{type_} {name} = {r.object};")
        match r.clause:
            case "reduction":
                self.clauses.append(f"reduction({r.operator}: {name})")
                self.behind.append(f"{r.object} = {name};")
            case "private" | "firstprivate":
                self.clauses.append(f"{r.clause}({name})")
            case "lastprivate" | "first_last":
                self.clauses.append(f"firstprivate({name}) lastprivate({name})")
                self.behind.append(f"{r.object} = {name};")
            case "induction":
                pass
            case _:
                raise CannotRewriteError(f"scalar-temporary without a clause: {r.object}")

    def _threadprivate(self, r: Rewrite) -> None:
        at = self._declared(r.object)
        self.elsewhere.append(Edit(at, at, f"\n#pragma omp threadprivate({r.object})\n"))
        if r.clause in ("firstprivate", "first_last", "lastprivate"):
            self.clauses.append(f"copyin({r.object})")
        if r.clause in ("lastprivate", "first_last"):
            name, size = f"clz_{r.object}", f"sizeof {r.object}"
            self.before.append(
                f"__typeof__({r.object}) {name}; __builtin_memcpy((void *)&{name}, &{r.object}, {size});"
            )
            self.clauses.append(f"firstprivate({name}) lastprivate({name})")
            self.tail.append(f"__builtin_memcpy((void *)&{name}, &{r.object}, {size});")
            self.behind.append(f"__builtin_memcpy((void *)&{r.object}, &{name}, {size});")

    def _declared(self, name: str) -> int:
        """Where the first declaration of a variable of the file ends."""
        tokens, k = self.source.tokens, 0
        while k < len(tokens):
            if tokens[k].text == name:
                while tokens[k].text != ";":
                    k = (self.source.closing(k) if tokens[k].text in ("(", "[", "{") else k) + 1
                return tokens[k].end
            k = (self.source.closing(k) if tokens[k].text in ("(", "[", "{") else k) + 1
        raise CannotRewriteError(f"no declaration of {name}")

    def _static_local(self, r: Rewrite) -> None:
        function, _, variable = r.object.partition("::")
        tokens = self.source.tokens
        inside = False
        for k, t in enumerate(tokens[:-1]):
            if t.text == function and tokens[k + 1].text == "(":
                inside = tokens[self.source.closing(k + 1) + 1].text == "{"
            if inside and t.text == "static":
                end = k
                while tokens[end].text != ";":
                    end += 1
                if variable in [x.text for x in tokens[k:end]]:
                    self.elsewhere.append(Edit(t.begin, t.end, ""))
                    return
        raise CannotRewriteError(f"no declaration of {r.object}")

    def _thread_copy(self, r: Rewrite) -> None:
        """A copy for each iteration, which is as good as one for each thread."""
        stem = f"clz_{word(r.object)}"
        own, place, type_ = f"{stem}_own", f"&{r.object}[0]", f"__typeof__(&{r.object}[0])"
        bytes_ = f"({r.extent}) * sizeof({r.object}[0])"
        self.renamed[r.object] = own
        if self._is_whole(r.object):
            place, type_, bytes_ = f"&{r.object}", f"__typeof__({r.object}) *", f"sizeof {r.object}"
            self.renamed[r.object] = f"(*{own})"
        self.head.append(f"{type_} {own} = __builtin_malloc({bytes_} + 1);")
        if r.clause == "reduction":
            self._fold(r, own, place, bytes_)
        elif r.clause != "private":
            self.before.append(f"void *{stem}_old = __builtin_malloc({bytes_} + 1);")
            self.before.append(f"__builtin_memcpy({stem}_old, {place}, {bytes_});")
            self.head.append(f"__builtin_memcpy({own}, {stem}_old, {bytes_});")
        if r.clause in ("lastprivate", "first_last"):
            self.before.append(f"void *{stem}_last = {stem}_old;")
            self.clauses.append(f"lastprivate({stem}_last) firstprivate({stem}_last)")
            self.tail.append(f"{stem}_last = {own};")
            self.behind.append(f"__builtin_memcpy({place}, {stem}_last, {bytes_});")
        for pointer in r.pointers or ():
            name = self.renamed[pointer] = f"clz_{word(pointer)}_own"
            same_place = f"(void *)((char *){own} + ((char *){pointer} - (char *){place}))"
            self.head.append(f"__typeof__({pointer}) {name} = {same_place};")

    def _fold(self, r: Rewrite, own: str, place: str, bytes_: str) -> None:
        """Each copy begins with what changes nothing, and is folded into the original."""
        neutral = {"+": "0", "-": "0", "|": "0", "^": "0", "*": "1", "&": "~0"}.get(r.operator or "")
        if neutral is None:
            raise CannotRewriteError(f"no mechanical rewrite: thread-copy with {r.operator}")
        count = f"for (long clz_e = 0; clz_e < (long)(({bytes_}) / sizeof *{own}); clz_e++)"
        operator = "+" if r.operator == "-" else r.operator
        self.head.append(f"{count} {own}[clz_e] = {neutral};")
        self.tail.append(f"{count} {{\n#pragma omp atomic\n({place})[clz_e] {operator}= {own}[clz_e]; }}")

    def _is_whole(self, name: str) -> bool:
        """Whether a variable is neither a pointer nor an array, by its declaration, the first place that names it."""
        around = self.source.function(self.source.tokens[self.place].begin)
        tokens = self.source.tokens
        for k in range(around[0] if around else 0, self.place):
            if tokens[k].text == name:
                return tokens[k - 1].text not in ("*", "restrict") and tokens[k + 1].text != "["
        return False

    def _induction(self, i: Induction) -> None:
        """`value` null: the counter of the loop, of which only the value behind the loop has to be set."""
        if i.value is None and i.after is None:
            raise CannotRewriteError(f"no mechanical rewrite: induction {i.variable} without a formula")
        own = i.variable in self._own()
        kept = " ".join(r.before or "" for r in self.loop.rewrites)
        if own and not re.search(rf"\b{i.variable} =", kept):
            self.before.append(f"{i.type} {i.variable};")
        start = i.variable if i.start is None else i.start
        self.before.append(f"__typeof__({i.variable}) {_saved(i.variable)} = {start};")
        if i.value is not None:
            name = self.renamed.get(i.variable, i.variable)
            if not any(r.kind == "threadprivate" and r.object == i.variable for r in self.loop.rewrites):
                self.private.append(name)
            self.head.append(f"{name} = {self._formula(i.value, inside=True)};")
        if i.after is not None and not own:
            self.behind.append(f"{i.variable} = {self._formula(i.after)};")

    def _formula(self, text: str, inside: bool = False) -> str:
        """The formula, in which inductions are told by the values that they begin with; `inside` the loop not those
        that its header keeps."""
        found = Source(text)
        edits = []
        for i in (i for i in self.loop.inductions if i.value is not None or not inside):
            parts = [t.text for t in Source(i.variable).tokens]
            for k in range(len(found.tokens) - len(parts) + 1):
                here = [t.text for t in found.tokens[k : k + len(parts)]]
                if here == parts and (k == 0 or found.tokens[k - 1].text not in (".", "->")):
                    edits.append(Edit(found.tokens[k].begin, found.tokens[k + len(parts) - 1].end, _saved(i.variable)))
        return edited(text, edits)

    def _own(self) -> set[str]:
        """The variables that the header of the loop declares."""
        tokens = self.source.tokens
        if tokens[self.place].text != "for":
            return set()
        first = self.place + 2
        words = [t.text for t in tokens[first : first + 3]]
        declares = words[0].isidentifier() and (
            words[1].isidentifier() or (words[1] == "*" and words[2].isidentifier())
        )
        found, k = set(), first
        while declares and tokens[k].text != ";":
            if tokens[k].text.isidentifier() and tokens[k + 1].text in ("=", ",", ";"):
                found.add(tokens[k].text)
            if tokens[k].text == "=":
                while tokens[k + 1].text not in (",", ";"):
                    k = self.source.closing(k + 1) if tokens[k + 1].text in ("(", "[", "{") else k + 1
            k += 1
        return found


def _saved(variable: str) -> str:
    return f"clz_{word(variable)}_before"
