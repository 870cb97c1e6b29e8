"""The body of a loop, or an inner loop, as a function of its own."""

from pycparser import c_ast

from .scene import COUNTS, Rewrite, Scene, declaration, pointer
from .syntax import LOOPS, assigned, block, declared, identifiers, leaves, substituted, walk


def body_called(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """The body is a call; scalars are given by value."""
    return _outlined(node, scene, by_address=False)


def body_called_by_address(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """As before; of scalars that the body assigns the address is given."""
    return _outlined(node, scene, by_address=True)


def inner_called(node: c_ast.Node, scene: Scene) -> c_ast.Node | None:
    """A loop inside another one is a call."""
    if not isinstance(node, LOOPS):
        return None
    for k, x in enumerate(node.stmt.block_items):
        if isinstance(x, c_ast.For):
            call = _call(c_ast.Compound([x]), scene, by_address=False)
            if call is not None:
                node.stmt.block_items[k] = call
                return node
    return None


def _outlined(node: c_ast.Node, scene: Scene, by_address: bool) -> c_ast.Node | None:
    if not isinstance(node, c_ast.For) or not node.stmt.block_items:
        return None
    call = _call(node.stmt, scene, by_address)
    if call is None:
        return None
    node.stmt = block(call)
    return node


def _call(body: c_ast.Compound, scene: Scene, by_address: bool) -> c_ast.FuncCall | None:
    """The call of a new function with this body; None where the body cannot stand alone."""
    if leaves(body):
        return None
    own, scope = declared(body), scene.scope
    names = [x.name for x in identifiers(body)]
    names = [x for x in dict.fromkeys(names) if x in scope.own and x not in own]
    changed = assigned(body) & set(names)
    if any(scope.own[x] is None for x in names) or bool(changed) != by_address or _static(scene, names):
        return None
    parameters, arguments = [], []
    for name in sorted(names, key=lambda x: scope.element(x) is not None):
        type, element = scope.own[name], scope.element(name)
        if not _plain(type) or (name in changed and element is not None):
            return None
        if name in changed:
            type = pointer(type)
        elif element is not None:
            type = pointer(element)
        parameters.append(declaration(name, type))
        arguments.append(c_ast.UnaryOp("&", c_ast.ID(name)) if name in changed else c_ast.ID(name))
    for x in walk(body):
        if isinstance(x, LOOPS):
            x.coord = None
    for name in changed:
        substituted(body, name, c_ast.UnaryOp("*", c_ast.ID(name)))
    helper = scene.fresh("part")
    result = c_ast.TypeDecl(helper, [], None, c_ast.IdentifierType(["void"]))
    shape = c_ast.FuncDecl(c_ast.ParamList(parameters) if parameters else None, result)
    decl = c_ast.Decl(helper, [], [], ["static"], [], shape, None, None)
    scene.added.append(c_ast.FuncDef(decl, None, body))
    return c_ast.FuncCall(c_ast.ID(helper), c_ast.ExprList(arguments) if arguments else None)


def _plain(type: c_ast.Node) -> bool:
    """Whether the type can be written in front of the function: no structure that is defined in it, no size of it."""
    return not any(isinstance(x, (c_ast.Struct, c_ast.Union, c_ast.Enum)) and x.decls for x in walk(type)) and not any(
        isinstance(x, c_ast.ID) for x in walk(type)
    )


def _static(scene: Scene, names: list[str]) -> bool:
    decls = [x for x in walk(scene.function.body) if isinstance(x, c_ast.Decl) and x.name in names]
    return any(x.storage for x in decls) or any("volatile" in getattr(y, "quals", []) for x in decls for y in walk(x))


FUNCTION_REWRITES = (
    Rewrite("body-called", body_called),
    Rewrite("body-called-by-address", body_called_by_address, keeps=COUNTS - {"int_ops"}),
    Rewrite("inner-called", inner_called),
)
