"""Network bytes in numbers: what each of P processes sends, once P and all sizes are known.

Formulas speak of this process (`rank`, `rank(row)`) and of its place in trees (`facts.network.Derived`); here they are
evaluated for every process in turn. Communicators that MPI_Comm_split makes are split as MPI does: processes of one
colour, in the order of their keys, then of their ranks.
"""

from msgspec import Struct

from models.expr import Expr, evaluate, free_symbols

from ..facts.network import Derived, Group, Network
from ..ir.formula_names import is_weight
from .trees import messages

MOST_PROCESSES = 1024
"""With more of them a few are looked at, and the answer is a bound."""

MOST_TURNS = 10_000
"""Iterations with a moving root that are walked through."""

Values = dict[str, float]


class Processes(Struct, frozen=True):
    """Bytes by rank; `exact`: `sent` is what each process sends."""

    model: tuple[float, ...]
    sent: tuple[float, ...]
    exact: bool

    @property
    def busiest(self) -> int:
        """The rank for which the model counts most."""
        return max(range(len(self.model)), key=lambda rank: self.model[rank])


def environments(network: Network, sizes: Values) -> tuple[dict[str, float], ...]:
    """All names of the formulas for each process; empty where the number of processes is not known."""
    size, rank = world(network)
    if size not in sizes:
        return ()
    p = int(sizes[size])
    ranks = range(p) if p <= MOST_PROCESSES else sorted({0, 1, 2, p // 2, p - 2, p - 1})
    found: list[dict[str, float]] = [{**sizes, rank: r} for r in ranks]
    for group in _all(network.groups):
        _split(group, found)
    for environment in found:
        for derived in network.derived:
            value = _messages(derived, environment) if derived.turns is None else _turns(derived, environment)
            if value is not None:
                environment[derived.name] = value
    return tuple(found)


def _messages(derived: Derived, environment: Values) -> float | None:
    rank, root, size = (number_of(e, environment) for e in (derived.rank, derived.root, derived.size))
    if rank is None or root is None or size is None:
        return None
    return messages(derived.kind, int(rank - root) % int(size), int(size))


def _turns(derived: Derived, environment: Values) -> float | None:
    """The bytes of all iterations; None where a bound is not known, or there are too many."""
    assert derived.turns is not None
    points: list[dict[str, float]] = [dict(environment)]
    for name, bounds in derived.turns.counters:
        longer: list[dict[str, float]] = []
        for point in points:
            ends = [(number_of(numerator, point), divisor) for numerator, divisor in bounds]
            known = [-(-int(end) // divisor) for end, divisor in ends if end is not None]
            if len(known) < len(ends) or len(longer) + min(known) > MOST_TURNS:
                return None
            longer += [{**point, name: k} for k in range(min(known))]
        points = longer
    total = 0.0
    for point in points:
        factor, sent = number_of(derived.turns.factor, point), _messages(derived, point)
        conditions = [number_of(condition, point) for condition in derived.turns.conditions]
        if factor is None or sent is None or None in conditions:
            return None
        if all(c is not None and c >= 0 for c in conditions):
            total += factor * sent
    return total


def per_process(network: Network, sizes: Values) -> Processes | None:
    """What each process sends; None where a size or the number of processes is not known."""
    found = environments(network, sizes)
    model = [number_of(network.model, e) for e in found]
    sent = [number_of(network.sent, e) for e in found]
    if not found or None in model or None in sent:
        return None
    whole = sizes.get(world(network)[0]) == len(found)
    return Processes(tuple(m or 0 for m in model), tuple(s or 0 for s in sent), network.exact and whole)


def world(network: Network) -> tuple[str, str]:
    """The names of the number of all processes, and of this one's rank among them."""
    world = next((g for g in _all(network.groups) if g.name == "MPI_COMM_WORLD"), None)
    return (world.size, world.rank) if world is not None else ("P", "rank")


def _all(groups: tuple[Group, ...]) -> list[Group]:
    """Every communicator once, after the one that it was split from."""
    found: dict[str, Group] = {}
    for group in groups:
        chain = [group]
        while (parent := chain[-1].parent) is not None:
            chain.append(parent)
        for each in reversed(chain):
            found.setdefault(each.size, each)
    return list(found.values())


def _split(group: Group, environments: list[dict[str, float]]) -> None:
    """Adds size and rank of a communicator that was split from another to what is known of each process."""
    if group.name == "MPI_COMM_SELF":
        for environment in environments:
            environment.update({group.size: 1, group.rank: 0})
    if group.parent is None or group.color is None or group.key is None:
        return
    places = []
    for environment in environments:
        color, key = number_of(group.color, environment), number_of(group.key, environment)
        before = environment.get(group.parent.rank)
        if color is None or key is None or before is None:
            return
        places.append(((environment.get(_team(group.parent), 0.0), color), (key, before)))
    teams = sorted({team for team, _ in places})
    for environment, (team, place) in zip(environments, places, strict=True):
        together = sorted(p for t, p in places if t == team)
        environment[group.size] = len(together)
        environment[group.rank] = together.index(place)
        environment[_team(group)] = teams.index(team)


def _team(group: Group) -> str:
    """Which of the communicators of one name a process is in: no name that a formula can have."""
    return f"team {group.size}"


def number_of(expr: Expr, environment: Values) -> float | None:
    """Weights of which nothing is known are one half, as everywhere."""
    names = free_symbols(expr) - environment.keys()
    if not all(map(is_weight, names)):
        return None
    try:
        return float(evaluate(expr, environment | dict.fromkeys(names, 0.5) if names else environment))
    except (ZeroDivisionError, OverflowError):
        return None
