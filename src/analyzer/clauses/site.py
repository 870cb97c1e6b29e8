"""The names in scope at a loop, and the other uses of its variables.

*Decides*: by what name, if any, a variable of the IR can be written in a clause at the loop; whether functions that the
loop calls use it by themselves; which pointers, set before the loop, may lead into it.
*Errs toward* used by a callee, and toward led to.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from pycparser import c_ast

from ..access.accesses import occurrences
from ..access.domains import surroundings
from ..base.places import Place
from ..ir import nodes as ir
from ..ir.polynomials import Poly
from ..loops.c_text import c_text
from ..loops.syntax import assigned_names
from ..polyhedra.system import at_least, proves
from ..source.ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Record, Unknown, Void
from ..source.nodes import nodes, single_statements
from ..source.unit import Definition, Unit
from .function_text import FunctionText
from .names import Names, identifiers, names_of
from .pointer_links import pointer_links
from .texts import names_in, reads_memory


class Where(Enum):
    """Where a variable stands as seen from a loop."""

    NAMED = "a name at the loop, and used by nobody else"
    SHARED = "a global that a callee uses by itself"
    STATIC = "a static variable of a callee, or of the body"
    OWN = "an automatic variable of a callee or of the body: one per iteration anyway"
    HIDDEN = "its name means another variable at the loop"
    NAMELESS = "a compound literal from before the loop"


class Program:
    """The unit, with what is asked of functions once."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._names: dict[str, Names] = {}
        self._uses: dict[str, frozenset[str]] = {}
        self._assignments: dict[int, dict[str, list[c_ast.Node]]] = {}
        self._statements: dict[int, dict[int, c_ast.Node]] = {}
        self._texts: dict[str, FunctionText] = {}

    def names(self, definition: Definition) -> Names:
        if definition.name not in self._names:
            assert definition.node is not None
            self._names[definition.name] = names_of(definition.node)
        return self._names[definition.name]

    def assignments(self, function: c_ast.FuncDef) -> dict[str, list[c_ast.Node]]:
        """By their C text, what may assign in a function: assignments, and operators of one operand."""
        if id(function) not in self._assignments:
            found: dict[str, list[c_ast.Node]] = {}
            for node in nodes(function, c_ast.Assignment, c_ast.UnaryOp):
                found.setdefault(c_text(node), []).append(node)
            self._assignments[id(function)] = found
        return self._assignments[id(function)]

    def statements(self, function: c_ast.FuncDef) -> dict[int, c_ast.Node]:
        """By `id`, the statements of a function; see `single_statements`."""
        if id(function) not in self._statements:
            self._statements[id(function)] = single_statements(function)
        return self._statements[id(function)]

    @cached_property
    def _lines(self) -> list[str]:
        return self.unit.source_text.split("\n")

    def text(self, definition: Definition) -> FunctionText:
        """The words of a function of the file."""
        if definition.name not in self._texts:
            found = FunctionText(self._lines, definition.place.line, definition.end_line)
            self._texts[definition.name] = found
        return self._texts[definition.name]

    def mentioned(self, root: c_ast.Node, definition: Definition) -> frozenset[str]:
        """Names of the file in a part of a function."""
        outside = self.names(definition).outside
        return frozenset(n.name for n in identifiers(root) if id(n) in outside)

    def called(self, mentioned: Iterable[str]) -> tuple[Definition, ...]:
        """The functions with a body that may be called where these names are, directly or through a table of the file,
        and those that they call."""
        found: dict[str, Definition] = {}
        pending, tables = sorted(mentioned), set[str]()
        while pending:
            name = pending.pop()
            if name in self.unit.initial and name not in tables:
                tables.add(name)
                pending += self.unit.initial[name]
            definition = self.unit.definitions.get(name)
            if definition is None or definition.node is None or name in found:
                continue
            found[name] = definition
            pending += sorted(self.uses(definition))
        return tuple(found.values())

    def uses(self, definition: Definition) -> frozenset[str]:
        """Names of the file that a function mentions itself."""
        name = definition.name
        if name not in self._uses:
            body = None if definition.node is None else definition.node.body
            self._uses[name] = frozenset() if body is None else self.mentioned(body, definition)
        return self._uses[name]


Named: TypeAlias = int | str | ir.Variable
"""A variable: `id` of its declaration in the function, the name of one of the file, or one of a callee as it is."""


