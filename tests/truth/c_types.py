"""Types of a parsed C file in the nests' own terms, with the layout of LP64."""

from pycparser import c_ast as c

from . import nest as n


class NotCoveredError(Exception):
    """A construct that the executor has no form for: its function is not run."""


NAMES = {
    "char": n.SCHAR,
    "signed char": n.SCHAR,
    "unsigned char": n.UCHAR,
    "short": n.SHORT,
    "unsigned short": n.USHORT,
    "int": n.INT,
    "signed int": n.INT,
    "unsigned int": n.UINT,
    "unsigned": n.UINT,
    "long": n.LONG,
    "long int": n.LONG,
    "unsigned long": n.SIZE,
    "long long": n.LONG,
    "float": n.FLOAT,
    "double": n.DOUBLE,
}
STANDARD = {
    "size_t": n.SIZE,
    "ptrdiff_t": n.LONG,
    "int8_t": n.SCHAR,
    "uint8_t": n.UCHAR,
    "int16_t": n.SHORT,
    "uint16_t": n.USHORT,
    "int32_t": n.INT,
    "uint32_t": n.UINT,
    "int64_t": n.LONG,
    "uint64_t": n.SIZE,
}


class Types:
    """The typedefs and structures of one file, in the order of their declarations."""

    def __init__(self) -> None:
        self.typedefs: dict[str, n.Type] = dict(STANDARD)
        self.structs: dict[str, n.Struct] = {}

    def of(self, node: c.Node) -> n.Type:
        match node:
            case c.PtrDecl(type=c.FuncDecl()):
                raise NotCoveredError("function pointer")
            case c.PtrDecl(type=inner):
                return n.Ptr(self.of(inner))
            case c.ArrayDecl(type=inner, dim=dim):
                return n.Arr(self.of(inner), self._length(dim))
            case c.TypeDecl(type=inner):
                return self.of(inner)
            case c.IdentifierType(names=names):
                return self._named(" ".join(names))
            case c.Struct():
                return self.struct(node)
            case _:
                raise NotCoveredError(type(node).__name__)

    def parameter(self, node: c.Node) -> n.Type:
        """An array parameter is a pointer."""
        found = self.of(node)
        return n.Ptr(found.of) if isinstance(found, n.Arr) else found

    def _named(self, name: str) -> n.Type:
        found = NAMES.get(name) or self.typedefs.get(name)
        if found is None:
            raise NotCoveredError(f"type {name}")
        return found

    def _length(self, dim: c.Node | None) -> int | str:
        match dim:
            case None:
                return 0
            case c.ID(name=name):
                return str(name)
            case _:
                return constant(dim)

    def struct(self, node: c.Struct) -> n.Struct:
        if node.decls is None:
            if node.name not in self.structs:
                raise NotCoveredError("incomplete structure")
            return self.structs[node.name]
        at, align, members = 0, 1, []
        for d in node.decls:
            if d.bitsize is not None or d.name is None:
                raise NotCoveredError("bit-field or member without a name")
            t = self._member(d.type, node.name)
            width, boundary = size_and_alignment(t)
            at = -(-at // boundary) * boundary
            members.append((d.name, t, at))
            at, align = at + width, max(align, boundary)
        found = n.Struct(node.name or f"at{node.coord.line}", tuple(members), -(-at // align) * align)
        self.structs[found.name] = found
        return found

    def _member(self, node: c.Node, own: str | None) -> n.Type:
        match node:
            case c.PtrDecl(type=c.TypeDecl(type=c.Struct(name=name))) if name == own:
                raise NotCoveredError("linked structure")
            case _:
                return self.of(node)


def size_and_alignment(t: n.Type) -> tuple[int, int]:
    match t:
        case n.Num(size=size):
            return size, size
        case n.Ptr():
            return 8, 8
        case n.Arr(of=of, n=int() as count):
            size, align = size_and_alignment(of)
            return size * count, align
        case n.Struct(size=size, members=members):
            return size, max(size_and_alignment(m)[1] for _, m, _ in members)
        case _:
            raise NotCoveredError("size known only at run time")


def constant(e: c.Node) -> int:
    """The value of a constant expression."""
    match e:
        case c.Constant(type="int" | "long int" | "unsigned int" | "unsigned long int", value=value):
            return int(value.rstrip("uUlL"), 0)
        case c.UnaryOp(op="-", expr=a):
            return -constant(a)
        case c.BinaryOp(op=op, left=a, right=b):
            one, two = constant(a), constant(b)
            match op:
                case "+":
                    return one + two
                case "-":
                    return one - two
                case "*":
                    return one * two
                case "/" if two:
                    return one // two
    raise NotCoveredError("length that is no constant")
