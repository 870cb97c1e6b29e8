"""Types of parameters and variables as a calling program needs them: what memory to make, and what is in it."""

from dataclasses import dataclass
from typing import TypeAlias

from pycparser import c_ast, c_generator


class NotMadeError(Exception):
    """No value of this type can be made; the text says which."""


@dataclass(frozen=True, slots=True)
class Number:
    """`kind`: SIGNED, UNSIGNED, BOOLEAN, FLOATING."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """A structure, named by a C text that stands for its type."""

    text: str


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes that are compared as such: unions, vectors, structures with bit-fields."""

    text: str


@dataclass(frozen=True, slots=True)
class Pointer:
    """`least`: elements that the pointed-to array has to have; `apart`: it is `restrict`."""

    to: "Type | None"
    least: str = "0"
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    of: "Type"


Type: TypeAlias = Number | Record | Raw | Pointer | Array
FLOATS = frozenset({"float", "double"})
INTEGERS = frozenset({"char", "short", "int", "long", "signed", "unsigned", "__int128"})


class Types:
    """The types of one file."""

    def __init__(self, file: c_ast.FileAST) -> None:
        self.typedefs = {d.name: d.type for d in file.ext if isinstance(d, c_ast.Typedef)}
        self.structs: dict[str, c_ast.Struct] = {}
        self.records: dict[Record, list[tuple[str, Type]]] = {}
        self._named(file)

    def _named(self, node: c_ast.Node) -> None:
        for _, child in node.children():
            if isinstance(child, c_ast.Struct) and child.decls and child.name:
                self.structs.setdefault(child.name, child)
            self._named(child)

    def type(self, node: c_ast.Node, text: str) -> Type:
        """`text`: C that names the type of a variable of this type (for anonymous structures)."""
        match node:
            case c_ast.ArrayDecl(type=inner):
                return Array(self.type(inner, f"__typeof__((*({text} *)0)[0])"))
            case c_ast.PtrDecl(type=inner, quals=quals):
                return Pointer(self._pointed(inner, f"__typeof__(**({text} *)0)"), apart="restrict" in quals)
            case c_ast.TypeDecl(type=c_ast.IdentifierType(names=[name])) if name in self.typedefs:
                return self.type(self.typedefs[name], name)
            case c_ast.TypeDecl(type=c_ast.IdentifierType(names=names)):
                return _number(names)
            case c_ast.TypeDecl(type=c_ast.Struct() as struct):
                return self._record(struct, f"struct {struct.name}" if struct.name else text)
            case c_ast.TypeDecl(type=c_ast.Union() as union):
                return Raw(f"union {union.name}" if union.name else text)
            case c_ast.TypeDecl(type=c_ast.Enum()):
                return Number("UNSIGNED", "unsigned")
            case _:
                raise NotMadeError(type(node).__name__)

    def _pointed(self, node: c_ast.Node, text: str) -> Type | None:
        """None for what a pointer cannot be made to lead to: functions, incomplete types."""
        try:
            return self.type(node, text)
        except NotMadeError:
            return None

    def _record(self, struct: c_ast.Struct, text: str) -> Type:
        full = struct if struct.decls else self.structs.get(struct.name or "")
        if full is None:
            raise NotMadeError(f"incomplete {text}")
        if any(getattr(d, "bitsize", None) is not None or not d.name for d in full.decls):
            return Raw(text)
        record = Record(text)
        if record not in self.records:
            members = self.records[record] = []
            for d in full.decls:
                try:
                    members.append((d.name, self.type(d.type, f"__typeof__((({text} *)0)->{d.name})")))
                except NotMadeError:
                    continue
        return record

    def parameter(self, decl: c_ast.Decl) -> Type:
        match decl.type:
            case c_ast.ArrayDecl(type=inner, dim_quals=quals):
                least = _least(decl.type)
                return Pointer(self._pointed(_element(inner), ""), least, "restrict" in (quals or ()))
            case c_ast.PtrDecl(type=c_ast.ArrayDecl() as inner, quals=quals):
                return Pointer(self._pointed(_element(inner), ""), _least(decl.type), "restrict" in quals)
            case c_ast.PtrDecl(type=c_ast.FuncDecl()) | c_ast.FuncDecl():
                return Pointer(None)
            case c_ast.PtrDecl(type=c_ast.TypeDecl(type=c_ast.IdentifierType(names=["void"])), quals=quals):
                return Pointer(Number("SIGNED", "int"), apart="restrict" in quals)
            case _:
                return self.type(decl.type, f"__typeof__({c_generator.CGenerator().visit(_unnamed(decl))})")


def _unnamed(decl: c_ast.Decl) -> c_ast.Typename:
    return c_ast.Typename(None, [], None, decl.type)


def _element(node: c_ast.Node) -> c_ast.Node:
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return node


def _least(node: c_ast.Node) -> str:
    """How many scalars an array parameter should have: a square, or a cube, of its rows."""
    rows: list[str] = []
    node = node.type
    while isinstance(node, c_ast.ArrayDecl):
        known = node.dim is not None and all(not isinstance(x, c_ast.ID) for x in _walk(node.dim))
        rows.append(f"({c_generator.CGenerator().visit(node.dim)})" if known else "48")
        node = node.type
    return "*".join([rows[0], *rows]) if rows else "0"


def _walk(node: c_ast.Node) -> list[c_ast.Node]:
    return [node, *(x for _, child in node.children() for x in _walk(child))]


def _number(names: list[str]) -> Type:
    words = set(names)
    text = " ".join(names)
    if "_Complex" in words:
        return Raw(text)
    if words & FLOATS:
        return Number("FLOATING", text)
    if "_Bool" in words:
        return Number("BOOLEAN", text)
    if words <= INTEGERS and "__int128" not in words:
        return Number("UNSIGNED" if "unsigned" in words else "SIGNED", text)
    raise NotMadeError(text)


class Table:
    """The types that a calling program fills and compares, as C tables."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self.names: dict[Type, str] = {}
        self.text: list[str] = []

    def name(self, t: Type) -> str:
        """The name of the table of a type; an array is told by its element."""
        while isinstance(t, Array):
            t = t.of
        if t not in self.names:
            name = self.names[t] = f"clz_type_{len(self.names)}"
            self.text.append(f"static const struct clz_type {name};")
            self._define(t, name)
        return self.names[t]

    def size(self, t: Type) -> str:
        while isinstance(t, Array):
            t = t.of
        match t:
            case Number(text=text) | Record(text=text) | Raw(text=text):
                return f"sizeof({text})"
            case _:
                return "sizeof(void *)"

    def _define(self, t: Type, name: str) -> None:
        match t:
            case Number(kind=kind):
                rest = f"clz_{kind}, {self.size(t)}, 0, 0, 0"
            case Raw():
                rest = f"clz_RAW, {self.size(t)}, 0, 0, 0"
            case Pointer(to=None):
                rest = "clz_POINTER, sizeof(void *), 0, 0, 0"
            case Pointer(to=to):
                rest = f"clz_POINTER, sizeof(void *), 0, 0, &{self.name(to)}"
            case Record(text=text):
                members = self.types.records[t]
                rows = [
                    f"{{__builtin_offsetof({text}, {m}), "
                    f"sizeof((({text} *)0)->{m}) / {self.size(of)}, &{self.name(of)}}}"
                    for m, of in members
                ]
                self.text.append(f"static const struct clz_member {name}_members[] = {{{', '.join(rows) or '{0}'}}};")
                rest = f"clz_STRUCT, sizeof({text}), {len(members)}, {name}_members, 0"
        self.text.append(f"static const struct clz_type {name} = {{{rest}}};")
