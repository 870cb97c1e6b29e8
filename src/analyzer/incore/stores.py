"""What the stores of a loop leave to later iterations: to which load, and in a register or through memory."""

from ..ir.nodes import Access, Assign, Loop, Object, statements
from .courses import Course, course_of
from .memory import distinct


class Stores:
    """The stores in the body of a loop, numbered in the order of the text; loops within are taken as they are."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        targets = (s.target for s in statements(loop.body) if isinstance(s, Assign))
        self._stores = [target for target in targets if isinstance(target, Access)]
        self._number = {id(store): at for at, store in enumerate(self._stores)}
        self._to: dict[Object, list[int]] = {}
        for at, store in enumerate(self._stores):
            self._to.setdefault(store.object, []).append(at)
        self._courses: dict[int, Course] = {}
        self._kept: dict[int, bool] = {}

    def number(self, store: Access) -> int:
        return self._number[id(store)]

    def to(self, object_: Object) -> list[int]:
        """The numbers of those to an object."""
        return self._to.get(object_, [])

    def distance(self, at: int, load: Course) -> int | None:
        """How many iterations before the load the store to its object wrote its place; None where that is no number
        >= 1."""
        store = self._course(at)
        if not (load.regular and store.regular) or (store.row, store.step) != (load.row, load.step):
            return None
        apart = load.address.distance(store.address)
        if apart is None:
            return None
        if load.fixed:
            return 1 if apart == 0 else None
        size = load.step.constant
        if not size or apart % size or apart // size < 1:
            return None
        return apart // size

    def stays(self, at: int) -> bool:
        """Whether what this store leaves can be kept in a register: no other store of the loop may change its place."""
        if at not in self._kept:
            self._kept[at] = self._is_kept(at)
        return self._kept[at]

    def _course(self, at: int) -> Course:
        if at not in self._courses:
            self._courses[at] = course_of(self.loop, self._stores[at], {})
        return self._courses[at]

    def _is_kept(self, at: int) -> bool:
        store, course = self._stores[at], self._course(at)
        if not course.regular:
            return False
        for object_, numbers in self._to.items():
            if object_ == store.object:
                beside = map(self._course, numbers)
                if any(b.row != course.row or (b.address - course.address).constant is None for b in beside):
                    return False
            elif not distinct(object_, store.object) and any(self._stores[n].type == store.type for n in numbers):
                return False
        return True
