"""Random loops over arrays of containers, each with memory of its own, run in other orders of their iterations.

`python -m tests.analyzer.dependence.containers -n 2000 --seed 1` writes programs that allocate, release, move and share
the memory behind members of structures, analyses them, and runs each loop with the iterations in order, from the end
on, and mixed, with an address sanitiser. A loop is wrong that is said to be parallel and leaves other numbers behind,
or uses memory that was released, in another order. What uses such memory in order has no meaning, and is not judged.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TypeAlias

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Verdict
from analyzer.ir.nodes import Variable
from analyzer.settings.options import AnalysisOptions, SourceOptions

BATCH = 40
ROUNDS = tuple(f"for (int q = 0; q < n; q++) {{ int i = {i};" for i in ("q", "n - 1 - q", "(q * 5 + 3) % n"))
"""Orders in which each iteration comes once: n has no factor 5."""

HEAD = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
struct list { int count, room; double *v; int *k; };
struct box { struct list *lists; int *at; };
static void fill(struct list *l, int from, double x) { for (int j = from; j < l->room; j++) l->v[j] = x + j; }
static void push(struct list *l, double x)
{
    if (l->count == l->room) {
        l->room = 2 * l->room + 1;
        l->v = realloc(l->v, l->room * sizeof(double));
        fill(l, l->count, 0);
    }
    l->v[l->count++] = x;
}
static void renew(struct list *l, int room, double x)
{
    free(l->v);
    l->v = malloc(room * sizeof(double));
    l->room = room;
    if (l->count > room)
        l->count = room;
    fill(l, 0, x);
}
"""

MAIN = r"""
enum { N = 16 };
static struct list *lists(double x)
{
    struct list *l = malloc((N + 1) * sizeof(struct list));
    for (int i = 0; i <= N; i++) {
        l[i] = (struct list){i % 3, 4 + i % 2, malloc(64 * sizeof(double)), malloc(4 * sizeof(int))};
        for (int j = 0; j < 64; j++)
            l[i].v[j] = x * i + j;
        for (int j = 0; j < 4; j++)
            l[i].k[j] = (i * 3 + j) % N;
    }
    return l;
}
static void show(struct list *l)
{
    for (int i = 0; i <= N; i++) {
        printf("%d %d", l[i].count, l[i].room);
        for (int j = 0; j < 3; j++)
            printf(" %g", l[i].v ? l[i].v[j] : -1);
        printf("\n");
    }
}
int main(int argc, char **argv)
{
    int f = atoi(argv[1]);
    struct box a = {lists(0.5), malloc((N + 1) * sizeof(int))}, b = {lists(2), malloc((N + 1) * sizeof(int))};
    double out[N + 1] = {0};
    for (int i = 0; i <= N; i++)
        a.at[i] = (i * 7) % N, b.at[i] = i / 2;
    run[f](N, &a, &b, out);
    show(a.lists);
    show(b.lists);
    for (int i = 0; i <= N; i++)
        printf("%g ", out[i]);
    return 0;
}
"""

INDICES = ("i",) * 9 + ("i + 1", "i / 2", "0", "a->at[i]", "b->at[i]", "n - 1 - i", "i - 1 + !i")


def before(r: random.Random) -> str:
    """What the function has done to the containers before the loop: nothing mostly."""
    each = "for (int i = 0; i <= n; i++)"
    block = "double *all = calloc(8 * n + 80, 8);"
    shared = (
        f"{{ {block} {each} a->lists[i].v = all + 8 * i; }}",
        f"{{ {block} {each} a->lists[i].v = all + 9 * i; }}",
        f"{each} a->lists[i].v = b->lists[i].v;",
        f"{each} a->lists[i] = b->lists[i];",
        "a->lists[1].v = a->lists[0].v;",
        f"{each} a->lists[i].v = calloc(9, 8);",
    )
    return r.choice(("",) * 6 + shared)


