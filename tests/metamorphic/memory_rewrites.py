"""The same memory by other words: pointers, aliases, rows, flat arrays, structures."""

import copy

from pycparser import c_ast

from .scene import COUNTS, MOVED, Rewrite, Scene, c, declaration, pointer
from .syntax import assigned, constant, counted, declared, effects, identifiers, leaves, replaced, substituted, walk


def dereferenced(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`*(a + i)` for `a[i]`."""
    if not isinstance(node, c_ast.ArrayRef):
        return None
    return c_ast.UnaryOp("*", c_ast.BinaryOp("+", node.name, node.subscript))


def turned_round(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`i[a]` for `a[i]`."""
    return c_ast.ArrayRef(node.subscript, node.name) if isinstance(node, c_ast.ArrayRef) else None


def from_the_second(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`(&a[1])[i - 1]` for `a[i]`."""
    if not isinstance(node, c_ast.ArrayRef) or not _rooted(node.name, scene):
        return None
    return c("(&A[1])[X - 1]", A=node.name, X=c_ast.Cast(_long(), node.subscript))


def _rooted(array: c_ast.Node, scene: Scene) -> bool:
    """Whether this is the array of `a[i]`, and not the `i` of `i[a]`."""
    while isinstance(array, c_ast.ArrayRef):
        array = array.name
    return isinstance(array, c_ast.ID) and scene.scope.element(array.name) is not None


def _long() -> c_ast.Typename:
    return c_ast.Typename(None, [], None, c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(["long"])))


def aliased(scene: Scene) -> bool:
    """Pointer parameters are read through local pointers."""
    changed = assigned(scene.function.body)
    pairs = []
    for p in scene.scope.parameters:
        element = scene.scope.element(p.name)
        if element is None or p.name in changed or _restrict(p) or not scene.chosen():
            continue
        name = scene.fresh("p")
        substituted(scene.function.body, p.name, c_ast.ID(name))
        pairs.append(declaration(name, _free(pointer(element), name), c_ast.ID(p.name)))
    scene.function.body.block_items = [*pairs, *(scene.function.body.block_items or [])]
    return bool(pairs)


def _restrict(parameter: c_ast.Decl) -> bool:
    """Two pointers, one based on a `restrict` one, are no plain aliases for a reader of types."""
    return "restrict" in repr([getattr(x, "quals", None) or getattr(x, "dim_quals", None) for x in walk(parameter)])


def _free(type: c_ast.Node, name: str) -> c_ast.Node:
    """The type, whose name is still that of what it was copied from."""
    inner = type
    while not isinstance(inner, c_ast.TypeDecl):
        inner = inner.type
    inner.declname = name
    return type


def flattened(scene: Scene) -> bool:
    """`((double *)A)[i * 8 + j]` for `A[i][j]`, where every use of A is a whole one."""
    hit = False
    for name in sorted(scene.scope.own):
        match scene.scope.type(name):
            case c_ast.ArrayDecl(type=c_ast.ArrayDecl(type=c_ast.TypeDecl() as element, dim=width)):
                pass
            case _:
                continue
        wide = constant(width) if width is not None else None
        if wide is None or not scene.scope.words(element):
            continue
        uses = [x for x in walk(scene.function.body) if _whole(x, name)]
        if len(uses) != sum(x.name == name for x in identifiers(scene.function.body)) or not scene.chosen():
            continue
        type = c_ast.Typename(None, [], None, pointer(_free(copy.deepcopy(element), "")))
        for x in uses:
            row, x.subscript = x.name.subscript, c(f"(X) * {wide} + (Y)", X=x.name.subscript, Y=x.subscript)
            x.name = c_ast.Cast(copy.deepcopy(type), c_ast.ID(name))
            hit = row is not None
    return hit


def _whole(node: c_ast.Node, name: str) -> bool:
    match node:
        case c_ast.ArrayRef(name=c_ast.ArrayRef(name=c_ast.ID(name=n))):
            return bool(n == name)
        case _:
            return False


def row_pointer(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`double *row = A[i];` in front of a loop in which i stays."""
    found = counted(node, scene.scope)
    if found is None or leaves(node.stmt):
        return None
    fixed = declared(node) | assigned(node) | {found.name}
    for x in walk(node.stmt):
        match x:
            case c_ast.ArrayRef(name=c_ast.ArrayRef(name=c_ast.ID(name=array), subscript=at)) if not effects(at):
                kind = scene.scope.element(array)
                inner = kind.type if isinstance(kind, (c_ast.ArrayDecl, c_ast.PtrDecl)) else None
                names = {y.name for y in identifiers(at)}
                if not isinstance(inner, c_ast.TypeDecl) or (names | {array}) & fixed or len(names) != 1:
                    continue
                if not isinstance(at, c_ast.ID) or array not in scene.scope.own:
                    continue
                return _with_row(node, array, at.name, inner, scene)
            case _:
                pass
    return None


def _with_row(node: c_ast.Node, array: str, at: str, element: c_ast.TypeDecl, scene: Scene) -> c_ast.Node:
    name = scene.fresh("row")

    def change(x: c_ast.Node) -> c_ast.Node:
        match x:
            case c_ast.ArrayRef(name=c_ast.ID(name=a), subscript=c_ast.ID(name=i)) if (a, i) == (array, at):
                return c_ast.ID(name)
            case _:
                return x

    row = declaration(name, _free(pointer(element), name), c(f"{array}[{at}]"))
    node.stmt = replaced(node.stmt, change)
    return c_ast.Compound([row, node])


def walking_pointer(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """`*p … p++` for `a[i]`."""
    found = counted(node, scene.scope)
    if found is None or found.step != 1 or leaves(node.stmt) or not found.own:
        return None
    changed = assigned(node) | declared(node.stmt)
    for array in sorted({x.name.name for x in walk(node.stmt) if _plain(x, found.name)} - changed):
        element = scene.scope.element(array)
        if not isinstance(element, c_ast.TypeDecl) or array not in scene.scope.own:
            continue
        name = scene.fresh("p")

        def change(x: c_ast.Node, array: str = array, name: str = name) -> c_ast.Node:
            return c(f"*{name}") if _plain(x, found.name) and x.name.name == array else x

        node.stmt = c_ast.Compound([replaced(node.stmt, change), c(f"{name}++;")])
        start = c(f"{array} + X", X=copy.deepcopy(found.lower))
        return c_ast.Compound([declaration(name, _free(pointer(element), name), start), node])
    return None


def _plain(node: c_ast.Node, name: str) -> bool:
    match node:
        case c_ast.ArrayRef(name=c_ast.ID(), subscript=c_ast.ID(name=n)):
            return bool(n == name)
        case _:
            return False


def in_structure(scene: Scene) -> bool:
    """Parameters become members of a structure that is given by its address."""
    return _wrapped(scene, "->")


def in_structure_value(scene: Scene) -> bool:
    """Parameters become members of a structure that is given by value."""
    return _wrapped(scene, ".")


def _wrapped(scene: Scene, by: str) -> bool:
    """Only of functions that nothing in the file calls, whose parameters stay what they are."""
    function, own = scene.function, {p.name for p in scene.scope.parameters}
    called = {x.name for x in identifiers(scene.file)}
    if function.decl.name in called or not own or assigned(function.body) & own:
        return False
    members = []
    for p in scene.scope.parameters:
        t, element = scene.scope.type(p.name), scene.scope.element(p.name)
        inner = element.type if isinstance(element, (c_ast.ArrayDecl, c_ast.PtrDecl)) else element
        if t is None or _restrict(p) or (isinstance(element, c_ast.ArrayDecl) and constant(element.dim) is None):
            return False
        if not isinstance(t, c_ast.TypeDecl) and not isinstance(inner, c_ast.TypeDecl):
            return False
        members.append(declaration(p.name, t if element is None else _free(pointer(element), p.name)))
    tag, context = scene.fresh("args"), scene.fresh("ctx")
    for p in scene.scope.parameters:
        substituted(function.body, p.name, c_ast.StructRef(c_ast.ID(context), by, c_ast.ID(p.name)))
    scene.added.append(c_ast.Decl(None, [], [], [], [], c_ast.Struct(tag, members), None, None))
    kind: c_ast.Node = c_ast.TypeDecl(context, [], None, c_ast.Struct(tag, None))
    function.decl.type.args.params = [declaration(context, pointer(kind) if by == "->" else kind)]
    return True


def named_constants(scene: Scene) -> bool:
    """Bounds that are numbers become enumerators."""
    names: dict[int, str] = {}
    for x in walk(scene.function.body):
        found = counted(x, scene.scope)
        if found is None:
            continue
        value = constant(found.upper)
        if value is not None and 0 < value < 2**31 and scene.chosen():
            names.setdefault(value, scene.fresh("END"))
            found.loop.cond.right = c_ast.ID(names[value])
    if names:
        scene.added.append(c(f"enum {{ {', '.join(f'{n} = {v}' for v, n in names.items())} }};"))
    return bool(names)


def named_types(scene: Scene) -> bool:
    """`typedef double real;`"""
    names: dict[str, str] = {}
    for x in walk(scene.function):
        match x:
            case c_ast.TypeDecl(type=c_ast.IdentifierType(names=["double" | "float" | "int" as name])):
                x.type = c_ast.IdentifierType([names.setdefault(name, scene.fresh(name))])
            case _:
                pass
    for name, new in names.items():
        plain = c_ast.TypeDecl(new, [], None, c_ast.IdentifierType([name]))
        scene.added.append(c_ast.Typedef(new, [], ["typedef"], plain))
    return bool(names)


MEMORY_REWRITES = (
    Rewrite("dereferenced", dereferenced, of="expression"),
    Rewrite("turned-round", turned_round, of="expression", keeps=COUNTS - {"int_ops"}),
    Rewrite("from-second", from_the_second, of="expression"),
    Rewrite("alias", aliased, of="function"),
    Rewrite("flat", flattened, of="function", forgets="in-bounds"),
    Rewrite("row-pointer", row_pointer, keeps=COUNTS - MOVED - {"footprint", "read_footprint"}),
    Rewrite("walking-pointer", walking_pointer),
    Rewrite("struct-pointer", in_structure, of="function", keeps=COUNTS - MOVED - {"footprint", "read_footprint"}),
    Rewrite("struct-value", in_structure_value, of="function", keeps=COUNTS - MOVED - {"footprint", "read_footprint"}),
    Rewrite("named-constants", named_constants, of="function"),
    Rewrite("named-types", named_types, of="function"),
)
