"""Seeded generator of loop nests. One seed gives one nest, on every machine and in every order of generation.

A nest is made of loops of many forms around statements of many kinds (`_STATEMENTS`), drawn by weight; the kinds are
chosen so that parallel loops, loops that look parallel and loops that look sequential all come up often.
"""

import random
from collections.abc import Callable

from . import arrays as a
from . import nest as n

ELEMENTS = (n.DOUBLE, n.DOUBLE, n.DOUBLE, n.FLOAT, n.INT, n.INT, n.UCHAR, n.SHORT, n.LONG, n.UINT)
ONE = n.Const(1)


def generate(seed: str) -> n.Nest:
    """The nest of this seed."""
    return Builder(seed).build()


def _c(value: int) -> n.Const:
    return n.Const(value)


class Builder:
    """Collects the pieces of one nest."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.features: set[str] = set()
        self.params: dict[str, n.Var] = {}
        self.storage: dict[str, n.Storage] = {}
        self.globals: dict[str, n.Var] = {}
        self.helpers: list[n.Helper] = []
        self.opening: list[n.Stmt] = []
        self.closing: list[n.Stmt] = []
        self.variables: list[n.Var] = []
        self.forms: list[str] = []
        self.loops = 0
        self.scalars = 0
        self.result: n.Expr | None = None
        self.element = self.rng.choice(ELEMENTS)
        self.depth = self.rng.choices((1, 2, 3), (40, 42, 18))[0]
        self.arrays: list[a.Array] = []
        self.declared = False
        """Whether the subscript being drawn is one of a declared array: below 0 it would be undefined."""

    # --- drawing

    def chance(self, percent: float) -> bool:
        return self.rng.random() * 100 < percent

    def draw(self, table: dict[str, int]) -> str:
        return self.rng.choices(list(table), list(table.values()))[0]

    def param(self, name: str, t: n.Num | None = None) -> n.Var:
        """An integer parameter, the same at every use."""
        if name not in self.params:
            kinds = (n.INT,) * 12 + (n.LONG, n.SIZE, n.UINT)
            self.params[name] = n.Var(name, t or self.rng.choice(kinds))
        return self.params[name]

    def scalar(self, stem: str, t: n.Type, init: n.Expr | None) -> n.Var:
        """A local of the function."""
        self.scalars += 1
        var = n.Var(f"{stem}{self.scalars}", t)
        self.opening.append(n.Declare(var, init))
        return var

    def use(self, array: a.Array) -> a.Array:
        for p in array.params:
            self.params[p.name] = p
        for s in array.storage:
            self.storage[s.name] = s
        return array

    # --- the whole

    def build(self) -> n.Nest:
        self._make_arrays()
        nest = self.level(0)
        if self.chance(12):
            self.variables = []
            self.depth = 1
            nest += self.level(0)
        body = (*self.opening, *nest, *self.closing, *self._return())
        result = n.type_of(self.result) if self.result is not None else None
        self.params = {p.name: p for p in self._ordered()}
        made = n.Nest(
            f"f{self.seed.replace('-', '_').replace(':', '_')}", self.seed, tuple(self.params.values()),
            tuple(self.storage.values()), tuple(self.globals.values()), tuple(self.helpers), body, result,
            tuple(self._sizes()), tuple(self._aliases()), frozenset(self.features),
        )
        return _own_names(made)

    def _ordered(self) -> list[n.Var]:
        """Integer parameters first: a variable-length array type needs its length before it."""
        return sorted(self.params.values(), key=lambda p: not isinstance(p.type, n.Num))

    def _return(self) -> list[n.Stmt]:
        return [n.Return(self.result)] if self.result is not None else []

    def _make_arrays(self) -> None:
        kinds = {"flat": 46, "restrict": 8, "line": 16, "square": 16, "pitched": 7, "vla": 4, "rows": 5, "cells": 7,
                 "vector": 3}
        for k in range(self.rng.choice((1, 2, 2, 3, 3))):
            name = "ABCDE"[k]
            element = self.element if self.chance(85) else self.rng.choice(ELEMENTS)
            self.arrays.append(self.use(self._array(self.draw(kinds), name, element)))

    def _array(self, kind: str, name: str, element: n.Num) -> a.Array:
        self.features.add(kind)
        match kind:
            case "restrict":
                return a.flat(name, element, restrict=True)
            case "line":
                return a.global_line(name, element)
            case "square" if self.depth > 1:
                return a.global_square(name, element)
            case "pitched" if self.depth > 1:
                return a.pitched(name, element, a.SIDE)
            case "vla" if self.depth > 1:
                return a.pitched(name, element, self.param("m", n.INT).name)
            case "rows" if self.depth > 1:
                return a.rows(name, element)
            case "cells":
                return a.cells(name, self.rng.choice(("x", "y", "k", "v")), self.rng.choice(("param", "global")))
            case "vector":
                return a.vector(name)
            case _:
                return a.flat(name, element)

    def _aliases(self) -> list[tuple[str, str, int]]:
        plain = [x for x in self.arrays if x.kind == "flat" and x.name in self.storage]
        found = []
        if len(plain) > 1 and plain[0].element == plain[1].element and self.chance(18):
            found.append((plain[1].name, plain[0].name, self.rng.choice((0, 1, -1, 2, 5))))
        for x in self.arrays:
            if x.kind == "rows" and self.chance(20):
                found.append((x.name, x.name, 0))
        if found:
            self.features.add("overlap")
        return found

    def _sizes(self) -> list[dict[str, int]]:
        """Small sizes, 0 and 1 among them; larger ones where a narrow type could wrap; negative offsets last."""
        pairs = [(0, 0), (1, 1), (2, 3), (5, 4), (3, 6), (7, 7)] if self.depth < 3 else [(0, 1), (1, 1), (2, 3), (4, 3), (3, 5)]
        if self.depth == 1:
            pairs += [(12, 2), (19, 9)]
        if "narrow" in self.features and self.depth == 1:
            pairs.append((270, 3))
        names = [p.name for p in self.params.values() if isinstance(p.type, n.Num) and not p.type.floating]
        members = [f"{x.name}->n" for x in self.arrays if x.kind == "vector"]
        found = []
        for first, second in pairs:
            values = {"n": first, "m": second, "k": self.rng.randrange(6), "w": self.rng.randrange(5)}
            found.append({k: values[k] for k in names if k in values} | dict.fromkeys(members, first))
        if "k" in names or "w" in names:
            signed = {k for k in ("k", "w") if k in names and self.params[k].type.signed}  # type: ignore[union-attr]
            found.append(found[3] | dict.fromkeys(signed, -2))
        return found

    # --- loops

    def level(self, depth: int) -> tuple[n.Stmt, ...]:
        """One loop with all that is in it, and what belongs around it."""
        if depth == self.depth - 1:
            return self.loop(lambda: self.leaf())
        special = self.draw({"plain": 70, "row sum": 12, "row buffer": 7, "two inner": 11})
        match special:
            case "row sum":
                return self.loop(lambda: self.row_sum(depth))
            case "row buffer":
                return self.loop(lambda: self.row_buffer())
            case "two inner":
                return self.loop(lambda: (*self.level(depth + 1), *self.level(depth + 1)))
            case _:
                return self.loop(lambda: self.imperfect(depth))

    def imperfect(self, depth: int) -> tuple[n.Stmt, ...]:
        before = self.statement() if self.chance(18) else ()
        after = self.statement() if self.chance(18) else ()
        inner = self.level(depth + 1)
        if self.chance(6):
            inner = (n.If(self.affine_test(), inner),)
        return (*before, *inner, *after)

    def leaf(self) -> tuple[n.Stmt, ...]:
        count = self.rng.choice((1, 1, 1, 2, 2, 3))
        return tuple(s for _ in range(count) for s in self.statement())

    def loop(self, make_body: Callable[[], tuple[n.Stmt, ...]]) -> tuple[n.Stmt, ...]:
        number = self.loops
        self.loops += 1
        t = self.rng.choices(
            (n.INT, n.UINT, n.LONG, n.SIZE, n.SHORT, n.UCHAR, n.SCHAR), (74, 6, 7, 8, 2, 2, 1))[0]
        var = n.Var("ijlqruvxyz"[number] if number < 10 else f"i{number}", t)
        low, high = self.bounds()
        form = self.draw({"up": 62, "equal": 10, "down": 9, "not": 3, "countdown": 5, "while": 6, "do": 3, "backwards": 2})
        if form in ("down", "backwards") and not t.signed:
            form = "countdown"
        if t.size < 4:
            self.features.add("narrow")
        step = _c(self.rng.choices((1, 2, 3), (84, 11, 5))[0] if form in ("up", "equal", "down", "while") else 1)
        declared = form not in ("while", "do") and self.chance(65)
        if not declared:
            self.opening.append(n.Declare(var, None))
        self.variables.append(var)
        self.forms.append(form)
        body = make_body()
        self.forms.pop()
        if self.chance(1.2) and t.signed:
            self.features.add("hostile")
            body = (*body, n.If(self.data_test(), (n.Assign(var, "+", ONE),)))
        self.variables.remove(var)
        up, down = (n.Assign(var, "+", step),), (n.Assign(var, "-", step),)
        match form:
            case "up":
                return (n.Loop(number, "for", var, declared, low, n.Bin("<", var, high), up, body),)
            case "equal":
                return (n.Loop(number, "for", var, declared, low, n.Bin("<=", var, high), up, body),)
            case "not":
                return (n.Loop(number, "for", var, declared, _c(0), n.Bin("!=", var, high), up, body),)
            case "down":
                top = n.Bin("-", high, ONE)
                return (n.Loop(number, "for", var, declared, top, n.Bin(">=", var, low), down, body),)
            case "backwards":
                return (n.Loop(number, "for", var, declared, high, n.Bin(">", var, low), down, body),)
            case "countdown":
                test = n.Bin(">", n.Step(var, -1, True), _c(0))
                return (n.Loop(number, "for", var, declared, high, test, (), body),)
            case "while":
                return (n.Loop(number, "while", var, False, low, n.Bin("<", var, high), up, body),)
            case _:
                test = n.Bin("<", n.Step(var, 1, False), high)
                return (n.Loop(number, "do", var, False, low, test, (), body),)

    def bounds(self) -> tuple[n.Expr, n.Expr]:
        """Lower and upper limit; with surrounding loops they may depend on those."""
        size = self.param("n" if self.chance(60) else "m")
        low: n.Expr = _c(self.rng.choices((0, 1, 2, 3), (72, 18, 6, 4))[0])
        high: n.Expr = size
        shape = self.draw({"n": 66, "n-1": 12, "constant": 6, "n/2": 4, "2n": 3, "member": 3})
        match shape:
            case "n-1":
                high = n.Bin("-", size, _c(self.rng.choice((1, 1, 2))))
            case "constant":
                high = _c(self.rng.choice((4, 7, 10)))
            case "n/2":
                high = n.Bin("/", size, _c(2))
            case "2n":
                high = n.Bin("*", _c(2), size)
            case "member" if any(x.kind == "vector" for x in self.arrays):
                name = next(x.name for x in self.arrays if x.kind == "vector")
                high = n.Load(n.Spot(n.Var(name, n.Ptr(n.VECTOR)), (n.Field("n"),)))
                self.features.add("member bound")
            case _:
                pass
        if self.variables and self.chance(25):
            outer = self.rng.choice(self.variables)
            self.features.add("triangle")
            match self.draw({"low": 25, "low1": 25, "high": 20, "high1": 15, "rest": 10, "band": 5}):
                case "low":
                    low = outer
                case "low1":
                    low = n.Bin("+", outer, ONE)
                case "high":
                    high = outer
                case "high1":
                    high = n.Bin("+", outer, ONE)
                case "rest":
                    high = n.Bin("-", size, outer)
                case _:
                    low, high = outer, n.Bin("+", outer, _c(3))
        return low, high

    # --- structures of more than one loop

    def row_sum(self, depth: int) -> tuple[n.Stmt, ...]:
        """A scalar set before the inner loop, accumulated in it, and stored after it."""
        t = self.sum_type()
        s = self.scalar("s", t, _c(0))
        number = self.depth
        self.depth = depth + 2
        inner = self.loop(lambda: (n.Assign(s, self.rng.choice("+++-*"), self.value()),))
        self.depth = number
        target = self.rng.choice(self.arrays)
        start: tuple[n.Stmt, ...] = (n.Assign(s, "", n.Const(0)),) if self.chance(80) else ()
        end = n.Assign(target.spot(self.subscripts(target)), "", s) if self.chance(85) else None
        if self.chance(15):
            self.finish_with(s)
        return (*start, *inner, *((end,) if end else ()))

    def row_buffer(self) -> tuple[n.Stmt, ...]:
        """A local array filled by one inner loop and used by the next."""
        self.scalars += 1
        buffer = self.use(a.local_line(f"tmp{self.scalars}", self.element))
        held = n.Var(buffer.name, buffer.storage[0].type)
        inside = self.chance(25)
        declaration = n.Declare(held, _c(0) if self.chance(40) else None)
        if inside:
            self.features.add("inner array")
        else:
            self.opening.append(declaration)
        size = self.param("m")
        self.features.add("buffer")

        def fill() -> tuple[n.Stmt, ...]:
            return (n.Assign(buffer.spot((self.variables[-1],)), "" if self.chance(85) else "+", self.value()),)

        def drain() -> tuple[n.Stmt, ...]:
            target = self.rng.choice(self.arrays)
            at = self.variables[-1]
            subscript = self.rng.choice((at, at, n.Bin("+", at, ONE), n.Bin("-", n.Bin("-", size, ONE), at)))
            return (n.Assign(target.spot(self.subscripts(target)), "", n.Load(buffer.spot((subscript,)))),)

        first, second = self.loop(fill), self.loop(drain)
        return (*((declaration,) if inside else ()), *first, *second)

    # --- statements

    def statement(self) -> tuple[n.Stmt, ...]:
        kind = self.draw(_STATEMENTS)
        self.features.add(kind)
        found: tuple[n.Stmt, ...] = getattr(self, "st_" + kind)()
        if self.chance(9):
            test = self.affine_test() if self.chance(60) else self.data_test()
            other = self.st_assign() if self.chance(25) else ()
            plain = all(not isinstance(s, n.Declare) for s in found)
            return (n.If(test, found, other),) if plain else found
        return found

    def target(self) -> n.Spot:
        array = self.rng.choice(self.arrays)
        return array.spot(self.subscripts(array))

    def st_assign(self) -> tuple[n.Stmt, ...]:
        return (n.Assign(self.target(), "", self.value()),)

    def st_update(self) -> tuple[n.Stmt, ...]:
        spot = self.target()
        floating = n.spot_type(spot).floating  # type: ignore[union-attr]
        return (n.Assign(spot, self.rng.choice("++-*" if floating else "++-|&^"), self.value(integer=not floating)),)

    def st_stencil(self) -> tuple[n.Stmt, ...]:
        """Neighbours of what is written, from the same array or another."""
        to, source = self.rng.choice(self.arrays), self.rng.choice(self.arrays)
        at = self.subscripts(to)
        if to.dimensions != source.dimensions:
            source = to
        parts = [n.Load(source.spot(self._shifted(at))) for _ in range(self.rng.choice((2, 2, 3)))]
        total: n.Expr = parts[0]
        for part in parts[1:]:
            total = n.Bin("+", total, part)
        return (n.Assign(to.spot(at), "", n.Bin("*", total, n.Const(0.5, n.DOUBLE)) if self.chance(30) else total),)

    def _shifted(self, at: tuple[n.Expr, ...]) -> tuple[n.Expr, ...]:
        chosen = self.rng.randrange(len(at))
        by = self.rng.choice((1, 1, 2, 3, 0))
        op = "+" if self.declared and self.chance(75) else self.rng.choice("+-")
        return tuple(n.Bin(op, e, _c(by)) if k == chosen and by else e for k, e in enumerate(at))

    def sum_type(self) -> n.Num:
        return self.element if self.element.size >= 4 else n.INT

    def st_reduce(self) -> tuple[n.Stmt, ...]:
        t = self.sum_type()
        op = self.rng.choice("+++++-*" if t.floating else "+++-*|&^")
        s = self.scalar("s", t, n.Const(0 if op != "*" else 1))
        self.finish_with(s)
        value = self.value(integer=not t.floating)
        if self.chance(50):
            return (n.Assign(s, op, value),)
        return (n.Assign(s, "", n.Bin(op, s, value) if self.chance(75) else n.Bin(op, value, s)),)

    def st_extreme(self) -> tuple[n.Stmt, ...]:
        """Largest or smallest, in the four ways it is written."""
        t = self.sum_type()
        s = self.scalar("best", t, n.Const(0))
        self.finish_with(s)
        array = self.rng.choice(self.arrays)
        value = n.Load(array.spot(self.subscripts(array)))
        op = self.rng.choice((">", "<", ">=", "<="))
        match self.draw({"if": 4, "choice": 3, "call": 2, "where": 2}):
            case "if":
                return (n.If(n.Bin(op, value, s), (n.Assign(s, "", value),)),)
            case "choice":
                swap = self.chance(50)
                return (n.Assign(s, "", n.Cond(n.Bin(op, value, s), s if swap else value, value if swap else s)),)
            case "call" if t is n.DOUBLE:
                return (n.Assign(s, "", n.Call(self.rng.choice(("fmax", "fmin")), (s, value), n.DOUBLE)),)
            case _:
                where = self.scalar("at", n.INT, n.Const(-1))
                self.finish_with(where)
                return (n.If(n.Bin(op, value, s), (n.Assign(s, "", value), n.Assign(where, "", self.some_variable()))),)

    def st_private(self) -> tuple[n.Stmt, ...]:
        """A temporary written before it is read; declared outside it may be read after the loop."""
        t = self.sum_type()
        if self.chance(45):
            self.scalars += 1
            v = n.Var(f"t{self.scalars}", t)
            first: n.Stmt = n.Declare(v, self.value())
        else:
            v = self.scalar("t", t, _c(2) if self.chance(50) else None)
            first = n.Assign(v, "", self.value())
            if self.chance(25):
                self.opening[-1] = n.Declare(v, _c(2))
                self.finish_with(v)
        use = n.Bin(self.rng.choice("+*-"), v, self.leaf_value())
        return (first, n.Assign(self.target(), "", use if self.chance(70) else n.Bin("+", v, v)))

    def st_carried(self) -> tuple[n.Stmt, ...]:
        """A scalar that hands a value to the next iteration."""
        t = self.sum_type()
        v = self.scalar("c", t, _c(1))
        use, change = n.Assign(self.target(), "", n.Bin("+", v, self.leaf_value())), n.Assign(v, "", self.leaf_value())
        if self.chance(30):
            change = n.Assign(v, "+", self.leaf_value())
        return (use, change) if self.chance(75) else (change, use)

    def st_conditional(self) -> tuple[n.Stmt, ...]:
        """A temporary that is written only under a condition, and read always or under the same condition."""
        t = self.sum_type()
        v = self.scalar("t", t, _c(3))
        test = self.data_test() if self.chance(60) else self.affine_test()
        use = n.Assign(self.target(), "", v)
        if self.chance(30):
            self.finish_with(v)
        if self.chance(40):
            return (n.If(test, (n.Assign(v, "", self.leaf_value()), use)),)
        if self.chance(30):
            return (n.If(test, (n.Assign(v, "", self.leaf_value()),), (n.Assign(v, "", self.leaf_value()),)), use)
        return (n.If(test, (n.Assign(v, "", self.leaf_value()),)), use)

    def st_swap(self) -> tuple[n.Stmt, ...]:
        array = self.rng.choice(self.arrays)
        one, two = array.spot(self.subscripts(array)), array.spot(self.subscripts(array))
        self.scalars += 1
        v = n.Var(f"t{self.scalars}", array.element)
        return (n.Declare(v, n.Load(one)), n.Assign(one, "", n.Load(two)), n.Assign(two, "", v))

    def st_scatter(self) -> tuple[n.Stmt, ...]:
        array = next((x for x in self.arrays if x.dimensions == 1), self.arrays[0])
        at = (self.indirect(), *(self.affine() for _ in range(array.dimensions - 1)))
        if self.chance(60):
            return (n.Assign(array.spot(at), "+", self.value() if self.chance(60) else ONE),)
        return (n.Assign(array.spot(at), "", self.value()),)

    def st_cell(self) -> tuple[n.Stmt, ...]:
        """One cell of memory that does not move with the loop."""
        array = self.rng.choice(self.arrays)
        fixed = tuple(self.rng.choice(self.variables[:-1] or [_c(2)]) for _ in range(array.dimensions))
        return (n.Assign(array.spot(fixed), self.rng.choice(("+", "+", "+", "", "-")), self.value()),)

    def st_walk(self) -> tuple[n.Stmt, ...]:
        """Pointers that move through arrays."""
        lines = [x for x in self.arrays if x.kind in ("flat", "restrict", "global") and x.dimensions == 1]
        if not lines:
            return self.st_assign()
        walkers = []
        for array in (self.rng.choice(lines), self.rng.choice(lines)):
            base = array.params[0] if array.params else n.Var(array.name, array.storage[0].type)
            start = n.PtrAdd(base, _c(self.rng.choice((0, 0, 1, 2))))
            walkers.append(self.scalar("p", n.Ptr(array.element), start))
        p, q = walkers
        here = (n.Index(_c(0)),)
        source: n.Expr = n.Load(n.Spot(q, here, 1)) if self.chance(60) else n.Load(n.Spot(q, (n.Index(ONE),)))
        if isinstance(source, n.Load) and not source.spot.post:
            self.opening.remove(next(s for s in self.opening if isinstance(s, n.Declare) and s.var == q))
            q = p
            source = n.Load(n.Spot(p, (n.Index(_c(self.rng.choice((0, 1, 2)))),)))
            move = n.Assign(p, "+", _c(self.rng.choice((1, 2))))
            return (n.Assign(n.Spot(p, here), self.rng.choice(("", "+")), source), move)
        return (n.Assign(n.Spot(p, here, 1), "", n.Bin("+", source, self.leaf_value())),)

    def st_induction(self) -> tuple[n.Stmt, ...]:
        """An integer that steps by a constant, or by data."""
        array = next((x for x in self.arrays if x.dimensions == 1), None)
        if array is None:
            return self.st_assign()
        t = self.rng.choice((n.INT, n.INT, n.LONG, n.UINT, n.UCHAR))
        v = self.scalar("h", t, _c(self.rng.choice((0, 0, 1, 250 if t is n.UCHAR else 3))))
        if t is n.UCHAR:
            self.features.add("narrow")
        step: n.Stmt = n.Assign(v, "+", _c(self.rng.choice((1, 1, 2, 3))))
        if self.chance(15):
            step = n.If(self.data_test(), (step,))
        if self.chance(15):
            self.finish_with(v)
        use = n.Assign(array.spot((v,)), "", self.value())
        return (use, step) if self.chance(60) else (step, use)

    def st_helper(self) -> tuple[n.Stmt, ...]:
        """A call of a small function in the same file."""
        t = self.element
        name = f"h{len(self.helpers)}"
        lines = [x for x in self.arrays if x.kind in ("flat", "restrict") and x.element == t]
        kind = self.draw({"value": 5, "put": 3, "get": 2, "tally": 2})
        x, p, k = n.Var("x", t), n.Var("p", n.Ptr(t)), n.Var("k", n.INT)
        at = n.Spot(p, (n.Index(k),))
        if kind == "value" or not lines:
            body: tuple[n.Stmt, ...] = (n.Return(n.Bin("+", n.Bin("*", x, n.Const(2)), n.Const(1))),)
            self.helpers.append(n.Helper(name, (x,), t, body))
            return (n.Assign(self.target(), "", n.Call(name, (self.leaf_value(),), t)),)
        base = self.rng.choice(lines).params[0]
        match kind:
            case "put":
                self.helpers.append(n.Helper(name, (p, k, x), None, (n.Assign(at, "", x),)))
                return (n.Do(n.Call(name, (base, self.affine(), self.leaf_value()))),)
            case "get":
                self.helpers.append(n.Helper(name, (p, k), t, (n.Return(n.Load(at)),)))
                return (n.Assign(self.target(), "", n.Call(name, (base, self.affine()), t)),)
            case _:
                cell = n.Spot(p, (n.Index(_c(0)),))
                body = (n.Assign(cell, "+", x), n.Return(n.Load(cell)))
                self.helpers.append(n.Helper(name, (p, x), t, body))
                return (n.Assign(self.target(), "", n.Call(name, (base, self.leaf_value()), t)),)

    def st_global(self) -> tuple[n.Stmt, ...]:
        """A global scalar: accumulated, overwritten, or only read."""
        t = self.sum_type()
        g = self.globals.setdefault("g", n.Var("g", t))
        match self.draw({"sum": 3, "last": 2, "read": 3}):
            case "sum":
                return (n.Assign(g, "+", self.value(integer=not t.floating)),)
            case "last":
                return (n.Assign(g, "", self.value()),)
            case _:
                return (n.Assign(self.target(), "", n.Bin("+", g, self.leaf_value())),)

    def st_leave(self) -> tuple[n.Stmt, ...]:
        """Early exits and continues."""
        self.features.add("exit")
        kind = self.draw({"break": 4, "continue": 4, "return": 1})
        if kind == "continue" and self.forms[-1] != "while":  # there it would skip the step
            return (n.If(self.data_test() if self.chance(50) else self.affine_test(), (n.Continue(),)), *self.st_assign())
        exit_: n.Stmt = n.Break() if kind != "return" or self.result is not None else n.Return(None)
        return (*self.st_assign(), n.If(self.data_test(), (exit_,)))

    def st_shrink(self) -> tuple[n.Stmt, ...]:
        """A bound that changes while the loop runs."""
        size = self.param("n")
        return (*self.st_assign(), n.If(self.data_test(), (n.Assign(size, "-", ONE),)))

    def finish_with(self, var: n.Var) -> None:
        """Make a scalar live after the nest."""
        if self.result is None and self.chance(85):
            self.result = var
        elif isinstance(self.result, n.Var | n.Bin):
            self.result = n.Bin("+", self.result, var)

    # --- expressions

    def some_variable(self) -> n.Expr:
        return self.rng.choice(self.variables)

    def load(self) -> n.Expr:
        array = self.rng.choice(self.arrays)
        return n.Load(array.spot(self.subscripts(array)))

    def leaf_value(self) -> n.Expr:
        kind = self.draw({"load": 60, "constant": 16, "variable": 14, "parameter": 10})
        match kind:
            case "constant":
                return n.Const(self.rng.choice((0.5, 2.0, 3.0)), n.DOUBLE) if self.element.floating else _c(self.rng.randrange(1, 6))
            case "variable":
                return self.some_variable()
            case "parameter":
                name = "alpha" if self.element.floating else "beta"
                t = self.element if self.element.floating else n.INT
                self.params.setdefault(name, n.Var(name, t))
                return self.params[name]
            case _:
                return self.load()

    def value(self, integer: bool = False) -> n.Expr:
        """A right-hand side; `integer`: of integer type."""
        e = self._value(self.rng.choice((0, 1, 1, 1, 2)))
        if integer and n.type_of(e).floating:
            return n.Cast(n.INT, e)
        return e

    def _value(self, depth: int) -> n.Expr:
        if depth == 0:
            return self.leaf_value()
        one, two = self._value(depth - 1), self.leaf_value()
        floating = n.type_of(one).floating or n.type_of(two).floating
        table = {"arith": 74, "negate": 4, "cast": 5, "choice": 5, "call": 4, "divide": 8}
        match self.draw(table):
            case "negate":
                return n.Bin("+", n.Un("-", one), two)
            case "cast":
                return n.Bin("+", n.Cast(self.rng.choice((n.INT, n.DOUBLE, n.UCHAR, n.FLOAT) if not floating else (n.FLOAT, n.DOUBLE)), one), two)
            case "choice":
                return n.Cond(n.Bin(self.rng.choice(n.COMPARE[:4]), one, _c(1)), one, two)
            case "call" if floating:
                call = n.Call("fabs", (one,), n.DOUBLE) if self.chance(60) else n.Call("fmax", (one, two), n.DOUBLE)
                return n.Bin("+", call, two)
            case "divide":
                op = "/" if floating else self.rng.choice(("/", "%", ">>", "&", "^", "|"))
                return n.Bin(op, one, n.Const(2.0, n.DOUBLE) if floating else _c(self.rng.choice((1, 2, 3))))
            case _:
                return n.Bin(self.rng.choice("++-*"), one, two)

    def affine_test(self) -> n.Expr:
        v = self.some_variable()
        match self.draw({"constant": 4, "parameter": 3, "other": 4, "parity": 2, "and": 1}):
            case "parameter":
                return n.Bin(self.rng.choice(n.COMPARE), v, n.Bin("-", self.param("n"), ONE))
            case "other" if len(self.variables) > 1:
                return n.Bin(self.rng.choice(n.COMPARE), v, self.some_variable())
            case "parity":
                self.features.add("modulo")
                return n.Bin("==", n.Bin("%", v, _c(2)), _c(self.rng.choice((0, 1))))
            case "and":
                return n.Logic(self.rng.choice(("&&", "||")), n.Bin(">", v, ONE), n.Bin("<", v, self.param("n")))
            case _:
                return n.Bin(self.rng.choice(n.COMPARE), v, _c(self.rng.choice((0, 1, 2, 3))))

    def data_test(self) -> n.Expr:
        self.features.add("data condition")
        return n.Bin(self.rng.choice((">", "<", ">=")), self.load(), _c(self.rng.choice((0, 1, 2))))

    # --- subscripts

    def subscripts(self, array: a.Array) -> tuple[n.Expr, ...]:
        self.declared = array.kind in ("global", "local", "pitched", "rows", "cells")
        if array.dimensions == 1:
            return (self.line_subscript(),)
        if len(self.variables) > 1 and self.chance(62):
            two = self.rng.sample(self.variables, 2) if self.chance(30) else list(self.variables[-2:])
            return tuple(self._near(v) for v in two)
        return (self.subscript(), self.subscript())

    def _near(self, v: n.Var) -> n.Expr:
        by = self.rng.choices((0, 1, 2), (72, 22, 6))[0]
        return self._shift(v, by)

    def _shift(self, v: n.Var, by: int) -> n.Expr:
        """v + by, or v - by where that is not likely to leave the array."""
        low = self.declared or not v.type.signed  # type: ignore[union-attr]
        op = "+" if low and self.chance(80) else self.rng.choice("+-")
        return n.Bin(op, v, _c(by)) if by else v

    def line_subscript(self) -> n.Expr:
        """In one dimension; with two loops often a row number times a length plus a column."""
        if len(self.variables) > 1 and self.chance(55):
            row, column = self.variables[-2:] if self.chance(85) else self.rng.sample(self.variables, 2)
            length: n.Expr = self.param("m") if self.chance(65) else _c(self.rng.choice((7, 8, 10, 3)))
            self.features.add("linearised")
            if len(self.variables) > 2 and self.chance(50):
                plane = n.Bin("+", n.Bin("*", self.variables[-3], self.param("n")), row)
                return n.Bin("+", n.Bin("*", plane, length), self._near(column))
            return n.Bin("+", n.Bin("*", self._near(row), length), self._near(column))
        return self.subscript()

    def subscript(self) -> n.Expr:
        table = {"affine": 84, "indirect": 4, "division": 3, "remainder": 3, "mask": 2, "narrow": 3, "stride": 3}
        if self.element is n.UCHAR:
            table["indirect"] = 0
        v = self.some_variable()
        kind = self.draw(table)
        if kind != "affine":
            self.features.add(f"subscript {kind}")
        match kind:
            case "indirect":
                return self.indirect()
            case "division":
                return n.Bin(self.rng.choice(("/", ">>")), self._shift(v, self.rng.choice((0, 0, 3))), _c(self.rng.choice((1, 2))))
            case "remainder":
                return n.Bin("%", self._shift(v, self.rng.choice((0, 1, 3))), _c(self.rng.choice((2, 3, 8))))
            case "mask":
                return n.Bin("&", self._shift(v, self.rng.choice((0, 1, 3))), _c(self.rng.choice((1, 3, 7))))
            case "narrow":
                self.features.add("narrow")
                near = self.rng.choice((0, 250, 254))
                return n.Cast(self.rng.choice((n.UCHAR, n.UCHAR, n.SCHAR)), n.Bin("+", v, _c(near)))
            case "stride":
                return n.Bin("*", self.param("w"), v)
            case _:
                return self.affine()

    def affine(self) -> n.Expr:
        v = self.some_variable()
        match self.draw({"near": 66, "constant": 4, "mirror": 7, "scaled": 9, "sum": 6, "offset": 5, "difference": 3}):
            case "constant":
                return _c(self.rng.randrange(4))
            case "mirror":
                return n.Bin("-", n.Bin("-", self.param("n"), ONE), v)
            case "scaled":
                scaled = n.Bin("*", _c(self.rng.choice((2, 3))), v)
                by = self.rng.randrange(3)
                return n.Bin("+", scaled, _c(by)) if by else scaled
            case "sum" if len(self.variables) > 1:
                one, two = self.rng.sample(self.variables, 2)
                return n.Bin("+", one, two)
            case "difference" if len(self.variables) > 1:
                one, two = self.rng.sample(self.variables, 2)
                return n.Bin("+", n.Bin("-", one, two), self.param("n"))
            case "offset":
                return n.Bin("+" if self.declared else self.rng.choice("+-"), v, self.param("k"))
            case _:
                return self._near(v)

    def indirect(self) -> n.Expr:
        idx = self.use(a.index("idx"))
        return n.Load(idx.spot((self.affine(),)))


_STATEMENTS = {
    "assign": 26, "update": 12, "stencil": 14, "reduce": 9, "extreme": 3, "private": 9, "carried": 3, "conditional": 3,
    "swap": 3, "scatter": 4, "cell": 4, "walk": 4, "induction": 3, "helper": 4, "global": 2, "leave": 2, "shrink": 1,
}


def _own_names(nest: n.Nest) -> n.Nest:
    """Global names made unique to the nest, so that many nests fit in one file."""
    from dataclasses import replace

    suffix = nest.name[1:]
    outer = {s.name for s in nest.storage if s.scope == "global"} | {g.name for g in nest.globals_} | {
        h.name for h in nest.helpers}
    return replace(_renamed(nest, outer, suffix), name=nest.name, seed=nest.seed)


def _renamed(node: object, names: set[str], suffix: str) -> n.Nest:
    from dataclasses import fields, is_dataclass, replace
    from typing import Any

    def go(x: Any, key: str = "") -> Any:
        if isinstance(x, str):
            return f"{x}_{suffix}" if key == "name" and x in names else x
        if isinstance(x, tuple):
            return tuple(go(e) for e in x)
        if is_dataclass(x) and not isinstance(x, n.Num | n.Ptr | n.Arr | n.Struct | n.Field):
            return replace(x, **{f.name: go(getattr(x, f.name), f.name) for f in fields(x)})  # type: ignore[type-var]
        return x

    return go(node)  # type: ignore[no-any-return]
