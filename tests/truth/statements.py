"""The statements that generated loops are filled with, one method per kind, drawn by weight."""

from . import arrays as a
from . import nest as n
from .accumulate import Accumulations
from .material import ONE, whole

KINDS = {
    "assign": 26,
    "update": 12,
    "stencil": 14,
    "reduce": 12,
    "extreme": 2,
    "scan": 2,
    "private": 9,
    "carried": 3,
    "previous": 3,
    "conditional": 3,
    "swap": 3,
    "scatter": 4,
    "cell": 6,
    "walk": 4,
    "induction": 3,
    "helper": 4,
    "global": 2,
    "leave": 2,
    "shrink": 1,
    "view": 4,
    "either": 2,
    "reindex": 2,
    "record": 2,
    "copied": 3,
    "guarded": 2,
    "tally": 2,
    "ragged": 2,
    "split": 3,
}


class Statements(Accumulations):
    """Every method `st_...` gives one or a few statements for the innermost place reached so far."""

    # --- statements

    def statement(self) -> tuple[n.Stmt, ...]:
        kind = self.draw(KINDS)
        self.features.add(kind)
        found: tuple[n.Stmt, ...] = getattr(self, "st_" + kind)()
        if self.chance(12):
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
        return tuple(n.Bin(op, e, whole(by)) if k == chosen and by else e for k, e in enumerate(at))

    def st_private(self) -> tuple[n.Stmt, ...]:
        """A temporary written before it is read; declared outside it may be read after the loop."""
        t = self.sum_type()
        if self.chance(45):
            self.scalars += 1
            v = n.Var(f"t{self.scalars}", t)
            first: n.Stmt = n.Declare(v, self.value())
        else:
            v = self.scalar("t", t, whole(2) if self.chance(50) else None)
            first = n.Assign(v, "", self.value())
            if self.chance(25):
                self.opening[-1] = n.Declare(v, whole(2))
                self.finish_with(v)
        use = n.Bin(self.rng.choice("+*-"), v, self.leaf_value())
        return (first, n.Assign(self.target(), "", use if self.chance(70) else n.Bin("+", v, v)))

    def st_ragged(self) -> tuple[n.Stmt, ...]:
        """Rows of a length that a loop around changes: a variable of it decides, a division by one, or a list."""
        lines = [x for x in self.arrays if x.dimensions == 1]
        if len(self.variables) < 2 or not lines:
            return self.st_assign()
        self.scalars += 1
        row, other = self.variables[0], self.variables[-1] if self.chance(70) else self.rng.choice(self.variables)
        length = n.Var(f"c{self.scalars}", n.INT)
        value: n.Expr = n.Bin("+", other, ONE)
        match self.draw({"variable": 1, "division": 3, "list": 3}):
            case "division":
                value = n.Bin("/", self.param("n"), value)
            case "list":
                value = n.Load(self.use(a.index("idx")).spot((other,)))
            case _:
                pass
        array = self.rng.choice(lines)

        def along() -> tuple[n.Stmt, ...]:
            at = n.Bin("+", n.Bin("*", row, length), self.variables[-1])
            return (n.Assign(array.spot((at,)), self.rng.choice(("", "", "+")), self.leaf_value()),)

        self.again = (whole(0), length, length)
        return (n.Declare(length, value), *self.loop(along))

    def st_split(self) -> tuple[n.Stmt, ...]:
        """Row and place of a variable that runs over several rows: mostly of one length, sometimes of two, or beside
        it."""
        lines = [x for x in self.arrays if x.dimensions == 1]
        if not lines:
            return self.st_assign()
        variable, length = self.rng.choice(self.variables), self.param("m")

        def at(value: n.Expr) -> n.Expr:
            by = length if self.chance(85) else self.param("n")
            along = length if self.chance(85) else self.param("n")
            row, place = n.Bin("/", value, length), n.Bin("%", value, by)
            index = n.Bin("+", n.Bin("*", row, along), place)
            return index if self.chance(75) else n.Bin("+", index, self.rng.choice((ONE, length)))

        array = self.rng.choice(lines)
        other: n.Expr = n.Bin("+", variable, ONE) if self.chance(20) else variable
        value = self.leaf_value() if self.chance(40) else n.Load(array.spot((at(other),)))
        return (n.Assign(array.spot((at(variable),)), self.rng.choice(("", "", "+")), value),)

    def st_carried(self) -> tuple[n.Stmt, ...]:
        """A scalar that hands a value to the next iteration."""
        t = self.sum_type()
        v = self.scalar("c", t, whole(1))
        use, change = n.Assign(self.target(), "", n.Bin("+", v, self.leaf_value())), n.Assign(v, "", self.leaf_value())
        if self.chance(30):
            change = n.Assign(v, "+", self.leaf_value())
        return (use, change) if self.chance(75) else (change, use)

    def st_previous(self) -> tuple[n.Stmt, ...]:
        """A scalar that hands on what the next iteration may be able to read, or count, by itself."""
        if self.chance(25):
            v = self.scalar("p", n.INT, whole(self.rng.choice((0, 1))))
            array = self.rng.choice(self.arrays)
            spot = array.spot((v,)) if array.dimensions == 1 else array.spot(self.subscripts(array))
            change = n.Assign(v, "", self._near(self.rng.choice(self.variables)))
            return n.Assign(self.target(), "", n.Bin("+", n.Load(spot), v)), change
        t = self.sum_type()
        v, now = self.scalar("q", t, whole(1)), self.scalar("r", t, whole(0))
        if self.chance(30):
            self.finish_with(v)
        read = n.Assign(now, "", self.leaf_value())
        use = n.Assign(self.target(), self.rng.choice(("", "", "+")), n.Bin(self.rng.choice("+-"), now, v))
        kept: n.Expr = n.Bin(self.rng.choice("+*"), now, n.Const(2)) if self.chance(30) else now
        change = n.Assign(v, "", kept)
        if self.chance(15):
            return read, use, n.If(self.affine_test(), (change,))
        return (read, use, change) if self.chance(75) else (use, read, change)

    def st_conditional(self) -> tuple[n.Stmt, ...]:
        """A temporary that is written only under a condition, and read always or under the same condition."""
        t = self.sum_type()
        v = self.scalar("t", t, whole(3))
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

    def st_walk(self) -> tuple[n.Stmt, ...]:
        """Pointers that move through arrays."""
        lines = [x for x in self.arrays if x.kind in ("flat", "restrict", "global") and x.dimensions == 1]
        if not lines:
            return self.st_assign()
        walkers = []
        for array in (self.rng.choice(lines), self.rng.choice(lines)):
            base = array.params[0] if array.params else n.Var(array.name, array.storage[0].type)
            start = n.PtrAdd(base, whole(self.rng.choice((0, 0, 1, 2))))
            walkers.append(self.scalar("p", n.Ptr(array.element), start))
        p, q = walkers
        here = (n.Index(whole(0)),)
        source: n.Expr = n.Load(n.Spot(q, here, 1)) if self.chance(60) else n.Load(n.Spot(q, (n.Index(ONE),)))
        if isinstance(source, n.Load) and not source.spot.post:
            self.opening.remove(next(s for s in self.opening if isinstance(s, n.Declare) and s.var == q))
            q = p
            source = n.Load(n.Spot(p, (n.Index(whole(self.rng.choice((0, 1, 2)))),)))
            move = n.Assign(p, "+", whole(self.rng.choice((1, 2))))
            return (n.Assign(n.Spot(p, here), self.rng.choice(("", "+")), source), move)
        return (n.Assign(n.Spot(p, here, 1), "", n.Bin("+", source, self.leaf_value())),)

    def _lines(self) -> list[n.Var]:
        """One-dimensional arrays as pointers."""
        lines = [x for x in self.arrays if x.kind in ("flat", "restrict", "global") and x.dimensions == 1]
        return [x.params[0] if x.params else n.Var(x.name, x.storage[0].type) for x in lines]

    def st_view(self) -> tuple[n.Stmt, ...]:
        """A second name for a part of an array."""
        lines = self._lines()
        if not lines:
            return self.st_assign()
        base = self.rng.choice(lines)
        element = base.type.to if isinstance(base.type, n.Ptr) else base.type.of  # type: ignore[union-attr]
        by: n.Expr = whole(self.rng.choice((1, 2, 8))) if self.chance(60) else self.param("n")
        view = self.scalar("p", n.Ptr(element), n.PtrAdd(base, by))
        here, there = n.Spot(view, (n.Index(self.line_subscript()),)), n.Spot(base, (n.Index(self.line_subscript()),))
        if self.chance(50):
            here, there = there, here
        return (n.Assign(here, self.rng.choice(("", "", "+")), n.Bin("+", n.Load(there), self.leaf_value())),)

    def st_either(self) -> tuple[n.Stmt, ...]:
        """A pointer that leads here or there."""
        lines = self._lines()
        held = [x for x in lines if isinstance(x.type, n.Ptr)]
        if len(held) < 2 or held[0].type.to != held[1].type.to:  # type: ignore[union-attr]
            return self.st_assign()
        p = self.scalar("p", n.Ptr(held[0].type.to), n.PtrAdd(held[0], whole(0)))  # type: ignore[union-attr]
        choose = n.If(self.data_test(), (n.Assign(p, "", n.PtrAdd(held[1], whole(0))),))
        use = n.Assign(n.Spot(p, (n.Index(self.affine()),)), "", self.leaf_value())
        if self.chance(50):
            return (n.Assign(p, "", n.PtrAdd(held[0], whole(0))), choose, use)
        return (choose, use)

    def st_reindex(self) -> tuple[n.Stmt, ...]:
        """An index array that the nest itself writes."""
        array = next((x for x in self.arrays if x.dimensions == 1), None)
        if array is None:
            return self.st_assign()
        at = self.indirect()
        assert isinstance(at, n.Load)
        change = n.Assign(at.spot, "", self._near(self.rng.choice(self.variables)))
        use = n.Assign(array.spot((at if self.chance(50) else self.indirect(),)), "", self.leaf_value())
        return (change, use) if self.chance(60) else (use, change)

    def st_induction(self) -> tuple[n.Stmt, ...]:
        """An integer that steps by a constant, or by data."""
        array = next((x for x in self.arrays if x.dimensions == 1), None)
        if array is None:
            return self.st_assign()
        t = self.rng.choice((n.INT, n.INT, n.LONG, n.UINT, n.UCHAR))
        v = self.scalar("d", t, whole(self.rng.choice((0, 0, 1, 250 if t is n.UCHAR else 3))))
        if t is n.UCHAR:
            self.features.add("narrow")
        step: n.Stmt = n.Assign(v, "+", whole(self.rng.choice((1, 1, 2, 3))) if self.chance(88) else self.param("w"))
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
                cell = n.Spot(p, (n.Index(whole(0)),))
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
            skip = n.If(self.data_test() if self.chance(50) else self.affine_test(), (n.Continue(),))
            if self.chance(50):  # no `else` around the rest of the body can stand for it
                skip = n.If(self.data_test() if self.chance(50) else self.affine_test(), (skip,))
            return (skip, *self.st_assign())
        exit_: n.Stmt = n.Break() if kind != "return" or self.result is not None else n.Return(None)
        return (*self.st_assign(), n.If(self.data_test(), (exit_,)))

    def st_shrink(self) -> tuple[n.Stmt, ...]:
        """A bound that changes while the loop runs."""
        size = self.param("n")
        return (*self.st_assign(), n.If(self.data_test(), (n.Assign(size, "-", ONE),)))
