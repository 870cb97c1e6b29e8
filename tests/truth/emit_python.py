"""Python text of a nest: one that records all it does, or one that runs a chosen loop in another order.

The text calls the functions of `machine`, `trace` and `permute`. Operations are counted where they stand: `cc("d", x)`
is x and one more operation of kind d. The kinds: f and d floating + - * / in single and double precision, o other
floating operations, i integer operations on data, j integer operations that may be subscript or control arithmetic.
"""

from collections.abc import Iterable
from typing import Any

from . import nest as n
from .machine import garbage, scalars_of, size_of
from .mathematics import FUNCTIONS
from .operators import code_of, contains, integer
from .scalars import has_continue, subscript_scalars
from .updates import Place, update

DATA, ADDRESS, UNCLEAR = "i", "", "j"


class Emitter:
    """Writes the function `run(...)` of one nest. `target`: the loop to be permuted (None: everything is recorded),
    `cells`: places whose addresses its plan wants to know."""

    def __init__(self, nest: n.Nest, target: int | None = None, cells: tuple[n.Spot, ...] = ()) -> None:
        self.nest = nest
        self.trace = target is None
        self.target = target
        self.cells = cells
        aliased = {one: other for one, other, _ in nest.alias if one != other}
        self.homes = {s.name: aliased.get(s.name, s.name) for s in nest.storage}
        self.lines: list[str] = []
        self.depth = 0
        self.updated: tuple[Place, str] | None = None
        """What the statement being written accumulates into, and how: its accesses to that place say so."""
        self.around: list[n.Loop] = []
        self.tracked: set[str] = set(n.assigned(tuple(n.loops(nest.body)))) if self.trace else set()
        self.subscript_scalars = subscript_scalars(nest.body)
        self.scalars = {k: v for k, v in n.assigned(nest.body).items() if not isinstance(v.type, n.Arr | n.Struct)}

    def text(self) -> str:
        for helper in self.nest.helpers:
            self._function(helper.name, [p.name for p in helper.params], helper.body, helper.result, None)
        own = [p.name for p in self.nest.params] + [g.name for g in self.nest.globals_]
        self._function("run", own, self.nest.body, self.nest.result, tuple(g.name for g in self.nest.globals_))
        return "\n".join(self.lines) + "\n"

    def _function(
        self, name: str, params: list[str], body: tuple[n.Stmt, ...], result: n.Num | None, more: tuple[str, ...] | None
    ) -> None:
        """One function; `more`: what the main one returns besides its result."""
        tracked, self.tracked = self.tracked, set() if more is None else self.tracked
        self.result, self.more = result, more
        self._line(f"def {name}({', '.join(params)}):")
        self.depth += 1
        for scalar in () if more is None else self.scalars.values():
            if scalar.name not in params:
                self._line(f"{scalar.name} = {garbage(scalar.type)!r}")
        self._block(body)
        self._return(None)
        self.depth -= 1
        self.tracked = tracked

    def _line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    # --- expressions

    def expr(self, e: n.Expr, kind: str = DATA) -> str:
        if self.trace and isinstance(e, n.Bin | n.Un | n.Cast) and n.is_constant(e):
            self.trace = False  # the compiler evaluates it
            text = self.expr(e, kind)
            self.trace = True
            return text
        match e:
            case n.Const(value=value, type=t):
                return repr(float(value)) if t.floating else f"({value})" if value < 0 else repr(value)
            case n.Raw(text=text):
                return text
            case n.Var(name=name):
                return f"rd('{name}', {name}{self._tag(e)})" if name in self.tracked else name
            case n.Load(spot=spot):
                return f"ld_{code_of(n.spot_type(spot))}({self.address(spot)}{self._tag(spot)})"
            case n.Bin():
                return self._binary(e, kind)
            case n.Un():
                return self._unary(e, kind)
            case n.Cast(type=t, a=a):
                text = f"to_{t.code}({self.expr(a, kind)})"
                return self._count("o" if t.floating or n.type_of(a).floating else "", text)
            case n.Cond(test=test, a=a, b=b):
                t = n.type_of(e)
                return (
                    f"({self._as(a, t, kind)} if {self.expr(test, self._test(kind, test))} else {self._as(b, t, kind)})"
                )
            case n.Logic(op=op, a=a, b=b):
                word = "and" if op == "&&" else "or"
                return f"int(bool({self.expr(a, kind)}) {word} bool({self.expr(b, kind)}))"
            case n.Call():
                return self._call(e, kind)
            case n.PtrAdd(base=base, by=by):
                return f"({self._base(base)} + {self.expr(by, ADDRESS)} * {self._size(n.type_of(e).to)})"
            case n.Step(var=var, by=by, post=post):
                return self._step(var, by, post)

    def _as(self, e: n.Expr, t: Any, kind: str) -> str:
        """The expression converted to a type."""
        own = n.type_of(e)
        text = self.expr(e, kind)
        if own == t or not isinstance(t, n.Num) or (isinstance(own, n.Num) and contains(t, own)):
            return text
        return f"to_{t.code}({text})"

    def _binary(self, e: n.Bin, kind: str) -> str:
        a, b = n.type_of(e.a), n.type_of(e.b)
        if e.op in n.COMPARE:
            t = n.common(a, b) if isinstance(a, n.Num) and isinstance(b, n.Num) else None
            counted = "" if t is None else "o" if t.floating else self._test(kind, e)
            return self._count(counted, f"({self._as(e.a, t, kind)} {e.op} {self._as(e.b, t, kind)})")
        t = n.type_of(e)
        left = self._as(e.a, t, kind)
        right = self.expr(e.b, kind) if e.op in ("<<", ">>") else self._as(e.b, t, kind)
        if t.floating:
            text = f"fdiv({left}, {right})" if e.op == "/" else f"({left} {e.op} {right})"
            return self._count(t.code, f"to_f({text})" if t is n.FLOAT else text)
        return self._count(kind, integer(e.op, left, right, t))

    def _unary(self, e: n.Un, kind: str) -> str:
        t = n.type_of(e)
        match e.op:
            case "!":  # 0 == x (C11 6.5.3.3p5): a comparison
                floating = n.type_of(e.a).floating
                return self._count("o" if floating else self._test(kind, e), f"int(not {self.expr(e.a, kind)})")
            case "~":
                return self._count(kind, f"ck_{t.code}(~{self._as(e.a, t, kind)})")
            case _:
                text = f"(-{self._as(e.a, t, kind)})"
                return self._count("o", text) if t.floating else self._count(kind, f"ck_{t.code}{text}")

    def _call(self, e: n.Call, kind: str) -> str:
        helper = next((h for h in self.nest.helpers if h.name == e.name), None)
        if helper is None:
            function = FUNCTIONS[e.name]
            text = f"{e.name}({', '.join(self._as(a, function.type, kind) for a in e.args)})"
            counted, times = function.operations(e)
            return self._count(counted, f"to_f({text})" if function.type is n.FLOAT else text, times)
        return f"{e.name}({', '.join(self._as(a, p.type, kind) for a, p in zip(e.args, helper.params, strict=True))})"

    def _step(self, var: n.Var, by: int, post: bool) -> str:
        assert isinstance(var.type, n.Num)
        value = f"ck_{var.type.code}({self.expr(var)} + ({by}))"
        new = f"(({var.name} := {self._written(var, value)}))"
        return f"ck_{var.type.code}({new} - ({by}))" if post else new

    def _test(self, kind: str, e: n.Expr) -> str:
        """Comparisons on data count as operations; those of counters may be control."""
        return kind if kind != DATA or any(isinstance(x, n.Load) for x in n.walk(e)) else UNCLEAR

    def _count(self, kind: str, text: str, times: int = 1) -> str:
        more = f", {times}" if times != 1 else ""
        return f"cc('{kind}', {text}{more})" if self.trace and kind else text

    def _written(self, var: n.Var, text: str) -> str:
        return f"wr('{var.name}', {text}{self._tag(var)})" if var.name in self.tracked else text

    def _tag(self, place: Place) -> str:
        """A last argument for the access of an accumulation to its place."""
        if not self.trace:
            return ""
        found = f", {self.updated[1]!r}" if self.updated is not None and self.updated[0] == place else ""
        home = self._home(place) if isinstance(place, n.Spot) else None
        return f"{found or ', None'}, {home!r}" if home is not None else found

    def _home(self, spot: n.Spot) -> str | None:
        """The object that a place must lie in, where its base says so and no pointer is loaded on the way."""
        held = spot.base.type
        for step in spot.steps:
            if isinstance(held, n.Ptr) and held != spot.base.type:
                return None
            held = n.spot_type(n.Spot(n.Var("", held), (step,)))
        return self.homes.get(spot.base.name)

    # --- memory

    def _base(self, base: n.Var) -> str:
        return f"at_{base.name}" if isinstance(base.type, n.Arr | n.Struct) else self.expr(base)

    def _size(self, t: n.Type) -> str:
        match t:
            case n.Arr(of=of, n=str() as count):
                return f"{self._size(of)} * {count}"
            case _:
                return str(size_of(t))

    def address(self, spot: n.Spot) -> str:
        base, held = spot.base, spot.base.type
        if spot.post:
            assert isinstance(held, n.Ptr)
            by = spot.post * size_of(held.to)
            return f"(({base.name} := {self._written(base, f'{self.expr(base)} + ({by})')}) - ({by}))"
        text, in_memory = self._base(base), False
        for step in spot.steps:
            if in_memory and isinstance(held, n.Ptr):
                text = f"ld_Q({text})"
            match step, held:
                case n.Index(at=at), n.Ptr(to=to):
                    text += f" + {self.expr(at, ADDRESS)} * {self._size(to)}"
                case n.Index(at=at), n.Arr(of=of, n=count):
                    text += f" + in_row({self.expr(at, ADDRESS)}, {count}) * {self._size(of)}"
                case n.Field(name=name), n.Ptr(to=n.Struct() as struct) | (n.Struct() as struct):
                    text += f" + {struct.member(name)[1]}"
            held = n.spot_type(n.Spot(n.Var("", held), (step,)))
            in_memory = True
        return text

    # --- statements

    def _block(self, body: Iterable[n.Stmt]) -> None:
        body = tuple(body)
        for s in body:
            self._stmt(s)
        if not body:
            self._line("pass")

    def _stmt(self, s: n.Stmt) -> None:
        around, self.updated = self.updated, update(s) or self.updated
        self._one(s)
        self.updated = around

    def _one(self, s: n.Stmt) -> None:
        match s:
            case n.Declare():
                self._declare(s)
            case n.Assign():
                self._assign(s)
            case n.Do(value=value):
                self._line(self.expr(value))
            case n.If(test=test, then=then, otherwise=otherwise):
                self._line(f"if {self.expr(test, self._test(DATA, test))}:")
                self._inside(then)
                if otherwise:
                    self._line("else:")
                    self._inside(otherwise)
            case n.Loop():
                kind = ADDRESS if s.kind == "for" else UNCLEAR  # elsewhere it is a statement of its own
                self._line(f"{s.var.name} = {self._written(s.var, self._as(s.init, s.var.type, kind))}")
                self.around.append(s)
                if s.id == self.target:
                    self._permuted(s)
                else:
                    self._loop(s)
                self.around.pop()
            case n.Break():
                self._break()
            case n.Continue():
                self._line("continue")
            case n.Return(value=value):
                self._return(value)

    def _inside(self, body: Iterable[n.Stmt]) -> None:
        self.depth += 1
        self._block(body)
        self.depth -= 1

    def _declare(self, s: n.Declare) -> None:
        match s.var.type:
            case n.Arr() | n.Struct():
                self._line(f"fresh('{s.var.name}', {s.init is not None})")
            case t if s.init is None:
                self._line(f"{s.var.name} = {self._written(s.var, repr(garbage(t)))}")
            case t:
                self._line(f"{s.var.name} = {self._written(s.var, self._as(s.init, t, self._kind_for(s.var)))}")

    def _kind_for(self, target: n.Var | n.Spot) -> str:
        return UNCLEAR if isinstance(target, n.Var) and target.name in self.subscript_scalars else DATA

    def _assign(self, s: n.Assign) -> None:
        kind = self._kind_for(s.target)
        if isinstance(s.target, n.Var) and isinstance(s.target.type, n.Ptr):
            var, to = s.target, s.target.type.to
            value = self.expr(s.value, ADDRESS)
            text = f"{self.expr(var)} {s.op} ({value}) * {self._size(to)}" if s.op else value
            self._line(f"{var.name} = {self._written(var, text)}")
        elif isinstance(s.target, n.Var):
            var = s.target
            value_ = n.Bin(s.op, var, s.value) if s.op else s.value
            self._line(f"{var.name} = {self._written(var, self._as(value_, var.type, kind))}")
        else:
            self._store(s, s.target, kind)

    def _copy(self, to: n.Spot, source: n.Spot) -> None:
        """A structure to another, scalar by scalar."""
        t = n.spot_type(to)
        scalars = tuple((offset, code_of(s)) for offset, s in scalars_of(t))
        homes = f"{self._home(to)!r}, {self._home(source)!r}"
        self._line(f"copy({self.address(to)}, {self.address(source)}, {scalars!r}, {size_of(t)}, {homes})")

    def _store(self, s: n.Assign, spot: n.Spot, kind: str) -> None:
        t = n.spot_type(spot)
        if isinstance(t, n.Struct):
            assert isinstance(s.value, n.Load)
            self._copy(spot, s.value.spot)
            return
        code = code_of(t)
        if not s.op:
            self._line(f"_v = {self._as(s.value, t, kind)}")
            self._line(f"st_{code}({self.address(spot)}, _v{self._tag(spot)})")
            return
        self._line(f"_a = {self.address(spot)}")
        value = n.Bin(s.op, n.Raw(f"ld_{code}(_a{self._tag(spot)})", t), s.value)
        self._line(f"st_{code}(_a, {self._as(value, t, kind)}{self._tag(spot)})")

    def _return(self, value: n.Expr | None) -> None:
        self._line(f"_r = {'None' if value is None else self._as(value, self.result, DATA)}")
        if self.trace:
            for loop in reversed(self.around):
                self._line(f"leave({loop.id})")
        self._line("return _r" if self.more is None else f"return (_r, {''.join(name + ', ' for name in self.more)})")

    # --- loops

    def _break(self) -> None:
        loop = self.around[-1]
        if loop.id == self.target:
            self._line("raise EarlyExitError")
        elif has_continue(loop):
            self._line(f"_out{loop.id} = True")
            self._line("break")
        else:
            self._line("break")

    def _loop(self, s: n.Loop) -> None:
        if self.trace:
            outer = ", ".join(f"'{o.var.name}': {o.var.name}" for o in self.around[:-1])
            self._line(f"enter({s.id}, {{{outer}}}, locals())")
        self._line("while True:")
        self.depth += 1
        self._line("tick()")
        if self.trace:
            self._line(f"again({s.id})")
        if s.kind != "do":
            self._line(f"if not {self.expr(s.test, ADDRESS)}: break")
        self._body(s)
        if s.kind == "do":
            self._line(f"if not {self.expr(s.test, ADDRESS)}: break")
        self.depth -= 1
        if self.trace:
            self._line(f"leave({s.id})")

    def _body(self, s: n.Loop) -> None:
        if self.trace:
            self._line(f"body({s.id})")
        if has_continue(s):
            self._line(f"_out{s.id} = False")
            self._line("for _once in ONCE:")
            self._inside(s.body)
            self._line(f"if _out{s.id}: break")
        else:
            self._block(s.body)
        for a in s.step:
            self._control(a)

    def _control(self, a: n.Assign) -> None:
        assert isinstance(a.target, n.Var)
        if isinstance(a.target.type, n.Num):
            self._line(
                f"{a.target.name} = "
                + self._written(
                    a.target, self._as(n.Bin(a.op, a.target, a.value) if a.op else a.value, a.target.type, ADDRESS)
                )
            )
        else:
            self._assign(a)

    def _permuted(self, s: n.Loop) -> None:
        """The loop once forward to learn where its iterations start, then again in the order of the plan."""
        inside = n.declared(s.body)
        names = [
            k
            for k in (*self.scalars, *(p.name for p in self.nest.params), *(g.name for g in self.nest.globals_))
            if k not in inside
        ]
        names = list(dict.fromkeys(names))
        state = "(" + "".join(f"{k}, " for k in names) + ")"
        cells = "".join(f"lambda: {self.address(spot)}, " for spot in self.cells)
        self._line(f"_plan = new_plan({names!r}, {state}, ({cells}))")
        self._line("while True:")
        self.depth += 1
        self._line("tick()")
        if s.kind != "do":
            self._line(f"if not {self.expr(s.test, ADDRESS)}: break")
        self._line(f"_plan.start({state})")
        self._body(s)
        if s.kind == "do":
            self._line(f"if not {self.expr(s.test, ADDRESS)}: break")
        self.depth -= 1
        self._line(f"for _k in _plan.turn({state}):")
        self.depth += 1
        self._line(f"{state} = _plan.open(_k)" if names else "_plan.open(_k)")
        self._body(s)
        self._line(f"_plan.close(_k, {state})")
        self.depth -= 1
        self._line(f"{state} = _plan.finish()" if names else "_plan.finish()")
