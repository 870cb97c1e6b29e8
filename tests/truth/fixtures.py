"""Runs the functions of C files of our own against what the analyser says of their loops.

`python -m tests.truth.fixtures FILE...` (default: all fixtures). Arguments are made up from their types, at
several sizes; large constants of `#define` are reduced where a run would take too long. What cannot be run is counted,
with its reason.
"""

import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pycparser import c_ast

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions

from . import nest as n
from .c_types import NotCoveredError, Types
from .from_c import Converter, functions, globals_of, safe
from .judge import Judge, Tally
from .machine import scalars_of, size_of
from .parts import parsed

HERE = Path(__file__).resolve().parents[2] / "fixtures" / "c"
PRELUDE = """
typedef unsigned long size_t; typedef long ptrdiff_t; typedef signed char int8_t; typedef unsigned char uint8_t;
typedef short int16_t; typedef unsigned short uint16_t; typedef int int32_t; typedef unsigned int uint32_t;
typedef long int64_t; typedef unsigned long uint64_t;
#define NULL 0
"""
TICKS = 2_500
MOST_BYTES = 4_000_000
"""Memory of a nest: every run fills and copies all of it."""
REDUCTIONS = ((16, 24), (128, 7), (2048, 24))
ROWS, WIDTH = 24, 40


@dataclass(slots=True)
class Shares:
    """How much of the files was run."""

    tally: Tally = field(default_factory=Tally)
    loops: int = 0
    run: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    def loops_of(self, functions: set[str]) -> int:
        return sum(self.sizes[name] for name in functions)


def judge_files(paths: Iterable[Path]) -> Shares:
    """Every function of these files that the executor can express, at its own sizes or at reduced ones."""
    shares = Shares()
    for path in paths:
        text, started = path.read_text(), time.process_time()
        late = _judge_text(path, text, shares, None)
        for divisor, least in REDUCTIONS if late else ():
            late = _judge_text(path, reduced(text, divisor, least), shares, late)
        shares.reasons["too long"] += shares.loops_of(late)
        shares.seconds[path.name] = time.process_time() - started
    return shares


def _judge_text(path: Path, text: str, shares: Shares, only: set[str] | None) -> set[str]:
    """The names of the functions whose runs took too long."""
    facts = _facts(path, text)
    late: set[str] = set()
    if only is None:
        shares.loops += sum(map(len, facts.values()))
    nests = dict(_nests(path, text))
    for name, loops in facts.items():
        if not loops or (only is not None and name not in only):
            continue
        nest = nests.get(name, "function that pycparser does not read")
        if isinstance(nest, n.Nest):
            found = _judge(nest, loops, shares.tally)
            if found == "too long":
                late.add(name)
                shares.sizes[name] = len(loops)
                continue
            nest = found
        if nest == "":
            shares.run += len(loops)
        else:
            shares.reasons[str(nest)] += len(loops)
    return late


def _judge(nest: n.Nest, loops: tuple[LoopFacts, ...], tally: Tally) -> str:
    """Why this said nothing; empty when it did."""
    if len(loops) != len(n.loops(nest.body)):
        return "loops in another order"
    if sum(size_of(s.type) * s.elements for s in nest.storage) > MOST_BYTES:
        return "too long"
    mine = Tally()
    try:
        judge = Judge(nest, loops, mine)
    except (AttributeError, TypeError, KeyError, AssertionError, SyntaxError, NotCoveredError) as error:
        return f"not expressed: {type(error).__name__} {error}"
    if not judge.runs:
        return "too long" if mine.numbers["runs too long"] else "every run is undefined"
    judge.judge()
    tally.numbers.update(mine.numbers)
    tally.findings.extend(mine.findings)
    return ""


def _facts(path: Path, text: str) -> dict[str, tuple[LoopFacts, ...]]:
    found = analyze_file(path, SourceOptions(compiler=shutil.which("gcc")), AnalysisOptions(), path.parent, text)
    return {f.function.name: f.loops for f in found.functions}


