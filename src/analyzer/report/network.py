"""Communication of MPI programs in reports: the entries of the document, and lines for people."""

from collections.abc import Iterator
from math import inf

from models.expr import Expr, div, to_text
from models.quantity import Sizes

from ..advise.likely import expr_of
from ..advise.network import Bound, NetworkAdvice
from ..base.amounts import amount, size, time
from ..facts.loop import Count
from ..facts.network import Network
from . import amounts
from .document import CommunicationEntry, CountEntry, MessageEntry, NetworkEntry, Number, RoofEntry
from .formula import Formula

MOST_LEFT_OUT = 2
LONGEST = 60
"""Characters of a formula in a line."""


def entries(
    network: Network, flops: Count | None, advice: NetworkAdvice, sizes: Sizes
) -> tuple[CountEntry, CountEntry | None, NetworkEntry]:
    """Network bytes, communication intensity, and the rest."""
    from .build import count_entry

    moved = _count(network)
    bytes_ = _with_processes(count_entry(moved, sizes), network, advice)
    assert bytes_ is not None
    intensity = _intensity(flops, moved, advice)
    roof = advice.bound
    entry = NetworkEntry(
        sent_by_rank=None if advice.processes is None else tuple(_whole(b) for b in advice.processes.sent),
        sent_exact=network.exact if advice.processes is None else advice.processes.exact,
        messages=tuple(
            MessageEntry(m.line, m.call, None if m.model is None else to_text(m.model), m.exact)
            for m in network.messages
        ),
        left_out=network.silent,
        roof=None if roof is None else _roof(roof),
        why_no_roof=advice.why_unbounded or None,
    )
    return bytes_, intensity, entry


def _roof(b: Bound) -> RoofEntry:
    cai = b.cai if b.cai < inf else None
    roofs = b.system.peak, b.system.memory, b.system.network
    ours = b.time_without_network, None if b.messages is None else _whole(b.messages), b.system.latency
    return RoofEntry(
        b.system.id, b.limit, b.oi, cai, b.attainable, b.without_network, b.time, *roofs, *ours, b.time_with_latency
    )


def _count(network: Network) -> Count:
    """Bytes as the model has them; exact where every process sends just that."""
    if network.symmetric:
        return Count(network.model, assumptions=network.assumptions)
    said = (*network.assumptions, *network.silent)
    return Count(network.model, network.least, None if network.silent else network.model, False, said)


def _with_processes(entry: CountEntry | None, network: Network, advice: NetworkAdvice) -> CountEntry | None:
    """With the values of the processes: that of the busiest one by the model, the least and the most that is sent."""
    from msgspec.structs import replace

    found = advice.processes
    if entry is None or found is None:
        return entry
    most = max(found.model)
    alike = found.exact and all(b == most for b in (*found.sent, *found.model))
    high = None if network.silent else _whole(most)
    return replace(entry, value=_whole(most), low=_whole(min(found.sent)), high=high, exact=alike)


def _intensity(flops: Count | None, moved: Count, advice: NetworkAdvice) -> CountEntry | None:
    above, below = expr_of(flops), moved.expr
    if flops is None or above is None or below is None:
        return None
    expr = _quotient(above, below)
    known = advice.processes is not None and advice.flops is not None and max(advice.processes.model) > 0
    value = advice.flops / max(advice.processes.model) if known and advice.processes and advice.flops else None
    exact = flops.exact and moved.exact
    said = (*flops.assumptions, *moved.assumptions)
    return CountEntry(None if expr is None else Formula(expr), value, None, None, exact, said, None, None)


def _quotient(above: Expr, below: Expr) -> Expr | None:
    try:
        return div(above, below)
    except ZeroDivisionError:
        return None


def _whole(value: float) -> Number:
    return int(value) if value == int(value) else value


# --- for people


def line(bytes_: CountEntry | None, intensity: CountEntry | None, network: NetworkEntry) -> str:
    """`192 B at 4 ranks; 0.5 flop/B; network-bound on karst`: what is sent and what it means."""
    return "; ".join(_parts(bytes_, intensity, network))


def _parts(bytes_: CountEntry | None, intensity: CountEntry | None, network: NetworkEntry) -> Iterator[str]:
    if bytes_ is not None and bytes_.expr is not None:
        yield _bytes(bytes_, network)
    yield from network.left_out[:MOST_LEFT_OUT]
    if len(network.left_out) > MOST_LEFT_OUT:
        yield f"nor of {len(network.left_out) - MOST_LEFT_OUT} more calls"
    if intensity is not None and intensity.value:
        yield f"{intensity.value:.3g} flop/B"
    if network.why_no_roof is not None:
        yield network.why_no_roof
    roof = network.roof
    if roof is not None:
        rate = f": at most {amount(roof.attainable_ops_per_s)}flop/s per process" if roof.attainable_ops_per_s else ""
        named = roof.limit == "network" and rate
        plain = f", {amount(roof.without_network_ops_per_s)}flop/s without the network" if named else ""
        yield f"{roof.limit}-bound on {roof.system}{rate}{plain}, at least {time(roof.time_s)}{_late(roof)}"


def _late(roof: RoofEntry) -> str:
    if roof.with_latency_time_s is None or roof.latency_s is None or not roof.messages:
        return ""
    waits = f"{roof.messages:g} message{'' if roof.messages == 1 else 's'}"
    return f", {time(roof.with_latency_time_s)} with {time(roof.latency_s)} for each of {waits}"


def _bytes(bytes_: CountEntry, network: NetworkEntry) -> str:
    sent = network.sent_by_rank
    if bytes_.value is None or sent is None:
        text = "" if bytes_.expr is None else amounts.formula(bytes_.expr, LONGEST)
        return f"{text} B from each process" if bytes_.exact else f"at most {text} B from a process"
    ranks = f"{len(sent)} ranks"
    if min(sent) == max(sent) == bytes_.value:
        return f"{size(bytes_.value)} from each of {ranks}"
    spread = size(sent[0]) if min(sent) == max(sent) else f"{size(min(sent))} to {size(max(sent))}"
    return f"{size(bytes_.value)} by the model, {spread} sent by each of {ranks}"


def communication_line(entry: CommunicationEntry) -> str:
    return line(entry.network_bytes, entry.communication_intensity, entry.network)
