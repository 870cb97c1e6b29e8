"""Random C units: most of what they say is valid, all of it is C in shape.

unit(Random(1))            "typedef struct s0 { ... } t0; ... void f0(int n, double *a) { for (...) ... }"
"""

from collections.abc import Callable
from random import Random
from typing import TypeVar

INTEGERS = ("int", "unsigned", "long", "unsigned char", "short", "size_t", "int64_t", "uint32_t", "_Bool", "char")
FLOATS = ("double", "float", "long double", "double _Complex")
NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "-1",
    "4u",
    "16",
    "1000",
    "0x7fffffff",
    "1ul << 40",
    "~0u",
    "'a'",
    "sizeof(int)",
    "1.5",
    "0x1p-3f",
    "1e30",
)
BINARY = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", "==", "!=", "&&", "||")
ASSIGNING = ("=", "+=", "-=", "*=", "|=", "&=", "<<=", "/=", "%=")
ATTRIBUTES = (
    "",
    "",
    "",
    "",
    " __attribute__((packed))",
    " __attribute__((aligned(16)))",
    " __attribute__((vector_size(16)))",
)
LIBRARY = (
    "sqrt({e})",
    "fabs({e})",
    "memcpy({p}, {p}, {e})",
    "memset({p}, 0, {e})",
    'printf("%d", {e})',
    "abs({e})",
    "rand()",
    "malloc({e})",
    "strlen((char *){p})",
    "exp({e})",
    "fmax({e}, {e})",
)

Item = TypeVar("Item")


