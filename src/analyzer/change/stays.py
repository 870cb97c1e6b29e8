"""Where an array stays on the device from one statement of a function to another one, with all that they call.

*Decides*: the longest runs of statements of one block in which loops that run on the device use the array, more than
one of them, or one more than once; what goes there before, and comes back behind; where it is copied in between, since
the host uses it.
*Method*: the lives of arrays (`program.lives`), held against the text. Each loop keeps the maps of its own: of what is
there already nothing is copied, so that a function may be called from elsewhere, too.
*Refuses* runs that may be left halfway, and those of which a part only is compiled.

    #pragma omp target enter data map(to: a[0:n])
    fill(a, n);
    step(a, n);
    #pragma omp target exit data map(from: a[0:n])
    printf("%g", a[0]);
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..base.regex import regex
from ..report.program_entries import LifeEntry, UseEntry
from .extents import all_of_array, block
from .refused import RefusedError
from .text import Text, UnreadableError

_LOOPS = frozenset(("for", "while", "do"))
_NO_CODE = regex(r"[ \t\r]*(//[^\n]*|/\*[^\n]*\*/[ \t\r]*)?")
_OURS = regex(r"(omp|acc|GCC|clang|ivdep|(no)?unroll|(no)?vector|simd|loop)\b")
_DIVIDES = regex(r"(omp|acc)\b")


class Update(Struct, frozen=True):
    """The statements from token `first` to before `stop` are of the host: its copy is renewed before (`fetches`), that
    of the device behind (`sends`). `bare`: they are a branch without braces."""

    first: int
    stop: int
    fetches: bool
    sends: bool
    bare: bool = False


class Stay(Struct, frozen=True):
    """The statements from token `first` to before `stop` that an array stays for. `comes`: its values are needed there;
    `goes`: they are afterwards. `loops`: those that run on the device meanwhile. `free`: the tokens that it could stay
    for as well, since nothing there uses it."""

    life: LifeEntry
    item: str
    first: int
    stop: int
    lines: range
    comes: bool
    goes: bool
    loops: frozenset[str]
    updates: tuple[Update, ...] = ()
    free: tuple[int, int] = (0, 0)


class Device(Struct, frozen=True):
    """What runs there: `loops` always, others of those that are `changed` sometimes; `regions`: of those that a region
    around another loop has, that one; and `functions`, by name, that go along. `places`: function and line of the loops
    of the file, by id; `fills`: what those of `loops` store as a whole before all else in their functions
    (`filled`)."""

    loops: Collection[str]
    changed: Collection[str]
    regions: Mapping[str, str]
    functions: Collection[str]
    places: Mapping[str, tuple[str, int]]
    fills: Mapping[str, Collection[str]]


def stays(text: Text, lives: Iterable[LifeEntry], device: Device) -> list[Stay]:
    """`lives`: of the arrays of functions in this file. Example: see the module."""
    found = list[Stay]()
    for life in lives:
        if life.function in device.functions or any(use.line == 0 for use in life.uses):
            continue
        try:
            found += _Runs(text, life, device).stays()
        except (UnreadableError, RefusedError):
            continue
    return [_widened(text, stay, found) for stay in found]


def _widened(text: Text, stay: Stay, others: Iterable[Stay]) -> Stay:
    """From where to where another array stays that does so at the same time: one directive is for both."""
    here = block(text, stay.first)
    same = [x for x in others if x.first < stay.stop and stay.first < x.stop and block(text, x.first) == here]
    first = min(x.first for x in same if x.first >= stay.free[0] or x is stay)
    stop = max(x.stop for x in same if x.stop <= stay.free[1] or x is stay)
    try:
        item = all_of_array(text, stay.life, first, stop)
    except RefusedError:
        return stay
    return replace(stay, first=first, stop=stop) if item == stay.item else stay


ROUNDS = 10
"""How often a loop is taken to run of which nothing else is known."""

Kind: TypeAlias = Literal["device", "host", "both", "none", "no"]


class _Statement(Struct, frozen=True):
    """Its tokens, and the uses on its lines."""

    first: int
    stop: int
    uses: tuple[UseEntry, ...]


class _Runs:
    """The runs of statements for one array."""

    def __init__(self, text: Text, life: LifeEntry, device: Device) -> None:
        self.text, self.life, self.device = text, life, device

    def stays(self) -> Iterator[Stay]:
        function = self._function()
        if function is not None:
            yield from self._in_block(function)

    def _function(self) -> int | None:
        """The brace that the body of the function begins with."""
        lines = sorted(use.line for use in self.life.uses)
        ends = (k for k, token in enumerate(self.text.tokens) if self.text.line(token.begin) >= lines[-1])
        found = self.text.function(next(ends, 0)) if lines else None
        return None if found is None else found[0]

    def _in_block(self, brace: int) -> Iterator[Stay]:
        statements = list(self._statements(brace))
        for can_stay, group in groupby(statements, key=self._can_stay):
            run = list(group)
            if can_stay:
                yield from self._in_run(run)
            for statement in run if not can_stay else ():
                for inner in self._blocks(statement):
                    yield from self._in_block(inner)

    def _in_run(self, run: list[_Statement]) -> Iterator[Stay]:
        """With copies for what the host does; where these cannot be written, between that."""
        stay = self._stay(run)
        if stay is not None:
            yield stay
            return
        for kind, group in groupby(run, key=lambda s: self._kind(s) in ("device", "none")):
            stay = self._stay(list(group)) if kind else None
            if stay is not None:
                yield stay

    def _statements(self, brace: int) -> Iterator[_Statement]:
        """None of a block that `case` or other labels divide."""
        k, close = brace + 1, self.text.closing(brace)
        while k < close:
            if self.text.is_at(k, "case", "default") or self.text.is_at(k + 1, ":"):
                return
            stop = self.text.after(k)
            first, last = self._line(k), self._line(stop - 1)
            yield _Statement(k, stop, tuple(use for use in self.life.uses if first <= use.line <= last))
            k = stop

    def _line(self, k: int) -> int:
        return self.text.line(self.text.tokens[k].begin)

    def _kind(self, statement: _Statement) -> Kind:
        """Who uses the array in it."""
        found = {self._place(use) for use in statement.uses}
        if not found:
            return "none"
        return found.pop() if len(found) == 1 else "no" if "no" in found else "both"

    def _place(self, use: UseEntry) -> Kind:
        """Where a use is: "no" where nothing can stay."""
        if use.kind in ("ends", "leaves"):
            return "no"
        if self._loop(use) is not None:
            return "device"
        return "no" if any(loop in self.device.changed for loop in use.loops) else "host"

    def _loop(self, use: UseEntry) -> int | None:
        """Which of the loops around a use runs on the device; None where it is on the host."""
        if use.kind in ("ends", "leaves"):
            return None
        return next((k for k, loop in enumerate(use.loops) if loop in self.device.loops), None)

    def _can_stay(self, statement: _Statement) -> bool:
        kind = self._kind(statement)
        return self._within(statement, writes=True) is not None if kind == "both" else kind != "no"

    def _blocks(self, statement: _Statement) -> Iterator[int]:
        """The outermost blocks in a statement that holds uses on the device."""
        k = statement.first
        while k < statement.stop and any(self._loop(use) is not None for use in statement.uses):
            if self.text.is_at(k, "{") and (self.text.is_at(k - 1, ")", "else", "do", "{") or k == statement.first):
                yield k
                k = self.text.closing(k)
            k += 1

    def _updates(self, statements: Sequence[_Statement], *, writes: bool) -> list[Update] | None:
        """The copies that the host needs in a block; None where they cannot be written. `writes`: the device may have
        other values than the host."""
        found = list[Update]()
        for on_host, group in groupby((s for s in statements if s.uses), key=lambda s: self._kind(s) == "host"):
            several = list(group)
            if any(self._kind(s) == "no" for s in several):
                return None
            each = [[s] for s in several] if all(self._branch(s) for s in several) else [several]
            made = [self._update(some, writes=writes) for some in each] if on_host else []
            inner = [self._within(s, writes=writes) for s in several if self._kind(s) == "both"]
            if any(update is None for update in made) or any(updates is None for updates in inner):
                return None
            found += [update for update in made if update is not None and (update.fetches or update.sends)]
            found += [update for updates in inner for update in updates or ()]
        return found

    def _update(self, several: Sequence[_Statement], *, writes: bool) -> Update | None:
        branch = self._branch(several[0]) if len(several) == 1 else None
        several = several if branch is None else branch
        first, stop = several[0].first, several[-1].stop
        sends = any(use.kind == "writes" for s in several for use in s.uses)
        is_bare = branch is not None and not self.text.is_at(first - 1, ";", "{", "}")
        if (writes or sends) and not is_bare and not self._may_stand(first, stop):
            return None
        return None if sends and not self._is_straight(several) else Update(first, stop, writes, sends, is_bare)

    def _branch(self, statement: _Statement) -> list[_Statement] | None:
        """What uses the array in an `if` statement that does so nowhere else, and has no `else`."""
        text, first = self.text, statement.first
        if not text.is_at(first, "if") or not text.begins_line(text.tokens[first].begin):
            return None
        close = text.closing(first + 1)
        inside = all(self._line(first) in use.within for use in statement.uses)
        if text.after(close + 1) != statement.stop or not inside:
            return None
        if text.is_at(close + 1, "{"):
            used = [s for s in self._statements(close + 1) if s.uses]
            return used if {use for s in used for use in s.uses} == set(statement.uses) else None
        between = text.text[text.tokens[close].end : text.tokens[close + 1].begin]
        is_plain = not between.strip() and not text.is_at(close + 1, "for", "while", "do", "if", "switch")
        return [_Statement(close + 1, statement.stop, statement.uses)] if is_plain else None

    def _within(self, statement: _Statement, *, writes: bool) -> list[Update] | None:
        """The copies in the blocks of a statement; in those of a loop only where the device works each time."""
        blocks = [list(self._statements(brace)) for brace in self._blocks(statement)]
        seen = {use for several in blocks for s in several for use in s.uses}
        if any(use not in seen and self._loop(use) is None for use in statement.uses):
            return None
        found = list[Update]()
        for several in blocks:
            made = self._updates(several, writes=writes)
            works = any(self._kind(s) == "device" or self._is_loop_of_both(s) for s in several)
            if made is None or (made and self.text.is_at(statement.first, *_LOOPS) and not works):
                return None
            found += made
        return found

    def _is_loop_of_both(self, statement: _Statement) -> bool:
        return self._kind(statement) == "both" and self.text.is_at(statement.first, *_LOOPS)

    def _stay(self, run: Sequence[_Statement]) -> Stay | None:
        used = [k for k, s in enumerate(run) if self._kind(s) in ("device", "both")]
        if not used:
            return None
        before = next((k + 1 for k in range(used[0] - 1, -1, -1) if run[k].uses), 0)
        behind = next((k for k in range(used[-1] + 1, len(run)) if run[k].uses), len(run))
        free = run[before].first, run[behind - 1].stop
        run = run[used[0] : used[-1] + 1]
        first, stop = run[0].first, run[-1].stop
        if not self._may_stand(first, stop) or not self._is_straight(run):
            return None
        stay = self._made(run, first, stop)
        pays = stay is not None and self._copies(stay) < self._copies_alone(run, stay.lines)
        return replace(stay, free=free) if stay is not None and pays else None

    def _made(self, run: Sequence[_Statement], first: int, stop: int) -> Stay | None:
        uses = [use for statement in run for use in statement.uses]
        changed = any(use.kind == "writes" and self._loop(use) is not None for use in uses)
        updates = self._updates(run, writes=changed)
        lines = range(self._line(first), self._line(stop - 1) + 1)
        loops = frozenset(use.loops[k] for use in uses if (k := self._loop(use)) is not None)
        if updates is None or any(self._is_around(loop, lines) for loop in loops):
            return None
        again = self._is_repeated(first)
        reads = [use.line for use in self.life.uses if use.kind in ("reads", "writes")]
        fresh = self.life.is_empty and not again and not any(line < lines.start for line in reads)
        later = self.life.outlasts or again or any(line >= lines.stop for line in reads)
        return Stay(
            self.life,
            all_of_array(self.text, self.life, first, stop),
            first,
            stop,
            lines,
            comes=(not fresh or self._is_initialised(first)) and not self._is_filled(run[0]),
            goes=later and changed,
            loops=loops,
            updates=tuple(updates),
        )

    def _is_filled(self, statement: _Statement) -> bool:
        """Whether the first thing that is done with the array in a statement is to store all of it: by the loop that
        this is, or by the first one in the function that it calls, and nothing else."""
        text, first = self.text, statement.first
        if self.life.shape != "array" or self._kind(statement) != "device":
            return False
        loops = [use.loops[0] for use in statement.uses if use.loops]
        if len(loops) < len(statement.uses) or any(loop not in self.device.places for loop in loops):
            return False
        by_place = sorted({(*self.device.places[loop], loop) for loop in loops})
        function, line, loop = by_place[0]
        if self.life.name not in self.device.fills.get(loop, ()) or any(f != function for f, _, _ in by_place):
            return False
        is_loop = function == self.life.function and line == self._line(first) and text.is_at(first, "for")
        calls = text.is_at(first, function) and text.is_at(first + 1, "(")
        return is_loop or (calls and text.closing(first + 1) + 2 == statement.stop)

    def _copies(self, stay: Stay) -> float:
        """How often the array is copied if it stays: a loop counts as `ROUNDS`, a branch as every second time."""
        found: float = stay.comes + stay.goes
        for update in stay.updates:
            outside = [k for k in range(stay.first, update.first) if self.text.is_at(k, "for", "while", "do", "if")]
            around = [k for k in outside if self.text.after(k) >= update.stop]
            loops = sum(not self.text.is_at(k, "if") for k in around)
            found += (update.fetches + update.sends) * ROUNDS**loops * 0.5 ** (len(around) - loops)
        return found

    def _copies_alone(self, run: Sequence[_Statement], lines: range) -> int:
        """How often it is copied if each loop, or each region around loops, does so for itself."""
        kernels: dict[tuple[int, str], tuple[set[str], int]] = {}
        for use in (use for statement in run for use in statement.uses):
            k = self._loop(use)
            if k is None:
                continue
            region = self.device.regions.get(use.loops[k])
            end = use.loops.index(region) if region in use.loops else k
            repeated = sum(not self._is_around(loop, lines) for loop in use.loops[:end])
            kinds, _ = kernels.setdefault((use.line, use.loops[end]), (set(), ROUNDS**repeated))
            kinds.add(use.kind)
        return sum(len(kinds) * rounds for kinds, rounds in kernels.values())

    def _is_around(self, loop: str, lines: range) -> bool:
        """Whether it is a loop of the function around these lines."""
        function, line = self.device.places.get(loop, ("", 0))
        return function == self.life.function and line not in lines

    def _may_stand(self, first: int, stop: int) -> bool:
        """Whether lines may stand in front of the statements and behind them."""
        text = self.text
        begin, end = text.tokens[first].begin, text.tokens[stop - 1].end
        rest = text.text[end:].partition("\n")[0]
        before = text.tokens[first - 1].end
        tuned = any(before < p.end <= begin and _OURS.match(p.words) for p in text.pragmas)
        divided = any(begin <= c <= end for c in text.conditionals)
        whole = text.begins_line(begin) and text.is_at(first - 1, ";", "{", "}") and _NO_CODE.fullmatch(rest)
        return bool(whole) and not tuned and not divided and not self._is_divided(first)

    def _is_divided(self, first: int) -> bool:
        """Whether they stand in what threads, or a device, run."""
        for pragma in self.text.pragmas:
            if _DIVIDES.match(pragma.words):
                k = self.text.first_from(pragma.end)
                if k < first < self.text.after(k):
                    return True
        return False

    def _is_straight(self, run: Sequence[_Statement]) -> bool:
        """Whether they are run one after the other, and none is left halfway."""
        first, stop = run[0].first, run[-1].stop
        if any(self._leaves(k, first, stop) for k in range(first, stop)):
            return False
        lines = range(self._line(first), self._line(stop - 1) + 1)
        if any(use.kind == "leaves" and use.line in lines for use in self.life.uses):
            return False
        around = {
            tuple(line for line in use.within if not self._line(s.first) <= line <= self._line(s.stop - 1))
            for s in run
            for use in s.uses
        }
        return len(around) == 1 and not any(line in lines for line in around.pop())

    def _leaves(self, k: int, first: int, stop: int) -> bool:
        """Whether token k goes elsewhere than on, or behind a loop among the statements."""
        text = self.text
        if text.is_at(k, "return", "goto"):
            return True
        if not text.is_at(k, "break", "continue"):
            return False
        words = (*_LOOPS, "switch") if text.is_at(k, "break") else _LOOPS
        return not any(text.is_at(j, *words) and k < text.after(j) <= stop for j in range(first, k))

    def _is_repeated(self, k: int) -> bool:
        """Whether a loop of the function runs the statement."""
        text = self.text
        brace = block(text, k)
        while brace is not None and (head := self._head(brace)) is not None:
            if text.is_at(head, *_LOOPS):
                return True
            brace = block(text, head)
        return False

    def _head(self, brace: int) -> int | None:
        """The first token of the statement that a block is of, or is; None for the body of a function."""
        text = self.text
        around = block(text, brace)
        if around is None:
            return None
        k = around + 1
        while text.after(k) <= brace:
            k = text.after(k)
        return k

    def _is_initialised(self, first: int) -> bool:
        """Whether the array has values from its declaration, or none is seen."""
        text, name = self.text, self.life.name
        if self.life.shape != "array":
            return False
        for k in range(first):
            if text.is_at(k, name) and text.declares(k):
                while text.is_at(k + 1, "["):
                    k = text.closing(k + 1)
                return not text.is_at(k + 1, ";", ",")
        return True
