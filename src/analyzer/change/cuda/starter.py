"""One loop as a kernel, and the call that takes its place where the source is compiled with `-DUSE_CUDA`.

    #ifdef USE_CUDA
        if (n >= 48000)
            dot_16_gpu(a, b, n, &s);
        else
    #endif
        for (...) ...                       the loop, as it is

*Refuses*, besides what no device can have: code that is not C++ (names like `new`), `goto`, values that the last
iteration leaves, and statements outside of the loop that would change.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import PurePosixPath
from textwrap import dedent

from msgspec import Struct
from msgspec.structs import replace

from ...base.regex import regex
from ...report.document import FileEntry
from ...report.loop_entries import LoopEntry, MapEntry, RewriteEntry
from ..conditions import all_of
from ..device_writer import DeviceWriter
from ..edits import Edit, edited
from ..loop_change import AS_IT_WAS, Change
from ..names import Names
from ..refused import RefusedError
from ..text import Text
from ..wanted import Wanted
from .definitions import Definitions
from .header import Header, header
from .kernel import NEUTRAL, Counter, Kernel, Parameter
from .prelude import ATOMIC, COMPARED, PRELUDE, SUMS

SWITCH = "USE_CUDA"
_NOT_IN_CXX = frozenset(
    (
        *("new", "class", "this", "template", "private", "public", "protected", "delete", "operator", "namespace"),
        *("try", "catch", "throw", "virtual", "friend", "using", "typename", "and", "or", "not", "xor"),
        *("goto", "asm", "_Generic", "_Complex", "_Atomic", "typeof", "__typeof__", "__auto_type", "__label__"),
    )
)  # fmt: skip
_LINE = regex(r"(?P<type>[A-Za-z_][\w ]*?[ *]+)(?P<name>\w+) = (?P<value>[^;]*);")


class Started(Struct, frozen=True):
    """The kernel of a loop, and the changes of its file."""

    kernel: Kernel
    change: Change


def started(text: Text, names: Names, loop: LoopEntry, wanted: Wanted, file: FileEntry) -> Started:
    """The kernel of one loop of a file, and the call. RefusedError where a person has to write it."""
    return _Starter(text, names, loop, wanted, file.path, file.loops).started()


class _Starter(DeviceWriter):
    """`loops`: all of the file."""

    def __init__(
        self, text: Text, names: Names, loop: LoopEntry, wanted: Wanted, path: str, loops: Sequence[LoopEntry]
    ) -> None:
        super().__init__(text, names, loop, wanted, path)
        self.loops = loops

    def started(self) -> Started:
        self._refuse_early()
        own = self._own()
        self._prepare()
        for rewrite in self.loop.rewrites:
            self._rewrite(rewrite)
        self._inductions(own)
        self._add_to_arrays()
        self._refuse_late()
        kernel = self._kernel()
        return Started(kernel, Change(f"{kernel.name}_gpu()", tuple(self._edits(kernel))))

    # --- what is refused

    def _refuse_early(self) -> None:
        self._refuse_words({t.text for t in self.text.tokens[self.first : self.stop]})
        if any(self.begin < at < self.end for at in self.text.conditionals):
            raise RefusedError("`#if` stands in it")
        if any(self._is_literal(k) for k in range(self.first, self.stop)):
            raise RefusedError("a value of a structure or an array is written in it as C alone has it")
        if any(self._is_of_any_length(k) for k in range(self.first, self.stop)):
            raise RefusedError("an array is declared in it whose length is no constant")
        self._function()

    def _function(self) -> int:
        """The token that the function around the loop begins with."""
        found = self.text.function(self.first)
        if found is None:
            raise RefusedError("no function begins around it")
        return self.text.declaration(found[0])

    def _refuse_words(self, words: Set[str]) -> None:
        if words & _NOT_IN_CXX:
            raise RefusedError(f"`{min(words & _NOT_IN_CXX)}` means something else in CUDA")
        if builtins := [w for w in words if w.startswith(("__atomic_", "__sync_"))]:
            raise RefusedError(f"`{min(builtins)}` has another name in CUDA")

    def _is_of_any_length(self, k: int) -> bool:
        """Whether token k is the bracket of an array that is declared with a length which variables may be part of."""
        if not self.text.is_at(k, "["):
            return False
        words = (self.text.tokens[j].text for j in range(k + 1, self.text.closing(k)))
        varies = any(w.isidentifier() and w != "sizeof" and self.text.macro(w) is None for w in words)
        return varies and (self._is_declared(k - 1) or self._is_pointer_to_array(k - 1))

    def _is_declared(self, k: int) -> bool:
        """Whether token k is a name that a statement begins with the type of: in `x = a * b`, `b` is none."""
        begin = k
        while self.text.tokens[begin - 1].text.isidentifier() or self.text.is_at(begin - 1, "*"):
            begin -= 1
        starts = self.text.is_at(begin - 1, ";", "{", "}", ")") or self.text.is_at(begin - 2, "for")
        first = self.text.tokens[begin].text
        return begin < k and starts and first.isidentifier() and first not in ("return", "else", "goto", "case")

    def _is_pointer_to_array(self, k: int) -> bool:
        """Whether token k closes `(*)` of a type, or `(*m)` of a declaration that begins with a number's type."""
        if self.text.is_at(k, ")") and self.text.is_at(k - 1, "*") and self.text.is_at(k - 2, "("):
            return True
        named = self.text.is_at(k, ")") and self.text.is_at(k - 2, "*") and self.text.is_at(k - 3, "(")
        return named and self.text.is_at(k - 4, "double", "float", "int", "long", "char", "short", "unsigned")

    def _is_literal(self, k: int) -> bool:
        """Whether a compound literal begins with brace k: `(int[2]){1, 2}`."""
        if not self.text.is_at(k, "{") or not self.text.is_at(k - 1, ")"):
            return False
        opened = next(j for j in range(k - 2, -1, -1) if self.text.is_at(j, "(") and self.text.closing(j) == k - 1)
        before = self.text.tokens[opened - 1].text
        return not before.isidentifier() or before == "return"

    def _refuse_late(self) -> None:
        if self.directive.last_private:
            raise RefusedError(f"`{self.directive.last_private[0]}` keeps what the last iteration gives it")
        if any(line.startswith("enum ") for line in self.head):
            raise RefusedError(f"`{self.loop.variable}` is of an enumeration, which C++ does not count in")
        if self.elsewhere or self.region:
            raise RefusedError("a statement outside of the loop changes with it")
        for operator, name in self.directive.reductions:
            if not name.isidentifier() or operator not in (*NEUTRAL, "min", "max"):
                raise RefusedError(f"`{name}` is no variable that results could be combined in")

    def _atomic(self, r: RewriteEntry) -> None:
        """Updates of the same element: a function that the kernels have."""
        for place in r.places or ():
            if place.path != self.path:
                raise RefusedError(f"`{r.object}` is updated in another file, {place.path}:{place.line}")
            if r.clause != "write":
                self.inner.append(self._added(self.text.at(place.line, place.column)))

    def _add_to_arrays(self) -> None:
        """Sums in elements of an array are updates of these."""
        types = dict(self.loop.on_device.variables) if self.loop.on_device is not None else {}
        summed = [each for each in self.directive.reductions if each[0] == "+"]
        sums = [(o, name) for o, name in summed if "[" in f"{name}{types.get(name, '')}"]
        for name in (name.partition("[")[0] for _, name in sums):
            for k in range(self.first, self.stop):
                done = any(e.begin <= self.text.tokens[k].begin < e.end for e in self.inner)
                if self.text.is_at(k, name) and not self.text.is_at(k - 1, ".", "->") and not done:
                    self.inner.append(self._added(k - self.text.is_at(k - 1, "++", "--")))
        kept = tuple(each for each in self.directive.reductions if each not in sums)
        self.directive = replace(self.directive, reductions=kept)

    def _added(self, first: int) -> Edit:
        if not self.text.is_at(first - 1, ";", "{", "}", ")", "else"):
            line = self.text.line(self.text.tokens[first].begin)
            raise RefusedError(f"line {line} does more than to update an element")
        stop = self.text.next(first, ";")
        tokens = self.text.tokens
        code = self.text.text[tokens[first].begin : tokens[stop - 1].end]
        assigned = next((k for k in range(first, stop) if self.text.is_at(k, "+=", "-=", "=")), None)
        if assigned is not None and self.text.is_at(assigned, "="):
            place, value = self._again(first, assigned, stop)
        elif assigned is not None:
            place = self.text.text[tokens[first].begin : tokens[assigned - 1].end]
            value = self.text.text[tokens[assigned + 1].begin : tokens[stop - 1].end]
            value = value if self.text.is_at(assigned, "+=") else f"-({value})"
        elif code.endswith(("++", "--")) or code.startswith(("++", "--")):
            place, value = code.strip("+-"), "1" if "++" in (code[:2], code[-2:]) else "-1"
        else:
            raise RefusedError(f"`{' '.join(code.split())}` has no function that does it at once")
        return Edit(tokens[first].begin, tokens[stop - 1].end, f"add_atomically({place}, {value})")

    def _again(self, first: int, assigned: int, stop: int) -> tuple[str, str]:
        """What is added to an element by `a[i] = a[i] + x`."""
        words = [t.text for t in self.text.tokens[first:stop]]
        many = assigned - first
        way = words[2 * many + 1] if len(words) > 2 * many + 2 else ""
        rest = words[2 * many + 2 :]
        is_sum = way == "+" or (way == "-" and rest[0] != "-")
        if words[:many] != words[many + 1 : 2 * many + 1] or not is_sum or words[0] in rest or "?" in rest:
            raise RefusedError("an element is updated in a way that no function does at once")
        tokens = self.text.tokens
        value = self.text.text[tokens[first + 2 * many + 2].begin : tokens[stop - 1].end]
        place = self.text.text[tokens[first].begin : tokens[assigned - 1].end]
        return place, value if way == "+" else f"-{value}"

    # --- the kernel

    def _kernel(self) -> Kernel:
        entries = self._collapsed()
        headers = [self._header(entry) for entry in entries]
        body: tuple[str, ...] = tuple(self._lines(entries[-1]))
        maps = self.loop.maps
        sections = [part for m in maps for part in (m.first, m.length) if part is not None]
        code = "\n".join((*body, *(part for h in headers for part in (h.first, h.bound, h.step)), *sections))
        types = self._types()
        counters = tuple(Counter(self._counted(h, types), h) for h in headers)
        moved = {h.variable for h in headers}
        used = Definitions(self.text, ()).used(code)
        self._refuse_words(used)
        left_out = moved | (self._replaced() - used)
        parameters, own = list[Parameter](), list[str]()
        for name, declaration in types.items():
            if name in left_out:
                continue
            if name in self.directive.private:
                own.append(declaration)
            else:
                parameters.append(self._parameter(name, declaration))
        self._refuse_nameless(types, left_out, Text("\n".join(sections)).words)
        again = any(self._declares_again(name) for name in (*moved, *(p.name for p in parameters)))
        body = ("{", *(f"    {line}" for line in body), "}") if again else body
        name = f"{self.loop.function}_{self.loop.line}"
        parameters.sort(key=lambda p: self._appears(p.name))
        return Kernel(name, tuple(self._title()), counters, tuple(parameters), tuple(own), body)

    def _declares_again(self, name: str) -> bool:
        first = self._body()[0]
        return any(self.text.is_at(k, name) and self._is_declared(k) for k in range(first, self.stop))

    def _appears(self, name: str) -> int:
        """Where the function has a name first: its parameters come as it has them."""
        words = [t.text for t in self.text.tokens[self._function() : self.stop]]
        return words.index(name) if name in words else len(words)

    def _replaced(self) -> set[str]:
        """Variables that the loop reaches memory by of which others take the place."""
        objects = (r.object for r in self.loop.rewrites if r.kind == "scalar-temporary")
        tokens = (t for text in (*self.pointers, *objects) for t in Text(text).tokens)
        return {t.text for t in tokens if t.text.isidentifier()}

    def _refuse_nameless(self, types: Mapping[str, str], left_out: Set[str], in_sections: Set[str]) -> None:
        """Variables that cannot be handed over. `in_sections`: names in what says which part of memory is used."""
        maps = self.loop.maps
        sums = [name for _, name in self.directive.reductions]
        for name in (*self.directive.private, *sums, *(self.pointers.get(m.name, m.name) for m in maps)):
            if name not in types and name not in left_out:
                raise RefusedError(f"the type of `{name}` has no name in CUDA")
            if name in sums and "[" in types.get(name, ""):
                raise RefusedError(f"`{name}` is an array that results would be combined in")
            if name in in_sections and name in (*self.directive.private, *sums):
                raise RefusedError(f"`{name}`, which the loop changes, says where its memory begins")

    def _collapsed(self) -> list[LoopEntry]:
        found = [self.loop]
        while len(found) < self.wanted.collapse:
            found.append(next(each for each in self.loops if each.parent == found[-1].id))
        return found

    def _header(self, entry: LoopEntry) -> Header:
        if entry is self.loop and self.trip is not None:
            return Header(self.counter, "long long", "0", "<", self.trip, "1", rises=True)
        at = self.text.at(entry.line, entry.column)
        found = header(self.text, at)
        begin, end = self.text.tokens[at].begin, self.text.tokens[self.text.closing(at + 1)].end
        if any(begin <= e.begin < end for e in self.inner):  # names that took the place of others
            return header(Text(edited(self.text.text, self.inner, begin, end) + ";"), 0)
        return found

    def _counted(self, h: Header, types: dict[str, str]) -> str:
        """The type of a counter."""
        declared = types.get(h.variable, "")
        type_ = h.type or re.sub(rf"\b{h.variable}$", "", declared).strip()
        if not type_ or "*" in type_:
            raise RefusedError(f"`{h.variable}` counts in a type that has no name")
        return type_

    def _types(self) -> dict[str, str]:
        """How the variables are declared: those of the program, and those that are new."""
        needs = self.loop.on_device
        found = {} if needs is None else {n: re.sub(r"\* (?=\w)", "*", text) for n, text in needs.variables.items()}
        for name, declaration in found.items():
            if "_Complex" in declaration:
                raise RefusedError(f"`{name}` is complex")
        for line in self.before:
            new = _LINE.fullmatch(line)
            if new is None or new["type"].startswith("__typeof__"):
                raise RefusedError(f"the type of what `{line}` declares has no name")
            found[new["name"]] = f"{new['type']}{new['name']}"
        return found

    def _parameter(self, name: str, declaration: str) -> Parameter:
        operator = next((o for o, variable in self.directive.reductions if variable == name), None)
        if operator is not None:
            return Parameter(name, declaration, "sum", operator=operator)
        found = self._map(name)
        if found is None:
            return Parameter(name, declaration)
        goes, comes = found.direction in ("to", "tofrom"), found.direction in ("from", "tofrom")
        if found.length is not None:
            return Parameter(name, declaration, "array", found.first or "0", found.length, goes, comes)
        dimension = re.search(rf"\b{name}\[([^\]]*)\]", declaration)
        if dimension is not None:
            return Parameter(name, declaration, "array", "0", dimension[1], goes, comes)
        return Parameter(name, declaration, "place" if comes else "value", goes=True, comes=comes)

    def _map(self, name: str) -> MapEntry | None:
        member = next((m for m, local in self.pointers.items() if local == name), name)
        maps = self.loop.maps
        return next((m for m in maps if m.name == member), None)

    def _title(self) -> Iterator[str]:
        yield f"The loop in {self.loop.function}(), {self.path}:{self.loop.line}: {self.loop.class_ or 'no class'}."
        advised = next((p.mapping for p in self.loop.predictions if p.candidate == "target" and p.mapping), None)
        if advised is not None:
            yield f"Its predicted time is that of this mapping: {advised}."

    def _lines(self, entry: LoopEntry) -> Iterator[str]:
        """The body of the innermost loop that becomes threads, as that of a function."""
        at = self.text.at(entry.line, entry.column)
        if self.text.is_at(at, "do"):
            raise RefusedError("it is no `for` loop")
        first = self.text.closing(at + 1) + 1
        stop = self.text.after(at)
        tokens = self.text.tokens
        left = [Edit(tokens[k].begin, tokens[k].end, "return") for k in self._left_out(first, stop)]
        try:
            code = edited(self.text.text, [*self.inner, *left], tokens[first].begin, tokens[stop - 1].end)
        except ValueError:  # an atomic update of what a pointer in memory selects: both are written anew
            raise RefusedError("an update that has to be atomic holds what the kernel reads in another way") from None
        is_block = self.text.is_at(first, "{")
        yield from self.head
        yield from dedented((code[1:-1] if is_block else code).replace("\r", ""), "" if is_block else "    ")

    def _left_out(self, first: int, stop: int) -> Iterator[int]:
        """What goes on with the next iteration of this loop."""
        k = first
        while k < stop:
            if self.text.is_at(k, "for", "while", "do", "switch"):
                k = self.text.after(k)
                continue
            if self.text.is_at(k, "continue"):
                yield k
            k += 1

    # --- the source

    def _edits(self, kernel: Kernel) -> Iterator[Edit]:
        lines, test = list[str](), self.wanted.condition or ""
        if self.wanted.tested:
            asked = (self.wanted.condition, *self.wanted.tested)
            lines, test = self._tested([x for x in asked if x is not None])
        runs = [self._runs()] if self.reaches else []
        test = all_of([*runs, *([test] if test else [])])
        if lines and not self._is_in_a_block():
            raise RefusedError("what tests its conditions does not fit in front of it")
        pad, inside = self.indentation, self.indentation + "    "
        call = [*self.before, kernel.call(), *self.behind]
        remarks = [f"{pad}{line}" for line in (*self._remarks(), *lines)]
        if test:
            head = f"{pad}if ({test}) {{"
            body = [head, *(f"{inside}{line}" for line in call), f"{pad}}} else {AS_IT_WAS}"]
            yield self._in_front([f"#ifdef {SWITCH}", *remarks, *body, "#endif"])
        else:
            block = call if len(call) == 1 else ["{", *(f"    {line}" for line in call), "}"]
            body = [f"{pad}{line}" for line in block]
            yield self._in_front([f"#ifdef {SWITCH}", *remarks, *body, f"#else {AS_IT_WAS}"])
            yield self._at_end_of_line(self.end, ["#endif"])
        yield self._declared(kernel)

    def _declared(self, kernel: Kernel) -> Edit:
        """The prototype, in front of the function around the loop."""
        begin = self.text.tokens[self._function()].begin
        if not self.text.begins_line(begin):
            raise RefusedError("the function around it does not begin a line")
        new = self.text.newline
        return Edit(begin, begin, f"#ifdef {SWITCH}{new}{kernel.prototype()};{new}#endif{new}{new}")


