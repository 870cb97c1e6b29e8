"""The generated part of a calling program: arguments of every function, and which variant is called."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pycparser import c_ast, c_generator
from tests.metamorphic.material import functions, read
from tests.metamorphic.syntax import walk

from .signatures import NotMadeError, Number, Pointer, Record, Table, Type, Types

HERE = Path(__file__).parent
EXTREMA = {"fmax", "fmin", "fmaxf", "fminf"}
ENDS = ("end", "last", "limit", "stop")


@dataclass(frozen=True, slots=True)
class Copy:
    """A changed copy of a function; number 0 has taken its place. `plain`: overlapping pointers are excluded by no
    assumption; `rows`: subscripts stay in their rows."""

    number: int
    function: str
    reorders: bool
    plain: bool
    rows: bool


class Callers:
    """What is known of the functions and variables of a file, and the C text that calls them."""

    def __init__(self, path: Path, includes: Path) -> None:
        file = read(path, [includes])
        self.types = Types(file)
        self.functions = {f.decl.name: f.decl for f in functions(file)}
        self.apart = frozenset(f.decl.name for f in functions(file) if _restricts(f.body))
        """Functions with `restrict` pointers of their own: theirs do not overlap, whatever the answer assumes."""
        self.zeros = frozenset(f.decl.name for f in functions(file) if _calls(f.body) & EXTREMA)
        """Functions in which C leaves open which zero is the larger one."""
        self.table = Table(self.types)
        self.prototypes = {
            d.name: d
            for d in file.ext
            if isinstance(d, c_ast.Decl) and isinstance(d.type, c_ast.FuncDecl) and d.name not in self.functions
        }
        self.outside = {
            d.name: d
            for f in functions(file)
            for d in walk(f.body)
            if isinstance(d, c_ast.Decl) and "extern" in d.storage and not isinstance(d.type, c_ast.FuncDecl)
        }
        self._variables = self._globals(file)

    def _globals(self, file: c_ast.FileAST) -> list[str]:
        """Statements that register each variable of the file, and fill those without a value of their own."""
        found: dict[str, tuple[c_ast.Decl, bool]] = {}
        for d in file.ext:
            if isinstance(d, c_ast.Decl) and d.name and not isinstance(d.type, c_ast.FuncDecl):
                filled = found[d.name][1] if d.name in found else True
                found[d.name] = (d, filled and d.init is None and "const" not in d.quals)
        lines = []
        for name, (d, filled) in found.items():
            try:
                t = self.types.type(d.type, f"__typeof__({name})")
            except NotMadeError:
                continue
            if _constant(d.type):
                continue
            count = f"sizeof({name}) / {self.table.size(t)}"
            lines.append(f'clz_object((void *)&{name}, &{self.table.name(t)}, {count}, {int(filled)}, "{name}");')
        return lines

    def missing(self, names: Iterable[str]) -> str:
        """Bodies for functions that the file only declares, which do nothing, and give back a pointer they are given;
        and variables that only a body declares."""
        listed = list(names)
        variables = (self.outside[name] for name in listed if name in self.outside)
        texts = [f"{c_generator.CGenerator().visit(d).removeprefix('extern ')};\n" for d in variables]
        return "".join((*texts, *(_stub(self.prototypes[name]) for name in listed if name in self.prototypes)))

    def program(self, cases: Sequence[str], copies: Sequence[Copy]) -> str:
        """The part behind the text of the file. NotMadeError where a case has an argument that cannot be made."""
        bodies = [self._case(k, name, [c for c in copies if c.function == name]) for k, name in enumerate(cases)]
        place = {name: k for k, name in enumerate(cases)}
        rows = [
            f"{{{c.number}, {place[c.function]}, {int(c.reorders)}, {int(c.plain)}, {int(c.rows)}}}" for c in copies
        ]
        listed = ", ".join(f"{{clz_prepare_{k}, clz_call_{k}}}" for k in range(len(cases)))
        return "\n".join(
            (
                "#undef main",
                (HERE / "runtime.h").read_text(),
                *self.table.text,
                "static void clz_globals(void)\n{\n" + "\n".join(f"    {x}" for x in self._variables) + "\n}",
                *bodies,
                f"const struct clz_case clz_cases[] = {{{listed or '{0}'}}};",
                f"const struct clz_variant clz_variants[] = {{{', '.join(rows) or '{0}'}}};",
                f"const int clz_number_of_cases = {len(cases)}, clz_number_of_variants = {len(rows)};\n",
            )
        )

    def _case(self, number: int, name: str, copies: Sequence[Copy]) -> str:
        made = _Arguments(self, number, self.functions[name])
        lines = [*made.declarations, f"static void clz_prepare_{number}(void)", "{"]
        lines += [f"    {x}" for x in ("clz_globals();", *made.statements)] + ["}"]
        lines += [f"static void clz_call_{number}(int clz_which)", "{", "    switch (clz_which) {"]
        for which, target in ((0, name), *((c.number, f"{name}__{c.number}") for c in copies if c.number)):
            lines.append(f"    case {which}: {made.result}{target}({', '.join(made.arguments)}); break;")
        return "\n".join([*lines, "    }", "}"])


def _restricts(body: c_ast.Node) -> bool:
    return any(isinstance(n, c_ast.PtrDecl) and "restrict" in (n.quals or ()) for n in walk(body))


def _calls(body: c_ast.Node) -> set[str]:
    return {n.name.name for n in walk(body) if isinstance(n, c_ast.FuncCall) and isinstance(n.name, c_ast.ID)}


class _Arguments:
    """Variables that hold the arguments of one function, and the statements that make them."""

    def __init__(self, callers: Callers, number: int, decl: c_ast.Decl) -> None:
        self.types, self.table = callers.types, callers.table
        self.declarations: list[str] = []
        self.statements: list[str] = []
        self.arguments: list[str] = []
        before: Type | None = None
        listed = decl.type.args.params if decl.type.args else ()
        for k, p in enumerate(p for p in listed if isinstance(p, c_ast.Decl)):
            before = self._argument(f"clz_argument_{number}_{k}", p, before)
        self.result = self._result(f"clz_result_{number}", decl.type.type)

    def _argument(self, name: str, p: c_ast.Decl, before: Type | None) -> Type:
        t = self.types.parameter(p)
        match t:
            case Pointer(to=None):
                self.declarations.append(f"static void *{name};")
            case Pointer(to=to, least=least, apart=apart):
                self.declarations.append(f"static void *{name};")
                table = self.table.name(to)
                made = f'clz_buffer(&{table}, {least}, {int(apart)}, "{p.name}")'
                if isinstance(before, Pointer) and before.to == to and any(x in p.name.lower() for x in ENDS):
                    made = f"clz_end_of_last(&{table})"
                self.statements.append(f"{name} = {made};")
            case Number(text=text) | Record(text=text):
                self.declarations.append(f"static {text} {name};")
                self.statements.append(f"clz_argument(&{name}, &{self.table.name(t)});")
            case _:
                raise NotMadeError(f"argument {p.name}")
        self.arguments.append(name)
        return t

    def _result(self, name: str, node: c_ast.Node) -> str:
        match node:
            case c_ast.TypeDecl(type=c_ast.IdentifierType(names=["void"])):
                return ""
            case c_ast.PtrDecl():
                self.declarations.append(f"static void *{name};")
                t: Type = Pointer(None)
            case _:
                t = self.types.type(node, "")
                if not isinstance(t, Number | Record):
                    raise NotMadeError("result")
                self.declarations.append(f"static {t.text} {name};")
        self.statements.append(f'clz_object(&{name}, &{self.table.name(t)}, 1, 0, "result");')
        return f"{name} = (void *)" if isinstance(t, Pointer) else f"{name} = "


def _constant(node: c_ast.Node) -> bool:
    """Whether a variable of this type is never written."""
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return "const" in (getattr(node, "quals", None) or ())


def _stub(decl: c_ast.Decl) -> str:
    for k, p in enumerate(decl.type.args.params if decl.type.args else ()):
        _give_name(p, f"clz_{k}")
    pointers = [_name(p.type) for p in (decl.type.args.params if decl.type.args else ()) if _is_pointer(p)]
    match decl.type.type:
        case c_ast.TypeDecl(type=c_ast.IdentifierType(names=["void"])):
            body = ""
        case c_ast.PtrDecl():
            body = f"return (void *){pointers[0]};" if pointers else "return 0;"
        case c_ast.TypeDecl(type=c_ast.IdentifierType()):
            body = "return 0;"
        case _:
            return ""
    return f"{c_generator.CGenerator().visit(decl).removeprefix('extern ')} {{ {body} }}\n"


def _is_pointer(p: c_ast.Node) -> bool:
    return isinstance(getattr(p, "type", None), c_ast.PtrDecl)


def _give_name(p: c_ast.Node, name: str) -> None:
    """C11 wants names for the parameters of a definition."""
    node = getattr(p, "type", None)
    while isinstance(node, c_ast.PtrDecl | c_ast.ArrayDecl | c_ast.FuncDecl):
        node = node.type
    void = not _is_pointer(p) and isinstance(node, c_ast.TypeDecl) and getattr(node.type, "names", None) == ["void"]
    if isinstance(node, c_ast.TypeDecl) and node.declname is None and not void:
        node.declname = name


def _name(node: c_ast.Node) -> str:
    while not isinstance(node, c_ast.TypeDecl):
        node = node.type
    return str(node.declname)