class Unit:
    """One unit in the making: what is declared so far, and a generator of numbers that decides everything."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.records: list[tuple[str, list[str]]] = []
        self.functions: list[tuple[str, int]] = []
        self.globals: list[str] = []
        self.pointers: list[str] = []
        self.scalars: list[str] = []
        self.counters: list[str] = []
        self.labels = self.names = 0

    # --- choices

    def one(self, items: "list[Item] | tuple[Item, ...]") -> Item:
        return self.random.choice(items)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def several(self, make: Callable[[], str], least: int, most: int) -> str:
        return "".join(make() for _ in range(self.random.randint(least, most)))

    # --- declarations

    def type(self) -> str:
        if self.records and self.chance(0.15):
            return self.one(self.records)[0]
        return self.one(INTEGERS if self.chance(0.5) else FLOATS)

    def record(self) -> str:
        kind, tag, fields = self.one(("struct", "struct", "union")), self.name("s"), []
        lines = []
        for _ in range(self.random.randint(1, 5)):
            field = self.name("m")
            shape = self.random.random()
            if shape < 0.2:
                lines.append(f"{self.one(INTEGERS[:5])} {field} : {self.random.randint(1, 8)};")
            elif shape < 0.4:
                lines.append(f"{self.type()} {field}[{self.random.randint(1, 9)}];")
            elif shape < 0.55:
                lines.append(f"{self.type()} *{field};")
            elif shape < 0.6:
                lines.append(f"struct {kind[0]}{tag} *{field};")
            elif shape < 0.65:
                lines.append(f"struct {{ int {field}; {self.type()} {field}x; }};")
            else:
                lines.append(f"{self.type()} {field};")
            fields.append(field)
        self.records.append((f"{kind} {tag}", fields))
        return f"{kind} {tag} {{ {' '.join(lines)} }}{self.one(ATTRIBUTES)};\n"

    def enumeration(self) -> str:
        names = [self.name("E") for _ in range(self.random.randint(1, 4))]
        self.scalars += names
        values = (f"{n} = {self.one(NUMBERS[:8])}" if self.chance(0.4) else n for n in names)
        return f"enum {{ {', '.join(values)} }};\n"

    def typedef(self) -> str:
        name = self.name("t")
        shape = self.one(("{t} {n}", "{t} *{n}", "{t} {n}[4]", "{t} (*{n})({t}, int)"))
        self.records.append((name, []))
        return f"typedef {shape.format(t=self.type(), n=name)};\n"

    def variable(self) -> str:
        name, storage = self.name("g"), self.one(("", "", "static ", "extern ", "volatile ", "const "))
        if self.chance(0.5):
            self.pointers.append(name)
            sizes = "".join(f"[{self.one(('N', '100', '8', '1'))}]" for _ in range(self.random.randint(1, 2)))
            return f"{storage}{self.type()} {name}{sizes};\n"
        self.scalars.append(name)
        return f"{storage}{self.one(INTEGERS)} {name};\n"

    def macro(self) -> str:
        name = self.name("M")
        body = self.one(
            ("(x + 1)", "((x) * (x))", "do { x; } while (0)", "x ## 1", "#x", "(x, x)", "for (int q = 0; q < (x); q++)")
        )
        return f"#define {name}(x) {body}\n"

    # --- expressions

    def expression(self, deep: int = 3) -> str:
        shape = self.random.random() if deep else 0.2
        if shape < 0.2:
            return self.one(NUMBERS)
        if shape < 0.4:
            return self.one([*self.scalars, *self.counters, "n"])
        if shape < 0.6:
            return self.place(deep - 1)
        if shape < 0.8:
            return f"({self.expression(deep - 1)} {self.one(BINARY)} {self.expression(deep - 1)})"
        inner = self.expression(deep - 1)
        return self.one(
            (
                f"-{inner}",
                f"!{inner}",
                f"~{inner}",
                f"({self.type()}){inner}",
                f"({inner} ? {self.expression(deep - 1)} : {inner})",
                f"({inner} ?: 1)",
                f"sizeof({inner})",
                f"({inner}, {inner})",
                f"({{ int z = {inner}; z + 1; }})",
                self.call(deep - 1),
                self.call(deep - 1),
                f"*(&{self.place(deep - 1)})",
                f"{self.place(deep - 1)}++",
                f"--{self.place(deep - 1)}",
            )
        )

    def call(self, deep: int) -> str:
        if self.functions and self.chance(0.6):
            name, count = self.one(self.functions)
            return f"{name}({', '.join(self.expression(deep and deep - 1) for _ in range(count))})"
        return self.one(LIBRARY).format(e=self.expression(0), p=self.one(self.pointers) if self.pointers else "0")

    def index(self, deep: int) -> str:
        if self.counters and self.chance(0.75):
            counter = self.one(self.counters)
            return self.one(
                (
                    counter,
                    counter,
                    f"{counter} + 1",
                    f"{counter} - {self.one(NUMBERS[:6])}",
                    f"2 * {counter}",
                    f"n - {counter}",
                    f"{counter} * n + {self.one(self.counters)}",
                    f"{counter} % 4",
                    f"{counter} / 2",
                    f"g[{counter}]",
                    f"{counter}++",
                )
            )
        return self.expression(deep)

    def place(self, deep: int = 1) -> str:
        if not self.pointers or self.chance(0.2):
            return self.one(self.scalars) if self.scalars else "n"
        pointer = self.one(self.pointers)
        fields = [f for _, fields in self.records for f in fields]
        shape = self.random.random()
        if shape < 0.6 or not fields:
            return f"{pointer}[{self.index(max(deep, 0) and deep - 1)}]"
        if shape < 0.7:
            return f"{pointer}->{self.one(fields)}"
        if shape < 0.8:
            return f"{pointer}[{self.index(0)}].{self.one(fields)}"
        if shape < 0.9:
            return f"*({pointer} + {self.index(0)})"
        return f"*{pointer}++"

    # --- statements

    def statement(self, deep: int) -> str:
        shape = self.random.random()
        if not deep or shape < 0.4:
            return f"{self.place()} {self.one(ASSIGNING)} {self.expression()};\n"
        if shape < 0.65:
            return self.loop(deep)
        if shape < 0.75:
            otherwise = f"else {{ {self.block(deep - 1)} }}\n" if self.chance(0.4) else ""
            return f"if ({self.expression(2)}) {{ {self.block(deep - 1)} }} {otherwise}"
        if shape < 0.8:
            return self.local()
        if shape < 0.84:
            cases = self.several(
                lambda: f"case {self.random.randint(0, 9)}: {self.statement(deep - 1)} {self.one(('break;', ''))}\n",
                1,
                4,
            )
            return f"switch ({self.expression(1)}) {{ {cases} default: {self.statement(0)} }}\n"
        if shape < 0.88:
            self.labels += 1
            label = f"l{self.labels}"
            return self.one(
                (
                    f"{label}: {self.block(deep - 1)} if ({self.expression(1)}) goto {label};\n",
                    f"if ({self.expression(1)}) goto {label}; {self.block(deep - 1)} {label}:;\n",
                )
            )
        if shape < 0.93:
            return (
                self.one(("break;\n", "continue;\n", "return;\n", "return 0;\n", ";\n"))
                if self.chance(0.3)
                else f"{self.call(2)};\n"
            )
        return self.one(
            (
                'asm volatile ("" : : : "memory");\n',
                "#pragma omp parallel for\n;\n",
                "// analyze: ignore[DEP001] x\n;\n",
                "__builtin_prefetch(0);\n",
                "{ }\n",
                "typedef int tt; tt zz;\n",
            )
        )

    def local(self) -> str:
        name = self.name("v")
        if self.chance(0.3):
            self.pointers.append(name)
            return self.one(
                (
                    f"{self.type()} {name}[{self.one(('n', '8', 'n + 1'))}];\n",
                    f"{self.type()} *{name} = {self.one(self.pointers)};\n",
                    f"static {self.type()} {name}[4] = {{1, [2] = 3}};\n",
                )
            )
        value = self.expression(2)
        self.scalars.append(name)
        return f"{self.type()} {name} = {value};\n"

    def loop(self, deep: int) -> str:
        counter = self.name("i")
        limit = self.one(["n", "n", "n - 1", "100", "N", *self.counters, self.expression(1)])
        head = self.one(
            (f"for (int {counter} = 0; {counter} < {limit}; {counter}++)",) * 4
            + (
                f"for (size_t {counter} = {limit}; {counter}-- > 0;)",
                f"for (int {counter} = 1; {counter} <= {limit}; {counter} += 2)",
                f"for (unsigned char {counter} = 0; {counter} != {limit}; {counter}++)",
                f"for (long {counter} = {limit}; {counter} >= 0; {counter}--)",
                f"for (int {counter} = 1; {counter} < {limit}; {counter} *= 2)",
                f"for (int {counter} = 0, k = n; {counter} < k; {counter}++, k--)",
                f"int {counter} = 0; while ({counter}++ < {limit})",
                f"int {counter} = {limit}; do",
                f"for (int {counter} = 0; ; {counter} += n)",
            )
        )
        self.counters.append(counter)
        body = self.block(deep - 1)
        self.counters.pop()
        return f"{head} {{ {body} }}{f' while (--{counter});' if head.endswith('do') else ''}\n"

    def block(self, deep: int) -> str:
        kept = len(self.scalars), len(self.pointers)
        text = self.several(lambda: self.statement(deep), 1, 3)
        del self.scalars[kept[0] :], self.pointers[kept[1] :]
        return text

    def function(self) -> str:
        name, kept = self.name("f"), (len(self.scalars), len(self.pointers))
        parameters = [("int", "n")]
        for _ in range(self.random.randint(1, 4)):
            own = self.name("p")
            (self.pointers if self.chance(0.7) else self.scalars).append(own)
            parameters.append(
                (
                    f"{self.type()} *{self.one(('', 'restrict ', 'const '))}" if own in self.pointers else self.type(),
                    own,
                )
            )
        result = self.one(("void", "void", "static inline int", "static double", "int", "float"))
        text = self.several(lambda: self.statement(3), 1, 3)
        ending = "" if result == "void" else f"return {self.expression(2)};\n"
        del self.scalars[kept[0] :], self.pointers[kept[1] :]
        self.functions.append((name, len(parameters)))
        if self.chance(0.05):
            words = "".join(f"{t} {n};" for t, n in parameters)
            return f"{result} {name}({', '.join(n for _, n in parameters)}) {words}\n{{ {text}{ending} }}\n"
        return f"{result} {name}({', '.join(f'{t} {n}' for t, n in parameters)})\n{{ {text}{ending} }}\n"


def unit(random: Random) -> str:
    """A unit of a few declarations and one to three functions."""
    made = Unit(random)
    headers = "".join(f"#include <{h}>\n" for h in ("stddef.h", "stdint.h", "math.h", "string.h") if made.chance(0.3))
    declared = (made.record, made.enumeration, made.typedef, made.variable, made.variable, made.macro)
    text = (
        f"{headers}#define N 64\n{made.several(lambda: made.one(declared)(), 0, 6)}{made.several(made.function, 1, 3)}"
    )
    if made.chance(0.2):
        name, count = made.one(made.functions)
        text += f"int main(void) {{ static double x[100]; {name}(100{', (void *)x' * (count - 1)}); return 0; }}\n"
    return text
