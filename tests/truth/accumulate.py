"""Statements that accumulate: every operator in every way it is written, into scalars, elements and through indices."""

from . import arrays as a
from . import nest as n
from .material import ONE, Material, whole
from .updates import Place, read


class Accumulations(Material):
    """Every method `st_...` gives one or a few statements for the innermost place reached so far."""

    def sum_type(self) -> n.Num:
        return self.element if self.element.size >= 4 else n.INT

    def finish_with(self, var: n.Var) -> None:
        """Make a scalar live after the nest."""
        if self.result is None and self.chance(85):
            self.result = var
        elif isinstance(self.result, n.Var | n.Bin):
            self.result = n.Bin("+", self.result, var)

    def accumulated(self, place: Place, op: str, value: n.Expr) -> n.Stmt:
        """One of the ways to write that a value joins what the place holds."""
        held = read(place)
        match op:
            case "min" | "max":
                return self._selected(place, op, value)
            case "&&" | "||":
                return n.Assign(place, "", n.Logic(op, held, n.Bin(self.rng.choice("<>"), value, whole(1))))
            case _ if self.chance(50):
                return n.Assign(place, op, value)
            case _:
                return n.Assign(place, "", n.Bin(op, held, value) if self.chance(75) else n.Bin(op, value, held))

    def _selected(self, place: Place, op: str, value: n.Expr) -> n.Stmt:
        held = read(place)
        t = n.type_of(held)
        compare = self.rng.choice((">", ">=") if op == "max" else ("<", "<="))
        match self.draw({"if": 4, "turned if": 1, "choice": 2, "turned choice": 2, "call": 3}):
            case "turned if":
                turned = {">": "<", "<": ">", ">=": "<=", "<=": ">="}[compare]
                return n.If(n.Bin(turned, held, value), (n.Assign(place, "", value),))
            case "choice":
                return n.Assign(place, "", n.Cond(n.Bin(compare, value, held), value, held))
            case "turned choice":
                return n.Assign(place, "", n.Cond(n.Bin(compare, held, value), held, value))
            case "call" if t is n.DOUBLE and n.type_of(value) is n.DOUBLE:
                one, two = (held, value) if self.chance(60) else (value, held)
                return n.Assign(place, "", n.Call("f" + op, (one, two), n.DOUBLE))
            case _:
                return n.If(n.Bin(compare, value, held), (n.Assign(place, "", value),))

    def _operator(self, t: n.Num) -> str:
        found = self.draw(
            {"+": 50, "-": 8, "*": 10, "min": 8, "max": 8}
            if t.floating
            else {"+": 36, "-": 8, "*": 6, "&": 8, "|": 8, "^": 8, "min": 6, "max": 6, "&&": 4, "||": 4}
        )
        self.features.add(f"reduction {found}")
        return found

    def st_reduce(self) -> tuple[n.Stmt, ...]:
        t = self.sum_type()
        op = self._operator(t)
        s = self.scalar("s", t, n.Const(1 if op in ("*", "&&") else 0))
        self.finish_with(s)
        return (self.accumulated(s, op, self._of(t, op)),)

    def _of(self, t: n.Num, op: str) -> n.Expr:
        """What is accumulated: for min and max something with a name, so that it may stand twice."""
        if op in ("min", "max"):
            alike = [x for x in self.arrays if x.element == t]
            array = self.rng.choice(alike or self.arrays)
            return n.Load(array.spot(self.subscripts(array)))
        return self.value(integer=not t.floating)

    def st_guarded(self) -> tuple[n.Stmt, ...]:
        """A truth value that decides whether anything is divided: divisors may be 0 where nothing is, as written."""
        op = self.rng.choice(("&&", "||"))
        s = self.scalar("f", n.INT, whole(int(op == "&&")))
        self.finish_with(s)
        v = self.some_variable()
        divided, divisor = (n.Load(self.use(a.index(name)).spot((self._near(v),))) for name in ("num", "den"))
        test: n.Expr = n.Bin(self.rng.choice("<>"), n.Bin(self.rng.choice("/%"), divided, divisor), ONE)
        known = n.Bin(self.rng.choice((">", "!=")), divisor, whole(0))
        match self.draw({"open": 4, "first": 2, "guarded": 3, "under": 2}):
            case "first":
                return (n.Assign(s, "", n.Logic(op, test, s)),)
            case "guarded":
                return (n.Assign(s, "", n.Logic(op, s, n.Logic("&&", known, test))),)
            case "under":
                return (n.If(known, (n.Assign(s, "", n.Logic(op, s, test)),)),)
            case _:
                return (n.Assign(s, "", n.Logic(op, s, test)),)

    def st_tally(self) -> tuple[n.Stmt, ...]:
        """Counts and sums in the members of one element, in either order."""
        at = (self.indirect() if self.chance(70) else self.some_variable(),)
        kinds = self.rng.sample(("k", "x", "y"), 2)
        made = []
        for member in kinds:
            place = self.use(a.cells("T", member, "param")).spot(at)
            op = "+" if self.chance(80) else self.rng.choice("-*")
            made.append(n.Assign(place, op, ONE if member == "k" else self.value()))
        return tuple(made)

    def st_extreme(self) -> tuple[n.Stmt, ...]:
        """Largest or smallest and where, or how often a new one was found; or what is compared is not what is kept."""
        t = self.sum_type()
        s = self.scalar("best", t, n.Const(0))
        self.finish_with(s)
        array = self.rng.choice(self.arrays)
        value = n.Load(array.spot(self.subscripts(array)))
        op = self.rng.choice((">", "<", ">=", "<="))
        match self.draw({"where": 3, "other": 1, "crossed": 1}):
            case "other":
                return (n.If(n.Bin(op, value, s), (n.Assign(s, "", self.leaf_value()),)),)
            case "crossed":
                return (n.Assign(s, "", n.Cond(n.Bin(op, value, s), s, value)),)
            case _:
                where = self.scalar("at", n.INT, n.Const(-1))
                self.finish_with(where)
                found = n.Assign(where, "+", ONE) if self.chance(30) else n.Assign(where, "", self.some_variable())
                arm = (n.Assign(s, "", value), found)
                return (n.If(n.Bin(op, value, s), arm if self.chance(50) else arm[::-1]),)

    def st_cell(self) -> tuple[n.Stmt, ...]:
        """One cell of memory that does not move with the loop."""
        array = self.rng.choice(self.arrays)
        fixed = tuple(self.rng.choice(self.variables[:-1] or [whole(2)]) for _ in range(array.dimensions))
        place = array.spot(fixed)
        if self.chance(20):
            return (n.Assign(place, "", self.value()),)
        op = self._operator(array.element)
        return (self.accumulated(place, op, self._of(array.element, op)),)

    def st_scatter(self) -> tuple[n.Stmt, ...]:
        array = next((x for x in self.arrays if x.dimensions == 1), self.arrays[0])
        at = (self.indirect(), *(self.affine() for _ in range(array.dimensions - 1)))
        place = array.spot(at)
        if self.chance(40):
            return (n.Assign(place, "", self.value()),)
        if self.chance(45):
            return (n.Assign(place, "+", self.value() if self.chance(60) else ONE),)
        op = self._operator(array.element)
        return (self.accumulated(place, op, self._of(array.element, op)),)

    def st_scan(self) -> tuple[n.Stmt, ...]:
        """Every partial sum is kept."""
        t = self.sum_type()
        s = self.scalar("s", t, whole(0))
        array = self.rng.choice(self.arrays)
        keep = n.Assign(array.spot(self.subscripts(array)), "", s)
        grow = n.Assign(s, self.rng.choice("++*" if t.floating else "++|"), self.value(integer=not t.floating))
        return (grow, keep) if self.chance(60) else (keep, grow)