def reduced(text: str, divisor: int, least: int) -> str:
    """Sizes of `#define` divided, but not below a least one."""

    def smaller(m: re.Match[str]) -> str:
        return m[1] + str(max(int(m[2]) // divisor, min(int(m[2]), least)))

    return re.sub(r"(?m)^(\s*#\s*define\s+\w+\s+)(\d+)\b", smaller, text)


def macros(text: str) -> dict[str, int]:
    return {m[1]: int(m[2]) for m in re.finditer(r"(?m)^\s*#\s*define\s+(\w+)\s+(\d+)\b", text)}


def _nests(path: Path, text: str) -> Iterator[tuple[str, n.Nest | str]]:
    plain = re.sub(r"(?m)^[ \t]*#[ \t]*include.*$", "", text)
    whole = f'{PRELUDE}\n# 1 "{path.name}"\n{plain}'
    command = ["gcc", "-E", "-w", "-"]
    found = subprocess.run(command, input=whole, capture_output=True, text=True, timeout=60, check=True)
    file = parsed(re.sub(r"\b__(inline|const|restrict)(__)?\b", r"\1", found.stdout), path.name)
    types = Types()
    outer = dict(globals_of(file, types))
    for name, node in functions(file).items():
        try:
            yield name, _nest(path, node, types, outer, functions(file), macros(text))
        except NotCoveredError as error:
            yield name, str(error)
        except (AttributeError, TypeError, ValueError, KeyError, AssertionError, StopIteration) as error:
            yield name, f"not expressed: {type(error).__name__} {error}"


def _nest(
    path: Path,
    node: c_ast.FuncDef,
    types: Types,
    outer: dict[str, n.Type | NotCoveredError],
    others: dict[str, c_ast.FuncDef],
    constants: dict[str, int],
) -> n.Nest:
    good = {name: t for name, t in outer.items() if not isinstance(t, NotCoveredError)}
    converter = Converter(types, good, others)
    params, result, body = converter.function(node)
    used = {name: good[name] for name in sorted(converter.used & set(good))}
    indices = {
        v.name
        for s in n.walk_all(body)
        if isinstance(s, n.Index)
        for x in n.walk(s.at)
        if isinstance(x, n.Load)
        for v in (x.spot.base,)
    }
    storage, globals_ = [], []
    for name, t in used.items():
        if isinstance(t, n.Num):
            globals_.append(n.Var(safe(name), t))
        elif all(isinstance(x, n.Num) for _, x in scalars_of(_element(t))):
            role = "index" if safe(name) in indices and not isinstance(t, n.Struct) else "data"
            storage.append(n.Storage(safe(name), t, 1, role=role, scope="global"))
        else:
            raise NotCoveredError("pointers in a global")
    members: list[str] = []
    for p in params:
        if isinstance(p.type, n.Ptr):
            storage += _objects(p, p.name in indices, _is_array(p, body), members)
    storage += [n.Storage(v.name, v.type, 1, scope="local") for v in converter.arrays]
    names = [p.name for p in params if isinstance(p.type, n.Num) and not p.type.floating]
    return n.Nest(
        node.decl.name,
        f"{path.name}:{node.decl.name}",
        params,
        tuple(storage),
        tuple(globals_),
        tuple(converter.helpers.values()),
        body,
        result,
        tuple(s | constants for s in _sizes(node.decl.name, [*names, *members])),
        ticks=TICKS,
    )


def _element(t: n.Type) -> n.Type:
    while isinstance(t, n.Arr):
        t = t.of
    return t


def _is_array(p: n.Var, body: tuple[n.Stmt, ...]) -> bool:
    """Whether more than what the pointer points to is used."""

    def moves(x: object) -> bool:
        match x:
            case n.Spot(base=base, steps=(n.Index(), *_)) | n.PtrAdd(base=base) | n.Assign(target=base):
                return base == p
            case _:
                return False

    return any(moves(x) for x in n.walk_all(body))


def _objects(p: n.Var, index: bool, many: bool, members: list[str]) -> list[n.Storage]:
    """What a pointer parameter leads to. `many`: the function treats it as an array."""
    assert isinstance(p.type, n.Ptr)
    match p.type.to:
        case n.Num() as t:
            return [n.Storage(p.name, t, 4096, 64, "index" if index else "data")]
        case n.Ptr(to=n.Num() as t):
            return [
                n.Storage(p.name, n.Ptr(t), ROWS, 0, "rows"),
                n.Storage(f"{p.name}_rows", t, ROWS * WIDTH),
            ]
        case n.Arr() as t:
            return [n.Storage(p.name, _element(t), 8192, 64)]
        case n.Struct() as t if many and all(isinstance(x, n.Num) for _, x in scalars_of(t)):
            return [n.Storage(p.name, t, 400, 16)]
        case n.Struct(members=parts) as t:
            found = [n.Storage(p.name, t, 1, 0, "vector")]
            for member, held, _ in parts:
                match held:
                    case n.Ptr(to=n.Num() as to):
                        found.append(n.Storage(f"{p.name}_{member}", to, 4096, 64))
                    case n.Num(floating=False):
                        members.append(f"{p.name}->{member}")
                    case n.Num():
                        pass
                    case n.Arr() as t if all(isinstance(x, n.Num) for _, x in scalars_of(t)):
                        pass
                    case _:
                        raise NotCoveredError("structure of structures with pointers")
            return found
        case _:
            raise NotCoveredError("pointer to pointers to what is no number")


def _sizes(name: str, names: list[str]) -> Iterator[dict[str, int]]:
    """Equal small values, then different ones; the last ones are larger."""
    rng = random.Random(name)
    for value in (3, 1, 0) if names else ():
        yield dict.fromkeys(names, value)
    for top in (6, 9, 13, 13, 25, 40) if names else (1,):
        yield {k: rng.randrange(top) for k in names}


def main(arguments: list[str]) -> int:
    shares = judge_files([Path(a).resolve() for a in arguments] or sorted(HERE.glob("*.c")))
    for finding in shares.tally.findings:
        if finding.kind != "missed":
            print(finding)
    print(report(shares))
    return int(any(shares.tally.of(kind) for kind in ("parallel", "count", "unlisted")))


def report(shares: Shares) -> str:
    lines = [f"loops of the files {shares.loops}, run {shares.run} ({100 * shares.run / max(shares.loops, 1):.1f} %)"]
    lines += [f"  not run: {count:4} {reason}" for reason, count in shares.reasons.most_common()]
    lines += [f"  {name} {seconds:.1f} s" for name, seconds in shares.seconds.items() if seconds > 2]
    lines += [f"{k:55} {v:9}" for k, v in sorted(shares.tally.numbers.items())]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
