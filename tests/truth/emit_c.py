"""C text of a nest: the plain text that the analyser reads, or one that counts what it does (GNU C)."""

from collections.abc import Iterable

from . import nest as n

LIBRARY = "double sqrt(double);\ndouble fabs(double);\ndouble fmax(double, double);\ndouble fmin(double, double);\n"


def declarator(t: n.Type, name: str) -> str:
    """`double (*A)[4]` and the like."""
    match t:
        case n.Num():
            return f"{t.name} {name}"
        case n.Struct():
            return f"struct {t.name} {name}"
        case n.Arr(of=of, n=count):
            return declarator(of, f"{name}[{count}]")
        case n.Ptr(to=n.Arr() as inner):
            return declarator(inner, f"(*{name})")
        case n.Ptr(to=to, restrict=restrict):
            return declarator(to, f"*restrict {name}" if restrict else f"*{name}")


def structs() -> str:
    return "".join(
        f"struct {s.name} {{ {' '.join(declarator(t, m) + ';' for m, t, _ in s.members)} }};\n" for s in n.STRUCTS
    )


class Writer:
    """Writes one nest; with `counted` every access and floating operation passes through a counting macro."""

    def __init__(self, counted: bool = False) -> None:
        self.counted = counted

    # --- expressions

    def expr(self, e: n.Expr) -> str:
        match e:
            case n.Const(value=value, type=t):
                return _constant(value, t)
            case n.Var(name=name):
                return name
            case n.Load(spot=spot):
                return f"LD({self.spot(spot)})" if self.counted else self.spot(spot)
            case n.Bin(op=op, a=a, b=b):
                return self._binary(e, f"{self._operand(a)} {op} {self._operand(b)}")
            case n.Un(op=op, a=a):
                return f"{op}{self._operand(a)}"
            case n.Cast(type=t, a=a):
                return f"({t.name}){self._operand(a)}"
            case n.Cond(test=test, a=a, b=b):
                return f"{self._operand(test)} ? {self._operand(a)} : {self._operand(b)}"
            case n.Logic(op=op, a=a, b=b):
                return f"{self._operand(a)} {op} {self._operand(b)}"
            case n.Call(name=name, args=args):
                return f"{name}({', '.join(map(self.expr, args))})"
            case n.PtrAdd(base=base, by=n.Const(value=0)):
                return base.name
            case n.PtrAdd(base=base, by=by):
                return f"{base.name} + {self._operand(by)}"
            case n.Step(var=var, by=by, post=post):
                sign = "++" if by > 0 else "--"
                return f"{var.name}{sign}" if post else f"{sign}{var.name}"
            case n.Raw(text=text):
                return text

    def _operand(self, e: n.Expr) -> str:
        text = self.expr(e)
        negative = isinstance(e, n.Const) and text.startswith("-")
        simple = isinstance(e, n.Const | n.Var | n.Load | n.Call) and not negative
        return text if simple else f"({text})"

    def _binary(self, e: n.Bin, text: str) -> str:
        t = n.type_of(e)
        if not self.counted or e.op in n.COMPARE or not t.floating or n.is_constant(e):
            return text
        return f"F{t.size * 8}({text})"

    def spot(self, spot: n.Spot) -> str:
        if spot.post:
            return f"*{spot.base.name}{'++' if spot.post > 0 else '--'}"
        text, held, in_memory = spot.base.name, spot.base.type, False
        first = n.Index(n.Const(0))
        if spot.steps == (first,) and isinstance(held, n.Ptr) and not isinstance(held.to, n.Arr):
            return f"*{text}"
        for step in spot.steps:
            if in_memory and isinstance(held, n.Ptr) and self.counted:
                text = f"LD({text})"
            text += self._step(step, held)
            held = n.spot_type(n.Spot(n.Var("", held), (step,)))
            in_memory = True
        return text

    def _step(self, step: n.Index | n.Field, held: n.Type) -> str:
        match step:
            case n.Index(at=at):
                return f"[{self.expr(at)}]"
            case n.Field(name=name):
                return f"->{name}" if isinstance(held, n.Ptr) else f".{name}"

    # --- statements

    def block(self, body: Iterable[n.Stmt], depth: int) -> str:
        return "".join(self.stmt(s, depth) for s in body)

    def stmt(self, s: n.Stmt, depth: int) -> str:
        pad = "    " * depth
        match s:
            case n.Declare(var=var, init=None):
                return f"{pad}{declarator(var.type, var.name)};\n"
            case n.Declare(var=n.Var(type=n.Arr() | n.Struct()) as var):
                return f"{pad}{declarator(var.type, var.name)} = {{0}};\n"
            case n.Declare(var=var, init=init):
                return f"{pad}{declarator(var.type, var.name)} = {self.expr(init)};\n"
            case n.Assign():
                return f"{pad}{self.assign(s)};\n"
            case n.Do(value=value):
                return f"{pad}{self.expr(value)};\n"
            case n.If(test=test, then=then, otherwise=otherwise):
                text = f"{pad}if ({self.expr(test)}) {{\n{self.block(then, depth + 1)}{pad}}}"
                if otherwise:
                    text += f" else {{\n{self.block(otherwise, depth + 1)}{pad}}}"
                return text + "\n"
            case n.Loop():
                return self.loop(s, depth)
            case n.Break():
                return f"{pad}break;\n"
            case n.Continue():
                return f"{pad}continue;\n"
            case n.Return(value=value):
                return f"{pad}return{'' if value is None else ' ' + self.expr(value)};\n"

    def assign(self, s: n.Assign) -> str:
        match s:
            case n.Assign(target=n.Var(name=name), op="+" | "-" as op, value=n.Const(value=1)):
                return f"{name}{op}{op}"
            case n.Assign(target=n.Var(name=name), op=op, value=value):
                return f"{name} {op}= {self.expr(value)}" + self._compound(s)
            case n.Assign(target=n.Spot() as spot, op=op, value=value):
                macro = "" if not self.counted else "UP" if op else "ST"
                return (
                    f"{macro}({self.spot(spot)}) {op}= {self.expr(value)}" + self._compound(s)
                    if macro
                    else f"{self.spot(spot)} {op}= {self.expr(value)}"
                )
            case _:
                raise TypeError(s)

    def _compound(self, s: n.Assign) -> str:
        if not self.counted or not s.op:
            return ""
        held = s.target.type if isinstance(s.target, n.Var) else n.spot_type(s.target)
        if not isinstance(held, n.Num):
            return ""
        t = n.common(held, n.type_of(s.value))
        return f", F{t.size * 8}(0)" if t.floating else ""

    def loop(self, s: n.Loop, depth: int) -> str:
        pad = "    " * depth
        count = f"{pad}    IT({s.id});\n" if self.counted else ""
        body = count + self.block(s.body, depth + 1)
        init = f"{s.var.name} = {self.expr(s.init)}"
        step = ", ".join(self.assign(a) for a in s.step)
        match s.kind:
            case "for":
                opening = declarator(s.var.type, init) if s.declared else init
                return f"{pad}for ({opening}; {self.expr(s.test)}; {step}) {{\n{body}{pad}}}\n"
            case "while":
                end = "".join(f"{pad}    {self.assign(a)};\n" for a in s.step)
                return f"{pad}{init};\n{pad}while ({self.expr(s.test)}) {{\n{body}{end}{pad}}}\n"
            case _:
                return f"{pad}{init};\n{pad}do {{\n{body}{pad}}} while ({self.expr(s.test)});\n"

    # --- functions

    def function(self, name: str, params: Iterable[n.Var], result: n.Num | None, body: Iterable[n.Stmt]) -> str:
        head = ", ".join(_parameter(p) for p in params) or "void"
        return f"{result.name if result else 'void'} {name}({head})\n{{\n{self.block(body, 1)}}}\n"

    def nest(self, nest: n.Nest) -> str:
        """The globals, helpers and function of a nest."""
        text = "".join(f"{declarator(s.type, s.name)};\n" for s in nest.storage if s.scope == "global")
        text += "".join(f"{declarator(g.type, g.name)};\n" for g in nest.globals_)
        for helper in nest.helpers:
            text += "static " + self.function(helper.name, helper.params, helper.result, helper.body) + "\n"
        return text + self.function(nest.name, nest.params, nest.result, nest.body)


def _parameter(p: n.Var) -> str:
    if isinstance(p.type, n.Ptr) and isinstance(p.type.to, n.Arr):
        return declarator(p.type.to, f"{p.name}[]")
    return declarator(p.type, p.name)


def _constant(value: int | float, t: n.Num) -> str:
    if t.floating:
        return repr(float(value)) + ("f" if t is n.FLOAT else "")
    return f"{value}" + {"unsigned int": "u", "long": "L", "unsigned long": "ul"}.get(t.name, "")
