"""The IR as short lines of text, so that a test shows C on the left and its loops on the right."""

from collections.abc import Iterator
from pathlib import Path

from analyzer.ir import nodes as ir
from analyzer.loops import lower_function
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit
from analyzer.source.unit import Unit


def unit_of(c: str) -> Unit:
    return load_unit(Path("t.c"), SourceOptions(), None, c)


def lowered(c: str, name: str = "f") -> ir.Function:
    """The IR of function `name` of a C text."""
    unit = unit_of(c)
    return lower_function(unit, next(d for d in unit.functions if d.name == name))


def picture(c: str, name: str = "f") -> list[str]:
    """Statements indented by depth; counters are k1, k2 ... in source order; updates of loop variables left out."""
    function = lowered(c, name)
    names = {loop.counter.key: f"k{i}" for i, loop in enumerate(ir.loops(function.body), 1)}
    return list(_Painter(names).body(function.body, 0))


class _Painter:
    def __init__(self, names: dict[int, str]) -> None:
        self.names = names

    def poly(self, p: ir.Poly) -> str:
        return p.text(lambda s: self.names.get(s.key, s.name)).replace("(k", "k").replace(" ", "") if p.terms else "0"

    def body(self, body: tuple[ir.Statement, ...], depth: int) -> Iterator[str]:
        indent = "  " * depth
        for s in body:
            match s:
                case ir.Assign(induction=True) | ir.Evaluate(control=True):
                    pass
                case ir.Assign(target=target, value=value):
                    yield f"{indent}{self.target(target)} = {self.expression(value)}"
                case ir.Evaluate(value=value):
                    yield f"{indent}{self.expression(value)}"
                case ir.Branch(predicate=predicate, then=then, otherwise=otherwise):
                    yield f"{indent}if {self.predicate(predicate)}"
                    yield from self.body(then, depth + 1)
                    if otherwise:
                        yield f"{indent}else"
                        yield from self.body(otherwise, depth + 1)
                case ir.Loop(body=inner):
                    yield f"{indent}loop {self.trip(s)}"
                    yield from self.body(inner, depth + 1)
                case ir.Exit(kind=kind):
                    yield f"{indent}{kind}"
                case ir.Refused(code=code):
                    yield f"{indent}refused {code}"

    def trip(self, loop: ir.Loop) -> str:
        if loop.trip is None:
            return "?"
        parts = [self.poly(r.numerator) + (f" ceil {r.denominator}" if r.denominator > 1 else "") for r in loop.trip]
        return " min ".join(parts) + ("" if loop.exact_trip else " at most")

    def target(self, target: ir.Variable | ir.Access) -> str:
        if isinstance(target, ir.Variable):
            return target.name
        subscripts = "".join(f"[{self.poly(s.index)}]" for s in target.subscripts)
        return f"{target.object}{subscripts}{target.field}"

    def predicate(self, p: ir.Predicate) -> str:
        match p:
            case ir.Compare(value=value, relation=relation):
                return f"{self.poly(value)} {relation} 0"
            case ir.All(parts=parts):
                return "(" + " and ".join(map(self.predicate, parts)) + ")"
            case ir.Any(parts=parts):
                return "(" + " or ".join(map(self.predicate, parts)) + ")"
            case ir.Data():
                return "data"

    def expression(self, e: ir.Expression) -> str:
        match e:
            case ir.Literal(value=value):
                return str(value)
            case ir.Use(variable=variable, value=value):
                return variable.name if value is None else self.poly(value)
            case ir.Load(access=access):
                return self.target(access)
            case ir.Operation(operator=operator, arguments=(only,)):
                return f"{operator}({self.expression(only)})"
            case ir.Operation(operator=operator, arguments=arguments):
                return "(" + f" {operator} ".join(map(self.expression, arguments)) + ")"
            case ir.Choice(operator=operator, condition=condition, then=then, otherwise=otherwise):
                parts = [self.expression(x) for x in (condition, then, otherwise)]
                return f"({parts[0]} {operator} {parts[1]} : {parts[2]})"
            case ir.Call(name=name, arguments=arguments):
                return f"{name}({', '.join(map(self.expression, arguments))})"
            case ir.Convert(type=type_, argument=argument):
                return f"<{getattr(type_, 'name', '?')}>{self.expression(argument)}"
            case ir.Address(object=object_):
                return f"&{object_}"
            case ir.Opaque(reason=reason):
                return f"?{reason}"
