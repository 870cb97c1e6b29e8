"""Returns from the middle of functions: what is written without them does the same, by execution."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pycparser import c_ast, c_generator, c_parser

from analyzer.loops.jumps import returns_are_structured
from analyzer.loops.returns import body_of

FUNCTIONS = 120
STARTS = 40


class _Bodies:
    """Functions of statements that nest in all ways, with a `return` anywhere."""

    def __init__(self, seed: int) -> None:
        self.random, self.names = random.Random(seed), 0

    def function(self, name: str) -> str:
        return f"int {name}(int a) {{ int s = a; {self.block(0, False, False)} return s; }}"

    def block(self, depth: int, in_loop: bool, in_switch: bool) -> str:
        length = self.random.randint(1, 4 - depth // 2)
        return " ".join(self.statement(depth, in_loop, in_switch) for _ in range(length))

    def condition(self) -> str:
        return f"((s ^ {self.random.randint(0, 7)}) & {self.random.choice((1, 2, 3, 4, 7))}) == 0"

    def counter(self) -> str:
        self.names += 1
        return f"i{self.names}"

    def statement(self, depth: int, in_loop: bool, in_switch: bool) -> str:
        simple = ["work", "work", "return", "declare"] + ["continue", "break"] * (in_loop and not in_switch)
        kind = self.random.choice(simple + ["if", "else", "for", "while", "do", "switch"] * (depth < 4))
        inner = self.block(depth + 1, in_loop, in_switch) if kind in ("if", "else") else ""
        k, last = self.counter(), self.random.randint(1, 4)
        match kind:
            case "work":
                return f"s = s * 3 + {self.random.randint(0, 9)};"
            case "declare":
                return f"int {k} = s % 5; s += {k};"
            case "return":
                return f"if ({self.condition()}) return s + {self.random.randint(0, 9)};"
            case "continue" | "break":
                return f"if ({self.condition()}) {kind};"
            case "if":
                return f"if ({self.condition()}) {{ {inner} }}"
            case "else":
                other = self.block(depth + 1, in_loop, in_switch)
                end = self.random.choice(("", "return 7;"))
                return f"if ({self.condition()}) {{ {inner} }} else {{ {other} {end} }}"
            case "for":
                return f"for (int {k} = 0; {k} < {last}; {k}++) {{ {self.block(depth + 1, True, False)} }}"
            case "while":
                return f"int {k} = 0; while ({k} < {last}) {{ {k}++; {self.block(depth + 1, True, False)} }}"
            case "do":
                return f"int {k} = 0; do {{ {self.block(depth + 1, True, False)} }} while (++{k} < {last});"
            case _:
                return f"switch (s & 3) {{ {' '.join(self.cases(depth))} }}"

    def cases(self, depth: int) -> Iterator[str]:
        for label in ("case 0", "case 1", "default"):
            end = self.random.choice(("break;", "return s;", "break;"))
            yield f"{label}: {{ {self.block(depth + 1, False, True)} }} {end}"


def _functions(code: str) -> list[c_ast.FuncDef]:
    return [n for n in c_parser.CParser().parse(code).ext if isinstance(n, c_ast.FuncDef)]


def _text(function: c_ast.FuncDef, body: c_ast.Compound) -> str:
    """As C, with the variables that no program has under other names."""
    name = function.decl.name
    printed: str = c_generator.CGenerator().visit(body)
    printed = printed.replace(f"(result of {name})", "kept").replace(f"(end of {name})", "left")
    return f"int {name}(int a)\n{printed}"


def _outputs(folder: Path, code: str, names: list[str]) -> str:
    calls = "".join(f'for (int a = 0; a < {STARTS}; a++) printf("%d ", {name}(a));' for name in names)
    (folder / "f.c").write_text(f"#include <stdio.h>\n{code}\nint main(void) {{ {calls} return 0; }}\n")
    build = ["gcc", "-w", "-fwrapv", "-O0", "-o", str(folder / "f"), str(folder / "f.c")]
    subprocess.run(build, check=True, capture_output=True)
    return subprocess.run([folder / "f"], check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize("seed", range(2))
def test_what_is_written_without_returns_does_the_same(tmp_path: Path, seed: int) -> None:
    bodies = _Bodies(seed)
    code = "\n".join(bodies.function(f"f{k}") for k in range(FUNCTIONS))
    written = {f.decl.name: (f, body) for f in _functions(code) if (body := body_of(f)) is not None}
    changed = [name for name, (f, body) in written.items() if body is not f.body]
    assert len(changed) > FUNCTIONS // 2
    assert all(returns_are_structured(body) for _, body in written.values())
    expected = _outputs(tmp_path, code, changed)
    assert _outputs(tmp_path, "\n".join(_text(*written[name]) for name in changed), changed) == expected


def test_what_is_not_written_otherwise() -> None:
    codes = (
        "int f(int a) { again: for (;;) { if (a--) goto again; return 1; } }",
        "int f(int a) { while (a) switch (a--) { case 1: if (a > 3) return 1; case 2: a--; break; } return 0; }",
    )
    assert [body_of(_functions(code)[0]) for code in codes] == [None, None]
