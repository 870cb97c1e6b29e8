"""The raw material of generated nests: parameters, scalars and arrays, expressions, conditions, subscripts."""

import random

from . import arrays as a
from . import nest as n

ELEMENTS = (n.DOUBLE, n.DOUBLE, n.DOUBLE, n.FLOAT, n.INT, n.INT, n.UCHAR, n.SHORT, n.LONG, n.UINT)
ONE = n.Const(1)


def whole(value: int) -> n.Const:
    return n.Const(value)


class Material:
    """What a nest under construction is made of so far, and what may be drawn next."""

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
        self.depth = self.rng.choices((1, 2, 3, 4), (38, 40, 16, 6))[0]
        self.limits: dict[str, n.Var] = {}
        """The parameter that bounds a loop variable."""
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
                return (
                    n.Const(self.rng.choice((0.5, 2.0, 3.0)), n.DOUBLE)
                    if self.element.floating
                    else whole(self.rng.randrange(1, 6))
                )
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
            return n.Cast(n.INT, self._computed(e))
        return e

    def _value(self, depth: int) -> n.Expr:
        if depth == 0:
            return self.leaf_value()
        one, two = self._value(depth - 1), self.leaf_value()
        floating = n.type_of(one).floating or n.type_of(two).floating
        table = {"arith": 74, "negate": 4, "cast": 5, "choice": 5, "call": 4, "divide": 8}
        match self.draw(table):
            case "negate":
                return n.Bin("+", n.Un("-", self._computed(one)), two)
            case "cast":
                one = self._computed(one)
                kinds = (n.FLOAT, n.DOUBLE) if floating else (n.INT, n.DOUBLE, n.UCHAR, n.FLOAT)
                return n.Bin("+", n.Cast(self.rng.choice([t for t in kinds if t != n.type_of(one)]), one), two)
            case "choice":
                return n.Cond(n.Bin(self.rng.choice(n.COMPARE[:4]), self.load(), whole(1)), one, two)
            case "call" if floating:
                call = n.Call("fabs", (one,), n.DOUBLE) if self.chance(60) else n.Call("fmax", (one, two), n.DOUBLE)
                return n.Bin("+", call, two)
            case "divide":
                op = "/" if floating else self.rng.choice(("/", "%", ">>", "&", "^", "|"))
                return n.Bin(op, one, n.Const(2.0, n.DOUBLE) if floating else whole(self.rng.choice((1, 2, 3))))
            case _:
                return n.Bin(self.rng.choice("++-*"), one, two)

    def _computed(self, e: n.Expr) -> n.Expr:
        """Something that the program computes: whether a constant's sign or cast is an operation nobody can say."""
        return self.load() if isinstance(e, n.Const) else e

    def affine_test(self) -> n.Expr:
        v = self.some_variable()
        match self.draw({"constant": 4, "parameter": 3, "other": 4, "parity": 2, "and": 1}):
            case "parameter":
                return n.Bin(self.rng.choice(n.COMPARE), v, n.Bin("-", self.param("n"), ONE))
            case "other" if len(self.variables) > 1:
                return n.Bin(self.rng.choice(n.COMPARE), v, self.some_variable())
            case "parity":
                self.features.add("modulo")
                return n.Bin("==", n.Bin("%", v, whole(2)), whole(self.rng.choice((0, 1))))
            case "and":
                return n.Logic(self.rng.choice(("&&", "||")), n.Bin(">", v, ONE), n.Bin("<", v, self.param("n")))
            case _:
                return n.Bin(self.rng.choice(n.COMPARE), v, whole(self.rng.choice((0, 1, 2, 3))))

    def data_test(self) -> n.Expr:
        self.features.add("data condition")
        return n.Bin(self.rng.choice((">", "<", ">=")), self.load(), whole(self.rng.choice((0, 1, 2))))

    # --- subscripts

    def subscripts(self, array: a.Array) -> tuple[n.Expr, ...]:
        self.declared = array.kind in ("global", "local", "pitched", "rows", "cells")
        if array.dimensions == 1:
            return (self.line_subscript(),)
        count = array.dimensions
        if len(self.variables) >= count and self.chance(62):
            chosen = self.rng.sample(self.variables, count) if self.chance(30) else list(self.variables[-count:])
            return tuple(self._near(v) for v in chosen)
        return tuple(self.subscript() for _ in range(count))

    def _near(self, v: n.Var) -> n.Expr:
        by = self.rng.choices((0, 1, 2), (72, 22, 6))[0]
        return self._shift(v, by)

    def _shift(self, v: n.Var, by: int) -> n.Expr:
        """v + by, or v - by where that is not likely to leave the array."""
        low = self.declared or not v.type.signed  # type: ignore[union-attr]
        op = "+" if low and self.chance(80) else self.rng.choice("+-")
        return n.Bin(op, v, whole(by)) if by else v

    def line_subscript(self) -> n.Expr:
        """In one dimension; with two loops often a row number times a length plus a column."""
        if len(self.variables) > 1 and self.chance(55):
            row, column = self.variables[-2:] if self.chance(85) else self.rng.sample(self.variables, 2)
            length = self._pitch(column)
            self.features.add("linearised")
            line: n.Expr = self._near(row)
            if len(self.variables) > 2 and self.chance(50):
                height = self.limits.get(row.name) if self.chance(70) else None
                line = n.Bin("+", n.Bin("*", self.variables[-3], height or self.param("n")), row)
            elif self.chance(8):
                line = n.Cast(self.rng.choice((n.SIZE, n.LONG)), row)
                self.features.add("widened")
            return n.Bin("+", n.Bin("*", line, length), self._near(column))
        return self.subscript()

    def _pitch(self, column: n.Var) -> n.Expr:
        """The length of a row: often what bounds its column, sometimes a little less or more, or anything."""
        if self.chance(45):
            limit: n.Expr = self.limits.get(column.name) or self.param("m")
            if self.chance(15):
                self.features.add("overlapping rows")
                return n.Bin(self.rng.choice("-+"), limit, ONE)
            return limit
        return self.param("m") if self.chance(40) else whole(self.rng.choice((7, 8, 10, 3)))

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
                return n.Bin(
                    self.rng.choice(("/", ">>")),
                    self._shift(v, self.rng.choice((0, 0, 3))),
                    whole(self.rng.choice((1, 2))),
                )
            case "remainder":
                return n.Bin("%", self._shift(v, self.rng.choice((0, 1, 3))), whole(self.rng.choice((2, 3, 8))))
            case "mask":
                return n.Bin("&", self._shift(v, self.rng.choice((0, 1, 3))), whole(self.rng.choice((1, 3, 7))))
            case "narrow":
                self.features.add("narrow")
                near = self.rng.choice((0, 250, 254))
                return n.Cast(self.rng.choice((n.UCHAR, n.UCHAR, n.SCHAR)), n.Bin("+", v, whole(near)))
            case "stride":
                return n.Bin("*", self.param("w"), v)
            case _:
                return self.affine()

    def affine(self) -> n.Expr:
        v = self.some_variable()
        match self.draw({"near": 66, "constant": 4, "mirror": 7, "scaled": 9, "sum": 6, "offset": 5, "difference": 3}):
            case "constant":
                return whole(self.rng.randrange(4))
            case "mirror":
                return n.Bin("-", n.Bin("-", self.param("n"), ONE), v)
            case "scaled":
                scaled = n.Bin("*", whole(self.rng.choice((2, 3))), v)
                by = self.rng.randrange(3)
                return n.Bin("+", scaled, whole(by)) if by else scaled
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