class Site:
    """One loop of one function, in the source."""

    def __init__(
        self, program: Program, definition: Definition, node: c_ast.Node, function: ir.Function, loop: ir.Loop
    ) -> None:
        self.program, self.unit, self.definition, self.node = program, program.unit, definition, node
        self.function, self.loop = function, loop
        self.names = program.names(definition)
        self.visible = self.names.visible.get(id(node), {})

    @cached_property
    def inside(self) -> frozenset[int]:
        """`id` of the nodes of the loop."""
        return frozenset(id(n) for n in nodes(self.node))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Names of variables from before the loop that its own text mentions."""
        ids = tuple(identifiers(self.node))
        own = {n.name for n in ids if (d := self.names.meant.get(id(n))) is not None and id(d) not in self.inside}
        return frozenset(own) | {n.name for n in ids if id(n) in self.names.outside}

    @cached_property
    def functions(self) -> frozenset[str]:
        """Names that mean a function of the file at the loop."""
        return frozenset(n for n in self.unit.definitions if self.visible.get(n) is None)

    @cached_property
    def mentioned_in_iterations(self) -> frozenset[str]:
        """Those that are not only in what a `for` begins with."""
        init = getattr(self.node, "init", None)
        begins = {id(n) for n in identifiers(init)}
        later = {n.name for n in identifiers(self.node) if id(n) not in begins}
        return self.mentioned & later

    @cached_property
    def callees(self) -> tuple[Definition, ...]:
        """The functions that the loop may call. What it calls by a variable is named somewhere in the function."""
        named = self.program.mentioned(self.node, self.definition)
        called = (call.name for call in nodes(self.node, c_ast.FuncCall))
        if any(not isinstance(name, c_ast.ID) or id(name) not in self.names.outside for name in called):
            named |= self.program.uses(self.definition)
        return self.program.called(named)

    @cached_property
    def of_callees(self) -> frozenset[str]:
        """Names of the file that functions which the loop calls mention."""
        return frozenset().union(*(self.program.uses(d) for d in self.callees))

    @cached_property
    def changed(self) -> frozenset[str]:
        """Names that the loop's own text, or a function that it calls, assigns."""
        bodies = (d.node.body for d in self.callees if d.node is not None)
        return assigned_names(self.node) | (assigned_names(*bodies) & self.of_callees)

    @cached_property
    def loaded_pointers(self) -> frozenset[str]:
        """Members and elements that are pointers, as the loop's own text has them: `s->a` of `s->a[i]`."""
        places = nodes(self.node, c_ast.StructRef, c_ast.ArrayRef)
        return frozenset(c_text(place) for place in places if isinstance(self._type_at(place), Pointer))

    @cached_property
    def stores(self) -> bool:
        """Whether the loop changes memory, so far as anybody knows: what it read before may be another value then."""
        return any(
            isinstance(s.target, ir.Access)
            if isinstance(s, ir.Assign)
            else any(isinstance(e, ir.Call) and not e.known for e in ir.evaluated(s))
            for s in ir.statements(self.loop.body)
        )

    def keeps(self, text: str) -> bool:
        """Whether an expression has the same value in the loop, and after it, as before it."""
        return not names_in(text) & self.changed and not (self.stores and reads_memory(text))

    def never_negative(self, value: Poly) -> bool:
        """Whether a value is >= 0 wherever the loop is reached, also where it has no iteration: not by taking sizes for
        what they are meant to be."""
        around = surroundings(*occurrences(self.function).around[self.loop.key])
        return proves(around, at_least(value))

    # --- variables of the IR

    def where(self, variable: ir.Variable) -> Where:
        if variable.scope == "global":
            if variable.name in self.of_callees:
                return Where.SHARED
            return Where.HIDDEN if self.visible.get(variable.name) is not None else Where.NAMED
        declared = self.visible.get(variable.name)
        if declared is not None and self.unit.place(declared) == variable.place:
            return Where.NAMED
        if variable.scope == "static":
            return Where.STATIC
        if self._is_of_function(variable):
            return Where.HIDDEN
        return Where.NAMELESS if variable.scope == "local" and self.loop.key not in variable.loops else Where.OWN

    def _is_of_function(self, variable: ir.Variable) -> bool:
        """Whether it is declared in the function around the loop, and not in the loop."""
        every = (d for d in self.names.meant.values() if d.name == variable.name and id(d) not in self.inside)
        return any(self.unit.place(d) == variable.place for d in every)

    def calls_once(self, name: str) -> bool:
        """Whether an iteration calls a function once at most, as far as the text tells."""
        body = self.node.stmt
        loops = nodes(body, c_ast.For, c_ast.While, c_ast.DoWhile)
        within = any(n.name == name for loop in loops for n in identifiers(loop))
        return not within and name not in self.of_callees and sum(n.name == name for n in identifiers(self.node)) == 1

    def returns_pointer(self, name: str) -> bool:
        """Whether a function returns a pointer, or something that may hold one, which may lead to a variable of its
        own."""
        node = definition.node if (definition := self.unit.definitions.get(name)) is not None else None
        type_ = None if node is None else self.unit.type_of(node.decl)
        return not isinstance(type_, Function) or not isinstance(type_.result, Void | Integer | Floating | Complex)

    def owner(self, variable: ir.Variable) -> str:
        """The function that a static variable is declared in."""
        for definition in (self.definition, *self.unit.functions):
            if definition.node is not None and any(
                n.name == variable.name and self.unit.place(n) == variable.place
                for n in nodes(definition.node.body, c_ast.Decl)
            ):
                return definition.name
        return self.definition.name

    # --- pointers from before the loop

    def pointers_to(self, name: str) -> tuple[str, ...]:
        """Other pointers of the loop that were set before it and may lead to where `name` is, or leads: those that it
        is made from, and those that are made from it or from these. Two pointers from which a third one is made need
        not lead to one place; and what is put into a structure leads to where it did, not to that."""
        itself = {self._at_the_loop(name)}
        sources = itself if isinstance(self.type_of(name), Record) else _reached(itself, self._links)
        related = _reached(sources, {(source, made) for made, source in self._links})
        used = self.mentioned | self.of_callees
        return tuple(sorted(n for n in used - {name} if self._at_the_loop(n) in related))

    def pointers_at(self, name: str) -> tuple[str, ...]:
        """Those of them that may lead to the variable itself: to `double *w`, not those that lead where w does."""
        _, depth = _behind(self.type_of(name))
        return tuple(p for p in self.pointers_to(name) if _may_lead_to(self.type_of(p), depth))

    def _at_the_loop(self, name: str) -> Named:
        declared = self.visible.get(name)
        return name if declared is None else id(declared)

    def _meant(self, name: c_ast.ID) -> Named:
        """What a name means where it stands: of one name, the variables of two blocks are two."""
        declared = self.names.meant.get(id(name))
        return str(name.name) if declared is None else id(declared)

    @cached_property
    def _links(self) -> frozenset[tuple[Named, Named]]:
        """Pointers, and what the names in what is assigned to them outside of the loop mean: of numbers that are stored
        in an array, nothing leads anywhere."""
        found: set[tuple[Named, Named]] = set()
        for node in nodes(self.definition.node.body) if self.definition.node is not None else ():
            if id(node) in self.inside:
                continue
            match node:
                case c_ast.Assignment(lvalue=place, rvalue=value) if (base := _base(place)) is not None:
                    if isinstance(place, c_ast.ID) or not self._holds_number(place, base):
                        found |= {(self._meant(base), other) for other in self._leading(value)}
                case c_ast.Decl(name=str(), init=value) if value is not None:
                    found |= {(id(node), other) for other in self._leading(value)}
                case _:
                    pass
        return frozenset(found | self._links_of_callees())

    def _links_of_callees(self) -> set[tuple[Named, Named]]:
        """Those that the IR knows, also where a function that is called makes a pointer."""
        known = {self.unit.place(d): id(d) for d in self.names.meant.values()}

        def named(variable: ir.Variable) -> Named:
            return variable.name if variable.scope == "global" else known.get(variable.place, variable)

        return {(named(made), named(source)) for made, source in pointer_links(self.function, self.loop.key)}

    def _leading(self, value: c_ast.Node) -> Iterator[Named]:
        """The variables in an expression whose value may be a pointer that is made of theirs."""
        match value:
            case c_ast.ID(name=name) if self.is_pointer(name) or self._is_array(name) or self._is_hidden(value):
                yield self._meant(value)
            case c_ast.UnaryOp(op="&", expr=place):
                yield from map(self._meant, identifiers(place))
            case c_ast.FuncCall(name=called, args=arguments):
                if arguments is not None and not (isinstance(called, c_ast.ID) and self._gives_number(called.name)):
                    yield from (n for a in arguments.exprs for n in self._leading(a))
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                base = _base(value)
                row = isinstance(self._type_at(value), Array | Unknown)  # or a member array: its first element
                if base is not None and (row or self._is_hidden(base)):
                    yield self._meant(base)
            case c_ast.UnaryOp(op="sizeof" | "!") | c_ast.ID():
                return
            case _:
                for child in value:
                    yield from self._leading(child)

    def _holds_number(self, place: c_ast.Node, base: c_ast.ID) -> bool:
        return not self._is_hidden(base) and isinstance(self._type_at(place), Integer | Floating | Complex)

    def _gives_number(self, function: str) -> bool:
        """Whether a call gives no pointer, as far as the types tell."""
        type_ = self.unit.prototypes.get(function)
        known = isinstance(type_, Function) and isinstance(type_.result, Integer | Floating | Complex)
        return known or not self.returns_pointer(function)

    def _is_hidden(self, name: c_ast.ID) -> bool:
        """Whether a name means another variable where it stands than at the loop: its type is not looked up."""
        return self._meant(name) != self._at_the_loop(name.name)

    def leads_through(self, pointer: str, name: str) -> bool:
        """Whether a pointer leads to another one, and that to where `name` is, or leads: `ww` of `int x, *w = &x, **ww
        = &w`."""
        ahead, (there, depth) = _behind(self._target(pointer)), _behind(self._target(name))
        if isinstance(there, Void | Record | Unknown):
            return ahead[0] == there and ahead[1] > depth
        return ahead[1] > depth or isinstance(ahead[0], Record)

    def _target(self, name: str) -> object:
        """The type of what a pointer leads to; of another variable its own."""
        match self.type_of(name):
            case Pointer(target=target):
                return target
            case Array(element=inner) if self.is_pointer(name):
                return inner
            case type_:
                return type_

    def type_of(self, name: str) -> object:
        declared = self.visible.get(name)
        return self.unit.globals_.get(name) if declared is None else self.unit.type_of(declared)

    def is_plain(self, value: c_ast.Node) -> bool:
        """Whether an expression does nothing, and computes with integers and pointers alone."""
        if any(isinstance(n, c_ast.FuncCall | c_ast.Assignment) or _steps(n) for n in nodes(value)):
            return False
        named = (n.name for n in identifiers(value) if n.name not in self.unit.constants)
        return all(isinstance(self.type_of(name), Integer | Pointer | Array | Record) for name in named)

    def _type_at(self, place: c_ast.Node) -> object:
        """The type of `d[2]`, `s.v`, `p->row`, `*w`; Unknown where another expression leads there."""
        match place:
            case c_ast.ID(name=name):
                return self.type_of(name) or Unknown("")
            case c_ast.ArrayRef(name=base) | c_ast.UnaryOp(op="*", expr=base):
                match self._type_at(base):
                    case Array(element=inner) | Pointer(target=inner):
                        return inner
            case c_ast.StructRef(name=base, type=arrow, field=field):
                record = self._type_at(base)
                record = record.target if arrow == "->" and isinstance(record, Pointer) else record
                layout = self.unit.layouts.get(record.key) if isinstance(record, Record) else None
                member = None if layout is None else layout.member(field.name)
                if member is not None:
                    return member.type
        return Unknown("")

    def element_of(self, name: str) -> CType:
        """What a pointer leads to, or an array parameter."""
        match self.type_of(name):
            case Pointer(target=target) | Array(element=target):
                return target
            case _:
                return Unknown("")

    def is_pointer(self, name: str) -> bool:
        declared = self.visible.get(name)
        decayed = declared is not None and isinstance(self.type_of(name), Array) and self.is_parameter(name)
        return decayed or isinstance(self.type_of(name), Pointer)

    def _is_array(self, name: str) -> bool:
        return isinstance(self.type_of(name), Array)

    def is_parameter(self, name: str) -> bool:
        declared = self.visible.get(name)
        node = self.definition.node
        body = node.body if node is not None else None
        return declared is not None and body is not None and all(n is not declared for n in nodes(body))

    # --- its text

    def is_own(self, place: object) -> bool:
        """Whether something stands in the text of the loop, and not in that of a callee."""
        here, last = self.unit.place(self.node), self.unit.end_line(self.node)
        if not isinstance(place, Place) or place.path != here.path:
            return False
        return (here.line, here.column) <= (place.line, place.column) and place.line <= last


