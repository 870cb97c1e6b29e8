"""Seeded generator of loop nests. One seed gives one nest, on every machine and in every order of generation.

A nest is made of loops of many forms around statements of many kinds (`statements.KINDS`), drawn by weight; the kinds
are chosen so that parallel loops, loops that look parallel and loops that look sequential all come up often.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from . import arrays as a
from . import nest as n
from .material import ELEMENTS, ONE, whole
from .settled import AllOrNone


def generate(seed: str) -> n.Nest:
    """The nest of this seed."""
    return Builder(seed).build()


class Builder(AllOrNone):
    """Loops around statements, and what a function needs around those."""

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
            f"f{self.seed.replace('-', '_').replace(':', '_')}",
            self.seed,
            tuple(self.params.values()),
            tuple(self.storage.values()),
            tuple(self.globals.values()),
            tuple(self.helpers),
            body,
            result,
            tuple(self._sizes()),
            tuple(self._aliases()),
            frozenset(self.features),
        )
        return _own_names(made)

    def _ordered(self) -> list[n.Var]:
        """Integer parameters first: a variable-length array type needs its length before it."""
        return sorted(self.params.values(), key=lambda p: not isinstance(p.type, n.Num))

    def _return(self) -> list[n.Stmt]:
        return [n.Return(self.result)] if self.result is not None else []

    def _make_arrays(self) -> None:
        kinds = {
            "flat": 46,
            "restrict": 8,
            "line": 16,
            "square": 16,
            "cube": 5,
            "pitched": 7,
            "vla": 4,
            "rows": 5,
            "cells": 7,
            "vector": 3,
        }
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
            case "cube" if self.depth > 1:
                return a.global_cube(name, element)
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
        lines = [x for x in self.arrays if x.kind == "global" and x.dimensions == 1 and plain]
        if lines and not found and lines[0].element == plain[-1].element and self.chance(12):
            found.append((plain[-1].name, lines[0].name, self.rng.choice((0, 1, 3))))
        for x in self.arrays:
            if x.kind == "rows" and self.chance(20):
                found.append((x.name, x.name, 0))
        if found:
            self.features.add("overlap")
        return found

    def _sizes(self) -> list[dict[str, int]]:
        """Small sizes, 0 and 1 among them; larger ones where a narrow type could wrap; negative offsets last."""
        pairs = (
            [(0, 0), (1, 1), (2, 3), (5, 4), (3, 6), (7, 7)]
            if self.depth < 3
            else [(0, 1), (1, 1), (2, 3), (4, 3), (3, 5)]
            if self.depth < 4
            else [(0, 1), (1, 2), (2, 3), (3, 3), (4, 3)]
        )
        if self.depth == 1:
            pairs += [(12, 2), (19, 9)]
        if "narrow" in self.features and self.depth == 1:
            pairs.append((270, 3))
        if "all or none" in self.features:
            pairs += [(4, 0)]
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
            return self.loop(self.leaf) if self.chance(95) else self.pointer_loop()
        kinds = {"plain": 62, "row sum": 12, "row buffer": 9, "two inner": 11}
        kinds |= {"running": 4, "row table": 3, "records": 3}
        kinds["all or none"] = 9
        special = self.draw(kinds)
        if self.chance(3) and depth == 0:
            return self.ping_pong()
        if self.chance(3) and depth == self.depth - 2:
            return self.blocks()
        match special:
            case "row sum":
                return self.loop(lambda: self.row_sum(depth))
            case "row buffer":
                return self.loop(lambda: self.row_buffer())
            case "records":
                return self.loop(lambda: self.record_buffer())
            case "running":
                return self.loop(lambda: self.running())
            case "all or none":
                return self.loop(lambda: self.all_or_none())
            case "row table":
                return self.row_table()
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
        t = self.rng.choices((n.INT, n.UINT, n.LONG, n.SIZE, n.SHORT, n.UCHAR, n.SCHAR), (74, 6, 7, 8, 2, 2, 1))[0]
        var = n.Var("ijlqruvxyz"[number] if number < 10 else f"i{number}", t)
        low, high, limit = self.again or self.bounds()
        self.again, self.latest = None, (low, high, limit)
        form = self.draw(
            {"up": 62, "equal": 10, "down": 9, "not": 3, "countdown": 5, "while": 6, "do": 3, "backwards": 2}
        )
        if form in ("down", "backwards") and not t.signed:
            form = "countdown" if number % 2 else "wrapped"
        step = whole(self.rng.choices((1, 2, 3), (84, 11, 5))[0] if form in ("up", "equal", "down", "while") else 1)
        if t.size < 4:
            self.features.add("narrow")
            if t.size == 1 and form in ("up", "while") and self.chance(40):
                high, limit = whole(t.high - self.rng.randrange(8)), None
                step = whole(self.rng.choice((1, 5, 10)))  # may jump over the bound, and past the end of the type
        declared = form not in ("while", "do") and self.chance(65)
        if not declared:
            self.opening.append(n.Declare(var, None))
            if self.chance(15) and not self.variables:
                self.finish_with(var)
        self.variables.append(var)
        self.limits |= {var.name: limit} if limit is not None else {}
        self.forms.append(form)
        body = make_body()
        self.forms.pop()
        hostile = 100 * self.rng.random()
        if hostile < 1.2 and t.signed:
            self.features.add("hostile")
            body = (*body, n.If(self.data_test(), (n.Assign(var, "+", ONE),)))
        elif hostile < 2 and form == "up":
            low, high = n.Const(self.rng.choice((-1, 0))), n.Cast(n.UINT, high)  # -1 is above every limit then
        self.variables.remove(var)
        self.limits.pop(var.name, None)
        up, down = (n.Assign(var, "+", step),), (n.Assign(var, "-", step),)
        match form:
            case "up":
                return (n.Loop(number, "for", var, declared, low, n.Bin("<", var, high), up, body),)
            case "equal":
                return (n.Loop(number, "for", var, declared, low, n.Bin("<=", var, high), up, body),)
            case "not":
                return (n.Loop(number, "for", var, declared, whole(0), n.Bin("!=", var, high), up, body),)
            case "down":
                top = n.Bin("-", high, ONE)
                return (n.Loop(number, "for", var, declared, top, n.Bin(">=", var, low), down, body),)
            case "backwards":
                return (n.Loop(number, "for", var, declared, high, n.Bin(">", var, low), down, body),)
            case "countdown":
                test = n.Bin(">", n.Step(var, -1, True), whole(0))
                return (n.Loop(number, "for", var, declared, high, test, (), body),)
            case "wrapped":
                top, last = n.Bin("-", high, ONE), n.Cast(t, whole(-1))
                return (n.Loop(number, "for", var, declared, top, n.Bin("!=", var, last), down, body),)
            case "while":
                return (n.Loop(number, "while", var, False, low, n.Bin("<", var, high), up, body),)
            case _:
                test = n.Bin("<", n.Step(var, 1, False), high)
                return (n.Loop(number, "do", var, False, low, test, (), body),)

    def pointer_loop(self) -> tuple[n.Stmt, ...]:
        """`for (p = A; p < A + n; p++)` over what p leads to and its neighbours."""
        lines = self._lines()
        if not lines:
            return self.loop(self.leaf)
        number = self.loops
        self.loops += 1
        self.features.add("pointer loop")
        base = self.rng.choice(lines)
        element = base.type.to if isinstance(base.type, n.Ptr) else base.type.of  # type: ignore[union-attr]
        p = n.Var(f"w{number}", n.Ptr(element))
        here = n.Spot(p, (n.Index(whole(0)),))
        beside = n.Load(n.Spot(p, (n.Index(whole(self.rng.choice((0, 1, 2, -1)))),)))
        if self.chance(30):
            s = self.scalar("s", self.sum_type(), whole(0))
            self.finish_with(s)
            body: tuple[n.Stmt, ...] = (n.Assign(s, "+", beside),)
        else:
            body = (n.Assign(here, self.rng.choice(("", "+")), n.Bin(self.rng.choice("+*"), beside, whole(2))),)
        end = n.PtrAdd(base, self.param("n"))
        step = whole(self.rng.choice((1, 1, 1, 2)))
        test = n.Bin("<", p, end)
        return (n.Loop(number, "for", p, True, n.PtrAdd(base, whole(0)), test, (n.Assign(p, "+", step),), body),)

    def bounds(self) -> tuple[n.Expr, n.Expr, n.Var | None]:
        """Lower and upper limit; with surrounding loops they may depend on those. And a parameter that is above."""
        size = self.param("n" if self.chance(60) else "m")
        low: n.Expr = whole(self.rng.choices((0, 1, 2, 3), (72, 18, 6, 4))[0])
        high: n.Expr = size
        shape = self.draw({"n": 66, "n-1": 12, "constant": 6, "n/2": 4, "2n": 3, "member": 3, "indirect": 2})
        match shape:
            case "n-1":
                high = n.Bin("-", size, whole(self.rng.choice((1, 1, 2))))
            case "constant":
                high = whole(self.rng.choice((4, 7, 10)))
            case "n/2":
                high = n.Bin("/", size, whole(2))
            case "2n":
                high = n.Bin("*", whole(2), size)
            case "indirect" if self.variables:
                idx = self.use(a.index("idx"))
                outer = self.rng.choice(self.variables)
                low = n.Load(idx.spot((outer,))) if self.chance(50) else low
                high = n.Load(idx.spot((n.Bin("+", outer, ONE),)))
                self.features.add("indirect bound")
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
                    low, high = outer, n.Bin("+", outer, whole(3))
        near = high is size or shape == "n-1" or (shape == "n/2" and high == n.Bin("/", size, whole(2)))
        return low, high, size if near else self.limits.get(high.name) if isinstance(high, n.Var) else None

    # --- structures of more than one loop

    def row_sum(self, depth: int) -> tuple[n.Stmt, ...]:
        """A scalar set before the inner loop, accumulated in it, and stored after it."""
        t = self.sum_type()
        s = self.scalar("s", t, whole(0))
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

    def blocks(self) -> tuple[n.Stmt, ...]:
        """Blocks that begin a step apart: of as many elements as the step, or of any number."""
        self.features.add("rows of a step")
        step, size = self.param("w", n.INT), self.param("n", n.INT)
        start, within = (n.Var(f"{stem}{self.loops}", n.INT) for stem in "bc")
        outer, inner = self.loops, self.loops + 1
        self.loops += 2
        width = step if self.chance(35) else whole(self.rng.choice((2, 3, 4)))
        array = self.use(a.flat("S", self.element))
        spot = array.spot((n.Bin("+", start, within),))
        body = (n.Assign(spot, self.rng.choice(("", "+")), self.rng.choice((start, within, n.Const(2)))),)
        up = (n.Assign(within, "+", ONE),)
        loop = n.Loop(inner, "for", within, True, whole(0), n.Bin("<", within, width), up, body)
        far = (n.Assign(start, "+", step),)
        return (n.Loop(outer, "for", start, True, whole(0), n.Bin("<", start, size), far, (loop,)),)

    def ping_pong(self) -> tuple[n.Stmt, ...]:
        """A time loop that computes one array from the other, and exchanges them by their pointers or by copying."""
        self.features.add("ping-pong")
        arrays = [self.use(a.flat(name, self.element)) for name in ("P", "Q")]
        ends = [n.PtrAdd(x.params[0], whole(0)) for x in arrays]
        p, q = (self.scalar(stem, n.Ptr(self.element), end) for stem, end in zip("pq", ends, strict=True))
        depth, self.depth = self.depth, 2

        def sweep() -> tuple[n.Stmt, ...]:
            v = self.variables[-1]
            left, right = (n.Load(n.Spot(p, (n.Index(self._shift(v, by)),))) for by in (1, self.rng.choice((0, 1, 2))))
            return (n.Assign(n.Spot(q, (n.Index(v),)), "", n.Bin("+", left, right)),)

        def steps() -> tuple[n.Stmt, ...]:
            self.scalars += 1
            held = n.Var(f"t{self.scalars}", n.Ptr(self.element))
            swap = (n.Declare(held, p), n.Assign(p, "", q), n.Assign(q, "", held))
            half = n.Assign(p, "", n.PtrAdd(q, whole(0)))
            return (*self.loop(sweep), *(swap if self.chance(85) else (half,)))

        nest = self.loop(steps)
        self.depth = depth
        return nest


def _own_names(nest: n.Nest) -> n.Nest:
    """Global names made unique to the nest, so that many nests fit in one file."""
    suffix = nest.name[1:]
    outer = (
        {s.name for s in nest.storage if s.scope == "global"}
        | {g.name for g in nest.globals_}
        | {h.name for h in nest.helpers}
    )
    return replace(_renamed(nest, outer, suffix), name=nest.name, seed=nest.seed)


def _renamed(node: object, names: set[str], suffix: str) -> n.Nest:
    def go(x: Any, key: str = "") -> Any:
        if isinstance(x, str):
            return f"{x}_{suffix}" if key in ("name", "alias") and x in names else x
        if isinstance(x, tuple):
            return tuple(go(e, key) for e in x)
        if is_dataclass(x) and not isinstance(x, n.Num | n.Ptr | n.Arr | n.Struct | n.Field):
            return replace(x, **{f.name: go(getattr(x, f.name), f.name) for f in fields(x)})  # type: ignore[type-var]
        return x

    return go(node)  # type: ignore[no-any-return]
