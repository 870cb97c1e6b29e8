"""Trip counts of loops over narrow variables, against counting in C's modular arithmetic: where a variable steps over
its bound and out of its type, the loop goes on from the other end, and no count may be called exact that missed it."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Count, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import num

RANGES = {
    "unsigned char": (0, 255),
    "signed char": (-128, 127),
    "unsigned short": (0, 65535),
    "short": (-32768, 32767),
}
HOLDS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "!=": lambda a, b: a != b,
}
STEPS = (1, -1, 2, -2, 3, -3, 7, 10, -10, 50, 100)
ENDLESS = 3000
CASES = 400


class Case(Struct, frozen=True):
    """One loop over constants; `kind`: `for`, `do`, `while (i++ ...)`, or `while (++i ...)`."""

    kind: str
    type: str
    start: int
    relation: str
    bound: int
    step: int

    def text(self, name: str) -> str:
        s, test = self, f"{self.relation} {self.bound}"
        body = {
            "for": f"for (i = {s.start}; i {test}; i += {s.step}) c++;",
            "do": f"i = {s.start}; do {{ c++; i += {s.step}; }} while (i {test});",
            "before": f"i = {s.start}; while ({'++' if s.step > 0 else '--'}i {test}) c++;",
            "while": f"i = {s.start}; while (i{'++' if s.step > 0 else '--'} {test}) c++;",
        }[s.kind]
        return f"int {name}(void) {{ int c = 0; {s.type} i; {body} return c; }}"

    def trips(self) -> int | None:
        """How often the body runs; None: not within reason."""
        low, high = RANGES[self.type]
        value, done = self.start, 0
        while done < ENDLESS:
            old, value = value, (value + self.step - low) % (high - low + 1) + low
            seen = value if self.kind in ("do", "before") else old
            goes_on = HOLDS[self.relation](seen, self.bound)
            if self.kind == "do":
                done += 1
            if not goes_on:
                return done
            if self.kind != "do":
                done += 1
        return None


def _cases() -> Iterator[Case]:
    rng = random.Random("narrow counters")
    for _ in range(CASES):
        type_ = rng.choice(list(RANGES))
        low, high = RANGES[type_]
        start = rng.choice((low, high, max(low, 0), rng.randint(low, high), max(low, rng.randint(-20, 20))))
        bound = rng.choice((low, high - 1, 0, rng.randint(low, high), start + rng.randint(-40, 40)))
        kind = rng.choice(("for", "for", "do", "while", "before"))
        step = rng.choice(STEPS[:2] if kind in ("while", "before") else STEPS)
        yield Case(kind, type_, start, rng.choice(list(HOLDS)), bound, step)


def _facts(text: str) -> dict[str, tuple]:  # type: ignore[type-arg]
    found = analyze_file(Path("/t.c"), SourceOptions(), AnalysisOptions(), Path("/"), text)
    return {f.function.name: f.loops for f in found.functions}


def test_no_exact_trip_count_misses_a_variable_that_starts_again() -> None:
    cases = {f"f{k}": c for k, c in enumerate(_cases())}
    loops = _facts("\n".join(c.text(name) for name, c in cases.items()))
    compared, wrong = 0, []
    for name, case in cases.items():
        counted, truth = loops[name][0].counts.trip_count, case.trips()
        if truth is None or counted is None or counted.expr is None or not counted.exact:
            continue
        compared += 1
        if str(counted.expr) != str(truth):
            wrong.append(f"{case.text(name)} runs {truth} times, not {counted.expr}")
    assert not wrong, "\n".join(wrong)
    assert compared > CASES / 3


def test_a_step_over_the_end_of_the_type_is_no_proof() -> None:
    loops = _facts("""
        double a[100], b[256];
        void twice(void) { for (unsigned char i = 0; i < 253; i += 10) a[i / 10] = i; }
        void once(void) { for (unsigned char i = 0; i < 250; i += 10) a[i / 10] = i; }
        void maybe(unsigned n, double *x) { for (unsigned i = 0; i < n; i += 10) x[i / 10] = i; }
        void never(unsigned n, double *x) { for (unsigned i = 0; i < n; i++) x[i] = i; }
        void down(unsigned n, double *x) { for (unsigned i = n; i-- > 0;) x[i] = i; }
        void from_above(int n, double *x) { for (int i = -1; i < (unsigned)n; i++) x[i + 1] = i; }
        void never_over(double *x) { for (signed char i = -1; i < 125u; i += 10) x[i + 1] = i; }
        void inner(int n, double *x) {
            for (unsigned char i = 2; i < 254; i += 5) for (int j = i; j < n; j++) x[i] = j;
        }
        void round_again(void) { for (unsigned char i = 1; i != 0; i++) b[i] = i; }
    """)

    def answer(name: str) -> tuple[Verdict, list[str]]:
        loop = loops[name][0]
        return loop.parallelism.verdict, [a.kind for a in loop.parallelism.assumptions]

    assert answer("twice")[0] is not Verdict.YES
    assert answer("once") == (Verdict.YES, [])
    assert answer("maybe") == (Verdict.YES, ["no-overflow"])
    assert answer("never") == (Verdict.YES, [])
    assert answer("down") == (Verdict.YES, [])
    assert loops["round_again"][0].counts.trip_count == Count(num(255))
    assert loops["from_above"][0].counts.trip_count is None
    assert loops["never_over"][0].counts.trip_count is None
    assert answer("never_over")[0] is not Verdict.YES
    outer, inner = (loop.counts.trip_count for loop in loops["inner"])
    assert outer is None
    assert str(inner and inner.expr).startswith("max(0, n - i@")


def test_stepping_a_variable_that_starts_again_is_still_loop_control() -> None:
    code = "void f(double *a) { unsigned char i = 2; while (i < 254) { a[i] = 0; i += 10; } }\n"
    facts = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), None, code)
    counts = facts.functions[0].loops[0].counts
    assert counts.int_ops is not None
    assert str(counts.int_ops.expr) == "0"


def test_bounds_inside_rest_on_a_narrow_variable_that_does_not_start_again() -> None:
    loops = _facts("""
        void walks(float *x, int n, int m) {
            unsigned char d = 1;
            for (int i = 0; i < n; i++) { d += 2; for (int j = d; j < m; j++) x[j] += i; }
        }
        void tested(float *x, int m, int s) {
            unsigned char q = s;
            while (q < 254) { for (int j = q; j < m; j++) x[j] += 1; q += 10; }
        }
        void apart(float *x, int n, int m) {
            unsigned char d = 1;
            for (int i = 0; i < n; i++) { d += 2; for (int j = 0; j < m; j++) x[j] += d; }
        }
    """)

    def rests_on(name: str) -> list[tuple[str, ...]]:
        found = [loop.counts.stores for loop in loops[name]]
        return [c.assumptions for c in found if c is not None and c.exact]

    assert rests_on("walks") == [("no-overflow(d)",), ("no-overflow(d)",)]
    assert rests_on("tested") == [("no-overflow(q)",), ("no-overflow(q)",)]
    assert rests_on("apart") == [(), ()]
