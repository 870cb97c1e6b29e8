"""Turns functions of a C file into nests, by way of pycparser: what the executor cannot express is refused."""

import keyword
from collections.abc import Iterable
from contextlib import suppress

from pycparser import c_ast as c

from . import nest as n
from .c_types import NotCoveredError, Types
from .machine import BUILTINS
from .mathematics import FUNCTIONS

RESERVED = {*keyword.kwlist, *BUILTINS, "rd", "wr", "cc", "tick", "enter", "again", "body", "leave", "fresh", "run"}
ZERO, ONE = n.Const(0), n.Const(1)


def safe(name: str) -> str:
    """The name under which a C variable runs."""
    return name + "_" if name in RESERVED else name


def written(name: str) -> str:
    """The C name of what runs under this one."""
    return name[:-1] if name.endswith("_") and name[:-1] in RESERVED else name


class Converter:
    """One function."""

    def __init__(self, types: Types, outer: dict[str, n.Type], functions: dict[str, c.FuncDef]) -> None:
        self.types, self.functions = types, functions
        self.names: dict[str, n.Type] = dict(outer)
        self.outer = set(outer)
        self.seen: dict[str, n.Type] = {}
        self.used: set[str] = set()
        self.arrays: list[n.Var] = []
        self.helpers: dict[str, n.Helper] = {}
        self.lines: list[int] = []

    def function(self, node: c.FuncDef) -> tuple[tuple[n.Var, ...], n.Num | None, tuple[n.Stmt, ...]]:
        head = node.decl.type
        params = []
        for p in head.args.params if head.args else ():
            if isinstance(p, c.EllipsisParam):
                raise NotCoveredError("variable arguments")
            if p.name is None:
                continue
            t = self.types.parameter(p.type)
            if isinstance(t, n.Struct):
                raise NotCoveredError("structure by value")
            params.append(self._declare(p.name, t))
        return tuple(params), self._result(head.type), self.block(node.body)

    def _result(self, node: c.Node) -> n.Num | None:
        if isinstance(node, c.TypeDecl) and getattr(node.type, "names", None) == ["void"]:
            return None
        found = self.types.of(node)
        if not isinstance(found, n.Num):
            raise NotCoveredError("result that is no number")
        return found

    def _declare(self, name: str, t: n.Type) -> n.Var:
        if name in self.outer or self.seen.get(name, t) != t:
            raise NotCoveredError("one name for two variables")
        self.seen[name] = self.names[name] = t
        return n.Var(safe(name), t)

    # --- statements

    def block(self, node: c.Node | None) -> tuple[n.Stmt, ...]:
        match node:
            case None | c.EmptyStatement() | c.Pragma():
                return ()
            case c.Compound(block_items=items):
                return tuple(s for item in items or () for s in self.block(item))
            case c.Decl():
                return self._declaration(node)
            case c.DeclList(decls=decls):
                return tuple(s for d in decls for s in self._declaration(d))
            case c.If(cond=test, iftrue=then, iffalse=otherwise):
                return (n.If(self.expr(test), self.block(then), self.block(otherwise)),)
            case c.For() | c.While() | c.DoWhile():
                return self._loop(node)
            case c.Break():
                return (n.Break(),)
            case c.Continue():
                return (n.Continue(),)
            case c.Return(expr=e):
                return (n.Return(None if e is None else self.expr(e)),)
            case c.Switch():
                return self._switch(node)
            case c.Assignment() | c.UnaryOp() | c.FuncCall() | c.ExprList():
                return self._effect(node)
            case _:
                raise NotCoveredError(type(node).__name__)

    def _declaration(self, d: c.Decl) -> tuple[n.Stmt, ...]:
        if d.storage or d.name is None:
            raise NotCoveredError("static, extern or a type inside a function")
        if "volatile" in d.quals:
            raise NotCoveredError("volatile")
        t = self.types.of(d.type)
        var = self._declare(d.name, t)
        if isinstance(t, n.Struct):
            if var not in self.arrays:
                self.arrays.append(var)
            zero = isinstance(d.init, c.InitList) and _zeros(d.init)
            if d.init is None or zero:
                return (n.Declare(var, ZERO if zero else None),)
            return (n.Declare(var, None), self._copied(n.Spot(var, ()), d.init))
        if isinstance(t, n.Arr):
            zero = isinstance(d.init, c.InitList) and _zeros(d.init)
            if d.init is not None and not zero:
                raise NotCoveredError("initialised array")
            if var not in self.arrays:
                self.arrays.append(var)
            return (n.Declare(var, ZERO if zero else None),)
        return (n.Declare(var, None if d.init is None else self._value(d.init, t)),)

    def _effect(self, e: c.Node) -> tuple[n.Stmt, ...]:
        match e:
            case c.ExprList(exprs=exprs):
                return tuple(s for x in exprs for s in self._effect(x))
            case c.Assignment(op="=", lvalue=to, rvalue=c.Assignment(lvalue=inner) as value):
                first = self._effect(value)
                if self._target(to) == self._target(inner):
                    raise NotCoveredError("assignment to itself")
                held = n.Var(f"chain{len(self.seen)}", self._type(self._target(inner)))
                self.seen[held.name] = held.type
                last = first[-1]
                assert isinstance(last, n.Assign)
                if last.op:
                    raise NotCoveredError("compound assignment as a value")
                keep = (n.Declare(held, last.value), n.Assign(last.target, "", held))
                return (*first[:-1], *keep, n.Assign(self._target(to), "", held))
            case c.Assignment(op=op, lvalue=to, rvalue=value):
                target = self._target(to)
                if isinstance(self._type(target), n.Struct):
                    return (self._copied(_place(target), value),)
                if not isinstance(self._type(target), n.Num | n.Ptr):
                    raise NotCoveredError("array as a target")
                return (n.Assign(target, op[:-1], self._value(value, self._type(target))),)
            case c.UnaryOp(op="++" | "--" | "p++" | "p--" as op, expr=to):
                return (n.Assign(self._target(to), "+" if "+" in op else "-", ONE),)
            case c.FuncCall():
                return (n.Do(self.expr(e)),)
            case _:
                raise NotCoveredError("statement without effect")

    def _copied(self, to: n.Spot, value: c.Node) -> n.Assign:
        """A structure assigned to another."""
        if not isinstance(value, c.ID | c.ArrayRef | c.StructRef | c.UnaryOp):
            raise NotCoveredError("structure that is no place")
        source = _place(self._target(value))
        if n.spot_type(source) != n.spot_type(to):
            raise NotCoveredError("structures of two types")
        return n.Assign(to, "", n.Load(source))

    def _loop(self, node: c.For | c.While | c.DoWhile) -> tuple[n.Stmt, ...]:
        number = len(self.lines)
        self.lines.append(node.coord.line)
        known = dict(self.names)
        before = self.block(node.init) if isinstance(node, c.For) else ()
        if node.cond is None:
            raise NotCoveredError("loop without a condition")
        test = self.expr(node.cond)
        step = self._effect(node.next) if isinstance(node, c.For) and node.next is not None else ()
        if not all(isinstance(s, n.Assign) and isinstance(s.target, n.Var) for s in step):
            raise NotCoveredError("step that is no assignment to a variable")
        body = self.block(node.stmt)
        moved = list(n.assigned(step)) + [v for v in n.assigned((n.Do(test),))] + list(n.assigned(body))
        names = [v.name for v in n.walk(test) if isinstance(v, n.Var) and isinstance(v.type, n.Num | n.Ptr)]
        chosen = next((v for v in moved if v in names), None)
        if chosen is None:
            raise NotCoveredError("loop that no variable controls")
        var = next(v for v in n.walk(test) if isinstance(v, n.Var) and v.name == chosen)
        self.names = {k: v for k, v in self.names.items() if k in known}
        kind = "for" if isinstance(node, c.For) else "while" if isinstance(node, c.While) else "do"
        init, declared, rest = self._start(before, var)
        steps = tuple(s for s in step if isinstance(s, n.Assign))
        return (*rest, n.Loop(number, kind, var, declared, init, test, steps, body))

    @staticmethod
    def _start(before: tuple[n.Stmt, ...], var: n.Var) -> tuple[n.Expr, bool, tuple[n.Stmt, ...]]:
        """The loop variable's own start, and all other statements before the loop."""
        for k, s in enumerate(before):
            match s:
                case n.Declare(var=own, init=e) if own == var and e is not None:
                    return e, True, (*before[:k], *before[k + 1 :])
                case n.Assign(target=n.Var() as own, op="", value=e) if own == var:
                    return e, False, (*before[:k], *before[k + 1 :])
                case _:
                    pass
        return var, False, before

    def _switch(self, node: c.Switch) -> tuple[n.Stmt, ...]:
        """As a chain of conditions; every case must end with a break."""
        held = n.Var(f"chosen{len(self.seen)}", n.INT)
        self.seen[held.name] = n.INT
        labels: list[c.Node | None] = []
        cases: list[tuple[list[c.Node | None], tuple[n.Stmt, ...]]] = []
        items = node.stmt.block_items
        for position, item in enumerate(items):
            labels.append(item.expr if isinstance(item, c.Case) else None)
            if not item.stmts:
                continue
            *inside, last = item.stmts
            if not isinstance(last, c.Break):
                if position + 1 < len(items):
                    raise NotCoveredError("case that falls through")
                inside.append(last)
            cases.append((labels, tuple(s for x in inside for s in self.block(x))))
            labels = []
        chain: tuple[n.Stmt, ...] = ()
        for wanted, body in reversed(cases):
            if None in wanted:
                chain = body
                continue
            test: n.Expr | None = None
            for label in wanted:
                one = n.Bin("==", held, self.expr(label))
                test = one if test is None else n.Logic("||", test, one)
            assert test is not None
            chain = (n.If(test, body, chain),)
        return (n.Declare(held, self.expr(node.cond)), *chain)

    # --- expressions

    def _value(self, e: c.Node, t: n.Type) -> n.Expr:
        found = self.expr(e)
        if isinstance(t, n.Ptr) and not isinstance(n.type_of(found), n.Ptr):
            raise NotCoveredError("number as a pointer")
        return found

    def _type(self, place: n.Var | n.Spot) -> n.Type:
        return place.type if isinstance(place, n.Var) else n.spot_type(place)

    def _target(self, e: c.Node) -> n.Var | n.Spot:
        match e:
            case c.ID(name=name) if name in self.names:
                self.used.add(name)
                return n.Var(safe(name), self.names[name])
            case c.ArrayRef(name=base, subscript=at):
                return self._extended(base, n.Index(self.expr(at)))
            case c.StructRef(name=base, type=".", field=field):
                return self._extended(base, n.Field(field.name))
            case c.StructRef(name=base, type="->", field=field):
                return self._extended(base, n.Field(field.name))
            case c.UnaryOp(op="*", expr=c.UnaryOp(op="p++" | "p--" as op, expr=c.ID() as p)):
                base = self._target(p)
                assert isinstance(base, n.Var)
                return n.Spot(base, (n.Index(ZERO),), 1 if "+" in op else -1)
            case c.UnaryOp(op="*", expr=c.BinaryOp(op="+", left=base, right=at)):
                return self._extended(base, n.Index(self.expr(at)))
            case c.UnaryOp(op="*", expr=base):
                return self._extended(base, n.Index(ZERO))
            case _:
                raise NotCoveredError(f"place {type(e).__name__}")

    def _extended(self, base: c.Node, step: n.Index | n.Field) -> n.Spot:
        match self._target(base):
            case n.Var() as var:
                return n.Spot(var, (step,))
            case n.Spot(post=post) as spot if not post:
                return n.Spot(spot.base, (*spot.steps, step))
            case _:
                raise NotCoveredError("place behind a moving pointer")

    def expr(self, e: c.Node) -> n.Expr:
        match e:
            case c.Constant(type=kind, value=value):
                return self._constant(kind, value)
            case c.ID() | c.ArrayRef() | c.StructRef() | c.UnaryOp(op="*"):
                place = self._target(e)
                if isinstance(place, n.Spot):
                    if isinstance(n.spot_type(place), n.Arr | n.Struct):
                        raise NotCoveredError("row or structure as a value")
                    return n.Load(place)
                return n.PtrAdd(place, ZERO) if isinstance(place.type, n.Arr) else place
            case c.BinaryOp(op="&&" | "||" as op, left=a, right=b):
                return n.Logic(op, self.expr(a), self.expr(b))
            case c.BinaryOp(op=op, left=a, right=b):
                return self._binary(op, self.expr(a), self.expr(b))
            case c.UnaryOp(op="-" | "!" | "~" as op, expr=a):
                return n.Un(op, self.expr(a))
            case c.UnaryOp(op="+", expr=a):
                return self.expr(a)
            case c.UnaryOp(op="++" | "--" | "p++" | "p--" as op, expr=c.ID() as a):
                var = self._target(a)
                if not isinstance(var, n.Var) or not isinstance(var.type, n.Num) or var.type.floating:
                    raise NotCoveredError("pointer stepped in an expression")
                return n.Step(var, 1 if "+" in op else -1, op.startswith("p"))
            case c.UnaryOp(op="&", expr=a):
                return self._address(self._target(a))
            case c.TernaryOp(cond=test, iftrue=a, iffalse=b):
                found = n.Cond(self.expr(test), self.expr(a), self.expr(b))
                if not isinstance(n.type_of(found.a), n.Num) or not isinstance(n.type_of(found.b), n.Num):
                    raise NotCoveredError("pointer chosen by ?:")
                return found
            case c.Cast(to_type=t, expr=a):
                to = self.types.of(t.type)
                if not isinstance(to, n.Num):
                    raise NotCoveredError("cast of a pointer")
                held = self.expr(a)
                return held if n.type_of(held) == to else n.Cast(to, held)  # a cast to its own type converts nothing
            case c.FuncCall():
                return self._call(e)
            case _:
                raise NotCoveredError(type(e).__name__)

    def _binary(self, op: str, a: n.Expr, b: n.Expr) -> n.Expr:
        if isinstance(n.type_of(a), n.Ptr) and op not in n.COMPARE:
            base = a.base if isinstance(a, n.PtrAdd) and a.by == ZERO else a
            if op != "+" or not isinstance(base, n.Var):
                raise NotCoveredError("pointer arithmetic")
            return n.PtrAdd(base, b)
        if isinstance(n.type_of(b), n.Ptr) and op not in n.COMPARE:
            raise NotCoveredError("pointer arithmetic")
        return n.Bin(op, a, b)

    def _address(self, place: n.Var | n.Spot) -> n.Expr:
        match place:
            case n.Spot(base=base, steps=(n.Index(at=at),), post=0):
                return n.PtrAdd(base, at)
            case _:
                raise NotCoveredError("address of a variable or a member")

    def _constant(self, kind: str, value: str) -> n.Expr:
        if kind in ("float", "double", "long double"):
            if value[-1] in "lL":
                raise NotCoveredError("long double")
            single = value[-1] in "fF"
            return n.Const(float(value.rstrip("fF")), n.FLOAT if single else n.DOUBLE)
        if kind == "char" and len(value) == 3:
            return n.Const(ord(value[1]))
        if kind in ("char", "string"):
            raise NotCoveredError("text")
        suffix = value.lower()[len(value.rstrip("uUlL")) :]
        number = int(value.rstrip("uUlL"), 0)
        kinds = {"": n.INT if number <= n.INT.high else n.LONG, "u": n.UINT, "l": n.LONG}
        return n.Const(number, kinds.get(suffix, n.SIZE))

    def _call(self, e: c.FuncCall) -> n.Expr:
        name, given = e.name.name, [self.expr(a) for a in (e.args.exprs if e.args else ())]
        if name in FUNCTIONS and name not in self.functions:
            return n.Call(name, tuple(given), FUNCTIONS[name].type)
        if name not in self.functions:
            raise NotCoveredError(f"call of {name}")
        if name not in self.helpers:
            others = {k: v for k, v in self.functions.items() if k != name}
            inner = Converter(self.types, {k: self.names[k] for k in self.outer}, others)
            params, result, body = inner.function(self.functions[name])
            if inner.lines or inner.arrays or inner.helpers or set(inner.used) & self.outer:
                raise NotCoveredError("call of a function with loops, arrays or globals of its own")
            self.helpers[name] = n.Helper(name, params, result, body)
        return n.Call(name, tuple(given), self.helpers[name].result)


