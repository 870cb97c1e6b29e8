"""The kernels of validation/kernels: what they are called with, and which sizes fill half of each cache."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from models.calibration.machine import Machine

FOLDER = Path(__file__).resolve().parents[2] / "validation" / "kernels"
Part = Literal["tune", "judge"]
BYTES = {"f64": 8, "f32": 4, "i32": 4, "u32": 4, "i16": 2, "u8": 1}
_ARRAY = re.compile(r"(f64|f32|i32|u32|i16|u8) (\S+)(?: (\w+)(?: (\S+))?)?")
_FILLS = {
    "random": "{a}[k] = ({type}){one}",
    "below": "{a}[k] = ({type}){below}",
    "chance": "{a}[k] = fraction() < {by} ? 1.5 : 0.5",
    "every": "{a}[k] = ({type})({by} * k)",
    "zero": "{a}[k] = 0",
}


class Kernel(Struct, frozen=True):
    """`function` of the file `group`; `arguments` as in kernels.toml; `sizes`: empty where they follow from caches."""

    name: str
    group: str
    function: str
    arguments: tuple[str, ...]
    part: Part
    sizes: tuple[Mapping[str, int], ...] = ()
    square: bool = False

    @property
    def source(self) -> Path:
        return FOLDER / f"{self.group}.c"

    @property
    def signature(self) -> str:
        """The head of its definition."""
        found = re.search(rf"^[a-z][^;{{}}=]*\b{self.function}\([^)]*\)", self.source.read_text(), re.MULTILINE)
        assert found is not None, f"{self.source}: no function {self.function}"
        return found.group()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Their names, in order."""
        inside = self.signature.partition("(")[2].removesuffix(")")
        return tuple(re.findall(r"\w+", part)[-1] for part in inside.split(","))

    @property
    def names(self) -> tuple[str, ...]:
        """The sizes among its arguments."""
        return tuple(a for a in self.arguments if a.isidentifier())

    def known(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """The sizes, with the numbers that are given for others of its parameters."""
        numbers = {p: int(a) for p, a in zip(self.parameters, self.arguments, strict=True) if a.isdecimal()}
        return {**numbers, **sizes}

    def bytes_of(self, sizes: Mapping[str, int]) -> int:
        """Of all its arrays."""
        arrays = (m for a in self.arguments if (m := _ARRAY.fullmatch(a)) is not None)
        return sum(BYTES[m[1]] * _value(m[2], sizes) for m in arrays)

    def on(self, machine: Machine) -> tuple[dict[str, int], ...]:
        """The sizes to measure with: half of each cache, and four times the last one."""
        if self.sizes:
            return tuple(dict(s) for s in self.sizes)
        last = machine.l3 or machine.l2
        wanted = [machine.l1 // 2, machine.l2 // 2, machine.l3 // 4, 4 * last]
        return tuple(self._filling(room) for room in wanted if room)

    def _filling(self, room: int) -> dict[str, int]:
        """The largest multiple of 8 with which all arrays together fill at most `room` bytes."""
        low, high = 1, room
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.bytes_of(self._sizes(8 * middle)) <= room else (low, middle - 1)
        return self._sizes(8 * low)

    def _sizes(self, n: int) -> dict[str, int]:
        return dict.fromkeys(self.names, n)


def _value(text: str, sizes: Mapping[str, int]) -> int:
    return int(eval(text, {"__builtins__": {}}, dict(sizes)))  # of kernels.toml: products and sums of sizes


def kernels() -> Iterator[Kernel]:
    """All of kernels.toml."""
    with (FOLDER / "kernels.toml").open("rb") as file:
        groups = tomllib.load(file)
    for group, members in groups.items():
        for name, given in members.items():
            sizes = tuple(given.get("sizes", ()))
            function, square = given.get("function", name), given.get("square", False)
            yield Kernel(name, group, function, tuple(given["arguments"]), given["part"], sizes, square)


def driver(kernel: Kernel, samples: int) -> str:
    """A C program that prints the seconds of one call, `samples` times; its arguments are the sizes."""
    lines = ['#include "driver.h"', f"{kernel.signature};", "int main(int count, char **given)", "{"]
    lines.append(f"    if (count != {len(kernel.names) + 1}) return 2;")
    for at, name in enumerate(kernel.names):
        lines.append(f"    long {name} = atol(given[{at + 1}]);")
    called = []
    for at, argument in enumerate(kernel.arguments):
        array = _ARRAY.fullmatch(argument)
        if array is None:
            called.append(argument)
            continue
        called.append(f"a{at}")
        type_, length = array[1], f"(long)({array[2]})"
        lines.append(f"    {type_} *a{at} = block(sizeof({type_}) * (size_t){length});")
        lines.append(f"    {_filled(f'a{at}', type_, length, array[3] or 'random', array[4])}")
    lines += [f"    MEASURE({kernel.function}({', '.join(called)}), {samples});", "    return 0;", "}"]
    return "\n".join(lines) + "\n"


def _filled(name: str, type_: str, length: str, how: str, by: str | None) -> str:
    match how:
        case "permutation":
            return f"permute({name}, {length}, {length});"
        case "near":
            return f"permute({name}, {length}, {by});"
        case "cycle":
            return f"make_cycle({name}, {length});"
    floating = type_.startswith("f")
    one = "(0.5 + fraction())" if floating else "(1 + next_random() % 100)"
    below = f"(fraction() * {by})" if floating else f"(next_random() % (uint64_t)({by}))"
    step = _FILLS[how].format(a=name, type=type_, one=one, below=below, by=by)
    return f"for (long k = 0; k < {length}; k++) {step};"
