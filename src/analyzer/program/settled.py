"""Sizes that the program itself fixes: integers of a file that are assigned once, before they are used.

    static int nx;   ...   int main(void) { nx = 64; solve(); }        in solve(), nx is 64

*Decides*: an integer at file scope that is `static` has one value wherever a size is asked for if its address is taken
nowhere, the file's text assigns it in one place, the value is a constant there (or follows from others that are
settled), and that place is passed on the way from main before anything that has the size in its loops: it lies outside
of loops and conditions of main, or of a function that main calls outside of them, and so on.
*Errs toward* saying nothing: a local of the same name that is assigned anywhere is enough to give up.
*Does not handle*: objects that other files can see (one of them may assign), members and elements, values that several
assignments agree on, initial values that are never changed (those are known as constants already).
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from models.expr import evaluate, free_symbols

from ..base.regex import regex
from ..facts.loop import FileFacts, FunctionFacts
from ..ir.formula_names import version_of
from ..ir.nodes import Assign, Use, Variable, evaluated, statements
from ..source.unit import Unit
from .linking import DEFAULT_ENTRY, Program, link
from .outline import Fork, Invoke, Nest, Outline, Pointer, Put, Step, calls, every

LARGEST = 2**31 - 1
"""What every `int` can hold; sizes beyond it could have wrapped."""

_COMMENT = regex(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)


class Settled(Struct, frozen=True):
    """The value of an integer of the file, and the line of its only assignment. `by_call`: of a parameter, and the line
    of the first call."""

    name: str
    value: int
    line: int
    by_call: bool = False


def code_of(text: str) -> str:
    """Without comments and strings, line by line as before."""
    return _COMMENT.sub(lambda m: "\n" * m[0].count("\n") or " ", text)


def may_settle(unit: Unit, files: Iterable[FileFacts]) -> bool:
    """Whether the unit may fix a size of these files itself: one of a `static` function, which all calls may pass alike
    (`passed`), or one that has a static variable. Of others nobody need read how the functions call each other."""
    static = {d.name for d in unit.functions if d.node is not None and "static" in (d.node.decl.storage or ())}
    symbols = (symbol for file in files for symbol in file.symbols)
    return any(symbol.scope in static or _variable(symbol.name) in unit.statics for symbol in symbols)


def settled(file: FileFacts, outlines: Iterable[Outline]) -> dict[str, dict[str, Settled]]:
    """By function and size symbol of `file`, the values that the program settles itself; `outlines`: of its functions.

    Example: `{"solve": {"nx": Settled("nx", 64, 12)}}`."""
    listed = list(outlines)
    elsewhere = {put.name for o in listed if o.path != file.path for put in _puts(o.body)}  # in functions of headers
    refused = elsewhere | _addressed(listed)
    listed = [o for o in listed if o.path == file.path]
    program = link(listed)
    start = program.by_key.get((file.path, DEFAULT_ENTRY))
    puts = {o.name: list(_puts(o.body)) for o in listed}
    known: dict[str, Settled] = {}
    if start is None or not any(puts.values()):
        return {}
    asked = _asked(file, puts)
    wanted = {_variable(symbol) for names in asked.values() for symbol in names} - refused
    text = code_of(file.source_text)
    waiting = [
        put
        for put in (put for several in puts.values() for put in several)
        if put.name in wanted
        and _assigned_once(put, puts, text)
        and _Path(program, put, puts, asked).first(start, start.body, is_end=True)
    ]
    while any(_settle(put, known) for put in waiting):  # one value may follow from another
        pass
    return {f.function.name: found for f in file.functions if (found := _of_function(f, file, known))}


def _puts(steps: tuple[Step, ...]) -> Iterator[Put]:
    return (step for step in every(steps) if isinstance(step, Put))


def _asked(file: FileFacts, puts: Mapping[str, list[Put]]) -> dict[str, set[str]]:
    """By function, the symbols that its sizes and what it assigns to others depend on."""
    found: dict[str, set[str]] = {}
    for symbol in file.symbols:
        found.setdefault(symbol.scope, set()).add(symbol.name)
    for function, several in puts.items():
        found.setdefault(function, set()).update(*(free_symbols(p.value) for p in several if p.value is not None))
    return found


def _variable(symbol: str) -> str:
    """`n@12` is a later value of `n`."""
    return version_of(symbol)[0]


def _assigned_once(put: Put, puts: Mapping[str, list[Put]], text: str) -> bool:
    """Also by the text, where functions that cannot be reached from main are, too, and locals of the same name."""
    name = re.escape(put.name)
    changes = rf"(?<![\w.>])(?:{name}\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)|(?:\+\+|--)\s*{name}\b)"
    address = rf"(?<!&)&\s*\(?\s*{name}\b"
    everywhere = sum(other.name == put.name for several in puts.values() for other in several)
    return everywhere == 1 and len(re.findall(changes, text)) == 1 and re.search(address, text) is None


def _addressed(outlines: Iterable[Outline]) -> set[str]:
    """Names whose address some function takes, however that is written."""
    return {str(p[1]) for o in outlines for p in _pointers(o.body) if len(p) > 1 and p[0] in ("static", "global")}


def _pointers(steps: tuple[Step, ...]) -> Iterator[Pointer]:
    for step in every(steps):
        match step:
            case Invoke(arguments=arguments):
                yield from (a.pointer for a in arguments if a.pointer is not None)
            case Put():
                pass
            case _:
                yield from (getattr(step, name) for name in ("pointer", "left", "right") if hasattr(step, name))


class _Path(Struct, frozen=True):
    """What it takes to follow the way from main to an assignment."""

    program: Program
    put: Put
    puts: Mapping[str, list[Put]]
    asked: Mapping[str, set[str]]

    def first(self, outline: Outline, steps: tuple[Step, ...], *, is_end: bool) -> bool:
        """Whether these steps of a function pass the assignment before anything that has the size in its loops.
        `is_end`: nothing comes after them in the whole program; then the rest of a function whose first lines may
        return, which is one arm of their condition, is as good."""
        for k, step in enumerate(steps):
            if step is self.put:
                return True
            names = _reached(self.program, step)
            if any(self.put in self.puts[name] for name in names) or any(put is self.put for put in _puts((step,))):
                after = any(self.asks(outline, later) for later in steps[k + 1 :])
                return self.inside(outline, step, is_end=is_end and not after)
            if self.asks(outline, step):
                return False
        return False

    def inside(self, outline: Outline, step: Step, *, is_end: bool) -> bool:
        match step:
            case Invoke():
                callee = self.program.find(step.name, outline.path)
                recursive = callee is not None and (callee.path, callee.name) in self.program.recursive
                return callee is not None and not recursive and self.first(callee, callee.body, is_end=False)
            case Fork(then=then, otherwise=otherwise) if is_end:
                arms = (then, otherwise), (otherwise, then)
                return any(
                    self.first(outline, arm, is_end=True) and not any(self.asks(outline, s) for s in other)
                    for arm, other in arms
                )
            case _:
                return False

    def asks(self, outline: Outline, step: Step) -> bool:
        """Whether a loop of this step, or of what it calls, has the size."""
        match step:
            case Put(value=value):
                return value is not None and self.put.name in free_symbols(value)
            case Nest() | Fork() if any(self.is_meant(symbol) for symbol in self.asked.get(outline.name, ())):
                return True
            case _:
                names = _reached(self.program, step)
                return any(self.put.name == _variable(symbol) for name in names for symbol in self.asked.get(name, ()))

    def is_meant(self, symbol: str) -> bool:
        """Whether the symbol is the size before the assignment, in the function that has both."""
        base, line = version_of(symbol)
        return base == self.put.name and (line is None or line <= self.put.line)


def _reached(program: Program, step: Step) -> set[str]:
    """Names of the functions of the file that a step may call, directly or not."""
    waiting = list(calls((step,)))
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        outline = next((o for key, o in program.by_key.items() if key[1] == name), None)
        if outline is not None and name not in found:
            found.add(name)
            waiting += calls(outline.body)
    return found


def _settle(put: Put, known: dict[str, Settled]) -> bool:
    """Whether its value is known now and was not before."""
    if put.name in known or put.value is None or not free_symbols(put.value) <= known.keys():
        return False
    value = evaluate(put.value, {name: known[name].value for name in free_symbols(put.value)})
    if value != int(value) or not 0 <= value <= LARGEST:
        return False
    known[put.name] = Settled(put.name, int(value), put.line)
    return True


def _of_function(function: FunctionFacts, file: FileFacts, known: Mapping[str, Settled]) -> dict[str, Settled]:
    name = function.function.name
    wanted = {s.name for s in file.symbols if s.scope == name and _variable(s.name) in known}
    own = _declared(function) if wanted else set()
    return {symbol: known[_variable(symbol)] for symbol in wanted if _variable(symbol) not in own}


def _declared(function: FunctionFacts) -> set[str]:
    """Names that mean something else in this function."""
    found = {p.name for p in function.function.parameters}
    for statement in statements(function.function.body):
        if isinstance(statement, Assign) and isinstance(statement.target, Variable):
            found |= {statement.target.name} if statement.target.scope != "global" else set()
        uses = (part.variable for part in evaluated(statement) if isinstance(part, Use))
        found |= {variable.name for variable in uses if variable.scope != "global"}
    return found
