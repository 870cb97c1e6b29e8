"""A kernel of CUDA in place of one loop: one iteration as a function, the kernel, and what the host calls.

    dot_16_iteration    the body, for the device and the host
    dot_16_kernel       a thread for each iteration; where results are combined, a tree in each block
    dot_16_gpu          memory of the device, the launch, what comes back; the same on the host, where that is asked for

`Parameter.kind`: `value` is handed over as it is, `array` is memory behind a pointer, `place` a variable that the loop
changes, `sum` one that it combines results in.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from .header import Header, as_factor

Kind: TypeAlias = Literal["value", "array", "place", "sum"]

NEUTRAL = {"+": "0", "*": "1", "|": "0", "^": "0", "&": "~0", "||": "0", "&&": "1"}
"""What partial results begin with; those of `min` and `max` with what there is before."""
INDENT = "    "
_NUMBERS = frozenset(("unsigned", "signed", "char", "short", "int", "long", "float", "double", "size_t", "const"))
WIDTH = 120


class Parameter(Struct, frozen=True):
    """`declaration`: C that declares it with its name. Of an `array` so many elements (`length`) from `first` on go to
    the device, with their values (`goes`), and come back (`comes`). `operator`: of a sum."""

    name: str
    declaration: str
    kind: Kind = "value"
    first: str = "0"
    length: str = "1"
    goes: bool = True
    comes: bool = False
    operator: str = ""

    @property
    def in_memory(self) -> str:
        """As a parameter of a function that gets its address."""
        return self.declaration if self.kind in ("value", "array") else _with(self.declaration, self.name, "*")

    @property
    def in_iteration(self) -> str:
        return self.declaration if self.kind in ("value", "array") else _with(self.declaration, self.name, "&")

    @property
    def from_first(self) -> str:
        """Where its part begins."""
        if self.kind in ("place", "sum"):
            return f"&{self.name}"
        return self.name if self.first == "0" else f"{self.name} + {as_factor(self.first)}"

    def as_if_whole(self, part: str) -> str:
        """A pointer to a copy of the part, as if it were one to all of it."""
        return part if self.first == "0" else f"{part} - {as_factor(self.first)}"

    @property
    def type(self) -> str:
        """Of a variable."""
        return re.sub(rf"\b{self.name}$", "", self.declaration).strip()


def _with(declaration: str, name: str, sign: str) -> str:
    return re.sub(rf"\b{name}$", f"{sign}{name}", declaration)


class Counter(Struct, frozen=True):
    """The variable of a loop that became threads, its type, and the header that moves it."""

    type: str
    header: Header


class Kernel(Struct, frozen=True):
    """`counters`: of the loops that became threads, outermost first. `own`: declarations of variables that each
    iteration has for itself. `body`: lines of the iteration. `title`: lines of the comment above."""

    name: str
    title: tuple[str, ...]
    counters: tuple[Counter, ...]
    parameters: tuple[Parameter, ...]
    own: tuple[str, ...]
    body: tuple[str, ...]

    def call(self) -> str:
        """C that runs it in place of the loop."""
        given = (f"&{p.name}" if p.kind in ("place", "sum") else p.name for p in self.parameters)
        return f"{self.name}_gpu({', '.join(given)});"

    def prototype(self) -> str:
        """C that declares it."""
        return f"void {self.name}_gpu({', '.join(p.in_memory for p in self.parameters) or 'void'})"

    def code(self) -> str:
        """All of it."""
        blocks = (self._iteration(), self._kernel(), self._host())
        return "\n\n".join("\n".join(block) for block in blocks)

    @property
    def _sums(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.kind == "sum")

    @property
    def _memory(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.kind in ("array", "place"))

    def _given_to_kernel(self) -> Iterator[Parameter]:
        return (p for p in self.parameters if p.kind != "sum")

    # --- one iteration

    def _iteration(self) -> Iterator[str]:
        yield from ("/* " + line if not k else "   " + line for k, line in enumerate(self.title[:-1]))
        yield ("   " if len(self.title) > 1 else "/* ") + self.title[-1] + " */"
        counters = (f"{c.type} {c.header.variable}" for c in self.counters)
        listed = ", ".join((*counters, *(p.in_iteration for p in self.parameters)))
        yield from _wrapped(f"__host__ __device__ static inline void {self.name}_iteration({listed})")
        yield "{"
        yield from (f"{INDENT}{line};" for line in self.own)
        yield from (f"{INDENT}{line}" if line else "" for line in self.body)
        yield "}"

    # --- the device

    def _kernel(self) -> Iterator[str]:
        sums = (_with(p.declaration, p.name, "*") + "_of_blocks_" for p in self._sums)
        begun = (p.declaration for p in self._sums if p.operator not in NEUTRAL)
        others = (f"{p.in_memory}_place_" if p.kind == "place" else p.declaration for p in self._given_to_kernel())
        listed = ", ".join(("long long trip_", *others, *sums, *(f"{d}_begun_" for d in begun)))
        yield from _wrapped(f"__global__ static void {self.name}_kernel({listed})")
        yield "{"
        yield from (f"{INDENT}{p.in_iteration} = *{p.name}_place_;" for p in self._memory if p.kind == "place")
        yield from self._trips()
        if not self._sums:
            yield f"{INDENT}const long long t_ = blockIdx.x * (long long)blockDim.x + threadIdx.x;"
            yield f"{INDENT}if (t_ < trip_)"
            yield f"{INDENT * 2}{self._called('t_')}"
        else:
            yield from self._summed()
        yield "}"

    def _called(self, iteration: str, ending: str = "") -> str:
        """The call of one iteration. `ending`: of the names of memory on the host."""
        numbers = zip(self.counters, self._numbers(iteration), strict=True)
        values = (_as_type(c.type, c.header.value(number)) for c, number in numbers)
        given = (self._given(p, ending) for p in self.parameters)
        return f"{self.name}_iteration({', '.join((*values, *given))});"

    def _given(self, p: Parameter, ending: str) -> str:
        match p.kind:
            case "array" if ending and p.comes:
                return p.as_if_whole(f"{p.name}{ending}")
            case "place" | "sum" if ending:
                return f"*{p.name}{ending}"
            case _:
                return p.name

    def _numbers(self, iteration: str) -> list[str]:
        """The number of the iteration of each loop, of one of all."""
        numbers, here = list[str](), iteration
        for c in self.counters[:0:-1]:
            numbers.append(f"{here} % {c.header.variable}_trip_")
            here = f"{here} / {c.header.variable}_trip_"
        return [here, *numbers[::-1]]

    def _trips(self) -> Iterator[str]:
        """The trip counts of the loops inside."""
        for c in self.counters[1:]:
            yield f"{INDENT}const long long {c.header.variable}_trip_ = {c.header.trip()};"

    def _summed(self) -> Iterator[str]:
        for p in self._sums:
            start = NEUTRAL.get(p.operator, f"{p.name}_begun_")
            yield f"{INDENT}{p.declaration} = {start};"
            yield f"{INDENT}__shared__ {_with(p.declaration, p.name, '')}_of_threads_[BLOCK_THREADS];"
        step = "gridDim.x * (long long)blockDim.x"
        begin = "blockIdx.x * (long long)blockDim.x + threadIdx.x"
        yield f"{INDENT}const long long first_ = {begin}, step_ = {step};"
        yield f"{INDENT}for (long long t_ = first_; t_ < trip_; t_ += step_)"
        yield f"{INDENT * 2}{self._called('t_')}"
        yield from (f"{INDENT}{p.name}_of_threads_[threadIdx.x] = {p.name};" for p in self._sums)
        yield f"{INDENT}__syncthreads();"
        yield f"{INDENT}for (unsigned half_ = blockDim.x / 2; half_ > 0; half_ /= 2) {{"
        yield f"{INDENT * 2}if (threadIdx.x < half_) {{"
        for p in self._sums:
            one = f"{p.name}_of_threads_[threadIdx.x]"
            yield f"{INDENT * 3}{one} = {_combined(p.operator, one, f'{p.name}_of_threads_[threadIdx.x + half_]')};"
        yield f"{INDENT * 2}}}"
        yield f"{INDENT * 2}__syncthreads();"
        yield f"{INDENT}}}"
        yield f"{INDENT}if (threadIdx.x == 0) {{"
        yield from (f"{INDENT * 2}{p.name}_of_blocks_[blockIdx.x] = {p.name}_of_threads_[0];" for p in self._sums)
        yield f"{INDENT}}}"

    # --- the host

    def _host(self) -> Iterator[str]:
        listed = ", ".join(p.in_iteration for p in self.parameters)  # references are addresses to C
        yield from _wrapped(f'extern "C" void {self.name}_gpu({listed})')
        yield "{"
        outer, *inner = (c.header for c in self.counters)
        yield from self._trips()
        product = "".join(f" * {h.variable}_trip_" for h in inner)
        yield f"{INDENT}const long long trip_ = {as_factor(outer.trip()) if inner else outer.trip()}{product};"
        tests = (*(f"{h.variable}_trip_ <= 0" for h in inner), "trip_ <= 0")
        yield f"{INDENT}if ({' || '.join(tests)})"
        yield f"{INDENT * 2}return;"
        yield from self._on_host()
        blocks = "(trip_ + BLOCK_THREADS - 1) / BLOCK_THREADS"
        yield f"{INDENT}const unsigned blocks_ = {f'at_most(GRID_BLOCKS, {blocks})' if self._sums else blocks};"
        for p in self._memory:
            yield f"{INDENT}auto {p.name}_d_ = to_device({p.from_first}, {p.length}, {_as_cxx(p.goes)});"
        for p in self._sums:
            yield f"{INDENT}{_with(p.declaration, p.name, '*')}_d_ = to_device<{p.type}>(0, blocks_, false);"
        yield f"{INDENT}{self.name}_kernel<<<blocks_, BLOCK_THREADS>>>({', '.join(self._handed())});"
        yield f"{INDENT}CHECK_CUDA(cudaGetLastError());"
        yield f"{INDENT}CHECK_CUDA(cudaDeviceSynchronize());"
        for p in self._memory:
            yield f"{INDENT}from_device({p.from_first}, {p.name}_d_, {p.length}, {_as_cxx(p.comes)});"
        for p in self._sums:
            yield f"{INDENT}static {_with(p.declaration, p.name, '')}_of_blocks_[GRID_BLOCKS];"
            yield f"{INDENT}from_device({p.name}_of_blocks_, {p.name}_d_, blocks_, true);"
            yield f"{INDENT}for (unsigned k_ = 0; k_ < blocks_; k_++)"
            yield f"{INDENT * 2}{p.name} = {_combined(p.operator, p.name, f'{p.name}_of_blocks_[k_]')};"
        yield from self._compared()
        yield "}"

    def _handed(self) -> Iterable[str]:
        yield "trip_"
        for p in self._given_to_kernel():
            yield p.name if p.kind == "value" else p.as_if_whole(f"{p.name}_d_")
        yield from (f"{p.name}_d_" for p in self._sums)
        yield from (p.name for p in self._sums if p.operator not in NEUTRAL)

    def _on_host(self) -> Iterator[str]:
        """The loop on the host, with copies of what it changes."""
        yield "#ifdef COMPARE_WITH_HOST"
        for p in self._changed():
            yield f"{INDENT}auto {p.name}_h_ = copy_of({p.from_first}, {p.length});"
        yield f"{INDENT}for (long long t_ = 0; t_ < trip_; t_++)"
        yield f"{INDENT * 2}{self._called('t_', '_h_')}"
        yield "#endif"

    def _compared(self) -> Iterator[str]:
        yield "#ifdef COMPARE_WITH_HOST"
        for p in self._changed():
            yield f'{INDENT}compare("{self.name}: {p.name}", {p.from_first}, {p.name}_h_, {p.length});'
        yield "#endif"

    def _changed(self) -> Iterator[Parameter]:
        return (p for p in self.parameters if p.comes or p.kind in ("place", "sum"))


def _wrapped(line: str) -> Iterator[str]:
    """A line with a list of parameters as several ones, where it is long."""
    indent = " " * min(line.index("(") + 1, 40)
    head, *rest = line.split(", ")
    for part in rest:
        if len(head) + len(part) + 3 > WIDTH:
            yield f"{head},"
            head = f"{indent}{part}"
        else:
            head = f"{head}, {part}"
    yield head


def _as_type(type_: str, value: str) -> str:
    """A number as a type that C makes of it by itself, and C++ may not."""
    return value if _NUMBERS.issuperset(type_.split()) else f"({type_}){as_factor(value)}"


def _as_cxx(value: bool) -> str:
    return "true" if value else "false"


def _combined(operator: str, one: str, other: str) -> str:
    match operator:
        case "min" | "max":
            return f"{other} {'<' if operator == 'min' else '>'} {one} ? {other} : {one}"
        case _:
            return f"{one} {operator} {other}"