def _reached(begin: set[Named], links: Iterable[tuple[Named, Named]]) -> set[Named]:
    """What the links lead to, and where they begin."""
    found, pending = set(begin), [*begin]
    while pending:
        here = pending.pop()
        new = {there for one, there in links if one == here} - found
        pending += new
        found |= new
    return found


def _steps(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")


def _behind(type_: object) -> tuple[object, int]:
    """The type behind so many pointers, arrays left out: int and 2 of `int *(*)[4]`."""
    depth = 0
    while isinstance(type_, Array | Pointer):
        depth += isinstance(type_, Pointer)
        type_ = type_.element if isinstance(type_, Array) else type_.target
    return type_, depth


def _may_lead_to(type_: object, depth: int) -> bool:
    """Whether something of this type may hold the address of a pointer to a pointer ..., this deep; 0: of a number."""
    there, ahead = _behind(type_)
    is_byte = isinstance(there, Integer) and there.size == 1
    return ahead > depth or (ahead > 0 and (is_byte or isinstance(there, Void))) or isinstance(there, Record | Unknown)


def _base(place: c_ast.Node) -> c_ast.ID | None:
    """`s` of `s->w[3]`: the variable whose memory, or what it leads to, is assigned."""
    while not isinstance(place, c_ast.ID):
        match place:
            case c_ast.StructRef(name=inner) | c_ast.ArrayRef(name=inner) | c_ast.UnaryOp(op="*", expr=inner):
                place = inner
            case _:
                return None
    return place