def _zeros(init: c.InitList) -> bool:
    return all(_zeros(e) if isinstance(e, c.InitList) else getattr(e, "value", "") in ("0", "0.0") for e in init.exprs)


def _place(target: n.Var | n.Spot) -> n.Spot:
    return n.Spot(target, ()) if isinstance(target, n.Var) else target


def functions(file: c.FileAST) -> dict[str, c.FuncDef]:
    return {x.decl.name: x for x in file.ext if isinstance(x, c.FuncDef)}


def globals_of(file: c.FileAST, types: Types) -> Iterable[tuple[str, n.Type | NotCoveredError]]:
    """The variables of a file, with the reason for those that cannot be run."""
    for x in file.ext:
        match x:
            case c.Typedef(name=name, type=t):
                try:
                    types.typedefs[name] = types.of(t)
                except NotCoveredError:
                    types.typedefs.pop(name, None)
            case c.Decl(type=c.Struct() as t):
                with suppress(NotCoveredError):
                    types.struct(t)
            case c.Decl(type=c.FuncDecl()):
                pass
            case c.Decl(name=str() as name, type=t, quals=quals, init=init):
                try:
                    found = types.of(t)
                    if "volatile" in quals or init is not None:
                        raise NotCoveredError("volatile or initialised global")
                    yield name, found
                except NotCoveredError as error:
                    yield name, error
            case _:
                pass
