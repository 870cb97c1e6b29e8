"""The cheapest placement on the host and one accelerator: a minimum s-t cut.

The source is the host, the sink the device; a task on the source's side runs on the host. Cutting task -> sink costs
its time on the host, source -> task its time on the device. A segment (`segments`) of a definition D, readers R with
needs b and an array of S bytes costs, for each direction, a copy of S, or copies of all the b of the readers on the
other side, whichever is cheaper. An auxiliary node a says that, with l the latency and B the rate of the link:

    host to device   D -> a  l + S / B,    a -> R  l + b / B        device to host   R -> a,  a -> D  likewise

(a is on whichever side is cheaper.) Edges between pairs of tasks would pay for each reader. What can only run on the
host is the source itself. Capacities are integers, so that the cut is exact.
"""

from collections.abc import Hashable, Sequence

from .flow import sink_side
from .program import HOST, Place, Program, executions
from .segments import HOST_NODE, Segments

RESOLUTION = 2**52
"""Steps into which the largest possible cost is divided: beyond the digits of the times."""


def place_by_cut(
    program: Program, times_s: Sequence[tuple[float, float | None]], link: Place, found: Segments
) -> list[bool]:
    """For every task whether it runs on the device. `times_s`: seconds of one execution on the host and on the device
    (None: it cannot run there). Ties go to the host. Exact where `found` leaves no array out."""
    network = _Network()
    nodes: list[Hashable] = []
    for number, ((_, n), (host_s, device_s)) in enumerate(zip(executions(program.body), times_s, strict=True)):
        nodes.append("host" if device_s is None else number)
        if device_s is not None:
            network.add(number, "device", n * host_s)
            network.add("host", number, n * device_s)
    sizes = {array.name: array.bytes for array in program.arrays}
    for segment, times in found.times.items():
        writer = "host" if segment.writer == HOST_NODE else nodes[segment.writer]
        readers = [("host" if r == HOST_NODE else nodes[r], need) for r, need in segment.readers]
        size = sizes[segment.array]
        for to_device, rate in ((True, link.to_rate), (False, link.from_rate)):
            costs = [(reader, times * (link.latency_s + min(need, size) / rate)) for reader, need in readers]
            network.share(writer, costs, times * (link.latency_s + size / rate), to_device=to_device)
    side = network.device_side()
    return [node in side for node in nodes]


class _Network:
    def __init__(self) -> None:
        self.edges: dict[tuple[Hashable, Hashable], float] = {}
        self.auxiliaries = 0

    def add(self, source: Hashable, target: Hashable, seconds: float) -> None:
        if source != target and target != "host" and source != "device" and seconds > 0:
            self.edges[source, target] = self.edges.get((source, target), 0.0) + seconds

    def share(
        self, writer: Hashable, readers: list[tuple[Hashable, float]], whole_s: float, *, to_device: bool
    ) -> None:
        """One segment in one direction: readers with the seconds of their own copies, and those of a copy of all."""
        if to_device:
            readers = [r for r in readers if r[0] != "host"]
        elif writer == "host":
            return
        readers = [r for r in readers if r[0] != writer]
        middle = writer
        if len(readers) > 1:
            self.auxiliaries += 1
            middle = ("via", self.auxiliaries)
            self._directed(writer, middle, whole_s, to_device)
        for reader, seconds in readers:
            self._directed(middle, reader, seconds, to_device)

    def _directed(self, first: Hashable, second: Hashable, seconds: float, to_device: bool) -> None:
        self.add(*((first, second) if to_device else (second, first)), seconds)

    def device_side(self) -> set[Hashable]:
        total = sum(self.edges.values()) or 1.0
        steps = {edge: round(seconds / total * RESOLUTION) for edge, seconds in self.edges.items()}
        return sink_side({edge: capacity for edge, capacity in steps.items() if capacity}, "host", "device")


def only_host_and(place: int, program: Program) -> list[tuple[float, float | None]]:
    """The times of the tasks with `place` as the only accelerator."""
    return [(task.times_s[HOST] or 0.0, task.times_s[place]) for task, _ in executions(program.body)]