def dedented(code: str, more: str = "") -> Iterator[str]:
    """Lines of code without their common indentation, and without blank ones around; `more` in front of all but the
    first one."""
    first, _, rest = code.expandtabs(4).partition("\n")
    lines = [f"{more}{line}" if line.strip() else "" for line in dedent(rest).rstrip().split("\n")]
    yield from ([first.strip()] if first.strip() else [])
    yield from (lines if rest.strip() else [])


def kernels_path(path: str) -> str:
    """Where the kernels of a file go. Example: `src/blas_gpu.cu` of `src/blas.c`."""
    given = PurePosixPath(path)
    return str(given.with_name(f"{given.stem}_gpu.cu"))


def file_of_kernels(text: Text, path: str, kernels: Sequence[Kernel], loops: Iterable[LoopEntry]) -> str:
    """The file beside the source."""
    functions = [f for loop in loops if loop.on_device is not None for f in loop.on_device.functions]
    code = "\n\n\n".join(kernel.code() for kernel in kernels)
    name = PurePosixPath(path).name
    definitions = "\n".join(Definitions(text, functions).lines(code))
    own = PurePosixPath(kernels_path(path)).name
    made = f"/* Kernels for loops of {name}, to go on from: `nvcc -O3 -c {own}`, {name} with -D{SWITCH},\n"
    made += "   linked by nvcc. With -DCOMPARE_WITH_HOST each call runs the loop on the host as well, and says by how\n"
    made += "   much the results differ. */\n"
    heads = "#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <type_traits>\n"
    helpers = (SUMS if "at_most(" in code else "") + (ATOMIC if "add_atomically(" in code else "")
    return f"{made}{heads}{PRELUDE}{helpers}{COMPARED}\n{definitions}\n\n{code}\n"
