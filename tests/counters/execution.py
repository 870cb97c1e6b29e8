"""Compiles all headers with gcc and runs each with a table of inputs.

A run is stopped after `CAP` iterations, those of narrow variables after `ROUND`: these have wrapped by then, if
ever. One that overflows a signed type is not defined, and says nothing: gcc makes such an overflow a trap.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .headers import BITS, SIGNED, Header

CAP = 700
ROUND = 70_000
MOST_ASSUMED = 24
"""Assumptions of one header that are held against its runs."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the loop that `counter` belongs to, at these inputs (`i`: of the loop around it). `iterations`:
    None when it was stopped. `conflict`: an iteration reads what another one writes. `broken`: bits, which of the
    assumptions do not hold; `wrapped`: the counter did not always move by its step."""

    header: int
    inputs: Mapping[str, int]
    iterations: int | None
    low: int
    high: int
    conflict: bool
    wrapped: bool
    broken: int


RUNTIME = f"""
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
typedef __int128 wide;
#define CAP {CAP}
static sigjmp_buf undefined;
static void trapped(int signal) {{ (void)signal; siglongjmp(undefined, 1); }}
static int count, conflict, wrapped; static unsigned broken; static wide low, high, last;
static wide written[CAP + 1], read[CAP + 1]; static int reads, step, most;
static void enter(wide before, int moves, int bits) {{
    most = bits < 32 ? {ROUND} : CAP; count = conflict = wrapped = reads = 0; broken = 0; last = before; step = moves;
}}
static int iteration(wide v) {{
    if (count == most) return 1;
    if (!count || v < low) low = v;
    if (!count || v > high) high = v;
    wrapped |= v - last != step;
    last = v;
    if (count < CAP) written[count] = v;
    count++;
    return 0;
}}
static void show(wide v) {{ printf(" %s%lu", v < 0 ? "-" : "", (unsigned long)(v < 0 ? -v : v)); }}
#define SLOTS 4096
static int slot[SLOTS];
static unsigned place(wide v) {{ return (unsigned)((unsigned long)v * 0x9E3779B97F4A7C15ul >> 52); }}
static void conflicts(void) {{
    for (int k = 0; k < SLOTS; k++) slot[k] = -1;
    for (int k = 0; k < count && k < CAP; k++) {{
        unsigned at = place(written[k]);
        while (slot[at] >= 0 && written[slot[at]] != written[k]) at = (at + 1) % SLOTS;
        if (slot[at] < 0) slot[at] = k;
    }}
    for (int k = 0; k < reads; k++) {{
        unsigned at = place(read[k]);
        while (slot[at] >= 0 && written[slot[at]] != read[k]) at = (at + 1) % SLOTS;
        if (slot[at] >= 0 && slot[at] != k) conflict = 1;
    }}
}}
static void leave(int f, wide n, wide m, wide i, wide end, int stopped) {{
    if (count && !stopped) wrapped |= end - last != step;
    conflicts();
    printf("%d %d", f, stopped ? -1 : count);
    show(n); show(m); show(i); show(low); show(high);
    printf(" %d %d %u\\n", conflict, wrapped, broken);
}}
"""


def execute(headers: Sequence[Header], assumed: Sequence[Sequence[str]], work: Path) -> Iterator[Entry]:
    """The entries of the loops of all headers; `assumed`: the arithmetic that each is said not to wrap in."""
    for first in range(0, len(headers), 4000):
        part = range(first, min(first + 4000, len(headers)))
        source, program = work / "counters.c", work / "counters"
        source.write_text(RUNTIME + "".join(_function(k, headers[k], assumed[k]) for k in part) + _main(headers, part))
        quiet = ["-w", "-O0", "-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"]
        subprocess.run(["gcc", *quiet, "-o", str(program), str(source)], check=True)
        run = subprocess.run([str(program)], check=True, capture_output=True, text=True)
        yield from map(_entry, run.stdout.splitlines())


def _entry(line: str) -> Entry:
    f, count, n, m, i, low, high, conflict, wrapped, broken = map(int, line.split())
    inputs, often = {"n": n, "m": m, "i": i}, None if count < 0 else count
    return Entry(f, inputs, often, low, high, bool(conflict), bool(wrapped), broken)


def _function(number: int, h: Header, assumed: Sequence[str]) -> str:
    v = h.counter
    every = {k: f"broken |= ({_breaks(t, h)}) << {k}" for k, t in enumerate(assumed) if not h.is_step(t)}
    checks = ", ".join(every.values()) or "0"
    ended = "".join(f"{check}; " for k, check in every.items() if re.search("[<>=]", assumed[k]))
    begin = f"enter((wide){v} - ({h.step - h.lead}), {h.step}, {BITS[h.type]})"
    reads = f"if (reads < CAP) read[reads++] = (wide)({h.reads});" if h.reads else ""
    body = f"{{ {checks}; if (iteration((wide){v})) {{ stopped = 1; goto over; }} {reads} }}"
    start = f", {begin}, {checks}" if h.text.startswith("for") else f"{begin}, {checks};"
    outer = "i" if h.nested else "0"
    leave = f"{ended}leave({number}, n, m, {outer}, {v}, stopped);"
    text = h.text.format(d="", o="", s=start, b=body)
    if h.nested:
        inside = text.index("for", 3)
        text = f"{text[:inside]} {{ stopped = 0; {text[inside:]} over: {leave} if (stopped || ++entries > 40) break; }}"
        leave = ""
    declared = f"{h.type} i, j; " if h.nested else f"{h.type} i; " if text.startswith("for") else ""
    over = "" if h.nested else "over: ;"
    body = f"int stopped = 0, entries = 0; {declared}{text} {over} {leave}"
    return f"static void f{number}({h.type} n, {h.other} m) {{ {body} }}\n"


def _breaks(text: str, h: Header) -> str:
    """Whether arithmetic of the program has another value, or a comparison another result, than without a modulo. The
    counter of a test that steps (`i-- > 0`) has made its step already."""
    for step, back in (("++", "-"), ("--", "+")):
        text = text.replace(f"{step}{h.counter}", h.counter)
        text = text.replace(f"{h.counter}{step}", f"(({h.type})({h.counter} {back} 1))")
    assigned = re.fullmatch(r"([ij]) = (.*)", text)
    if assigned:
        text = f"({h.type})({assigned[2]})"
    whole = re.fullmatch(r"\([a-z ]+\)\((.*)\)", text)
    exact = whole[1] if whole else text
    exact = re.sub(r"\b([nmij])\b", r"((wide)\1)", exact)
    return f"(wide)({text}) != (wide)({exact})"


def values(type_: str) -> list[int]:
    """Small ones, ones near the limits of a type, and ones near the limits of narrower types."""
    bits = BITS[type_] - (type_ in SIGNED)
    most = (1 << bits) - 1
    found = [0, 1, 2, 3, 5, 8, 100, 127, 128, 254, 255, 256, 300, most - 7, most - 1, most, most // 2, most // 2 + 1]
    negative = [-1, -2, -most - 1] if type_ in SIGNED else []
    return [*dict.fromkeys(v for v in found if 0 <= v <= most), *negative]


def _main(headers: Sequence[Header], part: range) -> str:
    tables = "".join(
        f"static const {t} v{k}[] = {{{', '.join(_literal(v, t) for v in values(t))}}};\n" for k, t in enumerate(BITS)
    )
    which = {t: k for k, t in enumerate(BITS)}
    calls = []
    for k in part:
        h = headers[k]
        a, b = which[h.type], which[h.other]
        many = f"b < (int)(sizeof v{b} / sizeof *v{b})" if "m" in h.names else "b < 1"
        calls.append(
            f"for (int a = 0; a < (int)(sizeof v{a} / sizeof *v{a}); a++) for (int b = 0; {many}; b++)"
            f" if (!sigsetjmp(undefined, 1)) f{k}(v{a}[a], v{b}[b]);\n"
        )
    start = 'signal(SIGILL, trapped); static char buffer[1 << 16]; setvbuf(stdout, buffer, _IOFBF, sizeof buffer);'
    return f"{tables}int main(void) {{ {start}\n{''.join(calls)}return 0; }}\n"


def _literal(value: int, type_: str) -> str:
    if type_ == "long" and value == -(1 << 63):
        return "-9223372036854775807 - 1"
    return f"{value}{'ul' if type_ == 'unsigned long' else ''}"
