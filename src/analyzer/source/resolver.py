"""C types of syntax nodes, for the ABI of the unit.

The resolver is told of declarations in source order (`declare`, `enter_function`); afterwards it answers for every
node of them. Types of local typedefs, tags and `typeof` are found once, while their scope is open, and remembered.
"""

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from copy import copy

from msgspec import Struct, field
from msgspec.structs import replace
from pycparser import c_ast

from . import generic_math
from .attributes import Attribute, TypeAttributes, read_attributes
from .constants import evaluate
from .ctypes import (
    Array,
    Complex,
    CType,
    Floating,
    Function,
    Integer,
    Layout,
    Pointer,
    Record,
    Unknown,
    Void,
    qualified,
)
from .generic import chosen_in, selected
from .layout import Field, lay_out, size_of
from .literals import Number, fits, integer, letters_of
from .typing import expression_type
from .unit import Abi

_FLOATING = {
    "float": "float",
    "double": "double",
    "long double": "long double",
    "_Float16": "_Float16",
    "__fp16": "_Float16",
    "_Float32": "float",
    "_Float64": "double",
    "_Float32x": "double",
    "_Float64x": "long double",
    "_Float128": "__float128",
    "__float128": "__float128",
    "__float80": "long double",
}
_RANKS = ("char", "short", "long long", "long", "__int128")


