"""Random complete OpenMP C programs: pieces from templates, and loops and regions of which the truth is counted."""

import re
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from random import Random
from types import CodeType

from msgspec import Struct
from msgspec.structs import replace

from .pieces import ITERATIONS, SIDE, Piece, program, written
from .templates import TEMPLATES
from .truth import TEAM, Event, Who, race

COMPUTED = ("affine", "square", "region")
_TRIES = 60
_SIZES = (*range(4, ITERATIONS + 4), 40)
"""Where the number of iterations is not a constant: a race for one of them is one."""
_GUARDS = ("",) * 4 + ("i % 2 == 0", "i % 3 == 1", "i == 5", "i < n / 2", "i >= n / 2", "i != 4", "i > 6")


class Program(Struct, frozen=True):
    seed: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return program(list(self.pieces))


def generated(seed: str, size: int = 3, kinds: tuple[str, ...] = ()) -> Program:
    """The program of a seed, of so many pieces."""
    rng = Random(seed)
    made = []
    for number in range(1, size + 1):
        kind = rng.choice(kinds or (*TEMPLATES, *(COMPUTED * (len(TEMPLATES) // 4))))
        made.append(_piece(kind, number, rng))
    return Program(seed, tuple(made))


def _piece(kind: str, number: int, rng: Random) -> Piece:
    racy = rng.random() < 0.5
    if kind not in COMPUTED:
        return written(kind, TEMPLATES[kind].lstrip("\n"), number, racy, rng)
    make: Callable[[Random], tuple[str, list[Event]]] = {"affine": _affine, "square": _square, "region": _region}[kind]
    for _ in range(_TRIES):
        text, events = make(rng)
        if race(events) == racy:
            break
    return written(kind, text, number, race(events), rng)


# --- subscripts


def _value(text: str, n: int = ITERATIONS, **names: int) -> int:
    return int(eval(_code(text), {}, {**names, "n": n}))


@cache
def _code(text: str) -> CodeType:
    return compile(text.replace("/", "//"), "", "eval")


def _subscript(rng: Random, i: str = "i") -> str:
    c = rng.randint(1, 3)
    return rng.choice(
        (
            *(i,) * 6, f"{i} + {c}", f"{i} + {c}", f"{i} - 1", f"{i} - 2", f"2 * {i}", f"2 * {i} + 1", f"3 * {i} + {c}",
            f"n - 1 - {i}", f"{i} + n", f"{i} + n / 2", f"{i} / 2", f"{i} % 4", f"{c}", f"2 * {i} + n", f"n - {c}",
        )
    )  # fmt: skip


def _affine(rng: Random) -> tuple[str, list[Event]]:
    """A loop over threads with one or two statements, and conditions perhaps."""
    first, step = rng.choice((2, 2, 3)), rng.choice((1, 1, 1, 2, 3))
    size = rng.choice(("n", "n", "N", str(ITERATIONS)))
    sizes = _SIZES if size == "n" else (ITERATIONS,)
    lines, events = [], []
    for _ in range(rng.choice((1, 1, 2))):
        guard = rng.choice(_GUARDS)
        target, sources = (rng.choice("AB"), _subscript(rng)), [(rng.choice("ABC"), _subscript(rng)) for _ in range(2)]
        used = sources[: rng.choice((1, 2))]
        value = " + ".join(f"{a}[{s}]" for a, s in used)
        operator = rng.choice(("=", "=", "+="))
        lines.append((f"if ({guard})\n        " if guard else "") + f"{target[0]}[{target[1]}] {operator} {value}; //~")
        for n, i in ((m, k) for m in sizes for k in range(first, m, step)):
            if not guard or _value(guard, n, i=i):
                for write, (array, subscript) in ((True, target), *((False, x) for x in used)):
                    events.append(Event((0, n), Who(1, i), (array, _value(subscript, n, i=i)), write))
    schedule = rng.choice(("", "", *(f" schedule({s})" for s in ("static", "static, 1", "dynamic", "guided"))))
    last = rng.choice(("i < n", "i < n", "i <= n - 1"))
    counted = "i++" if step == 1 else f"i += {step}"
    body = "\n    ".join(lines)
    if rng.random() < 0.15 and step == 1:
        first_line = f"for (int i = n - 1; i >= {first}; i--) {{"
    else:
        first_line = f"for (int i = {first}; {last}; {counted}) {{"
    if rng.random() < 0.25:
        text = f"#pragma omp parallel\n{{\n#pragma omp for{schedule}\n{first_line}\n    {body}\n}}\n}}"
    else:
        text = f"#pragma omp parallel for{schedule}\n{first_line}\n    {body}\n}}"
    return _words(text, {"n": size}), events


def _words(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\b\w+\b", lambda found: names.get(found[0], found[0]), text)


def _square(rng: Random) -> tuple[str, list[Event]]:
    """Loops over a square, of which one or both are over threads."""

    def pair() -> tuple[str, str]:
        x = rng.choice(("i", "i", "i", "i - 1", "i + 1", "0"))
        y = rng.choice(("j", "j", "j", "j - 1", "j + 1", "i"))
        return (y, x) if rng.random() < 0.25 else (x, y)

    target, sources = pair(), [pair() for _ in range(rng.choice((1, 2)))]
    over = rng.choice(("outer", "outer", "both", "inner"))
    rows, low, high = (range(1, SIDE - 1), "1", "SIDE - 1")
    triangle = over != "both" and rng.random() < 0.2
    guard = rng.choice(("", "", "", "i != j", "j > i", "i == 3", "j % 2 == 0"))
    events = []
    for i in rows:
        for j in range(i if triangle else 1, SIDE - 1):
            if guard and not _value(guard, i=i, j=j):
                continue
            part: Hashable = {"outer": i, "both": (i, j), "inner": j}[over]
            for write, (x, y) in ((True, target), *((False, s) for s in sources)):
                place = ("M", _value(x, i=i, j=j), _value(y, i=i, j=j))
                events.append(Event((i if over == "inner" else 0, 0), Who(1, part), place, write))
    statement = f"M[{target[0]}][{target[1]}] = {' + '.join(f'M[{x}][{y}]' for x, y in sources)} + 1; //~"
    statement = (f"if ({guard})\n            " if guard else "") + statement
    outer, inner = f"for (int i = {low}; i < {high}; i++)", f"for (int j = {'i' if triangle else '1'}; j < {high}; j++)"
    if over == "inner":
        return f"{outer} {{\n#pragma omp parallel for\n    {inner}\n        {statement}\n}}", events
    clause = " collapse(2)" if over == "both" else ""
    return f"#pragma omp parallel for{clause}\n{outer}\n    {inner}\n        {statement}", events


# --- regions


class _Region(Struct):
    """A region as it is written: its lines, and the events of them."""

    rng: Random
    lines: list[str] = []
    events: list[Event] = []
    phase: int = 0
    work: int = 0
    private: int = 0

    def add(
        self,
        who: list[Who],
        place: tuple[object, ...],
        write: bool,
        locks: str = "",
        atomic: bool = False,
        n: int | None = None,
    ) -> None:
        held = frozenset([locks] if locks else [])
        sizes = _SIZES if n is None else (n,)
        self.events += [Event((self.phase, each), w, place, write, held, atomic) for w in who for each in sizes]

    def again(self) -> Iterator[Event]:
        """What the region does when it is run once more by the same threads."""
        for event in self.events:
            phase, n = event.phase
            who = replace(event.who, work=event.who.work + self.work) if event.who.work else event.who
            yield replace(event, phase=(phase + self.phase, n), who=who)

    def everyone(self) -> list[Who]:
        return [Who(0, t) for t in range(TEAM)]

    def item(self) -> None:
        self.work += 1
        kinds = (self._loop,) * 4 + (self._one,) * 3 + (self._barrier,) * 3 + (self._held,) * 2
        self.rng.choice((*kinds, self._atomic, self._own, self._own, self._plain, self._sections))()

    def _loop(self) -> None:
        nowait = self.rng.random() < 0.5
        schedule = self.rng.choice(("", " schedule(static)", " schedule(static)", " schedule(dynamic)"))
        static = "static" if schedule == " schedule(static)" else ""
        (a, x), (b, y) = ((self.rng.choice("ABC"), _subscript(self.rng)) for _ in range(2))
        self.lines += [
            f"#pragma omp for{schedule}{' nowait' * nowait}",
            f"for (int i = 2; i < n; i++) {{ {a}[{x}] = {b}[{y}] + 1; //~",
            "}",
        ]
        for n, i in ((m, k) for m in _SIZES for k in range(2, m)):
            who = [Who(self.work, i, static)]
            self.add(who, (a, _value(x, n, i=i)), True, n=n)
            self.add(who, (b, _value(y, n, i=i)), False, n=n)
        self.phase += not nowait

    def _one(self) -> None:
        master = self.rng.random() < 0.4
        nowait = master or self.rng.random() < 0.4
        self.lines += ["#pragma omp master" if master else f"#pragma omp single{' nowait' * nowait}"]
        who = [Who(0, 0)] if master else [Who(self.work)]
        if self.rng.random() < 0.5:
            a, k = self.rng.choice("ABC"), self.rng.randint(0, 30)
            self.lines += [f"{{ {a}[{k}] = 1; }} //~"]
            self.add(who, (a, k), True)
        else:
            s, t = self.rng.choice("ST"), self.rng.choice("ST")
            self.lines += [f"{{ {s} = {t} + 1; }} //~"]
            self.add(who, (s,), True)
            self.add(who, (t,), False)
        self.phase += not nowait

    def _barrier(self) -> None:
        self.lines += ["#pragma omp barrier"]
        self.phase += 1

    def _held(self) -> None:
        name, s = self.rng.choice(("", "", "(one)", "(two)")), self.rng.choice("ST")
        self.lines += [f"#pragma omp critical{name}", f"{{ {s} += 1; }} //~"]
        self.add(self.everyone(), (s,), True, f"critical{name}")

    def _atomic(self) -> None:
        self.private += 1
        v = f"v{self.private}"
        kind, line = self.rng.choice((("", "U++;"), ("", "U += 2;"), (" read", f"{v} = U;"), (" write", "U = 3;")))
        declared = [f"int {v};"] if "v" in line else []
        plain = self.rng.random() < 0.15
        self.lines += [*declared, *([] if plain else [f"#pragma omp atomic{kind}"]), f"{line} //~"]
        self.add(self.everyone(), ("U",), kind != " read", atomic=not plain)

    def _own(self) -> None:
        a, shift = self.rng.choice("ABC"), self.rng.choice((0, 0, 1))
        write = self.rng.random() < 0.6
        self.private += 1
        place = f"{a}[omp_get_thread_num(){f' + {shift}' * bool(shift)}]"
        self.lines += [f"{place} = 1; //~" if write else f"double v{self.private} = {place}; //~"]
        for t in range(TEAM):
            self.add([Who(0, t)], (a, t + shift), write)

    def _plain(self) -> None:
        self.private += 1
        s = self.rng.choice("ST")
        write = self.rng.random() < 0.2
        self.lines += [f"{s} = 2; //~" if write else f"double v{self.private} = {s}; //~"]
        self.add(self.everyone(), (s,), write)

    def _sections(self) -> None:
        nowait = self.rng.random() < 0.4
        self.lines += [f"#pragma omp sections{' nowait' * nowait}", "{"]
        for k in range(2):
            s = self.rng.choice("ST" if self.rng.random() < 0.4 else "ST"[k])
            self.lines += ["#pragma omp section", f"{{ {s} += 1; //~", "}"]
            self.add([Who(self.work, k)], (s,), True)
        self.lines += ["}"]
        self.phase += not nowait


def _region(rng: Random) -> tuple[str, list[Event]]:
    region = _Region(rng)
    for _ in range(rng.choice((2, 3, 3, 4, 5))):
        region.item()
    lines = "\n".join(line if line.startswith("#") else f"    {line}" for line in region.lines)
    if rng.random() < 0.7:
        return f"#pragma omp parallel\n{{\n{lines}\n}}", region.events
    return f"#pragma omp parallel\nfor (int k = 0; k < 2; k++) {{\n{lines}\n}}", [*region.events, *region.again()]


def programs(seed: str, first: int, count: int, size: int, kinds: tuple[str, ...] = ()) -> Iterator[Program]:
    return (generated(f"{seed}-{k}", size, kinds) for k in range(first, first + count))
