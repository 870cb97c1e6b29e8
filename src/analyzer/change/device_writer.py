"""The change that moves one loop to a device: what `loop_change` does, with memory of its own in mind.

*Decides* besides: the maps, with what comes back of variables; local pointers in place of members; what the header
reads before the first iteration; marks for functions. A test that does not hold keeps the loop from the device, so that
it is always an `if` around both: teams run an `if` clause's other side, too.
*Refuses* values that are needed from before and from the last iteration, and memory of each thread.
"""

import re

from msgspec.structs import replace

from ..report.loop_entries import LoopEntry, RewriteEntry
from .directive import Directive
from .edits import Edit, edited
from .loop_change import LoopWriter
from .names import Names
from .onto_device import declared_for_device, local_pointers, maps_of
from .refused import RefusedError
from .text import Text
from .wanted import Wanted


class DeviceWriter(LoopWriter):
    """`pointers`: variables in place of members."""

    def __init__(self, text: Text, names: Names, loop: LoopEntry, wanted: Wanted, path: str) -> None:
        super().__init__(text, names, loop, wanted, path)
        self.pointers: dict[str, str] = {}

    def _prepare(self) -> None:
        """The memory and the functions that go to the device."""
        needs = self.loop.on_device
        if needs is None or needs.refused is not None:
            raise RefusedError("what a device needs of it is not known" if needs is None else needs.refused or "")
        if self.wanted.form == "openacc" and self.loop.last_private:
            raise RefusedError(f"OpenACC has no lastprivate, which `{self.loop.last_private[0]}` needs")
        if self.wanted.form == "openacc" and not any(r.kind == "canonical-loop" for r in self.loop.rewrites):
            self._refuse_unequal()
        known = dict(self.wanted.pointers)
        pointers = local_pointers(self.text, self.names, needs.maps, self.first, self.stop, known)
        for each in pointers:
            self._refuse_hidden(each.member)
            self.inner += each.edits
            if each.declaration:
                self.reaches |= not self._begins_with(Text(each.member).tokens[0].text)
                self.before.append(each.declaration)
        if not any(r.kind == "canonical-loop" for r in self.loop.rewrites):
            self._begin_with_a_value()
        self.pointers = {each.member: each.name for each in pointers}
        self.directive = replace(self.directive, maps=maps_of(self.loop, pointers))
        self.elsewhere += declared_for_device(self.text, self.wanted.form, needs.functions)

    def _refuse_unequal(self) -> None:
        """OpenMP takes `i != n` in the header of a loop, and OpenACC does not."""
        begin = self.text.next(self.first + 2, ";") + 1
        if any(self.text.is_at(k, "!=") for k in range(begin, self.text.next(begin, ";"))):
            raise RefusedError("OpenACC takes no `!=` in the header of a loop")

    def _begin_with_a_value(self) -> None:
        """Memory that only the header reads, before the first iteration, is read on the host."""
        tokens, end = self.text.tokens, self.text.next(self.first + 2, ";")
        begin = self.text.next(self.first + 2, "=") + 1
        if not {t.text for t in tokens[begin:end]} & {"[", "->", "*"}:
            return
        first, last = tokens[begin].begin, tokens[end - 1].end
        start = edited(self.text.text, self.inner, first, last)
        name = self.names.new(f"{self.loop.variable}_first")
        self.before.append(f"__typeof__({start}) {name} = {start};")
        self.inner = [e for e in self.inner if not first <= e.begin < last] + [Edit(first, last, name)]

    def _begins_with(self, name: str) -> bool:
        """Whether the header of the loop reaches through a name already."""
        header = range(self.first + 2, self.text.closing(self.first + 1))
        return any(self.text.is_at(k, name) and self.text.is_at(k + 1, "->", ".") for k in header)

    def _finished(self, directive: Directive) -> Directive:
        """With what comes back of variables, and without the maps of memory that a variable took the place of."""
        both = sorted(set(directive.first_private) & set(directive.last_private))
        if both:
            raise RefusedError(f"teams cannot give `{both[0]}` its old value and keep its last one")
        if self.head:  # stands between this loop and the next one
            directive = replace(directive, collapse=1)
        directive = replace(directive, reductions=tuple((o, self._summed(n)) for o, n in directive.reductions))
        results = [*(name for _, name in directive.reductions), *directive.last_private]
        objects = [Text(r.object).tokens for r in self.loop.rewrites if r.kind == "scalar-temporary"]
        gone = {next(t.text for t in tokens if t.text.isidentifier()) for tokens in objects} - self._names_left()
        bases = {name.partition("[")[0] for name in results}
        kept = tuple(m for m in directive.maps if m[1].partition("[")[0] not in gone | bases)
        return replace(directive, maps=(*kept, *(("tofrom", name) for name in dict.fromkeys(results))))

    def _summed(self, name: str) -> str:
        """A variable, or a part of an array, in a reduction: as it is mapped, where that is a number of elements."""
        base = name.partition("[")[0]
        needs = self.loop.on_device
        found = next((m for m in needs.maps if m.name == base), None) if needs is not None else None
        is_array = "[" in name or (needs is not None and "[" in needs.variables.get(base, ""))
        if is_array and self.wanted.form == "openacc":
            raise RefusedError(f"OpenACC combines no results in arrays, as `{base}` is one")
        if name == base or found is None:
            return name
        if found.length is None:
            return base
        if not found.length.isdigit() or found.first != "0":
            raise RefusedError(f"a device combines results only in parts of constant length, which `{base}` has not")
        return f"{base}[0:{found.length}]"

    def _names_left(self) -> set[str]:
        """The names in the loop, without the places that change, and with those in its macros."""
        tokens = self.text.tokens[self.first : self.stop]
        left = {t.text for t in tokens if not any(e.begin <= t.begin < e.end for e in self.inner)}
        return left | {n for word in left for n in re.findall(r"\w+", self.text.macro(word) or "")}

    def _takes_tests(self) -> bool:
        return False

    def _skip(self, r: RewriteEntry) -> None:
        raise RefusedError(f"it needs a hand: {r.text}")  # what stops it is on the host

    def _thread_copy(self, r: RewriteEntry, extent: str) -> None:
        raise RefusedError(f"it needs a hand: {r.text}")
