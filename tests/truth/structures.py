"""Structures of more than one loop: tables of rows cut out of one block, copies filled by several statements, indices
that run on from one inner loop to the next."""

from collections.abc import Callable

from . import arrays as a
from . import nest as n
from .material import ONE, whole
from .statements import Statements

ROWS = 6
"""Rows of a table; its loops run over all of them."""


class Structures(Statements):
    """What a builder of nests draws besides plain loops; `loop` makes one around what it is given."""

    again: tuple[n.Expr, n.Expr, n.Var | None] | None = None
    latest: tuple[n.Expr, n.Expr, n.Var | None] | None = None
    """Bounds that the next loop must have, and those of the last one."""

    def loop(self, make_body: Callable[[], tuple[n.Stmt, ...]]) -> tuple[n.Stmt, ...]:
        raise NotImplementedError

    # --- rows cut out of one block

    def row_table(self) -> tuple[n.Stmt, ...]:
        """Pointers into one array, set in one loop and followed in the next two."""
        self.features.add("row table")
        self.scalars += 1
        block = self.use(a.flat("K", self.element)).params[0]
        pointer = n.Ptr(self.element)
        table = n.Var(f"R{self.scalars}", n.Arr(pointer, ROWS))
        self.storage[table.name] = n.Storage(table.name, table.type, 1, role="table", scope="local")
        self.opening.append(n.Declare(table))
        pitch: n.Expr = whole(self.rng.choice((3, 8, 12))) if self.chance(60) else self.param("m")
        depth, self.depth = self.depth, 1
        every = whole(0), whole(ROWS), None
        filled = self._filling(block, table, pitch, every)
        self.again = every
        rows = self.loop(lambda: self._columns(table, pitch))
        self.depth = depth
        return (*filled, *rows)

    def _filling(
        self, block: n.Var, table: n.Var, pitch: n.Expr, every: tuple[n.Expr, n.Expr, None]
    ) -> tuple[n.Stmt, ...]:
        def entry(at: n.Expr) -> n.Spot:
            return n.Spot(table, (n.Index(at),))

        def times(v: n.Expr) -> n.Expr:
            return n.Bin("*", v, pitch)

        kind = self.draw({"plain": 5, "beside": 3, "walk": 2, "halves": 2, "mirror": 1, "other": 1})
        if kind == "walk":
            p = self.scalar("p", n.Ptr(self.element), n.PtrAdd(block, whole(0)))
            return self._over(every, lambda v: (n.Assign(entry(v), "", p), n.Assign(p, "+", pitch)))
        if kind == "beside":
            self.scalars += 1
            h = n.Var(f"h{self.scalars}", n.Ptr(self.element))

            def next_to(v: n.Var) -> tuple[n.Stmt, ...]:
                held = n.Declare(h, n.Load(entry(n.Bin("-", v, ONE) if self.chance(80) else whole(0))))
                return (held, n.Assign(entry(v), "", n.PtrAdd(h, pitch)))

            first = n.Assign(entry(whole(0)), "", n.PtrAdd(block, whole(0)))
            return (first, *self._over((ONE, whole(ROWS), None), next_to))
        if kind == "halves":
            half = whole(ROWS // 2)
            shift = self.chance(50)
            return (
                *self._over((whole(0), half, None), lambda v: (n.Assign(entry(v), "", n.PtrAdd(block, times(v))),)),
                *self._over(
                    (half, whole(ROWS), None),
                    lambda v: (
                        n.Assign(entry(v), "", n.PtrAdd(block, times(n.Bin("-", v, half) if shift else v))),
                    ),
                ),
            )

        def cut(v: n.Var) -> tuple[n.Stmt, ...]:
            match kind:
                case "mirror":
                    by: n.Expr = n.Bin("*", v, n.Bin("-", whole(ROWS - 1), v))
                case "other":
                    by = n.Bin(self.rng.choice(("/", "%")), v, whole(2))
                case _:
                    by = v
            return (n.Assign(entry(v), "", n.PtrAdd(block, times(by))),)

        return self._over(every, cut)

    def _over(
        self, bounds: tuple[n.Expr, n.Expr, n.Var | None], make: Callable[[n.Var], tuple[n.Stmt, ...]]
    ) -> tuple[n.Stmt, ...]:
        """A plain loop between two bounds."""
        number = self.loops
        self.loops += 1
        var = n.Var(f"e{number}", n.INT)
        self.variables.append(var)
        body = make(var)
        self.variables.remove(var)
        step = (n.Assign(var, "+", ONE),)
        return (n.Loop(number, "for", var, True, bounds[0], n.Bin("<", var, bounds[1]), step, body),)

    def _columns(self, table: n.Var, pitch: n.Expr) -> tuple[n.Stmt, ...]:
        row = self.variables[-1]
        high = n.Bin("+", pitch, ONE) if self.chance(25) else whole(3) if self.chance(20) else pitch
        shift = self.rng.choice((0, 0, 0, 1))
        reads = self.chance(60)

        def cells(v: n.Var) -> tuple[n.Stmt, ...]:
            there = n.Index(n.Bin("+", v, ONE) if shift else v)
            source: n.Expr = n.Load(n.Spot(table, (n.Index(row), there))) if reads else self.leaf_value()
            return (n.Assign(n.Spot(table, (n.Index(row), n.Index(v))), "", n.Bin("+", source, row)),)

        return self._over((whole(0), high, None), cells)

    # --- copies filled by several statements

    def row_buffer(self) -> tuple[n.Stmt, ...]:
        """A local array filled by inner loops and used by the next."""
        self.scalars += 1
        buffer = self.use(a.local_line(f"tmp{self.scalars}", self.element))
        held = n.Var(buffer.name, buffer.storage[0].type)
        inside = self.chance(25)
        zero = self.chance(50)
        declaration = n.Declare(held, whole(0) if zero else None)
        if inside:
            self.features.add("inner array")
        else:
            self.opening.append(declaration)
        size = self.param("m")
        self.features.add("buffer")

        def drain() -> tuple[n.Stmt, ...]:
            target = self.rng.choice(self.arrays)
            at = self.variables[-1]
            others = (n.Bin("+", at, ONE), n.Bin("-", n.Bin("-", size, ONE), at)) if zero else ()
            subscript = self.rng.choice((at, at, *others))
            return (n.Assign(target.spot(self.subscripts(target)), "", n.Load(buffer.spot((subscript,)))),)

        first = self._fill(buffer, zero)
        self.again = None if zero else self.latest  # what was never written must not be read
        second = self.loop(drain)
        return (*((declaration,) if inside else ()), *first, *second)

    def _fill(self, buffer: a.Array, zero: bool) -> tuple[n.Stmt, ...]:
        def fill() -> tuple[n.Stmt, ...]:
            return (n.Assign(buffer.spot((self.variables[-1],)), "" if self.chance(85) else "+", self.value()),)

        kind = self.draw({"once": 6, "recurrence": 3, "parts": 3, "branches": 2})
        size = self.param("m")
        whole_row = (whole(0), size, None)
        match kind:
            case "recurrence":
                self.features.add("filled by several")
                start = n.Assign(buffer.spot((whole(0),)), "", self.leaf_value())
                rest = self._over(
                    (ONE, size, None),
                    lambda v: (
                        n.Assign(
                            buffer.spot((v,)),
                            "",
                            n.Bin("+", n.Load(buffer.spot((n.Bin("-", v, ONE),))), self.leaf_value()),
                        ),
                    ),
                )
                self.latest = whole_row
                return (start, *rest)
            case "parts":
                self.features.add("filled by several")
                end, begin = whole(2), whole(3 if zero and self.chance(40) else 2)

                def set_(v: n.Var) -> tuple[n.Stmt, ...]:
                    return (n.Assign(buffer.spot((v,)), "", self.leaf_value()),)

                parts = (*self._over((whole(0), end, None), set_), *self._over((begin, size, None), set_))
                self.latest = whole_row
                return parts
            case "branches":
                self.features.add("filled by several")

                def either(v: n.Var) -> tuple[n.Stmt, ...]:
                    arms = [(n.Assign(buffer.spot((v,)), "", self.leaf_value()),) for _ in range(2)]
                    return (n.If(self.data_test(), arms[0], arms[1] if not zero or self.chance(70) else ()),)

                found = self._over(whole_row, either)
                self.latest = whole_row
                return found
            case _:
                return self.loop(fill)

    # --- indices that run on

    def running(self) -> tuple[n.Stmt, ...]:
        """An index that the inner loop steps, and that is stepped once more, or back, behind it."""
        self.features.add("running index")
        v = self.scalar("k", n.INT, whole(self.rng.choice((0, 0, 1))))
        array = next((x for x in self.arrays if x.dimensions == 1), self.arrays[0])
        step = n.Assign(v, self.rng.choice("++++-"), whole(self.rng.choice((1, 1, 2))))

        def body() -> tuple[n.Stmt, ...]:
            at = (v, *(self.affine() for _ in range(array.dimensions - 1)))
            use = n.Assign(array.spot(at), "", self.value())
            return (use, step) if self.chance(75) else (step, use)

        inner = self.loop(body)
        match self.draw({"nothing": 3, "back": 4, "on": 3, "use": 2, "row": 3}):
            case "back":
                return (*inner, n.Assign(v, "-", ONE))
            case "on":
                return (*inner, n.Assign(v, "+", whole(self.rng.choice((1, 2)))))
            case "use":
                at = (v, *(whole(0) for _ in range(array.dimensions - 1)))
                return (*inner, n.Assign(array.spot(at), "", self.leaf_value()))
            case "row":
                return (*inner, n.Assign(v, "-", self.param("m")))
            case _:
                return inner
