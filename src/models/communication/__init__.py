"""The communication-aware roofline: peak arithmetic, memory bandwidth and network bandwidth limit an algorithm.

Cardwell, "Performance Models for Distributed-Memory HPC Systems and Deep Neural Networks", 2019, chapter 2. For one of
P processes (equations 2.1 to 2.5):

    OI = flops / memory bytes          CAI = flops / network bytes
    attainable = min(peak, memory bandwidth · OI, network bandwidth · CAI)
    ridge points: OI* = peak / memory bandwidth, CAI* = peak / network bandwidth

Its two charts are `roofline.attainable` over OI and over CAI, its surface is `attainable` over both. Network bytes:
messages from point to point are summed, and the process with the most counts; a collective is a minimum spanning tree
of ceil(log2 P) stages. Table 2.4 writes log P without a ceiling; both are kept, as stages "table" and "text".
Numbers or numpy arrays, in SI and per process. Not modelled: latency (but for `time_with_latency`, which is ours),
overlap of communication and arithmetic, contention, processes of one node that share its memory and network.
"""

from .algorithms import ALGORITHMS, Algorithm, Cache, paper_cache
from .calls import Stages, network_bytes, tree_stages
from .named import system_named, systems
from .points import Point
from .roofs import Limit, System, Work, attainable, limit, time, time_with_latency

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Cache",
    "Limit",
    "Point",
    "Stages",
    "System",
    "Work",
    "attainable",
    "limit",
    "network_bytes",
    "paper_cache",
    "system_named",
    "systems",
    "time",
    "time_with_latency",
    "tree_stages",
]
