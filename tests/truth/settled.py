"""Variables and arrays that all iterations of an outer loop set, or none does: and some that only look like that."""

from collections.abc import Callable

from . import arrays as a
from . import nest as n
from .material import ONE, whole
from .records import Records


class AllOrNone(Records):
    """What an inner loop that may have no iteration, or a condition on sizes, sets; read behind it, and after all."""

    def all_or_none(self) -> tuple[n.Stmt, ...]:
        """The body of an outer loop."""
        self.features.add("all or none")
        setting, reading = self._of_array() if self.chance(40) else self._of_scalar()
        first = self.st_assign() if self.chance(15) else ()
        again = setting if self.chance(15) and not any(n.loops(setting)) else ()
        order = (*setting, *reading, *again) if self.chance(85) else (*reading, *setting)
        return (*first, *order)

    def _of_scalar(self) -> tuple[tuple[n.Stmt, ...], tuple[n.Stmt, ...]]:
        t = self.sum_type()
        if self.chance(50):
            v = self.globals.setdefault("h", n.Var("h", t))
        else:
            v = self.scalar("t", t, whole(3))
            if self.chance(60):
                self.finish_with(v)

        def read() -> tuple[n.Stmt, ...]:
            return (n.Assign(self.target(), "", n.Bin("+", v, self.leaf_value()) if self.chance(50) else v),)

        def write() -> tuple[n.Stmt, ...]:
            return (n.Assign(v, "" if self.chance(92) else "+", self.value(integer=not v.type.floating)),)  # type: ignore[union-attr]

        setting = self._sometimes(lambda: (*write(), *(read() if self.chance(25) else ())))
        if self.chance(12):
            setting = (*setting, *self._under(write()))
        return setting, read() if self.chance(80) else ()

    def _of_array(self) -> tuple[tuple[n.Stmt, ...], tuple[n.Stmt, ...]]:
        self.scalars += 1
        outside = self.chance(60)
        array = (a.global_line if outside else a.local_line)(f"held{self.scalars}", self.element)
        self.use(array)
        if not outside:
            self.opening.append(n.Declare(n.Var(array.name, array.storage[0].type), whole(0)))

        def at(spare: int) -> n.Expr:
            v = self.variables[-1]
            return self.rng.choice((v, v, v, n.Bin("+", v, whole(spare)), n.Bin("*", whole(2), v)))

        def write() -> tuple[n.Stmt, ...]:
            return (n.Assign(array.spot((at(1),)), "" if self.chance(92) else "+", self.value()),)

        def read(subscript: n.Expr) -> tuple[n.Stmt, ...]:
            return (n.Assign(self.target(), "", n.Load(array.spot((subscript,)))),)

        setting = self._sometimes(write, moving=True)
        if self.chance(50):
            return setting, read(self.rng.choice((whole(0), ONE, whole(3), self.variables[-1])))
        self._over_size()
        return setting, self.loop(lambda: read(at(2)))

    def _over_size(self) -> None:
        """The next loop mostly has bounds that no outer loop changes."""
        size = self.param("m")
        high = self.rng.choice((size, size, n.Bin("-", size, ONE), n.Bin("-", size, whole(3))))
        self.again = (whole(self.rng.choice((0, 0, 1))), high, size) if self.chance(75) else None

    def _sometimes(self, write: Callable[[], tuple[n.Stmt, ...]], moving: bool = False) -> tuple[n.Stmt, ...]:
        kinds = {"loop": 6, "guarded loop": 2, "loop of guards": 2} | ({} if moving else {"condition": 3})
        match self.draw(kinds):
            case "condition":
                return self._under(write())
            case "guarded loop":
                self._over_size()
                return self._under(self.loop(write))
            case "loop of guards":
                self._over_size()
                return self.loop(lambda: self._under(write()))
            case _:
                self._over_size()
                return self.loop(write)

    def _under(self, body: tuple[n.Stmt, ...]) -> tuple[n.Stmt, ...]:
        """A condition that mostly is the same in all iterations."""
        op, limit = self.rng.choice(((">", 0), (">", 2), ("<", 3), ("!=", 0), ("!=", 3)))
        same = n.Bin(op, self.param("m"), whole(limit))
        test = same if self.chance(70) else self.affine_test() if self.chance(60) else self.data_test()
        return (n.If(test, body),)
