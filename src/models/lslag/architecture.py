"""An architecture of processing elements and communication nodes, and what an application's activity costs on it.

    cost(activity) = sum over processing tokens of t_x  +  lambda * sum over communication tokens of t_x         (1)
    t_x(gamma, S)  = (alpha_x / gamma + beta_x) * S         of the element x that the token is mapped to         (3-5)

gamma is the parallelism of the token, S its amount of data, alpha and beta are never negative. LSLA is the same without
gamma: alpha = 0. An offloading application puts one token on its host, its GPU and the link between (2):
t_w = t_k + t_1 + t_c; nothing overlaps. Any unit of time and data, the same throughout; `fitting` gives seconds.

Ours: a communication between two processing elements puts a token on every node of its cheapest way; the paper maps
tokens by hand. Not modelled: contention, overlap, anything that is not linear in S.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from ..elementwise import Values, nonnegative, positive
from ..errors import InputError
from ..published import tables

if TYPE_CHECKING:
    import networkx

Kind: TypeAlias = Literal["processing", "communication"]


class ArchitectureError(InputError):
    """An architecture that cannot be, or activity that does not fit it."""


class Element(Struct, frozen=True):
    """A processing element or communication node; alpha and beta in time per unit of S."""

    name: str
    kind: Kind
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        nonnegative(f"alpha of {self.name}", self.alpha)
        nonnegative(f"beta of {self.name}", self.beta)

    def time(self, gamma: Values, size: Values) -> Values:
        """(alpha / gamma + beta) · S, of numbers or numpy arrays; InputError unless gamma > 0 and S >= 0."""
        return (self.alpha / positive("gamma", gamma) + self.beta) * nonnegative("S", size)


class Token(Struct, frozen=True):
    """Activity mapped to one element: `size` units of data with parallelism `gamma`."""

    element: str
    gamma: Values
    size: Values


class Architecture(Struct, frozen=True):
    """`links` join processing elements to communication nodes and these to each other. `scale`: lambda of equation 1,
    the weight of communication, 1 where both costs are times."""

    elements: tuple[Element, ...]
    links: tuple[tuple[str, str], ...] = ()
    scale: float = 1.0

    def __post_init__(self) -> None:
        nonnegative("lambda", self.scale)
        if len({element.name for element in self.elements}) < len(self.elements):
            raise ArchitectureError("two elements have one name")
        for link in self.links:
            if all(self.element(name).kind == "processing" for name in link):
                raise ArchitectureError(
                    f"{' and '.join(link)} are processing elements: a link needs a node between them"
                )

    def element(self, name: str) -> Element:
        """The element of that name, or ArchitectureError."""
        for element in self.elements:
            if element.name == name:
                return element
        known = ", ".join(element.name for element in self.elements)
        raise ArchitectureError(f"the architecture has no element {name}; it has {known or 'none'}")


def cost(architecture: Architecture, activity: Iterable[Token]) -> Values:
    """Equation 1, in the unit of the elements' times; tokens may hold numpy arrays of gamma and S.

    Example: `cost(printed("B1"), [Token("k", 8, 512), Token("1", 8, 512), Token("c", 8, 512)])` is 41.344."""
    total: Values = 0.0
    for token in activity:
        element = architecture.element(token.element)
        weight = architecture.scale if element.kind == "communication" else 1.0
        total = total + weight * element.time(token.gamma, token.size)
    return total


def wall_time(architecture: Architecture, gamma: Values, size: Values) -> Values:
    """t_w of equation 2: one token on every element, all with the same gamma and S."""
    return cost(architecture, (Token(element.name, gamma, size) for element in architecture.elements))


def communication(architecture: Architecture, source: str, target: str, gamma: float, size: float) -> tuple[Token, ...]:
    """A token for every communication node on the cheapest way from one processing element to another, in its order;
    none within one element. ArchitectureError where no way leads there through communication nodes alone."""
    ends = {architecture.element(source).name, architecture.element(target).name}
    if len(ends) == 1:
        return ()
    import networkx

    graph = as_graph(architecture)
    nodes = [e.name for e in architecture.elements if e.kind == "communication"]

    def price(_: str, to: str, __: object) -> float:
        return 0.0 if to in ends else float(architecture.element(to).time(gamma, size))

    try:
        way = networkx.shortest_path(graph.subgraph([*nodes, *ends]), source, target, weight=price)
    except networkx.NetworkXNoPath:
        raise ArchitectureError(f"no communication node leads from {source} to {target}") from None
    return tuple(Token(name, gamma, size) for name in way if name not in ends)


def as_graph(architecture: Architecture) -> "networkx.Graph[str]":
    """The elements as nodes with attribute `element`, the links as edges."""
    import networkx

    graph: networkx.Graph[str] = networkx.Graph()
    for element in architecture.elements:
        graph.add_node(element.name, element=element)
    graph.add_edges_from(architecture.links)
    return graph


def offloading(k: tuple[float, float], host: tuple[float, float], link: tuple[float, float]) -> Architecture:
    """The three elements of figure 1, each by its (alpha, beta): GPU `k`, host `1`, and `c` between them."""
    elements = (
        Element("k", "processing", *k),
        Element("1", "processing", *host),
        Element("c", "communication", *link),
    )
    return Architecture(elements, (("k", "c"), ("c", "1")))


def printed(row: str) -> Architecture:
    """An application of Table II: B1, M1, B2, B3 or M3. The paper prints no unit of its times and of S."""
    found = tables("lslag")["parameters"].row(id=row)
    k, host, link = ((found[f"alpha_{x}"], found[f"beta_{x}"]) for x in ("g", "1", "c"))
    return offloading(k, host, link)