def body(r: random.Random) -> str:
    """The statements of one iteration."""
    def place() -> str:
        return f"{r.choice(('a', 'a', 'b'))}->lists[{r.choice(INDICES)}]"

    def statement() -> str:
        x, y, c = place(), place(), r.randrange(3)
        return r.choice((
            f"{x}.v[{c}] = i + 1;",
            f"{x}.v[8] = i + 1; {x}.v[0] += 2;",
            f"{x}.v[{c}] = {y}.v[{r.randrange(3)}] + 1;",
            f"out[i] += {x}.v[{c}];",
            f"renew(&{x}, {r.randrange(4, 9)}, i);",
            f"push(&{x}, i * {c} + 1);",
            f"if ({x}.room < 9) {{ {x}.v = realloc({x}.v, 9 * 8); fill(&{x}, {x}.room, i); }}",
            f"{{ double *old = {x}.v; {x}.v = malloc(72); memcpy({x}.v, old, 24); free(old); }}",
            f"{{ {x}.v = malloc(72); {x}.v[0] = {x}.v[1] = {x}.v[2] = i; }}",
            f"{{ struct list *l = &{x}; l->v = calloc(9, 8); l->count = {c}; }}",
            f"{x}.v = {y}.v;",
            f"{x} = {y};",
            f"{x}.count = {y}.count + i;",
            f"{{ free({x}.k); {x}.k = NULL; }}",
            f"free({x}.v); {x}.v = {r.choice(('NULL', 'malloc(72)', y + '.v'))};",
            f"if (i % 2) renew(&{x}, 6, i); else {y}.v[{c}] = i;",
        ))

    return " ".join(statement() for _ in range(r.randrange(1, 4)))


PARAMETERS = "(int n, struct box *a, struct box *b, double *out)"


Case: TypeAlias = tuple[str, str]
"""What stands before a loop, and its body."""


def analysed(cases: list[Case]) -> str:
    """Each body in a loop."""
    loops = (f"{first} for (int i = 0; i < n; i++) {{ {b} }}" for first, b in cases)
    return "\n".join((HEAD, *(f"void loop{k}{PARAMETERS} {{ {loop} }}" for k, loop in enumerate(loops))))


def executed(cases: list[Case]) -> str:
    """Each body in three orders, of which the program runs one."""
    orders = [
        f"static void order{k}_{o}{PARAMETERS} {{ {first} {head} {b} }} }}"
        for k, (first, b) in enumerate(cases)
        for o, head in enumerate(ROUNDS)
    ]
    names = ", ".join(f"order{k}_{o}" for k in range(len(cases)) for o in range(len(ROUNDS)))
    return "\n".join((HEAD, *orders, f"static void (*run[]){PARAMETERS} = {{{names}}};", MAIN))


def judged(cases: list[Case]) -> Counter[str]:
    """How many loops are said to be parallel, are, and are not; a wrong one is printed."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        source, run, binary = (Path(folder, name) for name in ("loops.c", "run.c", "run"))
        source.write_text(analysed(cases), encoding="utf-8")
        run.write_text(executed(cases), encoding="utf-8")
        command = ["gcc", "-w", "-O1", "-fsanitize=address", "-o", str(binary), str(run)]
        subprocess.run(command, check=True)
        facts = analyze_file(source, SourceOptions(), AnalysisOptions())
        outer = (loop for f in facts.functions for loop in f.loops if loop.parent is None)
        answers = {loop.id.split(":")[1]: loop.parallelism for loop in outer}  # of several, the last one
        for k, text in enumerate(cases):
            answer = answers[f"loop{k}"]
            copies = any(not isinstance(s.target, Variable) for s in answer.separated)  # with these it is another loop
            said = answer.verdict is Verdict.YES and not copies
            ran = [_ran(binary, k * len(ROUNDS) + o) for o in range(len(ROUNDS))]
            same = ran[0] is not None and all(each == ran[0] for each in ran)
            found.update(("loops", answer.verdict.value))
            found["without a meaning"] += ran[0] is None
            found["parallel"] += same
            found["parallel, and yes"] += same and said
            if said and ran[0] is not None and not same:
                found["wrong"] += 1
                print(f"wrong: {' '.join(text)}\n    {sorted(a.kind for a in answer.assumptions)}")
    return found


def _ran(binary: Path, number: int) -> str | None:
    quiet = {"ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([binary, str(number)], capture_output=True, text=True, check=False, env=quiet)
    return done.stdout if done.returncode == 0 else None


def campaign(count: int, seed: int) -> Counter[str]:
    total: Counter[str] = Counter()
    for first in range(0, count, BATCH):
        drawn = [random.Random(f"{seed} {k}") for k in range(first, min(first + BATCH, count))]
        total += judged([(before(r), body(r)) for r in drawn])
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    total = campaign(given.n, given.seed)
    print("\n".join(f"{name:20} {count:6}" for name, count in sorted(total.items())))
    return int(total["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
