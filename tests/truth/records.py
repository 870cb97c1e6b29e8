"""Structures in generated nests: set member by member, assigned as a whole, or one way here and the other way there."""

from . import arrays as a
from . import nest as n
from .material import whole
from .structures import Structures


class Records(Structures):
    """Statements about structures, and a local array of them."""

    def st_record(self) -> tuple[n.Stmt, ...]:
        """A structure that is set member by member and used; perhaps not all of it is set in every iteration."""
        self.scalars += 1
        t = n.Var(f"z{self.scalars}", n.CELL)
        inside = self.chance(30)
        zero = not inside or self.chance(50)
        self.storage[t.name] = n.Storage(t.name, n.CELL, 1, scope="local")
        if not inside:
            self.opening.append(n.Declare(t, whole(0)))
        x, y = (n.Spot(t, (n.Field(m),)) for m in "xy")
        item = n.Spot(t, (n.Field("v"), n.Index(whole(self.rng.randrange(2)))))
        second: n.Stmt = n.Assign(y, "", self.leaf_value())
        if zero and self.chance(35):
            second = n.If(self.data_test(), (second,))
        use = n.Bin("+", n.Load(x), n.Load(y))
        more: tuple[n.Stmt, ...] = (n.Assign(item, "", self.leaf_value()),) if self.chance(30) else ()
        if more:
            use = n.Bin("*", use, n.Load(item))
        made = (n.Assign(x, "", self.leaf_value()), second, *more)
        target = self.target()
        floating = n.spot_type(target).floating  # type: ignore[union-attr]
        store = n.Assign(target, "", use if floating else n.Cast(n.INT, use))
        start = (n.Declare(t, whole(0) if zero else None),) if inside else ()
        return (*start, *made, store) if self.chance(85) or not zero else (*start, store, *made)

    def st_copied(self) -> tuple[n.Stmt, ...]:
        """Structures assigned whole, to another array or by way of a local one, and one of their members."""
        to, source = self._pair(), self._pair()
        made: tuple[n.Stmt, ...] = (n.Assign(to, "", n.Load(source)),)
        if self.chance(50):
            made = self._by_way_of_one(to, source)
        if self.chance(50):
            other = self.rng.choice((to.base, source.base, self._pairs()))
            at = to.steps if self.chance(40) else self._pair(other).steps
            made = (*made, self._use(n.Spot(other, (*at, self._field()))))
        if self.chance(30):
            member = n.Spot(to.base, (*self._pair(to.base).steps, self._field()))
            made = (*made, n.Assign(member, "", self.leaf_value()))
        return made if self.chance(70) else tuple(self.rng.sample(made, len(made)))

    def _by_way_of_one(self, to: n.Spot, source: n.Spot) -> tuple[n.Stmt, ...]:
        self.scalars += 1
        t = n.Var(f"z{self.scalars}", n.PAIR)
        self.storage[t.name] = n.Storage(t.name, n.PAIR, 1, scope="local")
        self.opening.append(n.Declare(t, whole(0)))
        first: n.Stmt = n.Assign(n.Spot(t, ()), "", n.Load(source))
        if self.chance(20):
            first = n.If(self.data_test(), (first,))
        change = n.Assign(n.Spot(t, (self._field(),)), self.rng.choice(("", "+")), self.leaf_value())
        last = n.Assign(to, "", n.Load(n.Spot(t, ()))) if self.chance(60) else self._use(n.Spot(t, (self._field(),)))
        return (first, *((change,) if self.chance(60) else ()), last)

    def record_buffer(self) -> tuple[n.Stmt, ...]:
        """A local array of structures filled by one inner loop and used by the next."""
        self.features.add("record buffer")
        self.scalars += 1
        held = n.Var(f"tmp{self.scalars}", n.Arr(n.PAIR, a.SIDE))
        self.storage[held.name] = n.Storage(held.name, held.type, 1, scope="local")
        self.opening.append(n.Declare(held, whole(0)))
        fill = self.draw({"whole": 5, "members": 5, "one member": 2, "some": 2})
        row = (whole(0), self.param("m"), None)

        def filled(v: n.Var) -> tuple[n.Stmt, ...]:
            here = n.Spot(held, (n.Index(v),))
            each = [n.Assign(n.Spot(held, (n.Index(v), n.Field(m))), "", self.leaf_value()) for m in "xy"]
            copied = n.Assign(here, "", n.Load(self._pair()))
            match fill:
                case "members":
                    return tuple(self.rng.sample(each, 2))
                case "one member":
                    return (each[self.rng.randrange(2)],)
                case "some":
                    return (n.If(self.data_test(), (copied,), (each[0],)),)
                case _:
                    return (copied,)

        def used(v: n.Var) -> tuple[n.Stmt, ...]:
            at = v if self.chance(50) else n.Bin("-", n.Bin("-", row[1], whole(1)), v)
            there = n.Spot(held, (n.Index(at),))
            if self.chance(50):
                return (self._use(n.Spot(held, (*there.steps, self._field()))),)
            return (n.Assign(self._pair(), "", n.Load(there)),)

        return (*self._over(row, filled), *self._over(row, used))

    def _use(self, spot: n.Spot) -> n.Assign:
        """A number of a structure stored elsewhere."""
        target = self.target()
        floating = n.spot_type(target).floating  # type: ignore[union-attr]
        return n.Assign(target, "", n.Load(spot) if floating else n.Cast(n.INT, n.Load(spot)))

    def _field(self) -> n.Field:
        return n.Field(self.rng.choice("xy"))

    def _pair(self, base: n.Var | None = None) -> n.Spot:
        self.declared = True
        return n.Spot(base or self._pairs(), (n.Index(self.line_subscript()),))

    def _pairs(self) -> n.Var:
        """One of two arrays of structures, the second behind a pointer that does not overlap."""
        name = self.rng.choice(("P", "Q"))
        base = n.Var(name, n.Ptr(n.PAIR, restrict=name == "Q"))
        self.params[name] = base
        self.storage[name] = n.Storage(name, n.PAIR, 400, 16)
        return base