class Resolver(Struct):
    """`attributes` maps offsets to the GNU attributes found there; `pack_at` gives the `#pragma pack` in force."""

    abi: Abi
    attributes: dict[int, list[Attribute]] = field(default_factory=dict)
    pack_at: Callable[[int], int] = lambda offset: 0
    constants: dict[str, int] = field(default_factory=dict)
    objects: Mapping[str, Number] = {}
    """Constant integers that are constants as well (`knowing`)."""
    layouts: dict[str, Layout] = field(default_factory=dict)
    globals: dict[str, CType] = field(default_factory=dict)
    prototypes: dict[str, CType] = field(default_factory=dict)
    unknown_types: set[str] = field(default_factory=set)
    _types: MutableMapping[str, CType] = field(default_factory=dict)
    _tags: MutableMapping[str, CType] = field(default_factory=dict)
    _objects: MutableMapping[str, CType] = field(default_factory=dict)
    _aligned: dict[str, int] = field(default_factory=dict)
    _remembered: dict[int, CType] = field(default_factory=dict)
    _record_keys: dict[int, str] = field(default_factory=dict)
    _keep: list[c_ast.Node] = field(default_factory=list)

    # --- declarations

    def declare(self, node: c_ast.Node) -> None:
        """Takes in one declaration or the head of one function definition at file scope."""
        match node:
            case c_ast.Typedef(name=name):
                self._types[name] = self._typedef(node)
                alignment = self._attributes_at(node).alignment
                if alignment:
                    self._aligned[name] = alignment
            case c_ast.FuncDef(decl=decl):
                self.prototypes[decl.name] = self._definition_type(node)
                self._objects[decl.name] = self.prototypes[decl.name]
            case c_ast.Decl(name=str(name)):
                self._declare_object(node, name)
            case c_ast.Decl():
                self.type_of(node.type)
            case _:
                pass

    def _declare_object(self, node: c_ast.Decl, name: str) -> None:
        type_ = self.declared_type(node)
        if isinstance(type_, Function):
            self.prototypes.setdefault(name, type_)
        else:
            known = self.globals.get(name)
            complete = not (isinstance(type_, Array) and type_.length is None)
            if known is None or complete:
                self.globals[name] = type_
        self._objects[name] = type_

    def _definition_type(self, node: c_ast.FuncDef) -> CType:
        """A K&R definition says its parameter types after the head."""
        type_ = self.type_of(node.decl)
        if not node.param_decls or not isinstance(type_, Function):
            return type_
        declared = {d.name: self.type_of(d) for d in node.param_decls if isinstance(d, c_ast.Decl)}
        names = [p.name for p in node.decl.type.args.params if isinstance(p, c_ast.ID)]
        fallback = integer("int", self.abi)
        return replace(type_, parameters=tuple(self._adjusted(declared.get(n, fallback)) for n in names))

    def _typedef(self, node: c_ast.Typedef) -> CType:
        return self._attributes_at(node).applied_to(self.type_of(node.type), self.layouts, self.abi)

    def declared_type(self, node: c_ast.Decl) -> CType:
        """The type of a declared object: `int a[] = {1, 2}` has two elements."""
        type_ = self._attributes_at(node).applied_to(self.type_of(node.type), self.layouts, self.abi)
        if isinstance(type_, Array) and type_.length is None and node.init is not None:
            return replace(type_, length=self._initial_length(node.init, type_.element))
        return type_

    def _initial_length(self, init: c_ast.Node, element: CType) -> int | None:
        match init:
            case c_ast.InitList(exprs=exprs):
                index = longest = 0
                for item in exprs or ():
                    if isinstance(item, c_ast.NamedInitializer):
                        first = item.name[0]
                        where = first.expr if isinstance(first, c_ast.ArrayDesignator) else first
                        value = self.constant(where)
                        if value is None:
                            return None
                        index = value
                    index += 1
                    longest = max(longest, index)
                return None if isinstance(element, Record) and self._flat(exprs) else longest
            case c_ast.Constant(type="string", value=text):
                letters = letters_of(text)
                return None if letters is None else letters + 1
            case _:
                return None

    @staticmethod
    def _flat(exprs: list[c_ast.Node] | None) -> bool:
        """`struct s a[] = {1, 2, 3, 4}` without inner braces: the number of items is not that of elements."""
        return any(not isinstance(e, c_ast.InitList | c_ast.NamedInitializer) for e in exprs or ())

    def enter_function(self, node: c_ast.FuncDef) -> None:
        """Resolves what only the scopes inside a function can: local typedefs, tags, `typeof`, `sizeof x`."""
        outer = self._types, self._tags, self._objects
        self._open()
        parameters = getattr(node.decl.type, "args", None)
        for declaration in (*(parameters.params if parameters else ()), *(node.param_decls or ())):
            if isinstance(declaration, c_ast.Decl):
                self._walk(declaration)
        self._walk(node.body)
        self._types, self._tags, self._objects = outer

    def _open(self) -> None:
        self._types = ChainMap({}, self._types)
        self._tags = ChainMap({}, self._tags)
        self._objects = ChainMap({}, self._objects)

    def _walk(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.Compound() | c_ast.For():
                outer = self._types, self._tags, self._objects
                self._open()
                self._walk_children(node)
                self._types, self._tags, self._objects = outer
                return
            case c_ast.Typedef(name=name):
                self._types[name] = self._remember(node, self._typedef(node))
            case c_ast.Decl():
                type_ = self._remember(node, self.declared_type(node))
                self._remember(node.type, type_)
                if node.name:
                    self._objects[node.name] = type_
            case c_ast.Typename():
                self._remember(node, self.type_of(node))
            case c_ast.UnaryOp(op="sizeof", expr=inner) if not isinstance(inner, c_ast.Typename):
                measured = expression_type(inner, self)
                if measured is not None:
                    self._remember(inner, measured)
            case _:
                pass
        self._walk_children(node)

    def _walk_children(self, node: c_ast.Node) -> None:
        for child in node:
            self._walk(child)
            match child:
                case c_ast.GenericSelection():
                    self._put(node, child, selected(child, self))
                case c_ast.FuncCall(name=c_ast.ID(name=generic_math.NAME)):
                    self._put(node, child, generic_math.called(child, self))
                case _:
                    pass

    def _put(self, parent: c_ast.Node, node: c_ast.Node, found: c_ast.Node | None) -> None:
        """Puts what a generic selection stands for in its place, unless that cannot be told."""
        if found is not None:
            chosen_in(parent, node, found)

    def _remember(self, node: c_ast.Node, type_: CType) -> CType:
        self._remembered[id(node)] = type_
        self._keep.append(node)
        return type_

    # --- questions

    def constant(self, node: c_ast.Node | None) -> int | None:
        number = evaluate(node, self)
        return None if number is None else number.value

    def knowing(self, values: Mapping[str, Number]) -> "Resolver":
        """One for which the integers of these names are constants, too, as at file scope, where nothing hides them."""
        other = copy(self)
        other.objects = values
        return other

    def held(self, name: str) -> Number | None:
        return self.objects.get(name)

    def enumerator(self, name: str) -> int | None:
        return self.constants.get(name)

    def object_type(self, name: str) -> CType | None:
        return self._objects.get(name)

    def block_type(self, node: c_ast.Compound) -> CType | None:
        """The type of a statement expression, `({ int t = x; t; })`: that of its last expression."""
        outer = self._types, self._tags, self._objects
        self._open()
        self._walk_children(node)
        found = expression_type(node.block_items[-1], self) if node.block_items else None
        self._types, self._tags, self._objects = outer
        return found

    def expression_type(self, node: c_ast.Node) -> CType | None:
        """The type of an expression as far as `sizeof` and `typeof` need it; None where it is not known."""
        return self._remembered.get(id(node)) or expression_type(node, self)

    def type_of(self, node: c_ast.Node | None) -> CType:
        """The C type of a declaration, declarator or type name."""
        remembered = self._remembered.get(id(node))
        if remembered is not None:
            return remembered
        match node:
            case c_ast.Decl():
                return self.declared_type(node)
            case c_ast.Typedef() | c_ast.Typename():
                return self.type_of(node.type)
            case c_ast.FuncDef(decl=decl):
                return self.type_of(decl)
            case c_ast.TypeDecl(type=inner, quals=quals):
                return qualified(self.type_of(inner), quals or ())
            case c_ast.PtrDecl(type=target, quals=quals):
                pointer = Pointer(self.type_of(target), self.abi.sizes["pointer"])
                return qualified(pointer, quals or ())
            case c_ast.ArrayDecl(type=element, dim=dim):
                return Array(self.type_of(element), self._length(dim))
            case c_ast.FuncDecl(type=result, args=args):
                return self._function(result, args)
            case c_ast.Struct() | c_ast.Union():
                return self._record(node)
            case c_ast.Enum():
                return self._enumeration(node)
            case c_ast.IdentifierType(names=names):
                return self._named(names)
            case _:
                return self._other(node)

    def _other(self, node: c_ast.Node | None) -> CType:
        if type(node).__name__ == "TypeOf":
            inner = node.expr  # type: ignore[union-attr]
            if isinstance(inner, c_ast.Typename):
                return self.type_of(inner)
            return self.expression_type(inner) or Unknown("typeof")
        inner = getattr(node, "type", None)
        return self.type_of(inner) if isinstance(inner, c_ast.Node) else Unknown("?")

    def _length(self, dim: c_ast.Node | None) -> "int | c_ast.Node | None":
        if dim is None:
            return None
        value = self.constant(dim)
        return dim if value is None else value

    def _function(self, result: c_ast.Node, args: c_ast.ParamList | None) -> Function:
        parameters: list[CType] = []
        variadic = args is None
        for parameter in args.params if args else ():
            if isinstance(parameter, c_ast.EllipsisParam):
                variadic = True
            elif isinstance(parameter, c_ast.ID):
                parameters.append(integer("int", self.abi))
            else:
                parameters.append(self._adjusted(self.type_of(parameter.type)))
        if parameters == [Void()]:
            parameters = []
        return Function(self.type_of(result), tuple(parameters), variadic)

    def _adjusted(self, type_: CType) -> CType:
        """Parameters of array and function type are pointers."""
        match type_:
            case Array(element=element):
                return Pointer(element, self.abi.sizes["pointer"])
            case Function():
                return Pointer(type_, self.abi.sizes["pointer"])
            case _:
                return type_

    # --- named types

    def _named(self, names: list[str]) -> CType:
        if len(names) == 1 and names[0] in self._types:
            return self._types[names[0]]
        words = [n for n in names if n not in ("signed", "int", "unsigned")]
        if "_Complex" in words:
            part = self._named([n for n in names if n != "_Complex"] or ["double"])
            return Complex(part) if isinstance(part, Floating) else Unknown(" ".join(names))
        name = " ".join(sorted(words))
        name = {"double long": "long double"}.get(name, name)
        if name in _FLOATING:
            kind = _FLOATING[name]
            return Floating(kind, self.abi.sizes[kind])
        match name:
            case "void":
                return Void()
            case "_Bool":
                return Integer("_Bool", self.abi.sizes["_Bool"], False)
            case "__builtin_va_list":
                return Unknown("__builtin_va_list", 3 * self.abi.sizes["pointer"])
            case "__uint128_t" | "__int128_t":
                return Integer("__int128", 16, name == "__int128_t")
            case _:
                return self._integer(names, words)

    def _integer(self, names: list[str], words: list[str]) -> CType:
        if any(w not in _RANKS for w in words) or not names:
            self.unknown_types.update(words)
            return Unknown(" ".join(names), opaque=len(names) == 1)
        rank = "long long" if words.count("long") == 2 else words[0] if words else "int"
        signed = "unsigned" not in names
        if rank == "char" and not {"signed", "unsigned"} & set(names):
            return Integer("char", 1, self.abi.char_signed)
        prefix = "" if signed and rank != "char" else "signed " if signed else "unsigned "
        return Integer(prefix + rank, self.abi.sizes[rank], signed)

    def _record(self, node: c_ast.Struct | c_ast.Union) -> CType:
        kind = "union" if isinstance(node, c_ast.Union) else "struct"
        known = self._record_keys.get(id(node))
        if known is not None:
            return Record(kind, known)
        tag = f"{kind} {node.name}" if node.name else None
        if tag and tag in self._tags and node.decls is None:
            return self._tags[tag]
        offset = node.coord.column if node.coord else 0
        if tag and tag in self._tags and tag not in getattr(self._tags, "maps", [self._tags])[0]:
            tag_key = f"{tag}@{offset}"
        else:
            tag_key = tag or f"{kind} @{offset}"
        if node.decls is not None and tag_key in self.layouts:
            tag_key = f"{tag_key}@{offset}"
        result = Record(kind, tag_key)
        if tag:
            self._tags[tag] = result
        if node.decls is not None:
            self._record_keys[id(node)] = tag_key
            self._keep.append(node)
            self._define_record(node, tag_key, offset, kind == "union")
        return result

    def _define_record(self, node: c_ast.Struct | c_ast.Union, key: str, offset: int, union: bool) -> None:
        fields = [self._field(d) for d in node.decls if isinstance(d, c_ast.Decl)]
        wanted = read_attributes(self.attributes.get(offset, ()), self.constant)
        self.layouts[key] = lay_out(
            fields, self.layouts, self.abi, union, wanted.packed, self.pack_at(offset), wanted.alignment
        )

    def _field(self, node: c_ast.Decl) -> Field:
        wanted = self._attributes_at(node)
        type_ = wanted.applied_to(self.type_of(node.type), self.layouts, self.abi)
        width = None if node.bitsize is None else self._width(node.bitsize, type_)
        asked = [self._alignas(a) for a in node.align or ()]
        asked += [wanted.alignment, self._typedef_alignment(node.type)]
        return Field(node.name, type_, width, max(asked), wanted.packed)

    def _width(self, node: c_ast.Node, type_: CType) -> int:
        """Bits of a bit-field: none that no compiler takes, whatever is written."""
        return min(max(self.constant(node) or 0, 0), 8 * (size_of(type_, self.layouts) or self.abi.sizes["int"]))

    def _typedef_alignment(self, node: c_ast.Node) -> int:
        """What a typedef with `aligned` asks of a member that it is the type of."""
        while isinstance(node, c_ast.TypeDecl | c_ast.ArrayDecl):
            node = node.type
        names: list[str] = node.names if isinstance(node, c_ast.IdentifierType) else []
        return self._aligned.get(names[0], 0) if len(names) == 1 else 0

    def _alignas(self, node: c_ast.Node) -> int:
        inner = getattr(node, "alignment", None)
        if isinstance(inner, c_ast.Typename):
            return size_of(self.type_of(inner), self.layouts) or 0
        return self.constant(inner) or 0

    def _attributes_at(self, node: c_ast.Node) -> TypeAttributes:
        found = self.attributes.get(node.coord.column, ()) if node.coord else ()
        return read_attributes(found, self.constant)

    def _enumeration(self, node: c_ast.Enum) -> CType:
        known = self._remembered.get(id(node))
        if known is not None:
            return known
        tag = f"enum {node.name}"
        if node.values is None:
            return self._tags.get(tag, Integer(tag, self.abi.sizes["int"], False))
        value, values = -1, []
        for item in node.values.enumerators:
            if isinstance(item, c_ast.Enumerator):
                given = self.constant(item.value) if item.value is not None else value + 1
                value = value + 1 if given is None else given
                if isinstance(self._types, ChainMap):  # in a block: what the file has by that name stays
                    self.constants.setdefault(item.name, value)
                else:
                    self.constants[item.name] = value
                values.append(value)
        type_ = self._remember(node, self._enumeration_of(node, tag, values))
        if node.name:
            self._tags[tag] = type_
        return type_

    def _enumeration_of(self, node: c_ast.Enum, tag: str, values: list[int]) -> CType:
        """As small as the values allow, but no smaller than `int` where nothing asks for it."""
        wanted, signed = self._attributes_at(node), min(values) < 0
        least = 1 if wanted.packed or self.abi.short_enums else self.abi.sizes["int"]
        types = (Integer(tag, size, signed) for size in (1, 2, 4) if size >= least)
        smallest = next((t for t in types if all(fits(v, t) for v in values)), Integer(tag, 8, signed))
        return wanted.applied_to(smallest, self.layouts, self.abi)
